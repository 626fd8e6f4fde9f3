/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of nodes and revisions as mod_dav's dead properties. */

#ifndef MOD_REPO_DAV_DEADPROP_H
#define MOD_REPO_DAV_DEADPROP_H

#include <mod_dav.h>

/** The hooks; reading only. */
extern const dav_hooks_propdb repo_deadprop_hooks;

#endif
