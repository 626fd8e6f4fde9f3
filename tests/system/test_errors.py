# SPDX-License-Identifier: Apache-2.0
"""Broken repositories and rude clients: a clear answer, and life goes on."""

import os
import re
import shutil
import socket
import struct
import time

import pytest

import harness

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

SVN = {"User-Agent": "SVN/1.14.2"}
GOOD = "/r/good/trunk/lib/b.c"
CHECKOUT = (
    '<S:update-report xmlns:S="svn:" send-all="true">'
    "<S:src-path>/r/%s</S:src-path><S:depth>infinity</S:depth>"
    '<S:entry rev="0" start-empty="true"></S:entry></S:update-report>')
LOG = (
    '<S:log-report xmlns:S="svn:"><S:start-revision>%d</S:start-revision>'
    "<S:end-revision>0</S:end-revision><S:discover-changed-paths/>"
    "<S:path></S:path></S:log-report>")


@pytest.fixture(scope="module")
def parent(work):
    folder = os.path.join(work, "errors")
    os.makedirs(folder)
    return folder


@pytest.fixture(scope="module", params=harness.MPMS)
def server(request, work, parent, small):
    """A parent location with one good repository, under each MPM."""
    good = os.path.join(parent, "good")
    if not os.path.exists(good):
        shutil.copytree(small, good)
    with harness.Httpd(os.path.join(work, "errors-" + request.param),
                       request.param,
                       harness.location("/r", parent, parent=True)) as running:
        yield running


@pytest.fixture
def broken(parent, small, request):
    """A fresh copy of the small repository to break: (folder, name)."""
    name = "b" + re.sub(r"\W", "", request.node.name)[-40:]
    path = os.path.join(parent, name)
    shutil.copytree(small, path)
    yield path, name
    for top, _, _ in os.walk(path):
        os.chmod(top, 0o755)
    shutil.rmtree(path)


def write(path, data):
    os.chmod(path, 0o644)
    with open(path, "wb") as out:
        out.write(data)


def no_format(path):
    os.unlink(path + "/format")


def no_fs_format(path):
    os.unlink(path + "/db/format")


def no_uuid(path):
    os.unlink(path + "/db/uuid")


def no_current(path):
    os.unlink(path + "/db/current")


def no_db(path):
    shutil.rmtree(path + "/db")


def empty_current(path):
    write(path + "/db/current", b"")


def empty_format(path):
    write(path + "/format", b"")


def empty_fs_format(path):
    write(path + "/db/format", b"")


def empty_uuid(path):
    write(path + "/db/uuid", b"")


def wild_current(path):
    write(path + "/db/current", b"99999999999999999999\n")


def negative_current(path):
    write(path + "/db/current", b"-5\n")


def newer_format(path):
    write(path + "/format", b"6\n")


def newer_fs_format(path):
    write(path + "/db/format", b"9\nlayout sharded 1000\naddressing logical\n")


def unknown_layout(path):
    write(path + "/db/format", b"8\nlayout spiral\naddressing logical\n")


def other_back_end(path):
    write(path + "/db/fs-type", b"bdb\n")


def unknown_back_end(path):
    write(path + "/db/fs-type", b"quantum\n")


def no_revisions(path):
    shutil.rmtree(path + "/db/revs")


BREAKS = [no_format, no_fs_format, no_uuid, no_current, no_db, empty_current,
          empty_format, empty_fs_format, empty_uuid, wild_current,
          negative_current, newer_format, newer_fs_format, unknown_layout,
          other_back_end, unknown_back_end, no_revisions]


def check_refused(server, path, body, statuses, host_path, method="GET"):
    """An error of those statuses without the folder's name; others work."""
    seen = len(server.log())
    answer = server.request(method, path, body, SVN)
    assert answer.status in statuses, answer.body
    text = answer.body.decode()
    assert host_path not in text
    assert "/db/" not in text and "/tmp" not in text
    assert server.request("GET", GOOD).status == 200
    return answer, server.log()[seen:]


@ours_only
@pytest.mark.parametrize("breaking", BREAKS, ids=lambda f: f.__name__)
def test_half_made_repository(breaking, server, broken):
    path, name = broken
    breaking(path)
    harness.readable(path)
    answer, log = check_refused(server, "/r/%s/trunk" % name, None,
                                (404, 500), path)
    assert answer.errcode() is not None
    assert len(re.sub(rb"<[^>]*>", b"", answer.body).strip()) > 15
    assert name in log or path in log, log


@ours_only
@pytest.mark.parametrize("breaking", [newer_format, newer_fs_format,
                                      other_back_end],
                         ids=lambda f: f.__name__)
def test_what_is_too_new_is_named(breaking, server, broken):
    path, name = broken
    breaking(path)
    answer = server.request("GET", "/r/%s/" % name, headers=SVN)
    assert answer.status == 500
    word = b"bdb" if breaking is other_back_end else (
        b"6" if breaking is newer_format else b"9")
    assert re.search(rb"human-readable[^<]*" + word, answer.body), answer.body


