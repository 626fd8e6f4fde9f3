# SPDX-License-Identifier: Apache-2.0
"""What made servers fail or crawl elsewhere, where no other module has it."""

import os
import re
import shutil
import socket
import sqlite3
import time
import zlib

import pytest

import commit_requests
import harness
import history

COMMITS = history.WIDE_COMMITS
LAST = COMMITS + 1

LOGIN = harness.as_user("ann")

#: A section that hides nothing here, but might.
TELLING = '<LocationMatch "/none-such">\nRequire all denied\n</LocationMatch>'


MODULES = ["auth_basic", "authn_file", "authz_user", "authz_groupfile",
           "deflate", "filter"]


# ---- checks of paths ----

def log(start, end, path, *more):
    return ('<S:log-report xmlns:S="svn:"><S:start-revision>%d'
            "</S:start-revision><S:end-revision>%d</S:end-revision>%s"
            "<S:path>%s</S:path></S:log-report>"
            % (start, end, "".join(more), path))


CHANGED = "<S:discover-changed-paths/>"

#: name: URL below the location, body of the REPORT, how often.
LONG = {
    "log of a file": ("/", log(LAST, 1, "trunk/a/f"), 20),
    "log with paths": ("/", log(LAST, 2, "trunk", CHANGED), 20),
    "blame": ("/trunk/a/f", '<S:file-revs-report xmlns:S="svn:">'
              "<S:start-revision>1</S:start-revision><S:end-revision>%d"
              "</S:end-revision><S:path/></S:file-revs-report>" % LAST, 5),
    "a revision of many paths": ("/", log(1, 1, "trunk", CHANGED), 10),
    "list": ("/", '<S:list-report xmlns:S="svn:"><S:path>trunk</S:path>'
             "<S:revision>%d</S:revision><S:depth>infinity</S:depth>"
             "<S:prop>DAV:allprop</S:prop></S:list-report>" % LAST, 5),
}


@pytest.fixture(scope="module")
def checked(work, wide):
    """One process; the same repository with checks of paths and without."""
    folder = os.path.join(work, "checked")
    os.mkdir(folder)
    login = harness.login(folder, "ann") + ["Require valid-user"]
    with harness.Httpd(folder, "prefork", "\n".join([
            harness.location("/on", wide, *login),
            harness.location("/off", wide, *login,
                             harness.directive("PathAuthz", "off"))]),
            modules=MODULES, single=True) as server:
        yield server


def ask(server, location, kind):
    """The body of an answer of LONG, without the location."""
    url, body, _ = LONG[kind]
    answer = server.report("%s/!svn/rvr/%d%s" % (location, LAST, url), body,
                           LOGIN)
    assert answer.status == 200
    return answer.body.replace(location.encode() + b"/", b"/")


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn asks for each path")
@pytest.mark.parametrize("kind", LONG)
def test_checks_that_can_hide_nothing_cost_nothing(kind, checked):
    (pid,) = checked.children()
    used = {}
    for location in ("/on", "/off"):
        body = ask(checked, location, kind)  # fills the cache
        before = harness.cpu_seconds(pid)
        for _ in range(LONG[kind][2]):
            assert ask(checked, location, kind) == body
        used[location] = harness.cpu_seconds(pid) - before
    assert ask(checked, "/on", kind) == ask(checked, "/off", kind)
    assert used["/on"] <= 1.5 * used["/off"] + 0.1
    assert "each path is checked" not in checked.log()


@pytest.mark.skipif(harness.PEER, reason="orders entries in two ways")
def test_checks_of_each_path_change_no_answer(folder, wide, checked):
    config = harness.location("/on", wide, *harness.login(folder, "ann"),
                              "Require valid-user") + "\n" + TELLING
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        for kind in LONG:
            assert ask(server, "/on", kind) == ask(checked, "/off", kind)
        assert "each path is checked" in server.log()


def test_withdrawn_access_ends_on_an_open_connection(folder, small):
    groups = os.path.join(folder, "groups")
    config = harness.location("/svn", small, *harness.login(folder, "ann"),
                              'AuthGroupFile "%s"' % groups,
                              "Require group readers")

    def members(names):
        with open(groups, "w") as out:
            out.write("readers: %s\n" % names)

    members("ann")
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        kept = server.connect()
        for names, statuses in (("ann", {200, 207}), ("ben", {401, 403}),
                                ("ben ann", {200, 207})):
            members(names)
            for method, path in (("GET", "/svn/trunk/alpha.txt"),
                                 ("GET", "/svn/!svn/rvr/3/trunk/a.txt"),
                                 ("PROPFIND", "/svn/trunk")):
                answer = server.request(method, path, headers=dict(
                    LOGIN, Depth="0"), connection=kept)
                assert answer.status in statuses
        kept.close()


# ---- working copies of many revisions ----

