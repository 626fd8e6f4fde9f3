# SPDX-License-Identifier: Apache-2.0
"""Hook scripts: what they are told, and what their answers come to.

Scripts note down what they get. Expectations hold for mod_dav_svn as well,
unless a test says otherwise.
"""

import os
import re
import shutil
import sys
import tempfile
import time

import pytest

import harness

PEER = harness.PEER

#: Appends the hook's name, arguments, standard input and environment.
NOTE = r"""#!/bin/sh
exec 9>>'%s'
{ printf '\036%%s' "$0"
  for i; do printf '\037%%s' "$i"; done
  printf '\035'; /bin/cat
  printf '\035'; /usr/bin/tr '\000' '\n' < /proc/$$/environ; } >&9
exec 9>&-
%s
"""

HOOKS = ("start-commit", "pre-commit", "post-commit", "pre-revprop-change",
         "post-revprop-change", "pre-lock", "post-lock", "pre-unlock",
         "post-unlock")


TOKEN_FORM = re.compile("opaquelocktoken:[0-9a-f-]{36}")


class Note:
    """What one run of a hook was told."""

    def __init__(self, text):
        words, self.stdin, env = text.split("\035")
        self.program, self.repo, *self.args = words.split("\037")
        self.name = os.path.basename(self.program)
        self.env = sorted(env.split("\n")[:-1])

    def told(self):
        """All but the environment; what differs each time is made equal."""
        words = ["TXN" if re.fullmatch(r"\d+-[0-9a-z]+", word)
                 else TOKEN_FORM.sub("TOKEN", word) for word in self.args]
        return [self.name] + words, TOKEN_FORM.sub("TOKEN", self.stdin)


class Stage:
    """A repository with two files, served at `url`, and a working copy."""

    def __init__(self, server, folder, place="users"):
        self.server = server
        self.folder = folder
        name = os.path.basename(folder)
        self.repo = os.path.join(server.repos, name)
        shutil.copytree(server.template, self.repo)
        harness.writable(self.repo)
        self.path = "/%s/%s" % (place, name)
        self.url = server.base + self.path
        self.notes = os.path.join(folder, "notes")
        open(self.notes, "w").close()
        os.chmod(self.notes, 0o666)
        self.client = harness.Client(folder)
        self.user = [] if place == "open" else ["--username", "jo",
                                                "--password", "pw"]
        self.wc = os.path.join(folder, "wc")
        self.svn("checkout", "-q", self.url, self.wc)

    def svn(self, *args, check=True, user=None):
        """Run svn in the working copy; returns the completed process."""
        who = ["--username", user, "--password", "pw"] if user else self.user
        return self.client.run(
            *who, *args, check=check,
            cwd=self.wc if os.path.isdir(self.wc) else None)

    def fails(self, *args, user=None):
        """Run svn, which must fail; its messages."""
        done = self.svn(*args, check=False, user=user)
        text = done.stderr.decode()
        assert done.returncode == 1, done.stdout.decode() + text
        return text

    def warns(self, *args, user=None):
        """Run svn; what it says on standard error."""
        return self.svn(*args, user=user).stderr.decode()

    def hook(self, name, text, mode=0o755):
        """Put a hook as it is."""
        path = os.path.join(self.repo, "hooks", name)
        with open(path, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)

    def script(self, name, *lines):
        """Put a shell script as a hook."""
        self.hook(name, "\n".join(["#!/bin/sh", "PATH=%s LC_ALL=C.UTF-8" % os.defpath,
                                   "export LC_ALL"]
                                  + list(lines)) + "\n")

    def note(self, *names, end="exit 0"):
        """Put hooks that note what they are told."""
        for name in names or HOOKS:
            self.hook(name, NOTE % (self.notes, end))

    def drop(self, name):
        os.remove(os.path.join(self.repo, "hooks", name))

    def taken(self):
        """The notes since the last call."""
        with open(self.notes, "r+", encoding="utf-8", newline="") as notes:
            text = notes.read()
            notes.truncate(0)
        return [Note(part) for part in text.split("\036")[1:]]

    def told(self):
        """The notes since the last call as comparable values."""
        return [note.told() for note in self.taken()]

    def change(self, name="a", text=None):
        """Change a file of the working copy."""
        with open(os.path.join(self.wc, name), "a") as out:
            out.write(text or "more\n")

    def commit(self, *args, **more):
        return self.svn("commit", "-m", "m", *args, **more)

    def youngest(self):
        return int(harness.run(["svnlook", "youngest", self.repo]).stdout)

    def transactions(self):
        return harness.run(["svnadmin", "lstxns", self.repo]).stdout.split()

    def look(self, *args):
        return harness.run(["svnlook"] + list(args)).stdout.decode()

    def request(self, method, path, headers=None, body=None):
        head = harness.as_user("jo")
        head.update(headers or {})
        return self.server.request(method, self.path + path, body, head)


