/* SPDX-License-Identifier: Apache-2.0 */
/* Log: which revisions are told, and in which order. */

#include "libfs/fs_history.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/history/log_entry.h"
#include "libfs/history/log_merged.h"
#include "libfs/history/log_walk.h"
#include "libfs/history/rev_arg.h"
#include "libfs/history/visibility.h"

/* One log, its arguments made definite. */
typedef struct call_t {
    fs_log_t log;
    fs_log_range_t range;
    bool oldest_first;
    apr_int64_t left;                /* entries still to tell; -1: no limit */
    const apr_array_header_t *paths; /* NULL: every revision */
    fs_log_walk_t *walk;             /* NULL: every revision */
    fs_log_merged_t *merged;         /* NULL: without merged revisions */
    apr_pool_t *scratch;
} call_t;

/* ---- arguments ---- */

static fs_error_t *set_range(call_t *call, const fs_log_options_t *options)
{
    fs_rev_t start = options->start;
    fs_rev_t end = options->end;

    FS_TRY(
        fs_repo_youngest(&call->log.youngest, call->log.repo, call->scratch));
    FS_TRY(fs_rev_arg_resolve(&start, call->log.youngest));
    FS_TRY(fs_rev_arg_resolve(&end, call->log.youngest));
    call->oldest_first = start < end;
    call->range.low = call->oldest_first ? start : end;
    call->range.high = call->oldest_first ? end : start;
    call->range.strict = options->strict;
    call->left = options->limit > 0 ? options->limit : -1;
    return NULL;
}

/* The root alone has a location in every revision: no history is walked. */
static bool is_every_revision(const fs_log_options_t *options)
{
    if (options->merged_revisions)
        return false;
    if (!options->paths || options->paths->nelts == 0)
        return true;
    return options->paths->nelts == 1 &&
           strcmp(APR_ARRAY_IDX(options->paths, 0, const char *), "/") == 0;
}

static fs_error_t *check_root(const call_t *call)
{
    bool readable;

    FS_TRY(fs_reader_may_read(&readable, call->log.reader, call->range.high,
                              "/", call->scratch));
    if (!readable)
        return FS_ERROR(FS_ERR_UNREADABLE,
                        "path '/' is not readable in revision %" FS_REV_FMT,
                        call->range.high);
    return NULL;
}

static const apr_array_header_t *paths_or_root(const fs_log_options_t *options,
                                               apr_pool_t *result)
{
    apr_array_header_t *root;

    if (options->paths && options->paths->nelts > 0)
        return options->paths;
    root = apr_array_make(result, 1, sizeof(const char *));
    APR_ARRAY_PUSH(root, const char *) = "/";
    return root;
}

/* Everything that can be wrong with the arguments comes out here. */
static fs_error_t *prepare(call_t *call, const fs_log_options_t *options)
{
    FS_TRY(set_range(call, options));
    if (options->merged_revisions && !fs_repo_has_mergeinfo(call->log.repo))
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "the repository's format records no mergeinfo");
    if (is_every_revision(options))
        return check_root(call);
    call->paths = paths_or_root(options, call->scratch);
    FS_TRY(fs_log_walk_open(&call->walk, call->log.repo, call->paths,
                            &call->range, call->log.reader, call->scratch));
    if (!options->merged_revisions)
        return NULL;
    return fs_log_merged_create(&call->merged, &call->log, call->paths,
                                &call->range, call->oldest_first,
                                call->scratch);
}

/* ---- the three ways ---- */

/* Tell one top-level entry; `*more` is false when the limit is reached. */
static fs_error_t *send_one(bool *more, call_t *call, fs_rev_t rev,
                            const apr_array_header_t *paths,
                            apr_pool_t *scratch)
{
    if (call->merged)
        FS_TRY(fs_log_merged_send(call->merged, rev, paths, scratch));
    else
        FS_TRY(fs_log_entry_send(&call->log, rev, false, false, scratch));
    *more = call->left < 0 || --call->left > 0;
    return NULL;
}

