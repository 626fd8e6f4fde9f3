/* SPDX-License-Identifier: Apache-2.0 */
/* update-report: what a working copy lacks. Its request; the answer is
 * written by update_editor.c. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/fs_report.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"
#include "mod_repo/report/update_editor.h"

/* The entry whose start tag was seen and whose text is still to come. */
typedef struct entry_t {
    fs_rev_t rev;
    fs_depth_t depth;
    bool start_empty;
    const char *link_path;  /* in `pool` */
    const char *lock_token; /* in `pool` */
    apr_pool_t *pool;       /* cleared at each entry */
} entry_t;

typedef struct update_t {
    repo_fields_t base;
    const char *src_path;
    const char *dst_path;
    const char *target;
    const char *depth_word;
    const char *recursive;
    const char *text_deltas;
    fs_rev_t target_rev;
    bool ignore_ancestry;
    bool send_copyfrom;
    bool include_props;
    bool resource_walk;

    bool send_all;
    fs_report_t *report;
    apr_int64_t entries;
    bool only_start_empty; /* one entry, and it is start-empty */
    fs_rev_t first_rev;
    entry_t entry;
} update_t;

static const repo_field_t fields[] = {
    REPO_FIELD(update_t, "src-path", REPO_FIELD_TEXT, src_path),
    REPO_FIELD(update_t, "dst-path", REPO_FIELD_TEXT, dst_path),
    REPO_FIELD(update_t, "update-target", REPO_FIELD_TEXT, target),
    REPO_FIELD(update_t, "depth", REPO_FIELD_TEXT, depth_word),
    REPO_FIELD(update_t, "recursive", REPO_FIELD_TEXT, recursive),
    REPO_FIELD(update_t, "text-deltas", REPO_FIELD_TEXT, text_deltas),
    REPO_FIELD(update_t, "target-revision", REPO_FIELD_REV, target_rev),
    REPO_FIELD(update_t, "ignore-ancestry", REPO_FIELD_YES, ignore_ancestry),
    REPO_FIELD(update_t, "send-copyfrom-args", REPO_FIELD_YES, send_copyfrom),
    REPO_FIELD(update_t, "include-props", REPO_FIELD_YES, include_props),
    REPO_FIELD(update_t, "resource-walk", REPO_FIELD_YES, resource_walk),
    REPO_FIELDS_END,
};

static fs_error_t *begin(void **baton, repo_request_t *request,
                         const repo_limits_t *limits,
                         const repo_body_elem_t *root)
{
    update_t *update =
        repo_fields_begin(sizeof(*update), fields, request, limits);
    const char *send_all = repo_body_attr(root, "send-all");

    if (request->uri.kind != REPO_URI_ME && request->uri.kind != REPO_URI_VCC)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "an update-report goes to '!svn/me' or "
                        "'!svn/vcc/default' of the repository");
    update->send_all = send_all && strcmp(send_all, "true") == 0 &&
                       repo_config_bulk(request->config) != REPO_BULK_OFF;
    apr_pool_create(&update->entry.pool, request->pool);
    *baton = update;
    return fs_report_begin(&update->report, request->repo, request->pool);
}

static fs_error_t *start_entry(update_t *update, const repo_body_elem_t *elem)
{
    const char *rev = repo_body_attr(elem, "rev");
    const char *depth = repo_body_attr(elem, "depth");
    const char *start_empty = repo_body_attr(elem, "start-empty");
    entry_t *entry = &update->entry;
    fs_rev_t youngest;

    apr_pool_clear(entry->pool);
    if (!rev)
        return FS_ERROR(FS_ERR_XML_ATTRIBUTE, "missing XML attribute: rev");
    if (!repo_uri_parse_rev(&entry->rev, rev))
        return FS_ERROR(FS_ERR_BAD_NUMBER, "'%s' is not a revision", rev);
    FS_TRY(repo_request_youngest(&youngest, update->base.request));
    if (entry->rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "no such reported revision '%" FS_REV_FMT
                        "' in the repository; the youngest is %" FS_REV_FMT,
                        entry->rev, youngest);
    entry->depth = FS_DEPTH_INFINITY;
    if (depth && (!repo_fields_depth(&entry->depth, depth) ||
                  entry->depth == FS_DEPTH_UNKNOWN))
        return FS_ERROR(FS_ERR_BAD_ARGS, "'%s' is not a depth", depth);
    entry->start_empty = start_empty && *start_empty;
    entry->link_path =
        apr_pstrdup(entry->pool, repo_body_attr(elem, "linkpath"));
    entry->lock_token =
        apr_pstrdup(entry->pool, repo_body_attr(elem, "lock-token"));
    return NULL;
}