def test_missing_repository(server, parent):
    answer, log = check_refused(server, "/r/none/trunk", None, (404,), parent)
    assert "none" in log


@pytest.mark.parametrize("path", ["/r/empty/", "/r/empty/trunk"])
def test_empty_folder_is_no_repository(path, server, parent):
    os.makedirs(os.path.join(parent, "empty"), exist_ok=True)
    check_refused(server, path, None, (404, 500), parent)


@ours_only  # mod_dav_svn names files of the host
@pytest.mark.skipif(os.geteuid() != 0, reason="the server runs as this user")
@pytest.mark.parametrize("what", ["", "db", "db/current", "db/revs",
                                  "db/format", "format"])
def test_unreadable_repository(what, server, broken):
    path, name = broken
    os.chmod(os.path.join(path, what), 0)
    answer, log = check_refused(server, "/r/%s/trunk/lib/b.c" % name, None,
                                (403, 404, 500), path)
    assert "ermission denied" in log
    assert name in log


def revision_file(path, rev):
    return os.path.join(path, "db", "revs", "0", str(rev))


@ours_only  # mod_dav_svn names files of the host
@pytest.mark.parametrize("keep", [0, 1, 100, -1, -60])
def test_truncated_revision_file(keep, server, broken):
    path, name = broken
    file = revision_file(path, 14)
    with open(file, "rb") as inp:
        data = inp.read()
    write(file, data[:keep])
    answer, log = check_refused(server, "/r/%s/trunk" % name, None, (500,),
                                path)
    assert answer.errcode() is not None
    assert name in log or "r14" in log or "revision 14" in log, log


