/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a transaction, db/transactions/<name>.txn/: its name, making
 * and removing it, the transaction's properties.
 *
 * Source: docs/format/transactions.md.
 */

#ifndef LIBFS_STORE_FSFS_TXN_DIR_H
#define LIBFS_STORE_FSFS_TXN_DIR_H

#include <apr_hash.h>

#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/handle.h"

#define FS_TXN_DIR_JOURNAL "repo-journal"
#define FS_TXN_DIR_TEXTS "repo-texts"
#define FS_TXN_DIR_CHANGES "changes"

/** Read a name. Errors: FS_ERR_TXN_NAME. */
fs_error_t *fs_txn_dir_parse_name(fs_txn_id_t *id,
                                  const char *name) FS_MUST_CHECK;

/** A file in the folder of `name` (NULL: the folder), relative to db/. */
const char *fs_txn_dir_path(const char *name, const char *file,
                            apr_pool_t *result);

/**
 * Take a name for a transaction on revision `base`, and make its folder.
 * From format 3 on the number is drawn, of twelve digits: names are not used
 * again, and no counter has to survive anything. Formats 1 and 2 have names
 * with small numbers, which come again.
 * Errors: FS_ERR_IO.
 */
fs_error_t *fs_txn_dir_make(const char **name, fs_txn_id_t *id, fs_fsfs_t *fsfs,
                            fs_rev_t base, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Fill a new folder: properties, the root record `root`, no texts, and last
 * the empty journal, by which others know that it is complete and ours.
 */
fs_error_t *fs_txn_dir_fill(fs_fsfs_t *fsfs, const char *name,
                            apr_hash_t *props, const fs_node_rev_t *root,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/** All properties. Errors: FS_ERR_NO_SUCH_TXN; FS_ERR_CORRUPT. */
fs_error_t *fs_txn_dir_props(apr_hash_t **props, fs_fsfs_t *fsfs,
                             const char *name,
                             apr_pool_t *result) FS_MUST_CHECK;

/** Replace all properties, by a rename. */
fs_error_t *fs_txn_dir_set_props(fs_fsfs_t *fsfs, const char *name,
                                 apr_hash_t *props,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Remove a transaction of any writer, its proto-revision files too. What
 * another removes meanwhile is no error.
 * Errors: FS_ERR_NO_SUCH_TXN, there was no folder; FS_ERR_IO.
 */
fs_error_t *fs_txn_dir_remove(fs_fsfs_t *fsfs, const char *name,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** The error for a name that no transaction has. */
fs_error_t *fs_txn_dir_no_such(const char *name) FS_MUST_CHECK FS_NEVER_NULL;

#endif
