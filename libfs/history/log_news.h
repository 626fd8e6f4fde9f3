/* SPDX-License-Identifier: Apache-2.0 */
/* What a revision merged into, or took out of, the targets of a log. */

#ifndef LIBFS_HISTORY_LOG_NEWS_H
#define LIBFS_HISTORY_LOG_NEWS_H

#include "libfs/history/log_entry.h"

/**
 * Mergeinfo that `rev` gave to and took from `targets`, cut at the log's
 * youngest revision.
 *
 * @param added    never NULL; empty if there is none
 * @param deleted  the same
 * @param targets  paths (`const char *`) that the targets have in the location
 *                 before `rev`
 * Memory: `result` grows by the answer, `scratch` by the paths whose mergeinfo
 *         was changed in the revision.
 * Cost:   one pass over the changed paths; more only if mergeinfo changed.
 */
fs_error_t *fs_log_news(apr_hash_t **added, apr_hash_t **deleted,
                        const fs_log_t *log, fs_rev_t rev,
                        const apr_array_header_t *targets, apr_pool_t *result,
                        apr_pool_t *scratch) FS_MUST_CHECK;

#endif
