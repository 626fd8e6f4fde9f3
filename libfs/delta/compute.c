/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matcher: windows that make one text from another.
 *
 * What both texts have in common at their begin and end is taken first; that
 * is all of an unchanged window and most of an edited one. For the rest, the
 * source view is cut into blocks whose hashes go into a table, and a hash
 * that rolls over the target a byte at a time finds blocks anywhere. Matches
 * are extended in both directions, so that their length does not depend on
 * where blocks happen to begin.
 */

#include "libfs/delta/compute.h"

#include <assert.h>
#include <string.h>

#include <apr_pools.h>

/* Bytes a block. Runs that two texts share are found for certain if they are
 * twice as long; shorter blocks find more and make a larger table. */
#define BLOCK 32

/* A copy takes some five bytes of instructions and splits the new data. */
#define MATCH_MIN 16

/* How far behind a match the texts may agree again at the same distance. */
#define RESYNC_MAX 24

/* Texts are first read up to here: most are shorter than a window. */
#define FIRST_READ 16384

/* An odd number of 32 bits and its power BLOCK (modulo 2^32), checked below,
 * and the multiplier that spreads a hash over all bits. */
#define HASH_MULTIPLIER 0x2c9277b5U
#define HASH_SPREAD 0x9e3779b1U

/* A text, or a window of it. */
typedef struct view_t {
    const char *data;
    apr_uint32_t len;
} view_t;

struct fs_delta_matcher_t {
    view_t source;
    view_t target;
    char *fresh; /* the begin of the target: new data is gathered there, behind
                    the scan */
    apr_pool_t *pool;
    apr_uint32_t *table;     /* 16 bits of hash, then number of block + 1 */
    apr_size_t table_room;   /* entries allocated */
    unsigned int table_bits; /* entries in use are 2 to this */
    apr_uint32_t table_base; /* where the first block begins */
    fs_delta_op_t *ops;
    apr_size_t ops_room;
    fs_delta_window_t window;
};

typedef fs_delta_matcher_t matcher_t;

/* --- Instructions --- */

static void put_op(matcher_t *m, fs_delta_action_t action, apr_uint32_t offset,
                   apr_uint32_t length)
{
    fs_delta_window_t *window = &m->window;
    fs_delta_op_t *op;

    if (window->op_count == m->ops_room) {
        apr_size_t room = m->ops_room ? m->ops_room * 2 : 16;

        op = apr_palloc(m->pool, room * sizeof(*op));
        if (window->op_count)
            memcpy(op, m->ops, window->op_count * sizeof(*op));
        m->ops = op;
        m->ops_room = room;
    }
    op = &m->ops[window->op_count++];
    op->action = action;
    op->offset = offset;
    op->length = length;
    window->ops = m->ops;
}

/* The bytes from `from` to `to` of the target are new. They move up to those
 * before them: nothing in front of `to` is compared any more. */
static void put_new(matcher_t *m, apr_uint32_t from, apr_uint32_t to)
{
    fs_delta_window_t *window = &m->window;

    if (from == to)
        return;
    if (window->new_len != from)
        memmove(m->fresh + window->new_len, m->fresh + from, to - from);
    put_op(m, FS_DELTA_NEW, window->new_len, to - from);
    window->new_len += to - from;
}

/* A copy; one that goes on where the last instruction ends is joined to it. */
static void put_copy(matcher_t *m, apr_uint32_t offset, apr_uint32_t length)
{
    fs_delta_window_t *window = &m->window;

    if (length == 0)
        return;
    if (window->op_count) {
        fs_delta_op_t *last = &m->ops[window->op_count - 1];

        if (last->action == FS_DELTA_SOURCE &&
            last->offset + last->length == offset) {
            last->length += length;
            return;
        }
    }
    put_op(m, FS_DELTA_SOURCE, offset, length);
}

/* --- Comparing --- */

