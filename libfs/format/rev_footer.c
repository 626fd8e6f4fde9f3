/* SPDX-License-Identifier: Apache-2.0 */
/* Trailers of revisions and footers of files. */

#include "libfs/format/rev_footer.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/base/cursor.h"

#define MD5_DIGITS (2 * FS_MD5_SIZE)

/* The line between the last two newlines. */
static fs_error_t *last_line(fs_bytes_t *line, const char *tail, apr_size_t len)
{
    const char *end = tail + len;
    const char *start;

    if (!len || end[-1] != '\n')
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the revision does not end with a newline");
    start = --end;
    while (start > tail && start[-1] != '\n')
        start--;
    if (start == tail)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the revision's last line exceeds %d bytes",
                        FS_REV_TRAILER_SIZE);
    line->data = start;
    line->len = (apr_size_t)(end - start);
    return NULL;
}

fs_error_t *fs_rev_footer_parse_physical(fs_rev_trailer_t *out,
                                         const char *tail, apr_size_t len,
                                         apr_uint64_t rev_len)
{
    fs_bytes_t line;
    fs_cursor_t c;

    FS_TRY(last_line(&line, tail, len));
    c = fs_cursor(line.data, line.len);
    FS_TRY(fs_cursor_decimal(&c, &out->root, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(&c, " "));
    FS_TRY(fs_cursor_decimal(&c, &out->changes, APR_INT64_MAX));
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the revision's last line has more than two numbers");
    if (out->root >= rev_len || out->changes >= rev_len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the trailer names offsets %" APR_UINT64_T_FMT
                        " and %" APR_UINT64_T_FMT
                        " in a revision of %" APR_UINT64_T_FMT " bytes",
                        out->root, out->changes, rev_len);
    return NULL;
}

/* "<offset> <md5>" */
static fs_error_t *take_index(apr_uint64_t *offset,
                              unsigned char md5[FS_MD5_SIZE], fs_cursor_t *c)
{
    const char *hex;

    FS_TRY(fs_cursor_decimal(c, offset, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_take(c, &hex, MD5_DIGITS));
    if (!fs_hex_parse(md5, hex, MD5_DIGITS))
        return FS_ERROR(FS_ERR_CORRUPT, "32 hex digits expected");
    return NULL;
}

static fs_error_t *take_footer(fs_rev_footer_t *out, fs_cursor_t c)
{
    FS_TRY(take_index(&out->l2p_offset, out->l2p_md5, &c));
    FS_TRY(fs_cursor_expect(&c, " "));
    FS_TRY(take_index(&out->p2l_offset, out->p2l_md5, &c));
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_CORRUPT, "more than four fields");
    return NULL;
}

fs_error_t *fs_rev_footer_parse(fs_rev_footer_t *out, const char *tail,
                                apr_size_t len, apr_uint64_t file_len)
{
    apr_size_t footer_len;
    apr_uint64_t start;
    fs_error_t *err;

    footer_len = len ? (unsigned char)tail[len - 1] : 0;
    if (!footer_len || footer_len >= len || len > file_len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a footer of %" APR_SIZE_T_FMT
                        " bytes is announced in a file of %" APR_UINT64_T_FMT,
                        footer_len, file_len);
    err = take_footer(out, fs_cursor(tail + len - 1 - footer_len, footer_len));
    if (err)
        return FS_WRAP(err, "malformed footer");

    start = file_len - 1 - footer_len;
    if (!out->l2p_offset || out->l2p_offset >= out->p2l_offset ||
        out->p2l_offset >= start)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the footer at %" APR_UINT64_T_FMT
                        " names indexes at %" APR_UINT64_T_FMT
                        " and %" APR_UINT64_T_FMT,
                        start, out->l2p_offset, out->p2l_offset);
    out->l2p_len = out->p2l_offset - out->l2p_offset;
    out->p2l_len = start - out->p2l_offset;
    return NULL;
}

apr_size_t fs_rev_footer_format_physical(char buf[FS_REV_TRAILER_SIZE],
                                         const fs_rev_trailer_t *trailer)
{
    return (apr_size_t)snprintf(buf, FS_REV_TRAILER_SIZE,
                                "%" APR_UINT64_T_FMT " %" APR_UINT64_T_FMT "\n",
                                trailer->root, trailer->changes);
}

static apr_size_t put_index(char *buf, apr_size_t room, apr_uint64_t offset,
                            const unsigned char md5[FS_MD5_SIZE])
{
    apr_size_t len =
        (apr_size_t)snprintf(buf, room, "%" APR_UINT64_T_FMT " ", offset);

    fs_hex_write(buf + len, md5, FS_MD5_SIZE);
    return len + MD5_DIGITS;
}

apr_size_t fs_rev_footer_format(char buf[FS_REV_FOOTER_SIZE],
                                const fs_rev_footer_t *footer)
{
    apr_size_t len =
        put_index(buf, FS_REV_FOOTER_SIZE, footer->l2p_offset, footer->l2p_md5);

    buf[len++] = ' ';
    len += put_index(buf + len, FS_REV_FOOTER_SIZE - len, footer->p2l_offset,
                     footer->p2l_md5);
    buf[len] = (char)len;
    return len + 1;
}
