# SPDX-License-Identifier: Apache-2.0
"""Requests that read, to repositories of every format: mod_dav_svn must
answer as we do."""

import os

import pytest

import differ
import harness
from differ import OPTIONS, Case, Rule, element, propfind, report, update

AGENT = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}
V = "http://subversion.tigris.org/xmlns/dav/|"
STAT = propfind("resourcetype", "getcontentlength", "getetag", "creationdate",
                "version-name", "creator-displayname", "checked-in",
                V + "deadprop-count", V + "md5-checksum", V + "sha1-checksum",
                V + "baseline-relative-path")
DISCOVERY = propfind("version-controlled-configuration", "resourcetype",
                     V + "baseline-relative-path", V + "repository-uuid")
BASELINE = propfind("baseline-collection", "version-name", "checked-in")


@pytest.fixture(scope="module")
def pair(work, fixtures):
    """(server under test, mod_dav_svn), serving all fixtures."""
    servers = [
        harness.Httpd(os.path.join(work, "formats-" + name), "event",
                      harness.location("/r", fixtures, parent=True, peer=peer),
                      peer=peer)
        for name, peer in (("ours", harness.PEER), ("peer", True))]
    with servers[0], servers[1]:
        yield servers


def span(start, end):
    return element("start-revision", start) + element("end-revision", end)


def at(rev):
    return element("revision", rev)


PATH = element("path")
ALL = [element("all-revprops"), element("encode-binary-props"),
       element("discover-changed-paths")]
START = '<S:entry rev="%d" start-empty="true"></S:entry>'
ENTRY = '<S:entry rev="%d">%s</S:entry>'

#: Paths whose names are awkward, and others; of the last revision but for -N.
PLACES = ["", "trunk", "trunk/docs", "trunk/docs/derived.txt",
          "trunk/docs/empty.txt", "trunk/docs/one-byte.txt",
          "trunk/docs/older.txt", "trunk/big.bin", "branches/b1/empty-dir",
          "branches/b1/src/a-copy.c", "branches/b1/src/noise.bin",
          "branches/b1/names/am%26per%3Csand%3E", "tags/t1/src/c.c",
          "branches/b1/names/ha%23sh", "branches/b1/names/%E6%97%A5%E6%9C%AC"
          "%E8%AA%9E", "tags/t1/empty-dir", "trunk/docs/none"]
REVISIONS = [0, 1, 2, 5, 6, 7, 9, 17, 42, 66, 69]
READS = ([("OPTIONS", "", {}, OPTIONS), ("OPTIONS", "none", {}, OPTIONS)]
         + [("GET", place, {}, None) for place in PLACES]
         + [("GET", "!svn/rvr/69/" + place, {}, None) for place in PLACES[3:]]
         + [("GET", "!svn/rvr/17/trunk/src/", {}, None),
            ("GET", "!svn/bc/9/", {}, None), ("GET", "trunk/?p=30", {}, None),
            ("GET", "trunk/docs/derived.txt?r=60", {}, None)]
         + [("PROPFIND", place, {"Depth": "0"}, propfind())
            for place in PLACES]
         + [("PROPFIND", "!svn/bc/69/" + place, {"Depth": "0"}, STAT)
            for place in PLACES]
         + [("PROPFIND", place, {"Depth": "1"}, STAT) for place in (
             "", "branches/b1/names", "!svn/rvr/40/trunk")]
         + [("PROPFIND", "trunk/docs", {"Depth": "0"}, DISCOVERY),
            ("PROPFIND", "!svn/vcc/default", {"Depth": "0"}, BASELINE),
            ("PROPFIND", "!svn/vcc/default", {"Depth": "0", "Label": "42"},
             BASELINE)]
         + [("PROPFIND", "!svn/%s/%d" % (form, rev), {"Depth": "0"},
             propfind()) for form in ("rev", "bln") for rev in REVISIONS])
