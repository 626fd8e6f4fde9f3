# SPDX-License-Identifier: Apache-2.0
"""A private httpd with the module, and stock clients with private settings.

Everything lives in one temporary folder and on 127.0.0.1. MOD_REPO_BUILD names
the build folder. MOD_REPO_TEST_PEER=1 runs the same tests against mod_dav_svn,
which shows whether an expectation is the peer's behaviour.
"""

import base64
import contextlib
import functools
import hashlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import urllib.parse
import xml.parsers.expat
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("MOD_REPO_SOURCE", os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("MOD_REPO_BUILD", "")
DATA = os.path.join(SOURCE, "tests", "data")
PEER = bool(os.environ.get("MOD_REPO_TEST_PEER"))
PRELOAD = os.environ.get("MOD_REPO_SANITIZER_PRELOAD", "")
MPMS = ("prefork", "worker", "event")

#: What must never stand in an error log, whatever a client sent.
FORBIDDEN_IN_LOG = re.compile(
    r"exit signal|[Aa]ssertion|AddressSanitizer|LeakSanitizer|runtime error:"
    r"|neither returned nor cleared|[Ss]egmentation|double free|corrupted size"
)


@functools.lru_cache(None)
def apxs(name):
    """One value of the installed httpd's build settings."""
    return subprocess.run(
        ["apxs", "-q", name], capture_output=True, text=True, check=True
    ).stdout.strip()


def our_module():
    """Path of the module under test."""
    return os.path.join(BUILD, "mod_repo", "mod_repo.so")


def peer_module():
    """Path of mod_dav_svn."""
    return os.path.join(apxs("LIBEXECDIR"), "mod_dav_svn.so")


@functools.lru_cache(None)
def httpd_binary():
    """Path of the installed httpd program."""
    folder = apxs("SBINDIR")
    for name in (apxs("PROGNAME"), "apache2", "httpd"):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    raise RuntimeError("no httpd program in " + folder)


def free_port():
    """A TCP port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def run(args, check=True, **more):
    """Run a program with a neutral locale; returns the completed process."""
    env = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", **more.pop("env", {}))
    done = subprocess.run(
        [str(a) for a in args], capture_output=True, env=env, timeout=300, **more
    )
    if check and done.returncode != 0:
        raise AssertionError(
            "%s failed with %d:\n%s%s"
            % (args, done.returncode, done.stdout.decode("utf-8", "replace"),
               done.stderr.decode("utf-8", "replace"))
        )
    return done


class Client:
    """Stock `svn` with a configuration of its own."""

    def __init__(self, folder, **options):
        self.config = os.path.join(str(folder), "svn-config")
        os.makedirs(self.config, exist_ok=True)
        with open(os.path.join(self.config, "servers"), "w") as out:
            out.write("[global]\nstore-passwords = no\n")
            for name, value in options.items():
                out.write("%s = %s\n" % (name.replace("_", "-"), value))
        with open(os.path.join(self.config, "config"), "w") as out:
            out.write("[auth]\npassword-stores =\n")

    def run(self, *args, check=True, cwd=None, program="svn", **more):
        """Run a client command; returns the completed process."""
        return run(
            [program, "--non-interactive", "--config-dir", self.config]
            + list(args),
            check=check,
            cwd=cwd,
            **more,
        )

    def out(self, *args, cwd=None, program="svn"):
        """Standard output of a client command as text."""
        return self.run(*args, cwd=cwd, program=program).stdout.decode(
            "utf-8", "replace"
        )


def receive_all(sock, may_reset=False):
    """All that comes until the server closes; `may_reset`: or resets."""
    parts = []
    try:
        while part := sock.recv(65536):
            parts.append(part)
    except ConnectionError:
        if not may_reset:
            raise
    return b"".join(parts)


class Httpd:
    """One private httpd. Use as a context manager."""

    def __init__(self, folder, mpm="event", config="", modules=(), head="",
                 single=False, peer=PEER, load=None):
        """`peer`: serve by mod_dav_svn; `load`: LoadModule lines in place of
        the one of the module under test."""
        self.peer = peer
        self.load = load
        self.folder = str(folder)
        self.mpm = mpm
        self.config = config
        self.head = head
        self.modules = list(modules)
        self.single = single
        self.port = free_port()
        self.base = "http://127.0.0.1:%d" % self.port
        self.error_log = os.path.join(self.folder, "error.log")
        self.access_log = os.path.join(self.folder, "access.log")
        self.conf = os.path.join(self.folder, "httpd.conf")
        self.pid_file = os.path.join(self.folder, "httpd.pid")
        self.process = None
        self.stopped = False
        self.log_start = 0  # of the present run in the log

    def write_config(self):
        """Write the configuration file."""
        libexec = apxs("LIBEXECDIR")
        os.makedirs(self.folder, exist_ok=True)
        lines = [
            'ServerRoot "%s"' % self.folder,
            "ServerName 127.0.0.1",
            "Listen 127.0.0.1:%d" % self.port,
            'PidFile "%s"' % self.pid_file,
            'ErrorLog "%s"' % self.error_log,
            "LogLevel info",
            'DefaultRuntimeDir "%s"' % self.folder,
            "LoadModule mpm_%s_module %s/mod_mpm_%s.so"
            % (self.mpm, libexec, self.mpm),
        ]
        for name in ["authz_core", "authn_core", "dav", "mime", "env",
                     "setenvif"] + self.modules:
            path = os.path.join(libexec, "mod_%s.so" % name)
            if os.path.exists(path):
                lines.append("LoadModule %s_module %s" % (name, path))
        if self.load is not None:
            lines += self.load
        elif self.peer:
            lines.append("LoadModule dav_svn_module " + peer_module())
        else:
            lines.append("LoadModule repo_module " + our_module())
        lines += [
            "TypesConfig /etc/mime.types"
            if os.path.exists("/etc/mime.types")
            else "",
            'LogFormat "%h %u \\"%r\\" %>s %b %{SVN-ACTION}e" common',
            'CustomLog "%s" common' % self.access_log,
            'DocumentRoot "%s"' % self.folder,
            "KeepAlive On",
            "MaxKeepAliveRequests 10000",
            "KeepAliveTimeout 5",
            "Timeout 60",
        ]
        if os.geteuid() == 0:
            lines += ["User nobody", "Group nogroup"]
        lines += self.mpm_lines()
        lines += [self.head, self.config]
        with open(self.conf, "w") as out:
            out.write("\n".join(lines) + "\n")

    def mpm_lines(self):
        """Few processes, so that tests know whom they talk to."""
        if self.mpm == "prefork":
            count = 1 if self.single else 8
            return ["StartServers %d" % (1 if self.single else 2),
                    "MinSpareServers 1", "MaxSpareServers 4",
                    "ServerLimit %d" % count,
                    "MaxRequestWorkers %d" % count]
        return ["StartServers 1", "ServerLimit 2", "ThreadsPerChild 16",
                "MaxRequestWorkers 32", "MinSpareThreads 1",
                "MaxSpareThreads 32"] if not self.single else [
                    "StartServers 1", "ServerLimit 1", "ThreadsPerChild 16",
                    "MaxRequestWorkers 16", "MinSpareThreads 1",
                    "MaxSpareThreads 16"]

    def environment(self):
        env = dict(os.environ, LC_ALL="C", APACHE_RUN_DIR=self.folder)
        if PRELOAD:
            env["LD_PRELOAD"] = PRELOAD
            env["ASAN_OPTIONS"] = (
                "detect_leaks=0:abort_on_error=1:handle_abort=1"
            )
            env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
        return env

    def configtest(self):
        """Result of `httpd -t` on the configuration."""
        self.write_config()
        return subprocess.run(
            [httpd_binary(), "-t", "-f", self.conf], env=self.environment(),
            capture_output=True, text=True, timeout=60,
        )

    def start(self):
        """Start and wait until the port answers."""
        self.stopped = False
        self.log_start = len(self.log())
        self.write_config()
        os.chmod(self.folder, 0o755)
        errors = open(os.path.join(self.folder, "stderr.log"), "ab")
        self.process = subprocess.Popen(
            [httpd_binary(), "-f", self.conf, "-DFOREGROUND"],
            env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=errors, stderr=errors, start_new_session=True,
        )
        errors.close()
        deadline = time.time() + 30
        while time.time() < deadline:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            time.sleep(0.02)
        text = self.log() + self.stderr()
        self.stop(check=False)
        raise AssertionError("httpd did not start:\n" + text)

    def stop(self, check=True):
        """Stop; fails when the log shows that a process died or complained.
        Stopping twice does nothing."""
        if self.stopped:
            return
        self.stopped = True
        alive = len(self.log())
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)
                raise AssertionError("httpd did not stop in 30 seconds")
        if check:
            self.check_log(alive)

    def check_log(self, stopping=None):
        """Fail if a process died or a sanitizer complained. `stopping`: length
        of the log when the server was told to stop."""
        log = self.log()
        if stopping is None:
            stopping = len(log)
        log, last = log[self.log_start:stopping], log[stopping:]
        if self.mpm == "event":
            # That MPM's children may crash in its own signal handling when
            # they stop (with mod_dav_svn as with us, one in sixty).
            last = last.replace("exit signal Segmentation fault", "stopped")
        for text in (log, last, self.stderr()):
            found = FORBIDDEN_IN_LOG.search(text)
            assert not found, "error log: ..." + text[
                max(0, found.start() - 500): found.end() + 3000
            ]

    def log(self):
        """The error log so far."""
        with contextlib.suppress(FileNotFoundError):
            with open(self.error_log, errors="replace") as inp:
                return inp.read()
        return ""

    def stderr(self):
        """What went to standard error so far."""
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(self.folder, "stderr.log"),
                      errors="replace") as inp:
                return inp.read()
        return ""

    def children(self):
        """Process ids of the children that serve requests. The port answers
        before the first of them is there."""
        def ask():
            out = subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
                capture_output=True, text=True,
            ).stdout
            return [int(pid) for pid in out.split()]

        return wait_until(ask, 30, "no child serves requests")

    def request(self, method, path, body=None, headers=None, connection=None):
        """One request; returns Answer."""
        conn = connection or self.connect()
        conn.request(method, path, body=body, headers=headers or {})
        answer = conn.getresponse()
        data = answer.read()
        if connection is None:
            conn.close()
        return Answer(answer.status, answer.getheaders(), data)

    def wait_for_log(self, pattern, start=0, seconds=10):
        """Wait until the error log, from `start`, matches; returns the log."""
        return wait_until(
            lambda: re.search(pattern, self.log()[start:]) and self.log(),
            seconds, "no %r in the error log:\n%s" % (pattern, self.log()))

    def raw(self, data, seconds=20):
        """Send bytes as they are; all bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port),
                                      seconds) as sock:
            sock.sendall(data)
            return receive_all(sock)

    def graceful(self):
        """Ask for a graceful restart."""
        self.process.send_signal(signal.SIGUSR1)

    def connect(self):
        """A connection for several requests."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def report(self, path, body, headers=None, connection=None):
        """A REPORT with an XML body."""
        head = {"Content-Type": "text/xml"}
        head.update(headers or {})
        return self.request("REPORT", path, body, head, connection)

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        self.stop(check=kind is None)
        if kind is not None:
            # Shown with the failed test: did a process die?
            print("error log of httpd:\n" + self.log()[-4000:])


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name, default=None):
        """First header of that name."""
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value
        return default

    def all(self, name):
        """All headers of that name."""
        return [v for k, v in self.headers if k.lower() == name.lower()]

    def errcode(self):
        """The Subversion error number in the body, or None."""
        found = re.search(rb'errcode="(\d+)"', self.body)
        return int(found.group(1)) if found else None

    def xml(self):
        """The body as a tree; fails when it is not well-formed."""
        return ET.fromstring(self.body)

    def element(self):
        """The body as an Element, names with colons included."""
        return parse_xml(self.body)

    def properties(self):
        """A multi-status body: {href: {property name: (status, Element)}}."""
        found = {}
        for response in self.element().all("DAV:response"):
            props = found.setdefault(
                urllib.parse.unquote(response.one("DAV:href").text), {})
            for propstat in response.all("DAV:propstat"):
                status = int(propstat.one("DAV:status").text.split()[1])
                for prop in propstat.one("DAV:prop").children:
                    props[prop.name] = (status, prop)
        return found


class Element:
    """An XML element; `name` is the namespace followed by the local name."""

    def __init__(self, name, attributes):
        self.name = name
        self.attributes = attributes
        self.children = []
        self.text = ""

    def all(self, name):
        """Children of that name."""
        return [c for c in self.children if c.name == name]

    def one(self, name):
        """The one child of that name."""
        found = self.all(name)
        assert len(found) == 1, (name, [c.name for c in self.children])
        return found[0]

    def value(self, order=False):
        """A comparable value. `order`: whether that of children counts."""
        children = [c.value(order) for c in self.children]
        if not order:
            children.sort(key=repr)
        return (self.name, tuple(sorted(self.attributes.items())),
                self.text.strip(), tuple(children))


def parse_xml(body):
    """Parse XML as Subversion clients do: `C:a:b` is `a:b` in `C`."""
    root = Element("", {})
    stack = [(root, {"": "", "xml": "http://www.w3.org/XML/1998/namespace"})]

    def resolve(name, spaces, default):
        prefix, colon, rest = name.partition(":")
        if not colon:
            return (spaces[""] if default else "") + name
        return spaces[prefix] + rest

    def start(name, attributes):
        spaces = dict(stack[-1][1])
        for key, value in attributes.items():
            if key == "xmlns" or key.startswith("xmlns:"):
                spaces[key[6:]] = value
        element = Element(resolve(name, spaces, True), {
            resolve(k, spaces, False): v for k, v in attributes.items()
            if k != "xmlns" and not k.startswith("xmlns:")})
        stack[-1][0].children.append(element)
        stack.append((element, spaces))

    def text(data):
        stack[-1][0].text += data

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: stack.pop()
    parser.CharacterDataHandler = text
    parser.Parse(body, True)
    return root.children[0]


def location(path, directory, *lines, parent=False, peer=PEER):
    """A <Location> that serves `directory`."""
    names = ("SVNPath", "SVNParentPath") if peer else (
        "RepoPath", "RepoParentPath")
    return "\n".join(
        ["<Location %s>" % path, "  DAV %s" % ("svn" if peer else "repo"),
         '  %s "%s"' % (names[1 if parent else 0], directory)]
        + ["  " + line for line in lines] + ["</Location>"]
    )


def directive(name, value, peer=PEER):
    """A directive under its new name, or the peer's."""
    return "%s%s %s" % ("SVN" if peer else "Repo", name, value)


