/* SPDX-License-Identifier: Apache-2.0 */
/* Path locks as they are stored: db/locks. */

#ifndef LIBFS_STORE_FSFS_PATH_LOCK_H
#define LIBFS_STORE_FSFS_PATH_LOCK_H

#include "libfs/store/fsfs/handle.h"

/** See lock_get() of the store. Cost: an open and a read. */
fs_error_t *fs_path_lock_get(const fs_store_lock_t **lock, fs_fsfs_t *fsfs,
                             const char *path,
                             apr_pool_t *result) FS_MUST_CHECK;

/** See lock_list() of the store. Cost: an open and a read for each lock. */
fs_error_t *fs_path_lock_list(fs_fsfs_t *fsfs, const char *path,
                              fs_store_lock_fn receive, void *baton,
                              apr_pool_t *scratch) FS_MUST_CHECK;

#endif
