/* SPDX-License-Identifier: Apache-2.0 */
/* From paths to nodes, and what nodes tell without reading more. */

#include "libfs/tree/tree.h"

#include <stdatomic.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

/* ---- nodes ---- */

fs_error_t *fs_lookup_record(const fs_node_record_t **record, fs_root_t *root,
                             const fs_node_id_t *id, apr_pool_t *result)
{
    return root->store->vtable->node(record, root->store, id, result,
                                     fs_root_scratch(root));
}

fs_error_t *fs_lookup_known(const fs_node_t **node, fs_repo_t *repo,
                            fs_rev_t rev, const char *path,
                            const fs_node_id_t *id, apr_pool_t *result)
{
    fs_root_t *root = fs_root_make(repo, rev, result);
    const fs_node_record_t *record;
    fs_error_t *err = fs_lookup_record(&record, root, id, result);

    if (err)
        return FS_LOOKUP_BLAME(err, rev, path);
    *node =
        fs_lookup_make(root, apr_pstrdup(result, path), record, 0, "/", result);
    return NULL;
}

/* Most nodes were never copied: spare them a copy of "/". */
static const char *keep_copy_path(const char *path, apr_pool_t *result)
{
    return strcmp(path, "/") ? apr_pstrdup(result, path) : "/";
}

const fs_node_t *fs_lookup_make(fs_root_t *root, const char *path,
                                const fs_node_record_t *record,
                                fs_rev_t copy_rev, const char *copy_path,
                                apr_pool_t *result)
{
    fs_node_t *node = apr_palloc(result, sizeof(*node));

    node->root = root;
    node->path = path;
    node->record = record;
    if (record->copyroot_rev >= copy_rev) {
        node->copy_rev = record->copyroot_rev;
        node->copy_path = record->copyroot_path;
    } else {
        node->copy_rev = copy_rev;
        node->copy_path = keep_copy_path(copy_path, result);
    }
    return node;
}

const fs_node_t *fs_lookup_copy(const fs_node_t *node, apr_pool_t *result)
{
    fs_node_t *copy = apr_pmemdup(result, node, sizeof(*node));
    fs_node_record_t *record =
        apr_pmemdup(result, node->record, sizeof(*record));

    record->created_path = apr_pstrdup(result, record->created_path);
    record->copyfrom_path = apr_pstrdup(result, record->copyfrom_path);
    record->copyroot_path = keep_copy_path(record->copyroot_path, result);
    copy->record = record;
    copy->path = apr_pstrdup(result, node->path);
    copy->copy_path = keep_copy_path(node->copy_path, result);
    return copy;
}

/* ---- the cache of paths ---- */

/* A value: node id, revision of the copy root, path of the copy root. */
#define COPY_REV_AT sizeof(fs_node_id_t)
#define COPY_PATH_AT (COPY_REV_AT + sizeof(apr_int64_t))

static bool path_key(cache_key_t *key, fs_repo_t *repo, fs_rev_t rev,
                     const char *path)
{
    apr_size_t len = strlen(path);

    if (!fs_repo_cache(repo) || len > CACHE_NAME_MAX || !FS_IS_REV(rev))
        return false;
    memset(key, 0, sizeof(*key));
    memcpy(key->space, fs_repo_instance(repo), sizeof(key->space));
    key->kind = CACHE_PATH;
    key->rev = rev;
    key->name = path;
    key->name_len = len;
    return true;
}

/* Whether the cache knows the node at `path`; `value` in `result`. */
static bool is_cached(cache_value_t *value, fs_repo_t *repo, fs_rev_t rev,
                      const char *path, apr_pool_t *result)
{
    cache_key_t key;

    return path_key(&key, repo, rev, path) &&
           !cache_get(fs_repo_cache(repo), &key, value, result) &&
           value->len > COPY_PATH_AT;
}

/* The node at `path` (kept), of which the cache has `value`. */
static fs_error_t *read_cached(const fs_node_t **node, fs_root_t *root,
                               const char *path, const cache_value_t *value,
                               apr_pool_t *result)
{
    const fs_node_record_t *record;
    fs_node_id_t id;
    apr_int64_t copy_rev;
    const char *copy_path;
    fs_error_t *err;

    memcpy(&id, value->data, sizeof(id));
    memcpy(&copy_rev, value->data + COPY_REV_AT, sizeof(copy_rev));
    copy_path = apr_pstrmemdup(result, value->data + COPY_PATH_AT,
                               value->len - COPY_PATH_AT);
    err = fs_lookup_record(&record, root, &id, result);
    if (err)
        return FS_LOOKUP_BLAME(err, root->rev, path);
    *node = fs_lookup_make(root, path, record, copy_rev, copy_path, result);
    return NULL;
}

