/* SPDX-License-Identifier: Apache-2.0 */
/* Walking resources. Each member lives in a pool of its own. */

#include "mod_repo/dav/walk.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/web/index.h"

typedef struct walker_t {
    const dav_walk_params *params;
    repo_request_t *request;
    dav_walk_resource wres; /* collects responses */
} walker_t;

static dav_error *tell(walker_t *walker, const dav_resource *resource)
{
    walker->wres.resource = resource;
    return walker->params->func(&walker->wres, resource->collection
                                                   ? DAV_CALLTYPE_COLLECTION
                                                   : DAV_CALLTYPE_MEMBER);
}

/* The next entry that may be read; NULL at the end. */
static fs_error_t *next_member(const fs_node_t **member, walker_t *walker,
                               const dav_resource *collection, fs_dir_t *dir,
                               apr_pool_t *iter)
{
    const dav_resource_private *info = collection->info;
    const fs_dirent_t *entry;
    bool allowed = false;

    while (!allowed) {
        /* One that was skipped went with the pool. */
        *member = NULL;
        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, dir));
        if (!entry)
            return NULL;
        FS_TRY(fs_dir_node(member, info->node, entry, iter));
        FS_TRY(repo_access_may_read(&allowed, walker->request->access,
                                    info->rev, fs_node_path(*member), iter));
    }
    return NULL;
}

/* Recursion follows the tree of the repository, no deeper than paths go. */
static dav_error *walk_members(walker_t *walker, const dav_resource *collection,
                               int depth, apr_pool_t *pool)
{
    const fs_node_t *member;
    fs_dir_t *dir;
    apr_pool_t *iter;
    dav_error *failed = NULL;
    fs_error_t *err = fs_dir_open(&dir, collection->info->node, pool);

    apr_pool_create(&iter, pool);
    while (!err && !failed) {
        dav_resource *resource;

        err = next_member(&member, walker, collection, dir, iter);
        if (err || !member)
            break;
        resource = repo_resource_member(collection, member, iter);
        failed = tell(walker, resource);
        if (!failed && depth > 1 && resource->collection)
            failed = walk_members(walker, resource, depth - 1, iter);
        if (!failed && walker->request->r->connection->aborted)
            failed = dav_new_error(walker->request->pool, HTTP_BAD_REQUEST, 0,
                                   0, "the client is gone");
    }
    apr_pool_destroy(iter);
    return err ? repo_error_convert(walker->request->r, err, 0) : failed;
}

/* ---- before something is written to ---- */

static fs_error_t *note_path(void *baton, const fs_lock_t *lock,
                             apr_pool_t *scratch)
{
    apr_array_header_t *paths = baton;

    (void)scratch;
    APR_ARRAY_PUSH(paths, const char *) = apr_pstrdup(paths->pool, lock->path);
    return NULL;
}

/*
 * Whoever is about to write asks for locks and nothing else: members without
 * one need not be told. A lock of a path where nothing is now is left to the
 * repository, which looks at all of them again.
 */
static dav_error *walk_locked(walker_t *walker, const dav_resource *collection,
                              apr_pool_t *pool)
{
    const dav_resource_private *info = collection->info;
    apr_array_header_t *paths = apr_array_make(pool, 4, sizeof(const char *));
    fs_error_t *err = fs_lock_list(walker->request->repo, info->uri.path,
                                   FS_DEPTH_INFINITY, note_path, paths, pool);
    const fs_node_t *member;
    dav_error *failed = NULL;
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, pool);
    for (i = 0; i < paths->nelts && !err && !failed; i++) {
        const char *path = APR_ARRAY_IDX(paths, i, const char *);

        apr_pool_clear(iter);
        err = fs_node_find(&member, info->root, path, iter);
        if (!err && member && strcmp(path, info->uri.path) != 0)
            failed =
                tell(walker, repo_resource_member(collection, member, iter));
    }
    apr_pool_destroy(iter);
    return err ? repo_error_convert(walker->request->r, err, 0) : failed;
}

/* ---- for PROPFIND ---- */

/* A repository in the list of repositories, as a plain collection. */
static dav_error *walk_list(walker_t *walker, const dav_resource *list)
{
    apr_array_header_t *names;
    apr_pool_t *pool = walker->request->pool, *iter;
    fs_error_t *err = repo_index_names(&names, walker->request, pool);
    dav_error *failed = NULL;
    int i;

    if (err)
        return repo_error_convert(walker->request->r, err, 0);
    apr_pool_create(&iter, pool);
    for (i = 0; i < names->nelts && !failed; i++) {
        dav_resource member = *list;

        apr_pool_clear(iter);
        member.pool = iter;
        member.uri = apr_pstrcat(
            iter, list->uri, APR_ARRAY_IDX(names, i, const char *), "/", NULL);
        failed = tell(walker, &member);
    }
    apr_pool_destroy(iter);
    return failed;
}

static void note_action(const dav_resource *directory)
{
    const dav_resource_private *info = directory->info;
    const char *path = fs_node_path(info->node);

    repo_request_action(info->request, "get-dir %s%s r%" FS_REV_FMT " text",
                        repo_uri_encode(path, info->request->pool),
                        path[1] ? "/" : "", info->rev);
}

static dav_error *walk_below(walker_t *walker, const dav_resource *root,
                             int depth, apr_pool_t *pool)
{
    if (root->info->is_listing)
        return walk_list(walker, root);
    if (root->type == DAV_RESOURCE_TYPE_WORKING)
        return NULL; /* a member would have to be opened by its own name */
    if (walker->request->r->method_number == M_PROPFIND) {
        note_action(root);
        return walk_members(walker, root, depth, pool);
    }
    return walk_locked(walker, root, pool);
}

dav_error *repo_walk(const dav_walk_params *params, int depth,
                     dav_response **response)
{
    const dav_resource *root = params->root;
    walker_t walker = { params, root->info->request, { 0 } };
    dav_error *err;

    walker.wres.walk_ctx = params->walk_ctx;
    walker.wres.pool = params->pool;
    err = repo_working_show(root);
    if (!err)
        err = tell(&walker, root);
    repo_working_hide(root);
    if (!err && depth > 0 && root->collection)
        err = walk_below(&walker, root, depth, params->pool);
    *response = walker.wres.response;
    return err;
}
