/* SPDX-License-Identifier: Apache-2.0 */
/* Proves fs_svndiff_write() of libfs/fs_delta.h, and svndiff_write.h. */

#include "libfs/delta/svndiff_write.h"

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "tests/support/texts.h"

static fs_bytes_t encode(const fs_delta_window_t *windows, int count,
                         int version, int level, apr_pool_t *pool)
{
    fs_bytes_t bytes;

    assert_fs_ok(
        fs_stream_slurp(&bytes,
                        fs_svndiff_write(texts_windows(windows, count, pool),
                                         version, level, pool),
                        1 << 24, pool));
    return bytes;
}

static void no_windows_are_the_header_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t bytes = encode(NULL, 0, 2, 5, pool);

    assert_bytes_equal(bytes.data, bytes.len, "SVN\2", 4);
}

static void short_texts_are_stored_in_each_version(void **state)
{
    static const fs_delta_op_t all[] = { { FS_DELTA_NEW, 0, 6 } };
    static const fs_delta_window_t window = { 0, 0, 6, 1, all, "hello\n", 6 };
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t bytes = encode(&window, 1, 0, 5, pool);

    assert_bytes_equal(bytes.data, bytes.len,
                       "SVN\0\0\0\6\1\6\x86"
                       "hello\n",
                       16);
    bytes = encode(&window, 1, 1, 9, pool);
    assert_bytes_equal(bytes.data, bytes.len, "SVN\1\0\0\6\2\7\1\x86\6hello\n",
                       18);
    bytes = encode(&window, 1, 2, 5, pool);
    assert_bytes_equal(bytes.data, bytes.len, "SVN\2\0\0\6\2\7\1\x86\6hello\n",
                       18);
}

static void long_lengths_and_target_copies_are_written(void **state)
{
    static const fs_delta_op_t ops[] = { { FS_DELTA_SOURCE, 300, 63 },
                                         { FS_DELTA_TARGET, 2, 64 },
                                         { FS_DELTA_NEW, 0, 128 } };
    apr_pool_t *pool = unit_pool(state);
    char fresh[128];
    fs_delta_window_t window = { 4000, 400, 255, 3, ops, fresh, 128 };
    fs_bytes_t bytes;

    memset(fresh, 'n', sizeof(fresh));
    bytes = encode(&window, 1, 0, 5, pool);
    assert_int_equal(bytes.len, 4 + 9 + 9 + 128);
    assert_bytes_equal(bytes.data, 22,
                       "SVN\0"
                       "\x9f\x20\x83\x10\x81\x7f\x09\x81\x00"
                       "\x3f\x82\x2c"
                       "\x40\x40\x02"
                       "\x80\x81\x00",
                       22);
}

/* Encoded length of one window with `len` equal bytes of new data. */
static apr_size_t encoded_len(apr_uint32_t len, int version, int level,
                              apr_pool_t *pool)
{
    fs_delta_op_t op = { FS_DELTA_NEW, 0, len };
    char *fresh = apr_palloc(pool, len);
    fs_delta_window_t window = { 0, 0, len, 1, &op, fresh, len };

    memset(fresh, 'x', len);
    return encode(&window, 1, version, level, pool).len;
}

static void zlib_is_used_from_512_bytes_on(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_true(encoded_len(511, 1, 5, pool) > 511);
    assert_true(encoded_len(512, 1, 5, pool) < 60);
    assert_true(encoded_len(512, 1, 0, pool) > 512);
}

static void lz4_is_used_wherever_it_gains(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_op_t op = { FS_DELTA_NEW, 0, 2000 };
    texts_seed_t seed = 9;
    fs_bytes_t noise = texts_make(&seed, 2000, 256, pool);
    fs_delta_window_t window = { 0, 0, 2000, 1, &op, noise.data, 2000 };

    assert_true(encoded_len(100, 2, 5, pool) < 40);
    /* 4 header, 7 head, 1 + 3 instructions, 2 length */
    assert_int_equal(encode(&window, 1, 2, 5, pool).len, 2017);
}

static void check_same(const fs_delta_window_t *a, const fs_delta_window_t *b)
{
    apr_uint32_t i;

    assert_true(a->source_offset == b->source_offset);
    assert_int_equal(a->source_len, b->source_len);
    assert_int_equal(a->target_len, b->target_len);
    assert_int_equal(a->op_count, b->op_count);
    for (i = 0; i < a->op_count; i++) {
        assert_int_equal(a->ops[i].action, b->ops[i].action);
        assert_int_equal(a->ops[i].length, b->ops[i].length);
        assert_int_equal(a->ops[i].offset, b->ops[i].offset);
    }
    assert_bytes_equal(a->new_data, a->new_len, b->new_data, b->new_len);
}

