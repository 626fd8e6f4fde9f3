/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions that this process works on. Their states are kept between
 * requests, a bounded number of them, each with three open files, and brought
 * up to date from the journal when they are opened again.
 *
 * Who has one open keeps others out: threads by the table, processes by an
 * APR lock on the journal. A state is known by the journal's device and inode,
 * so that one that was removed and made anew is another.
 */

#ifndef LIBFS_STORE_FSFS_TXN_TABLE_H
#define LIBFS_STORE_FSFS_TXN_TABLE_H

#include "libfs/store/fsfs/txn_state.h"

/** Most states that are kept without a user, and for how long. */
#define FS_TXN_TABLE_IDLE_MAX 32
#define FS_TXN_TABLE_IDLE_SECONDS 300

/**
 * Open the transaction `name`, whose name is well-formed; it is the caller's
 * alone until fs_txn_table_close().
 *
 * Errors: FS_ERR_NO_SUCH_TXN; FS_ERR_FOREIGN_TXN; FS_ERR_BUSY, others had it
 *         for `fsfs->lock_timeout`; FS_ERR_CORRUPT; FS_ERR_IO.
 * Cost:   nobody else wrote: three stats and a lock; else the replay too.
 */
fs_error_t *fs_txn_table_open(fs_txn_state_t **state, fs_fsfs_t *fsfs,
                              const char *name,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Let others have it. */
void fs_txn_table_close(fs_txn_state_t *state);

/** The same, and forget the state: the transaction is gone. */
void fs_txn_table_forget(fs_txn_state_t *state);

/** Make the state anew from its journal, after an edit that failed. After an
 *  error only fs_txn_table_forget() may follow. */
fs_error_t *fs_txn_table_reload(fs_txn_state_t *state,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** Give the nodes of the state other ids: it was made anew. */
void fs_txn_table_renumber(fs_txn_state_t *state);

/**
 * Remove a transaction of any writer, when nobody has it open.
 * Errors: FS_ERR_NO_SUCH_TXN; FS_ERR_BUSY; FS_ERR_IO.
 */
fs_error_t *fs_txn_table_abort(fs_fsfs_t *fsfs, const char *name,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** The open state with that number, NULL if there is none. The caller has it
 *  open. */
fs_txn_state_t *fs_txn_table_find(apr_uint64_t serial);

/** Forget all states that nobody has open; for tests that take over as another
 *  process would. */
void fs_txn_table_clear(void);

#endif
