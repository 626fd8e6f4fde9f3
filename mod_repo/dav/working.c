/* SPDX-License-Identifier: Apache-2.0 */
/* Resources that lie in a transaction. */

#include "mod_repo/dav/working.h"

#include <string.h>

#include <apr_strings.h>

#include "mod_repo/http/error.h"
#include "mod_repo/request/activity.h"
#include "mod_repo/request/txn.h"

/** Number of "out of date" for clients that use the second protocol. */
#define ERR_OUT_OF_DATE 170004

bool repo_working_is_kind(repo_uri_kind_t kind)
{
    switch (kind) {
    case REPO_URI_TXN:
    case REPO_URI_TXR:
    case REPO_URI_VTXN:
    case REPO_URI_VTXR:
    case REPO_URI_ACT:
    case REPO_URI_WRK:
    case REPO_URI_WBL:
        return true;
    default:
        return false;
    }
}

bool repo_working_has_tree(const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;

    return info->txn && info->uri.path;
}

/* ---- out of date ---- */

/* X-SVN-Version-Name; FS_INVALID_REV if there is none that counts. */
static fs_rev_t stated_rev(const dav_resource *resource)
{
    const char *text = apr_table_get(resource->info->request->r->headers_in,
                                     "X-SVN-Version-Name");
    fs_rev_t rev;

    return text && repo_uri_parse_rev(&rev, text) ? rev : FS_INVALID_REV;
}

static dav_error *out_of_date(const dav_resource *resource)
{
    return repo_error_new(
        resource->pool, HTTP_CONFLICT, ERR_OUT_OF_DATE,
        apr_psprintf(resource->pool, "%s '%s' is out of date",
                     resource->collection ? "Directory" : "File",
                     resource->info->uri.path));
}

static dav_error *no_such_rev(const dav_resource *resource, fs_rev_t rev)
{
    return repo_error_new(
        resource->pool, HTTP_NOT_FOUND, FS_ERR_NO_SUCH_REV,
        apr_psprintf(resource->pool, "no such revision %" FS_REV_FMT, rev));
}

/* Is the node the same in two revisions? */
static fs_error_t *is_same_in(bool *same, const dav_resource *resource,
                              fs_rev_t one, fs_rev_t other)
{
    const dav_resource_private *info = resource->info;
    const fs_node_t *a, *b;
    fs_root_t *root;

    FS_TRY(fs_node_find_in(&a, &root, info->request->repo, one, info->uri.path,
                           resource->pool));
    FS_TRY(fs_node_find_in(&b, &root, info->request->repo, other,
                           info->uri.path, resource->pool));
    *same = a && b && fs_node_relation(a, b) == FS_SAME;
    return NULL;
}

/* A directory that carries changes of its children already does not tell its
 * revision any more. */
static dav_error *check_changed_dir(const dav_resource *resource, fs_rev_t rev,
                                    fs_rev_t base)
{
    bool same = true;
    fs_error_t *err =
        rev == base ? NULL : is_same_in(&same, resource, rev, base);

    if (err)
        return repo_error_convert(resource->info->request->r, err, 0);
    return same ? NULL : out_of_date(resource);
}

static dav_error *check_version(const dav_resource *resource, fs_txn_t *txn,
                                const fs_node_t *node)
{
    int method = resource->info->request->r->method_number;
    fs_rev_t rev = stated_rev(resource), created, base = fs_txn_base(txn);

    if (!FS_IS_REV(rev) || (method != M_PUT && method != M_PROPPATCH))
        return NULL;
    if (!node)
        return repo_error_new(resource->pool, HTTP_NOT_FOUND, FS_ERR_NOT_FOUND,
                              apr_psprintf(resource->pool,
                                           "path '%s' not found",
                                           resource->info->uri.path));
    created = fs_node_created_rev(node);
    if (FS_IS_REV(created)) {
        if (rev < created)
            return out_of_date(resource);
        return rev > created && rev > base ? no_such_rev(resource, rev) : NULL;
    }
    if (method == M_PROPPATCH && resource->collection)
        return check_changed_dir(resource, rev, base);
    return NULL;
}

static dav_error *find(const fs_node_t **node, fs_txn_t *txn,
                       const dav_resource *resource, apr_pool_t *result)
{
    const dav_resource_private *info = resource->info;
    fs_root_t *root;
    fs_error_t *err = fs_txn_root(&root, txn, result);

    if (!err)
        err = fs_node_find(node, root, info->uri.path, result);
    return err ? repo_txn_error(info->request, err) : NULL;
}

dav_error *repo_working_check_delete(fs_txn_t *txn,
                                     const dav_resource *resource)
{
    fs_rev_t rev = stated_rev(resource), created;
    const fs_node_t *node = NULL;
    dav_error *failed;

    if (!FS_IS_REV(rev))
        return NULL;
    failed = find(&node, txn, resource, resource->pool);
    if (failed || !node)
        return failed;
    created = fs_node_created_rev(node);
    if (FS_IS_REV(created) && rev < created)
        return out_of_date(resource);
    return rev > fs_txn_base(txn) ? no_such_rev(resource, rev) : NULL;
}

