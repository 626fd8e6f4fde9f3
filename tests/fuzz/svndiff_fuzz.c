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

#include "libfs/delta/compose.h"
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

/* Read all or up to a limit; errors are what most inputs give. */
static void drain(fs_stream_t *stream, apr_pool_t *pool)
{
    char *buf = apr_palloc(pool, 10000);
    apr_size_t total = 0, len;

    do {
        fs_error_t *err;

        len = 10000;
        err = fs_stream_read(stream, buf, &len);
        if (err) {
            fs_error_clear(err);
            return;
        }
        total += len;
    } while (len && total < TARGET_MAX);
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

    apr_pool_create(&pool, NULL);
    drain(fs_delta_apply(decode(data, size, pool),
                         fs_stream_from_bytes(source, SOURCE_LEN, pool), pool),
          pool);
    drain(fs_svndiff_write(decode(data, size, pool), version, 1, pool), pool);
    compose(decode(data, size, pool), pool);
    apr_pool_destroy(pool);
    return 0;
}
