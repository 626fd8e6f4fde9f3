# SPDX-License-Identifier: Apache-2.0
"""The same request to two servers, and what of the answers must be equal."""

import http.client
import re
import urllib.parse

import harness

HEADERS = ("content-type", "etag", "cache-control", "last-modified",
           "location", "vary", "ms-author-via", "x-svn-vr-base",
           "content-encoding", "dav", "allow")

#: Reports whose items come in an order that counts.
ORDERED = ("svn:log-report", "svn:list-report", "svn:file-revs-report",
           "svn:editor-report", "svn:get-location-segments-report")

#: Elements with deltas: many streams make the same text.
DELTAS = ("svn:txdelta", "svn:apply-textdelta")

#: Body of the OPTIONS by which a client begins.
OPTIONS = ('<?xml version="1.0" encoding="utf-8"?><D:options xmlns:D="DAV:">'
           "<D:activity-collection-set></D:activity-collection-set>"
           "</D:options>")


# ---- bodies of requests ----

def propfind(*names):
    """Body of a PROPFIND for these properties; none: allprop."""
    if not names:
        return '<propfind xmlns="DAV:"><allprop/></propfind>'
    return '<propfind xmlns="DAV:"><prop>%s</prop></propfind>' % "".join(
        '<%s xmlns="%s"/>' % (local, space or "DAV:")
        for space, _, local in (n.rpartition("|") for n in names))


def report(name, *children, attributes=""):
    """Body of a REPORT."""
    return '<S:%s xmlns:S="svn:" xmlns:D="DAV:"%s>%s</S:%s>' % (
        name, attributes, "".join(children), name)


def element(name, value=""):
    """An element of the namespace "svn:"."""
    return "<S:%s>%s</S:%s>" % (name, value, name)


def update(*children, send_all=False, props=True):
    """Body of an update-report."""
    return report(
        "update-report", *(["<S:include-props>yes</S:include-props>"]
                           if props and not send_all else []),
        *children, attributes=' send-all="true"' if send_all else "")


# ---- comparing ----

def headers_of(server, answer):
    """The headers that count, as a comparable value."""
    found = {}
    for name, value in answer.headers:
        name = name.lower()
        if name in ("dav", "allow"):
            found.setdefault(name, set()).update(
                word.strip() for word in value.split(","))
        elif name in HEADERS or name.startswith("svn-"):
            found[name] = value.replace(server.base, "BASE")
    return found


def clean(element):
    """Drop what may differ: deltas' bytes, line breaks of base64, the version
    of the server that a listing names."""
    if element.name == "svn":
        element.attributes.pop("version", None)
    if element.name in DELTAS:
        element.text = "delta"
    elif any(name.endswith("encoding") for name in element.attributes):
        element.text = re.sub(r"\s", "", element.text)
    for child in element.children:
        clean(child)
    return element


def body_of(answer):
    """The body as a comparable value; of an error the number alone."""
    if answer.status >= 400:
        return answer.errcode()
    kind = answer.header("Content-Type", "")
    if answer.status == 207:
        return {
            href: {name: (status, prop.value() if status == 200 else None)
                   for name, (status, prop) in props.items()}
            for href, props in answer.properties().items()}
    if kind.startswith("text/xml") and answer.body.startswith(b"<?xml"):
        root = clean(answer.element())
        if root.name == "svn:editor-report":
            nest(root)
        items = [child.value() for child in root.children]
        if root.name not in ORDERED:
            items.sort(key=repr)
        return (root.name, root.attributes, root.text.strip(), items)
    if kind.startswith("application/vnd.svn-svndiff"):
        return answer.body[:4]
    if kind.startswith("text/html"):
        return [urllib.parse.unquote_to_bytes(line) for line in re.findall(
            rb"<(?:li|title)>.*</(?:li|title)>", answer.body)]
    return answer.body


#: One connection for each server's port.
kept = {}


def send(server, method, path, body, headers):
    """One request on the kept connection, a new one if that was closed."""
    for last in (False, True):
        conn = kept.setdefault(server.port, server.connect())
        try:
            return server.request(method, path, body, headers, conn)
        except http.client.IncompleteRead:
            kept.pop(server.port).close()
            return harness.Answer(0, [], b"")
        except (http.client.HTTPException, OSError):
            kept.pop(server.port).close()
            if last:
                raise


def ask(server, method, path, headers=None, body=None):
    """One request; (status, headers, body) in comparable form. The status 0
    is that of an answer that was broken off."""
    head = {k: v.replace("BASE", server.base)
            for k, v in (headers or {}).items()}
    if isinstance(body, str):
        body = body.replace("BASE", server.base).encode()
    answer = send(server, method, path, body, head)
    return answer.status, headers_of(server, answer), body_of(answer)


