/* SPDX-License-Identifier: Apache-2.0 */
/* Connections and requests of all clients in one event loop, upon serf. */

#ifndef TOOLS_REPOBENCH_HTTP_H
#define TOOLS_REPOBENCH_HTTP_H

#include "tools/repobench/bench.h"

typedef struct bench_http_t bench_http_t;
typedef struct bench_conn_t bench_conn_t;

/** A request, and who is told of its answer. Unused members are NULL. */
typedef struct bench_request_t {
    const char *method;
    const char *uri;   /* path, percent-encoded */
    const char *body;  /* XML */
    const char *depth; /* value of the header Depth */
    bool svndiff;      /* say that deltas of each version are welcome */
    bool plain;        /* without capabilities, as clients fetch contents */
    /** A header of an answer of the 2xx family. */
    void (*header)(void *baton, const char *name, const char *value);
    /** Bytes of the body of such an answer, as they arrive. */
    fs_error_t *(*data)(void *baton, const char *data, apr_size_t len);
    /** Such an answer is complete; may send further requests. */
    fs_error_t *(*done)(void *baton);
    void *baton;
} bench_request_t;

/**
 * Make an event loop for connections to the host that `url` names; it counts
 * in `stats`, and ends with `pool`. User and password in the URL are sent
 * with each request (Basic).
 * Errors: FS_ERR_BAD_ARGS, not a URL of a scheme that is spoken (http).
 */
fs_error_t *bench_http_create(bench_http_t **http, const char *url,
                              bench_stats_t *stats,
                              apr_pool_t *pool) FS_MUST_CHECK;

/** The path of the URL, percent-encoded, without trailing slash. */
const char *bench_http_path(const bench_http_t *http);

/** A new connection, opened when something is sent. */
fs_error_t *bench_http_connect(bench_conn_t **conn,
                               bench_http_t *http) FS_MUST_CHECK;

/**
 * Queue a request; strings of it must stay until its end, but for `uri`,
 * which is copied. Several may wait on a connection: they are pipelined. What
 * was not answered when the server closed the connection is sent again.
 */
void bench_http_send(bench_conn_t *conn, const bench_request_t *request);

/** How many requests on it wait for the end of their answers. */
int bench_http_pending(const bench_conn_t *conn);

/**
 * Run until no request is left or one fails.
 * Errors: whatever a callback returned; FS_ERR_DAV_REQUEST, an answer outside
 *         the 2xx family (status and the server's text are named);
 *         FS_ERR_IO, the network.
 */
fs_error_t *bench_http_run(bench_http_t *http) FS_MUST_CHECK;

/** `path` with all bytes escaped that a URI's path must not hold; in `pool`. */
const char *bench_http_encode(const char *path, apr_pool_t *pool);

#endif
