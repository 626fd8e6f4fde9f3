/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of a new revision behind the texts that arrived: directories,
 * property lists, node records, changed paths; then what leads to them.
 *
 * Source: docs/format/revision-file.md, docs/format/index.md.
 */

#ifndef LIBFS_STORE_FSFS_COMMIT_TREE_H
#define LIBFS_STORE_FSFS_COMMIT_TREE_H

#include "libfs/format/format_file.h"
#include "libfs/store/fsfs/txn_state.h"

/** What becomes of a transaction. */
typedef struct fs_commit_tree_t {
    fs_rev_t rev;                /* the new revision */
    fs_format_current_t current; /* before; then as it is with the revision */
    apr_array_header_t *reps;    /* fs_rep_t that others may share */
} fs_commit_tree_t;

/**
 * Write the rest of the revision file behind `state->texts_len` bytes of
 * `state->texts`, and fill in `tree`, of which `rev` and `current` are given.
 * `state` is not changed.
 *
 * @param changes  the folded changes, see fs_commit_fold()
 *
 * Errors: FS_ERR_CORRUPT, the transaction does not follow its base; FS_ERR_IO.
 * Memory: the largest directory, its text and its entries; some 100 bytes for
 *         each node. The stack does not grow with the depth of the tree.
 */
fs_error_t *fs_commit_tree_write(fs_commit_tree_t *tree,
                                 const fs_txn_state_t *state,
                                 const apr_array_header_t *changes,
                                 apr_pool_t *result) FS_MUST_CHECK;

/** Append a changed path as `format` (1 to 8) has it. */
void fs_commit_tree_format_change(fs_buffer_t *out,
                                  const fs_txn_change_t *change, int format);

#endif
