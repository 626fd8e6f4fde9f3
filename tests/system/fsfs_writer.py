# SPDX-License-Identifier: Apache-2.0
"""Writes revisions of a repository with physical addressing, without syncs:
thousands a second, in the order of the stock tools. Every revision tells its
history and number in each text, each property and the log message, so that an
answer shows whether it is of one revision."""

import hashlib
import os
import subprocess

import harness

FILES = ("f0", "f1", "f2")


def create(path, shard=8):
    """A repository of format 6 that holds revision 0."""
    harness.run(["svnadmin", "create", "--compatible-version", "1.8", path])
    name = os.path.join(path, "db", "format")
    with open(name) as inp:
        text = inp.read()
    os.chmod(name, 0o644)
    with open(name, "w") as out:
        out.write(text.replace("sharded 1000", "sharded %d" % shard))
    with open(os.path.join(path, "db", "fsfs.conf"), "w") as out:
        out.write("[rep-sharing]\nenable-rep-sharing = false\n")
    harness.readable(path)


def mark(history, rev):
    """What every part of a revision tells."""
    return "%s %d" % (history, rev)


def replace(path, data):
    """Write a file under another name and rename it."""
    with open(path + ".tmp", "wb") as out:
        out.write(data)
    os.chmod(path + ".tmp", 0o644)
    os.rename(path + ".tmp", path)


def hash_dump(pairs):
    """Names and values as the format has them."""
    return b"".join(
        b"K %d\n%s\nV %d\n%s\n" % (len(k), k, len(v), v)
        for k, v in sorted(pairs.items())) + b"END\n"


class Writer:
    """Adds revisions to a repository that nobody else writes to now."""

    def __init__(self, path, shard=8):
        self.path = path
        self.db = os.path.join(path, "db")
        self.shard = shard

    def youngest(self):
        """The youngest revision."""
        with open(os.path.join(self.db, "current")) as inp:
            return int(inp.read().split()[0])

    def place(self, folder, rev):
        """The file of a revision that is not packed."""
        top = os.path.join(self.db, folder, str(rev // self.shard))
        os.makedirs(top, exist_ok=True)
        os.chmod(top, 0o755)
        return os.path.join(top, str(rev))

    def ids(self, rev):
        """Addresses of the root and of the files in a revision."""
        found = {}
        done = subprocess.run(
            ["svnlook", "tree", "--show-ids", "-r", str(rev), self.path],
            capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            if "<" in line:
                name, _, rest = line.strip().partition(" <")
                found[name.strip("/")] = rest.rstrip(">")
        return found

    def commit(self, history, known=None):
        """One revision more; returns its addresses, for the next."""
        before = self.youngest()
        rev = before + 1
        known = known or self.ids(before)
        text = mark(history, rev).encode()
        out = bytearray()
        ids = {}

        def rep(data):
            at = len(out)
            out.extend(b"PLAIN\n" + data + b"ENDREP\n")
            return "%d %d %d %d %s" % (rev, at, len(data), len(data),
                                       hashlib.md5(data).hexdigest())

        def node(name, path, kind, **fields):
            old = known.get(name)
            line = old.rpartition(".")[0] if old else "%d-%d.0" % (
                FILES.index(name), rev)
            ids[name] = "%s.r%d/%d" % (line, rev, len(out))
            count = rev if kind == "dir" else rev - 1
            rows = ["id: " + ids[name], "type: " + kind]
            rows += ["pred: " + old] if old else []
            rows += ["count: %d" % count]
            rows += ["%s: %s" % pair for pair in fields.items()]
            rows += ["cpath: " + path, "copyroot: 0 /", "", ""]
            out.extend("\n".join(rows).encode())

        for name in FILES:
            content = rep(text + b" " + name.encode() + b"\n")
            props = rep(hash_dump({b"n": text}))
            node(name, "/" + name, "file", text=content, props=props)
        entries = rep(hash_dump({
            name.encode(): b"file " + ids[name].encode() for name in FILES}))
        root = len(out)
        node("", "/", "dir", text=entries)
        changes = len(out)
        for name in FILES:
            out.extend(("%s %s-file true true /%s\n\n" % (
                ids[name], "modify" if name in known else "add",
                name)).encode())
        out.extend(b"\n%d %d\n" % (root, changes))
        replace(self.place("revs", rev), bytes(out))
        replace(self.place("revprops", rev), hash_dump({
            b"svn:log": text + b" 0",
            b"svn:author": b"ann",
            b"svn:date": b"2024-01-01T00:00:00.%06dZ" % (rev % 1000000)}))
        replace(os.path.join(self.db, "current"), b"%d\n" % rev)
        return ids
