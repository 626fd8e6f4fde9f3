# SPDX-License-Identifier: Apache-2.0
"""What a server reads of a repository, call by call, as strace tells it."""

import glob
import os
import re
import shutil
import signal
import subprocess
import time

OPENED = re.compile(r"openat\(.* = (\d+)</")
MOVED = re.compile(r"lseek\((\d+)<.* = (\d+)$")
READ = re.compile(r"(read|pread64)\((\d+)<(/[^>]*)>, "
                  r".*?(?:, (\d+))?\) = (\d+)$")
CALLS = "openat,lseek,read,pread64"


def is_there():
    """Is strace installed?"""
    return shutil.which("strace") is not None


class Trace:
    """Traces the children of a server with one thread each."""

    def __init__(self, server):
        self.pids = server.children()
        self.prefix = os.path.join(server.folder, "trace")
        self.process = None

    def __enter__(self):
        for path in glob.glob(self.prefix + ".*"):
            os.remove(path)
        self.process = subprocess.Popen(
            ["strace", "-ff", "-qq", "-y", "-s", "0", "-e", "trace=" + CALLS,
             "-o", self.prefix] + ["-p%d" % pid for pid in self.pids],
            stderr=subprocess.PIPE)
        deadline = time.monotonic() + 10
        while not all(is_traced(pid) for pid in self.pids):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("strace cannot trace the server")
            time.sleep(0.02)
        return self

    def __exit__(self, kind, value, trace):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()

    def seeks(self, folder):
        """How many reads of files below `folder` did not begin where the one
        before ended, of the same file by the same process; 0 is where the
        first one is expected."""
        inside = os.path.realpath(folder) + "/"
        count = 0
        for path in glob.glob(self.prefix + ".*"):
            with open(path, errors="replace") as lines:
                count += seeks_of(lines, inside)
        return count


def is_traced(pid):
    """Does a process have a tracer?"""
    with open("/proc/%d/status" % pid) as inp:
        return "TracerPid:\t0\n" not in inp.read()


def seeks_of(lines, inside):
    """Non-sequential reads of one process."""
    position = {}  # of descriptors
    ends = {}  # of the last read of files
    count = 0
    for line in lines:
        opened, moved, read = (kind.match(line)
                               for kind in (OPENED, MOVED, READ))
        if opened:
            position[opened.group(1)] = 0
        elif moved:
            position[moved.group(1)] = int(moved.group(2))
        elif read and read.group(3).startswith(inside):
            call, handle, path, offset, length = read.groups()
            begin = position.get(handle, 0) if call == "read" else int(offset)
            count += begin != ends.get(path, 0)
            ends[path] = begin + int(length)
            if call == "read":
                position[handle] = ends[path]
    return count
