# SPDX-License-Identifier: Apache-2.0
"""Every reading operation of the stock client: over HTTP as on file://."""

import os

import pytest

import harness

YOUNGEST = 14

#: Read-only commands; {U} is the repository's URL. Output must be equal.
COMMANDS = [
    ["ls", "{U}"],
    ["ls", "-R", "{U}"],
    ["ls", "-v", "{U}/trunk"],
    ["ls", "-R", "--xml", "-r", "5", "{U}"],
    ["ls", "--depth", "immediates", "{U}/trunk@8"],
    ["ls", "--depth", "files", "{U}/trunk"],
    ["ls", "-R", "--search", "*.C", "{U}"],
    ["ls", "--search", "*\u00c4*", "-R", "{U}/trunk"],
    ["ls", "{U}/trunk/alpha.txt"],
    ["cat", "{U}/trunk/alpha.txt"],
    ["cat", "{U}/trunk/a.txt@3"],
    ["cat", "-r", "2", "{U}/trunk/alpha.txt"],
    ["cat", "{U}/trunk/big.bin@7"],
    ["cat", "{U}/trunk/manual/100%25;%23x.txt@4"],
    ["cat", "{U}/trunk/doc/100%25;%23x.txt@4"],
    ["cat", "{U}/trunk/manual/\u00e4\u00f6\u00fc.txt"],
    ["cat", "{U}/trunk"],
    ["cat", "{U}/trunk/none"],
    ["cat", "-r", "99", "{U}/trunk/alpha.txt"],
    ["info", "{U}"],
    ["info", "{U}/trunk/alpha.txt"],
    ["info", "-r", "3", "{U}/branches/b1/lib/b.c"],
    ["info", "-R", "{U}/trunk"],
    ["info", "--depth", "immediates", "{U}"],
    ["info", "{U}/trunk/none"],
    ["info", "--show-item", "last-changed-revision", "{U}/tags/t1/lib/b.c"],
    ["proplist", "-v", "{U}/trunk"],
    ["proplist", "-v", "-R", "{U}"],
    ["proplist", "-v", "-R", "--xml", "{U}@11"],
    ["proplist", "-v", "--show-inherited-props", "{U}/trunk/lib/b.c@9"],
    ["proplist", "-v", "--revprop", "-r", "2", "{U}"],
    ["proplist", "-v", "--revprop", "-r", "0", "{U}"],
    ["propget", "svn:ignore", "{U}/trunk"],
    ["propget", "-R", "svn:mergeinfo", "{U}@12"],
    ["propget", "--revprop", "-r", "4", "svn:log", "{U}"],
    ["propget", "--show-inherited-props", "svn:ignore", "{U}/trunk/lib"],
    ["log", "{U}"],
    ["log", "-v", "{U}"],
    ["log", "-v", "--xml", "{U}/trunk"],
    ["log", "-q", "-l", "3", "{U}/trunk"],
    ["log", "-v", "-r", "1:14", "{U}/trunk"],
    ["log", "-r", "1:HEAD", "-l", "2", "{U}/trunk"],
    ["log", "--stop-on-copy", "{U}/branches/b1"],
    ["log", "-v", "{U}/branches/b1/lib/b.c@5"],
    ["log", "-v", "{U}/trunk/alpha.txt"],
    ["log", "{U}/trunk/lib/b.c"],
    ["log", "-g", "{U}/trunk"],
    ["log", "-g", "-v", "-r", "1:14", "{U}/trunk"],
    ["log", "--with-all-revprops", "--xml", "{U}"],
    ["log", "--with-revprop", "svn:author", "--with-revprop", "extra:prop",
     "--xml", "{U}"],
    ["log", "--with-no-revprops", "--xml", "-l", "4", "{U}"],
    ["log", "{U}", "trunk/lib", "tags"],
    ["log", "-r", "{{2024-03-05}}:{{2024-03-09}}", "{U}"],
    ["log", "--search", "merge*", "{U}"],
    ["log", "--diff", "-r", "6:8", "{U}/trunk/manual"],
    ["log", "-r", "99", "{U}"],
    ["log", "{U}/none"],
    ["blame", "{U}/trunk/alpha.txt"],
    ["blame", "-v", "-r", "1:6", "{U}/trunk/alpha.txt"],
    ["blame", "-g", "{U}/trunk/lib/n.c"],
    ["blame", "-r", "12:5", "{U}/branches/b1/lib/n.c@12"],
    ["blame", "{U}/trunk"],
    ["diff", "-r", "1:14", "{U}/trunk"],
    ["diff", "-c", "2", "{U}"],
    ["diff", "-c", "6", "{U}"],
    ["diff", "--summarize", "-r", "1:14", "{U}"],
    ["diff", "--summarize", "{U}/trunk@8", "{U}/branches/b1@5"],
    ["diff", "{U}/branches/b1@3", "{U}/trunk@3"],
    ["diff", "--notice-ancestry", "-r", "6:7", "{U}/trunk"],
    ["diff", "--old", "{U}/trunk/a.txt@1", "--new", "{U}/trunk/alpha.txt@14"],
    ["diff", "-r", "9:8", "{U}"],
    ["mergeinfo", "--show-revs", "eligible", "{U}/branches/b1@11",
     "{U}/trunk@10"],
    ["mergeinfo", "--show-revs", "merged", "{U}/branches/b1@12",
     "{U}/trunk@12"],
    ["mergeinfo", "{U}/branches/b1@12", "{U}/trunk"],
    ["export", "-q", "--force", "{U}/trunk/alpha.txt", "/dev/stdout"],
]


