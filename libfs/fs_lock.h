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

#endif
