/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/buffer.h. */

#include "tests/support/unit.h"

#include "libfs/base/buffer.h"
#include "libfs/base/cursor.h"

static void what_is_appended_is_kept_over_growth(void **state)
{
    fs_buffer_t *buffer = fs_buffer_create(1, unit_pool(state));
    int i;

    for (i = 0; i < 1000; i++)
        fs_buffer_append(buffer, "0123456789", 10);
    assert_int_equal(buffer->len, 10000);
    for (i = 0; i < 1000; i++)
        assert_bytes_equal(buffer->data + 10 * i, 10, "0123456789", 10);
}

static void formatted_text_grows_the_buffer(void **state)
{
    fs_buffer_t *buffer = fs_buffer_create(32, unit_pool(state));
    fs_bytes_t bytes;

    fs_buffer_puts(buffer, "0123456789012345678901234567");
    fs_buffer_printf(buffer, "<%s %d>", "abcdefghijkl", 17);
    bytes = fs_buffer_bytes(buffer);
    assert_bytes_equal(bytes.data, bytes.len,
                       "0123456789012345678901234567<abcdefghijkl 17>", 45);
}

static void nothing_may_be_appended(void **state)
{
    fs_buffer_t *buffer = fs_buffer_create(0, unit_pool(state));

    fs_buffer_append(buffer, NULL, 0);
    fs_buffer_puts(buffer, "");
    assert_int_equal(buffer->len, 0);
}

static void reserved_room_is_used_by_the_caller(void **state)
{
    fs_buffer_t *buffer = fs_buffer_create(0, unit_pool(state));

    memcpy(fs_buffer_reserve(buffer, 100), "xyz", 3);
    buffer->len += 3;
    assert_true(buffer->room >= 100);
    assert_bytes_equal(buffer->data, buffer->len, "xyz", 3);
}

static void numbers_are_appended_as_a_cursor_reads_them(void **state)
{
    static const apr_uint64_t numbers[] = { 0,
                                            1,
                                            127,
                                            128,
                                            16383,
                                            16384,
                                            APR_UINT64_C(0xffffffff),
                                            APR_UINT64_C(0xffffffffffffffff) };
    fs_buffer_t *buffer = fs_buffer_create(1, unit_pool(state));
    fs_cursor_t c;
    apr_uint64_t number;
    apr_size_t i;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        fs_buffer_varint(buffer, numbers[i]);
    assert_int_equal(buffer->len, 1 + 1 + 1 + 2 + 2 + 3 + 5 + 10);
    c = fs_cursor(buffer->data, buffer->len);
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        assert_fs_ok(fs_cursor_varint(&c, &number));
        assert_true(number == numbers[i]);
    }
    assert_int_equal(fs_cursor_left(&c), 0);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(numbers_are_appended_as_a_cursor_reads_them),
    UNIT_TEST(what_is_appended_is_kept_over_growth),
    UNIT_TEST(formatted_text_grows_the_buffer),
    UNIT_TEST(nothing_may_be_appended),
    UNIT_TEST(reserved_room_is_used_by_the_caller),
};

UNIT_MAIN(tests)
