/* SPDX-License-Identifier: Apache-2.0 */
/* The revisions in which any of several paths changed, youngest first. */

#ifndef LIBFS_HISTORY_LOG_WALK_H
#define LIBFS_HISTORY_LOG_WALK_H

#include "libfs/fs_history.h"

/** Histories of several paths, merged. Belongs to one thread. */
typedef struct fs_log_walk_t fs_log_walk_t;

typedef struct fs_log_range_t {
    fs_rev_t low;  /* both inclusive */
    fs_rev_t high; /* in which the paths are looked up */
    bool strict;   /* stop at copies */
    bool lenient;  /* leave out paths that are missing or unreadable */
} fs_log_range_t;

/**
 * Begin with the histories of `paths` (fspaths) in `range`. A history ends
 * below `low` and where a location is unreadable.
 *
 * Errors: unless lenient, FS_ERR_NOT_FOUND and FS_ERR_UNREADABLE, about a path
 *         in `high`.
 * Memory: a bounded number of histories stays open; of the others a path and a
 *         revision are kept, and each step of theirs costs a look-up.
 */
fs_error_t *fs_log_walk_open(fs_log_walk_t **walk, fs_repo_t *repo,
                             const apr_array_header_t *paths,
                             const fs_log_range_t *range,
                             const fs_reader_t *reader,
                             apr_pool_t *result) FS_MUST_CHECK;

/**
 * The next revision, each once; FS_INVALID_REV at the end.
 * Cost:   a step of each history that has a location in the revision before,
 *         and a logarithmic part for several paths.
 * Memory: bounded over any number of steps.
 */
fs_error_t *fs_log_walk_next(fs_rev_t *rev, fs_log_walk_t *walk) FS_MUST_CHECK;

/**
 * Move on from the revision just told and give the path of each history: that
 * of its next older location, or the last one where there is none. Array of
 * `const char *`, valid until the next call; the caller leaves it alone.
 *
 * @param moved  whether a path is another one than at the call before
 */
fs_error_t *fs_log_walk_paths(const apr_array_header_t **paths, bool *moved,
                              fs_log_walk_t *walk) FS_MUST_CHECK;

#endif
