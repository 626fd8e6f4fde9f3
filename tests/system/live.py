# SPDX-License-Identifier: Apache-2.0
"""Readers that know what may be answered, while a repository is changed.

A state of the repository is (history, youngest revision). Who changes it says
before what it will be and afterwards that it is so; a reader takes an answer
only if it fits one state between the two moments that it saw."""

import hashlib
import http.client
import os
import re
import shutil
import threading

import fsfs_writer
import harness

LOG = ('<S:log-report xmlns:S="svn:"><S:start-revision>%d</S:start-revision>'
       "<S:end-revision>%d</S:end-revision><S:path></S:path></S:log-report>")
UPDATE = ('<S:update-report send-all="true" xmlns:S="svn:">'
          "<S:src-path>%s</S:src-path><S:depth>infinity</S:depth>"
          '<S:entry rev="0" start-empty="true"></S:entry>'
          "</S:update-report>")
OPTIONS = ('<D:options xmlns:D="DAV:"><D:activity-collection-set/>'
           "</D:options>")


class Truth:
    """States in their order. `broken`: the folder is being replaced in place,
    so that an answer may also be an error."""

    def __init__(self, state):
        self.lock = threading.Lock()
        self.states = [(state, False)]
        self.settled = 0
        self.edits = {}  # (history, rev) -> (least, most) edits of its message

    def change(self, state, act, broken=False):
        """Do what leads to another state."""
        with self.lock:
            if broken:
                self.states.append((self.states[-1][0], True))
            self.states.append((state, broken))
        result = act()
        with self.lock:
            if broken:
                self.states.append((state, False))
            self.settled = len(self.states) - 1
        return result

    def edit(self, key, act):
        """Do what edits a message once more."""
        with self.lock:
            _, most = self.edits.get(key, (0, 0))
            self.edits[key] = (most, most + 1)
        act()
        with self.lock:
            self.edits[key] = (most + 1, most + 1)

    def now(self):
        """What is certain at the moment, for the start of a request."""
        with self.lock:
            return self.settled, {k: v[0] for k, v in self.edits.items()}

    def since(self, start):
        """States that were possible since, and edits that may be there."""
        with self.lock:
            return self.states[start:], {
                k: v[1] for k, v in self.edits.items()}


class Reader(threading.Thread):
    """Asks on one kept connection until told to stop."""

    def __init__(self, server, url, truth, stop):
        super().__init__(daemon=True)
        self.server = server
        self.url = url
        self.truth = truth
        self.stop = stop
        self.connection = server.connect()
        self.fault = None
        self.answers = 0
        self.errors = 0

    def run(self):
        try:
            while not self.stop.is_set():
                for ask in (self.youngest, self.text, self.log, self.tree):
                    self.one(ask)
        except Exception as fault:  # told by the main thread
            self.fault = fault
        self.connection.close()

    def one(self, ask):
        """One question, judged."""
        start, least = self.truth.now()
        try:
            found = ask()
        except (http.client.HTTPException, OSError):
            found = None
            self.connection.close()
        except AssertionError as mixed:
            # While files are replaced one by one the disk itself is mixed.
            states, _ = self.truth.since(start)
            assert any(broken for _, broken in states), (mixed, states)
            self.errors += 1
            return
        states, most = self.truth.since(start)
        self.answers += 1
        if found is None:
            self.errors += 1
            assert any(broken or state is None for state, broken in states), (
                "an error", ask.__name__, states)
            return
        history, youngest, messages = found
        # While files are replaced one by one no answer is the right one.
        assert any(broken or state == (history, youngest)
                   for state, broken in states) or self.turned(
                       ask, found, states), (ask.__name__, found, states)
        for key, edits in messages.items():
            assert least.get(key, 0) <= edits <= most.get(key, 0) or any(
                broken for _, broken in states), (key, edits, least, most)

    def turned(self, ask, found, states):
        """Whether the history was replaced between two requests of one
        question: the number is of the first, the rest of the second."""
        history, rev, _ = found
        known = [state for state, _ in states if state]
        return (ask in (self.youngest, self.log)
                and len({h for h, _ in known}) > 1
                and rev in [r for _, r in known]
                and (history in [h for h, _ in known]
                     or (history == "base" and rev <= 3)))

    def request(self, method, path, body=None):
        head = {"User-Agent": "SVN/1.14.2", "Content-Type": "text/xml"}
        for attempt in range(2):
            try:
                self.connection.request(method, self.url + path, body, head)
                answer = self.connection.getresponse()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                # It was idle for long.
                self.connection.close()
                if attempt:
                    raise
        data = answer.read()
        return harness.Answer(answer.status, answer.getheaders(),
                              data) if answer.status < 300 else None

    def youngest(self):
        """The youngest revision alone tells no history."""
        answer = self.request("OPTIONS", "", OPTIONS)
        if not answer:
            return None
        rev = int(answer.header("SVN-Youngest-Rev"))
        text = self.request("GET", "/!svn/rvr/%d/f1" % rev)
        if not text:
            return None
        history, number, _ = text.body.decode().split()
        assert int(number) == rev, (number, rev)
        return history, rev, {}

    def text(self):
        answer = self.request("GET", "/f0")
        if not answer:
            return None
        history, number, name = answer.body.decode().split()
        assert name == "f0"
        return history, int(number), {}

    def log(self):
        """The last revisions: all of one history."""
        answer = self.request("OPTIONS", "", OPTIONS)
        if not answer:
            return None
        top = int(answer.header("SVN-Youngest-Rev"))
        answer = self.request("REPORT", "/!svn/rvr/%d/" % top,
                              LOG % (top, max(1, top - 30)))
        if not answer:
            return None
        found = re.findall(rb"<D:comment>(\w+) (\d+) (\d+)</D:comment>",
                           answer.body)
        assert [int(rev) for _, rev, _ in found] == list(
            range(top, max(1, top - 30) - 1, -1)), (top, answer.body)
        # The histories are one up to where they part.
        histories = [h.decode() for h, _, _ in found]
        while len(set(histories)) > 1 and histories[-1] == "base":
            histories.pop()
        assert len(set(histories)) == 1, found
        return histories[0], top, {
            (h.decode(), int(rev)): int(edits) for h, rev, edits in found}

    def tree(self):
        """A checkout: each file of the same revision."""
        answer = self.request("REPORT", "/!svn/me", UPDATE % self.url)
        if not answer:
            return None
        rev = int(re.search(rb'<S:target-revision rev="(\d+)"',
                            answer.body).group(1))
        marks = re.findall(rb'<S:set-prop name="n">([^<]*)<', answer.body)
        sums = re.findall(rb"md5-checksum>(\w+)<", answer.body)
        assert len(marks) == len(sums) == len(fsfs_writer.FILES), answer.body
        assert len(set(marks)) == 1, marks
        texts = [marks[0] + b" " + name.encode() + b"\n"
                 for name in fsfs_writer.FILES]
        assert sorted(sums) == sorted(
            hashlib.md5(text).hexdigest().encode() for text in texts), (
                marks, answer.body)
        history, number = marks[0].decode().split()
        assert int(number) == rev, (number, rev)
        return history, rev, {}


