/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as svndiff: decode, apply to a fixed source, encode again. The
 * source is short, so that views beyond its end occur.
 */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/delta/compose.h"
#include "libfs/delta/svndiff_apply.h"
#include "libfs/fs_delta.h"

#define SOURCE_LEN 4096
#define TARGET_MAX (8 * FS_DELTA_WINDOW_MAX)

static char source[SOURCE_LEN];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    apr_size_t i;

    (void)argc;
    (void)argv;
    apr_initialize();
    for (i = 0; i < SOURCE_LEN; i++)
        source[i] = (char)(i * 31 >> 3);
    return 0;
}

static fs_delta_stream_t *decode(const uint8_t *data, size_t size,
                                 apr_pool_t *pool)
{
    return fs_svndiff_read(fs_stream_from_bytes((const char *)data, size, pool),
                           pool);
}

/* Read all or up to a limit into `out`; errors are what most inputs give. */
static bool drain(fs_buffer_t *out, fs_stream_t *stream)
{
    apr_size_t len;

    out->len = 0;
    do {
        char *room = fs_buffer_reserve(out, 10000);
        fs_error_t *err;

        len = 10000;
        err = fs_stream_read(stream, room, &len);
        if (err) {
            fs_error_clear(err);
            return false;
        }
        out->len += len;
    } while (len && out->len < TARGET_MAX);
    return true;
}

/* The limit is an error here. */
static fs_error_t *collect(void *baton, const char *data, apr_size_t len)
{
    fs_buffer_t *out = baton;

    if (out->len >= TARGET_MAX)
        return FS_ERROR(FS_ERR_TOO_LARGE, "enough");
    fs_buffer_append(out, data, len);
    return NULL;
}

/* The same in small pieces must make the same, or fail as well. */
static void apply_pieces(bool well, const fs_buffer_t *whole,
                         const uint8_t *data, size_t size, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(1000, pool);
    fs_svndiff_apply_t *apply = fs_svndiff_apply_create(
        fs_stream_from_bytes(source, SOURCE_LEN, pool), collect, out, pool);
    size_t step = 1 + size % 13;
    fs_error_t *err = NULL;
    size_t at;

    for (at = 0; at < size && !err; at += step)
        err = fs_svndiff_apply_write(apply, (const char *)data + at,
                                     size - at < step ? size - at : step);
    if (!err)
        err = fs_svndiff_apply_close(apply);
    if (whole->len < TARGET_MAX &&
        (well != !err || (well && (out->len != whole->len ||
                                   memcmp(out->data, whole->data, out->len)))))
        abort();
    fs_error_clear(err);
}

/* Each window composed with itself must do what applying it twice does. */
static void compose(fs_delta_stream_t *delta, apr_pool_t *pool)
{
    fs_delta_chain_buffers_t *buffers = fs_delta_chain_buffers_create(pool);
    char *twice = apr_palloc(pool, 2 * FS_DELTA_WINDOW_MAX);
    char *once = twice + FS_DELTA_WINDOW_MAX;
    const fs_delta_window_t *window = NULL;
    fs_error_t *err;
    int left = 8;

    while (!(err = fs_delta_next(&window, delta)) && window && left--) {
        const fs_delta_window_t *const stack[2] = { window, window };
        fs_delta_window_t out;

        err = fs_delta_compose(&out, window, window, buffers);
        if (!err && window->source_len <= SOURCE_LEN) {
            fs_delta_apply_window(&out, source, once);
            err = fs_delta_chain_apply(twice, stack, 2, source, SOURCE_LEN,
                                       buffers);
            if (!err && memcmp(once, twice, out.target_len) != 0)
                abort();
        }
        fs_error_clear(err);
    }
    fs_error_clear(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool;
    int version = size > 3 ? data[3] % 3 : 0;
    fs_buffer_t *out;
    bool well;

    apr_pool_create(&pool, NULL);
    out = fs_buffer_create(10000, pool);
    well = drain(out,
                 fs_delta_apply(decode(data, size, pool),
                                fs_stream_from_bytes(source, SOURCE_LEN, pool),
                                pool));
    apply_pieces(well, out, data, size, pool);
    (void)drain(out,
                fs_svndiff_write(decode(data, size, pool), version, 1, pool));
    compose(decode(data, size, pool), pool);
    apr_pool_destroy(pool);
    return 0;
}
