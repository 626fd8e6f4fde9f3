/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords in the text of a file ("$Rev$"), expanded on request (?kw=1). */

#ifndef MOD_REPO_WEB_KEYWORDS_H
#define MOD_REPO_WEB_KEYWORDS_H

#include "libfs/fs_tree.h"
#include "mod_repo/request/request.h"

/**
 * A stream of `text` with keywords expanded; takes `text` over.
 *
 * @param names  value of svn:keywords
 * Memory: bounded.
 */
fs_error_t *repo_keywords_expand(fs_stream_t **expanded, fs_stream_t *text,
                                 const char *names, const fs_node_t *node,
                                 repo_request_t *request,
                                 apr_pool_t *result) FS_MUST_CHECK;

#endif