@pytest.fixture(scope="module")
def server(work):
    """Repositories at /users (with login), /open (without), /env (with a file
    of its own for the environment of hooks), /soon (hooks have a second) and
    /first (the first version of the protocol)."""
    folder = tempfile.mkdtemp(prefix="hooks-", dir=work)
    os.chmod(folder, 0o755)
    repos = os.path.join(folder, "repos")
    os.mkdir(repos)
    env = os.path.join(folder, "other-env")
    with open(env, "w") as out:
        out.write("[default]\nA=absolute\n")
    users = harness.login(folder, "jo", "flo") + ["Require valid-user"]
    impatient = [] if PEER else ["RepoHookTimeout 1"]
    places = [("/users", users), ("/open", []),
              ("/soon", users + impatient),
              ("/first", users + [harness.directive("AdvertiseV2Protocol",
                                                    "off")]),
              ("/env", users + [harness.directive("HooksEnv", '"%s"' % env)])]
    served = harness.Httpd(
        os.path.join(folder, "httpd"), "event",
        "\n".join(harness.location(place, repos, *lines, parent=True)
                  for place, lines in places),
        modules=["authn_file", "auth_basic", "authz_user"],
        # Without it the peer refuses names that are not ASCII.
        head=harness.directive("UseUTF8", "on"))
    served.repos = repos
    served.template = os.path.join(folder, "template")
    harness.run(["svnadmin", "create", served.template])
    harness.run(["svnmucc", "-m", "begin", "-U", "file://" + served.template,
                 "put", "/dev/null", "a", "put", "/dev/null", "b c\u00e9",
                 "mkdir", "d"])
    with served:
        yield served


@pytest.fixture
def stage(server, folder):
    """A repository at a place with users."""
    return Stage(server, folder)


def test_commit_tells_three_hooks(stage):
    stage.note()
    stage.change()
    stage.commit()
    notes = stage.taken()
    assert [n.told() for n in notes] == [
        (["start-commit", "jo", "mergeinfo", "TXN"], ""),
        (["pre-commit", "TXN"], ""),
        (["post-commit", "2", "TXN"], "")]
    assert len({note.args[-1] for note in notes}) == 1
    for note in notes:
        assert note.program == "%s/hooks/%s" % (stage.repo, note.name)
        assert note.repo == stage.repo
        assert note.env == []


def test_the_first_version_of_the_protocol_tells_the_same(server, folder):
    stage = Stage(server, folder, "first")
    stage.svn("lock", "a")
    stage.note()
    stage.change()
    stage.commit("--no-unlock")
    assert stage.told() == [
        (["start-commit", "jo", "mergeinfo", "TXN"], ""),
        (["pre-commit", "TXN"], "LOCK-TOKENS:\n/a|TOKEN\n\n"),
        (["post-commit", "2", "TXN"], "")]
    stage.script("start-commit", "echo 'not now' >&2", "exit 3")
    stage.change()
    assert ("Commit blocked by start-commit hook (exit code 3) with output:\n"
            "not now\n") in stage.fails("commit", "-m", "m")
    stage.drop("start-commit")
    stage.script("pre-commit", "echo 'nor this' >&2", "exit 4")
    assert ("Commit blocked by pre-commit hook (exit code 4) with output:\n"
            "nor this\n") in stage.fails("commit", "-m", "m")
    assert stage.transactions() == []
    assert stage.youngest() == 2


