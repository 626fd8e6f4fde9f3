/* SPDX-License-Identifier: Apache-2.0 */
/* The header line of representations. */

#include "libfs/format/rep_header.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/cursor.h"

static fs_error_t *take_base(fs_rep_header_t *out, fs_cursor_t *c)
{
    apr_uint64_t rev;

    FS_TRY(fs_cursor_decimal(c, &rev, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_decimal(c, &out->base_item, APR_UINT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_decimal(c, &out->base_length, APR_INT64_MAX));
    out->kind = FS_REP_DELTA;
    out->base_rev = (fs_rev_t)rev;
    return fs_cursor_expect(c, "\n");
}

fs_error_t *fs_rep_header_parse(fs_rep_header_t *out, const char *data,
                                apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_error_t *err = NULL;

    out->base_rev = FS_INVALID_REV;
    out->base_item = 0;
    out->base_length = 0;
    if (fs_cursor_accept(&c, "PLAIN\n"))
        out->kind = FS_REP_PLAIN;
    else if (fs_cursor_accept(&c, "DELTA\n"))
        out->kind = FS_REP_SELF_DELTA;
    else if (fs_cursor_accept(&c, "DELTA "))
        err = take_base(out, &c);
    else
        err = FS_ERROR(FS_ERR_CORRUPT, "PLAIN or DELTA expected");

    if (err)
        return FS_WRAP(err, "malformed representation header");
    out->header_len = (apr_size_t)(c.pos - data);
    return NULL;
}

apr_size_t fs_rep_header_format(char buf[FS_REP_HEADER_SIZE],
                                const fs_rep_header_t *header)
{
    int len;

    switch (header->kind) {
    case FS_REP_PLAIN:
        len = snprintf(buf, FS_REP_HEADER_SIZE, "PLAIN\n");
        break;
    case FS_REP_SELF_DELTA:
        len = snprintf(buf, FS_REP_HEADER_SIZE, "DELTA\n");
        break;
    default:
        len =
            snprintf(buf, FS_REP_HEADER_SIZE,
                     "DELTA %" FS_REV_FMT " %" APR_UINT64_T_FMT
                     " %" APR_UINT64_T_FMT "\n",
                     header->base_rev, header->base_item, header->base_length);
    }
    return (apr_size_t)len;
}
