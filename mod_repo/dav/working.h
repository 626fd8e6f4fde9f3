/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that lie in a transaction: txn, txr, vtxn, vtxr, act, wrk, wbl.
 *
 * What is known of one after repo_working_get() are facts; the transaction is
 * closed then. Whoever needs its tree opens it again for the time of a call.
 */

#ifndef MOD_REPO_DAV_WORKING_H
#define MOD_REPO_DAV_WORKING_H

#include "libfs/fs_txn.h"
#include "mod_repo/dav/resource.h"

/** Does a URL of this kind lie in a transaction? */
bool repo_working_is_kind(repo_uri_kind_t kind);

/** Is it a node of a transaction's tree (txr, vtxr, wrk)? */
bool repo_working_has_tree(const dav_resource *resource);

/**
 * Fill in such a resource.
 * Errors: 404, there is no such transaction; 501, it is another user's;
 *         405, MKCOL of what exists; those of X-SVN-Version-Name for PUT and
 *         PROPPATCH: 409 and 170004, 404 and 160006 or 160013.
 * Source: docs/protocol/http-write.md, "Out of date".
 */
dav_error *repo_working_get(dav_resource *resource);

/** Open the transaction of `resource` for a step of work; fs_txn_close(). */
dav_error *repo_working_open(fs_txn_t **txn, const dav_resource *resource,
                             apr_pool_t *result);

/** Check X-SVN-Version-Name of a DELETE, with `txn` open. */
dav_error *repo_working_check_delete(fs_txn_t *txn,
                                     const dav_resource *resource);

/**
 * Show the node, if the resource has one, in `info->node` and `info->root`
 * until repo_working_hide(): the transaction stays open meanwhile. Neither
 * does anything with resources that lie in no transaction.
 */
dav_error *repo_working_show(const dav_resource *resource);
void repo_working_hide(const dav_resource *resource);

#endif
