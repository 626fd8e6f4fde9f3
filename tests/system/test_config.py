# SPDX-License-Identifier: Apache-2.0
"""Directives, old names and module lines, life of the server, its log."""

import os
import re

import pytest

import harness

pytestmark = pytest.mark.skipif(
    harness.PEER, reason="about the module's own configuration")

#: New name, old name, values to accept, one that is wrong (or None), whether
#: it may stand in a location.
DIRECTIVES = [
    ("RepoListParentPath", "SVNListParentPath", ["on", "off"], "maybe", True),
    ("RepoSpecialURI", "SVNSpecialURI", ["!svn", "/a/b/", "x"], "/", False),
    ("RepoName", "SVNReposName", ["name", '"A & <b>"'], None, True),
    ("RepoIndexXSLT", "SVNIndexXSLT", ["/svnindex.xsl"], None, True),
    ("RepoAutoversioning", "SVNAutoversioning", ["on", "off"], "maybe",
     True),
    ("RepoActivitiesDB", "SVNActivitiesDB", ["/tmp", "below/root"], None,
     True),
    ("RepoHooksEnv", "SVNHooksEnv", ["hooks-env", "/etc/hooks-env"], None,
     True),
    ("RepoPathAuthz", "SVNPathAuthz", ["on", "off", "Off"], "sometimes", True),
    ("RepoAllowBulkUpdates", "SVNAllowBulkUpdates",
     ["on", "off", "prefer", "Prefer"], "never", True),
    ("RepoAdvertiseV2Protocol", "SVNAdvertiseV2Protocol", ["on", "off"],
     "maybe", True),
    ("RepoInMemoryCacheSize", "SVNInMemoryCacheSize", ["0", "16384"], "much",
     False),
    ("RepoCompressionLevel", "SVNCompressionLevel", ["0", "5", "9"], "10",
     False),
    ("RepoCacheTextDeltas", "SVNCacheTextDeltas", ["on", "off"], "x", True),
    ("RepoCacheFullTexts", "SVNCacheFullTexts", ["on", "off"], "x", True),
    ("RepoCacheRevProps", "SVNCacheRevProps", ["on", "off"], "x", True),
    ("RepoCacheNodeProps", "SVNCacheNodeProps", ["on", "off"], "x", True),
    ("RepoBlockRead", "SVNBlockRead", ["on", "off"], "x", True),
    ("RepoUseUTF8", "SVNUseUTF8", ["on", "off"], "x", False),
    ("RepoAuthzAuthoritative", "AuthzSVNAuthoritative", ["on"], "x", True),
    ("RepoAuthzAnonymous", "AuthzSVNAnonymous", ["on"], "x", True),
    ("RepoAuthzNoAuthWhenAnonymousAllowed",
     "AuthzSVNNoAuthWhenAnonymousAllowed", ["off"], "x", True),
    ("RepoDontDoThatDisallowReplay", "DontDoThatDisallowReplay",
     ["on", "off"], "x", True),
    ("RepoCache", None, ["process", "none"], "magic", False),
    ("RepoCacheSize", None, ["64M", "1048576", "1g"], "lots", False),
    ("RepoCacheSize", None, [], "9999999G", False),
    ("RepoLimitReportBody", None, ["1M"], "-1", True),
    ("RepoLimitReportEntries", None, ["1000"], "x", True),
    ("RepoLimitReportPaths", None, ["1000"], "0", True),
    ("RepoLimitXMLBody", None, ["1M"], "1X", True),
    ("RepoLimitXMLDepth", None, ["10"], "x", True),
    ("RepoLimitXMLAttributes", None, ["10"], "x", True),
    ("RepoLimitXMLNamespaces", None, ["10"], "x", True),
    ("RepoLimitXMLText", None, ["1K"], "x", True),
    ("RepoLimitPropertyNames", None, ["10"], "x", True),
    ("RepoLimitPostBody", None, ["1K"], "-1", True),
    ("RepoHookTimeout", None, ["1", "86400"], "86401", True),
]
NAMES = [(name, values, wrong, here)
         for new, old, values, wrong, here in DIRECTIVES
         for name in (new, old) if name]

