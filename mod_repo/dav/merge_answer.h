/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a MERGE. */

#ifndef MOD_REPO_DAV_MERGE_ANSWER_H
#define MOD_REPO_DAV_MERGE_ANSWER_H

#include "libfs/fs_hook.h"
#include "mod_repo/http/output.h"
#include "mod_repo/request/request.h"

/**
 * Tell that the revision was made.
 *
 * @param full  and each changed node with its new version URL, for clients of
 *              the first version of the protocol
 *
 * Memory of a full answer: the directories in which something came or went.
 */
fs_error_t *repo_merge_answer(repo_output_t *out, repo_request_t *request,
                              const fs_hook_commit_t *done, bool full,
                              apr_pool_t *scratch) FS_MUST_CHECK;

#endif
