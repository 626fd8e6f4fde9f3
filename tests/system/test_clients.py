# SPDX-License-Identifier: Apache-2.0
"""Other clients: mirrors, dumps, git, the first version of the protocol."""

import os
import re
import shutil
import subprocess

import pytest

import harness
from test_operations import COMMANDS, compare


@pytest.fixture(scope="module")
def server(work, small):
    """One repository three ways: as it is, in bulk, by the old protocol."""
    config = "\n".join([
        harness.location("/small", small),
        harness.location("/bulk", small,
                         harness.directive("AllowBulkUpdates", "prefer")),
        harness.location("/old", small,
                         harness.directive("AdvertiseV2Protocol", "off"))])
    with harness.Httpd(os.path.join(work, "clients"), "worker",
                       config) as running:
        yield running


def dump(path):
    """A dump of a repository without its UUID, which mirrors do not share."""
    out = harness.run(["svnadmin", "dump", "-q", path]).stdout
    return re.sub(rb"UUID: \S+", b"UUID: x", out, count=1)


def mirror(source, path):
    """Copy by svnsync; returns the dump of the copy."""
    harness.run(["svnadmin", "create", path])
    hook = os.path.join(path, "hooks", "pre-revprop-change")
    with open(hook, "w") as out:
        out.write("#!/bin/sh\nexit 0\n")
    os.chmod(hook, 0o755)
    client = harness.Client(path + "-client")
    client.run("init", "file://" + path, source, program="svnsync")
    client.run("sync", "-q", "file://" + path, program="svnsync")
    for name in ("from-url", "from-uuid", "last-merged-rev"):
        harness.run(["svnadmin", "delrevprop", path, "-r", "0",
                     "svn:sync-" + name])
    return dump(path)


@pytest.mark.parametrize("mount", ["/small", "/old", "/bulk"])
def test_svnsync_makes_an_equal_repository(mount, server, small, folder):
    assert mirror(server.base + mount,
                  os.path.join(folder, "mirror")) == dump(small)


def test_svnsync_of_a_folder(server, small, folder):
    dumps = [mirror(source, os.path.join(folder, name)) for name, source in (
        ("http", server.base + "/small/trunk"),
        ("file", "file://%s/trunk" % small))]
    assert dumps[0] == dumps[1]


def node_headers(stream):
    """What a dump says of each node; encodings of deltas are free."""
    for found in re.findall(rb"Node-path: [^\n]*\n(?:[\w-]+: [^\n]*\n)*",
                            stream):
        yield b"\n".join(line for line in found.split(b"\n")
                         if b"-length: " not in line)


@pytest.mark.parametrize("mount", ["/small", "/old"])
@pytest.mark.parametrize("range_", ["0:14", "5:9"])
def test_svnrdump_dumps_what_can_be_loaded(range_, mount, server, small,
                                           folder):
    client = harness.Client(folder)
    dumps = []
    for url in (server.base + mount, "file://" + small):
        done = client.run("dump", "-q", "-r", range_, url, program="svnrdump")
        path = os.path.join(folder, "loaded%d" % len(dumps))
        harness.run(["svnadmin", "create", path])
        if range_ == "0:14":
            harness.run(["svnadmin", "load", "-q", path], input=done.stdout)
            dumps.append(dump(path))
        else:
            dumps.append(sorted(node_headers(done.stdout)))
    assert dumps[0] == dumps[1]
    if range_ == "0:14":
        assert dumps[0] == dump(small)


@pytest.mark.skipif(
    shutil.which("git") is None or subprocess.run(
        ["git", "svn", "--version"], capture_output=True).returncode != 0,
    reason="needs git svn")
def test_git_svn_clones(server, small, folder):
    trees = []
    for number, url in enumerate((server.base + "/small", "file://" + small)):
        clone = os.path.join(folder, "clone%d" % number)
        harness.run(["git", "svn", "clone", "-q", "-r", "3:10", "--trunk=trunk",
                     url, clone],
                    env={"HOME": folder})
        trees.append(harness.run(
            ["git", "-C", clone, "log", "--all", "--format=%T %an %s"]
        ).stdout)
    assert sorted(trees[0].split(b"\n")) == sorted(trees[1].split(b"\n"))
    assert trees[0].count(b"\n") > 3


V1 = [c for c in COMMANDS if c[0] in (
    "ls", "cat", "info", "log", "blame", "diff", "proplist", "mergeinfo")][::3]


@pytest.mark.parametrize("command", V1, ids=" ".join)
def test_command_by_the_old_protocol_equals_file_url(command, server, small,
                                                     folder):
    compare(harness.Client(folder), command, server.base + "/old",
            "file://" + small)


