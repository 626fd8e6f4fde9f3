/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/delta/svndiff_apply.h. */

#include "libfs/delta/svndiff_apply.h"

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "tests/support/texts.h"
#include "tests/support/unit.h"

static fs_error_t *collect(void *baton, const char *data, apr_size_t len)
{
    fs_buffer_append(baton, data, len);
    return NULL;
}

static fs_bytes_t encode(fs_bytes_t source, fs_bytes_t target, int version,
                         apr_pool_t *pool)
{
    fs_delta_stream_t *delta = fs_delta_compute(
        fs_stream_from_bytes(source.data, source.len, pool),
        fs_stream_from_bytes(target.data, target.len, pool), pool);
    fs_bytes_t bytes;

    assert_fs_ok(fs_stream_slurp(
        &bytes, fs_svndiff_write(delta, version, 5, pool), 1 << 24, pool));
    return bytes;
}

/* Apply `svndiff` in pieces of `piece` bytes, each in a block of its own. */
static fs_error_t *apply(fs_buffer_t *out, fs_bytes_t source,
                         fs_bytes_t svndiff, apr_size_t piece, apr_pool_t *pool)
{
    fs_svndiff_apply_t *apply = fs_svndiff_apply_create(
        fs_stream_from_bytes(source.data, source.len, pool), collect, out,
        pool);
    apr_size_t at;

    for (at = 0; at < svndiff.len; at += piece) {
        apr_size_t len = svndiff.len - at < piece ? svndiff.len - at : piece;
        const char *copy = apr_pmemdup(pool, svndiff.data + at, len);

        FS_TRY(fs_svndiff_apply_write(apply, copy, len));
    }
    return fs_svndiff_apply_close(apply);
}

static fs_bytes_t bytes_of(const char *data, apr_size_t len)
{
    const fs_bytes_t bytes = { data, len };

    return bytes;
}

static const fs_bytes_t nothing = { "", 0 };

static void the_text_is_made_from_pieces_of_any_size(void **state)
{
    static const apr_size_t pieces[] = { 1, 3, 50, 4096, 8191, 1 << 24 };
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 5;
    fs_bytes_t source = texts_make(&seed, 250000, 60, pool);
    fs_bytes_t target = texts_edit(&seed, source, 200, 300, pool);
    int version;
    apr_size_t i;

    for (version = 0; version <= 2; version++) {
        fs_bytes_t svndiff = encode(source, target, version, pool);

        for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
            fs_buffer_t *out = fs_buffer_create(target.len, pool);

            assert_fs_ok(apply(out, source, svndiff, pieces[i], pool));
            assert_bytes_equal(out->data, out->len, target.data, target.len);
        }
    }
}

static void small_windows_one_after_the_other_are_applied(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 9;
    fs_bytes_t source = texts_make(&seed, 90, 4, pool);
    fs_delta_window_t windows[20];
    fs_bytes_t svndiff;
    fs_buffer_t *out = fs_buffer_create(4000, pool);
    char want[20 * 40];
    apr_size_t piece;
    int i;

    for (i = 0; i < 20; i++) {
        windows[i] = texts_window(&seed, 90, 40, pool);
        fs_delta_apply_window(&windows[i], source.data, want + (i * 40));
    }
    assert_fs_ok(fs_stream_slurp(
        &svndiff,
        fs_svndiff_write(texts_windows(windows, 20, pool), 0, 0, pool), 1 << 20,
        pool));
    for (piece = 1; piece < 30; piece++) {
        out->len = 0;
        assert_fs_ok(apply(out, source, svndiff, piece, pool));
        assert_bytes_equal(out->data, out->len, want, sizeof(want));
    }
}

static void a_delta_without_windows_makes_the_empty_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);

    assert_fs_ok(apply(out, bytes_of("abc", 3), bytes_of("SVN\1", 4), 1, pool));
    assert_int_equal(out->len, 0);
}

