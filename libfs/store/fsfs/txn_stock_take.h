/* SPDX-License-Identifier: Apache-2.0 */
/* Making a transaction anew from what a guest left of it. */

#ifndef LIBFS_STORE_FSFS_TXN_STOCK_TAKE_H
#define LIBFS_STORE_FSFS_TXN_STOCK_TAKE_H

#include "libfs/store/fsfs/txn_stock_read.h"

/**
 * Begin `state` and its journal anew, with edits that lead to the tree that
 * `stock` has. Changed paths are those of these edits: what was changed and
 * changed back is not among them.
 *
 * A death in the middle leaves a transaction that others do not go on with, as
 * long as its stock files are there.
 *
 * Errors: FS_ERR_CORRUPT; FS_ERR_IO. Then `state` is only to be aborted.
 */
fs_error_t *fs_txn_stock_take(fs_txn_state_t *state,
                              const fs_txn_stock_t *stock,
                              apr_pool_t *scratch) FS_MUST_CHECK;

#endif
