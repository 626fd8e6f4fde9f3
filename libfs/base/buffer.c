/* SPDX-License-Identifier: Apache-2.0 */
/* Growing blocks in pools. */

#include "libfs/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the longest number of 64 bits. */
#define VARINT_MAX 10

fs_buffer_t *fs_buffer_create(apr_size_t room, apr_pool_t *result)
{
    fs_buffer_t *buffer = apr_palloc(result, sizeof(*buffer));

    if (room < 32)
        room = 32;
    buffer->data = apr_palloc(result, room);
    buffer->len = 0;
    buffer->room = room;
    buffer->pool = result;
    return buffer;
}

char *fs_buffer_reserve(fs_buffer_t *buffer, apr_size_t more)
{
    if (more > buffer->room - buffer->len) {
        apr_size_t room = buffer->room * 2;
        char *data;

        if (room < buffer->len + more)
            room = buffer->len + more;
        data = apr_palloc(buffer->pool, room);
        memcpy(data, buffer->data, buffer->len);
        buffer->data = data;
        buffer->room = room;
    }
    return buffer->data + buffer->len;
}

void fs_buffer_append(fs_buffer_t *buffer, const void *data, apr_size_t len)
{
    char *place = fs_buffer_reserve(buffer, len);

    if (len)
        memcpy(place, data, len);
    buffer->len += len;
}

void fs_buffer_puts(fs_buffer_t *buffer, const char *text)
{
    fs_buffer_append(buffer, text, strlen(text));
}

void fs_buffer_varint(fs_buffer_t *buffer, apr_uint64_t number)
{
    char *start = fs_buffer_reserve(buffer, VARINT_MAX);
    char *p = start;

    for (; number > 0x7f; number >>= 7)
        *p++ = (char)((number & 0x7f) | 0x80);
    *p++ = (char)number;
    buffer->len += (apr_size_t)(p - start);
}

void fs_buffer_printf(fs_buffer_t *buffer, const char *format, ...)
{
    apr_size_t room = buffer->room - buffer->len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(buffer->data + buffer->len, room, format, args);
    va_end(args);
    if (len < 0)
        return;

    if ((apr_size_t)len >= room) {
        char *place = fs_buffer_reserve(buffer, (apr_size_t)len + 1);

        va_start(args, format);
        vsnprintf(place, (apr_size_t)len + 1, format, args);
        va_end(args);
    }
    buffer->len += (apr_size_t)len;
}
