# SPDX-License-Identifier: Apache-2.0
"""Hostile input: each report and URL form with parts that are missing,
doubled, oversized, malformed or contradictory. The answer is a 4xx that tells
what is wrong, and the server goes on as if nothing had happened."""

import contextlib
import gzip
import http.client
import os
import re
import socket
import xml.etree.ElementTree as ET

import pytest

import harness

pytestmark = pytest.mark.skipif(harness.PEER, reason="the peer is not held "
                                                     "to this")

#: KiB that a process may grow by when everything is asked again and again.
GROWTH = 4096
ROUNDS = 4

RVR = "/svn/!svn/rvr/11/"
ME = "/svn/!svn/me"

#: root element: (URL, attributes, elements with a text that is right)
REPORTS = {
    "update-report": (ME, ' send-all="true"', [
        ("src-path", "/svn/trunk"), ("dst-path", "/svn/branches/b1"),
        ("update-target", "A"), ("target-revision", "9"),
        ("depth", "infinity"), ("entry rev='9'", "")]),
    "log-report": (RVR, "", [
        ("start-revision", "9"), ("end-revision", "1"), ("limit", "3"),
        ("discover-changed-paths", ""), ("revprop", "svn:log"),
        ("path", "trunk")]),
    "replay-report": ("/svn/!svn/rev/5", "", [
        ("low-water-mark", "0"), ("send-deltas", "1")]),
    "file-revs-report": (RVR, "", [
        ("path", "trunk/A/f2"), ("start-revision", "1"),
        ("end-revision", "9")]),
    "list-report": (RVR, "", [
        ("path", "trunk"), ("revision", "9"), ("depth", "infinity"),
        ("pattern", "*"), ("prop", "DAV:getcontentlength")]),
    "get-locations": (RVR, "", [
        ("path", "trunk"), ("peg-revision", "9"),
        ("location-revision", "2")]),
    "get-location-segments": (RVR, "", [
        ("path", "trunk"), ("peg-revision", "9"), ("start-revision", "8"),
        ("end-revision", "1")]),
    "get-deleted-rev-report": (RVR, "", [
        ("path", "trunk/g"), ("peg-revision", "2"), ("end-revision", "9")]),
    "dated-rev-report": (ME, ' xmlns:D="DAV:"', [
        ("D:creationdate", "2020-01-01T00:00:00.000000Z")]),
    "get-locks-report": ("/svn/trunk", ' depth="infinity"', []),
    "mergeinfo-report": (RVR, "", [
        ("revision", "9"), ("inherit", "inherited"),
        ("include-descendants", "yes"), ("path", "trunk")]),
    "inherited-props-report": (RVR, "", [
        ("revision", "9"), ("path", "trunk")]),
}
NUMBERS = {"target-revision", "start-revision", "end-revision",
           "low-water-mark", "peg-revision", "location-revision", "revision",
           "limit"}
PATHS = {"path", "src-path", "dst-path", "update-target"}

BAD_NUMBERS = ["-1", "", "x", "1x", "99999999999999999999", "2147483648",
               "-99999999999999999999", "1.5", "0x9", "1" * 5000]
BAD_PATHS = ["..", "../x", "a/../b", "a//b", "./a", "/", "//", "a/", "%2e%2e",
             "x" * 5000, "a/" * 3000 + "a", "http://[/", "nowhere"]


def element(name, text):
    """One element, in the namespace svn: unless it has a prefix."""
    name = name if ":" in name.split(" ")[0] else "S:" + name
    return "<%s>%s</%s>" % (name, text, name.split(" ")[0])


def body(root, elements, attributes=None, more=""):
    """The body of a report."""
    if attributes is None:
        attributes = REPORTS[root][1]
    return '<S:%s xmlns:S="svn:"%s>%s%s</S:%s>' % (
        root, attributes, "".join(element(*e) for e in elements), more, root)


def odd_texts(name):
    """Texts that are wrong for an element."""
    name = name.split(" ")[0]
    if name in NUMBERS:
        return BAD_NUMBERS
    return BAD_PATHS if name in PATHS else ["", "nonsense", "9" * 300]


