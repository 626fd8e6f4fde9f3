/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Revision properties, loose and packed. They can change at any time, so what
 * is cached carries the stamps of the files it came from: of the property
 * file, or of manifest and pack file (a change that fits replaces the pack
 * file alone). A file that changed within the last second is not cached.
 */

#ifndef LIBFS_STORE_FSFS_REVPROP_H
#define LIBFS_STORE_FSFS_REVPROP_H

#include "libfs/store/fsfs/handle.h"

/**
 * See revprops() of the store.
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_CORRUPT.
 * Cost:   cached: one stat, packed two.
 */
fs_error_t *fs_revprop_read(apr_hash_t **props, fs_fsfs_t *fsfs, fs_rev_t rev,
                            apr_pool_t *result,
                            apr_pool_t *scratch) FS_MUST_CHECK;

#endif
