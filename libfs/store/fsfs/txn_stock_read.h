/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a transaction that is laid out as the stock tools do.
 *
 * Source: docs/format/transactions.md.
 */

#ifndef LIBFS_STORE_FSFS_TXN_STOCK_READ_H
#define LIBFS_STORE_FSFS_TXN_STOCK_READ_H

#include "libfs/store/fsfs/txn_state.h"

/** What was read; lives in the pool given. */
typedef struct fs_txn_stock_t {
    apr_array_header_t *nodes; /* fs_txn_node_t *, by number, the root first;
                                  `props` are not set */
    apr_array_header_t *props; /* fs_bytes_t by number: property lists of those
                                  with props_changed */
    apr_array_header_t *changes; /* fs_txn_change_t */
    apr_array_header_t *items;   /* fs_index_p2l_entry_t */
    fs_rev_t base;
    apr_uint64_t next_node;
    apr_uint64_t next_copy;
    apr_uint64_t next_item;
    apr_uint64_t texts_len;
} fs_txn_stock_t;

/**
 * Read the files in the folder of `state`; of `state` itself only names and
 * open files are used.
 * Errors: FS_ERR_CORRUPT, FS_ERR_NO_SUCH_TXN.
 */
fs_error_t *fs_txn_stock_read(fs_txn_stock_t *out, const fs_txn_state_t *state,
                              apr_pool_t *result,
                              apr_pool_t *scratch) FS_MUST_CHECK;

#endif
