/* SPDX-License-Identifier: Apache-2.0 */
/* A set of revisions that grows, kept as ranges. */

#ifndef LIBFS_HISTORY_REV_SET_H
#define LIBFS_HISTORY_REV_SET_H

#include <apr_hash.h>

#include "libfs/fs_types.h"

typedef struct fs_rev_set_t fs_rev_set_t;

/** Revisions first to last, both inclusive. */
typedef struct fs_rev_range_t {
    fs_rev_t first;
    fs_rev_t last;
} fs_rev_range_t;

/** An empty set; lives in `result`, and so does what it grows by. */
fs_rev_set_t *fs_rev_set_create(apr_pool_t *result);

/**
 * Add the revisions `first` to `last` (first <= last).
 * Memory: less than twice the most ranges it ever had.
 * Cost:   a binary search; moving the ranges behind.
 */
void fs_rev_set_add(fs_rev_set_t *set, fs_rev_t first, fs_rev_t last);

/** The longest range of the set around `rev`, NULL if `rev` is not in it.
 *  Valid until the set changes. `set` NULL is empty. */
const fs_rev_range_t *fs_rev_set_find(const fs_rev_set_t *set, fs_rev_t rev);

/** The set that `sets` has for `path`, made if there is none; it and the key
 *  live in `result`. */
fs_rev_set_t *fs_rev_set_of(apr_hash_t *sets, const char *path,
                            apr_pool_t *result);

#endif
