# SPDX-License-Identifier: Apache-2.0
"""A repository is changed and replaced in all the ways that administrators
have while it is read on kept connections: each answer is right for an instant
between question and answer, and of one history alone."""

import os
import shutil
import socket

import pytest

import fsfs_writer
import harness
import live

pytestmark = pytest.mark.skipif(
    harness.PEER, reason="mod_dav_svn answers from the history before")


@pytest.mark.parametrize("mpm", harness.MPMS)
def test_every_answer_is_of_an_instant(folder, mpm):
    with live.Stage(folder, mpm) as stage:
        stage.commit(20)
        stage.pack()
        stage.check()
        stage.edit(5)  # in its pack
        stage.edit(stage.state()[1])
        stage.links()
        old, away = stage.swap(stage.state()[1])
        stage.check()
        stage.commit(2)
        stage.swap_back(old, away)
        stage.check()
        stage.restore(9, grow=stage.state()[1] - 9)
        stage.check()
        # A full shard, packed before anybody asks.
        top = stage.state()[1] // 8 * 8 + 7
        stage.commit(top - stage.state()[1])
        stage.pack()
        stage.check()
        stage.restore(5, grow=top - 5, pack=True)
        stage.check()
        stage.hotcopy(top + 3)
        stage.check()
        stage.away_and_back()
        stage.upgrade()
        stage.check()
        stage.stock_commit()
        stage.check()
        stage.verify()


def test_a_file_of_equal_size_and_time_in_the_same_place(folder):
    """Copied over in place: even then it is noticed within 100 ms."""
    with live.Stage(folder, "event", readers=0) as stage:
        history, path = stage.other(3 + 4)
        stage.restore(3, grow=4)
        stage.check()
        for name in ("revs/0/%d", "revprops/0/%d"):
            for rev in range(4, 8):
                old = os.path.join(stage.path, "db", name % rev)
                info = os.stat(old)
                with open(os.path.join(path, "db", name % rev), "rb") as inp:
                    text = inp.read()
                assert len(text) == info.st_size
                os.chmod(old, 0o644)
                with open(old, "r+b") as out:
                    out.write(text)
                os.utime(old, ns=(info.st_atime_ns, info.st_mtime_ns))
                assert os.stat(old).st_ino == info.st_ino
        harness.wait_until(
            lambda: stage.judge.text() == (history, 7, {}), 1,
            "the text before is answered still")
        stage.truth.change((history, 7), lambda: None)
        stage.check()


@pytest.mark.parametrize("how", ["rename", "rsync"])
def test_a_long_answer_is_of_one_history(folder, how):
    """A log is read slowly while another history takes the place: it goes on
    with the first one, or breaks off."""
    with live.Stage(folder, "event", readers=0) as stage:
        count = 150
        stage.commit(count - 3)
        history, path = stage.other(count)
        for top, name in ((stage.path, "base"), (path, history)):
            for rev in range(1, count + 1):
                fsfs_writer.replace(
                    os.path.join(top, "db", "revprops", str(rev // 8),
                                 str(rev)),
                    fsfs_writer.hash_dump({
                        b"svn:log": (name + ";").encode() * 20000}))
        harness.readable(path)
        body = live.LOG % (count, 1)
        with socket.create_connection(("127.0.0.1", stage.server.port),
                                      60) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            sock.sendall((
                "REPORT /p/r/!svn/rvr/%d/ HTTP/1.1\r\nHost: x\r\n"
                "Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (
                    count, len(body), body)).encode())
            data = bytearray(sock.recv(65536))
            if how == "rename":
                os.rename(stage.path, stage.path + ".old")
                os.rename(path, stage.path)
            else:
                harness.run(["rsync", "-a", "--modify-window=-1", "--delete",
                             path + "/", stage.path + "/"])
            while True:
                part = sock.recv(1 << 20)
                if not part:
                    break
                data += part
        assert b"base;" in data and (history + ";").encode() not in data
        whole = b"</S:log-report>" in data
        assert whole == (how == "rename"), (whole, len(data))
        answer = stage.server.request("REPORT", "/p/r/!svn/rvr/5/",
                                      live.LOG % (5, 5))
        assert (history + ";").encode() in answer.body
        assert b"base;" not in answer.body


def test_deleted_and_made_again(folder):
    with live.Stage(folder, "prefork", readers=0) as stage:
        for name in ("one", "two"):
            path = os.path.join(folder, name)
            shutil.copytree(stage.base(), path)
            fsfs_writer.Writer(path).commit(name)
            harness.readable(path)
            shutil.rmtree(stage.path)
            assert stage.judge.text() is None
            shutil.copytree(path, stage.path)
            stage.truth.change((name, 4), lambda: None)
            stage.check()


def test_restored_grown_and_packed_between_two_questions(folder):
    """The pack of a shard does not prove that it is of the same history."""
    with live.Stage(folder, "event", readers=0) as stage:
        saved = os.path.join(folder, "saved")
        shutil.copytree(stage.path, saved)
        stage.commit(12)
        stage.pack()
        stage.check()
        harness.run(["rsync", "-a", "--modify-window=-1", "--delete",
                     saved + "/", stage.path + "/"])
        ids = None
        for _ in range(12):
            ids = stage.writer.commit("found", ids)
        # No change of rights here: it would show as well.
        harness.run(["svnadmin", "pack", "-q", stage.path])
        stage.truth.change(("found", 15), lambda: None)
        stage.check()
