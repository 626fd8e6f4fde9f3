# SPDX-License-Identifier: Apache-2.0
"""Commits: by stock clients in both versions of the protocol, and step by step
by hand, with everything that can go wrong in a step."""

import hashlib
import os
import re
import shutil
import socket
import subprocess
import threading

import pytest

import commit_requests as requests
import harness
from commit_requests import C, S, SVNDIFF, Session, set_prop

EMPTY_DELTA = b"SVN\0"
BAD_MD5 = "1" * 32

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")


def md5(data):
    return hashlib.md5(data).hexdigest()


@pytest.fixture(scope="module")
def parent(work):
    """A folder with the repositories of this file."""
    path = os.path.join(work, "commit-http")
    os.makedirs(path)
    return path


def make(parent, name):
    """A repository with /trunk/a.txt, /trunk/dir/b.txt, /branches."""
    path = os.path.join(parent, name)
    harness.run(["svnadmin", "create", path])
    url = "file://" + path
    base = os.path.join(parent, "text")
    with open(base, "w") as out:
        out.write("one\ntwo\n")
    harness.run(["svnmucc", "-m", "r1", "-U", url, "mkdir", "trunk",
                 "mkdir", "trunk/dir", "mkdir", "branches",
                 "put", base, "trunk/a.txt", "put", base, "trunk/dir/b.txt"])
    harness.run(["svnmucc", "-m", "r2", "-U", url,
                 "propset", "color", "blue", "trunk/a.txt"])
    harness.writable(path)
    return path


@pytest.fixture(scope="module")
def repo(parent):
    return make(parent, "repo")


@pytest.fixture(scope="module")
def server(parent, repo):
    """The repository for users, by both versions of the protocol, and for
    everybody."""
    login = harness.login(parent, "alice", "bob") + ["Require valid-user"]
    config = "\n".join([
        harness.location("/repo", repo, *login),
        harness.location("/old", repo, *login,
                         harness.directive("AdvertiseV2Protocol", "off")),
        harness.location("/all", repo),
        harness.location("/many", os.path.join(parent, "all"), parent=True),
        harness.location("/limited", repo, *login, "LimitRequestBody 1000")])
    os.makedirs(os.path.join(parent, "all"))
    with harness.Httpd(os.path.join(parent, "httpd"), "prefork", config,
                       modules=["auth_basic", "authn_file", "authz_user"]
                       ) as running:
        yield running
    harness.run(["svnadmin", "verify", "-q", repo])


@pytest.fixture
def alice(server):
    return Session(server, "/repo")


@pytest.fixture
def bob(server):
    return Session(server, "/repo", "bob")


@pytest.fixture(autouse=True)
def tidied(repo):
    """Tests leave no transactions behind."""
    yield
    for name in harness.run(["svnadmin", "lstxns", repo]).stdout.split():
        harness.run(["svnadmin", "rmtxns", "-q", repo, name.decode()])


def look(repo, *args):
    return harness.run(["svnlook"] + list(args[:1]) + [repo]
                       + list(args[1:])).stdout


def youngest(repo):
    return int(look(repo, "youngest"))


def txns(repo):
    return harness.run(["svnadmin", "lstxns", repo]).stdout.decode().split()


def fails(answer, status, number=None):
    """The answer has a status (or one of several) and a number."""
    statuses = status if isinstance(status, tuple) else (status,)
    assert answer.status in statuses, (answer.status, answer.body)
    if number:
        assert answer.errcode() == number, answer.body
    return answer


# ---- stock clients ----

@pytest.fixture(params=["/repo", "/old"])
def stock(request, server, folder):
    """(client, URL, working copy) by one of the versions of the protocol."""
    client = harness.Client(folder)

    def run(*args, **more):
        return client.run("--username", "alice", "--password", "pw", *args,
                          **more)

    url = server.base + request.param
    wc = os.path.join(folder, "wc")
    run("checkout", "-q", url, wc)
    return run, url, wc


def write(path, text):
    with open(path, "w") as out:
        out.write(text)


def test_a_working_copy_is_committed(stock, repo):
    run, url, wc = stock
    name = "new %s &;.txt" % ("v2" if url.endswith("repo") else "v1")
    before = youngest(repo)
    write(wc + "/trunk/a.txt", "one\n2\nthree %d\n" % before)
    write(wc + "/trunk/" + name, "new\n")
    run("add", "-q", "trunk/" + name, cwd=wc)
    run("propset", "-q", "svn:eol-style", "native", "trunk/" + name, cwd=wc)
    run("propset", "-q", "n:s.x", "a\x01b<&>%d" % before, "trunk/dir",
        cwd=wc)
    run("propset", "-q", "number", str(before), "trunk", cwd=wc)
    run("mkdir", "-q", "trunk/folder%d" % before, cwd=wc)
    run("copy", "-q", "trunk/dir", "trunk/copy%d" % before, cwd=wc)
    write(wc + "/trunk/copy%d/b.txt" % before, "changed in the copy\n")
    run("commit", "-q", "-m", "all of it \u00e4\u20ac", cwd=wc)
    assert youngest(repo) == before + 1
    changed = look(repo, "changed", "--copy-info").decode().splitlines()
    assert sorted(changed) == sorted([
        "_U  trunk/", "U   trunk/a.txt", "A + trunk/copy%d/" % before,
        "    (from trunk/dir/:r%d)" % before,
        "U   trunk/copy%d/b.txt" % before, "_U  trunk/dir/",
        "A   trunk/folder%d/" % before, "A   trunk/" + name])
    assert look(repo, "log").decode() == "all of it \u00e4\u20ac\n"
    assert look(repo, "author") == b"alice\n"
    assert look(repo, "cat", "trunk/copy%d/b.txt" % before) == (
        b"changed in the copy\n")
    assert look(repo, "propget", "n:s.x", "trunk/dir") == (
        b"a\x01b<&>%d" % before)
    # The working copy knows what it has: it commits again without an update.
    write(wc + "/trunk/a.txt", "again %d\n" % before)
    write(wc + "/trunk/" + name, "again\n")
    run("commit", "-q", "-m", "again", cwd=wc)
    run("delete", "-q", "trunk/" + name, "trunk/folder%d" % before, cwd=wc)
    run("move", "-q", "trunk/copy%d/b.txt" % before,
        "trunk/copy%d/c.txt" % before, cwd=wc)
    run("commit", "-q", "-m", "delete", cwd=wc)
    run("update", "-q", cwd=wc)
    fresh = wc + "-fresh"
    run("checkout", "-q", url, fresh)
    assert harness.tree(fresh) == harness.tree(wc)
    run("delete", "-q", "-m", "rm", url + "/trunk/copy%d" % before)
    assert txns(repo) == []


