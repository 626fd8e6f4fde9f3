/* SPDX-License-Identifier: Apache-2.0 */
/* Applying svndiff that arrives in pieces: bytes in, bytes of the text out. */

#ifndef LIBFS_DELTA_SVNDIFF_APPLY_H
#define LIBFS_DELTA_SVNDIFF_APPLY_H

#include "libfs/fs_delta.h"

/** A text that is being made. */
typedef struct fs_svndiff_apply_t fs_svndiff_apply_t;

/** Takes the next bytes of the text, which are valid during the call. */
typedef fs_error_t *(*fs_svndiff_sink_fn)(void *baton, const char *data,
                                          apr_size_t len);

/**
 * Begin to apply svndiff (any version) to the text of `source` (NULL: empty),
 * which is read as far as it is needed and closed at the end.
 * Memory: some 300 KiB for what clients send; windows of very many
 *         instructions may take up to 7 MiB.
 */
fs_svndiff_apply_t *fs_svndiff_apply_create(fs_stream_t *source,
                                            fs_svndiff_sink_fn sink,
                                            void *baton, apr_pool_t *result);

/**
 * The next bytes of svndiff, cut anywhere. After an error nothing more may be
 * written.
 * Errors: as fs_svndiff_read(); FS_ERR_INCOMPLETE_DATA, the source is shorter
 *         than the delta wants it; those of the source and of the sink.
 * Cost:   bytes are copied only where a window is cut.
 */
fs_error_t *fs_svndiff_apply_write(fs_svndiff_apply_t *apply, const char *data,
                                   apr_size_t len) FS_MUST_CHECK;

/** All bytes are there. Errors: FS_ERR_SVNDIFF_END. */
fs_error_t *fs_svndiff_apply_close(fs_svndiff_apply_t *apply) FS_MUST_CHECK;

#endif
