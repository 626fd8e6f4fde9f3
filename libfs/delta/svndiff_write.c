/* SPDX-License-Identifier: Apache-2.0 */
/* Windows to svndiff bytes; the reader is svndiff_read.c. */

#include "libfs/delta/svndiff_write.h"

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

/* Of data that would not get smaller, so many bytes are tried. */
#define SAMPLE 4096

struct fs_svndiff_encoder_t {
    int version;
    int level;           /* zlib, 0 to 9 */
    bool dense;          /* the last long data did not get smaller */
    fs_buffer_t *ins;    /* instructions of the window, as in version 0 */
    fs_buffer_t *packed; /* the same, compressed */
    fs_buffer_t *head;   /* the window up to its new data */
    fs_buffer_t *fresh;  /* new data as encoded */
};

typedef fs_svndiff_encoder_t encoder_t;

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

/* Compress `data` to `made` bytes at `out`, which has room. */
static fs_error_t *compress(char *out, apr_size_t *made,
                            const encoder_t *encoder, const char *data,
                            apr_size_t len)
{
    if (encoder->version == 1)
        return fs_zlib_deflate(out, made, data, len, encoder->level);
    return fs_lz4_compress(out, made, data, len);
}

/* Whether it is worth a try: not if the data before was dense, and a piece out
 * of the middle of this still is. (LZ4 gives up by itself.) */
static fs_error_t *may_shrink(bool *may, const encoder_t *encoder, char *room,
                              apr_size_t made, const char *data, apr_size_t len)
{
    *may = true;
    if (encoder->version != 1 || !encoder->dense || len < 4 * SAMPLE)
        return NULL;
    FS_TRY(compress(room, &made, encoder, data + (len - SAMPLE) / 2, SAMPLE));
    *may = made < SAMPLE;
    return NULL;
}

/* Compress `data` into `buffer` behind its length; false if that does not make
 * it smaller. */
static fs_error_t *put_compressed(bool *smaller, encoder_t *encoder,
                                  fs_buffer_t *buffer, const char *data,
                                  apr_size_t len)
{
    bool zlib = encoder->version == 1;
    apr_size_t bound, made;
    char *out;

    *smaller = false;
    if (zlib ? len < ZLIB_MIN || !encoder->level : len < LZ4_MIN)
        return NULL;
    bound = zlib ? fs_zlib_bound(len) : fs_lz4_bound(len);
    reset(buffer, FS_VARINT_MAX + bound);
    put_number(buffer, len);
    out = buffer->data + buffer->len;
    FS_TRY(may_shrink(smaller, encoder, out, bound, data, len));
    if (!*smaller)
        return NULL;
    made = bound;
    FS_TRY(compress(out, &made, encoder, data, len));
    *smaller = made < len;
    encoder->dense = len >= 4 * SAMPLE && !*smaller;
    if (*smaller)
        buffer->len += made;
    return NULL;
}

/* Instructions as the version has them. */
static fs_error_t *encode_ins(fs_bytes_t *out, encoder_t *encoder,
                              const fs_delta_window_t *window)
{
    bool smaller = false, dense = encoder->dense;
    apr_uint32_t i;

    /* Before them, room for their length. */
    reset(encoder->ins, FS_VARINT_MAX + (apr_size_t)window->op_count * OP_MAX);
    encoder->ins->len = FS_VARINT_MAX;
    for (i = 0; i < window->op_count; i++)
        put_op(encoder->ins, &window->ops[i]);
    out->data = encoder->ins->data + FS_VARINT_MAX;
    out->len = encoder->ins->len - FS_VARINT_MAX;
    if (encoder->version == 0)
        return NULL;
    FS_TRY(put_compressed(&smaller, encoder, encoder->packed, out->data,
                          out->len));
    encoder->dense = dense;
    if (smaller) {
        *out = fs_buffer_bytes(encoder->packed);
    } else {
        unsigned char number[FS_VARINT_MAX];
        apr_size_t len = fs_number_put_be128(number, out->len);

        out->data -= len;
        out->len += len;
        memcpy(encoder->ins->data + FS_VARINT_MAX - len, number, len);
    }
    return NULL;
}

static apr_size_t number_len(apr_uint64_t value)
{
    unsigned char number[FS_VARINT_MAX];

    return fs_number_put_be128(number, value);
}

