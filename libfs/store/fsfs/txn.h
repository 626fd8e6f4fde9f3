/* SPDX-License-Identifier: Apache-2.0 */
/* The writing half of the store's functions. */

#ifndef LIBFS_STORE_FSFS_TXN_H
#define LIBFS_STORE_FSFS_TXN_H

#include "libfs/store/store_txn.h"

/** All of them. */
extern const fs_store_txn_vtable_t fs_txn_vtable;

#endif
