/* SPDX-License-Identifier: Apache-2.0 */
/* Making a transaction the next revision. */

#include "libfs/store/fsfs/commit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/format/hash_dump.h"
#include "libfs/fs_time.h"
#include "libfs/store/fsfs/commit_files.h"
#include "libfs/store/fsfs/commit_tree.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/rep_cache.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/write_lock.h"

/* Longest db/current that makes sense, in bytes. */
#define CURRENT_MAX 4096

typedef struct commit_t {
    fs_txn_state_t *state;
    fs_fsfs_t *fsfs;
    const fs_store_commit_t *how;
    apr_array_header_t *changes; /* folded */
    fs_format_current_t before;
    fs_commit_tree_t tree;
    apr_pool_t *pool;
} commit_t;

/* --- What it follows --- */

/* How far the repository is, from the file itself: what is known of it may be
 * older than the lock. */
static fs_error_t *read_current(commit_t *commit)
{
    fs_fsfs_t *fsfs = commit->fsfs;
    fs_bytes_t text;
    bool stale;

    FS_TRY(fs_current_check(&stale, fsfs, commit->pool));
    if (stale)
        return FS_ERROR(FS_ERR_BUSY,
                        "the repository was replaced or upgraded, try again");
    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder, "current", CURRENT_MAX,
                             commit->pool));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no 'db/current'");
    return fs_format_file_parse_current(&commit->before, fsfs->format.format,
                                        text.data, text.len);
}

/* --- Writing --- */

static fs_bytes_t format_revprops(const commit_t *commit)
{
    apr_hash_t *props = apr_hash_copy(commit->pool, commit->how->revprops);
    fs_buffer_t *out = fs_buffer_create(512, commit->pool);
    fs_bytes_t date;

    if (commit->how->set_date) {
        date.data = fs_time_text(apr_time_now(), commit->pool);
        date.len = strlen(date.data);
        apr_hash_set(props, "svn:date", APR_HASH_KEY_STRING, &date);
    }
    fs_hash_dump_format(out, props, commit->pool);
    return fs_buffer_bytes(out);
}

static fs_error_t *publish(commit_t *commit)
{
    fs_txn_state_t *state = commit->state;
    fs_commit_files_t files = { .fsfs = commit->fsfs,
                                .rev = commit->tree.rev,
                                .fd = state->texts,
                                .revprops = format_revprops(commit),
                                .before = commit->before,
                                .after = commit->tree.current };
    fs_error_t *err;

    files.path = fs_txn_dir_path(state->name, FS_TXN_DIR_TEXTS, commit->pool);
    err = fs_commit_files_publish(&files, commit->pool);
    state->given_up = err && files.failed;
    return err;
}

/* The texts file is as it was, for another try. */
static void cut(const fs_txn_state_t *state)
{
    while (ftruncate(state->texts, (off_t)state->texts_len) && errno == EINTR)
        continue;
}

static fs_error_t *write_revision(commit_t *commit)
{
    fs_error_t *err;

    commit->tree.rev = commit->before.youngest + 1;
    commit->tree.current = commit->before;
    err = fs_commit_tree_write(&commit->tree, commit->state, commit->changes,
                               commit->pool);
    if (!err)
        err = publish(commit);
    if (err)
        cut(commit->state);
    return err;
}

/* --- All --- */

/* The write lock is held. */
static fs_error_t *run_locked(fs_rev_t *rev, fs_rev_t *youngest,
                              commit_t *commit)
{
    const fs_store_commit_t *how = commit->how;
    fs_rev_t seen;

    FS_TRY(read_current(commit));
    *youngest = commit->before.youngest;
    if (*youngest != commit->state->base)
        return NULL;
    if (how->check)
        FS_TRY(how->check(how->baton, commit->pool));
    FS_TRY(write_revision(commit));
    *rev = commit->tree.rev;
    *youngest = *rev;
    /* Who asks this handle next sees it; it is no matter if that fails. */
    fs_error_clear(fs_current_youngest(&seen, commit->fsfs, commit->pool));
    return NULL;
}

static fs_error_t *run(fs_rev_t *rev, fs_rev_t *youngest, commit_t *commit)
{
    fs_write_lock_t *lock;
    fs_error_t *err;

    FS_TRY(fs_write_lock_take(&lock, commit->fsfs, FS_WRITE_LOCK_WRITE,
                              commit->pool));
    err = run_locked(rev, youngest, commit);
    fs_write_lock_release(lock);
    return err;
}

/* What may be lost, or left behind, without harm. */
static void clean_up(const commit_t *commit)
{
    const apr_array_header_t *reps = commit->tree.reps;

    if (commit->fsfs->format.format >= FS_FORMAT_REP_SHARING &&
        commit->fsfs->conf.enable_rep_sharing && reps->nelts)
        fs_rep_cache_add(commit->fsfs,
                         (const fs_rep_t *)(const void *)reps->elts,
                         reps->nelts, commit->pool);
    fs_error_clear(
        fs_txn_dir_remove(commit->fsfs, commit->state->name, commit->pool));
}

fs_error_t *fs_commit_run(fs_rev_t *rev, fs_rev_t *youngest,
                          fs_txn_state_t *state, const fs_store_commit_t *how,
                          apr_pool_t *scratch)
{
    commit_t commit = {
        .state = state, .fsfs = state->fsfs, .how = how, .pool = scratch
    };

    *rev = FS_INVALID_REV;
    if (state->given_up)
        return FS_ERROR(FS_ERR_IO,
                        "the disk failed to take transaction '%s', it cannot "
                        "be committed",
                        state->name);
    FS_TRY(fs_commit_fold(&commit.changes, state, scratch));
    FS_TRY(run(rev, youngest, &commit));
    if (*rev != FS_INVALID_REV)
        clean_up(&commit);
    return NULL;
}
