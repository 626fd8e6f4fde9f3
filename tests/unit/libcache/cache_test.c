/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of libcache/cache.h, with both back ends. */

#include "libcache/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include <apr_atomic.h>
#include <apr_time.h>

#include "tests/support/unit.h"

/* Bytes of a value that one page takes: 24 are for the page's own use. */
#define PAGE_BYTES 8168

static cache_t *make_cache(void **state, const char *backend, apr_uint64_t size)
{
    cache_options_t options = { backend, size };
    cache_t *cache = NULL;

    assert_apr_ok(cache_create(&cache, &options, unit_pool(state)));
    return cache;
}

static cache_key_t make_key(apr_uint64_t item)
{
    cache_key_t key = { .kind = CACHE_NODE, .rev = 7, .item = item };

    return key;
}

/* Bytes which tell their place, and which value they belong to. */
static void fill(char *data, apr_size_t len, apr_uint64_t which)
{
    apr_size_t i;

    for (i = 0; i < len; i++)
        data[i] = (char)(which * 31 + i * 7 + (i >> 8) * 13);
}

static char *make_data(void **state, apr_size_t len, apr_uint64_t which)
{
    char *data = apr_palloc(unit_pool(state), len + 1);

    fill(data, len, which);
    return data;
}

static void assert_value(void **state, cache_t *cache, const cache_key_t *key,
                         const char *data, apr_size_t len)
{
    cache_value_t value;

    assert_apr_ok(cache_get(cache, key, &value, unit_pool(state)));
    assert_bytes_equal(value.data, value.len, data, len);
}

static void assert_miss(void **state, cache_t *cache, const cache_key_t *key)
{
    cache_value_t value;

    assert_int_equal(cache_get(cache, key, &value, unit_pool(state)),
                     APR_NOTFOUND);
}

/* --- making one ------------------------------------------------------------ */

static void the_default_is_a_process_cache_of_16_mib(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);

    assert_string_equal(cache_backend_name(cache), "process");
    assert_int_equal(cache_size(cache), 16777216);
}

static void an_unknown_back_end_is_refused(void **state)
{
    cache_options_t options = { "memcached", 0 };
    cache_t *cache;

    assert_int_equal(cache_create(&cache, &options, unit_pool(state)),
                     APR_EINVAL);
}

static void the_back_ends_are_listed(void **state)
{
    const char *const *names = cache_backend_names();

    (void)state;
    assert_string_equal(names[0], "process");
    assert_string_equal(names[1], "none");
    assert_null(names[2]);
}

static void a_size_below_the_least_is_raised(void **state)
{
    assert_int_equal(cache_size(make_cache(state, "process", 1)), 131072);
}

static void no_cache_misses_everything(void **state)
{
    cache_key_t key = make_key(1);
    cache_counters_t counters;
    cache_claim_t *claim;
    apr_uint64_t total;
    apr_size_t len = 4;
    char buf[4];

    assert_miss(state, NULL, &key);
    assert_int_equal(cache_get_part(NULL, &key, 0, buf, &len, &total),
                     APR_NOTFOUND);
    assert_int_not_equal(cache_put(NULL, &key, "x", 1), APR_SUCCESS);
    cache_drop(NULL, &key);
    assert_apr_ok(cache_claim(&claim, NULL, &key, 0, unit_pool(state)));
    cache_claim_end(claim);
    cache_counters(NULL, CACHE_NODE, &counters);
    assert_int_equal(counters.misses, 0);
    assert_apr_ok(cache_attach(NULL, unit_pool(state)));
    assert_string_equal(cache_backend_name(NULL), "none");
    assert_int_equal(cache_size(NULL), 0);
}

static void the_back_end_none_keeps_nothing(void **state)
{
    cache_t *cache = make_cache(state, "none", 0);
    cache_key_t key = make_key(1);
    cache_claim_t *first;
    cache_claim_t *second;
    cache_counters_t counters;

    assert_int_not_equal(cache_put(cache, &key, "x", 1), APR_SUCCESS);
    assert_miss(state, cache, &key);
    assert_apr_ok(cache_claim(&first, cache, &key, 0, unit_pool(state)));
    assert_apr_ok(cache_claim(&second, cache, &key, 0, unit_pool(state)));
    cache_counters(cache, CACHE_NODE, &counters);
    assert_int_equal(counters.misses, 1);
    assert_int_equal(counters.refused, 1);
    assert_int_equal(counters.entries, 0);
}

