/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/cursor.h. */

#include "tests/support/unit.h"

#include "libfs/base/cursor.h"

static void take_gives_bytes_and_refuses_more_than_are_left(void **state)
{
    fs_cursor_t c = fs_cursor("abcde", 5);
    const char *out;

    (void)state;
    assert_fs_ok(fs_cursor_take(&c, &out, 3));
    assert_bytes_equal(out, 3, "abc", 3);
    assert_int_equal(fs_cursor_left(&c), 2);
    assert_fs_error_says(fs_cursor_take(&c, &out, 3), FS_ERR_CORRUPT,
                         "3 bytes wanted, 2 left");
}

static void lines_end_at_newlines(void **state)
{
    fs_cursor_t c = fs_cursor("one\n\ntwo", 8);
    fs_bytes_t line;

    (void)state;
    assert_fs_ok(fs_cursor_line(&c, &line));
    assert_bytes_equal(line.data, line.len, "one", 3);
    assert_fs_ok(fs_cursor_line(&c, &line));
    assert_int_equal(line.len, 0);
    assert_fs_error(fs_cursor_line(&c, &line), FS_ERR_CORRUPT);
}

static void an_empty_block_may_be_null(void **state)
{
    fs_cursor_t c = fs_cursor(NULL, 0);
    fs_bytes_t line;
    apr_uint64_t number;

    (void)state;
    assert_fs_error(fs_cursor_line(&c, &line), FS_ERR_CORRUPT);
    assert_fs_error(fs_cursor_decimal(&c, &number, 9), FS_ERR_CORRUPT);
    assert_fs_error(fs_cursor_varint(&c, &number), FS_ERR_CORRUPT);
    assert_false(fs_cursor_accept(&c, "x"));
}

static void accept_moves_only_over_what_is_there(void **state)
{
    fs_cursor_t c = fs_cursor("PLAIN\n", 6);

    (void)state;
    assert_false(fs_cursor_accept(&c, "DELTA\n"));
    assert_false(fs_cursor_accept(&c, "PLAIN\n!"));
    assert_true(fs_cursor_accept(&c, "PLAIN"));
    assert_fs_ok(fs_cursor_expect(&c, "\n"));
    assert_fs_error_says(fs_cursor_expect(&c, "END"), FS_ERR_CORRUPT,
                         "\"END\" expected");
}

static void decimals_are_bounded(void **state)
{
    fs_cursor_t c = fs_cursor("255 256", 7);
    apr_uint64_t number;

    (void)state;
    assert_fs_ok(fs_cursor_decimal(&c, &number, 255));
    assert_int_equal(number, 255);
    assert_fs_error(fs_cursor_decimal(&c, &number, 255), FS_ERR_CORRUPT);
    assert_true(fs_cursor_accept(&c, " "));
    assert_fs_error(fs_cursor_decimal(&c, &number, 255), FS_ERR_CORRUPT);
    assert_fs_ok(fs_cursor_decimal(&c, &number, 256));
    assert_int_equal(number, 256);
}

static void big_endian_numbers_have_the_highest_bits_first(void **state)
{
    static const char bytes[] = "\x00\x7f\x81\x00\x82\x2c\x80\x80\x05";
    fs_cursor_t c = fs_cursor(bytes, sizeof(bytes) - 1);
    static const apr_uint64_t expected[] = { 0, 127, 128, 300, 5 };
    apr_size_t i;

    (void)state;
    for (i = 0; i < 5; i++) {
        apr_uint64_t number;

        assert_fs_ok(fs_cursor_be128(&c, &number));
        assert_int_equal(number, expected[i]);
    }
    assert_int_equal(fs_cursor_left(&c), 0);
}

static void big_endian_numbers_have_64_bits(void **state)
{
    static const char most[] = "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
    static const char more[] = "\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00";
    static const char long_one[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
                                   "\x00";
    fs_cursor_t c = fs_cursor(most, 10);
    apr_uint64_t number;

    (void)state;
    assert_fs_ok(fs_cursor_be128(&c, &number));
    assert_true(number == APR_UINT64_MAX);
    c = fs_cursor(more, 10);
    assert_fs_error_says(fs_cursor_be128(&c, &number), FS_ERR_CORRUPT,
                         "exceeds 64 bits");
    c = fs_cursor(long_one, 11);
    assert_fs_error(fs_cursor_be128(&c, &number), FS_ERR_CORRUPT);
    c = fs_cursor(most, 9);
    assert_fs_error_says(fs_cursor_be128(&c, &number), FS_ERR_CORRUPT,
                         "is cut off");
}

static void little_endian_numbers_have_the_lowest_bits_first(void **state)
{
    static const char bytes[] = "\x00\x7f\x80\x01\xac\x02";
    fs_cursor_t c = fs_cursor(bytes, sizeof(bytes) - 1);
    static const apr_uint64_t expected[] = { 0, 127, 128, 300 };
    apr_size_t i;

    (void)state;
    for (i = 0; i < 4; i++) {
        apr_uint64_t number;

        assert_fs_ok(fs_cursor_varint(&c, &number));
        assert_int_equal(number, expected[i]);
    }
    assert_int_equal(fs_cursor_left(&c), 0);
}

static void little_endian_numbers_have_64_bits(void **state)
{
    static const char most[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    static const char more[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
    fs_cursor_t c = fs_cursor(most, 10);
    apr_uint64_t number;

    (void)state;
    assert_fs_ok(fs_cursor_varint(&c, &number));
    assert_true(number == APR_UINT64_MAX);
    c = fs_cursor(more, 10);
    assert_fs_error_says(fs_cursor_varint(&c, &number), FS_ERR_CORRUPT,
                         "exceeds 64 bits");
    c = fs_cursor(most, 9);
    assert_fs_error_says(fs_cursor_varint(&c, &number), FS_ERR_CORRUPT,
                         "is cut off");
}

static void signed_numbers_alternate(void **state)
{
    static const char bytes[] = "\x00\x01\x02\x03\xff\xff\xff\xff\xff\xff\xff"
                                "\xff\xff\x01";
    fs_cursor_t c = fs_cursor(bytes, sizeof(bytes) - 1);
    static const apr_int64_t expected[] = { 0, -1, 1, -2, APR_INT64_MIN };
    apr_size_t i;

    (void)state;
    for (i = 0; i < 5; i++) {
        apr_int64_t number;

        assert_fs_ok(fs_cursor_signed(&c, &number));
        assert_true(number == expected[i]);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(take_gives_bytes_and_refuses_more_than_are_left),
    UNIT_TEST(lines_end_at_newlines),
    UNIT_TEST(an_empty_block_may_be_null),
    UNIT_TEST(accept_moves_only_over_what_is_there),
    UNIT_TEST(decimals_are_bounded),
    UNIT_TEST(big_endian_numbers_have_the_highest_bits_first),
    UNIT_TEST(big_endian_numbers_have_64_bits),
    UNIT_TEST(little_endian_numbers_have_the_lowest_bits_first),
    UNIT_TEST(little_endian_numbers_have_64_bits),
    UNIT_TEST(signed_numbers_alternate),
};

UNIT_MAIN(tests)
