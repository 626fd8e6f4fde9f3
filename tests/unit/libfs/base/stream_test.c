/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_stream.h. */

#include "tests/support/unit.h"

#include "libfs/fs_stream.h"

/* A source that gives `step` bytes a read, counts up to `total`, may fail. */
typedef struct counter_t {
    apr_size_t total;
    apr_size_t given;
    apr_size_t step;
    int fail; /* reading fails behind the last byte */
    int closed;
} counter_t;

static fs_error_t *counter_read(void *baton, char *buf, apr_size_t *len)
{
    counter_t *counter = baton;
    apr_size_t i;

    if (counter->fail && counter->given == counter->total)
        return FS_ERROR(FS_ERR_CANCELLED, "told to fail");
    if (*len > counter->step)
        *len = counter->step;
    if (*len > counter->total - counter->given)
        *len = counter->total - counter->given;
    for (i = 0; i < *len; i++)
        buf[i] = (char)('a' + (counter->given + i) % 26);
    counter->given += *len;
    return NULL;
}

static fs_error_t *counter_close(void *baton)
{
    counter_t *counter = baton;

    counter->closed++;
    return FS_ERROR(FS_ERR_BUSY, "closed");
}

/* In the pool, because that closes streams when the test's frame is gone. */
static counter_t *counter_make(apr_size_t total, apr_size_t step,
                               apr_pool_t *pool)
{
    counter_t *counter = apr_pcalloc(pool, sizeof(*counter));

    counter->total = total;
    counter->step = step;
    return counter;
}

static const fs_stream_ops_t counter_ops = { counter_read, NULL,
                                             counter_close };

static void bytes_are_read_in_pieces_up_to_the_end(void **state)
{
    fs_stream_t *stream = fs_stream_from_bytes("abcde", 5, unit_pool(state));
    char buf[10];
    apr_size_t len = 3;

    assert_fs_ok(fs_stream_read(stream, buf, &len));
    assert_bytes_equal(buf, len, "abc", 3);
    len = 10;
    assert_fs_ok(fs_stream_read(stream, buf, &len));
    assert_bytes_equal(buf, len, "de", 2);
    len = 10;
    assert_fs_ok(fs_stream_read(stream, buf, &len));
    assert_int_equal(len, 0);
    assert_fs_ok(fs_stream_close(stream));
}

static void the_empty_stream_is_at_its_end(void **state)
{
    fs_stream_t *stream = fs_stream_empty(unit_pool(state));
    char byte;
    apr_size_t len = 1;

    assert_fs_ok(fs_stream_read(stream, &byte, &len));
    assert_int_equal(len, 0);
}

static void read_full_goes_on_until_the_buffer_is_full(void **state)
{
    counter_t *counter = counter_make(30, 7, unit_pool(state));
    fs_stream_t *stream =
        fs_stream_create(&counter_ops, counter, unit_pool(state));
    char buf[26];
    apr_size_t len = 26;

    assert_fs_ok(fs_stream_read_full(stream, buf, &len));
    assert_bytes_equal(buf, len, "abcdefghijklmnopqrstuvwxyz", 26);
    assert_fs_ok(fs_stream_read_full(stream, buf, &len));
    assert_bytes_equal(buf, len, "abcd", 4);
}

static void skip_works_with_and_without_a_function_for_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    counter_t *counter = counter_make(40000, 1000, unit_pool(state));
    fs_stream_t *plain = fs_stream_create(&counter_ops, counter, pool);
    fs_stream_t *bytes = fs_stream_from_bytes("abcde", 5, pool);
    apr_uint64_t skipped;
    char byte;
    apr_size_t len = 1;

    assert_fs_ok(fs_stream_skip(plain, 39988, &skipped));
    assert_int_equal(skipped, 39988);
    assert_fs_ok(fs_stream_read(plain, &byte, &len));
    assert_int_equal(byte, 'a' + 39988 % 26);
    assert_fs_ok(fs_stream_skip(plain, 100, &skipped));
    assert_int_equal(skipped, 11);

    assert_fs_ok(fs_stream_skip(bytes, 3, &skipped));
    assert_int_equal(skipped, 3);
    assert_fs_ok(fs_stream_skip(bytes, APR_UINT64_MAX, &skipped));
    assert_int_equal(skipped, 2);
}

static void slurp_reads_all_up_to_the_limit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    counter_t *counter = counter_make(10000, 999, unit_pool(state));
    fs_stream_t *stream = fs_stream_create(&counter_ops, counter, pool);
    fs_bytes_t all;

    assert_fs_ok(fs_stream_slurp(&all, stream, 10000, pool));
    assert_int_equal(all.len, 10000);
    assert_int_equal(all.data[9999], 'a' + 9999 % 26);
    counter->given = 0;
    assert_fs_error_says(fs_stream_slurp(&all, stream, 9999, pool),
                         FS_ERR_GENERAL, "more than 9999 bytes");
}

static void errors_of_the_source_come_through(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    counter_t *counter = counter_make(5, 5, unit_pool(state));
    fs_stream_t *stream = fs_stream_create(&counter_ops, counter, pool);
    char buf[10];
    apr_size_t len = 10;
    apr_uint64_t skipped;
    fs_bytes_t all;

    counter->fail = 1;
    assert_fs_error(fs_stream_read_full(stream, buf, &len), FS_ERR_CANCELLED);
    assert_fs_error(fs_stream_skip(stream, 1, &skipped), FS_ERR_CANCELLED);
    assert_fs_error(fs_stream_slurp(&all, stream, 10, pool), FS_ERR_CANCELLED);
}

static void closing_twice_closes_once(void **state)
{
    counter_t *counter = counter_make(0, 1, unit_pool(state));
    fs_stream_t *stream =
        fs_stream_create(&counter_ops, counter, unit_pool(state));

    assert_fs_error(fs_stream_close(stream), FS_ERR_BUSY);
    assert_fs_ok(fs_stream_close(stream));
    assert_int_equal(counter->closed, 1);
}

static void the_pool_closes_what_is_open(void **state)
{
    counter_t *open = counter_make(0, 1, unit_pool(state));
    counter_t *closed = counter_make(0, 1, unit_pool(state));
    apr_pool_t *pool;
    fs_stream_t *stream;

    apr_pool_create(&pool, unit_pool(state));
    (void)fs_stream_create(&counter_ops, open, pool);
    stream = fs_stream_create(&counter_ops, closed, pool);
    assert_fs_error(fs_stream_close(stream), FS_ERR_BUSY);
    apr_pool_destroy(pool);
    assert_int_equal(open->closed, 1);
    assert_int_equal(closed->closed, 1);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(bytes_are_read_in_pieces_up_to_the_end),
    UNIT_TEST(the_empty_stream_is_at_its_end),
    UNIT_TEST(read_full_goes_on_until_the_buffer_is_full),
    UNIT_TEST(skip_works_with_and_without_a_function_for_it),
    UNIT_TEST(slurp_reads_all_up_to_the_limit),
    UNIT_TEST(errors_of_the_source_come_through),
    UNIT_TEST(closing_twice_closes_once),
    UNIT_TEST(the_pool_closes_what_is_open),
};

UNIT_MAIN(tests)
