/* SPDX-License-Identifier: Apache-2.0 */
/* Single flight within a process: who is filling which key. */

#ifndef LIBCACHE_BASE_FLIGHT_H
#define LIBCACHE_BASE_FLIGHT_H

#include "libcache/base/key.h"
#include "libcache/cache.h"

typedef struct cache_flight_t cache_flight_t;

/** No claims yet; lives in `pool`. Errors: those of making mutexes. */
apr_status_t cache_flight_create(cache_flight_t **flight, apr_pool_t *pool);

/**
 * The contract of cache_claim(). The claim lives in `pool` and ends with it
 * at the latest; the pool must end before the one of `flight`.
 * Threads: any; a claim is ended by the thread that owns its pool.
 */
apr_status_t cache_flight_claim(cache_claim_t **claim, cache_flight_t *flight,
                                const cache_page_key_t *key, int timeout_ms,
                                apr_pool_t *pool);

/** Let go of a claim, once; wakes who waits for it. */
void cache_flight_end(cache_claim_t *claim);

#endif
