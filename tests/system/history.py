# SPDX-License-Identifier: Apache-2.0
"""A small history made with stock tools: copies, renames, replaces, merges.

Every kind of change that a client can see occurs once or more; the names need
escaping; the texts are small, but for one that spans several delta windows.
"""

import os
import random
import shutil

import harness

#: Of build_wide().
WIDE_FILES = 4000
WIDE_COMMITS = 300

DATE = "2024-03-%02dT10:00:00.%06dZ"


def build(path):
    """Make the repository at `path`; returns the path."""
    work = path + ".work"
    os.makedirs(work)
    client = harness.Client(work)
    url = "file://" + path
    harness.run(["svnadmin", "create", path])
    hook = os.path.join(path, "hooks", "pre-revprop-change")
    with open(hook, "w") as out:
        out.write("#!/bin/sh\nexit 0\n")
    os.chmod(hook, 0o755)

    def text(name, content):
        target = os.path.join(work, name)
        with open(target, "wb") as out:
            out.write(content if isinstance(content, bytes)
                      else content.encode())
        return target

    def commit(message, author, *actions):
        client.run("-m", message, "-u", author, "--root-url", url, *actions,
                   program="svnmucc")

    lines = ["line %d\n" % i for i in range(40)]
    noise = random.Random(7)
    big = bytes(noise.getrandbits(8) for _ in range(250000))

    commit("layout", "ann", "mkdir", "trunk", "mkdir", "branches",
           "mkdir", "tags", "mkdir", "trunk/lib", "mkdir", "trunk/doc",
           "put", text("a", "".join(lines)), "trunk/a.txt",
           "put", text("b", "beta\n"), "trunk/lib/b.c",
           "put", text("r", "read me\n"), "trunk/doc/read me & more.txt",
           "put", text("e", b""), "trunk/empty",
           "put", text("big", big), "trunk/big.bin")
    commit("edit and properties", "bob",
           "put", text("a2", "".join(lines[:20] + ["changed\n"] + lines[21:])),
           "trunk/a.txt",
           "propset", "svn:eol-style", "native", "trunk/a.txt",
           "propset", "svn:keywords", "Id Rev", "trunk/lib/b.c",
           "propset", "color", "red", "trunk/lib",
           "propset", "svn:ignore", "*.o\n", "trunk",
           "propset", "svn:mime-type", "application/octet-stream",
           "trunk/big.bin")
    commit("branch", "ann", "cp", "2", "trunk", "branches/b1")
    commit("names <with> \"odd\" & \u00e4 signs", "bob",
           "put", text("n", "umlaut\n"), "trunk/doc/\u00e4\u00f6\u00fc.txt",
           "put", text("n2", "percent\n"), "trunk/doc/100%;#x.txt",
           "mkdir", "trunk/doc/sub dir",
           "put", text("n3", "deep\n"), "trunk/doc/sub dir/[x]{y}+.txt")
    commit("work on the branch", "ann",
           "put", text("bb", "beta\nbranch\n"), "branches/b1/lib/b.c",
           "put", text("bn", "new on branch\n"), "branches/b1/lib/n.c",
           "rm", "branches/b1/empty")
    commit("rename a file and a directory", "bob",
           "mv", "trunk/a.txt", "trunk/alpha.txt",
           "mv", "trunk/doc", "trunk/manual",
           "put", text("r2", "read me again\n"),
           "trunk/manual/read me & more.txt")
    commit("replace a file by a file, a directory by a file", "ann",
           "rm", "trunk/empty", "put", text("e2", "full\n"), "trunk/empty",
           "rm", "trunk/manual/sub dir",
           "put", text("s", "was a directory\n"), "trunk/manual/sub dir")
    big2 = big[:120000] + b"inserted" + big[120000:240000]
    commit("big binary changes, replace by a copy", "bob",
           "put", text("big2", big2), "trunk/big.bin",
           "rm", "trunk/lib/b.c", "cp", "5", "branches/b1/lib/b.c",
           "trunk/lib/b.c")
    commit("tag", "ann", "cp", "8", "trunk", "tags/t1",
           "propset", "tagged", "yes", "tags/t1")

    merge = os.path.join(work, "wc")
    client.run("checkout", "-q", url + "/trunk", merge)
    client.run("merge", "-q", "--accept", "postpone", url + "/branches/b1",
               merge)
    client.run("resolve", "-q", "-R", "--accept", "working", merge)
    client.run("commit", "-q", "--username", "ann", "-m",
               "merge b1 to trunk", merge)
    commit("more work on the branch", "bob",
           "put", text("bn2", "new on branch\nmore\n"),
           "branches/b1/lib/n.c",
           "propset", "svn:executable", "*", "branches/b1/lib/n.c",
           "propsetf", "bin", text("bin", b"\x00\x01\xfe"),
           "branches/b1/lib")
    client.run("update", "-q", merge)
    client.run("merge", "-q", "--accept", "postpone", url + "/branches/b1",
               merge)
    client.run("resolve", "-q", "-R", "--accept", "working", merge)
    client.run("commit", "-q", "--username", "ann", "-m",
               "merge b1 again", merge)
    commit("delete the branch, drop properties", "bob",
           "rm", "branches/b1", "propdel", "color", "trunk/lib",
           "propset", "svn:author-note", "n", "trunk")
    commit("bring the branch back", "ann",
           "cp", "12", "branches/b1", "branches/b1",
           "propset", "root", "prop", "")

    youngest = int(harness.run(["svnlook", "youngest", path]).stdout)
    for rev in range(youngest + 1):
        stamp = text("date", DATE % (rev + 1, rev))
        harness.run(["svnadmin", "setrevprop", path, "-r", rev, "svn:date",
                     stamp])
    # svnadmin setrevprop would end the value at the NUL.
    client.run("propset", "-q", "--revprop", "-r", "2", "extra:prop", "-F",
               text("x", b"\x00\x01binary\xff"), url)
    client.run("lock", "--username", "ann", "-m", "held <here> & there",
               url + "/trunk/alpha.txt")
    shutil.rmtree(work)
    harness.readable(path)
    return path


