/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/number.h. */

#include "tests/support/unit.h"

#include "libfs/base/number.h"

static void decimals_end_at_the_first_other_character(void **state)
{
    const char *p = "1704x";
    const char *end = p + 5;
    apr_uint64_t value;

    (void)state;
    assert_true(fs_number_decimal(&value, &p, end, APR_UINT64_MAX));
    assert_int_equal(value, 1704);
    assert_string_equal(p, "x");
    assert_false(fs_number_decimal(&value, &p, end, APR_UINT64_MAX));
}

static void decimals_go_up_to_64_bits(void **state)
{
    const char *p = "18446744073709551615";
    const char *q = "18446744073709551616";
    apr_uint64_t value;

    (void)state;
    assert_true(fs_number_decimal(&value, &p, p + 20, APR_UINT64_MAX));
    assert_true(value == APR_UINT64_MAX);
    assert_false(fs_number_decimal(&value, &q, q + 20, APR_UINT64_MAX));
}

static void signs_and_blanks_are_no_decimals(void **state)
{
    const char *minus = "-1";
    const char *blank = " 1";
    apr_uint64_t value;

    (void)state;
    assert_false(fs_number_decimal(&value, &minus, minus + 2, 9));
    assert_false(fs_number_decimal(&value, &blank, blank + 2, 9));
    assert_false(fs_number_decimal(&value, &minus, minus, 9));
}

static void base36_has_lower_case_digits(void **state)
{
    const char *p = "10z-";
    const char *upper = "Z";
    apr_uint64_t value;

    (void)state;
    assert_true(fs_number_base36(&value, &p, p + 4));
    assert_int_equal(value, 36 * 36 + 35);
    assert_string_equal(p, "-");
    assert_false(fs_number_base36(&value, &upper, upper + 1));
}

static void base36_goes_up_to_64_bits(void **state)
{
    char buf[14];
    const char *p = "3w5e11264sgsf";
    const char *q = "3w5e11264sgsg";
    apr_uint64_t value;

    (void)state;
    assert_true(fs_number_base36(&value, &p, p + 13));
    assert_true(value == APR_UINT64_MAX);
    assert_false(fs_number_base36(&value, &q, q + 13));
    assert_int_equal(fs_number_format_base36(buf, APR_UINT64_MAX), 13);
    assert_string_equal(buf, "3w5e11264sgsf");
}

static void base36_is_written_without_leading_zeros(void **state)
{
    char buf[14];

    (void)state;
    assert_int_equal(fs_number_format_base36(buf, 0), 1);
    assert_string_equal(buf, "0");
    assert_int_equal(fs_number_format_base36(buf, 36), 2);
    assert_string_equal(buf, "10");
}

static void big_endian_numbers_are_written_in_shortest_form(void **state)
{
    unsigned char buf[FS_VARINT_MAX];

    (void)state;
    assert_bytes_equal(buf, fs_number_put_be128(buf, 0), "\x00", 1);
    assert_bytes_equal(buf, fs_number_put_be128(buf, 127), "\x7f", 1);
    assert_bytes_equal(buf, fs_number_put_be128(buf, 128), "\x81\x00", 2);
    assert_bytes_equal(buf, fs_number_put_be128(buf, 300), "\x82\x2c", 2);
    assert_bytes_equal(buf, fs_number_put_be128(buf, APR_UINT64_MAX),
                       "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
}

static void little_endian_numbers_are_written_in_shortest_form(void **state)
{
    unsigned char buf[FS_VARINT_MAX];

    (void)state;
    assert_bytes_equal(buf, fs_number_put_le128(buf, 0), "\x00", 1);
    assert_bytes_equal(buf, fs_number_put_le128(buf, 127), "\x7f", 1);
    assert_bytes_equal(buf, fs_number_put_le128(buf, 300), "\xac\x02", 2);
    assert_bytes_equal(buf, fs_number_put_le128(buf, APR_UINT64_MAX),
                       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(decimals_end_at_the_first_other_character),
    UNIT_TEST(decimals_go_up_to_64_bits),
    UNIT_TEST(signs_and_blanks_are_no_decimals),
    UNIT_TEST(base36_has_lower_case_digits),
    UNIT_TEST(base36_goes_up_to_64_bits),
    UNIT_TEST(base36_is_written_without_leading_zeros),
    UNIT_TEST(big_endian_numbers_are_written_in_shortest_form),
    UNIT_TEST(little_endian_numbers_are_written_in_shortest_form),
};

UNIT_MAIN(tests)
