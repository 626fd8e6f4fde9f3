/* SPDX-License-Identifier: Apache-2.0 */
/* Listings for browsers: directories, and the repositories of a folder. */

#ifndef MOD_REPO_WEB_INDEX_H
#define MOD_REPO_WEB_INDEX_H

#include "libfs/fs_tree.h"
#include "mod_repo/http/output.h"
#include "mod_repo/request/request.h"

/**
 * Write the listing of a directory, as HTML, or as XML where a style sheet is
 * configured. Entries that the user may not read are left out.
 *
 * @param pinned  revision of ?p=, which goes into the links, or FS_INVALID_REV
 */
fs_error_t *repo_index_write(repo_output_t *out, repo_request_t *request,
                             const fs_node_t *directory, fs_rev_t pinned,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/** Write the list of repositories below a parent folder that the user may
 *  read. */
fs_error_t *repo_index_list(repo_output_t *out, repo_request_t *request,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/** Their names (`const char *`), sorted; of those the user may read. */
fs_error_t *repo_index_names(apr_array_header_t **names,
                             repo_request_t *request,
                             apr_pool_t *result) FS_MUST_CHECK;

#endif
