/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The half of the store seam that writes: transactions as a store keeps them.
 * What may be edited (names, values, path locks) and how a transaction is
 * merged with newer revisions is decided above, in libfs/txn.
 */

#ifndef LIBFS_STORE_STORE_TXN_H
#define LIBFS_STORE_STORE_TXN_H

#include "libfs/store/store.h"

/** An open transaction: see fs_txn_t. */
typedef struct fs_store_txn_t fs_store_txn_t;

/** A text being written. */
typedef struct fs_store_text_t fs_store_text_t;

/** What to do under the lock of a commit. */
typedef struct fs_store_commit_t {
    /**
     * Called under the store's write lock before anything is written, when the
     * transaction's base is the youngest revision: the last look at path
     * locks. NULL: none. An error ends the commit.
     */
    fs_error_t *(*check)(void *baton, apr_pool_t *scratch);
    void *baton;
    apr_hash_t *revprops; /* of the new revision, name to `fs_bytes_t *` */
    bool set_date;        /* put the time under the lock into svn:date */
} fs_store_commit_t;

/**
 * The functions that write, part of the vtable. Edits name nodes by canonical
 * fspaths that the caller knows to be right: parents exist and are
 * directories, what is made does not exist (or is replaced), what is changed
 * exists. Each edit is there for other processes when it returns. An edit that
 * fails leaves the transaction as it was.
 *
 * Nodes of a transaction have ids and contents of their own: node(),
 * dir_lookup(), dir_open(), props() and open_content() of the store take them
 * while the transaction is open in this process and not edited. Their records
 * have created_rev FS_INVALID_REV.
 */
typedef struct fs_store_txn_vtable_t {
    /** Begin on revision `base`, which exists; comes open. */
    fs_error_t *(*begin)(fs_store_txn_t **txn, fs_store_t *store, fs_rev_t base,
                         apr_hash_t *props, apr_pool_t *result);
    /** See fs_txn_open(). */
    fs_error_t *(*open)(fs_store_txn_t **txn, fs_store_t *store,
                        const char *name, apr_pool_t *result);
    void (*close)(fs_store_txn_t *txn);
    fs_error_t *(*abort)(fs_store_t *store, const char *name,
                         apr_pool_t *scratch);

    const char *(*name)(const fs_store_txn_t *txn);
    fs_rev_t (*base)(const fs_store_txn_t *txn);
    fs_error_t *(*props)(apr_hash_t **props, fs_store_txn_t *txn,
                         apr_pool_t *result);
    /** Replace all properties. */
    fs_error_t *(*set_props)(fs_store_txn_t *txn, apr_hash_t *props,
                             apr_pool_t *scratch);

    /** The node at "/" as it is now. */
    fs_error_t *(*root_id)(fs_node_id_t *id, fs_store_txn_t *txn);

    fs_error_t *(*make)(fs_store_txn_t *txn, const char *path,
                        fs_node_kind_t kind, apr_pool_t *scratch);
    fs_error_t *(*remove)(fs_store_txn_t *txn, const char *path,
                          apr_pool_t *scratch);
    /** `source`: record of the committed node that is at `from_path` in
     *  `from_rev`. What is at `path` is replaced. */
    fs_error_t *(*copy)(fs_store_txn_t *txn, const fs_node_record_t *source,
                        fs_rev_t from_rev, const char *from_path,
                        const char *path, apr_pool_t *scratch);
    /** Replace all properties of a node. `mergeinfo_mod`: svn:mergeinfo is
     *  among those that were set or deleted. */
    fs_error_t *(*set_node_props)(fs_store_txn_t *txn, const char *path,
                                  apr_hash_t *props, bool mergeinfo_mod,
                                  apr_pool_t *scratch);

    /** Begin a whole text for the file at `path`; the old one stays, and can be
     *  read, until text_close(), which tells the digest. If it is not the
     *  `expected` one (NULL: any will do) that is FS_ERR_CHECKSUM_MISMATCH and
     *  the old text stays. */
    fs_error_t *(*text_open)(fs_store_text_t **text, fs_store_txn_t *txn,
                             const char *path, apr_pool_t *result);
    fs_error_t *(*text_write)(fs_store_text_t *text, const char *data,
                              apr_size_t len);
    fs_error_t *(*text_close)(unsigned char md5[FS_MD5_SIZE],
                              const unsigned char *expected,
                              fs_store_text_t *text);
    void (*text_abort)(fs_store_text_t *text);

    /** Tell the changed paths, folded, sorted by the bytes of paths. */
    fs_error_t *(*changes)(fs_store_txn_t *txn, fs_store_change_fn receive,
                           void *baton, apr_pool_t *scratch);

    /* Merging: these record no changed path. */

    /** Put the committed node `id` under `path`, or nothing (NULL). */
    fs_error_t *(*adopt)(fs_store_txn_t *txn, const char *path,
                         fs_node_kind_t kind, const fs_node_id_t *id,
                         apr_pool_t *scratch);
    /** The changed directory `path` has the committed node `pred` as its
     *  predecessor from now on. */
    fs_error_t *(*follow)(fs_store_txn_t *txn, const char *path,
                          const fs_node_id_t *pred, apr_pool_t *scratch);
    /** All of `base` is merged. */
    fs_error_t *(*set_base)(fs_store_txn_t *txn, fs_rev_t base,
                            apr_pool_t *scratch);

    /** See fs_txn_show() and fs_txn_take_back(). */
    fs_error_t *(*show)(fs_store_txn_t *txn, apr_pool_t *scratch);
    fs_error_t *(*take_back)(fs_store_txn_t *txn, apr_pool_t *scratch);

    /**
     * Write the transaction as the revision after its base, and publish it:
     * `*rev` is its number, the transaction is gone and closed. If others
     * committed in the meantime, nothing is done: `*rev` is FS_INVALID_REV and
     * `*youngest` theirs, to be merged.
     */
    fs_error_t *(*commit)(fs_rev_t *rev, fs_rev_t *youngest,
                          fs_store_txn_t *txn, const fs_store_commit_t *how,
                          apr_pool_t *scratch);
} fs_store_txn_vtable_t;

#endif
