/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of the repository as mod_dav's locks. */

#ifndef MOD_REPO_DAV_LOCK_H
#define MOD_REPO_DAV_LOCK_H

#include <mod_dav.h>

#include "mod_repo/request/request.h"

extern const dav_hooks_locks repo_lock_hooks;

/**
 * Release the locks of the request's user at and below `path`, which was
 * deleted or moved. What fails is logged: the commit stands.
 */
void repo_lock_release_all(repo_request_t *request, const char *path);

#endif
