/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: MD5 and SHA-1 (libcrypto, APR as fallback), FNV-1a of the index. */

#ifndef LIBFS_BASE_CHECKSUM_H
#define LIBFS_BASE_CHECKSUM_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef enum fs_digest_kind_t {
    FS_DIGEST_MD5,
    FS_DIGEST_SHA1
} fs_digest_kind_t;

/** A running digest. */
typedef struct fs_digest_t fs_digest_t;

/** Begin a digest; lives in `result` and is released with it. */
fs_digest_t *fs_digest_create(fs_digest_kind_t kind, apr_pool_t *result);
void fs_digest_update(fs_digest_t *digest, const void *data, apr_size_t len);
/** Finish: writes 16 or 20 bytes to `out`; the digest cannot be used again. */
void fs_digest_finish(fs_digest_t *digest, unsigned char *out);

/** Digest of one block. */
void fs_digest_md5(unsigned char out[FS_MD5_SIZE], const void *data,
                   apr_size_t len);
void fs_digest_sha1(unsigned char out[FS_SHA1_SIZE], const void *data,
                    apr_size_t len);

/** Parse `len` lower or upper case hex digits into `len` / 2 bytes. */
bool fs_hex_parse(unsigned char *out, const char *hex, apr_size_t len);

/** `len` bytes as lower case hex, NUL-terminated, in `result`. */
const char *fs_hex_format(const unsigned char *bytes, apr_size_t len,
                          apr_pool_t *result);

/** Write `len` bytes as `2 * len` lower case hex digits, without a NUL. */
void fs_hex_write(char *out, const unsigned char *bytes, apr_size_t len);

/**
 * The item checksum of logically addressed files: FNV-1a over four
 * interleaved lanes, folded. Source: docs/format/index.md.
 */
apr_uint32_t fs_fnv1a_x4(const void *data, apr_size_t len);

/** The same over bytes that come in pieces. */
typedef struct fs_fnv_t {
    apr_uint32_t lanes[4];
    unsigned char tail[4]; /* bytes that do not fill all lanes yet */
    unsigned int tail_len;
} fs_fnv_t;
void fs_fnv_init(fs_fnv_t *fnv);
void fs_fnv_update(fs_fnv_t *fnv, const void *data, apr_size_t len);
apr_uint32_t fs_fnv_finish(const fs_fnv_t *fnv);

#endif
