/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of deltas. Applying a chain copies the text once a window, between
 * two buffers that stay in the processor's cache; composing follows each
 * instruction through the windows below instead. What composing costs grows
 * with the instructions, which multiply on the way down, so chains are
 * applied; composing serves where one window is wanted as the result.
 */

#include "libfs/delta/compose.h"

#include <assert.h>
#include <string.h>

#include <apr_pools.h>

/* Instructions that grow at their end, and the new data they take. */
typedef struct list_t {
    fs_delta_op_t *ops;
    apr_uint32_t count;
    apr_uint32_t room; /* instructions */
    char *fresh;
    apr_uint32_t fresh_len;
    apr_size_t fresh_room; /* bytes */
} list_t;

struct fs_delta_chain_buffers_t {
    apr_pool_t *pool;
    char *text[2]; /* texts between two windows */
    apr_size_t text_room[2];
    list_t result[2];     /* of the last two compositions */
    int turn;             /* which of them is written next */
    list_t flat;          /* `below` without target copies */
    apr_uint32_t *starts; /* where in the text each instruction begins */
    apr_size_t starts_room;
};

fs_delta_chain_buffers_t *fs_delta_chain_buffers_create(apr_pool_t *result)
{
    fs_delta_chain_buffers_t *buffers = apr_pcalloc(result, sizeof(*buffers));

    buffers->pool = result;
    return buffers;
}

/* What a block that is too small for `need` grows to: the pool then holds
 * less than twice of what is in use. */
static apr_size_t grown(apr_size_t room, apr_size_t need)
{
    return 2 * room > need ? 2 * room : need;
}

bool fs_delta_window_uses_source(const fs_delta_window_t *window)
{
    apr_uint32_t i;

    for (i = 0; i < window->op_count; i++)
        if (window->ops[i].action == FS_DELTA_SOURCE)
            return true;
    return false;
}

/* --- Applying --- */

static fs_error_t *view_too_short(const fs_delta_window_t *window,
                                  apr_size_t len)
{
    return FS_ERROR(FS_ERR_CORRUPT,
                    "delta window wants a source view of %u bytes, "
                    "its base has %" APR_SIZE_T_FMT,
                    window->source_len, len);
}

/* A text between two windows of the chain. */
static char *text_room(fs_delta_chain_buffers_t *buffers, int which,
                       apr_size_t len)
{
    if (len > buffers->text_room[which]) {
        buffers->text_room[which] = grown(buffers->text_room[which], len);
        buffers->text[which] =
            apr_palloc(buffers->pool, buffers->text_room[which]);
    }
    return buffers->text[which];
}

/* Whether the target is a range of the view or of the new data as it is. */
static bool is_range(fs_bytes_t *range, const fs_delta_window_t *window,
                     fs_bytes_t view)
{
    const fs_delta_op_t *op = window->ops;

    if (window->op_count != 1 || op->action == FS_DELTA_TARGET)
        return false;
    range->data = op->action == FS_DELTA_NEW ? window->new_data : view.data;
    range->data += op->offset;
    range->len = op->length;
    return true;
}

fs_error_t *fs_delta_chain_apply(char *target,
                                 const fs_delta_window_t *const *windows, int n,
                                 const char *source, apr_size_t source_len,
                                 fs_delta_chain_buffers_t *buffers)
{
    fs_bytes_t view = { source, source_len };
    int i = 0, which = 0;

    assert(n > 0);
    while (i < n - 1 && fs_delta_window_uses_source(windows[i]))
        i++;
    for (; i >= 0; i--) {
        const fs_delta_window_t *window = windows[i];

        if (window->source_len > view.len &&
            fs_delta_window_uses_source(window))
            return view_too_short(window, view.len);
        if (i == 0) {
            fs_delta_apply_window(window, view.data, target);
        } else if (!is_range(&view, window, view)) {
            char *text = text_room(buffers, which, window->target_len);

            fs_delta_apply_window(window, view.data, text);
            view.data = text;
            view.len = window->target_len;
            which = !which;
        }
    }
    return NULL;
}

/* --- Lists of instructions --- */