def login(folder, *names):
    """Lines of a location that ask for a user; each has the password "pw"."""
    path = os.path.join(str(folder), "passwords")
    digest = base64.b64encode(hashlib.sha1(b"pw").digest()).decode()
    with open(path, "w") as out:
        out.writelines("%s:{SHA}%s\n" % (name, digest) for name in names)
    return ["AuthType Basic", "AuthName x", 'AuthUserFile "%s"' % path]


def as_user(name):
    """The header by which a user of login() logs in."""
    return {"Authorization": "Basic "
            + base64.b64encode(name.encode() + b":pw").decode()}


#: Repositories that stock tools of many versions wrote, see tests/data/fsfs.
FIXTURES = (
    "f1", "f2", "f3", "f4", "f4-packed", "f6", "f6-packed", "f6-linear", "f7",
    "f7-packed", "f7-zlib1-shard1000", "f8", "f8-packed", "f8-smallpages",
    "f8-smallpages-packed", "f8-plain-options", "f8-from-f1", "f8-from-f2",
    "f8-from-f4-packed", "f8-from-f6-packed")


def unpack(fixture, folder):
    """Unpack a repository fixture; returns its folder."""
    archive = os.path.join(DATA, "fsfs", fixture + ".tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    path = os.path.join(str(folder), fixture)
    readable(path)
    return path


def load(dump, folder, name, *create):
    """Make a repository from a dump in tests/data; returns its folder."""
    path = os.path.join(str(folder), name)
    run(["svnadmin", "create", path] + list(create))
    with open(os.path.join(DATA, dump), "rb") as inp:
        run(["svnadmin", "load", "-q", path], stdin=inp)
    readable(path)
    return path


def readable(path):
    """Let the server's user read a repository that root made."""
    if os.geteuid() == 0:
        run(["chmod", "-R", "a+rX", path])


def writable(path):
    """Let the server's user write to a repository that root made."""
    if os.geteuid() == 0:
        run(["chown", "-R", "nobody:nogroup", path])


def tree(folder):
    """Relative path -> digest of contents, executable bit; without .svn."""
    found = {}
    for top, dirs, files in os.walk(folder):
        if ".svn" in dirs:
            dirs.remove(".svn")
        rel = os.path.relpath(top, folder)
        found[rel] = "dir"
        for name in files:
            path = os.path.join(top, name)
            if os.path.islink(path):
                found[os.path.join(rel, name)] = "link " + os.readlink(path)
                continue
            with open(path, "rb") as inp:
                digest = hashlib.md5(inp.read()).hexdigest()
            mode = "x" if os.stat(path).st_mode & 0o100 else "-"
            found[os.path.join(rel, name)] = mode + digest
    return found


def as_items(text):
    """XML whose order among siblings is free, as a comparable value."""
    def value(node):
        attributes = tuple(sorted(node.attrib.items()))
        children = [value(c) for c in node]
        if node.tag in ("paths", "target", "properties", "list"):
            children.sort(key=repr)
        return (node.tag, attributes, (node.text or "").strip(),
                tuple(children))

    return value(ET.fromstring(text))


def repoadmin(*args, check=True):
    """Run repoadmin; the stock program where the peer is under test."""
    program = "svnadmin" if PEER else os.path.join(
        BUILD, "tools", "repoadmin", "repoadmin")
    return run([program] + list(args), check=check)


def properties(client, wc):
    """Every property of a working copy, in a fixed order."""
    root = ET.fromstring(client.out("proplist", "-v", "-R", "--xml", ".",
                                    cwd=wc))
    return sorted((target.get("path"), prop.get("name"),
                   prop.get("encoding"), prop.text)
                  for target in root for prop in target)


def wait_until(condition, seconds, message):
    """Poll until the condition holds; returns its value."""
    deadline = time.time() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.time() < deadline, message
        time.sleep(0.02)


def cpu_seconds(pid):
    """User and system time that a process has used."""
    with open("/proc/%d/stat" % pid) as inp:
        fields = inp.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settled(pids):
    """Whether no time is used for a third of a second."""
    used = sum(cpu_seconds(pid) for pid in pids)
    end = time.time() + 0.35
    while time.time() < end:
        time.sleep(0.05)
        if sum(cpu_seconds(pid) for pid in pids) != used:
            return False
    return True


def resident_kib(pid):
    """Resident memory of a process in KiB."""
    with open("/proc/%d/status" % pid) as inp:
        for line in inp:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def quote(path):
    """A path as URLs hold it."""
    return urllib.parse.quote(path)


def remove(folder):
    """Remove a folder with read-only parts."""
    shutil.rmtree(folder, ignore_errors=True)
