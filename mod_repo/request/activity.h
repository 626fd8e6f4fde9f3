/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that clients give to transactions: ids of activities, and names of
 * their own. They are kept in the repository, so that each process knows them,
 * and a server that was restarted.
 *
 * Folder `dav/activities.d` of the repository, or the one that RepoActivitiesDB
 * names; a file each, whose name is the MD5 of the id in hexadecimal:
 *
 *     TXN LF ID LF
 *
 * TXN is empty once the transaction was committed or aborted. mod_dav_svn
 * keeps the same files.
 * Source: docs/protocol/http-write.md, "Activities".
 */

#ifndef MOD_REPO_REQUEST_ACTIVITY_H
#define MOD_REPO_REQUEST_ACTIVITY_H

#include "mod_repo/request/request.h"

/**
 * The transaction that `id` names: NULL if there is no such id, "" if its
 * transaction is done.
 * Errors: FS_ERR_IO; FS_ERR_CORRUPT, the file is not what is said above.
 */
fs_error_t *repo_activity_get(const char **txn, const repo_request_t *request,
                              const char *id, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Let `id` name the transaction `txn`, "" for one that is done; whole or not
 * at all. Errors: FS_ERR_IO.
 */
fs_error_t *repo_activity_put(const repo_request_t *request, const char *id,
                              const char *txn,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Forget `id`; one that is unknown is no error. Errors: FS_ERR_IO. */
fs_error_t *repo_activity_drop(const repo_request_t *request, const char *id,
                               apr_pool_t *scratch) FS_MUST_CHECK;

#endif
