/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions for tests, edited as short texts say. */

#ifndef TESTS_SUPPORT_TXNS_H
#define TESTS_SUPPORT_TXNS_H

#include "libfs/fs_txn.h"

/**
 * Group set-up and tear-down that make a repository with one revision: the
 * files /d/f, /d/g, /d/sub/h and /e/x, all with the text "base".
 */
int fs_test_txns_setup(void **state);
int fs_test_txns_teardown(void **state);

/** A copy of the group's repository, opened; removed when `pool` is cleared.
 *  Nothing is synced in it. */
fs_repo_t *fs_test_txns_copy(apr_pool_t *pool);

/** Fail unless the stock tools find nothing wrong with it. */
void fs_test_txns_verify(fs_repo_t *repo, apr_pool_t *pool);

/**
 * Edit a transaction. `edits` are separated by ';': "none", "mkdir PATH",
 * "mkfile PATH TEXT", "edit PATH TEXT", "prop PATH NAME VALUE" (no value:
 * delete it), "del PATH", "cp REV PATH PATH". Paths may lack their first '/'.
 */
fs_error_t *fs_test_txns_edit(fs_txn_t *txn, const char *edits,
                              apr_pool_t *scratch);

/** Begin on `base`, edit, close; the name. Ends the test after an error. */
const char *fs_test_txns_begin(fs_repo_t *repo, fs_rev_t base,
                               const char *edits, apr_pool_t *pool);

/** Commit the open transaction or the one that is called `name`; its revision.
 *  The test ends after an error. */
fs_rev_t fs_test_txns_commit(fs_repo_t *repo, const char *name,
                             apr_pool_t *pool);

/** Begin on the youngest revision, edit and commit; the revision. */
fs_rev_t fs_test_txns_make(fs_repo_t *repo, const char *edits,
                           apr_pool_t *pool);

/** Changed paths as "Mt /d/f A /d/n": action, 't' for a text, 'p' for
 *  properties, and the path; in the order in which they are told. */
const char *fs_test_txns_changes(fs_root_t *root, apr_pool_t *pool);

/** The text of a file. */
const char *fs_test_txns_text(fs_root_t *root, const char *path,
                              apr_pool_t *pool);

#endif