class Stage:
    """A repository that is served, read all the time, and changed."""

    def __init__(self, folder, mpm, readers=3):
        self.folder = folder
        self.parent = os.path.join(folder, "repositories")
        os.makedirs(self.parent)
        os.chmod(folder, 0o755)
        os.chmod(self.parent, 0o755)
        self.path = os.path.join(self.parent, "r")
        fsfs_writer.create(self.path)
        self.writer = fsfs_writer.Writer(self.path)
        self.ids = None
        for _ in range(3):
            self.ids = self.writer.commit("base", self.ids)
        self.count = 0
        self.truth = Truth(("base", 3))
        self.server = harness.Httpd(
            os.path.join(folder, "httpd"), mpm,
            harness.location("/p", self.parent, parent=True))
        self.client = harness.Client(folder)
        self.stop = threading.Event()
        self.readers = [Reader(self.server, "/p/r", self.truth, self.stop)
                        for _ in range(readers)]

    def __enter__(self):
        self.server.start()
        self.judge = Reader(self.server, "/p/r", self.truth, self.stop)
        self.kept = [self.server.connect() for _ in range(3)]
        for reader in self.readers:
            reader.start()
        return self

    def __exit__(self, kind, value, trace):
        self.stop.set()
        for reader in self.readers:
            reader.join(120)
        self.server.stop(check=kind is None)
        if kind is not None:
            print(self.server.log()[-3000:])
        for reader in self.readers:
            if reader.fault and kind is None:
                raise reader.fault

    def check(self):
        """Every kept connection answers what is true now."""
        for connection in self.kept:
            self.judge.connection = connection
            for ask in (self.judge.text, self.judge.youngest):
                self.judge.one(ask)
        for ask in (self.judge.log, self.judge.tree):
            self.judge.one(ask)
        for reader in self.readers:
            if reader.fault:
                raise reader.fault

    def state(self):
        return self.truth.states[-1][0]

    def commit(self, times=1):
        """Commits, each followed by a question on every connection."""
        history, rev = self.state()
        for _ in range(times):
            rev += 1
            self.ids = self.truth.change(
                (history, rev),
                lambda: self.writer.commit(history, self.ids))
            for connection in self.kept:
                self.judge.connection = connection
                self.judge.one(self.judge.text)

    def stock_commit(self):
        history, rev = self.state()
        rev += 1
        actions = []
        for name in fsfs_writer.FILES:
            text = fsfs_writer.mark(history, rev)
            source = os.path.join(self.folder, name)
            with open(source, "w") as out:
                out.write("%s %s\n" % (text, name))
            actions += ["put", source, name, "propset", "n", text, name]
        self.truth.change((history, rev), lambda: self.client.run(
            "-m", fsfs_writer.mark(history, rev) + " 0", "--root-url",
            "file://" + self.path, *actions, program="svnmucc"))
        harness.readable(self.path)
        self.ids = None

    def pack(self):
        harness.run(["svnadmin", "pack", "-q", self.path])
        harness.readable(self.path)

    def edit(self, rev):
        """Edit a message and look at once, on every connection."""
        history, _ = self.state()
        body = self.message(self.judge, rev)
        key = (body[0], int(body[1]))
        edits = int(body[2]) + 1
        source = os.path.join(self.folder, "message")
        with open(source, "w") as out:
            out.write("%s %d %d" % (key[0], rev, edits))
        self.truth.edit(key, lambda: harness.run(
            ["svnadmin", "setlog", "--bypass-hooks", "-r", rev, self.path,
             source]))
        harness.readable(self.path)
        for connection in self.kept:
            self.judge.connection = connection
            body = self.message(self.judge, rev)
            assert int(body[2]) == edits, (body, edits, history)

    def message(self, judge, rev):
        answer = judge.request("REPORT", "/!svn/rvr/%d/" % rev,
                               LOG % (rev, rev))
        return re.search(rb"<D:comment>([^<]*)<",
                         answer.body).group(1).decode().split()

    def other(self, youngest, packed=False):
        """Another history under the same UUID, grown to `youngest`."""
        self.count += 1
        history = "h%d" % self.count
        path = os.path.join(self.folder, history)
        shutil.copytree(self.base(), path)
        writer = fsfs_writer.Writer(path)
        ids = None
        while writer.youngest() < youngest:
            ids = writer.commit(history, ids)
        if packed:
            harness.run(["svnadmin", "pack", "-q", path])
        harness.readable(path)
        return history, path

    def base(self):
        """A copy of the repository when it had three revisions."""
        path = os.path.join(self.folder, "base")
        if not os.path.exists(path):
            fsfs_writer.create(path)
            uuid = harness.run(["svnlook", "uuid", self.path]).stdout
            harness.run(["svnadmin", "setuuid", path, uuid.decode().strip()])
            writer = fsfs_writer.Writer(path)
            ids = None
            for _ in range(3):
                ids = writer.commit("base", ids)
            harness.readable(path)
        return path

    def swap(self, youngest, packed=False):
        """Rename another history into the place. Returns the old one's."""
        old = self.state()
        history, path = self.other(youngest, packed)
        away = os.path.join(self.folder, "away-" + history)

        def act():
            os.rename(self.path, away)
            os.rename(path, self.path)

        # Between the two renames there is none.
        self.gone(lambda: self.truth.change((history, youngest), act))
        self.ids = None
        return old, away

    def swap_back(self, old, away):
        """The old one is put back."""
        trash = away + ".trash"

        def act():
            os.rename(self.path, trash)
            os.rename(away, self.path)

        self.gone(lambda: self.truth.change(old, act))
        shutil.rmtree(trash)
        self.ids = None

    def gone(self, act):
        """What includes a moment without a repository."""
        with self.truth.lock:
            self.truth.states.append((None, False))
        act()

    def restore(self, youngest, grow=0, pack=False,
                options=("-a", "--modify-window=-1")):
        """rsync another history over this one; then commit to it."""
        history, path = self.other(youngest)

        def act():
            harness.run(["rsync", *options, "--delete", path + "/",
                         self.path + "/"])
            ids = None
            for _ in range(grow):
                ids = self.writer.commit(history, ids)
            if pack:
                self.pack()
            return ids

        self.ids = self.truth.change((history, youngest + grow), act,
                                     broken=True)
        shutil.rmtree(path)

    def hotcopy(self, youngest, packed=True):
        """svnadmin hotcopy --incremental of another history over this one.
        `packed`: which it has to be where this one is."""
        history, path = self.other(youngest, packed)
        self.truth.change(
            (history, youngest), lambda: harness.run(
                ["svnadmin", "hotcopy", "-q", "--incremental", path,
                 self.path]), broken=True)
        harness.readable(self.path)
        self.ids = None
        shutil.rmtree(path)

    def links(self):
        """A clone by hard links beside it, which goes its own way."""
        history, rev = self.state()
        clone = os.path.join(self.parent, "c")
        harness.run(["cp", "-al", self.path, clone])
        truth = Truth((history, rev))
        judge = Reader(self.server, "/p/c", truth, self.stop)
        judge.one(judge.text)
        self.commit()
        writer = fsfs_writer.Writer(clone)
        for number in range(rev + 1, rev + 4):
            # Its log is of two histories from here on.
            truth.change(("clone", number),
                         lambda: writer.commit("clone"))
            for ask in (judge.text, judge.youngest, judge.tree):
                judge.one(ask)
        self.commit(2)
        judge.connection.close()
        shutil.rmtree(clone)

    def away_and_back(self):
        state = self.state()

        def act():
            os.rename(self.path, self.path + ".away")
            assert not self.judge.text()
            os.rename(self.path + ".away", self.path)

        self.gone(lambda: self.truth.change(state, act))

    def upgrade(self):
        harness.run(["svnadmin", "upgrade", self.path])
        harness.readable(self.path)

    def verify(self):
        harness.run(["svnadmin", "verify", "-q", self.path])
