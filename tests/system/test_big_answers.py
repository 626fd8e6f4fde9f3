# SPDX-License-Identifier: Apache-2.0
"""Large working copies, long logs and odd names, as real servers met them."""

import os
import re
import socket
import time

import pytest

import harness
import history

FILES = history.WIDE_FILES
COMMITS = history.WIDE_COMMITS


@pytest.fixture(scope="module")
def server(work, wide):
    with harness.Httpd(os.path.join(work, "wide-httpd"), "event",
                       harness.location("/wide", wide)) as running:
        yield running


def update_report(entries, target):
    return ('<S:update-report xmlns:S="svn:"><S:include-props>yes'
            "</S:include-props><S:src-path>/wide/trunk</S:src-path>"
            "<S:target-revision>%d</S:target-revision>%s</S:update-report>"
            % (target, "".join(entries)))


@pytest.mark.skipif(harness.PEER, reason="has a limit of 1,000,000 bytes")
def test_a_working_copy_at_thousands_of_revisions_is_updated(server):
    # More than httpd's limit for XML bodies, with the default settings.
    entries = ['<S:entry rev="1"></S:entry>', '<S:entry rev="1">wide</S:entry>']
    entries += ['<S:entry rev="%d" depth="infinity" lock-token="'
                'opaquelocktoken:%036d%s">wide/f%05d.txt</S:entry>'
                % (1 + i % COMMITS, i, "x" * 150, i) for i in range(FILES)]
    body = update_report(entries, COMMITS + 1)
    assert len(body) > 1000000
    answer = server.report("/wide/!svn/me", body)
    assert answer.status == 200
    text = answer.body.decode()
    assert text.endswith("</S:update-report>\n")
    # Every token is one that the repository does not know.
    assert text.count('<S:remove-prop name="svn:entry:lock-token"/>') == FILES
    assert text.count("<S:fetch-file") == 2


def test_the_first_entries_of_a_log_leave_at_once(server):
    body = ('<S:log-report xmlns:S="svn:"><S:start-revision>%d'
            "</S:start-revision><S:end-revision>0</S:end-revision>"
            "<S:path>trunk</S:path></S:log-report>" % (COMMITS + 1))
    with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall((
            "REPORT /wide/!svn/rvr/%d/ HTTP/1.1\r\nHost: x\r\n"
            "Content-Type: text/xml\r\nContent-Length: %d\r\n\r\n%s"
            % (COMMITS + 1, len(body), body)).encode())
        seen = b""
        while b"</S:log-item>" not in seen:
            part = sock.recv(512)
            assert part, seen
            seen += part
    # The first item came in a piece of its own, not in a full block.
    assert seen.count(b"<S:log-item>") < 20
    assert b"<D:version-name>%d<" % (COMMITS + 1) in seen


def test_a_log_whose_reader_left_ends(server):
    body = ('<S:log-report xmlns:S="svn:"><S:start-revision>%d'
            "</S:start-revision><S:end-revision>0</S:end-revision>"
            "<S:discover-changed-paths/><S:path></S:path></S:log-report>"
            % (COMMITS + 1))
    head = ("REPORT /wide/!svn/rvr/%d/ HTTP/1.1\r\nHost: x\r\n"
            "Content-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
            % (COMMITS + 1, len(body)))
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), 20) as sock:
            sock.sendall((head + body).encode())
            sock.recv(64)
    started = time.time()
    assert server.request("OPTIONS", "/wide").status == 200
    assert time.time() - started < 5


@pytest.mark.parametrize("command", [
    ["ls", "-v", "{U}/trunk@1"], ["info", "{U}/trunk@1"],
    ["log", "-q", "-r", "1", "{U}"], ["ls", "--xml", "{U}/trunk@1"]],
    ids=["ls", "info", "log", "ls-xml"])
@pytest.mark.skipif(harness.PEER, reason="escapes the name twice in lists")
def test_an_author_with_markup_is_shown_as_it_is(command, server, folder):
    client = harness.Client(folder)
    out = client.out(*[part.format(U=server.base + "/wide")
                       for part in command])
    if "--xml" in command:
        assert "<author>a&lt;b&amp;c</author>" in out
    else:
        assert re.search(r"a<b&c\b", out)
        assert "&amp;" not in out


def test_a_listing_of_thousands_of_files_is_complete(server, folder):
    client = harness.Client(folder)
    names = client.out("ls", server.base + "/wide/trunk/wide").split()
    assert names == ["f%05d.txt" % i for i in range(FILES)]


def test_sparse_revisions_of_a_folder_are_found(server, folder):
    client = harness.Client(folder)
    out = client.out("log", "-q", server.base + "/wide/trunk/b")
    assert re.findall(r"^r(\d+) ", out, re.M) == ["300", "200", "100", "1"]
