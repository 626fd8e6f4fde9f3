# SPDX-License-Identifier: Apache-2.0
"""The same request to two servers, and what of the answers must be equal."""

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
    """Drop what may differ: deltas' bytes, line breaks of base64."""
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


def ask(server, method, path, headers=None, body=None):
    """One request; (status, headers, body) in comparable form."""
    head = {k: v.replace("BASE", server.base)
            for k, v in (headers or {}).items()}
    if isinstance(body, str):
        body = body.replace("BASE", server.base).encode()
    answer = server.request(method, path, body=body, headers=head)
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
    mine = ask(ours, method, path, headers, body)
    theirs = ask(peer, method, path, headers, body)
    for answer in (mine, theirs):
        for name in ignore:
            answer[1].pop(name, None)
            if answer[0] == 207:
                for props in answer[2].values():
                    props.pop(name, None)
    if mine[0] >= 400:  # what error pages say is free
        numbers = error_numbers(mine[2], theirs[2])
        mine, theirs = (mine[0], numbers[0]), (theirs[0], numbers[1])
    found = difference(mine, theirs)
    assert not found, found