static fs_error_t *start(void *baton, const repo_body_elem_t *elem)
{
    update_t *update = baton;

    if (elem->depth == 1 && repo_body_is(elem, REPO_NS_SVN, "entry"))
        return start_entry(update, elem);
    return NULL;
}

static fs_error_t *count_entry(update_t *update)
{
    if (++update->entries > update->base.limits.report_entries)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "more than %" APR_INT64_T_FMT
                        " entries in one update report; %s sets the limit",
                        update->base.limits.report_entries,
                        REPO_LIMIT_NAME(report_entries));
    return NULL;
}

static fs_error_t *check_entry_path(const char *path, apr_size_t len)
{
    if (strlen(path) != len || !fs_path_is_relpath(path) ||
        !fs_utf8_is_valid(path, len))
        return FS_ERROR(FS_ERR_BAD_REPORT,
                        "'%s' is not a path below the root of the report",
                        path);
    return NULL;
}

static fs_error_t *end_entry(update_t *update, const char *path)
{
    entry_t *entry = &update->entry;

    FS_TRY(count_entry(update));
    update->only_start_empty = update->entries == 1 && entry->start_empty;
    if (update->entries == 1)
        update->first_rev = entry->rev;
    if (!entry->link_path)
        return fs_report_set_path(update->report, path, entry->rev,
                                  entry->depth, entry->start_empty,
                                  entry->lock_token);
    return fs_report_link_path(update->report, path, entry->link_path,
                               entry->rev, entry->depth, entry->start_empty,
                               entry->lock_token);
}

static fs_error_t *end(void *baton, const repo_body_elem_t *elem,
                       const char *text, apr_size_t len)
{
    update_t *update = baton;

    if (elem->depth == 1 && repo_body_is(elem, REPO_NS_SVN, "entry")) {
        FS_TRY(check_entry_path(text, len));
        return end_entry(update, text);
    }
    if (elem->depth == 1 && repo_body_is(elem, REPO_NS_SVN, "missing")) {
        FS_TRY(check_entry_path(text, len));
        FS_TRY(count_entry(update));
        update->only_start_empty = false;
        return fs_report_delete_path(update->report, text);
    }
    return repo_fields_end(baton, elem, text, len);
}

/* The depth asked for: "depth" counts, an unknown word is the depth
 * "unknown"; "recursive" is what clients sent before there were depths. */
static fs_depth_t asked_depth(const update_t *update)
{
    fs_depth_t depth = FS_DEPTH_INFINITY;

    if (update->depth_word) {
        if (!repo_fields_depth(&depth, update->depth_word))
            depth = FS_DEPTH_UNKNOWN;
    } else if (update->recursive && strcmp(update->recursive, "no") == 0) {
        depth = FS_DEPTH_FILES;
    }
    return depth;
}

static fs_error_t *resolve_url(const char **fspath, const update_t *update,
                               const char *what, const char *url,
                               apr_pool_t *result)
{
    const repo_request_t *request = update->base.request;

    *fspath = repo_uri_fspath(url, request->root, result);
    if (!*fspath || !fs_utf8_is_valid(*fspath, strlen(*fspath)))
        return FS_ERROR(FS_ERR_MALFORMED_URL,
                        "the URL in '%s' must lie below '%s'", what,
                        *request->root ? request->root : "/");
    return NULL;
}