/* --- values ---------------------------------------------------------------- */

static void a_value_is_found_again_whatever_its_length(void **state)
{
    static const apr_size_t lengths[] = { 0,     1,     7,     8,    200,
                                          8167,  8168,  8169,  8192, 16336,
                                          16337, 65536, 300000 };
    cache_t *cache = make_cache(state, NULL, 0);
    apr_size_t i;

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        cache_key_t key = make_key(i);
        char *data = make_data(state, lengths[i], i);

        assert_apr_ok(cache_put(cache, &key, data, lengths[i]));
        assert_value(state, cache, &key, data, lengths[i]);
    }
}

static void a_key_that_was_not_put_is_a_miss(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t key = make_key(1);

    assert_miss(state, cache, &key);
}

static void a_put_replaces_the_value_whatever_the_lengths(void **state)
{
    static const apr_size_t lengths[] = { 100, 40000, 17, 40000, 8200, 0, 9 };
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t key = make_key(1);
    apr_size_t i;

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char *data = make_data(state, lengths[i], 100 + i);

        assert_apr_ok(cache_put(cache, &key, data, lengths[i]));
        assert_value(state, cache, &key, data, lengths[i]);
    }
}

static void each_field_of_the_key_tells_values_apart(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t keys[9];
    char letter;
    int i;

    for (i = 0; i < 9; i++)
        keys[i] = make_key(1);
    keys[1].space[0] = 1;
    keys[2].space[15] = 1;
    keys[3].kind = CACHE_PATH;
    keys[4].rev = -1;
    keys[5].item = 2;
    keys[6].extra = 1;
    keys[7].name = "/trunk";
    keys[7].name_len = 6;
    keys[8].name = "/trunk\0";
    keys[8].name_len = 7;
    for (i = 0; i < 9; i++) {
        letter = (char)('a' + i);
        assert_apr_ok(cache_put(cache, &keys[i], &letter, 1));
    }
    for (i = 0; i < 9; i++) {
        letter = (char)('a' + i);
        assert_value(state, cache, &keys[i], &letter, 1);
    }
}

static void a_name_may_have_4096_bytes_and_no_more(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    char *name = make_data(state, 4097, 5);
    cache_key_t key = make_key(1);

    key.name = name;
    key.name_len = 4096;
    assert_apr_ok(cache_put(cache, &key, "long", 4));
    assert_value(state, cache, &key, "long", 4);
    key.name_len = 4097;
    assert_int_equal(cache_put(cache, &key, "long", 4), APR_EINVAL);
    assert_miss(state, cache, &key);
}

static void a_page_of_the_full_length_with_the_longest_key_fits(void **state)
{
    cache_t *cache = make_cache(state, NULL, 131072);
    char *data = make_data(state, PAGE_BYTES, 6);
    cache_key_t key = make_key(1);

    key.name = make_data(state, 4096, 5);
    key.name_len = 4096;
    assert_apr_ok(cache_put(cache, &key, data, PAGE_BYTES));
    assert_value(state, cache, &key, data, PAGE_BYTES);
}

static void a_value_longer_than_4_mib_is_not_kept(void **state)
{
    cache_t *cache = make_cache(state, NULL, 100 * 1024 * 1024);
    char *data = make_data(state, 4194305, 3);
    cache_key_t key = make_key(1);

    assert_apr_ok(cache_put(cache, &key, data, 4194304));
    assert_value(state, cache, &key, data, 4194304);
    assert_int_not_equal(cache_put(cache, &key, data, 4194305), APR_SUCCESS);
    assert_miss(state, cache, &key);
}

static void a_value_above_an_eighth_of_the_cache_is_not_kept(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);
    char *data = make_data(state, 131073, 3);
    cache_key_t key = make_key(1);

    assert_apr_ok(cache_put(cache, &key, data, 131072));
    assert_int_not_equal(cache_put(cache, &key, data, 131073), APR_SUCCESS);
    assert_miss(state, cache, &key);
}

static void a_dropped_value_is_a_miss(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    char *data = make_data(state, 50000, 3);
    cache_key_t key = make_key(1);
    cache_counters_t counters;

    assert_apr_ok(cache_put(cache, &key, data, 50000));
    cache_drop(cache, &key);
    cache_drop(cache, &key);
    assert_miss(state, cache, &key);
    cache_counters(cache, CACHE_NODE, &counters);
    assert_int_equal(counters.entries, 0);
    assert_int_equal(counters.bytes, 0);
    assert_int_equal(counters.evictions, 0);
}

