# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of Subversion read: file managers, mounted
folders, browsers, programs behind old proxies, slow and odd connections."""

import os
import re
import socket

import pytest

import harness

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

LOG = ('<S:log-report xmlns:S="svn:"><S:start-revision>14</S:start-revision>'
       "<S:end-revision>0</S:end-revision><S:path/></S:log-report>")

#: What programs ask of a folder before they show it: headers, body.
MOUNTS = {
    "Windows": ({"translate": "f", "User-Agent": "Microsoft-WebDAV-MiniRedir"
                 "/10.0.19045", "Content-Length": "0"}, None),
    "Windows Explorer": (
        {"translate": "f", "User-Agent": "DavClnt"},
        '<?xml version="1.0" encoding="utf-8" ?><propfind xmlns="DAV:"><prop>'
        "<displayname/><getcontentlength/><getlastmodified/><resourcetype/>"
        "<ishidden/><Win32FileAttributes "
        'xmlns="urn:schemas-microsoft-com:"/></prop></propfind>'),
    "macOS": (
        {"User-Agent": "WebDAVFS/3.0.0 (03008000) Darwin/21.6.0"},
        '<?xml version="1.0" encoding="utf-8"?>\n<D:propfind xmlns:D="DAV:">\n'
        "<D:prop>\n<D:getlastmodified/>\n<D:getcontentlength/>\n"
        "<D:creationdate/>\n<D:resourcetype/>\n<D:quota-available-bytes/>\n"
        "<D:quota-used-bytes/>\n</D:prop>\n</D:propfind>\n"),
    "davfs2": (
        {"User-Agent": "davfs2/1.6.1 neon/0.32.2",
         "Content-Type": "application/xml"},
        '<?xml version="1.0" encoding="utf-8"?>\n<propfind xmlns="DAV:">'
        '<prop>\n<getetag xmlns="DAV:"/>\n<getcontentlength xmlns="DAV:"/>\n'
        '<resourcetype xmlns="DAV:"/>\n<executable '
        'xmlns="http://apache.org/dav/props/"/>\n<getlastmodified '
        'xmlns="DAV:"/>\n</prop></propfind>\n'),
    "gvfs": (
        {"User-Agent": "gvfs/1.50.3"},
        ' <?xml version="1.0"?>'.strip() + '<D:propfind xmlns:D="DAV:">'
        "<D:prop><D:creationdate/><D:displayname/><D:getcontentlength/>"
        "<D:getcontenttype/><D:getetag/><D:getlastmodified/><D:resourcetype/>"
        "</D:prop></D:propfind>"),
    "cadaver": (
        {"User-Agent": "cadaver/0.24 neon/0.32.2"},
        '<?xml version="1.0" encoding="utf-8"?>\n<propfind xmlns="DAV:"><prop>'
        '<getcontentlength xmlns="DAV:"/><executable '
        'xmlns="http://apache.org/dav/props/"/><checked-in xmlns="DAV:"/>'
        '<checked-out xmlns="DAV:"/><resourcetype xmlns="DAV:"/>'
        "</prop></propfind>"),
}


@pytest.mark.parametrize("name", MOUNTS)
def test_folders_are_shown_by(name, event):
    headers, body = MOUNTS[name]
    answer = event.request("PROPFIND", "/small/trunk/manual/", body,
                           dict(headers, Depth="1"))
    assert answer.status == 207
    found = answer.properties()
    assert sorted(found) == [
        "/small/trunk/manual/", "/small/trunk/manual/100%;#x.txt",
        "/small/trunk/manual/read me & more.txt",
        "/small/trunk/manual/sub dir", "/small/trunk/manual/\u00e4\u00f6\u00fc"
        ".txt"]
    for href, props in found.items():
        status, kind = props["DAV:resourcetype"]
        assert status == 200
        assert bool(kind.children) == href.endswith("/")
        if not href.endswith("/"):
            length = props["DAV:getcontentlength"]
            assert length[0] == 200
            assert int(length[1].text) == len(event.request(
                "GET", harness.quote(href)).body)
        for unknown in ("DAV:quota-used-bytes", "DAV:ishidden",
                        "http://apache.org/dav/props/executable"):
            assert props.get(unknown, (404,))[0] == 404


def test_class_and_methods_are_told_before_a_mount(event):
    for path in ("/small", "/small/", "/small/trunk/manual/"):
        answer = event.request("OPTIONS", path)
        assert answer.status == 200
        assert {"1", "2"} <= {word.strip() for line in answer.all("DAV")
                              for word in line.split(",")}
        assert answer.header("MS-Author-Via") == "DAV"
        assert {"GET", "HEAD", "PROPFIND"} <= set(
            re.split(r",\s*", answer.header("Allow")))


def test_options_of_the_whole_server_is_left_to_httpd(event):
    answer = event.raw(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n"
                       b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("body", [
    '<?xml version="1.0" encoding="utf-16"?><propfind xmlns="DAV:"><prop>'
    "<resourcetype/></prop></propfind>",
    '<?xml version="1.0" encoding="utf-8"?><!-- \u00e4 --><a:propfind '
    'xmlns:a="DAV:"><a:prop><a:resourcetype/></a:prop></a:propfind>',
    '\ufeff<propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>',
    '<propfind xmlns="DAV:"><!-- x --><prop>\n\t<resourcetype></resourcetype>'
    "<![CDATA[ ]]></prop></propfind>\r\n\r\n"])
def test_odd_forms_of_one_body_are_read(body, event):
    coding = re.search(r'encoding="([^"]+)"', body)
    answer = event.request(
        "PROPFIND", "/small/trunk",
        body.encode(coding.group(1) if coding else "utf-8"), {"Depth": "0"})
    assert answer.status == 207
    (props,) = answer.properties().values()
    assert list(props) == ["DAV:resourcetype"]


# ---- browsers ----

@ours_only
def test_a_broken_download_is_resumed(event):
    path = "/small/!svn/rvr/1/trunk/big.bin"
    whole = event.request("GET", path).body
    got = b""
    tag = None
    while len(got) < len(whole):
        headers = {"Range": "bytes=%d-" % len(got), "If-Range": tag} \
            if tag else {}
        conn = event.connect()
        conn.request("GET", path, headers=headers)
        answer = conn.getresponse()
        assert answer.status == (206 if tag else 200)
        tag = answer.getheader("ETag")
        got += answer.read(90000)
        conn.close()  # in the middle
    assert got == whole


# ---- connections ----

@pytest.mark.parametrize("request_line,wanted", [
    ("GET /small/trunk/big.bin", b"200"),
    ("GET /small/trunk/", b"200"),
    ("PROPFIND /small/trunk", b"207"),
    ("REPORT /small/!svn/rvr/14/", b"200")])
def test_http_1_0_gets_no_chunks(request_line, wanted, event):
    body = LOG if "REPORT" in request_line else ""
    data = event.raw(("%s HTTP/1.0\r\nDepth: 1\r\nContent-Length: %d\r\n\r\n%s"
                      % (request_line, len(body), body)).encode())
    head, _, text = data.partition(b"\r\n\r\n")
    assert head.split()[1] == wanted
    assert b"Transfer-Encoding" not in head
    method, path = request_line.split()
    answer = event.request(method, path, body, {"Depth": "1"})
    assert len(text) == len(answer.body)
    assert text[-20:] == answer.body[-20:]


@pytest.mark.parametrize("method,path,body,status", [
    ("REPORT", "/small/!svn/rvr/14/", LOG, b"200"),
    ("PROPFIND", "/small/trunk", '<propfind xmlns="DAV:"><allprop/>'
     "</propfind>", b"207"),
    ("OPTIONS", "/small/trunk", '<options xmlns="DAV:"/>', b"200")])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_is_asked_for_when_the_client_waits(chunked, method, path, body,
                                                   status, event):
    how = ("Transfer-Encoding: chunked" if chunked
           else "Content-Length: %d" % len(body))
    with socket.create_connection(("127.0.0.1", event.port), 20) as sock:
        sock.sendall(("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                      "Depth: 0\r\nExpect: 100-continue\r\n%s\r\n\r\n"
                      % (method, path, how)).encode())
        first = sock.recv(25)
        assert first == b"HTTP/1.1 100 Continue\r\n\r\n"
        data = body.encode()
        if chunked:  # a byte first, an extension, a trailer
            data = b"1;x=y\r\n%c\r\n%x\r\n%s\r\n0\r\nTrailer: x\r\n\r\n" % (
                data[0], len(data) - 1, data[1:])
        sock.sendall(data)
        assert harness.receive_all(sock).startswith(b"HTTP/1.1 %s " % status)


@pytest.mark.parametrize("mpm", ["prefork", "event"])
def test_few_requests_a_connection_lose_nothing(mpm, folder, small):
    with harness.Httpd(os.path.join(folder, "httpd"), mpm,
                       harness.location("/small", small),
                       head="MaxKeepAliveRequests 2") as server:
        client = harness.Client(folder)
        wc = os.path.join(folder, "wc")
        client.out("checkout", "-q", server.base + "/small", wc)
        client.out("export", "-q", "file://" + small,
                   os.path.join(folder, "is"))
        assert harness.tree(wc) == harness.tree(os.path.join(folder, "is"))


@pytest.fixture(scope="module")
def hasty(work, small):
    """A server that waits a second, and has one process and small buffers."""
    with harness.Httpd(os.path.join(work, "hasty"), "event",
                       harness.location("/small", small), single=True,
                       head="Timeout 1\nSendBufferSize 16384") as server:
        yield server


def small_window(server):
    """A connection on which little is under way."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(30)
    sock.connect(("127.0.0.1", server.port))
    return sock


