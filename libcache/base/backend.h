/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a back end is: a bounded store of single pages under byte keys. It may
 * forget any page at any time.
 */

#ifndef LIBCACHE_BASE_BACKEND_H
#define LIBCACHE_BASE_BACKEND_H

#include "libcache/base/key.h"
#include "libcache/cache.h"

/** A store that was made; each back end defines its own. */
typedef struct cache_store_t cache_store_t;

/** What a back end counts, by kind. */
typedef struct cache_usage_t {
    apr_uint64_t evictions; /* pages dropped to make room */
    apr_uint64_t bytes;     /* held now, with keys and headers */
    apr_uint64_t entries;   /* pages held now */
} cache_usage_t;

/*
 * All functions but `create` and `attach` may be called by many threads at
 * once. `page` in them is <= CACHE_PAGE_SIZE bytes.
 */
typedef struct cache_backend_t {
    const char *name;          /* as written in the configuration */
    apr_uint64_t default_size; /* in bytes */
    /**
     * Make a store of about `*size` bytes in all, which lives in `pool`; sets
     * `*size` to what it takes. `*seed` is random; the store replaces it by
     * the one that its pages were hashed with, if it has such pages already.
     * Errors:  APR_ENOMEM.
     */
    apr_status_t (*create)(cache_store_t **store, apr_uint64_t *size,
                           apr_uint64_t *seed, apr_pool_t *pool);
    /** Make ready after fork; called once in each child, before any get. */
    apr_status_t (*attach)(cache_store_t *store, apr_pool_t *process_pool);
    /**
     * Copy a page to `buf`, which has room for `*len` bytes; sets `*len`.
     * APR_NOTFOUND is a miss, also if the page is longer than that; then
     * `buf` may have been written to. Never blocks on I/O.
     */
    apr_status_t (*get)(cache_store_t *store, const cache_page_key_t *key,
                        char *buf, apr_size_t *len);
    /** Keep a copy of a page, in place of an older one. Fails at will. */
    apr_status_t (*put)(cache_store_t *store, const cache_page_key_t *key,
                        const char *page, apr_size_t len);
    /** Forget a page. */
    void (*drop)(cache_store_t *store, const cache_page_key_t *key);
    /** Read the counts of a kind. Cost: may lock parts of the store. */
    void (*usage)(cache_store_t *store, cache_kind_t kind,
                  cache_usage_t *usage);
} cache_backend_t;

#endif
