/* SPDX-License-Identifier: Apache-2.0 */
/* One request on one of our locations. */

#include "mod_repo/request/request.h"

#include <stdarg.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include <http_protocol.h>
#include <http_request.h>

#include "libfs/fs_path.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/headers.h"
#include "mod_repo/http/log.h"
#include "mod_repo/request/process.h"

REPO_USE_LOG;

const dav_provider *repo_request_provider;

bool repo_request_is_ours(request_rec *r)
{
    const dav_provider *provider = dav_get_provider(r);

    return provider && provider == repo_request_provider;
}

/* URL path of the location that has the repository. */
static const char *location_of(request_rec *r, const repo_config_t *config)
{
    const char *base = dav_get_base_path(r);

    return base ? base : config->base;
}

static dav_error *not_configured(request_rec *r, const char *what)
{
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "%s", what);
    return repo_error_new(r->pool, HTTP_INTERNAL_SERVER_ERROR,
                          REPO_ERR_NO_REPOSITORY,
                          "no repository is configured at this location");
}

static dav_error *check_config(request_rec *r, const repo_config_t *config)
{
    if (config->refused)
        return not_configured(r, config->refused);
    if (!config->path && !config->parent)
        return not_configured(r, "this location has neither RepoPath nor "
                                 "RepoParentPath");
    if (!location_of(r, config) || *location_of(r, config) != '/')
        return not_configured(r, "the location of the repository is a pattern: "
                                 "set DavBasePath");
    return NULL;
}

/* Split and parse the URL. */
static dav_error *parse_url(repo_request_t *request, const char *path)
{
    request_rec *r = request->r;
    const repo_config_t *config = request->config;
    const char *below;

    if (!repo_uri_split(&request->root, &request->name, &below,
                        location_of(r, config), path, config->parent != NULL,
                        r->pool))
        return dav_new_error(r->pool, HTTP_BAD_REQUEST, 0, 0,
                             "the URL is not below the location");
    if (config->parent && !*request->name) {
        request->is_list = true;
        request->uri = (repo_uri_t){ .kind = REPO_URI_PUBLIC,
                                     .path = "/",
                                     .rev = FS_INVALID_REV,
                                     .slash = *below == '/' };
        return NULL;
    }
    if (!repo_uri_parse(&request->uri, below, request->special, r->pool))
        return dav_new_error(r->pool, HTTP_NOT_FOUND, 0, 0,
                             "there is no such special URL");
    return NULL;
}

/* No text of libfs here: it would tell a missing folder from others. */
static dav_error *open_error(repo_request_t *request, fs_error_t *err)
{
    request_rec *r = request->r;

    /* A name that no folder can have is the client's, too. */
    if (err->code == FS_ERR_NOT_FOUND ||
        APR_STATUS_IS_ENAMETOOLONG(err->apr_status)) {
        repo_error_log(r, err);
        fs_error_clear(err);
        return repo_error_new(r->pool, HTTP_NOT_FOUND, APR_ENOENT,
                              "there is no such repository");
    }
    return repo_error_convert(r, err, HTTP_INTERNAL_SERVER_ERROR);
}

static dav_error *open_repository(repo_request_t *request)
{
    const repo_config_t *config = request->config;
    const char *folder = config->path;
    fs_error_t *err;

    if (config->parent)
        folder = apr_pstrcat(request->pool, config->parent, "/", request->name,
                             NULL);
    request->name = apr_filepath_name_get(folder);
    err = fs_repo_set_get(&request->repo, repo_process_repos(), folder,
                          config->options, request->pool);
    if (err)
        return open_error(request, err);
    /* It was looked at just now; all parts of the answer agree on it. */
    request->youngest = fs_repo_youngest_known(request->repo);
    return NULL;
}

dav_error *repo_request_open_path(repo_request_t **out, request_rec *r,
                                  const char *path)
{
    const repo_config_t *config = repo_config_of(r);
    repo_request_t *request = apr_pcalloc(r->pool, sizeof(*request));
    dav_error *err = check_config(r, config);

    if (err)
        return err;
    request->r = r;
    request->pool = r->pool;
    request->config = config;
    request->special = repo_config_special(r->server);
    request->is_svn = repo_headers_is_svn(r);
    request->youngest = FS_INVALID_REV;
    err = parse_url(request, path);
    if (!err && !request->is_list)
        err = open_repository(request);
    if (err)
        return err;
    request->access =
        repo_access_create(r, request->root, request->special,
                           repo_config_path_authz(config), r->pool);
    repo_process_count(REPO_COUNT_REQUESTS);
    *out = request;
    return NULL;
}

dav_error *repo_request_open(repo_request_t **out, request_rec *r)
{
    return repo_request_open_path(out, r, r->uri);
}

fs_error_t *repo_request_youngest(fs_rev_t *rev, repo_request_t *request)
{
    if (!FS_IS_REV(request->youngest))
        FS_TRY(
            fs_repo_youngest(&request->youngest, request->repo, request->pool));
    *rev = request->youngest;
    return NULL;
}

fs_error_t *repo_request_rev(fs_rev_t *rev, repo_request_t *request)
{
    if (FS_IS_REV(request->uri.rev)) {
        *rev = request->uri.rev;
        return NULL;
    }
    return repo_request_youngest(rev, request);
}

const fs_reader_t *repo_request_reader(const repo_request_t *request)
{
    return repo_access_reader(request->access);
}

bool repo_request_is_restricted(const repo_request_t *request)
{
    return request->r->user || ap_some_authn_required(request->r) ||
           repo_request_reader(request)->may_read;
}

const char *repo_request_url(const repo_request_t *request,
                             repo_uri_kind_t kind, fs_rev_t rev,
                             const char *path, apr_pool_t *result)
{
    return repo_uri_build(kind, request->root, request->special, rev, path,
                          result);
}

dav_error *repo_request_list_is_fixed(request_rec *r)
{
    apr_table_setn(r->headers_out, "Allow", "OPTIONS,GET,HEAD,PROPFIND");
    return repo_error_new(r->pool, HTTP_METHOD_NOT_ALLOWED,
                          REPO_ERR_DAV_REQUEST,
                          "the list of repositories can only be read");
}

int repo_request_compression(const repo_request_t *request)
{
    return repo_config_compression(request->r->server);
}

int repo_request_svndiff_version(const repo_request_t *request)
{
    return repo_headers_svndiff_version(
        apr_table_get(request->r->headers_in, "Accept-Encoding"),
        repo_request_compression(request));
}

void repo_request_action(repo_request_t *request, const char *format, ...)
{
    request_rec *r = request->r;
    apr_table_t *env;
    va_list args;

    while (r->main) /* mod_dav looks destinations up by subrequests */
        r = r->main;
    env = r->subprocess_env;
    va_start(args, format);
    apr_table_setn(env, "SVN-ACTION", apr_pvsprintf(r->pool, format, args));
    va_end(args);
    apr_table_setn(env, "SVN-REPOS",
                   repo_uri_encode(fs_repo_path(request->repo), r->pool));
    apr_table_setn(env, "SVN-REPOS-NAME",
                   repo_uri_encode(request->name, r->pool));
}
