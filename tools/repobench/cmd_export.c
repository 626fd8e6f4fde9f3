/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null-export: a whole tree, dropped as it arrives.
 *
 * As clients do it: one report tells the tree; each file in it is fetched by a
 * GET, pipelined on further connections while the report is still arriving,
 * and on the report's own once it has ended. In bulk the report holds all.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_uri.h>

#include "libfs/fs_report.h"
#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"
#include "tools/repobench/xml.h"

#define IN_FLIGHT_MAX 40 /* GETs of one client */
#define CROWDED 8        /* GETs a connection before one more is opened */
#define HREF_MAX 16384   /* bytes */

/* A file to fetch. */
typedef struct wanted_t {
    struct wanted_t *next;
    char uri[];
} wanted_t;

typedef struct export_t {
    bench_client_t *client;
    bench_xml_t *xml;
    bool is_bulk;    /* the answer says so */
    bool in_file;    /* inside of an element of a file */
    bool in_href;    /* of such an element */
    bool wants_text; /* the file is new, or its text changed */
    char href[HREF_MAX];
    apr_size_t href_len;
    bool too_long;
    bool report_ended;
    int in_flight;
    wanted_t *first; /* grows when the report is faster than the GETs */
    wanted_t *last;
} export_t;

/* ---- the files ---- */

static fs_error_t *pump(export_t *job);

static fs_error_t *finish_if_done(export_t *job)
{
    if (!job->report_ended || job->in_flight || job->first)
        return NULL;
    return bench_client_done(job->client);
}

static fs_error_t *file_done(void *baton)
{
    export_t *job = baton;

    job->in_flight--;
    job->client->stats->items++;
    FS_TRY(pump(job));
    return finish_if_done(job);
}

/* The connection with the fewest requests; the report's only at its end. */
static fs_error_t *pick(bench_conn_t **conn, const export_t *job)
{
    bench_client_t *client = job->client;
    int first = job->report_ended || client->args->connections == 1 ? 0 : 1;
    int count = client->conn_count - first;
    int i;

    if (client->conn_count < client->args->connections &&
        job->in_flight >= CROWDED * count) {
        FS_TRY(bench_client_connect(client));
        *conn = client->conns[client->conn_count - 1];
        return NULL;
    }
    *conn = client->conns[first];
    for (i = first + 1; i < client->conn_count; i++)
        if (bench_http_pending(client->conns[i]) < bench_http_pending(*conn))
            *conn = client->conns[i];
    return NULL;
}

static fs_error_t *pump(export_t *job)
{
    while (job->first && job->in_flight < IN_FLIGHT_MAX) {
        wanted_t *wanted = job->first;
        bench_request_t request = { 0 };
        bench_conn_t *conn;

        FS_TRY(pick(&conn, job));
        request.method = "GET";
        request.plain = true;
        request.uri = wanted->uri;
        request.done = file_done;
        request.baton = job;
        bench_http_send(conn, &request);
        job->in_flight++;
        job->first = wanted->next;
        free(wanted);
    }
    return NULL;
}

static apr_status_t drop_wanted(void *baton)
{
    export_t *job = baton;

    while (job->first) {
        wanted_t *wanted = job->first;

        job->first = wanted->next;
        free(wanted);
    }
    return APR_SUCCESS;
}

static void want(export_t *job)
{
    const char *uri = job->href;
    wanted_t *wanted;
    apr_size_t size;

    if (*uri != '/' && strstr(uri, "://")) { /* older servers tell the host */
        uri = strchr(strstr(uri, "://") + 3, '/');
        uri = uri ? uri : "/";
    }
    size = strlen(uri) + 1;
    wanted = malloc(sizeof(*wanted) + size);
    if (!wanted)
        abort();
    memcpy(wanted->uri, uri, size);
    wanted->next = NULL;
    if (job->first)
        job->last->next = wanted;
    else
        job->first = wanted;
    job->last = wanted;
}

/* ---- the report ---- */

static void on_start(void *baton, const char *name, const char **attributes)
{
    export_t *job = baton;
    const char *value;

    if (strcmp(name, "add-file") == 0 || strcmp(name, "open-file") == 0) {
        job->in_file = true;
        job->wants_text = *name == 'a';
        job->href_len = 0;
    } else if (strcmp(name, "fetch-file") == 0) {
        job->wants_text = true;
    } else if (strcmp(name, "href") == 0) {
        job->in_href = job->in_file;
    } else if (strcmp(name, "update-report") == 0) {
        value = bench_xml_attribute(attributes, "send-all");
        job->is_bulk = value && strcmp(value, "true") == 0;
    }
}

static void on_end(void *baton, const char *name)
{
    export_t *job = baton;

    job->in_href = false;
    if (!job->in_file ||
        (strcmp(name, "add-file") != 0 && strcmp(name, "open-file") != 0))
        return;
    job->in_file = false;
    job->href[job->href_len] = '\0';
    if (job->is_bulk)
        job->client->stats->items++;
    else if (job->wants_text && job->href_len > 0)
        want(job);
}

static void on_text(void *baton, const char *data, apr_size_t len)
{
    export_t *job = baton;

    if (!job->in_href)
        return;
    if (len >= HREF_MAX - job->href_len) {
        job->too_long = true;
        return;
    }
    memcpy(job->href + job->href_len, data, len);
    job->href_len += len;
}

static fs_error_t *report_data(void *baton, const char *data, apr_size_t len)
{
    export_t *job = baton;

    FS_TRY(bench_xml_feed(job->xml, data, len));
    if (job->too_long)
        return FS_ERROR(FS_ERR_MALFORMED_URL,
                        "a URL in the report is longer than %d bytes",
                        HREF_MAX);
    return pump(job);
}

