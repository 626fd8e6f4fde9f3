/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many look-ups and puts a second the cache makes.
 *
 * cache_bench [SECONDS]: one line a case: threads, operations a second, and
 * processor time of one, which other load on the machine disturbs less.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <apr_general.h>
#include <apr_thread_proc.h>
#include <apr_time.h>

#include "libcache/cache.h"

#define KEYS 20000
#define VALUE 200
#define BATCH 1000
#define THREADS_MAX 2

typedef enum work_t {
    GET,
    GET_PART,
    MISS,
    PUT
} work_t;

static const char *const work_names[] = { "get", "get_part", "miss", "put" };

typedef struct worker_t {
    cache_t *cache;
    work_t work;
    apr_time_t end;
    apr_uint64_t random;
    apr_uint64_t done;
} worker_t;

static void one(worker_t *worker, apr_pool_t *pool)
{
    static const char data[VALUE] = "value";
    cache_key_t key = { .kind = CACHE_NODE, .name = "/trunk", .name_len = 6 };
    cache_value_t value;
    char buf[VALUE];
    apr_size_t len = sizeof(buf);
    apr_uint64_t total;

    worker->random = worker->random * UINT64_C(6364136223846793005) + 1;
    key.item = (worker->random >> 33) % KEYS;
    switch (worker->work) {
    case GET:
        cache_get(worker->cache, &key, &value, pool);
        break;
    case GET_PART:
        cache_get_part(worker->cache, &key, 0, buf, &len, &total);
        break;
    case MISS:
        key.extra = 1;
        cache_get(worker->cache, &key, &value, pool);
        break;
    case PUT:
        key.rev = (apr_int64_t)(worker->random >> 20);
        cache_put(worker->cache, &key, data, sizeof(data));
        break;
    }
}

static void *APR_THREAD_FUNC run(apr_thread_t *thread, void *data)
{
    worker_t *worker = data;
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, NULL);
    while (apr_time_now() < worker->end) {
        apr_pool_clear(pool);
        for (i = 0; i < BATCH; i++)
            one(worker, pool);
        worker->done += BATCH;
    }
    apr_pool_destroy(pool);
    apr_thread_exit(thread, APR_SUCCESS);
    return NULL;
}

static void measure(cache_t *cache, work_t work, int count, int seconds,
                    apr_pool_t *pool)
{
    worker_t workers[THREADS_MAX];
    apr_thread_t *threads[THREADS_MAX];
    apr_time_t start = apr_time_now();
    clock_t cpu = clock();
    apr_uint64_t done = 0;
    apr_status_t status;
    int i;

    for (i = 0; i < count; i++) {
        memset(&workers[i], 0, sizeof(workers[i]));
        workers[i].cache = cache;
        workers[i].work = work;
        workers[i].end = start + apr_time_from_sec(seconds);
        workers[i].random = (apr_uint64_t)i + 1;
        apr_thread_create(&threads[i], NULL, run, &workers[i], pool);
    }
    for (i = 0; i < count; i++) {
        apr_thread_join(&status, threads[i]);
        done += workers[i].done;
    }
    printf("%-9s %d threads %12.0f a second %8.0f ns\n", work_names[work],
           count, (double)done * 1e6 / (double)(apr_time_now() - start),
           (double)(clock() - cpu) * 1e9 / CLOCKS_PER_SEC / (double)done);
}

int main(int argc, const char *const *argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 1;
    cache_options_t options = { "process", 0 };
    apr_pool_t *pool;
    cache_t *cache;
    int work;
    int i;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (cache_create(&cache, &options, pool) != APR_SUCCESS)
        return 1;
    for (i = 0; i < KEYS; i++) {
        cache_key_t key = { .kind = CACHE_NODE,
                            .name = "/trunk",
                            .name_len = 6,
                            .item = (apr_uint64_t)i };
        char value[VALUE] = "value";

        cache_put(cache, &key, value, sizeof(value));
    }
    for (work = GET; work <= PUT; work++) {
        for (i = 1; i <= THREADS_MAX; i++)
            measure(cache, (work_t)work, i, seconds, pool);
    }
    apr_terminate();
    return 0;
}