def normal(text, url):
    """Output with the URL replaced, logs with their items comparable."""
    return text.replace(url, "URL")


def compare(client, command, one, two):
    """Run on both URLs; results must be equal."""
    results = []
    for url in (one, two):
        done = client.run(*[part.format(U=url) for part in command],
                          check=False)
        results.append((
            done.returncode,
            normal(done.stdout.decode("utf-8", "replace"), url),
            normal(done.stderr.decode("utf-8", "replace"), url),
        ))
    (code1, out1, err1), (code2, out2, err2) = results
    assert code1 == code2, (code1, err1, code2, err2)
    if "--xml" in command and code1 == 0:
        assert harness.as_items(out1) == harness.as_items(out2)
    elif command[0] in ("diff", "proplist", "propget", "info") or "--diff" in command:
        assert sorted(out1.splitlines()) == sorted(out2.splitlines())
    elif command[0] == "log":
        assert log_text(out1) == log_text(out2)
    else:
        assert out1 == out2
    if code1 != 0:
        assert err1 and err2


def log_text(out):
    """Log output with the changed paths of each entry sorted."""
    entries = out.split("-" * 72 + "\n")
    return ["\n".join(sorted(e.splitlines())) for e in entries]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_command_over_http_equals_file_url(command, event, small, folder):
    client = harness.Client(folder)
    compare(client, command, event.base + "/small", "file://" + small)


@pytest.mark.parametrize("bulk", [False, True], ids=["skelta", "bulk"])
@pytest.mark.parametrize("where", ["", "/trunk", "/branches/b1", "/tags/t1"])
def test_export_equals_file_url(bulk, where, served, small, folder):
    client = harness.Client(folder)
    url = served.base + ("/bulk/small" if bulk else "/small")
    for rev in (9, 12, YOUNGEST):
        one, two = os.path.join(folder, "1"), os.path.join(folder, "2")
        client.run("export", "-q", "%s%s@%d" % (url, where, rev), one)
        client.run("export", "-q", "file://%s%s@%d" % (small, where, rev), two)
        assert harness.tree(one) == harness.tree(two)
        harness.remove(one)
        harness.remove(two)


