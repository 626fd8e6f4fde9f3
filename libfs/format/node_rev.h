/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a node revision: lines "<name>: <value>\n" in any order, ended
 * by an empty line. Unknown names are ignored.
 *
 *     id: <node revision id>                 always
 *     type: file | dir                       always
 *     pred: <node revision id>               unless made from nothing
 *     count: <decimal>                       predecessors; absent: 0
 *     text: <representation>                 absent: empty
 *     props: <representation>                absent: none
 *     cpath: <path>                          always
 *     copyfrom: <rev> " " <path>             made by a copy
 *     copyroot: <rev> " " <path>             absent: own revision and cpath
 *     is-fresh-txn-root: y                   transactions only
 *     minfo-cnt: <decimal>                   formats 3-8; absent: 0
 *     minfo-here: y                          formats 3-8
 *
 * Source: docs/format/revision-file.md, "Node records".
 */

#ifndef LIBFS_FORMAT_NODE_REV_H
#define LIBFS_FORMAT_NODE_REV_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/format/rep_string.h"

typedef struct fs_node_rev_t {
    fs_noderev_id_t id;
    fs_noderev_id_t pred;      /* if has_pred */
    apr_uint64_t count;        /* number of predecessors */
    fs_rep_t text;             /* if has_text */
    fs_rep_t props;            /* if has_props */
    const char *cpath;         /* where it was made; never NULL */
    const char *copyfrom_path; /* NULL: was not made by a copy */
    const char *copyroot_path; /* never NULL */
    fs_rev_t copyfrom_rev;     /* -1 without copyfrom_path */
    fs_rev_t copyroot_rev;     /* -1: the transaction */
    apr_uint64_t minfo_count;  /* nodes with mergeinfo at or below it */
    fs_node_kind_t kind;       /* FS_NODE_FILE or FS_NODE_DIR */
    bool has_pred;
    bool has_text;
    bool has_props;
    bool minfo_here;     /* has mergeinfo itself */
    bool fresh_txn_root; /* false in revisions, whatever is written */
} fs_node_rev_t;

/**
 * Length of the record at the beginning of `data` with its empty line, or 0 if
 * it does not end within `len` bytes: then read more.
 */
apr_size_t fs_node_rev_extent(const char *data, apr_size_t len);

/**
 * Parse the record at the beginning of `data`; other bytes may follow its
 * empty line. Strings of `*out` live in `result`, in one block.
 * Errors: FS_ERR_CORRUPT; also if the record does not end within `len`.
 */
fs_error_t *fs_node_rev_parse(fs_node_rev_t *out, const char *data,
                              apr_size_t len, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Append the record of `node` in the order above, with its empty line, as
 * `format` (1 to 8) has it.
 */
void fs_node_rev_format(fs_buffer_t *out, const fs_node_rev_t *node,
                        int format);

#endif