static fs_error_t *make_options(fs_report_options_t *options,
                                const update_t *update, apr_pool_t *result)
{
    repo_request_t *request = update->base.request;

    if (!update->src_path || !*update->src_path)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "the request lacks the element 'src-path'");
    FS_TRY(resolve_url(&options->anchor, update, "src-path", update->src_path,
                       result));
    if (update->dst_path)
        FS_TRY(resolve_url(&options->switch_path, update, "dst-path",
                           update->dst_path, result));
    options->target = update->target ? update->target : "";
    if (*options->target &&
        (strchr(options->target, '/') || !fs_path_is_relpath(options->target)))
        return FS_ERROR(FS_ERR_BAD_REPORT,
                        "'%s' in 'update-target' is not one name",
                        options->target);

    options->target_rev = update->target_rev;
    if (!FS_IS_REV(options->target_rev))
        FS_TRY(repo_request_youngest(&options->target_rev, request));
    options->text_deltas =
        update->send_all &&
        !(update->text_deltas && strcmp(update->text_deltas, "no") == 0);
    options->depth = asked_depth(update);
    options->ignore_ancestry = update->ignore_ancestry;
    options->send_copyfrom = update->send_copyfrom;
    return NULL;
}

/* The operation as the operational log names it. */
static void log_action(const update_t *update,
                       const fs_report_options_t *options, apr_pool_t *scratch)
{
    repo_request_t *request = update->base.request;
    const char *path = repo_uri_encode(
        fs_path_join(options->anchor, options->target, scratch), scratch);
    const char *depth = "";

    if (options->depth != FS_DEPTH_UNKNOWN)
        depth = apr_psprintf(scratch, " depth=%s",
                             repo_fields_depth_word(options->depth));
    if (options->switch_path) {
        const char *to = repo_uri_encode(options->switch_path, scratch);
        const char *ignore = options->ignore_ancestry ? " ignore-ancestry" : "";

        if (update->send_all)
            repo_request_action(request, "switch %s %s@%" FS_REV_FMT "%s", path,
                                to, options->target_rev, depth);
        else if (strcmp(path, to) == 0)
            repo_request_action(
                request, "diff %s r%" FS_REV_FMT ":%" FS_REV_FMT "%s%s", path,
                update->first_rev, options->target_rev, depth, ignore);
        else
            repo_request_action(
                request, "diff %s@%" FS_REV_FMT " %s@%" FS_REV_FMT "%s%s", path,
                update->first_rev, to, options->target_rev, depth, ignore);
    } else if (update->only_start_empty) {
        repo_request_action(request, "checkout-or-export %s r%" FS_REV_FMT "%s",
                            path, options->target_rev, depth);
    } else if (options->text_deltas) {
        repo_request_action(request, "update %s r%" FS_REV_FMT "%s%s", path,
                            options->target_rev, depth,
                            options->send_copyfrom ? " send-copyfrom-args"
                                                   : "");
    } else {
        repo_request_action(request, "status %s r%" FS_REV_FMT "%s", path,
                            options->target_rev, depth);
    }
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    update_t *update = baton;
    fs_report_options_t options = { 0 };
    repo_update_answer_t answer = { 0 };

    FS_TRY(make_options(&options, update, scratch));
    log_action(update, &options, scratch);

    answer.request = request;
    answer.out = out;
    answer.send_all = update->send_all;
    answer.inline_props = update->send_all || update->include_props;
    answer.has_target = *options.target != '\0';
    answer.checked_in =
        request->uri.kind == REPO_URI_ME && repo_config_v2(request->config)
            ? REPO_URI_RVR
            : REPO_URI_VER;
    answer.version = repo_request_svndiff_version(request);
    answer.level = repo_request_compression(request);
    if (update->resource_walk && options.switch_path) {
        answer.walk_path = options.switch_path;
        answer.walk_rev = options.target_rev;
        answer.walk_depth = options.depth;
    }
    return fs_report_finish(update->report, &options,
                            repo_request_reader(request), &repo_update_editor,
                            &answer, scratch);
}

const repo_report_t repo_report_update = {
    .root = "update-report",
    .whole = true,
    .begin = begin,
    .start = start,
    .end = end,
    .run = run,
};
