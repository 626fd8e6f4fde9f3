/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/delta/svndiff_read.h and the reader of libfs/fs_delta.h. */

#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/base/checksum.h"
#include "libfs/delta/svndiff_read.h"
#include "tests/support/repo.h"

#define SVNDIFF0 "SVN\0"

/* --- The table of vectors --- */

static fs_bytes_t read_data(const char *name, apr_pool_t *pool)
{
    const char *path = fs_test_source(
        apr_pstrcat(pool, "tests/data/svndiff/", name, NULL), pool);
    fs_bytes_t bytes;
    apr_finfo_t info;
    apr_file_t *file;
    char *data;

    assert_apr_ok(apr_file_open(&file, path, APR_READ, APR_OS_DEFAULT, pool));
    assert_apr_ok(apr_file_info_get(&info, APR_FINFO_SIZE, file));
    bytes.len = (apr_size_t)info.size;
    data = apr_pcalloc(pool, bytes.len + 1);
    assert_apr_ok(apr_file_read_full(file, data, bytes.len, NULL));
    assert_apr_ok(apr_file_close(file));
    bytes.data = data;
    return bytes;
}

/* The vector without room behind it, so that sanitizers see a read too far. */
static fs_bytes_t read_exact(const char *name, apr_pool_t *pool)
{
    fs_bytes_t bytes =
        read_data(apr_pstrcat(pool, name, ".svndiff", NULL), pool);

    bytes.data = apr_pmemdup(pool, bytes.data, bytes.len ? bytes.len : 1);
    return bytes;
}

static fs_bytes_t read_source(const char *name, apr_pool_t *pool)
{
    fs_bytes_t none = { "", 0 };

    return strcmp(name, "empty") == 0 ? none : read_data(name, pool);
}

/* The window as the table writes it. */
static void describe_window(fs_buffer_t *out, const fs_delta_window_t *window)
{
    apr_uint32_t i, sources = 0;

    for (i = 0; i < window->op_count; i++)
        sources += window->ops[i].action == FS_DELTA_SOURCE;
    fs_buffer_printf(out,
                     "window sview_off=%" APR_UINT64_T_FMT
                     " sview_len=%u tview_len=%u ops=%u src_ops=%u "
                     "newdata=%u :",
                     window->source_offset, window->source_len,
                     window->target_len, window->op_count, sources,
                     window->new_len);
    for (i = 0; i < window->op_count; i++)
        fs_buffer_printf(out, " %c(%u,%u)", "STN"[window->ops[i].action],
                         window -> ops[i].offset, window->ops[i].length);
    fs_buffer_puts(out, " | ");
}

static void describe_result(fs_buffer_t *out, fs_bytes_t text, apr_pool_t *pool)
{
    unsigned char md5[FS_MD5_SIZE];

    fs_buffer_printf(out, "result %d bytes:", (int)text.len);
    if (text.len == 0)
        return;
    fs_buffer_puts(out, " ");
    if (text.len < 200) {
        fs_buffer_append(out, text.data, text.len);
        return;
    }
    fs_digest_md5(md5, text.data, text.len);
    fs_buffer_printf(out, "md5 %s", fs_hex_format(md5, sizeof(md5), pool));
}

/* Error number, or 0. What was decoded before it is in `out`. */
static int describe(fs_buffer_t *out, fs_bytes_t svndiff, fs_bytes_t source,
                    apr_pool_t *pool)
{
    fs_delta_stream_t *delta = fs_svndiff_read(
        fs_stream_from_bytes(svndiff.data, svndiff.len, pool), pool);
    const fs_delta_window_t *window;
    fs_stream_t *target;
    fs_bytes_t text;
    fs_error_t *err;
    int code;

    do {
        err = fs_delta_next(&window, delta);
        if (!err && window)
            describe_window(out, window);
    } while (!err && window);
    if (!err) {
        delta = fs_svndiff_read(
            fs_stream_from_bytes(svndiff.data, svndiff.len, pool), pool);
        target = fs_delta_apply(
            delta, fs_stream_from_bytes(source.data, source.len, pool), pool);
        err = fs_stream_slurp(&text, target, 1 << 20, pool);
    }
    if (!err) {
        describe_result(out, text, pool);
        return 0;
    }
    code = (int)err->code;
    fs_error_clear(err);
    return code;
}

