# SPDX-License-Identifier: Apache-2.0
"""Stock tools change a repository while it is served: answers are right at
once, on connections that have seen the old state, from every child."""

import os
import shutil

import pytest

import harness


class Repository:
    """A repository, a server and kept connections to it."""

    def __init__(self, folder, server, path):
        self.folder = folder
        self.server = server
        self.path = path
        self.url = "file://" + path
        self.client = harness.Client(folder)
        self.kept = [server.connect() for _ in range(4)]

    def commit(self, *actions, message="change"):
        self.client.run("-m", message, "-u", "ann", "--root-url", self.url,
                        *actions, program="svnmucc")
        harness.readable(self.path)

    def put(self, text, name="file"):
        source = os.path.join(self.folder, "source")
        with open(source, "w") as out:
            out.write(text)
        self.commit("put", source, name)

    def ask(self, method, path, body=None, headers=None):
        """The same answer from each kept connection and a new one."""
        found = {}
        for connection in self.kept + [self.server.connect()]:
            answer = self.server.request(
                method, "/r" + path, body,
                dict(headers or {}, **{"User-Agent": "SVN/1.14.2"}),
                connection)
            said = answer.body
            if answer.status == 207:  # properties come in any order
                said = repr({
                    href: {name: prop.value()
                           for name, (_, prop) in sorted(props.items())}
                    for href, props in answer.properties().items()})
            found[answer.status, said] = answer
        (answer,) = found.values()
        return answer

    def text(self, path="/file"):
        answer = self.ask("GET", path)
        return answer.body.decode() if answer.status == 200 else answer.status

    def youngest(self):
        body = ('<D:options xmlns:D="DAV:"><D:activity-collection-set/>'
                "</D:options>")
        return int(self.ask("OPTIONS", "", body).header("SVN-Youngest-Rev"))

    def message(self, rev):
        props = self.ask("PROPFIND", "/!svn/rev/%d" % rev,
                         headers={"Depth": "0"}).properties()
        return props["/r/!svn/bln/%d" % rev][
            "http://subversion.tigris.org/xmlns/svn/log"][1].text

    def set_message(self, rev, text):
        source = os.path.join(self.folder, "message")
        with open(source, "w") as out:
            out.write(text)
        harness.run(["svnadmin", "setlog", "--bypass-hooks", "-r", rev,
                     self.path, source])
        harness.readable(self.path)


@pytest.fixture(params=["prefork", "event"])
def repo(request, folder):
    path = os.path.join(folder, "repository")
    harness.run(["svnadmin", "create", path])
    harness.readable(path)
    with harness.Httpd(os.path.join(folder, "httpd"), request.param,
                       harness.location("/r", path)) as server:
        found = Repository(folder, server, path)
        yield found
        for connection in found.kept:
            connection.close()


def test_a_commit_is_seen_at_once(repo):
    assert repo.text() == 404
    for number in range(1, 6):
        repo.put("text %d\n" % number)
        assert repo.youngest() == number
        assert repo.text() == "text %d\n" % number
        assert repo.text("/!svn/rvr/1/file") == "text 1\n"
        assert repo.message(number) == "change"


def test_a_revision_property_is_seen_at_once(repo):
    repo.put("text\n")
    for number in range(8):
        repo.set_message(1, "message %d" % number)
        assert repo.message(1) == "message %d" % number


def test_packing_changes_no_answer(repo):
    fs_format = os.path.join(repo.path, "db", "format")
    with open(fs_format) as inp:
        text = inp.read()
    os.chmod(fs_format, 0o644)
    with open(fs_format, "w") as out:
        out.write(text.replace("sharded 1000", "sharded 4"))
    for number in range(1, 10):
        repo.put("text %d\n" % number)
    before = [repo.text("/!svn/rvr/%d/file" % n) for n in range(1, 10)]
    assert before[0] == "text 1\n"
    messages = [repo.message(n) for n in range(1, 10)]
    harness.run(["svnadmin", "pack", "-q", repo.path])
    harness.readable(repo.path)
    assert os.path.isdir(os.path.join(repo.path, "db", "revs", "0.pack"))
    assert [repo.text("/!svn/rvr/%d/file" % n)
            for n in range(1, 10)] == before
    assert [repo.message(n) for n in range(1, 10)] == messages
    repo.set_message(2, "edited in its pack")
    assert repo.message(2) == "edited in its pack"
    repo.put("text 10\n")
    assert repo.text() == "text 10\n"
    assert repo.text("/!svn/rvr/3/file") == "text 3\n"


