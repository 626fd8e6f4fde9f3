/* SPDX-License-Identifier: Apache-2.0 */
/* Changed paths of revisions. */

#ifndef LIBFS_STORE_FSFS_CHANGES_READ_H
#define LIBFS_STORE_FSFS_CHANGES_READ_H

#include "libfs/store/fsfs/handle.h"

/** See changes() of the store. Cost: cached if the list is short. */
fs_error_t *fs_changes_read(fs_fsfs_t *fsfs, fs_rev_t rev,
                            fs_store_change_fn receive, void *baton,
                            apr_pool_t *scratch) FS_MUST_CHECK;

#endif
