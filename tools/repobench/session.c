/* SPDX-License-Identifier: Apache-2.0 */
/* A session on a repository, opened by OPTIONS as clients do. */

#include "tools/repobench/session.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <apr_strings.h>

#define OPTIONS_BODY                                                           \
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>"                               \
    "<D:options xmlns:D=\"DAV:\"><D:activity-collection-set>"                  \
    "</D:activity-collection-set></D:options>"

static void take_header(void *baton, const char *name, const char *value)
{
    static const struct {
        const char *header;
        apr_size_t member;
    } table[] = {
        { "SVN-Repository-Root", offsetof(bench_session_t, root) },
        { "SVN-Me-Resource", offsetof(bench_session_t, me) },
        { "SVN-Rev-Root-Stub", offsetof(bench_session_t, rev_root) },
    };
    bench_session_t *session = baton;
    apr_size_t i;

    if (strcasecmp(name, "SVN-Youngest-Rev") == 0)
        session->youngest = apr_atoi64(value);
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcasecmp(name, table[i].header) == 0)
            *(const char **)((char *)session + table[i].member) =
                apr_pstrdup(session->pool, value);
}

static fs_error_t *options_done(void *baton)
{
    bench_session_t *session = baton;

    if (!session->me || !session->rev_root || !session->root)
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "'%s' is not in a repository of a server that speaks "
                        "version 2 of the protocol",
                        session->path);
    if (!FS_IS_REV(session->youngest))
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "the server did not tell the youngest revision");
    if (strncmp(session->path, session->root, strlen(session->root)) != 0)
        return FS_ERROR(FS_ERR_MALFORMED_URL,
                        "the server says that its root is '%s', which '%s' is "
                        "not below",
                        session->root, session->path);
    return session->opened(session->baton);
}

void bench_session_open(bench_session_t *session, bench_conn_t *conn,
                        const char *path)
{
    bench_request_t request = { 0 };

    session->youngest = FS_INVALID_REV;
    session->path = apr_pstrdup(session->pool, path);
    request.method = "OPTIONS";
    request.uri = *path ? path : "/";
    request.body = OPTIONS_BODY;
    request.header = take_header;
    request.done = options_done;
    request.baton = session;
    bench_http_send(conn, &request);
}

const char *bench_session_uri(const bench_session_t *session, fs_rev_t rev,
                              const char *relpath, apr_pool_t *pool)
{
    return apr_psprintf(pool, "%s/%" FS_REV_FMT "%s%s%s", session->rev_root,
                        rev, session->path + strlen(session->root),
                        *relpath ? "/" : "", bench_http_encode(relpath, pool));
}
