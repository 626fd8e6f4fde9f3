# SPDX-License-Identifier: Apache-2.0
"""What httpd's own sections hide stays hidden in every kind of answer."""

import os

import pytest

import harness

#: In names, texts, properties and messages of what is hidden.
MARK = "HIDDENMARK"

DENY = "Require all denied"

BODY = '<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>'

#: Ways to hide /svn/.../secret.
SECTIONS = {
    "LocationMatch": '<LocationMatch "secret">\n%s\n</LocationMatch>' % DENY,
    "If": '<If "%%{REQUEST_URI} =~ m#secret#">\n%s\n</If>' % DENY,
    "a pattern": "<Location ~ secret>\n%s\n</Location>" % DENY,
    "a quoted pattern": '<Location "~" "secret">\n%s\n</Location>' % DENY,
    "Require expr": "<Location /svn>\n"
                    "Require expr %{REQUEST_URI} !~ /secret/\n</Location>",
    "RewriteRule": "LoadModule rewrite_module %s/mod_rewrite.so\n"
                   "RewriteEngine on\nRewriteRule secret - [F]"
                   % harness.apxs("LIBEXECDIR"),
}

#: Sections that match public URLs only, so not those with a revision.
NESTED = {
    "Location": "<Location /svn/secret>\n%s\n</Location>" % DENY,
    "a quoted Location": '<Location "/svn/secret">\n%s\n</Location>' % DENY,
    "a single quoted Location":
        "<Location '/svn/secret'>\n%s\n</Location>" % DENY,
    "a Location with spaces": "<Location   /svn/secret  >\n%s\n</Location>"
                              % DENY,
}


@pytest.fixture(scope="module")
def path(work):
    """A repository with a part that is to be hidden, the last of its names."""
    path = os.path.join(work, "hidden")
    url = "file://" + path
    client = harness.Client(os.path.join(work, "hidden-config"))
    harness.run(["svnadmin", "create", path])

    def text(content):
        name = os.path.join(work, "hidden-text-%d" % len(content))
        with open(name, "w") as out:
            out.write(content)
        return name

    def commit(message, *actions):
        client.run("-m", message, "--root-url", url, *actions,
                   program="svnmucc")

    commit("layout", "mkdir", "pub", "mkdir", "secret",
           "put", text("open\n"), "pub/a.txt",
           "put", text("open too\n"), "pub/b.txt")
    commit(MARK, "put", text(MARK + "\n"), "secret/%s.txt" % MARK,
           "propset", MARK, "v", "secret", "mkdir", "secret/sub",
           "put", text(MARK + " two\n"), "secret/sub/f")
    commit("a copy out of what is hidden",
           "cp", "2", "secret/%s.txt" % MARK, "pub/copy.txt",
           "put", text("open\nmore\n"), "pub/a.txt")
    commit("mixed " + MARK, "put", text("open\nmore\nlines\n"), "pub/a.txt",
           "put", text(MARK + " three\n"), "secret/%s.txt" % MARK,
           "propset", "svn:mergeinfo", "/secret/%s.txt:2" % MARK, "secret")
    client.run("lock", "--username", "ann", "-m", MARK,
               url + "/secret/%s.txt" % MARK)
    harness.readable(path)
    return path


@pytest.fixture(scope="module", params=SECTIONS)
def server(request, work, path):
    folder = os.path.join(work, "hidden-" + "".join(
        c for c in request.param if c.isalnum()))
    config = harness.location("/svn", path) + "\n" + SECTIONS[request.param]
    with harness.Httpd(folder, config=config) as httpd:
        yield httpd


def report(name, inner, attributes=""):
    return ('<S:%s xmlns:S="svn:" xmlns:D="DAV:"%s>%s</S:%s>'
            % (name, attributes, inner, name))


def update(attributes, first='<S:entry rev="0" start-empty="true"/>'):
    return report("update-report",
                  "<S:src-path>/svn</S:src-path><S:depth>infinity</S:depth>"
                  "<S:include-props>yes</S:include-props>" + first,
                  attributes)


