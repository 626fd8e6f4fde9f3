# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of Subversion write: each write is a commit, and
one that fails is none."""

import os
import re
import socket
import subprocess
import threading
import xml.etree.ElementTree as ET

import pytest

import harness

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

MESSAGE = "Autoversioning commit:  a non-deltaV client made a change to\n"


class Site:
    """A repository on a server, written to by ann. Tests call its URL /r."""

    def __init__(self, server, repo, folder, root="/r"):
        self.server = server
        self.repo = repo
        self.folder = folder
        self.root = root

    def at(self, path):
        """The URL path of /r/... in tests."""
        assert path.startswith("/r")
        return self.root + path[2:]

    def tagged(self, path, token):
        """An If header: the token of a path."""
        return "<%s%s> (%s)" % (self.server.base, self.at(path), token)

    def send(self, method, path, body=None, user="ann", **headers):
        """X_Y="..." is a header; `Destination` is a path."""
        head = dict(harness.as_user(user)) if user else {}
        head.update((k.replace("_", "-"), v) for k, v in headers.items())
        if "Destination" in head:
            head["Destination"] = self.server.base + self.at(
                head["Destination"])
        if isinstance(body, str):
            body = body.encode()
        return self.server.request(method, self.at(path), body, head)

    def cat(self, path):
        """Text of a file of the youngest revision, None if there is none."""
        done = harness.run(["svnlook", "cat", self.repo, path], check=False)
        return done.stdout if done.returncode == 0 else None

    def tree(self):
        out = harness.run(["svnlook", "tree", "--full-paths", self.repo])
        return out.stdout.decode().split("\n")[:-1]

    def prop(self, name, path):
        done = harness.run(["svnlook", "propget", self.repo, name, path],
                           check=False)
        return done.stdout.rstrip(b"\n") if done.returncode == 0 else None

    def last(self):
        """What the youngest revision is: author, message, properties,
        changed paths with their copy sources."""
        out = harness.Client(self.folder).out(
            "log", "-v", "--xml", "--with-all-revprops", "-rHEAD",
            "file://" + self.repo)
        entry = ET.fromstring(out).find("logentry")
        return {
            "author": entry.findtext("author"), "msg": entry.findtext("msg"),
            "props": {p.get("name"): p.text
                      for p in entry.iter("property")},
            "paths": {p.text: p.get("action") + (
                " " + p.get("copyfrom-path") if p.get("copyfrom-path") else "")
                for p in entry.iter("path")}}

    def hook(self, name, script):
        path = os.path.join(self.repo, "hooks", name)
        with open(path, "w") as out:
            out.write("#!/bin/sh\nPATH=/bin:/usr/bin\n" + script + "\n")
        os.chmod(path, 0o755)

    def state(self):
        """All that a failed write must leave as it was."""
        db = os.path.join(self.repo, "db")
        with open(os.path.join(db, "current")) as inp:
            current = inp.read()
        locks = []
        for top, _, names in os.walk(os.path.join(db, "locks")):
            for name in names:
                with open(os.path.join(top, name)) as inp:
                    locks.append((name, inp.read()))
        return (current, os.listdir(os.path.join(db, "transactions")),
                sorted(locks))

    def youngest(self):
        return int(self.state()[0].split()[0])


def build(folder):
    """A repository with files f and g, folders d and e with a file each."""
    repo = os.path.join(folder, "repo")
    harness.run(["svnadmin", "create", repo])
    text = os.path.join(folder, "text")
    with open(text, "w") as out:
        out.write("old\n")
    harness.Client(folder).run(
        "--root-url", "file://" + repo, "-u", "ann", "-m", "x", "put", text,
        "f", "put", text, "g", "mkdir", "d", "put", text, "d/f", "mkdir", "e",
        "put", text, "e/old", "propset", "color", "red", "d",
        program="svnmucc")
    harness.writable(repo)
    return repo


def config(path, repo, folder, parent=False, on=True):
    """A location for ann and bob."""
    return harness.location(
        path, repo,
        *[harness.directive("Autoversioning", "on")] if on else [],
        *harness.login(folder, "ann", "bob"), "Require valid-user",
        parent=parent)


MODULES = ["auth_basic", "authn_file", "authz_user"]


@pytest.fixture(scope="module")
def place(work):
    """A server of a folder of repositories, and one to copy: (server, folder,
    repository)."""
    folder = os.path.join(work, "auto")
    os.makedirs(os.path.join(folder, "all"))
    repo = build(folder)
    lines = config("/p", os.path.join(folder, "all"), folder, parent=True)
    with harness.Httpd(os.path.join(folder, "httpd"), "event", lines,
                       modules=MODULES) as server:
        yield server, os.path.join(folder, "all"), repo


def copy_of(place, name):
    """A repository of that name on the server."""
    server, everything, repo = place
    path = os.path.join(everything, name)
    harness.run(["cp", "-a", repo, path])
    return Site(server, path, os.path.dirname(everything), "/p/" + name)


@pytest.fixture
def site(place, folder):
    found = copy_of(place, os.path.basename(folder))
    found.folder = folder
    yield found
    harness.run(["svnadmin", "verify", "-q", found.repo])
    harness.remove(found.repo)


PATCH = ('<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1'
         "</x></D:prop></D:set></D:propertyupdate>")
LOCKINFO = ('<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/>'
            "</D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>")

#: name: method, path, body, headers; status; what the revision changes; the
#: path in its message
WRITES = {
    "PUT new": ("PUT", "/new.txt", "x", {}, 201, {"/new.txt": "A"}),
    "PUT": ("PUT", "/f", "x", {}, 204, {"/f": "M"}),
    "PUT empty": ("PUT", "/new", "", {}, 201, {"/new": "A"}),
    "MKCOL": ("MKCOL", "/new/", None, {}, 201, {"/new": "A"}),
    "DELETE": ("DELETE", "/f", None, {}, 204, {"/f": "D"}),
    "DELETE folder": ("DELETE", "/d/", None, {}, 204, {"/d": "D"}),
    "COPY": ("COPY", "/f", None, {"Destination": "/r/new"}, 201,
             {"/new": "A /f"}),
    "COPY folder": ("COPY", "/d/", None, {"Destination": "/r/new/"}, 201,
                    {"/new": "A /d"}),
    "COPY old": ("COPY", "/!svn/rvr/1/f", None, {"Destination": "/r/new"}, 201,
                 {"/new": "A /f"}),
    "COPY over": ("COPY", "/f", None, {"Destination": "/r/g"}, 204,
                  {"/g": "R /f"}),
    "PROPPATCH": ("PROPPATCH", "/f", PATCH, {}, 207, {"/f": "M"}),
    "PROPPATCH folder": ("PROPPATCH", "/d/", PATCH, {}, 207, {"/d": "M"}),
    "LOCK missing": ("LOCK", "/new", LOCKINFO, {},
                     200 if harness.PEER else 201, {"/new": "A"}),
}
#: Where the peer makes two commits, or loses what was at the destination.
ONE_STEP = {
    "MOVE": ("MOVE", "/f", None, {"Destination": "/r/new"}, 201,
             {"/f": "D", "/new": "A /f"}),
    "MOVE folder": ("MOVE", "/d", None, {"Destination": "/r/new"}, 201,
                    {"/d": "D", "/new": "A /d"}),
    "COPY file over folder": ("COPY", "/f", None, {"Destination": "/r/d"}, 204,
                              {"/d": "R /f"}),
    "COPY folder over folder": ("COPY", "/d", None, {"Destination": "/r/e"},
                                204, {"/e": "R /d"}),
    "MOVE over": ("MOVE", "/f", None, {"Destination": "/r/g"}, 204,
                  {"/f": "D", "/g": "R /f"}),
    "MOVE folder over folder": (
        "MOVE", "/d", None, {"Destination": "/r/e"}, 204,
        {"/d": "D", "/e": "R /d"}),
    "MOVE file over folder": ("MOVE", "/f", None, {"Destination": "/r/d"}, 204,
                              {"/f": "D", "/d": "R /f"}),
}


def write(site, case):
    method, path, body, headers = case[:4]
    return site.send(method, "/r" + path, body, **headers)


def check_commit(site, case):
    answer = write(site, case)
    assert answer.status == case[4], answer.body
    assert site.youngest() == 2
    last = site.last()
    target = case[3].get("Destination", "/r" + case[1])[2:].rstrip("/")
    assert last["paths"] == case[5]
    assert last["author"] == "ann"
    assert last["props"]["svn:autoversioned"] == "*"
    if not harness.PEER or case[0] not in ("COPY", "MOVE"):
        assert last["msg"] == MESSAGE + target
    if answer.status == 201 and case[0] != "LOCK":
        assert answer.header("Location").rstrip("/").endswith(
            site.at("/r" + target))
    assert site.state()[1] == []


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_a_commit(name, site):
    check_commit(site, WRITES[name])


@ours_only
@pytest.mark.parametrize("name", ONE_STEP)
def test_a_move_or_an_overwrite_is_one_commit(name, site):
    check_commit(site, ONE_STEP[name])


@ours_only
def test_commits_and_locks_are_logged(site):
    for name, action in (("PUT", "commit r2"), ("MOVE", "commit r3"),
                         ("LOCK missing", "lock (/new)")):
        size = os.path.getsize(site.server.access_log)
        case = WRITES.get(name) or ONE_STEP[name]
        if name == "LOCK missing":
            site.send("DELETE", "/r/new")
        assert write(site, case).status in (201, 204)

        def logged(size=size, action=action):
            with open(site.server.access_log) as inp:
                inp.seek(size)
                return action in inp.read()

        harness.wait_until(logged, 10, "no %r in the log" % action)


@pytest.fixture(scope="module")
def refusing(place):
    """A repository for what must leave it as it is."""
    yield copy_of(place, "refusing")


@ours_only
@pytest.mark.parametrize("hook", ["start-commit", "pre-commit"])
@pytest.mark.parametrize("name", list(WRITES) + list(ONE_STEP))
def test_nothing_is_acknowledged_that_a_hook_refuses(name, hook, refusing):
    site = refusing
    site.hook(hook, "echo because >&2; exit 1")
    before = site.state()
    answer = write(site, WRITES.get(name) or ONE_STEP[name])
    assert (answer.status, answer.errcode()) == (403, 165001), answer.body
    assert b"because" in answer.body
    assert site.state() == before
    os.remove(os.path.join(site.repo, "hooks", hook))


@ours_only
def test_a_lock_outlives_a_write_that_was_refused(refusing):
    site = refusing
    token = site.send("LOCK", "/r/f", LOCKINFO).header("Lock-Token")
    site.hook("pre-commit", "exit 1")
    before = site.state()
    for case in ("DELETE", "MOVE", "PUT", "PROPPATCH"):
        method, path, body, headers = (WRITES.get(case) or ONE_STEP[case])[:4]
        assert site.send(method, "/r" + path, body, If=site.tagged(
            "/r/f", token), **headers).status == 403
        assert site.state() == before
    os.remove(os.path.join(site.repo, "hooks", "pre-commit"))
    assert site.send("UNLOCK", "/r/f", Lock_Token=token).status == 204


#: method, path, body, headers: status; nothing is committed
REFUSED = {
    "PUT without parent": ("PUT", "/no/new", "x", {}, 409),
    "PUT below a file": ("PUT", "/f/new", "x", {}, 409),
    "PUT onto a folder": ("PUT", "/d", "x", {}, 409),
    "PUT of a part": ("PUT", "/f", "x", {"Content-Range": "bytes 0-0/4"}, 400),
    "PUT into the past": ("PUT", "/f?p=1", "x", {}, 409),
    "PUT of an old name": ("PUT", "/!svn/rvr/1/f", "x", {}, 409),
    "PUT of a control character": ("PUT", "/a%01b", "x", {}, 400),
    "MKCOL again": ("MKCOL", "/d", None, {}, 405),
    "MKCOL over a file": ("MKCOL", "/f", None, {}, 405),
    "MKCOL without parent": ("MKCOL", "/no/new", None, {}, 409),
    "MKCOL with a body": ("MKCOL", "/new", "x", {"Content-Type": "x/y"}, 415),
    "DELETE missing": ("DELETE", "/no", None, {}, 404),
    "DELETE all": ("DELETE", "/", None, {}, 403),
    "COPY missing": ("COPY", "/no", None, {"Destination": "/r/new"}, 404),
    "COPY without parent": ("COPY", "/f", None, {"Destination": "/r/no/n"},
                            409),
    "COPY onto itself": ("COPY", "/f", None, {"Destination": "/r/f"}, 403),
    "COPY into itself": ("COPY", "/d", None, {"Destination": "/r/d/x"}, 403),
    "COPY over, forbidden": ("COPY", "/f", None, {
        "Destination": "/r/g", "Overwrite": "F"}, 412),
    "MOVE over, forbidden": ("MOVE", "/f", None, {
        "Destination": "/r/g", "Overwrite": "F"}, 412),
    "MOVE from the past": ("MOVE", "/!svn/rvr/1/f", None,
                           {"Destination": "/r/new"}, 409),
    "PROPPATCH missing": ("PROPPATCH", "/no", PATCH, {}, 404),
    "PROPPATCH of nothing": ("PROPPATCH", "/f", "<x/>", {}, 400),
    "LOCK without parent": ("LOCK", "/no/new", LOCKINFO, {}, 409),
}


@ours_only
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name, refusing):
    case = REFUSED[name]
    before = refusing.state()
    answer = write(refusing, case)
    assert answer.status == case[4], answer.body
    assert refusing.state() == before


def test_a_folder_is_copied_without_its_members(site):
    answer = site.send("COPY", "/r/d", None, Destination="/r/new",
                       Depth="0")
    assert answer.status == 201
    assert site.prop("color", "/new") == b"red" or harness.PEER
    assert ("new/f" in site.tree()) == harness.PEER


# ---- texts ----

def test_texts_and_their_types(site):
    noise = bytes(range(256)) * 4000
    for path, text, kind in (("a.txt", b"text", b"text/plain"),
                             ("b.png", noise, b"image/png"), ("c", b"", None)):
        answer = site.send("PUT", "/r/" + path, text,
                           Content_Type="text/x-foo")
        assert answer.status == 201
        assert site.cat(path) == text
        assert site.prop("svn:mime-type", path) == kind
    harness.Client(site.folder).run(
        "--root-url", "file://" + site.repo, "-m", "x", "propset",
        "svn:mime-type", "x/y", "a.txt", program="svnmucc")
    harness.writable(site.repo)
    assert site.send("PUT", "/r/a.txt", b"more").status == 204
    assert site.prop("svn:mime-type", "a.txt") == b"x/y"


@ours_only
@pytest.mark.parametrize("path", ["f", "new"])
def test_a_text_that_breaks_off_is_none(path, site):
    before = site.state()
    head = ("PUT %s/%s HTTP/1.1\r\nHost: x\r\n%s: %s\r\n"
            "Content-Length: 1000\r\n\r\nabc"
            % ((site.root, path) + list(harness.as_user("ann").items())[0]))
    with socket.create_connection(("127.0.0.1", site.server.port)) as sock:
        sock.sendall(head.encode())
        sock.shutdown(socket.SHUT_WR)
        harness.receive_all(sock, may_reset=True)
    harness.wait_until(lambda: site.state() == before, 10, "something is left")
    assert site.send("PUT", "/r/" + path, "x").status in (201, 204)


@ours_only
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk_is_told(folder):
    disk = os.path.join(folder, "disk")
    os.makedirs(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m,mode=755",
                       "none", disk], capture_output=True).returncode:
        pytest.skip("the kernel does not let us mount")
    try:
        repo = build(disk)
        with harness.Httpd(os.path.join(folder, "httpd"), "event",
                           config("/r", repo, folder),
                           modules=MODULES) as server:
            site = Site(server, repo, folder)
            before = site.state()
            answer = site.send("PUT", "/r/new", os.urandom(6 << 20))
            assert answer.status == 507
            assert site.state() == before
            assert site.send("PUT", "/r/new", "x").status == 201
        harness.run(["svnadmin", "verify", "-q", repo])
    finally:
        subprocess.run(["umount", disk], check=True)


# ---- locks ----

def test_the_token_is_needed_by_writes(site):
    token = site.send("LOCK", "/r/d/f", LOCKINFO).header("Lock-Token")
    tagged = site.tagged("/r/d/f", token)
    for user, headers, status in (("ann", {}, 423), ("bob", {}, 423),
                                  ("bob", {"If": tagged}, 403),
                                  ("ann", {"If": tagged}, 204)):
        assert site.send("PUT", "/r/d/f", "x", user, **headers).status \
            == status
    assert site.send("PROPPATCH", "/r/d/f", PATCH).status == 423
    assert site.send("DELETE", "/r/d").status in (207, 423, 424)
    assert site.send("MOVE", "/r/d", Destination="/r/new").status in (
        207, 423, 424)
    assert site.send("COPY", "/r/f", Destination="/r/d/f").status in (
        207, 423, 424)
    assert site.send("COPY", "/r/d", Destination="/r/new").status == 201
    answer = site.send("LOCK", "/r/d", LOCKINFO)
    assert answer.status in (207, 423)
    assert site.cat("d/f") == b"x"


@ours_only
def test_locks_go_with_what_is_deleted_or_moved(site):
    for method, headers in (("DELETE", {}), ("MOVE", {"Destination":
                                                      "/r/new"})):
        path = "/r/f" if method == "DELETE" else "/r/d"
        locked = "/r/f" if method == "DELETE" else "/r/d/f"
        token = site.send("LOCK", locked, LOCKINFO).header("Lock-Token")
        assert site.send(method, path, If=site.tagged(
            locked, token), **headers).status in (201, 204)
        assert harness.run(["svnadmin", "lslocks",
                            site.repo]).stdout == b""


def test_a_file_is_locked_before_it_is_there(site):
    answer = site.send("LOCK", "/r/new", LOCKINFO, Timeout="Second-600")
    assert answer.status == (200 if harness.PEER else 201)
    token = answer.header("Lock-Token")
    assert site.cat("new") == b""
    assert site.send("PUT", "/r/new", "x").status == 423
    assert site.send("PUT", "/r/new", "x", If="(%s)" % token).status == 204
    assert site.send("UNLOCK", "/r/new", Lock_Token=token).status == 204
    assert site.cat("new") == b"x"


# ---- conflicts ----

@ours_only
def test_a_condition_that_is_not_met_is_told(site):
    tag = site.send("GET", "/r/f").header("ETag")
    assert site.send("PUT", "/r/f", "1", If_Match=tag).status == 204
    assert site.send("PUT", "/r/f", "2", If_Match=tag).status == 412
    assert site.send("PUT", "/r/f", "2", If_None_Match="*").status == 412
    assert site.send("PUT", "/r/f", "2", If='(["x"])').status == 412
    assert site.send("DELETE", "/r/f", If_Match=tag).status == 412
    assert site.cat("f") == b"1"


@ours_only
def test_a_commit_meanwhile_is_a_conflict(site):
    """Another commit to the file while the text arrives, or while the hook
    runs, is not overwritten unseen."""
    site.hook("pre-commit", """
