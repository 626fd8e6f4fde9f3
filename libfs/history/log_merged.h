/* SPDX-License-Identifier: Apache-2.0 */
/* Entries below entries: the revisions that a revision merged. */

#ifndef LIBFS_HISTORY_LOG_MERGED_H
#define LIBFS_HISTORY_LOG_MERGED_H

#include "libfs/history/log_entry.h"
#include "libfs/history/log_walk.h"

/** What a log with merged revisions remembers from entry to entry. */
typedef struct fs_log_merged_t fs_log_merged_t;

/**
 * Prepare for a log of `paths`.
 *
 * @param targets       as the log has them; looked up in `range->high`
 * @param oldest_first  order of the top level; below it is youngest first
 */
fs_error_t *fs_log_merged_create(fs_log_merged_t **merged, const fs_log_t *log,
                                 const apr_array_header_t *targets,
                                 const fs_log_range_t *range, bool oldest_first,
                                 apr_pool_t *result) FS_MUST_CHECK;

/**
 * Tell the top-level entry `rev`, all that it merged, what that merged in turn,
 * and an end for each entry with children.
 *
 * A merged entry is left out (its children and their end are not) if all its
 * changes lie in the targets' own history, or if it was told before. In a
 * youngest-first log no part of a path's history is searched twice; in an
 * oldest-first one only a search that has grown large is cut like that, within
 * one top-level entry.
 *
 * @param paths  the targets' paths before `rev` (see fs_log_walk_paths())
 * Memory: a search each level of nesting, some 1,000 levels at most (deeper
 *         ones are not searched); `merged` grows by ranges of revisions.
 */
fs_error_t *fs_log_merged_send(fs_log_merged_t *merged, fs_rev_t rev,
                               const apr_array_header_t *paths,
                               apr_pool_t *scratch) FS_MUST_CHECK;

#endif
