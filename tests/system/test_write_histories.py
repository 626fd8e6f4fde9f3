# SPDX-License-Identifier: Apache-2.0
"""The same random commits through mod_dav_svn and through us leave equal
repositories, whatever the format and the protocol; stock tools verify ours,
pack it, and go on committing to it."""

import os
import re

import pytest

import edits
import harness

COMMITS = int(os.environ.get("MOD_REPO_TEST_COMMITS", "12"))
SEED = int(os.environ.get("MOD_REPO_TEST_SEED", "1"))


def neutral(dump):
    """A dump without what two repositories cannot share."""
    dump = re.sub(rb"(?m)^UUID: .*\n", b"", dump)
    return re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", b"DATE", dump)


def dump(path):
    return neutral(harness.run(["svnadmin", "dump", "-q", path]).stdout)


def create(path, version, shard=4):
    """A repository with small shards that the server's user may write to."""
    harness.run(["svnadmin", "create", "--compatible-version", version, path])
    name = os.path.join(path, "db", "format")
    with open(name) as inp:
        text = inp.read()
    os.chmod(name, 0o644)
    with open(name, "w") as out:
        out.write(text.replace("sharded 1000", "sharded %d" % shard))
    harness.writable(path)


def sites(folder, v2, paths):
    """Both servers on the two repositories: name -> httpd."""
    login = harness.login(folder, "ann", "bob") + ["Require valid-user"]
    peer = {"peer": True, "ours": harness.PEER}
    return {
        name: harness.Httpd(
            os.path.join(folder, name), "prefork",
            harness.location(
                "/r", path, harness.directive(
                    "AdvertiseV2Protocol", "on" if v2 else "off",
                    peer=peer[name]),
                *login, peer=peer[name]),
            modules=["auth_basic", "authn_file", "authz_user"],
            peer=peer[name])
        for name, path in paths.items()}


def commit(client, url, actions, user, message):
    client.run("-m", message, "-u", user, "--username", user, "--password",
               "pw", "--root-url", url, *actions, program="svnmucc")


@pytest.mark.parametrize("version, v2", [
    ("1.4", True), ("1.5", False), ("1.6", False), ("1.8", True),
    ("1.9", False), ("1.10", True)])
def test_random_commits_leave_equal_repositories(folder, version, v2):
    paths = {name: os.path.join(folder, name + "-repo")
             for name in ("peer", "ours")}
    for path in paths.values():
        create(path, version)
    client = harness.Client(folder)
    history = edits.History("%s %d" % (version, SEED), folder)
    servers = sites(folder, v2, paths)
    with servers["peer"], servers["ours"]:
        for number in range(COMMITS):
            actions = history.commit()
            user = ("ann", "bob")[number % 2]
            for server in servers.values():
                commit(client, server.base + "/r", actions, user,
                       "commit %d\n" % number)
        assert dump(paths["ours"]) == dump(paths["peer"])
        ours = paths["ours"]
        harness.run(["svnadmin", "verify", "-q", ours])
        assert neutral(harness.repoadmin("dump", "-q", ours).stdout) == dump(
            ours)
        if version not in ("1.4", "1.5"):
            harness.run(["svnadmin", "pack", "-q", ours])
        # Stock tools go on where we left off, and we where they did.
        for number in range(4):
            actions = history.commit()
            for name, path in paths.items():
                url = ("file://" + path if number % 2
                       else servers[name].base + "/r")
                commit(client, url, actions, "ann", "later %d" % number)
                harness.writable(path)
        harness.run(["svnadmin", "verify", "-q", ours])
        assert dump(ours) == dump(paths["peer"])
