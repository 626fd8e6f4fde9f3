# SPDX-License-Identifier: Apache-2.0
"""Commits without a server, compared with those of the stock tools."""

import os
import random
import re
import shlex
import subprocess

import pytest

import harness

COMMIT = os.path.join(harness.BUILD, "tests/programs/commit")

#: Kinds of repositories: release, layout, lines of fsfs.conf.
KINDS = {
    "format1": ("1.3", None, ""),
    "format2": ("1.4", None, ""),
    "format3": ("1.5", 3, ""),
    "format3-linear": ("1.5", 0, ""),
    "format4": ("1.6", 3, ""),
    "format6": ("1.8", 3, ""),
    "format6-linear": ("1.8", 0, ""),
    "format7": ("1.9", 3, ""),
    "format7-plain": ("1.9", 3, "[deltification]\n"
                      "enable-dir-deltification = false\n"
                      "enable-props-deltification = false\n"
                      "compression-level = 0\n"
                      "[rep-sharing]\nenable-rep-sharing = false\n"),
    "format8-upgraded": ("1.8", 3, ""),
    "format8-linear-upgraded": ("1.4", None, ""),
    "format8": ("1.14", 3, ""),
    "format8-small-pages": ("1.14", 3, "[io]\nl2p-page-size = 4\n"
                            "p2l-page-size = 1\n"),
    "format8-none": ("1.14", 1, "[deltification]\ncompression = none\n"),
    "format8-zlib": ("1.14", 3, "[deltification]\ncompression = zlib-9\n"),
}

pytestmark = pytest.mark.skipif(harness.PEER, reason="of this library alone")


def create(path, release, shard_size, conf):
    """An empty repository, with shards of that size (0: linear)."""
    harness.run(["svnadmin", "create", "--compatible-version", release, path])
    name = os.path.join(path, "db/format")
    if shard_size is not None:
        with open(name) as inp:
            text = inp.read()
        layout = "sharded %d" % shard_size if shard_size else "linear"
        text = re.sub("layout .*", "layout " + layout, text)
        os.chmod(name, 0o644)
        with open(name, "w") as out:
            out.write(text)
    if shard_size == 0:
        for folder in ("revs", "revprops"):
            folder = os.path.join(path, "db", folder)
            os.rename(folder + "/0", folder + "/first")
            os.rename(folder + "/first/0", folder + "/0")
            os.rmdir(folder + "/first")
    if conf:
        with open(os.path.join(path, "db/fsfs.conf"), "w") as out:
            out.write(conf)


def ours(repo, commits):
    """Make commits by our library; each is a list of operations."""
    script = "".join(shlex.join(operation) + "\n"
                     for commit in commits for operation in commit + [
                         ["commit"]])
    return harness.run([COMMIT, "-o", "nosync=true", repo], input=script.encode()
                       ).stdout.decode().split()


def stock(repo, commits):
    """The same by svnmucc."""
    url = "file://" + repo
    for commit in commits:
        words = []
        for verb, *args in commit:
            if verb == "set":
                words += ["propset", args[1], args[2], url + args[0]]
            elif verb == "unset":
                words += ["propdel", args[1], url + args[0]]
            elif verb == "put":
                words += ["put", args[1], url + args[0]]
            elif verb == "cp":
                words += ["cp", args[0], url + args[1], url + args[2]]
            else:
                words += [verb, url + args[0]]
        harness.run(["svnmucc", "--non-interactive", "--username", "tester",
                     "-m", "made by a test"] + words)


def without_sha1(text):
    """A dump as formats 1 to 3 have it."""
    return re.sub(r"Text-(content|copy-source)-sha1: .*\n", "", text)


def dump(repo):
    """What is in a repository, but for dates and uuid."""
    text = harness.run(["svnadmin", "dump", "-q", repo]
                       ).stdout.decode("latin-1")
    text = re.sub(r"(svn:date\nV 27\n).{27}", r"\1", text)
    return re.sub(r"UUID: .*", "", text)


def verify(repo):
    """Both repository and indexes are as the stock tools want them."""
    assert harness.run(["svnadmin", "verify", "-q", repo]).stderr == b""
    assert os.listdir(os.path.join(repo, "db/transactions")) == []


@pytest.fixture(scope="module")
def texts(work):
    """Files to put: name to path."""
    folder = os.path.join(work, "commit-texts")
    os.mkdir(folder)
    rng = random.Random(7)
    contents = {
        "empty": b"",
        "short": b"one\ntwo\nthree\n",
        "longer": b"".join(b"line %d\n" % n for n in range(3000)),
        "edited": b"".join(b"line %d\n" % (n if n % 100 else n + 7)
                           for n in range(3000)),
        "binary": rng.randbytes(300000),
    }
    contents["moved"] = contents["binary"][1000:] + contents["binary"][:1000]
    paths = {}
    for name, data in contents.items():
        paths[name] = os.path.join(folder, name)
        with open(paths[name], "wb") as out:
            out.write(data)
    return paths


