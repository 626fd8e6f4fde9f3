/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of strings to bytes, as directories, property lists and locks are
 * stored:
 *
 *     "K " <length> "\n" <key> "\n" "V " <length> "\n" <value> "\n"
 *     ... for each key, in any order, then "END\n"
 *
 * The incremental form (directories of transactions) goes on after "END\n"
 * with more "K" and "V" pairs, which set or overwrite, and deletions
 * "D " <length> "\n" <key> "\n", up to the end of the bytes.
 * Source: docs/format/revision-file.md, "Hash dumps".
 */

#ifndef LIBFS_FORMAT_HASH_DUMP_H
#define LIBFS_FORMAT_HASH_DUMP_H

#include <apr_hash.h>
#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/base/cursor.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** One pair; both point into the bytes parsed. */
typedef struct fs_hash_dump_pair_t {
    fs_bytes_t key;
    fs_bytes_t value; /* data is NULL: the key is deleted (incremental) */
} fs_hash_dump_pair_t;

/** Position in a dump. */
typedef struct fs_hash_dump_iter_t {
    fs_cursor_t cursor; /* behind "END\n" when all was read */
    bool incremental;
    bool after_end; /* "END\n" was passed (incremental form) */
} fs_hash_dump_iter_t;

/** Begin to read the `len` bytes at `data`. */
fs_hash_dump_iter_t fs_hash_dump_begin(const char *data, apr_size_t len,
                                       bool incremental);

/**
 * Next pair in the order written; `*more` is false behind the last one, then
 * `*pair` is not set. Allocates nothing.
 * Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_hash_dump_next(fs_hash_dump_pair_t *pair, bool *more,
                              fs_hash_dump_iter_t *iter) FS_MUST_CHECK;

/**
 * Read a dump into a new hash of `const char *` to `fs_bytes_t *`. All of it
 * lives in `result`, copied; each value has a NUL behind it. Bytes behind
 * "END\n" are ignored (`incremental`: applied).
 * Errors: FS_ERR_CORRUPT; also for a NUL byte in a key.
 */
fs_error_t *fs_hash_dump_parse(apr_hash_t **out, const char *data,
                               apr_size_t len, bool incremental,
                               apr_pool_t *result) FS_MUST_CHECK;

/** Append one "K" and "V" pair. */
void fs_hash_dump_format_pair(fs_buffer_t *out, const char *key,
                              apr_size_t key_len, const char *value,
                              apr_size_t value_len);

/** Append a deletion (incremental form). */
void fs_hash_dump_format_delete(fs_buffer_t *out, const char *key,
                                apr_size_t key_len);

/**
 * Append all of `hash` (`const char *` to `fs_bytes_t *`; NULL is the empty
 * map), keys in ascending byte order, with "END\n".
 */
void fs_hash_dump_format(fs_buffer_t *out, apr_hash_t *hash,
                         apr_pool_t *scratch);

#endif
