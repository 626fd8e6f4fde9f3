/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a transaction in memory. The same edits in the same order lead to
 * the same state, ids included: that is how a journal is replayed.
 *
 * Source: docs/format/transactions.md.
 */

#ifndef LIBFS_STORE_FSFS_TXN_EDIT_H
#define LIBFS_STORE_FSFS_TXN_EDIT_H

#include "libfs/store/fsfs/txn_state.h"

/** What an edit does; numbers are those of the journal. */
typedef enum fs_txn_op_type_t {
    FS_TXN_OP_MAKE = 1, /* path, kind */
    FS_TXN_OP_REMOVE,   /* path */
    FS_TXN_OP_COPY,     /* path, from_rev, from_path, node: the source */
    FS_TXN_OP_PROPS,    /* path, props, has_mergeinfo, mergeinfo_mod */
    FS_TXN_OP_TEXT,     /* path, rep, entry */
    FS_TXN_OP_ADOPT,    /* path, kind, node; kind FS_NODE_NONE: remove */
    FS_TXN_OP_FOLLOW,   /* path, node: the predecessor */
    FS_TXN_OP_BASE,     /* from_rev: the base from now on */
    FS_TXN_OP_LAST = FS_TXN_OP_BASE
} fs_txn_op_type_t;

/** One edit; fields that its type does not use are zero. */
typedef struct fs_txn_op_t {
    fs_txn_op_type_t type;
    fs_node_kind_t kind;
    const char *path;
    fs_rev_t from_rev;
    const char *from_path;
    fs_rev_t node_rev; /* address of a committed node */
    apr_uint64_t node_item;
    bool mergeinfo_mod;    /* svn:mergeinfo was set or deleted */
    bool has_mergeinfo;    /* it is in `props` */
    fs_bytes_t props;      /* hash dump */
    apr_uint64_t props_at; /* its offset in the journal */
    fs_rep_t rep;          /* the new text, without uniquifier; rev -1: ours */
    fs_index_p2l_entry_t entry; /* its item, if it is new; size 0: it is not */
} fs_txn_op_t;

/** A node as a directory names it. */
typedef struct fs_txn_ref_t {
    fs_node_kind_t kind; /* FS_NODE_NONE: there is none */
    fs_txn_node_t *node; /* if the transaction has it, else NULL: */
    fs_rev_t rev;        /* address of the committed node */
    apr_uint64_t item;
} fs_txn_ref_t;

/**
 * Begin anew: the tree is that of `state->base`. `fsfs`, `pool`, `id`, `base`
 * and `name` are set; files are not touched.
 * Errors: FS_ERR_CORRUPT, FS_ERR_NO_SUCH_REV.
 */
fs_error_t *fs_txn_edit_begin(fs_txn_state_t *state,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Make an edit. What it needs must be there, see store_txn.h.
 * Errors: FS_ERR_CORRUPT, also if something is not there; FS_ERR_IO. Then
 *         `state` may be half edited, and is to be made anew.
 * Cost:   looks at the directories on the way; a record is read for each node
 *         that is changed for the first time.
 */
fs_error_t *fs_txn_edit_apply(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** The entry `name` of a changed directory. */
fs_error_t *fs_txn_edit_entry(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                              const fs_txn_node_t *dir, const char *name,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** The node at `path`; FS_NODE_NONE if there is none. */
fs_error_t *fs_txn_edit_find(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                             const char *path,
                             apr_pool_t *scratch) FS_MUST_CHECK;

#endif
