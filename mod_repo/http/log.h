/* SPDX-License-Identifier: Apache-2.0 */
/* Under which module's name and LogLevel our log lines go. */

#ifndef MOD_REPO_HTTP_LOG_H
#define MOD_REPO_HTTP_LOG_H

/* before http_log.h, which needs it */
#include <httpd.h>

#include <http_log.h>

/**
 * Index of the module record that was loaded. APLOG_USE_MODULE would make
 * every file refer to an exported record, and so hide it.
 */
extern int repo_log_index;

/** Once a source file that logs. */
#define REPO_USE_LOG static int *const aplog_module_index = &repo_log_index

#endif