/* One line: name, source, then windows and result or error. */
static void check_vector(char *line, apr_pool_t *pool)
{
    char *last, *name = apr_strtok(line, "\t", &last);
    char *source = apr_strtok(NULL, "\t", &last);
    char *expected = apr_strtok(NULL, "\t", &last);
    char *error = strstr(expected, "error E");
    fs_buffer_t *out = fs_buffer_create(0, pool);
    int code = error ? atoi(error + 7) : 0;
    int got;

    if (error)
        *error = '\0';
    got =
        describe(out, read_exact(name, pool), read_source(source, pool), pool);
    fs_buffer_append(out, "", 1);
    if (got != code || strcmp(out->data, expected) != 0)
        fail_msg("%s: error %d, expected %d\n%s\n%s", name, got, code,
                 out->data, expected);
}

static void every_vector_decodes_as_stock_says(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_pool_t *iter;
    char *table = apr_pstrdup(pool, read_data("expected.tsv", pool).data);
    char *last, *line;
    int count = 0;

    apr_pool_create(&iter, pool);
    for (line = apr_strtok(table, "\n", &last); line;
         line = apr_strtok(NULL, "\n", &last)) {
        apr_pool_clear(iter);
        if (*line == '#')
            continue;
        check_vector(line, iter);
        count++;
    }
    assert_int_equal(count, 81);
}

/* --- Streams in pieces --- */

typedef struct dripping_t {
    fs_bytes_t bytes;
    apr_size_t pos;
    bool closed;
} dripping_t;

static fs_error_t *drip_read(void *baton, char *buf, apr_size_t *len)
{
    dripping_t *d = baton;

    if (*len > 1)
        *len = 1;
    if (d->pos == d->bytes.len)
        *len = 0;
    if (*len)
        *buf = d->bytes.data[d->pos++];
    return NULL;
}

static fs_error_t *drip_close(void *baton)
{
    ((dripping_t *)baton)->closed = true;
    return NULL;
}

static const fs_stream_ops_t drip_ops = { drip_read, NULL, drip_close };

static void bytes_may_come_one_at_a_time(void **state)
{
    static const char *const names[] = { "v0-two-windows", "v1-compressed-new",
                                         "v2-compressed-new", "v0-window-max" };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
        fs_bytes_t bytes = read_exact(names[i], pool), whole, text;
        dripping_t drip = { bytes, 0, false };
        fs_bytes_t source = read_source("common.src", pool);
        fs_stream_t *in = fs_stream_create(&drip_ops, &drip, pool);

        assert_fs_ok(fs_stream_slurp(
            &text,
            fs_delta_apply(fs_svndiff_read(in, pool),
                           fs_stream_from_bytes(source.data, source.len, pool),
                           pool),
            1 << 20, pool));
        assert_true(drip.closed);
        in = fs_stream_from_bytes(bytes.data, bytes.len, pool);
        assert_fs_ok(fs_stream_slurp(
            &whole,
            fs_delta_apply(fs_svndiff_read(in, pool),
                           fs_stream_from_bytes(source.data, source.len, pool),
                           pool),
            1 << 20, pool));
        assert_bytes_equal(text.data, text.len, whole.data, whole.len);
    }
}

static void a_window_is_given_without_waiting_for_bytes_behind_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t bytes = read_exact("v0-two-windows", pool);
    dripping_t *drip = apr_pcalloc(pool, sizeof(*drip));
    fs_delta_stream_t *delta =
        fs_svndiff_read(fs_stream_create(&drip_ops, drip, pool), pool);
    const fs_delta_window_t *window;

    drip->bytes = bytes;
    assert_fs_ok(fs_delta_next(&window, delta));
    assert_int_equal(window->target_len, 10);
    /* header 4, head 5, one instruction of 2 bytes */
    assert_int_equal(drip->pos, 11);
}

static int read_all(fs_bytes_t bytes, apr_pool_t *pool)
{
    fs_delta_stream_t *delta = fs_svndiff_read(
        fs_stream_from_bytes(bytes.data, bytes.len, pool), pool);
    const fs_delta_window_t *window;
    fs_error_t *err;
    int code;

    do {
        err = fs_delta_next(&window, delta);
    } while (!err && window);
    if (!err)
        return 0;
    code = (int)err->code;
    fs_error_clear(err);
    return code;
}

