/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db/rep-cache.db: where a content with a given SHA-1 is stored already
 * (formats from 4 on). A hint: without it, or with a damaged one, contents are
 * stored again, and nothing fails.
 */

#ifndef LIBFS_STORE_FSFS_REP_CACHE_H
#define LIBFS_STORE_FSFS_REP_CACHE_H

#include "libfs/format/rep_string.h"
#include "libfs/store/fsfs/handle.h"

/**
 * Look for a content that is equal to `rep` (size, md5, sha1 are set), whose
 * bytes `same` compares. `*found`: `rep` has rev, item and length of the older
 * one; the rest is left. `same` is told the candidate and says whether its
 * bytes are equal.
 * Errors: FS_ERR_CORRUPT, a row above the youngest revision, or equal SHA-1 of
 *         unequal bytes; failures of the database are "not found", logged.
 * Threads: any; connections are kept in the handle, a few.
 */
typedef fs_error_t *(*fs_rep_cache_same_fn)(bool *same, void *baton,
                                            const fs_rep_t *candidate,
                                            apr_pool_t *scratch);
fs_error_t *fs_rep_cache_find(bool *found, fs_rep_t *rep, fs_fsfs_t *fsfs,
                              fs_rep_cache_same_fn same, void *baton,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Add contents of a revision that is published; those known already stay. A
 *  failure of the database is no error. */
void fs_rep_cache_add(fs_fsfs_t *fsfs, const fs_rep_t *reps, int count,
                      apr_pool_t *scratch);

#endif