static void list_reset(list_t *list, apr_size_t fresh_len, apr_pool_t *pool)
{
    if (fresh_len > list->fresh_room) {
        list->fresh_room = grown(list->fresh_room, fresh_len);
        list->fresh = apr_palloc(pool, list->fresh_room);
    }
    list->fresh_len = 0;
    list->count = 0;
}

/* Whether `op` goes on where `last` ends. */
static bool continues(const fs_delta_op_t *last, const fs_delta_op_t *op)
{
    return last->action == op->action && op->action != FS_DELTA_TARGET &&
           last->offset + last->length == op->offset;
}

/* Append an instruction; what continues the last one is joined to it. */
static void list_put(list_t *list, fs_delta_op_t op, apr_pool_t *pool)
{
    if (list->count && continues(&list->ops[list->count - 1], &op)) {
        list->ops[list->count - 1].length += op.length;
        return;
    }
    if (list->count == list->room) {
        apr_size_t room = grown(list->room, list->count + 16);
        fs_delta_op_t *ops = apr_palloc(pool, room * sizeof(*ops));

        if (list->count)
            memcpy(ops, list->ops, list->count * sizeof(*ops));
        list->ops = ops;
        list->room = (apr_uint32_t)room;
    }
    list->ops[list->count++] = op;
}

/* Append new data; there is room, and `data` may lie in the list itself. */
static void list_put_new(list_t *list, const char *data, apr_uint32_t len,
                         apr_pool_t *pool)
{
    fs_delta_op_t op = { FS_DELTA_NEW, list->fresh_len, len };

    memcpy(list->fresh + list->fresh_len, data, len);
    list->fresh_len += len;
    list_put(list, op, pool);
}

/* Append `len` bytes of what `op` (no target copy) makes, from `skip` on. */
static void list_put_part(list_t *list, const fs_delta_op_t *op,
                          const char *fresh, apr_uint32_t skip,
                          apr_uint32_t len, apr_pool_t *pool)
{
    fs_delta_op_t part = { op->action, op->offset + skip, len };

    if (op->action == FS_DELTA_NEW)
        list_put_new(list, fresh + part.offset, len, pool);
    else
        list_put(list, part, pool);
}

/* --- Composing --- */

static bool has_target_copies(const fs_delta_window_t *window)
{
    apr_uint32_t i;

    for (i = 0; i < window->op_count; i++)
        if (window->ops[i].action == FS_DELTA_TARGET)
            return true;
    return false;
}

/* Room for `count` entries in `starts`; the first `keep` stay. */
static void starts_reserve(fs_delta_chain_buffers_t *buffers, apr_size_t count,
                           apr_size_t keep)
{
    if (count > buffers->starts_room) {
        apr_size_t room = grown(buffers->starts_room, count);
        apr_uint32_t *starts =
            apr_palloc(buffers->pool, room * sizeof(*starts));

        if (keep)
            memcpy(starts, buffers->starts, keep * sizeof(*starts));
        buffers->starts = starts;
        buffers->starts_room = room;
    }
}

/* Index of the instruction that makes byte `pos`: the last of `count` ones
 * that begin at or before it. */
