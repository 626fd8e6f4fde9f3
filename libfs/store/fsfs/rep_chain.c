/* SPDX-License-Identifier: Apache-2.0 */
/* Representations and their bases, read window by window. */

#include "libfs/store/fsfs/rep_chain.h"

#include <assert.h>
#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/delta/compose.h"
#include "libfs/delta/svndiff_read.h"

/* Windows that are put together at once; longer chains are folded. */
#define STACK_MAX 32

/* Links that keep their file; those below open it for each window. */
#define HELD_MAX 24

/* Bytes that are read of a window before its length is known. What is left is
 * often no more, and then it is the last window. */
#define FIRST_READ 4096

/* Links that are decoded the general way, each with buffers of its own. */
#define GENERAL_MAX 64

typedef struct link_t {
    fs_rep_place_t place;
    fs_rep_header_t header;
    fs_item_t item;
    bool held;           /* `item` stays open between windows */
    int version;         /* of svndiff */
    apr_uint64_t pos;    /* of the next window in the stored data */
    apr_uint64_t number; /* of the next window */
    apr_uint64_t target; /* bytes that the windows before it produce */
} link_t;

/* The sum of the top link's item, as far as it was read. */
typedef struct sum_t {
    bool active;
    apr_uint32_t expected;
    fs_fnv_t fnv;
} sum_t;

/* What a window on the stack lives in. */
typedef struct slot_t {
    fs_svndiff_buffers_t *buffers;
    char *body; /* encoded window */
    apr_size_t room;
} slot_t;

struct fs_rep_chain_t {
    fs_fsfs_t *fsfs;
    apr_pool_t *pool;
    apr_pool_t *scratch; /* cleared at each window */
    link_t **links;
    int count;
    int room;
    sum_t sum;
    slot_t slots[STACK_MAX];
    fs_delta_window_t windows[STACK_MAX];
    char *source; /* FS_DELTA_WINDOW_MAX bytes, when there is a plain base */
    fs_delta_chain_buffers_t *apply;
    fs_delta_chain_buffers_t *fold;
};

static void hold_end(link_t *link)
{
    if (!link->held)
        fs_item_close(&link->item);
}

static fs_error_t *hold_begin(fs_rep_chain_t *chain, link_t *link)
{
    if (link->item.file)
        return NULL;
    return fs_item_open(&link->item, chain->fsfs, link->place.rev,
                        link->place.item, chain->scratch);
}

/* Read up to `*len` bytes of the stored data from `pos` on. */
static fs_error_t *read_data(const link_t *link, apr_uint64_t pos, char *buf,
                             apr_size_t *len)
{
    apr_size_t wanted;

    if (*len > link->place.length - pos)
        *len = (apr_size_t)(link->place.length - pos);
    wanted = *len;
    FS_TRY(fs_item_read(&link->item, link->header.header_len + pos, buf, len));
    if (*len < wanted)
        return FS_ERROR(FS_ERR_CORRUPT, "the representation ends early");
    return NULL;
}

static fs_error_t *read_header(link_t *link)
{
    char buf[FS_REP_HEADER_SIZE + FS_SVNDIFF_MAGIC_LEN];
    apr_size_t len = sizeof(buf);

    FS_TRY(fs_item_read(&link->item, 0, buf, &len));
    FS_TRY(fs_rep_header_parse(&link->header, buf, len));
    len -= link->header.header_len;
    if (link->header.kind == FS_REP_PLAIN)
        return NULL;
    if (len > link->place.length)
        len = (apr_size_t)link->place.length;
    FS_TRY(fs_svndiff_magic_parse(&link->version, buf + link->header.header_len,
                                  len));
    link->pos = FS_SVNDIFF_MAGIC_LEN;
    return NULL;
}

static fs_error_t *wrap_link(fs_error_t *err, const link_t *link)
{
    return err ? fs_item_wrap(err, link->place.rev, link->place.item) : NULL;
}

