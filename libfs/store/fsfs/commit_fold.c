/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of a transaction, folded into one for each path. */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/commit.h"

/*
 * A change drops all earlier ones below its path if it deletes or replaces
 * what was there. They are not looked for: each path remembers when it was
 * changed last, and what drops others is in a tree of path segments with its
 * time, so that a path asks those above it.
 */
typedef struct drop_t {
    apr_uint64_t time; /* of the last change that dropped; 0: none */
} drop_t;

/* What was found out about a path so far. */
typedef struct fold_path_t {
    fs_txn_change_t change;
    const fs_txn_change_t *deleted; /* before `change` replaced it, or NULL */
    bool has_change;                /* else all of it took itself back */
    apr_uint64_t time;              /* of the last change of the path */
} fold_path_t;

typedef struct fold_t {
    apr_hash_t *paths; /* path to fold_path_t */
    apr_hash_t *drops; /* number of the parent and segment to drop_t */
    fs_buffer_t *key;
    apr_uint64_t time; /* of the change at hand, from 1 */
    apr_pool_t *pool;
} fold_t;

/* --- What drops changes --- */

/* The entry of the segment below `parent`, NULL if there is none. */
static drop_t *find_drop(fold_t *fold, const drop_t *parent,
                         const char *segment, apr_size_t len)
{
    fold->key->len = 0;
    fs_buffer_append(fold->key, &parent, sizeof(parent));
    fs_buffer_append(fold->key, segment, len);
    return apr_hash_get(fold->drops, fold->key->data,
                        (apr_ssize_t)fold->key->len);
}

static drop_t *need_drop(fold_t *fold, const drop_t *parent,
                         const char *segment, apr_size_t len)
{
    drop_t *drop = find_drop(fold, parent, segment, len);

    if (!drop) {
        drop = apr_pcalloc(fold->pool, sizeof(*drop));
        apr_hash_set(fold->drops,
                     apr_pmemdup(fold->pool, fold->key->data, fold->key->len),
                     (apr_ssize_t)fold->key->len, drop);
    }
    return drop;
}

/* The segment at `*p`, behind its '/'; `*p` moves to the next '/'. */
static const char *next_segment(const char **p, apr_size_t *len)
{
    const char *segment = *p + 1;

    *p = segment + strcspn(segment, "/");
    *len = (apr_size_t)(*p - segment);
    return segment;
}

static void note_drop(fold_t *fold, const char *path)
{
    const drop_t *parent = NULL;
    const char *p = path;
    drop_t *drop = NULL;
    apr_size_t len;

    while (*p) {
        const char *segment = next_segment(&p, &len);

        drop = need_drop(fold, parent, segment, len);
        parent = drop;
    }
    if (drop)
        drop->time = fold->time;
}

/* Whether something above `path` dropped what is below it after `time`. */
static bool is_dropped(fold_t *fold, const char *path, apr_uint64_t time)
{
    const drop_t *drop = NULL;
    const char *p = path;
    apr_size_t len;

    if (!apr_hash_count(fold->drops))
        return false;
    while (*p) {
        const char *segment = next_segment(&p, &len);

        if (!*p)
            break; /* the path itself */
        drop = find_drop(fold, drop, segment, len);
        if (!drop)
            break;
        if (drop->time > time)
            return true;
    }
    return false;
}

/* --- One path --- */

static const char *const action_names[] = { "add", "delete", "replace",
                                            "modify", "reset" };

static fs_error_t *contradiction(const fs_txn_change_t *before,
                                 const fs_txn_change_t *change)
{
    return FS_ERROR(FS_ERR_CORRUPT,
                    "the transaction has '%s' after '%s' of '%s'",
                    action_names[change->action], action_names[before->action],
                    change->path);
}

static fs_error_t *fold_add(fold_path_t *path, const fs_txn_change_t *change,
                            apr_pool_t *pool)
{
    fs_change_action_t before = path->change.action;

    if (before == FS_CHANGE_ACTION_DELETE) {
        path->deleted = apr_pmemdup(pool, &path->change, sizeof(path->change));
    } else if (change->action == FS_CHANGE_ACTION_ADD) {
        return contradiction(&path->change, change);
    }
    path->change = *change;
    /* What replaces a path that the transaction added is added. */
    path->change.action = before == FS_CHANGE_ACTION_ADD
                              ? FS_CHANGE_ACTION_ADD
                              : FS_CHANGE_ACTION_REPLACE;
    return NULL;
}

