/* SPDX-License-Identifier: Apache-2.0 */
/* Connections and requests of all clients in one event loop, upon serf. */

#include "tools/repobench/http.h"

#include "config.h"

#include <string.h>

#include <apr_base64.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <serf.h>

#include "tools/repobench/failure.h"

/* A server may close a connection after each answer (MaxKeepAliveRequests),
 * which sends all that wait behind it again. */
#define RESENT_MAX 200
#define FAILURE_MAX 65536 /* bytes of a failure's body that are looked at */
#define AGENT "SVN/1.14.2 (repobench/" REPO_VERSION ")"
#define CAPABILITY "http://subversion.tigris.org/xmlns/dav/svn/"

struct bench_http_t {
    serf_context_t *serf;
    apr_pool_t *serf_pool; /* of the context and its connections */
    apr_pool_t *pool;
    apr_uri_t url;
    const char *path;
    const char *credentials; /* value of a header, or NULL */
    bench_stats_t *stats;
    fs_error_t *err; /* of a callback; ends the loop */
    int waiting;     /* requests without complete answer */
    bool closed;
};

struct bench_conn_t {
    bench_http_t *http;
    serf_connection_t *serf;
    serf_bucket_alloc_t *alloc;
    int pending;
};

/* A request on its way. */
typedef struct flight_t {
    bench_conn_t *conn;
    bench_request_t request;
    apr_pool_t *pool; /* of this struct */
    apr_time_t sent;  /* when it was handed to the connection */
    int status;       /* of the answer; 0: not there yet */
    int resent;
    char *failure;
    apr_size_t failure_len;
} flight_t;

/* ---- the answer ---- */

static apr_status_t fail(bench_http_t *http, fs_error_t *err)
{
    if (http->err)
        fs_error_clear(err);
    else
        http->err = err;
    return APR_EGENERAL;
}

static fs_error_t *network_error(const bench_http_t *http, apr_status_t status)
{
    const char *text = serf_error_string(status);

    if (text)
        return FS_ERROR(FS_ERR_IO, "talking to %s: %s", http->url.hostinfo,
                        text);
    return FS_ERROR_APR(status, "talking to %s", http->url.hostinfo);
}

static fs_error_t *status_error(const flight_t *flight)
{
    const char *text = NULL;

    if (flight->failure)
        text = bench_failure_text(flight->failure, flight->failure_len,
                                  flight->pool);
    return FS_ERROR(FS_ERR_DAV_REQUEST, "%s %s was answered by status %d%s%s",
                    flight->request.method, flight->request.uri, flight->status,
                    text ? ": " : "", text ? text : "");
}

static bool succeeded(const flight_t *flight)
{
    return flight->status >= 200 && flight->status < 300;
}

static int tell_header(void *baton, const char *name, const char *value)
{
    const flight_t *flight = baton;

    flight->request.header(flight->request.baton, name, value);
    return 0;
}

/* Read status and headers; APR_EAGAIN if they are not complete. */
static apr_status_t read_head(flight_t *flight, serf_bucket_t *response)
{
    serf_status_line line;
    apr_status_t status = serf_bucket_response_status(response, &line);

    if (status != APR_SUCCESS || !line.version)
        return status == APR_SUCCESS ? APR_EAGAIN : status;
    status = serf_bucket_response_wait_for_headers(response);
    if (status != APR_SUCCESS && !APR_STATUS_IS_EOF(status))
        return status;
    flight->status = line.code;
    if (succeeded(flight) && flight->request.header)
        serf_bucket_headers_do(serf_bucket_response_get_headers(response),
                               tell_header, flight);
    return APR_SUCCESS;
}

static fs_error_t *take_data(flight_t *flight, const char *data, apr_size_t len)
{
    apr_size_t room = FAILURE_MAX - flight->failure_len;

    if (len == 0)
        return NULL;
    flight->conn->http->stats->content += len;
    if (succeeded(flight))
        return flight->request.data
                   ? flight->request.data(flight->request.baton, data, len)
                   : NULL;
    if (!flight->failure)
        flight->failure = apr_palloc(flight->pool, FAILURE_MAX);
    if (len > room)
        len = room;
    memcpy(flight->failure + flight->failure_len, data, len);
    flight->failure_len += len;
    return NULL;
}

static fs_error_t *complete(flight_t *flight)
{
    bench_http_t *http = flight->conn->http;
    fs_error_t *err = NULL;

    flight->conn->pending--;
    http->waiting--;
    http->stats->requests++;
    bench_histogram_add(&http->stats->request_us,
                        apr_time_now() - flight->sent);
    if (!succeeded(flight))
        err = status_error(flight);
    else if (flight->request.done)
        err = flight->request.done(flight->request.baton);
    apr_pool_destroy(flight->pool);
    return err;
}

