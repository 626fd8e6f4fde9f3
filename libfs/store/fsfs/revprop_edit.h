/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing revision properties, loose and packed, under db/write-lock.
 *
 * Loose, and packed ones that still fit: the file is replaced by a rename, and
 * its folder synced. A pack file that grew too large is split instead: the
 * parts get new names, are synced with their names, then the manifest is
 * replaced; files that no line names any more are removed last. Dying at any
 * point leaves the old properties or the new ones, and files that no reader
 * looks at, which the next change or split removes.
 *
 * Source: docs/format/packing.md, "Revision properties".
 */

#ifndef LIBFS_STORE_FSFS_REVPROP_EDIT_H
#define LIBFS_STORE_FSFS_REVPROP_EDIT_H

#include "libfs/store/fsfs/handle.h"

/**
 * See change_revprops() of the store.
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_PROP_CHANGED; FS_ERR_TOO_LARGE, above 512
 *         MiB; FS_ERR_BUSY, the lock is held by others, or the repository was
 *         replaced; FS_ERR_CORRUPT; FS_ERR_IO.
 * Cost:   two syncs; a split: one for each part, and three.
 */
fs_error_t *fs_revprop_edit(fs_fsfs_t *fsfs, fs_rev_t rev,
                            const fs_revprop_change_t *changes, int count,
                            apr_pool_t *scratch) FS_MUST_CHECK;

#endif