static void a_stream_cut_anywhere_ends_early(void **state)
{
    static const char *const names[] = { "v0-mixed", "v1-compressed-new",
                                         "v2-compressed-new",
                                         "stock-v2-level5" };
    apr_pool_t *pool = unit_pool(state);
    apr_pool_t *iter;
    apr_size_t i, cut;

    apr_pool_create(&iter, pool);
    for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
        fs_bytes_t bytes = read_exact(names[i], pool);

        for (cut = 0; cut < bytes.len; cut++) {
            fs_bytes_t part;

            apr_pool_clear(iter);
            part.data = apr_pmemdup(iter, bytes.data, cut ? cut : 1);
            part.len = cut;
            assert_int_equal(read_all(part, iter),
                             cut == 4 ? 0 : FS_ERR_SVNDIFF_END);
        }
        assert_int_equal(read_all(bytes, pool), 0);
    }
}

static void after_the_end_there_is_no_window_for_ever(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_stream_t *delta =
        fs_svndiff_read(fs_stream_from_bytes(SVNDIFF0, 4, pool), pool);
    const fs_delta_window_t *window;
    int i;

    for (i = 0; i < 3; i++) {
        assert_fs_ok(fs_delta_next(&window, delta));
        assert_null(window);
    }
}

/* --- Single windows --- */

static fs_error_t *parse(fs_delta_window_t *window, const char *data,
                         apr_size_t len, int version, apr_pool_t *pool)
{
    apr_size_t used;

    return fs_svndiff_window_parse(window, &used, version,
                                   apr_pmemdup(pool, data, len), len, pool);
}

#define PARSE(window, version, bytes, pool)                                    \
    parse((window), (bytes), sizeof(bytes) - 1, (version), (pool))

static void one_window_tells_its_length(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_window_t window;
    apr_size_t used = 0;
    static const char two[] = "\x00\x0c\x11\x04\x06\x03\x0c\x00\x85\x05more\n"
                              "\x00\x00\x00\x00\x00";

    assert_fs_ok(
        fs_svndiff_window_parse(&window, &used, 2, two, sizeof(two) - 1, pool));
    assert_int_equal(used, 15);
    assert_int_equal(window.source_len, 12);
    assert_int_equal(window.target_len, 17);
    assert_int_equal(window.op_count, 2);
    assert_int_equal(window.ops[0].action, FS_DELTA_SOURCE);
    assert_int_equal(window.ops[0].length, 12);
    assert_int_equal(window.ops[1].action, FS_DELTA_NEW);
    assert_int_equal(window.ops[1].offset, 0);
    assert_int_equal(window.ops[1].length, 5);
    assert_bytes_equal(window.new_data, window.new_len, "more\n", 5);
}

static void a_parsed_window_does_not_refer_to_its_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_window_t window;
    apr_size_t used;
    char data[] = "\x00\x00\x05\x01\x05\x85hello";

    assert_fs_ok(fs_svndiff_window_parse(&window, &used, 0, data,
                                         sizeof(data) - 1, pool));
    memset(data, 0, sizeof(data));
    assert_bytes_equal(window.new_data, window.new_len, "hello", 5);
}

static void heads_are_checked_at_the_limits(void **state)
{
    fs_svndiff_head_t head;

    (void)state;
    /* 102400 is 86 a0 00, 102401 is 86 a0 01 */
    assert_fs_ok(fs_svndiff_head_parse(&head, "\0\x86\xa0\0\x86\xa0\0\0\0", 9));
    assert_int_equal(head.source_len, 102400);
    assert_int_equal(head.target_len, 102400);
    assert_int_equal(head.head_len, 9);
    assert_fs_error_says(fs_svndiff_head_parse(&head, "\0\x86\xa0\1\0\0\0", 7),
                         FS_ERR_SVNDIFF_WINDOW, "the limit is 102400");
    assert_fs_error(fs_svndiff_head_parse(&head, "\0\0\x86\xa0\1\0\0", 7),
                    FS_ERR_SVNDIFF_WINDOW);
    /* instructions: 2150400 is 81 83 a0 00; new data: 102410 is 86 a0 0a */
    assert_fs_ok(
        fs_svndiff_head_parse(&head, "\0\0\0\x81\x83\xa0\0\x86\xa0\x0a", 10));
    assert_int_equal(fs_svndiff_body_len(&head), 2150400 + 102410);
    assert_fs_error(fs_svndiff_head_parse(&head, "\0\0\0\x81\x83\xa0\1\0", 8),
                    FS_ERR_SVNDIFF_WINDOW);
    assert_fs_error(fs_svndiff_head_parse(&head, "\0\0\0\0\x86\xa0\x0b", 7),
                    FS_ERR_SVNDIFF_WINDOW);
}

