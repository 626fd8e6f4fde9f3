/* SPDX-License-Identifier: Apache-2.0 */
/* Proves fs_delta_apply() and fs_delta_apply_window() of libfs/fs_delta.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "tests/support/texts.h"

static fs_stream_t *stream_of(fs_bytes_t text, apr_pool_t *pool)
{
    return fs_stream_from_bytes(text.data, text.len, pool);
}

static void target_copies_repeat_what_they_make(void **state)
{
    static const fs_delta_op_t ops[] = { { FS_DELTA_NEW, 0, 3 },
                                         { FS_DELTA_TARGET, 1, 9 },
                                         { FS_DELTA_TARGET, 11, 4 } };
    static const fs_delta_window_t window = { 0, 0, 16, 3, ops, "abc", 3 };
    char target[16];

    (void)state;
    fs_delta_apply_window(&window, NULL, target);
    assert_bytes_equal(target, 16, "abcbcbcbcbcbbbbb", 16);
}

/* Two windows over "0123456789", the second with a gap before its view. */
static const fs_delta_op_t copy_3_at_1[] = { { FS_DELTA_SOURCE, 1, 3 } };
static const fs_delta_op_t new_2[] = { { FS_DELTA_NEW, 0, 2 } };
static const fs_delta_window_t sliding[] = {
    { 0, 4, 3, 1, copy_3_at_1, NULL, 0 }, { 0, 4, 3, 1, copy_3_at_1, NULL, 0 },
    { 2, 4, 3, 1, copy_3_at_1, NULL, 0 }, { 2, 4, 0, 0, NULL, NULL, 0 },
    { 500, 4, 2, 1, new_2, "xy", 2 },     { 6, 4, 3, 1, copy_3_at_1, NULL, 0 },
};
static const fs_bytes_t digits = { "0123456789", 10 };

static void source_views_overlap_slide_and_leave_gaps(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text;

    assert_fs_ok(fs_stream_slurp(&text,
                                 fs_delta_apply(texts_windows(sliding, 6, pool),
                                                stream_of(digits, pool), pool),
                                 100, pool));
    assert_bytes_equal(text.data, text.len, "123123345xy789", 14);
}

static void the_target_may_be_read_by_single_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_stream_t *target = fs_delta_apply(texts_windows(sliding, 6, pool),
                                         stream_of(digits, pool), pool);
    const char *expected = "123123345xy789";
    apr_size_t len = 1;
    char byte;

    while (*expected) {
        assert_fs_ok(fs_stream_read(target, &byte, &len));
        assert_int_equal(len, 1);
        assert_int_equal(byte, *expected++);
    }
    assert_fs_ok(fs_stream_read(target, &byte, &len));
    assert_int_equal(len, 0);
}

static fs_error_t *apply_from(const fs_delta_window_t *windows, int count,
                              fs_stream_t *source, apr_pool_t *pool)
{
    fs_bytes_t text;

    return fs_stream_slurp(
        &text,
        fs_delta_apply(texts_windows(windows, count, pool), source, pool), 100,
        pool);
}

static void a_source_that_ends_early_is_incomplete(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t nine = { "012345678", 9 }, four = { "0123", 4 };

    assert_fs_error(apply_from(sliding, 6, stream_of(nine, pool), pool),
                    FS_ERR_INCOMPLETE_DATA);
    assert_fs_error(apply_from(sliding, 6, stream_of(four, pool), pool),
                    FS_ERR_INCOMPLETE_DATA);
    assert_fs_error_says(
        apply_from(&sliding[5], 1, stream_of(four, pool), pool),
        FS_ERR_INCOMPLETE_DATA, "the 4 bytes at 6");
    assert_fs_error(apply_from(sliding, 1, NULL, pool), FS_ERR_INCOMPLETE_DATA);
    assert_fs_ok(apply_from(&sliding[4], 1, NULL, pool));
}

static void views_that_slide_backwards_are_refused(void **state)
{
    static const fs_delta_window_t windows[] = {
        { 5, 4, 3, 1, copy_3_at_1, NULL, 0 },
        { 4, 4, 3, 1, copy_3_at_1, NULL, 0 },
    };
    apr_pool_t *pool = unit_pool(state);

    assert_fs_error(apply_from(windows, 2, stream_of(digits, pool), pool),
                    FS_ERR_SVNDIFF_BACKWARD);
}

static void what_is_computed_encoded_and_decoded_makes_the_text(void **state)
{
    apr_pool_t *pool = unit_pool(state), *iter;
    texts_seed_t seed = 12;
    int i;

    apr_pool_create(&iter, pool);
    for (i = 0; i < 60; i++) {
        fs_bytes_t source, target, text;
        fs_stream_t *svndiff;

        apr_pool_clear(iter);
        source = texts_make(&seed, texts_random(&seed, 400000), 90, iter);
        target = texts_edit(&seed, source, (int)texts_random(&seed, 10), 50000,
                            iter);
        svndiff =
            fs_svndiff_write(fs_delta_compute(stream_of(source, iter),
                                              stream_of(target, iter), iter),
                             i % 3, 1, iter);
        assert_fs_ok(
            fs_stream_slurp(&text,
                            fs_delta_apply(fs_svndiff_read(svndiff, iter),
                                           stream_of(source, iter), iter),
                            1 << 24, iter));
        assert_bytes_equal(text.data, text.len, target.data, target.len);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(target_copies_repeat_what_they_make),
    UNIT_TEST(source_views_overlap_slide_and_leave_gaps),
    UNIT_TEST(the_target_may_be_read_by_single_bytes),
    UNIT_TEST(a_source_that_ends_early_is_incomplete),
    UNIT_TEST(views_that_slide_backwards_are_refused),
    UNIT_TEST(what_is_computed_encoded_and_decoded_makes_the_text),
};

UNIT_MAIN(tests)
