# SPDX-License-Identifier: Apache-2.0
"""The operations that are measured: by repobench, or by stock clients."""

import collections
import json
import os
import shutil
import subprocess
import time

import harness

PROGRAM = os.path.join(harness.BUILD, "tools", "repobench", "repobench")

#: One side's end of an operation: the server, its URL of the repository, the
#: repository's folder and facts, and a folder for working copies.
Place = collections.namedtuple("Place", "server url path facts scratch")

#: What one run did. `items` shows whether both servers sent the same.
Done = collections.namedtuple("Done", "operations wall items received "
                              "requests")

#: Revisions that an update goes over, and that are dumped.
UPDATE_SPAN = 100
DUMP_SPAN = 1000


class Bench:
    """An operation that repobench knows. In its words "{busiest}" stands for
    the path of the file that was changed most."""

    stock = False
    most = 20000  # times in a run

    def __init__(self, *words):
        self.words = words

    def prepare(self, place):
        """Nothing."""

    def before(self, place):
        """Nothing."""

    def warm_up(self, place):
        """Do it once on as many connections as prefork has workers."""
        self.call(place, ["-c", 4, "--connections", 1])

    def run(self, place, repetitions):
        """Do it so often."""
        got = self.call(place, ["-n", repetitions])
        count = got["operations"]
        return Done(count, got["operation"]["mean"] * count, got["items"],
                    got["received"], got["requests"])

    def call(self, place, more):
        command, *paths = (word.format(busiest=place.facts.busiest)
                           for word in self.words)
        return json.loads(run_long(
            [PROGRAM, command, place.url] + paths + more + ["--json"]))


class Stock:
    """An operation of a stock client. Requests are counted in a log."""

    stock = True
    most = 1

    def prepare(self, place):
        """Before the server is started for the first run."""

    def before(self, place):
        """Before each run; the server must not notice."""

    def warm_up(self, place):
        """Do it twice, on fresh connections."""
        for _ in range(2):
            self.before(place)
            self.run(place, 1)

    def run(self, place, repetitions):
        """Do it so often; items are what `once` returns."""
        begin = time.monotonic()
        items = sum(self.once(place) for _ in range(repetitions))
        return Done(repetitions, time.monotonic() - begin, items, 0, 0)

    def once(self, place):
        """The operation."""
        raise NotImplementedError


class Checkout(Stock):
    """`svn checkout` of /trunk."""

    def before(self, place):
        shutil.rmtree(copy_of(place), ignore_errors=True)

    def once(self, place):
        return lines_of(place, "checkout", place.url + "/trunk",
                        copy_of(place))


class Update(Stock):
    """`svn update` of /trunk, from a revision before the youngest."""

    def __init__(self, span, most=1):
        self.span = span
        self.most = most

    def prepare(self, place):
        """Have a working copy to start from, made without the server."""
        start = max(1, place.facts.youngest - self.span)
        base = os.path.join(place.scratch, "base")
        lines_of(place, "checkout", "-r", start,
                 "file://%s/trunk" % place.path, base)
        place.server.start()
        lines_of(place, "relocate", place.url + "/trunk", base)
        place.server.stop()

    def before(self, place):
        if self.most > 1 and os.path.exists(copy_of(place)):
            return
        shutil.rmtree(copy_of(place), ignore_errors=True)
        harness.run(["cp", "-a", os.path.join(place.scratch, "base"),
                     copy_of(place)])

    def once(self, place):
        return lines_of(place, "update", copy_of(place))


class Dump(Stock):
    """`svnrdump dump` of some revisions; items are nodes."""

    def once(self, place):
        youngest = place.facts.youngest
        span = "%d:%d" % (max(1, youngest - DUMP_SPAN), youngest)
        with subprocess.Popen(
                ["svnrdump", "dump", "-q", "--incremental", "-r", span,
                 "--non-interactive", "--config-dir", config_of(place),
                 place.url], stdout=subprocess.PIPE) as dump:
            nodes = run_long(["grep", "-a", "-c", "^Node-path: "],
                             stdin=dump.stdout)
        if dump.returncode != 0:
            raise RuntimeError("svnrdump failed")
        return int(nodes)


def run_long(words, **more):
    """Standard output of a program that may take long."""
    done = subprocess.run([str(word) for word in words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, **more)
    if done.returncode != 0:
        raise RuntimeError("%s ended with %d: %s" % (
            os.path.basename(words[0]), done.returncode,
            done.stderr.decode("utf-8", "replace")))
    return done.stdout


def copy_of(place):
    """The working copy of the next run."""
    return os.path.join(place.scratch, "copy")


def config_of(place):
    """Configuration of the stock clients."""
    return harness.Client(place.scratch).config


def lines_of(place, *words):
    """How many lines `svn` told."""
    return run_long(["svn", "--non-interactive", "--config-dir",
                     config_of(place)] + list(words)).count(b"\n")


#: Name: the operation, and the repositories it is measured on.
OPERATIONS = {
    "export": (Bench("null-export", "trunk"), "history wide flat"),
    "export-bulk": (Bench("null-export", "trunk", "--bulk"), "history wide"),
    "checkout": (Checkout(), "history"),
    "update": (Update(UPDATE_SPAN), "history"),
    "update-none": (Update(0, 100), "history"),
    "log": (Bench("null-log"), "history"),
    "log-v": (Bench("null-log", "-v"), "history"),
    "log-v-g": (Bench("null-log", "trunk", "-v", "-g"), "history"),
    "log-path": (Bench("null-log", "{busiest}"), "history"),
    "blame": (Bench("null-blame", "{busiest}"), "history"),
    "list": (Bench("null-list", "trunk", "-R", "-v"), "history wide flat"),
    "propfind": (Bench("propfind", "trunk", "--depth", "1"),
                 "history flat"),
    "get": (Bench("get", "{busiest}"), "history"),
    "get-text": (Bench("get", "trunk/text"), "big"),
    "get-noise": (Bench("get", "trunk/noise"), "big"),
    "svnrdump": (Dump(), "history"),
    "options": (Bench("options"), "history"),
}
