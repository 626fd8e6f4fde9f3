/* SPDX-License-Identifier: Apache-2.0 */
/* null-blame: all versions of a file, each as a delta against the one before. */

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"

fs_error_t *bench_blame_http(bench_client_t *client)
{
    const bench_args_t *args = client->args;
    bench_request_t request = { 0 };

    request.method = "REPORT";
    request.svndiff = true;
    request.uri = bench_session_uri(&client->session, client->rev,
                                    APR_ARRAY_IDX(args->paths, 0, const char *),
                                    client->pool);
    request.body = apr_psprintf(
        client->pool,
        "<S:file-revs-report xmlns:S=\"svn:\">"
        "<S:start-revision>0</S:start-revision>"
        "<S:end-revision>%" FS_REV_FMT "</S:end-revision>%s"
        "<S:path></S:path></S:file-revs-report>",
        client->rev,
        args->merged
            ? "<S:include-merged-revisions>yes</S:include-merged-revisions>"
            : "");
    return bench_client_count(client, &request, "file-rev");
}

/* ---- without a server ---- */

static fs_error_t *on_version(void *baton, const fs_file_rev_t *item,
                              apr_pool_t *scratch)
{
    bench_direct_t *direct = baton;
    fs_stream_t *svndiff;

    direct->stats.items++;
    if (!item->node)
        return NULL;
    FS_TRY(fs_node_svndiff(&svndiff, item->base, item->node, 2, 5, scratch));
    return bench_direct_drain(direct, svndiff);
}

fs_error_t *bench_blame_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    static const fs_reader_t reader = { NULL, NULL };

    return fs_file_revs(direct->repo, bench_direct_path(direct, 0, scratch), 0,
                        direct->rev, direct->args->merged, &reader, on_version,
                        direct, scratch);
}
