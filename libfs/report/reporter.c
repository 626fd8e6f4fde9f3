/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting what a client says about its working copy. */

#include "libfs/report/reporter.h"

#include <apr_strings.h>

#include "libfs/fs_path.h"

/* Bytes of entries that stay in memory. */
#define SPOOL_MEMORY (1024 * 1024)

static fs_error_t *check_rev(fs_repo_t *repo, fs_rev_t rev, const char *what,
                             apr_pool_t *scratch)
{
    fs_rev_t youngest;

    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    if (rev < 0 || rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "no such %s revision %" FS_REV_FMT
                        ", the youngest is %" FS_REV_FMT,
                        what, rev, youngest);
    return NULL;
}

fs_error_t *fs_report_begin(fs_report_t **report, fs_repo_t *repo,
                            apr_pool_t *result)
{
    fs_report_t *r = apr_pcalloc(result, sizeof(*r));

    r->repo = repo;
    r->pool = result;
    r->spool = fs_spool_create(SPOOL_MEMORY, result);
    *report = r;
    return NULL;
}

static fs_error_t *add(fs_report_t *report, const char *path,
                       const char *link_path, fs_rev_t rev, fs_depth_t depth,
                       bool start_empty, const char *lock_token)
{
    fs_report_entry_t entry = { 0 };

    entry.path = path;
    entry.link_path = link_path;
    entry.rev = rev;
    entry.depth = depth;
    entry.start_empty = start_empty;
    entry.lock_token = lock_token;
    return fs_spool_add(report->spool, &entry);
}

fs_error_t *fs_report_set_path(fs_report_t *report, const char *path,
                               fs_rev_t rev, fs_depth_t depth, bool start_empty,
                               const char *lock_token)
{
    return add(report, path, NULL, rev, depth, start_empty, lock_token);
}

fs_error_t *fs_report_link_path(fs_report_t *report, const char *path,
                                const char *link_path, fs_rev_t rev,
                                fs_depth_t depth, bool start_empty,
                                const char *lock_token)
{
    if (depth == FS_DEPTH_EXCLUDE)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "the switched path '%s' cannot have the depth "
                        "'exclude'",
                        path);
    if (link_path[0] != '/')
        return FS_ERROR(FS_ERR_BAD_REPORT,
                        "the switched path '%s' must name a path that begins "
                        "with '/', not '%s'",
                        path, link_path);
    return add(report, path, link_path, rev, depth, start_empty, lock_token);
}

fs_error_t *fs_report_delete_path(fs_report_t *report, const char *path)
{
    return add(report, path, NULL, FS_INVALID_REV, FS_DEPTH_INFINITY, false,
               NULL);
}

fs_error_t *fs_report_finish(fs_report_t *report,
                             const fs_report_options_t *options,
                             const fs_reader_t *reader,
                             const fs_editor_t *editor, void *edit,
                             apr_pool_t *scratch)
{
    fs_report_options_t *own = &report->options;

    if (options->depth == FS_DEPTH_EXCLUDE)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "an update cannot ask for the depth 'exclude'");
    FS_TRY(check_rev(report->repo, options->target_rev, "target", scratch));
    *own = *options;
    own->anchor = fs_path_canonical(options->anchor, scratch);
    own->target = options->target ? options->target : "";
    if (options->switch_path)
        own->switch_path = fs_path_canonical(options->switch_path, scratch);

    FS_TRY(fs_spool_rewind(report->spool));
    return fs_drive(report, reader, editor, edit, scratch);
}