#: What this version does not do: refused, never ignored.
REFUSED = [
    ("RepoMasterURI", "SVNMasterURI", "http://127.0.0.1/r"),
    ("RepoMasterVersion", "SVNMasterVersion", "1.8.0"),
    ("RepoPathAuthz", "SVNPathAuthz", "short_circuit"),
    ("RepoAuthzAccessFile", "AuthzSVNAccessFile", "/etc/access"),
    ("RepoAuthzReposRelativeAccessFile", "AuthzSVNReposRelativeAccessFile",
     "authz"),
    ("RepoAuthzGroupsFile", "AuthzSVNGroupsFile", "/etc/groups"),
    ("RepoAuthzForceUsernameCase", "AuthzForceUsernameCase", "Lower"),
    ("RepoAuthzAuthoritative", "AuthzSVNAuthoritative", "off"),
    ("RepoAuthzAnonymous", "AuthzSVNAnonymous", "off"),
    ("RepoAuthzNoAuthWhenAnonymousAllowed",
     "AuthzSVNNoAuthWhenAnonymousAllowed", "on"),
    ("RepoDontDoThatConfigFile", "DontDoThatConfigFile", "/etc/dontdothat"),
]


def configtest(folder, config, small="/nowhere"):
    """(accepted, message) of a configuration."""
    done = harness.Httpd(folder, "event", config).configtest()
    return done.returncode == 0, done.stderr


def with_directive(line, here):
    if here:
        return harness.location("/r", "/nowhere", line)
    return line + "\n" + harness.location("/r", "/nowhere")


@pytest.mark.parametrize("name,values,wrong,here", NAMES,
                         ids=[n[0] for n in NAMES])
def test_directive_is_accepted(name, values, wrong, here, folder):
    for value in values:
        accepted, message = configtest(
            folder, with_directive("%s %s" % (name, value), here))
        assert accepted, message


@pytest.mark.parametrize(
    "name,wrong,here", [(n, w, h) for n, _, w, h in NAMES if w],
    ids=[n[0] for n in NAMES if n[2]])
def test_wrong_value_is_refused_by_name(name, wrong, here, folder):
    accepted, message = configtest(
        folder, with_directive("%s %s" % (name, wrong), here))
    assert not accepted
    assert name in message
    if "On or Off" not in message:  # httpd's own words for switches
        assert "'%s'" % wrong in message


@pytest.mark.parametrize("name,value", [
    (name, value) for *names, value in REFUSED for name in names])
def test_what_is_not_built_is_refused(name, value, folder):
    accepted, message = configtest(
        folder, with_directive("%s %s" % (name, value), True))
    assert not accepted
    assert name in message and "does not have" in message


@pytest.mark.parametrize("lines", [
    ["RepoPath /a", "RepoParentPath /b"], ["RepoParentPath /b", "RepoPath /a"],
    ["SVNPath /a", "SVNParentPath /b"], ["SVNParentPath /b", "SVNPath /a"]])
def test_one_repository_and_many_exclude_each_other(lines, folder):
    accepted, message = configtest(
        folder, "<Location /r>\nDAV repo\n%s\n</Location>" % "\n".join(lines))
    assert not accepted
    assert "stands beside" in message


def test_unknown_option_of_the_store_is_refused(folder):
    accepted, message = configtest(folder, "RepoOption no-such-key 1")
    assert not accepted
    assert "no-such-key" in message


@pytest.mark.parametrize("key,value", [
    ("compression", "bzip2"), ("nosync", "maybe"), ("block-size", "many"),
    ("compatible-version", "two")])
def test_wrong_value_of_an_option_is_refused(key, value, folder):
    accepted, message = configtest(folder, "RepoOption %s %s" % (key, value))
    assert not accepted
    assert "'%s'" % key in message and "'%s'" % value in message


def test_location_without_repository_says_so(folder):
    server = harness.Httpd(folder, "event",
                           "<Location /r>\nDAV repo\n</Location>")
    if server.configtest().returncode != 0:
        return  # as good
    with server:
        answer = server.request("GET", "/r/")
        assert answer.status == 500
        assert answer.errcode() == 190000


# ---- old configurations ----

SVN_LINE = "LoadModule dav_svn_module %s"
AUTHZ_LINE = "LoadModule authz_svn_module %s"
BLOCK_LINE = "LoadModule dontdothat_module %s"
REPO_LINE = "LoadModule repo_module %s"


@pytest.mark.parametrize("lines", [
    [SVN_LINE], [REPO_LINE], [SVN_LINE, AUTHZ_LINE], [AUTHZ_LINE, SVN_LINE],
    [AUTHZ_LINE], [REPO_LINE, SVN_LINE, AUTHZ_LINE],
    [SVN_LINE, AUTHZ_LINE, BLOCK_LINE], [BLOCK_LINE, SVN_LINE, REPO_LINE],
], ids=lambda lines: "+".join(line.split()[1] for line in lines))
@pytest.mark.parametrize("name", ["svn", "repo"])
def test_module_lines(lines, name, folder, small):
    load = [line % harness.our_module() for line in lines]
    config = '<Location /r>\nDAV %s\nSVNPath "%s"\n</Location>' % (name, small)
    with harness.Httpd(folder, "event", config, load=load) as server:
        answer = server.request("GET", "/r/trunk/lib/b.c")
        assert answer.status == 200
        assert answer.body == b"beta\nbranch\n"
        assert "mod_repo/" in answer.header("Server")


