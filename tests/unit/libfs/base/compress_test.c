/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/compress.h. */

#include "tests/support/unit.h"

#include "libfs/base/compress.h"

/* 200 times "a", by zlib level 6 and as an LZ4 block. */
static const char deflated[] = "\x78\x9c\x4b\x4c\x1c\x1e\x00\x00\xc2\x7f\x4b"
                               "\xc9";
#define DEFLATED_LEN 12

static void zlib_data_of_the_stated_size_is_inflated(void **state)
{
    char out[200];

    (void)state;
    assert_fs_ok(fs_zlib_inflate(out, 200, deflated, DEFLATED_LEN));
    assert_int_equal(out[0], 'a');
    assert_memory_equal(out, out + 1, 199);
}

static void zlib_data_of_another_size_is_refused(void **state)
{
    char out[201];

    (void)state;
    assert_fs_error_says(fs_zlib_inflate(out, 199, deflated, DEFLATED_LEN),
                         FS_ERR_STREAM_MALFORMED, "longer than stated");
    assert_fs_error_says(fs_zlib_inflate(out, 201, deflated, DEFLATED_LEN),
                         FS_ERR_STREAM_MALFORMED, "shorter than stated");
    assert_fs_error_says(fs_zlib_inflate(out, 0, deflated, DEFLATED_LEN),
                         FS_ERR_STREAM_MALFORMED, "longer than stated");
}

static void damaged_zlib_data_is_refused(void **state)
{
    char out[300];
    char copy[DEFLATED_LEN + 1];

    (void)state;
    assert_fs_error_says(fs_zlib_inflate(out, 300, deflated, DEFLATED_LEN - 1),
                         FS_ERR_STREAM_MALFORMED, "cut off");
    assert_fs_error(fs_zlib_inflate(out, 200, deflated, 0),
                    FS_ERR_STREAM_MALFORMED);
    memcpy(copy, deflated, DEFLATED_LEN + 1);
    assert_fs_error_says(fs_zlib_inflate(out, 200, copy, DEFLATED_LEN + 1),
                         FS_ERR_STREAM_MALFORMED, "followed by other bytes");
    copy[11] ^= 1; /* the checksum at the end */
    assert_fs_error(fs_zlib_inflate(out, 300, copy, DEFLATED_LEN),
                    FS_ERR_STREAM_MALFORMED);
    copy[0] = 0;
    assert_fs_error_says(fs_zlib_inflate(out, 300, copy, DEFLATED_LEN),
                         FS_ERR_STREAM_MALFORMED, "damaged");
}

static void zlib_data_of_unknown_size_tells_how_much_came_out(void **state)
{
    char out[300];
    apr_size_t len = 300;

    (void)state;
    assert_fs_ok(fs_zlib_inflate_upto(out, &len, deflated, DEFLATED_LEN));
    assert_int_equal(len, 200);
    len = 199;
    assert_fs_error(fs_zlib_inflate_upto(out, &len, deflated, DEFLATED_LEN),
                    FS_ERR_STREAM_MALFORMED);
}

static void what_zlib_compresses_it_expands_at_each_level(void **state)
{
    char text[5000], packed[6000], out[5000];
    int level;

    (void)state;
    for (level = 0; level < 5000; level++)
        text[level] = (char)(level * level / 7);
    for (level = 0; level <= 9; level++) {
        apr_size_t len = sizeof(packed);

        assert_true(fs_zlib_bound(5000) <= sizeof(packed));
        assert_fs_ok(fs_zlib_deflate(packed, &len, text, 5000, level));
        assert_fs_ok(fs_zlib_inflate(out, 5000, packed, len));
        assert_memory_equal(out, text, 5000);
    }
}

static void too_little_room_for_zlib_is_an_error(void **state)
{
    char out[4];
    apr_size_t len = sizeof(out);

    (void)state;
    assert_fs_error(fs_zlib_deflate(out, &len, "abcdefgh", 8, 5),
                    FS_ERR_GENERAL);
}

static void nothing_is_compressed_and_expanded(void **state)
{
    char packed[64];
    apr_size_t len = sizeof(packed);

    (void)state;
    assert_fs_ok(fs_zlib_deflate(packed, &len, "", 0, 5));
    assert_fs_ok(fs_zlib_inflate(NULL, 0, packed, len));
    len = sizeof(packed);
    assert_fs_ok(fs_lz4_compress(packed, &len, "", 0));
    assert_fs_ok(fs_lz4_expand(NULL, 0, packed, len));
}

static void lz4_blocks_of_the_stated_size_are_expanded(void **state)
{
    /* From a revision file: 51 bytes that make 58. */
    static const char block[] =
        "\xf0\x0bK 1\nd\nV 14\ndir 0-1.0.r3/4\n\x1a\x00\x10"
        "e\x1a\x00\x16"
        "6\x1a\x00\xc0-3.r3/5\nEND\n";
    static const char text[] = "K 1\nd\nV 14\ndir 0-1.0.r3/4\n"
                               "K 1\ne\nV 16\ndir 0-1.0-3.r3/5\nEND\n";
    char out[100];
    apr_size_t len = sizeof(out);

    (void)state;
    assert_int_equal(sizeof(block) - 1, 51);
    assert_fs_ok(fs_lz4_expand(out, 58, block, 51));
    assert_bytes_equal(out, 58, text, 58);
    assert_fs_error(fs_lz4_expand(out, 57, block, 51), FS_ERR_LZ4);
    assert_fs_error_says(fs_lz4_expand(out, 59, block, 51), FS_ERR_LZ4,
                         "has 58 bytes, 59 were stated");
    assert_fs_error(fs_lz4_expand(out, 58, block, 20), FS_ERR_LZ4);
    assert_fs_ok(fs_lz4_expand_upto(out, &len, block, 51));
    assert_int_equal(len, 58);
}

static void what_lz4_compresses_it_expands(void **state)
{
    char text[5000], packed[6000], out[5000];
    apr_size_t len = sizeof(packed);

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_true(fs_lz4_bound(5000) <= sizeof(packed));
    assert_fs_ok(fs_lz4_compress(packed, &len, text, 5000));
    assert_true(len < 100);
    assert_fs_ok(fs_lz4_expand(out, 5000, packed, len));
    assert_memory_equal(out, text, 5000);
    len = 10;
    assert_fs_error(fs_lz4_compress(packed, &len, text, 5000), FS_ERR_LZ4);
    assert_int_equal(fs_lz4_bound(APR_INT32_MAX), 0);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(zlib_data_of_the_stated_size_is_inflated),
    UNIT_TEST(zlib_data_of_another_size_is_refused),
    UNIT_TEST(damaged_zlib_data_is_refused),
    UNIT_TEST(zlib_data_of_unknown_size_tells_how_much_came_out),
    UNIT_TEST(what_zlib_compresses_it_expands_at_each_level),
    UNIT_TEST(too_little_room_for_zlib_is_an_error),
    UNIT_TEST(nothing_is_compressed_and_expanded),
    UNIT_TEST(lz4_blocks_of_the_stated_size_are_expanded),
    UNIT_TEST(what_lz4_compresses_it_expands),
};

UNIT_MAIN(tests)
