/* SPDX-License-Identifier: Apache-2.0 */
/* Random texts and windows. */

#include "tests/support/texts.h"

#include <string.h>

#include <apr_strings.h>

/* A xorshift generator: the same numbers everywhere. */
apr_uint32_t texts_random(texts_seed_t *seed, apr_uint32_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (apr_uint32_t)((*seed >> 16) % below);
}

fs_bytes_t texts_make(texts_seed_t *seed, apr_size_t len, int letters,
                      apr_pool_t *pool)
{
    char *data = apr_palloc(pool, len + 1);
    fs_bytes_t text = { data, len };
    apr_size_t i;

    for (i = 0; i < len; i++)
        data[i] = (char)(' ' + texts_random(seed, (apr_uint32_t)letters));
    return text;
}

static apr_uint32_t at_most(apr_uint32_t value, apr_size_t limit)
{
    return value < limit ? value : (apr_uint32_t)limit;
}

static fs_bytes_t edit_once(texts_seed_t *seed, fs_bytes_t text,
                            apr_uint32_t longest, apr_pool_t *pool)
{
    apr_uint32_t pos = texts_random(seed, (apr_uint32_t)text.len + 1);
    apr_uint32_t len = 1 + texts_random(seed, longest);
    apr_uint32_t kind = texts_random(seed, 3);
    apr_uint32_t gone = kind == 0 ? 0 : at_most(len, text.len - pos);
    apr_uint32_t more = kind == 1 ? 0 : kind == 2 ? gone : len;
    fs_bytes_t fresh = texts_make(seed, more, 64, pool);
    char *data = apr_palloc(pool, text.len - gone + more + 1);
    fs_bytes_t out = { data, text.len - gone + more };

    memcpy(data, text.data, pos);
    memcpy(data + pos, fresh.data, more);
    memcpy(data + pos + more, text.data + pos + gone, text.len - pos - gone);
    return out;
}

fs_bytes_t texts_edit(texts_seed_t *seed, fs_bytes_t text, int edits,
                      apr_uint32_t longest, apr_pool_t *pool)
{
    while (edits-- > 0)
        text = edit_once(seed, text, longest, pool);
    return text;
}

fs_delta_window_t texts_window(texts_seed_t *seed, apr_uint32_t source_len,
                               apr_uint32_t target_len, apr_pool_t *pool)
{
    fs_delta_op_t *ops = apr_palloc(pool, (target_len + 1) * sizeof(*ops));
    fs_delta_window_t window = { 0, source_len, target_len, 0, ops, NULL, 0 };
    apr_uint32_t made = 0;

    while (made < target_len) {
        fs_delta_op_t *op = &ops[window.op_count++];

        op->length = at_most(1 + texts_random(seed, 1 + target_len / 4),
                             target_len - made);
        op->action = (fs_delta_action_t)texts_random(seed, 3);
        if (op->action == FS_DELTA_SOURCE && source_len) {
            op->length = at_most(op->length, source_len);
            op->offset = texts_random(seed, source_len - op->length + 1);
        } else if (op->action == FS_DELTA_TARGET && made) {
            op->offset = made - 1 - texts_random(seed, at_most(made, 40));
        } else {
            op->action = FS_DELTA_NEW;
            op->offset = window.new_len;
            window.new_len += op->length;
        }
        made += op->length;
    }
    window.new_data = texts_make(seed, window.new_len, 90, pool).data;
    return window;
}

typedef struct windows_t {
    const fs_delta_window_t *next;
    int left;
} windows_t;

static fs_error_t *windows_next(const fs_delta_window_t **window, void *baton)
{
    windows_t *windows = baton;

    *window = windows->left ? windows->next++ : NULL;
    if (windows->left)
        windows->left--;
    return NULL;
}

fs_delta_stream_t *texts_windows(const fs_delta_window_t *windows, int count,
                                 apr_pool_t *pool)
{
    windows_t *baton = apr_palloc(pool, sizeof(*baton));

    baton->next = windows;
    baton->left = count;
    return fs_delta_stream_create(windows_next, baton, pool);
}
