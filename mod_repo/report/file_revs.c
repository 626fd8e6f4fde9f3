/* SPDX-License-Identifier: Apache-2.0 */
/* file-revs-report: the texts of a file through its history, for blame. */

#include <string.h>

#include "libfs/fs_history.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

typedef struct file_revs_t {
    repo_fields_t base;
    fs_rev_t start;
    fs_rev_t end;
    bool merged;
    const char *path;

    repo_output_t *out;
    bool began;
    int version;
    int level;
} file_revs_t;

static const repo_field_t fields[] = {
    REPO_FIELD(file_revs_t, "start-revision", REPO_FIELD_REV, start),
    REPO_FIELD(file_revs_t, "end-revision", REPO_FIELD_REV, end),
    REPO_FIELD(file_revs_t, "include-merged-revisions", REPO_FIELD_FLAG,
               merged),
    REPO_FIELD(file_revs_t, "path", REPO_FIELD_TEXT, path),
    REPO_FIELDS_END,
};

static void write_rev_props(repo_output_t *out, apr_hash_t *props,
                            apr_pool_t *scratch)
{
    apr_array_header_t *list = fs_prop_diff(NULL, props, scratch);
    int i;

    for (i = 0; i < list->nelts; i++) {
        const fs_prop_change_t *prop =
            &APR_ARRAY_IDX(list, i, fs_prop_change_t);

        repo_xml_named_value(out, "S:rev-prop", prop->name, prop->value->data,
                             prop->value->len);
    }
}

static void write_prop_changes(repo_output_t *out,
                               const apr_array_header_t *changes)
{
    int i;

    for (i = 0; i < changes->nelts; i++) {
        const fs_prop_change_t *change =
            &APR_ARRAY_IDX(changes, i, fs_prop_change_t);

        if (change->value) {
            repo_xml_named_value(out, "S:set-prop", change->name,
                                 change->value->data, change->value->len);
        } else {
            repo_output_puts(out, "<S:remove-prop");
            repo_xml_attribute(out, "name", change->name);
            repo_output_puts(out, "/>\n");
        }
    }
}

static void write_opening(file_revs_t *revs)
{
    if (!revs->began)
        repo_fields_open(revs->out, "file-revs-report");
    revs->began = true;
}

/* Clients read these parts in just this order. */
static fs_error_t *write_item(void *baton, const fs_file_rev_t *item,
                              apr_pool_t *scratch)
{
    file_revs_t *revs = baton;
    repo_output_t *out = revs->out;
    fs_stream_t *svndiff;

    write_opening(revs);
    repo_output_puts(out, "<S:file-rev");
    repo_xml_attribute(out, "path", item->path);
    repo_output_printf(out, " rev=\"%" FS_REV_FMT "\">\n", item->rev);
    if (item->revprops)
        write_rev_props(out, item->revprops, scratch);
    if (item->prop_changes)
        write_prop_changes(out, item->prop_changes);
    if (item->merged)
        repo_output_puts(out, "<S:merged-revision/>");
    if (item->node) {
        repo_output_puts(out, "<S:txdelta>");
        FS_TRY(fs_node_svndiff(&svndiff, item->base, item->node, revs->version,
                               revs->level, scratch));
        FS_TRY(repo_xml_base64_stream(out, svndiff));
        repo_output_puts(out, "</S:txdelta>");
    }
    repo_output_puts(out, "</S:file-rev>\n");
    return repo_output_check(out);
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    file_revs_t *revs = baton;
    const char *path;
    fs_rev_t youngest;

    FS_TRY(repo_request_youngest(&youngest, request));
    if (!FS_IS_REV(revs->start))
        revs->start = youngest;
    if (!FS_IS_REV(revs->end))
        revs->end = youngest;
    FS_TRY(repo_fields_path(&path, request, "path", revs->path, scratch));
    repo_request_action(request,
                        "get-file-revs %s r%" FS_REV_FMT ":%" FS_REV_FMT "%s",
                        repo_uri_encode(path, scratch), revs->start, revs->end,
                        revs->merged ? " include-merged-revisions" : "");
    revs->out = out;
    revs->version = repo_request_svndiff_version(request);
    revs->level = repo_request_compression(request);
    FS_TRY(fs_file_revs(request->repo, path, revs->start, revs->end,
                        revs->merged, repo_request_reader(request), write_item,
                        revs, scratch));
    write_opening(revs);
    repo_output_puts(out, "</S:file-revs-report>\n");
    return NULL;
}

const repo_report_t repo_report_file_revs = {
    .root = "file-revs-report",
    .size = sizeof(file_revs_t),
    .fields = fields,
    .run = run,
};
