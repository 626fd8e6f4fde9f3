/* SPDX-License-Identifier: Apache-2.0 */
/* PUT into a transaction: a text on its way into a file. */

#ifndef MOD_REPO_DAV_STREAM_H
#define MOD_REPO_DAV_STREAM_H

#include "mod_repo/dav/resource.h"

typedef struct repo_stream_t repo_stream_t;

/**
 * Begin to put the body of the request into a working resource, which is made
 * if it is not there. The transaction is open until repo_stream_close(), which
 * mod_dav calls whatever happens.
 */
dav_error *repo_stream_open(repo_stream_t **out, const dav_resource *resource);

dav_error *repo_stream_write(repo_stream_t *stream, const char *data,
                             apr_size_t len);

/**
 * The end: the file has its text, and the answer X-SVN-Result-Fulltext-MD5; or
 * (`commit` false) the file is as it was, absent if it was made for this.
 */
dav_error *repo_stream_close(repo_stream_t *stream, bool commit);

#endif