/* --- parts ------------------------------------------------------------------ */

static void assert_part(cache_t *cache, const cache_key_t *key,
                        apr_uint64_t offset, apr_size_t wanted,
                        const char *data, apr_size_t expected,
                        apr_uint64_t expected_total)
{
    static char buf[30000];
    apr_uint64_t total = 0;
    apr_size_t len = wanted;

    assert_apr_ok(cache_get_part(cache, key, offset, buf, &len, &total));
    assert_bytes_equal(buf, len, data + offset, expected);
    assert_int_equal(total, expected_total);
}

static void a_part_is_read_from_any_offset(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    char *data = make_data(state, 20000, 3);
    cache_key_t key = make_key(1);

    assert_apr_ok(cache_put(cache, &key, data, 20000));
    assert_part(cache, &key, 0, 10, data, 10, 20000);
    assert_part(cache, &key, 8160, 20, data, 20, 20000);
    assert_part(cache, &key, 8168, 8168, data, 8168, 20000);
    assert_part(cache, &key, 100, 18000, data, 18000, 20000);
    assert_part(cache, &key, 0, 30000, data, 20000, 20000);
    assert_part(cache, &key, 19999, 10, data, 1, 20000);
    assert_part(cache, &key, 5, 0, data, 0, 20000);
}

static void a_part_at_the_end_or_beyond_is_empty(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    char *data = make_data(state, 2 * PAGE_BYTES, 3);
    cache_key_t key = make_key(1);

    assert_apr_ok(cache_put(cache, &key, data, 2 * PAGE_BYTES));
    assert_part(cache, &key, 2 * PAGE_BYTES, 10, data, 0, 2 * PAGE_BYTES);
    assert_part(cache, &key, APR_UINT64_MAX, 10, data + 1, 0, 2 * PAGE_BYTES);
    assert_apr_ok(cache_put(cache, &key, data, 100));
    assert_part(cache, &key, 100, 10, data, 0, 100);
    assert_part(cache, &key, 9000, 10, data, 0, 100);
}

static void pages_of_two_values_are_never_mixed(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    char *longer = make_data(state, 30000, 3);
    char *shorter = make_data(state, 10000, 4);
    cache_key_t key = make_key(1);
    apr_size_t len = 10;
    apr_uint64_t total;
    char buf[10];

    /* Pages 2 and 3 of the longer one stay behind. */
    assert_apr_ok(cache_put(cache, &key, longer, 30000));
    assert_apr_ok(cache_put(cache, &key, shorter, 10000));
    assert_value(state, cache, &key, shorter, 10000);
    len = 10;
    total = 0;
    assert_apr_ok(cache_get_part(cache, &key, 8160, buf, &len, &total));
    assert_bytes_equal(buf, len, shorter + 8160, 10);
    len = 10;
    assert_apr_ok(cache_get_part(cache, &key, 17000, buf, &len, &total));
    assert_int_equal(len, 0);
    assert_int_equal(total, 10000);
}

/* --- bounds and eviction ----------------------------------------------------- */

/* Of `count` keys from `first` on, how many are there? */
static int count_present(cache_t *cache, apr_uint64_t first, int count)
{
    apr_uint64_t total;
    int present = 0;
    int i;

    for (i = 0; i < count; i++) {
        cache_key_t key = make_key(first + (apr_uint64_t)i);
        apr_size_t len = 8;
        char buf[8];

        if (cache_get_part(cache, &key, 0, buf, &len, &total) == APR_SUCCESS)
            present++;
    }
    return present;
}

static void put_many(cache_t *cache, apr_uint64_t first, int count,
                     apr_size_t len)
{
    static char data[9000];
    int i;

    for (i = 0; i < count; i++) {
        cache_key_t key = make_key(first + (apr_uint64_t)i);

        fill(data, len, first + (apr_uint64_t)i);
        assert_apr_ok(cache_put(cache, &key, data, len));
    }
}

static void what_is_held_stays_below_the_size(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);
    cache_counters_t counters;

    put_many(cache, 0, 20000, 500);
    cache_counters(cache, CACHE_NODE, &counters);
    assert_in_range(counters.bytes, 524288, 1048576);
    assert_in_range(counters.entries, 900, 1900);
    assert_int_equal(counters.evictions + counters.entries, 20000);
    assert_int_equal(counters.entries, count_present(cache, 0, 20000));
}

