/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a transaction as text, for comparing all of it. */

#ifndef TESTS_SUPPORT_TXN_DUMP_H
#define TESTS_SUPPORT_TXN_DUMP_H

#include "libfs/store/fsfs/txn_state.h"

/** All of `state` but what differs from process to process: a line for each
 *  node with its record and entries, change, item and own text; the counters
 *  and lengths. In `pool`. */
const char *fs_test_txn_dump(const fs_txn_state_t *state, apr_pool_t *pool);

/** The record of the node at `path`, which the transaction must have changed,
 *  as format 8 writes it. */
const char *fs_test_txn_record(const fs_txn_state_t *state, const char *path,
                               apr_pool_t *pool);

#endif
