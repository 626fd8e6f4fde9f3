/* SPDX-License-Identifier: Apache-2.0 */
/* Walking resources: for PROPFIND, and for locks before a write. */

#ifndef MOD_REPO_DAV_WALK_H
#define MOD_REPO_DAV_WALK_H

#include "mod_repo/dav/resource.h"

/**
 * Hook walk: the resource and, to `depth`, its members that the user may read,
 * parents first. For methods other than PROPFIND its members that are locked,
 * at any depth; of a transaction none.
 * Memory: a page of entries for each open directory; a path a lock.
 */
dav_error *repo_walk(const dav_walk_params *params, int depth,
                     dav_response **response);

#endif
