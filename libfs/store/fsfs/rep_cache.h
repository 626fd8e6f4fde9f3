/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db/rep-cache.db: where a content with a given SHA-1 is stored already
 * (formats from 4 on). A hint: without it, or with a damaged one, contents are
 * stored again, and nothing fails.
 *
 * Rows of published revisions are gathered and put into the database by a
 * thread a second later, in one transaction that a loss of power does not
 * tear: commits neither sync nor wait for it. Until then the store that
 * gathered them knows them. Those of a process that dies are lost.
 */

#ifndef LIBFS_STORE_FSFS_REP_CACHE_H
#define LIBFS_STORE_FSFS_REP_CACHE_H

#include "libfs/format/rep_string.h"
#include "libfs/store/fsfs/handle.h"

/** Connections and gathered rows of a store. */
typedef struct fs_rep_cache_t fs_rep_cache_t;

/** Make what a store needs; opens nothing. Lives in `result`, but is to be
 *  closed. Errors: FS_ERR_IO, out of memory. */
fs_error_t *fs_rep_cache_create(fs_rep_cache_t **out, fs_fsfs_t *fsfs,
                                apr_pool_t *result) FS_MUST_CHECK;

/** Write gathered rows and close connections; the store is still usable.
 *  Cost: waits at most half a second for other users of the database. */
void fs_rep_cache_close(fs_rep_cache_t *cache);

/** Tells in `*same` whether the bytes at `candidate` are those wanted. */
typedef fs_error_t *(*fs_rep_cache_same_fn)(bool *same, void *baton,
                                            const fs_rep_t *candidate,
                                            apr_pool_t *scratch);

/**
 * Look for a content that is equal to `rep`, of which size, md5 and sha1 are
 * set, and whose bytes `same` compares. `*found`: `rep` has rev, item and
 * length of the older one; the rest is left. Finds nothing where sharing is
 * not offered or switched off.
 *
 * Errors:  FS_ERR_CORRUPT, a row above the youngest revision, or equal SHA-1
 *          of unequal bytes. Failures of the database or of reading the
 *          candidate are "not found".
 * Threads: any.
 * Cost:    a few system calls; if others lock the database, at most 100 ms,
 *          after which it is left alone for two seconds.
 */
fs_error_t *fs_rep_cache_find(bool *found, fs_rep_t *rep, fs_fsfs_t *fsfs,
                              fs_rep_cache_same_fn same, void *baton,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Add contents of a revision that is published; those known already stay.
 * Needs of each: rev, item, length, size, sha1. A failure of the database is
 * no error.
 */
void fs_rep_cache_add(fs_fsfs_t *fsfs, const fs_rep_t *reps, int count,
                      apr_pool_t *scratch);

/** Put gathered rows into the database now; for tests and before exits. */
void fs_rep_cache_flush(fs_fsfs_t *fsfs);

#endif
