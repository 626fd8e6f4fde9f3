/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/delta/compose.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/delta/compose.h"
#include "libfs/delta/svndiff_read.h"
#include "tests/support/texts.h"

#define DEEPEST 12

/* The same by a byte after the other. */
static void apply_slowly(const fs_delta_window_t *window, const char *source,
                         char *target)
{
    apr_uint32_t i, k, made = 0;

    for (i = 0; i < window->op_count; i++) {
        const fs_delta_op_t *op = &window->ops[i];

        for (k = 0; k < op->length; k++) {
            if (op->action == FS_DELTA_SOURCE)
                target[made] = source[op->offset + k];
            else if (op->action == FS_DELTA_TARGET)
                target[made] = target[op->offset + k];
            else
                target[made] = window->new_data[op->offset + k];
            made++;
        }
    }
}

/* Windows from the top; each one's source view is the target of the next. */
typedef struct chain_t {
    fs_delta_window_t window[DEEPEST];
    const fs_delta_window_t *stack[DEEPEST];
    int n;
    fs_bytes_t source;
    char *target; /* what it makes */
} chain_t;

static void make_chain(chain_t *chain, texts_seed_t *seed, apr_pool_t *pool)
{
    apr_uint32_t len = texts_random(seed, 300);
    const char *text;
    int i;

    chain->n = 1 + (int)texts_random(seed, DEEPEST);
    chain->source = texts_make(seed, len, 90, pool);
    text = chain->source.data;
    for (i = chain->n - 1; i >= 0; i--) {
        apr_uint32_t target_len = texts_random(seed, 300);

        chain->window[i] = texts_window(seed, len, target_len, pool);
        chain->stack[i] = &chain->window[i];
        chain->target = apr_palloc(pool, target_len + 1);
        apply_slowly(&chain->window[i], text, chain->target);
        text = chain->target;
        len = target_len;
    }
}

static void chains_are_applied_as_step_by_step(void **state)
{
    apr_pool_t *pool = unit_pool(state), *iter;
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    texts_seed_t seed = 4711;
    int i;

    apr_pool_create(&iter, pool);
    for (i = 0; i < 3000; i++) {
        chain_t chain;
        char *target;

        apr_pool_clear(iter);
        make_chain(&chain, &seed, iter);
        target = apr_palloc(iter, chain.window[0].target_len + 1);
        assert_fs_ok(fs_delta_chain_apply(target, chain.stack, chain.n,
                                          chain.source.data, chain.source.len,
                                          buffers));
        assert_bytes_equal(target, chain.window[0].target_len, chain.target,
                           chain.window[0].target_len);
    }
}

/* What a window must be to be encoded. */
static void check_form(const fs_delta_window_t *window)
{
    apr_uint32_t i, made = 0, used = 0;

    for (i = 0; i < window->op_count; i++) {
        const fs_delta_op_t *op = &window->ops[i];

        assert_true(op->length > 0);
        if (op->action == FS_DELTA_NEW) {
            assert_int_equal(op->offset, used);
            used += op->length;
        } else if (op->action == FS_DELTA_TARGET) {
            assert_true(op->offset < made);
        } else {
            assert_true(op->offset + op->length <= window->source_len);
        }
        made += op->length;
    }
    assert_int_equal(made, window->target_len);
    assert_int_equal(used, window->new_len);
    assert_true(window->op_count <= window->target_len);
}

static void composed_chains_make_the_same_text(void **state)
{
    apr_pool_t *pool = unit_pool(state), *iter;
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    texts_seed_t seed = 42;
    int i, k;

    apr_pool_create(&iter, pool);
    for (i = 0; i < 3000; i++) {
        fs_delta_window_t whole;
        chain_t chain;
        char *target;

        apr_pool_clear(iter);
        make_chain(&chain, &seed, iter);
        if (i % 2) { /* from the top down, or from the bottom up */
            whole = chain.window[0];
            for (k = 1; k < chain.n; k++)
                assert_fs_ok(fs_delta_compose(&whole, &chain.window[k], &whole,
                                              buffers));
        } else {
            whole = chain.window[chain.n - 1];
            for (k = chain.n - 2; k >= 0; k--)
                assert_fs_ok(fs_delta_compose(&whole, &whole, &chain.window[k],
                                              buffers));
        }
        check_form(&whole);
        target = apr_palloc(iter, whole.target_len + 1);
        fs_delta_apply_window(&whole, chain.source.data, target);
        assert_bytes_equal(target, whole.target_len, chain.target,
                           chain.window[0].target_len);
    }
}

/* --- Written out --- */

static const fs_delta_op_t copy_3_at_1[] = { { FS_DELTA_SOURCE, 1, 3 } };
static const fs_delta_op_t new_ab_repeated[] = { { FS_DELTA_NEW, 0, 2 },
                                                 { FS_DELTA_TARGET, 0, 5 },
                                                 { FS_DELTA_SOURCE, 2, 2 } };
