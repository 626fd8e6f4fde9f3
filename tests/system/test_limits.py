# SPDX-License-Identifier: Apache-2.0
"""What one request may cost: bodies made to fill the server's memory."""

import os
import re
import socket
import time

import pytest

import harness

#: KiB that one request may add to a process, whatever its body.
GROWTH = 16 * 1024

#: As long as the text of an element may be.
LONG = "a" * 65536


@pytest.fixture(scope="module")
def server(work):
    """A server of one process, warm."""
    folder = os.path.join(work, "limits")
    os.mkdir(folder)
    path = harness.load("history/hist.dump", folder, "hist")
    with harness.Httpd(os.path.join(folder, "httpd"), "prefork", single=True, peer=False,
                       config=harness.location("/svn", path, peer=False)
                       + "\n" + harness.location("/all", folder, parent=True,
                                                 peer=False)) as httpd:
        httpd.report("/svn/!svn/me", "<x/>")
        yield httpd


def high_water(pid):
    """Most resident memory so far, in KiB."""
    with open("/proc/%d/status" % pid) as inp:
        return int(re.search(r"VmHWM:\s+(\d+)", inp.read()).group(1))


def send(server, method, path, parts):
    """Send a chunked body until the server has enough; what it answers."""
    with socket.create_connection(("127.0.0.1", server.port), 60) as sock:
        sock.sendall(("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                      "Content-Type: text/xml\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n"
                      % (method, path)).encode())
        try:
            for part in parts:
                sock.sendall(b"%x\r\n%s\r\n" % (len(part), part.encode()))
            sock.sendall(b"0\r\n\r\n")
        except OSError:
            pass  # answered before the end
        return harness.receive_all(sock, may_reset=True)


def report(root, first, item, count):
    """A report with `count` times the same element."""
    yield '<S:%s xmlns:S="svn:">%s' % (root, first)
    for _ in range(count):
        yield item
    yield "</S:%s>" % root


def dav(root, item, count):
    """A body of another method with `count` times the same."""
    yield '<D:%s xmlns:D="DAV:">' % root
    for _ in range(count):
        yield item
    yield "</D:%s>" % root


BODIES = {
    "an element again and again": (
        "REPORT", "/svn/!svn/me",
        lambda: report("update-report", "",
                       "<S:src-path>%s</S:src-path>" % LONG, 600)),
    "long paths": (
        "REPORT", "/svn/!svn/rvr/1/",
        lambda: report("log-report", "", "<S:path>%s</S:path>" % LONG, 600)),
    "long revisions": (
        "REPORT", "/svn/!svn/rvr/1/",
        lambda: report("get-locations", "<S:path/>",
                       "<S:location-revision>%s</S:location-revision>" % LONG,
                       600)),
    "long patterns": (
        "REPORT", "/svn/!svn/rvr/1/",
        lambda: report("list-report", "<S:path/><S:revision>1</S:revision>",
                       "<S:pattern>%s</S:pattern>" % LONG, 600)),
    "names of namespaces": (
        "REPORT", "/svn/!svn/rvr/1/",
        lambda: report("log-report", "",
                       '<S:x xmlns:a="%s"/>' % ("b" * 900000), 60)),
    "elements of a PROPFIND": (
        "PROPFIND", "/svn/", lambda: dav("propfind", "<D:a/>" * 5000, 200)),
    "attributes of OPTIONS": (
        "OPTIONS", "/svn/",
        lambda: dav("options", '<D:a b="" c="" d="" e="" f=""/>' * 1000,
                    200)),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_greedy_body_is_refused_and_not_kept(name, server):
    method, path, parts = BODIES[name]
    pid = server.children()[0]
    with open("/proc/%d/clear_refs" % pid, "w") as out:
        out.write("5")  # the mark is what is in use now
    before = high_water(pid)
    answer = send(server, method, path, parts())
    assert answer.startswith(b"HTTP/1.1 413 ") or not answer
    assert high_water(pid) - before < GROWTH
    assert server.children() == [pid]


def test_many_paths_of_usual_length_are_served(server):
    body = "".join(report(
        "log-report",
        "<S:start-revision>1</S:start-revision>"
        "<S:end-revision>1</S:end-revision>", "<S:path>trunk</S:path>", 4096))
    assert server.report("/svn/!svn/rvr/1/", body).status == 200


def test_many_lock_tokens_are_read(server):
    lock = ("<S:lock><S:lock-path>a</S:lock-path>"
            "<S:lock-token>opaquelocktoken:x</S:lock-token></S:lock>")
    body = ('<D:options xmlns:D="DAV:"><S:lock-token-list xmlns:S="svn:">'
            + lock * 10000 + "</S:lock-token-list></D:options>")
    assert server.request("OPTIONS", "/svn/", body=body,
                          headers={"Content-Type": "text/xml"}).status == 200


@pytest.mark.parametrize("name", ["n" * 255, "n" * 256, "n" * 5000])
def test_a_long_name_of_a_repository_is_not_found(name, server):
    for method in ("GET", "PROPFIND", "OPTIONS", "REPORT"):
        answer = server.request(method, "/all/%s/trunk" % name, body="<x/>",
                                headers={"Content-Type": "text/xml"})
        assert answer.status == 404


@pytest.mark.parametrize("method", ["PROPFIND", "MOVE", "DELETE", "MKCOL",
                                    "LOCK", "CHECKOUT"])
def test_a_malformed_body_is_no_second_error(method, server):
    """Of a request that was answered before its body was read."""
    answer = server.raw((
        "%s /svn/!svn/rvr/999/trunk HTTP/1.1\r\nHost: x\r\n"
        "Content-Length: 7\r\n\r\n<x></y>"
        "OPTIONS /svn/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        % method).encode())
    assert answer.count(b"<D:error") <= 1
    assert answer.startswith(b"HTTP/1.1 4")
    assert b"\r\n\r\n" in answer
    assert answer.count(b"HTTP/1.1 200 OK") <= 1


@pytest.mark.parametrize("method", ["POST", "PROPPATCH"])
def test_a_refusal_does_not_wait_for_the_body(method, server):
    began = time.monotonic()
    answer = server.raw((
        "%s /svn/!svn/me HTTP/1.1\r\nHost: x\r\n"
        "Content-Length: 9223372036854775807\r\n\r\n( create-txn )"
        % method).encode(), 20)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 409 "))
    assert time.monotonic() - began < 10
