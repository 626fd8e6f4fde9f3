# SPDX-License-Identifier: Apache-2.0
"""A catalogue of reports, which mod_dav_svn must answer as we do.

Each report on each form of URL; then each report changed in every single way:
an element left out, doubled, of another namespace, with every odd value.
Where we differ on purpose, RULES says why.
"""

import os
import re

import pytest

import differ
import harness
from differ import Case, Rule, element, report, update

HEADERS = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9",
           "Content-Type": "text/xml"}


@pytest.fixture(scope="module")
def pair(work, small):
    """(server under test, mod_dav_svn), serving the same repository."""
    servers = [
        harness.Httpd(os.path.join(work, "reports-" + name), mpm,
                      harness.location("/small", small, peer=peer), peer=peer)
        for name, mpm, peer in (("ours", "worker", harness.PEER),
                                ("peer", "event", True))]
    with servers[0], servers[1]:
        yield servers


# ---- every report on every form of URL ----

FORMS = ["", "/", "/trunk", "/trunk/", "/trunk/lib/b.c", "/trunk/alpha.txt",
         "/none", "/!svn/me", "/!svn/me/", "/!svn/vcc/default",
         "/!svn/rev/9", "/!svn/rev/99", "/!svn/bln/9", "/!svn/bln/9/",
         "/!svn/rvr/9/trunk", "/!svn/rvr/9/trunk/", "/!svn/rvr/9/",
         "/!svn/rvr/9", "/!svn/rvr/9/trunk/alpha.txt", "/!svn/rvr/99/",
         "/!svn/rvr/9/none", "/!svn/bc/9/trunk", "/!svn/bc/9/",
         "/!svn/bc/9/trunk/alpha.txt", "/!svn/ver/9/trunk",
         "/!svn/ver/9/trunk/alpha.txt", "/!svn/ver/9/", "/!svn/act/none",
         "/%21svn/rvr/9/trunk", "//trunk//lib/"]


def span(start, end, *more):
    return (element("start-revision", start), element("end-revision", end),
            *more)


PATH = element("path")
AT_9 = element("peg-revision", 9)
MARK = element("low-water-mark", 0)
REPORTS = {
    "update": update(element("src-path", "/small"),
                     element("target-revision", 9), '<S:entry rev="9" '
                     'start-empty="true"></S:entry>'),
    "update in bulk": update(element("src-path", "/small/trunk"),
                             '<S:entry rev="5"></S:entry>', send_all=True),
    "log": report("log-report", *span(9, 1, PATH)),
    "log of all": report("log-report", *span(1, 9, element("limit", 4), element(
        "discover-changed-paths"))),
    "log of lib": report("log-report", *span(9, 1, element("path", "lib"))),
    "log by dates alone": report("log-report", element("all-revprops")),
    "blame": report("file-revs-report", *span(1, 9, PATH)),
    "blame without path": report("file-revs-report", *span(1, 9)),
    "blame of alpha.txt": report("file-revs-report", *span(
        1, 9, element("path", "alpha.txt"))),
    "list": report("list-report", PATH, element("revision", 9), element(
        "depth", "immediates"), element("prop", "DAV:version-name")),
    "list of lib": report("list-report", element("path", "lib"), element(
        "revision", 9), element("depth", "infinity"), element(
            "prop", "DAV:allprop")),
    "locations": report("get-locations", PATH, AT_9, element(
        "location-revision", 1), element("location-revision", 3)),
    "segments": report("get-location-segments", PATH, AT_9, *span(9, 0)),
    "deletion": report("get-deleted-rev-report", element("path", "lib"),
                       element("peg-revision", 2), element("end-revision", 9)),
    "date": report("dated-rev-report", "<D:creationdate>"
                   "2024-03-05T00:00:00.000000Z</D:creationdate>"),
    "locks": report("get-locks-report"),
    "own lock": report("get-locks-report", attributes=' depth="empty"'),
    "mergeinfo": report("mergeinfo-report", element("revision", 9),
                        element("inherit", "inherited"), PATH),
    "mergeinfo without path": report("mergeinfo-report",
                                     element("revision", 9)),
    "inherited": report("inherited-props-report", element("revision", 9),
                        PATH),
    "inherited by lib": report("inherited-props-report", element(
        "revision", 9), element("path", "lib")),
    "replay": report("replay-report", MARK, element("send-deltas", 1)),
    "old replay": report("replay-report", element("revision", 9), MARK),
    "replay of trunk": report("replay-report", element(
        "include-path", "trunk"), MARK, element("send-deltas", 0)),
    "none such": report("none-such"),
    "versions": '<D:version-tree xmlns:D="DAV:"><D:prop/></D:version-tree>',
    "expansion": '<D:expand-property xmlns:D="DAV:"><D:property '
                 'name="checked-in"/></D:expand-property>'}

