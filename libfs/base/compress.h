/* SPDX-License-Identifier: Apache-2.0 */
/* zlib streams and LZ4 blocks of a stated size. */

#ifndef LIBFS_BASE_COMPRESS_H
#define LIBFS_BASE_COMPRESS_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Inflate `len` bytes at `in` to exactly `out_len` bytes at `out`.
 *  Errors: FS_ERR_STREAM_MALFORMED, not a zlib stream of that size. */
fs_error_t *fs_zlib_inflate(char *out, apr_size_t out_len, const char *in,
                            apr_size_t len) FS_MUST_CHECK;

/** The same where the size is not trusted: `*out_len` is the room, then what
 *  came out. Errors: FS_ERR_STREAM_MALFORMED, no zlib stream, or too long. */
fs_error_t *fs_zlib_inflate_upto(char *out, apr_size_t *out_len, const char *in,
                                 apr_size_t len) FS_MUST_CHECK;

/** Most bytes that fs_zlib_deflate() may write for `len` bytes. */
apr_size_t fs_zlib_bound(apr_size_t len);

/** Deflate at `level` (0-9); `*out_len` is the room, then the size written. */
fs_error_t *fs_zlib_deflate(char *out, apr_size_t *out_len, const char *in,
                            apr_size_t len, int level) FS_MUST_CHECK;

/** Expand an LZ4 block to exactly `out_len` bytes. Errors: FS_ERR_LZ4. */
fs_error_t *fs_lz4_expand(char *out, apr_size_t out_len, const char *in,
                          apr_size_t len) FS_MUST_CHECK;

/** The same where the size is not trusted: `*out_len` is the room, then what
 *  came out. Errors: FS_ERR_LZ4, no LZ4 block, or too long. */
fs_error_t *fs_lz4_expand_upto(char *out, apr_size_t *out_len, const char *in,
                               apr_size_t len) FS_MUST_CHECK;

/** Most bytes that fs_lz4_compress() may write for `len` bytes. */
apr_size_t fs_lz4_bound(apr_size_t len);

/** Compress; `*out_len` is the room, then the size written. */
fs_error_t *fs_lz4_compress(char *out, apr_size_t *out_len, const char *in,
                            apr_size_t len) FS_MUST_CHECK;

#endif
