/* SPDX-License-Identifier: Apache-2.0 */
/* get: contents of files, one after the other; options: a session's opening. */

#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"

/* ---- get ---- */

typedef struct get_t {
    bench_client_t *client;
    int next; /* index of the next path */
} get_t;

static fs_error_t *get_done(void *baton);

static void get_next(get_t *get)
{
    const bench_client_t *client = get->client;
    bench_request_t request = { 0 };

    request.method = "GET";
    request.plain = true;
    request.uri = bench_session_uri(
        &client->session, client->rev,
        APR_ARRAY_IDX(client->args->paths, get->next, const char *),
        client->pool);
    request.done = get_done;
    request.baton = get;
    get->next++;
    bench_http_send(client->conns[0], &request);
}

static fs_error_t *get_done(void *baton)
{
    get_t *get = baton;

    get->client->stats->items++;
    if (get->next == get->client->args->paths->nelts)
        return bench_client_done(get->client);
    get_next(get);
    return NULL;
}

fs_error_t *bench_get_http(bench_client_t *client)
{
    get_t *get = apr_pcalloc(client->pool, sizeof(*get));

    get->client = client;
    get_next(get);
    return NULL;
}

fs_error_t *bench_get_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    fs_root_t *root;
    int i;

    FS_TRY(fs_root_open(&root, direct->repo, direct->rev, scratch));
    for (i = 0; i < direct->args->paths->nelts; i++) {
        const fs_node_t *node;
        fs_stream_t *text;

        FS_TRY(fs_node_need(&node, root, bench_direct_path(direct, i, scratch),
                            scratch));
        FS_TRY(fs_node_open(&text, node, 0, scratch));
        FS_TRY(bench_direct_drain(direct, text));
        direct->stats.items++;
    }
    return NULL;
}

/* ---- options ---- */

typedef struct reopen_t {
    bench_client_t *client;
    bench_session_t session;
} reopen_t;

static fs_error_t *reopened(void *baton)
{
    bench_client_t *client = ((reopen_t *)baton)->client;

    client->stats->items++;
    return bench_client_done(client);
}

fs_error_t *bench_options_http(bench_client_t *client)
{
    reopen_t *reopen = apr_pcalloc(client->pool, sizeof(*reopen));

    reopen->client = client;
    reopen->session.pool = client->pool;
    reopen->session.opened = reopened;
    reopen->session.baton = reopen;
    bench_session_open(&reopen->session, client->conns[0],
                       bench_http_path(client->http));
    return NULL;
}

fs_error_t *bench_options_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    fs_rev_t youngest;
    bool stale;

    direct->stats.items++;
    FS_TRY(fs_repo_check(&stale, direct->repo, scratch));
    return fs_repo_youngest(&youngest, direct->repo, scratch);
}
