/* SPDX-License-Identifier: Apache-2.0 */
/* mod_dav's resources. */

#include "mod_repo/dav/resource.h"

#include <string.h>

#include <apr_strings.h>

#include <http_core.h>
#include <http_protocol.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "mod_repo/dav/autoversion.h"
#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/headers.h"

bool repo_resource_is_ours(const dav_resource *resource)
{
    return resource && resource->hooks == &repo_provider_repository;
}

request_rec *repo_resource_request(const dav_resource *resource)
{
    return resource->info->request->r;
}

bool repo_resource_has_node(const dav_resource *resource)
{
    return resource->info->node != NULL;
}

bool repo_resource_is_revision(const dav_resource *resource)
{
    return resource->info->uri.kind == REPO_URI_REV ||
           resource->info->uri.kind == REPO_URI_BLN;
}

/* ---- URIs ---- */

/* What mod_dav shows as href: decoded, as it escapes by itself. */
static const char *plain_uri(const dav_resource_private *info, bool slash,
                             apr_pool_t *result)
{
    const repo_request_t *request = info->request;
    const repo_uri_t *uri = &info->uri;
    const char *end = slash && strcmp(uri->path, "/") != 0 ? "/" : "";

    switch (uri->kind) {
    case REPO_URI_PUBLIC:
        return apr_pstrcat(result, request->root, uri->path, end, NULL);
    case REPO_URI_RVR:
    case REPO_URI_BC:
    case REPO_URI_VER:
        return apr_psprintf(result, "%s/%s/%s/%" FS_REV_FMT "%s%s",
                            request->root, request->special,
                            repo_uri_word(uri->kind), uri->rev, uri->path, end);
    case REPO_URI_ME:
        return apr_pstrcat(result, request->root, "/", request->special, "/me",
                           NULL);
    case REPO_URI_VCC:
        return apr_pstrcat(result, request->root, "/", request->special,
                           "/vcc/default", NULL);
    case REPO_URI_REV:
    case REPO_URI_BLN:
        /* Both are the same resource, shown by its older name. */
        return apr_psprintf(result, "%s/%s/bln/%" FS_REV_FMT, request->root,
                            request->special, uri->rev);
    default:
        return request->r->uri;
    }
}

static dav_resource *make_resource(repo_request_t *request,
                                   const repo_uri_t *uri, apr_pool_t *pool)
{
    dav_resource *resource = apr_pcalloc(pool, sizeof(*resource));
    dav_resource_private *info = apr_pcalloc(pool, sizeof(*info));

    info->request = request;
    info->uri = *uri;
    info->rev = FS_INVALID_REV;
    info->pinned = FS_INVALID_REV;
    resource->info = info;
    resource->hooks = &repo_provider_repository;
    resource->pool = pool;
    /* What is written to by commits of the request's own mod_dav need not
     * check out. */
    resource->versioned = !repo_autoversion_covers(request, uri);
    return resource;
}

/* Fill in what follows from the node. */
static void set_node(dav_resource *resource, const fs_node_t *node)
{
    dav_resource_private *info = resource->info;

    info->node = node;
    resource->exists = node != NULL;
    resource->collection = node && fs_node_kind(node) == FS_NODE_DIR;
    resource->uri = plain_uri(info, resource->collection, resource->pool);
}

/* ---- redirects ---- */

static bool is_get(const request_rec *r)
{
    return r->method_number == M_GET; /* HEAD as well */
}

static dav_error *redirect(const repo_request_t *request, int status,
                           const char *url)
{
    request_rec *r = request->r;

    if (repo_request_is_restricted(request)) /* where it is tells that it is */
        apr_table_setn(r->err_headers_out, "Cache-Control",
                       "private, no-cache");
    apr_table_setn(r->headers_out, "Location",
                   ap_construct_url(r->pool, url, r));
    return dav_new_error(r->pool, status, 0, 0, "the resource is elsewhere");
}

