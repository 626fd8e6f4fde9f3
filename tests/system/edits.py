# SPDX-License-Identifier: Apache-2.0
"""Random histories: a seed decides on a list of commits, each a list of
svnmucc actions that are valid on what the commits before it left behind."""

import os
import random

#: Names that need care: escapes, both spellings of one letter, case, blanks.
NAMES = ("a", "b.txt", "B.txt", "c & d", "100%", "e\u0301", "\u00e9", "x;y",
         "it's", "#h", "[z]", "q?", "\u65e5\u672c", " lead", "trail ", "f+g",
         "..dots", "t~", "semi:colon", "long" * 30)


class Node:
    """A file (bytes) or a folder (entries) of the tree as it should be."""

    def __init__(self, content=None):
        self.content = content
        self.entries = {} if content is None else None

    def copy(self):
        other = Node(self.content)
        if self.entries is not None:
            other.entries = {n: c.copy() for n, c in self.entries.items()}
        return other

    def walk(self, path=""):
        """All below it: (path, parent, name, node)."""
        for name, child in sorted((self.entries or {}).items()):
            below = path + "/" + name
            yield below, self, name, child
            yield from child.walk(below)


class History:
    """Makes commits one after the other; `trees[rev]` is what each left."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.folder = folder
        self.trees = [Node()]
        self.texts = 0

    def source(self, content):
        """A file for svnmucc to read from."""
        self.texts += 1
        path = os.path.join(self.folder, "text-%d" % self.texts)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def content(self, before=b""):
        """A text: new, or an edit of one."""
        kind = self.random.randrange(10)
        if before and kind < 6:
            at = self.random.randrange(len(before) + 1)
            cut = self.random.randrange(200)
            return before[:at] + b"edit %d\n" % kind + before[at + cut:]
        if kind == 6:
            return b""
        if kind == 7:
            return self.random.randbytes(self.random.randrange(1, 5000))
        if kind == 8:
            line = b"%d a line that is there many times\n" % kind
            return line * self.random.randrange(1, 9000)
        return b"".join(b"line %d\n" % self.random.randrange(1000)
                        for _ in range(self.random.randrange(1, 200)))

    def value(self):
        """A property's value."""
        kind = self.random.randrange(5)
        if kind == 0:
            return b""
        if kind == 1:
            return self.random.randbytes(50)
        return b"value %d\n" % self.random.randrange(100) * kind

    def step(self, tree, touched):
        """One action on `tree`, or None; `touched` paths are left alone, so
        that the order in which svnmucc sends does not matter."""
        nodes = [n for n in tree.walk()
                 if not any(n[0].startswith(t + "/") or n[0] == t
                            or t.startswith(n[0] + "/") for t in touched)]
        folders = [("", tree)] + [(p, n) for p, _, _, n in nodes
                                  if n.entries is not None]
        files = [n for n in nodes if n[3].entries is None]
        kind = self.random.choices(
            ("put", "edit", "mkdir", "rm", "cp", "mv", "prop", "propdel"),
            (5, 8, 4, 2, 3, 2, 5, 2))[0]
        if kind in ("put", "mkdir", "cp"):
            path, folder = self.random.choice(folders)
            free = [n for n in NAMES if n not in folder.entries
                    and path + "/" + n not in touched]
            if not free or path.count("/") > 6:
                return None
            name = self.random.choice(free)
            return self.add(kind, tree, path, folder, name, touched)
        if kind == "edit" and files:
            path, parent, name, node = self.random.choice(files)
            parent.entries[name] = Node(self.content(node.content))
            touched.add(path)
            return ["put", self.source(parent.entries[name].content), path[1:]]
        if kind == "rm" and len(nodes) > 6:
            path, parent, name, _ = self.random.choice(nodes)
            del parent.entries[name]
            touched.add(path)
            return ["rm", path[1:]]
        if kind == "mv" and nodes:
            return self.move(nodes, folders, touched)
        if kind == "prop" and nodes:
            path, _, _, node = self.random.choice(nodes)
            touched.add(path)
            name = self.random.choice(("color", "p:q", "long") if node.entries
                                      is not None else ("color",
                                                        "svn:keywords"))
            value = self.value() if name != "svn:keywords" else b"Id"
            return ["propsetf", name, self.source(value), path[1:]]
        if kind == "propdel" and nodes:
            path = self.random.choice(nodes)[0]
            touched.add(path)
            return ["propdel", "color", path[1:]]
        return None

    def add(self, kind, tree, path, folder, name, touched):
        target = path + "/" + name
        if kind == "put":
            folder.entries[name] = Node(self.content())
            action = ["put", self.source(folder.entries[name].content),
                      target[1:]]
        elif kind == "mkdir":
            folder.entries[name] = Node()
            action = ["mkdir", target[1:]]
        else:
            rev = self.random.randrange(len(self.trees))
            found = list(self.trees[rev].walk())
            if not found or sum(1 for _ in tree.walk()) > 400:
                return None
            source, _, _, node = self.random.choice(found)
            folder.entries[name] = node.copy()
            action = ["cp", str(rev), source[1:], target[1:]]
        touched.add(target)
        return action

    def move(self, nodes, folders, touched):
        path, parent, name, node = self.random.choice(nodes)
        outside = [(p, f) for p, f in folders
                   if p != path and not p.startswith(path + "/")
                   and p.count("/") < 6]
        into, folder = self.random.choice(outside)
        free = [n for n in NAMES if n not in folder.entries
                and into + "/" + n not in touched]
        if not free:
            return None
        target = self.random.choice(free)
        head = self.trees[-1]
        for part in path[1:].split("/"):
            head = head.entries and head.entries.get(part)
        if not head:  # svnmucc moves what the last revision has
            return None
        folder.entries[target] = parent.entries.pop(name)
        touched.update((path, into + "/" + target))
        return ["mv", path[1:], (into + "/" + target)[1:]]

    def commit(self):
        """The actions of the next commit."""
        while True:
            tree = self.trees[-1].copy()
            touched, actions = set(), []
            for _ in range(self.random.randrange(1, 9)):
                action = self.step(tree, touched)
                actions += action or []
            if actions:
                self.trees.append(tree)
                return actions
