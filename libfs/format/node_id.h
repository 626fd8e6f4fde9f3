/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of node revisions:
 *
 *     <node> "." <copy> "." "r" <rev> "/" <item>     committed
 *     <node> "." <copy> "." "t" <txn>                in a transaction
 *
 *     <node>, <copy>:  "0"                the root's; not below any copy
 *                      <base36>           formats 1 and 2
 *                      <base36> "-" <rev> formats 3 to 8, made in <rev>
 *                      "_" <base36>       not committed, unique in its txn
 *     <txn>:           <rev> "-" <base36>
 *
 * <rev> and <item> are decimal. Source: docs/format/revision-file.md, "Ids".
 */

#ifndef LIBFS_FORMAT_NODE_ID_H
#define LIBFS_FORMAT_NODE_ID_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** `rev` of a part from formats 1 and 2, and of the part "0". */
#define FS_ID_GLOBAL ((fs_rev_t)-1)
/** `rev` of a part that is not committed ("_7"). */
#define FS_ID_IN_TXN ((fs_rev_t)-2)

/** A node id or a copy id. */
typedef struct fs_id_part_t {
    apr_uint64_t number;
    fs_rev_t rev; /* >= 0: made there; else FS_ID_GLOBAL or FS_ID_IN_TXN */
} fs_id_part_t;

/** A transaction's name. Formats 1 and 2 count in decimal, which is kept. */
typedef struct fs_txn_id_t {
    fs_rev_t base;       /* revision that it began from; -1: no transaction */
    apr_uint64_t number; /* as base 36 */
} fs_txn_id_t;

/** Id of a node revision: where it is committed, or the transaction. */
typedef struct fs_noderev_id_t {
    fs_id_part_t node;
    fs_id_part_t copy;
    fs_rev_t rev;      /* >= 0: committed there; -1: in `txn` */
    apr_uint64_t item; /* committed: address of the record in `rev` */
    fs_txn_id_t txn;   /* base is -1 if committed */
} fs_noderev_id_t;

/** Room for any formatted id, in bytes, final NUL included. */
#define FS_NODE_ID_SIZE 128
/** Room for a formatted transaction name, final NUL included. */
#define FS_TXN_ID_SIZE 40

/**
 * Read all `len` bytes at `text` as an id; false if it is none. For ids that
 * need not make sense (those of changed-path lists).
 */
bool fs_node_id_read(fs_noderev_id_t *out, const char *text, apr_size_t len);

/** As fs_node_id_read(). Errors: FS_ERR_CORRUPT, it is no id. */
fs_error_t *fs_node_id_parse(fs_noderev_id_t *out, const char *text,
                             apr_size_t len) FS_MUST_CHECK;

/** Write `id` with a final NUL; returns the length without it. */
apr_size_t fs_node_id_format(char buf[FS_NODE_ID_SIZE],
                             const fs_noderev_id_t *id);

/** Read a node id or copy id alone ("2-1", "_0"). */
bool fs_node_id_read_part(fs_id_part_t *out, const char *text, apr_size_t len);

/** Write a node id or copy id alone; as fs_node_id_format(). */
apr_size_t fs_node_id_format_part(char buf[FS_NODE_ID_SIZE],
                                  const fs_id_part_t *part);

/** Read a transaction's name ("12-a"). */
bool fs_node_id_read_txn(fs_txn_id_t *out, const char *text, apr_size_t len);

/** Write a transaction's name; as fs_node_id_format(). */
apr_size_t fs_node_id_format_txn(char buf[FS_TXN_ID_SIZE],
                                 const fs_txn_id_t *txn);

/** Whether both are the same node id, or the same copy id. */
bool fs_node_id_part_equal(const fs_id_part_t *a, const fs_id_part_t *b);

/** Whether both name the same node revision. */
bool fs_node_id_equal(const fs_noderev_id_t *a, const fs_noderev_id_t *b);

/**
 * FS_SAME, or FS_RELATED if both belong to one line of history: node ids are
 * equal and committed, or equal within one transaction.
 */
fs_relation_t fs_node_id_relation(const fs_noderev_id_t *a,
                                  const fs_noderev_id_t *b);

#endif