static inline apr_uint64_t word_at(const char *p)
{
    apr_uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

/* Number of equal bytes at the begin of both, `max` at most. */
static apr_uint32_t equal_forward(const char *a, const char *b,
                                  apr_uint32_t max)
{
    apr_uint32_t n = 0;

    while (n + 8 <= max && word_at(a + n) == word_at(b + n))
        n += 8;
    while (n < max && a[n] == b[n])
        n++;
    return n;
}

/* Number of equal bytes in front of both, `max` at most. */
static apr_uint32_t equal_backward(const char *a, const char *b,
                                   apr_uint32_t max)
{
    apr_uint32_t n = 0;

    while (n + 8 <= max && word_at(a - n - 8) == word_at(b - n - 8))
        n += 8;
    while (n < max && *(a - n - 1) == *(b - n - 1))
        n++;
    return n;
}

static apr_uint32_t smaller(apr_uint32_t a, apr_uint32_t b)
{
    return a < b ? a : b;
}

/* --- The table of blocks --- */

static inline apr_uint32_t byte_at(const char *p)
{
    return (unsigned char)*p;
}

static apr_uint32_t block_hash(const char *p)
{
    apr_uint32_t hash = 0;
    int i;

    for (i = 0; i < BLOCK; i++)
        hash = hash * HASH_MULTIPLIER + byte_at(p + i);
    return hash;
}

/* What the byte that leaves the rolling block is worth. */
static apr_uint32_t leaving_factor(void)
{
    apr_uint32_t factor = 1;
    int i;

    for (i = 0; i < BLOCK; i++)
        factor *= HASH_MULTIPLIER;
    return factor;
}

static void table_size(matcher_t *m, apr_uint32_t blocks)
{
    apr_size_t entries;

    m->table_bits = 6;
    while ((1U << m->table_bits) < blocks * 2)
        m->table_bits++;
    entries = (apr_size_t)1 << m->table_bits;
    if (entries > m->table_room) {
        m->table = apr_palloc(m->pool, entries * sizeof(*m->table));
        m->table_room = entries;
    }
    memset(m->table, 0, entries * sizeof(*m->table));
}

/* Enter the blocks between two places of the source view. Of equal ones the
 * first stays: a match goes on from it through those that follow. */
static void table_fill(matcher_t *m, apr_uint32_t from, apr_uint32_t to)
{
    apr_uint32_t blocks = (to - from) / BLOCK;
    apr_uint32_t i;

    assert(blocks < 0xffff);
    table_size(m, blocks);
    m->table_base = from;
    for (i = 0; i < blocks; i++) {
        const char *block = m->source.data + from + i * BLOCK;
        apr_uint32_t spread = block_hash(block) * HASH_SPREAD;
        apr_uint32_t *entry = &m->table[spread >> (32 - m->table_bits)];

        if (!*entry)
            *entry = spread << 16 | (i + 1);
    }
}

/* --- Searching --- */

/* A range that both texts have. */
typedef struct match_t {
    apr_uint32_t from; /* in the source view */
    apr_uint32_t to;   /* in the target */
    apr_uint32_t len;  /* 0: none */
} match_t;

/* Where the scan of the target stands. */
typedef struct scan_t {
    apr_uint32_t pos;    /* next byte to look at */
    apr_uint32_t anchor; /* bytes before this one have instructions */
    apr_uint32_t end;    /* of what is to be scanned */
    apr_uint32_t behind; /* in the source view, behind the last match */
} scan_t;

/* The match that begins with the block at `from` and at `pos`, if it is one. */
static match_t match_at(const matcher_t *m, const scan_t *scan,
                        apr_uint32_t from, apr_uint32_t pos)
{
    match_t match = { from, pos, 0 };
    apr_uint32_t max;

    if (from >= m->source.len)
        return match;
    max = smaller(m->source.len - from, scan->end - pos);
    match.len = equal_forward(m->source.data + from, m->target.data + pos, max);
    return match;
}

/* Take up the match: instructions for what lies before it and for itself. */
static void take_match(matcher_t *m, scan_t *scan, match_t match)
{
    apr_uint32_t more =
        equal_backward(m->source.data + match.from, m->target.data + match.to,
                       smaller(match.from, match.to - scan->anchor));

    put_new(m, scan->anchor, match.to - more);
    put_copy(m, match.from - more, match.len + more);
    scan->pos = match.to + match.len;
    scan->anchor = scan->pos;
    scan->behind = match.from + match.len;
}

/* Bytes that were replaced by as many others: look for the texts to agree
 * again at the same distance from each other. */
static bool resync(matcher_t *m, scan_t *scan)
{
    apr_uint32_t k;

    for (k = 1; k <= RESYNC_MAX; k++) {
        match_t match;

        if (scan->pos + k + MATCH_MIN > scan->end ||
            scan->behind + k + MATCH_MIN > m->source.len)
            return false;
        if (word_at(m->source.data + scan->behind + k) !=
            word_at(m->target.data + scan->pos + k))
            continue;
        match = match_at(m, scan, scan->behind + k, scan->pos + k);
        if (match.len >= MATCH_MIN) {
            take_match(m, scan, match);
            return true;
        }
    }
    return false;
}

/* The better of the block that the table names and the place where the text
 * would go on if as many bytes were replaced as passed by. */
static match_t choose(const matcher_t *m, const scan_t *scan, apr_uint32_t from)
{
    match_t found = match_at(m, scan, from, scan->pos);
    match_t straight =
        match_at(m, scan, scan->behind + (scan->pos - scan->anchor), scan->pos);

    return straight.len >= found.len ? straight : found;
}

/* Roll on to the next block that the table has; false at the end. */
static bool find_match(const matcher_t *m, scan_t *scan, match_t *match)
{
    const char *text = m->target.data;
    const apr_uint32_t leaving = leaving_factor();
    const unsigned int shift = 32 - m->table_bits;
    apr_uint32_t hash;

    if (scan->end - scan->pos < BLOCK)
        return false;
    hash = block_hash(text + scan->pos);
    for (;;) {
        apr_uint32_t spread = hash * HASH_SPREAD;
        apr_uint32_t entry = m->table[spread >> shift];

        if ((entry ^ spread << 16) >> 16 == 0 && (entry & 0xffff)) {
            apr_uint32_t block = (entry & 0xffff) - 1;

            *match = choose(m, scan, m->table_base + block * BLOCK);
            if (match->len >= BLOCK)
                return true;
        }
        if (scan->end - scan->pos <= BLOCK)
            return false;
        hash = hash * HASH_MULTIPLIER + byte_at(text + scan->pos + BLOCK) -
               byte_at(text + scan->pos) * leaving;
        scan->pos++;
    }
}

/* --- One window --- */

/*
 * Which part of the source view goes into the table for a rest of the target
 * from `head` to its end without `tail` bytes: what lies in its place, and
 * around it in proportion. A small edit does not pay for the whole view.
 */
static void fill_for(matcher_t *m, apr_uint32_t head, apr_uint32_t tail)
{
    apr_uint32_t around = 8 * (m->target.len - head - tail) + 1024;
    apr_uint32_t from = head > around ? head - around : 0;
    apr_uint32_t to = m->source.len - (tail > around ? tail - around : 0);

    table_fill(m, from, to);
}

static void match_middle(matcher_t *m, apr_uint32_t head, apr_uint32_t tail)
{
    scan_t scan = { head, head, m->target.len - tail, head };
    match_t match;

    if (scan.end - scan.pos >= MATCH_MIN && m->source.len >= BLOCK) {
        if (head)
            while (resync(m, &scan))
                ;
        if (scan.end - scan.pos >= BLOCK)
            fill_for(m, head, tail);
        while (find_match(m, &scan, &match)) {
            take_match(m, &scan, match);
            while (resync(m, &scan))
                ;
        }
    }
    put_new(m, scan.anchor, scan.end);
}

static void match_window(matcher_t *m)
{
    const view_t *source = &m->source, *target = &m->target;
    apr_uint32_t max = smaller(source->len, target->len);
    apr_uint32_t head = equal_forward(source->data, target->data, max);
    apr_uint32_t tail;

    if (head < MATCH_MIN && head < target->len)
        head = 0;
    tail = equal_backward(source->data + source->len,
                          target->data + target->len, max - head);
    if (tail < MATCH_MIN && head + tail < target->len)
        tail = 0;
    put_copy(m, 0, head);
    match_middle(m, head, tail);
    put_copy(m, source->len - tail, tail);
}

fs_delta_matcher_t *fs_delta_matcher_create(apr_pool_t *result)
{
    matcher_t *m = apr_pcalloc(result, sizeof(*m));

    m->pool = result;
    return m;
}

void fs_delta_compute_window(fs_delta_window_t *window,
                             fs_delta_matcher_t *matcher,
                             apr_uint64_t source_offset, const char *source,
                             apr_uint32_t source_len, char *target,
                             apr_uint32_t target_len)
{
    fs_delta_window_t *made = &matcher->window;

    assert(target_len > 0 && target_len <= FS_DELTA_WINDOW_MAX);
    assert(source_len <= FS_DELTA_WINDOW_MAX);
    matcher->source.data = source;
    matcher->source.len = source_len;
    matcher->target.data = target;
    matcher->target.len = target_len;
    matcher->fresh = target;
    memset(made, 0, sizeof(*made));
    made->source_offset = source_offset;
    made->source_len = source_len;
    made->target_len = target_len;
    made->new_data = target;
    if (source_len)
        match_window(matcher);
    else
        put_new(matcher, 0, target_len);
    *window = *made;
}

/* --- Streams --- */

/* A text as far as the window needs it. */
typedef struct text_t {
    fs_stream_t *stream; /* NULL: the empty text */
    char *data;
    apr_uint32_t len;
    apr_uint32_t room; /* <= FS_DELTA_WINDOW_MAX */
    bool at_end;
} text_t;

typedef struct pair_t {
    text_t source;
    text_t target;
    apr_uint64_t source_pos; /* where the source view begins */
    apr_pool_t *pool;
    fs_delta_matcher_t *matcher;
    fs_delta_window_t window;
} pair_t;

/* Read the next window of the text, as much as there is of it. */
static fs_error_t *text_read(text_t *text, apr_pool_t *pool)
{
    text->len = 0;
    while (text->stream && !text->at_end && text->len < FS_DELTA_WINDOW_MAX) {
        apr_size_t len;

        if (text->len == text->room) {
            apr_uint32_t room = text->room ? FS_DELTA_WINDOW_MAX : FIRST_READ;
            char *data = apr_palloc(pool, room);

            if (text->len)
                memcpy(data, text->data, text->len);
            text->data = data;
            text->room = room;
        }
        len = text->room - text->len;
        FS_TRY(fs_stream_read_full(text->stream, text->data + text->len, &len));
        text->len += (apr_uint32_t)len;
        text->at_end = text->len < text->room;
    }
    return NULL;
}

static fs_error_t *text_close(text_t *text)
{
    text->at_end = true;
    return text->stream ? fs_stream_close(text->stream) : NULL;
}

static fs_error_t *pair_next(const fs_delta_window_t **window, void *baton)
{
    pair_t *pair = baton;

    FS_TRY(text_read(&pair->target, pair->pool));
    if (pair->target.len == 0) {
        *window = NULL;
        FS_TRY(text_close(&pair->target));
        return text_close(&pair->source);
    }
    pair->source_pos += pair->source.len;
    FS_TRY(text_read(&pair->source, pair->pool));
    fs_delta_compute_window(&pair->window, pair->matcher, pair->source_pos,
                            pair->source.data, pair->source.len,
                            pair->target.data, pair->target.len);
    *window = &pair->window;
    return NULL;
}

fs_delta_stream_t *fs_delta_compute(fs_stream_t *source, fs_stream_t *target,
                                    apr_pool_t *result)
{
    pair_t *pair = apr_pcalloc(result, sizeof(*pair));

    pair->source.stream = source;
    pair->target.stream = target;
    pair->pool = result;
    pair->matcher = fs_delta_matcher_create(result);
    return fs_delta_stream_create(pair_next, pair, result);
}
