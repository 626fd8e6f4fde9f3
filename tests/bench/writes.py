# SPDX-License-Identifier: Apache-2.0
"""The cells that write: each on a fresh repository, served by one module after
the other, the order changing from run to run.

Run by "make bench BENCH_ARGS='--writes ...'".
"""

import argparse
import collections
import http.client
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time

import harness
import server

#: CPU seconds of the server with its hooks; seconds until the client was done.
Cost = collections.namedtuple("Cost", "cpu wall")
MODULES = ("mod_dav_svn", "mod_repo")
HOOK = '#!/bin/sh\nexec /usr/bin/svnlook changed -t "$2" "$1" >/dev/null\n'
SKEL = {"Content-Type": "application/vnd.svn-skel"}
AGENT = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}
MERGE = ('<?xml version="1.0"?><D:merge xmlns:D="DAV:"><D:source><D:href>'
         "/r/!svn/txn/%s</D:href></D:source><D:no-auto-merge/>"
         "<D:no-checkout/></D:merge>")


class Place:
    """A served repository to write to."""

    def __init__(self, folder, module, options):
        self.module = module
        self.folder = tempfile.mkdtemp(prefix=module + "-", dir=folder)
        os.chmod(self.folder, 0o755)
        self.repo = os.path.join(self.folder, "repo")
        harness.run(["svnadmin", "create", "--compatible-version",
                     "1.10" if options.format == 8 else "1.8", self.repo])
        self.client = harness.Client(self.folder)
        self.httpd = server.Server(
            os.path.join(self.folder, "httpd"), module, options.mpm,
            {"r": self.repo})
        if options.delay_sync:
            delay(self.httpd, self.folder, self.repo, options.delay_sync)

    @property
    def url(self):
        return self.httpd.base + "/r"

    def hook(self, name, text):
        path = os.path.join(self.repo, "hooks", name)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)

    def cpu(self):
        """All processes with their threads and hooks, ended ones included."""
        return sum(sum(int(word) for word in server.read_proc(
            pid, "stat").rpartition(")")[2].split()[11:15])
                   for pid in self.httpd.processes()) / server.TICK

    def measure(self, act):
        begin, cpu = time.monotonic(), self.cpu()
        act(self)
        return Cost(self.cpu() - cpu, time.monotonic() - begin)


def delay(httpd, folder, repo, milliseconds):
    """Make each sync of the server take longer, by the fault tools."""
    tools = os.environ.get("MOD_REPO_FAULTS", os.path.join(
        os.path.dirname(os.path.abspath(harness.SOURCE)), "shared", "tools",
        "faults"))
    sys.path.insert(0, tools)
    import faultctl
    library = os.path.join(folder, "faultfs.so")
    harness.run(["cc", "-O2", "-fPIC", "-shared", "-o", library,
                 os.path.join(tools, "faultfs.c"), "-ldl", "-lpthread"])
    state = faultctl.State(os.path.join(folder, "state"), create=True)
    state.arm("kinds=sync;at=1;count=0;do=delay:%d" % milliseconds)
    more = faultctl.environment(state.folder, library, repo)
    harness.writable(state.folder)
    plain = httpd.environment
    httpd.environment = lambda: dict(plain(), **more)


class Raw:
    """A client without costs of its own."""

    def __init__(self, place):
        self.http = http.client.HTTPConnection("127.0.0.1", place.httpd.port)

    def ask(self, method, path, body, expected, **headers):
        self.http.request(method, path, body, dict(AGENT, **headers))
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status not in expected:
            raise RuntimeError("%s %s: %d %r" % (method, path, answer.status,
                                                 text[:500]))
        return answer

    def commit(self, name, text):
        """One commit of one file, as stock clients make it."""
        answer = self.ask("POST", "/r/!svn/me", "(create-txn-with-props "
                          "(svn:log 8 a commit))", (201,), **SKEL)
        txn = answer.getheader("SVN-Txn-Name")
        self.ask("PUT", "/r/!svn/txr/%s/%s" % (txn, name), text, (201, 204))
        self.ask("MERGE", "/r/", MERGE % txn, (200,), **{
            "Content-Type": "text/xml", "X-SVN-Options": "no-merge-response"})


def small_text(number):
    return ("line %d of a small file\n" % number * 20).encode()


def commits(place):
    raw = Raw(place)
    for number in range(200):
        raw.commit("file-%d" % (number % 20), small_text(number))


