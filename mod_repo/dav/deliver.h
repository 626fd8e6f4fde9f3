/* SPDX-License-Identifier: Apache-2.0 */
/* GET and HEAD: headers, texts of files, deltas, ranges, listings. */

#ifndef MOD_REPO_DAV_DELIVER_H
#define MOD_REPO_DAV_DELIVER_H

#include "mod_repo/dav/resource.h"

/** Hook set_headers. */
dav_error *repo_deliver_headers(request_rec *r, const dav_resource *resource);

/** Hook deliver. */
dav_error *repo_deliver(const dav_resource *resource, ap_filter_t *output);

/**
 * Hook getetag: `"CREATED-REV/PATH"`, weak for directories, "" for what is no
 * node of a tree.
 */
const char *repo_deliver_etag(const dav_resource *resource);

/**
 * MIME type of a resource: svn:mime-type where it is a sane type, else for
 * other than Subversion clients what httpd makes of the extension, else
 * text/plain; of directories the type of their listings.
 */
fs_error_t *repo_deliver_type(const char **type, const dav_resource *resource,
                              apr_pool_t *result) FS_MUST_CHECK;

#endif
