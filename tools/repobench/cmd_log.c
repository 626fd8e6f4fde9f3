/* SPDX-License-Identifier: Apache-2.0 */
/* null-log: the log of a path from a revision back to the first. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"

static const char *const wanted_props[] = { "svn:author", "svn:date",
                                            "svn:log" };

static int prop_count(const bench_args_t *args)
{
    return args->quiet ? 2 : 3; /* without the message */
}

static const char *body_of(const bench_client_t *client)
{
    const bench_args_t *args = client->args;
    const char *props = "";
    int i;

    for (i = 0; i < prop_count(args); i++)
        props = apr_pstrcat(client->pool, props, "<S:revprop>", wanted_props[i],
                            "</S:revprop>", NULL);
    return apr_psprintf(
        client->pool,
        "<S:log-report xmlns:S=\"svn:\">"
        "<S:start-revision>%" FS_REV_FMT "</S:start-revision>"
        "<S:end-revision>0</S:end-revision>"
        "<S:limit>%" APR_INT64_T_FMT "</S:limit>%s%s%s"
        "<S:path></S:path><S:encode-binary-props/></S:log-report>",
        client->rev, args->limit,
        args->verbose ? "<S:discover-changed-paths/>" : "",
        args->merged ? "<S:include-merged-revisions/>" : "", props);
}

fs_error_t *bench_log_http(bench_client_t *client)
{
    bench_request_t request = { 0 };

    request.method = "REPORT";
    request.uri = bench_session_uri(
        &client->session, client->rev,
        APR_ARRAY_IDX(client->args->paths, 0, const char *), client->pool);
    request.body = body_of(client);
    return bench_client_count(client, &request, "log-item");
}

/* ---- without a server ---- */

static fs_error_t *on_change(void *baton, const fs_change_t *change,
                             apr_pool_t *scratch)
{
    bench_direct_t *direct = baton;

    (void)scratch;
    direct->stats.content += strlen(change->path);
    return NULL;
}

static fs_error_t *on_entry(void *baton, const fs_log_entry_t *entry,
                            apr_pool_t *scratch)
{
    bench_direct_t *direct = baton;
    apr_hash_index_t *hi;

    direct->stats.items++;
    if (!entry->revprops)
        return NULL;
    for (hi = apr_hash_first(scratch, entry->revprops); hi;
         hi = apr_hash_next(hi)) {
        const fs_bytes_t *value = apr_hash_this_val(hi);

        direct->stats.content += value->len;
    }
    return NULL;
}

fs_error_t *bench_log_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    static const fs_reader_t reader = { NULL, NULL };
    const bench_args_t *args = direct->args;
    const fs_log_receiver_t receiver = { on_change, on_entry, direct };
    fs_log_options_t options = { 0 };
    apr_array_header_t *paths, *props;
    int i;

    paths = apr_array_make(scratch, 1, sizeof(const char *));
    APR_ARRAY_PUSH(paths, const char *) = bench_direct_path(direct, 0, scratch);
    props = apr_array_make(scratch, 3, sizeof(const char *));
    for (i = 0; i < prop_count(args); i++)
        APR_ARRAY_PUSH(props, const char *) = wanted_props[i];
    options.paths = paths;
    options.start = direct->rev;
    options.end = 0;
    options.limit = args->limit;
    options.changed_paths = args->verbose;
    options.merged_revisions = args->merged;
    options.revprops = props;
    return fs_log(direct->repo, &options, &reader, &receiver, scratch);
}
