/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the kernel what will be read soon. */

#ifndef LIBFS_STORE_FSFS_PREFETCH_H
#define LIBFS_STORE_FSFS_PREFETCH_H

#include "libfs/store/fsfs/handle.h"

/** See prefetch() of the store. At most FS_PREFETCH_WINDOW bytes a call. */
void fs_prefetch(fs_fsfs_t *fsfs, const fs_content_t *const *contents,
                 int count);

/** Bytes of a call that are asked for. */
#define FS_PREFETCH_WINDOW ((apr_uint64_t)32 * 1024 * 1024)

#endif
