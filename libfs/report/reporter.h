/* SPDX-License-Identifier: Apache-2.0 */
/* An update report between its collection and its comparison. */

#ifndef LIBFS_REPORT_REPORTER_H
#define LIBFS_REPORT_REPORTER_H

#include "libfs/fs_report.h"
#include "libfs/report/spool.h"

struct fs_report_t {
    fs_repo_t *repo;
    fs_report_options_t options; /* from fs_report_finish() on, canonical */
    fs_spool_t *spool;
    apr_pool_t *pool;
};

/** Compare as collected; `spool` stands at its first entry. */
fs_error_t *fs_drive(fs_report_t *report, const fs_reader_t *reader,
                     const fs_editor_t *editor, void *edit,
                     apr_pool_t *scratch) FS_MUST_CHECK;

#endif
