# SPDX-License-Identifier: Apache-2.0
"""Updates whose result is more than trees: what a working copy remembers."""

import os

import pytest

import harness


@pytest.fixture(scope="module", params=("1.4", "1.6", "1.8", "1.14"))
def restored(request, work):
    """A repository whose files were changed and changed back."""
    name = "restored-" + request.param
    path = os.path.join(work, name)
    url = "file://" + path
    client = harness.Client(os.path.join(work, name + "-config"))
    harness.run(["svnadmin", "create", "--compatible-version", request.param,
                 path])

    def put(message, texts, value):
        actions = []
        for name, text in texts.items():
            source = os.path.join(work, "restored-text-" + name)
            with open(source, "w") as out:
                out.write(text)
            actions += ["put", source, name]
        client.run("-m", message, "--root-url", url, *actions,
                   "propset", "p", value, "short", program="svnmucc")

    first = {"empty": "", "short": "text\n", "long": "line\n" * 4000}
    put("first", first, "v")
    put("changed", {name: text + "x\n" for name, text in first.items()}, "w")
    put("changed back", first, "v")
    harness.readable(path)
    return path


def last_changes(client, wc):
    """Which revision changed each item, as a working copy knows it."""
    return client.out("status", "-v", "--depth", "infinity", wc)


def test_what_was_changed_back_is_told(restored, folder):
    client = harness.Client(folder)
    config = harness.location("/svn", restored)
    with harness.Httpd(os.path.join(folder, "httpd"), config=config) as server:
        wc = os.path.join(folder, "wc")
        fresh = os.path.join(folder, "fresh")
        client.run("checkout", "-q", "-r", "1", server.base + "/svn", wc)
        client.run("update", "-q", wc)
        client.run("checkout", "-q", server.base + "/svn", fresh)
    assert last_changes(client, wc).replace(wc, "") == \
        last_changes(client, fresh).replace(fresh, "")
