# SPDX-License-Identifier: Apache-2.0
"""LOCK and UNLOCK, by Subversion clients and by others; hooks around them;
locks in the way of commits; the same locks in the hands of the stock tools."""

import os
import re
import time

import pytest

import harness

SVN = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}
OTHER = {"User-Agent": "other/1"}
CLIENTS = pytest.mark.parametrize("client", [SVN, OTHER], ids=["svn", "other"])

DAV_OWNER = ('<D:owner xml:lang="en"><z:a b="1">&lt;&amp;\'</z:a> t</D:owner>')
TOKEN = re.compile(r"opaquelocktoken:[0-9a-f-]{36}")
DATE = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")


def lockinfo(owner="", scope="exclusive"):
    """A body of LOCK."""
    return ('<?xml version="1.0" encoding="utf-8"?><D:lockinfo xmlns:D="DAV:" '
            'xmlns:z="urn:z"><D:lockscope><D:%s/></D:lockscope><D:locktype>'
            "<D:write/></D:locktype>%s</D:lockinfo>" % (scope, owner))


def send(server, method, path, body=None, user="ann", client=SVN, **headers):
    """A request of a user; X_SVN_Options="..." is a header."""
    head = dict(client)
    if user:
        head.update(harness.as_user(user))
    head.update((k.replace("_", "-"), v) for k, v in headers.items())
    if isinstance(body, str):
        body = body.encode()
    return server.request(method, path, body, head)


def lock(server, path="/r/f", owner="", **more):
    return send(server, "LOCK", path, lockinfo(owner), **more)


def take(server, path="/r/f", owner="", **more):
    """Lock; returns the token with its brackets."""
    answer = lock(server, path, owner, **more)
    assert answer.status == 200, answer.body
    return answer.header("Lock-Token")


def unlock(server, token, path="/r/f", **more):
    return send(server, "UNLOCK", path, Lock_Token=token, **more)


class Served:
    """A server and its repository."""

    def __init__(self, server, repo):
        self.server = server
        self.repo = repo

    def lslocks(self):
        """Paths of locks as stock tools see them."""
        out = harness.run(["svnadmin", "lslocks", self.repo]).stdout.decode()
        return re.findall(r"^Path: (.*)$", out, re.M)

    def hook(self, name, script):
        path = os.path.join(self.repo, "hooks", name)
        with open(path, "w") as out:
            out.write("#!/bin/sh\nPATH=/bin:/usr/bin\n" + script + "\n")
        os.chmod(path, 0o755)

    def reset(self):
        """No lock, no hook, as at the beginning."""
        for name in os.listdir(os.path.join(self.repo, "hooks")):
            if not name.endswith(".tmpl"):
                os.remove(os.path.join(self.repo, "hooks", name))
        paths = self.lslocks()
        if paths:
            harness.run(["svnadmin", "rmlocks", self.repo] + paths)
            harness.writable(self.repo)


def build(path):
    """/f and /d/f of revision 1, /g of revision 2, odd names."""
    harness.run(["svnadmin", "create", path])
    text = path + ".text"
    with open(text, "w") as out:
        out.write("text\n")
    client = harness.Client(path + ".client")
    url = ["--root-url", "file://" + path, "-u", "ann", "-m", "x"]
    client.run(*url, "put", text, "f", "put", text, "g", "mkdir", "d", "put",
               text, "d/f", "put", text, "d/\u00e4 & <b>;%.txt",
               program="svnmucc")
    with open(text, "a") as out:
        out.write("more\n")
    client.run(*url, "put", text, "g", program="svnmucc")
    harness.writable(path)
    return path


@pytest.fixture(scope="module")
def served(work):
    folder = os.path.join(work, "locks")
    os.makedirs(folder)
    repo = build(os.path.join(folder, "r"))
    login = harness.login(folder, "ann", "bob") + ["Require valid-user"]
    config = "\n".join([harness.location("/r", repo, *login),
                        harness.location("/anon", repo)])
    with harness.Httpd(os.path.join(folder, "httpd"), "event", config,
                       modules=["auth_basic", "authn_file",
                                "authz_user"]) as server:
        yield Served(server, repo)