def test_an_unknown_user_is_an_empty_word(server, folder):
    stage = Stage(server, folder, "open")
    stage.note()
    stage.change()
    stage.commit()
    assert stage.told()[0] == (["start-commit", "", "mergeinfo", "TXN"], "")


def test_lock_tokens_are_read_by_pre_commit(stage):
    stage.svn("lock", "a", "b c\u00e9")
    stage.note("pre-commit", "pre-unlock", "post-unlock", "post-commit")
    stage.change("a")
    stage.change("b c\u00e9")
    stage.commit()
    (pre, post, *unlocks) = stage.told()
    assert pre[0] == ["pre-commit", "TXN"]
    lines = pre[1].split("\n")
    assert lines[0] == "LOCK-TOKENS:"
    assert sorted(lines[1:3]) == ["/a|TOKEN", "/b%20c\u00e9|TOKEN"]
    assert lines[3:] == ["", ""]
    assert post == (["post-commit", "2", "TXN"], "")
    # A commit that releases locks is an unlock after it.
    assert sorted(n for n in unlocks if n[0][0] == "pre-unlock") == [
        (["pre-unlock", "/a", "jo", "TOKEN", "0"], ""),
        (["pre-unlock", "/b c\u00e9", "jo", "TOKEN", "0"], "")]


def test_revision_property_changes_tell_two_hooks(stage):
    stage.note()

    def change(*args):
        stage.svn(*args, "--revprop", "-r", "1", stage.url)
        return stage.told()

    assert change("propset", "p", "one\n") == [
        (["pre-revprop-change", "1", "jo", "p", "A"], "one\n"),
        (["post-revprop-change", "1", "jo", "p", "A"], "")]
    assert change("propset", "p", "two") == [
        (["pre-revprop-change", "1", "jo", "p", "M"], "two"),
        (["post-revprop-change", "1", "jo", "p", "M"], "one\n")]
    assert change("propdel", "p") == [
        (["pre-revprop-change", "1", "jo", "p", "D"], ""),
        (["post-revprop-change", "1", "jo", "p", "D"], "two")]


def test_locks_tell_four_hooks(stage):
    stage.note()
    stage.svn("lock", "-m", "why\nnot", "a")
    stage.svn("unlock", "a")
    notes = stage.taken()
    assert [n.told() for n in notes] == [
        (["pre-lock", "/a", "jo", "why\nnot", "0"], ""),
        (["post-lock", "jo"], "/a\n"),
        (["pre-unlock", "/a", "jo", "TOKEN", "0"], ""),
        (["post-unlock", "jo"], "/a\n")]


def test_stealing_and_breaking_are_told(stage):
    stage.svn("lock", "a", "b c\u00e9")
    stage.note()
    stage.svn("lock", "--force", stage.url + "/a", user="flo")
    stage.svn("unlock", "--force", stage.url + "/b%20c%C3%A9", user="flo")
    told = stage.told()
    assert told[0] == (["pre-lock", "/a", "flo", "", "1"], "")
    assert told[1] == (["post-lock", "flo"], "/a\n")
    assert told[2][0][:3] == ["pre-unlock", "/b c\u00e9", "flo"]
    assert told[2][0][4] == "1"
    assert told[3] == (["post-unlock", "flo"], "/b c\u00e9\n")


def test_the_environment_is_that_of_its_file(stage):
    stage.note()
    path = os.path.join(stage.repo, "conf", "hooks-env")
    with open(path, "w") as out:
        out.write("[default]\nPATH = /bin:/usr/bin\nNAME : x=%(PATH)s\n"
                  "[pre-commit]\nOnly = this\n")
    stage.change()
    stage.commit()
    both = ["NAME=x=/bin:/usr/bin", "PATH=/bin:/usr/bin"]
    assert [note.env for note in stage.taken()] == [both, ["Only=this"], both]
    with open(path, "w") as out:
        out.write("[default]\nA=1\nwhat is this\n")
    stage.change()
    assert "E200002" in stage.fails("commit", "-m", "m")
    assert stage.youngest() == 2
    assert stage.taken() == []