static void a_cold_cache_fills_up_before_it_evicts(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);

    /* 1000 entries of 608 bytes are 58 percent of the cache. */
    put_many(cache, 0, 1000, 500);
    assert_int_equal(count_present(cache, 0, 1000), 1000);
}

static void entries_that_were_read_outlive_a_scan(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);
    int round;

    put_many(cache, 0, 300, 500);
    for (round = 0; round < 50; round++) {
        count_present(cache, 0, 300);
        put_many(cache, 1000 + 100 * (apr_uint64_t)round, 100, 500);
    }
    assert_in_range(count_present(cache, 0, 300), 295, 300);
}

static void a_key_that_comes_back_soon_is_kept_longer(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);

    /* Full of what is read; a first put is soon displaced, a second is not. */
    put_many(cache, 0, 3000, 500);
    put_many(cache, 10000, 50, 500);
    put_many(cache, 20000, 400, 500);
    assert_in_range(count_present(cache, 10000, 50), 0, 10);
    put_many(cache, 10000, 50, 500);
    put_many(cache, 30000, 400, 500);
    assert_in_range(count_present(cache, 10000, 50), 40, 50);
}

static void a_chain_that_lost_a_page_is_a_miss(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);
    char *data = make_data(state, 100000, 3);
    cache_key_t key = make_key(1);
    apr_uint64_t total;
    apr_size_t len = 1;
    char buf[1];
    int i;

    assert_apr_ok(cache_put(cache, &key, data, 100000));
    /* Only the first bytes are read now and then, so the others go. */
    for (i = 0; i < 100; i++) {
        len = 1;
        assert_apr_ok(cache_get_part(cache, &key, 0, buf, &len, &total));
        put_many(cache, 1000 + 50 * (apr_uint64_t)i, 50, 500);
        count_present(cache, 1000 + 50 * (apr_uint64_t)i, 50);
    }
    assert_int_equal(total, 100000);
    assert_miss(state, cache, &key);
}

/* --- claims ------------------------------------------------------------------ */

static void a_claim_is_given_to_one_only(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t key = make_key(1);
    cache_key_t other = make_key(2);
    cache_claim_t *claim;
    cache_claim_t *second;

    assert_apr_ok(cache_claim(&claim, cache, &key, 0, unit_pool(state)));
    assert_int_equal(cache_claim(&second, cache, &key, 0, unit_pool(state)),
                     APR_TIMEUP);
    assert_apr_ok(cache_claim(&second, cache, &other, 0, unit_pool(state)));
    cache_claim_end(second);
    cache_claim_end(claim);
    assert_apr_ok(cache_claim(&second, cache, &key, 0, unit_pool(state)));
    cache_claim_end(second);
}

static void waiting_for_a_claim_ends_in_time(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t key = make_key(1);
    apr_time_t start = apr_time_now();
    cache_claim_t *claim;
    cache_claim_t *second;

    assert_apr_ok(cache_claim(&claim, cache, &key, 0, unit_pool(state)));
    assert_int_equal(cache_claim(&second, cache, &key, 50, unit_pool(state)),
                     APR_TIMEUP);
    assert_true(apr_time_now() - start >= 50000);
}

static void a_claim_ends_with_its_pool(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    cache_key_t key = make_key(1);
    cache_claim_t *claim;
    apr_pool_t *pool;

    apr_pool_create(&pool, unit_pool(state));
    assert_apr_ok(cache_claim(&claim, cache, &key, 0, pool));
    apr_pool_clear(pool);
    assert_apr_ok(cache_claim(&claim, cache, &key, 0, pool));
}

typedef struct waiter_t {
    cache_t *cache;
    cache_key_t key;
    apr_status_t status; /* what its claim gave */
    apr_status_t got;    /* what a look-up gave then */
} waiter_t;

static void *wait_for_claim(void *data)
{
    waiter_t *waiter = data;
    apr_uint64_t total;
    apr_size_t len = 4;
    cache_claim_t *claim;
    apr_pool_t *pool;
    char buf[4];

    apr_pool_create(&pool, NULL);
    waiter->status =
        cache_claim(&claim, waiter->cache, &waiter->key, 20000, pool);
    waiter->got =
        cache_get_part(waiter->cache, &waiter->key, 0, buf, &len, &total);
    apr_pool_destroy(pool);
    return NULL;
}

