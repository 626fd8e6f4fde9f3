/* SPDX-License-Identifier: Apache-2.0 */
/* Activities, and what is checked out into them. */

#include "mod_repo/dav/checkout.h"

#include <string.h>

#include <apr_strings.h>

#include "mod_repo/http/error.h"
#include "mod_repo/request/activity.h"
#include "mod_repo/request/txn.h"

/** Numbers that clients of this version of the protocol know. */
enum {
    ERR_NO_ACTIVITY = 190002,
    ERR_NOT_YOUNGEST = 190003
};

dav_error *repo_checkout_make_activity(dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    repo_request_t *request = info->request;
    fs_txn_t *txn;
    fs_error_t *err = repo_txn_begin(&txn, request, NULL, request->pool);

    if (err)
        return repo_txn_error(request, err);
    err = repo_activity_put(request, info->uri.name, fs_txn_name(txn),
                            request->pool);
    if (err) {
        repo_txn_abort(txn, request, request->pool);
        return repo_txn_error(request, err);
    }
    fs_txn_close(txn);
    resource->exists = 1;
    /* mod_dav makes a header of it as it is. */
    resource->uri = repo_uri_encode(resource->uri, resource->pool);
    return NULL;
}

/* ---- which activity ---- */

static dav_error *conflict(const repo_request_t *request, int number,
                           const char *text)
{
    return repo_error_new(request->pool, HTTP_CONFLICT, number, text);
}

/* The id in the URL of an activity of this repository, or NULL. */
static const char *id_of(const repo_request_t *request, const char *url)
{
    const char *path = repo_uri_decode(url, request->pool);
    apr_size_t len = strlen(request->root);
    repo_uri_t uri;

    if (!path || strncmp(path, request->root, len) != 0 ||
        !repo_uri_parse(&uri, path + len, request->special, request->pool) ||
        uri.kind != REPO_URI_ACT)
        return NULL;
    return uri.name;
}

static dav_error *find_activity(const char **id, const char **txn,
                                const repo_request_t *request,
                                const apr_array_header_t *activities)
{
    fs_error_t *err;

    if (!activities || activities->nelts == 0)
        return conflict(request, FS_ERR_INCOMPLETE_DATA,
                        "what is checked out goes into an activity, and none "
                        "is named");
    *id = activities->nelts > 1
              ? NULL
              : id_of(request, APR_ARRAY_IDX(activities, 0, const char *));
    if (!*id)
        return conflict(request, FS_ERR_BAD_NUMBER,
                        "what is checked out goes into one activity of this "
                        "repository");
    err = repo_activity_get(txn, request, *id, request->pool);
    if (err)
        return repo_txn_error(request, err);
    return *txn && **txn ? NULL
                         : conflict(request, ERR_NO_ACTIVITY,
                                    "there is no such activity");
}

/* ---- is it up to date ---- */

static dav_error *out_of_date(const dav_resource *resource)
{
    return conflict(resource->info->request, FS_ERR_CONFLICT,
                    apr_psprintf(resource->pool,
                                 "resource '%s' is out of date: check it out "
                                 "again after an update",
                                 resource->info->uri.path));
}

static dav_error *check_youngest(const dav_resource *resource)
{
    repo_request_t *request = resource->info->request;
    fs_rev_t youngest;
    fs_error_t *err = repo_request_youngest(&youngest, request);

    if (err)
        return repo_txn_error(request, err);
    return resource->info->rev == youngest
               ? NULL
               : conflict(request, ERR_NOT_YOUNGEST,
                          "only the youngest revision can be checked out");
}

/* The node in the transaction, as against the one that the client has. */
static dav_error *compare_node(const dav_resource *resource, fs_txn_t *txn)
{
    const dav_resource_private *info = resource->info;
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t created;
    fs_error_t *err = fs_txn_root(&root, txn, resource->pool);

    if (!err)
        err = fs_node_find(&node, root, info->uri.path, resource->pool);
    if (err)
        return repo_txn_error(info->request, err);
    if (!node)
        return out_of_date(resource);
    created = fs_node_created_rev(node);
    if (!FS_IS_REV(created)) /* changed in this transaction already */
        return NULL;
    if (info->rev < created ||
        (info->rev > created && fs_node_relation(node, info->node) != FS_SAME))
        return out_of_date(resource);
    return NULL;
}

static dav_error *check_node(const dav_resource *resource, const char *name)
{
    repo_request_t *request = resource->info->request;
    fs_txn_t *txn;
    dav_error *failed = repo_txn_open(&txn, request, name, resource->pool);

    if (failed)
        return failed;
    failed = repo_txn_check_author(txn, request);
    if (!failed)
        failed = compare_node(resource, txn);
    fs_txn_close(txn);
    return failed;
}

/* ---- CHECKOUT ---- */

static dav_resource *make_working(const dav_resource *resource, const char *id)
{
    const dav_resource_private *info = resource->info;
    const repo_request_t *request = info->request;
    dav_resource *working =
        apr_pmemdup(resource->pool, resource, sizeof(*resource));
    bool is_bag = repo_resource_is_revision(resource);

    working->type = DAV_RESOURCE_TYPE_WORKING;
    working->working = 1;
    working->uri = apr_pstrcat(
        resource->pool, repo_uri_encode(request->root, resource->pool), "/",
        repo_uri_encode(request->special, resource->pool),
        is_bag ? "/wbl/" : "/wrk/", repo_uri_encode(id, resource->pool),
        is_bag ? apr_psprintf(resource->pool, "/%" FS_REV_FMT, info->rev)
               : repo_uri_encode(info->uri.path, resource->pool),
        NULL);
    return working;
}

dav_error *repo_checkout(dav_resource *resource, int auto_checkout,
                         int is_unreserved, int is_fork_ok, int create_activity,
                         apr_array_header_t *activities,
                         dav_resource **working_resource)
{
    const repo_request_t *request = resource->info->request;
    const char *id = NULL, *txn = NULL;
    dav_error *failed;

    (void)is_unreserved;
    (void)is_fork_ok;
    if (auto_checkout || resource->type != DAV_RESOURCE_TYPE_VERSION)
        return repo_error_new(resource->pool, HTTP_METHOD_NOT_ALLOWED,
                              FS_ERR_UNSUPPORTED,
                              "only a version of a resource can be checked "
                              "out");
    if (create_activity)
        return repo_error_new(resource->pool, HTTP_NOT_IMPLEMENTED,
                              FS_ERR_UNSUPPORTED,
                              "an activity is made by MKACTIVITY");
    failed = find_activity(&id, &txn, request, activities);
    if (!failed)
        failed = repo_resource_is_revision(resource)
                     ? check_youngest(resource)
                     : check_node(resource, txn);
    if (!failed)
        *working_resource = make_working(resource, id);
    return failed;
}
