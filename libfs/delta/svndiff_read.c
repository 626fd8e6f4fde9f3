/* SPDX-License-Identifier: Apache-2.0 */
/* Svndiff bytes to windows: single windows in memory, and streams of them. */

#include "libfs/delta/svndiff_read.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <apr_pools.h>
#include <apr_strings.h>

#include "libfs/base/compress.h"

/* Input is read in pieces of at least this size. */
#define READ_STEP 16384

/* Longest encoded number: 64 bits in groups of seven. */
#define NUMBER_MAX 10

/* A block that grows and is never given back before the pool. */
typedef struct block_t {
    void *data;
    apr_size_t room; /* bytes */
} block_t;

struct fs_svndiff_buffers_t {
    apr_pool_t *pool;
    block_t ins;   /* expanded instructions */
    block_t fresh; /* expanded new data */
    block_t ops;   /* decoded instructions */
};

/* Make room for `need` bytes, of which the first `keep` stay as they are. */
static void *block_reserve(block_t *block, apr_size_t need, apr_size_t keep,
                           apr_pool_t *pool)
{
    if (need > block->room || !block->data) {
        apr_size_t room = 2 * block->room > need ? 2 * block->room : need;
        void *data = apr_palloc(pool, room ? room : 1);

        if (block->data && keep)
            memcpy(data, block->data, keep);
        block->data = data;
        block->room = room;
    }
    return block->data;
}

fs_svndiff_buffers_t *fs_svndiff_buffers_create(apr_pool_t *result)
{
    fs_svndiff_buffers_t *buffers = apr_pcalloc(result, sizeof(*buffers));

    buffers->pool = result;
    return buffers;
}

/* --- Numbers --- */

typedef enum number_state_t {
    NUMBER_OK,
    NUMBER_CUT, /* the bytes end inside it */
    NUMBER_BAD  /* more than 10 bytes or more than 64 bits */
} number_state_t;

static number_state_t take_number(apr_uint64_t *out, const unsigned char **pos,
                                  const unsigned char *end)
{
    const unsigned char *p = *pos;
    apr_uint64_t value = 0;
    int i;

    for (i = 0; i < NUMBER_MAX; i++) {
        if (p == end)
            return NUMBER_CUT;
        if (value > UINT64_MAX >> 7)
            return NUMBER_BAD;
        value = value << 7 | (*p & 0x7f);
        if (!(*p++ & 0x80)) {
            *out = value;
            *pos = p;
            return NUMBER_OK;
        }
    }
    return NUMBER_BAD;
}

/*
 * The same for lengths and offsets of instructions: NULL if it is no number
 * of 32 bits, which none of them can exceed. Returns the position behind it.
 */
static inline const unsigned char *take_short(apr_uint32_t *out,
                                              const unsigned char *p,
                                              const unsigned char *end)
{
    apr_uint64_t value = 0;
    int i;

    for (i = 0; i < NUMBER_MAX && p < end; i++) {
        value = value << 7 | (*p & 0x7f);
        if (value > UINT32_MAX)
            return NULL;
        if (!(*p++ & 0x80)) {
            *out = (apr_uint32_t)value;
            return p;
        }
    }
    return NULL;
}

/* --- Heads --- */

fs_error_t *fs_svndiff_magic_parse(int *version, const char *data,
                                   apr_size_t len)
{
    if (len < FS_SVNDIFF_MAGIC_LEN)
        return FS_ERROR(FS_ERR_SVNDIFF_END,
                        "svndiff data ends inside its header");
    if (memcmp(data, "SVN", 3) != 0)
        return FS_ERROR(FS_ERR_SVNDIFF_HEADER,
                        "svndiff data does not begin with \"SVN\"");
    if ((unsigned char)data[3] > 2)
        return FS_ERROR(FS_ERR_SVNDIFF_HEADER,
                        "svndiff version %d is unknown, 0 to 2 are known",
                        (unsigned char)data[3]);
    *version = (unsigned char)data[3];
    return NULL;
}

static fs_error_t *check_limit(const char *what, apr_uint64_t value,
                               apr_uint64_t limit)
{
    if (value <= limit)
        return NULL;
    return FS_ERROR(FS_ERR_SVNDIFF_WINDOW,
                    "%s of svndiff window is %" APR_UINT64_T_FMT
                    ", the limit is %" APR_UINT64_T_FMT,
                    what, value, limit);
}

