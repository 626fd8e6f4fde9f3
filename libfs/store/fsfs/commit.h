/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a transaction the next revision: its tree, list of changes and
 * indexes behind the texts that arrived, then the files in their places, then
 * db/current.
 *
 * Source: docs/format/repository.md; docs/format/durability.md.
 */

#ifndef LIBFS_STORE_FSFS_COMMIT_H
#define LIBFS_STORE_FSFS_COMMIT_H

#include "libfs/store/fsfs/txn_state.h"
#include "libfs/store/store_txn.h"

/** The changes of a transaction, folded: array of fs_txn_change_t, sorted by
 *  the bytes of paths. Errors: FS_ERR_CORRUPT, they contradict each other. */
fs_error_t *fs_commit_fold(apr_array_header_t **changes,
                           const fs_txn_state_t *state,
                           apr_pool_t *result) FS_MUST_CHECK;

/**
 * See commit() of the store. On success the files of the transaction are gone,
 * but not the state; after an error before publication the texts file is as
 * long as before.
 */
fs_error_t *fs_commit_run(fs_rev_t *rev, fs_rev_t *youngest,
                          fs_txn_state_t *state, const fs_store_commit_t *how,
                          apr_pool_t *scratch) FS_MUST_CHECK;

#endif