static fs_error_t *add_link(fs_rep_chain_t *chain, const fs_rep_place_t *place)
{
    link_t *link = apr_pcalloc(chain->pool, sizeof(*link));

    link->place = *place;
    link->held = chain->count < HELD_MAX;
    FS_TRY(hold_begin(chain, link));
    if (chain->count == chain->room) {
        int room = chain->room ? chain->room * 2 : 8;
        link_t **links =
            apr_palloc(chain->pool, (apr_size_t)room * sizeof(*links));

        if (chain->count)
            memcpy(links, chain->links,
                   (apr_size_t)chain->count * sizeof(*links));
        chain->links = links;
        chain->room = room;
    }
    chain->links[chain->count++] = link;
    return wrap_link(read_header(link), link);
}

/* Link number `n`, which is the base of the one above it. */
static fs_error_t *get_link(link_t **link, fs_rep_chain_t *chain, int n)
{
    if (n == chain->count) {
        const link_t *above = chain->links[n - 1];
        fs_rep_place_t base = { above->header.base_rev, above->header.base_item,
                                above->header.base_length };

        if (n >= FS_REP_CHAIN_MAX)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "a chain of deltas has more than %d links",
                            FS_REP_CHAIN_MAX);
        if (base.rev > above->place.rev)
            return wrap_link(FS_ERROR(FS_ERR_CORRUPT,
                                      "its delta base is in r%" FS_REV_FMT,
                                      base.rev),
                             above);
        FS_TRY(add_link(chain, &base));
        hold_end(chain->links[n]);
    }
    *link = chain->links[n];
    return NULL;
}

void fs_rep_chain_close(fs_rep_chain_t *chain)
{
    int i;

    for (i = 0; i < chain->count; i++)
        fs_item_close(&chain->links[i]->item);
}

static apr_status_t close_with_pool(void *data)
{
    fs_rep_chain_close(data);
    return APR_SUCCESS;
}

fs_error_t *fs_rep_chain_open(fs_rep_chain_t **chain, fs_fsfs_t *fsfs,
                              const fs_rep_place_t *place, apr_pool_t *result)
{
    fs_rep_chain_t *c = apr_pcalloc(result, sizeof(*c));

    c->fsfs = fsfs;
    c->pool = result;
    apr_pool_create(&c->scratch, result);
    apr_pool_pre_cleanup_register(result, c, close_with_pool);
    FS_TRY(add_link(c, place));
    *chain = c;
    return NULL;
}

const fs_rep_header_t *fs_rep_chain_header(const fs_rep_chain_t *chain)
{
    return &chain->links[0]->header;
}

/* --- The sum --- */

/* Add what lies from `at` to `end` in the item. */
static fs_error_t *add_stored(fs_rep_chain_t *chain, apr_uint64_t at,
                              apr_uint64_t end)
{
    const link_t *link = chain->links[0];
    char buf[FS_REP_HEADER_SIZE];

    while (at < end) {
        apr_size_t len =
            end - at < sizeof(buf) ? (apr_size_t)(end - at) : sizeof(buf);

        FS_TRY(fs_item_read(&link->item, at, buf, &len));
        if (!len)
            break; /* the sum will tell */
        fs_fnv_update(&chain->sum.fnv, buf, len);
        at += len;
    }
    return NULL;
}

fs_error_t *fs_rep_chain_sum(bool *summed, fs_rep_chain_t *chain)
{
    link_t *link = chain->links[0];
    fs_error_t *err;

    *summed = false;
    if (link->header.kind == FS_REP_DELTA)
        return NULL;
    fs_fnv_init(&chain->sum.fnv);
    err = fs_item_expect(summed, &chain->sum.expected, &link->item,
                         FS_ITEM_UNUSED, chain->scratch);
    if (!err && *summed)
        err = add_stored(chain, 0, link->header.header_len + link->pos);
    chain->sum.active = *summed;
    return wrap_link(err, link);
}

fs_error_t *fs_rep_chain_sum_check(fs_rep_chain_t *chain)
{
    const link_t *link = chain->links[0];

    FS_TRY(add_stored(chain, link->header.header_len + link->place.length,
                      link->item.end - link->item.offset));
    return wrap_link(
        fs_item_compare(fs_fnv_finish(&chain->sum.fnv), chain->sum.expected),
        link);
}