def build_wide(path):
    """A repository at `path`; r1: a folder of many files; then commits to one
    of two files, of which every hundredth goes to trunk/b."""
    harness.run(["svnadmin", "create", path])
    records = ["SVN-fs-dump-format-version: 2\n\n"]

    def revision(number, author="ann"):
        props = "".join("K %d\n%s\nV %d\n%s\n" % (len(k), k, len(v), v)
                        for k, v in (("svn:author", author),
                                     ("svn:date", wide_date(number)),
                                     ("svn:log", "r%d" % number)))
        props += "PROPS-END\n"
        records.append("Revision-number: %d\nProp-content-length: %d\n"
                       "Content-length: %d\n\n%s\n"
                       % (number, len(props), len(props), props))

    def node(name, kind, action, text=None):
        head = "Node-path: %s\nNode-kind: %s\nNode-action: %s\n" % (
            name, kind, action)
        if text is None:
            records.append(head + "\n\n")
        else:
            records.append(head + "Text-content-length: %d\n"
                           "Content-length: %d\n\n%s\n\n"
                           % (len(text), len(text), text))

    revision(1, "a<b&c")
    for name in ("trunk", "trunk/a", "trunk/b", "trunk/wide"):
        node(name, "dir", "add")
    node("trunk/a/f", "file", "add", "0\n")
    node("trunk/b/g", "file", "add", "0\n")
    for i in range(WIDE_FILES):
        node("trunk/wide/f%05d.txt" % i, "file", "add", "%d\n" % i)
    for number in range(2, WIDE_COMMITS + 2):
        revision(number)
        name = "trunk/b/g" if number % 100 == 0 else "trunk/a/f"
        node(name, "file", "change", "%d\n" % number)
    dump = path + ".dump"
    with open(dump, "w") as out:
        out.write("".join(records))
    with open(dump, "rb") as inp:
        harness.run(["svnadmin", "load", "-q", "--no-flush-to-disk", path],
                    stdin=inp)
    os.unlink(dump)
    harness.readable(path)
    return path


def wide_date(number):
    """A date that grows with the revision."""
    return "2024-05-01T%02d:%02d:%02d.000000Z" % (
        number // 3600, number // 60 % 60, number % 60)
