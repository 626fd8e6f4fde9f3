/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded reading of lines, words and numbers from a block of bytes. */

#include "libfs/base/cursor.h"

#include <string.h>

#include "libfs/base/number.h"

fs_error_t *fs_cursor_take(fs_cursor_t *c, const char **out, apr_size_t len)
{
    if (len > fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "%" APR_SIZE_T_FMT " bytes wanted, %" APR_SIZE_T_FMT
                        " left",
                        len, fs_cursor_left(c));
    *out = c->pos;
    c->pos += len;
    return NULL;
}

fs_error_t *fs_cursor_line(fs_cursor_t *c, fs_bytes_t *line)
{
    apr_size_t left = fs_cursor_left(c);
    const char *newline = left ? memchr(c->pos, '\n', left) : NULL;

    if (!newline)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "no newline in the last %" APR_SIZE_T_FMT " bytes",
                        left);
    line->data = c->pos;
    line->len = (apr_size_t)(newline - c->pos);
    c->pos = newline + 1;
    return NULL;
}

bool fs_cursor_accept(fs_cursor_t *c, const char *text)
{
    apr_size_t len = strlen(text);

    if (len > fs_cursor_left(c) || memcmp(c->pos, text, len) != 0)
        return false;
    c->pos += len;
    return true;
}

fs_error_t *fs_cursor_expect(fs_cursor_t *c, const char *text)
{
    if (fs_cursor_accept(c, text))
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT, "\"%.*s\" expected",
                    (int)strcspn(text, "\n"), text);
}

fs_error_t *fs_cursor_decimal(fs_cursor_t *c, apr_uint64_t *out,
                              apr_uint64_t max)
{
    if (fs_number_decimal(out, &c->pos, c->end, max))
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT,
                    "decimal number up to %" APR_UINT64_T_FMT " expected", max);
}

static fs_error_t *bad_number(bool cut)
{
    return FS_ERROR(FS_ERR_CORRUPT, "variable-length number %s",
                    cut ? "is cut off" : "exceeds 64 bits");
}

fs_error_t *fs_cursor_be128(fs_cursor_t *c, apr_uint64_t *out)
{
    apr_uint64_t value = 0;
    const char *p;
    int i;

    for (i = 0, p = c->pos; i < FS_VARINT_MAX; i++, p++) {
        if (p == c->end)
            return bad_number(true);
        if (value >> 57)
            break;
        value = value << 7 | ((unsigned char)*p & 0x7f);
        if (!(*p & 0x80)) {
            c->pos = p + 1;
            *out = value;
            return NULL;
        }
    }
    return bad_number(false);
}

fs_error_t *fs_cursor_varint(fs_cursor_t *c, apr_uint64_t *out)
{
    apr_uint64_t value = 0;
    const char *p;
    int i;

    for (i = 0, p = c->pos; i < FS_VARINT_MAX; i++, p++) {
        if (p == c->end)
            return bad_number(true);
        if (i == FS_VARINT_MAX - 1 && (unsigned char)*p > 1)
            break;
        value |= (apr_uint64_t)(*p & 0x7f) << (7 * i);
        if (!(*p & 0x80)) {
            c->pos = p + 1;
            *out = value;
            return NULL;
        }
    }
    return bad_number(false);
}

fs_error_t *fs_cursor_signed(fs_cursor_t *c, apr_int64_t *out)
{
    apr_uint64_t value;

    FS_TRY(fs_cursor_varint(c, &value));
    *out =
        value & 1 ? -1 - (apr_int64_t)(value >> 1) : (apr_int64_t)(value >> 1);
    return NULL;
}
