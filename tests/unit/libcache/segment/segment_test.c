/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of libcache/segment/segment.h, damage to the block included. */

#include "libcache/segment/segment.h"

#include "tests/support/unit.h"

#define SIZE 1048576

static void make_segment(void **state, cache_segment_t *segment)
{
    char *block = apr_pcalloc(unit_pool(state), SIZE + CACHE_SEGMENT_ALIGN);

    block += CACHE_SEGMENT_ALIGN - (uintptr_t)block % CACHE_SEGMENT_ALIGN;
    cache_segment_divide(segment, block, SIZE);
    cache_segment_init(segment, 77);
}

static cache_page_key_t make_key(apr_uint64_t *number)
{
    cache_page_key_t key = { (const unsigned char *)number, sizeof(*number),
                             cache_key_hash(number, sizeof(*number), 77),
                             CACHE_TEXT };

    return key;
}

static int get(cache_segment_t *segment, apr_uint64_t number, char *buf,
               apr_size_t *len)
{
    cache_page_key_t key = make_key(&number);

    return cache_segment_get(segment, &key, buf, len);
}

static int put(cache_segment_t *segment, apr_uint64_t number, const char *page,
               apr_size_t len)
{
    cache_page_key_t key = make_key(&number);

    return cache_segment_put(segment, &key, page, len);
}

static apr_uint64_t entries(const cache_segment_t *segment)
{
    cache_usage_t usage = { 0, 0, 0 };
    apr_uint32_t i;

    for (i = 0; i < segment->shard_count; i++)
        cache_segment_usage(segment, i, CACHE_TEXT, &usage);
    return usage.entries;
}

static void all_parts_lie_within_the_block(void **state)
{
    static char block[64];
    apr_uint64_t size;

    (void)state;
    for (size = CACHE_SEGMENT_MIN; size < UINT64_C(1) << 36;
         size = size * 5 / 4 + 13) {
        cache_segment_t s;

        cache_segment_divide(&s, block, size);
        assert_in_range(s.shard_count, 1, 64);
        assert_int_equal(s.shard_count & (s.shard_count - 1), 0);
        assert_true(64 + s.shard_count * s.shard_size <= size);
        assert_true(s.bucket_offset + s.bucket_count * UINT64_C(64) <=
                    s.ghost_offset);
        assert_true(s.ghost_offset + s.bucket_count * UINT64_C(16) <=
                    s.ring_offset[0]);
        assert_true(s.ring_offset[0] + s.ring_units[0] * 16 <=
                    s.ring_offset[1]);
        assert_true(s.ring_offset[1] + s.ring_units[1] * 16 <= s.shard_size);
        assert_true(s.ring_units[1] > s.ring_units[0]);
        assert_int_equal(s.ring_offset[0] % 16, 0);
    }
}

static void a_segment_knows_its_own_block(void **state)
{
    cache_segment_t segment;
    cache_segment_t other;
    apr_uint64_t seed = 0;

    make_segment(state, &segment);
    assert_true(cache_segment_is_valid(&segment, &seed));
    assert_int_equal(seed, 77);
    cache_segment_divide(&other, segment.block, SIZE / 2);
    assert_false(cache_segment_is_valid(&other, &seed));
    segment.block[0] ^= 1;
    assert_false(cache_segment_is_valid(&segment, &seed));
}

static void a_page_longer_than_the_room_is_a_miss(void **state)
{
    cache_segment_t segment;
    apr_size_t len = 4;
    char buf[8];

    make_segment(state, &segment);
    assert_apr_ok(put(&segment, 1, "12345", 5));
    assert_int_equal(get(&segment, 1, buf, &len), APR_NOTFOUND);
    len = 5;
    assert_apr_ok(get(&segment, 1, buf, &len));
    assert_bytes_equal(buf, len, "12345", 5);
}

static void putting_the_same_page_again_writes_nothing(void **state)
{
    char *before = apr_palloc(unit_pool(state), SIZE);
    cache_segment_t segment;

    make_segment(state, &segment);
    assert_apr_ok(put(&segment, 1, "12345", 5));
    memcpy(before, segment.block, SIZE);
    assert_apr_ok(put(&segment, 1, "12345", 5));
    assert_memory_equal(before, segment.block, SIZE);
}

static void a_hit_writes_one_bit_once(void **state)
{
    unsigned char *before = apr_palloc(unit_pool(state), SIZE);
    cache_segment_t segment;
    apr_size_t i;
    int bits = 0;
    int round;

    make_segment(state, &segment);
    assert_apr_ok(put(&segment, 1, "12345", 5));
    memcpy(before, segment.block, SIZE);
    for (round = 0; round < 3; round++) {
        apr_size_t len = 5;
        char buf[5];

        assert_apr_ok(get(&segment, 1, buf, &len));
    }
    for (i = 0; i < SIZE; i++)
        bits += __builtin_popcount(before[i] ^ segment.block[i]);
    assert_int_equal(bits, 1);
}

static void a_cleared_shard_is_empty_and_can_be_filled(void **state)
{
    cache_segment_t segment;
    apr_uint64_t i;

    make_segment(state, &segment);
    for (i = 0; i < 3000; i++)
        assert_apr_ok(put(&segment, i, "a page of some bytes", 20));
    assert_true(entries(&segment) > 1000);
    for (i = 0; i < segment.shard_count; i++)
        cache_segment_clear(&segment, (apr_uint32_t)i);
    assert_int_equal(entries(&segment), 0);
    for (i = 0; i < 3000; i++) {
        apr_size_t len = 20;
        char buf[20];

        assert_int_equal(get(&segment, i, buf, &len), APR_NOTFOUND);
        assert_apr_ok(put(&segment, i, "a page of some bytes", 20));
        assert_apr_ok(get(&segment, i, buf, &len));
    }
}

static apr_uint64_t next_random(apr_uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Memory checkers see any access outside. */
static void damage_anywhere_is_survived(void **state)
{
    static char page[CACHE_PAGE_SIZE];
    apr_uint64_t random = UINT64_C(88172645463325252);
    cache_segment_t segment;
    apr_size_t len;
    apr_uint64_t i;
    int refused = 0;

    make_segment(state, &segment);
    for (i = 0; i < 40000; i++) {
        apr_uint64_t at = 64 + next_random(&random) % (SIZE - 72);

        segment.block[at] = (unsigned char)next_random(&random);
        /* Positions and slots are few bytes among many: hit them often. */
        segment.block[64 + at % 48] ^= (unsigned char)(at % 7 == 0);
        len = next_random(&random) % (i % 4 ? 300 : sizeof(page));
        refused += put(&segment, i % 2000, page, len) != APR_SUCCESS;
        len = sizeof(page);
        get(&segment, next_random(&random) % 2000, page, &len);
    }
    assert_in_range(refused, 1, 20000);
    for (i = 0; i < segment.shard_count; i++)
        cache_segment_clear(&segment, (apr_uint32_t)i);
    len = 5;
    assert_apr_ok(put(&segment, 1, "12345", 5));
    assert_apr_ok(get(&segment, 1, page, &len));
    assert_memory_equal(page, "12345", 5);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(all_parts_lie_within_the_block),
    UNIT_TEST(a_segment_knows_its_own_block),
    UNIT_TEST(a_page_longer_than_the_room_is_a_miss),
    UNIT_TEST(putting_the_same_page_again_writes_nothing),
    UNIT_TEST(a_hit_writes_one_bit_once),
    UNIT_TEST(a_cleared_shard_is_empty_and_can_be_filled),
    UNIT_TEST(damage_anywhere_is_survived),
};

UNIT_MAIN(tests)
