/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of revisions, and what they remember of look-ups. */

#include "libfs/tree/tree.h"

#include <string.h>

#include <apr_strings.h>

static cache_key_t top_key(fs_repo_t *repo, fs_rev_t rev)
{
    cache_key_t key = {
        .kind = CACHE_PATH, .rev = rev, .name = "/", .name_len = 1
    };

    memcpy(key.space, fs_repo_instance(repo), sizeof(key.space));
    return key;
}

static bool cached_id(fs_node_id_t *id, fs_repo_t *repo, fs_rev_t rev)
{
    cache_key_t key = top_key(repo, rev);
    apr_size_t len = sizeof(id->bytes);
    apr_uint64_t total;

    return cache_get_part(fs_repo_cache(repo), &key, 0, (char *)id->bytes, &len,
                          &total) == APR_SUCCESS &&
           len == sizeof(id->bytes) && total == sizeof(id->bytes);
}

fs_root_t *fs_root_make(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *result)
{
    fs_root_t *root = apr_pcalloc(result, sizeof(*root));

    root->repo = repo;
    root->store = fs_repo_store(repo);
    root->rev = rev;
    root->pool = result;
    return root;
}

static fs_root_t *make_with_id(fs_repo_t *repo, fs_rev_t rev,
                               const fs_node_id_t *id, apr_pool_t *result)
{
    fs_root_t *root = fs_root_make(repo, rev, result);

    root->id = *id;
    root->has_id = true;
    return root;
}

fs_root_t *fs_root_make_txn(fs_repo_t *repo, const fs_node_id_t *id,
                            const char *txn, apr_pool_t *result)
{
    fs_root_t *root = make_with_id(repo, FS_INVALID_REV, id, result);

    root->txn = txn;
    return root;
}

const char *fs_root_label(const fs_root_t *root)
{
    if (root->txn)
        return apr_psprintf(root->pool, "transaction '%s'", root->txn);
    return apr_psprintf(root->pool, "revision %" FS_REV_FMT, root->rev);
}

static fs_error_t *stored_id(fs_node_id_t *id, fs_repo_t *repo, fs_rev_t rev,
                             apr_pool_t *pool)
{
    fs_store_t *store = fs_repo_store(repo);
    cache_key_t key = top_key(repo, rev);
    apr_pool_t *scratch;
    fs_error_t *err;

    apr_pool_create(&scratch, pool);
    err = store->vtable->root_id(id, store, rev, scratch);
    apr_pool_destroy(scratch);
    if (err)
        return FS_WRAP(err, "cannot open the tree of revision %" FS_REV_FMT,
                       rev);
    cache_put(fs_repo_cache(repo), &key, id->bytes, sizeof(id->bytes));
    return NULL;
}

fs_error_t *fs_root_open_known(fs_root_t **root, fs_repo_t *repo, fs_rev_t rev,
                               apr_pool_t *result)
{
    fs_node_id_t id;

    if (!cached_id(&id, repo, rev))
        FS_TRY(stored_id(&id, repo, rev, result));
    *root = make_with_id(repo, rev, &id, result);
    return NULL;
}

fs_error_t *fs_root_open(fs_root_t **root, fs_repo_t *repo, fs_rev_t rev,
                         apr_pool_t *result)
{
    fs_rev_t youngest;
    fs_node_id_t id;

    /* What is in the cache was there once, and revisions do not go away. */
    if (FS_IS_REV(rev) && cached_id(&id, repo, rev)) {
        *root = make_with_id(repo, rev, &id, result);
        return NULL;
    }
    FS_TRY(fs_repo_youngest(&youngest, repo, result));
    if (!FS_IS_REV(rev) || rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        rev);
    FS_TRY(stored_id(&id, repo, rev, result));
    *root = make_with_id(repo, rev, &id, result);
    return NULL;
}

fs_error_t *fs_root_aside(fs_root_t **aside, fs_root_t *root, fs_rev_t rev)
{
    if (rev == root->rev) {
        *aside = root;
        return NULL;
    }
    if (!root->aside || root->aside->rev != rev) {
        root->aside = NULL;
        if (root->aside_pool)
            apr_pool_clear(root->aside_pool);
        else
            apr_pool_create(&root->aside_pool, root->pool);
        FS_TRY(fs_root_open_known(&root->aside, root->repo, rev,
                                  root->aside_pool));
    }
    *aside = root->aside;
    return NULL;
}

fs_rev_t fs_root_rev(const fs_root_t *root)
{
    return root->rev;
}

fs_repo_t *fs_root_repo(const fs_root_t *root)
{
    return root->repo;
}

apr_pool_t *fs_root_scratch(fs_root_t *root)
{
    if (root->scratch)
        apr_pool_clear(root->scratch);
    else
        apr_pool_create(&root->scratch, root->pool);
    return root->scratch;
}

fs_error_t *fs_root_top(const fs_node_t **top, fs_root_t *root)
{
    const fs_node_record_t *record;

    if (!root->has_id) {
        if (!cached_id(&root->id, root->repo, root->rev))
            FS_TRY(stored_id(&root->id, root->repo, root->rev, root->pool));
        root->has_id = true;
    }
    if (!root->top) {
        FS_TRY(fs_lookup_record(&record, root, &root->id, root->pool));
        if (record->kind != FS_NODE_DIR)
            return FS_ERROR(FS_ERR_CORRUPT, "the root of %s is not a directory",
                            fs_root_label(root));
        root->top = fs_lookup_make(root, "/", record, 0, "/", root->pool);
    }
    *top = root->top;
    return NULL;
}

const fs_node_t *fs_root_recall(fs_root_t *root, const char *path,
                                apr_size_t len)
{
    if (!root->memo)
        return NULL;
    return apr_hash_get(root->memo, path, (apr_ssize_t)len);
}

void fs_root_remember(fs_root_t *root, const fs_node_t *dir)
{
    const fs_node_t *copy;

    if (root->memo && apr_hash_count(root->memo) >= FS_ROOT_MEMO_MAX) {
        apr_pool_clear(root->memo_pool);
        root->memo = NULL;
    }
    if (!root->memo_pool)
        apr_pool_create(&root->memo_pool, root->pool);
    if (!root->memo)
        root->memo = apr_hash_make(root->memo_pool);
    copy = fs_lookup_copy(dir, root->memo_pool);
    apr_hash_set(root->memo, copy->path, APR_HASH_KEY_STRING, copy);
}
