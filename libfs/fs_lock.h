/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of paths, as they lie in the repository. */

#ifndef LIBFS_FS_LOCK_H
#define LIBFS_FS_LOCK_H

#include "libfs/fs_repo.h"

typedef struct fs_lock_t {
    const char *path;  /* fspath */
    const char *token; /* "opaquelocktoken:..." */
    const char *owner;
    const char *comment; /* NULL if none was given */
    bool is_dav_comment; /* the comment is the XML of a generic client */
    apr_time_t created;
    apr_time_t expires; /* 0: never */
} fs_lock_t;

/** The lock of `path`, NULL if it has none that is in force. */
fs_error_t *fs_lock_get(const fs_lock_t **lock, fs_repo_t *repo,
                        const char *path, apr_pool_t *result) FS_MUST_CHECK;

typedef fs_error_t *(*fs_lock_fn)(void *baton, const fs_lock_t *lock,
                                  apr_pool_t *scratch);

/**
 * Tell the locks in force at and below `path`, limited by `depth`: empty, only
 * the path's own; files and immediates, own and direct children; infinity.
 * Cost: one file a lock; the tree is not walked.
 */
fs_error_t *fs_lock_list(fs_repo_t *repo, const char *path, fs_depth_t depth,
                         fs_lock_fn receive, void *baton,
                         apr_pool_t *scratch) FS_MUST_CHECK;

/** What a lock shall be. */
typedef struct fs_lock_wish_t {
    const char *path;
    const char *token;   /* NULL: one is made */
    const char *comment; /* NULL: none */
    bool is_dav_comment;
    apr_time_t expires; /* 0: never */
    fs_rev_t rev;       /* that the client has; FS_INVALID_REV: not stated */
    bool steal;         /* whoever holds it now */
} fs_lock_wish_t;

/** What became of one of several paths. */
typedef struct fs_lock_outcome_t {
    const fs_lock_t *lock; /* taken; or the one that was released */
    fs_error_t *err;       /* NULL: done. The caller's */
} fs_lock_outcome_t;

/**
 * Lock files for `user`; each succeeds or fails alone, told in `outcomes`,
 * which has room for `count`. The error returned is one of all.
 *
 * Errors of a path, in this order: FS_ERR_NO_USER; FS_ERR_XML_UNSAFE, the
 * comment; FS_ERR_BAD_LOCK_TOKEN, a token that is none; FS_ERR_BAD_ARGS, the
 * expiry; FS_ERR_NOT_FILE; FS_ERR_LOCK_OUT_OF_DATE or FS_ERR_NOT_FOUND, the
 * path is not there; FS_ERR_NO_SUCH_REV, FS_ERR_LOCK_OUT_OF_DATE, the
 * revision; FS_ERR_LOCKED. Of all: FS_ERR_BUSY; FS_ERR_IO.
 * Cost:   the write lock once; some syncs (docs/format/locks.md).
 * Source: docs/format/locks.md; observed behaviour of the stock tools.
 */
fs_error_t *fs_lock_take(fs_lock_outcome_t *outcomes, fs_repo_t *repo,
                         const char *user, const fs_lock_wish_t *wishes,
                         int count, apr_pool_t *result) FS_MUST_CHECK;

/** A lock to release. */
typedef struct fs_lock_release_t {
    const char *path;
    const char *token; /* NULL: none presented */
} fs_lock_release_t;

/**
 * Release locks. `force`: whoever holds them, with or without token.
 * Errors of a path: FS_ERR_NO_USER; FS_ERR_NO_SUCH_LOCK, none, another token,
 * or FS_ERR_LOCK_EXPIRED; FS_ERR_LOCK_OWNER.
 */
fs_error_t *fs_lock_release(fs_lock_outcome_t *outcomes, fs_repo_t *repo,
                            const char *user, const fs_lock_release_t *locks,
                            int count, bool force,
                            apr_pool_t *result) FS_MUST_CHECK;

#endif
