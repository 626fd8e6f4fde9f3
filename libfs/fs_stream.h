/* SPDX-License-Identifier: Apache-2.0 */
/* A source of bytes that is read once, from front to back. */

#ifndef LIBFS_FS_STREAM_H
#define LIBFS_FS_STREAM_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef struct fs_stream_t fs_stream_t;

/** What a kind of stream does; `baton` is what fs_stream_create() was given. */
typedef struct fs_stream_ops_t {
    /**
     * Fill `buf` with up to `*len` bytes; sets `*len` to what was read. Fewer
     * than asked for is allowed; 0 means the end and nothing else.
     */
    fs_error_t *(*read)(void *baton, char *buf, apr_size_t *len);
    /**
     * Pass over up to `*len` bytes and set `*len` to what was passed over, or
     * NULL: then the bytes are read and dropped.
     */
    fs_error_t *(*skip)(void *baton, apr_uint64_t *len);
    /** Release what pools do not; may be NULL. Called once. */
    fs_error_t *(*close)(void *baton);
} fs_stream_ops_t;

/**
 * Make a stream that calls `ops` with `baton`; lives in `result`. It is closed
 * by fs_stream_close() or, errors dropped, when `result` is cleared.
 * Threads: a stream belongs to one thread.
 */
fs_stream_t *fs_stream_create(const fs_stream_ops_t *ops, void *baton,
                              apr_pool_t *result);

/** A stream over `len` bytes at `data`, which must stay; lives in `result`. */
fs_stream_t *fs_stream_from_bytes(const char *data, apr_size_t len,
                                  apr_pool_t *result);

/** The stream that is at its end at once; lives in `result`. */
fs_stream_t *fs_stream_empty(apr_pool_t *result);

/** Read up to `*len` bytes into `buf`; `*len` == 0 on return is the end. */
fs_error_t *fs_stream_read(fs_stream_t *stream, char *buf,
                           apr_size_t *len) FS_MUST_CHECK;

/** As fs_stream_read(), and reads on until `buf` is full or the end comes. */
fs_error_t *fs_stream_read_full(fs_stream_t *stream, char *buf,
                                apr_size_t *len) FS_MUST_CHECK;

/** Pass over `len` bytes or up to the end; `*skipped` tells how many. */
fs_error_t *fs_stream_skip(fs_stream_t *stream, apr_uint64_t len,
                           apr_uint64_t *skipped) FS_MUST_CHECK;

/**
 * Read all that is left into one block in `result`.
 * Errors: FS_ERR_GENERAL, there are more than `limit` bytes.
 */
fs_error_t *fs_stream_slurp(fs_bytes_t *out, fs_stream_t *stream,
                            apr_size_t limit, apr_pool_t *result) FS_MUST_CHECK;

/** Close; the stream must not be used again. Closing twice does nothing. */
fs_error_t *fs_stream_close(fs_stream_t *stream) FS_MUST_CHECK;

#endif
