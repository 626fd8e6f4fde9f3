/* SPDX-License-Identifier: Apache-2.0 */
/* Request headers that steer an answer, response headers that go with it. */

#ifndef MOD_REPO_HTTP_HEADERS_H
#define MOD_REPO_HTTP_HEADERS_H

#include <httpd.h>

#include "libfs/fs_types.h"

/** Is it a Subversion client (User-Agent begins with "SVN/")? */
bool repo_headers_is_svn(const request_rec *r);

/**
 * The svndiff version to answer with.
 *
 * @param accept  value of Accept-Encoding or NULL
 * @param level   configured compression level, 0 to 9
 *
 * Level 0: version 0. Level 1 and version 2 accepted: 2. Else the numbered
 * version with the highest q, the first of equals; else 0.
 */
int repo_headers_svndiff_version(const char *accept, int level);

/** Does the client of `r` say it has the capability (last segment of a DAV:
 *  token: "mergeinfo")? */
bool repo_headers_has_capability(const request_rec *r, const char *word);

/** Is `word` among the X-SVN-Options of `r` ("lock-steal", "keep-locks")? */
bool repo_headers_has_option(const request_rec *r, const char *word);

/** Value of a query argument ("p" of "?p=3&r=2"), decoded, or NULL. Its name
 *  is compared without case; of several the last counts. */
const char *repo_headers_query(const request_rec *r, const char *name,
                               apr_pool_t *result);

/**
 * The type that httpd maps the extension of a path to (AddType, ForceType,
 * the file of types), or NULL. No subrequest.
 */
const char *repo_headers_guess_type(request_rec *r, const char *path,
                                    apr_pool_t *result);

#endif