def test_urls_are_changed_without_a_working_copy(stock, repo, folder):
    run, url, wc = stock
    top = "urls-" + url[-4:].strip("/")
    run("mkdir", "-q", "--parents", "-m", "m", url + "/%s/a/b" % top)
    run("copy", "-q", "-m", "c", url + "/trunk", url + "/%s/copy" % top)
    run("move", "-q", "-m", "v", url + "/%s/copy/dir" % top,
        url + "/%s/a/moved" % top)
    source = os.path.join(folder, "import")
    os.makedirs(source + "/sub")
    write(source + "/sub/x", "x")
    write(source + "/empty", "")
    run("import", "-q", "-m", "i", source, url + "/%s/imp" % top)
    run("delete", "-q", "-m", "d", url + "/%s/copy" % top)
    assert look(repo, "tree", "--full-paths", top).decode().split() == [
        top + "/"] + [top + "/" + p for p in (
            "a/", "a/b/", "a/moved/", "a/moved/b.txt", "imp/", "imp/empty",
            "imp/sub/", "imp/sub/x")]
    run("delete", "-q", "-m", "d", url + "/" + top)


def test_a_stale_file_is_out_of_date(stock, repo):
    run, url, wc = stock
    other = wc + "-other"
    run("checkout", "-q", url + "/trunk", other)
    write(other + "/a.txt", "first %s\n" % url)
    run("commit", "-q", "-m", "first", cwd=other)
    write(wc + "/trunk/a.txt", "second\n")
    done = run("commit", "-m", "second", cwd=wc, check=False)
    assert done.returncode == 1
    assert b"out of date" in done.stderr
    assert txns(repo) == []


def test_one_svnmucc_does_everything(server, repo, folder):
    url = server.base + "/repo"
    source = os.path.join(folder, "source")
    write(source, "put\n")
    client = harness.Client(folder)
    before = youngest(repo)
    client.run("--username", "alice", "--password", "pw", "-m", "all",
               "-U", url, "mkdir", "mucc", "put", source, "mucc/f",
               "cp", "HEAD", "trunk", "mucc/t", "rm", "mucc/t/dir",
               "put", source, "mucc/t/a.txt", "propset", "p", "v", "mucc/f",
               "propset", "q", "w", "mucc", "mv", "trunk/a.txt", "mucc/m",
               "cp", "HEAD", "trunk/a.txt", "trunk/a.txt", program="svnmucc")
    assert look(repo, "cat", "mucc/t/a.txt") == b"put\n"
    assert youngest(repo) == before + 1
    client.run("--username", "alice", "--password", "pw", "-m", "rm",
               "-U", url, "rm", "mucc", program="svnmucc")


def test_who_is_not_known_commits_as_nobody(server, repo, folder):
    client = harness.Client(folder)
    client.run("mkdir", "-q", "-m", "m", server.base + "/all/anonymous")
    assert look(repo, "author") == b"\n"
    client.run("delete", "-q", "-m", "m", server.base + "/all/anonymous")


def test_revision_properties_are_changed(stock, repo):
    run, url, wc = stock
    hook = os.path.join(repo, "hooks", "pre-revprop-change")
    done = run("propset", "--revprop", "-r", "1", "svn:log", "x", url,
               check=False)
    assert done.returncode == 1 and b"pre-revprop-change" in done.stderr
    write(hook, "#!/bin/sh\ntest $4 != no || { echo not this >&2; exit 1; }\n")
    os.chmod(hook, 0o755)
    try:
        run("propset", "-q", "--revprop", "-r", "1", "svn:log",
            "new \u00e4 <log>\nof two", url)
        assert look(repo, "log", "-r1").decode() == (
            "new \u00e4 <log>\nof two\n")
        run("propset", "-q", "--revprop", "-r", "1", "p:q", "\x01", url)
        assert look(repo, "propget", "--revprop", "-r1", "p:q") == b"\x01"
        run("propdel", "-q", "--revprop", "-r", "1", "p:q", url)
        done = run("propset", "--revprop", "-r", "1", "no", "x", url,
                   check=False)
        assert done.returncode == 1 and b"not this" in done.stderr
    finally:
        os.remove(hook)


def test_mirrors_and_dumps_are_written_into_it(server, parent, small, folder):
    client = harness.Client(folder)
    source = os.path.join(folder, "source")
    shutil.copytree(small, source)
    # Clients cut a value at a NUL byte.
    for rev in range(youngest(source) + 1):
        harness.run(["svnadmin", "delrevprop", source, "-r%d" % rev,
                     "extra:prop"], check=False)
    dumps = []
    for name in ("mirror", "dumped"):
        path = os.path.join(parent, "all", name)
        harness.run(["svnadmin", "create", path])
        hook(path, "pre-revprop-change", "exit 0\n")
        harness.writable(path)
    url = server.base + "/many/mirror"
    client.run("init", "-q", url, "file://" + source, program="svnsync")
    client.run("sync", "-q", url, program="svnsync")
    path = os.path.join(parent, "all", "mirror")
    for name in ("from-url", "from-uuid", "last-merged-rev"):
        harness.run(["svnadmin", "delrevprop", path, "-r0",
                     "svn:sync-" + name])
    dump = client.run("dump", "-q", "file://" + source,
                      program="svnrdump").stdout
    client.run("load", "-q", server.base + "/many/dumped",
               program="svnrdump", input=dump)
    path = os.path.join(parent, "all", "dumped")
    for rev in range(youngest(path) + 1):
        harness.run(["svnadmin", "delrevprop", path, "-r%d" % rev,
                     "svn:rdump-lock"], check=False)
    for path in (source, *(os.path.join(parent, "all", name)
                          for name in ("mirror", "dumped"))):
        harness.run(["svnadmin", "verify", "-q", path])
        out = harness.run(["svnadmin", "dump", "-q", path]).stdout
        dumps.append(re.sub(rb"UUID: \S+", b"", out, count=1))
    assert dumps[1] == dumps[0] and dumps[2] == dumps[0]


# ---- beginning ----

def test_a_transaction_begins(alice, repo):
    answer = alice.post()
    assert answer.status == 201
    assert answer.header("Content-Length") == "0"
    assert txns(repo) == [answer.header("SVN-Txn-Name")]


