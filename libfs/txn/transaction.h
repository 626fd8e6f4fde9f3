/* SPDX-License-Identifier: Apache-2.0 */
/* What an open transaction is made of. */

#ifndef LIBFS_TXN_TRANSACTION_H
#define LIBFS_TXN_TRANSACTION_H

#include "libfs/fs_txn.h"
#include "libfs/store/store_txn.h"
#include "libfs/tree/tree.h"

struct fs_txn_t {
    fs_repo_t *repo;
    fs_store_t *store;
    const fs_store_txn_vtable_t *vtable;
    fs_store_txn_t *stored; /* NULL: closed */
    const char *name;
    fs_rev_t base;
    const char *user;      /* NULL: nobody */
    apr_hash_t *tokens;    /* lock tokens that were presented; NULL: none */
    bool knows_checks;     /* `check_locks` was looked up */
    bool check_locks;      /* FS_TXN_CHECK_LOCKS is set */
    fs_root_t *tree;       /* as it is; NULL: changed, or not looked at yet */
    apr_pool_t *tree_pool; /* of `tree`; NULL: none yet */
    apr_pool_t *pool;
};

/** The tree for looks between two edits. */
fs_error_t *fs_transaction_tree(fs_root_t **tree, fs_txn_t *txn) FS_MUST_CHECK;

/** The tree is about to change: forget what is known of it. */
void fs_transaction_forget(fs_txn_t *txn);

/** `*check`: path locks are in force for this transaction. */
fs_error_t *fs_transaction_checks_locks(bool *check, fs_txn_t *txn,
                                        apr_pool_t *scratch) FS_MUST_CHECK;

#endif