static apr_status_t read_answer(flight_t *flight, serf_bucket_t *response)
{
    bench_http_t *http = flight->conn->http;
    apr_status_t status = APR_SUCCESS;
    fs_error_t *err;
    const char *data;
    apr_size_t len;

    if (!flight->status)
        status = read_head(flight, response);
    while (status == APR_SUCCESS) {
        status = serf_bucket_read(response, SERF_READ_ALL_AVAIL, &data, &len);
        if (SERF_BUCKET_READ_ERROR(status))
            break;
        err = take_data(flight, data, len);
        if (err)
            return fail(http, err);
    }
    if (APR_STATUS_IS_EOF(status) && flight->status) {
        err = complete(flight);
        return err ? fail(http, err) : APR_EOF;
    }
    return status;
}

/* ---- the request ---- */

static serf_bucket_t *accept_answer(serf_request_t *request,
                                    serf_bucket_t *stream, void *baton,
                                    apr_pool_t *pool)
{
    serf_bucket_alloc_t *alloc = serf_request_get_alloc(request);
    const flight_t *flight = baton;
    serf_bucket_t *answer;

    (void)pool;
    answer = serf_bucket_response_create(
        serf_bucket_barrier_create(stream, alloc), alloc);
    if (strcmp(flight->request.method, "HEAD") == 0)
        serf_bucket_response_set_head(answer);
    return answer;
}

static apr_status_t setup_request(serf_request_t *request, void *baton,
                                  serf_bucket_t **bucket,
                                  serf_response_acceptor_t *acceptor,
                                  void **acceptor_baton,
                                  serf_response_handler_t *handler,
                                  void **handler_baton, apr_pool_t *pool);

static apr_status_t handle_answer(serf_request_t *request,
                                  serf_bucket_t *response, void *baton,
                                  apr_pool_t *pool)
{
    flight_t *flight = baton;
    bench_http_t *http = flight->conn->http;

    (void)request;
    (void)pool;
    if (http->closed || http->err)
        return APR_EGENERAL;
    if (response)
        return read_answer(flight, response);
    if (flight->status || ++flight->resent > RESENT_MAX)
        return fail(http, FS_ERROR(FS_ERR_IO,
                                   "%s closed the connection before the answer "
                                   "to %s %s was complete",
                                   http->url.hostinfo, flight->request.method,
                                   flight->request.uri));
    http->stats->resent++;
    serf_connection_request_create(flight->conn->serf, setup_request, flight);
    return APR_SUCCESS;
}

static void set_headers(serf_bucket_t *headers, const flight_t *flight)
{
    const bench_request_t *request = &flight->request;
    const char *user = flight->conn->http->credentials;

    serf_bucket_headers_setn(headers, "User-Agent", AGENT);
    serf_bucket_headers_setn(headers, "Accept-Encoding",
                             request->svndiff
                                 ? "gzip,svndiff2;q=0.9,svndiff1;q=0.8,"
                                   "svndiff;q=0.7"
                                 : "gzip");
    if (user)
        serf_bucket_headers_setn(headers, "Authorization", user);
    if (request->body)
        serf_bucket_headers_setn(headers, "Content-Type", "text/xml");
    if (request->depth)
        serf_bucket_headers_setn(headers, "Depth", request->depth);
    if (request->plain)
        return;
    serf_bucket_headers_setn(headers, "DAV", CAPABILITY "depth");
    serf_bucket_headers_setn(headers, "DAV", CAPABILITY "mergeinfo");
    serf_bucket_headers_setn(headers, "DAV", CAPABILITY "log-revprops");
}

static apr_status_t setup_request(serf_request_t *request, void *baton,
                                  serf_bucket_t **bucket,
                                  serf_response_acceptor_t *acceptor,
                                  void **acceptor_baton,
                                  serf_response_handler_t *handler,
                                  void **handler_baton, apr_pool_t *pool)
{
    serf_bucket_alloc_t *alloc = serf_request_get_alloc(request);
    flight_t *flight = baton;
    serf_bucket_t *body = NULL;

    (void)pool;
    if (flight->request.body)
        body = serf_bucket_simple_create(flight->request.body,
                                         strlen(flight->request.body), NULL,
                                         NULL, alloc);
    *bucket = serf_request_bucket_request_create(
        request, flight->request.method, flight->request.uri, body, alloc);
    set_headers(serf_bucket_request_get_headers(*bucket), flight);
    *acceptor = accept_answer;
    *handler = handle_answer;
    *acceptor_baton = *handler_baton = flight;
    flight->sent = apr_time_now();
    return APR_SUCCESS;
}

void bench_http_send(bench_conn_t *conn, const bench_request_t *request)
{
    flight_t *flight;
    apr_pool_t *pool;

    apr_pool_create(&pool, conn->http->pool);
    flight = apr_pcalloc(pool, sizeof(*flight));
    flight->pool = pool;
    flight->conn = conn;
    flight->request = *request;
    flight->request.uri = apr_pstrdup(pool, request->uri);
    conn->pending++;
    conn->http->waiting++;
    serf_connection_request_create(conn->serf, setup_request, flight);
}

int bench_http_pending(const bench_conn_t *conn)
{
    return conn->pending;
}

/* ---- connections and the loop ---- */

