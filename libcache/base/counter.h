/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that threads add to without sharing cache lines. */

#ifndef LIBCACHE_BASE_COUNTER_H
#define LIBCACHE_BASE_COUNTER_H

#include "libcache/cache.h"

typedef enum cache_event_t {
    CACHE_EVENT_HIT,
    CACHE_EVENT_MISS,
    CACHE_EVENT_PUT,
    CACHE_EVENT_REFUSED,
    CACHE_EVENT_COUNT
} cache_event_t;

typedef struct cache_counter_t cache_counter_t;

/** All zero; lives in `pool`. Cost: 8 KiB. */
cache_counter_t *cache_counter_create(apr_pool_t *pool);

/** Count an event. Threads: any. Cost: a few nanoseconds. */
void cache_counter_add(cache_counter_t *counter, cache_kind_t kind,
                       cache_event_t event);

/** Events of all threads so far. */
apr_uint64_t cache_counter_sum(const cache_counter_t *counter,
                               cache_kind_t kind, cache_event_t event);

#endif