def test_a_mixed_working_copy_is_updated(event, small, folder):
    client = harness.Client(folder)
    wc = os.path.join(folder, "wc")
    client.out("checkout", "-q", "-r", "12", event.base + "/small/trunk", wc)
    names = sorted(os.path.join(top, name)
                   for top, dirs, files in os.walk(wc) if ".svn" not in top
                   for name in files)
    for number, name in enumerate(names):
        client.out("update", "-q", "-r", str(8 + number % 5), name + "@",
                   cwd=wc)
    assert "M" not in client.out("status", wc)
    client.out("update", "-q", wc)
    client.out("export", "-q", "file://%s/trunk" % small,
               os.path.join(folder, "is"))
    assert harness.tree(wc) == harness.tree(os.path.join(folder, "is"))


# ---- what comes first leaves first ----

def chunks(server, path, body, *headers):
    """The chunks of an answer as the server made them."""
    with socket.create_connection(("127.0.0.1", server.port), 60) as sock:
        sock.sendall(("\r\n".join(
            ["REPORT %s HTTP/1.1" % path, "Host: x", "Connection: close",
             "Content-Length: %d" % len(body)] + list(headers)
            + ["", body])).encode())
        stream = sock.makefile("rb")
        assert stream.readline().startswith(b"HTTP/1.1 200 ")
        while stream.readline() != b"\r\n":
            pass
        while size := int(stream.readline(), 16):
            yield stream.read(size)
            stream.readline()


@pytest.fixture(scope="module")
def streaming(work, wide):
    with harness.Httpd(os.path.join(work, "streaming"), "event", "\n".join([
            harness.location("/plain", wide),
            harness.location("/packed", wide, "SetOutputFilter DEFLATE")]),
            modules=MODULES) as server:
        yield server


@pytest.mark.skipif(harness.PEER, reason="waits for the fourth")
@pytest.mark.parametrize("location", ["/plain", "/packed"])
@pytest.mark.parametrize("path,items", [("trunk/b", 4), ("trunk", LAST)])
def test_each_early_entry_of_a_log_leaves_by_itself(path, items, location,
                                                    streaming):
    unpack = zlib.decompressobj(31) if location == "/packed" else None
    seen = []  # entries complete after each chunk
    text = b""
    for chunk in chunks(streaming, "%s/!svn/rvr/%d/" % (location, LAST),
                        log(LAST, 0, path), "Accept-Encoding: gzip"):
        text += unpack.decompress(chunk) if unpack else chunk
        seen.append(text.count(b"</S:log-item>"))
    assert text.count(b"</S:log-item>") == items
    assert 1 in seen
    assert len(set(seen) - {0, items}) >= (1 if items < 10 else 2)


# ---- names ----

@pytest.mark.skipif(harness.PEER, reason="escapes the name twice in lists")
def test_an_author_with_markup_is_escaped_once_in_each_answer(streaming):
    shown = b"a&lt;b&amp;c<"
    rev = "/plain/!svn/rvr/1/trunk"
    answers = {
        "list": streaming.report(rev, '<S:list-report xmlns:S="svn:"><S:path/>'
                                 "<S:revision>1</S:revision><S:depth>empty"
                                 "</S:depth><S:prop>DAV:creator-displayname"
                                 "</S:prop></S:list-report>"),
        "log": streaming.report(rev, log(1, 1, "")),
        "blame": streaming.report(
            rev + "/a/f", '<S:file-revs-report xmlns:S="svn:">'
            "<S:start-revision>1</S:start-revision><S:end-revision>1"
            "</S:end-revision><S:path/></S:file-revs-report>"),
        "node": streaming.request("PROPFIND", rev, headers={"Depth": "0"}),
        "revision": streaming.request("PROPFIND", "/plain/!svn/rev/1",
                                      headers={"Depth": "0"}),
    }
    for name, answer in answers.items():
        assert answer.status in (200, 207)
        assert shown in answer.body, name
        assert b"&amp;lt;" not in answer.body, name


# ---- the list of repositories ----

@pytest.fixture(scope="module")
def parent(work, small):
    """1,000 folders, of which some are repositories."""
    path = os.path.join(work, "thousand")
    for number in range(1000):
        os.makedirs(os.path.join(path, "r%04d" % number))
    for number in (0, 500, 999):
        os.rmdir(os.path.join(path, "r%04d" % number))
        os.symlink(small, os.path.join(path, "r%04d" % number))
    return path


LISTING = harness.directive("ListParentPath", "on")

LOCK = ('<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>'
        "<locktype><write/></locktype></lockinfo>")


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn answers 500 to most")
@pytest.mark.parametrize("more", ["", TELLING], ids=["unchecked", "checked"])
@pytest.mark.parametrize("shown", [True, False])
def test_the_list_of_repositories_can_be_mounted(shown, more, parent, folder):
    config = harness.location("/list", parent, *([LISTING] if shown else []),
                              parent=True) + "\n" + more
    with harness.Httpd(folder, config=config) as server:
        for path in ("/list/", "/list"):
            assert server.request("OPTIONS", path).status == 200
            for depth, count in (("0", 1), ("1", 1001)):
                answer = server.request("PROPFIND", path,
                                        headers={"Depth": depth})
                if not shown:
                    assert answer.status == 403
                    continue
                assert answer.status == 207
                found = answer.properties()
                assert len(found) == count
                for props in found.values():
                    kind = props["DAV:resourcetype"][1]
                    assert [c.name for c in kind.children] == [
                        "DAV:collection"]
            for method, body in (("PUT", "x"), ("DELETE", None),
                                 ("LOCK", LOCK), ("MKCOL", None),
                                 ("PROPPATCH", None)):
                answer = server.request(method, path, body)
                assert answer.status == 405, method
                assert set(answer.header("Allow").split(",")) == {
                    "OPTIONS", "GET", "HEAD", "PROPFIND"}
            assert server.report(path, log(1, 0, "")).status in (403, 405)
        assert server.request("HEAD", "/list/").status == (
            200 if shown else 403)


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn takes longer")
@pytest.mark.parametrize("hide", ["", '<LocationMatch "^/list/r0([0-4]|500)">'
                                  "\nRequire all denied\n</LocationMatch>"],
                         ids=["all", "some"])