/* --- Windows --- */

/* Read the head of the next window; false in `*more` at the end. */
static fs_error_t *read_head(fs_svndiff_head_t *head, bool *more,
                             const link_t *link)
{
    char buf[FS_SVNDIFF_HEAD_MAX];
    apr_size_t len = sizeof(buf);

    *more = link->pos < link->place.length;
    if (!*more)
        return NULL;
    FS_TRY(read_data(link, link->pos, buf, &len));
    return fs_svndiff_head_parse(head, buf, len);
}

static fs_error_t *pass_window(link_t *link, const fs_svndiff_head_t *head)
{
    apr_uint64_t len = head->head_len + fs_svndiff_body_len(head);

    if (len > link->place.length - link->pos)
        return FS_ERROR(FS_ERR_CORRUPT, "a window ends behind the data");
    link->pos += len;
    link->number++;
    link->target += head->target_len;
    return NULL;
}

/* Go on to window `number` by the windows' heads alone; `*more` is false if
 * there are not that many. */
static fs_error_t *seek_window(bool *more, link_t *link, apr_uint64_t number)
{
    fs_svndiff_head_t head;

    *more = true;
    while (link->number < number) {
        FS_TRY(read_head(&head, more, link));
        if (!*more)
            return NULL;
        FS_TRY(pass_window(link, &head));
    }
    *more = link->pos < link->place.length;
    return NULL;
}

static void grow_body(slot_t *slot, apr_size_t room, apr_size_t used,
                      apr_pool_t *pool)
{
    char *body;

    if (room <= slot->room)
        return;
    if (room < slot->room * 2)
        room = slot->room * 2;
    body = apr_palloc(pool, room);
    if (used)
        memcpy(body, slot->body, used);
    slot->body = body;
    slot->room = room;
}

/* Decode the next window of `link` into the slot. `*start` is the offset in
 * the link's text at which it begins. */
static fs_error_t *read_window(fs_delta_window_t *window, apr_uint64_t *start,
                               fs_rep_chain_t *chain, slot_t *slot,
                               link_t *link)
{
    apr_size_t have = FIRST_READ;
    apr_uint64_t pos = link->pos;
    fs_svndiff_head_t head;
    apr_size_t len;

    grow_body(slot, FIRST_READ, 0, chain->pool);
    if (!slot->buffers)
        slot->buffers = fs_svndiff_buffers_create(chain->pool);
    FS_TRY(read_data(link, pos, slot->body, &have));
    FS_TRY(fs_svndiff_head_parse(&head, slot->body, have));
    *start = link->target;
    FS_TRY(pass_window(link, &head));
    len = head.head_len + fs_svndiff_body_len(&head);
    if (len > have) {
        apr_size_t rest = len - have;

        grow_body(slot, len, have, chain->pool);
        FS_TRY(read_data(link, pos + have, slot->body + have, &rest));
    }
    if (chain->sum.active)
        fs_fnv_update(&chain->sum.fnv, slot->body, len);
    return fs_svndiff_body_parse(window, &head, link->version,
                                 slot->body + head.head_len, slot->buffers);
}

/* Combine all windows of the stack into the first. */
static fs_error_t *fold_stack(fs_rep_chain_t *chain, int n)
{
    fs_delta_window_t out = chain->windows[0];
    int i;

    if (!chain->fold)
        chain->fold = fs_delta_chain_buffers_create(chain->pool);
    for (i = 1; i < n; i++)
        FS_TRY(fs_delta_compose(&out, &chain->windows[i], &out, chain->fold));
    chain->windows[0] = out;
    return NULL;
}

/* The source view of the deepest window from a base that is stored plainly.
 */
static fs_error_t *read_plain_source(fs_rep_chain_t *chain, link_t *link,
                                     const fs_delta_window_t *window)
{
    apr_size_t len = window->source_len;

    if (!chain->source)
        chain->source = apr_palloc(chain->pool, FS_DELTA_WINDOW_MAX);
    if (window->source_offset > link->place.length ||
        len > link->place.length - window->source_offset)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a source view ends behind the delta base");
    return read_data(link, window->source_offset, chain->source, &len);
}

