/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a PROPPATCH: which properties shall become what. */

#ifndef MOD_REPO_DAV_PATCH_BODY_H
#define MOD_REPO_DAV_PATCH_BODY_H

#include "libfs/fs_tree.h"
#include "mod_repo/request/request.h"

/** One property of a PROPPATCH. */
typedef struct repo_patch_t {
    const char *ns; /* as in the body */
    const char *name;
    const char *own;         /* name in the repository; NULL: it has none */
    const fs_bytes_t *value; /* NULL: it shall go */
    bool has_old;            /* the client says what it is now: */
    const fs_bytes_t *old;   /* NULL: not there */
    int status;              /* in the answer; 0: not decided yet */
    const char *reason;      /* of a status that is no success, or NULL */
} repo_patch_t;

/**
 * Read the body of the request: array of repo_patch_t *, in its order. One
 * that cannot be is decided already: 409, it is live; 500, its namespace is
 * none of ours, or its value cannot be read.
 * Errors: those of repo_body_read(); FS_ERR_DAV_REQUEST, another root element.
 */
fs_error_t *repo_patch_body_read(apr_array_header_t **patches,
                                 repo_request_t *request) FS_MUST_CHECK;

#endif
