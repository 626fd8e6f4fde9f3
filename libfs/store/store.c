/* SPDX-License-Identifier: Apache-2.0 */
/* Which store a repository's folder holds; its option table; the repository
 * as the public interface knows it. */

#include "libfs/store/store.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/fsfs.h"
#include "libfs/store/prop_rules.h"

struct fs_repo_t {
    fs_store_t *store;
    const char *path;
    cache_t *cache;
};

/* All kinds of stores that this build has. */
static const fs_store_vtable_t *(*const stores[])(void) = { fs_fsfs_vtable };

#define STORE_COUNT (sizeof(stores) / sizeof(stores[0]))

/* The only store so far; with a second one the tables are joined here, and
 * fs_repo_check_options() asks each store about the names that it knows. */
const fs_option_t *fs_repo_options(void)
{
    return stores[0]()->options;
}

static bool option_is_known(const char *name)
{
    const fs_option_t *option;
    apr_size_t i;

    for (i = 0; i < STORE_COUNT; i++)
        for (option = stores[i]()->options; option->name; option++)
            if (!strcmp(option->name, name))
                return true;
    return false;
}

static fs_error_t *check_names(apr_hash_t *options, apr_pool_t *scratch)
{
    apr_hash_index_t *i;

    if (!options)
        return NULL;
    for (i = apr_hash_first(scratch, options); i; i = apr_hash_next(i)) {
        const char *name = apr_hash_this_key(i);

        if (!option_is_known(name))
            return FS_ERROR(FS_ERR_BAD_ARGS, "unknown option '%s'", name);
    }
    return NULL;
}

fs_error_t *fs_repo_check_options(apr_hash_t *options, apr_pool_t *scratch)
{
    FS_TRY(check_names(options, scratch));
    return stores[0]()->check_options(options, scratch);
}

static fs_error_t *find_store(const fs_store_vtable_t **found, const char *path,
                              apr_pool_t *scratch)
{
    apr_size_t i;
    bool mine;

    for (i = 0; i < STORE_COUNT; i++) {
        FS_TRY(stores[i]()->probe(&mine, path, scratch));
        if (mine) {
            *found = stores[i]();
            return NULL;
        }
    }
    return FS_ERROR(FS_ERR_NOT_FOUND, "there is no repository");
}

fs_error_t *fs_repo_open(fs_repo_t **repo, const char *path,
                         apr_hash_t *options, cache_t *cache,
                         apr_pool_t *result)
{
    fs_repo_t *r = apr_palloc(result, sizeof(*r));
    const fs_store_vtable_t *vtable;
    apr_pool_t *scratch;
    fs_error_t *err;

    apr_pool_create(&scratch, result);
    err = check_names(options, scratch);
    if (!err)
        err = find_store(&vtable, path, scratch);
    apr_pool_destroy(scratch);
    FS_TRY(err);
    r->path = apr_pstrdup(result, path);
    r->cache = cache;
    FS_TRY(vtable->open(&r->store, r->path, options, cache, result));
    *repo = r;
    return NULL;
}

fs_error_t *fs_repo_create(const char *path, apr_hash_t *options,
                           apr_pool_t *scratch)
{
    FS_TRY(check_names(options, scratch));
    return stores[0]()->create(path, options, scratch);
}

fs_store_t *fs_repo_store(const fs_repo_t *repo)
{
    return repo->store;
}

fs_error_t *fs_repo_check(bool *stale, fs_repo_t *repo, apr_pool_t *scratch)
{
    return repo->store->vtable->check(stale, repo->store, scratch);
}

const char *fs_repo_path(const fs_repo_t *repo)
{
    return repo->path;
}

const char *fs_repo_uuid(const fs_repo_t *repo)
{
    return repo->store->vtable->uuid(repo->store);
}

int fs_repo_format(const fs_repo_t *repo)
{
    return repo->store->vtable->format(repo->store);
}

bool fs_repo_has_mergeinfo(const fs_repo_t *repo)
{
    return repo->store->vtable->has_mergeinfo(repo->store);
}

const unsigned char *fs_repo_instance(const fs_repo_t *repo)
{
    return repo->store->vtable->instance(repo->store);
}

cache_t *fs_repo_cache(const fs_repo_t *repo)
{
    return repo->cache;
}

fs_error_t *fs_repo_facts(apr_array_header_t **facts, fs_repo_t *repo,
                          apr_pool_t *result)
{
    return repo->store->vtable->facts(facts, repo->store, result);
}

fs_rev_t fs_repo_youngest_known(fs_repo_t *repo)
{
    return repo->store->vtable->youngest_known(repo->store);
}

fs_error_t *fs_repo_youngest(fs_rev_t *rev, fs_repo_t *repo,
                             apr_pool_t *scratch)
{
    return repo->store->vtable->youngest(rev, repo->store, scratch);
}

fs_error_t *fs_repo_revprops(apr_hash_t **props, fs_repo_t *repo, fs_rev_t rev,
                             apr_pool_t *result, apr_pool_t *scratch)
{
    return repo->store->vtable->revprops(props, repo->store, rev, result,
                                         scratch);
}

fs_error_t *fs_repo_revprop(const fs_bytes_t **value, fs_repo_t *repo,
                            fs_rev_t rev, const char *name, apr_pool_t *result,
                            apr_pool_t *scratch)
{
    apr_hash_t *props;

    FS_TRY(fs_repo_revprops(&props, repo, rev, result, scratch));
    *value = apr_hash_get(props, name, APR_HASH_KEY_STRING);
    return NULL;
}

fs_error_t *fs_repo_change_revprop(fs_repo_t *repo, fs_rev_t rev,
                                   const fs_revprop_change_t *change,
                                   apr_pool_t *scratch)
{
    FS_TRY(fs_prop_rules_check(change->name, change->value));
    return repo->store->vtable->change_revprops(repo->store, rev, change, 1,
                                                scratch);
}

fs_error_t *fs_repo_txns(apr_array_header_t **names, fs_repo_t *repo,
                         apr_pool_t *result)
{
    return repo->store->vtable->txns(names, repo->store, result);
}
