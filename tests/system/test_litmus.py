# SPDX-License-Identifier: Apache-2.0
"""litmus, a test suite for WebDAV servers, on a location with autoversioning.

What it finds missing is listed in docs/protocol/autoversioning.md."""

import os
import re
import subprocess

import pytest

import harness

#: suite: tests, and those that locks of a repository cannot pass
SUITES = {
    "basic": (16, []),
    "copymove": (13, []),
    "props": (30, []),
    "locks": (29, ["lock_shared", "lock_collection"]),
    "http": (4, []),
}
#: What mod_dav_svn does not pass besides.
PEER_FAILS = {
    "copymove": ["copy_overwrite", "move", "move_coll"],
    "props": ["propget"] * 8,
}


@pytest.mark.parametrize("suite", SUITES)
def test_litmus_passes(suite, folder):
    repo = os.path.join(folder, "repo")
    harness.run(["svnadmin", "create", repo])
    harness.writable(repo)
    config = harness.location(
        "/r", repo, harness.directive("Autoversioning", "on"),
        *harness.login(folder, "ann"), "Require valid-user")
    with harness.Httpd(os.path.join(folder, "httpd"), "event", config,
                       modules=["auth_basic", "authn_file",
                                "authz_user"]) as server:
        out = subprocess.run(
            ["litmus", "-k", server.base + "/r/", "ann", "pw"], cwd=folder,
            env=dict(os.environ, TESTS=suite), capture_output=True, text=True,
            timeout=120).stdout.replace("\r", "\n")
    count, forbidden = SUITES[suite]
    if harness.PEER:
        forbidden = forbidden + PEER_FAILS.get(suite, [])
    found = re.search(r"of (\d+) tests run: (\d+) passed, (\d+) failed", out)
    failed = re.findall(r"^ *\d+\. (\w+?)\.* FAIL", out, re.M)
    assert failed == forbidden, out
    assert [int(n) for n in found.groups()] == [
        count, count - len(forbidden), len(forbidden)], out
    if not harness.PEER:
        assert "WARNING" not in out
    harness.run(["svnadmin", "verify", "-q", repo])
    assert harness.run(["svnadmin", "lstxns", repo]).stdout == b""