/* Browsers resolve relative links only against a URL with a slash. */
static dav_error *add_slash(const repo_request_t *request)
{
    request_rec *r = request->r;
    const char *url = apr_pstrcat(r->pool, repo_uri_encode(r->uri, r->pool),
                                  "/", r->args ? "?" : NULL, r->args, NULL);

    return redirect(request, HTTP_MOVED_PERMANENTLY, url);
}

/* ---- ?p= and ?r= ---- */

static dav_error *parse_query_rev(fs_rev_t *rev, request_rec *r,
                                  const char *name)
{
    const char *text = repo_headers_query(r, name, r->pool);

    *rev = FS_INVALID_REV;
    if (!text)
        return NULL;
    while (*text == 'r')
        text++;
    if (!repo_uri_parse_rev(rev, text))
        return dav_new_error(r->pool, HTTP_NOT_FOUND, 0, 0,
                             "a revision in the query is not a number");
    return NULL;
}

/* ?r=: send to where the node was in that revision. */
static dav_error *go_to_operative(repo_request_t *request, fs_rev_t peg,
                                  fs_rev_t operative, bool had_peg)
{
    request_rec *r = request->r;
    apr_array_header_t *paths;
    const char *path, *url, *keep;
    fs_error_t *err;

    if (operative > peg)
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_NO_SUCH_REV,
                              "the operative revision is younger than the peg "
                              "revision");
    err = fs_locations(&paths, request->repo, request->uri.path, peg,
                       &operative, 1, repo_request_reader(request), r->pool);
    if (err)
        return repo_error_convert(r, err, HTTP_NOT_FOUND);
    path = APR_ARRAY_IDX(paths, 0, const char *);
    if (!path)
        return repo_error_new(r->pool, HTTP_NOT_FOUND, FS_ERR_NOT_FOUND,
                              "the item does not exist in that revision");
    keep = repo_headers_query(r, "kw", r->pool) ? "&kw=1" : "";
    url = apr_psprintf(
        r->pool, "%s?p=%" FS_REV_FMT "%s",
        repo_request_url(request, REPO_URI_PUBLIC, 0, path, r->pool), operative,
        keep);
    return redirect(request,
                    had_peg ? HTTP_MOVED_PERMANENTLY : HTTP_MOVED_TEMPORARILY,
                    url);
}

static dav_error *apply_query(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    request_rec *r = info->request->r;
    fs_rev_t peg, operative;
    dav_error *err = parse_query_rev(&peg, r, "p");

    if (!err)
        err = parse_query_rev(&operative, r, "r");
    if (err)
        return err;
    if (FS_IS_REV(peg)) {
        info->rev = peg;
        info->pinned = peg;
        resource->versioned = 1;
    }
    if (FS_IS_REV(operative) && operative != info->rev)
        return go_to_operative(info->request, info->rev, operative,
                               FS_IS_REV(peg));
    return NULL;
}

/* ---- the kinds ---- */

static fs_error_t *find_node(const fs_node_t **node, dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    repo_request_t *request = info->request;
    bool allowed = true;

    *node = NULL;
    /* httpd has decided about the URL, not about another revision. */
    if (FS_IS_REV(info->pinned))
        FS_TRY(repo_access_may_read(&allowed, request->access, info->pinned,
                                    info->uri.path, resource->pool));
    if (!allowed)
        return fs_root_open(&info->root, request->repo, info->rev,
                            resource->pool);
    return fs_node_find_in(node, &info->root, request->repo, info->rev,
                           info->uri.path, resource->pool);
}

