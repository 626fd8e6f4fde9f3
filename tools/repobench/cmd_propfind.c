/* SPDX-License-Identifier: Apache-2.0 */
/* propfind: all properties of a node, or of it and its children. */

#include <apr_strings.h>

#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"

fs_error_t *bench_propfind_http(bench_client_t *client)
{
    const bench_args_t *args = client->args;
    bench_request_t request = { 0 };

    request.method = "PROPFIND";
    request.depth = args->depth == FS_DEPTH_IMMEDIATES ? "1" : "0";
    request.uri = bench_session_uri(&client->session, client->rev,
                                    APR_ARRAY_IDX(args->paths, 0, const char *),
                                    client->pool);
    request.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
                   "<propfind xmlns=\"DAV:\"><allprop/></propfind>";
    return bench_client_count(client, &request, "response");
}

/* ---- without a server ---- */

static void count_values(bench_direct_t *direct, apr_hash_t *props,
                         apr_pool_t *scratch)
{
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(scratch, props); hi; hi = apr_hash_next(hi)) {
        const fs_bytes_t *value = apr_hash_this_val(hi);

        direct->stats.content += value->len;
    }
}

/* What a server looks up to answer for one node. */
static fs_error_t *tell_node(bench_direct_t *direct, const fs_node_t *node,
                             apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];
    apr_hash_t *props;
    fs_rev_t rev;

    direct->stats.items++;
    FS_TRY(fs_node_props(&props, node, scratch));
    count_values(direct, props, scratch);
    FS_TRY(fs_node_last_change(&rev, node, scratch));
    FS_TRY(fs_repo_revprops(&props, direct->repo, fs_node_created_rev(node),
                            scratch, scratch));
    count_values(direct, props, scratch);
    if (fs_node_kind(node) == FS_NODE_FILE)
        FS_TRY(fs_node_md5(md5, node, scratch));
    return NULL;
}

static fs_error_t *tell_children(bench_direct_t *direct, const fs_node_t *node,
                                 apr_pool_t *scratch)
{
    const fs_dirent_t *entry;
    const fs_node_t *child;
    apr_pool_t *iter;
    fs_dir_t *dir;

    FS_TRY(fs_dir_open(&dir, node, scratch));
    apr_pool_create(&iter, scratch);
    for (;;) {
        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, dir));
        if (!entry)
            break;
        FS_TRY(fs_dir_node(&child, node, entry, iter));
        FS_TRY(tell_node(direct, child, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

fs_error_t *bench_propfind_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    const fs_node_t *node;
    fs_root_t *root;

    FS_TRY(fs_root_open(&root, direct->repo, direct->rev, scratch));
    FS_TRY(fs_node_need(&node, root, bench_direct_path(direct, 0, scratch),
                        scratch));
    FS_TRY(tell_node(direct, node, scratch));
    if (direct->args->depth != FS_DEPTH_IMMEDIATES ||
        fs_node_kind(node) != FS_NODE_DIR)
        return NULL;
    return tell_children(direct, node, scratch);
}
