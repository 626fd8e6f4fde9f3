/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of a request before its handler. */

#ifndef MOD_REPO_REQUEST_HOOKS_H
#define MOD_REPO_REQUEST_HOOKS_H

#include <apr_pools.h>

/** Register them with httpd. */
void repo_hooks_register(apr_pool_t *pconf);

#endif