def test_properties_come_with_it(alice, repo):
    txn = alice.begin(svn_log="a log", svn_author="mallory",
                      custom_x="any \u00e4")
    rev = alice.commit(txn)
    assert look(repo, "log", "-r%d" % rev) == b"a log\n"
    assert look(repo, "author", "-r%d" % rev) == b"alice\n"
    assert look(repo, "propget", "--revprop", "-r%d" % rev, "custom:x") == (
        "any \u00e4".encode())


@ours_only  # keeps what the client says
def test_an_author_that_is_only_claimed_does_not_count(server, repo):
    anybody = Session(server, "/all", None)
    rev = anybody.commit(anybody.begin(svn_author="mallory"))
    assert look(repo, "author", "-r%d" % rev) == b"\n"


def test_properties_of_transactions_end_with_them(alice, repo):
    answer = alice.post("(create-txn-with-props (svn:txn-user-agent 3 a b "
                        "svn:txn-client-compat-version 5 1.9.0 svn:log 1 x))")
    assert answer.status == 201
    rev = alice.commit(answer.header("SVN-Txn-Name"))
    names = look(repo, "proplist", "--revprop", "-r%d" % rev).split()
    assert sorted(names) == [b"svn:author", b"svn:date", b"svn:log"]


@pytest.mark.parametrize("skel", [
    "(create-txn)", "( create-txn ) ", "( 10 create-txn )", "(create-txn x y)",
    "(create-txn)rest", "(create-txn-with-props ())",
    "(create-txn-with-props (svn:log word))",
    "(create-txn-with-props\t(7 svn:log 0  ) more)"])
def test_skel_is_understood(skel, alice):
    assert alice.post(skel).status == 201


@pytest.mark.parametrize("skel, number", [
    ("", None), ("create-txn", None), ("(foo)", None), ("()", None),
    ("(create-txn", None), ("(create-txn-with-props)", None),
    ("(create-txn-with-props svn:log)", None),
    ("(create-txn-with-props (svn:log 9 x))", None),
    ("(create-txn-with-props ((x) 1 x))", None),
    ("(create-txn-with-props (svn:log))", 160027), ("(1x)", None)])
def test_malformed_skel_is_refused(skel, number, alice, repo):
    fails(alice.post(skel), 400, None if harness.PEER else number)
    assert txns(repo) == []


@pytest.mark.parametrize("name, value", [
    ("svn_date", "not a date"), ("svn_log", "a\r\nb")])
def test_bad_value_begins_nothing(name, value, alice, repo):
    text = "(create-txn-with-props (%s %d %s))" % (
        name.replace("_", ":"), len(value), value)
    fails(alice.post(text), 500, 125005)
    assert txns(repo) == []


def test_only_skels_are_posted_and_only_to_me(alice):
    fails(alice.post(Content_Type="text/plain"), 400)
    for path in ("/trunk", "/!svn/rvr/1/trunk", "/!svn/vcc/default"):
        fails(alice.ask("POST", path, "( create-txn )", **requests.SKEL), 400)


def test_a_name_of_the_clients_own(alice, repo):
    answer = alice.post(SVN_VTxn_Name="my own-name 1")
    assert answer.status == 201
    assert answer.header("SVN-VTxn-Name") == "my own-name 1"
    assert answer.header("SVN-Txn-Name") is None
    path = "/!svn/vtxr/my%20own-name%201/trunk/virtual"
    answer = alice.ask("MKCOL", path)
    assert answer.status == 201
    assert answer.header("Location").endswith(path)
    answer = alice.merge(alice.root + "/!svn/vtxn/my%20own-name%201")
    assert answer.status == 200
    fails(alice.ask("MKCOL", path + "/x"), (400, 404))
    answer = alice.post(SVN_VTxn_Name="second")
    assert alice.ask("DELETE", "/!svn/vtxn/second").status == 204
    assert txns(repo) == []
    fails(alice.ask("DELETE", "/!svn/vtxn/second"), (400, 404))


# ---- files ----

def test_put_makes_and_changes_files(alice, repo):
    txn = alice.begin()
    answer = alice.edit("PUT", txn, "/trunk/p.txt", b"plain")
    assert answer.status == 201
    assert answer.header("X-SVN-Result-Fulltext-MD5") == md5(b"plain")
    assert answer.header("Location").endswith("/txr/%s/trunk/p.txt" % txn)
    answer = alice.edit("PUT", txn, "/trunk/p.txt", b"again")
    assert answer.status == 204
    assert answer.header("X-SVN-Result-Fulltext-MD5") == md5(b"again")
    assert answer.header("Location") is None
    answer = alice.edit("PUT", txn, "/trunk/empty", EMPTY_DELTA, **SVNDIFF)
    assert answer.status == 201
    assert answer.header("X-SVN-Result-Fulltext-MD5") == md5(b"")
    answer = alice.edit("PUT", txn, "/trunk/still-empty", b"",
                        Content_Type="text/x")
    assert answer.status == 201
    rev = alice.commit(txn)
    assert look(repo, "cat", "-r%d" % rev, "trunk/p.txt") == b"again"
    assert look(repo, "cat", "-r%d" % rev, "trunk/empty") == b""


def test_a_type_with_a_parameter_is_not_that_of_deltas(alice):
    txn = alice.begin()
    answer = alice.edit("PUT", txn, "/trunk/raw", EMPTY_DELTA,
                        Content_Type="application/vnd.svn-svndiff; a=b")
    assert answer.header("X-SVN-Result-Fulltext-MD5") == md5(EMPTY_DELTA)


def test_digests_are_checked(alice, repo):
    txn = alice.begin()
    base = look(repo, "cat", "trunk/dir/b.txt")
    path = "/trunk/dir/b.txt"
    assert alice.edit("PUT", txn, path, b"x", X_SVN_Base_Fulltext_MD5=md5(base)
                      ).status == 204
    answer = fails(alice.edit("PUT", txn, path, b"y",
                              X_SVN_Base_Fulltext_MD5=BAD_MD5), 500, 200014)
    assert BAD_MD5.encode() in answer.body
    assert md5(b"x").encode() in answer.body
    txn = alice.begin()
    answer = fails(alice.edit("PUT", txn, path, b"y",
                              X_SVN_Result_Fulltext_MD5=BAD_MD5), 500, 200014)
    assert BAD_MD5.encode() in answer.body
    assert md5(b"y").encode() in answer.body
    # All zero is no statement.
    assert alice.edit("PUT", txn, path, b"z",
                      X_SVN_Result_Fulltext_MD5="0" * 32).status == 204


@pytest.mark.parametrize("body, number", [
    (b"garbage data", 185000), (b"SVN\0\0\0\5\1\4", 185004),
    (b"SVN\0\0\0\5\2\0\xff\xff", None)])