static void windows_that_make_nothing_are_passed_over(void **state)
{
    /* An empty window, then one that makes "x". */
    static const char svndiff[] = "SVN\0\0\0\0\0\0\0\0\1\1\1\x81x";
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);

    assert_fs_ok(
        apply(out, nothing, bytes_of(svndiff, sizeof(svndiff) - 1), 99, pool));
    assert_bytes_equal(out->data, out->len, "x", 1);
}

static void an_end_inside_is_told(void **state)
{
    static const char svndiff[] = "SVN\0\0\0\1\1\1\x81x";
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);
    apr_size_t len;

    for (len = 0; len < sizeof(svndiff) - 1; len++)
        if (len != 4)
            assert_fs_error(
                apply(out, nothing, bytes_of(svndiff, len), 2, pool),
                FS_ERR_SVNDIFF_END);
}

static void what_is_no_svndiff_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);

    assert_fs_error(apply(out, nothing, bytes_of("SVX\0", 4), 1, pool),
                    FS_ERR_SVNDIFF_HEADER);
    assert_fs_error(apply(out, nothing, bytes_of("SVN\7", 4), 9, pool),
                    FS_ERR_SVNDIFF_HEADER);
    /* A target of 2^28 bytes. */
    assert_fs_error(apply(out, nothing,
                          bytes_of("SVN\0\0\0\x81\x80\x80\x80\0\1\1", 13), 3,
                          pool),
                    FS_ERR_SVNDIFF_WINDOW);
    /* An instruction that makes two bytes of a target of one. */
    assert_fs_error(
        apply(out, nothing, bytes_of("SVN\0\0\0\1\1\2\x82xy", 12), 3, pool),
        FS_ERR_SVNDIFF_OPS);
}

static void views_do_not_slide_backwards(void **state)
{
    /* Copy "b" from 1, then "a" from 0. */
    static const char svndiff[] = "SVN\0\1\1\1\2\0\x01\0\0\1\1\2\0\x01\0";
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);

    assert_fs_error(apply(out, bytes_of("ab", 2),
                          bytes_of(svndiff, sizeof(svndiff) - 1), 5, pool),
                    FS_ERR_SVNDIFF_BACKWARD);
    assert_bytes_equal(out->data, out->len, "b", 1);
}

static void a_source_that_is_too_short_is_told(void **state)
{
    static const char svndiff[] = "SVN\0\0\3\3\2\0\x03\0";
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(10, pool);

    assert_fs_error(apply(out, bytes_of("ab", 2),
                          bytes_of(svndiff, sizeof(svndiff) - 1), 5, pool),
                    FS_ERR_INCOMPLETE_DATA);
}

static fs_error_t *refuse(void *baton, const char *data, apr_size_t len)
{
    (void)baton;
    (void)data;
    (void)len;
    return FS_ERROR(FS_ERR_IO, "full");
}

static void an_error_of_the_sink_comes_back(void **state)
{
    static const char svndiff[] = "SVN\0\0\0\1\1\1\x81x";
    apr_pool_t *pool = unit_pool(state);
    fs_svndiff_apply_t *apply =
        fs_svndiff_apply_create(NULL, refuse, NULL, pool);

    assert_fs_error(fs_svndiff_apply_write(apply, svndiff, sizeof(svndiff) - 1),
                    FS_ERR_IO);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_text_is_made_from_pieces_of_any_size),
    UNIT_TEST(small_windows_one_after_the_other_are_applied),
    UNIT_TEST(a_delta_without_windows_makes_the_empty_text),
    UNIT_TEST(windows_that_make_nothing_are_passed_over),
    UNIT_TEST(an_end_inside_is_told),
    UNIT_TEST(what_is_no_svndiff_is_refused),
    UNIT_TEST(views_do_not_slide_backwards),
    UNIT_TEST(a_source_that_is_too_short_is_told),
    UNIT_TEST(an_error_of_the_sink_comes_back),
};

UNIT_MAIN(tests)
