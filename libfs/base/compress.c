/* SPDX-License-Identifier: Apache-2.0 */
/* zlib data and LZ4 blocks in one call each, with the size known beforehand. */

#include "libfs/base/compress.h"

#include <limits.h>
#include <string.h>

#include <lz4.h>
#include <zlib.h>

/* Without configure, as lint sees it: as usual. */
#ifndef HAVE_LIBDEFLATE
#define HAVE_LIBDEFLATE 1
#endif
#if HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

static fs_error_t *malformed(const char *what)
{
    return FS_ERROR(FS_ERR_STREAM_MALFORMED, "zlib data %s", what);
}

#if HAVE_LIBDEFLATE

fs_error_t *fs_zlib_inflate_upto(char *out, apr_size_t *out_len, const char *in,
                                 apr_size_t len)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    enum libdeflate_result result;
    apr_size_t used = 0;

    if (!inflater)
        return FS_ERROR_APR(APR_ENOMEM, "inflating");
    result = libdeflate_zlib_decompress_ex(inflater, in, len, out, *out_len,
                                           &used, out_len);
    libdeflate_free_decompressor(inflater);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return malformed("is longer than stated");
    if (result != LIBDEFLATE_SUCCESS)
        return malformed("is damaged or cut off");
    return used == len ? NULL : malformed("is followed by other bytes");
}

#else

/* In one call, output room for all: zlib then needs no window of its own. */
static fs_error_t *inflate_whole(z_stream *z)
{
    int status = inflate(z, Z_FINISH);

    if (status == Z_MEM_ERROR)
        return FS_ERROR_APR(APR_ENOMEM, "inflating");
    if (status != Z_STREAM_END && z->avail_out == 0)
        return malformed("is longer than stated");
    if (status != Z_STREAM_END)
        return malformed(status == Z_BUF_ERROR ? "is cut off" : "is damaged");
    if (z->avail_in)
        return malformed("is followed by other bytes");
    return NULL;
}

fs_error_t *fs_zlib_inflate_upto(char *out, apr_size_t *out_len, const char *in,
                                 apr_size_t len)
{
    char none; /* zlib wants a place even for no output */
    z_stream z;
    fs_error_t *err;

    if (len > UINT_MAX || *out_len > UINT_MAX)
        return malformed("exceeds 4 GiB");
    memset(&z, 0, sizeof(z));
    if (inflateInit(&z) != Z_OK)
        return FS_ERROR_APR(APR_ENOMEM, "inflating");

    z.next_in = (Bytef *)(len ? in : "");
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)(*out_len ? out : &none);
    z.avail_out = (uInt)(*out_len ? *out_len : 1);
    err = inflate_whole(&z);
    inflateEnd(&z);
    if (!err && z.total_out > *out_len)
        return malformed("is longer than stated");
    if (!err)
        *out_len = z.total_out;
    return err;
}

#endif

fs_error_t *fs_zlib_inflate(char *out, apr_size_t out_len, const char *in,
                            apr_size_t len)
{
    apr_size_t done = out_len;

    FS_TRY(fs_zlib_inflate_upto(out, &done, in, len));
    return done == out_len ? NULL : malformed("is shorter than stated");
}

static fs_error_t *no_room(apr_size_t len, int level, apr_size_t room)
{
    return FS_ERROR(FS_ERR_GENERAL,
                    "deflating %" APR_SIZE_T_FMT " bytes at level %d into "
                    "%" APR_SIZE_T_FMT " failed",
                    len, level, room);
}

#if HAVE_LIBDEFLATE

apr_size_t fs_zlib_bound(apr_size_t len)
{
    return libdeflate_zlib_compress_bound(NULL, len);
}

fs_error_t *fs_zlib_deflate(char *out, apr_size_t *out_len, const char *in,
                            apr_size_t len, int level)
{
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(level);
    apr_size_t done;

    if (!deflater)
        return FS_ERROR_APR(APR_ENOMEM, "deflating");
    done = libdeflate_zlib_compress(deflater, in, len, out, *out_len);
    libdeflate_free_compressor(deflater);
    if (!done)
        return no_room(len, level, *out_len);
    *out_len = done;
    return NULL;
}

#else

apr_size_t fs_zlib_bound(apr_size_t len)
{
    return compressBound(len);
}

fs_error_t *fs_zlib_deflate(char *out, apr_size_t *out_len, const char *in,
                            apr_size_t len, int level)
{
    uLongf room = *out_len;
    int status = compress2((Bytef *)out, &room, (const Bytef *)in, len, level);

    if (status == Z_MEM_ERROR)
        return FS_ERROR_APR(APR_ENOMEM, "deflating");
    if (status != Z_OK)
        return no_room(len, level, *out_len);
    *out_len = room;
    return NULL;
}

#endif

fs_error_t *fs_lz4_expand_upto(char *out, apr_size_t *out_len, const char *in,
                               apr_size_t len)
{
    char none; /* LZ4 wants a place even for no output */
    int done;

    if (len > INT_MAX || *out_len > INT_MAX)
        return FS_ERROR(FS_ERR_LZ4, "LZ4 block exceeds 2 GiB");
    done = LZ4_decompress_safe(len ? in : "", *out_len ? out : &none, (int)len,
                               (int)*out_len);
    if (done < 0)
        return FS_ERROR(FS_ERR_LZ4,
                        "LZ4 block is damaged or longer than %" APR_SIZE_T_FMT
                        " bytes",
                        *out_len);
    *out_len = (apr_size_t)done;
    return NULL;
}

fs_error_t *fs_lz4_expand(char *out, apr_size_t out_len, const char *in,
                          apr_size_t len)
{
    apr_size_t done = out_len;

    FS_TRY(fs_lz4_expand_upto(out, &done, in, len));
    if (done != out_len)
        return FS_ERROR(FS_ERR_LZ4,
                        "LZ4 block has %" APR_SIZE_T_FMT
                        " bytes, %" APR_SIZE_T_FMT " were stated",
                        done, out_len);
    return NULL;
}

apr_size_t fs_lz4_bound(apr_size_t len)
{
    return len > LZ4_MAX_INPUT_SIZE ? 0
                                    : (apr_size_t)LZ4_compressBound((int)len);
}

fs_error_t *fs_lz4_compress(char *out, apr_size_t *out_len, const char *in,
                            apr_size_t len)
{
    int room = *out_len > INT_MAX ? INT_MAX : (int)*out_len;
    int done = 0;

    if (len <= LZ4_MAX_INPUT_SIZE)
        done = LZ4_compress_default(in, out, (int)len, room);
    if (done <= 0)
        return FS_ERROR(FS_ERR_LZ4,
                        "LZ4 cannot compress %" APR_SIZE_T_FMT
                        " bytes into %" APR_SIZE_T_FMT,
                        len, *out_len);
    *out_len = (apr_size_t)done;
    return NULL;
}