def test_bad_delta_is_refused(body, number, alice):
    txn = alice.begin()
    answer = fails(alice.edit("PUT", txn, "/trunk/dir/b.txt", body, **SVNDIFF),
                   (400, 500), number)
    assert answer.errcode() // 1000 == 185


@ours_only  # the node is left changed
def test_a_text_that_fails_leaves_nothing(alice, repo):
    txn = alice.begin()
    base = look(repo, "cat", "trunk/dir/b.txt")
    for path in ("/trunk/dir/b.txt", "/trunk/fresh"):
        fails(alice.edit("PUT", txn, path, b"garbage data", **SVNDIFF), 500)
        fails(alice.edit("PUT", txn, path, b"x",
                         X_SVN_Result_Fulltext_MD5=BAD_MD5), 500)
    assert alice.edit("GET", txn, "/trunk/dir/b.txt").body == base
    assert alice.edit("GET", txn, "/trunk/fresh").status == 404
    rev = alice.commit(txn)
    assert look(repo, "changed", "-r%d" % rev) == b""


@ours_only  # keeps the part that came
@pytest.mark.parametrize("path", ["/trunk/dir/b.txt", "/trunk/broken"])
def test_a_body_that_breaks_off_leaves_nothing(path, alice, repo):
    txn = alice.begin()
    broken_put(alice, txn, path)
    assert alice.edit("PUT", txn, "/trunk/after", b"x").status == 201
    rev = alice.commit(txn)
    assert look(repo, "changed", "-r%d" % rev) == b"A   trunk/after\n"
    txn = alice.begin()
    alice.edit("DELETE", txn, "/trunk/after")
    alice.commit(txn)


def broken_put(session, txn, path):
    """Three of a hundred bytes, then the end of the connection."""
    head = "".join("%s: %s\r\n" % item for item in session.headers.items())
    with socket.create_connection(("127.0.0.1", session.server.port)) as sock:
        sock.sendall((
            "PUT %s/!svn/txr/%s%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s"
            "Content-Length: 100\r\n\r\nabc" % (session.root, txn, path,
                                                head)).encode())
        sock.shutdown(socket.SHUT_WR)
        harness.receive_all(sock, may_reset=True)


@pytest.mark.parametrize("chunked", [False, True])
def test_the_limit_on_bodies_is_named(chunked, server, repo):
    limited = Session(server, "/limited")
    txn = limited.begin()
    for size in (2000, 200000):
        body = b"x" * size
        sent = (body[i:i + 100] for i in range(0, size, 100))
        answer = fails(limited.edit("PUT", txn, "/trunk/dir/b.txt",
                                    sent if chunked else body), 413)
        if not harness.PEER:
            assert b"LimitRequestBody" in answer.body
    assert limited.edit("PUT", txn, "/trunk/dir/b.txt", b"x" * 1000
                        ).status == 204
    if not harness.PEER:
        rev = limited.commit(txn)
        assert look(repo, "cat", "-r%d" % rev, "trunk/dir/b.txt"
                    ) == b"x" * 1000


@ours_only  # a limit of its own kind
def test_the_limit_on_posts_is_named(alice):
    answer = fails(alice.post("(create-txn-with-props (svn:log %d %s))" % (
        17 << 20, "x" * (17 << 20))), 413)
    assert b"RepoLimitPostBody" in answer.body


def test_put_needs_a_place(alice):
    txn = alice.begin()
    fails(alice.edit("PUT", txn, "/none/x", b"x"), 404, 160013)
    fails(alice.edit("PUT", txn, "/trunk/a.txt/x", b"x"), 500, 160016)
    fails(alice.edit("PUT", txn, "/trunk/dir", b"x"), 409)
    fails(alice.edit("PUT", txn, "/trunk/none", b"x", X_SVN_Version_Name="1"),
          404, 160013)
    fails(alice.edit("PUT", txn, "/trunk/a.txt", b"x",
                     Content_Range="bytes 0-0/2"), (400, 501))


# ---- out of date ----

def test_stated_revisions_are_checked(alice, repo):
    rev = alice.commit(touch(alice, "/trunk/dir/b.txt"))
    txn = alice.begin()
    path = "/trunk/dir/b.txt"
    answer = fails(alice.edit("PUT", txn, path, b"x", X_SVN_Version_Name="1"),
                   409, 170004)
    assert b"File '/trunk/dir/b.txt' is out of date" in answer.body
    fails(alice.patch("/!svn/txr/%s%s" % (txn, path), set_prop(C + "|x", "y"),
                      X_SVN_Version_Name="1"), 409, 170004)
    fails(alice.edit("DELETE", txn, path, X_SVN_Version_Name="1"), 409, 170004)
    fails(alice.edit("PUT", txn, path, b"x", X_SVN_Version_Name="9999"),
          404, 160006)
    fails(alice.edit("DELETE", txn, path, X_SVN_Version_Name="9999"),
          404, 160006)
    for value in ("-1", str(rev)):
        assert alice.edit("PUT", txn, path, b"x", X_SVN_Version_Name=value
                          ).status == 204
    # It is changed in the transaction now.
    assert alice.edit("PUT", txn, path, b"x", X_SVN_Version_Name="1"
                      ).status == 204


def test_a_directory_is_compared_by_its_node(alice, repo):
    alice.commit(touch(alice, "/trunk/dir/b.txt"))
    txn = alice.begin()
    assert alice.edit("PUT", txn, "/trunk/dir/b.txt", b"1").status == 204
    answer = fails(
        alice.patch("/!svn/txr/%s/trunk/dir" % txn, set_prop(C + "|x", "y"),
                    X_SVN_Version_Name="1"), 409, 170004)
    assert b"Directory '/trunk/dir' is out of date" in answer.body
    answer = alice.patch("/!svn/txr/%s/trunk/dir" % txn,
                         set_prop(C + "|x", "y"),
                         X_SVN_Version_Name=str(youngest(repo)))
    assert answer.status == 207


def touch(session, path):
    """A transaction that changes a file."""
    txn = session.begin()
    answer = session.edit("PUT", txn, path, os.urandom(8).hex().encode())
    assert answer.status == 204
    return txn


# ---- the tree ----

def test_directories_are_made(alice, repo):
    txn = alice.begin()
    assert alice.edit("MKCOL", txn, "/trunk/new").status == 201
    fails(alice.edit("MKCOL", txn, "/trunk/new"), 405, 160020)
    fails(alice.edit("MKCOL", txn, "/trunk/a.txt"), 405, 160020)
    answer = fails(alice.edit("MKCOL", txn, "/trunk"), 405, 160020)
    assert b"already exists, path '/trunk'" in answer.body
    fails(alice.edit("MKCOL", txn, "/none/x"), 404, 160013)
    fails(alice.edit("MKCOL", txn, "/trunk/a.txt/x"), 500, 160016)