/* The directory at `path` if the cache has it, else NULL; in `result`. */
static fs_error_t *get_cached(const fs_node_t **dir, fs_root_t *root,
                              const char *path, apr_pool_t *result)
{
    cache_value_t value;

    *dir = NULL;
    if (!is_cached(&value, root->repo, root->rev, path, result))
        return NULL;
    FS_TRY(read_cached(dir, root, path, &value, result));
    if ((*dir)->record->kind != FS_NODE_DIR)
        *dir = NULL;
    return NULL;
}

static void put_cached(const fs_node_t *node, apr_pool_t *scratch)
{
    cache_key_t key;
    apr_size_t path_len = strlen(node->copy_path);
    apr_int64_t copy_rev = node->copy_rev;
    char *value;

    if (!path_key(&key, node->root->repo, node->root->rev, node->path))
        return;
    value = apr_palloc(scratch, COPY_PATH_AT + path_len);
    memcpy(value, &node->record->id, sizeof(node->record->id));
    memcpy(value + COPY_REV_AT, &copy_rev, sizeof(copy_rev));
    memcpy(value + COPY_PATH_AT, node->copy_path, path_len);
    cache_put(fs_repo_cache(node->root->repo), &key, value,
              COPY_PATH_AT + path_len);
}

/* ---- look-ups ---- */

/* The node at `path` (kept) with `id` in the directory `parent`. */
static fs_error_t *node_below(const fs_node_t **child, const fs_node_t *parent,
                              const char *path, const fs_node_id_t *id,
                              apr_pool_t *result)
{
    const fs_node_record_t *record;
    fs_error_t *err = fs_lookup_record(&record, parent->root, id, result);

    if (err)
        return FS_LOOKUP_BLAME(err, parent->root->rev, path);
    *child = fs_lookup_make(parent->root, path, record, parent->copy_rev,
                            parent->copy_path, result);
    return NULL;
}

/* The entry `name` of `parent`, which is at `path` (kept) if it exists. */
static fs_error_t *step_down(const fs_node_t **child, const fs_node_t *parent,
                             const char *name, const char *path,
                             apr_pool_t *result)
{
    fs_root_t *root = parent->root;
    apr_pool_t *scratch = fs_root_scratch(root);
    const fs_store_entry_t *entry;
    fs_node_id_t id;
    fs_error_t *err;

    *child = NULL;
    if (parent->record->kind != FS_NODE_DIR)
        return NULL;
    err = root->store->vtable->dir_lookup(&entry, root->store, parent->record,
                                          name, scratch, scratch);
    if (err)
        return FS_LOOKUP_BLAME(err, root->rev, parent->path);
    if (!entry)
        return NULL;
    id = entry->id;
    return node_below(child, parent, path, &id, result);
}

/* The deepest directory at or above `path` which is remembered; else "/". */
static fs_error_t *recall_above(const fs_node_t **dir, fs_root_t *root,
                                const char *path)
{
    apr_size_t len = strlen(path);

    while (len > 1) {
        *dir = fs_root_recall(root, path, len);
        if (*dir)
            return NULL;
        while (path[--len] != '/')
            ;
    }
    return fs_root_top(dir, root);
}

/* Go down from `start` to the directory or file `path`; nodes in `pool`. */
static fs_error_t *descend(const fs_node_t **node, const fs_node_t *start,
                           const char *path, apr_pool_t *pool)
{
    const char *rest = fs_path_below(start->path, path);

    *node = start;
    while (*node && *rest) {
        const char *slash = strchr(rest, '/');
        const char *end = slash ? slash : rest + strlen(rest);

        FS_TRY(step_down(
            node, *node, apr_pstrmemdup(pool, rest, (apr_size_t)(end - rest)),
            apr_pstrmemdup(pool, path, (apr_size_t)(end - path)), pool));
        rest = slash ? slash + 1 : end;
    }
    return NULL;
}

