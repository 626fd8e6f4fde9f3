/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of property lists, and what they may contain. */

#ifndef LIBFS_TXN_PROP_EDIT_H
#define LIBFS_TXN_PROP_EDIT_H

#include <apr_hash.h>

#include "libfs/fs_tree.h"

/** May properties have these names and values? `props` as in fs_txn_begin().
 *  Errors as fs_txn_change_props(). */
fs_error_t *fs_prop_edit_check_all(apr_hash_t *props,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

/** May these changes be made? Errors as fs_txn_change_props(). */
fs_error_t *fs_prop_edit_check(const fs_prop_change_t *changes,
                               int count) FS_MUST_CHECK;

/**
 * The same for a node, whose svn:mergeinfo must be understood: it has no NUL
 * byte and parses. The empty value is fine.
 *
 * @param mergeinfo_mod  set: svn:mergeinfo is among the changes
 * @param path           of the node, for messages
 * Errors: as fs_txn_change_props(); FS_ERR_MERGEINFO.
 */
fs_error_t *fs_prop_edit_check_node(bool *mergeinfo_mod,
                                    const fs_prop_change_t *changes, int count,
                                    const char *path,
                                    apr_pool_t *scratch) FS_MUST_CHECK;

/** Make the changes in `props`, which keeps their names and values. */
void fs_prop_edit_apply(apr_hash_t *props, const fs_prop_change_t *changes,
                        int count);

#endif