def variants(root):
    """Bodies of a report that may be refused, or understood."""
    elements = REPORTS[root][2]
    yield body(root, [])
    yield body(root, elements, "")
    yield body(root, elements, ' send-all="maybe" depth="sideways"')
    for at, (name, text) in enumerate(elements):
        before, after = elements[:at], elements[at + 1:]
        yield body(root, before + after)
        yield body(root, elements + [(name, text)])
        yield body(root, before + [(name, text + "<S:x/>" + text)] + after)
        yield body(root, [("x", body("y", [(name, text)], ""))])
        for odd in odd_texts(name):
            yield body(root, before + [(name, odd)] + after)
    for rev in ("", " rev=''", " rev='-1'", " rev='99'", " rev='1x'",
                " rev='3' depth='deep'", " rev='3' linkpath='x'",
                " rev='3' linkpath=''", " rev='3' linkpath='/a/../b'"):
        yield body(root, elements + [("entry" + rev, "a")])
    yield body(root, elements + [("missing", "/a"), ("missing", "a")])


def broken(root):
    """Bodies that no report may accept: (bytes, what the error names)."""
    plain = body(root, REPORTS[root][2])
    name = "S:" + root
    inside = lambda text: plain.replace("</%s>" % name, text + "</%s>" % name)
    laugh = ('<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
             + inside("&b;"))
    rows = [
        ("", "no body"),
        (" ", "malformed XML"),
        (plain[:-5], "malformed XML"),
        (plain[:-len(name) - 3], "malformed XML"),
        (plain + plain, "malformed XML"),
        (plain.replace("</" + name, "</S:x"), "malformed XML"),
        (inside("&b;"), "malformed XML"),
        (inside("\x01"), "malformed XML"),
        (inside("\0"), "malformed XML"),
        (inside("&#xD800;"), "malformed XML"),
        (inside("&#0;"), "malformed XML"),
        (inside("<q:x/>"), "unknown prefix"),
        (inside("<x q:a='1'/>"), "unknown prefix"),
        (inside("<?php x?>"), "processing instruction"),
        (laugh, "document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd">' + plain, "document type"),
        (inside("<a>" * 64 + "</a>" * 64), "RepoLimitXMLDepth"),
        (inside("<a %s/>" % " ".join("a%d=''" % i for i in range(33))),
         "RepoLimitXMLAttributes"),
        (inside("".join("<n xmlns='u%d'/>" % i for i in range(70))),
         "RepoLimitXMLNamespaces"),
        (inside("<S:x>%s</S:x>" % ("t" * 65537)), "RepoLimitXMLText"),
        (inside("<S:x a='%s'/>" % ("t" * 1100000)), "1048576 bytes"),
        ('<?xml version="1.0" encoding="iso-8859-1"?>' + plain, "encoding"),
        ('<?xml version="1.0" encoding="utf-7"?>' + plain,
         "encoding|malformed"),
    ]
    for text, pattern in rows:
        yield text.encode(), pattern
    yield inside("<S:path>\udcff</S:path>").encode(
        "utf-8", "surrogateescape"), "malformed XML"
    yield inside("<S:path>\udcc0\udcaf</S:path>").encode(
        "utf-8", "surrogateescape"), "malformed XML"
    yield plain.encode("utf-16")[:-3], "malformed XML"
    yield plain.encode("utf-32"), "malformed XML"


#: PROPFIND and the like: (method, body, what the error names)
DAV_BODIES = [
    ("<x>" * 65 + "</x>" * 65, "RepoLimitXMLDepth"),
    ("<x><!-- -->", "malformed XML"),
    ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "document type"),
    ("<x>%s</x>" % ("<y/>" * 65536), "RepoLimitXMLItems"),
    ("<x>%s</x>" % ("t" * 65537), "RepoLimitXMLText"),
    ("<x>%s</x>" % "".join("<n xmlns='u%d'/>" % i for i in range(70)),
     "RepoLimitXMLNamespaces"),
    ("<x %s/>" % " ".join("a%d=''" % i for i in range(40)),
     "RepoLimitXMLAttributes"),
    ("<x>\udcff</x>", "malformed XML"),
]

ODD_REVISIONS = ["", "-1", "x", "1x", "99", "99999999999999999999", "1" * 3000,
                 "%00", "0x1", "%20", "1%2F2", "+1"]