def test_a_list_of_a_thousand_repositories_is_short_work(hide, parent, folder):
    config = harness.location("/list", parent, LISTING,
                              parent=True) + "\n" + hide
    count = 499 if hide else 1000
    with harness.Httpd(folder, "prefork", config, single=True) as server:
        (pid,) = server.children()
        before = harness.cpu_seconds(pid)
        for _ in range(5):
            answer = server.request("GET", "/list/")
            assert len(re.findall(rb'<a href="r\d+/"', answer.body)) == count
            answer = server.request("PROPFIND", "/list/",
                                    headers={"Depth": "1"})
            assert len(answer.properties()) == count + 1
        assert harness.cpu_seconds(pid) - before < 10 * 0.2


def writable_copy(folder, source):
    """A copy of a repository that the server may write to."""
    path = os.path.join(folder, "writable")
    shutil.copytree(source, path)
    harness.writable(path)
    return path


@pytest.mark.skipif(harness.PEER, reason="mod_dav_svn copies into its own "
                    "repository whatever host is named")
def test_a_copy_goes_to_the_server_that_is_named(folder, small):
    """F15: behind a proxy that ends TLS; a path alone; another host."""
    path = writable_copy(folder, small)
    with harness.Httpd(os.path.join(folder, "httpd"), "event",
                       harness.location("/r", path)) as server:
        session = commit_requests.Session(server, "/r", user=None)
        for number, (start, status, more) in enumerate((
                ("https://127.0.0.1", 201, {}), ("", 201, {}),
                ("http://127.0.0.1:%d" % server.port, 201, {}),
                ("https://public.example", 201,
                 {"X-Forwarded-Host": "public.example"}),
                ("http://another.example", 502, {}))):
            txn = session.begin(svn_log="copy")
            target = "/copy-%d" % number
            answer = session.ask("COPY", "/trunk", Destination="%s/r/!svn/txr/"
                                 "%s%s" % (start, txn, target), **more)
            assert answer.status == status, (start, answer.body)
            if status == 502:
                assert b"another.example" in answer.body
            found = session.ask("GET", "/!svn/txr/%s%s" % (txn, target))
            assert (found.status == 404) == (status == 502)


def test_a_long_message_and_a_long_property_are_taken(folder, small):
    """F04: 1.2 MB of each come back byte for byte."""
    path = writable_copy(folder, small)
    client = harness.Client(folder)
    text = os.path.join(folder, "text")
    value = "a line of the message\n" * 57000
    with open(text, "w") as out:
        out.write(value)
    server = harness.Httpd(os.path.join(folder, "httpd"), "prefork",
                           harness.location("/r", path))
    with server:
        done = client.run("-F", text, "--root-url", server.base + "/r",
                          "propsetf", "long", text, "trunk",
                          program="svnmucc", check=not harness.PEER)
        if harness.PEER:
            assert done.returncode
            return
        assert client.out("log", "-l1", "--xml", server.base + "/r").count(
            "a line of the message\n") == 57000
        assert client.out("propget", "--strict", "long",
                          server.base + "/r/trunk") == value


@pytest.mark.parametrize("harm", ["locked", "truncated", "removed", "noise"])
def test_the_representation_cache_stops_no_commit(folder, small, harm):
    """F24: whatever happened to it, a commit is quick and says nothing."""
    path = writable_copy(folder, small)
    cache = os.path.join(path, "db", "rep-cache.db")
    client = harness.Client(folder)
    held = sqlite3.connect(cache)
    if harm == "locked":
        held.execute("BEGIN")
        held.execute("SELECT count(*) FROM rep_cache").fetchone()
    elif harm == "removed":
        os.unlink(cache)
    else:
        with open(cache, "r+b") as out:
            out.truncate(100 if harm == "truncated" else 4096)
            if harm == "noise":
                out.write(b"\x5a" * 4096)
    server = harness.Httpd(os.path.join(folder, "httpd"), "prefork",
                           harness.location("/r", path))
    with server:
        before = time.monotonic()
        done = client.run("-m", "m", "--root-url", server.base + "/r", "put",
                          "/proc/version", "trunk/new", program="svnmucc")
        held.close()
        if not harness.PEER:
            assert not done.stderr, done.stderr
            assert time.monotonic() - before < 5