BY_FORM = [Case("REPORT", "/small" + form, HEADERS, body,
                "%s on %s" % (name, form))
           for name, body in REPORTS.items() for form in FORMS]


# ---- every change of every report ----

def parts(*names_and_values):
    """Elements as a list of (name with attributes, text)."""
    return [(name if ":" in name.split()[0] else "S:" + name, str(value))
            for name, value in names_and_values]


BASIS = {  # name -> URL, root element, elements
    "log": ("/!svn/rvr/14/", "log-report", parts(
        ("start-revision", 14), ("end-revision", 1), ("limit", 3),
        ("discover-changed-paths", ""), ("strict-node-history", ""),
        ("revprop", "svn:log"), ("path", "trunk"),
        ("encode-binary-props", ""))),
    "merged log": ("/!svn/rvr/14/", "log-report", parts(
        ("start-revision", 14), ("end-revision", 1),
        ("include-merged-revisions", ""), ("path", "trunk"))),
    "blame": ("/!svn/rvr/14/", "file-revs-report", parts(
        ("start-revision", 1), ("end-revision", 14),
        ("path", "trunk/alpha.txt"))),
    "list": ("/!svn/rvr/14/", "list-report", parts(
        ("path", "trunk"), ("revision", 14), ("depth", "immediates"),
        ("pattern", "*a*"), ("prop", "DAV:getcontentlength"),
        ("prop", "DAV:creator-displayname"))),
    "locations": ("/!svn/rvr/14/", "get-locations", parts(
        ("path", "trunk/alpha.txt"), ("peg-revision", 14),
        ("location-revision", 1), ("location-revision", 9))),
    "segments": ("/!svn/rvr/14/", "get-location-segments", parts(
        ("path", "trunk/alpha.txt"), ("peg-revision", 14),
        ("start-revision", 12), ("end-revision", 1))),
    "deletion": ("/!svn/rvr/14/", "get-deleted-rev-report", parts(
        ("path", "branches/b1"), ("peg-revision", 5), ("end-revision", 14))),
    # mod_dav_svn takes what it found by one kind of inheritance for another,
    # so the paths are such as have mergeinfo of their own, or nowhere.
    "mergeinfo": ("/!svn/rvr/14/", "mergeinfo-report", parts(
        ("revision", 12), ("inherit", "inherited"), ("path", "trunk"))),
    "inherited": ("/!svn/rvr/14/", "inherited-props-report", parts(
        ("revision", 11), ("path", "branches/b1/lib/n.c"))),
    "replay": ("/!svn/rev/8", "replay-report", parts(
        ("include-path", "trunk"), ("low-water-mark", 0),
        ("send-deltas", 1))),
    "old replay": ("/trunk", "replay-report", parts(
        ("revision", 8), ("low-water-mark", 0), ("send-deltas", 1))),
    "date": ("/!svn/me", "dated-rev-report", parts(
        ("D:creationdate", "2024-03-08T00:00:00.000000Z"))),
    "update": ("/!svn/me", "update-report", parts(
        ("src-path", "/small/trunk"), ("target-revision", 14),
        ("depth", "infinity"), ("include-props", "yes"),
        ("send-copyfrom-args", "yes"), ("ignore-ancestry", "no"),
        ("recursive", "yes"), ("text-deltas", "yes"),
        ('entry rev="8" depth="infinity"', ""), ('entry rev="5"', "lib"))),
    "switch": ("/!svn/vcc/default", "update-report", parts(
        ("src-path", "/small/trunk"), ("dst-path", "/small/branches/b1"),
        ("target-revision", 12), ("update-target", "lib"),
        ("resource-walk", "no"), ('entry rev="12"', "")))}

REVISIONS = ["x", "-1", "99", "", "  9 ", "0", "99999999999", "1.5", "+3",
             "0x3", "HEAD", "{2024-03-05}", "-2", "9 9"]
PATHS = ["", "none", "/trunk", "trunk/", "./trunk", "trunk//lib",
         "trunk/../branches", "..", "/", "//", "trunk/lib/b.c",
         "trunk/lib/b.c/x", "%74runk", " trunk", "trunk ", "Trunk",
         "trunk\\lib", "tr\u00fcnk", "tru&amp;nk", "a" * 300, "a/" * 200 + "a"]
DEPTHS = ["", "0", "1", "infinity", "Infinity", "empty", "files",
          "immediates", "unknown", "exclude", "bad"]
