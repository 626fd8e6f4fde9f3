/* SPDX-License-Identifier: Apache-2.0 */
/* A segment in private memory, with a mutex a shard for its writers. */

#include "libcache/process/process.h"

#include <stdint.h>
#include <stdlib.h>

#include <apr_thread_mutex.h>

#include "libcache/segment/segment.h"

#define DEFAULT_SIZE (16 * 1024 * 1024)

struct cache_store_t {
    cache_segment_t segment;
    void *memory;               /* what malloc gave */
    apr_thread_mutex_t **locks; /* one a shard */
};

static apr_status_t release_memory(void *data)
{
    cache_store_t *store = data;

    free(store->memory);
    return APR_SUCCESS;
}

static apr_status_t make_locks(cache_store_t *store, apr_pool_t *pool)
{
    apr_uint32_t count = store->segment.shard_count;
    apr_status_t status = APR_SUCCESS;
    apr_uint32_t i;

    store->locks = apr_palloc(pool, count * sizeof(*store->locks));
    for (i = 0; i < count && status == APR_SUCCESS; i++)
        status = apr_thread_mutex_create(&store->locks[i],
                                         APR_THREAD_MUTEX_UNNESTED, pool);
    return status;
}

static apr_status_t process_create(cache_store_t **store, apr_uint64_t *size,
                                   apr_uint64_t *seed, apr_pool_t *pool)
{
    cache_store_t *made = apr_pcalloc(pool, sizeof(*made));
    uintptr_t start;

    if (*size < CACHE_SEGMENT_MIN)
        *size = CACHE_SEGMENT_MIN;
    if (*size > SIZE_MAX - CACHE_SEGMENT_ALIGN)
        return APR_ENOMEM;
    /* Fresh from the system: pages that are never used cost nothing. */
    made->memory = calloc(1, (size_t)*size + CACHE_SEGMENT_ALIGN);
    if (!made->memory)
        return APR_ENOMEM;
    apr_pool_cleanup_register(pool, made, release_memory,
                              apr_pool_cleanup_null);
    start = (uintptr_t)made->memory;
    start += CACHE_SEGMENT_ALIGN - start % CACHE_SEGMENT_ALIGN;
    cache_segment_divide(&made->segment, (void *)start, *size);
    cache_segment_init(&made->segment, *seed);
    *store = made;
    return make_locks(made, pool);
}

/* A mutex that another thread held at the fork would stay locked for ever. */
static apr_status_t process_attach(cache_store_t *store,
                                   apr_pool_t *process_pool)
{
    return make_locks(store, process_pool);
}

static apr_thread_mutex_t *lock_of(const cache_store_t *store,
                                   const cache_page_key_t *key)
{
    return store->locks[cache_segment_shard(&store->segment, key->hash)];
}

static apr_status_t process_get(cache_store_t *store,
                                const cache_page_key_t *key, char *buf,
                                apr_size_t *len)
{
    return cache_segment_get(&store->segment, key, buf, len);
}

static apr_status_t process_put(cache_store_t *store,
                                const cache_page_key_t *key, const char *page,
                                apr_size_t len)
{
    apr_thread_mutex_t *lock = lock_of(store, key);
    apr_status_t status;

    apr_thread_mutex_lock(lock);
    status = cache_segment_put(&store->segment, key, page, len);
    apr_thread_mutex_unlock(lock);
    return status;
}

static void process_drop(cache_store_t *store, const cache_page_key_t *key)
{
    apr_thread_mutex_t *lock = lock_of(store, key);

    apr_thread_mutex_lock(lock);
    cache_segment_drop(&store->segment, key);
    apr_thread_mutex_unlock(lock);
}

static void process_usage(cache_store_t *store, cache_kind_t kind,
                          cache_usage_t *usage)
{
    apr_uint32_t i;

    usage->evictions = 0;
    usage->bytes = 0;
    usage->entries = 0;
    for (i = 0; i < store->segment.shard_count; i++) {
        apr_thread_mutex_lock(store->locks[i]);
        cache_segment_usage(&store->segment, i, kind, usage);
        apr_thread_mutex_unlock(store->locks[i]);
    }
}

const cache_backend_t cache_process = {
    "process",   DEFAULT_SIZE, process_create, process_attach,
    process_get, process_put,  process_drop,   process_usage,
};
