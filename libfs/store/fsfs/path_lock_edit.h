/* SPDX-License-Identifier: Apache-2.0 */
/* Path locks put into db/locks and taken out. */

#ifndef LIBFS_STORE_FSFS_PATH_LOCK_EDIT_H
#define LIBFS_STORE_FSFS_PATH_LOCK_EDIT_H

#include "libfs/store/fsfs/handle.h"

/**
 * See lock_edit() of the store. An expired lock of one of the paths that
 * `decide` wants kept is removed.
 *
 * Errors: of `decide`; FS_ERR_BUSY; FS_ERR_CORRUPT, a file that has to change;
 *         FS_ERR_IO.
 * Cost:   the write lock once; a read for each path and each folder above;
 *         three syncs if locks were put, two if some were removed, whatever
 *         their number (docs/format/locks.md).
 */
fs_error_t *fs_path_lock_edit(fs_fsfs_t *fsfs, const char *const *paths,
                              int count, fs_store_lock_edit_fn decide,
                              void *baton, apr_pool_t *scratch) FS_MUST_CHECK;

#endif