SWITCHES = ["", "no", "yes", "No", "0", "x"]
VALUES = {
    "limit": REVISIONS, "low-water-mark": REVISIONS, "path": PATHS,
    "src-path": PATHS, "dst-path": PATHS, "update-target": PATHS,
    "include-path": PATHS, "depth": DEPTHS, "include-props": SWITCHES,
    "send-copyfrom-args": SWITCHES, "ignore-ancestry": SWITCHES,
    "recursive": SWITCHES, "text-deltas": SWITCHES, "resource-walk": SWITCHES,
    "discover-changed-paths": SWITCHES, "strict-node-history": SWITCHES,
    "send-deltas": ["", "no", "yes", "0", "2", "-1", "x"],
    "inherit": ["explicit", "inherited", "nearest-ancestor", "", "x",
                "Explicit"],
    "creationdate": [
        "", "x", "2024-03-05", "2024-03-05T00:00:00Z", "2024-03-05 00:00",
        "20240305T000000Z", "2024-13-05T00:00:00.000000Z",
        "1900-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z",
        "2024-03-05T10:00:00.000004Z", "2024-03-05T10:00:00.000003Z",
        "2024-03-05T10:00:00.000004+01:00", "0",
        "Tue, 05 Mar 2024 10:00:00 GMT"],
    "pattern": ["", "*", "?", "[a-z]*", "[", "\\", "b.c", "TRUNK", "lib/*",
                "*.c", "**", "a?pha.txt", "[!a]*", "[^a]*"],
    "prop": ["DAV:allprop", "DAV:resourcetype", "DAV:none", "",
             "http://subversion.tigris.org/xmlns/dav/deadprop-count",
             "DAV:creationdate", "DAV:version-name"],
    "revprop": ["svn:author", "svn:date", "none", "", "extra:prop", "svn:*",
                " svn:log"]}
ENTRY = (['rev="%s"' % rev for rev in REVISIONS]
         + ['depth="%s"' % depth for depth in DEPTHS]
         + ['start-empty="true"', 'start-empty="no"', 'surprise="x"',
            'linkpath="/branches/b1"', 'linkpath="/none"',
            'linkpath="/trunk/lib"', 'lock-token="opaquelocktoken:x"',
            'lock-token=""'])


def body(root, elements, attributes=""):
    return report(root, *("<%s>%s</%s>" % (name, text, name.split()[0])
                          for name, text in elements), attributes=attributes)


def with_attribute(name, attribute):
    """The start of an entry with one attribute set or replaced."""
    key = attribute.split("=")[0]
    return re.sub(' %s="[^"]*"' % key, "", name) + " " + attribute


def element_changes(elements, i):
    """(what, elements) for each change of one element."""
    name, text = elements[i]
    word = name.split(":", 1)[1].split()[0]
    before, after = elements[:i], elements[i + 1:]
    where = "%s (%d)" % (word, i)
    yield "without " + where, before + after
    yield "doubled " + where, before + [elements[i]] * 2 + after
    yield "hidden " + where, before + [
        ("S:x", "<%s>%s</%s>" % (name, text, name.split()[0]))] + after
    other = "D:" if name.startswith("S:") else "S:"
    yield "foreign " + where, before + [(other + name[2:], text)] + after
    for value in (REVISIONS if word.endswith("revision")
                  else VALUES.get(word, [])):
        yield "%s=%.30r" % (where, value), before + [(name, value)] + after
    if word == "entry":
        for attribute in ENTRY:
            yield "%s %s" % (where, attribute), before + [
                (with_attribute(name, attribute), text)] + after


def changes(root, elements):
    """(what, body) for each change of a report."""
    whole = body(root, elements)
    yield "right", whole
    yield "reversed", body(root, elements[::-1])
    yield "empty", body(root, [])
    for i in range(len(elements)):
        for what, changed in element_changes(elements, i):
            yield what, body(root, changed)
    yield "surprise behind", body(root, elements + [("S:surprise", "x")])
    yield "surprise before", body(root, [("D:surprise", "x")] + elements)
    yield "text between", whole.replace("><", "> text <")
    yield "lines between", re.sub(r">(<S:(?!/))", r">\n\1", whole)
    yield "attribute", body(root, elements, ' x="y"')
    yield "send-all", body(root, elements, ' send-all="true"')
    yield "no send-all", body(root, elements, ' send-all="TRUE"')
    yield "text behind", whole + "x"
    yield "comments", "<!-- c -->" + whole + "<!-- d -->"
    yield "cut off", whole[:-10]
    yield "other prefix", whole.replace("S:", "Q:").replace(
        "xmlns:S", "xmlns:Q")
    yield "no prefix", re.sub(r"<(/?)S:", r"<\1", whole).replace(
        "xmlns:S=", "xmlns=")
    yield "no namespace", re.sub(r"<(/?)S:", r"<\1", whole).replace(
        'xmlns:S="svn:"', "")
    yield "other namespace", whole.replace('"svn:"', '"DAV:"')
    yield "byte order mark", b"\xef\xbb\xbf" + whole.encode()
    yield "UTF-16", ('<?xml version="1.0" encoding="utf-16"?>'
                     + whole).encode("utf-16")
    yield "Latin-1", '<?xml version="1.0" encoding="iso-8859-1"?>' + whole


