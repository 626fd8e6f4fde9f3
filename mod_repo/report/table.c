/* SPDX-License-Identifier: Apache-2.0 */
/* The list of reports: dispatch and what is advertised read it. */

#include "mod_repo/report/reports.h"

const repo_report_t *const repo_reports[] = {
    &repo_report_update,
    &repo_report_log,
    &repo_report_replay,
    &repo_report_file_revs,
    &repo_report_list,
    &repo_report_locations,
    &repo_report_segments,
    &repo_report_deleted_rev,
    &repo_report_dated_rev,
    &repo_report_locks,
    &repo_report_mergeinfo,
    &repo_report_inherited_props,
    NULL,
};
