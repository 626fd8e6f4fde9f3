/* SPDX-License-Identifier: Apache-2.0 */
/* Telling one revision of a log, cut to what its reader may see. */

#ifndef LIBFS_HISTORY_LOG_ENTRY_H
#define LIBFS_HISTORY_LOG_ENTRY_H

#include "libfs/fs_history.h"

/** What holds for a whole log. */
typedef struct fs_log_t {
    fs_repo_t *repo;
    const fs_log_options_t *options;
    const fs_reader_t *reader;
    const fs_log_receiver_t *receiver;
    fs_rev_t youngest; /* when the log began */
} fs_log_t;

/**
 * Tell the changed paths of `rev`, if they are asked for, and then the entry.
 * Cost: without changed paths and without access function nothing of the
 *       revision's tree is read.
 */
fs_error_t *fs_log_entry_send(const fs_log_t *log, fs_rev_t rev,
                              bool has_children, bool subtractive,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Tell the end of an entry's children. */
fs_error_t *fs_log_entry_end(const fs_log_t *log,
                             apr_pool_t *scratch) FS_MUST_CHECK;

#endif
