/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that repeat one operation against a server, all at once. */

#ifndef TOOLS_REPOBENCH_CLIENT_H
#define TOOLS_REPOBENCH_CLIENT_H

#include "tools/repobench/session.h"

/** One client; commands read it. */
struct bench_client_t {
    const bench_args_t *args;
    const bench_command_t *command;
    bench_http_t *http;
    bench_stats_t *stats;
    bench_session_t session;
    bench_conn_t **conns; /* the first `conn_count` of args->connections */
    int conn_count;
    apr_pool_t *pool; /* of the operation: cleared before each */
    fs_rev_t rev;     /* what the operation is to look at */
    apr_time_t began;
    int left; /* operations to do */
};

/**
 * Run args->clients clients, each args->repetitions operations over a session
 * of its own, and count in `stats`.
 */
fs_error_t *bench_client_run(const bench_command_t *command,
                             const bench_args_t *args,
                             bench_stats_t *stats) FS_MUST_CHECK;

/** The operation that command->http began is complete: begin the next. */
fs_error_t *bench_client_done(bench_client_t *client) FS_MUST_CHECK;

/** Open one more connection. */
fs_error_t *bench_client_connect(bench_client_t *client) FS_MUST_CHECK;

/**
 * Send the request of an operation that has just one; of the answer in XML,
 * which is checked to be well-formed, elements called `item` are counted.
 * @param request  without callbacks; its strings live in client->pool
 */
fs_error_t *bench_client_count(bench_client_t *client,
                               const bench_request_t *request,
                               const char *item) FS_MUST_CHECK;

#endif
