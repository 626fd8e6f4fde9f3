# SPDX-License-Identifier: Apache-2.0
"""Death at every call of a write, and what a loss of power may leave: the
change is there or not, the repository verifies, the next commit works, without
repair and as an unprivileged user.

The fault tools are not part of the project: MOD_REPO_FAULTS names their
folder, by default ../shared/tools/faults beside the source."""

import json
import os
import shutil
import subprocess

import pytest

import harness
import test_write_histories as write
from test_write_together import USER

TOOLS = os.environ.get("MOD_REPO_FAULTS", os.path.join(
    os.path.dirname(os.path.abspath(harness.SOURCE)), "shared", "tools",
    "faults"))

#: Take every n-th call: 1 is all of them (make soak).
STRIDE = int(os.environ.get("MOD_REPO_TEST_STRIDE", "2"))
STATES = int(os.environ.get("MOD_REPO_TEST_STATES", "45"))

pytestmark = [
    pytest.mark.skipif(
        not os.path.exists(os.path.join(TOOLS, "killpoints.py")),
        reason="the fault tools are not there: " + TOOLS),
    pytest.mark.skipif(
        bool(harness.PRELOAD),
        reason="the fault tools and the sanitizers both must be loaded first"),
]

CLIENT = "--non-interactive --no-auth-cache --username ann --password pw "
SVN = "svn " + CLIENT
MUCC = "svnmucc " + CLIENT + "-m m "

#: What is done, and how many commits the repository has before: shards are of
#: four revisions, so that r4 begins one.
CHANGES = {
    "commit": (2, MUCC + "--root-url {url} put {text} trunk/f "
               "propset color red trunk/f mkdir trunk/new"),
    "shard": (3, MUCC + "--root-url {url} put {text} trunk/f"),
    "revprop": (2, SVN + "propset --revprop -r 1 note {text} {url}"),
    "packed-revprop": (5, SVN + "propset --revprop -r 1 note {text} {url}"),
    "lock": (2, SVN + "lock -m why {url}/trunk/f"),
    "unlock": (2, SVN + "unlock --force {url}/trunk/g"),
}


@pytest.fixture(scope="module")
def tools(work):
    """The tools where everybody may read them, with the preload library and
    the module, as all of it runs as an unprivileged user."""
    folder = os.path.join(work, "faults")
    shutil.copytree(TOOLS, folder)
    harness.run(["cc", "-O2", "-fPIC", "-shared", "-o",
                 os.path.join(folder, "faultfs.so"),
                 os.path.join(folder, "faultfs.c"), "-ldl", "-lpthread"])
    if not harness.PEER:
        shutil.copy(harness.our_module(), folder)
    harness.run(["chmod", "-R", "a+rX", folder])
    return folder


class Scene:
    """A repository, a server for a copy of it, and a change to make."""

    def __init__(self, folder, tools, change):
        commits, step = CHANGES[change]
        self.folder, self.tools = folder, tools
        self.repo = os.path.join(folder, "repo")
        self.text = os.path.join(folder, "text")
        with open(self.text, "w") as out:
            out.write("a text of its own %d\n" % commits * 40)
        write.create(self.repo, "1.10")
        self.fill(commits)
        if change == "packed-revprop":
            harness.run(["svnadmin", "pack", "-q", self.repo], **USER)
        conf = os.path.join(folder, "httpd")
        self.server = harness.Httpd(
            conf, "prefork", harness.location(
                "/r", "${REPO}", *harness.login(folder, "ann"),
                "Require valid-user"),
            modules=["auth_basic", "authn_file", "authz_user"], single=True,
            load=None if harness.PEER else [
                "LoadModule repo_module %s/mod_repo.so" % tools])
        self.server.write_config()
        self.step = step.format(url=self.server.base + "/r", text=self.text)
        harness.writable(folder)

    def fill(self, commits):
        """Make the first revisions, and a lock."""
        url = "file://" + self.repo
        harness.writable(self.folder)
        client = harness.Client(os.path.join(self.folder, "fill"))
        harness.writable(client.config)
        client.run("-m", "first", "--root-url", url, "mkdir", "trunk", "put",
                   self.text, "trunk/f", "put", "/dev/null", "trunk/g",
                   program="svnmucc", **USER)
        for number in range(1, commits):
            client.run("-m", "more", "--root-url", url, "propset", "n",
                       str(number), "trunk/f", program="svnmucc", **USER)
        client.run("lock", url + "/trunk/g", "--username", "ann", **USER)
        hook = os.path.join(self.repo, "hooks", "pre-revprop-change")
        with open(hook, "w") as out:
            out.write("#!/bin/sh\nexit 0\n")
        os.chmod(hook, 0o755)

    def tool(self, name, *args):
        """Run a fault tool on the change; returns what it says."""
        serve = "env REPO={repo} HOME=%s %s -X -f %s" % (
            self.folder, harness.httpd_binary(), self.server.conf)
        done = subprocess.run(
            ["/usr/bin/python3", os.path.join(self.tools, name), "--so",
             os.path.join(self.tools, "faultfs.so"), *args, "--server", serve], capture_output=True, text=True, timeout=900,
            env=dict(os.environ, LC_ALL="C.UTF-8", HOME=self.folder,
                     APACHE_RUN_DIR=self.folder),
            cwd=self.folder, **USER)
        return done


@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("death", ["kill-before", "kill-torn"])
def test_death_at_a_call_leaves_all_or_nothing(folder, tools, change, death):
    scene = Scene(folder, tools, change)
    done = scene.tool(
        "killpoints.py", "--repo", scene.repo, "--work",
        os.path.join(folder, "points"), "--probe",
        "curl -s -o /dev/null %s/r" % scene.server.base, "--step", scene.step,
        "--do", death, "--stride", str(STRIDE), "--timeout", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["points_tried"] > 0 and not found["bad"], found


@pytest.mark.parametrize("model", ["named", "ordered"])
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_loss_of_power_leaves_what_was_acknowledged(folder, tools, change,
                                                      model):
    scene = Scene(folder, tools, change)
    record = os.path.join(folder, "record")
    done = scene.tool(
        "record.py", "--repo", scene.repo, "--out", record,
        "--step", scene.step, "--wait", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    with open(os.path.join(record, "context.json")) as inp:
        context = inp.read()
    done = subprocess.run(
        ["/usr/bin/python3", os.path.join(tools, "crashsim.py"), "run",
         "--trace", os.path.join(record, "trace"), "--before",
         os.path.join(record, "before"), "--checker",
         os.path.join(tools, "check_svn.py"), "--context", context, "--model",
         model, "--work", os.path.join(folder, "states"), "--max-states",
         str(STATES), "--shuffle", "--same", "db/transactions/*", "--same",
         "db/txn-protorevs/*", "--json", os.path.join(folder, "result")],
        capture_output=True, text=True, timeout=900,
        env=dict(os.environ, LC_ALL="C.UTF-8", HOME=folder), **USER)
    assert done.returncode == 0, done.stdout + done.stderr
