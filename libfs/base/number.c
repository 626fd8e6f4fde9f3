/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal, base 36 and base 128 numbers. */

#include "libfs/base/number.h"

#include <string.h>

bool fs_number_decimal(apr_uint64_t *out, const char **p, const char *end,
                       apr_uint64_t max)
{
    const char *pos = *p;
    apr_uint64_t value = 0;

    if (pos == end || *pos < '0' || *pos > '9')
        return false;
    for (; pos < end && *pos >= '0' && *pos <= '9'; pos++) {
        unsigned int digit = (unsigned int)(*pos - '0');

        if (value > max / 10 || digit > max - value * 10)
            return false;
        value = value * 10 + digit;
    }
    *p = pos;
    *out = value;
    return true;
}

static int base36_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return -1;
}

bool fs_number_base36(apr_uint64_t *out, const char **p, const char *end)
{
    const char *pos = *p;
    apr_uint64_t value = 0;
    int digit;

    if (pos == end || base36_digit(*pos) < 0)
        return false;
    for (; pos < end && (digit = base36_digit(*pos)) >= 0; pos++) {
        if (value > (APR_UINT64_MAX - (unsigned int)digit) / 36)
            return false;
        value = value * 36 + (unsigned int)digit;
    }
    *p = pos;
    *out = value;
    return true;
}

apr_size_t fs_number_format_base36(char buf[14], apr_uint64_t value)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char reversed[13];
    apr_size_t len = 0;
    apr_size_t i;

    do {
        reversed[len++] = digits[value % 36];
        value /= 36;
    } while (value);

    for (i = 0; i < len; i++)
        buf[i] = reversed[len - 1 - i];
    buf[len] = '\0';
    return len;
}

apr_size_t fs_number_put_be128(unsigned char buf[FS_VARINT_MAX],
                               apr_uint64_t value)
{
    apr_size_t len = 1;
    apr_size_t i;
    apr_uint64_t rest;

    for (rest = value >> 7; rest; rest >>= 7)
        len++;
    for (i = len; i-- > 0; value >>= 7)
        buf[i] = (unsigned char)((value & 0x7f) | (i + 1 < len ? 0x80 : 0));
    return len;
}

apr_size_t fs_number_put_le128(unsigned char buf[FS_VARINT_MAX],
                               apr_uint64_t value)
{
    apr_size_t len = 0;

    for (; value > 0x7f; value >>= 7)
        buf[len++] = (unsigned char)((value & 0x7f) | 0x80);
    buf[len++] = (unsigned char)value;
    return len;
}
