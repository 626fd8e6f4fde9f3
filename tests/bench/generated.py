# SPDX-License-Identifier: Apache-2.0
"""Dump streams of generated repositories, the same in every run.

`wide`: 100,000 files in 10,000 folders. `flat`: a folder of 10,000 files.
`big`: two files of 200 MB, text that compresses and noise that does not.
"""

import random

WORDS = 2000
LINES = 20000  # different ones in a text
BIG = 200 * 1000 * 1000  # bytes
PIECE = 1 << 20


def text_lines(chance):
    """Lines of words that nobody knows; a text is drawn from them."""
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz",
                                    k=chance.randint(2, 11)))
             for _ in range(WORDS)]
    return [" ".join(chance.choices(words, k=chance.randint(3, 15))) + "\n"
            for _ in range(LINES)]


class Stream:
    """Writes the records of a dump stream, format 2."""

    def __init__(self, out):
        self.out = out
        self.revision = 0
        self.line("SVN-fs-dump-format-version: 2\n")

    def line(self, text):
        self.out.write(text.encode() + b"\n")

    def begin(self, message):
        """The next revision."""
        self.revision += 1
        stamp = "2020-01-01T%02d:%02d:%02d.000000Z" % (
            self.revision // 3600, self.revision // 60 % 60,
            self.revision % 60)
        props = "".join(
            "K %d\n%s\nV %d\n%s\n" % (len(name), name, len(value), value)
            for name, value in (("svn:author", "generator"),
                                ("svn:date", stamp),
                                ("svn:log", message))) + "PROPS-END\n"
        self.line("Revision-number: %d\nProp-content-length: %d\n"
                  "Content-length: %d\n\n%s"
                  % (self.revision, len(props), len(props), props))

    def folder(self, path):
        """A new folder."""
        self.line("Node-path: %s\nNode-kind: dir\nNode-action: add\n" % path)

    def file(self, path, size, pieces, action="add"):
        """A file of `size` bytes, made of `pieces`."""
        self.line("Node-path: %s\nNode-kind: file\nNode-action: %s\n"
                  "Text-content-length: %d\nContent-length: %d\n"
                  % (path, action, size, size))
        for piece in pieces:
            self.out.write(piece)
        self.line("\n")


def small_file(stream, path, lines, chance, action="add"):
    """A file of some lines."""
    text = "".join(chance.choices(lines, k=chance.randint(2, 20))).encode()
    stream.file(path, len(text), [text], action)


def edits(stream, paths, lines, chance, count):
    """Revisions that change one file each."""
    for path in chance.sample(paths, count):
        stream.begin("edit of " + path)
        small_file(stream, path, lines, chance, "change")


def wide(stream, lines, chance):
    """100 folders of 100 folders of 10 files, a revision for each hundred."""
    paths = []
    stream.begin("layout")
    stream.folder("trunk")
    for top in range(100):
        stream.begin("part %d" % top)
        stream.folder("trunk/part%02d" % top)
        for low in range(100):
            folder = "trunk/part%02d/module%02d" % (top, low)
            stream.folder(folder)
            for number in range(10):
                paths.append("%s/file%d.txt" % (folder, number))
                small_file(stream, paths[-1], lines, chance)
    edits(stream, paths, lines, chance, 98)


def flat(stream, lines, chance):
    """10,000 files in one folder, added by ten revisions."""
    paths = ["trunk/file%05d.txt" % number for number in range(10000)]
    stream.begin("layout")
    stream.folder("trunk")
    for start in range(0, len(paths), 1000):
        stream.begin("files from %d" % start)
        for path in paths[start:start + 1000]:
            small_file(stream, path, lines, chance)
    edits(stream, paths, lines, chance, 88)


def text_pieces(lines, chance):
    """Pieces of text, BIG bytes in all."""
    left = BIG
    while left:
        piece = "".join(chance.choices(lines, k=PIECE // 60)).encode()[:left]
        left -= len(piece)
        yield piece


def noise_pieces(chance):
    """Pieces that do not compress, BIG bytes in all."""
    for start in range(0, BIG, PIECE):
        yield chance.randbytes(min(PIECE, BIG - start))


def big(stream, lines, chance):
    """One revision a file, and two more that fill the last shard."""
    stream.begin("text")
    stream.folder("trunk")
    stream.file("trunk/text", BIG, text_pieces(lines, chance))
    stream.begin("noise")
    stream.file("trunk/noise", BIG, noise_pieces(chance))
    stream.begin("small")
    small_file(stream, "trunk/small", lines, chance)


#: Who writes which, and the shard size with which all of it can be packed.
GENERATORS = {"wide": (wide, 50), "flat": (flat, 25), "big": (big, 2)}


def write(name, out):
    """Write the dump stream of `name` to a binary file."""
    chance = random.Random(name)
    GENERATORS[name][0](Stream(out), text_lines(chance), chance)