/* The window up to its new data, whose length as encoded comes last in it. */
static void put_head(fs_buffer_t *head, const fs_delta_window_t *window,
                     fs_bytes_t ins, apr_size_t new_len)
{
    reset(head, 6 * FS_VARINT_MAX + ins.len);
    put_number(head, window->source_offset);
    put_number(head, window->source_len);
    put_number(head, window->target_len);
    put_number(head, ins.len);
    put_number(head, new_len);
    fs_buffer_append(head, ins.data, ins.len);
}

void fs_svndiff_write_magic(char magic[4], int version)
{
    memcpy(magic, "SVN", 3);
    magic[3] = (char)version;
}

fs_svndiff_encoder_t *fs_svndiff_encoder_create(int version, int level,
                                                apr_pool_t *result)
{
    encoder_t *encoder = apr_pcalloc(result, sizeof(*encoder));

    assert(version >= 0 && version <= 2);
    assert(level >= 0 && level <= 9);
    encoder->version = version;
    encoder->level = level;
    encoder->ins = fs_buffer_create(0, result);
    encoder->packed = fs_buffer_create(0, result);
    encoder->head = fs_buffer_create(0, result);
    encoder->fresh = fs_buffer_create(0, result);
    return encoder;
}

/* New data stored as it is: only its length is put in front. */
static void encode_plain(fs_bytes_t parts[FS_SVNDIFF_PARTS], encoder_t *encoder,
                         const fs_delta_window_t *window, fs_bytes_t ins)
{
    bool counted = encoder->version > 0;

    put_head(encoder->head, window, ins,
             window->new_len + (counted ? number_len(window->new_len) : 0));
    if (counted)
        put_number(encoder->head, window->new_len);
    parts[0] = fs_buffer_bytes(encoder->head);
    parts[1].data = window->new_data;
    parts[1].len = window->new_len;
}

fs_error_t *fs_svndiff_encode_window(fs_bytes_t parts[FS_SVNDIFF_PARTS],
                                     fs_svndiff_encoder_t *encoder,
                                     const fs_delta_window_t *window)
{
    bool smaller = false;
    fs_bytes_t ins;

    FS_TRY(encode_ins(&ins, encoder, window));
    if (encoder->version > 0)
        FS_TRY(put_compressed(&smaller, encoder, encoder->fresh,
                              window->new_data, window->new_len));
    if (!smaller) {
        encode_plain(parts, encoder, window, ins);
        return NULL;
    }
    put_head(encoder->head, window, ins, encoder->fresh->len);
    parts[0] = fs_buffer_bytes(encoder->head);
    parts[1] = fs_buffer_bytes(encoder->fresh);
    return NULL;
}

/* --- Streams --- */

typedef struct writer_t {
    fs_delta_stream_t *delta;
    encoder_t *encoder;
    char magic[4];
    fs_bytes_t parts[FS_SVNDIFF_PARTS]; /* what is being handed out */
    bool at_end;
} writer_t;

/* Make more output, unless the delta has ended. */
static fs_error_t *writer_fill(writer_t *writer)
{
    const fs_delta_window_t *window;

    FS_TRY(fs_delta_next(&window, writer->delta));
    writer->at_end = !window;
    return window ? fs_svndiff_encode_window(writer->parts, writer->encoder,
                                             window)
                  : NULL;
}

/* Take up to `max` bytes off the front of a part. */
static apr_size_t take(char *buf, fs_bytes_t *part, apr_size_t max)
{
    apr_size_t len = part->len < max ? part->len : max;

    if (!len)
        return 0;
    memcpy(buf, part->data, len);
    part->data += len;
    part->len -= len;
    return len;
}

static fs_error_t *writer_read(void *baton, char *buf, apr_size_t *len)
{
    writer_t *writer = baton;
    apr_size_t room = *len;

    if (!writer->parts[0].len && !writer->parts[1].len && room &&
        !writer->at_end)
        FS_TRY(writer_fill(writer));
    *len = take(buf, &writer->parts[0], room);
    *len += take(buf + *len, &writer->parts[1], room - *len);
    return NULL;
}

fs_stream_t *fs_svndiff_write(fs_delta_stream_t *delta, int version, int level,
                              apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { writer_read, NULL, NULL };
    writer_t *writer = apr_pcalloc(result, sizeof(*writer));

    writer->delta = delta;
    writer->encoder = fs_svndiff_encoder_create(version, level, result);
    fs_svndiff_write_magic(writer->magic, version);
    writer->parts[0].data = writer->magic;
    writer->parts[0].len = sizeof(writer->magic);
    writer->parts[1].data = writer->magic;
    return fs_stream_create(&ops, writer, result);
}
