/* SPDX-License-Identifier: Apache-2.0 */
/* Names of open transactions. */

#ifndef LIBFS_STORE_FSFS_TXN_LIST_H
#define LIBFS_STORE_FSFS_TXN_LIST_H

#include "libfs/store/fsfs/handle.h"

/** See txns() of the store. */
fs_error_t *fs_txn_list(apr_array_header_t **names, fs_fsfs_t *fsfs,
                        apr_pool_t *result) FS_MUST_CHECK;

#endif