def history(texts):
    """Commits with copies, replacements, properties, and all that."""
    return [
        [["mkdir", "/trunk"], ["mkdir", "/branches"], ["mkdir", "/trunk/d"],
         ["put", "/trunk/a", texts["longer"]],
         ["put", "/trunk/d/f", texts["short"]],
         ["put", "/trunk/e", texts["empty"]],
         ["set", "/trunk/a", "shared", "by two"],
         ["set", "/trunk/d", "shared", "by two"]],
        [["put", "/trunk/a", texts["edited"]],
         ["set", "/trunk/d", "name", "a value of \"words\""],
         ["mkdir", "/trunk/d/deep"], ["mkdir", "/trunk/d/deep/er"]],
        [["cp", "2", "/trunk", "/branches/b"],
         ["put", "/branches/b/d/f", texts["longer"]],
         ["rm", "/branches/b/a"], ["mkdir", "/branches/b/new"]],
        [["rm", "/trunk/a"], ["put", "/trunk/a", texts["binary"]],
         ["set", "/trunk", "svn:mergeinfo", "/branches/b:3"]],
        [["cp", "3", "/branches/b", "/branches/c"],
         ["cp", "2", "/trunk/a", "/branches/c/back"],
         ["put", "/branches/c/back", texts["longer"]],
         ["set", "/branches/c/d", "svn:mergeinfo", "/trunk/d:4"],
         ["unset", "/trunk/d", "name"]],
        [["rm", "/trunk/d"], ["mkdir", "/trunk/d"],
         ["put", "/trunk/d/caf\u00e9", texts["binary"]],
         ["put", "/trunk/d/cafe\u0301 2", texts["binary"]],
         ["set", "/trunk/d/caf\u00e9", "svn:mime-type", "image/png"],
         ["set", "/trunk/d/cafe\u0301 2", "svn:mime-type", "image/png"]],
        [["cp", "6", "/branches/c", "/branches/d"], ["rm", "/branches/c"],
         ["put", "/trunk/a", texts["moved"]]],
        [["unset", "/trunk", "svn:mergeinfo"], ["rm", "/branches/d/d/deep"]],
        [["set", "/", "root", "yes"], ["put", "/trunk/e", texts["short"]]],
        [["cp", "1", "/trunk/d/f", "/trunk/d/g"],
         ["put", "/trunk/a", texts["longer"]]],
    ]


def last(texts):
    """A commit on top of those."""
    return [["put", "/trunk/a", texts["edited"]], ["mkdir", "/branches/d/x"]]


@pytest.fixture(scope="module")
def expected(work, texts):
    """What stock tools make of the history: its dump after 4, 8, 11."""
    repo = os.path.join(work, "commit-expected")
    create(repo, *KINDS["format8"])
    commits = history(texts) + [last(texts)]
    dumps = {}
    for first, end in ((0, 4), (4, 8), (8, 11)):
        stock(repo, commits[first:end])
        dumps[end] = dump(repo)
    return dumps


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_is_that_of_the_stock_tools(kind, folder, texts, expected):
    repo = folder + "/r"
    create(repo, *KINDS[kind])
    commits = history(texts)
    if kind < "format4" or kind == "format8-linear-upgraded":
        expected = {n: without_sha1(text) for n, text in expected.items()}
        clean = without_sha1
    else:
        clean = str
    assert ours(repo, commits[:4]) == ["r1", "r2", "r3", "r4"]
    assert clean(dump(repo)) == expected[4]
    if kind.endswith("upgraded"):
        harness.run(["svnadmin", "upgrade", repo])
    elif KINDS[kind][1] and kind >= "format4":
        harness.run(["svnadmin", "pack", "-q", repo])
    ours(repo, commits[4:8])
    verify(repo)
    assert clean(dump(repo)) == expected[8]
    # Each goes on from what the other wrote.
    stock(repo, commits[8:9])
    ours(repo, commits[9:])
    stock(repo, [last(texts)])
    verify(repo)
    assert clean(dump(repo)) == expected[11]


