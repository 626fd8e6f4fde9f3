# SPDX-License-Identifier: Apache-2.0
"""The repositories that are measured, loaded by stock tools in each format.

`history` is a development history: the dump stream that BENCH_HISTORY names
(plain, .gz, .bz2 or .xz), else the small one of the system tests. The others
are generated.
"""

import bz2
import collections
import gzip
import lzma
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import generated
import harness
import history

#: What is compared: name, option of `svnadmin create`, is it packed.
Format = collections.namedtuple("Format", "name version packed")
FORMATS = {
    f.name: f for f in (
        Format("8-loose", "1.14", False),
        Format("8-packed", "1.14", True),
        Format("6-loose", "1.8", False),
        Format("6-packed", "1.8", True),
    )
}
NAMES = ("history",) + tuple(generated.GENERATORS)
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}

#: What operations need to know: youngest revision, the living file that was
#: changed most.
Facts = collections.namedtuple("Facts", "youngest busiest")


class Repositories:
    """Makes repositories below `folder`, or finds them there."""

    def __init__(self, folder, say):
        self.folder = folder
        self.say = say
        self.known = {}

    def path(self, name, kind):
        """The repository `name` in the format `kind`, made if need be."""
        path = os.path.join(self.folder, "%s-%s" % (name, kind.name))
        if os.path.exists(path):
            return path
        self.say("making %s" % os.path.basename(path))
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        if kind.packed:
            loose = FORMATS[kind.name.replace("packed", "loose")]
            shutil.copytree(self.path(name, loose), part)
            run_long(["svnadmin", "pack", "-q", part])
        else:
            run_long(["svnadmin", "create", "--compatible-version",
                      kind.version, part])
            self.load(name, part)
        harness.readable(part)
        os.rename(part, path)
        return path

    def load(self, name, path):
        """Load the dump stream of `name` into an empty repository."""
        with subprocess.Popen(["svnadmin", "load", "-q", "--no-flush-to-disk",
                               path], stdin=subprocess.PIPE) as loading:
            if name == "history":
                self.copy_history(loading.stdin)
            else:
                set_shard_size(path, generated.GENERATORS[name][1])
                generated.write(name, loading.stdin)
            loading.stdin.close()
        if loading.returncode != 0:
            raise RuntimeError("loading %s failed" % path)

    def copy_history(self, out):
        """Write the dump stream of the history."""
        given = os.environ.get("BENCH_HISTORY")
        if given:
            opened = OPENERS.get(os.path.splitext(given)[1], open)
            with opened(given, "rb") as inp:
                shutil.copyfileobj(inp, out, 1 << 20)
            return
        source = os.path.join(self.folder, "history.source")
        if not os.path.exists(source):
            history.build(source)
        out.write(harness.run(["svnadmin", "dump", "-q", source]).stdout)

    def facts(self, name, kind):
        """Facts of the repository `name`, which no format changes."""
        if name not in self.known:
            path = self.path(name, kind)
            youngest = int(harness.run(["svnlook", "youngest", path]).stdout)
            self.known[name] = Facts(
                youngest, find_busiest("file://" + path)
                if name == "history" else "")
        return self.known[name]


def run_long(command):
    """Run a program for as long as it takes."""
    subprocess.run(command, check=True)


def set_shard_size(path, size):
    """Change the layout of a repository that has no revision but 0."""
    name = os.path.join(path, "db", "format")
    with open(name) as inp:
        text = inp.read()
    os.chmod(name, 0o644)
    with open(name, "w") as out:
        out.write(re.sub(r"sharded \d+", "sharded %d" % size, text))


def find_busiest(url):
    """Path, without leading slash, of the most often changed file of HEAD."""
    log = harness.run(["svn", "log", "-q", "-v", "--xml", url]).stdout
    counts = collections.Counter(
        path.text for path in ET.fromstring(log).iter("path")
        if path.get("kind") == "file" and path.get("action") == "M")
    for path, _ in counts.most_common(200):
        found = harness.run(["svn", "info", "--show-item", "kind",
                             url + path + "@"], check=False)
        if found.stdout.strip() == b"file":
            return path.lstrip("/")
    raise RuntimeError("no file of the history was changed")


def drop_pages(path):
    """Take a repository's files out of the page cache of the system."""
    for folder, _, names in os.walk(path):
        for name in names:
            drop_file(os.path.join(folder, name))


def drop_file(path):
    """Take one file out of the page cache."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