static dav_error *get_tree(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    request_rec *r = info->request->r;
    const fs_node_t *node;
    fs_error_t *err = repo_request_rev(&info->rev, info->request);
    dav_error *failed;

    if (err)
        return repo_error_convert(r, err, 0);
    resource->type = info->uri.kind == REPO_URI_VER ? DAV_RESOURCE_TYPE_VERSION
                                                    : DAV_RESOURCE_TYPE_REGULAR;
    if (r->args && resource->type == DAV_RESOURCE_TYPE_REGULAR) {
        failed = apply_query(resource);
        if (failed)
            return failed;
    }
    err = find_node(&node, resource);
    if (err)
        return repo_error_convert(r, err, 0);
    set_node(resource, node);
    if (resource->collection && is_get(r) && !info->request->uri.slash)
        return add_slash(info->request);
    if (!node && is_get(r) && info->uri.kind == REPO_URI_VER)
        return repo_error_new(r->pool, HTTP_NOT_FOUND, FS_ERR_NOT_FOUND,
                              "the item does not exist in that revision");
    return NULL;
}

static dav_error *get_revision(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    fs_rev_t youngest;
    fs_error_t *err = repo_request_youngest(&youngest, info->request);

    if (err)
        return repo_error_convert(info->request->r, err, 0);
    resource->type = DAV_RESOURCE_TYPE_VERSION;
    resource->baselined = 1;
    info->rev = info->uri.rev;
    if (info->rev > youngest)
        return repo_error_new(
            info->request->pool, HTTP_NOT_FOUND, FS_ERR_NO_SUCH_REV,
            apr_psprintf(info->request->pool, "no such revision %" FS_REV_FMT,
                         info->rev));
    resource->exists = 1;
    resource->uri = plain_uri(info, false, resource->pool);
    return NULL;
}

/* The version of it that is checked in: the youngest revision. */
static dav_error *get_checked_in(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    fs_error_t *err = repo_request_youngest(&info->uri.rev, info->request);

    if (err)
        return repo_error_convert(info->request->r, err, 0);
    info->uri.kind = REPO_URI_BLN;
    return get_revision(resource);
}

/* me and vcc/default; the latter with a Label: header is bln/N. */
static dav_error *get_configuration(dav_resource *resource, const char *label,
                                    bool checked_in)
{
    dav_resource_private *info = resource->info;
    request_rec *r = info->request->r;

    if (info->uri.kind == REPO_URI_VCC && checked_in)
        return get_checked_in(resource);

    if (info->uri.kind == REPO_URI_VCC && label) {
        apr_table_mergen(r->headers_out, "Vary", "Label");
        if (!repo_uri_parse_rev(&info->uri.rev, label))
            return dav_new_error(r->pool, HTTP_BAD_REQUEST, 0, 0,
                                 "the Label header is not a revision");
        info->uri.kind = REPO_URI_BLN;
        return get_revision(resource);
    }
    resource->type = DAV_RESOURCE_TYPE_PRIVATE;
    resource->exists = 1;
    resource->baselined = 1;
    resource->uri = plain_uri(info, false, resource->pool);
    return NULL;
}

/* The URL above all repositories. */
static dav_error *get_listing(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    request_rec *r = info->request->r;

    info->is_listing = true;
    resource->type = DAV_RESOURCE_TYPE_REGULAR;
    resource->versioned = 0;
    resource->exists = 1;
    resource->collection = 1;
    resource->uri = info->request->uri.slash
                        ? r->uri
                        : apr_pstrcat(resource->pool, r->uri, "/", NULL);
    if (r->method_number == M_OPTIONS)
        return NULL;
    if (!is_get(r) && r->method_number != M_PROPFIND)
        return repo_request_list_is_fixed(r);
    if (!repo_config_list_parent(info->request->config))
        return dav_new_error(r->pool, HTTP_FORBIDDEN, 0, 0,
                             "the list of repositories is not shown");
    if (is_get(r) && !info->request->uri.slash)
        return add_slash(info->request);
    return NULL;
}

static dav_error *get_by_kind(dav_resource *resource, const char *label,
                              bool checked_in)
{
    const dav_resource_private *info = resource->info;

    if (info->request->is_list)
        return get_listing(resource);
    if (repo_uri_is_tree(info->uri.kind))
        return get_tree(resource);
    switch (info->uri.kind) {
    case REPO_URI_REV:
    case REPO_URI_BLN:
        return get_revision(resource);
    case REPO_URI_ME:
    case REPO_URI_VCC:
        return get_configuration(resource, label, checked_in);
    default:
        return repo_working_get(resource);
    }
}

