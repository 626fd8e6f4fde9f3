/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transaction in memory: the nodes that it changed, in a tree over that of
 * its base revision. Made by replaying its journal; each process keeps those
 * it works on (txn_table.h).
 */

#ifndef LIBFS_STORE_FSFS_TXN_STATE_H
#define LIBFS_STORE_FSFS_TXN_STATE_H

#include "libfs/format/changes.h"
#include "libfs/format/index_p2l.h"
#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/handle.h"

typedef struct fs_txn_node_t fs_txn_node_t;

/** A property list that the transaction set: bytes of the journal. */
typedef struct fs_txn_props_t {
    apr_uint64_t offset; /* of the hash in the journal */
    apr_size_t len;      /* bytes; "END\n" included */
} fs_txn_props_t;

/** A changed entry of a changed directory. */
typedef struct fs_txn_entry_t {
    const char *name;
    fs_node_kind_t kind; /* FS_NODE_NONE: the entry is gone */
    fs_noderev_id_t id;  /* committed node; unused if `node` is set */
    fs_txn_node_t *node; /* the transaction's own node, or NULL */
} fs_txn_entry_t;

/** A node that the transaction made, copied or changed. */
struct fs_txn_node_t {
    apr_uint64_t number;   /* in the transaction, from 0 (the root); its id */
    fs_txn_node_t *parent; /* NULL for the root */
    /**
     * The record as far as it is known before the commit: ids are those of the
     * transaction (FS_ID_IN_TXN, rev -1), copyroot_rev -1 is the transaction.
     * `text` of a file with has_text and rev -1 is in the texts file.
     */
    fs_node_rev_t rec;
    apr_hash_t *entries; /* of a directory: name to fs_txn_entry_t, what differs
                            from `rec.text`; NULL: nothing */
    bool entries_changed; /* its text is to be written anew */
    bool props_changed;   /* then `props` are its property list */
    fs_txn_props_t props;
    apr_uint64_t props_unique; /* number of the uniquifier of new props */
    apr_uint64_t text_unique;  /* the same of new entries (directories) */
    bool gone;                 /* removed from the tree: not written */
};

/** A changed path as it happened, before folding. */
typedef struct fs_txn_change_t {
    const char *path;
    fs_change_action_t action;
    fs_noderev_id_t id; /* in the transaction's form */
    fs_node_kind_t kind;
    bool text_mod;
    bool prop_mod;
    bool minfo_mod;
    fs_rev_t copyfrom_rev; /* -1: no copy */
    const char *copyfrom_path;
} fs_txn_change_t;

typedef struct fs_txn_state_t {
    fs_fsfs_t *fsfs;
    apr_pool_t *pool; /* of all of this; used by one thread at a time: the one
                         that has the transaction's lock */
    const char *name; /* "12-3f" */
    fs_txn_id_t id;
    fs_rev_t base;
    apr_uint64_t serial; /* unique in the process: in the ids of its nodes */
    fs_txn_node_t *root;
    apr_array_header_t *nodes;   /* fs_txn_node_t *, by number */
    apr_array_header_t *changes; /* fs_txn_change_t, as they happened */
    apr_array_header_t *items;   /* fs_index_p2l_entry_t of the texts file, in
                                    order; rev -1 */
    apr_hash_t *by_sha1;         /* 20 bytes to fs_rep_t: texts of its own */
    apr_uint64_t next_node;      /* counters, as next-ids and itemidx */
    apr_uint64_t next_copy;
    apr_uint64_t next_item;
    int folder;               /* the transaction's folder, open */
    int journal;              /* open files in it */
    int texts;                /* texts of files: begin of the revision file */
    apr_uint64_t generation;  /* of the journal; see txn_journal.h */
    apr_uint64_t journal_len; /* bytes that were replayed and are good */
    apr_uint64_t texts_len;   /* bytes of complete items */
    bool shown;               /* laid out as the stock tools do */
    struct fs_txn_stock_seen_t *seen; /* how that was left: txn_stock.c; or
                                         NULL */
    bool given_up; /* the disk failed its texts: only to be aborted */
} fs_txn_state_t;

#endif
