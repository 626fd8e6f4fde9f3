/* SPDX-License-Identifier: Apache-2.0 */
/* Locks as they are stored, for those above. */

#ifndef LIBFS_LOCK_LOCK_H
#define LIBFS_LOCK_LOCK_H

#include "libfs/fs_lock.h"
#include "libfs/store/store.h"

/** The same lock; it shares the strings of `stored`. */
fs_lock_t fs_lock_of(const fs_store_lock_t *stored);

#endif
