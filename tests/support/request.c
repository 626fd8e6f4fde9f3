/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that nobody made. */

#include "tests/support/request.h"

#include <stdarg.h>

#include <apr_strings.h>

static const repo_config_t config;
static const fs_reader_t reader;

repo_request_t *fs_test_request(httpd_request_t *httpd, fs_repo_t *repo,
                                const char *below)
{
    apr_pool_t *pool = httpd->r.pool;
    repo_request_t *request = apr_pcalloc(pool, sizeof(*request));

    request->r = &httpd->r;
    request->pool = pool;
    request->config = &config;
    request->special = "!svn";
    request->root = "/repo";
    request->name = "repo";
    request->repo = repo;
    request->youngest = FS_INVALID_REV;
    return repo_uri_parse(&request->uri, below, "!svn", pool) ? request : NULL;
}

fs_error_t *repo_request_youngest(fs_rev_t *rev, repo_request_t *request)
{
    return fs_repo_youngest(rev, request->repo, request->pool);
}

fs_error_t *repo_request_rev(fs_rev_t *rev, repo_request_t *request)
{
    *rev = request->uri.rev;
    return FS_IS_REV(*rev) ? NULL : repo_request_youngest(rev, request);
}

const fs_reader_t *repo_request_reader(const repo_request_t *request)
{
    (void)request;
    return &reader;
}

const char *repo_request_url(const repo_request_t *request,
                             repo_uri_kind_t kind, fs_rev_t rev,
                             const char *path, apr_pool_t *result)
{
    return repo_uri_build(kind, request->root, request->special, rev, path,
                          result);
}

int repo_request_svndiff_version(const repo_request_t *request)
{
    (void)request;
    return 1;
}

int repo_request_compression(const repo_request_t *request)
{
    (void)request;
    return 5;
}

void repo_request_action(repo_request_t *request, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)apr_pvsprintf(request->pool, format, args);
    va_end(args);
}

fs_error_t *repo_access_may_read(bool *allowed, repo_access_t *access,
                                 fs_rev_t rev, const char *path,
                                 apr_pool_t *scratch)
{
    (void)access;
    (void)rev;
    (void)path;
    (void)scratch;
    *allowed = true;
    return NULL;
}