/* Add window `number` of `link` to the stack. `*aligned` is false if it does
 * not produce what the window `above` has as its source view. */
static fs_error_t *push_window(bool *aligned, fs_rep_chain_t *chain,
                               link_t *link, apr_uint64_t number, int n)
{
    const fs_delta_window_t *above = &chain->windows[n - 1];
    apr_uint64_t start;

    FS_TRY(seek_window(aligned, link, number));
    if (!*aligned)
        return NULL;
    FS_TRY(
        read_window(&chain->windows[n], &start, chain, &chain->slots[n], link));
    *aligned = above->source_offset == start &&
               above->source_len <= chain->windows[n].target_len;
    return NULL;
}

typedef struct stack_state_t {
    int n;     /* windows on the stack */
    int depth; /* link of the deepest of them */
    const char *source;
    apr_size_t source_len;
    bool aligned;
    bool done;
} stack_state_t;

/* One link further down. */
static fs_error_t *descend(stack_state_t *s, fs_rep_chain_t *chain,
                           apr_uint64_t number)
{
    link_t *above = chain->links[s->depth];
    fs_error_t *err;
    link_t *link = NULL;

    if (above->header.kind == FS_REP_SELF_DELTA)
        return wrap_link(
            FS_ERROR(FS_ERR_CORRUPT, "a delta against nothing has a source"),
            above);
    FS_TRY(get_link(&link, chain, s->depth + 1));
    assert(link);
    FS_TRY(hold_begin(chain, link));
    if (link->header.kind == FS_REP_PLAIN) {
        err = read_plain_source(chain, link, &chain->windows[s->n - 1]);
        s->source = chain->source;
        s->source_len = chain->windows[s->n - 1].source_len;
        s->done = true;
    } else {
        err = push_window(&s->aligned, chain, link, number, s->n);
        s->n++;
        s->depth++;
    }
    hold_end(link);
    return wrap_link(err, link);
}

/* Put the window of the top link, which is on the stack, and those below it
 * together. */
static fs_error_t *resolve(fs_rep_step_t *step, char *target,
                           fs_rep_chain_t *chain, apr_uint64_t number)
{
    const fs_delta_window_t *windows[STACK_MAX];
    stack_state_t s = { 1, 0, NULL, 0, true, false };
    int i;

    while (!s.done && s.aligned &&
           fs_delta_window_uses_source(&chain->windows[s.n - 1])) {
        if (s.n == STACK_MAX) {
            FS_TRY(fold_stack(chain, s.n));
            s.n = 1;
            continue;
        }
        FS_TRY(descend(&s, chain, number));
    }
    if (!s.aligned) {
        *step = FS_REP_STEP_UNALIGNED;
        return NULL;
    }
    for (i = 0; i < s.n; i++)
        windows[i] = &chain->windows[i];
    if (!chain->apply)
        chain->apply = fs_delta_chain_buffers_create(chain->pool);
    return fs_delta_chain_apply(target, windows, s.n, s.source, s.source_len,
                                chain->apply);
}

static fs_error_t *next_plain(fs_rep_step_t *step, char *target,
                              apr_size_t *len, fs_rep_chain_t *chain)
{
    link_t *link = chain->links[0];

    FS_TRY(read_data(link, link->pos, target, len));
    if (!*len)
        *step = FS_REP_STEP_END;
    if (chain->sum.active)
        fs_fnv_update(&chain->sum.fnv, target, *len);
    link->pos += *len;
    return NULL;
}

