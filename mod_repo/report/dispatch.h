/* SPDX-License-Identifier: Apache-2.0 */
/* Which report a body is for; feeding it. */

#ifndef MOD_REPO_REPORT_DISPATCH_H
#define MOD_REPO_REPORT_DISPATCH_H

#include "mod_repo/report/report.h"

/** A body on its way to its report. */
typedef struct repo_dispatch_t {
    repo_request_t *request;     /* set by the caller */
    repo_limits_t limits;        /* set by the caller */
    const repo_report_t *report; /* NULL until the root element was seen */
    void *baton;                 /* of the report */
} repo_dispatch_t;

/**
 * Read the body of the request into its report, which is ready to run then.
 * Errors: as repo_body_read(); FS_ERR_UNSUPPORTED, no such report; what the
 *         report says of its elements. `report` may be set even so.
 */
fs_error_t *repo_dispatch_read(repo_dispatch_t *dispatch,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Is there what the URL names? A report on what is not is answered as any
 * request on it.
 * Errors: FS_ERR_NO_SUCH_REV.
 */
fs_error_t *repo_dispatch_find_target(bool *exists, repo_request_t *request,
                                      apr_pool_t *scratch) FS_MUST_CHECK;

#endif
