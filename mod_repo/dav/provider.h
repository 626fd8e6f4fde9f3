/* SPDX-License-Identifier: Apache-2.0 */
/* What mod_dav knows us by. */

#ifndef MOD_REPO_DAV_PROVIDER_H
#define MOD_REPO_DAV_PROVIDER_H

#include <httpd.h>

/**
 * Register the provider as "repo", and as "svn" unless somebody holds that
 * name, with its live properties.
 */
void repo_provider_register(apr_pool_t *pconf);

/**
 * Handler of the methods that mod_dav must not have: PROPPATCH, whose errors
 * it swallows, and MERGE, whose lock tokens it does not pass on.
 */
int repo_provider_handler(request_rec *r);

#endif