@pytest.fixture(autouse=True)
def clean(served):
    yield
    served.reset()


# ---- what is refused ----

#: path, body, user, headers: status, number for clients
REFUSED = {
    "a directory": ("/r/d", lockinfo(), "ann", {}, 500, 160017),
    "a directory alone": ("/r/d", lockinfo(), "ann", {"Depth": "0"}, 500,
                          160017),
    "no such path": ("/r/nope", lockinfo(), "ann", {}, 405, None),
    "an old revision": ("/r/g", lockinfo(), "ann",
                        {"X-SVN-Version-Name": "1"}, 500, 160042),
    "an old revision, stealing": (
        "/r/g", lockinfo(), "ann", {"X-SVN-Version-Name": "1",
                                    "X-SVN-Options": "lock-steal"},
        500, 160042),
    "no such revision": ("/r/g", lockinfo(), "ann",
                         {"X-SVN-Version-Name": "99"}, 404, 160006),
    "no body": ("/r/f", None, "ann", {}, 400, None),
    "shared": ("/r/f", lockinfo(scope="shared"), "ann", {}, 400, None),
    "no user": ("/anon/f", lockinfo(), None, {}, 501, None),
    "no user, a directory": ("/anon/d", lockinfo(), None, {}, 501, None),
    "depth 1": ("/r/f", lockinfo(), "ann", {"Depth": "1"}, 400, None),
    "a false condition": ("/r/f", lockinfo(), "ann",
                          {"If": "(<opaquelocktoken:dead>)"}, 412, None),
    "an unreadable owner": ("/r/f", lockinfo("<D:owner>&#1;</D:owner>"), "ann",
                            {}, 400, None),
}


@CLIENTS
@pytest.mark.parametrize("name", REFUSED)
def test_no_lock_is_given(name, client, served):
    path, body, user, headers, status, number = REFUSED[name]
    head = {k.replace("-", "_"): v for k, v in headers.items()}
    answer = send(served.server, "LOCK", path, body, user, client, **head)
    assert answer.status == status, answer.body
    assert number is None or answer.errcode() == number
    assert served.lslocks() == []


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_a_locked_path_is_not_locked_again(user, served):
    take(served.server)
    answer = lock(served.server, user=user)
    assert (answer.status, answer.errcode()) == (423, 160035)
    assert b"'ann'" in answer.body
    assert lock(served.server, user=user, client=OTHER).status == 423


@CLIENTS
@pytest.mark.parametrize("token", [
    "<opaquelocktoken:dead>", "opaquelocktoken:dead", "<dead>", "", None])
def test_a_wrong_token_unlocks_nothing(token, client, served):
    take(served.server)
    headers = {} if token is None else {"Lock_Token": token}
    for option in ({}, {"X_SVN_Options": "lock-break"}):
        answer = send(served.server, "UNLOCK", "/r/f", client=client,
                      **headers, **option)
        assert answer.status == 400
    assert served.lslocks() == ["/f"]


@CLIENTS
@pytest.mark.parametrize("path", ["/r/g", "/r/d", "/r/nope"])
def test_what_is_not_locked_cannot_be_unlocked(path, client, served):
    token = take(served.server)
    assert unlock(served.server, token, path, client=client).status == 400


def test_another_user_does_not_unlock(served):
    token = take(served.server)
    answer = unlock(served.server, token, user="bob")
    assert (answer.status, answer.errcode()) == (423, 160039)
    assert answer.header("Content-Type").startswith("text/xml")
    assert unlock(served.server, token, user="bob",
                  client=OTHER).status == 403
    assert unlock(served.server, token, "/anon/f", user=None).status == 403
    assert unlock(served.server, token, "/anon/f", user=None,
                  X_SVN_Options="lock-break").status == 501
    assert served.lslocks() == ["/f"]