#: name: (path, body) of a REPORT about what is not hidden.
REPORTS = {
    "log": ("/svn/!svn/rvr/4/", report(
        "log-report", "<S:start-revision>4</S:start-revision>"
        "<S:end-revision>0</S:end-revision><S:discover-changed-paths/>"
        "<S:all-revprops/><S:path/>")),
    "log of a copy": ("/svn/!svn/rvr/4/pub/copy.txt", report(
        "log-report", "<S:start-revision>4</S:start-revision>"
        "<S:end-revision>0</S:end-revision><S:discover-changed-paths/>"
        "<S:all-revprops/><S:path/>")),
    "list": ("/svn/!svn/rvr/4/", report(
        "list-report", "<S:path/><S:revision>4</S:revision>"
        "<S:depth>infinity</S:depth><S:prop>DAV:allprop</S:prop>")),
    "checkout": ("/svn/!svn/me", update("")),
    "bulk checkout": ("/svn/!svn/me", update(' send-all="true"')),
    "update": ("/svn/!svn/me", update(
        ' send-all="true"', '<S:entry rev="3"/>')),
    "blame": ("/svn/!svn/rvr/4/pub/copy.txt", report(
        "file-revs-report", "<S:start-revision>0</S:start-revision>"
        "<S:end-revision>4</S:end-revision><S:path/>")),
    "locations": ("/svn/!svn/rvr/4/", report(
        "get-locations", "<S:path>pub/copy.txt</S:path>"
        "<S:peg-revision>4</S:peg-revision>"
        "<S:location-revision>2</S:location-revision>")),
    "segments": ("/svn/!svn/rvr/4/", report(
        "get-location-segments", "<S:path>pub/copy.txt</S:path>"
        "<S:peg-revision>4</S:peg-revision>")),
    "replay": ("/svn/!svn/rev/4", report(
        "replay-report", "<S:low-water-mark>0</S:low-water-mark>")),
    "replay of the copy": ("/svn/!svn/rev/3", report(
        "replay-report", "<S:low-water-mark>0</S:low-water-mark>")),
    "mergeinfo": ("/svn/!svn/rvr/4/", report(
        "mergeinfo-report", "<S:revision>4</S:revision>"
        "<S:inherit>explicit</S:inherit>"
        "<S:include-descendants>yes</S:include-descendants><S:path/>")),
    "locks": ("/svn/", report("get-locks-report", "", ' depth="infinity"')),
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_leave_it_out(name, server):
    answer = server.report(*REPORTS[name])
    assert answer.status == 200
    # The text of the copy is not hidden; a delta does not show it as it is.
    shown = answer.body.replace(b'absent-directory name="secret"', b"")
    assert MARK.encode() not in shown
    assert b"secret" not in shown


@pytest.mark.parametrize("url", ["/svn/", "/svn/!svn/rvr/4/",
                                  "/svn/!svn/bc/4/", "/svn/!svn/ver/2/"])
def test_listings_leave_it_out(url, server):
    answer = server.request("PROPFIND", url, BODY, {"Depth": "1"})
    assert answer.status == 207
    assert b"secret" not in answer.body
    assert len(answer.properties()) == 2
    answer = server.request("GET", url)
    assert answer.status == 200
    assert b"secret" not in answer.body


@pytest.mark.parametrize("rev", [2, 4])
def test_revision_properties_are_hidden(rev, server):
    answer = server.request("PROPFIND", "/svn/!svn/rev/%d" % rev,
                            headers={"Depth": "0"})
    assert answer.status == 207
    assert MARK.encode() not in answer.body


@pytest.mark.parametrize("name", ["checkout", "export"])
def test_stock_clients_do_not_get_it(name, server, folder):
    target = os.path.join(folder, "target")
    out = harness.Client(folder).out(name, server.base + "/svn", target)
    assert MARK not in out
    assert not os.path.exists(os.path.join(target, "secret"))
    assert os.path.exists(os.path.join(target, "pub", "b.txt"))


@pytest.mark.parametrize("args", [["ls", "-R", "-v"], ["log", "-v"]])
def test_stock_clients_do_not_see_it(args, server, folder):
    out = harness.Client(folder).out(*args, server.base + "/svn")
    assert "secret" not in out and MARK not in out


#: Reports about a path that is hidden; P stands for it.
PAIRS = {
    "list": report("list-report", "<S:path>P</S:path>"
                   "<S:revision>4</S:revision><S:depth>infinity</S:depth>"),
    "inherited": report("inherited-props-report", "<S:path>P</S:path>"
                        "<S:revision>4</S:revision>"),
    "log": report("log-report", "<S:start-revision>4</S:start-revision>"
                  "<S:end-revision>0</S:end-revision><S:path>P</S:path>"),
    "locations": report("get-locations", "<S:path>P</S:path>"
                        "<S:peg-revision>4</S:peg-revision>"
                        "<S:location-revision>2</S:location-revision>"),
    "segments": report("get-location-segments", "<S:path>P</S:path>"
                       "<S:peg-revision>4</S:peg-revision>"),
    "blame": report("file-revs-report", "<S:path>P</S:path>"
                    "<S:start-revision>0</S:start-revision>"
                    "<S:end-revision>4</S:end-revision>"),
    "mergeinfo": report("mergeinfo-report", "<S:path>P</S:path>"
                        "<S:revision>4</S:revision>"
                        "<S:inherit>inherited</S:inherit>"),
    "deleted": report("get-deleted-rev-report", "<S:path>P</S:path>"
                      "<S:peg-revision>2</S:peg-revision>"
                      "<S:end-revision>4</S:end-revision>"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_hidden_and_missing_look_alike(name, server):
    answers = []
    for path in ("secret/%s.txt" % MARK, "secret/%s.bin" % MARK):
        answer = server.report("/svn/!svn/rvr/4/",
                               PAIRS[name].replace("P<", path + "<"))
        answers.append((answer.status,
                        answer.body.replace(path.encode(), b"P")))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", NESTED)
def test_a_section_within_the_location_counts(name, work, path, folder):
    config = harness.location("/svn", path) + "\n" + NESTED[name]
    with harness.Httpd(os.path.join(folder, "httpd"),
                       config=config) as server:
        assert server.request("GET", "/svn/secret/").status == 403
        answer = server.request("PROPFIND", "/svn/", BODY, {"Depth": "1"})
        assert answer.status == 207
        shown = set(answer.properties())
    peer = harness.location("/svn", path, peer=True) + "\n" + NESTED[name]
    with harness.Httpd(os.path.join(folder, "peer"), config=peer,
                       peer=True) as server:
        answer = server.request("PROPFIND", "/svn/", BODY, {"Depth": "1"})
        assert set(answer.properties()) == shown


def test_a_section_within_a_location_with_a_space_counts(path, folder):
    config = (harness.location('"/my svn"', path)
              + '\n<Location "/my svn/secret">\n%s\n</Location>' % DENY)
    with harness.Httpd(os.path.join(folder, "httpd"),
                       config=config) as server:
        assert server.request("GET", "/my%20svn/secret/").status == 403
        answer = server.request("PROPFIND", "/my%20svn/", BODY, {"Depth": "1"})
        assert answer.status == 207
        assert "part of a location" in server.log()


@pytest.mark.parametrize("line", ["Redirect 403 /svn/secret",
                                  "RedirectMatch 403 secret"])
def test_redirects_of_a_part_count(line, path, folder):
    config = "\n".join(["LoadModule alias_module %s/mod_alias.so"
                        % harness.apxs("LIBEXECDIR"),
                        harness.location("/svn", path), line])
    with harness.Httpd(os.path.join(folder, "httpd"),
                       config=config) as server:
        assert server.request("GET", "/svn/secret/").status == 403
        assert server.request("GET", "/svn/pub/").status == 200


def test_an_alias_of_a_part_changes_nothing(path, folder):
    config = "\n".join(["LoadModule alias_module %s/mod_alias.so"
                        % harness.apxs("LIBEXECDIR"),
                        harness.location("/svn", path),
                        "Alias /svn/pub %s" % folder])
    with harness.Httpd(os.path.join(folder, "httpd"),
                       config=config) as server:
        answer = server.request("GET", "/svn/pub/b.txt")
        assert (answer.status, answer.body) == (200, b"open too\n")
