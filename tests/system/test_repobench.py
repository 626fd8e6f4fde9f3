# SPDX-License-Identifier: Apache-2.0
"""repobench: its counts are those of stock clients; failures are told."""

import json
import os
import subprocess

import harness
import pytest

PROGRAM = os.path.join(harness.BUILD, "tools", "repobench", "repobench")
pytestmark = pytest.mark.skipif(
    not os.path.exists(PROGRAM), reason="repobench was not built (no serf)")


def bench(*args):
    """The result of a run as a dictionary."""
    return json.loads(harness.run([PROGRAM, *args, "--json"]).stdout)


def refused(*args):
    """What a run that has to fail says."""
    done = harness.run([PROGRAM, *args], check=False)
    assert done.returncode == 1, done
    assert done.stdout == b""
    return done.stderr.decode()


def names(client, url):
    """All paths below a URL; directories end in a slash."""
    return client.out("ls", "-R", url).splitlines()


def log_count(client, *args):
    """How many revisions the stock client's log tells."""
    lines = client.out("log", "-q", *args).splitlines()
    return sum(line.startswith("r") for line in lines)


@pytest.fixture(scope="module")
def client(work):
    folder = os.path.join(work, "repobench-client")
    os.makedirs(folder)
    return harness.Client(folder)


@pytest.fixture(params=["server", "direct"])
def target(request, event, small):
    """The same repository through a server and without one."""
    if request.param == "direct":
        return small
    return event.base + "/small"


def test_export_fetches_every_file(target, client, event):
    url = event.base + "/small/trunk"
    files = [name for name in names(client, url) if not name.endswith("/")]
    size = sum(len(client.run("cat", url + "/" + name + "@").stdout)
               for name in files)
    for option in [], ["--bulk"]:
        got = bench("null-export", target, "trunk", *option)
        assert got["items"] == len(files)
        assert got["operations"] == 1
        assert got["content"] > size // 2
    assert bench("null-export", target, "trunk")["content"] >= size


def test_export_of_an_old_revision(target, client, event):
    url = event.base + "/small/trunk@1"
    files = [name for name in names(client, url) if not name.endswith("/")]
    assert bench("null-export", target, "trunk", "-r", "1")["items"] == len(
        files)


def test_export_sends_one_request_a_file(event, client):
    url = event.base + "/small/trunk"
    got = bench("null-export", url)
    assert got["requests"] == got["items"] + 2
    assert bench("null-export", url, "--bulk")["requests"] == 2


@pytest.mark.parametrize("path", ["", "trunk", "trunk/alpha.txt"])
def test_log_tells_the_stock_clients_revisions(target, client, event, path):
    url = event.base + "/small/" + path
    expected = log_count(client, url)
    if not path:
        expected += 1  # revision 0, which the stock client does not show
    assert bench("null-log", target, path)["items"] == expected
    verbose = bench("null-log", target, path, "-v")
    assert verbose["items"] == expected
    quiet = bench("null-log", target, path, "-q")
    assert quiet["content"] < verbose["content"]
    assert bench("null-log", target, path, "-l", "2")["items"] == 2


def test_log_with_merged_revisions(target):
    plain = bench("null-log", target, "trunk")["items"]
    assert bench("null-log", target, "trunk", "-g")["items"] > plain


def test_list_counts_entries_and_the_directory(target, client, event):
    url = event.base + "/small/trunk"
    below = names(client, url)
    top = client.out("ls", url).splitlines()
    assert bench("null-list", target, "trunk", "-R", "-v")["items"] == len(
        below) + 1
    assert bench("null-list", target, "trunk")["items"] == len(top) + 1
    assert bench("null-list", target, "trunk", "--depth", "empty")[
        "items"] == 1


def test_blame_counts_versions(target, client, event):
    url = event.base + "/small/trunk/alpha.txt"
    assert bench("null-blame", target, "trunk/alpha.txt")[
        "items"] == log_count(client, url)


def test_propfind_counts_nodes(target, client, event):
    top = client.out("ls", event.base + "/small/trunk").splitlines()
    assert bench("propfind", target, "trunk")["items"] == 1
    assert bench("propfind", target, "trunk", "--depth", "1")[
        "items"] == len(top) + 1


def test_get_counts_what_each_client_repeats(target):
    got = bench("get", target, "trunk/alpha.txt", "trunk/lib/b.c", "-c", "3",
                "-n", "4")
    assert got["operations"] == 12
    assert got["items"] == 24
    assert got["clients"] == 3
    latency = got["operation"]
    assert latency["count"] == 12
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"]
    assert latency["p99"] <= latency["max"] <= got["elapsed"]


def test_paths_are_encoded(target):
    for path in "trunk/manual/100%;#x.txt", "trunk/manual/\u00e4\u00f6\u00fc.txt":
        assert bench("get", target, path)["items"] == 1


def test_options_open_a_session(target):
    assert bench("options", target, "-n", "5")["operations"] == 5


def test_closed_connections_lose_no_request(folder, small):
    server = harness.Httpd(
        folder, "event",
        "MaxKeepAliveRequests 3\n" + harness.location("/small", small))
    with server:
        got = bench("null-export", server.base + "/small", "-n", "3")
        assert got["connections"] > 4
    assert got["items"] == 3 * bench("null-export", small)["items"]


def test_user_and_password_come_from_the_url(folder, small):
    users = os.path.join(folder, "users")
    server = harness.Httpd(
        folder, "event",
        harness.location("/small", small, "AuthType Basic", "AuthName x",
                         'AuthUserFile "%s"' % users, "Require valid-user"),
        modules=["auth_basic", "authn_file", "authz_user"])
    subprocess.run(["htpasswd", "-bc", users, "ann", "secret"], check=True,
                   capture_output=True)
    os.chmod(users, 0o644)
    with server:
        known = server.base.replace("//", "//ann:secret@") + "/small"
        wrong = server.base.replace("//", "//ann:wrong@") + "/small"
        assert bench("null-list", known)["items"] > 1
        for url in wrong, server.base + "/small":
            assert "status 401" in refused("null-list", url)


def test_failures_name_status_and_reason(event, small):
    url = event.base + "/small"
    assert "status 404" in refused("get", url, "nope")
    assert "'/nope' not found" in refused("get", small, "nope")
    text = refused("null-export", url, "-r", "999")
    assert "status 404" in text and "E160006" in text
    assert "999" in refused("null-export", small, "-r", "999")
    assert "'/none' is not in a repository" in refused(
        "null-log", event.base + "/none")
    assert "no repository" in refused("null-log", "/nonexistent")
    assert "127.0.0.1:%d" % event.port in refused(
        "null-log", url.replace("http:", "https:"))
    free = "http://127.0.0.1:%d/x" % harness.free_port()
    assert "refused" in refused("options", free)


@pytest.mark.parametrize("args, text", [
    ([], "no command"),
    (["no-such", "x"], "there is no command 'no-such'"),
    (["null-log"], "usage: repobench null-log"),
    (["options", "x", "y"], "usage: repobench options"),
    (["get", "x", "--bulk"], "'get' has no such option"),
    (["null-list", "x", "--depth", "deep"], "'deep' is not a depth"),
    (["get", "x", "-n", "0"], "'0' is not a number from 1"),
    (["get", "x", "-r", "HEAD"], "'HEAD' is not a number from 0"),
    (["get", "x", "--nothing"], "not known"),
])
def test_wrong_command_lines_are_explained(args, text):
    assert text in refused(*args)
