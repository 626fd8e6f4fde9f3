/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/buffer.h. */

#include "tests/support/unit.h"

#include "libfs/base/buffer.h"

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

static const struct CMUnitTest tests[] = {
    UNIT_TEST(what_is_appended_is_kept_over_growth),
    UNIT_TEST(formatted_text_grows_the_buffer),
    UNIT_TEST(nothing_may_be_appended),
    UNIT_TEST(reserved_room_is_used_by_the_caller),
};

UNIT_MAIN(tests)
