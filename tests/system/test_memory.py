# SPDX-License-Identifier: Apache-2.0
"""Memory of a child does not grow: with requests, with files, with folders."""

import concurrent.futures
import os
import shutil
import socket

import pytest

import harness

pytestmark = pytest.mark.skipif(
    bool(harness.PRELOAD), reason="sanitizers keep freed memory on purpose")

REPORT = (
    '<S:log-report xmlns:S="svn:"><S:start-revision>14</S:start-revision>'
    "<S:end-revision>0</S:end-revision><S:discover-changed-paths/>"
    "<S:path></S:path></S:log-report>")
UPDATE = (
    '<S:update-report xmlns:S="svn:" send-all="%s"><S:src-path>/small'
    "</S:src-path><S:depth>infinity</S:depth>"
    '<S:entry rev="%d"></S:entry></S:update-report>')
BLAME = (
    '<S:file-revs-report xmlns:S="svn:"><S:start-revision>1'
    "</S:start-revision><S:end-revision>14</S:end-revision><S:path/>"
    "</S:file-revs-report>")
REPLAY = (
    '<S:replay-report xmlns:S="svn:"><S:low-water-mark>0</S:low-water-mark>'
    "</S:replay-report>")
OPTIONS = ('<D:options xmlns:D="DAV:"><D:activity-collection-set/>'
           "</D:options>")

REQUESTS = [
    ("GET", "/small/trunk/alpha.txt", ""),
    ("GET", "/small/!svn/rvr/8/trunk/lib/b.c", ""),
    ("GET", "/small/trunk/", ""),
    ("GET", "/small/none", ""),
    ("HEAD", "/small/trunk/big.bin", ""),
    ("OPTIONS", "/small/trunk", OPTIONS),
    ("PROPFIND", "/small/trunk", ""),
    ("PROPFIND", "/small/!svn/rev/2", ""),
    ("PROPFIND", "/small/!svn/rvr/99/x", ""),
    ("REPORT", "/small/!svn/rvr/14/", REPORT),
    ("REPORT", "/small/!svn/rvr/14/", REPORT.replace(">14<", ">99<")),
    ("REPORT", "/small/!svn/me", UPDATE % ("false", 3)),
    ("REPORT", "/small/!svn/me", UPDATE % ("true", 13)),
    ("REPORT", "/small/!svn/me", UPDATE % ("true", 99)),
    ("REPORT", "/small/!svn/rvr/14/trunk/alpha.txt", BLAME),
    ("REPORT", "/small/!svn/rev/6", REPLAY),
    ("REPORT", "/small", "<not-xml"),
    ("PUT", "/small/trunk/alpha.txt", "text"),
]


def encode(method, path, body):
    return ("%s %s HTTP/1.1\r\nHost: x\r\nUser-Agent: SVN/1.14.2\r\n"
            "Depth: 1\r\nContent-Length: %d\r\n\r\n%s" % (
                method, path, len(body), body)).encode()


ENCODED = [(method == "HEAD", encode(method, path, body))
           for method, path, body in REQUESTS]


def read_answer(stream, is_head):
    """Read one answer from a connection; returns its status and whether the
    server closes after it. None: the server had closed before."""
    line = stream.readline()
    if not line:
        return None
    status = int(line.split()[1])
    length = chunked = None
    close = False
    for line in iter(stream.readline, b"\r\n"):
        name, _, value = line.partition(b":")
        name, value = name.lower(), value.strip().lower()
        if name == b"content-length":
            length = int(value)
        chunked = chunked or (name == b"transfer-encoding"
                              and value == b"chunked")
        close = close or (name == b"connection" and value == b"close")
    if is_head or status == 304:
        return status, close
    if chunked:
        while True:
            size = int(stream.readline(), 16)
            stream.read(size)
            stream.readline()
            if size == 0:
                break
    else:
        stream.read(length)
    return status, close


def work_off(server, count):
    """Do so many requests on kept connections. A server may close an idle one
    at any time: then the request is sent again on a new one."""
    statuses = set()
    sock = None
    number = 0
    closed = 0
    while number < count:
        if sock is None:
            sock = socket.create_connection(("127.0.0.1", server.port), 60)
            stream = sock.makefile("rb")
        is_head, request = ENCODED[number % len(ENCODED)]
        try:
            sock.sendall(request)
            answer = read_answer(stream, is_head)
        except ConnectionError:
            answer = None
        if answer:
            statuses.add(answer[0])
            number += 1
        else:
            closed += 1
            assert closed < 20, "the server closes its connections"
        if not answer or answer[1] or number % 500 == 0:
            stream.close()
            sock.close()
            sock = None
    return statuses