@pytest.mark.parametrize("bulk", ["yes", "no"])
def test_working_copies_by_the_old_protocol(bulk, server, small, folder):
    client = harness.Client(folder, http_bulk_updates=bulk)
    seen = []
    for number, url in enumerate((server.base + "/old", "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "-r", "3", url + "/trunk", wc)
        states = []
        for step in (["update", "-q", "-r", "7", wc],
                     ["update", "-q", "-r", "4", wc],
                     ["switch", "-q", "--ignore-ancestry",
                      url + "/branches/b1@12", wc],
                     ["switch", "-q", "--ignore-ancestry", url + "/trunk",
                      wc]):
            client.run(*step)
            states.append((harness.tree(wc), harness.properties(client, wc)))
        states.append(sorted(client.out("status", "-u", cwd=wc).splitlines()))
        seen.append(states)
    assert seen[0] == seen[1]


def test_old_protocol_is_what_was_spoken(server):
    with open(server.access_log) as inp:
        log = [line for line in inp if " /old" in line]
    assert any("/old/!svn/vcc/default" in line for line in log)
    assert not any("/old/!svn/me" in line for line in log)


@pytest.mark.parametrize("setting", [{"http_compression": "no"},
                                     {"http_max_connections": "1"},
                                     {"http_max_connections": "8"},
                                     {"http_chunked_requests": "no"},
                                     {"http_bulk_updates": "yes"}],
                         ids=str)
def test_settings_of_the_client_change_nothing(setting, server, small, folder):
    client = harness.Client(folder, **setting)
    one, two = os.path.join(folder, "1"), os.path.join(folder, "2")
    client.run("checkout", "-q", server.base + "/small", one)
    client.run("checkout", "-q", "file://" + small, two)
    assert harness.tree(one) == harness.tree(two)


def test_curl_gets_a_tree_by_its_links(server, small, folder):
    out = os.path.join(folder, "export")
    harness.run(["svn", "export", "-q", "file://" + small, out])
    found = {}

    def visit(path):
        body = harness.run(["curl", "-sf", server.base + path]).stdout.decode()
        for link in re.findall(r'<li><a href="([^"]*)">', body):
            if link == "../":
                continue
            if link.endswith("/"):
                visit(path + link)
            else:
                data = harness.run(
                    ["curl", "-sf", server.base + path
                     + link.replace("&amp;", "&")]).stdout
                found[path + link] = data

    visit("/small/trunk/manual/")
    names = sorted(os.listdir(os.path.join(out, "trunk", "manual")))
    assert len(found) == len(names) == 4
    for name in names:
        with open(os.path.join(out, "trunk", "manual", name), "rb") as inp:
            assert inp.read() in found.values()


def bindings(url):
    """What each call of the Python bindings answers: {name: text}. The program
    needs the distribution's Python, whatever runs the tests."""
    out = harness.run(["/usr/bin/python3", os.path.join(
        harness.HERE, "bindings.py"), url]).stdout.decode()
    return dict(line.split("\t", 1) for line in out.splitlines())


@pytest.mark.skipif(subprocess.run(
    ["/usr/bin/python3", "-c", "import svn.ra"],
    capture_output=True).returncode != 0, reason="needs python3-subversion")
@pytest.mark.parametrize("mount", ["/small", "/old", "/bulk"])
def test_python_bindings_answer_as_on_the_repository_itself(mount, server,
                                                            small):
    here, there = bindings(server.base + mount), bindings("file://" + small)
    assert len(there) >= 16
    assert sorted(here) == sorted(there)
    for name in there:
        assert here[name] == there[name], name


@pytest.mark.parametrize("agent", [
    "SVN/1.4.6 (r28521) neon/0.25.5", "SVN/1.6.17 (r1128011) neon/0.29.6",
    "SVN/1.7.9 neon/0.29.6", "SVN/1.8.0 (x86_64) serf/1.2.1",
    "TortoiseSVN-1.6.16", "SVNKit/1.3.5 (http://svnkit.com/)", "davfs2/1.5"])
def test_old_clients_get_what_they_ask_for(agent, server):
    """The requests of a checkout by the first protocol, as such clients send
    them: without capabilities, with and without a label."""
    head = {"User-Agent": agent, "Depth": "0"}
    prop = ('<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop>'
            "<D:version-controlled-configuration/><D:resourcetype/>"
            '<baseline-relative-path xmlns="http://subversion.tigris.org/xmlns/'
            'dav/"/></D:prop></D:propfind>')
    base = "/small/trunk"
    answer = server.request("PROPFIND", base, prop, head)
    assert answer.status == 207
    assert b"/small/!svn/vcc/default" in answer.body
    answer = server.request("PROPFIND", "/small/!svn/vcc/default", prop.replace(
        "version-controlled-configuration", "checked-in"), head)
    assert b"/small/!svn/bln/14" in answer.body
    answer = server.request("PROPFIND", "/small/!svn/vcc/default", prop.replace(
        "version-controlled-configuration", "baseline-collection"),
        dict(head, Label="5"))
    assert answer.status == 207 and b"/small/!svn/bc/5" in answer.body
    report = ('<S:update-report send-all="true" xmlns:S="svn:"><S:src-path>'
              "%s/small/trunk</S:src-path><S:target-revision>5"
              "</S:target-revision><S:entry rev=\"5\" start-empty=\"true\">"
              "</S:entry></S:update-report>" % server.base)
    answer = server.report("/small/!svn/vcc/default", report,
                           {"User-Agent": agent})
    assert answer.status == 200
    names = [e.get("name") for e in answer.xml().iter() if e.tag in (
        "{svn:}add-file", "{svn:}add-directory")]
    assert "lib" in names and len(names) > 3
    answer = server.request("GET", "/small/!svn/bc/5/trunk/lib/b.c",
                            headers={"User-Agent": agent})
    assert answer.status == 200 and answer.body
