/* SPDX-License-Identifier: Apache-2.0 */
/* Mergeinfo of single nodes, own and inherited. */

#ifndef LIBFS_HISTORY_MERGEINFO_TREE_H
#define LIBFS_HISTORY_MERGEINFO_TREE_H

#include "libfs/fs_history.h"

/** The node's own value as text, NULL if it has none. Nodes that were written
 *  in formats 1 and 2 have one without being marked for it; other searches
 *  go by the marks alone, as those of stock programs do. */
fs_error_t *fs_mergeinfo_tree_value(const fs_bytes_t **value,
                                    const fs_node_t *node,
                                    apr_pool_t *result) FS_MUST_CHECK;

/**
 * The mergeinfo that holds for `path`.
 *
 * @param mergeinfo NULL if there is none; an empty one counts as one
 * @param exists    whether there is a node at `path`
 * @param adjust    of a parent's value keep what is inheritable and append the
 *                  rest of the path to its sources
 * Errors: FS_ERR_MERGEINFO, the value found does not parse.
 * Cost:   one walk from the root down.
 */
fs_error_t *fs_mergeinfo_tree_find(apr_hash_t **mergeinfo, bool *exists,
                                   fs_root_t *root, const char *path,
                                   fs_inheritance_t inheritance, bool adjust,
                                   apr_pool_t *result,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

#endif
