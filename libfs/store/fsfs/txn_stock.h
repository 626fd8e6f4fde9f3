/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transaction in the layout of the stock tools, for hook scripts: written
 * out in one go, and read back where a script edited it.
 *
 * Source: docs/format/transactions.md.
 */

#ifndef LIBFS_STORE_FSFS_TXN_STOCK_H
#define LIBFS_STORE_FSFS_TXN_STOCK_H

#include "libfs/store/fsfs/txn_state.h"

/** See show() of the store. A death in the middle leaves something that the
 *  stock library does not commit. */
fs_error_t *fs_txn_stock_show(fs_txn_state_t *state,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * See take_back() of the store: the stock files are removed if nobody changed
 * them but for `props`; else `state` is made anew from them, and the journal
 * too, so that work can go on.
 */
fs_error_t *fs_txn_stock_take_back(fs_txn_state_t *state,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

#endif
