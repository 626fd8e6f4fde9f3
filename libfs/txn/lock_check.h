/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path locks against what a transaction changes. A change of a file or of
 * properties meets the lock of its own path; making, deleting and copying to
 * a path meet all locks at and below it. A lock lets its owner pass who
 * presents its token. Source: docs/format/locks.md.
 */

#ifndef LIBFS_TXN_LOCK_CHECK_H
#define LIBFS_TXN_LOCK_CHECK_H

#include "libfs/fs_txn.h"

/**
 * Do path locks let the transaction change `path`? They do if it does not
 * check them.
 *
 * @param below  locks below `path` count too
 * Errors: FS_ERR_NO_USER; FS_ERR_LOCK_OWNER; FS_ERR_BAD_LOCK_TOKEN.
 * Cost:   one look at the disk without locks; one more for each lock.
 */
fs_error_t *fs_lock_check_path(fs_txn_t *txn, const char *path, bool below,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** The same for all that the transaction changed. Cost: as long as nothing in
 *  the repository is locked, one look at the disk. */
fs_error_t *fs_lock_check_changes(fs_txn_t *txn,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

#endif
