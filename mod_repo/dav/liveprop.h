/* SPDX-License-Identifier: Apache-2.0 */
/* Live properties: what the server computes about a resource. */

#ifndef MOD_REPO_DAV_LIVEPROP_H
#define MOD_REPO_DAV_LIVEPROP_H

#include <apr_pools.h>

/** Register the properties and their hooks with mod_dav. */
void repo_liveprop_register(apr_pool_t *pconf);

#endif
