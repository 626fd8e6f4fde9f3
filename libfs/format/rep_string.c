/* SPDX-License-Identifier: Apache-2.0 */
/* Representation strings of node records, all variants. */

#include "libfs/format/rep_string.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/base/cursor.h"
#include "libfs/base/number.h"

#define MD5_DIGITS (2 * FS_MD5_SIZE)
#define SHA1_DIGITS (2 * FS_SHA1_SIZE)

static const unsigned char md5_of_nothing[FS_MD5_SIZE] = {
    0xd4, 0x1d, 0x8c, 0xd9, 0x8f, 0x00, 0xb2, 0x04,
    0xe9, 0x80, 0x09, 0x98, 0xec, 0xf8, 0x42, 0x7e
};

static bool all_zero(const unsigned char *bytes, apr_size_t len)
{
    while (len)
        if (bytes[--len])
            return false;
    return true;
}

static fs_error_t *take_digest(unsigned char *out, bool *known, fs_cursor_t *c,
                               apr_size_t digits)
{
    const char *hex;

    FS_TRY(fs_cursor_take(c, &hex, digits));
    if (!fs_hex_parse(out, hex, digits))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "%" APR_SIZE_T_FMT " hex digits expected", digits);
    *known = !all_zero(out, digits / 2);
    return NULL;
}

/* "<txn>/_<base36>" */
static fs_error_t *take_uniquifier(fs_rep_t *out, fs_cursor_t *c)
{
    const char *slash = memchr(c->pos, '/', fs_cursor_left(c));

    out->has_unique =
        slash && fs_node_id_read_txn(&out->unique_txn, c->pos,
                                     (apr_size_t)(slash - c->pos));
    if (out->has_unique) {
        c->pos = slash;
        out->has_unique =
            fs_cursor_accept(c, "/_") &&
            fs_number_base36(&out->unique_number, &c->pos, c->end);
    }
    return out->has_unique ? NULL
                           : FS_ERROR(FS_ERR_CORRUPT, "uniquifier expected");
}

static fs_error_t *take_numbers(fs_rep_t *out, fs_cursor_t *c)
{
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_decimal(c, &out->item, APR_UINT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_decimal(c, &out->length, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    FS_TRY(fs_cursor_decimal(c, &out->size, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, " "));
    return take_digest(out->md5, &out->has_md5, c, MD5_DIGITS);
}

static fs_error_t *take_fields(fs_rep_t *out, fs_cursor_t *c)
{
    apr_uint64_t rev;

    if (fs_cursor_accept(c, "-1")) {
        out->rev = FS_INVALID_REV;
        out->in_txn_file = !fs_cursor_left(c);
        if (out->in_txn_file)
            return NULL;
    } else {
        FS_TRY(fs_cursor_decimal(c, &rev, APR_INT64_MAX));
        out->rev = (fs_rev_t)rev;
    }
    FS_TRY(take_numbers(out, c));
    if (!fs_cursor_left(c))
        return NULL;

    FS_TRY(fs_cursor_expect(c, " "));
    if (!fs_cursor_accept(c, "-"))
        FS_TRY(take_digest(out->sha1, &out->has_sha1, c, SHA1_DIGITS));
    FS_TRY(fs_cursor_expect(c, " "));
    if (!fs_cursor_accept(c, "-"))
        FS_TRY(take_uniquifier(out, c));
    if (fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT, "more than 7 fields");
    return NULL;
}

fs_error_t *fs_rep_string_parse(fs_rep_t *out, const char *text, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(text, len);
    fs_error_t *err;

    memset(out, 0, sizeof(*out));
    out->unique_txn.base = FS_INVALID_REV;
    err = take_fields(out, &c);
    if (err)
        return FS_WRAP(err, "malformed representation '%.*s'",
                       len > 200 ? 200 : (int)len, text);
    /* Releases before 1.6 left out the size of what was stored plainly. */
    if (!out->size && out->length &&
        memcmp(out->md5, md5_of_nothing, FS_MD5_SIZE) != 0)
        out->size = out->length;
    return NULL;
}

static apr_size_t put_sha1(char *buf, const fs_rep_t *rep)
{
    *buf++ = ' ';
    if (!rep->has_sha1) {
        *buf = '-';
        return 2;
    }
    fs_hex_write(buf, rep->sha1, FS_SHA1_SIZE);
    return 1 + SHA1_DIGITS;
}

static apr_size_t put_uniquifier(char *buf, const fs_rep_t *rep)
{
    apr_size_t len = 0;

    buf[len++] = ' ';
    if (!rep->has_unique) {
        buf[len++] = '-';
        return len;
    }
    len += fs_node_id_format_txn(buf + len, &rep->unique_txn);
    buf[len++] = '/';
    buf[len++] = '_';
    return len + fs_number_format_base36(buf + len, rep->unique_number);
}

apr_size_t fs_rep_string_format(char buf[FS_REP_STRING_SIZE],
                                const fs_rep_t *rep, int format)
{
    /* Until "-" came, the two last fields stood together or not at all. */
    bool seven =
        format >= 8 || (format >= 4 && rep->has_sha1 && rep->has_unique);
    apr_size_t len;

    if (rep->in_txn_file)
        return (apr_size_t)snprintf(buf, FS_REP_STRING_SIZE, "-1");

    len = (apr_size_t)snprintf(buf, FS_REP_STRING_SIZE,
                               "%" FS_REV_FMT " %" APR_UINT64_T_FMT
                               " %" APR_UINT64_T_FMT " %" APR_UINT64_T_FMT " ",
                               rep->rev, rep->item, rep->length, rep->size);
    fs_hex_write(buf + len, rep->md5, FS_MD5_SIZE);
    len += MD5_DIGITS;
    if (seven) {
        len += put_sha1(buf + len, rep);
        len += put_uniquifier(buf + len, rep);
    }
    buf[len] = '\0';
    return len;
}

bool fs_rep_string_same(const fs_rep_t *a, const fs_rep_t *b)
{
    if (!a || !b)
        return !a && !b;
    if (a->in_txn_file || b->in_txn_file)
        return false;
    if (a->rev != b->rev || a->item != b->item ||
        a->has_unique != b->has_unique)
        return false;
    return !a->has_unique || (a->unique_number == b->unique_number &&
                              a->unique_txn.base == b->unique_txn.base &&
                              a->unique_txn.number == b->unique_txn.number);
}
