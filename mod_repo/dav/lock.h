/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of the repository as mod_dav's locks; reading only. */

#ifndef MOD_REPO_DAV_LOCK_H
#define MOD_REPO_DAV_LOCK_H

#include <mod_dav.h>

extern const dav_hooks_locks repo_lock_hooks;

#endif