# ---- what is given ----

@CLIENTS
def test_the_answer_describes_the_lock(client, served):
    answer = lock(served.server, owner="<D:owner>a &lt; b</D:owner>",
                  client=client)
    token = answer.header("Lock-Token")[1:-1]
    assert TOKEN.fullmatch(token)
    assert DATE.fullmatch(answer.header("X-SVN-Creation-Date"))
    assert answer.header("X-SVN-Lock-Owner") == "ann"
    active = answer.element().one("DAV:lockdiscovery").one("DAV:activelock")
    assert active.one("DAV:owner").text == "a < b"
    assert active.one("DAV:timeout").text == "Infinite"
    assert active.one("DAV:locktoken").one("DAV:href").text == token
    assert active.one("DAV:lockscope").children[0].name == "DAV:exclusive"
    answer = unlock(served.server, "<%s>" % token, client=client)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.header("X-SVN-Lock-Owner") == "ann"
    assert served.lslocks() == []


def test_any_url_of_the_path_locks_it(served):
    token = take(served.server, "/r/!svn/rvr/1/f", X_SVN_Version_Name="1")
    assert served.lslocks() == ["/f"]
    assert unlock(served.server, token).status == 204


def test_a_lock_is_stolen_and_broken(served):
    first = take(served.server)
    second = take(served.server, user="bob", X_SVN_Options="lock-steal")
    assert first != second
    assert unlock(served.server, first).status == 400
    assert unlock(served.server, second,
                  X_SVN_Options="lock-break").status == 204
    assert served.lslocks() == []


def files_of(repo):
    """The files of locks: name and contents without dates and tokens."""
    found = {}
    top = os.path.join(repo, "db", "locks")
    for folder, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(folder, name)) as inp:
                text = inp.read()
            found[os.path.relpath(os.path.join(folder, name), top)] = DATE.sub(
                "DATE", TOKEN.sub("TOKEN", text))
    return found


@pytest.mark.parametrize("comment", ["", "a <b> & \u00e4\nc\td"])
@pytest.mark.parametrize("path", ["/f", "/d/\u00e4 & <b>;%.txt"])
def test_a_lock_lies_on_disk_as_stock_tools_leave_it(path, comment, served,
                                                     folder):
    owner = "<D:owner>%s</D:owner>" % (comment.replace("&", "&amp;").replace(
        "<", "&lt;").replace(">", "&gt;"))
    token = take(served.server, harness.quote("/r" + path), owner)
    mine = files_of(served.repo)
    assert unlock(served.server, token,
                  harness.quote("/r" + path)).status == 204
    after = files_of(served.repo)
    text = os.path.join(folder, "comment")
    with open(text, "w") as out:
        out.write(comment)
    harness.run(["svnadmin", "lock", served.repo, path, "ann", text])
    assert files_of(served.repo) == mine
    harness.run(["svnadmin", "rmlocks", served.repo, path])
    harness.writable(served.repo)
    assert files_of(served.repo) == after


def test_stock_tools_see_and_remove_our_locks(served):
    take(served.server, "/r/f", "<D:owner>why</D:owner>")
    out = harness.run(["svnadmin", "lslocks", served.repo]).stdout.decode()
    assert "Owner: ann" in out and "why" in out
    harness.run(["svnadmin", "rmlocks", served.repo, "/f"])
    harness.writable(served.repo)
    assert discovery(served.server) is None


def test_locks_of_stock_tools_are_seen_and_released(served, folder):
    text = os.path.join(folder, "comment")
    with open(text, "w") as out:
        out.write("why")
    harness.run(["svnadmin", "lock", served.repo, "/f", "ann", text,
                 "opaquelocktoken:mine"])
    harness.writable(served.repo)
    active = discovery(served.server)
    assert active.one("DAV:owner").text == "why"
    assert active.one("DAV:locktoken").one(
        "DAV:href").text == "opaquelocktoken:mine"
    assert unlock(served.server, "<opaquelocktoken:mine>").status == 204
    assert served.lslocks() == []