ODD_URLS = (
    ["/svn/!svn/%s/%s%s" % (word, rev, tail)
     for word in ("rvr", "bc", "ver", "rev", "bln") for rev in ODD_REVISIONS
     for tail in ("", "/trunk")]
    + ["/svn/!svn/%s" % rest for rest in (
        "", "x", "me/x", "rvr", "rvr/", "vcc", "vcc/other", "txn", "txn/",
        "txn/9-zz", "txn/..", "txr/9-zz/a", "vtxn/x", "vtxr/x/y", "act/x",
        "act/", "wrk/x/y", "wbl/x/1", "rvr/9/trunk/../branches",
        "rvr/9/%2e%2e/x", "rvr/9/%C0%AF", "rvr/9/%ED%A0%80", "rvr/9/a%0Ab",
        "rvr/9/" + "x" * 5000, "rvr/9/" + "a/" * 2000, "rvr/9//nowhere",
        "rvr/9/./nowhere", "./x", "!svn", "rvr/9/!svn/x", "rvr/9/%25s%25n")]
    + ["/svn/nowhere" + rest for rest in (
        "?p=1", "?p=-1", "?p=x", "?p=99999999999999999999", "?r=1&p=",
        "?p=1&p=2", "?p=%zz", "?p=%00", "?" + "&" * 3000, "?kw=2",
        "%FF", "%01", "/a//b", "/%25")])


@pytest.fixture(scope="module")
def server(work):
    """A server of one process."""
    folder = os.path.join(work, "hostile")
    os.mkdir(folder)
    path = harness.load("history/hist.dump", folder, "hist")
    config = "\n".join([
        harness.location("/svn", path),
        harness.location("/zip", path, "SetInputFilter DEFLATE"),
        harness.location("/xml", path, "LimitXMLRequestBody 500"),
        harness.location("/req", path, "LimitRequestBody 500"),
        harness.location("/both", path, "LimitRequestBody 700",
                         "LimitXMLRequestBody 500")])
    with harness.Httpd(os.path.join(folder, "httpd"), "prefork", single=True,
                       modules=["filter", "deflate"], config=config) as httpd:
        assert httpd.request("OPTIONS", "/svn/").status == 200  # is warm
        yield httpd


@pytest.fixture
def child(server):
    """The process that serves; it must be the same one afterwards."""
    pids = server.children()
    yield pids[0]
    assert server.children() == pids
    assert server.report(RVR, body("log-report", REPORTS["log-report"][2])
                         ).status == 200


def ask(server, method, path, data, headers=None):
    """Send a body; the answer may come before its end."""
    head = {"Content-Type": "text/xml", "Depth": "0"}
    head.update(headers or {})
    connection = server.connect()
    try:
        connection.request(method, path, data, head)
    except (BrokenPipeError, ConnectionResetError):
        pass
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return harness.Answer(answer.status, answer.getheaders(), text)


def reason(answer):
    """What an error body says; fails if it is none."""
    root = ET.fromstring(answer.body)
    assert root.tag == "{DAV:}error", answer.body
    text = root.find("{http://apache.org/dav/xmlns}human-readable").text
    assert len(text.strip()) > 5, answer.body
    assert not re.search(r"/(tmp|dev/shm|home|var)/", text)
    return text.strip()


def check(answer, what):
    """A whole answer, or a 4xx that says why."""
    assert answer.status in (200, 207) or 400 <= answer.status < 500, (
        what, answer.status, answer.body)
    if answer.status in (200, 207):
        answer.element()
    elif answer.status != 404 or b"<D:error" in answer.body:
        reason(answer)


@pytest.mark.parametrize("root", REPORTS)
def test_a_report_is_answered_as_it_stands(root, server):
    """The tables below start from what is right."""
    url, _, elements = REPORTS[root]
    for data in (body(root, elements).encode(),
                 body(root, elements).encode("utf-16")):
        answer = ask(server, "REPORT", url, data)
        assert answer.status == 200, answer.body
        answer.element()


@pytest.mark.parametrize("root", REPORTS)
def test_odd_parts_of_a_report(root, server, child):
    for data in variants(root):
        check(ask(server, "REPORT", REPORTS[root][0], data.encode()), data)


@pytest.mark.parametrize("root", REPORTS)
def test_broken_bodies_of_a_report(root, server, child):
    for data, pattern in broken(root):
        answer = ask(server, "REPORT", REPORTS[root][0], data)
        assert 400 <= answer.status < 500, (pattern, data[-300:])
        assert re.search(pattern, reason(answer)), (data[:300], answer.body)


@pytest.mark.parametrize("method", ["PROPFIND", "OPTIONS"])
def test_broken_bodies_of_other_methods(method, server, child):
    for data, pattern in DAV_BODIES:
        answer = ask(server, method, "/svn/trunk",
                     data.encode("utf-8", "surrogateescape"))
        assert 400 <= answer.status < 500, (data[:300], answer.body)
        assert re.search(pattern, reason(answer)), (data[:300], answer.body)


