/* SPDX-License-Identifier: Apache-2.0 */
/* The hook programs of a repository, and the operations they stand around. */

#ifndef LIBFS_FS_HOOK_H
#define LIBFS_FS_HOOK_H

#include "libfs/fs_lock.h"
#include "libfs/fs_txn.h"

/** How hooks are run; plain data. */
typedef struct fs_hook_config_t {
    const char *env_file;        /* file of their environment; relative to the
                             repository's conf/; NULL: "hooks-env" */
    apr_interval_time_t timeout; /* of one run; 0: as long as it takes */
    apr_size_t output_max;       /* bytes of stderr that are kept; 0: 64 KiB */
} fs_hook_config_t;

/**
 * Run start-commit for an open transaction; without such a hook nothing is
 * done.
 * @param user          NULL or empty: not authenticated
 * @param capabilities  of the client, with ":" between: "mergeinfo"
 * Errors: FS_ERR_HOOK_FAILED, it refuses: the message has its output. The
 *         caller aborts the transaction.
 */
fs_error_t *fs_hook_start_commit(fs_txn_t *txn, const fs_hook_config_t *config,
                                 const char *user, const char *capabilities,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** What a commit with hooks came to. */
typedef struct fs_hook_commit_t {
    fs_rev_t rev;
    const char *conflict;   /* with FS_ERR_CONFLICT: the path */
    const char *post_error; /* post-commit failed: its text; else NULL */
} fs_hook_commit_t;

/**
 * pre-commit, fs_txn_commit(), post-commit.
 * @param tokens  what pre-commit is told: token to path, "" if unknown; or NULL
 * Errors: FS_ERR_HOOK_FAILED; those of fs_txn_commit(). The caller aborts the
 *         transaction. A failing post-commit is no error.
 */
fs_error_t *fs_hook_commit(fs_hook_commit_t *out, fs_txn_t *txn,
                           const fs_hook_config_t *config, apr_hash_t *tokens,
                           apr_pool_t *result) FS_MUST_CHECK;

/** One change of a revision property on its way through the hooks. */
typedef struct fs_hook_revprop_t {
    fs_rev_t rev;
    const char *user; /* NULL: not authenticated */
    const char *name;
    const fs_bytes_t *value;    /* NULL: deleted */
    bool has_expected;          /* the client says what it is now: */
    const fs_bytes_t *expected; /* NULL: it is not there */
} fs_hook_revprop_t;

/**
 * pre-revprop-change, fs_repo_change_revprop(), post-revprop-change.
 * Errors: FS_ERR_BAD_ARGS, FS_ERR_BAD_PROPERTY_VALUE, before any hook;
 *         FS_ERR_HOOK_DISABLED, there is no pre-revprop-change;
 *         FS_ERR_HOOK_FAILED, it refuses, or post-revprop-change failed, where
 *         `*changed` is true; FS_ERR_PROP_CHANGED; FS_ERR_NO_SUCH_REV.
 */
fs_error_t *fs_hook_change_revprop(bool *changed, fs_repo_t *repo,
                                   const fs_hook_config_t *config,
                                   const fs_hook_revprop_t *change,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * pre-lock for each path, fs_lock_take(), post-lock. A token that pre-lock
 * prints is the lock's. `*post_error` as in fs_hook_commit_t.
 */
fs_error_t *fs_hook_lock(fs_lock_outcome_t *outcomes, const char **post_error,
                         fs_repo_t *repo, const fs_hook_config_t *config,
                         const char *user, const fs_lock_wish_t *wishes,
                         int count, apr_pool_t *result) FS_MUST_CHECK;

/** pre-unlock for each path, fs_lock_release(), post-unlock. */
fs_error_t *fs_hook_unlock(fs_lock_outcome_t *outcomes, const char **post_error,
                           fs_repo_t *repo, const fs_hook_config_t *config,
                           const char *user, const fs_lock_release_t *locks,
                           int count, bool force,
                           apr_pool_t *result) FS_MUST_CHECK;

#endif