static void who_waits_for_a_claim_finds_the_value(void **state)
{
    cache_t *cache = make_cache(state, NULL, 0);
    waiter_t waiter = { cache, make_key(1), APR_EGENERAL, APR_EGENERAL };
    cache_claim_t *claim;
    pthread_t thread;

    assert_apr_ok(cache_claim(&claim, cache, &waiter.key, 0, unit_pool(state)));
    assert_int_equal(pthread_create(&thread, NULL, wait_for_claim, &waiter), 0);
    apr_sleep(20000);
    assert_apr_ok(cache_put(cache, &waiter.key, "done", 4));
    cache_claim_end(claim);
    pthread_join(thread, NULL);
    assert_int_equal(waiter.status, APR_EEXIST);
    assert_int_equal(waiter.got, APR_SUCCESS);
}

/* --- counters ----------------------------------------------------------------- */

static void events_are_counted_by_kind(void **state)
{
    cache_t *cache = make_cache(state, NULL, 1048576);
    cache_key_t key = make_key(1);
    char *data = make_data(state, 200000, 1);
    cache_counters_t counters;

    key.kind = CACHE_TEXT;
    assert_miss(state, cache, &key);
    assert_apr_ok(cache_put(cache, &key, data, 200));
    assert_value(state, cache, &key, data, 200);
    assert_value(state, cache, &key, data, 200);
    key.item = 2;
    assert_int_not_equal(cache_put(cache, &key, data, 200000), APR_SUCCESS);
    cache_counters(cache, CACHE_TEXT, &counters);
    assert_int_equal(counters.hits, 2);
    assert_int_equal(counters.misses, 1);
    assert_int_equal(counters.puts, 2);
    assert_int_equal(counters.refused, 1);
    assert_int_equal(counters.evictions, 0);
    assert_int_equal(counters.entries, 1);
    /* 16 of header, 56 of key, 200, 24 of trailer, in units of 16. */
    assert_int_equal(counters.bytes, 304);
    cache_counters(cache, CACHE_NODE, &counters);
    assert_int_equal(counters.hits + counters.misses + counters.puts, 0);
    assert_int_equal(counters.bytes, 0);
}

static void kinds_have_labels(void **state)
{
    (void)state;
    assert_string_equal(cache_kind_label(CACHE_NODE), "node records");
    assert_string_equal(cache_kind_label(CACHE_OTHER), "other");
    assert_string_equal(cache_kind_label(CACHE_KIND_COUNT), "unknown");
}

/* --- many threads -------------------------------------------------------------- */

#define MODEL_THREADS 4
#define MODEL_STEPS 60000
#define MODEL_KEYS 400

typedef struct model_t {
    cache_t *cache;
    apr_uint32_t wrong; /* values that nobody put; atomic */
    apr_uint32_t hits;  /* atomic */
} model_t;

typedef struct model_thread_t {
    model_t *model;
    apr_uint64_t random;
} model_thread_t;

static apr_uint64_t next_random(apr_uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/*
 * A value tells its key and its variant, from which all of it follows:
 * 8 bytes key, 8 bytes variant, 8 bytes length, then a pattern.
 */
static apr_size_t model_value(apr_uint64_t item, apr_uint64_t variant,
                              char *data)
{
    apr_uint64_t len =
        24 + (item * 37 + variant * 1009) % (item % 8 == 0 ? 30000 : 600);

    fill(data, len, item * 5 + variant);
    memcpy(data, &item, 8);
    memcpy(data + 8, &variant, 8);
    memcpy(data + 16, &len, 8);
    return len;
}

static int model_is_right(apr_uint64_t item, const char *data, apr_size_t len,
                          char *expected)
{
    apr_uint64_t variant;

    if (len < 24)
        return 0;
    memcpy(&variant, data + 8, 8);
    return variant < 16 && model_value(item, variant, expected) == len &&
           memcmp(data, expected, len) == 0;
}

static void model_step(model_thread_t *thread, char *data, apr_pool_t *pool)
{
    model_t *model = thread->model;
    apr_uint64_t random = next_random(&thread->random);
    apr_uint64_t item = (random >> 8) % MODEL_KEYS;
    apr_uint64_t variant = (random >> 32) % 16;
    cache_key_t key = make_key(item);
    cache_value_t value;
    apr_size_t len;

    switch (random % 16) {
    case 0:
        cache_drop(model->cache, &key);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        len = model_value(item, variant, data);
        cache_put(model->cache, &key, data, len);
        break;
    default:
        if (cache_get(model->cache, &key, &value, pool) != APR_SUCCESS)
            break;
        apr_atomic_inc32(&model->hits);
        if (!model_is_right(item, value.data, value.len, data))
            apr_atomic_inc32(&model->wrong);
    }
}

static void *model_run(void *data)
{
    char *buf = malloc(40000);
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, NULL);
    for (i = 0; i < MODEL_STEPS; i++) {
        if (i % 64 == 0)
            apr_pool_clear(pool);
        model_step(data, buf, pool);
    }
    apr_pool_destroy(pool);
    free(buf);
    return NULL;
}