def discovery(server, path="/r/f", client=OTHER):
    """The lock as PROPFIND shows it, or None."""
    answer = send(server, "PROPFIND", path,
                  '<propfind xmlns="DAV:"><prop><lockdiscovery/></prop>'
                  "</propfind>", client=client, Depth="0")
    (props,) = answer.properties().values()
    found = props["DAV:lockdiscovery"][1].children
    return found[0] if found else None


@CLIENTS
def test_an_owner_element_comes_back_as_it_was(client, served):
    take(served.server, owner=DAV_OWNER, client=OTHER)
    active = discovery(served.server, client=client)
    owner = active.one("DAV:owner")
    assert owner.text == " t"
    assert owner.attributes[
        "http://www.w3.org/XML/1998/namespacelang"] == "en"
    inner = owner.one("urn:za")
    assert inner.attributes == {"b": "1"}
    assert inner.text == "<&'"
    comments = [text for text in files_of(served.repo).values()
                if "is_dav_comment\nV 1\n1\n" in text]
    assert len(comments) == 1


def test_a_lock_without_owner_has_no_comment(served):
    take(served.server)
    assert not any("comment\nV 0" in text or "K 7\ncomment" in text
                   for text in files_of(served.repo).values())
    assert not discovery(served.server).all("DAV:owner")


def test_an_owner_that_would_break_answers_is_refused(served):
    body = lockinfo().replace("</D:locktype>", "</D:locktype><D:owner>"
                              '<p:x xmlns:p="a&quot;&gt;&lt;b"/></D:owner>')
    answer = send(served.server, "LOCK", "/r/f", body, client=OTHER)
    assert answer.status in (200, 400)
    if answer.status == 200:
        answer.element()
        assert discovery(served.server)


# ---- time ----

@pytest.mark.parametrize("text,shown", [
    ("Second-300", r"Second-(300|2\d\d)"), ("Infinite", "Infinite"),
    ("junk", "Infinite"), ("Infinite, Second-10", "Infinite"),
    ("Second-4100000000", r"Second-(4100000000|4099999\d\d\d)")])
@CLIENTS
def test_a_timeout_is_honoured(text, shown, client, served):
    take(served.server, client=client, Timeout=text)
    assert re.fullmatch(shown, discovery(served.server).one(
        "DAV:timeout").text)
    out = harness.run(["svnadmin", "lslocks", served.repo]).stdout.decode()
    assert bool(re.search(r"^Expires: \d", out, re.M)) == (shown != "Infinite")


def test_an_expired_lock_is_none(served):
    token = take(served.server, Timeout="Second-1")
    harness.wait_until(lambda: not discovery(served.server), 10,
                       "the lock does not expire")
    assert unlock(served.server, token).status == 400
    take(served.server, user="bob")


def test_a_lock_is_refreshed(served):
    token = take(served.server, owner=DAV_OWNER, client=OTHER,
                 Timeout="Second-100")
    before = discovery(served.server)
    answer = send(served.server, "LOCK", "/r/f", client=OTHER,
                  If="(%s)" % token, Timeout="Second-1000")
    assert answer.status == 200
    assert answer.header("Lock-Token") is None
    active = answer.element().one("DAV:lockdiscovery").one("DAV:activelock")
    assert re.fullmatch(r"Second-(1000|9\d\d)",
                        active.one("DAV:timeout").text)
    after = discovery(served.server)
    for name in ("DAV:owner", "DAV:locktoken"):
        assert after.one(name).value() == before.one(name).value()
    for user, word, status in (("bob", token, 403),
                               ("ann", "<opaquelocktoken:dead>", 412)):
        assert send(served.server, "LOCK", "/r/f", user=user, client=OTHER,
                    If="(%s)" % word).status == status
    assert send(served.server, "LOCK", "/r/f", client=OTHER).status == 423