static apr_uint32_t find_start(const apr_uint32_t *starts, apr_uint32_t count,
                               apr_uint32_t pos)
{
    apr_uint32_t low = 0, high = count;

    while (high - low > 1) {
        apr_uint32_t middle = low + (high - low) / 2;

        if (starts[middle] <= pos)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Note where the instructions from `known` on begin. */
static void note_starts(fs_delta_chain_buffers_t *buffers,
                        const fs_delta_op_t *ops, apr_uint32_t known,
                        apr_uint32_t count)
{
    apr_uint32_t i;

    starts_reserve(buffers, count, known);
    for (i = known; i < count; i++)
        buffers->starts[i] = i ? buffers->starts[i - 1] + ops[i - 1].length : 0;
}

/* Append to `flat` the instructions that made the bytes which `op` repeats;
 * a range that overlaps itself comes upon those appended just before. */
static void unroll(fs_delta_chain_buffers_t *buffers, const fs_delta_op_t *op)
{
    list_t *flat = &buffers->flat;
    apr_uint32_t pos = op->offset, left = op->length;
    apr_uint32_t i = find_start(buffers->starts, flat->count, pos);

    while (left) {
        fs_delta_op_t from = flat->ops[i];
        apr_uint32_t skip = pos - buffers->starts[i];
        apr_uint32_t len = from.length - skip, known = flat->count;

        if (len > left)
            len = left;
        list_put_part(flat, &from, flat->fresh, skip, len, buffers->pool);
        note_starts(buffers, flat->ops, known, flat->count);
        pos += len;
        left -= len;
        if (pos - buffers->starts[i] == flat->ops[i].length)
            i++;
    }
}

/* Make `flat` and `starts` from a window with target copies. */
static void flatten(fs_delta_chain_buffers_t *buffers,
                    const fs_delta_window_t *window)
{
    list_t *flat = &buffers->flat;
    apr_uint32_t i;

    list_reset(flat, window->target_len, buffers->pool);
    for (i = 0; i < window->op_count; i++) {
        apr_uint32_t known = flat->count;

        if (window->ops[i].action == FS_DELTA_TARGET) {
            unroll(buffers, &window->ops[i]);
            continue;
        }
        list_put_part(flat, &window->ops[i], window->new_data, 0,
                      window->ops[i].length, buffers->pool);
        note_starts(buffers, flat->ops, known, flat->count);
    }
}

/* Append what makes `len` bytes at `pos` of the text of `below`, which has
 * no target copies. */
static void map_range(list_t *list, const fs_delta_window_t *below,
                      apr_uint32_t pos, apr_uint32_t len,
                      fs_delta_chain_buffers_t *buffers)
{
    apr_uint32_t i = find_start(buffers->starts, below->op_count, pos);

    while (len) {
        const fs_delta_op_t *op = &below->ops[i];
        apr_uint32_t skip = pos - buffers->starts[i];
        apr_uint32_t part = op->length - skip < len ? op->length - skip : len;

        list_put_part(list, op, below->new_data, skip, part, buffers->pool);
        pos += part;
        len -= part;
        i++;
    }
}

/* Make `starts` and, if target copies must go, another window in its place. */
static fs_delta_window_t resolved(const fs_delta_window_t *below,
                                  fs_delta_chain_buffers_t *buffers)
{
    fs_delta_window_t window = *below;

    if (has_target_copies(below)) {
        flatten(buffers, below);
        window.ops = buffers->flat.ops;
        window.op_count = buffers->flat.count;
        window.new_data = buffers->flat.fresh;
        window.new_len = buffers->flat.fresh_len;
    } else {
        note_starts(buffers, below->ops, 0, below->op_count);
    }
    return window;
}

static void compose_op(list_t *list, const fs_delta_op_t *op,
                       const fs_delta_window_t *below,
                       const fs_delta_window_t *above,
                       fs_delta_chain_buffers_t *buffers)
{
    switch (op->action) {
    case FS_DELTA_SOURCE:
        map_range(list, below, op->offset, op->length, buffers);
        break;
    case FS_DELTA_TARGET:
        list_put(list, *op, buffers->pool);
        break;
    case FS_DELTA_NEW:
        list_put_new(list, above->new_data + op->offset, op->length,
                     buffers->pool);
        break;
    }
}

fs_error_t *fs_delta_compose(fs_delta_window_t *out,
                             const fs_delta_window_t *below,
                             const fs_delta_window_t *above,
                             fs_delta_chain_buffers_t *buffers)
{
    list_t *list = &buffers->result[buffers->turn];
    apr_uint32_t i, target_len = above->target_len;
    fs_delta_window_t base;

    if (above->source_len > below->target_len &&
        fs_delta_window_uses_source(above))
        return view_too_short(above, below->target_len);
    base = resolved(below, buffers);
    list_reset(list, target_len, buffers->pool);
    for (i = 0; i < above->op_count; i++)
        compose_op(list, &above->ops[i], &base, above, buffers);
    buffers->turn = !buffers->turn;
    out->source_offset = base.source_offset;
    out->source_len = base.source_len;
    out->target_len = target_len;
    out->ops = list->ops;
    out->op_count = list->count;
    out->new_data = list->fresh;
    out->new_len = list->fresh_len;
    return NULL;
}