static fs_error_t *check_head(const apr_uint64_t number[5])
{
    FS_TRY(check_limit("source view length", number[1], FS_DELTA_WINDOW_MAX));
    FS_TRY(check_limit("source view offset", number[0],
                       (apr_uint64_t)INT64_MAX - number[1]));
    FS_TRY(check_limit("target length", number[2], FS_DELTA_WINDOW_MAX));
    FS_TRY(check_limit("instruction section length", number[3],
                       FS_SVNDIFF_INS_MAX));
    return check_limit("new data section length", number[4],
                       FS_SVNDIFF_NEW_MAX);
}

/* Sets `*complete`; false without an error means that bytes are missing. */
static fs_error_t *read_head(fs_svndiff_head_t *head, bool *complete,
                             const char *data, apr_size_t len)
{
    const unsigned char *begin = (const unsigned char *)data;
    const unsigned char *p = begin;
    apr_uint64_t number[5];
    int i;

    *complete = false;
    for (i = 0; i < 5; i++) {
        number_state_t state = take_number(&number[i], &p, begin + len);

        if (state == NUMBER_CUT)
            return NULL;
        if (state == NUMBER_BAD)
            return FS_ERROR(FS_ERR_SVNDIFF_WINDOW,
                            "number %d of svndiff window has more than 64 bits",
                            i + 1);
    }
    FS_TRY(check_head(number));
    head->source_offset = number[0];
    head->source_len = (apr_uint32_t)number[1];
    head->target_len = (apr_uint32_t)number[2];
    head->ins_len = (apr_uint32_t)number[3];
    head->new_len = (apr_uint32_t)number[4];
    head->head_len = (apr_uint32_t)(p - begin);
    *complete = true;
    return NULL;
}

static fs_error_t *window_is_cut(void)
{
    return FS_ERROR(FS_ERR_SVNDIFF_END, "svndiff data ends inside a window");
}

fs_error_t *fs_svndiff_head_parse(fs_svndiff_head_t *head, const char *data,
                                  apr_size_t len)
{
    bool complete;

    FS_TRY(read_head(head, &complete, data, len));
    return complete ? NULL : window_is_cut();
}

/* --- Sections --- */

/* Expand compressed bytes to exactly `len` bytes at `out`. */
static fs_error_t *expand(char *out, apr_size_t len, const char *in,
                          apr_size_t in_len, int version)
{
    apr_size_t made = len;

    if (version == 1)
        FS_TRY(fs_zlib_inflate_upto(out, &made, in, in_len));
    else
        FS_TRY(fs_lz4_expand_upto(out, &made, in, in_len));
    if (made != len)
        return FS_ERROR(FS_ERR_SVNDIFF_COMPRESSED,
                        "svndiff section expands to %" APR_SIZE_T_FMT
                        " bytes, its stated length is %" APR_SIZE_T_FMT,
                        made, len);
    return NULL;
}

/* Bytes of a section as they were before encoding: `out` points into the
 * section where it is verbatim, else into `block`. */
static fs_error_t *read_section(fs_bytes_t *out, const char *data,
                                apr_size_t len, int version, apr_size_t limit,
                                block_t *block, apr_pool_t *pool)
{
    const unsigned char *p = (const unsigned char *)data;
    const unsigned char *end = p + len;
    apr_uint64_t full = len;

    if (version > 0) {
        if (take_number(&full, &p, end) != NUMBER_OK)
            return FS_ERROR(FS_ERR_SVNDIFF_COMPRESSED,
                            "svndiff section does not begin with its length");
        if (full > limit)
            return FS_ERROR(FS_ERR_SVNDIFF_COMPRESSED,
                            "svndiff section of %" APR_UINT64_T_FMT
                            " bytes, the limit is %" APR_SIZE_T_FMT,
                            full, limit);
    }
    out->data = (const char *)p;
    out->len = (apr_size_t)full;
    if (full == (apr_uint64_t)(end - p))
        return NULL;
    out->data = block_reserve(block, out->len, 0, pool);
    return expand(block->data, out->len, (const char *)p, (apr_size_t)(end - p),
                  version);
}

/* --- Instructions --- */

/* Take the instruction at `p`; returns the position behind it, NULL if it
 * cannot be decoded. `offset` of new data is left to the caller. */
static inline const unsigned char *take_op(fs_delta_op_t *op,
                                           const unsigned char *p,
                                           const unsigned char *end)
{
    unsigned int action = *p >> 6;

    op->length = *p++ & 0x3f;
    if (action > FS_DELTA_NEW)
        return NULL;
    op->action = (fs_delta_action_t)action;
    if (op->length == 0)
        p = take_short(&op->length, p, end);
    if (p && action != FS_DELTA_NEW)
        p = take_short(&op->offset, p, end);
    return p;
}

/* What is wrong with the instruction, or NULL. `made` and `used` are the
 * target and new data bytes that come from the instructions before it. */
