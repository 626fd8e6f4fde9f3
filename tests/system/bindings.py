# SPDX-License-Identifier: Apache-2.0
"""A program that calls the Python bindings of the client library.

bindings.py URL prints what each call of a session on URL answers, one call a
line: its name, a tab, a Python value. It is a program of its own because the
bindings end their process when they are misused. They do not take functions
of Python for list and get_file_revs; `svn ls` and `svn blame` have those.
"""

import sys

from svn import client, core, delta, ra

#: Every field of an entry (SVN_DIRENT_ALL).
ALL_FIELDS = 0xFFFFFFFF

#: What the bindings do not keep alive themselves.
KEPT = []


def session(url):
    """A session with no settings of the user."""
    callbacks = ra.Callbacks()
    callbacks.auth_baton = core.svn_auth_open(
        [client.get_username_provider()])
    config = core.svn_config_get_config("/nonexistent")
    KEPT.extend([callbacks, callbacks.auth_baton, config])
    return ra.open2(url, callbacks, config)


def plain(value):
    """A value of the bindings as something that can be compared."""
    if isinstance(value, dict):
        return sorted((plain(k), plain(v)) for k, v in value.items()
                      if k not in NOT_SHARED)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (bytes, str, int, bool, type(None))):
        return value
    return sorted((name, plain(getattr(value, name)))
                  for name in FIELDS if hasattr(value, name))


#: Properties that the two ways to a repository fill in as they like.
NOT_SHARED = {b"svn:wc:ra_dav:version-url", b"svn:entry:uuid",
              b"svn:entry:lock-token"}

FIELDS = ["kind", "size", "has_props", "created_rev", "time", "last_author",
          "action", "copyfrom_path", "copyfrom_rev", "node_kind", "token",
          "path", "owner", "comment", "range_start", "range_end", "start",
          "end", "inheritable", "path_or_url", "prop_hash"]


class Recorder(delta.Editor):
    """An editor that writes down what it is told; batons are paths."""

    def __init__(self):
        self.told = []
        self.texts = {}

    def note(self, *words):
        self.told.append(words)

    def added(self, what, path, source, revision):
        self.note(what, path, source and source.split(b"/trunk")[-1], revision)
        return path

    def set_target_revision(self, revision, pool=None):
        self.note("target", revision)

    def open_root(self, base, pool=None):
        return b""

    def delete_entry(self, path, revision, parent, pool=None):
        self.note("delete", path)

    def add_directory(self, path, parent, source, revision, pool=None):
        return self.added("add-dir", path, source, revision)

    def open_directory(self, path, parent, base, pool=None):
        self.note("open-dir", path)
        return path

    def change_dir_prop(self, path, name, value, pool=None):
        if name not in NOT_SHARED:
            self.note("prop", path, name, value)

    def add_file(self, path, parent, source, revision, pool=None):
        return self.added("add-file", path, source, revision)

    def open_file(self, path, parent, base, pool=None):
        self.note("open-file", path)
        return path

    change_file_prop = change_dir_prop

    def apply_textdelta(self, path, base, pool=None):
        self.note("text", path)

        def window(part, pool=None):
            pass

        return window

    def close_file(self, path, checksum, pool=None):
        self.note("close-file", path, checksum)

    def absent_file(self, path, parent, pool=None):
        self.note("absent", path)


def edit(drive):
    """What an editor is told, in an order of its own."""
    recorder = Recorder()
    editor, baton = delta.make_editor(recorder)
    drive(editor, baton)
    return sorted(recorder.told, key=repr)


def update(s, revision, base, depth=None, target=b""):
    """An update of everything, from `base` or from nothing."""
    def drive(editor, baton):
        reporter, report = ra.do_update2(
            s, revision, target, core.svn_depth_infinity, True, editor, baton)
        reporter.set_path(report, b"", base or revision,
                          depth or core.svn_depth_infinity, base == 0, None)
        reporter.finish_report(report)
    # Where only properties changed, a client may ask for the text all the
    # same (by HTTP it does, from mod_dav_svn too); the checksum counts.
    return [words for words in edit(drive) if words[0] != "text"]


def log(s, paths, start, end, limit, changed, strict, merged, revprops):
    told = []

    def receive(entry, pool):
        told.append((entry.revision, plain(entry.revprops or {}),
                     entry.has_children,
                     plain(entry.changed_paths2 or {})))

    ra.get_log2(s, paths, start, end, limit, changed, strict, merged, revprops,
                receive)
    return told


def segments(s, path, peg, start, end):
    told = []
    ra.get_location_segments(s, path, peg, start, end,
                             lambda part, pool: told.append(plain(part)))
    return told


def mergeinfo(s, paths, rev, inherit, below):
    found = ra.get_mergeinfo(s, paths, rev, inherit, below)
    return sorted((path, sorted(
        (source, [plain(r) for r in ranges]) for source, ranges in info.items()))
        for path, info in (found or {}).items())


CALLS = {
    "get_latest_revnum": lambda s: ra.get_latest_revnum(s),
    "get_uuid2": lambda s: ra.get_uuid2(s),
    "get_dated_revision": lambda s: [
        ra.get_dated_revision(s, t) for t in (0, 10 ** 15, 4 * 10 ** 15)],
    "check_path": lambda s: [
        ra.check_path(s, path, rev) for path in (b"", b"trunk", b"x",
                                                  b"trunk/README")
        for rev in (0, 1, 5, -1)],
    "stat": lambda s: [plain(ra.stat(s, path, rev)) for path in (b"trunk", b"x")
                       for rev in (3, 9)],
    "rev_proplist": lambda s: [plain(ra.rev_proplist(s, rev))
                               for rev in range(6)],
    "get_dir2": lambda s: [
        plain(ra.get_dir2(s, path, rev, ALL_FIELDS)[::2])
        for path in (b"", b"trunk") for rev in (3, 9)],
    "get_log2": lambda s: [
        log(s, paths, 9, 1, limit, True, strict, False, None)
        for paths in ([b""], [b"trunk"]) for limit in (0, 3)
        for strict in (False, True)],
    "get_log2 with merges": lambda s: log(
        s, [b"trunk"], 14, 1, 0, True, False, True, [b"svn:author"]),
    "replay": lambda s: [edit(
        lambda e, b, rev=rev: ra.replay(s, rev, 0, True, e, b))
        for rev in range(1, 10)],
    "do_update2": lambda s: [update(s, rev, base)
                             for rev, base in ((5, 0), (9, 4), (3, 9))],
    "get_location_segments": lambda s: segments(s, b"trunk", 9, 9, 0),
    "get_locations": lambda s: plain(ra.get_locations(
        s, b"trunk", 9, [1, 3, 5, 9])),
    "get_deleted_rev": lambda s: ra.get_deleted_rev(s, b"trunk", 3, 9),
    "get_mergeinfo": lambda s: [
        mergeinfo(s, [b"", b"trunk"], 14, inherit, below)
        for inherit in (core.svn_mergeinfo_explicit,
                        core.svn_mergeinfo_inherited,
                        core.svn_mergeinfo_nearest_ancestor)
        for below in (False, True)],
    "get_inherited_props": lambda s: plain(
        ra.get_inherited_props(s, b"trunk", 9)),
    "get_locks2": lambda s: plain(ra.get_locks2(
        s, b"", core.svn_depth_infinity)),
}


if __name__ == "__main__":
    connection = session(sys.argv[1])
    for name, call in CALLS.items():
        print("%s\t%r" % (name, call(connection)), flush=True)
