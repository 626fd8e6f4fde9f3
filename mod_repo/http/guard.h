/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between a client's XML body and mod_dav, which would read it
 * into memory as a tree: limits, and no document type.
 */

#ifndef MOD_REPO_HTTP_GUARD_H
#define MOD_REPO_HTTP_GUARD_H

#include <apr_hash.h>

#include <httpd.h>
#include <util_filter.h>

#include "mod_repo/http/body.h"

/** Register the filter with httpd. */
void repo_guard_register(void);

/**
 * Put the filter before the body of `r`.
 * @param prop_names  most properties that a PROPFIND may name
 * A body that breaks a limit is answered with 400 or 413 and the reason.
 */
void repo_guard_insert(request_rec *r, const repo_body_limits_t *limits,
                       apr_int64_t prop_names);

/** Did the PROPFIND of `r` ask for names only? */
bool repo_guard_wants_names(request_rec *r);

/** Lock tokens in the body of the DELETE `r`, as keys; NULL if there is none.
 *  Known once the body was read. */
apr_hash_t *repo_guard_tokens(request_rec *r);

/**
 * The body of `r` is not wanted. httpd reads what is left of one before it
 * sends an error, unless the connection ends: let it end if that may take long,
 * or never come.
 */
void repo_guard_leave_body(request_rec *r);

/**
 * Raise httpd's limits on bodies for `r` where the administrator left them
 * unset: ours hold instead.
 */
void repo_guard_raise_limits(request_rec *r);

/**
 * The limit on the body of `r` that the administrator set by LimitRequestBody,
 * 0 if there is none. httpd does not check it any more: whoever reads the body
 * does, and can say which limit it was.
 */
apr_int64_t repo_guard_own_limit(request_rec *r);

/** What is left of the body of `r` is never read: it seems to end here, and the
 *  connection does after the answer. */
void repo_guard_end_body(request_rec *r);

/**
 * Drop httpd's limits on the body of `r`, also those that were set: for a body
 * that is read within limits of ours, which take those in. Ours answer with
 * the name of the directive.
 */
void repo_guard_take_over(request_rec *r);

#endif