# ---- hooks ----

def test_hooks_are_told_what_happens(served, folder):
    log = os.path.join(folder, "log")
    os.chmod(folder, 0o777)
    for name in ("pre-lock", "post-lock", "pre-unlock", "post-unlock"):
        served.hook(name, '{ echo %s; for a in "$@"; do echo "[$a]"; done; '
                    "cat; } >>%s" % (name, log))
    token = take(served.server, "/r/d/f", "<D:owner>why</D:owner>")
    second = take(served.server, "/r/d/f", user="bob",
                  X_SVN_Options="lock-steal")
    assert unlock(served.server, second, "/r/d/f", user="ann",
                  X_SVN_Options="lock-break").status == 204
    with open(log) as inp:
        told = inp.read().replace(served.repo, "REPO")
    # Without a comment there is an empty argument.
    assert TOKEN.sub("TOKEN", told) == (
        "pre-lock\n[REPO]\n[/d/f]\n[ann]\n[why]\n[0]\n"
        "post-lock\n[REPO]\n[ann]\n/d/f\n"
        "pre-lock\n[REPO]\n[/d/f]\n[bob]\n[]\n[1]\n"
        "post-lock\n[REPO]\n[bob]\n/d/f\n"
        "pre-unlock\n[REPO]\n[/d/f]\n[ann]\n[TOKEN]\n[1]\n"
        "post-unlock\n[REPO]\n[ann]\n/d/f\n")
    assert token != second


@pytest.mark.parametrize("client,status", [(SVN, 500), (OTHER, 500)])
def test_hooks_refuse(client, status, served):
    served.hook("pre-lock", "echo because >&2; exit 1")
    answer = lock(served.server, client=client)
    assert (answer.status, answer.errcode()) == (status, 165001)
    assert b"because" in answer.body
    assert served.lslocks() == []
    served.reset()
    token = take(served.server)
    served.hook("pre-unlock", "echo because >&2; exit 1")
    answer = unlock(served.server, token, client=client)
    assert answer.status == status
    if client is SVN:
        assert answer.errcode() == 165001
        assert b"because" in answer.body
    assert served.lslocks() == ["/f"]


def test_a_failing_post_hook_changes_nothing(served):
    served.hook("post-lock", "echo because >&2; exit 1")
    served.hook("post-unlock", "echo because >&2; exit 1")
    token = take(served.server)
    assert served.lslocks() == ["/f"]
    answer = unlock(served.server, token)
    assert (answer.status, answer.errcode()) == (500, 165009)
    assert served.lslocks() == []


def test_a_hook_names_the_token(served):
    served.hook("pre-lock", 'printf opaquelocktoken:chosen-by-hook')
    token = take(served.server)
    active = discovery(served.server)
    assert active.one("DAV:locktoken").one(
        "DAV:href").text == "opaquelocktoken:chosen-by-hook"
    if not harness.PEER:  # which answers a token that is not stored
        assert token == "<opaquelocktoken:chosen-by-hook>"
        assert unlock(served.server, token).status == 204


# ---- the stock client ----

@pytest.fixture
def wc(served, folder):
    """Working copies of two users: (client, working copy) by name."""
    found = {}
    for user in ("ann", "bob"):
        client = harness.Client(os.path.join(folder, user))
        path = os.path.join(folder, user + "-wc")
        options = ["--username", user, "--password", "pw"]

        def svn(*args, client=client, path=path, options=options):
            done = client.run(*args, *options, cwd=path, check=False)
            return done.stdout.decode() + done.stderr.decode()

        client.run("checkout", "-q", served.server.base + "/r", path, *options)
        found[user] = svn
    return found


