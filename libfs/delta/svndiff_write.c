/* SPDX-License-Identifier: Apache-2.0 */
/* Windows to svndiff bytes; the reader is svndiff_read.c. */

#include "libfs/fs_delta.h"

#include <assert.h>
#include <string.h>

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/base/compress.h"
#include "libfs/base/number.h"

/* Version 1 leaves shorter sections as they are, like other writers do. */
#define ZLIB_MIN 512

/* No LZ4 block is shorter than what it stands for below this. */
#define LZ4_MIN 13

/* An instruction with its two numbers of at most 32 bits. */
#define OP_MAX (1 + 2 * 5)

typedef struct writer_t {
    fs_delta_stream_t *delta;
    int version;
    int level;           /* zlib, 0 to 9 */
    fs_buffer_t *ins;    /* instructions of the window, as in version 0 */
    fs_buffer_t *packed; /* instructions as encoded */
    fs_buffer_t *fresh;  /* new data as encoded */
    fs_buffer_t *out;    /* the whole window */
    apr_size_t pos;      /* next byte of `out` to hand out */
    bool at_end;
} writer_t;

/* Empty the buffer and make room for `need` bytes. */
static void reset(fs_buffer_t *buffer, apr_size_t need)
{
    buffer->len = 0;
    fs_buffer_reserve(buffer, need);
}

/* The callers have made room. */
static void put_number(fs_buffer_t *buffer, apr_uint64_t value)
{
    unsigned char buf[FS_VARINT_MAX];
    apr_size_t len = fs_number_put_be128(buf, value);

    memcpy(buffer->data + buffer->len, buf, len);
    buffer->len += len;
}

static void put_op(fs_buffer_t *buffer, const fs_delta_op_t *op)
{
    unsigned char first = (unsigned char)(op->action << 6);

    assert(op->length > 0);
    if (op->length < 0x40)
        first |= (unsigned char)op->length;
    buffer->data[buffer->len++] = (char)first;
    if (op->length >= 0x40)
        put_number(buffer, op->length);
    if (op->action != FS_DELTA_NEW)
        put_number(buffer, op->offset);
}

/* Compress `data` behind what is in `buffer`; false if that gains nothing. */
static fs_error_t *compress(const writer_t *writer, fs_buffer_t *buffer,
                            const char *data, apr_size_t len, bool *smaller)
{
    apr_size_t made = buffer->room - buffer->len;
    char *out = buffer->data + buffer->len;

    if (writer->version == 1)
        FS_TRY(fs_zlib_deflate(out, &made, data, len, writer->level));
    else
        FS_TRY(fs_lz4_compress(out, &made, data, len));
    *smaller = made < len;
    if (*smaller)
        buffer->len += made;
    return NULL;
}

/* Encode a section of version 1 or 2 into `buffer`. */
static fs_error_t *put_section(writer_t *writer, fs_buffer_t *buffer,
                               const char *data, apr_size_t len)
{
    bool zlib = writer->version == 1;
    bool try = zlib ? len >= ZLIB_MIN && writer->level > 0 : len >= LZ4_MIN;
    bool smaller = false;
    apr_size_t bound = len;

    if (try)
        bound = zlib ? fs_zlib_bound(len) : fs_lz4_bound(len);
    reset(buffer, FS_VARINT_MAX + (bound > len ? bound : len));
    put_number(buffer, len);
    if (try)
        FS_TRY(compress(writer, buffer, data, len, &smaller));
    if (!smaller)
        fs_buffer_append(buffer, data, len);
    return NULL;
}

static void put_head(fs_buffer_t *out, const fs_delta_window_t *window,
                     apr_size_t ins_len, apr_size_t new_len)
{
    put_number(out, window->source_offset);
    put_number(out, window->source_len);
    put_number(out, window->target_len);
    put_number(out, ins_len);
    put_number(out, new_len);
}

/* Encode the window into `out`, which holds nothing that is still wanted. */
static fs_error_t *put_window(writer_t *writer, const fs_delta_window_t *window)
{
    fs_bytes_t ins, fresh = { window->new_data, window->new_len };
    apr_uint32_t i;

    reset(writer->ins, (apr_size_t)window->op_count * OP_MAX);
    for (i = 0; i < window->op_count; i++)
        put_op(writer->ins, &window->ops[i]);
    ins.data = writer->ins->data;
    ins.len = writer->ins->len;
    if (writer->version > 0) {
        FS_TRY(put_section(writer, writer->packed, ins.data, ins.len));
        FS_TRY(put_section(writer, writer->fresh, fresh.data, fresh.len));
        ins.data = writer->packed->data;
        ins.len = writer->packed->len;
        fresh.data = writer->fresh->data;
        fresh.len = writer->fresh->len;
    }
    reset(writer->out, 5 * FS_VARINT_MAX + ins.len + fresh.len);
    put_head(writer->out, window, ins.len, fresh.len);
    fs_buffer_append(writer->out, ins.data, ins.len);
    fs_buffer_append(writer->out, fresh.data, fresh.len);
    return NULL;
}

/* Make more output, unless the delta has ended. */
static fs_error_t *writer_fill(writer_t *writer)
{
    const fs_delta_window_t *window;

    writer->pos = 0;
    writer->out->len = 0;
    FS_TRY(fs_delta_next(&window, writer->delta));
    if (window)
        FS_TRY(put_window(writer, window));
    writer->at_end = !window;
    return NULL;
}

static fs_error_t *writer_read(void *baton, char *buf, apr_size_t *len)
{
    writer_t *writer = baton;
    apr_size_t left;

    if (writer->pos == writer->out->len && *len && !writer->at_end)
        FS_TRY(writer_fill(writer));
    left = writer->out->len - writer->pos;
    if (*len > left)
        *len = left;
    if (*len)
        memcpy(buf, writer->out->data + writer->pos, *len);
    writer->pos += *len;
    return NULL;
}

fs_stream_t *fs_svndiff_write(fs_delta_stream_t *delta, int version, int level,
                              apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { writer_read, NULL, NULL };
    writer_t *writer = apr_pcalloc(result, sizeof(*writer));
    char magic[4] = { 'S', 'V', 'N', (char)version };

    assert(version >= 0 && version <= 2);
    assert(level >= 0 && level <= 9);
    writer->delta = delta;
    writer->ins = fs_buffer_create(0, result);
    writer->packed = fs_buffer_create(0, result);
    writer->fresh = fs_buffer_create(0, result);
    writer->out = fs_buffer_create(0, result);
    writer->version = version;
    writer->level = level;
    reset(writer->out, sizeof(magic));
    fs_buffer_append(writer->out, magic, sizeof(magic));
    return fs_stream_create(&ops, writer, result);
}
