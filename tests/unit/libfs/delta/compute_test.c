/* SPDX-License-Identifier: Apache-2.0 */
/* Proves fs_delta_compute() and fs_delta_apply() of libfs/fs_delta.h, and
 * compute.h. */

#include "libfs/delta/compute.h"

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "tests/support/texts.h"

#define W FS_DELTA_WINDOW_MAX

static fs_stream_t *stream_of(fs_bytes_t text, apr_pool_t *pool)
{
    return fs_stream_from_bytes(text.data, text.len, pool);
}

/* Check that the delta has the form that readers of chains want and makes the
 * text; returns the bytes of new data. */
static apr_size_t check_pair(fs_bytes_t source, fs_bytes_t target,
                             apr_pool_t *pool)
{
    fs_delta_stream_t *delta = fs_delta_compute(stream_of(source, pool),
                                                stream_of(target, pool), pool);
    const fs_delta_window_t *window;
    apr_uint64_t done = 0, fresh = 0;
    char *made = apr_palloc(pool, W);

    for (;;) {
        apr_uint64_t left = source.len > done ? source.len - done : 0;
        apr_uint32_t i;

        assert_fs_ok(fs_delta_next(&window, delta));
        if (!window)
            break;
        assert_true(window->source_offset ==
                    (source.len < done ? source.len : done));
        assert_int_equal(window->source_len, left < W ? left : W);
        assert_int_equal(window->target_len,
                         target.len - done < W ? target.len - done : W);
        for (i = 0; i < window->op_count; i++) {
            assert_true(window->ops[i].length > 0);
            assert_int_not_equal(window->ops[i].action, FS_DELTA_TARGET);
        }
        fs_delta_apply_window(window, source.data + window->source_offset,
                              made);
        assert_bytes_equal(made, window->target_len, target.data + done,
                           window->target_len);
        done += window->target_len;
        fresh += window->new_len;
    }
    assert_true(done == target.len);
    return (apr_size_t)fresh;
}

static const fs_bytes_t nothing = { "", 0 };

static void empty_texts_have_no_windows(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "text", 4 };
    const fs_delta_window_t *window;
    fs_delta_stream_t *delta;

    assert_int_equal(check_pair(nothing, nothing, pool), 0);
    assert_int_equal(check_pair(text, nothing, pool), 0);
    assert_int_equal(check_pair(nothing, text, pool), 4);
    delta = fs_delta_compute(NULL, stream_of(text, pool), pool);
    assert_fs_ok(fs_delta_next(&window, delta));
    assert_int_equal(window->op_count, 1);
    assert_int_equal(window->ops[0].action, FS_DELTA_NEW);
    assert_bytes_equal(window->new_data, window->new_len, "text", 4);
}

static void equal_texts_are_one_copy_a_window(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 1;
    fs_bytes_t text = texts_make(&seed, 3 * W + 17, 90, pool);
    fs_delta_stream_t *delta =
        fs_delta_compute(stream_of(text, pool), stream_of(text, pool), pool);
    const fs_delta_window_t *window;
    int i;

    for (i = 0; i < 4; i++) {
        assert_fs_ok(fs_delta_next(&window, delta));
        assert_int_equal(window->op_count, 1);
        assert_int_equal(window->ops[0].action, FS_DELTA_SOURCE);
        assert_int_equal(window->ops[0].offset, 0);
        assert_int_equal(window->ops[0].length, i < 3 ? W : 17);
    }
    assert_fs_ok(fs_delta_next(&window, delta));
    assert_null(window);
    check_pair(text, text, pool);
}

static void a_short_equal_text_is_a_copy_too(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "x\n", 2 };

    assert_int_equal(check_pair(text, text, pool), 0);
}

static void an_insertion_costs_its_length_and_what_it_moves_over(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 2;
    fs_bytes_t text = texts_make(&seed, 4 * W, 90, pool);
    fs_bytes_t moved;

    moved.data = apr_pstrcat(
        pool, "inserted: ", apr_pstrndup(pool, text.data, text.len), NULL);
    moved.len = text.len + 10;
    /* each later window begins with ten bytes of the view before its own */
    assert_int_equal(check_pair(text, moved, pool), 10 + 3 * 10 + 10);
}

static void moved_blocks_are_found(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 3;
    fs_bytes_t a = texts_make(&seed, 5000, 90, pool);
    fs_bytes_t b = texts_make(&seed, 777, 90, pool);
    fs_bytes_t source, target;

    source.data = apr_pstrcat(pool, apr_pstrndup(pool, a.data, a.len),
                              apr_pstrndup(pool, b.data, b.len), NULL);
    target.data = apr_pstrcat(pool, apr_pstrndup(pool, b.data, b.len),
                              apr_pstrndup(pool, a.data, a.len), NULL);
    source.len = target.len = a.len + b.len;
    assert_int_equal(check_pair(source, target, pool), 0);
}