def child(server):
    (pid,) = server.children()
    return pid


@pytest.mark.parametrize("mpm", ["prefork", "event"])
def test_ten_thousand_requests_leave_memory_flat(mpm, folder, small):
    server = harness.Httpd(
        folder, mpm, harness.location("/small", small), single=True,
        head="MaxConnectionsPerChild 0\nLogLevel crit\nThreadsPerChild 4"
        "\nMaxRequestWorkers 4\nMaxSpareThreads 4" if mpm == "event" else
        "MaxConnectionsPerChild 0\nLogLevel crit")
    with server:
        statuses = work_off(server, 2000)
        assert {200, 207, 404} <= statuses
        pid = child(server)
        start = harness.resident_kib(pid)
        work_off(server, 5000)
        middle = harness.resident_kib(pid)
        work_off(server, 5000)
        end = harness.resident_kib(pid)
        assert child(server) == pid
    assert end - start < 4 * 1024, (start, middle, end)
    assert end - middle < 1024, (start, middle, end)


@pytest.fixture(scope="module")
def large(work):
    """200 MB and 30 MB that do not compress; 20,000 files in a folder."""
    path = os.path.join(work, "large")
    harness.run(["svnadmin", "create", path])
    with open(os.path.join(path, "db", "fsfs.conf"), "a") as out:
        out.write("[deltification]\ncompression = none\n")
    client = harness.Client(os.path.join(work, "large-client"))
    url = "file://" + path
    text = os.path.join(work, "large-text")
    block = os.urandom(1 << 20)
    with open(text, "wb") as out:
        for number in range(200):
            out.write(number.to_bytes(4, "big") + block[4:])
            if number == 29:
                out.flush()
                shutil.copyfile(text, text + "30")
    client.run("-m", "text", "--root-url", url, "put", text, "large.bin",
               "put", text + "30", "medium.bin", program="svnmucc")
    os.unlink(text)
    os.unlink(text + "30")
    dump = b"SVN-fs-dump-format-version: 2\n\nRevision-number: 2\n" \
        b"Prop-content-length: 10\nContent-length: 10\n\nPROPS-END\n\n" \
        b"Node-path: wide\nNode-kind: dir\nNode-action: add\n\n"
    dump += b"".join(
        b"Node-path: wide/file%06d\nNode-kind: file\nNode-action: add\n"
        b"Text-content-length: 7\nContent-length: 7\n\n%06d\n\n" % (i, i)
        for i in range(20000))
    harness.run(["svnadmin", "load", "-q", path], input=dump)
    harness.readable(path)
    return path


@pytest.fixture(scope="module", params=["prefork", "event"])
def server(request, work, large):
    """One child; warm with respect to small things."""
    running = harness.Httpd(
        os.path.join(work, "memory-" + request.param), request.param,
        harness.location("/large", large) + "\n"
        + harness.location("/filtered", large, "SetOutputFilter DEFLATE",
                           "Header set X-X yes"),
        single=True, 
        head="DeflateCompressionLevel 1\nSendBufferSize 131072", modules=["deflate", "filter", "headers"])
    with running:
        for path in ("/large/", "/large/wide/file000001"):
            assert running.request("GET", path).status == 200
        yield running


def growth(server, action):
    """KiB that the child has grown at its highest while `action` ran."""
    pid = child(server)
    before = harness.resident_kib(pid)
    reset_peak(pid)
    action()
    return peak_kib(pid) - before


def reset_peak(pid):
    with open("/proc/%d/clear_refs" % pid, "w") as out:
        out.write("5")


def peak_kib(pid):
    with open("/proc/%d/status" % pid) as inp:
        for line in inp:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def fetch(server, request, wanted):
    """Read an answer to its end, piece by piece; check its length."""
    with socket.create_connection(("127.0.0.1", server.port), 60) as sock:
        sock.sendall(request)
        total = 0
        first = b""
        while True:
            part = sock.recv(1 << 18)
            if not part:
                break
            first = first or part
            total += len(part)
    assert first.startswith(b"HTTP/1.1 20"), first[:200]
    assert total > wanted


def simple(method, path, *headers, body=b""):
    return b"\r\n".join(
        [("%s %s HTTP/1.1" % (method, path)).encode(), b"Host: x",
         b"Connection: close", b"Content-Length: %d" % len(body)]
        + [h.encode() for h in headers] + [b"", body])