def commits_of_8(place):
    def one(client):
        raw = Raw(place)
        for number in range(25):
            raw.commit("file-%d" % client, small_text(number * 100 + client))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def tree_of_5000(folder):
    """A tree for svn import: 100 folders of 50 small files."""
    path = os.path.join(folder, "tree")
    if not os.path.exists(path):
        for number in range(5000):
            below = os.path.join(path, "dir-%02d" % (number // 50))
            os.makedirs(below, exist_ok=True)
            with open(os.path.join(below, "f%d" % number), "wb") as out:
                out.write(small_text(number))
    return path


def import_tree(place):
    place.client.run("import", "-q", "-m", "import",
                     tree_of_5000(os.path.dirname(place.folder)),
                     place.url + "/trunk")


def import_with_hook(place):
    place.hook("pre-commit", HOOK)
    import_tree(place)


def big_file(folder, kind):
    path = os.path.join(folder, kind)
    if not os.path.exists(path):
        chance = random.Random(5)
        with open(path, "wb") as out:
            for _ in range(200):
                out.write(chance.randbytes(1 << 20) if kind == "noise" else
                          b"".join(b"%d a line of text, number %d\n" % (
                              chance.randrange(1000), i)
                              for i in range(31000))[:1 << 20])
    return path


def put_big(kind):
    def act(place):
        place.client.run("-m", "big", "--root-url", place.url, "put",
                         big_file(os.path.dirname(place.folder), kind), kind,
                         program="svnmucc")
    return act


def sync_source(folder):
    """A repository of 60 revisions to mirror."""
    path = os.path.join(folder, "source")
    if not os.path.exists(path):
        harness.run(["svnadmin", "create", path])
        client = harness.Client(folder)
        text = os.path.join(folder, "text")
        for number in range(60):
            with open(text, "wb") as out:
                out.write(small_text(number))
            client.run("-m", "r", "--root-url", "file://" + path, "put", text,
                       "f%d" % (number % 30), program="svnmucc")
    return path


def svnsync(place):
    place.hook("pre-revprop-change", "#!/bin/sh\nexit 0\n")
    source = "file://" + sync_source(os.path.dirname(place.folder))
    for words in (["init", place.url, source], ["sync", place.url]):
        place.client.run(*words, "-q", program="svnsync")


def lock_1000(place):
    """A lock for each of 1,000 files."""
    files = ["f%d" % number for number in range(1000)]
    place.client.run("lock", "-q", "--username", "ann", "--password", "pw",
                     *[place.url + "/" + name for name in files])


def fill_1000(place):
    tree = os.path.join(place.folder, "files")
    os.makedirs(tree)
    for number in range(1000):
        with open(os.path.join(tree, "f%d" % number), "wb") as out:
            out.write(small_text(number))
    harness.run(["svn", "import", "-q", "-m", "m", tree,
                 "file://" + place.repo])
    place.httpd.modules = ["auth_basic", "authn_file", "authz_user"]
    place.httpd.location_lines = harness.login(place.folder, "ann") + [
        "Require valid-user"]


def fill_without_sync(place):
    """The peer never waits for the disk when it locks."""
    fill_1000(place)
    if place.module == "mod_repo":
        place.httpd.location_lines.append("RepoOption nosync true")


#: Name: what is done, what before the server starts, bars for CPU and wall.
CELLS = {
    "commits": (commits, None, 0.6, 1.0, 0.75),
    "commits-8": (commits_of_8, None, 0.6, 1.0, 0.75),
    "import": (import_tree, None, 0.25, 0.4, 0.4),
    "import-hook": (import_with_hook, None, 0.6, 1.0, 1.0),
    "put-noise": (put_big("noise"), None, 0.7, 1.0, 1.0),
    "put-text": (put_big("text"), None, 0.7, 1.0, 1.0),
    "svnsync": (svnsync, None, 1.0, 1.0, 1.0),
    "lock": (lock_1000, fill_1000, 1.0, 1.0, 1.0),
    "lock-nosync": (lock_1000, fill_without_sync, 1.0, 1.0, 1.0),
}


def run_cell(name, folder, options):
    """Costs of both modules: module -> list of Cost."""
    act, prepare = CELLS[name][:2]
    costs = {module: [] for module in MODULES}
    for number in range(options.runs):
        for module in MODULES if number % 2 else reversed(MODULES):
            place = Place(folder, module, options)
            if prepare:
                prepare(place)
            harness.writable(place.repo)
            try:
                with place.httpd:
                    costs[module].append(place.measure(act))
            finally:
                shutil.rmtree(place.folder, ignore_errors=True)
    return costs


def main(words):
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--writes", action="store_true")
    parser.add_argument("--operation", default=",".join(CELLS))
    parser.add_argument("--format", type=int, choices=(6, 8), default=8)
    parser.add_argument("--mpm", default="prefork")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--delay-sync", type=int, default=0, metavar="MS")
    parser.add_argument("--work", default=os.environ.get("BENCH_WORK"))
    parser.add_argument("--bars", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args(words)
    print("%-12s %9s %9s %6s %9s %9s %6s  bars" % (
        "operation", "svn ms", "repo ms", "CPU", "svn wall", "repo wall",
        "wall"))
    missed, found = False, {}
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        os.chmod(folder, 0o755)
        for name in options.operation.split(","):
            costs = found[name] = run_cell(name, folder, options)
            cpu, wall = ([statistics.median(c[i] for c in costs[m])
                          for m in MODULES] for i in (0, 1))
            limits = CELLS[name][2], CELLS[name][4 if options.delay_sync
                                                 else 3]
            ratios = [cost[1] / max(cost[0], 0.001) for cost in (cpu, wall)]
            met = all(r <= bar for r, bar in zip(ratios, limits))
            missed = missed or not met
            print("%-12s %9.0f %9.0f %6.2f %9.0f %9.0f %6.2f  %.2f %.2f %s" % (
                name, cpu[0] * 1e3, cpu[1] * 1e3, ratios[0], wall[0] * 1e3,
                wall[1] * 1e3, ratios[1], *limits,
                "met" if met else "MISSED"), flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(found, out, indent=1)
    return 1 if missed and options.bars else 0