static inline const char *op_fault(const fs_delta_op_t *op,
                                   const fs_delta_window_t *window,
                                   apr_uint32_t made, apr_uint32_t used)
{
    if (op->length == 0)
        return "has length zero";
    if (op->length > window->target_len - made)
        return "overflows the target view";
    switch (op->action) {
    case FS_DELTA_SOURCE:
        if (op->offset > window->source_len ||
            op->length > window->source_len - op->offset)
            return "overflows the source view";
        break;
    case FS_DELTA_TARGET:
        if (op->offset >= made)
            return "copies target bytes that are not made yet";
        break;
    case FS_DELTA_NEW:
        if (op->length > window->new_len - used)
            return "takes more new data than there is";
        break;
    }
    return NULL;
}

static fs_error_t *bad_op(apr_uint32_t index, const char *fault)
{
    return FS_ERROR(FS_ERR_SVNDIFF_OPS, "svndiff instruction %u %s", index,
                    fault);
}

static fs_error_t *check_totals(const fs_delta_window_t *window,
                                apr_uint32_t made, apr_uint32_t used)
{
    if (made != window->target_len)
        return FS_ERROR(FS_ERR_SVNDIFF_OPS,
                        "svndiff instructions make %u bytes of a target of %u",
                        made, window->target_len);
    if (used != window->new_len)
        return FS_ERROR(FS_ERR_SVNDIFF_OPS,
                        "svndiff instructions use %u bytes of new data of %u",
                        used, window->new_len);
    return NULL;
}

/* Decode and check all instructions; the lengths in `window` are set. */
static fs_error_t *read_ops(fs_delta_window_t *window, fs_bytes_t ins,
                            block_t *block, apr_pool_t *pool)
{
    const unsigned char *p = (const unsigned char *)ins.data;
    const unsigned char *end = p + ins.len;
    apr_size_t room = ins.len / 3 + 4; /* a copy takes three bytes or so */
    apr_uint32_t made = 0, used = 0, count = 0;
    fs_delta_op_t *ops = block_reserve(block, room * sizeof(*ops), 0, pool);

    room = block->room / sizeof(*ops);
    while (p < end) {
        const char *fault;

        if (count == room) {
            ops = block_reserve(block, block->room + sizeof(*ops),
                                count * sizeof(*ops), pool);
            room = block->room / sizeof(*ops);
        }
        p = take_op(&ops[count], p, end);
        if (!p)
            return bad_op(count, "cannot be decoded");
        fault = op_fault(&ops[count], window, made, used);
        if (fault)
            return bad_op(count, fault);
        made += ops[count].length;
        if (ops[count].action == FS_DELTA_NEW) {
            ops[count].offset = used;
            used += ops[count].length;
        }
        count++;
    }
    window->ops = ops;
    window->op_count = count;
    return check_totals(window, made, used);
}

fs_error_t *fs_svndiff_body_parse(fs_delta_window_t *window,
                                  const fs_svndiff_head_t *head, int version,
                                  const char *body,
                                  fs_svndiff_buffers_t *buffers)
{
    fs_bytes_t ins, fresh;

    FS_TRY(read_section(&ins, body, head->ins_len, version, FS_SVNDIFF_INS_MAX,
                        &buffers->ins, buffers->pool));
    /* Verbatim new data of version 0 may pass the window's length by the ten
     * bytes that the encoded section may; it then is more than is used. */
    FS_TRY(read_section(&fresh, body + head->ins_len, head->new_len, version,
                        FS_DELTA_WINDOW_MAX, &buffers->fresh, buffers->pool));
    window->source_offset = head->source_offset;
    window->source_len = head->source_len;
    window->target_len = head->target_len;
    window->new_data = fresh.data;
    window->new_len = (apr_uint32_t)fresh.len;
    return read_ops(window, ins, &buffers->ops, buffers->pool);
}

fs_error_t *fs_svndiff_window_parse(fs_delta_window_t *window, apr_size_t *used,
                                    int version, const char *data,
                                    apr_size_t len, apr_pool_t *result)
{
    fs_svndiff_buffers_t buffers = { 0 };
    fs_svndiff_head_t head;
    const char *body;

    assert(version >= 0 && version <= 2);
    buffers.pool = result;
    FS_TRY(fs_svndiff_head_parse(&head, data, len));
    if (fs_svndiff_body_len(&head) > len - head.head_len)
        return window_is_cut();
    body = data + head.head_len;
    FS_TRY(fs_svndiff_body_parse(window, &head, version, body, &buffers));
    if (window->new_data != buffers.fresh.data) /* it lies in `data` */
        window->new_data =
            apr_pmemdup(result, window->new_data, window->new_len);
    *used = head.head_len + fs_svndiff_body_len(&head);
    return NULL;
}

