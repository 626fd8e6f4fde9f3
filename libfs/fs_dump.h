/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories as dump streams (format versions 2 and 3). */

#ifndef LIBFS_FS_DUMP_H
#define LIBFS_FS_DUMP_H

#include "libfs/fs_repo.h"

typedef struct fs_dump_options_t {
    fs_rev_t start; /* FS_INVALID_REV: 0 */
    fs_rev_t end;   /* FS_INVALID_REV: youngest */
    bool incremental;
    bool deltas;
} fs_dump_options_t;

/** Receives bytes of the stream. */
typedef fs_error_t *(*fs_dump_write_fn)(void *baton, const char *data,
                                        apr_size_t len);
/** Told after each revision; may be NULL. */
typedef void (*fs_dump_progress_fn)(void *baton, fs_rev_t rev);

/**
 * Write revisions start to end; the bytes are those that stock `svnadmin
 * dump` writes. Memory: bounded.
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_BAD_ARGS, start above end.
 */
fs_error_t *fs_dump(fs_repo_t *repo, const fs_dump_options_t *options,
                    fs_dump_write_fn write, fs_dump_progress_fn progress,
                    void *baton, apr_pool_t *scratch) FS_MUST_CHECK;

#endif
