# SPDX-License-Identifier: Apache-2.0
"""Repositories of every format, written by stock tools, served and read."""

import base64
import gzip
import hashlib
import os
import subprocess

import pytest

import harness
import svndiff

WITH_TXN = ("f2", "f6", "f8")

pytestmark = pytest.mark.parametrize("name", harness.FIXTURES)


@pytest.fixture(scope="module")
def servers(work, fixtures):
    """A server of each MPM."""
    running = [
        harness.Httpd(os.path.join(work, "fixtures-" + mpm), mpm,
                      harness.location("/r", fixtures, harness.directive(
                          "AllowBulkUpdates", "prefer"), parent=True))
        for mpm in harness.MPMS]
    with running[0], running[1], running[2]:
        yield running


@pytest.fixture
def server(servers, name):
    """One of the servers; each repository has its MPM."""
    return servers[harness.FIXTURES.index(name) % len(servers)]


def expected_tree(name):
    """Path -> MD5, or `-` of a directory, of HEAD."""
    tree = {}
    with open(os.path.join(harness.DATA, "fsfs", name + ".list"),
              encoding="utf-8") as inp:
        for line in inp.read().split("\n"):
            if line:
                digest, path = line[:32].strip(), line[34:]
                tree[path.rstrip("/")] = digest
    return tree


def served_tree(answer):
    """The same from the answer to an update report in bulk mode."""
    tree = {}

    def walk(node, path):
        tree[path] = "-"
        for child in node.children:
            if child.name == "svn:add-directory":
                walk(child, (path + "/" if path else "")
                     + child.attributes["name"])
            elif child.name == "svn:add-file":
                delta = base64.b64decode(child.one("svn:txdelta").text)
                text = svndiff.apply(b"", delta)
                digest = hashlib.md5(text).hexdigest()
                announced = child.one("svn:prop").one(
                    "http://subversion.tigris.org/xmlns/dav/md5-checksum")
                assert announced.text == digest
                sha1 = child.attributes.get("sha1-checksum")
                assert sha1 in (None, hashlib.sha1(text).hexdigest())
                tree[(path + "/" if path else "")
                     + child.attributes["name"]] = digest

    walk(answer.element().one("svn:open-directory"), "")
    return tree


def test_head_holds_each_file(name, server):
    body = (
        '<S:update-report xmlns:S="svn:" send-all="true">'
        "<S:src-path>/r/%s</S:src-path><S:depth>infinity</S:depth>"
        '<S:entry rev="0" start-empty="true"></S:entry></S:update-report>'
        % name)
    answer = server.report("/r/%s/!svn/me" % name, body)
    assert answer.status == 200
    assert served_tree(answer) == expected_tree(name)


@pytest.mark.parametrize("rev", [10, 20])
def test_export_of_an_old_revision_equals_file_url(name, rev, server, fixtures,
                                                   folder):
    client = harness.Client(folder)
    trees = []
    for url in (server.base + "/r/" + name, "file://%s/%s" % (fixtures, name)):
        out = os.path.join(folder, "out")
        client.run("export", "-q", "--ignore-externals", "%s@%d" % (url, rev),
                   out)
        trees.append(harness.tree(out))
        harness.remove(out)
    assert trees[0] == trees[1]
    assert len(trees[0]) > 20


def test_log_equals_file_url(name, server, fixtures, folder):
    client = harness.Client(folder)
    logs = [harness.as_items(client.out(
        "log", "-v", "--xml", "--with-all-revprops", url))
        for url in (server.base + "/r/" + name,
                    "file://%s/%s" % (fixtures, name))]
    assert logs[0] == logs[1]


def test_properties_equal_file_url(name, server, fixtures, folder):
    client = harness.Client(folder)
    found = []
    for url in (server.base + "/r/" + name, "file://%s/%s" % (fixtures, name)):
        text = client.out("proplist", "-v", "--xml", "--depth", "immediates",
                          url).replace(url, "URL")
        found.append(harness.as_items(text))
    assert found[0] == found[1]


def test_dump_equals_the_stock_dump(name, fixtures):
    with gzip.open(os.path.join(harness.DATA, "fsfs",
                                name + ".dump.gz")) as inp:
        expected = inp.read()
    done = harness.repoadmin("dump", "-q", os.path.join(fixtures, name))
    assert hashlib.md5(done.stdout).hexdigest() == hashlib.md5(
        expected).hexdigest()


def test_info_equals_svnadmin(name, fixtures):
    path = os.path.join(fixtures, name)
    assert harness.repoadmin("info", path).stdout == harness.run(
        ["svnadmin", "info", path]).stdout


def test_locks_equal_svnadmin(name, fixtures):
    path = os.path.join(fixtures, name)
    ours = harness.repoadmin("lslocks", path).stdout
    stock = harness.run(["svnadmin", "lslocks", path]).stdout
    assert sorted(ours.split(b"Path: ")) == sorted(stock.split(b"Path: "))


def test_locks_over_http_equal_file_url(name, server, fixtures, folder):
    client = harness.Client(folder)
    seen = [client.out("ls", "-v", "--depth", "immediates", url)
            for url in (server.base + "/r/" + name,
                        "file://%s/%s" % (fixtures, name))]
    assert seen[0] == seen[1]


def test_open_transactions_survive_reading(name, server, fixtures):
    path = os.path.join(fixtures, name)
    stock = harness.run(["svnadmin", "lstxns", path]).stdout
    assert harness.repoadmin("lstxns", path).stdout == stock
    assert len(stock.split()) == (1 if name in WITH_TXN else 0)
    for txn in stock.decode().split():
        assert subprocess.run(
            ["svnlook", "changed", "-t", txn, path], capture_output=True
        ).stdout.count(b"\n") > 4


def test_repository_is_unchanged(name, fixtures, folder):
    fresh = harness.unpack(name, folder)
    state = []
    for path in (os.path.join(fixtures, name), fresh):
        files = harness.tree(path)
        # SQLite of the stock tools may touch its own files.
        state.append({k: v for k, v in files.items() if "rep-cache" not in k})
    assert state[0] == state[1]


def test_propfind_tells_the_sha1_whether_stored_or_not(server, name):
    path = next(path for path, md5 in expected_tree(name).items()
                if path.endswith("src/a.c") and md5 != "-")
    body = ('<propfind xmlns="DAV:"><prop><sha1-checksum xmlns="http://'
            'subversion.tigris.org/xmlns/dav/"/></prop></propfind>')
    url = "/r/%s/%s" % (name, path.strip("/"))
    text = server.request("GET", url).body
    answer = server.request("PROPFIND", url, body, {"Depth": "0"})
    assert answer.status == 207
    assert hashlib.sha1(text).hexdigest().encode() in answer.body
