# SPDX-License-Identifier: Apache-2.0
"""Eight stock clients commit to disjoint and to overlapping paths, six by
HTTP and two on the disk, while others read, pack and edit properties: nothing
that was acknowledged is lost, doubled or torn."""

import os
import re
import threading
import time

import pytest

import harness
import live
import test_write_histories as write

SECONDS = float(os.environ.get("MOD_REPO_TEST_SECONDS", "6"))

#: Whom root's helpers run as, so that all write as the server's user does.
USER = ({"user": "nobody", "group": "nogroup", "extra_groups": []}
        if os.geteuid() == 0 else {})


class Worker(threading.Thread):
    """Repeats one act until told to stop; keeps the first surprise."""

    def __init__(self, stop, act):
        super().__init__(daemon=True)
        self.stop, self.act, self.failed, self.count = stop, act, None, 0

    def run(self):
        try:
            while not self.stop.is_set():
                self.act(self.count)
                self.count += 1
        except Exception as problem:  # shown by the test
            self.failed = problem
            self.stop.set()


class Committer:
    """One client: says what was acknowledged, and what was refused."""

    def __init__(self, number, folder, url):
        self.number, self.url = number, url
        self.folder = os.path.join(folder, "client-%d" % number)
        self.client = harness.Client(self.folder)
        self.source = os.path.join(self.folder, "text")
        harness.writable(self.folder)
        self.acked, self.refused = {}, 0

    def act(self, count):
        """A commit to a file of its own, or to the one that all share."""
        shared = count % 3 == 2
        mark = "client %d commit %d\n" % (self.number, count)
        with open(self.source, "w") as out:
            out.write(mark * (1 + count % 5))
        done = self.client.run(
            "-m", mark, "--root-url", self.url, "put", self.source,
            "shared" if shared else "own-%d" % self.number,
            program="svnmucc", check=False, **USER)
        said = done.stdout.decode() + done.stderr.decode()
        found = re.search(r"r(\d+) committed", said)
        if found:
            self.acked[int(found.group(1))] = mark
        else:
            # Somebody else was faster: only for the file that all share.
            assert shared and re.search(
                "E160024|E160028|E170004", said), (mark, said)
            self.refused += 1


class Reader:
    """The youngest revision never goes back; texts are whole."""

    def __init__(self, server):
        self.server, self.youngest = server, 0
        self.connection = server.connect()

    def act(self, count):
        answer = self.server.request(
            "OPTIONS", "/r", live.OPTIONS, connection=self.connection)
        rev = int(answer.header("SVN-Youngest-Rev"))
        assert rev >= self.youngest
        self.youngest = rev
        answer = self.server.request("GET", "/r/!svn/rvr/%d/shared" % rev,
                                     connection=self.connection)
        assert answer.status == 200, answer.body
        lines = set(answer.body.splitlines())
        assert len(lines) == 1, lines
        body = ('<S:log-report xmlns:S="svn:"><S:start-revision>%d'
                "</S:start-revision><S:end-revision>0</S:end-revision>"
                "<S:limit>5</S:limit><S:path></S:path></S:log-report>" % rev)
        answer = self.server.report("/r/!svn/bc/%d/" % rev, body,
                                    connection=self.connection)
        assert answer.status == 200 and b"</S:log-report>" in answer.body


def administration(path):
    """Packs and edits properties, as stock tools do it beside a server."""
    def act(count):
        harness.run(["svnadmin", "pack", "-q", path], **USER)
        value = path + ".value"
        with open(value, "w") as out:
            out.write("edit %d" % count)
        harness.run(["svnadmin", "setrevprop", "-r", "1", path, "note", value],
                    **USER)
        time.sleep(0.05)
    return act


@pytest.mark.parametrize("mpm", ["prefork", "event"])
def test_nothing_acknowledged_is_lost(folder, mpm):
    path = os.path.join(folder, "repo")
    write.create(path, "1.10")
    server = harness.Httpd(os.path.join(folder, "httpd"), mpm,
                           harness.location("/r", path))
    os.makedirs(os.path.join(folder, "first"))
    stop = threading.Event()
    with server:
        first = Committer(99, os.path.join(folder, "first"),
                          server.base + "/r")
        first.act(2)
        clients = [
            Committer(i, folder,
                      "file://" + path if i in (3, 6) else server.base + "/r")
            for i in range(8)]
        workers = [Worker(stop, act) for act in
                   [c.act for c in clients]
                   + [Reader(server).act for _ in range(2)]
                   + [administration(path)]]
        for worker in workers:
            worker.start()
        stop.wait(SECONDS)
        stop.set()
        for worker in workers:
            worker.join(120)
            assert not worker.is_alive()
        problems = [w.failed for w in workers if w.failed]
        assert not problems, problems[0]
        check(path, [first] + clients)


def check(path, clients):
    """The repository holds what was acknowledged, and nothing else."""
    harness.run(["svnadmin", "verify", "-q", path])
    acked = {}
    for client in clients:
        assert client.acked
        assert not acked.keys() & client.acked.keys()
        acked.update(client.acked)
    youngest = int(harness.run(["svnlook", "youngest", path]).stdout)
    assert sorted(acked) == list(range(1, youngest + 1))
    for rev, mark in acked.items():
        said = harness.run(["svnlook", "log", "-r", rev, path]).stdout.decode()
        assert said.strip() == mark.strip()
    assert not harness.run(["svnadmin", "lstxns", path]).stdout