dav_error *repo_resource_get(request_rec *r, const char *root_dir,
                             const char *label, int use_checked_in,
                             dav_resource **out)
{
    repo_request_t *request;
    dav_error *err = repo_request_open(&request, r);

    (void)root_dir; /* the section of RepoPath counts, not an inner one */
    if (err)
        return err;
    *out = make_resource(request, &request->uri, r->pool);
    return get_by_kind(*out, label, use_checked_in != 0);
}

/* ---- relations ---- */

dav_resource *repo_resource_member(const dav_resource *parent,
                                   const fs_node_t *node, apr_pool_t *result)
{
    const dav_resource_private *above = parent->info;
    dav_resource *member = make_resource(above->request, &above->uri, result);

    member->type = parent->type;
    member->info->rev = above->rev;
    member->info->root = above->root;
    member->info->pinned = above->pinned;
    member->info->uri.path = fs_node_path(node);
    set_node(member, node);
    return member;
}

/* In a transaction all have the same parent, which takes them all: whether
 * there is a directory for them, an edit says with the right error. */
static dav_resource *make_shelf(const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    dav_resource *shelf =
        make_resource(info->request, &info->uri, resource->pool);

    shelf->type = DAV_RESOURCE_TYPE_PRIVATE;
    shelf->info->uri = (repo_uri_t){ .kind = REPO_URI_ME, .rev = info->rev };
    shelf->exists = 1;
    shelf->collection = 1;
    shelf->versioned = 0;
    shelf->working = 1;
    shelf->uri = "/";
    return shelf;
}

dav_error *repo_resource_parent(const dav_resource *resource,
                                dav_resource **parent)
{
    const dav_resource_private *info = resource->info;
    const fs_node_t *node = NULL;
    fs_error_t *err;

    *parent = NULL;
    if (repo_working_is_kind(info->uri.kind)) {
        *parent = make_shelf(resource);
        return NULL;
    }
    if (!info->uri.path || info->is_listing || strcmp(info->uri.path, "/") == 0)
        return NULL;
    *parent = make_resource(info->request, &info->uri, resource->pool);
    (*parent)->type = resource->type;
    (*parent)->info->rev = info->rev;
    (*parent)->info->root = info->root;
    (*parent)->info->uri.path = fs_path_parent(info->uri.path, resource->pool);
    err = fs_node_find(&node, info->root, (*parent)->info->uri.path,
                       resource->pool);
    if (err)
        return repo_error_convert(info->request->r, err, 0);
    set_node(*parent, node);
    /* Subversion clients know by 405 that there is nothing to lock; mod_dav
     * has 409 for what would have no parent. */
    if (info->request->is_svn && info->request->r->method_number == M_LOCK)
        (*parent)->exists = (*parent)->collection = 1;
    (*parent)->uri = plain_uri((*parent)->info, true, resource->pool);
    return NULL;
}

int repo_resource_is_same(const dav_resource *a, const dav_resource *b)
{
    if (!repo_resource_is_ours(a) || !repo_resource_is_ours(b))
        return 0;
    return strcmp(a->info->request->root, b->info->request->root) == 0 &&
           a->info->uri.kind == b->info->uri.kind &&
           strcmp(a->uri, b->uri) == 0;
}

int repo_resource_is_parent(const dav_resource *parent,
                            const dav_resource *child)
{
    const repo_uri_t *above, *below;

    if (!repo_resource_is_ours(parent) || !repo_resource_is_ours(child))
        return 0;
    above = &parent->info->uri;
    below = &child->info->uri;
    return strcmp(parent->info->request->root, child->info->request->root) ==
               0 &&
           above->kind == below->kind && above->path && below->path &&
           strcmp(above->path, below->path) != 0 &&
           fs_path_is_within(above->path, below->path);
}
