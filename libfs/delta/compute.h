/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matcher of fs_delta_compute() for who has the bytes of a window in
 * memory, as a writer does that texts are pushed into.
 */

#ifndef LIBFS_DELTA_COMPUTE_H
#define LIBFS_DELTA_COMPUTE_H

#include "libfs/fs_delta.h"

/** Memory of the matcher, used again for each window; belongs to one thread.
 *  It grows to some 100 KiB. */
typedef struct fs_delta_matcher_t fs_delta_matcher_t;

/** Make one; what it grows to is released with `result`. */
fs_delta_matcher_t *fs_delta_matcher_create(apr_pool_t *result);

/**
 * Compute the window that makes the `target_len` bytes at `target` from the
 * source view of `source_len` bytes at `source`, which begins at
 * `source_offset` of the source. Both are at most FS_DELTA_WINDOW_MAX long,
 * the target is not empty. Without a source view it is one instruction.
 *
 * @param window  valid until the next call and as long as `target` stays
 * @param target  its bytes are moved about: new data is gathered at its begin
 */
void fs_delta_compute_window(fs_delta_window_t *window,
                             fs_delta_matcher_t *matcher,
                             apr_uint64_t source_offset, const char *source,
                             apr_uint32_t source_len, char *target,
                             apr_uint32_t target_len);

#endif