static apr_status_t setup_connection(apr_socket_t *socket, serf_bucket_t **in,
                                     serf_bucket_t **out, void *baton,
                                     apr_pool_t *pool)
{
    bench_conn_t *conn = baton;

    (void)out;
    (void)pool;
    *in = serf_context_bucket_socket_create(conn->http->serf, socket,
                                            conn->alloc);
    conn->http->stats->connections++;
    return APR_SUCCESS;
}

/* What ends badly is told by the loop. */
static void connection_closed(serf_connection_t *serf, void *baton,
                              apr_status_t why, apr_pool_t *pool)
{
    (void)serf;
    (void)baton;
    (void)why;
    (void)pool;
}

fs_error_t *bench_http_connect(bench_conn_t **conn, bench_http_t *http)
{
    bench_conn_t *made = apr_pcalloc(http->serf_pool, sizeof(*made));
    apr_status_t status;

    made->http = http;
    made->alloc = serf_bucket_allocator_create(http->serf_pool, NULL, NULL);
    status = serf_connection_create2(&made->serf, http->serf, http->url,
                                     setup_connection, made, connection_closed,
                                     made, http->serf_pool);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "looking up the host %s",
                            http->url.hostname);
    *conn = made;
    return NULL;
}

static void count_bytes(void *baton, apr_off_t received, apr_off_t sent)
{
    bench_stats_t *stats = baton;

    stats->received = (apr_uint64_t)received;
    stats->sent = (apr_uint64_t)sent;
}

/* Sent unasked, as clients do once they know that the server wants it. */
static const char *credentials(const apr_uri_t *url, apr_pool_t *pool)
{
    const char *plain;
    char *encoded;
    apr_size_t len;

    if (!url->user)
        return NULL;
    plain = apr_pstrcat(pool, url->user, ":",
                        url->password ? url->password : "", NULL);
    len = strlen(plain);
    encoded = apr_palloc(pool, (apr_size_t)apr_base64_encode_len((int)len));
    apr_base64_encode(encoded, plain, (int)len);
    return apr_pstrcat(pool, "Basic ", encoded, NULL);
}

/* Before the pools of requests go, whose handlers are called once more. */
static apr_status_t close_serf(void *baton)
{
    bench_http_t *http = baton;

    http->closed = true;
    fs_error_clear(http->err);
    http->err = NULL;
    apr_pool_destroy(http->serf_pool);
    return APR_SUCCESS;
}

fs_error_t *bench_http_create(bench_http_t **http, const char *url,
                              bench_stats_t *stats, apr_pool_t *pool)
{
    bench_http_t *made = apr_pcalloc(pool, sizeof(*made));
    apr_size_t len;
    char *path;

    if (apr_uri_parse(pool, url, &made->url) != APR_SUCCESS ||
        !made->url.scheme || strcmp(made->url.scheme, "http") != 0 ||
        !made->url.hostname)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "'%s' is not a URL of the form http://HOST[:PORT]/PATH",
                        url);
    if (!made->url.port)
        made->url.port = APR_URI_HTTP_DEFAULT_PORT;
    path = apr_pstrdup(pool, made->url.path ? made->url.path : "");
    for (len = strlen(path); len > 0 && path[len - 1] == '/'; len--)
        path[len - 1] = '\0';
    made->path = path;
    made->stats = stats;
    made->pool = pool;
    apr_pool_create(&made->serf_pool, pool);
    made->serf = serf_context_create(made->serf_pool);
    serf_context_set_progress_cb(made->serf, count_bytes, stats);
    made->credentials = credentials(&made->url, pool);
    apr_pool_pre_cleanup_register(pool, made, close_serf);
    *http = made;
    return NULL;
}

const char *bench_http_path(const bench_http_t *http)
{
    return http->path;
}

fs_error_t *bench_http_run(bench_http_t *http)
{
    apr_status_t status = APR_SUCCESS;
    fs_error_t *err;
    apr_pool_t *iter;

    apr_pool_create(&iter, http->pool);
    while (http->waiting > 0 && !http->err &&
           (status == APR_SUCCESS || APR_STATUS_IS_TIMEUP(status))) {
        apr_pool_clear(iter);
        status = serf_context_run(http->serf, apr_time_from_sec(1), iter);
    }
    apr_pool_destroy(iter);
    err = http->err;
    http->err = NULL;
    if (!err && http->waiting > 0)
        err = network_error(http, status);
    if (err)
        http->closed = true;
    return err;
}

const char *bench_http_encode(const char *path, apr_pool_t *pool)
{
    static const char digits[] = "0123456789ABCDEF";
    char *out = apr_palloc(pool, strlen(path) * 3 + 1);
    char *next = out;

    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;

        if (apr_isalnum(c) || strchr("/-_.~!$&'()*+,:=@", c)) {
            *next++ = (char)c;
            continue;
        }
        *next++ = '%';
        *next++ = digits[c >> 4];
        *next++ = digits[c & 15];
    }
    *next = '\0';
    return out;
}
