/* SPDX-License-Identifier: Apache-2.0 */
/* The editor that writes the answer to an update-report. */

#ifndef MOD_REPO_REPORT_UPDATE_EDITOR_H
#define MOD_REPO_REPORT_UPDATE_EDITOR_H

#include "libfs/fs_report.h"
#include "mod_repo/http/output.h"
#include "mod_repo/request/request.h"

/** The edit baton. */
typedef struct repo_update_answer_t {
    repo_request_t *request;
    repo_output_t *out;
    bool send_all;     /* bulk mode: texts are in the answer */
    bool inline_props; /* added nodes carry their properties */
    bool has_target;   /* the root is only opened on the way to the target */
    repo_uri_kind_t checked_in; /* form of the URLs: rvr, or ver */
    int version;                /* of svndiff */
    int level;                  /* zlib's */
    const char *walk_path; /* resource-walk of this tree at the end, or NULL */
    fs_rev_t walk_rev;
    fs_depth_t walk_depth;
} repo_update_answer_t;

extern const fs_editor_t repo_update_editor;

#endif
