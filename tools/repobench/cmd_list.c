/* SPDX-License-Identifier: Apache-2.0 */
/* null-list: the entries of a directory, or of all that are below it. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"

static fs_depth_t depth_of(const bench_args_t *args)
{
    return args->depth == FS_DEPTH_UNKNOWN ? FS_DEPTH_IMMEDIATES : args->depth;
}

static const char *depth_word(fs_depth_t depth)
{
    switch (depth) {
    case FS_DEPTH_EMPTY:
        return "empty";
    case FS_DEPTH_FILES:
        return "files";
    case FS_DEPTH_INFINITY:
        return "infinity";
    default:
        return "immediates";
    }
}

fs_error_t *bench_list_http(bench_client_t *client)
{
    const bench_args_t *args = client->args;
    bench_request_t request = { 0 };

    request.method = "REPORT";
    request.uri = bench_session_uri(&client->session, client->rev,
                                    APR_ARRAY_IDX(args->paths, 0, const char *),
                                    client->pool);
    request.body = apr_psprintf(
        client->pool,
        "<S:list-report xmlns:S=\"svn:\"><S:path></S:path>"
        "<S:revision>%" FS_REV_FMT "</S:revision><S:depth>%s</S:depth>"
        "<S:prop>DAV:resourcetype</S:prop>%s</S:list-report>",
        client->rev, depth_word(depth_of(args)),
        args->verbose ? "<S:prop>DAV:getcontentlength</S:prop>"
                        "<S:prop>DAV:version-name</S:prop>"
                        "<S:prop>DAV:creationdate</S:prop>"
                        "<S:prop>DAV:creator-displayname</S:prop>"
                      : "");
    return bench_client_count(client, &request, "item");
}

/* ---- without a server ---- */

static fs_error_t *count_prop(bench_direct_t *direct, fs_rev_t rev,
                              const char *name, apr_pool_t *scratch)
{
    const fs_bytes_t *value;

    FS_TRY(fs_repo_revprop(&value, direct->repo, rev, name, scratch, scratch));
    direct->stats.content += value ? value->len : 0;
    return NULL;
}

static fs_error_t *on_node(void *baton, const fs_node_t *node,
                           apr_pool_t *scratch)
{
    bench_direct_t *direct = baton;
    fs_rev_t created;

    direct->stats.items++;
    direct->stats.content += strlen(fs_node_path(node));
    if (!direct->args->verbose)
        return NULL;
    created = fs_node_created_rev(node);
    FS_TRY(count_prop(direct, created, "svn:date", scratch));
    return count_prop(direct, created, "svn:author", scratch);
}

fs_error_t *bench_list_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    static const fs_reader_t reader = { NULL, NULL };
    fs_root_t *root;

    FS_TRY(fs_root_open(&root, direct->repo, direct->rev, scratch));
    return fs_list(root, bench_direct_path(direct, 0, scratch),
                   depth_of(direct->args), NULL, &reader, on_node, direct,
                   scratch);
}