def test_stock_clients_lock_and_unlock(served, wc):
    assert wc["ann"]("lock", "-m", "why", "f", "d/f").count(
        "locked by user 'ann'.") == 2
    assert "Comment (1 line):\nwhy" in wc["ann"]("info", "f")
    assert re.search(r"^ {5}K +\d +\S*f$", wc["ann"]("status", "-u"), re.M)
    assert re.search(r"^ {5}O +\d +\S*f$", wc["bob"]("status", "-u"), re.M)
    assert "W160035" in wc["bob"]("lock", "f")
    assert "W160039" in wc["bob"]("unlock", served.server.base + "/r/f")
    assert "locked by user 'bob'." in wc["bob"]("lock", "--force", "f")
    assert re.search(r"^ {5}T +\d +\S*f$", wc["ann"]("status", "-u"), re.M)
    assert "'f' unlocked." in wc["ann"]("unlock", "--force", "f")
    assert re.search(r"^ {5}B +\d +f$", wc["bob"]("status", "-u"), re.M)
    assert "'f' unlocked." in wc["ann"]("unlock", "d/f")
    assert served.lslocks() == []
    assert "E200009" in wc["ann"]("lock", served.server.base + "/r/nope")


@CLIENTS
def test_without_a_folder_there_is_nothing_to_lock(client, served):
    for path in ("/r/nope/x", "/r/f/x"):
        answer = lock(served.server, path, client=client)
        # Others are told what RFC 4918 says; the peer knows one answer.
        assert answer.status == (
            405 if client is SVN or harness.PEER else 409)


def test_locks_are_reported_by_depth(served):
    take(served.server, "/r/f")
    take(served.server, "/r/d/f", "<D:owner>why</D:owner>")

    def report(path, depth):
        answer = send(served.server, "REPORT", path, "<S:get-locks-report "
                      'xmlns:S="svn:" depth="%s"/>' % depth)
        return re.findall(rb"<S:path>(.*?)</S:path>", answer.body)

    assert sorted(report("/r/", "infinity")) == [b"/d/f", b"/f"]
    assert report("/r/", "immediates") == [b"/f"]
    assert report("/r/", "empty") == []
    assert report("/r/d", "files") == [b"/d/f"]


# ---- locks in the way of commits ----

def begin(server, user="ann"):
    """A transaction: (URL of its root, its name)."""
    answer = send(server, "POST", "/r/!svn/me", "( create-txn )", user,
                  Content_Type="application/vnd.svn-skel")
    assert answer.status == 201
    name = answer.header("SVN-Txn-Name")
    return "/r/!svn/txr/" + name, name


def merge(server, name, token=None, user="ann", **headers):
    tokens = ("<S:lock-token-list xmlns:S=\"svn:\"><S:lock><lock-path>f"
              "</lock-path><lock-token>%s</lock-token></S:lock>"
              "</S:lock-token-list>" % token[1:-1]) if token else ""
    return send(server, "MERGE", "/r",
                '<D:merge xmlns:D="DAV:"><D:source><D:href>/r/!svn/txn/%s'
                "</D:href></D:source><D:no-auto-merge/><D:no-checkout/>"
                "%s</D:merge>" % (name, tokens), user, **headers)


def drop(server, name, user="ann"):
    send(server, "DELETE", "/r/!svn/txn/" + name, user=user)


PATCH = ('<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="http://'
         'subversion.tigris.org/xmlns/custom/">1</x></D:prop></D:set>'
         "</D:propertyupdate>")
EDITS = pytest.mark.parametrize("method,body", [
    ("PUT", "new"), ("DELETE", None), ("PROPPATCH", PATCH)])