CHANGED = [Case("REPORT", "/small" + path, HEADERS, changed,
                "%s: %s" % (name, what))
           for name, (path, root, elements) in BASIS.items()
           for what, changed in changes(root, elements)]

#: What ends a process of mod_dav_svn.
DEADLY = re.compile(r"inherited: path \(1\)='/(?:trunk)?'"
                    r"|switch: update-target \(3\)='/(?:trunk)?'")
ALONE = [case for case in CHANGED if DEADLY.fullmatch(case.name)]
CHANGED = [case for case in CHANGED if case not in ALONE]

# ---- where we differ ----

NO_NUMBER = r"(?:x||1\.5|0x3|HEAD|\{.*\}|9 9)"
NO_PATH = r"(?:trunk/|\./trunk|trunk//lib|//|\.\.|trunk/\.\./branches)"

RULES = [
    # numbers
    Rule(r".*: (?:\S*revision|low-water-mark) \(\d\)='%s'" % NO_NUMBER,
         "what is no number is read as 0, or in part", (400, 200004),
         (0, 200, 400, 404, 500)),
    Rule(r'.*: entry \(\d\) rev="(?:%s|-.|  9 |\+3)"' % NO_NUMBER,
         "the same; -1 is taken for none", (400, 200004), (0, 200, 500)),
    Rule(r"log: limit \(2\)='-.'", "a negative limit is none, not a limit by "
         "chance", 200, (200,)),
    Rule(r"segments: (?:peg-revision \(1\)='(?:  9 |0|\+3)'"
         r"|start-revision \(2\)='(?:99|0|99999999999)'"
         r"|end-revision \(3\)='(?:99|99999999999)')",
         "400 with this number; clients go by the number", (404, 160006),
         (400,)),
    Rule(r"deletion: \S* \(\d\)='99(?:999999999)?'", "500 without a number",
         (404, 160006), (500,)),
    # paths
    Rule(r".*: (?:include-)?path \(\d\)='%s'" % NO_PATH, "the number names "
         "the fault; '..' is not looked for", (400, 160005),
         (200, 400, 404, 500)),
    Rule(r"(?:merged log|locations|segments|mergeinfo): path \(\d\)="
         r"'trunk/lib/b.c/x'", "below a file there is nothing,"
         " as in a directory", (404, 160013), (400, 500)),
    Rule(r"replay: include-path \(0\)='(?: trunk|trunk )'", "a blank is a part "
         "of a name", 200, (200,)),
    # logs
    Rule(r"merged log: (?:without|hidden|foreign) path.*", "the items that "
         "end a level tell changed paths", 200, (200,)),
    # bodies
    Rule(".*: Latin-1", "bodies are UTF-8 or UTF-16", (400, 130003),
         (200, 500)),
    Rule(r"old replay: doubled revision \(0\)", "the last one counts", 200,
         (400,)),
    # updates
    Rule(r"(?:update|switch): (?:depth|include-props|send-copyfrom-args"
         r"|ignore-ancestry|text-deltas|resource-walk) \(\d\)=''",
         "an element without text is there all the same", 200, (400,)),
    Rule(r"switch: dst-path \(1\)=''", "the number names the fault",
         (400, 190001), (400,)),
    Rule(r"update: doubled entry \(9\)", "of two entries for a path the last "
         "counts; what is sent deletes what it adds", 200, (200,)),
    Rule(r'update: entry \(9\) (?:rev="0"|linkpath="/none")',
         "the answer is broken off", (404, 160013), (0,)),
    Rule(r"switch: update-target \(3\)='(?:.*/.*|\.\.')",
         "a target is one name: broken off, or empty", (400, 165004),
         (0, 200, 400)),
    Rule(r"switch: resource-walk \(4\)='(?:yes|No|0|x)'",
         "checksums stand where no client looks", 200, (200,)),
]


@pytest.mark.parametrize("case", BY_FORM, ids=lambda case: case.name)
def test_report_on_each_url(case, pair):
    differ.check(pair, case, RULES)


@pytest.mark.parametrize("case", CHANGED, ids=lambda case: case.name)
def test_changed_report(case, pair):
    differ.check(pair, case, RULES)


def test_each_rule_is_about_some_report():
    assert not differ.unused(RULES, BY_FORM + CHANGED)


@pytest.mark.skipif(harness.PEER, reason="ends the process")
@pytest.mark.parametrize("case", ALONE, ids=lambda case: case.name)
def test_report_that_ends_a_process_of_mod_dav_svn(case, pair):
    status = differ.ask(pair[0], case.method, case.path, case.headers,
                        case.body)[0]
    assert status in (200, 400)