static void source_views_end_below_2_to_63(void **state)
{
    fs_svndiff_head_t head;

    (void)state;
    /* 2^63 - 2, one byte long: ends at 2^63 - 1 */
    assert_fs_ok(fs_svndiff_head_parse(
        &head, "\xff\xff\xff\xff\xff\xff\xff\xff\x7e\1\0\0\0", 13));
    assert_true(head.source_offset == 0x7ffffffffffffffeULL);
    assert_fs_error(
        fs_svndiff_head_parse(
            &head, "\xff\xff\xff\xff\xff\xff\xff\xff\x7e\2\0\0\0", 13),
        FS_ERR_SVNDIFF_WINDOW);
    /* 2^64 - 1 and 2^64 */
    assert_fs_error(
        fs_svndiff_head_parse(
            &head, "\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0", 14),
        FS_ERR_SVNDIFF_WINDOW);
    assert_fs_error(
        fs_svndiff_head_parse(
            &head, "\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00\0\0\0\0", 14),
        FS_ERR_SVNDIFF_WINDOW);
    /* eleven bytes, though the value is 0 */
    assert_fs_error(
        fs_svndiff_head_parse(
            &head, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\0\0\0\0", 15),
        FS_ERR_SVNDIFF_WINDOW);
}

static void a_cut_head_is_an_early_end(void **state)
{
    fs_svndiff_head_t head;

    (void)state;
    assert_fs_error(fs_svndiff_head_parse(&head, "\0\0\0\0\x86", 5),
                    FS_ERR_SVNDIFF_END);
    assert_fs_error(fs_svndiff_head_parse(&head, "", 0), FS_ERR_SVNDIFF_END);
}

static void source_views_may_slide_and_empty_ones_lie_nowhere(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    /* views 10+9, nothing at 0, 10+9 again */
    static const char good[] = SVNDIFF0 "\x0a\x09\x01\x02\0\x01\0"
                                        "\0\0\x01\x01\x01\x81x"
                                        "\x0a\x09\x01\x02\0\x01\0";
    /* 10+9, then 11+7 which ends before */
    static const char bad[] = SVNDIFF0 "\x0a\x09\x01\x02\0\x01\0"
                                       "\x0b\x07\x01\x02\0\x01\0";
    fs_bytes_t bytes = { good, sizeof(good) - 1 };

    assert_int_equal(read_all(bytes, pool), 0);
    bytes.data = bad;
    bytes.len = sizeof(bad) - 1;
    assert_int_equal(read_all(bytes, pool), FS_ERR_SVNDIFF_BACKWARD);
}

static void lengths_and_offsets_of_instructions_do_not_overflow(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_window_t window;

    /* length 2^32 + 5 */
    assert_fs_error(
        PARSE(&window, 0, "\0\0\5\6\5\x80\x90\x80\x80\x80\x05hello", pool),
        FS_ERR_SVNDIFF_OPS);
    /* source copy at 2^32 - 1, one byte */
    assert_fs_error(
        PARSE(&window, 0, "\0\5\1\6\0\x01\x8f\xff\xff\xff\x7f", pool),
        FS_ERR_SVNDIFF_OPS);
    /* the instruction ends inside its offset */
    assert_fs_error(PARSE(&window, 0, "\0\5\1\2\0\x01\x80", pool),
                    FS_ERR_SVNDIFF_OPS);
    /* no offset at all */
    assert_fs_error(PARSE(&window, 0, "\0\5\1\1\0\x01", pool),
                    FS_ERR_SVNDIFF_OPS);
}

static void copies_may_end_at_the_end_of_the_view(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_window_t window;

    assert_fs_ok(PARSE(&window, 0, "\0\5\2\2\0\x02\x03", pool));
    assert_fs_error(PARSE(&window, 0, "\0\5\2\2\0\x02\x04", pool),
                    FS_ERR_SVNDIFF_OPS);
    assert_fs_error(PARSE(&window, 0, "\0\5\2\2\0\x02\x06", pool),
                    FS_ERR_SVNDIFF_OPS);
}

static void sections_without_or_with_a_large_length_are_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_window_t window;

    /* both sections empty, not even a length */
    assert_fs_error(PARSE(&window, 1, "\0\0\0\0\0", pool),
                    FS_ERR_SVNDIFF_COMPRESSED);
    /* a length without an end */
    assert_fs_error(PARSE(&window, 1, "\0\0\0\1\1\x80\0", pool),
                    FS_ERR_SVNDIFF_COMPRESSED);
    /* new data states 102401 bytes */
    assert_fs_error_says(PARSE(&window, 2, "\0\0\0\1\4\0\x86\xa0\1x", pool),
                         FS_ERR_SVNDIFF_COMPRESSED, "the limit is 102400");
}