/* The node at `path`, which is to be a parent; remembered if it is one. */
static fs_error_t *find_parent(const fs_node_t **parent, fs_root_t *root,
                               const char *path)
{
    const fs_node_t *above;
    const char *rest;

    FS_TRY(recall_above(&above, root, path));
    rest = fs_path_below(above->path, path);
    if (!*rest) {
        *parent = above;
        return NULL;
    }
    if (root->walk)
        apr_pool_clear(root->walk);
    else
        apr_pool_create(&root->walk, root->pool);
    /* One step costs no more than asking the cache of paths. */
    if (!strchr(rest, '/')) {
        FS_TRY(descend(parent, above, path, root->walk));
    } else {
        FS_TRY(get_cached(parent, root, path, root->walk));
        if (!*parent) {
            FS_TRY(descend(parent, above, path, root->walk));
            if (*parent && (*parent)->record->kind == FS_NODE_DIR)
                put_cached(*parent, root->walk);
        }
    }
    if (*parent && (*parent)->record->kind == FS_NODE_DIR)
        fs_root_remember(root, *parent);
    return NULL;
}

fs_error_t *fs_node_find(const fs_node_t **node, fs_root_t *root,
                         const char *path, apr_pool_t *result)
{
    const fs_node_t *parent;
    const char *name = fs_path_name(path);

    *node = NULL;
    if (!*name) {
        FS_TRY(fs_root_top(&parent, root));
        *node = fs_lookup_copy(parent, result);
        return NULL;
    }
    FS_TRY(find_parent(&parent, root, fs_path_parent(path, result)));
    if (!parent)
        return NULL;
    return step_down(node, parent, name, apr_pstrdup(result, path), result);
}

/* ---- guesses ---- */

/*
 * A checkout asks for each file in the revision that made it. Most are still
 * there in the youngest one, whose directories are in the cache, while those
 * of each such revision would be read for a single file. An update names what
 * it has, which is not much older.
 *
 * How well guesses went lately, in all repositories of the process: below 0
 * none is made.
 */
static atomic_int luck;

#define LUCK_MAX 4

/* So many look-ups pass after guesses went wrong before the next. */
#define PAUSE 16

static bool may_guess(void)
{
    int now = atomic_load(&luck);

    if (now >= 0)
        return true;
    atomic_compare_exchange_strong(&luck, &now, now + 1);
    return false;
}

static void note_guess(bool right)
{
    int now = atomic_load(&luck);
    int next = now - 1;

    if (right)
        next = now < LUCK_MAX ? now + 1 : LUCK_MAX;
    else if (next < 0)
        next = -PAUSE;
    atomic_compare_exchange_strong(&luck, &now, next);
}

/* Versions of a node that are looked at, one before the other. */
#define STEPS_MAX 8

/*
 * From `*record`, which is at `path` in a later revision, to what is there in
 * `rev`, if it was made in `rev`. Nothing on the way was copied since. A node
 * does not change, and no two are made at one path in one revision, so that
 * this is the one. Returns false if that does not tell.
 */
static fs_error_t *go_back(bool *found, const fs_node_record_t **record,
                           fs_root_t *root, fs_rev_t rev, const char *path,
                           apr_pool_t *result)
{
    int i;

    for (i = 0;
         i < STEPS_MAX && (*record)->created_rev > rev && (*record)->has_pred;
         i++)
        FS_TRY(fs_lookup_record(record, root, &(*record)->pred, result));
    *found =
        (*record)->created_rev == rev && !strcmp((*record)->created_path, path);
    return NULL;
}

/* Look for what is at `path` in `rev` in the youngest revision, and in what was
 * there before; `*node` is NULL if that does not tell. */
static fs_error_t *guess(const fs_node_t **node, fs_root_t **root,
                         fs_repo_t *repo, fs_rev_t rev, const char *path,
                         apr_pool_t *result, apr_pool_t *scratch)
{
    const fs_node_record_t *record;
    const fs_node_t *there;
    fs_node_t earlier;
    fs_root_t *youngest;
    bool found;

    *node = NULL;
    FS_TRY(fs_root_open_known(&youngest, repo, fs_repo_youngest_known(repo),
                              scratch));
    FS_TRY(fs_node_find(&there, youngest, path, scratch));
    if (!there || there->copy_rev > rev)
        return NULL;
    record = there->record;
    FS_TRY(go_back(&found, &record, youngest, rev, path, scratch));
    if (!found)
        return NULL;
    *root = fs_root_make(repo, rev, result);
    earlier = *there;
    earlier.root = *root;
    earlier.record = record;
    *node = fs_lookup_copy(&earlier, result);
    return NULL;
}

