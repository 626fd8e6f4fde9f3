/* SPDX-License-Identifier: Apache-2.0 */
/* zlib streams and LZ4 blocks; the first two bytes are the size stated. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/base/compress.h"

FUZZ_WITH_APR

static void expand(const char *data, apr_size_t len, apr_size_t size,
                   apr_pool_t *pool)
{
    char *out = apr_palloc(pool, size + 1);
    apr_size_t room = size;

    fs_error_clear(fs_zlib_inflate(out, size, data, len));
    fs_error_clear(fs_lz4_expand(out, size, data, len));
    fs_error_clear(fs_zlib_inflate_upto(out, &room, data, len));
    if (room > size)
        abort();
    room = size;
    fs_error_clear(fs_lz4_expand_upto(out, &room, data, len));
    if (room > size)
        abort();
}

static void there_and_back(const char *data, apr_size_t len, apr_pool_t *pool)
{
    apr_size_t deflated = fs_zlib_bound(len), packed = fs_lz4_bound(len);
    char *small = apr_palloc(pool, deflated > packed ? deflated : packed);
    char *back = apr_palloc(pool, len + 1);

    if (fs_zlib_deflate(small, &deflated, data, len, 1) ||
        fs_zlib_inflate(back, len, small, deflated) ||
        memcmp(back, data, len) != 0)
        abort();
    if (fs_lz4_compress(small, &packed, data, len) ||
        fs_lz4_expand(back, len, small, packed) || memcmp(back, data, len) != 0)
        abort();
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    if (len < 2)
        return;
    expand(data + 2, len - 2,
           (unsigned char)data[0] * 256U + (unsigned char)data[1], pool);
    there_and_back(data, len, pool);
}

FUZZ_EACH(try_input)