def test_nodes_are_deleted(alice, repo):
    txn = alice.begin()
    alice.edit("PUT", txn, "/trunk/gone", b"x")
    alice.edit("MKCOL", txn, "/trunk/gone-too")
    for path in ("/trunk/gone", "/trunk/gone-too"):
        assert alice.edit("DELETE", txn, path, X_SVN_Version_Name="-1"
                          ).status == 204
        fails(alice.edit("DELETE", txn, path), 404)
    fails(alice.edit("DELETE", txn, "/"), (400, 403, 500), 160021)
    rev = alice.commit(txn)
    assert look(repo, "changed", "-r%d" % rev) == b""


def test_copies_have_their_history(alice, repo):
    rev = youngest(repo)
    txn = alice.begin()
    answer = alice.copy(txn, "/!svn/rvr/%d/trunk" % rev, "/branches/one",
                        Overwrite="F", Depth="infinity")
    assert answer.status == 201
    assert alice.copy(txn, "/!svn/bc/1/trunk/a.txt", "/branches/two"
                      ).status == 201
    assert alice.copy(txn, "/trunk/a.txt", "/branches/three").status == 201
    fails(alice.copy(txn, "/trunk/a.txt", "/branches/three", Overwrite="F"),
          412)
    assert alice.copy(txn, "/trunk/dir", "/branches/three").status == 204
    fails(alice.copy(txn, "/!svn/rvr/%d/none" % rev, "/branches/x"), 404)
    fails(alice.copy(txn, "/!svn/rvr/9999/trunk", "/branches/x"), 404)
    fails(alice.copy(txn, "/trunk", "/none/x"), 404, 160013)
    fails(alice.copy(txn, "/!svn/txr/%s/trunk/a.txt" % txn, "/branches/x"),
          405)
    done = alice.commit(txn)
    assert look(repo, "changed", "--copy-info", "-r%d" % done).decode() == (
        "A + branches/one/\n    (from trunk/:r%d)\n"
        "A + branches/three/\n    (from trunk/dir/:r%d)\n"
        "A + branches/two\n    (from trunk/a.txt:r1)\n" % (rev, rev))
    txn = alice.begin()
    for name in ("one", "two", "three"):
        alice.edit("DELETE", txn, "/branches/" + name)
    alice.commit(txn)


def test_nothing_is_moved_or_copied_out_of_a_transaction(alice):
    txn = alice.begin()
    for method in ("MOVE", "COPY"):
        for target in ("/trunk/x", "/!svn/txr/%s/trunk/x" % txn):
            answer = alice.edit(method, txn, "/trunk/a.txt",
                                Destination=alice.server.base + alice.root
                                + target)
            fails(answer, 405)
    fails(alice.ask("COPY", "/trunk/a.txt", Destination="%s%s/trunk/x" % (
        alice.server.base, alice.root)), 409)


@pytest.mark.parametrize("method", ["PUT", "MKCOL", "DELETE", "PROPPATCH"])
@pytest.mark.parametrize("path", ["/trunk/a.txt", "/!svn/rvr/1/trunk/a.txt",
                                  "/!svn/me", "/!svn/vcc/default"])
def test_what_is_committed_stays(method, path, alice, repo):
    before = youngest(repo)
    body = {"PUT": "x", "PROPPATCH": requests.propertyupdate(
        set_prop(C + "|x", "y"))}.get(method)
    answer = alice.ask(method, path, body)
    assert 400 <= answer.status <= (500 if harness.PEER else 499)
    assert youngest(repo) == before


# ---- looking at it ----

def test_a_transaction_can_be_looked_at(alice):
    txn = alice.begin(svn_log="message")
    alice.edit("PUT", txn, "/trunk/seen", b"0123456789")
    alice.patch("/!svn/txr/%s/trunk/seen" % txn, set_prop(C + "|p", "v"))
    answer = alice.edit("GET", txn, "/trunk/seen")
    assert (answer.status, answer.body) == (200, b"0123456789")
    assert answer.header("Cache-Control") in (
        "max-age=0", "private, no-cache")
    assert alice.edit("HEAD", txn, "/trunk/seen").status == 200
    assert alice.edit("HEAD", txn, "/trunk/none").status == 404
    assert alice.edit("GET", txn, "/trunk/a.txt").status == 200
    answer = alice.edit("PROPFIND", txn, "/trunk/seen", Depth="0")
    assert answer.status == 207
    props = answer.properties()["/repo/!svn/txr/%s/trunk/seen" % txn]
    assert props[C + "p"][1].text == "v"
    assert props["DAV:getcontentlength"][1].text == "10"
    assert alice.edit("PROPFIND", txn, "/trunk/none", Depth="0").status == 404
    answer = alice.edit("PROPFIND", txn, "/trunk", Depth="0")
    assert list(answer.properties()) == ["/repo/!svn/txr/%s/trunk/" % txn] or (
        list(answer.properties()) == ["/repo/!svn/txr/%s/trunk" % txn])


@ours_only  # the process dies
def test_the_bag_of_a_transaction_can_be_asked_for(alice):
    txn = alice.begin(svn_log="message")
    answer = alice.ask("PROPFIND", "/!svn/txn/" + txn, Depth="0")
    assert answer.status == 207
    answer = alice.patch("/!svn/txn/" + txn,
                         requests.remove_prop(S + "|log"))
    assert answer.status == 207 and b"200 OK" in answer.body


# ---- properties ----

def statuses(answer):
    """Name -> status of the properties in an answer."""
    assert answer.status == 207, answer.body
    (props,) = answer.properties().values()
    return {name: status for name, (status, _) in props.items()}


