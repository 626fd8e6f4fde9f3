/* SPDX-License-Identifier: Apache-2.0 */
/* A block of bytes that grows at its end. */

#ifndef LIBFS_BASE_BUFFER_H
#define LIBFS_BASE_BUFFER_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/**
 * A growing block. Its room doubles, so that the pool holds less than twice
 * what was the most; use one buffer again rather than many.
 */
typedef struct fs_buffer_t {
    char *data;      /* `len` bytes; moves when the buffer grows */
    apr_size_t len;  /* bytes in use */
    apr_size_t room; /* bytes allocated */
    apr_pool_t *pool;
} fs_buffer_t;

/** Make an empty buffer with room for `room` bytes; lives in `result`. */
fs_buffer_t *fs_buffer_create(apr_size_t room, apr_pool_t *result);

/** Make room for `more` bytes behind the used ones; returns where they go. */
char *fs_buffer_reserve(fs_buffer_t *buffer, apr_size_t more);

/** Append `len` bytes; `data` must not lie in the buffer. */
void fs_buffer_append(fs_buffer_t *buffer, const void *data, apr_size_t len);

/** Append a NUL-terminated string, without the NUL. */
void fs_buffer_puts(fs_buffer_t *buffer, const char *text);

/** Append a number as fs_cursor_varint() reads it: 7 bits a byte, the lowest
 *  first. */
void fs_buffer_varint(fs_buffer_t *buffer, apr_uint64_t number);

/** Append formatted text. */
void fs_buffer_printf(fs_buffer_t *buffer, const char *format, ...)
    FS_PRINTF(2, 3);

/** What the buffer holds; valid until it grows. */
static inline fs_bytes_t fs_buffer_bytes(const fs_buffer_t *buffer)
{
    fs_bytes_t bytes = { buffer->data, buffer->len };

    return bytes;
}

#endif
