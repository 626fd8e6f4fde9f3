/* SPDX-License-Identifier: Apache-2.0 */
/* dated-rev-report: the youngest revision that is not later than a time. */

#include <string.h>

#include "libfs/fs_history.h"
#include "libfs/fs_time.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

typedef struct dated_rev_t {
    repo_fields_t base;
    const char *date;
} dated_rev_t;

static const repo_field_t fields[] = {
    { "creationdate", REPO_FIELD_TEXT, offsetof(dated_rev_t, date), true },
    REPO_FIELDS_END,
};

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    dated_rev_t *dated = baton;
    apr_time_t when;
    fs_rev_t rev;

    if (!dated->date)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "the element 'creationdate' is missing");
    FS_TRY(fs_time_parse(&when, dated->date, strlen(dated->date)));
    FS_TRY(fs_dated_rev(&rev, request->repo, when, scratch));
    repo_fields_open(out, "dated-rev-report");
    repo_output_printf(out,
                       "<D:version-name>%" FS_REV_FMT
                       "</D:version-name></S:dated-rev-report>",
                       rev);
    return NULL;
}

const repo_report_t repo_report_dated_rev = {
    .root = "dated-rev-report",
    .size = sizeof(dated_rev_t),
    .fields = fields,
    .run = run,
};
