/* SPDX-License-Identifier: Apache-2.0 */
/* get-locks-report: the locks at and below a path. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "libfs/fs_time.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

typedef struct locks_t {
    repo_fields_t base;
    const char *depth_word; /* NULL: infinity */
    repo_output_t *out;
} locks_t;

static const repo_field_t fields[] = {
    REPO_FIELDS_END,
};

static fs_error_t *begin(void **baton, repo_request_t *request,
                         const repo_limits_t *limits,
                         const repo_body_elem_t *root)
{
    locks_t *locks = repo_fields_begin(sizeof(*locks), fields, request, limits);

    locks->depth_word =
        apr_pstrdup(request->pool, repo_body_attr(root, "depth"));
    *baton = locks;
    return NULL;
}

/* The blank before '>' is what clients of the field are used to. */
static void write_text(repo_output_t *out, const char *tag, const char *text)
{
    apr_size_t len = strlen(text);

    if (repo_xml_is_safe(text, len)) {
        repo_output_printf(out, "<S:%s >", tag);
        repo_xml_text(out, text, len);
    } else {
        repo_output_printf(out, "<S:%s encoding=\"base64\">", tag);
        repo_xml_base64(out, text, len);
    }
    repo_output_printf(out, "</S:%s>\n", tag);
}

static void write_time(repo_output_t *out, const char *tag, apr_time_t when,
                       apr_pool_t *scratch)
{
    repo_output_printf(out, "<S:%s>%s</S:%s>\n", tag,
                       fs_time_text(when, scratch), tag);
}

static fs_error_t *write_lock(void *baton, const fs_lock_t *lock,
                              apr_pool_t *scratch)
{
    locks_t *locks = baton;
    repo_output_t *out = locks->out;
    bool allowed;

    FS_TRY(repo_access_may_read(&allowed, locks->base.request->access,
                                FS_INVALID_REV, lock->path, scratch));
    if (!allowed)
        return NULL;
    repo_output_puts(out, "<S:lock>\n<S:path>");
    repo_xml_text_of(out, lock->path);
    repo_output_puts(out, "</S:path>\n<S:token>");
    repo_xml_text_of(out, lock->token);
    repo_output_puts(out, "</S:token>\n");
    write_time(out, "creationdate", lock->created, scratch);
    if (lock->expires)
        write_time(out, "expirationdate", lock->expires, scratch);
    write_text(out, "owner", lock->owner);
    if (lock->comment)
        write_text(out, "comment", lock->comment);
    repo_output_puts(out, "</S:lock>\n");
    return repo_output_check(out);
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    locks_t *locks = baton;
    fs_depth_t depth = FS_DEPTH_INFINITY;

    if (locks->depth_word && (!repo_fields_depth(&depth, locks->depth_word) ||
                              depth < FS_DEPTH_EMPTY))
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "'%s' is not a depth; it is 'empty', 'files', "
                        "'immediates' or 'infinity'",
                        locks->depth_word);
    if (!request->uri.path)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "a get-locks-report needs a URL that names a path");
    locks->out = out;
    repo_fields_open(out, "get-locks-report");
    FS_TRY(fs_lock_list(request->repo, request->uri.path, depth, write_lock,
                        locks, scratch));
    repo_output_puts(out, "</S:get-locks-report>\n");
    return NULL;
}

const repo_report_t repo_report_locks = {
    .root = "get-locks-report",
    .begin = begin,
    .run = run,
};
