# SPDX-License-Identifier: Apache-2.0
"""The repositories that are measured, loaded by stock tools in each format.

`history` is a development history: the dump stream that BENCH_HISTORY names
(plain, .gz or .xz), else the small one of the system tests. `tree` is wide and
flat: 1500 small files in 30 directories.
"""

import bz2
import collections
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import harness
import history

#: What is compared: name, option of `svnadmin create`, is it packed.
Format = collections.namedtuple("Format", "name version packed")
FORMATS = {
    f.name: f for f in (
        Format("8-loose", "1.14", False),
        Format("8-packed", "1.14", True),
        Format("6-packed", "1.8", True),
    )
}
DIRECTORIES = 30
FILES = 50  # in each of them
SHARD_OF_TREE = 8  # revisions; so that its few revisions can be packed
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


class Repositories:
    """Makes repositories below `folder`, or finds them there."""

    def __init__(self, folder, say):
        self.folder = folder
        self.say = say
        self.facts = {}

    def path(self, name, kind):
        """The repository `name` in the format `kind`, made if need be."""
        path = os.path.join(self.folder, "%s-%s" % (name, kind.name))
        if os.path.exists(path):
            return path
        self.say("making %s" % os.path.basename(path))
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        harness.run(["svnadmin", "create", "--compatible-version",
                     kind.version, part])
        if name == "tree":
            set_shard_size(part, SHARD_OF_TREE)
        self.load(name, part)
        if kind.packed:
            harness.run(["svnadmin", "pack", "-q", part])
        harness.readable(part)
        os.rename(part, path)
        return path

    def load(self, name, path):
        """Load the dump stream of `name` into an empty repository."""
        source = self.dump(name)
        opened = OPENERS.get(os.path.splitext(source)[1], open)
        command = ["svnadmin", "load", "-q", "--no-flush-to-disk", path]
        with opened(source, "rb") as inp:
            with subprocess.Popen(command, stdin=subprocess.PIPE) as loading:
                shutil.copyfileobj(inp, loading.stdin, 1 << 20)
                loading.stdin.close()
        if loading.returncode != 0:
            raise RuntimeError("loading %s failed" % source)

    def dump(self, name):
        """The file that holds the dump stream of `name`."""
        given = os.environ.get("BENCH_HISTORY")
        if name == "history" and given:
            return given
        target = os.path.join(self.folder, name + ".dump")
        if not os.path.exists(target):
            source = os.path.join(self.folder, name + ".source")
            shutil.rmtree(source, ignore_errors=True)
            if name == "history":
                history.build(source)
            else:
                build_tree(source)
            with open(target + ".part", "wb") as out:
                out.write(harness.run(["svnadmin", "dump", "-q", source],
                                      env={}).stdout)
            os.rename(target + ".part", target)
            shutil.rmtree(source)
        return target

    def busiest_file(self):
        """Path of the living file of `history` with the most changes."""
        if "busiest" not in self.facts:
            path = self.path("history", FORMATS["8-loose"])
            self.facts["busiest"] = find_busiest("file://" + path)
        return self.facts["busiest"]


def set_shard_size(path, size):
    """Change the layout of a repository that has no revision but 0."""
    name = os.path.join(path, "db", "format")
    with open(name) as inp:
        text = inp.read()
    os.chmod(name, 0o644)
    with open(name, "w") as out:
        out.write(re.sub(r"sharded \d+", "sharded %d" % size, text))


def build_tree(path):
    """Make the tree repository: one commit a directory, then edits."""
    noise = random.Random(11)
    work = path + ".work"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    client = harness.Client(work)
    url = "file://" + path

    def text():
        return "".join(noise.choice("abcdefgh ijkl mnop\n")
                       for _ in range(120))

    harness.run(["svnadmin", "create", path])
    client.run("mkdir", "-q", "-m", "layout", url + "/trunk")
    for number in range(DIRECTORIES):
        folder = os.path.join(work, "d%02d" % number)
        os.makedirs(folder)
        for count in range(FILES):
            with open(os.path.join(folder, "f%02d.txt" % count), "w") as out:
                out.write(text())
        client.run("import", "-q", "-m", "directory %d" % number, folder,
                   "%s/trunk/d%02d" % (url, number))
    for number in range(34):
        changed = os.path.join(work, "changed")
        with open(changed, "w") as out:
            out.write(text())
        client.run("-m", "edit %d" % number, "--root-url", url, "put",
                   changed, "trunk/d%02d/f%02d.txt"
                   % (number % DIRECTORIES, number % FILES),
                   program="svnmucc")
    shutil.rmtree(work)


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