static void what_is_written_is_read_back(void **state)
{
    apr_pool_t *pool = unit_pool(state), *iter;
    texts_seed_t seed = 10;
    int i, k;

    apr_pool_create(&iter, pool);
    for (i = 0; i < 300; i++) {
        fs_delta_window_t windows[4];
        const fs_delta_window_t *window;
        fs_delta_stream_t *delta;
        fs_bytes_t bytes;

        apr_pool_clear(iter);
        for (k = 0; k < 4; k++) {
            windows[k] = texts_window(&seed, texts_random(&seed, 3000),
                                      texts_random(&seed, 9000), iter);
            windows[k].source_offset = (apr_uint64_t)k * 5000;
        }
        bytes = encode(windows, 4, i % 3, i % 10, iter);
        delta = fs_svndiff_read(
            fs_stream_from_bytes(bytes.data, bytes.len, iter), iter);
        for (k = 0; k < 4; k++) {
            assert_fs_ok(fs_delta_next(&window, delta));
            assert_non_null(window);
            check_same(window, &windows[k]);
        }
        assert_fs_ok(fs_delta_next(&window, delta));
        assert_null(window);
    }
}

static void the_largest_window_fits(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_op_t *ops = apr_palloc(pool, FS_DELTA_WINDOW_MAX * sizeof(*ops));
    fs_delta_window_t window = { 0,
                                 FS_DELTA_WINDOW_MAX,
                                 FS_DELTA_WINDOW_MAX,
                                 FS_DELTA_WINDOW_MAX,
                                 ops,
                                 NULL,
                                 0 };
    const fs_delta_window_t *back;
    apr_uint32_t i;
    int version;

    for (i = 0; i < FS_DELTA_WINDOW_MAX; i++) {
        ops[i].action = FS_DELTA_SOURCE;
        ops[i].offset = (i * 7919) % FS_DELTA_WINDOW_MAX;
        ops[i].length = 1;
    }
    for (version = 0; version <= 2; version++) {
        fs_bytes_t bytes = encode(&window, 1, version, 1, pool);

        assert_fs_ok(fs_delta_next(
            &back,
            fs_svndiff_read(fs_stream_from_bytes(bytes.data, bytes.len, pool),
                            pool)));
        check_same(back, &window);
    }
}

static void output_comes_in_pieces_of_any_size(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 11;
    fs_delta_window_t window = texts_window(&seed, 500, 700, pool);
    fs_bytes_t whole = encode(&window, 1, 0, 5, pool);
    fs_stream_t *out =
        fs_svndiff_write(texts_windows(&window, 1, pool), 0, 5, pool);
    apr_size_t pos = 0, len;
    char buf[7];

    for (;;) {
        len = 1 + pos % sizeof(buf);
        assert_fs_ok(fs_stream_read(out, buf, &len));
        if (len == 0)
            break;
        assert_bytes_equal(buf, len, whole.data + pos, len);
        pos += len;
    }
    assert_int_equal(pos, whole.len);
}

/* --- Single windows --- */

static apr_size_t encode_new(fs_svndiff_encoder_t *encoder, fs_bytes_t text,
                             fs_bytes_t parts[FS_SVNDIFF_PARTS])
{
    const fs_delta_op_t op = { FS_DELTA_NEW, 0, (apr_uint32_t)text.len };
    const fs_delta_window_t window = {
        0, 0, (apr_uint32_t)text.len, 1, &op, text.data, (apr_uint32_t)text.len
    };

    assert_fs_ok(fs_svndiff_encode_window(parts, encoder, &window));
    return parts[0].len + parts[1].len;
}

static void new_data_that_stays_as_it_is_is_not_copied(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 4;
    fs_bytes_t text = texts_make(&seed, FS_DELTA_WINDOW_MAX, 256, pool);
    int version;

    for (version = 0; version <= 2; version++) {
        fs_bytes_t parts[FS_SVNDIFF_PARTS];

        (void)encode_new(fs_svndiff_encoder_create(version, 5, pool), text,
                         parts);
        assert_ptr_equal(parts[1].data, text.data);
        assert_int_equal(parts[1].len, text.len);
    }
}

static void an_encoder_notices_that_data_becomes_loose_again(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 4;
    fs_bytes_t dense = texts_make(&seed, FS_DELTA_WINDOW_MAX, 256, pool);
    fs_bytes_t loose = texts_make(&seed, FS_DELTA_WINDOW_MAX, 2, pool);
    fs_svndiff_encoder_t *encoder = fs_svndiff_encoder_create(1, 5, pool);
    fs_bytes_t parts[FS_SVNDIFF_PARTS];
    int i;

    for (i = 0; i < 3; i++) {
        assert_true(encode_new(encoder, dense, parts) > dense.len);
        assert_true(encode_new(encoder, loose, parts) < loose.len / 4);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(no_windows_are_the_header_alone),
    UNIT_TEST(short_texts_are_stored_in_each_version),
    UNIT_TEST(long_lengths_and_target_copies_are_written),
    UNIT_TEST(zlib_is_used_from_512_bytes_on),
    UNIT_TEST(lz4_is_used_wherever_it_gains),
    UNIT_TEST(what_is_written_is_read_back),
    UNIT_TEST(the_largest_window_fits),
    UNIT_TEST(output_comes_in_pieces_of_any_size),
    UNIT_TEST(new_data_that_stays_as_it_is_is_not_copied),
    UNIT_TEST(an_encoder_notices_that_data_becomes_loose_again),
};

UNIT_MAIN(tests)
