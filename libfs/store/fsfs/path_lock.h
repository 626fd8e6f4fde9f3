/* SPDX-License-Identifier: Apache-2.0 */
/* Path locks as they are stored: db/locks. */

#ifndef LIBFS_STORE_FSFS_PATH_LOCK_H
#define LIBFS_STORE_FSFS_PATH_LOCK_H

#include "libfs/format/lock_file.h"
#include "libfs/store/fsfs/handle.h"

/** Read the file of a digest. `*found` is false, and `*out` empty, if there is
 *  none. Errors: FS_ERR_CORRUPT; FS_ERR_IO. */
fs_error_t *fs_path_lock_read(fs_lock_file_t *out, bool *found, fs_fsfs_t *fsfs,
                              const char *digest,
                              apr_pool_t *result) FS_MUST_CHECK;

/** Where the file of a digest is, relative to db/. */
const char *fs_path_lock_file(const char *digest, apr_pool_t *result);

/** The lock of a digest file that has one; shares its strings. */
fs_store_lock_t fs_path_lock_of(const fs_lock_file_t *file);

/** See lock_get() of the store. Cost: an open and a read. */
fs_error_t *fs_path_lock_get(const fs_store_lock_t **lock, fs_fsfs_t *fsfs,
                             const char *path,
                             apr_pool_t *result) FS_MUST_CHECK;

/** See lock_list() of the store. Cost: an open and a read for each lock. */
fs_error_t *fs_path_lock_list(fs_fsfs_t *fsfs, const char *path,
                              fs_store_lock_fn receive, void *baton,
                              apr_pool_t *scratch) FS_MUST_CHECK;

#endif