@ours_only
@pytest.mark.parametrize("server", ["event"], indirect=True)
@pytest.mark.parametrize("rev", [1, 8])
def test_flipped_bytes_never_give_other_content(rev, server, broken, small):
    path, name = broken
    file = revision_file(path, rev)
    with open(file, "rb") as inp:
        data = bytearray(inp.read())
    wanted = {}
    for node in ("a.txt", "big.bin", "lib/b.c", "doc/read%20me%20&%20more.txt",
                 "lib", "doc"):
        for at in (1, 2, 4, 8, 9):
            url = "/!svn/rvr/%d/trunk/%s" % (at, node)
            wanted[url] = server.request("GET", "/r/good" + url).body
    failed = 0
    # Large files are mostly text: aim at what stands around it, too.
    places = sorted(set(list(range(0, len(data), len(data) // 25))
                        + list(range(len(data) - 400, len(data), 7))))
    for number, place in enumerate(places):
        changed = bytearray(data)
        changed[place] ^= 1 << (number % 8)
        copy = file + ".new"
        with open(copy, "wb") as out:
            out.write(changed)
        os.rename(copy, file)
        connection = server.connect()
        for url in list(wanted)[number % 3::3]:
            try:
                answer = server.request("GET", "/r/" + name + url,
                                        connection=connection)
            except OSError:  # broken off
                failed += 1
                connection.close()
                connection = server.connect()
                continue
            except harness.http.client.HTTPException:
                failed += 1
                connection.close()
                connection = server.connect()
                continue
            if answer.status == 200:
                good = wanted[url].replace(b"good - ", name.encode() + b" - ")
                assert answer.body == good, (place, url)
            elif wanted[url]:
                failed += answer.status == 500
        connection.close()
    assert server.request("GET", GOOD).status == 200


@ours_only
def test_damage_in_the_middle_of_a_text_is_an_error(server, broken):
    path, name = broken
    file = revision_file(path, 1)
    with open(file, "rb") as inp:
        data = bytearray(inp.read())
    data[150000] ^= 0x10  # in the text of big.bin
    write(file, data)
    seen = len(server.log())
    answer = server.request("GET", "/r/%s/!svn/rvr/1/trunk/big.bin" % name)
    assert answer.status == 500
    server.wait_for_log(r"r1 item \d+: its bytes have the checksum", seen)
    assert server.request("GET", GOOD).status == 200


@ours_only
def test_damage_in_a_long_text_breaks_the_answer_off(server, wide):
    file = revision_file(wide, 1)
    size = os.path.getsize(file)
    seen = len(server.log())

    def flip():
        with open(file, "r+b") as out:
            out.seek(size // 2)
            byte = out.read(1)[0]
            out.seek(size // 2)
            out.write(bytes([byte ^ 0x10]))

    mode = os.stat(file).st_mode
    os.chmod(file, 0o644)
    flip()
    try:
        raws = [server.raw(b"GET /r/wide/trunk/f%d HTTP/1.1\r\nHost: x\r\n"
                           b"Connection: close\r\n\r\n" % number)
                for number in range(4)]
    finally:
        flip()
        os.chmod(file, mode)
    bodies = [raw.partition(b"\r\n\r\n")[2] for raw in raws]
    assert all(raw.startswith(b"HTTP/1.1 200") for raw in raws)
    assert sorted(len(body) == 20 << 20 for body in bodies) == [
        False, True, True, True]
    server.wait_for_log(r"r1 item \d+: its bytes have the checksum", seen)
    assert server.request("GET", GOOD).status == 200


@ours_only
def test_a_report_over_damage_does_not_end_well_formed(server, broken):
    path, name = broken
    file = revision_file(path, 1)
    with open(file, "rb") as inp:
        data = bytearray(inp.read())
    data[150000] ^= 0x10
    write(file, data)
    try:
        answer = server.report("/r/%s/!svn/me" % name, CHECKOUT % name, SVN)
    except (OSError, harness.http.client.HTTPException):
        answer = None
    if answer is not None and answer.status == 200:
        assert b"</S:update-report>" not in answer.body
    assert server.request("GET", GOOD).status == 200


# ---- clients that go away ----

def begin(server, request, wait=True):
    """Send a request with a small receive window; returns the socket."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(20)
    sock.connect(("127.0.0.1", server.port))
    sock.sendall(request)
    if wait:
        assert sock.recv(10)
    return sock


def reset(sock):
    """Close so that the server gets a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.close()


def report_request(name, body):
    body = body.encode()
    return (b"REPORT /r/%s/!svn/me HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
            % (name.encode(), len(body))) + body


REQUESTS = {
    "get": b"GET /r/good/trunk/big.bin HTTP/1.1\r\nHost: x\r\n\r\n",
    "checkout": report_request("good", CHECKOUT % "good"),
    "propfind": b"PROPFIND /r/good/trunk HTTP/1.1\r\nHost: x\r\n"
                b"Depth: 1\r\n\r\n",
    "listing": b"GET /r/good/trunk/ HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_connections_broken_off_harm_nobody(kind, server):
    before = set(server.children())
    for number in range(20):
        request = REQUESTS[kind]
        if number % 4 == 0:
            request = request[:len(request) - number - 1]
        sock = begin(server, request, wait=number % 4 == 1)
        (reset if number % 2 else socket.socket.close)(sock)
    assert server.request("GET", GOOD).status == 200
    server.check_log()
    if server.mpm != "prefork":  # which tends its spare children
        assert set(server.children()) == before


def test_bodies_broken_off_are_refused(server):
    body = (CHECKOUT % "good").encode()
    for keep in (0, 1, 40, len(body) - 1):
        sock = begin(server, b"REPORT /r/good/!svn/me HTTP/1.1\r\nHost: x\r\n"
                     b"Content-Length: %d\r\n\r\n%s" % (len(body),
                                                       body[:keep]), False)
        sock.shutdown(socket.SHUT_WR)
        data = harness.receive_all(sock)
        sock.close()
        assert not data or data.startswith(b"HTTP/1.1 4"), data[:200]
    assert server.request("GET", GOOD).status == 200


@pytest.fixture(scope="module")
def wide(work, parent):
    """A repository whose checkout is long: 80 MB that do not compress."""
    path = os.path.join(parent, "wide")
    if os.path.exists(path):
        return path
    harness.run(["svnadmin", "create", path])
    with open(os.path.join(path, "db", "fsfs.conf"), "a") as out:
        out.write("[deltification]\ncompression = none\n")
    client = harness.Client(os.path.join(work, "wide-client"))
    files = os.path.join(work, "wide-files")
    os.makedirs(files)
    for number in range(4):
        with open(os.path.join(files, "f%d" % number), "wb") as out:
            out.write(os.urandom(20 << 20))
    client.run("import", "-q", "-m", "many", files, "file://%s/trunk" % path)
    shutil.rmtree(files)
    harness.readable(path)
    return path


def test_a_client_that_vanishes_ends_the_work(server, wide):
    sock = begin(server, report_request("wide", CHECKOUT % "wide"))
    reset(sock)

    def used():
        return sum(harness.cpu_seconds(pid) for pid in server.children())

    start = used()
    # It is over when no time is used for half a second.
    deadline = time.time() + 20
    last, since = used(), time.time()
    while time.time() - since < 0.5:
        assert time.time() < deadline, "still at work after 20 seconds"
        time.sleep(0.02)
        now = used()
        if now != last:
            last, since = now, time.time()
    assert last - start < 2.0
    assert server.request("GET", GOOD).status == 200


def test_a_slow_client_does_not_make_the_server_hold_the_answer(server, wide):
    pids = server.children()
    before = {pid: harness.resident_kib(pid) for pid in pids}
    sock = begin(server, report_request("wide", CHECKOUT % "wide"))
    # The whole answer is over 100 MB; the server must wait for the client.
    harness.wait_until(
        lambda: harness.settled(pids), 20,
        "the server does not wait for its client")
    grown = max(harness.resident_kib(pid) - before[pid] for pid in pids)
    reset(sock)
    assert grown < 32 * 1024