static fs_error_t *report_done(void *baton)
{
    export_t *job = baton;

    FS_TRY(bench_xml_finish(job->xml));
    if (job->client->args->bulk && !job->is_bulk)
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "the server does not allow updates in bulk");
    job->report_ended = true;
    FS_TRY(pump(job));
    return finish_if_done(job);
}

static const char *body_of(const bench_client_t *client)
{
    const bench_session_t *session = &client->session;
    const char *path = APR_ARRAY_IDX(client->args->paths, 0, const char *);

    return apr_psprintf(
        client->pool,
        "<S:update-report xmlns:S=\"svn:\"%s>%s<S:src-path>%s%s%s</S:src-path>"
        "<S:target-revision>%" FS_REV_FMT "</S:target-revision>"
        "<S:depth>infinity</S:depth>"
        "<S:entry rev=\"%" FS_REV_FMT "\" depth=\"infinity\" "
        "start-empty=\"true\"></S:entry></S:update-report>",
        client->args->bulk ? " send-all=\"true\"" : "",
        client->args->bulk ? "" : "<S:include-props>yes</S:include-props>",
        bench_xml_escape(session->path, client->pool), *path ? "/" : "",
        bench_xml_escape(bench_http_encode(path, client->pool), client->pool),
        client->rev, client->rev);
}

fs_error_t *bench_export_http(bench_client_t *client)
{
    static const bench_xml_ops_t ops = { on_start, on_end, on_text };
    export_t *job = apr_pcalloc(client->pool, sizeof(*job));
    bench_request_t request = { 0 };

    job->client = client;
    apr_pool_cleanup_register(client->pool, job, drop_wanted,
                              apr_pool_cleanup_null);
    FS_TRY(bench_xml_create(&job->xml, &ops, job, client->pool));
    request.method = "REPORT";
    request.svndiff = true;
    request.uri = client->session.me;
    request.body = body_of(client);
    request.data = report_data;
    request.done = report_done;
    request.baton = job;
    bench_http_send(client->conns[0], &request);
    return NULL;
}

/* ---- without a server ---- */

static fs_error_t *no_rev(void *edit, fs_rev_t rev, apr_pool_t *scratch)
{
    (void)edit;
    (void)rev;
    (void)scratch;
    return NULL;
}

static fs_error_t *open_root(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result)
{
    (void)base;
    (void)target;
    (void)result;
    *dir = edit;
    return NULL;
}

static fs_error_t *no_delete(void *parent, const char *path, fs_rev_t rev,
                             apr_pool_t *scratch)
{
    (void)parent;
    (void)path;
    (void)rev;
    (void)scratch;
    return NULL;
}

static fs_error_t *add_node(void **node, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    fs_rev_t rev;

    (void)path;
    (void)copyfrom_path;
    (void)copyfrom_rev;
    *node = parent;
    return fs_node_last_change(&rev, target, result);
}

static fs_error_t *add_file(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    bench_direct_t *direct = parent;

    direct->stats.items++;
    return add_node(file, parent, path, copyfrom_path, copyfrom_rev, target,
                    result);
}

static fs_error_t *open_node(void **node, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result)
{
    (void)path;
    (void)base;
    (void)target;
    (void)result;
    *node = parent;
    return NULL;
}

static fs_error_t *count_prop(void *node, const char *name,
                              const fs_bytes_t *value, apr_pool_t *scratch)
{
    bench_direct_t *direct = node;

    (void)name;
    (void)scratch;
    direct->stats.content += value ? value->len : 0;
    return NULL;
}

static fs_error_t *no_close(void *node, apr_pool_t *scratch)
{
    (void)node;
    (void)scratch;
    return NULL;
}

static fs_error_t *no_absent(void *parent, const char *path,
                             apr_pool_t *scratch)
{
    (void)parent;
    (void)path;
    (void)scratch;
    return NULL;
}

static fs_error_t *read_text(void *file, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch)
{
    bench_direct_t *direct = file;
    fs_stream_t *text;

    (void)base_md5;
    if (direct->args->bulk)
        FS_TRY(fs_node_svndiff(&text, base, target, 2, 5, scratch));
    else
        FS_TRY(fs_node_open(&text, target, 0, scratch));
    return bench_direct_drain(direct, text);
}

static fs_error_t *close_file(void *file, const unsigned char *md5,
                              apr_pool_t *scratch)
{
    (void)file;
    (void)md5;
    (void)scratch;
    return NULL;
}

fs_error_t *bench_export_direct(bench_direct_t *direct, apr_pool_t *scratch)
{
    static const fs_reader_t reader = { NULL, NULL };
    static const fs_editor_t editor = {
        no_rev,     open_root, no_delete, add_node,  open_node,  count_prop,
        no_close,   no_absent, add_file,  open_node, count_prop, read_text,
        close_file, no_absent, no_close,  NULL
    };
    fs_report_options_t options = { 0 };
    fs_report_t *report;

    options.target_rev = direct->rev;
    options.anchor = bench_direct_path(direct, 0, scratch);
    options.target = "";
    options.text_deltas = true;
    options.depth = FS_DEPTH_INFINITY;
    FS_TRY(fs_report_begin(&report, direct->repo, scratch));
    FS_TRY(fs_report_set_path(report, "", direct->rev, FS_DEPTH_INFINITY, true,
                              NULL));
    return fs_report_finish(report, &options, &reader, &editor, direct,
                            scratch);
}