def test_get_of_a_large_file_holds_little(server):
    grown = growth(server, lambda: fetch(
        server, simple("GET", "/large/large.bin"), 200 << 20))
    assert grown < 16 * 1024


@pytest.mark.parametrize("server", ["event"], indirect=True)
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_filters_hold_little_of_large_files(coding, server):
    request = simple("GET", "/filtered/medium.bin",
                     "Accept-Encoding: " + coding)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        grown = growth(server, lambda: list(pool.map(
            lambda _: fetch(server, request, 30 << 20), range(4))))
    assert grown < 16 * 1024
    assert peak_kib(child(server)) < 64 * 1024


@pytest.mark.parametrize("server", ["event"], indirect=True)
def test_a_slow_reader_sets_the_pace_of_a_filter(server):
    request = simple("GET", "/filtered/medium.bin", "Accept-Encoding: gzip")
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(60)
        sock.connect(("127.0.0.1", server.port))

        def stall():
            sock.sendall(request)
            assert sock.recv(100).startswith(b"HTTP/1.1 200 ")
            harness.wait_until(lambda: harness.settled([child(server)]), 20,
                               "the server does not wait for its client")

        assert growth(server, stall) < 16 * 1024


def test_range_of_a_large_file_reads_little(server):
    if harness.PEER:
        pytest.skip("mod_dav_svn sends all")
    pid = child(server)
    before = harness.cpu_seconds(pid)
    answer = server.request("GET", "/large/large.bin",
                            headers={"Range": "bytes=199999999-199999999"})
    assert answer.status == 206 and len(answer.body) == 1
    assert harness.cpu_seconds(pid) - before < 0.5


WIDE = {
    "propfind": simple("PROPFIND", "/large/wide", "Depth: 1"),
    "named": simple(
        "PROPFIND", "/large/wide", "Depth: 1", body=b'<propfind xmlns="DAV:">'
        b"<prop><resourcetype/><getcontentlength/><getlastmodified/><getetag/>"
        b"<version-name/></prop></propfind>"),
    "html": simple("GET", "/large/wide/"),
    "list": simple(
        "REPORT", "/large/!svn/rvr/2/", body=b'<S:list-report xmlns:S="svn:">'
        b"<S:path>wide</S:path><S:revision>2</S:revision>"
        b"<S:depth>infinity</S:depth><S:prop>DAV:allprop</S:prop>"
        b"</S:list-report>"),
    "update": simple(
        "REPORT", "/large/!svn/me", body=b'<S:update-report xmlns:S="svn:">'
        b"<S:src-path>/large/wide</S:src-path><S:depth>infinity</S:depth>"
        b"<S:include-props>yes</S:include-props>"
        b'<S:entry rev="2" start-empty="true"/></S:update-report>'),
    "log": simple(
        "REPORT", "/large/!svn/rvr/2/", body=b'<S:log-report xmlns:S="svn:">'
        b"<S:start-revision>2</S:start-revision><S:end-revision>0"
        b"</S:end-revision><S:discover-changed-paths/><S:path/>"
        b"</S:log-report>"),
}


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn holds more")
@pytest.mark.parametrize("kind", WIDE)
def test_a_folder_of_20000_files_holds_little(kind, server):
    fetch(server, WIDE[kind], 500000)  # fills the cache, which has a bound
    grown = growth(server, lambda: [fetch(server, WIDE[kind], 500000)
                                    for _ in range(3)])
    assert grown < 10 * 1024


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn holds more")
@pytest.mark.parametrize("server", ["prefork"], indirect=True)
@pytest.mark.parametrize("kind", ["propfind", "named"])
def test_twenty_listings_hold_no_more_than_one(kind, server):
    fetch(server, WIDE[kind], 500000)
    pid = child(server)
    grown = growth(server, lambda: [fetch(server, WIDE[kind], 500000)
                                    for _ in range(20)])
    assert child(server) == pid
    assert grown < 2 * 1024


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn takes longer")
@pytest.mark.parametrize("kind", ["propfind", "named"])
def test_a_listing_begins_before_the_folder_was_walked(kind, server):
    fetch(server, WIDE[kind], 500000)
    pid = child(server)
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(60)
        sock.connect(("127.0.0.1", server.port))
        before = harness.cpu_seconds(pid)
        sock.sendall(WIDE[kind])
        assert sock.recv(10) == b"HTTP/1.1 2"
        # Nothing more is read, so the server waits at the place it reached.
        harness.wait_until(lambda: harness.settled([pid]), 20,
                           "the server does not wait for its client")
        assert harness.cpu_seconds(pid) - before <= 0.05
