/* SPDX-License-Identifier: Apache-2.0 */
/* mergeinfo-report and inherited-props-report: what paths carry, and what
 * they have from their parents. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

/* ---- mergeinfo-report ---- */

typedef struct mergeinfo_t {
    repo_fields_t base;
    fs_rev_t rev;
    const char *inherit;
    const char *descendants;
    apr_array_header_t *paths;
    repo_output_t *out;
} mergeinfo_t;

static const repo_field_t mergeinfo_fields[] = {
    REPO_FIELD(mergeinfo_t, "revision", REPO_FIELD_REV, rev),
    REPO_FIELD(mergeinfo_t, "inherit", REPO_FIELD_TEXT, inherit),
    REPO_FIELD(mergeinfo_t, "include-descendants", REPO_FIELD_TEXT,
               descendants),
    REPO_FIELD(mergeinfo_t, "path", REPO_FIELD_LIST, paths),
    REPO_FIELDS_END,
};

static const struct {
    const char *word;
    fs_inheritance_t inheritance;
} inheritances[] = {
    { "explicit", FS_MERGEINFO_EXPLICIT },
    { "inherited", FS_MERGEINFO_INHERITED },
    { "nearest-ancestor", FS_MERGEINFO_NEAREST_ANCESTOR },
};

/* Absent or unknown: explicit. Returns the row. */
static size_t find_inheritance(const char *word)
{
    size_t i;

    for (i = 0; word && i < sizeof(inheritances) / sizeof(inheritances[0]); i++)
        if (strcmp(inheritances[i].word, word) == 0)
            return i;
    return 0;
}

static fs_error_t *write_mergeinfo(void *baton, const char *path,
                                   apr_hash_t *mergeinfo, apr_pool_t *scratch)
{
    mergeinfo_t *report = baton;
    repo_output_t *out = report->out;
    const char *below = fs_path_below(report->base.request->uri.path, path);

    repo_output_puts(out, "<S:mergeinfo-item>\n<S:mergeinfo-path>");
    repo_xml_text_of(out, below ? below : path + 1);
    repo_output_puts(out, "</S:mergeinfo-path>\n<S:mergeinfo-info>");
    repo_xml_text_of(out, fs_mergeinfo_format(mergeinfo, scratch));
    repo_output_puts(out, "</S:mergeinfo-info>\n</S:mergeinfo-item>\n");
    return repo_output_check(out);
}

static fs_error_t *run_mergeinfo(void *baton, repo_request_t *request,
                                 repo_output_t *out, apr_pool_t *scratch)
{
    mergeinfo_t *report = baton;
    size_t row = find_inheritance(report->inherit);
    bool descendants =
        report->descendants && strcmp(report->descendants, "yes") == 0;
    apr_array_header_t *paths;

    if (!FS_IS_REV(report->rev))
        FS_TRY(repo_request_youngest(&report->rev, request));
    FS_TRY(repo_fields_need_rev(request, "revision", report->rev));
    FS_TRY(repo_fields_paths(&paths, request, "path", report->paths, scratch));
    repo_request_action(
        request, "get-mergeinfo %s %s%s", repo_fields_log_paths(paths, scratch),
        inheritances[row].word, descendants ? " include-descendants" : "");
    report->out = out;
    repo_fields_open(out, "mergeinfo-report");
    FS_TRY(fs_mergeinfo_get(request->repo, report->rev, paths,
                            inheritances[row].inheritance, descendants,
                            repo_request_reader(request), write_mergeinfo,
                            report, scratch));
    repo_output_puts(out, "</S:mergeinfo-report>\n");
    return NULL;
}

const repo_report_t repo_report_mergeinfo = {
    .root = "mergeinfo-report",
    .size = sizeof(mergeinfo_t),
    .fields = mergeinfo_fields,
    .run = run_mergeinfo,
};

/* ---- inherited-props-report ---- */

typedef struct inherited_t {
    repo_fields_t base;
    fs_rev_t rev;
    const char *path;
} inherited_t;

static const repo_field_t inherited_fields[] = {
    REPO_FIELD(inherited_t, "revision", REPO_FIELD_REV, rev),
    REPO_FIELD(inherited_t, "path", REPO_FIELD_TEXT, path),
    REPO_FIELDS_END,
};

static void write_parent(repo_output_t *out, const fs_inherited_t *parent,
                         apr_pool_t *scratch)
{
    apr_array_header_t *props = fs_prop_diff(NULL, parent->props, scratch);
    int i;

    repo_output_puts(out, "<S:iprop-item>\n<S:iprop-path>");
    repo_xml_text_of(out, parent->path);
    repo_output_puts(out, "</S:iprop-path>\n");
    for (i = 0; i < props->nelts; i++) {
        const fs_prop_change_t *prop =
            &APR_ARRAY_IDX(props, i, fs_prop_change_t);

        repo_output_puts(out, "<S:iprop-propname>");
        repo_xml_text_of(out, prop->name);
        repo_output_puts(out, "</S:iprop-propname>\n");
        repo_xml_value(out, "S:iprop-propval", "", prop->value->data,
                       prop->value->len);
    }
    repo_output_puts(out, "</S:iprop-item>\n");
}

static fs_error_t *run_inherited(void *baton, repo_request_t *request,
                                 repo_output_t *out, apr_pool_t *scratch)
{
    inherited_t *report = baton;
    apr_array_header_t *parents;
    const fs_node_t *node;
    const char *path;
    fs_root_t *root;
    int i;

    FS_TRY(repo_fields_path(&path, request, "path",
                            report->path ? report->path : "", scratch));
    FS_TRY(repo_fields_root(&root, request, "revision", report->rev, scratch));
    FS_TRY(fs_inherited_props(&parents, root, path, NULL,
                              repo_request_reader(request), scratch));
    FS_TRY(fs_node_need(&node, root, path, scratch));
    repo_request_action(request, "get-inherited-props %s r%" FS_REV_FMT,
                        repo_uri_encode(path, scratch), report->rev);
    repo_fields_open(out, "inherited-props-report");
    for (i = 0; i < parents->nelts; i++)
        write_parent(out, &APR_ARRAY_IDX(parents, i, fs_inherited_t), scratch);
    repo_output_puts(out, "</S:inherited-props-report>\n");
    return NULL;
}

const repo_report_t repo_report_inherited_props = {
    .root = "inherited-props-report",
    .size = sizeof(inherited_t),
    .fields = inherited_fields,
    .run = run_inherited,
};
