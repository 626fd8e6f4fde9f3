/* SPDX-License-Identifier: Apache-2.0 */
/* Names without case and accents, by table; Hangul by arithmetic. */

#include "libfs/base/fold.h"

#include <string.h>

#include <apr_fnmatch.h>

#include "libfs/base/fold_table.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A character becomes at most so many times as long (a Hangul syllable). */
#define GROWTH_MAX 3

/* The character at `p`; `*len` is 0 if that is no UTF-8. */
static apr_uint32_t decode(const unsigned char *p, apr_size_t *len)
{
    apr_uint32_t code;
    apr_size_t i;

    *len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    code = p[0] & (0xffu >> (*len + 1));
    for (i = 1; i < *len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *len = 0;
            return 0;
        }
        code = code << 6 | (p[i] & 0x3f);
    }
    return code;
}

static bool is_mark(apr_uint32_t code)
{
    apr_size_t low = 0;
    apr_size_t high = COUNT(fold_marks);

    while (low < high) {
        apr_size_t middle = (low + high) / 2;

        if (code > fold_marks[middle].last)
            low = middle + 1;
        else if (code < fold_marks[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

/* Append what the table has for `code`; 0 if it has nothing. */
static apr_size_t put_entry(char *out, apr_uint32_t code)
{
    apr_size_t low = 0;
    apr_size_t high = COUNT(fold_entries);

    while (low < high) {
        apr_size_t middle = (low + high) / 2;

        if (fold_entries[middle].code == code) {
            memcpy(out, fold_pool + fold_entries[middle].place,
                   fold_entries[middle].len);
            return fold_entries[middle].len;
        }
        if (code > fold_entries[middle].code)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static apr_size_t put_three_bytes(char *out, apr_uint32_t code)
{
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3f));
    out[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

/* Syllable `index` as two or three letters (Unicode, section 3.12). */
static apr_size_t put_hangul(char *out, apr_uint32_t index)
{
    apr_size_t len = put_three_bytes(out, 0x1100 + index / 588);

    len += put_three_bytes(out + len, 0x1161 + index % 588 / 28);
    if (index % 28)
        len += put_three_bytes(out + len, 0x11a7 + index % 28);
    return len;
}

/* Append the folded form of the character at `p`; returns its length. */
static apr_size_t fold_character(char *out, const unsigned char *p,
                                 apr_size_t *used)
{
    apr_uint32_t code = decode(p, used);
    apr_size_t len;

    if (!*used) { /* no UTF-8: the byte stays */
        *used = 1;
        out[0] = (char)p[0];
        return 1;
    }
    if (is_mark(code))
        return 0;
    if (code >= 0xac00 && code < 0xac00 + 11172)
        return put_hangul(out, code - 0xac00);
    len = put_entry(out, code);
    if (!len) {
        memcpy(out, p, *used);
        len = *used;
    }
    return len;
}

const char *fs_fold_name(const char *name, apr_pool_t *result)
{
    const unsigned char *p = (const unsigned char *)name;
    char *out, *end;

    while (*p && *p < 0x80 && !(*p >= 'A' && *p <= 'Z'))
        p++;
    if (!*p)
        return name;

    out = end = apr_palloc(result, strlen(name) * GROWTH_MAX + 1);
    for (p = (const unsigned char *)name; *p;) {
        apr_size_t used = 1;

        if (*p < 0x80)
            *end++ = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
        else
            end += fold_character(end, p, &used);
        p += used;
    }
    *end = '\0';
    return out;
}

bool fs_fold_match(const char *pattern, const char *name, apr_pool_t *scratch)
{
    return apr_fnmatch(pattern, fs_fold_name(name, scratch), 0) == APR_SUCCESS;
}