static void run_model(void **state, apr_uint64_t size)
{
    model_t model = { make_cache(state, NULL, size), 0, 0 };
    model_thread_t threads[MODEL_THREADS];
    pthread_t handles[MODEL_THREADS];
    cache_counters_t counters;
    int i;

    for (i = 0; i < MODEL_THREADS; i++) {
        threads[i].model = &model;
        threads[i].random = UINT64_C(88172645463325252) + (apr_uint64_t)i * 977;
        assert_int_equal(
            pthread_create(&handles[i], NULL, model_run, &threads[i]), 0);
    }
    for (i = 0; i < MODEL_THREADS; i++)
        pthread_join(handles[i], NULL);
    assert_int_equal(model.wrong, 0);
    assert_true(model.hits > 1000);
    cache_counters(model.cache, CACHE_NODE, &counters);
    assert_int_equal(counters.hits, model.hits);
    assert_true(counters.bytes <= size);
}

static void threads_never_see_a_wrong_value_in_a_tight_cache(void **state)
{
    run_model(state, 262144);
}

static void threads_never_see_a_wrong_value_in_a_roomy_cache(void **state)
{
    run_model(state, 8388608);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        UNIT_TEST(the_default_is_a_process_cache_of_16_mib),
        UNIT_TEST(an_unknown_back_end_is_refused),
        UNIT_TEST(the_back_ends_are_listed),
        UNIT_TEST(a_size_below_the_least_is_raised),
        UNIT_TEST(no_cache_misses_everything),
        UNIT_TEST(the_back_end_none_keeps_nothing),
        UNIT_TEST(a_value_is_found_again_whatever_its_length),
        UNIT_TEST(a_key_that_was_not_put_is_a_miss),
        UNIT_TEST(a_put_replaces_the_value_whatever_the_lengths),
        UNIT_TEST(each_field_of_the_key_tells_values_apart),
        UNIT_TEST(a_name_may_have_4096_bytes_and_no_more),
        UNIT_TEST(a_page_of_the_full_length_with_the_longest_key_fits),
        UNIT_TEST(a_value_longer_than_4_mib_is_not_kept),
        UNIT_TEST(a_value_above_an_eighth_of_the_cache_is_not_kept),
        UNIT_TEST(a_dropped_value_is_a_miss),
        UNIT_TEST(a_part_is_read_from_any_offset),
        UNIT_TEST(a_part_at_the_end_or_beyond_is_empty),
        UNIT_TEST(pages_of_two_values_are_never_mixed),
        UNIT_TEST(what_is_held_stays_below_the_size),
        UNIT_TEST(a_cold_cache_fills_up_before_it_evicts),
        UNIT_TEST(entries_that_were_read_outlive_a_scan),
        UNIT_TEST(a_key_that_comes_back_soon_is_kept_longer),
        UNIT_TEST(a_chain_that_lost_a_page_is_a_miss),
        UNIT_TEST(a_claim_is_given_to_one_only),
        UNIT_TEST(waiting_for_a_claim_ends_in_time),
        UNIT_TEST(a_claim_ends_with_its_pool),
        UNIT_TEST(who_waits_for_a_claim_finds_the_value),
        UNIT_TEST(events_are_counted_by_kind),
        UNIT_TEST(kinds_have_labels),
        UNIT_TEST(threads_never_see_a_wrong_value_in_a_tight_cache),
        UNIT_TEST(threads_never_see_a_wrong_value_in_a_roomy_cache),
    };

    return cmocka_run_group_tests_name(__FILE__, tests, unit_group_setup,
                                       unit_group_teardown);
}