fs_error_t *fs_svndiff_slide(fs_svndiff_slide_t *slide,
                             const fs_svndiff_head_t *head)
{
    apr_uint64_t behind = head->source_offset + head->source_len;

    if (head->source_len == 0)
        return NULL;
    if (head->source_offset < slide->floor || behind < slide->ceiling)
        return FS_ERROR(FS_ERR_SVNDIFF_BACKWARD,
                        "source view of svndiff window at %" APR_UINT64_T_FMT
                        " slides backwards from %" APR_UINT64_T_FMT,
                        head->source_offset, slide->floor);
    slide->floor = head->source_offset;
    slide->ceiling = behind;
    return NULL;
}

/* --- Streams --- */

typedef struct reader_t {
    fs_stream_t *in;
    fs_svndiff_buffers_t *buffers;
    apr_pool_t *pool;
    block_t block;    /* input; what is not consumed lies at start to end */
    apr_size_t start; /* offsets in `block` */
    apr_size_t end;   /* equal to start: nothing is left */
    bool at_end;      /* the input has ended */
    int version;      /* -1 until the header was read */
    fs_svndiff_slide_t slide;
    fs_delta_window_t window;
} reader_t;

static apr_size_t reader_left(const reader_t *reader)
{
    return reader->end - reader->start;
}

/* Have `need` bytes at `start`, or all there are. */
static fs_error_t *reader_fill(reader_t *reader, apr_size_t need)
{
    while (reader_left(reader) < need && !reader->at_end) {
        apr_size_t left = reader_left(reader);
        apr_size_t len;
        char *data = reader->block.data;

        if (reader->start + need > reader->block.room || left == 0) {
            apr_size_t room = need > READ_STEP ? need : READ_STEP;

            if (left && reader->start)
                memmove(data, data + reader->start, left);
            reader->start = 0;
            reader->end = left;
            data = block_reserve(&reader->block, room, left, reader->pool);
        }
        len = reader->block.room - reader->end;
        FS_TRY(fs_stream_read(reader->in, data + reader->end, &len));
        reader->at_end = len == 0;
        reader->end += len;
    }
    return NULL;
}

static const char *reader_pos(const reader_t *reader)
{
    return (const char *)reader->block.data + reader->start;
}

static fs_error_t *reader_begin(reader_t *reader)
{
    FS_TRY(reader_fill(reader, FS_SVNDIFF_MAGIC_LEN));
    FS_TRY(fs_svndiff_magic_parse(&reader->version, reader_pos(reader),
                                  reader_left(reader)));
    reader->start += FS_SVNDIFF_MAGIC_LEN;
    return NULL;
}

/* Asks for no byte behind the window: it may be long in coming. */
static fs_error_t *reader_head(reader_t *reader, fs_svndiff_head_t *head)
{
    for (;;) {
        apr_size_t left = reader_left(reader);
        bool complete;

        FS_TRY(read_head(head, &complete, reader_pos(reader), left));
        if (complete)
            return NULL;
        FS_TRY(reader_fill(reader, left + 1));
        if (reader_left(reader) == left)
            return window_is_cut();
    }
}

static fs_error_t *reader_next(const fs_delta_window_t **window, void *baton)
{
    reader_t *reader = baton;
    fs_svndiff_head_t head;
    apr_size_t need;

    if (reader->version < 0)
        FS_TRY(reader_begin(reader));
    FS_TRY(reader_fill(reader, 1));
    if (reader_left(reader) == 0) {
        *window = NULL;
        return fs_stream_close(reader->in);
    }
    FS_TRY(reader_head(reader, &head));
    FS_TRY(fs_svndiff_slide(&reader->slide, &head));
    need = head.head_len + fs_svndiff_body_len(&head);
    FS_TRY(reader_fill(reader, need));
    if (reader_left(reader) < need)
        return window_is_cut();
    FS_TRY(fs_svndiff_body_parse(&reader->window, &head, reader->version,
                                 reader_pos(reader) + head.head_len,
                                 reader->buffers));
    reader->start += need;
    *window = &reader->window;
    return NULL;
}

fs_delta_stream_t *fs_svndiff_read(fs_stream_t *svndiff, apr_pool_t *result)
{
    reader_t *reader = apr_pcalloc(result, sizeof(*reader));

    reader->in = svndiff;
    reader->buffers = fs_svndiff_buffers_create(result);
    reader->pool = result;
    reader->version = -1;
    return fs_delta_stream_create(reader_next, reader, result);
}