/* ---- what a URL names ---- */

static dav_error *no_such_txn(const dav_resource *resource)
{
    return repo_error_new(resource->pool, HTTP_NOT_FOUND, FS_ERR_NO_SUCH_TXN,
                          "there is no such transaction");
}

/* Set the name of the transaction; it stays NULL if the client's own name for
 * it is not known, or names one that is done. `*known`: is that name known? */
static dav_error *resolve(bool *known, dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    const char *name;
    fs_error_t *err;

    *known = true;
    if (info->uri.kind == REPO_URI_TXN || info->uri.kind == REPO_URI_TXR) {
        info->txn = info->uri.name;
        return NULL;
    }
    err =
        repo_activity_get(&name, info->request, info->uri.name, resource->pool);
    if (err)
        return repo_txn_error(info->request, err);
    *known = name != NULL;
    info->txn = name && *name ? name : NULL;
    return NULL;
}

static void set_type(dav_resource *resource)
{
    switch (resource->info->uri.kind) {
    case REPO_URI_TXN:
    case REPO_URI_VTXN:
        resource->type = DAV_RESOURCE_TYPE_PRIVATE;
        resource->versioned = 0;
        break;
    case REPO_URI_ACT:
        resource->type = DAV_RESOURCE_TYPE_ACTIVITY;
        resource->versioned = 0;
        break;
    case REPO_URI_WBL:
        resource->baselined = 1;
        resource->type = DAV_RESOURCE_TYPE_WORKING;
        resource->working = 1;
        break;
    default:
        resource->type = DAV_RESOURCE_TYPE_WORKING;
        resource->working = 1;
        break;
    }
}

/* Look the node up and check what the client says of it. */
static dav_error *look_at(dav_resource *resource, fs_txn_t *txn,
                          apr_pool_t *scratch)
{
    const dav_resource_private *info = resource->info;
    const fs_node_t *node = NULL;
    dav_error *failed = repo_txn_check_author(txn, info->request);

    if (!failed && info->uri.path)
        failed = find(&node, txn, resource, scratch);
    if (failed)
        return failed;
    resource->exists = node || !info->uri.path;
    resource->collection = node && fs_node_kind(node) == FS_NODE_DIR;
    if (node && info->request->r->method_number == M_MKCOL)
        return repo_error_new(
            resource->pool, HTTP_METHOD_NOT_ALLOWED, FS_ERR_EXISTS,
            apr_psprintf(resource->pool, "Path already exists, path '%s'",
                         info->uri.path));
    return info->uri.path ? check_version(resource, txn, node) : NULL;
}

dav_error *repo_working_get(dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    apr_pool_t *scratch;
    fs_txn_t *txn;
    bool known;
    dav_error *failed = resolve(&known, resource);

    if (failed)
        return failed;
    set_type(resource);
    resource->uri = info->request->r->uri;
    if (info->uri.kind == REPO_URI_ACT) {
        resource->exists = known;
        return NULL;
    }
    if (!info->txn)
        return no_such_txn(resource);
    apr_pool_create(&scratch, resource->pool);
    failed = repo_txn_open(&txn, info->request, info->txn, scratch);
    if (!failed) {
        failed = look_at(resource, txn, scratch);
        fs_txn_close(txn);
    }
    apr_pool_destroy(scratch);
    return failed;
}

/* ---- opening ---- */

dav_error *repo_working_open(fs_txn_t **txn, const dav_resource *resource,
                             apr_pool_t *result)
{
    const dav_resource_private *info = resource->info;

    if (!info->txn)
        return no_such_txn(resource);
    return repo_txn_open(txn, info->request, info->txn, result);
}

dav_error *repo_working_show(const dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    const fs_node_t *node = NULL;
    dav_error *failed;
    fs_error_t *err;

    if (!repo_working_has_tree(resource) || !resource->exists || info->shown)
        return NULL;
    apr_pool_create(&info->shown_pool, resource->pool);
    failed = repo_working_open(&info->shown, resource, info->shown_pool);
    if (failed) {
        info->shown = NULL;
        return failed;
    }
    err = fs_txn_root(&info->root, info->shown, info->shown_pool);
    if (!err)
        err = fs_node_need(&node, info->root, info->uri.path, info->shown_pool);
    if (err) {
        failed = repo_txn_error(info->request, err);
        repo_working_hide(resource);
        return failed;
    }
    info->node = node;
    return NULL;
}

void repo_working_hide(const dav_resource *resource)
{
    dav_resource_private *info = resource->info;

    if (!info->shown)
        return;
    fs_txn_close(info->shown);
    info->shown = NULL;
    info->node = NULL;
    info->root = NULL;
    apr_pool_destroy(info->shown_pool);
}
