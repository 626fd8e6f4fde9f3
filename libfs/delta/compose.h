/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of deltas: windows with the same number stacked on each other, each
 * taking the output of the one below as its source view.
 * Source: docs/format/svndiff.md, "In revision files".
 */

#ifndef LIBFS_DELTA_COMPOSE_H
#define LIBFS_DELTA_COMPOSE_H

#include <stdbool.h>

#include "libfs/fs_delta.h"

/**
 * Scratch memory of the functions below: grows to what the largest window
 * needed (two texts of at most 100 KiB, when composing also instructions) and
 * is used again by each call. Belongs to one thread.
 */
typedef struct fs_delta_chain_buffers_t fs_delta_chain_buffers_t;

/** Make empty buffers; what they grow to is released with `result`. */
fs_delta_chain_buffers_t *fs_delta_chain_buffers_create(apr_pool_t *result);

/**
 * Whether `window` copies anything from its source view. If it does not, the
 * windows below it need not be read at all.
 * Cost: looks at instructions up to the first source copy.
 */
bool fs_delta_window_uses_source(const fs_delta_window_t *window);

/**
 * Produce the target of windows[0] (the top, nearest to the wanted text):
 * windows[i] takes the whole output of windows[i + 1] as its source view,
 * and windows[n - 1], the deepest, the `source_len` bytes at `source`. The
 * windows' source offsets are not looked at. Stops at the first window from
 * the top that uses no source: those below it may then be left out of the
 * array, and `source` may be NULL if nothing refers to it.
 *
 * @param target   room for windows[0]->target_len bytes; overlaps nothing else
 * @param n        1 or more
 * @param windows  each checked (what the readers of fs_delta.h yield is)
 *
 * Errors: FS_ERR_CORRUPT, a window wants a longer source view than there is.
 * Cost:   at most one copy of the text a window; a window that copies one
 *         range of its source costs nothing. No allocation once the buffers
 *         have grown.
 */
fs_error_t *fs_delta_chain_apply(
    char *target, const fs_delta_window_t *const *windows, int n,
    const char *source, apr_size_t source_len,
    fs_delta_chain_buffers_t *buffers) FS_MUST_CHECK;

/**
 * Combine `below` (source to middle) with `above` (middle to target) into one
 * window from source to target. Its source view is that of `below`; it has at
 * most target_len instructions and as many bytes of new data, these in the
 * order of the instructions, so that it can be encoded.
 *
 * @param out  its instructions and new data lie in `buffers` and are valid
 *             until the call after the next one with the same buffers: so the
 *             result may be `above` or `below` of the next call. `out` may be
 *             the same struct as `above` or `below`.
 *
 * Errors: FS_ERR_CORRUPT, `above` wants a longer source view than `below`
 *         produces.
 * Cost:   O(instructions of both and of the result, new data of the result);
 *         target copies in `below` that the result refers to are unrolled.
 */
fs_error_t *fs_delta_compose(fs_delta_window_t *out,
                             const fs_delta_window_t *below,
                             const fs_delta_window_t *above,
                             fs_delta_chain_buffers_t *buffers) FS_MUST_CHECK;

#endif