def difference(mine, theirs, where="answer"):
    """The first difference as a short text, or None."""
    if mine == theirs:
        return None
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in sorted(set(mine) | set(theirs)):
            found = difference(mine.get(key), theirs.get(key),
                               "%s[%s]" % (where, key))
            if found:
                return found
    if type(mine) is type(theirs) and isinstance(mine, (list, tuple)):
        for i, (one, two) in enumerate(zip(mine, theirs)):
            found = difference(one, two, "%s[%d]" % (where, i))
            if found:
                return found
        mine, theirs = mine[len(theirs):], theirs[len(mine):]
    return "%s:\n%.600r\nmod_dav_svn:\n%.600r" % (where, mine, theirs)


def nest(root):
    """A replay's flat list of edits as a tree, whose order is free."""
    top = harness.Element(root.name, {})
    stack = [top]
    for child in root.children:
        kind = child.name.rpartition(":")[2]
        if kind in ("close-file", "close-directory"):
            stack[-1].children.append(child)
            stack.pop()
            continue
        stack[-1].children.append(child)
        if kind in ("open-root", "open-directory", "add-directory",
                    "open-file", "add-file"):
            stack.append(child)
    root.children = top.children


def error_numbers(mine, theirs):
    """A number where mod_dav_svn has none is no difference, nor is which
    number of the operating system it is (those are small)."""
    if mine == theirs or theirs is None or mine and max(mine, theirs) < 20000:
        return 0, 0
    return mine, theirs


def assert_same(ours, peer, method, path, headers=None, body=None,
                ignore=()):
    """Both servers must answer the same, but for headers and properties in
    `ignore`."""
    compare(ask(ours, method, path, headers, body),
            ask(peer, method, path, headers, body), ignore)


def compare(mine, theirs, ignore=()):
    """Two answers of ask() must be the same, but that mod_dav_svn says 500 to
    many a fault of the client."""
    for answer in (mine, theirs):
        for name in ignore:
            answer[1].pop(name, None)
            if answer[0] == 207:
                for props in answer[2].values():
                    props.pop(name, None)
    if theirs[0] == 500 and 400 <= mine[0] < 500 and mine[2] == theirs[2]:
        return  # the same fault, but said to be the client's
    assert mine[0] == theirs[0], "status %d, not %d: %.600r" % (
        mine[0], theirs[0], (mine[2], theirs[2]))
    if mine[0] >= 400:  # what error pages say is free
        numbers = error_numbers(mine[2], theirs[2])
        mine, theirs = (mine[0], numbers[0]), (theirs[0], numbers[1])
    found = difference(mine, theirs)
    assert not found, found


# ---- catalogues ----

class Case:
    """One request of a catalogue; rules find it by its name."""

    def __init__(self, method, path, headers=None, body=None, name=None):
        self.method = method
        self.path = path
        self.headers = headers or {}
        self.body = body
        self.name = name or method + " " + path


class Rule:
    """A deliberate difference of all cases whose names match `pattern`.

    `ours`: what we answer, a status, several, or (status, number of the
    error); `theirs`: the statuses that mod_dav_svn has there. Without them
    only the headers and properties in `ignore` differ.
    """

    def __init__(self, pattern, why, ours=None, theirs=(), ignore=()):
        assert (ours is None) == (not theirs) == bool(ignore) and why
        self.pattern = re.compile(pattern)
        self.why = why
        self.ours = ours
        self.theirs = theirs
        self.ignore = ignore

    def matches(self, case):
        """Is the rule about this case?"""
        return self.pattern.fullmatch(case.name) is not None


def rule_of(case, rules):
    """The first rule about a case, or None."""
    return next((rule for rule in rules if rule.matches(case)), None)


def check(pair, case, rules, ignore=()):
    """The two servers must answer a case the same, unless a rule is about
    it: then each must answer as that says."""
    rule = rule_of(case, rules)
    answers = [ask(server, case.method, case.path, case.headers, case.body)
               for server in pair]
    if harness.PEER or not rule or rule.ours is None:
        compare(*answers, (*ignore, *(rule.ignore if rule else ())))
        return
    status, _, body = answers[0]
    if isinstance(rule.ours, set):
        assert status in rule.ours, answers[0]
    else:
        ours = (status, body) if isinstance(rule.ours, tuple) else status
        assert ours == rule.ours, answers[0]
    assert answers[1][0] in rule.theirs, answers[1]


def unused(rules, cases):
    """Patterns of the rules that are about no case."""
    used = {rule_of(case, rules) for case in cases}
    return [rule.pattern.pattern for rule in rules if rule not in used]