@pytest.mark.parametrize("guard,line", [
    ("mod_dav_svn.c", SVN_LINE), ("mod_authz_svn.c", AUTHZ_LINE),
    ("dav_svn_module", SVN_LINE), ("authz_svn_module", AUTHZ_LINE)])
def test_guarded_sections_count(guard, line, folder, small):
    config = ("<IfModule %s>\n%s\n</IfModule>" % (
        guard, harness.location("/r", small)))
    load = [REPO_LINE % harness.our_module(), line % harness.our_module()]
    with harness.Httpd(folder, "event", config, load=load) as server:
        assert server.request("GET", "/r/trunk/lib/b.c").status == 200


@pytest.mark.parametrize("guard", ["mod_dav_svn.c", "mod_authz_svn.c"])
def test_guarded_sections_count_with_an_old_line_alone(guard, folder, small):
    config = (harness.location("/r", small)
              + "\n<IfModule %s>\nHeader set X-Guarded yes\n</IfModule>"
              % guard)
    line = SVN_LINE if "dav" in guard else AUTHZ_LINE
    with harness.Httpd(folder, "event", config, modules=["headers"],
                       load=[line % harness.our_module()]) as server:
        answer = server.request("GET", "/r/trunk/lib/b.c")
        assert answer.header("X-Guarded") == "yes"


@pytest.mark.parametrize("ours_first", [True, False])
def test_side_by_side_with_mod_dav_svn(ours_first, folder, small):
    load = [REPO_LINE % harness.our_module(),
            SVN_LINE % harness.peer_module()]
    if not ours_first:
        load.reverse()
    config = "\n".join([
        harness.location("/ours", small, "SVNAllowBulkUpdates prefer",
                         peer=False),
        harness.location("/peer", small, "SVNAutoversioning on",
                         "SVNAllowBulkUpdates off", peer=True)])
    body = ('<D:options xmlns:D="DAV:"><D:activity-collection-set/>'
            "</D:options>")
    with harness.Httpd(folder, "event", config, load=load) as server:
        texts = [server.request("GET", path + "/trunk/alpha.txt")
                 for path in ("/ours", "/peer")]
        assert [t.status for t in texts] == [200, 200]
        assert texts[0].body == texts[1].body
        ours = server.request("OPTIONS", "/ours", body)
        peer = server.request("OPTIONS", "/peer", body)
        assert ours.header("SVN-Allow-Bulk-Updates") == "Prefer"
        assert peer.header("SVN-Allow-Bulk-Updates") == "Off"
        part = {"Range": "bytes=0-3"}
        assert server.request("GET", "/ours/trunk/alpha.txt",
                              headers=part).status == 206
        assert server.request("GET", "/peer/trunk/alpha.txt",
                              headers=part).status == 200


def test_an_old_directive_for_the_other_module_is_not_refused(folder, small):
    load = [REPO_LINE % harness.our_module(),
            SVN_LINE % harness.peer_module()]
    config = harness.location("/peer", small, "SVNHooksEnv env", peer=True)
    server = harness.Httpd(folder, "event", config, load=load)
    done = server.configtest()
    assert done.returncode == 0, done.stderr


# ---- life ----

@pytest.mark.parametrize("mpm", harness.MPMS)
def test_graceful_restarts_keep_serving(mpm, folder, small):
    with harness.Httpd(folder, mpm, harness.location("/r", small)) as server:
        # Before that the parent takes no signals.
        server.wait_for_log("resuming normal operations")
        for number in range(3):
            seen = len(server.log())
            before = set(server.children())
            server.graceful()
            server.wait_for_log("resuming normal operations", seen)
            assert server.request("GET", "/r/trunk/lib/b.c").status == 200
            harness.wait_until(
                lambda: set(server.children()) - before, 10,
                "no new children after restart %d" % number)
            assert server.request("GET", "/r/trunk/lib/b.c").status == 200


def test_graceful_restart_takes_new_settings(folder, small):
    server = harness.Httpd(folder, "event", harness.location("/r", small))
    with server:
        server.wait_for_log("resuming normal operations")
        assert server.request("GET", "/new/trunk/lib/b.c").status == 404
        server.config += "\n" + harness.location("/new", small)
        server.write_config()
        server.graceful()
        harness.wait_until(
            lambda: server.request("GET", "/new/trunk/lib/b.c").status == 200,
            10, "the new location is not served")


