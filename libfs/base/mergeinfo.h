/* SPDX-License-Identifier: Apache-2.0 */
/* Mergeinfo that is built up step by step. */

#ifndef LIBFS_BASE_MERGEINFO_H
#define LIBFS_BASE_MERGEINFO_H

#include "libfs/fs_mergeinfo.h"

/**
 * Add `more` to `total`, which changes: the union, as fs_mergeinfo_merge(),
 * without copying what stays.
 *
 * @param more  NULL is empty; is copied
 * @param result  the pool of `total`
 */
void fs_mergeinfo_add(apr_hash_t *total, apr_hash_t *more, apr_pool_t *result,
                      apr_pool_t *scratch);

/** Cut off what is above `rev`. `mergeinfo` NULL is empty; the answer shares its
 *  paths. */
apr_hash_t *fs_mergeinfo_clip(apr_hash_t *mergeinfo, fs_rev_t rev,
                              apr_pool_t *result);

#endif
