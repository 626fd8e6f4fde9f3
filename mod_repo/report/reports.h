/* SPDX-License-Identifier: Apache-2.0 */
/* Every REPORT, for the table. */

#ifndef MOD_REPO_REPORT_REPORTS_H
#define MOD_REPO_REPORT_REPORTS_H

#include "mod_repo/report/report.h"

extern const repo_report_t repo_report_update;
extern const repo_report_t repo_report_log;
extern const repo_report_t repo_report_replay;
extern const repo_report_t repo_report_file_revs;
extern const repo_report_t repo_report_list;
extern const repo_report_t repo_report_locations;
extern const repo_report_t repo_report_segments;
extern const repo_report_t repo_report_deleted_rev;
extern const repo_report_t repo_report_dated_rev;
extern const repo_report_t repo_report_locks;
extern const repo_report_t repo_report_mergeinfo;
extern const repo_report_t repo_report_inherited_props;

#endif