def test_a_slow_reader_gets_all(hasty):
    whole = hasty.request("GET", "/small/trunk/big.bin").body
    with small_window(hasty) as sock:
        sock.sendall(b"GET /small/trunk/big.bin HTTP/1.1\r\nHost: x\r\n"
                     b"Connection: close\r\n\r\n")
        data = b""
        while part := sock.recv(4096):  # many rounds, none of them long
            data += part
    assert data.partition(b"\r\n\r\n")[2] == whole


@pytest.mark.parametrize("request_head", [
    b"REPORT /small/!svn/rvr/14/ HTTP/1.1\r\nHost: x\r\nContent-Length: 900"
    b"\r\n\r\n<S:log-report",
    b"PROPFIND /small/trunk HTTP/1.1\r\nHost: x\r\nDepth: 1\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\n<prop"])
def test_a_body_that_stops_frees_the_worker(request_head, hasty):
    socks = [small_window(hasty) for _ in range(16)]  # as there are threads
    for sock in socks:
        sock.sendall(request_head)
    for sock in socks:
        answer = harness.receive_all(sock)
        assert not answer or answer.startswith(b"HTTP/1.1 4")
        sock.close()
    assert hasty.request("GET", "/small/trunk/alpha.txt").status == 200


def test_readers_that_stop_free_their_workers(hasty):
    body = ('<S:update-report xmlns:S="svn:" send-all="true"><S:src-path>'
            "/small/trunk</S:src-path><S:target-revision>14"
            "</S:target-revision>"
            '<S:entry rev="14" start-empty="true"/></S:update-report>')
    socks = [small_window(hasty) for _ in range(16)]
    for sock in socks:
        sock.sendall(("REPORT /small/!svn/me HTTP/1.1\r\nHost: x\r\n"
                      "Content-Length: %d\r\n\r\n%s"
                      % (len(body), body)).encode())
        assert sock.recv(12) == b"HTTP/1.1 200"
    # None of them reads on, so this is answered when one was cut off.
    assert hasty.request("GET", "/small/trunk/alpha.txt").status == 200
    whole = 0
    for sock in socks:
        try:
            whole += harness.receive_all(sock).endswith(b"0\r\n\r\n")
        except ConnectionError:
            pass
        sock.close()
    assert whole < 16
