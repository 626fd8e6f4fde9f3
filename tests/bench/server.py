# SPDX-License-Identifier: Apache-2.0
"""One httpd under measurement: its configuration, and what it used.

Linux only: everything is read from /proc.
"""

import collections
import os
import time

import harness

#: Counted over all processes: CPU seconds, read calls, bytes they gave, bytes
#: that came from disk for them, what was read ahead included.
Used = collections.namedtuple("Used", "cpu reads read_bytes disk_bytes")
TICK = os.sysconf("SC_CLK_TCK")

#: The workers are there from the start and stay.
MPM_LINES = {
    "prefork": ["StartServers 4", "MinSpareServers 1", "MaxSpareServers 4",
                "ServerLimit 4", "MaxRequestWorkers 4"],
    "event": ["StartServers 2", "ServerLimit 2", "ThreadsPerChild 16",
              "MinSpareThreads 1", "MaxSpareThreads 32",
              "MaxRequestWorkers 32"],
    "worker": ["StartServers 2", "ServerLimit 2", "ThreadsPerChild 16",
               "MinSpareThreads 1", "MaxSpareThreads 32",
               "MaxRequestWorkers 32"],
}

#: The peer with all that can be switched on for speed, and a cache of 1 GiB.
TUNED_HEAD = ["SVNInMemoryCacheSize 1048576"]
TUNED_LOCATION = ["SVNCacheTextDeltas on", "SVNCacheFullTexts on",
                  "SVNCacheRevProps on", "SVNCacheNodeProps on",
                  "SVNBlockRead on"]
#: What the peer has unless told otherwise.
OUR_HEAD = ["RepoCache process", "RepoCacheSize 16M"]


class Server(harness.Httpd):
    """httpd with one of the modules, serving repositories by name."""

    def __init__(self, folder, module, mpm, repositories, tuned=False):
        super().__init__(folder, mpm)
        self.module = module
        self.repositories = repositories
        self.tuned = tuned and module == "mod_dav_svn"
        self.logs_requests = False
        self.location_lines = []  # more of them

    def location(self, name, path):
        """The section that serves one repository."""
        provider, directive = ("svn", "SVNPath") if (
            self.module == "mod_dav_svn") else ("repo", "RepoPath")
        lines = ["<Location /%s>" % name, "DAV " + provider,
                 '%s "%s"' % (directive, path)]
        if self.tuned:
            lines += TUNED_LOCATION
        return lines + self.location_lines + ["</Location>"]

    def write_config(self):
        """The same for both modules, but for themselves; without access log
        unless requests are counted."""
        libexec = harness.apxs("LIBEXECDIR")
        os.makedirs(self.folder, exist_ok=True)
        lines = ['ServerRoot "%s"' % self.folder, "ServerName 127.0.0.1",
                 "Listen 127.0.0.1:%d" % self.port,
                 'PidFile "%s"' % self.pid_file,
                 'ErrorLog "%s"' % self.error_log, "LogLevel warn",
                 'DefaultRuntimeDir "%s"' % self.folder,
                 'DocumentRoot "%s"' % self.folder,
                 "KeepAlive On", "MaxKeepAliveRequests 0",
                 "KeepAliveTimeout 5", "Timeout 300",
                 "TypesConfig /etc/mime.types"]
        for name in ["mpm_" + self.mpm, "authz_core", "dav", "mime",
                     "authn_core"] + self.modules:
            path = os.path.join(libexec, "mod_%s.so" % name)
            if os.path.exists(path):
                lines.append("LoadModule %s_module %s" % (name, path))
        lines.append(
            "LoadModule dav_svn_module %s/mod_dav_svn.so" % libexec
            if self.module == "mod_dav_svn" else
            "LoadModule repo_module %s/mod_repo/mod_repo.so" % harness.BUILD)
        if os.geteuid() == 0:
            lines += ["User nobody", "Group nogroup"]
        lines += MPM_LINES[self.mpm]
        if self.module == "mod_repo":
            lines += OUR_HEAD
        if self.tuned:
            lines += TUNED_HEAD
        if self.logs_requests:
            lines.append('CustomLog "%s" "%%m"' % self.access_log)
        for name, path in self.repositories.items():
            lines += self.location(name, path)
        with open(self.conf, "w") as out:
            out.write("\n".join(lines) + "\n")

    def start(self):
        """Start, and wait until all workers are there and idle."""
        super().start()
        expected = int(MPM_LINES[self.mpm][0].split()[1])
        deadline = time.monotonic() + 10
        before = None
        while time.monotonic() < deadline:
            now = self.used().cpu
            if (len(self.children()) >= expected and now == before and
                    all(is_asleep(pid) for pid in self.children())):
                break
            before = now
            time.sleep(0.02)
        return self

    def children(self):
        """Process ids of the children; cheaper than asking ps."""
        pid = self.process.pid
        return [int(word) for word in
                read_proc(pid, "task/%d/children" % pid).split()]

    def processes(self):
        """The parent and its children."""
        return [self.process.pid] + self.children()

    def used(self):
        """What all processes used since they began."""
        reads = [io_of(pid) for pid in self.processes()]
        return Used(sum(cpu_of(pid) for pid in self.processes())
                    + dead_children_cpu(self.process.pid),
                    *(sum(column) for column in zip(*reads)))

    def requests(self):
        """How many requests the log tells."""
        with open(self.access_log) as inp:
            return sum(1 for _ in inp)

    def peak_rss(self):
        """Peak resident size of the largest child, bytes."""
        return max([status_of(pid, "VmHWM") for pid in self.children()] or [0])

    def memory(self):
        """Memory of all processes, shared pages counted once, bytes."""
        return sum(proportional_size(pid) for pid in self.processes())


def read_proc(pid, name):
    """A file of /proc; empty if the process is gone."""
    try:
        with open("/proc/%d/%s" % (pid, name)) as inp:
            return inp.read()
    except OSError:
        return ""


def is_asleep(pid):
    """Do all threads of a process wait for something?"""
    return all(read_proc(pid, "task/%s/stat" % task).rpartition(") ")[2][:1]
               in "SI" for task in tasks_of(pid))


def tasks_of(pid):
    """The threads of a process; none if it is gone."""
    try:
        return os.listdir("/proc/%d/task" % pid)
    except OSError:
        return []


def cpu_of(pid):
    """CPU seconds of the living threads of a process, by the scheduler's
    clock; where that is missing, of the process by ticks."""
    total = 0
    for task in tasks_of(pid):
        text = read_proc(pid, "task/%s/schedstat" % task)
        if text:
            total += int(text.split()[0])
    if total:
        return total / 1e9
    fields = read_proc(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK if fields else 0.0


def dead_children_cpu(pid):
    """CPU seconds of children that ended."""
    fields = read_proc(pid, "stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICK if fields else 0.0


def io_of(pid):
    """(read calls, bytes that they gave, bytes from disk), sockets included
    in the first two."""
    found = dict(line.split(": ")
                 for line in read_proc(pid, "io").splitlines())
    return tuple(int(found.get(name, 0))
                 for name in ("syscr", "rchar", "read_bytes"))


def status_of(pid, name):
    """A size of /proc/PID/status in bytes."""
    for line in read_proc(pid, "status").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


def proportional_size(pid):
    """Resident size with shared pages divided by who shares them, bytes."""
    for line in read_proc(pid, "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
