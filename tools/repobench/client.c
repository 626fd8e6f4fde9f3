/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that repeat one operation against a server, all at once. */

#include "tools/repobench/client.h"

#include <string.h>

#include "tools/repobench/xml.h"

static fs_error_t *begin(bench_client_t *client)
{
    apr_pool_clear(client->pool);
    client->began = apr_time_now();
    return client->command->http(client);
}

fs_error_t *bench_client_done(bench_client_t *client)
{
    bench_stats_t *stats = client->stats;

    stats->operations++;
    bench_histogram_add(&stats->operation_us, apr_time_now() - client->began);
    if (--client->left == 0)
        return NULL;
    return begin(client);
}

static fs_error_t *opened(void *baton)
{
    bench_client_t *client = baton;

    client->rev = FS_IS_REV(client->args->rev) ? client->args->rev
                                               : client->session.youngest;
    return begin(client);
}

fs_error_t *bench_client_connect(bench_client_t *client)
{
    FS_TRY(
        bench_http_connect(&client->conns[client->conn_count], client->http));
    client->conn_count++;
    return NULL;
}

static fs_error_t *start(bench_client_t *client, const bench_args_t *args,
                         bench_http_t *http)
{
    client->conns = apr_pcalloc(args->pool, sizeof(*client->conns) *
                                                (apr_size_t)args->connections);
    client->args = args;
    client->http = http;
    client->left = args->repetitions;
    client->session.pool = args->pool;
    client->session.opened = opened;
    client->session.baton = client;
    apr_pool_create(&client->pool, args->pool);
    FS_TRY(bench_client_connect(client));
    bench_session_open(&client->session, client->conns[0],
                       bench_http_path(http));
    return NULL;
}

fs_error_t *bench_client_run(const bench_command_t *command,
                             const bench_args_t *args, bench_stats_t *stats)
{
    apr_time_t began = apr_time_now();
    bench_client_t *clients;
    bench_http_t *http;
    int i;

    FS_TRY(bench_http_create(&http, args->target, stats, args->pool));
    clients =
        apr_pcalloc(args->pool, sizeof(*clients) * (apr_size_t)args->clients);
    for (i = 0; i < args->clients; i++) {
        clients[i].command = command;
        clients[i].stats = stats;
        FS_TRY(start(&clients[i], args, http));
    }
    FS_TRY(bench_http_run(http));
    stats->elapsed = apr_time_now() - began;
    return NULL;
}

/* ---- operations of one request ---- */

typedef struct count_t {
    bench_client_t *client;
    bench_xml_t *xml;
    const char *item;
} count_t;

static void count_start(void *baton, const char *name, const char **attributes)
{
    const count_t *count = baton;

    (void)attributes;
    if (strcmp(name, count->item) == 0)
        count->client->stats->items++;
}

static fs_error_t *count_data(void *baton, const char *data, apr_size_t len)
{
    return bench_xml_feed(((count_t *)baton)->xml, data, len);
}

static fs_error_t *count_done(void *baton)
{
    const count_t *count = baton;

    FS_TRY(bench_xml_finish(count->xml));
    return bench_client_done(count->client);
}

fs_error_t *bench_client_count(bench_client_t *client,
                               const bench_request_t *request, const char *item)
{
    static const bench_xml_ops_t ops = { count_start, NULL, NULL };
    count_t *count = apr_pcalloc(client->pool, sizeof(*count));
    bench_request_t full = *request;

    count->client = client;
    count->item = item;
    FS_TRY(bench_xml_create(&count->xml, &ops, count, client->pool));
    full.data = count_data;
    full.done = count_done;
    full.baton = count;
    bench_http_send(client->conns[0], &full);
    return NULL;
}
