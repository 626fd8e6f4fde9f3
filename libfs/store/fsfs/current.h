/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the repository got (db/current, db/min-unpacked-rev), and whether
 * it still is the one that was opened.
 */

#ifndef LIBFS_STORE_FSFS_CURRENT_H
#define LIBFS_STORE_FSFS_CURRENT_H

#include "libfs/store/fsfs/handle.h"

/**
 * The youngest revision, as it is now. It never goes back while a store is
 * open.
 * Errors: FS_ERR_CORRUPT, db/current is missing or malformed, or another
 *         history was put into the folder.
 * Cost:   two stats; a read when the file changed (or did a moment ago).
 */
fs_error_t *fs_current_youngest(fs_rev_t *rev, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** The youngest revision as of the last look. Cost: no system call. */
fs_rev_t fs_current_known(fs_fsfs_t *fsfs);

/**
 * Check that `rev` exists; looks at the disk only if it is above what was
 * known before. Errors: FS_ERR_NO_SUCH_REV.
 */
fs_error_t *fs_current_need(fs_fsfs_t *fsfs, fs_rev_t rev,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/** First revision that is not packed, as known. Cost: no system call. */
fs_rev_t fs_current_min_unpacked(fs_fsfs_t *fsfs);

/**
 * Read db/min-unpacked-rev again; open files of revisions that are packed now
 * are given up. (Formats 1 to 3: always 0.) Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_current_read_min_unpacked(fs_fsfs_t *fsfs,
                                         apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Check that the folder still holds the history that was opened, unless that
 * was done a moment ago: for who takes something from it in the middle of a
 * request. (A rename of the whole repository needs no such check, as `folder`
 * stays what it is.)
 * Errors: FS_ERR_CORRUPT, it holds another one.
 * Cost:   one stat a hundred times a second.
 */
fs_error_t *fs_current_confirm(fs_fsfs_t *fsfs,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Identity without the epoch: of db/, db/uuid and db/format. It changes when
 * one of them is replaced.
 */
fs_error_t *fs_current_base(unsigned char out[16], fs_fsfs_t *fsfs,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Compute the identity of a store that is being opened; `format`, `uuid` and
 * `base` are filled already. The epoch in it is a number that is drawn anew when the
 * revisions seen before are not those on disk; it is kept in the cache, so
 * that all who share the cache use the same.
 */
fs_error_t *fs_current_identify(fs_fsfs_t *fsfs,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** See fs_repo_check(). Cost: one stat while nothing changed, at most ten times
 *  a second three. */
fs_error_t *fs_current_check(bool *stale, fs_fsfs_t *fsfs,
                             apr_pool_t *scratch) FS_MUST_CHECK;

#endif
