/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging a transaction with revisions that were committed since its base.
 *
 * Three trees are compared by the identities of their nodes: the base, the
 * youngest revision, the transaction. What the youngest revision changed and
 * the transaction did not is taken over; both may have changed the same
 * directory if they changed different entries. All else is a conflict:
 *
 *     a file changed on both sides, in whichever way
 *     an entry changed on one side and gone on the other, or gone on both
 *     an entry that both added, even if they are equal
 *     a directory replaced on one side and changed on the other
 *     a directory with changes inside on both sides, if its properties were
 *         changed in the youngest revision; or in the transaction, when the
 *         youngest revision added, deleted or replaced entries of it
 *
 * Observed behaviour of the stock tools.
 */

#ifndef LIBFS_TXN_MERGE_H
#define LIBFS_TXN_MERGE_H

#include "libfs/fs_txn.h"

/**
 * Merge all up to revision `youngest`, which is above the base of `txn`, and
 * make it the new base.
 *
 * @param conflict  set with FS_ERR_CONFLICT: the path; in `result`
 * Errors: FS_ERR_CONFLICT, nothing was changed.
 * Cost:   each directory that both sides changed is read in the base and in
 *         the youngest revision, with a look-up in the transaction for each
 *         entry that differs.
 * Memory: what is taken over, some 100 bytes an entry.
 */
fs_error_t *fs_merge_up_to(const char **conflict, fs_txn_t *txn,
                           fs_rev_t youngest, apr_pool_t *result) FS_MUST_CHECK;

#endif
