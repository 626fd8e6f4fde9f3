/* SPDX-License-Identifier: Apache-2.0 */
/* Striped counters: each thread adds to one of a few stripes. */

#include "libcache/base/counter.h"

#include <stdatomic.h>
#include <stdint.h>

#define STRIPES 16
#define CACHE_LINE 64

typedef struct stripe_t {
    _Alignas(CACHE_LINE) _Atomic uint64_t
        counts[CACHE_KIND_COUNT][CACHE_EVENT_COUNT];
} stripe_t;

struct cache_counter_t {
    stripe_t *stripes; /* STRIPES of them, aligned in the pool's block */
};

/* Which stripe the thread adds to: 0 is none yet, else number + 1. */
static _Thread_local unsigned int my_stripe;
static atomic_uint next_stripe;

cache_counter_t *cache_counter_create(apr_pool_t *pool)
{
    cache_counter_t *counter = apr_palloc(pool, sizeof(*counter));
    char *block = apr_pcalloc(pool, STRIPES * sizeof(stripe_t) + CACHE_LINE);

    block += CACHE_LINE - (uintptr_t)block % CACHE_LINE;
    counter->stripes = (stripe_t *)(void *)block;
    return counter;
}

void cache_counter_add(cache_counter_t *counter, cache_kind_t kind,
                       cache_event_t event)
{
    if (my_stripe == 0)
        my_stripe = 1 + atomic_fetch_add(&next_stripe, 1) % STRIPES;
    atomic_fetch_add_explicit(
        &counter->stripes[my_stripe - 1].counts[kind][event], 1,
        memory_order_relaxed);
}

apr_uint64_t cache_counter_sum(const cache_counter_t *counter,
                               cache_kind_t kind, cache_event_t event)
{
    apr_uint64_t sum = 0;
    int i;

    for (i = 0; i < STRIPES; i++)
        sum += atomic_load_explicit(&counter->stripes[i].counts[kind][event],
                                    memory_order_relaxed);
    return sum;
}
