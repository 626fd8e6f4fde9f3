/* SPDX-License-Identifier: Apache-2.0 */
/* The open repositories of a process: found, counted, checked, closed. */

#include "libfs/fs_repo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_allocator.h>
#include <apr_strings.h>

#define BUCKETS 1024

/* An open repository and its users. */
typedef struct entry_t {
    fs_repo_set_t *set;
    fs_repo_t *repo;
    apr_pool_t *pool; /* everything of this entry, itself included */
    const char *key;  /* path and options */
    unsigned int hash;

    /* Guarded by the set's lock. */
    int users;
    bool in_set;           /* false: to be closed by its last user */
    struct entry_t *next;  /* in the bucket */
    struct entry_t *newer; /* among the idle ones, by when they became so */
    struct entry_t *older;
} entry_t;

struct fs_repo_set_t {
    cache_t *cache;
    int max_idle;
    pthread_mutex_t lock; /* guards what follows */
    entry_t *buckets[BUCKETS];
    entry_t *newest_idle;
    entry_t *oldest_idle;
    int idle;
};

/* --- Idle entries --- */

static void idle_add(fs_repo_set_t *set, entry_t *entry)
{
    entry->older = set->newest_idle;
    entry->newer = NULL;
    if (set->newest_idle)
        set->newest_idle->newer = entry;
    else
        set->oldest_idle = entry;
    set->newest_idle = entry;
    set->idle++;
}

static void idle_remove(fs_repo_set_t *set, entry_t *entry)
{
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        set->newest_idle = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        set->oldest_idle = entry->newer;
    set->idle--;
}

/* --- Entries --- */

static entry_t *find(fs_repo_set_t *set, const char *key, unsigned int hash)
{
    entry_t *entry = set->buckets[hash % BUCKETS];

    while (entry && (entry->hash != hash || strcmp(entry->key, key)))
        entry = entry->next;
    return entry;
}

/* One user more. */
static void hold(fs_repo_set_t *set, entry_t *entry)
{
    if (!entry->users++)
        idle_remove(set, entry);
}

static void take_out(fs_repo_set_t *set, entry_t *entry)
{
    entry_t **place = &set->buckets[entry->hash % BUCKETS];

    while (*place != entry)
        place = &(*place)->next;
    *place = entry->next;
    entry->in_set = false;
}

/* One user less. Returns an entry that the caller closes without the lock, or
 * NULL: this one, or the one idle for longest. */
static entry_t *let_go(fs_repo_set_t *set, entry_t *entry)
{
    entry_t *surplus;

    if (--entry->users)
        return NULL;
    if (!entry->in_set)
        return entry;
    idle_add(set, entry);
    if (set->idle <= set->max_idle)
        return NULL;
    surplus = set->oldest_idle;
    idle_remove(set, surplus);
    take_out(set, surplus);
    return surplus;
}

static void close_entry(entry_t *entry)
{
    if (entry)
        apr_pool_destroy(entry->pool);
}

static apr_status_t release(void *data)
{
    entry_t *entry = data;
    fs_repo_set_t *set = entry->set;
    entry_t *surplus;

    pthread_mutex_lock(&set->lock);
    surplus = let_go(set, entry);
    pthread_mutex_unlock(&set->lock);
    close_entry(surplus);
    return APR_SUCCESS;
}

/* Nobody gets the entry any more. */
static void retire(entry_t *entry)
{
    fs_repo_set_t *set = entry->set;

    pthread_mutex_lock(&set->lock);
    if (entry->in_set)
        take_out(set, entry);
    pthread_mutex_unlock(&set->lock);
}

/* A pool without parent: it is cleared by whichever thread is last. */
static apr_pool_t *own_pool(void)
{
    apr_allocator_t *allocator;
    apr_pool_t *pool;

    if (apr_allocator_create(&allocator))
        return NULL;
    if (apr_pool_create_unmanaged_ex(&pool, NULL, allocator)) {
        apr_allocator_destroy(allocator);
        return NULL;
    }
    apr_allocator_owner_set(allocator, pool);
    return pool;
}

static fs_error_t *open_entry(entry_t **out, fs_repo_set_t *set,
                              const char *path, apr_hash_t *options,
                              const char *key, unsigned int hash)
{
    apr_pool_t *pool = own_pool();
    fs_error_t *err;
    entry_t *entry;

    if (!pool)
        return FS_ERROR_APR(APR_ENOMEM, "no memory for a repository");
    entry = apr_pcalloc(pool, sizeof(*entry));
    entry->set = set;
    entry->pool = pool;
    entry->key = apr_pstrdup(pool, key);
    entry->hash = hash;
    entry->users = 1;
    err = fs_repo_open(&entry->repo, path, options, set->cache, pool);
    if (err) {
        apr_pool_destroy(pool);
        return err;
    }
    *out = entry;
    return NULL;
}