def test_a_propfind_of_many_names_is_refused(server, child):
    data = ('<D:propfind xmlns:D="DAV:"><D:prop>%s</D:prop></D:propfind>'
            % ("<D:getetag/>" * 257))
    answer = ask(server, "PROPFIND", "/svn/", data)
    assert answer.status == 400
    assert "RepoLimitPropertyNames" in reason(answer)


@pytest.mark.parametrize("root,item,directive", [
    ("log-report", "<S:path>a</S:path>", "RepoLimitReportPaths"),
    ("log-report", "<S:revprop>a</S:revprop>", "RepoLimit"),
    ("get-locations", "<S:location-revision>1</S:location-revision>",
     "RepoLimitReportPaths"),
    ("list-report", "<S:pattern>a</S:pattern>", "RepoLimitReportPaths"),
    ("list-report", "<S:prop>a</S:prop>", "RepoLimitReportPaths"),
    ("mergeinfo-report", "<S:path>a</S:path>", "RepoLimitReportPaths")])
def test_a_hundred_thousand_elements(root, item, directive, server, child):
    answer = ask(server, "REPORT", REPORTS[root][0],
                 body(root, REPORTS[root][2], more=item * 100000))
    assert answer.status in (400, 413)
    assert directive in reason(answer)


def test_elements_that_mean_nothing_are_passed_over(server, child):
    answer = ask(server, "REPORT", RVR, body(
        "log-report", REPORTS["log-report"][2], more="<S:x/>" * 100000))
    assert answer.status == 200


@pytest.mark.parametrize("method", ["GET", "PROPFIND", "OPTIONS", "REPORT"])
def test_odd_urls(method, server, child):
    data = {"REPORT": body("get-locks-report", []).encode(),
            "PROPFIND": b'<propfind xmlns="DAV:"><allprop/></propfind>'}
    for url in ODD_URLS:
        answer = ask(server, method, url, data.get(method))
        assert answer.status in (200, 207, 301) or (
            400 <= answer.status < 500), (url[:100], answer.status)
        assert method != "GET" or answer.status != 200 or "?" in url, url


@pytest.mark.parametrize("header,value", [
    ("If", "("), ("If", "(<x"), ("If", "(Not"), ("If", "(" * 4000),
    ("Depth", "x"), ("Depth", "-1"), ("Depth", "99999999999999999999"),
    ("Label", "x"), ("Range", "bytes=" + "0-," * 2000),
    ("Range", "bytes=-99999999999999999999"), ("Range", "bytes=5-1"),
    ("Accept-Encoding", "svndiff1;q=" * 500),
    ("X-SVN-VR-Base", "/svn/!svn/rvr/x/trunk/g"),
    ("X-SVN-VR-Base", "/svn/!svn/rvr/99/trunk/g"),
    ("X-SVN-VR-Base", "http://[/"), ("X-SVN-Options", "x" * 8000),
    ("DAV", "http://subversion.tigris.org/xmlns/dav/svn/" * 150),
    ("If-Modified-Since", "yesterday"), ("If-None-Match", '"' * 5000),
    ("Content-Type", "\\\"")])
def test_odd_headers(header, value, server, child):
    for method, path in (("GET", RVR + "trunk/g"), ("PROPFIND", RVR),
                         ("OPTIONS", "/svn/")):
        answer = ask(server, method, path, None, {header: value})
        assert answer.status in (200, 206, 207, 416) or (
            400 <= answer.status < 500), (method, answer.status, answer.body)


@pytest.mark.parametrize("location,directive", [
    ("/xml", "LimitXMLRequestBody"), ("/req", "LimitRequestBody"),
    ("/both", "LimitXMLRequestBody")])
@pytest.mark.parametrize("chunked", [False, True])
def test_limits_of_httpd_are_named_where_they_are_set(
        chunked, location, directive, server, child):
    for method, root in (("REPORT", "log-report"), ("PROPFIND", None),
                         ("OPTIONS", None), ("CHECKOUT", None)):
        start = (body(root, REPORTS[root][2]) if root else
                 '<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>')
        url = location + ("/!svn/rvr/11/" if root else "/trunk")
        for size, refused in ((500, False), (501, True), (100000, True)):
            data = start.encode().ljust(size)
            answer = ask(server, method, url,
                         iter([data[:100], data[100:]]) if chunked else data)
            if refused:
                assert answer.status == 413, answer.body
                assert directive in reason(answer)
            else:
                assert answer.status != 413, answer.body


