/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a client's state, kept in order until the comparison reads them:
 * in memory up to a limit, beyond it in an unlinked temporary file. */

#ifndef LIBFS_REPORT_SPOOL_H
#define LIBFS_REPORT_SPOOL_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** One thing that the client said about its working copy. */
typedef struct fs_report_entry_t {
    const char *path;       /* below the anchor, the target included */
    const char *link_path;  /* fspath of a switched item, or NULL */
    const char *lock_token; /* or NULL */
    fs_rev_t rev;           /* FS_INVALID_REV: deleted */
    fs_depth_t depth;
    bool start_empty;
} fs_report_entry_t;

typedef struct fs_spool_t fs_spool_t;

/** @param memory  bytes kept before a file is begun */
fs_spool_t *fs_spool_create(apr_size_t memory, apr_pool_t *result);

/** Append a copy of `entry`. Errors: FS_ERR_IO, the file. */
fs_error_t *fs_spool_add(fs_spool_t *spool,
                         const fs_report_entry_t *entry) FS_MUST_CHECK;

/** Go to the first entry; nothing can be added afterwards. */
fs_error_t *fs_spool_rewind(fs_spool_t *spool) FS_MUST_CHECK;

/** The next entry, its strings in `result`; `*more` false at the end. */
fs_error_t *fs_spool_next(fs_report_entry_t *entry, bool *more,
                          fs_spool_t *spool, apr_pool_t *result) FS_MUST_CHECK;

#endif