/* Put a new entry in. If another thread was faster, that one's stays, and this
 * one serves its request alone: the other one may have been opened before a
 * change that this request has to see. */
static void insert(fs_repo_set_t *set, entry_t *entry)
{
    pthread_mutex_lock(&set->lock);
    if (!find(set, entry->key, entry->hash)) {
        entry->next = set->buckets[entry->hash % BUCKETS];
        set->buckets[entry->hash % BUCKETS] = entry;
        entry->in_set = true;
    }
    pthread_mutex_unlock(&set->lock);
}

/* --- Keys --- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Path and options as one string; options are part of what a handle is. */
static const char *make_key(const char *path, apr_hash_t *options,
                            apr_pool_t *result)
{
    apr_array_header_t *names;
    apr_hash_index_t *i;
    const char *key = path;
    int n;

    if (!options || !apr_hash_count(options))
        return path;
    names = apr_array_make(result, (int)apr_hash_count(options),
                           sizeof(const char *));
    for (i = apr_hash_first(result, options); i; i = apr_hash_next(i))
        APR_ARRAY_PUSH(names, const char *) = apr_hash_this_key(i);
    qsort(names->elts, (apr_size_t)names->nelts, sizeof(const char *),
          compare_names);
    for (n = 0; n < names->nelts; n++) {
        const char *name = APR_ARRAY_IDX(names, n, const char *);
        const char *value = apr_hash_get(options, name, APR_HASH_KEY_STRING);

        key = apr_pstrcat(result, key, "\n", name, "=", value, (char *)NULL);
    }
    return key;
}

/* --- The set --- */

/* All users are gone when the process's pool is. */
static apr_status_t close_set(void *data)
{
    fs_repo_set_t *set = data;
    int i;

    for (i = 0; i < BUCKETS; i++) {
        entry_t *entry = set->buckets[i];

        while (entry) {
            entry_t *next = entry->next;

            close_entry(entry);
            entry = next;
        }
    }
    pthread_mutex_destroy(&set->lock);
    return APR_SUCCESS;
}

fs_error_t *fs_repo_set_create(fs_repo_set_t **set, int max_idle,
                               cache_t *cache, apr_pool_t *process_pool)
{
    fs_repo_set_t *s = apr_pcalloc(process_pool, sizeof(*s));

    s->cache = cache;
    s->max_idle = max_idle > 0 ? max_idle : 0;
    if (pthread_mutex_init(&s->lock, NULL))
        return FS_ERROR_APR(APR_ENOMEM, "cannot make a mutex");
    apr_pool_cleanup_register(process_pool, s, close_set,
                              apr_pool_cleanup_null);
    *set = s;
    return NULL;
}

/* A held entry that is open already and still true, or NULL. */
static fs_error_t *get_open(entry_t **out, fs_repo_set_t *set, const char *key,
                            unsigned int hash, apr_pool_t *scratch)
{
    bool stale = false;
    fs_error_t *err;
    entry_t *entry;

    pthread_mutex_lock(&set->lock);
    entry = find(set, key, hash);
    if (entry)
        hold(set, entry);
    pthread_mutex_unlock(&set->lock);
    *out = entry;
    if (!entry)
        return NULL;
    err = fs_repo_check(&stale, entry->repo, scratch);
    if (!err && !stale)
        return NULL;
    /* What went wrong is found again, and told well, by opening. */
    fs_error_clear(err);
    retire(entry);
    (void)release(entry);
    *out = NULL;
    return NULL;
}

fs_error_t *fs_repo_set_get(fs_repo_t **repo, fs_repo_set_t *set,
                            const char *path, apr_hash_t *options,
                            apr_pool_t *holder)
{
    apr_ssize_t len = APR_HASH_KEY_STRING;
    apr_pool_t *scratch;
    unsigned int hash;
    fs_error_t *err;
    const char *key;
    entry_t *entry;

    apr_pool_create(&scratch, holder);
    key = make_key(path, options, scratch);
    hash = apr_hashfunc_default(key, &len);
    err = get_open(&entry, set, key, hash, scratch);
    if (!err && !entry) {
        err = open_entry(&entry, set, path, options, key, hash);
        if (!err)
            insert(set, entry);
    }
    apr_pool_destroy(scratch);
    FS_TRY(err);
    apr_pool_cleanup_register(holder, entry, release, apr_pool_cleanup_null);
    *repo = entry->repo;
    return NULL;
}