#: Edits that a hook script makes through the stock library.
EDIT = """
import os, sys
from svn import core, fs, repos
filesystem = repos.fs(repos.open(sys.argv[1]))
txn = fs.open_txn(filesystem, os.environ["TXN"])
fs.change_txn_prop(txn, "svn:log", b"edited")
if len(sys.argv) > 2:
    root = fs.txn_root(txn)
    def put(path, text):
        stream = fs.apply_text(root, path, None)
        core.svn_stream_write(stream, text)
        core.svn_stream_close(stream)
    fs.make_dir(root, "/t/new")
    fs.make_file(root, "/t/new/f")
    put("/t/new/f", b"of a hook")
    put("/t/f", b"edited")
    fs.change_node_prop(root, "/t", "p", b"v")
    fs.delete(root, "/t/d/old")
    fs.copy(fs.revision_root(filesystem, 1), "/base/k", root, "/t/k")
    fs.change_node_prop(root, "/t/k", "svn:mergeinfo", b"/base:1")
"""

BASE = [["mkdir", "/base"], ["write", "/base/k", "kept"],
        ["mkdir", "/base/d"], ["touch", "/base/d/old"]]

#: A transaction with a bit of everything.
SHOWN = [["cp", "1", "/base", "/t"], ["set", "/t", "svn:mergeinfo", "/base:1"],
         ["write", "/t/f", "one"], ["write", "/t/f", "two"],
         ["set", "/t/f", "p", "v"], ["rm", "/base/k"], ["mkdir", "/t/e"]]

GUEST_KINDS = ["format1", "format3", "format4", "format6", "format7",
               "format8"]


def lines(args):
    """What a program says, as a list."""
    return harness.run(args).stdout.decode().splitlines()


@pytest.mark.parametrize("kind", GUEST_KINDS)
def test_stock_tools_look_at_a_transaction(kind, folder):
    repo = folder + "/r"
    create(repo, *KINDS[kind])
    look = ("svnlook changed --copy-info -t $TXN %s >%s/changed; "
            "svnlook tree -t $TXN %s >%s/tree; "
            "svnlook cat -t $TXN %s /t/f >%s/text; "
            "svnlook pg -t $TXN %s p /t/f >>%s/text; "
            "svnadmin lstxns %s >%s/names"
            % tuple(name for _ in range(5) for name in (repo, folder)))
    ours(repo, [BASE, SHOWN + [["show"], ["run", look], ["back"]]])
    verify(repo)
    with open(folder + "/changed") as inp:
        assert inp.read().splitlines() == lines(
            ["svnlook", "changed", "--copy-info", repo])
    with open(folder + "/tree") as inp:
        assert inp.read().splitlines() == lines(["svnlook", "tree", repo])
    with open(folder + "/text") as inp:
        assert inp.read() == "twov"
    with open(folder + "/names") as inp:
        assert len(inp.read().splitlines()) == 1


@pytest.mark.skipif(subprocess.run(
    ["/usr/bin/python3", "-c", "import svn.fs"],
    capture_output=True).returncode != 0, reason="needs python3-subversion")
@pytest.mark.parametrize("kind", GUEST_KINDS)
def test_edits_of_a_hook_are_committed(kind, folder):
    repo = folder + "/r"
    create(repo, *KINDS[kind])
    script = folder + "/edit.py"
    with open(script, "w") as out:
        out.write(EDIT)
    edit = "/usr/bin/python3 %s %s" % (script, repo)
    ours(repo, [BASE, SHOWN + [["show"], ["run", edit], ["back"],
                               ["write", "/t/late", "late"]]])
    assert lines(["svnlook", "log", repo]) == ["edited"]
    assert lines(["svnlook", "changed", repo]) == [
        "D   base/k", "A   t/", "A   t/e/", "A   t/f", "A   t/late"]
    ours(repo, [[["rm", "/t"], ["mkdir", "/t"], ["mkdir", "/t/d"],
                 ["touch", "/t/d/old"], ["write", "/t/f", "three"],
                 ["write", "/t/f", "four"], ["write", "/t/gone", "five"],
                 ["rm", "/t/gone"], ["write", "/base/n", "six"], ["show"],
                 ["run", edit + " all"], ["back"],
                 ["write", "/t/late", "later"]]])
    verify(repo)
    assert sorted(lines(["svnlook", "changed", "--copy-info", repo])) == [
        "    (from base/k:r1)", "A   base/n", "A   t/", "A   t/d/", "A   t/f",
        "A   t/late", "A   t/new/", "A   t/new/f", "A + t/k", "D   t/"]
    texts = [lines(["svnlook", "cat", repo, path]) for path in (
        "/t/f", "/t/new/f", "/t/late", "/t/k", "/base/n")]
    assert texts == [["edited"], ["of a hook"], ["later"], ["kept"], ["six"]]
    assert lines(["svnlook", "pg", repo, "p", "/t"]) == ["v"]
    assert lines(["svnlook", "pg", repo, "svn:mergeinfo", "/t/k"]) == [
        "/base:1"]