static fs_error_t *fold_delete(fold_path_t *path, const fs_txn_change_t *change)
{
    switch (path->change.action) {
    case FS_CHANGE_ACTION_DELETE:
        return contradiction(&path->change, change);
    case FS_CHANGE_ACTION_ADD:
        path->has_change = false;
        break;
    case FS_CHANGE_ACTION_REPLACE:
        if (path->deleted) {
            path->change = *path->deleted;
            break;
        }
        path->change = *change;
        /* What was there before is not known any more. */
        path->change.kind = FS_NODE_UNKNOWN;
        break;
    default:
        path->change = *change;
    }
    path->deleted = NULL;
    return NULL;
}

static fs_error_t *fold_modify(fold_path_t *path, const fs_txn_change_t *change)
{
    if (path->change.action == FS_CHANGE_ACTION_DELETE)
        return contradiction(&path->change, change);
    path->change.text_mod |= change->text_mod;
    path->change.prop_mod |= change->prop_mod;
    path->change.minfo_mod |= change->minfo_mod;
    return NULL;
}

static fs_error_t *fold_path(fold_path_t *path, const fs_txn_change_t *change,
                             apr_pool_t *pool)
{
    if (change->action == FS_CHANGE_ACTION_RESET) {
        path->has_change = false;
        return NULL;
    }
    if (!path->has_change) {
        path->change = *change;
        path->has_change = true;
        path->deleted = NULL;
        return NULL;
    }
    switch (change->action) {
    case FS_CHANGE_ACTION_DELETE:
        return fold_delete(path, change);
    case FS_CHANGE_ACTION_MODIFY:
        return fold_modify(path, change);
    default:
        return fold_add(path, change, pool);
    }
}

/* --- All --- */

static fs_error_t *fold_change(fold_t *fold, const fs_txn_change_t *change)
{
    fold_path_t *path =
        apr_hash_get(fold->paths, change->path, APR_HASH_KEY_STRING);

    fold->time++;
    if (!path) {
        path = apr_pcalloc(fold->pool, sizeof(*path));
        apr_hash_set(fold->paths, change->path, APR_HASH_KEY_STRING, path);
    } else if (is_dropped(fold, change->path, path->time)) {
        path->has_change = false;
    }
    FS_TRY(fold_path(path, change, fold->pool));
    path->time = fold->time;
    if (change->action == FS_CHANGE_ACTION_DELETE ||
        change->action == FS_CHANGE_ACTION_REPLACE)
        note_drop(fold, change->path);
    return NULL;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const fs_txn_change_t *)a)->path,
                  ((const fs_txn_change_t *)b)->path);
}

static void collect(apr_array_header_t *out, fold_t *fold)
{
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(fold->pool, fold->paths); hi;
         hi = apr_hash_next(hi)) {
        const fold_path_t *path = apr_hash_this_val(hi);

        if (path->has_change &&
            !is_dropped(fold, path->change.path, path->time))
            APR_ARRAY_PUSH(out, fs_txn_change_t) = path->change;
    }
    qsort(out->elts, (size_t)out->nelts, sizeof(fs_txn_change_t),
          compare_paths);
}

fs_error_t *fs_commit_fold(apr_array_header_t **changes,
                           const fs_txn_state_t *state, apr_pool_t *result)
{
    fold_t fold = { .time = 0 };
    fs_error_t *err = NULL;
    int i;

    apr_pool_create(&fold.pool, result);
    fold.paths = apr_hash_make(fold.pool);
    fold.drops = apr_hash_make(fold.pool);
    fold.key = fs_buffer_create(256, fold.pool);
    for (i = 0; i < state->changes->nelts && !err; i++)
        err = fold_change(&fold,
                          &APR_ARRAY_IDX(state->changes, i, fs_txn_change_t));
    if (!err) {
        *changes = apr_array_make(result, (int)apr_hash_count(fold.paths) + 1,
                                  sizeof(fs_txn_change_t));
        collect(*changes, &fold);
    }
    apr_pool_destroy(fold.pool);
    return err;
}
