# SPDX-License-Identifier: Apache-2.0
"""Update, diff and switch between every pair of revisions of a history."""

import os

import pytest

import harness

YOUNGEST = 14


@pytest.fixture(scope="module")
def servers(work, small):
    """The small history under each MPM, by name."""
    running = {}
    for mpm in harness.MPMS:
        folder = os.path.join(work, "pairs-" + mpm)
        running[mpm] = harness.Httpd(
            folder, mpm, harness.location("/small", small) + "\n"
            + harness.location("/bulk/small", small,
                               harness.directive("AllowBulkUpdates",
                                                 "prefer"))).start()
    yield running
    for server in running.values():
        server.stop()


@pytest.fixture(scope="module")
def exports(work, small):
    """What each revision holds, by stock export from file://."""
    client = harness.Client(os.path.join(work, "pairs-client"))
    trees = {}
    for rev in range(YOUNGEST + 1):
        out = os.path.join(work, "pairs-export-%d" % rev)
        client.run("checkout", "-q", "file://%s@%d" % (small, rev), out)
        trees[rev] = (harness.tree(out), harness.properties(client, out))
        harness.remove(out)
    return trees


@pytest.mark.parametrize("bulk", [False, True], ids=["skelta", "bulk"])
@pytest.mark.parametrize("start", range(YOUNGEST + 1))
def test_update_from_one_revision_to_every_other(start, bulk, servers, folder,
                                                 exports):
    mpm = harness.MPMS[(start + (1 if bulk else 0)) % len(harness.MPMS)]
    client = harness.Client(folder)
    url = servers[mpm].base + ("/bulk/small" if bulk else "/small")
    wc = os.path.join(folder, "wc")
    client.run("checkout", "-q", "%s@%d" % (url, start), wc)
    assert harness.tree(wc) == exports[start][0]
    # Each pair in one of the two modes.
    for end in range((start + bulk) % 2, YOUNGEST + 1, 2):
        client.run("update", "-q", "-r", end, wc)
        assert harness.tree(wc) == exports[end][0], (start, end)
        if (start + end) % 3 == 0:
            assert harness.properties(client, wc) == exports[end][1], (start, end)
        if end != start:
            client.run("update", "-q", "-r", start, wc)
            assert harness.tree(wc) == exports[start][0], (end, start)


@pytest.mark.parametrize("start", range(YOUNGEST + 1))
def test_diff_between_pairs(start, event, small, folder):
    client = harness.Client(folder)
    for end in range(YOUNGEST + 1):
        if end < start and (start + end) % 3:
            continue  # a third of the ways back
        seen = []
        for url in (event.base + "/small", "file://" + small):
            out = client.run("diff", "-r", "%d:%d" % (start, end), url,
                             check=False)
            seen.append((out.returncode, sorted(out.stdout.splitlines())))
        assert seen[0] == seen[1], (start, end)


@pytest.mark.parametrize("rev", range(3, YOUNGEST + 1))
def test_switch_between_trunk_branch_and_tag(rev, event, small, folder):
    client = harness.Client(folder)
    places = [p for p, lo, hi in (("/trunk", 1, 99), ("/branches/b1", 3, 12),
                                  ("/branches/b1", 14, 99),
                                  ("/tags/t1", 9, 99)) if lo <= rev <= hi]
    wcs = []
    for number, url in enumerate((event.base + "/small", event.base + "/bulk/small",
                                  "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "%s/trunk@%d" % (url, rev), wc)
        states = []
        for place in places + ["/trunk"]:
            client.run("switch", "-q", "--ignore-ancestry",
                       "%s%s@%d" % (url, place, rev), wc)
            states.append((harness.tree(wc), harness.properties(client, wc)))
        wcs.append(states)
    assert wcs[0] == wcs[2]
    assert wcs[1] == wcs[2]


@pytest.mark.parametrize("start", range(1, YOUNGEST))
def test_merge_of_each_range_into_trunk(start, event, small, folder):
    client = harness.Client(folder)
    seen = []
    for number, url in enumerate((event.base + "/small", "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "-r", YOUNGEST, url, wc)
        done = client.run("merge", "-q", "--ignore-ancestry", "--accept",
                          "postpone", "-r", "%d:%d" % (start, start + 1),
                          url, wc, check=False)
        seen.append((done.returncode,
                     sorted(client.out("status", cwd=wc).splitlines())))
    assert seen[0] == seen[1]