def test_special_uri_of_our_own(folder, small):
    config = "RepoSpecialURI /my/own/\n" + harness.location("/r", small)
    client = harness.Client(folder)
    with harness.Httpd(folder + "/httpd", "event", config) as server:
        out = client.out("ls", "-v", server.base + "/r/trunk")
        assert "alpha.txt" in out
        wc = os.path.join(folder, "wc")
        client.run("checkout", "-q", server.base + "/r", wc)
        assert "/r/my/own/rvr/" in open(server.access_log).read()
        assert server.request("GET", "/r/!svn/rvr/1/").status == 404


def test_repository_at_the_root_of_the_server(folder, small):
    client = harness.Client(folder)
    with harness.Httpd(folder + "/httpd", "event",
                       harness.location("/", small)) as server:
        assert "alpha.txt" in client.out("ls", "-v", server.base + "/trunk")
        wc = os.path.join(folder, "wc")
        client.run("checkout", "-q", server.base + "/", wc)
        client.run("update", "-q", "-r", "3", wc)
        answer = server.request("GET", "/trunk/")
        assert answer.status == 200


@pytest.mark.parametrize("limit,status", [("RepoLimitReportBody 1K", 413),
                                          ("RepoLimitReportEntries 3", 413)])
def test_limits_on_reports_name_their_directive(limit, status, folder, small):
    body = ('<S:update-report xmlns:S="svn:"><S:src-path>/r</S:src-path>'
            '<S:entry rev="3"/>%s</S:update-report>' % "".join(
                '<S:entry rev="3">none%d</S:entry>' % i for i in range(100)))
    with harness.Httpd(folder, "event",
                       harness.location("/r", small, limit)) as server:
        answer = server.report("/r/!svn/me", body)
        assert answer.status == status
        assert limit.split()[0].encode() in answer.body


# ---- the operational log ----

def client_work(client, base, folder):
    """One of each operation; {U} was the repository."""
    url, wc = base + "/small", os.path.join(folder, "wc")
    for command in (
            ["checkout", "-q", "-r", "9", url + "/trunk", wc],
            ["update", "-q", "-r", "12", wc],
            ["update", "-q", "--depth", "files", wc],
            ["switch", "-q", "--ignore-ancestry", url + "/branches/b1", wc],
            ["status", "-u", wc],
            ["diff", "-r", "2:9", url + "/trunk"],
            ["diff", "--summarize", url + "/trunk@9", url + "/tags/t1@9"],
            ["log", url + "/trunk"],
            ["log", "-v", "-l", "2", "--stop-on-copy", url],
            ["log", "-g", url + "/trunk"],
            ["log", "--with-revprop", "x", "--with-revprop", "svn:author",
             "--xml", url],
            ["log", "--with-all-revprops", "--xml", url],
            ["blame", url + "/trunk/alpha.txt"],
            ["blame", "-g", url + "/trunk/lib/n.c"],
            ["ls", "-v", url + "/trunk"], ["ls", "-R", url],
            ["ls", "--search", "*.c", "-R", url],
            ["cat", url + "/trunk/alpha.txt"],
            ["cat", url + "/trunk/manual/read me & more.txt@9"],
            ["proplist", "-v", url + "/trunk"],
            ["proplist", "-R", url + "/trunk/lib"],
            ["proplist", "--revprop", "-r", "2", url],
            ["propget", "--show-inherited-props", "svn:ignore",
             url + "/trunk/lib"],
            ["info", url + "/trunk"],
            ["mergeinfo", url + "/branches/b1", url + "/trunk"],
            ["export", "-q", "--force", url + "/tags/t1", wc + "-export"]):
        client.run(*command)


def actions(server):
    """The SVN-ACTION of each request."""
    found = []
    with open(server.access_log) as inp:
        for line in inp:
            action = re.search(r'" \d+ \S+ (.*)$', line).group(1)
            # The client names revision properties in any order.
            action = re.sub(
                r"revprops=\(([^)]*)\)", lambda m: "revprops=" + " ".join(
                    sorted(m.group(1).split())), action)
            if action != "-":
                found.append(action)
    return found


@pytest.mark.parametrize("bulk", ["prefer", "on"])
def test_operational_log_equals_that_of_mod_dav_svn(bulk, folder, small):
    found = []
    for peer in (False, True):
        place = os.path.join(folder, "peer" if peer else "ours")
        os.makedirs(place)
        config = harness.location(
            "/small", small, harness.directive(
                "AllowBulkUpdates", bulk, peer=peer), peer=peer)
        client = harness.Client(place, http_max_connections="2")
        with harness.Httpd(os.path.join(place, "httpd"), "event", config,
                           peer=peer) as server:
            client_work(client, server.base, place)
        found.append(sorted(actions(server)))
    assert found[0] == found[1]
    assert len(found[0]) > 40
