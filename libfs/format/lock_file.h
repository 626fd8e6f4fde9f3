/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path locks: for a path with MD5 d (lower case hex) the file
 * db/locks/<first 3 digits of d>/<d>, a hash dump with
 *
 *     path, token, owner, is_dav_comment ("0", "1"), creation_date    always
 *     comment, expiration_date                                     if given
 *
 * if the path is locked, and if paths below it are, `children`: the digests of
 * all of them at any depth, each followed by a newline. All formats.
 * Source: docs/format/locks.md.
 */

#ifndef LIBFS_FORMAT_LOCK_FILE_H
#define LIBFS_FORMAT_LOCK_FILE_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Length of a digest as text. */
#define FS_LOCK_DIGEST_LEN 32

typedef struct fs_lock_file_t {
    const char *path; /* NULL: the path itself is not locked */
    const char *token;
    const char *owner;
    const char *comment; /* NULL: none was given */
    bool is_dav_comment;
    apr_time_t creation;
    apr_time_t expiration; /* 0: never */
    fs_bytes_t children;   /* digests, 33 bytes each with their newlines */
} fs_lock_file_t;

/**
 * Parse a digest file. All of `*out` lives in `result`.
 * Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_lock_file_parse(fs_lock_file_t *out, const char *data,
                               apr_size_t len,
                               apr_pool_t *result) FS_MUST_CHECK;

/** Number of digests in `lock->children`. */
apr_size_t fs_lock_file_child_count(const fs_lock_file_t *lock);

/** Digest number `index`: FS_LOCK_DIGEST_LEN digits, no NUL behind them. */
const char *fs_lock_file_child(const fs_lock_file_t *lock, apr_size_t index);

/** Append the digest file of `lock`. */
void fs_lock_file_format(fs_buffer_t *out, const fs_lock_file_t *lock);

/** Digest of `path`, as file name; with a final NUL. */
void fs_lock_file_digest(char out[FS_LOCK_DIGEST_LEN + 1], const char *path);

#endif