def test_properties_of_nodes(alice, repo):
    txn = alice.begin()
    path = "/!svn/txr/%s/trunk/dir/b.txt" % txn
    answer = alice.patch(
        path, set_prop(S + "|eol-style", "LF"),
        set_prop(C + "|a:b.c", "\n x &lt;\u00e4> <!-- c -->y"),
        requests.set_binary(C + "|bin", b"\0\1\xff" * 40),
        set_prop(C + "|empty", ""), set_prop(C + "|junk", "Y!W J j",
                                             encoding="base64"))
    assert list(answer.properties()) == [alice.root + path]
    assert set(statuses(answer).values()) == {200}
    rev = alice.commit(txn)
    def get(name):
        return look(repo, "propget", "-r%d" % rev, name, "trunk/dir/b.txt")
    assert get("svn:eol-style") == b"LF"
    assert get("a:b.c") == "\n x <\u00e4> y".encode()
    assert get("bin") == b"\0\1\xff" * 40
    assert get("empty") == b""
    assert get("junk") == b"abc"
    txn = alice.begin()
    path = "/!svn/txr/%s/trunk/dir/b.txt" % txn
    answer = alice.patch(path, *(requests.remove_prop(name) for name in (
        S + "|eol-style", C + "|a:b.c", C + "|bin", C + "|empty", C + "|junk",
        C + "|never")))
    assert set(statuses(answer).values()) == {200}
    rev = alice.commit(txn)
    assert b"bin" not in look(repo, "proplist", "-r%d" % rev,
                              "trunk/dir/b.txt")


@pytest.mark.parametrize("bad, status", [
    (set_prop("urn:x|bad", "y"), 500),
    (set_prop("DAV:|getetag", "y"), 409),
    (set_prop(S + "|bad", "a\r\nb&#13;"), 500),
    (set_prop(C + "|bad", "x", encoding="rot13"), 500),
    (set_prop(C + "|bad", None, absent="1"), 500)])
def test_one_bad_property_refuses_all(bad, status, alice, repo):
    txn = alice.begin()
    answer = alice.patch("/!svn/txr/%s/trunk/dir/b.txt" % txn,
                         set_prop(C + "|good", "1"), bad,
                         set_prop(C + "|better", "1"))
    found = statuses(answer)
    assert sorted(found.values()) == sorted([424, 424, status]), found
    if not harness.PEER:
        rev = alice.commit(txn)
        assert look(repo, "changed", "-r%d" % rev) == b""


def test_patches_of_nothing(alice):
    txn = alice.begin()
    fails(alice.patch("/!svn/txr/%s/none" % txn, set_prop(C + "|x", "y")), 404)
    fails(alice.ask("PROPPATCH", "/!svn/txr/%s/trunk" % txn, "<x/>"), 400)
    fails(alice.ask("PROPPATCH", "/!svn/txr/%s/trunk" % txn, "<x"), 400)
    fails(alice.patch("/!svn/rev/9999", set_prop(C + "|x", "y")), 404)


def test_properties_of_a_transaction(alice, repo):
    txn = alice.begin()
    answer = alice.patch("/!svn/txn/" + txn, set_prop(S + "|log", "by patch"),
                         set_prop(C + "|x", "y"))
    assert set(statuses(answer).values()) == {200}
    answer = alice.patch("/!svn/txn/" + txn, set_prop(S + "|author", "bob"))
    assert statuses(answer) == {S + "author": 500}
    rev = alice.commit(txn)
    assert look(repo, "log", "-r%d" % rev) == b"by patch\n"
    assert look(repo, "author", "-r%d" % rev) == b"alice\n"


def test_a_stated_old_value_must_be_there(alice, repo):
    hook = os.path.join(repo, "hooks", "pre-revprop-change")
    write(hook, "#!/bin/sh\nexit 0\n")
    os.chmod(hook, 0o755)
    try:
        path = "/!svn/rev/2"
        answer = alice.patch(path, set_prop(C + "|x:y", "1", old=False))
        assert statuses(answer) == {C + "x:y": 200}
        assert list(answer.properties()) == [alice.root + "/!svn/bln/2"]
        answer = alice.patch(path, set_prop(C + "|x:y", "2", old=False))
        assert statuses(answer) == {C + "x:y": 412}
        answer = alice.patch(path, set_prop(C + "|x:y", "2", old="3"))
        assert statuses(answer) == {C + "x:y": 412}
        assert b"expected value" in answer.body
        answer = alice.patch(path, set_prop(C + "|x:y", "2", old="1"))
        assert statuses(answer) == {C + "x:y": 200}
        answer = alice.patch(path, set_prop(C + "|x:y", None, old="2",
                                            absent="1"))
        assert statuses(answer) == {C + "x:y": 200}
        assert b"x:y" not in look(repo, "proplist", "--revprop", "-r2")
        answer = alice.patch(path, set_prop(S + "|date", "not a date"))
        assert statuses(answer) == {S + "date": 500}
    finally:
        os.remove(hook)


# ---- the commit ----

def test_the_full_answer_tells_what_changed(alice, repo):
    txn = alice.begin(svn_log="m")
    alice.edit("PUT", txn, "/trunk/a.txt", b"for the answer")
    alice.edit("PUT", txn, "/trunk/added%20&%201", b"x")
    alice.edit("MKCOL", txn, "/trunk/dir/sub")
    alice.copy(txn, "/!svn/rvr/1/trunk/dir", "/branches/answer")
    alice.edit("PUT", txn, "/branches/answer/b.txt", b"y")
    answer = alice.merge(txn)
    assert answer.status == 200
    assert answer.header("Content-Type").startswith("text/xml")
    assert answer.header("Cache-Control") == "no-cache"
    rev = requests.merged(answer)
    responses = {}
    (updated,) = answer.element().children
    for response in updated.children:
        href = response.one("DAV:href").text
        prop = response.one("DAV:propstat").one("DAV:prop")
        assert href not in responses
        responses[href] = prop
    root = alice.root
    bag = responses.pop(root + "/!svn/vcc/default")
    assert bag.one("DAV:version-name").text == str(rev)
    assert bag.one("DAV:creator-displayname").text == "alice"
    date = bag.one("DAV:creationdate").text
    assert look(repo, "propget", "--revprop", "-r%d" % rev, "svn:date"
                ).decode() == date
    found = {href: (prop.one("DAV:checked-in").one("DAV:href").text,
                    bool(prop.one("DAV:resourcetype").children))
             for href, prop in responses.items()}
    ver = root + "/!svn/ver/%d" % rev
    assert found == {root + path: (ver + path, is_dir) for path, is_dir in [
        ("/trunk/a.txt", False), ("/trunk/added%20&%201", False),
        ("/trunk", True), ("/trunk/dir/sub", True), ("/trunk/dir", True),
        ("/branches/answer", True), ("/branches", True),
        ("/branches/answer/b.txt", False)]}
    txn = alice.begin()
    for path in ("/branches/answer", "/trunk/added%20&%201", "/trunk/dir/sub"):
        assert alice.edit("DELETE", txn, path).status == 204
    alice.commit(txn)


def test_the_short_answer_tells_the_revision(alice):
    answer = alice.merge(alice.begin(), X_SVN_Options="no-merge-response")
    assert answer.status == 200
    (updated,) = answer.element().children
    assert len(updated.children) == 1