REPORTS = [
    ("log", "!svn/rvr/69/", report("log-report", span(20, 0), PATH, *ALL)),
    ("log of names", "!svn/rvr/69/", report(
        "log-report", span(69, 0), PATH, *ALL[:2])),
    ("log of docs", "!svn/bc/69/trunk/docs", report(
        "log-report", span(69, 1), PATH, *ALL[1:])),
    ("merged log", "!svn/rvr/69/", report(
        "log-report", span(69, 1), PATH, element(
            "include-merged-revisions"))),
    ("merged blame", "!svn/rvr/69/trunk/docs/derived.txt", report(
        "file-revs-report", span(1, 69), PATH, element(
            "include-merged-revisions"))),
    ("blame", "!svn/rvr/69/trunk/docs/derived.txt", report(
        "file-revs-report", span(1, 69), PATH)),
    ("blame backwards", "!svn/rvr/69/trunk/docs/derived.txt", report(
        "file-revs-report", span(69, 1), PATH)),
    ("blame of a binary", "!svn/rvr/69/branches/b1/src/noise.bin", report(
        "file-revs-report", span(1, 69), PATH)),
    ("list", "!svn/rvr/69/branches", report(
        "list-report", PATH, at(69), element("depth", "infinity"),
        element("prop", "DAV:allprop"))),
    ("list by pattern", "!svn/rvr/69/", report(
        "list-report", PATH, at(69), element("depth", "infinity"),
        element("pattern", "*e*.[tc]*"), element("prop", "DAV:version-name"))),
    ("locations", "!svn/rvr/69/trunk/docs/derived.txt", report(
        "get-locations", PATH, element("peg-revision", 69),
        *(element("location-revision", rev) for rev in range(1, 69, 4)))),
    ("segments", "!svn/rvr/69/tags/t1/src/a.c", report(
        "get-location-segments", PATH, element("peg-revision", 69),
        span(69, 0))),
    ("deletion", "", report(
        "get-deleted-rev-report", element("path", "branches/b2"),
        element("peg-revision", 60), element("end-revision", 69))),
    ("mergeinfo", "!svn/rvr/69/", report(
        "mergeinfo-report", at(69), element("inherit", "explicit"), PATH,
        element("include-descendants", "yes"))),
    ("inherited properties", "!svn/rvr/69/", report(
        "inherited-props-report", at(69), element("path", "trunk/docs"))),
    ("locks", "", report("get-locks-report")),
    ("date", "!svn/me", report(
        "dated-rev-report", "<D:creationdate>2100-01-01T00:00:00.000000Z"
        "</D:creationdate>")),
    ("update", "!svn/me", update(
        element("src-path", "/r/NAME/branches"), element(
            "target-revision", 69), ENTRY % (20, ""),
        ENTRY % (44, "b1/names"))),
    ("update by v1", "!svn/vcc/default", update(
        element("src-path", "/r/NAME/trunk"), element("target-revision", 30),
        ENTRY % (66, ""))),
    ("update in bulk", "!svn/vcc/default", update(
        element("src-path", "/r/NAME/branches"), element(
            "target-revision", 60), ENTRY % (12, ""), send_all=True)),
    ("checkout", "!svn/me", update(
        element("src-path", "/r/NAME/branches/b1/names"),
        element("target-revision", 69), START % 69, send_all=True)),
    ("switch", "!svn/me", update(
        element("src-path", "/r/NAME/trunk"), element(
            "dst-path", "/r/NAME/branches/b1"), element(
                "target-revision", 69), ENTRY % (69, ""))),
] + [("replay of r%d" % rev, "!svn/rev/%d" % rev, report(
    "replay-report", element("low-water-mark", 0),
    element("send-deltas", int(rev % 3 > 0))))
     for rev in (1, 2, 4, 8, 10, 11, 14, 17, 25, 41, 65, 68, 69)]
CASES = [
    Case(method, path, dict(AGENT, **headers), body, "%s %s %s" % (
        method, path, " ".join(headers.values())))
    for method, path, headers, body in READS] + [
        Case("REPORT", path, dict(AGENT, **{"Content-Type": "text/xml"}),
             body, name) for name, path, body in REPORTS]

RULES = [
    Rule("f[12]: merged log", "such formats hold no mergeinfo: is broken off",
         (501, 200007), (0,)),
    Rule(r".*: PROPFIND (?:branches|tags)/.*\.(?:c|bin) 0", "the type stands "
         "there twice, which may differ", ignore=["DAV:getcontenttype"]),
    Rule(r".*: PROPFIND .*names(?:/am.*)? [01]", "the tag is not that of GET "
         "where a name holds markup", ignore=["DAV:getetag"]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("name", harness.FIXTURES)
def test_read(name, case, pair):
    root = "/r/%s/" % name
    body = case.body and case.body.replace("NAME", name)
    differ.check(pair, Case(case.method, root + case.path, case.headers, body,
                            name + ": " + case.name), RULES)


def test_each_rule_is_about_some_request():
    assert not differ.unused(RULES, [
        Case(case.method, case.path, name=name + ": " + case.name)
        for name in harness.FIXTURES for case in CASES])
