/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a dump stream, and the editor that writes node records. */

#ifndef LIBFS_DUMP_DUMP_STREAM_H
#define LIBFS_DUMP_DUMP_STREAM_H

#include "libfs/fs_dump.h"
#include "libfs/fs_report.h"

/** Where a dump goes. */
typedef struct fs_dump_stream_t {
    fs_dump_write_fn write;
    void *baton;
    bool deltas; /* version 3: differences in place of full values */
} fs_dump_stream_t;

/** Write formatted text. */
fs_error_t *fs_dump_printf(const fs_dump_stream_t *stream, apr_pool_t *scratch,
                           const char *format, ...) FS_MUST_CHECK
    FS_PRINTF(3, 4);

/**
 * A property block, "PROPS-END" included.
 *
 * @param base  NULL: all of `props`; else only what differs from it, with
 *              deletions
 */
fs_bytes_t fs_dump_props(apr_hash_t *props, apr_hash_t *base,
                         apr_pool_t *result);

/** The editor that writes one revision's node records, and its `*baton`.
 *  Both live in `result`. */
const fs_editor_t *fs_dump_editor(void **baton, const fs_dump_stream_t *stream,
                                  fs_root_t *root, apr_pool_t *result);

#endif