def test_a_conflict_ends_the_transaction(alice, repo):
    txn = touch(alice, "/trunk/a.txt")
    alice.commit(touch(alice, "/trunk/a.txt"))
    answer = fails(alice.merge(txn), 409, 160024)
    assert b"onflict at '/trunk/a.txt'" in answer.body
    assert txns(repo) == []
    fails(alice.merge(txn), 404)
    fails(alice.ask("DELETE", "/!svn/txn/" + txn), 404)


def test_disjoint_changes_are_merged(alice, repo):
    txn = touch(alice, "/trunk/a.txt")
    alice.commit(touch(alice, "/trunk/dir/b.txt"))
    alice.commit(txn)


@pytest.mark.parametrize("source, status, number", [
    ("/!svn/txn/1-zzz", 404, None), ("/trunk", 405, 200004),
    ("/!svn/me", 405, 200004), ("/!svn/act/none", 405, 200004)])
def test_sources_that_are_none(source, status, number, alice):
    fails(alice.merge(alice.root + source), status, number)


def test_merges_of_nothing(alice, repo):
    txn = alice.begin()
    fails(alice.merge(txn, path="/none"), 404)
    fails(alice.ask("MERGE", "/trunk", "<x/>"), 400)
    fails(alice.ask("MERGE", "/trunk"), 400)
    assert txns(repo) == [txn]


@ours_only  # lets it pass
def test_nobody_goes_on_with_the_transaction_of_another(alice, bob, repo):
    txn = alice.begin()
    for answer in (bob.edit("MKCOL", txn, "/trunk/x"), bob.merge(txn),
                   bob.patch("/!svn/txn/" + txn, set_prop(S + "|log", "x")),
                   bob.ask("DELETE", "/!svn/txn/" + txn)):
        fails(answer, 501)
    assert txns(repo) == [txn]


def test_nobody_edits_the_transaction_of_another(alice, bob):
    fails(bob.edit("MKCOL", alice.begin(), "/trunk/x"), 501)


@ours_only  # goes on with it
def test_the_transaction_of_another_program_is_left_alone(alice, repo):
    script = hook(
        repo, "pre-commit", "touch %s/waits; while test -e %s/waits; do sleep "
        "0.05; done; exit 1\n" % (repo, repo))
    url = "file://%s/foreign" % repo
    with subprocess.Popen(["svn", "mkdir", "-q", "-m", "m", url],
                          stderr=subprocess.DEVNULL) as foreign:
        try:
            harness.wait_until(lambda: os.path.exists(repo + "/waits"), 10, "")
            (txn,) = txns(repo)
            for answer in (alice.edit("MKCOL", txn, "/trunk/x"),
                           alice.merge(txn),
                           alice.ask("DELETE", "/!svn/txn/" + txn)):
                fails(answer, 409, 160099)
            assert txns(repo) == [txn]
        finally:
            os.remove(script)
            os.remove(repo + "/waits")
    assert foreign.returncode == 1
    harness.writable(repo)


def test_requests_to_one_transaction_wait_for_each_other(alice, repo):
    txn = alice.begin()
    head = "".join("%s: %s\r\n" % item for item in alice.headers.items())
    with socket.create_connection(("127.0.0.1", alice.server.port)) as sock:
        sock.sendall((
            "PUT %s/!svn/txr/%s/trunk/slow HTTP/1.1\r\nHost: 127.0.0.1\r\n%s"
            "Content-Length: 6\r\nConnection: close\r\n\r\nabc" % (
                alice.root, txn, head)).encode())
        answers = []
        other = threading.Thread(target=lambda: answers.append(
            alice.edit("MKCOL", txn, "/trunk/waited")))
        other.start()
        sock.sendall(b"def")
        assert harness.receive_all(sock).startswith(b"HTTP/1.1 201")
        other.join(30)
    assert [answer.status for answer in answers] == [201]
    rev = alice.commit(txn)
    assert look(repo, "cat", "-r%d" % rev, "trunk/slow") == b"abcdef"
    txn = alice.begin()
    for name in ("slow", "waited"):
        assert alice.edit("DELETE", txn, "/trunk/" + name).status == 204
    alice.commit(txn)


def test_a_transaction_is_aborted(alice, repo):
    txn = alice.begin()
    assert alice.ask("DELETE", "/!svn/txn/" + txn).status == 204
    assert txns(repo) == []
    fails(alice.ask("DELETE", "/!svn/txn/" + txn), 404)


# ---- hooks ----