static fs_error_t *next_window(fs_rep_step_t *step, char *target,
                               apr_size_t *len, fs_rep_chain_t *chain)
{
    link_t *top = chain->links[0];
    apr_uint64_t number = top->number;
    apr_uint64_t start;

    if (top->header.kind == FS_REP_PLAIN)
        return next_plain(step, target, len, chain);
    if (top->pos >= top->place.length) {
        *step = FS_REP_STEP_END;
        *len = 0;
        return NULL;
    }
    FS_TRY(
        read_window(&chain->windows[0], &start, chain, &chain->slots[0], top));
    if (chain->windows[0].target_len > *len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a window produces more than the text has");
    *len = chain->windows[0].target_len;
    return resolve(step, target, chain, number);
}

fs_error_t *fs_rep_chain_next(fs_rep_step_t *step, char *target,
                              apr_size_t *len, fs_rep_chain_t *chain)
{
    *step = FS_REP_STEP_DATA;
    apr_pool_clear(chain->scratch);
    return wrap_link(next_window(step, target, len, chain), chain->links[0]);
}

static fs_error_t *skip_windows(apr_uint64_t *at, link_t *link,
                                apr_uint64_t offset)
{
    fs_svndiff_head_t head;
    bool more = true;

    if (link->header.kind == FS_REP_PLAIN) {
        link->pos = offset < link->place.length ? offset : link->place.length;
        *at = link->pos;
        return NULL;
    }
    for (;;) {
        *at = link->target;
        FS_TRY(read_head(&head, &more, link));
        if (!more || head.target_len > offset - link->target)
            return NULL;
        FS_TRY(pass_window(link, &head));
    }
}

fs_error_t *fs_rep_chain_skip(apr_uint64_t *at, fs_rep_chain_t *chain,
                              apr_uint64_t offset)
{
    return wrap_link(skip_windows(at, chain->links[0], offset),
                     chain->links[0]);
}

/* --- Stored bytes, and decoding without assumptions --- */

typedef struct raw_t {
    fs_rep_chain_t *chain; /* of one link */
    apr_uint64_t pos;
} raw_t;

static fs_error_t *raw_read(void *baton, char *buf, apr_size_t *len)
{
    raw_t *raw = baton;
    link_t *link = raw->chain->links[0];

    FS_TRY(wrap_link(read_data(link, raw->pos, buf, len), link));
    raw->pos += *len;
    return NULL;
}

static fs_error_t *raw_skip(void *baton, apr_uint64_t *len)
{
    raw_t *raw = baton;
    const link_t *link = raw->chain->links[0];

    if (*len > link->place.length - raw->pos)
        *len = link->place.length - raw->pos;
    raw->pos += *len;
    return NULL;
}

static fs_error_t *raw_close(void *baton)
{
    raw_t *raw = baton;

    fs_rep_chain_close(raw->chain);
    return NULL;
}

fs_error_t *fs_rep_chain_raw(fs_stream_t **stream, fs_rep_header_t *header,
                             fs_fsfs_t *fsfs, const fs_rep_place_t *place,
                             apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { raw_read, raw_skip, raw_close };
    raw_t *raw = apr_pcalloc(result, sizeof(*raw));

    FS_TRY(fs_rep_chain_open(&raw->chain, fsfs, place, result));
    *header = *fs_rep_chain_header(raw->chain);
    *stream = fs_stream_create(&ops, raw, result);
    return NULL;
}

static fs_error_t *general(fs_stream_t **stream, fs_fsfs_t *fsfs,
                           const fs_rep_place_t *place, int depth,
                           apr_pool_t *result)
{
    fs_stream_t *base = NULL;
    fs_rep_header_t header;
    fs_stream_t *raw;

    if (depth > GENERAL_MAX)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a chain of deltas with windows that are not aligned "
                        "has more than %d links",
                        GENERAL_MAX);
    FS_TRY(fs_rep_chain_raw(&raw, &header, fsfs, place, result));
    if (header.kind == FS_REP_DELTA) {
        fs_rep_place_t below = { header.base_rev, header.base_item,
                                 header.base_length };

        FS_TRY(general(&base, fsfs, &below, depth + 1, result));
    }
    *stream = header.kind == FS_REP_PLAIN
                  ? raw
                  : fs_delta_apply(fs_svndiff_read(raw, result), base, result);
    return NULL;
}

fs_error_t *fs_rep_chain_general(fs_stream_t **stream, fs_fsfs_t *fsfs,
                                 const fs_rep_place_t *place,
                                 apr_pool_t *result)
{
    return general(stream, fsfs, place, 1, result);
}
