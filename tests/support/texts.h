/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for tests of deltas: repeatable, from a seed. */

#ifndef TESTS_SUPPORT_TEXTS_H
#define TESTS_SUPPORT_TEXTS_H

#include <apr_pools.h>

#include "libfs/fs_delta.h"

/** State of a random number generator; any value but 0. */
typedef apr_uint64_t texts_seed_t;

/** A number below `below` (> 0). */
apr_uint32_t texts_random(texts_seed_t *seed, apr_uint32_t below);

/** `len` bytes of an alphabet of `letters` (1 to 256). */
fs_bytes_t texts_make(texts_seed_t *seed, apr_size_t len, int letters,
                      apr_pool_t *pool);

/** `text` after `edits` random insertions, removals and replacements, each of
 *  at most `longest` bytes. */
fs_bytes_t texts_edit(texts_seed_t *seed, fs_bytes_t text, int edits,
                      apr_uint32_t longest, apr_pool_t *pool);

/** A valid window of random instructions, target copies with overlap among
 *  them, for a source view of `source_len` bytes. */
fs_delta_window_t texts_window(texts_seed_t *seed, apr_uint32_t source_len,
                               apr_uint32_t target_len, apr_pool_t *pool);

/** A stream over windows that must stay. */
fs_delta_stream_t *texts_windows(const fs_delta_window_t *windows, int count,
                                 apr_pool_t *pool);

#endif