static const fs_delta_op_t copy_around_end[] = { { FS_DELTA_SOURCE, 3, 5 },
                                                 { FS_DELTA_NEW, 0, 1 } };

static void target_copies_below_are_unrolled(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    /* abababa + source[2..4) */
    fs_delta_window_t below = { 7, 4, 9, 3, new_ab_repeated, "ab", 2 };
    fs_delta_window_t above = { 0, 9, 6, 2, copy_around_end, "!", 1 };
    fs_delta_window_t out;

    assert_fs_ok(fs_delta_compose(&out, &below, &above, buffers));
    assert_true(out.source_offset == 7);
    assert_int_equal(out.source_len, 4);
    assert_int_equal(out.target_len, 6);
    assert_int_equal(out.op_count, 3);
    assert_int_equal(out.ops[0].action, FS_DELTA_NEW);
    assert_int_equal(out.ops[0].length, 4);
    assert_int_equal(out.ops[1].action, FS_DELTA_SOURCE);
    assert_int_equal(out.ops[1].offset, 2);
    assert_int_equal(out.ops[1].length, 1);
    assert_int_equal(out.ops[2].action, FS_DELTA_NEW);
    assert_int_equal(out.ops[2].length, 1);
    assert_bytes_equal(out.new_data, out.new_len, "baba!", 5);
}

static void a_longer_source_view_than_there_is_is_corrupt(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    fs_delta_window_t low = { 0, 4, 3, 1, copy_3_at_1, NULL, 0 };
    fs_delta_window_t top = { 0, 4, 3, 1, copy_3_at_1, NULL, 0 };
    const fs_delta_window_t *const stack[] = { &top, &low };
    fs_delta_window_t out;
    char target[3];

    assert_fs_error(fs_delta_compose(&out, &low, &top, buffers),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_delta_chain_apply(target, stack, 2, "abcd", 4, buffers),
                    FS_ERR_CORRUPT);
    assert_fs_error_says(
        fs_delta_chain_apply(target, stack, 1, "abc", 3, buffers),
        FS_ERR_CORRUPT, "source view of 4 bytes, its base has 3");
    assert_fs_ok(fs_delta_chain_apply(target, stack, 1, "abcd", 4, buffers));
    assert_bytes_equal(target, 3, "bcd", 3);
}

static void a_window_without_source_ends_the_chain(void **state)
{
    static const fs_delta_op_t new_3[] = { { FS_DELTA_NEW, 0, 3 } };
    apr_pool_t *pool = unit_pool(state);
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    /* claims a source view, as windows of delta representations must */
    fs_delta_window_t top = { 0, 100, 3, 1, new_3, "xyz", 3 };
    const fs_delta_window_t *const stack[] = { &top };
    char target[3];

    assert_false(fs_delta_window_uses_source(&top));
    assert_fs_ok(fs_delta_chain_apply(target, stack, 1, NULL, 0, buffers));
    assert_bytes_equal(target, 3, "xyz", 3);
    top.ops = copy_3_at_1;
    assert_true(fs_delta_window_uses_source(&top));
}

static void long_patterns_are_unrolled_within_bounds(void **state)
{
    static const fs_delta_op_t run[] = { { FS_DELTA_SOURCE, 0, 1 },
                                         { FS_DELTA_TARGET, 0,
                                           FS_DELTA_WINDOW_MAX - 1 } };
    static const fs_delta_op_t all[] = { { FS_DELTA_SOURCE, 0,
                                           FS_DELTA_WINDOW_MAX } };
    apr_pool_t *pool = unit_pool(state);
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    fs_delta_window_t below = { 0, 1, FS_DELTA_WINDOW_MAX, 2, run, NULL, 0 };
    fs_delta_window_t above = {
        0, FS_DELTA_WINDOW_MAX, FS_DELTA_WINDOW_MAX, 1, all, NULL, 0
    };
    char *target = apr_palloc(pool, FS_DELTA_WINDOW_MAX);
    fs_delta_window_t out;
    int i;

    assert_fs_ok(fs_delta_compose(&out, &below, &above, buffers));
    check_form(&out);
    assert_int_equal(out.op_count, FS_DELTA_WINDOW_MAX);
    fs_delta_apply_window(&out, "q", target);
    for (i = 0; i < FS_DELTA_WINDOW_MAX; i++)
        assert_int_equal(target[i], 'q');
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(chains_are_applied_as_step_by_step),
    UNIT_TEST(composed_chains_make_the_same_text),
    UNIT_TEST(target_copies_below_are_unrolled),
    UNIT_TEST(a_longer_source_view_than_there_is_is_corrupt),
    UNIT_TEST(a_window_without_source_ends_the_chain),
    UNIT_TEST(long_patterns_are_unrolled_within_bounds),
};

UNIT_MAIN(tests)