def test_the_file_of_the_environment_can_be_another(server, folder):
    stage = Stage(server, folder, "env")
    stage.note("pre-commit")
    with open(os.path.join(stage.repo, "conf", "hooks-env"), "w") as out:
        out.write("[default]\nA=unused\n")
    stage.change()
    stage.commit()
    assert stage.taken()[0].env == ["A=absolute"]


def test_a_refused_start_shows_the_text_and_leaves_no_transaction(stage):
    stage.script("start-commit", "echo 'not <now> & here' >&2", "exit 3")
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert ("E165001: Commit blocked by start-commit hook (exit code 3) with "
            "output:\nnot <now> & here\n") in text
    assert stage.youngest() == 1
    assert stage.transactions() == []


def test_a_refused_commit_shows_the_text_and_leaves_no_transaction(stage):
    stage.script("pre-commit", "echo nothing of this", "exit 1")
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert ("E165001: Commit blocked by pre-commit hook (exit code 1) with no "
            "output.") in text
    stage.script("pre-commit", "echo 'two' >&2; echo '<lines>' >&2; exit 1")
    text = stage.fails("commit", "-m", "m")
    assert ("E165001: Commit blocked by pre-commit hook (exit code 1) with "
            "output:\ntwo\n<lines>\n") in text
    assert stage.youngest() == 1
    assert stage.transactions() == []
    stage.drop("pre-commit")
    stage.commit()
    assert stage.youngest() == 2


def test_a_failing_post_commit_is_a_warning(stage):
    stage.script("post-commit", "echo 'a <b> & c' >&2; exit 2")
    stage.change()
    done = stage.commit()
    assert b"Committed revision 2." in done.stdout
    assert (b"Warning: post-commit hook failed (exit code 2) with output:\n"
            b"a <b> & c\n") in done.stdout + done.stderr
    assert stage.youngest() == 2


def test_a_hook_killed_by_a_signal_refuses(stage):
    stage.script("pre-commit", "kill -9 $$")
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert "E165001: 'pre-commit' hook failed (did not exit cleanly" in text
    assert "exitcode was 9" in text


def test_a_hook_that_cannot_be_started_refuses(stage):
    stage.change()
    for text, mode in (("#!/bin/sh\nexit 0\n", 0o644),
                       ("#!/no/such/shell\n", 0o755), ("exit 0\n", 0o755)):
        stage.hook("pre-commit", text, mode)
        found = stage.fails("commit", "-m", "m")
        assert ("Commit blocked by pre-commit hook (exit code 255)"
                in found), found
        if "/no/such" in text and not PEER:
            assert "interpreter '/no/such/shell'" in found
        assert PEER or stage.repo not in found
    assert stage.transactions() == []


def test_a_hook_that_is_a_link_to_nowhere_refuses(stage):
    os.symlink("nowhere", os.path.join(stage.repo, "hooks", "pre-commit"))
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert "hook; broken symlink" in text
    assert PEER or stage.repo not in text
    assert stage.youngest() == 1


def test_revision_properties_need_a_hook(stage):
    args = ["--revprop", "-r", "1", stage.url]
    text = stage.fails("propset", "p", "x", *args)
    assert "E175008" in text
    assert "pre-revprop-change hook" in text
    stage.script("pre-revprop-change", "echo 'not <you>' >&2; exit 4")
    text = stage.fails("propset", "p", "x", *args)
    assert "E175008" in text
    assert ("Revprop change blocked by pre-revprop-change hook (exit code 4) "
            "with output:\nnot <you>") in text
    assert stage.svn("proplist", *args).stdout.find(b"  p\n") < 0
    stage.script("pre-revprop-change", "exit 0")
    stage.script("post-revprop-change", "echo late >&2; exit 5")
    text = stage.fails("propset", "p", "x", *args)
    assert "E175008" in text
    assert "post-revprop-change hook failed (exit code 5)" in text
    assert stage.svn("propget", "p", *args).stdout == b"x\n"