def test_compressed_bombs(server, child):
    before = harness.resident_kib(child)
    plain = body("log-report", REPORTS["log-report"][2]).encode()
    url = RVR.replace("/svn", "/zip", 1)
    zipped = {"Content-Encoding": "gzip"}
    assert ask(server, "REPORT", url, gzip.compress(plain),
               zipped).status == 200
    for data in (plain + b" " * 6000000, b"<x>" + b" " * 6000000,
                 b"<" + b"x" * 6000000):
        bomb = gzip.compress(data, 1)
        for method in ("REPORT", "PROPFIND"):
            answer = ask(server, method, url, bomb, zipped)
            assert 400 <= answer.status < 500
            assert reason(answer)
    for data in (b"no gzip", gzip.compress(plain)[:-9],
                 gzip.compress(plain)[:20]):
        answer = ask(server, "REPORT", url, data, zipped)
        assert 400 <= answer.status < 500
    if not harness.PRELOAD:
        assert harness.resident_kib(child) - before < 16384


def head(method, url, *lines):
    """The head of a request, for a socket."""
    return "\r\n".join(["%s %s HTTP/1.1" % (method, url), "Host: x",
                        "Content-Type: text/xml"] + list(lines)
                       + ["", ""]).encode()


@pytest.mark.parametrize("lines,data", [
    (["Content-Length: 1000"], b"<S:log-report"),
    (["Content-Length: 18446744073709551615"], b"<x/>"),
    (["Content-Length: -1"], b"<x/>"), (["Content-Length: 4x"], b"<x/>"),
    (["Content-Length: 4", "Content-Length: 5"], b"<x/> "),
    (["Content-Length: 4", "Transfer-Encoding: chunked"], b"4\r\n<x/>\r\n"),
    (["Transfer-Encoding: chunked"], b"zz\r\n<x/>"),
    (["Transfer-Encoding: chunked"], b"fffffffffffffffff\r\n<x/>"),
    (["Transfer-Encoding: chunked"], b"4\r\n<x/>"),
    (["Transfer-Encoding: other"], b"<x/>"),
    (["Content-Length: 0"], b""), ([], b"")])
def test_lengths_that_lie(lines, data, server, child):
    for method, url in (("REPORT", RVR), ("PROPFIND", "/svn/"),
                        ("OPTIONS", "/svn/")):
        with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
            sock.sendall(head(method, url, "Connection: close", *lines) + data)
            with contextlib.suppress(OSError):  # reset already
                sock.shutdown(socket.SHUT_WR)
            answer = harness.receive_all(sock, may_reset=True)
        status = answer[9:12]
        assert not answer or status[:1] == b"4" or status in (
            b"200", b"207", b"501"), answer


def test_a_client_that_stops_holds_nobody_up(work, small):
    """One connection for each thread but a few, each in the midst of a body."""
    with harness.Httpd(os.path.join(work, "hostile-slow"), "event",
                       single=True,
                       config=harness.location("/svn", small)) as server:
        assert ask(server, "PROPFIND", "/svn/", None).status == 207
        pid = server.children()[0]
        socks = []
        for number in range(12):
            sock = socket.create_connection(("127.0.0.1", server.port), 20)
            sock.sendall(head("REPORT" if number % 2 else "PROPFIND", "/svn/",
                              "Content-Length: 100000") + b"<S:log-report ")
            socks.append(sock)
        for _ in range(20):
            assert ask(server, "PROPFIND", "/svn/", None).status == 207
        for sock in socks:
            sock.close()
        harness.wait_until(
            lambda: ask(server, "PROPFIND", "/svn/", None).status == 207, 10,
            "no answer")
        assert server.children() == [pid]


@pytest.mark.skipif(bool(harness.PRELOAD), reason="sanitizers keep what was "
                                                  "freed")
def test_nothing_of_all_that_is_kept(server, child):
    """The whole table again and again: the process does not grow."""
    requests = [(url, data.encode()) for root, (url, _, _) in REPORTS.items()
                for data in variants(root) if len(data) < 3000]
    requests += [(RVR, data) for data, _ in broken("log-report")
                 if len(data) < 3000]

    def everything():
        connection = server.connect()
        for url, data in requests:
            try:
                server.report(url, data, connection=connection)
            except http.client.RemoteDisconnected:
                connection.close()
                connection = server.connect()
                server.report(url, data, connection=connection)
        connection.close()

    assert len(requests) * ROUNDS > 2000, len(requests)
    everything()
    before = harness.resident_kib(child)
    for _ in range(ROUNDS - 1):
        everything()
    assert harness.resident_kib(child) - before < GROWTH
