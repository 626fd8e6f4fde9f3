/* SPDX-License-Identifier: Apache-2.0 */
/* The status page: `SetHandler repo-status`. */

#ifndef MOD_REPO_LIFECYCLE_STATUS_H
#define MOD_REPO_LIFECYCLE_STATUS_H

#include <httpd.h>

/**
 * Handler of "repo-status" and "svn-status": counters of this process and its
 * cache, as HTML, or as JSON with the query "json".
 */
int repo_status_handler(request_rec *r);

#endif
