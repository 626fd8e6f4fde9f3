/* SPDX-License-Identifier: Apache-2.0 */
/* MKCOL, COPY, MOVE and DELETE in transactions. */

#include "mod_repo/dav/copymove.h"

#include <string.h>

#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/request/activity.h"
#include "mod_repo/request/txn.h"

/* The end of a step of work. */
static dav_error *finish(fs_txn_t *txn, const dav_resource *resource,
                         fs_error_t *err)
{
    fs_txn_close(txn);
    return err ? repo_txn_error(resource->info->request, err) : NULL;
}

dav_error *repo_copymove_make_dir(const dav_resource *resource)
{
    fs_txn_t *txn;
    dav_error *failed = repo_working_open(&txn, resource, resource->pool);

    if (failed)
        return failed;
    return finish(
        txn, resource,
        fs_txn_make_dir(txn, resource->info->uri.path, resource->pool));
}

dav_error *repo_copymove_copy(const dav_resource *source,
                              const dav_resource *target)
{
    const dav_resource_private *from = source->info, *to = target->info;
    fs_txn_t *txn;
    dav_error *failed;

    if (strcmp(from->request->root, to->request->root) != 0)
        return repo_error_new(target->pool, HTTP_BAD_GATEWAY,
                              REPO_ERR_DAV_REQUEST,
                              "the destination is in another repository");
    failed = repo_working_open(&txn, target, target->pool);
    if (failed)
        return failed;
    return finish(txn, target,
                  fs_txn_copy(txn, from->rev, from->uri.path, to->uri.path,
                              target->pool));
}

static dav_error *delete_node(const dav_resource *resource)
{
    fs_txn_t *txn;
    dav_error *failed = repo_working_open(&txn, resource, resource->pool);

    if (failed)
        return failed;
    failed = repo_working_check_delete(txn, resource);
    if (failed) {
        fs_txn_close(txn);
        return failed;
    }
    return finish(txn, resource,
                  fs_txn_delete(txn, resource->info->uri.path, resource->pool));
}

/* Is the transaction of an activity one that the user may end? It may be gone
 * already. */
static dav_error *check_owner(const dav_resource *resource)
{
    repo_request_t *request = resource->info->request;
    fs_txn_t *txn;
    dav_error *failed =
        repo_txn_open(&txn, request, resource->info->txn, resource->pool);

    if (failed)
        return failed->status == HTTP_NOT_FOUND ||
                       failed->status == HTTP_CONFLICT
                   ? NULL
                   : failed;
    failed = repo_txn_check_author(txn, request);
    fs_txn_close(txn);
    return failed;
}

static dav_error *abort_txn(const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    fs_error_t *err = NULL;

    if (info->txn) {
        dav_error *failed = check_owner(resource);

        if (failed)
            return failed;
        err = fs_txn_abort(info->request->repo, info->txn, resource->pool);
    }
    if (err && err->code == FS_ERR_NO_SUCH_TXN) {
        fs_error_clear(err);
        err = NULL;
    }
    if (!err && info->uri.kind != REPO_URI_TXN)
        err = repo_activity_drop(info->request, info->uri.name, resource->pool);
    return err ? repo_txn_error(info->request, err) : NULL;
}

dav_error *repo_copymove_delete(const dav_resource *resource)
{
    switch (resource->info->uri.kind) {
    case REPO_URI_TXN:
    case REPO_URI_VTXN:
    case REPO_URI_ACT:
        return abort_txn(resource);
    case REPO_URI_WBL:
        return repo_error_new(resource->pool, HTTP_METHOD_NOT_ALLOWED,
                              REPO_ERR_DAV_REQUEST,
                              "the properties of a transaction cannot be "
                              "deleted as a whole");
    default:
        return delete_node(resource);
    }
}