if [ ! -e %(flag)s ]; then
    : >%(flag)s
    svnmucc --config-dir %(folder)s/c -m x --root-url file://%(repo)s \\
        put "$0" f propset a b f >&2
fi""" % {"flag": os.path.join(site.folder, "flag"), "folder": site.folder,
         "repo": site.repo})
    os.chmod(site.folder, 0o777)
    answer = site.send("PUT", "/r/f", "mine")
    assert (answer.status, answer.errcode()) == (409, 160024), answer.body
    assert harness.run(["svnadmin", "lstxns", site.repo]).stdout == b""
    assert site.prop("a", "f") == b"b"
    assert site.send("PUT", "/r/f", "mine").status == 204


@ours_only
def test_no_conditional_write_is_lost(site):
    """Several clients count in one file, each only over what it has read."""
    site.send("PUT", "/r/count", "0")
    added = []

    def work(number):
        done = 0
        for _ in range(12):
            read = site.send("GET", "/r/count")
            answer = site.send("PUT", "/r/count", str(int(read.body) + 1),
                               If_Match=read.header("ETag"))
            assert answer.status in (204, 409, 412), answer.body
            done += answer.status == 204
        added.append(done)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(added) == 4 and sum(added) > 0
    assert int(site.cat("count")) == sum(added)
    assert site.youngest() == 2 + sum(added)
    assert not site.state()[1]


# ---- properties ----

def patch(*ops, head=""):
    """A body: ("set", xml) and ("remove", xml)."""
    return ('<?xml version="1.0" encoding="utf-8"?><D:propertyupdate '
            'xmlns:D="DAV:" %s>' % head + "".join(
                "<D:%s><D:prop>%s</D:prop></D:%s>" % (op, text, op)
                for op, text in ops) + "</D:propertyupdate>")


def found(site, path, name):
    """A property as PROPFIND by name shows it: an Element, or None."""
    ns, local = name.rsplit(" ", 1)
    answer = site.send("PROPFIND", path, '<propfind xmlns="DAV:"><prop><x:%s '
                       'xmlns:x="%s"/></prop></propfind>' % (local, ns)
                       if ns else '<D:propfind xmlns:D="DAV:"><D:prop><%s/>'
                       "</D:prop></D:propfind>" % local, Depth="0")
    assert answer.status == 207
    (props,) = answer.properties().values()
    status, element = props[ns + local]
    return element if status == 200 else None


@ours_only
def test_properties_of_any_namespace_come_back(site):
    answer = site.send("PROPPATCH", "/r/f", patch(
        ("set", "<a:one>1 &lt; 2</a:one>"),
        ("set", '<b:one xml:lang="en"><a:x y="z"/>t<w/></b:one>'),
        ("set", '<none xmlns="">\u00e4\U0001f600</none>'),
        ("set", "<D:displayname>name</D:displayname>"),
        ("set", '<color xmlns="http://subversion.tigris.org/xmlns/custom/">'
         "red</color>"),
        ("set", '<eol-style xmlns="http://subversion.tigris.org/xmlns/svn/">'
         "native</eol-style>"),
        head='xmlns:a="urn:a" xmlns:b="http://b/?#x" xmlns="urn:w"'))
    assert answer.status == 207
    assert b"424" not in answer.body and answer.body.count(b"200 OK") == 6
    assert list(answer.properties()) == [site.at("/r/f")]
    assert site.youngest() == 2
    assert found(site, "/r/f", "urn:a one").text == "1 < 2"
    nested = found(site, "/r/f", "http://b/?#x one")
    assert [c.name for c in nested.children] == ["urn:ax", "urn:ww"]
    assert "en" in nested.attributes.values()
    assert found(site, "/r/f", " none").text == "\u00e4\U0001f600"
    assert found(site, "/r/f", "DAV: displayname").text == "name"
    assert found(site, "/r/f", "urn:c one") is None
    assert site.prop("color", "f") == b"red"
    assert site.prop("svn:eol-style", "f") == b"native"
    assert site.prop("webdav:urn_3Aa:one", "f") == b"1 &lt; 2"
    # All of them, in their namespaces; for Subversion clients as they are.
    answer = site.send("PROPFIND", "/r/f", Depth="0")
    (props,) = answer.properties().values()
    assert {"urn:aone", "http://b/?#xone", "none", "DAV:displayname"} <= set(
        props)
    wc = os.path.join(site.folder, "wc")
    client = harness.Client(site.folder)
    login = ["--username", "ann", "--password", "pw"]
    client.run("checkout", "-q", *login, site.server.base + site.root, wc)
    assert client.out("propget", "webdav:urn_3Aa:one", "f", cwd=wc) == (
        "1 &lt; 2\n")
    assert "webdav::none" in client.out("proplist", *login,
                                        site.server.base + site.root + "/f")


@ours_only
def test_the_last_word_on_a_property_counts(site):
    a = 'xmlns:a="urn:a"'
    site.send("PROPPATCH", "/r/f", patch(
        ("set", "<a:x>1</a:x>"), ("remove", "<a:x/>"), ("remove", "<a:y/>"),
        ("set", "<a:y>1</a:y><a:y>2</a:y>"), head=a))
    assert found(site, "/r/f", "urn:a x") is None
    assert found(site, "/r/f", "urn:a y").text == "2"
    # What changes nothing is no commit.
    assert site.send("PROPPATCH", "/r/f", patch(
        ("remove", "<a:x/>"), ("set", "<a:y>2</a:y>"), head=a)).status == 207
    assert site.youngest() == 2
    assert site.send("PROPPATCH", "/r/f", patch(("remove", "<a:y/>"),
                                                head=a)).status == 207
    assert found(site, "/r/f", "urn:a y") is None
    assert site.youngest() == 3


@ours_only
def test_properties_go_with_a_copy(site):
    site.send("PROPPATCH", "/r/d", PATCH)
    for method, source, target in (("COPY", "/r/d", "/r/new"),
                                   ("MOVE", "/r/new", "/r/newer")):
        assert site.send(method, source, Destination=target).status == 201
        assert found(site, target, "urn:x x").text == "1"


@ours_only
def test_computed_properties_are_refused(site):
    answer = site.send("PROPPATCH", "/r/f", patch(
        ("set", "<D:getcontentlength>3</D:getcontentlength>"),
        ("set", '<a:x xmlns:a="urn:a">1</a:x>')))
    assert answer.status == 207
    props = answer.properties()[site.at("/r/f")]
    assert props["DAV:getcontentlength"][0] == 409
    assert props["urn:ax"][0] == 424
    assert site.youngest() == 1


@ours_only
def test_a_value_that_is_not_allowed_is_refused(site):
    answer = site.send("PROPPATCH", "/r/f", patch(
        ("set", '<mime-type xmlns="http://subversion.tigris.org/xmlns/svn/">'
         "a&#13;b</mime-type>")))
    assert (answer.status, answer.errcode()) == (400, 125005)
    assert site.youngest() == 1


@ours_only
def test_a_foreign_value_that_is_no_xml_is_shown_as_text(site):
    harness.Client(site.folder).run(
        "--root-url", "file://" + site.repo, "-m", "x", "propset",
        "webdav:urn_3Aa:x", "a < b", "f", "propset", "webdav:urn_3Aa:y",
        "</D:prop>", "f", "propset", "webdav:urn_3Aa:1", "v", "f",
        program="svnmucc")
    harness.writable(site.repo)
    assert found(site, "/r/f", "urn:a x").text == "a < b"
    assert found(site, "/r/f", "urn:a y").text == "</D:prop>"
    site.send("PROPFIND", "/r/f", Depth="0").element()


# ---- what mounted folders do ----

def test_a_file_is_saved_as_windows_does(site):
    agent = {"User_Agent": "Microsoft-WebDAV-MiniRedir/10.0.19045",
             "translate": "f"}
    assert site.send("PROPFIND", "/r/new.txt", Depth="0",
                     **agent).status == 404
    assert site.send("PUT", "/r/new.txt", "", **agent).status == 201
    answer = site.send("LOCK", "/r/new.txt", LOCKINFO, Timeout="Second-3600",
                       **agent)
    assert answer.status == 200
    token = "(%s)" % answer.header("Lock-Token")
    times = patch(
        ("set", "<Z:Win32CreationTime>Mon, 30 Nov 2026 10:00:00 GMT"
         "</Z:Win32CreationTime><Z:Win32FileAttributes>00000020"
         "</Z:Win32FileAttributes>"),
        head='xmlns:Z="urn:schemas-microsoft-com:"')
    answer = site.send("PROPPATCH", "/r/new.txt", times, If=token, **agent)
    assert answer.status == 207 and b"200 OK" in answer.body
    assert site.send("PUT", "/r/new.txt", "text", If=token,
                     **agent).status == 204
    assert site.send("UNLOCK", "/r/new.txt", Lock_Token=token[1:-1],
                     **agent).status == 204
    assert site.cat("new.txt") == b"text"
    if not harness.PEER:
        assert found(site, "/r/new.txt", "urn:schemas-microsoft-com: "
                     "Win32FileAttributes").text == "00000020"


def test_a_file_is_saved_as_macos_does(site):
    agent = {"User_Agent": "WebDAVFS/3.0.0 (03008000) Darwin/21.6.0"}
    for name in ("._new.txt", "new.txt"):
        path = "/r/" + name
        assert site.send("PROPFIND", path, Depth="0", **agent).status == 404
        answer = site.send("PUT", path, "", **agent)
        assert answer.status == 201
        answer = site.send("LOCK", path, LOCKINFO, Depth="0",
                           Timeout="Second-600", **agent)
        assert answer.status == 200
        token = answer.header("Lock-Token")
        assert site.send("PUT", path, "text of " + name, If="(%s)" % token,
                         **agent).status == 204
        assert site.send("UNLOCK", path, Lock_Token=token,
                         **agent).status == 204
        assert site.cat(name) == b"text of " + name.encode()
    assert site.send("DELETE", "/r/._new.txt", **agent).status == 204


@ours_only
def test_an_editor_saves_by_a_move(site):
    """Write a temporary file, move it over the old one."""
    assert site.send("PUT", "/r/f.tmp", "saved").status == 201
    assert site.send("MOVE", "/r/f.tmp", Destination="/r/f",
                     Overwrite="T").status == 204
    assert site.cat("f") == b"saved"
    assert site.cat("f.tmp") is None


def test_cadaver_writes(site, folder):
    local = os.path.join(folder, "local")
    with open(local, "w") as out:
        out.write("from cadaver\n")
    with open(os.path.join(folder, ".netrc"), "w") as out:
        out.write("machine 127.0.0.1\nlogin ann\npassword pw\n")
    os.chmod(os.path.join(folder, ".netrc"), 0o600)
    script = ("put %s new\nmkcol col\ncopy new col/copied\nmove col/copied "
              "col/moved\nlock new\nput %s new\nunlock new\npropset new a 1\n"
              "propget new a\ndelete g\nrmcol e\nquit\n" % (local, local))
    done = subprocess.run(
        ["cadaver", site.server.base + site.root + "/"], input=script, text=True,
        capture_output=True, timeout=60, env=dict(os.environ, HOME=folder))
    out = done.stdout
    assert site.cat("new") == b"from cadaver\n", out
    assert site.cat("col/moved") == b"from cadaver\n", out
    assert site.cat("g") is None
    assert "e/" not in site.tree()
    assert not re.search(r"(?i)failed", out), out
    assert harness.run(["svnadmin", "lslocks", site.repo]).stdout == b""


@ours_only
def test_davfs2_writes(site, folder):
    """With locks. Nothing is listed: newer kernels refuse that of davfs2."""
    mount, cache, conf, secrets = (
        os.path.join(folder, name)
        for name in ("mount", "cache", "conf", "secrets"))
    url = site.server.base + site.root
    os.makedirs(mount)
    os.makedirs(cache)
    os.chmod(cache, 0o777)
    with open(secrets, "w") as out:
        out.write("%s ann pw\n" % url)
    os.chmod(secrets, 0o600)
    with open(conf, "w") as out:
        out.write("use_locks 1\nask_auth 0\ndelay_upload 0\ncache_dir %s\n"
                  "secrets %s\n" % (cache, secrets))
    done = subprocess.run(["mount.davfs", url, mount, "-o", "conf=" + conf],
                          capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        pytest.skip("the kernel does not let us mount: " + done.stderr)
    try:
        with open(os.path.join(mount, "new.txt"), "w") as out:
            out.write("hello")
        os.mkdir(os.path.join(mount, "col"))
        with open(os.path.join(mount, "col", "big"), "w") as out:
            out.write("x" * 300000)
        os.rename(os.path.join(mount, "new.txt"),
                  os.path.join(mount, "col", "renamed"))
        with open(os.path.join(mount, "f"), "a") as out:
            out.write("more\n")
        os.remove(os.path.join(mount, "g"))
    finally:
        subprocess.run(["umount", mount], check=True, capture_output=True)
    assert site.cat("col/renamed") == b"hello"
    assert site.cat("col/big") == b"x" * 300000
    assert site.cat("f") == b"old\nmore\n"
    assert site.cat("g") is None and site.cat("new.txt") is None
    assert not site.state()[1]
    assert harness.run(["svnadmin", "lslocks", site.repo]).stdout == b""


# ---- where it is off ----

@pytest.mark.parametrize("name", WRITES)
def test_without_it_nothing_is_written(name, served_plain):
    before = served_plain.state()
    answer = write(served_plain, WRITES[name])
    if name == "COPY over":
        assert answer.status in (405, 409)
    else:
        assert answer.status == (405 if name == "LOCK missing" else 409)
    assert served_plain.state() == before


@pytest.fixture(scope="module")
def served_plain(work):
    """The same without autoversioning."""
    folder = os.path.join(work, "plain")
    os.makedirs(folder)
    repo = build(folder)
    with harness.Httpd(os.path.join(folder, "httpd"), "event",
                       config("/r", repo, folder, on=False),
                       modules=MODULES) as server:
        yield Site(server, repo, folder)