def test_refused_locks_and_unlocks_are_told(stage):
    stage.script("pre-lock", "test \"$2\" = /a && exit 0",
                 "echo 'not <this>' >&2; exit 1")
    text = stage.fails("lock", "a", "b c\u00e9")
    assert ("W165001: Lock blocked by pre-lock hook (exit code 1) with "
            "output:\nnot <this>") in text
    locks = stage.look("lock", stage.repo, "a")
    assert "Owner: jo" in locks
    assert stage.look("lock", stage.repo, "b c\u00e9") == ""
    stage.script("pre-unlock", "echo stay >&2; exit 1")
    text = stage.fails("unlock", "a")
    assert ("W165001: Unlock blocked by pre-unlock hook (exit code 1) with "
            "output:\nstay") in text
    assert stage.look("lock", stage.repo, "a") == locks


def test_failing_post_lock_and_post_unlock(stage):
    stage.script("post-lock", "echo late >&2; exit 1")
    stage.script("post-unlock", "echo late >&2; exit 1")
    assert stage.svn("lock", "a").stderr == b""
    assert "Owner: jo" in stage.look("lock", stage.repo, "a")
    assert "E165009" in stage.fails("unlock", "a").replace("W1", "E1")
    assert stage.look("lock", stage.repo, "a") == ""


TOKEN = "opaquelocktoken:00000000-1111-2222-3333-444444444444"


def test_pre_lock_can_choose_the_token(stage):
    stage.script("pre-lock", "printf %s" % TOKEN)
    stage.svn("lock", "a")
    assert "UUID Token: %s\n" % TOKEN in stage.look("lock", stage.repo, "a")
    if PEER:
        return  # tells the client a token of its own, which is of no use
    stage.change()
    stage.commit()
    assert stage.youngest() == 2
    assert stage.look("lock", stage.repo, "a") == ""


def test_a_malformed_token_of_pre_lock_refuses(stage):
    stage.script("pre-lock", "echo " + TOKEN)
    text = stage.fails("lock", "a")
    assert "160037" in text or "Lock" in text or "lock" in text
    assert stage.look("lock", stage.repo, "a") == ""


def test_svnlook_sees_the_transaction_in_a_hook(stage):
    out = os.path.join(stage.folder, "looked")
    open(out, "w").close()
    os.chmod(out, 0o666)
    stage.script("pre-commit", "exec > %s 2>&1" % out,
                 "for what in log author changed 'changed --copy-info' "
                 "'cat a' 'propget p a' diff 'tree d'; do",
                 "words=${what#* }; test \"$words\" = \"$what\" && words=",
                 "case $words in",
                 "-*) svnlook ${what%% *} $words -t \"$2\" \"$1\" ;;",
                 "'p a') svnlook propget -t \"$2\" \"$1\" p a ;;",
                 "*) svnlook ${what%% *} -t \"$2\" \"$1\" $words ;;",
                 "esac", "done")
    stage.change("a", "new text\n")
    stage.svn("propset", "-q", "p", "value", "a")
    stage.svn("copy", "-q", "a", "d/copy")
    stage.svn("mkdir", "-q", "d/deep")
    stage.svn("delete", "-q", "b c\u00e9")
    stage.svn("commit", "-m", "the message")
    with open(out) as looked:
        text = looked.read()
    assert text.startswith("the message\njo\n")
    changed = text.split("\n")
    for line in ("UU  a", "D   b c\u00e9", "A + d/copy", "A   d/deep/",
                 "    (from a:r1)", "new text", "Added: p"):
        assert line in changed, text
    assert stage.youngest() == 2
    harness.run(["svnadmin", "verify", "-q", stage.repo])


#: A hook in Python that edits the transaction through the bindings.
EDIT = r"""#!%s
import sys
from svn import core, fs, repos
repo, name = sys.argv[1], sys.argv[-1]
pool = core.Pool()
files = repos.fs(repos.open(repo, pool))
txn = fs.open_txn(files, name, pool)
root = fs.txn_root(txn, pool)
def write(path, text):
    stream = fs.apply_text(root, path, None, pool)
    core.svn_stream_write(stream, text)
    core.svn_stream_close(stream)
%s
"""


def edit(stage, name, lines):
    stage.hook(name, EDIT % (sys.executable, lines))