@EDITS
def test_a_locked_file_is_not_edited(method, body, served):
    token = take(served.server)
    root, name = begin(served.server)
    url = served.server.base + "/r/f"
    stolen = take(served.server, user="bob", X_SVN_Options="lock-steal")
    for headers, status in (
            ({}, 423), ({"If": "<%s> (%s)" % (url, token)}, 423),
            ({"If": "<%s> (<opaquelocktoken:dead>)" % url}, 423),
            ({"If": "(<opaquelocktoken:dead>)"}, 412)):
        answer = send(served.server, method, root + "/f", body, **headers)
        assert answer.status == status, headers
        assert answer.header("Content-Type").startswith("text/html")
    answer = send(served.server, method, root + "/f", body,
                  If="<%s> (%s)" % (url, stolen))
    assert answer.status == 423 or (method, answer.status) == (
        "PROPPATCH", 207) and b"423" in answer.body or b"500" in answer.body
    drop(served.server, name)


@EDITS
def test_the_token_lets_edits_pass(method, body, served):
    token = take(served.server, "/r/d/f")
    root, name = begin(served.server)
    answer = send(served.server, method, root + "/d/f", body,
                  If="<%s/r/d/f> (%s)" % (served.server.base, token))
    assert answer.status in (204, 207)
    drop(served.server, name)
    # The peer gives the lock up with the DELETE, whatever comes of it.
    if not (harness.PEER and method == "DELETE"):
        assert served.lslocks() == ["/d/f"]


def test_locks_below_a_deleted_folder_count(served):
    token = take(served.server, "/r/d/f")
    root, name = begin(served.server)
    answer = send(served.server, "DELETE", root + "/d")
    assert (answer.status, answer.errcode()) == (500, 160037) or (
        not harness.PEER and answer.status == 423)
    answer = send(served.server, "DELETE", root + "/d", user="ann",
                  If="<%s/r/d/f> (%s)" % (served.server.base, token))
    assert answer.status == 204
    drop(served.server, name)
    assert served.lslocks() == ["/d/f"]


def test_the_token_of_another_user_is_none(served):
    token = take(served.server, "/r/d/f")
    root, name = begin(served.server, "bob")
    tagged = "<%s/r/d/f> (%s)" % (served.server.base, token)
    for path in ("/d/f", "/d"):
        answer = send(served.server, "DELETE", root + path, user="bob",
                      If=tagged)
        assert answer.status == 423
        assert answer.errcode() == 160039 or (harness.PEER and path == "/d/f")
    drop(served.server, name, "bob")


def test_copies_over_a_lock_and_beside_one(served):
    take(served.server)
    take(served.server, "/r/d/f")
    root, name = begin(served.server)

    def copy(source, target):
        return send(served.server, "COPY", "/r/!svn/rvr/2" + source,
                    Destination=served.server.base + root + target,
                    Overwrite="T", Depth="infinity").status

    assert copy("/g", "/f") == 423
    assert copy("/d", "/e") == 201
    assert copy("/g", "/d/new") == 201
    assert send(served.server, "PUT", root + "/d/newer", "x").status == 201
    drop(served.server, name)


def test_a_lock_taken_meanwhile_stops_the_commit(served):
    root, name = begin(served.server)
    assert send(served.server, "PUT", root + "/f", "new").status == 204
    token = take(served.server)
    answer = merge(served.server, name)
    assert answer.errcode() == 160037
    assert answer.status == (500 if harness.PEER else answer.status)
    assert answer.status >= 400
    assert unlock(served.server, token).status == 204


def test_commits_release_locks_when_told_to(served, wc):
    for option, left in ((["--no-unlock"], ["/f"]), ([], [])):
        wc["ann"]("lock", "--force", "f")
        text = "f %d\n" % time.monotonic_ns()
        with open(os.path.join(wc_of(wc["ann"]), "f"), "w") as out:
            out.write(text)
        assert "Committed revision" in wc["ann"]("commit", "-m", "x", *option)
        assert served.lslocks() == left


def wc_of(svn):
    """The folder of a working copy."""
    return re.search(r"^Working Copy Root Path: (.*)$", svn("info"),
                     re.M).group(1)
