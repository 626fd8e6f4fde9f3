/* SPDX-License-Identifier: Apache-2.0 */
/* The store that keeps a repository in FSFS files, formats 1 to 8. */

#ifndef LIBFS_STORE_FSFS_FSFS_H
#define LIBFS_STORE_FSFS_FSFS_H

#include "libfs/store/store.h"

/** The constructor of this store: its functions. */
const fs_store_vtable_t *fs_fsfs_vtable(void);

#endif
