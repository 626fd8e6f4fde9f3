/* SPDX-License-Identifier: Apache-2.0 */
/* A session on a repository, opened by OPTIONS as clients do. */

#ifndef TOOLS_REPOBENCH_SESSION_H
#define TOOLS_REPOBENCH_SESSION_H

#include "tools/repobench/http.h"

/** What the server said of itself; members live in `pool`. */
typedef struct bench_session_t {
    apr_pool_t *pool;
    fs_rev_t youngest;
    const char *root;     /* path of the repository's root, percent-encoded */
    const char *me;       /* where update reports go */
    const char *rev_root; /* trees of revisions are below */
    const char *path;     /* the session's, percent-encoded */
    fs_error_t *(*opened)(void *baton);
    void *baton;
} bench_session_t;

/**
 * Ask the server on `conn` about the URL path `path`, then call `opened`.
 * Errors: FS_ERR_UNSUPPORTED, the server does not speak version 2 of the
 *         protocol; FS_ERR_NO_SUCH_REV, it told no youngest revision; these
 *         and what `opened` returns come out of bench_http_run().
 * Source: docs/protocol/http.md, "Opening a session".
 */
void bench_session_open(bench_session_t *session, bench_conn_t *conn,
                        const char *path);

/**
 * Path of the URL that names the session's own path, then `relpath` (not
 * encoded), in revision `rev`; in `pool`.
 */
const char *bench_session_uri(const bench_session_t *session, fs_rev_t rev,
                              const char *relpath, apr_pool_t *pool);

#endif
