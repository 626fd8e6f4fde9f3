/* SPDX-License-Identifier: Apache-2.0 */
/* The back end that keeps nothing: to measure and to test without a cache. */

#include "libcache/none/none.h"

static apr_status_t none_create(cache_store_t **store, apr_uint64_t *size,
                                apr_uint64_t *seed, apr_pool_t *pool)
{
    (void)seed;
    (void)pool;
    *store = NULL;
    *size = 0;
    return APR_SUCCESS;
}

static apr_status_t none_attach(cache_store_t *store, apr_pool_t *process_pool)
{
    (void)store;
    (void)process_pool;
    return APR_SUCCESS;
}

static apr_status_t none_get(cache_store_t *store, const cache_page_key_t *key,
                             char *buf, apr_size_t *len)
{
    (void)store;
    (void)key;
    (void)buf;
    (void)len;
    return APR_NOTFOUND;
}

static apr_status_t none_put(cache_store_t *store, const cache_page_key_t *key,
                             const char *page, apr_size_t len)
{
    (void)store;
    (void)key;
    (void)page;
    (void)len;
    return APR_ENOSPC;
}

static void none_drop(cache_store_t *store, const cache_page_key_t *key)
{
    (void)store;
    (void)key;
}

static void none_usage(cache_store_t *store, cache_kind_t kind,
                       cache_usage_t *usage)
{
    (void)store;
    (void)kind;
    usage->evictions = 0;
    usage->bytes = 0;
    usage->entries = 0;
}

const cache_backend_t cache_none = {
    "none",   0,        none_create, none_attach,
    none_get, none_put, none_drop,   none_usage,
};
