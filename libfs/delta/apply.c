/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of windows, and their application to a source text. */

#include "libfs/fs_delta.h"

#include <assert.h>
#include <string.h>

#include <apr_pools.h>

#include "libfs/delta/compose.h"

/* --- Streams of windows --- */

struct fs_delta_stream_t {
    fs_error_t *(*next)(const fs_delta_window_t **window, void *baton);
    void *baton;
    bool at_end; /* `next` is not called any more */
};

fs_delta_stream_t *fs_delta_stream_create(
    fs_error_t *(*next)(const fs_delta_window_t **window, void *baton),
    void *baton, apr_pool_t *result)
{
    fs_delta_stream_t *stream = apr_pcalloc(result, sizeof(*stream));

    stream->next = next;
    stream->baton = baton;
    return stream;
}

fs_error_t *fs_delta_next(const fs_delta_window_t **window,
                          fs_delta_stream_t *stream)
{
    *window = NULL;
    if (stream->at_end)
        return NULL;
    FS_TRY(stream->next(window, stream->baton));
    stream->at_end = !*window;
    return NULL;
}

/* --- One window --- */

/*
 * Copy `len` bytes from `from` to `to`, which lies behind it, as if byte by
 * byte: the bytes between the two repeat. Each round copies all that is there
 * already, so that the pieces double.
 */
static void repeat(char *to, const char *from, apr_size_t len)
{
    apr_size_t ready = (apr_size_t)(to - from);

    if (ready == 1) {
        memset(to, *from, len);
        return;
    }
    while (len > ready) {
        memcpy(to, from, ready);
        to += ready;
        len -= ready;
        ready *= 2;
    }
    memcpy(to, from, len);
}

void fs_delta_apply_window(const fs_delta_window_t *window, const char *source,
                           char *target)
{
    char *to = target;
    apr_uint32_t i;

    for (i = 0; i < window->op_count; i++) {
        const fs_delta_op_t *op = &window->ops[i];

        switch (op->action) {
        case FS_DELTA_SOURCE:
            memcpy(to, source + op->offset, op->length);
            break;
        case FS_DELTA_TARGET:
            repeat(to, target + op->offset, op->length);
            break;
        case FS_DELTA_NEW:
            memcpy(to, window->new_data + op->offset, op->length);
            break;
        }
        to += op->length;
    }
    assert((apr_size_t)(to - target) == window->target_len);
}

/* --- The target as a stream of bytes --- */

typedef struct applier_t {
    fs_delta_stream_t *delta;
    fs_stream_t *source; /* NULL: the empty text */
    apr_pool_t *pool;
    char *view;            /* bytes of the source; made when first needed */
    apr_uint64_t view_pos; /* where they begin in the source */
    apr_size_t view_len;
    char *made;          /* what was asked for in smaller pieces */
    apr_size_t made_pos; /* next byte of it to hand out */
    apr_size_t made_len;
} applier_t;

static fs_error_t *source_too_short(const fs_delta_window_t *window)
{
    return FS_ERROR(FS_ERR_INCOMPLETE_DATA,
                    "source text ends before the %u bytes at %" APR_UINT64_T_FMT
                    " that the delta refers to",
                    window->source_len, window->source_offset);
}

/* Drop what lies before `pos`, and pass over the source up to it. */
static fs_error_t *view_advance(applier_t *a, apr_uint64_t pos)
{
    apr_uint64_t ahead = pos - a->view_pos;
    apr_size_t drop = ahead < a->view_len ? (apr_size_t)ahead : a->view_len;

    if (drop && drop < a->view_len)
        memmove(a->view, a->view + drop, a->view_len - drop);
    a->view_len -= drop;
    a->view_pos += drop;
    if (a->view_pos < pos) {
        apr_uint64_t passed;

        FS_TRY(fs_stream_skip(a->source, pos - a->view_pos, &passed));
        a->view_pos += passed;
    }
    return NULL;
}

/*
 * Make `view` begin with the source view of `window`. Views of windows that
 * copy nothing from them are passed over, so the source is read as late and
 * as little as possible.
 */
static fs_error_t *view_load(applier_t *a, const fs_delta_window_t *window)
{
    apr_size_t missing;

    if (!a->source)
        return source_too_short(window);
    if (!a->view)
        a->view = apr_palloc(a->pool, FS_DELTA_WINDOW_MAX);
    if (window->source_offset < a->view_pos)
        return FS_ERROR(FS_ERR_SVNDIFF_BACKWARD,
                        "source view at %" APR_UINT64_T_FMT
                        " slides backwards from %" APR_UINT64_T_FMT,
                        window->source_offset, a->view_pos);
    FS_TRY(view_advance(a, window->source_offset));
    if (a->view_pos < window->source_offset)
        return source_too_short(window);
    if (a->view_len >= window->source_len)
        return NULL;
    missing = window->source_len - a->view_len;
    FS_TRY(fs_stream_read_full(a->source, a->view + a->view_len, &missing));
    a->view_len += missing;
    return a->view_len < window->source_len ? source_too_short(window) : NULL;
}

/* Next window that makes any bytes, NULL at the end; with its source view. */
static fs_error_t *applier_window(applier_t *a,
                                  const fs_delta_window_t **window)
{
    do {
        FS_TRY(fs_delta_next(window, a->delta));
        if (!*window)
            return NULL;
        if (fs_delta_window_uses_source(*window))
            FS_TRY(view_load(a, *window));
    } while ((*window)->target_len == 0);
    return NULL;
}

/* Hand out what is left of a window that was made before. */
static void take_made(applier_t *a, char *buf, apr_size_t *len)
{
    apr_size_t left = a->made_len - a->made_pos;

    if (*len > left)
        *len = left;
    memcpy(buf, a->made + a->made_pos, *len);
    a->made_pos += *len;
}

static fs_error_t *applier_read(void *baton, char *buf, apr_size_t *len)
{
    applier_t *a = baton;
    const fs_delta_window_t *window;

    if (a->made_pos == a->made_len && *len) {
        FS_TRY(applier_window(a, &window));
        if (!window) {
            *len = 0;
            return NULL;
        }
        if (window->target_len <= *len) {
            fs_delta_apply_window(window, a->view, buf);
            *len = window->target_len;
            return NULL;
        }
        if (!a->made)
            a->made = apr_palloc(a->pool, FS_DELTA_WINDOW_MAX);
        fs_delta_apply_window(window, a->view, a->made);
        a->made_pos = 0;
        a->made_len = window->target_len;
    }
    if (*len)
        take_made(a, buf, len);
    return NULL;
}

static fs_error_t *applier_close(void *baton)
{
    applier_t *a = baton;

    return a->source ? fs_stream_close(a->source) : NULL;
}

fs_stream_t *fs_delta_apply(fs_delta_stream_t *delta, fs_stream_t *source,
                            apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { applier_read, NULL, applier_close };
    applier_t *a = apr_pcalloc(result, sizeof(*a));

    a->delta = delta;
    a->source = source;
    a->pool = result;
    return fs_stream_create(&ops, a, result);
}
