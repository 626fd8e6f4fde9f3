/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims in a small table of buckets. Each bucket has a mutex, a condition
 * that is signalled whenever one of its claims ends, and a list of claims,
 * which live in the pools of their owners.
 */

#include "libcache/base/flight.h"

#include <string.h>

#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <apr_time.h>

#define BUCKETS 64

typedef struct bucket_t {
    apr_thread_mutex_t *mutex; /* guards the other members */
    apr_thread_cond_t *ended;
    cache_claim_t *claims; /* linked by `next` */
    apr_uint64_t serial;   /* of the last claim */
} bucket_t;

struct cache_flight_t {
    bucket_t buckets[BUCKETS];
};

struct cache_claim_t {
    cache_claim_t *next;
    bucket_t *bucket; /* NULL after the end */
    apr_pool_t *pool;
    apr_uint64_t serial; /* tells claims on the same key apart */
    apr_uint64_t hash;
    apr_size_t len; /* of `bytes` */
    unsigned char bytes[];
};

apr_status_t cache_flight_create(cache_flight_t **flight, apr_pool_t *pool)
{
    cache_flight_t *made = apr_pcalloc(pool, sizeof(*made));
    apr_status_t status = APR_SUCCESS;
    int i;

    for (i = 0; i < BUCKETS && status == APR_SUCCESS; i++) {
        status = apr_thread_mutex_create(&made->buckets[i].mutex,
                                         APR_THREAD_MUTEX_UNNESTED, pool);
        if (status == APR_SUCCESS)
            status = apr_thread_cond_create(&made->buckets[i].ended, pool);
    }
    if (status == APR_SUCCESS)
        *flight = made;
    return status;
}

static cache_claim_t *find(const bucket_t *bucket, const cache_page_key_t *key)
{
    cache_claim_t *claim = bucket->claims;

    while (claim && (claim->hash != key->hash || claim->len != key->len ||
                     memcmp(claim->bytes, key->bytes, key->len) != 0))
        claim = claim->next;
    return claim;
}

static apr_status_t end_with_pool(void *data)
{
    cache_claim_t *claim = data;
    cache_claim_t **link;
    bucket_t *bucket = claim->bucket;

    if (!bucket)
        return APR_SUCCESS;
    apr_thread_mutex_lock(bucket->mutex);
    for (link = &bucket->claims; *link; link = &(*link)->next) {
        if (*link == claim) {
            *link = claim->next;
            break;
        }
    }
    claim->bucket = NULL;
    apr_thread_cond_broadcast(bucket->ended);
    apr_thread_mutex_unlock(bucket->mutex);
    return APR_SUCCESS;
}

/* With the bucket locked, and nobody at that key. */
static void add(cache_claim_t *claim, bucket_t *bucket)
{
    claim->serial = ++bucket->serial;
    claim->bucket = bucket;
    claim->next = bucket->claims;
    bucket->claims = claim;
}

/*
 * Wait with the bucket locked until claim `serial` on the key is gone. The
 * clock may be set back meanwhile: no single wait is longer than the time-out.
 */
static apr_status_t wait_for_end(bucket_t *bucket, const cache_page_key_t *key,
                                 apr_uint64_t serial, int timeout_ms)
{
    apr_interval_time_t timeout = apr_time_from_msec(timeout_ms);
    apr_time_t deadline = apr_time_now() + timeout;
    const cache_claim_t *claim;

    while ((claim = find(bucket, key)) && claim->serial == serial) {
        apr_interval_time_t left = deadline - apr_time_now();

        if (left <= 0)
            return APR_TIMEUP;
        apr_thread_cond_timedwait(bucket->ended, bucket->mutex,
                                  left < timeout ? left : timeout);
    }
    return APR_EEXIST;
}

apr_status_t cache_flight_claim(cache_claim_t **claim, cache_flight_t *flight,
                                const cache_page_key_t *key, int timeout_ms,
                                apr_pool_t *pool)
{
    bucket_t *bucket = &flight->buckets[(key->hash >> 32) % BUCKETS];
    cache_claim_t *mine = NULL;
    const cache_claim_t *other;
    apr_status_t status = APR_SUCCESS;

    *claim = NULL;
    apr_thread_mutex_lock(bucket->mutex);
    other = find(bucket, key);
    if (other) {
        status = wait_for_end(bucket, key, other->serial, timeout_ms);
    } else {
        mine = apr_palloc(pool, sizeof(*mine) + key->len);
        mine->pool = pool;
        mine->hash = key->hash;
        mine->len = key->len;
        memcpy(mine->bytes, key->bytes, key->len);
        add(mine, bucket);
    }
    apr_thread_mutex_unlock(bucket->mutex);
    if (mine) {
        apr_pool_cleanup_register(pool, mine, end_with_pool,
                                  apr_pool_cleanup_null);
        *claim = mine;
    }
    return status;
}

void cache_flight_end(cache_claim_t *claim)
{
    apr_pool_cleanup_run(claim->pool, claim, end_with_pool);
}
