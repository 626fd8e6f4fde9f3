# SPDX-License-Identifier: Apache-2.0
"""Long: one repository is committed to, packed, edited, locked, cloned and
replaced at random while readers judge every answer. MOD_REPO_SOAK_SECONDS is
the time for each MPM, MOD_REPO_SOAK_SEED repeats the order of a run."""

import os
import random
import shutil
import tempfile
import time

import pytest

import harness
import live

SECONDS = int(os.environ.get("MOD_REPO_SOAK_SECONDS", "180"))
SEED = int(os.environ.get("MOD_REPO_SOAK_SEED", "1"))


@pytest.fixture(name="folder")
def scratch_folder():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = tempfile.mkdtemp(prefix="mod_repo-soak-", dir=memory)
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def grow_by_restore(stage, dice):
    """Restore an older state, commit up to about the same number."""
    top = stage.state()[1]
    base = dice.randint(4, top)
    stage.restore(base, grow=max(0, top - base + dice.randint(-2, 2)),
                  pack=dice.random() < 0.5,
                  options=dice.choice((["-a", "--modify-window=-1"],
                                       ["-a", "-c"])))


def swap_and_back(stage, dice):
    """Another history for a while; what happens to it is lost."""
    old, away = stage.swap(max(4, stage.state()[1] + dice.randint(-3, 3)),
                           dice.random() < 0.5)
    stage.check()
    stage.commit(dice.randint(0, 4))
    stage.swap_back(old, away)


def edit_one(stage, dice):
    """One of the last revisions, or one in a pack."""
    stage.edit(dice.randint(4, stage.state()[1]))


def lock_and_unlock(stage, dice):
    """A lock is seen as soon as the stock tool is back."""
    body = '<S:get-locks-report xmlns:S="svn:"/>'
    url = "file://%s/f%d" % (stage.path, dice.randint(0, 2))
    for verb, count in (("lock", 1), ("unlock", 0)):
        stage.client.run(verb, "--username", "ann", url)
        harness.readable(stage.path)
        for connection in stage.kept:
            stage.judge.connection = connection
            answer = stage.judge.request("REPORT", "", body)
            assert answer.body.count(b"<S:lock>") == count, (verb, answer.body)


def commit_when_settled(stage, dice):
    """Stamps of files are believed when they are a second old."""
    time.sleep(dice.uniform(0.9, 1.2))
    stage.commit()


STEPS = (
    (12, lambda stage, dice: stage.commit(dice.randint(1, 60))),
    (6, commit_when_settled),
    (4, lambda stage, dice: stage.stock_commit()),
    (4, lambda stage, dice: stage.pack()),
    (6, edit_one),
    (2, lock_and_unlock),
    (2, lambda stage, dice: stage.links()),
    (3, swap_and_back),
    (3, grow_by_restore),
    (2, lambda stage, dice: stage.hotcopy(
        stage.state()[1] + dice.randint(0, 3))),
    (2, lambda stage, dice: stage.away_and_back()),
)


@pytest.mark.parametrize("mpm", harness.MPMS)
def test_every_answer_is_of_an_instant(folder, mpm):
    dice = random.Random("%d %s" % (SEED, mpm))
    weights = [weight for weight, _ in STEPS]
    done = {}
    with live.Stage(folder, mpm) as stage:
        stage.commit(4)
        end = time.time() + SECONDS
        while time.time() < end:
            (_, step), = dice.choices(STEPS, weights)
            done[step] = done.get(step, 0) + 1
            step(stage, dice)
            stage.check()
            if stage.state()[1] > 400:
                stage.restore(dice.randint(4, 20))
                stage.check()
        stage.upgrade()
        stage.check()
        stage.stock_commit()
        stage.check()
        stage.verify()
    print("%s: %d steps, %d answers, %d of them errors while replaced" % (
        mpm, sum(done.values()),
        sum(r.answers for r in stage.readers) + stage.judge.answers,
        sum(r.errors for r in stage.readers)))