/* `*node` is NULL if no guess was made, or a wrong one. */
static void try_guess(const fs_node_t **node, fs_root_t **root, fs_repo_t *repo,
                      fs_rev_t rev, const char *path, apr_pool_t *result)
{
    apr_pool_t *scratch;
    fs_error_t *err;

    *node = NULL;
    if (!fs_repo_cache(repo) || !path[1] || !FS_IS_REV(rev) ||
        rev >= fs_repo_youngest_known(repo) || !may_guess())
        return;
    apr_pool_create(&scratch, result);
    err = guess(node, root, repo, rev, path, result, scratch);
    /* What is damaged there does not matter here. */
    fs_error_clear(err);
    note_guess(*node != NULL);
    if (*node)
        put_cached(*node, scratch);
    apr_pool_destroy(scratch);
}

fs_error_t *fs_node_find_in(const fs_node_t **node, fs_root_t **root,
                            fs_repo_t *repo, fs_rev_t rev, const char *path,
                            apr_pool_t *result)
{
    cache_value_t value;

    /* What is in the cache was there once, and revisions do not go away. */
    if (path[1] && FS_IS_REV(rev) &&
        is_cached(&value, repo, rev, path, result)) {
        *root = fs_root_make(repo, rev, result);
        return read_cached(node, *root, apr_pstrdup(result, path), &value,
                           result);
    }
    try_guess(node, root, repo, rev, path, result);
    if (*node)
        return NULL;
    FS_TRY(fs_root_open(root, repo, rev, result));
    FS_TRY(fs_node_find(node, *root, path, result));
    if (*node && path[1])
        put_cached(*node, fs_root_scratch(*root));
    return NULL;
}

fs_error_t *fs_node_need(const fs_node_t **node, fs_root_t *root,
                         const char *path, apr_pool_t *result)
{
    FS_TRY(fs_node_find(node, root, path, result));
    if (!*node)
        return FS_ERROR(FS_ERR_NOT_FOUND, "path '%s' not found in %s", path,
                        fs_root_label(root));
    return NULL;
}

fs_error_t *fs_node_child(const fs_node_t **child, const fs_node_t *parent,
                          const char *name, apr_pool_t *result)
{
    return step_down(child, parent, name,
                     fs_path_join(parent->path, name, result), result);
}

fs_error_t *fs_dir_node(const fs_node_t **child, const fs_node_t *parent,
                        const fs_dirent_t *entry, apr_pool_t *result)
{
    return node_below(child, parent,
                      fs_path_join(parent->path, entry->name, result),
                      &entry->id, result);
}

/* ---- what a node tells ---- */

fs_root_t *fs_node_root(const fs_node_t *node)
{
    return node->root;
}

const char *fs_node_path(const fs_node_t *node)
{
    return node->path;
}

fs_node_kind_t fs_node_kind(const fs_node_t *node)
{
    return node->record->kind;
}

const fs_node_id_t *fs_node_id(const fs_node_t *node)
{
    return &node->record->id;
}

fs_rev_t fs_node_created_rev(const fs_node_t *node)
{
    return node->record->created_rev;
}

const char *fs_node_created_path(const fs_node_t *node)
{
    return node->record->created_path;
}

apr_int64_t fs_node_pred_count(const fs_node_t *node)
{
    return node->record->pred_count;
}

apr_uint64_t fs_node_size(const fs_node_t *node)
{
    const fs_node_record_t *record = node->record;

    return record->kind == FS_NODE_FILE && record->text.present
               ? record->text.size
               : 0;
}

bool fs_node_has_mergeinfo(const fs_node_t *node)
{
    return node->record->has_mergeinfo;
}

apr_int64_t fs_node_mergeinfo_count(const fs_node_t *node)
{
    return node->record->mergeinfo_count;
}

void fs_node_copyfrom(fs_rev_t *rev, const char **path, const fs_node_t *node)
{
    *path = node->record->copyfrom_path;
    *rev = *path ? node->record->copyfrom_rev : FS_INVALID_REV;
}
