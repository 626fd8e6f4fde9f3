# SPDX-License-Identifier: Apache-2.0
"""What is measured: operations, and one cell of the matrix."""

import collections
import json
import os
import time

import harness

PROGRAM = os.path.join(harness.BUILD, "tools", "repobench", "repobench")
MODULES = ("mod_dav_svn", "mod_repo")

#: Name, repository, words for repobench; "{busiest}" stands for a path.
Operation = collections.namedtuple("Operation", "name repository words")
OPERATIONS = {
    o.name: o for o in (
        Operation("export", "tree", ["null-export", "{url}"]),
        Operation("export-bulk", "tree", ["null-export", "{url}", "--bulk"]),
        Operation("export-history", "history", ["null-export", "{url}",
                                                "trunk"]),
        Operation("log-v", "history", ["null-log", "{url}", "-v"]),
        Operation("log-path", "history", ["null-log", "{url}", "{busiest}"]),
        Operation("list", "history", ["null-list", "{url}", "trunk", "-R",
                                      "-v"]),
        Operation("blame", "history", ["null-blame", "{url}", "{busiest}"]),
        Operation("propfind", "tree", ["propfind", "{url}", "trunk/d07",
                                       "--depth", "1"]),
        Operation("get", "tree", ["get", "{url}", "trunk/d07/f07.txt"]),
        Operation("options", "tree", ["options", "{url}"]),
    )
}
STARTS = ("cold", "warm")
#: So many connections fill all workers of prefork once.
WARM_UP = ["-c", 4, "-n", 2, "--connections", 1]

#: Limits of a cell: CPU seconds of the slower side, seconds in all.
Limits = collections.namedtuple("Limits", "cpu wall")


class Side:
    """One module's sums over the runs of a cell."""

    def __init__(self, server):
        self.server = server
        self.cpu = self.wall = 0.0
        self.operations = self.reads = self.read_bytes = 0
        self.received = self.items = 0
        self.peak_rss = self.memory = 0

    def run(self, words, repetitions):
        """Run the operation so often and add what it took."""
        before = self.server.used()
        got = json.loads(harness.run(
            [PROGRAM] + words + ["-n", repetitions, "--json"]).stdout)
        after = self.server.used()
        self.cpu += after.cpu - before.cpu
        self.reads += after.reads - before.reads
        self.read_bytes += after.read_bytes - before.read_bytes
        self.wall += got["operation"]["mean"] * got["operations"]
        self.operations += got["operations"]
        self.received += got["received"]
        self.items += got["items"]
        self.peak_rss = max(self.peak_rss, self.server.peak_rss())
        self.memory = max(self.memory, self.server.memory())

    def result(self):
        """Numbers of one operation, but for memory."""
        count = max(self.operations, 1)
        return {
            "operations": self.operations,
            "measured_cpu_seconds": self.cpu,
            "cpu_seconds": self.cpu / count,
            "wall_seconds": self.wall / count,
            "received_bytes": self.received / count,
            "items": self.items / count,
            "read_calls": self.reads / count,
            "read_bytes": self.read_bytes / count,
            "peak_rss_bytes": self.peak_rss,
            "memory_bytes": self.memory,
        }


def repetitions_for(sides, limits):
    """How often to repeat in a run: a quarter of what a cell is to use."""
    each = max(side.cpu / side.operations for side in sides)
    return max(1, min(20000, int(limits.cpu / 4 / max(each, 1e-6))))


def measure(servers, words_of, start, limits):
    """Measure one cell: both modules in turn until the slower one used enough.

    `words_of` makes the command line for a server's URL. Cold: each run meets
    a server that was just started; what it read before is in the page cache of
    the system. Warm: the server did the operation before.
    """
    sides = [Side(server) for server in servers]
    deadline = time.monotonic() + limits.wall
    repetitions = 1
    if start == "warm":
        for side in sides:
            side.server.start()
            harness.run([PROGRAM] + words_of(side.server) + WARM_UP)
    try:
        while True:
            for side in sides:
                if start == "cold":
                    side.server.start()
                side.run(words_of(side.server), repetitions)
                if start == "cold":
                    side.server.stop()
            slower = max(side.cpu for side in sides)
            if slower >= limits.cpu or time.monotonic() > deadline:
                return {side.server.module: side.result() for side in sides}
            if start == "warm":
                repetitions = repetitions_for(sides, limits)
    finally:
        for side in sides:
            side.server.stop()


def ratios(result):
    """mod_repo divided by mod_dav_svn: below 1 is better."""
    peer, ours = (result[name] for name in MODULES)
    return {
        name: ours[name] / peer[name] if peer[name] else None
        for name in ("cpu_seconds", "wall_seconds", "received_bytes",
                     "read_calls", "read_bytes", "peak_rss_bytes",
                     "memory_bytes")
    }