static void replaced_bytes_cost_only_themselves(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 4;
    fs_bytes_t text = texts_make(&seed, 10000, 90, pool);
    char *data = apr_pmemdup(pool, text.data, text.len);
    fs_bytes_t target = { data, text.len };
    int i;

    /* runs of 20 bytes between them: too short for the table of blocks */
    for (i = 5000; i < 5200; i += 21)
        data[i] = '\1';
    assert_int_equal(check_pair(text, target, pool), 10);
}

static void random_edits_are_reproduced(void **state)
{
    apr_pool_t *pool = unit_pool(state), *iter;
    texts_seed_t seed = 5;
    int i;

    apr_pool_create(&iter, pool);
    for (i = 0; i < 400; i++) {
        apr_size_t len = texts_random(&seed, i % 8 ? 4000 : 3 * W);
        int letters = i % 3 ? 90 : 1 + (int)texts_random(&seed, 4);
        fs_bytes_t source, target;

        apr_pool_clear(iter);
        source = texts_make(&seed, len, letters, iter);
        target =
            texts_edit(&seed, source, (int)texts_random(&seed, 20), 200, iter);
        check_pair(source, target, iter);
        check_pair(target, source, iter);
    }
}

static void unlike_texts_are_new(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 6;
    fs_bytes_t a = texts_make(&seed, 2 * W, 90, pool);
    fs_bytes_t b = texts_make(&seed, W + W / 2, 90, pool);

    assert_int_equal(check_pair(a, b, pool), b.len);
    assert_int_equal(check_pair(b, a, pool), a.len);
}

static void runs_of_one_byte_do_not_take_for_ever(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    char *data = apr_palloc(pool, 3 * W);
    fs_bytes_t a = { data, 2 * W + 5 }, b = { data, 3 * W };

    memset(data, 0, 3 * W);
    /* the last window has a view of five bytes, less than a copy is worth */
    assert_int_equal(check_pair(a, b, pool), W);
    assert_int_equal(check_pair(b, a, pool), 0);
}

static fs_error_t *fails_to_read(void *baton, char *buf, apr_size_t *len)
{
    (void)baton;
    (void)buf;
    (void)len;
    return FS_ERROR(FS_ERR_CANCELLED, "the test says no");
}

static void errors_of_the_streams_come_through(void **state)
{
    static const fs_stream_ops_t ops = { fails_to_read, NULL, NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "text", 4 };
    const fs_delta_window_t *window;

    assert_fs_error(
        fs_delta_next(&window, fs_delta_compute(
                                   stream_of(text, pool),
                                   fs_stream_create(&ops, NULL, pool), pool)),
        FS_ERR_CANCELLED);
    assert_fs_error(
        fs_delta_next(&window,
                      fs_delta_compute(fs_stream_create(&ops, NULL, pool),
                                       stream_of(text, pool), pool)),
        FS_ERR_CANCELLED);
}

/* --- Single windows --- */

static void one_matcher_serves_windows_of_many_texts(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_matcher_t *matcher = fs_delta_matcher_create(pool);
    texts_seed_t seed = 8;
    char *made = apr_palloc(pool, W);
    int i;

    for (i = 0; i < 50; i++) {
        fs_bytes_t source =
            texts_make(&seed, texts_random(&seed, 9000), 90, pool);
        fs_bytes_t text = texts_edit(&seed, source, 3, 40, pool);
        fs_delta_window_t window;

        if (!text.len)
            continue;
        fs_delta_compute_window(
            &window, matcher, 7, source.data, (apr_uint32_t)source.len,
            apr_pmemdup(pool, text.data, text.len), (apr_uint32_t)text.len);
        assert_int_equal(window.source_offset, 7);
        assert_int_equal(window.source_len, source.len);
        assert_int_equal(window.target_len, text.len);
        fs_delta_apply_window(&window, source.data, made);
        assert_memory_equal(made, text.data, text.len);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(empty_texts_have_no_windows),
    UNIT_TEST(equal_texts_are_one_copy_a_window),
    UNIT_TEST(a_short_equal_text_is_a_copy_too),
    UNIT_TEST(an_insertion_costs_its_length_and_what_it_moves_over),
    UNIT_TEST(moved_blocks_are_found),
    UNIT_TEST(replaced_bytes_cost_only_themselves),
    UNIT_TEST(random_edits_are_reproduced),
    UNIT_TEST(unlike_texts_are_new),
    UNIT_TEST(runs_of_one_byte_do_not_take_for_ever),
    UNIT_TEST(errors_of_the_streams_come_through),
    UNIT_TEST(one_matcher_serves_windows_of_many_texts),
};

UNIT_MAIN(tests)
