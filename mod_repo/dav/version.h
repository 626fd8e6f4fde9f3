/* SPDX-License-Identifier: Apache-2.0 */
/* Versioning as mod_dav sees it: capabilities, OPTIONS, checking out. */

#ifndef MOD_REPO_DAV_VERSION_H
#define MOD_REPO_DAV_VERSION_H

#include <mod_dav.h>

extern const dav_hooks_vsn repo_version_hooks;

/**
 * The reports that are offered; ends with a NULL namespace. Set before the
 * first request by whoever knows them.
 */
void repo_version_set_reports(const dav_report_elem *reports);

#endif
