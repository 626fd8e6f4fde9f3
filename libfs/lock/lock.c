/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of paths that are in force. */

#include "libfs/lock/lock.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

fs_lock_t fs_lock_of(const fs_store_lock_t *stored)
{
    fs_lock_t lock = {
        .path = stored->path,
        .token = stored->token,
        .owner = stored->owner,
        .comment = stored->comment,
        .is_dav_comment = stored->is_dav_comment,
        .created = stored->created,
        .expires = stored->expires,
    };

    return lock;
}

fs_error_t *fs_lock_get(const fs_lock_t **lock, fs_repo_t *repo,
                        const char *path, apr_pool_t *result)
{
    fs_store_t *store = fs_repo_store(repo);
    const fs_store_lock_t *stored;
    fs_lock_t found;

    *lock = NULL;
    FS_TRY(store->vtable->lock_get(&stored, store, path, result));
    if (!stored || !fs_store_lock_in_force(stored, apr_time_now()))
        return NULL;
    found = fs_lock_of(stored);
    *lock = apr_pmemdup(result, &found, sizeof(found));
    return NULL;
}

typedef struct list_t {
    const char *path;
    fs_depth_t depth;
    fs_lock_fn receive;
    void *baton;
} list_t;

static bool is_within_depth(const list_t *list, const char *path)
{
    const char *below = fs_path_below(list->path, path);

    if (!below)
        return false;
    if (*below == '\0' || list->depth == FS_DEPTH_INFINITY)
        return true;
    if (list->depth == FS_DEPTH_FILES || list->depth == FS_DEPTH_IMMEDIATES)
        return strchr(below, '/') == NULL;
    return false;
}

static fs_error_t *pass_lock(void *baton, const fs_store_lock_t *stored,
                             apr_pool_t *scratch)
{
    const list_t *list = baton;
    fs_lock_t lock;

    if (!fs_store_lock_in_force(stored, apr_time_now()) ||
        !is_within_depth(list, stored->path))
        return NULL;
    lock = fs_lock_of(stored);
    return list->receive(list->baton, &lock, scratch);
}

fs_error_t *fs_lock_list(fs_repo_t *repo, const char *path, fs_depth_t depth,
                         fs_lock_fn receive, void *baton, apr_pool_t *scratch)
{
    fs_store_t *store = fs_repo_store(repo);
    list_t list = { path, depth, receive, baton };
    const fs_lock_t *lock;

    if (depth != FS_DEPTH_EMPTY)
        return store->vtable->lock_list(store, path, pass_lock, &list, scratch);
    FS_TRY(fs_lock_get(&lock, repo, path, scratch));
    return lock ? receive(baton, lock, scratch) : NULL;
}
