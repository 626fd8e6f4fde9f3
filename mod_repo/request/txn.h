/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions of requests: how they begin, who may go on with them.
 *
 * A transaction is open for a step of work within one call of httpd or mod_dav
 * and closed in it: while it is open all other requests to it wait, and one of
 * them may be the next on the same connection.
 */

#ifndef MOD_REPO_REQUEST_TXN_H
#define MOD_REPO_REQUEST_TXN_H

#include "libfs/fs_hook.h"
#include "mod_repo/request/request.h"

/** How the hooks of the request's location run. */
void repo_txn_hooks(fs_hook_config_t *config, const repo_request_t *request);

/**
 * Begin a transaction on the youngest revision for the user of the request,
 * and run start-commit; it comes open.
 *
 * @param props  its properties, name to `fs_bytes_t *`, or NULL. svn:author is
 *               that of the user whatever they say
 *
 * Errors: those of fs_txn_begin() and fs_hook_start_commit(); nothing is left
 *         of the transaction.
 */
fs_error_t *repo_txn_begin(fs_txn_t **txn, repo_request_t *request,
                           apr_hash_t *props, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Open the transaction `name` for a step of work by the user of the request,
 * with the lock tokens that came with it.
 * Errors: 404 there is none, 409 it is another program's, 503 another request
 *         has it for too long, 400 tokens without a user.
 */
dav_error *repo_txn_open(fs_txn_t **txn, repo_request_t *request,
                         const char *name, apr_pool_t *result);

/**
 * Is it the transaction of the request's user? It becomes his if nobody had
 * it; requests without a user pass.
 * Errors: 501, it is somebody else's.
 */
dav_error *repo_txn_check_author(fs_txn_t *txn, const repo_request_t *request);

/** Close `txn` and remove the transaction; what fails is logged. */
void repo_txn_abort(fs_txn_t *txn, repo_request_t *request,
                    apr_pool_t *scratch);

/**
 * Lock tokens that came with the request, in its If header or the body of a
 * DELETE: token to path, "" where it is not told. Lives in the request.
 * Errors: 400, tokens and no user.
 */
dav_error *repo_txn_tokens(apr_hash_t **tokens, const repo_request_t *request);

/** An error of an edit: 500 where the status of no other kind fits better.
 *  Consumes `err`. */
dav_error *repo_txn_error(const repo_request_t *request,
                          fs_error_t *err) FS_NEVER_NULL;

#endif