def test_locks_are_seen_at_once(repo):
    repo.put("text\n")
    body = '<S:get-locks-report xmlns:S="svn:"/>'
    assert repo.ask("REPORT", "", body).body.count(b"<S:lock>") == 0
    repo.client.run("lock", "--username", "ann", repo.url + "/file")
    harness.readable(repo.path)
    assert repo.ask("REPORT", "", body).body.count(b"<S:lock>") == 1
    repo.client.run("unlock", "--username", "ann", "--force",
                    repo.url + "/file")
    assert repo.ask("REPORT", "", body).body.count(b"<S:lock>") == 0


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn answers the old text")
@pytest.mark.parametrize("how", ["rename", "in place"])
def test_a_restored_repository_is_seen_at_once(repo, how):
    repo.put("first\n")
    saved = os.path.join(repo.folder, "saved")
    shutil.copytree(repo.path, saved)
    repo.put("lost\n")
    for _ in range(3):
        assert repo.text() == "lost\n"
        assert repo.text("/!svn/rvr/2/file") == "lost\n"
    if how == "rename":
        os.rename(repo.path, repo.path + ".old")
        os.rename(saved, repo.path)
    else:
        for name in os.listdir(repo.path):
            shutil.rmtree(os.path.join(repo.path, name), ignore_errors=True)
        shutil.copytree(saved, repo.path, dirs_exist_ok=True)
    harness.readable(repo.path)
    assert repo.youngest() == 1
    assert repo.text() == "first\n"
    repo.put("found\n")
    assert repo.text() == "found\n"
    assert repo.text("/!svn/rvr/2/file") == "found\n"
    assert repo.youngest() == 2


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn answers the old text")
def test_restored_and_grown_between_two_requests(repo):
    repo.put("first\n")
    saved = os.path.join(repo.folder, "saved")
    shutil.copytree(repo.path, saved)
    repo.put("lost\n")
    assert repo.text() == "lost\n"
    os.rename(repo.path, repo.path + ".old")
    os.rename(saved, repo.path)
    repo.put("found\n")  # youngest is what it was
    assert repo.text() == "found\n"
    assert repo.text("/!svn/rvr/2/file") == "found\n"


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn answers the old text")
def test_another_format_under_the_same_uuid(repo):
    repo.put("first\n")
    repo.put("eight\n")
    assert repo.text() == "eight\n"
    uuid = harness.run(["svnlook", "uuid", repo.path]).stdout.decode().strip()
    other = os.path.join(repo.folder, "other")
    harness.run(["svnadmin", "create", "--compatible-version", "1.8", other])
    harness.run(["svnadmin", "setuuid", other, uuid])
    old, repo.url = repo.url, "file://" + other
    old_path, repo.path = repo.path, other
    repo.put("1\n")
    repo.put("six\n")
    repo.url, repo.path = old, old_path
    os.rename(repo.path, repo.path + ".old")
    os.rename(other, repo.path)
    harness.readable(repo.path)
    assert repo.text() == "six\n"
    assert repo.text("/!svn/rvr/1/file") == "1\n"


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn answers 500")
def test_an_upgrade_is_seen_at_once(repo):
    shutil.rmtree(repo.path)
    harness.run(["svnadmin", "create", "--compatible-version", "1.4",
                 repo.path])
    repo.put("one\n")
    assert repo.text() == "one\n"
    harness.run(["svnadmin", "upgrade", repo.path])
    repo.put("two\n")
    assert repo.text() == "two\n"
    assert repo.text("/!svn/rvr/1/file") == "one\n"
    assert repo.message(2) == "change"


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn keeps it open")
def test_a_repository_that_goes_and_comes_back(repo):
    repo.put("text\n")
    assert repo.text() == "text\n"
    os.rename(repo.path, repo.path + ".away")
    assert repo.ask("GET", "/file").status == 404
    os.rename(repo.path + ".away", repo.path)
    assert repo.text() == "text\n"