static fs_error_t *every_revision(call_t *call, apr_pool_t *iter)
{
    fs_rev_t step = call->oldest_first ? 1 : -1;
    fs_rev_t rev = call->oldest_first ? call->range.low : call->range.high;
    bool more = true;

    for (; more && rev >= call->range.low && rev <= call->range.high;
         rev += step) {
        apr_pool_clear(iter);
        FS_TRY(send_one(&more, call, rev, NULL, iter));
    }
    return NULL;
}

static fs_error_t *youngest_first(call_t *call, apr_pool_t *iter)
{
    bool more = true;

    while (more) {
        const apr_array_header_t *paths = NULL;
        fs_rev_t rev;
        bool moved;

        apr_pool_clear(iter);
        FS_TRY(fs_log_walk_next(&rev, call->walk));
        if (rev == FS_INVALID_REV)
            break;
        if (call->merged)
            FS_TRY(fs_log_walk_paths(&paths, &moved, call->walk));
        FS_TRY(send_one(&more, call, rev, paths, iter));
    }
    return NULL;
}

/* Paths that a walk had, from revision `from` down to the next such note. */
typedef struct paths_note_t {
    fs_rev_t from;
    const apr_array_header_t *paths;
} paths_note_t;

static const apr_array_header_t *copy_paths(const apr_array_header_t *paths,
                                            apr_pool_t *result)
{
    apr_array_header_t *copy = apr_array_copy(result, paths);
    int i;

    for (i = 0; i < copy->nelts; i++)
        APR_ARRAY_IDX(copy, i, const char *) =
            apr_pstrdup(result, APR_ARRAY_IDX(copy, i, const char *));
    return copy;
}

/* Walk to the end and keep the revisions, and the paths where they change. */
static fs_error_t *collect(apr_array_header_t *revs, apr_array_header_t *notes,
                           call_t *call)
{
    for (;;) {
        const apr_array_header_t *paths;
        fs_rev_t rev;
        bool moved;

        FS_TRY(fs_log_walk_next(&rev, call->walk));
        if (rev == FS_INVALID_REV)
            return NULL;
        APR_ARRAY_PUSH(revs, fs_rev_t) = rev;
        if (!call->merged)
            continue;
        FS_TRY(fs_log_walk_paths(&paths, &moved, call->walk));
        if (moved) {
            paths_note_t *note = apr_array_push(notes);

            note->from = rev;
            note->paths = copy_paths(paths, call->scratch);
        }
    }
}

static fs_error_t *oldest_first(call_t *call, apr_pool_t *iter)
{
    apr_array_header_t *revs =
        apr_array_make(call->scratch, 64, sizeof(fs_rev_t));
    apr_array_header_t *notes =
        apr_array_make(call->scratch, 1, sizeof(paths_note_t));
    bool more = true;
    int i;

    FS_TRY(collect(revs, notes, call));
    for (i = revs->nelts - 1; more && i >= 0; i--) {
        fs_rev_t rev = APR_ARRAY_IDX(revs, i, fs_rev_t);
        const apr_array_header_t *paths = NULL;

        apr_pool_clear(iter);
        while (notes->nelts > 1 &&
               APR_ARRAY_IDX(notes, notes->nelts - 1, paths_note_t).from < rev)
            (void)apr_array_pop(notes);
        if (notes->nelts > 0)
            paths = APR_ARRAY_IDX(notes, notes->nelts - 1, paths_note_t).paths;
        FS_TRY(send_one(&more, call, rev, paths, iter));
    }
    return NULL;
}

fs_error_t *fs_log(fs_repo_t *repo, const fs_log_options_t *options,
                   const fs_reader_t *reader, const fs_log_receiver_t *receiver,
                   apr_pool_t *scratch)
{
    call_t call = { 0 };
    apr_pool_t *iter;
    fs_error_t *err;

    call.log.repo = repo;
    call.log.options = options;
    call.log.reader = reader;
    call.log.receiver = receiver;
    /* What the log keeps goes when it ends, also with an error. */
    apr_pool_create(&call.scratch, scratch);
    err = prepare(&call, options);
    if (!err) {
        apr_pool_create(&iter, call.scratch);
        if (!call.walk)
            err = every_revision(&call, iter);
        else if (call.oldest_first)
            err = oldest_first(&call, iter);
        else
            err = youngest_first(&call, iter);
    }
    apr_pool_destroy(call.scratch);
    return err;
}