def hook(repo, name, text):
    path = os.path.join(repo, "hooks", name)
    write(path, "#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def test_start_commit_refuses(alice, repo):
    path = hook(repo, "start-commit", "echo 'not now <&>' >&2\nexit 3\n")
    try:
        answer = fails(alice.post(), 500, 165001)
        assert b"not now &lt;&amp;&gt;" in answer.body
    finally:
        os.remove(path)
    assert txns(repo) == []


def test_pre_commit_refuses(alice, repo):
    path = hook(repo, "pre-commit", "echo 'not so' >&2\nexit 1\n")
    try:
        answer = fails(alice.merge(touch(alice, "/trunk/a.txt")), 500, 165001)
        assert b"not so" in answer.body
    finally:
        os.remove(path)
    assert txns(repo) == []


def test_post_commit_fails_after_the_commit(alice, repo, folder):
    path = hook(repo, "post-commit", "echo 'a <warning>' >&2\nexit 1\n")
    try:
        before = youngest(repo)
        answer = alice.merge(touch(alice, "/trunk/a.txt"))
        assert answer.status == 200 and requests.merged(answer) == before + 1
        found = re.search(b"<S:post-commit-err>(.*)</S:post-commit-err>",
                          answer.body, re.DOTALL)
        assert b"a &lt;warning&gt;" in found.group(1)
    finally:
        os.remove(path)


# ---- locks ----

def lock(session, path):
    answer = session.ask(
        "LOCK", path, '<lockinfo xmlns="DAV:"><lockscope><exclusive/>'
        "</lockscope><locktype><write/></locktype></lockinfo>", **requests.XML)
    assert answer.status == 200, answer.body
    return answer.header("Lock-Token").strip("<>")


@pytest.fixture
def token(alice, repo):
    """The token of alice's lock of /trunk/dir/b.txt."""
    yield lock(alice, "/trunk/dir/b.txt")
    harness.run(["svnadmin", "rmlocks", repo, "/trunk/dir/b.txt"])
    harness.writable(repo)


def test_a_locked_path_needs_its_token(token, alice, repo):
    txn = alice.begin()
    path = "/trunk/dir/b.txt"
    fails(alice.edit("PUT", txn, path, b"x"), 423)
    fails(alice.edit("DELETE", txn, path), 423)
    fails(alice.edit("DELETE", txn, "/trunk/dir"), 500, 160037)
    with_token = "<%s%s%s> (<%s>)" % (alice.server.base, alice.root, path,
                                      token)
    assert alice.edit("PUT", txn, path, b"locked %d" % youngest(repo),
                      If=with_token).status == 204
    fails(alice.merge(txn), 500, 160037)
    assert txns(repo) == []
    txn = alice.begin()
    assert alice.edit("PUT", txn, path, b"locked %d" % youngest(repo),
                      If=with_token).status == 204
    answer = alice.merge(txn, locks=[("dir/b.txt", token)])
    assert answer.status == 200
    assert b"UUID Token" in look(repo, "lock", path)
    answer = alice.merge(alice.begin(), locks=[("dir/b.txt", token)],
                         X_SVN_Options="release-locks no-merge-response")
    assert answer.status == 200
    assert look(repo, "lock", path) == b""


def test_tokens_in_the_body_of_a_delete(token, alice):
    txn = alice.begin()
    body = ('<S:lock-token-list xmlns:S="svn:"><S:lock><lock-path>b.txt'
            "</lock-path><lock-token>%s</lock-token></S:lock>"
            "</S:lock-token-list>" % token)
    assert alice.edit("DELETE", txn, "/trunk/dir", body).status == 204


def test_the_token_of_another_user_does_not_count(token, alice, bob):
    txn = bob.begin()
    with_token = "<%s/repo/trunk/dir/b.txt> (<%s>)" % (bob.server.base, token)
    fails(bob.edit("PUT", txn, "/trunk/dir/b.txt", b"x", If=with_token),
          423, 160039)


# ---- the first version of the protocol ----

def activity(session, name):
    answer = session.ask("MKACTIVITY", "/!svn/act/" + name)
    assert answer.status == 201, answer.body
    assert answer.header("Location").endswith("/!svn/act/" + name)
    return name


def test_a_commit_of_the_first_version(alice, repo):
    act = activity(alice, "11111111-aaaa")
    rev = youngest(repo)
    answer = alice.checkout("/vcc/default", act)
    assert answer.status == 201
    bag = "/!svn/wbl/%s/%d" % (act, rev)
    assert answer.header("Location") == alice.server.base + alice.root + bag
    answer = alice.patch(bag, set_prop(S + "|log", "by v1"))
    assert set(statuses(answer).values()) == {200}
    assert alice.checkout("/bln/%d" % rev, act).status == 201
    answer = alice.checkout("/ver/%d/trunk" % rev, act)
    assert answer.status == 201
    work = "/!svn/wrk/%s/trunk" % act
    assert answer.header("Location") == alice.server.base + alice.root + work
    assert alice.ask("PROPFIND", work + "/v1", Depth="0").status == 404
    assert alice.ask("PUT", work + "/v1", "text").status == 201
    assert alice.ask("MKCOL", work + "/v1%20dir").status == 201
    assert alice.ask("COPY", "/!svn/bc/%d/trunk/dir" % rev,
                     Destination=alice.server.base + alice.root + work
                     + "/v1copy").status == 201
    assert alice.patch(work + "/v1", set_prop(C + "|p", "v")).status == 207
    answer = alice.merge(alice.root + "/!svn/act/" + act)
    assert answer.status == 200
    assert look(repo, "log") == b"by v1\n"
    fails(alice.merge(alice.root + "/!svn/act/" + act), (404, 500))
    assert alice.ask("DELETE", "/!svn/act/" + act).status == 204
    fails(alice.ask("DELETE", "/!svn/act/" + act), 404)
    txn = alice.begin()
    for name in ("v1", "v1%20dir", "v1copy"):
        assert alice.edit("DELETE", txn, "/trunk/" + name).status == 204
    alice.commit(txn)


def test_names_in_locations_are_escaped(alice, repo):
    txn = alice.begin()
    assert alice.edit("MKCOL", txn, "/trunk/a%20%C3%A4%3B%25").status == 201
    rev = alice.commit(txn)
    act = activity(alice, "location")
    answer = alice.checkout("/ver/%d/trunk/a%%20%%C3%%A4%%3B%%25" % rev, act)
    assert answer.header("Location").lower().endswith(
        "/wrk/location/trunk/a%20%c3%a4%3b%25") or (
            answer.header("Location").lower().endswith(
                "/wrk/location/trunk/a%20%c3%a4;%25"))
    alice.ask("DELETE", "/!svn/act/" + act)


def test_an_activity_is_kept_by_its_name(alice, repo):
    act = activity(alice, "kept")
    fails(alice.ask("MKACTIVITY", "/!svn/act/kept"), 409)
    (txn,) = txns(repo)
    path = os.path.join(repo, "dav", "activities.d", md5(b"kept"))
    with open(path) as inp:
        assert inp.read() == "%s\nkept\n" % txn
    assert alice.ask("DELETE", "/!svn/act/" + act).status == 204
    assert not os.path.exists(path)
    assert txns(repo) == []


@ours_only  # as it is, or the answer is no answer
def test_any_id_of_an_activity_fits_into_a_location(alice):
    for name in ("a%20b", "x%0D%0AY:%20z", "%C3%A4"):
        activity(alice, name)
        assert alice.ask("DELETE", "/!svn/act/" + name).status == 204


def test_what_cannot_be_checked_out(alice, repo):
    rev = alice.commit(touch(alice, "/trunk/dir/b.txt"))
    act = activity(alice, "checkout")
    fails(alice.checkout("/ver/1/trunk/dir/b.txt", act), 409, 160024)
    fails(alice.checkout("/bln/1", act), 409, 190003)
    fails(alice.checkout("/ver/%d/trunk/a.txt" % rev, "none"), 409, 190002)
    fails(alice.checkout("/ver/%d/none" % rev, act), 404)
    fails(alice.checkout("/ver/9999/trunk", act), 404, 160006)
    fails(alice.ask("CHECKOUT", "/!svn/ver/%d/trunk" % rev), 409)
    fails(alice.ask("MKACTIVITY", "/trunk/x"), (403, 405, 409))
    alice.ask("DELETE", "/!svn/act/" + act)


# ---- the log ----

def test_the_operation_is_logged(alice, server, repo):
    rev = alice.commit(touch(alice, "/trunk/a.txt"))
    harness.wait_until(
        lambda: "commit r%d\n" % rev in open(server.access_log).read(), 10,
        "no line in the log")
