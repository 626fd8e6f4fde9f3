/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of libcache/base/key.h. */

#include "libcache/base/key.h"

#include "tests/support/unit.h"

static void a_key_has_the_documented_layout(void **state)
{
    static const unsigned char expected[48] = {
        0xa0, 0,    0,    0,    0,    0,    0,    0,
        0,    0,    0,    0,    0,    0,    0,    0xaf, /* space */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* rev -1 */
        0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* item */
        0x09, 0,    0,    0,    0,    0,    0,    0,    /* extra */
        0x09, 0,    1,    0,                            /* kind, version */
        0,    0,    0,    0,                            /* page */
    };
    cache_key_t key = { .space = { 0xa0 },
                        .kind = CACHE_PATH,
                        .rev = -1,
                        .item = UINT64_C(0x0102030405060708),
                        .extra = 9,
                        .name = "/a",
                        .name_len = 2 };
    unsigned char bytes[CACHE_KEY_BYTES_MAX];
    cache_page_key_t page;

    (void)state;
    key.space[15] = 0xaf;
    assert_apr_ok(cache_key_format(&page, bytes, &key, 0));
    assert_bytes_equal(bytes, 48, expected, 48);
    assert_int_equal(page.len, 58);
    assert_memory_equal(bytes + 56, "/a", 2);
    assert_int_equal(page.kind, CACHE_PATH);
    assert_ptr_equal(page.bytes, bytes);
}

static void the_page_number_changes_bytes_and_hash(void **state)
{
    cache_key_t key = { .kind = CACHE_NODE };
    unsigned char bytes[CACHE_KEY_BYTES_MAX];
    cache_page_key_t page;
    apr_uint64_t first;

    (void)state;
    assert_apr_ok(cache_key_format(&page, bytes, &key, 5));
    first = page.hash;
    cache_key_set_page(&page, bytes, 0x01020304, 5);
    assert_memory_equal(bytes + 44, "\x04\x03\x02\x01", 4);
    assert_true(page.hash != first);
    cache_key_set_page(&page, bytes, 0, 5);
    assert_true(page.hash == first);
}

static void what_is_no_key_is_refused(void **state)
{
    static char name[CACHE_NAME_MAX + 1];
    cache_key_t no_kind = { .kind = CACHE_KIND_COUNT };
    cache_key_t too_long = { .kind = CACHE_NODE,
                             .name = name,
                             .name_len = sizeof(name) };
    cache_key_t no_name = { .kind = CACHE_NODE, .name_len = 1 };
    unsigned char bytes[CACHE_KEY_BYTES_MAX];
    cache_page_key_t page;

    (void)state;
    assert_int_equal(cache_key_format(&page, bytes, &no_kind, 0), APR_EINVAL);
    assert_int_equal(cache_key_format(&page, bytes, &too_long, 0), APR_EINVAL);
    assert_int_equal(cache_key_format(&page, bytes, &no_name, 0), APR_EINVAL);
}

static void each_bit_changes_the_sum(void **state)
{
    static const apr_size_t lengths[] = { 1, 7, 8, 9, 31, 32, 33, 100, 8192 };
    static unsigned char data[8192];
    apr_size_t i;
    apr_size_t bit;

    (void)state;
    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        apr_uint64_t sum = cache_key_hash(data, lengths[i], 1);

        for (bit = 0; bit < lengths[i] * 8; bit++) {
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(cache_key_hash(data, lengths[i], 1) != sum);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

static void length_and_seed_change_the_sum(void **state)
{
    static const unsigned char zeros[100];
    apr_uint64_t sums[100];
    int i;
    int j;

    (void)state;
    for (i = 0; i < 100; i++) {
        sums[i] = cache_key_hash(zeros, (apr_size_t)i, 0);
        for (j = 0; j < i; j++)
            assert_true(sums[i] != sums[j]);
        assert_true(cache_key_hash(zeros, (apr_size_t)i, 1) != sums[i]);
    }
}

/* Counting keys must not crowd: 64 shards, chosen by the top bits. */
static void hashes_of_neighbours_are_spread(void **state)
{
    unsigned int counts[64] = { 0 };
    apr_uint64_t i;

    (void)state;
    for (i = 0; i < 64000; i++)
        counts[cache_key_hash(&i, sizeof(i), 0) >> 58]++;
    for (i = 0; i < 64; i++)
        assert_in_range(counts[i], 850, 1150);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_key_has_the_documented_layout),
    UNIT_TEST(the_page_number_changes_bytes_and_hash),
    UNIT_TEST(what_is_no_key_is_refused),
    UNIT_TEST(each_bit_changes_the_sum),
    UNIT_TEST(length_and_seed_change_the_sum),
    UNIT_TEST(hashes_of_neighbours_are_spread),
};

UNIT_MAIN(tests)
