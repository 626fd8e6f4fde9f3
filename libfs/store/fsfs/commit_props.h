/* SPDX-License-Identifier: Apache-2.0 */
/* Property lists of a new revision, each of which is stored once. */

#ifndef LIBFS_STORE_FSFS_COMMIT_PROPS_H
#define LIBFS_STORE_FSFS_COMMIT_PROPS_H

#include "libfs/store/fsfs/commit_items.h"

typedef struct fs_commit_props_t fs_commit_props_t;

/** `reps` gets those that are new in the revision (fs_rep_t). */
fs_commit_props_t *fs_commit_props_create(fs_commit_items_t *items,
                                          const fs_txn_state_t *state,
                                          apr_array_header_t *reps,
                                          apr_pool_t *result);

/**
 * Store the list that `node` was given, unless the same is stored already.
 * Errors: FS_ERR_CORRUPT, unequal lists have the same SHA-1; FS_ERR_IO.
 */
fs_error_t *fs_commit_props_write(fs_rep_t *rep, fs_commit_props_t *props,
                                  const fs_txn_node_t *node,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

#endif
