# SPDX-License-Identifier: Apache-2.0
"""New repositories: as the stock tools make them, and usable by these."""

import os
import re
import stat
import subprocess

import pytest

import harness

VERSIONS = ("1.1", "1.3", "1.4", "1.5", "1.6", "1.8", "1.9", "1.10", "1.14")

# Files whose bytes must be the same.
EXACT = ("format", "db/format", "db/fs-type", "db/current", "db/txn-current",
         "db/min-unpacked-rev", "db/revs/0", "db/revs/0/0")

pytestmark = pytest.mark.skipif(harness.PEER, reason="no server in it")


def files(path):
    """Relative path -> type and permissions."""
    found = {}
    for folder, folders, names in os.walk(path):
        for name in folders + names:
            full = os.path.join(folder, name)
            found[os.path.relpath(full, path)] = stat.filemode(
                os.lstat(full).st_mode)
    return found


def info(path):
    """What the stock tool tells, without what is always another."""
    return [line for line in harness.run(["svnadmin", "info", path]).stdout.
            splitlines() if not re.match(b"(UUID|Path|Configuration)", line)]


def create(path, *args):
    """The complaint, if there is one."""
    done = harness.repoadmin("create", path, *args, check=False)
    assert (done.returncode == 0) == (done.stderr == b"")
    return done.stderr.decode()


@pytest.fixture
def pair(folder):
    return os.path.join(folder, "ours"), os.path.join(folder, "stock")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_new_repository_is_as_the_stock_one(pair, version):
    ours, stock = pair
    assert not create(ours, "--compatible-version", version)
    harness.run(["svnadmin", "create", stock, "--compatible-version", version])
    assert files(ours) == files(stock)
    for name in EXACT:
        if os.path.isfile(os.path.join(stock, name)):
            with open(os.path.join(ours, name), "rb") as one, \
                    open(os.path.join(stock, name), "rb") as other:
                assert one.read() == other.read(), name
    assert info(ours) == info(stock)
    assert harness.repoadmin("info", ours).stdout == harness.run(
        ["svnadmin", "info", ours]).stdout
    harness.run(["svnadmin", "verify", "-q", ours])


@pytest.mark.parametrize("args", [
    ("--compatible-version", "1.1"), ("--compatible-version", "1.8"), (),
    ("--option", "shard-size=2", "--option", "l2p-page-size=16"),
    ("--option", "shard-size=0", "--option", "compression=none")])
def test_stock_tools_commit_to_it_and_pack_it(pair, args):
    path = pair[0]
    assert not create(path, *args)
    for name in "abc":
        harness.run(["svnmucc", "-U", "file://" + path, "-m", "make",
                     "--config-dir", path + "/conf", "mkdir", name])
    harness.run(["svnadmin", "verify", "-q", path])
    if args and args[-1] == "l2p-page-size=16":
        harness.run(["svnadmin", "pack", "-q", path])
        harness.run(["svnadmin", "verify", "-q", path])
        assert b"Shards Packed: 2/2" in harness.run(
            ["svnadmin", "info", path]).stdout
    assert harness.repoadmin("look", "youngest", path).stdout == b"3\n"


def test_permissions_follow_the_umask(pair):
    ours, stock = pair
    before = os.umask(0o027)
    try:
        assert not create(ours)
        harness.run(["svnadmin", "create", stock])
    finally:
        os.umask(before)
    assert files(ours) == files(stock)


@pytest.mark.parametrize("word, version", [
    ("--pre-1.4-compatible", "1.3"), ("--pre-1.5-compatible", "1.4"),
    ("--pre-1.6-compatible", "1.5")])
def test_old_words_for_versions(pair, word, version):
    ours, stock = pair
    assert not create(ours, word, "--fs-type", "fsfs", "--bdb-txn-nosync")
    harness.run(["svnadmin", "create", stock, "--compatible-version", version])
    assert info(ours) == info(stock)


def test_a_folder_in_use_is_refused(pair):
    path, full = pair
    assert create(path) == ""
    assert "E165002: the folder is a repository already" in create(path)
    assert "E165002: the folder would lie in another" in create(
        os.path.join(path, "db"))
    os.mkdir(full)
    open(os.path.join(full, "file"), "w").close()
    assert "E200011: the folder is there and not empty" in create(full)
    assert os.listdir(full) == ["file"]


@pytest.mark.parametrize("args, complaint", [
    (("--fs-type", "bdb"), "'bdb' is not supported"),
    (("--compatible-version", "1.0"), "a release such as 1.8"),
    (("--option", "shard-size"), "'shard-size' is not NAME=VALUE"),
    (("--option", "color=red"), "unknown option 'color'"),
    (("-q",), "'create' does not take the option '-q'")])
def test_wrong_options_are_told(pair, args, complaint):
    assert complaint in create(pair[0], *args)
    assert not os.path.exists(pair[0])


def test_samples_of_hooks_are_programs_that_do_what_they_say(pair):
    path = pair[0]
    hooks = os.path.join(path, "hooks")
    assert not create(path)
    for name in os.listdir(hooks):
        subprocess.run(["sh", "-n", os.path.join(hooks, name)], check=True)
    for name in os.listdir(hooks):
        os.rename(os.path.join(hooks, name),
                  os.path.join(hooks, name[:-len(".tmpl")]))

    def commit(message, name):
        return harness.run(
            ["svnmucc", "-U", "file://" + path, "-m", message, "-u", "alice",
             "--config-dir", path + "/conf", "mkdir", name], check=False)

    assert commit("a reason", "a").returncode == 0
    assert b"The log message is empty." in commit(" ", "b").stderr

    def propset(name):
        return harness.run(
            ["svn", "propset", "--revprop", "-r1", name, "text", "--username",
             "alice", "--config-dir", path + "/conf", "file://" + path],
            check=False)

    assert propset("svn:log").returncode == 0
    assert b"Only svn:log may be changed." in propset("svn:author").stderr


def test_configuration_files_are_read(pair):
    path = pair[0]
    assert not create(path, "--option", "compression=zlib-9")
    with open(os.path.join(path, "db", "fsfs.conf")) as conf:
        assert "\ncompression = zlib-9\n" in conf.read()
    os.rename(os.path.join(path, "conf", "hooks-env.tmpl"),
              os.path.join(path, "conf", "hooks-env"))
    harness.run(["svnauthz", "validate", os.path.join(path, "conf", "authz")])
    harness.run(["svnmucc", "-U", "file://" + path, "-m", "make",
                 "--config-dir", path + "/conf", "mkdir", "a"])