def test_a_log_message_that_a_hook_edits_is_committed(stage):
    edit(stage, "pre-commit",
         "fs.change_txn_prop(txn, b'svn:log', b'edited \\xc3\\xa9')\n"
         "fs.change_txn_prop(txn, b'ticket', b'17')")
    stage.change()
    stage.commit()
    assert stage.look("log", stage.repo) == "edited \u00e9\n"
    assert stage.look("propget", "--revprop", stage.repo, "ticket") == "17"
    assert stage.look("author", stage.repo) == "jo\n"
    assert stage.look("cat", stage.repo, "a") == "more\n"


def test_start_commit_can_edit_properties(stage):
    edit(stage, "start-commit", "fs.change_txn_prop(txn, b'ticket', b'18')")
    stage.change()
    stage.commit()
    assert stage.look("propget", "--revprop", stage.repo, "ticket") == "18"


def test_nodes_that_a_hook_edits_are_committed(stage):
    edit(stage, "pre-commit",
         "fs.make_file(root, b'/d/made', pool)\n"
         "write(b'/d/made', b'made by the hook\\n')\n"
         "write(b'/a', b'replaced\\n')\n"
         "fs.change_node_prop(root, b'/d/mine', b'p', b'v')\n"
         "fs.delete(root, '/b c\u00e9'.encode(), pool)")
    stage.change("a")
    stage.svn("mkdir", "-q", "d/mine")
    stage.commit()
    assert stage.look("cat", stage.repo, "d/made") == "made by the hook\n"
    assert stage.look("cat", stage.repo, "a") == "replaced\n"
    assert stage.look("propget", stage.repo, "p", "d/mine") == "v"
    assert stage.look("changed", stage.repo).split("\n") == [
        "U   a", "D   b c\u00e9", "A   d/made", "A   d/mine/", ""]
    harness.run(["svnadmin", "verify", "-q", stage.repo])
    # Life goes on.
    stage.drop("pre-commit")
    stage.svn("update", "-q")
    stage.change("d/made")
    stage.commit()
    assert stage.look("cat", stage.repo, "d/made") == "made by the hook\nmore\n"


def test_a_hook_that_edits_and_refuses_changes_nothing(stage):
    edit(stage, "pre-commit", "write(b'/a', b'replaced\\n')\nsys.exit(1)")
    stage.change("a")
    assert "exit code 1" in stage.fails("commit", "-m", "m")
    assert stage.youngest() == 1
    assert stage.transactions() == []


def test_what_clients_send_reaches_no_shell(stage):
    stage.note("pre-lock")
    answer = stage.request(
        "LOCK", "/a", {"Depth": "0"},
        '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/>'
        "</D:lockscope><D:locktype><D:write/></D:locktype>"
        "<D:owner>$(touch x)`id`;'\"</D:owner></D:lockinfo>")
    assert answer.status == 200
    (note,) = stage.taken()
    assert "$(touch x)`id`;'" in note.args[2]


@pytest.mark.skipif(PEER, reason="waits for children, replaces the text")
def test_children_left_behind_do_not_hold_up_the_committer(stage):
    stage.script("post-commit", "sleep 60 &",
                 "printf '<&> \\351 \\001\\n' >&2; exit 1")
    stage.change()
    start = time.time()
    done = stage.commit()
    assert time.time() - start < 40
    assert b"exit code 1) with output:\n<&> ?\\233 ?\\001\n" in (
        done.stdout + done.stderr)


@pytest.mark.skipif(PEER, reason="sends everything")
def test_a_flood_of_output_is_cut(stage):
    stage.script("pre-commit", "head -c 200000 /dev/zero | tr '\\0' x >&2",
                 "exit 1")
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert "[134464 more bytes]" in text
    assert len(text) < 70000


@pytest.mark.skipif(PEER, reason="waits for ever")
def test_a_hook_that_hangs_is_ended(server, folder):
    stage = Stage(server, folder, "soon")
    stage.script("pre-commit", "echo begun >&2; sleep 1000")
    stage.change()
    text = stage.fails("commit", "-m", "m")
    assert ("'pre-commit' hook failed (it was ended after 1.0 seconds) with "
            "output:\nbegun\n") in text
    assert stage.transactions() == []
    stage.drop("pre-commit")
    stage.commit()
    assert stage.youngest() == 2
