# SPDX-License-Identifier: Apache-2.0
"""One cell of the matrix: both modules do an operation in turn."""

import collections
import contextlib
import statistics
import time

import repositories
import trace

MODULES = ("mod_dav_svn", "mod_repo")
STARTS = ("cold", "system", "warm")

#: Limits of a cell: CPU seconds of the slower side, seconds in all, runs at
#: least, and whether one more run is traced.
Limits = collections.namedtuple("Limits", "cpu wall runs trace")

#: What is compared, in the order of the columns.
COMPARED = ("cpu_seconds", "wall_seconds", "requests", "read_calls",
            "read_bytes", "disk_bytes", "seeks", "peak_rss_bytes",
            "memory_bytes")


class Side:
    """One module's sums over the runs of a cell."""

    def __init__(self, operation, place):
        self.operation = operation
        self.place = place
        self.server = place.server
        self.cpu = 0.0
        self.walls = []  # of one operation, a run each
        self.done = collections.Counter()
        self.peak_rss = self.memory = 0
        self.seeks = None
        self.inspected = 0

    def run(self, repetitions):
        """Run the operation so often and add what it took."""
        self.operation.before(self.place)
        before = self.server.used()
        done = self.operation.run(self.place, repetitions)
        used = {name: after - first for name, after, first in zip(
            before._fields, self.server.used(), before)}
        self.cpu += used.pop("cpu")
        self.walls.append(done.wall / done.operations)
        self.done.update(used)
        self.done.update(done._asdict())
        self.peak_rss = max(self.peak_rss, self.server.peak_rss())
        self.memory = max(self.memory, self.server.memory())

    def begin(self, start):
        """Start a server for the next run, or for all of them if warm."""
        if start == "cold":
            repositories.drop_pages(self.place.path)
        self.server.start()
        if start == "warm":
            self.operation.warm_up(self.place)

    def inspect(self, traced):
        """One more run, which is not timed: count the requests, and the
        non-sequential reads if `traced`."""
        self.operation.before(self.place)
        self.server.logs_requests = True
        self.server.start()
        with trace.Trace(self.server) if traced else (
                contextlib.nullcontext()) as log:
            self.operation.run(self.place, 1)
        self.server.stop()
        self.server.logs_requests = False
        self.inspected = self.server.requests()
        if traced:
            self.seeks = log.seeks(self.place.path)

    def result(self):
        """Numbers of one operation, but for memory."""
        count = self.done["operations"]
        return {
            "operations": count,
            "runs": len(self.walls),
            "measured_cpu_seconds": self.cpu,
            "cpu_seconds": self.cpu / count,
            "wall_seconds": statistics.median(self.walls),
            "received_bytes": self.done["received"] / count,
            "items": self.done["items"] / count,
            "requests": (self.done["requests"] / count
                         or self.inspected),
            "read_calls": self.done["reads"] / count,
            "read_bytes": self.done["read_bytes"] / count,
            "disk_bytes": self.done["disk_bytes"] / count,
            "seeks": self.seeks,
            "peak_rss_bytes": self.peak_rss,
            "memory_bytes": self.memory,
        }


def repetitions_for(sides, limits):
    """How often to repeat in a run, so that enough runs fill a cell."""
    each = max(side.cpu / side.done["operations"] for side in sides)
    return max(1, min(sides[0].operation.most,
                      int(limits.cpu / limits.runs / max(each, 1e-6))))


def turns(sides, start, limits):
    """Let the sides take turns until the slower one used enough; who begins
    changes."""
    deadline = time.monotonic() + limits.wall
    repetitions = 1
    while True:
        for side in sides:
            if start != "warm":
                side.begin(start)
            side.run(repetitions)
            if start != "warm":
                side.server.stop()
        if time.monotonic() > deadline or (
                len(sides[0].walls) >= limits.runs and
                max(side.cpu for side in sides) >= limits.cpu):
            break
        repetitions = 1
        if start == "warm":
            repetitions = repetitions_for(sides, limits)
        sides = sides[::-1]


def measure(operation, places, start, limits):
    """Measure one cell: the numbers of each module by its name.

    cold: each run meets a server that was just started, and no page of the
    repository is in the page cache of the system. system: the pages are there.
    warm: the server did the operation before.
    """
    sides = [Side(operation, place) for place in places]
    try:
        for side in sides:
            operation.prepare(side.place)
            if start != "cold":
                side.begin("warm")
            if start == "system":
                side.server.stop()
        turns(sides, start, limits)
        traced = limits.trace and start == "cold"
        if traced or operation.stock:
            for side in sides:
                side.server.stop()
                side.inspect(traced)
        return {side.server.module: side.result() for side in sides}
    finally:
        for side in sides:
            side.server.stop()


def ratios(result):
    """mod_repo divided by mod_dav_svn: below 1 is better. None is what was
    not measured, or is 0 with mod_dav_svn."""
    peer, ours = (result[name] for name in MODULES)
    return {name: ours[name] / peer[name]
            if peer[name] and ours[name] is not None else None
            for name in COMPARED}
