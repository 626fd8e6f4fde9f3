# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures of the system tests."""

import os
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402
import history  # noqa: E402


def pytest_configure(config):
    """Refuse to run without a build to test."""
    if harness.PEER:
        return
    module = os.path.join(harness.BUILD, "mod_repo", "mod_repo.so")
    if not harness.BUILD or not os.path.exists(module):
        raise pytest.UsageError(
            "MOD_REPO_BUILD must name a build folder that holds "
            "mod_repo/mod_repo.so (found: %r)" % harness.BUILD
        )


@pytest.fixture(scope="session")
def work():
    """A temporary folder that the server's user can enter; removed after."""
    # Stock tools wait for the disk at each commit: memory is much faster.
    memory = "/dev/shm"
    roomy = (os.access(memory, os.W_OK)
             and shutil.disk_usage(memory).free > 2 << 30)
    folder = tempfile.mkdtemp(prefix="mod_repo-test-",
                              dir=memory if roomy else None)
    os.chmod(folder, 0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def folder(work, request):
    """A fresh folder for one test."""
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[:60]
    path = tempfile.mkdtemp(prefix=name + "-", dir=work)
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def small(work):
    """The small history with copies, renames, replaces and merges."""
    return history.build(os.path.join(work, "small"))


@pytest.fixture(scope="session")
def wide(work):
    """A folder of many files and a long log of other ones."""
    return history.build_wide(os.path.join(work, "wide"))


@pytest.fixture(scope="session")
def fixtures(work):
    """A folder with the repositories of every format; only to be read."""
    folder = os.path.join(work, "fixtures")
    os.makedirs(folder)
    for name in harness.FIXTURES:
        harness.unpack(name, folder)
    return folder


@pytest.fixture(scope="session", params=harness.MPMS)
def served(request, work, small):
    """The small history served under each MPM: (httpd, repository URL path)."""
    folder = tempfile.mkdtemp(prefix="httpd-" + request.param, dir=work)
    server = harness.Httpd(
        folder, request.param,
        harness.location("/small", small)
        + "\n" + harness.location("/bulk/small", small,
                                  harness.directive("AllowBulkUpdates",
                                                    "prefer")),
    )
    with server:
        yield server


@pytest.fixture(scope="session")
def event(work, small):
    """The small history under event alone."""
    folder = tempfile.mkdtemp(prefix="httpd-one", dir=work)
    server = harness.Httpd(
        folder, "event",
        harness.location("/small", small)
        + "\n" + harness.location("/bulk/small", small,
                                  harness.directive("AllowBulkUpdates",
                                                    "prefer")),
    )
    with server:
        yield server
