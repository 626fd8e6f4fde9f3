/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Autoversioning: each write of a plain WebDAV client to a public URL is a
 * commit of its own.
 *
 * The commit is made inside the hook whose error mod_dav returns. mod_dav's
 * own way, a check-out before and a check-in after the work, loses the error of
 * a check-in. So it is told that the resources it writes to are not versioned,
 * and none is checked out.
 * Source: docs/protocol/autoversioning.md.
 */

#ifndef MOD_REPO_DAV_AUTOVERSION_H
#define MOD_REPO_DAV_AUTOVERSION_H

#include "libfs/fs_txn.h"
#include "mod_repo/dav/resource.h"

/** Register the filter that it needs with httpd. */
void repo_autoversion_register(void);

/** Is what `uri` names written to by commits of the request's own? */
bool repo_autoversion_covers(const repo_request_t *request,
                             const repo_uri_t *uri);

/** The same of a resource; one that shows an old revision is not. */
bool repo_autoversion_applies(const dav_resource *resource);

/**
 * Begin the commit that changes `resource`; the transaction comes open, lives
 * in the request and ends by one of the two below.
 * Errors: 400 no name for a node; 403 start-commit refuses; 409 what the
 *         request is conditional on was just changed; 507 no room.
 */
dav_error *repo_autoversion_begin(fs_txn_t **txn, const dav_resource *resource);

/**
 * Commit, with hooks; a failing post-commit is only logged.
 * Errors: 403 pre-commit refuses; 409 conflict; 423 a lock; 507 no room.
 *         Nothing is left of the transaction.
 */
dav_error *repo_autoversion_commit(fs_txn_t *txn, const dav_resource *resource);

/** Give up because of `err`, which is consumed: its answer. */
dav_error *repo_autoversion_fail(fs_txn_t *txn, const dav_resource *resource,
                                 fs_error_t *err);

/* ---- whole commits ---- */

/** An empty file, for a LOCK of a path without one. The answer becomes 201. */
dav_error *repo_autoversion_make_file(const dav_resource *resource);

dav_error *repo_autoversion_make_dir(const dav_resource *resource);

/** Delete `resource` with all below it; its locks are released. */
dav_error *repo_autoversion_delete(const dav_resource *resource);

/**
 * Copy `source` to `target`, with history, in place of what is there.
 *
 * @param shallow  of a directory: without what is in it
 * @param move     delete the source too, and release its locks
 */
dav_error *repo_autoversion_copy(const dav_resource *source,
                                 const dav_resource *target, bool shallow,
                                 bool move);

/* ---- PUT ---- */

/** A text on its way into a file. */
typedef struct repo_autoversion_put_t repo_autoversion_put_t;

dav_error *repo_autoversion_open(repo_autoversion_put_t **out,
                                 const dav_resource *resource);

dav_error *repo_autoversion_write(repo_autoversion_put_t *put, const char *data,
                                  apr_size_t len);

/**
 * The end of the text: commit it, or (`commit` false) drop it and the
 * transaction. A file that has no svn:mime-type gets the type which httpd
 * gives to its extension, if there is one.
 */
dav_error *repo_autoversion_close(repo_autoversion_put_t *put, bool commit);

#endif