@pytest.mark.parametrize("depth", ["empty", "files", "immediates", "infinity"])
def test_checkout_at_each_depth_and_deepening(depth, served, small, folder):
    client = harness.Client(folder)
    copies = []
    for number, url in enumerate((served.base + "/small", served.base + "/bulk/small",
                                  "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "--depth", depth, url, wc)
        first = harness.tree(wc)
        client.run("update", "-q", "--set-depth", "files", wc)
        second = harness.tree(wc)
        client.run("update", "-q", "--set-depth", "immediates", wc)
        client.run("update", "-q", "--set-depth", "empty",
                   os.path.join(wc, "trunk"))
        client.run("update", "-q", "--set-depth", "exclude",
                   os.path.join(wc, "tags"))
        third = harness.tree(wc)
        client.run("update", "-q", "--set-depth", "infinity", wc)
        copies.append((first, second, third, harness.tree(wc),
                       harness.properties(client, wc)))
    assert copies[0] == copies[2]
    assert copies[1] == copies[2]


def test_status_against_the_server(served, small, folder):
    client = harness.Client(folder)
    seen = []
    for number, url in enumerate((served.base + "/small", "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "-r", "4", url, wc)
        client.run("update", "-q", "-r", "8", os.path.join(wc, "trunk", "lib"))
        client.run("rm", "-q", os.path.join(wc, "tags"))
        client.run("switch", "-q", "--ignore-ancestry",
                   url + "/branches/b1/doc@5", os.path.join(wc, "trunk/doc"),
                   "-r", "5", check=True)
        seen.append(sorted(
            client.out("status", "-u", "-v", cwd=wc).splitlines()))
    assert seen[0] == seen[1]


def test_merge_of_a_branch_reads_the_same(served, small, folder):
    client = harness.Client(folder)
    seen = []
    for number, url in enumerate((served.base + "/small", "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", "-r", "9", url + "/trunk", wc)
        client.run("merge", "-q", "--accept", "postpone",
                   url + "/branches/b1@11", wc)
        client.run("resolve", "-q", "-R", "--accept", "working", wc)
        state = sorted(client.out("status", cwd=wc).splitlines())
        seen.append((state, harness.tree(wc),
                     harness.properties(client, wc)))
    assert seen[0] == seen[1]


def test_reintegrating_merge_reads_the_same(event, small, folder):
    client = harness.Client(folder)
    seen = []
    for number, url in enumerate((event.base + "/small", "file://" + small)):
        wc = os.path.join(folder, str(number))
        client.run("checkout", "-q", url + "/branches/b1", wc)
        done = client.run("merge", "--accept", "postpone",
                          url + "/trunk", wc, check=False)
        seen.append((done.returncode, sorted(
            client.out("status", cwd=wc).splitlines())))
    assert seen[0] == seen[1]


def test_repeated_update_sends_nothing(event, folder):
    client = harness.Client(folder)
    wc = os.path.join(folder, "wc")
    client.run("checkout", "-q", event.base + "/small", wc)
    out = client.out("update", cwd=wc)
    assert out.splitlines()[-1] == "At revision %d." % YOUNGEST
    assert len(out.splitlines()) == 2


def test_lock_shows_in_status_ls_and_info(event, small, folder):
    client = harness.Client(folder)
    for command in (["ls", "-v", "{U}/trunk/alpha.txt"],
                    ["info", "{U}/trunk/alpha.txt"]):
        http = client.out(*[c.format(U=event.base + "/small")
                            for c in command])
        local = client.out(*[c.format(U="file://" + small) for c in command])
        assert normal(http, event.base + "/small") == normal(
            local, "file://" + small)
        assert "held" in http or " O " in http


def test_relocate_to_http_and_back(event, small, folder):
    client = harness.Client(folder)
    wc = os.path.join(folder, "wc")
    client.run("checkout", "-q", "file://%s/trunk" % small, wc)
    client.run("relocate", "file://" + small, event.base + "/small", wc)
    assert "At revision" in client.out("update", cwd=wc)
    client.run("relocate", event.base + "/small", "file://" + small, wc)
    assert "At revision" in client.out("update", cwd=wc)
