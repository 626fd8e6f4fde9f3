/* SPDX-License-Identifier: Apache-2.0 */
/* Reading position in a block of bytes that cannot pass the block's end. */

#ifndef LIBFS_BASE_CURSOR_H
#define LIBFS_BASE_CURSOR_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef struct fs_cursor_t {
    const char *pos; /* next byte */
    const char *end; /* behind the last byte */
} fs_cursor_t;

static inline fs_cursor_t fs_cursor(const char *data, apr_size_t len)
{
    fs_cursor_t c = { data, data + len };

    return c;
}

static inline apr_size_t fs_cursor_left(const fs_cursor_t *c)
{
    return (apr_size_t)(c->end - c->pos);
}

/** Take `len` bytes. Errors: FS_ERR_CORRUPT, fewer are left. */
fs_error_t *fs_cursor_take(fs_cursor_t *c, const char **out,
                           apr_size_t len) FS_MUST_CHECK;

/** Take up to and without the next newline, and pass over the newline.
 *  Errors: FS_ERR_CORRUPT, no newline is left. */
fs_error_t *fs_cursor_line(fs_cursor_t *c, fs_bytes_t *line) FS_MUST_CHECK;

/** Take the text `text` if it comes next; tells whether it did. */
bool fs_cursor_accept(fs_cursor_t *c, const char *text);

/** Take `text`. Errors: FS_ERR_CORRUPT, something else comes next. */
fs_error_t *fs_cursor_expect(fs_cursor_t *c, const char *text) FS_MUST_CHECK;

/** Take a decimal number <= `max`. Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_cursor_decimal(fs_cursor_t *c, apr_uint64_t *out,
                              apr_uint64_t max) FS_MUST_CHECK;

/** Take svndiff's big-endian base 128 number (at most 10 bytes, 64 bits;
 *  leading 0x80 bytes allowed). Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_cursor_be128(fs_cursor_t *c, apr_uint64_t *out) FS_MUST_CHECK;

/** Take the indexes' little-endian base 128 number. Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_cursor_varint(fs_cursor_t *c, apr_uint64_t *out) FS_MUST_CHECK;

/** The same, mapped to signed (0 -> 0, 1 -> -1, 2 -> 1, ...). */
fs_error_t *fs_cursor_signed(fs_cursor_t *c, apr_int64_t *out) FS_MUST_CHECK;

#endif