static void buffers_serve_window_after_window(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_svndiff_buffers_t *buffers = fs_svndiff_buffers_create(pool);
    fs_bytes_t large = read_exact("v2-compressed-new", pool);
    static const char small[] = "\0\0\5\2\6\1\x85\5hello";
    fs_svndiff_head_t head;
    fs_delta_window_t window;
    int i;

    for (i = 0; i < 3; i++) {
        assert_fs_ok(
            fs_svndiff_head_parse(&head, large.data + 4, large.len - 4));
        assert_fs_ok(fs_svndiff_body_parse(
            &window, &head, 2, large.data + 4 + head.head_len, buffers));
        assert_int_equal(window.new_len, 600);
        assert_int_equal(window.new_data[599], 'z');
        assert_fs_ok(fs_svndiff_head_parse(&head, small, sizeof(small) - 1));
        assert_fs_ok(fs_svndiff_body_parse(&window, &head, 2,
                                           small + head.head_len, buffers));
        /* stored new data is not copied */
        assert_ptr_equal(window.new_data, small + 8);
    }
}

static void headers_are_checked(void **state)
{
    int version = -1;

    (void)state;
    assert_fs_ok(fs_svndiff_magic_parse(&version, "SVN\2rest", 8));
    assert_int_equal(version, 2);
    assert_fs_error(fs_svndiff_magic_parse(&version, "SVN", 3),
                    FS_ERR_SVNDIFF_END);
    assert_fs_error(fs_svndiff_magic_parse(&version, "svn\0", 4),
                    FS_ERR_SVNDIFF_HEADER);
    assert_fs_error_says(fs_svndiff_magic_parse(&version, "SVN\xff", 4),
                         FS_ERR_SVNDIFF_HEADER, "version 255");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(every_vector_decodes_as_stock_says),
    UNIT_TEST(bytes_may_come_one_at_a_time),
    UNIT_TEST(a_window_is_given_without_waiting_for_bytes_behind_it),
    UNIT_TEST(a_stream_cut_anywhere_ends_early),
    UNIT_TEST(after_the_end_there_is_no_window_for_ever),
    UNIT_TEST(one_window_tells_its_length),
    UNIT_TEST(a_parsed_window_does_not_refer_to_its_bytes),
    UNIT_TEST(heads_are_checked_at_the_limits),
    UNIT_TEST(source_views_end_below_2_to_63),
    UNIT_TEST(a_cut_head_is_an_early_end),
    UNIT_TEST(source_views_may_slide_and_empty_ones_lie_nowhere),
    UNIT_TEST(lengths_and_offsets_of_instructions_do_not_overflow),
    UNIT_TEST(copies_may_end_at_the_end_of_the_view),
    UNIT_TEST(sections_without_or_with_a_large_length_are_refused),
    UNIT_TEST(buffers_serve_window_after_window),
    UNIT_TEST(headers_are_checked),
};

UNIT_MAIN(tests)
