/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when the server starts, before and after it forks. */

#ifndef MOD_REPO_LIFECYCLE_START_H
#define MOD_REPO_LIFECYCLE_START_H

#include <apr_pools.h>

/** Register the hooks post_config and child_init. */
void repo_start_register(apr_pool_t *pconf);

#endif
