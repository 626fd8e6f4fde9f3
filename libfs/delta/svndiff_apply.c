/* SPDX-License-Identifier: Apache-2.0 */
/* Svndiff in pieces, applied as each window is complete. */

#include "libfs/delta/svndiff_apply.h"

#include "libfs/base/buffer.h"
#include "libfs/delta/svndiff_read.h"

struct fs_svndiff_apply_t {
    fs_svndiff_sink_fn sink;
    void *baton;
    int version; /* -1: "SVN" did not come yet */
    fs_svndiff_slide_t slide;
    fs_svndiff_buffers_t *buffers;
    fs_delta_window_t window; /* the one to apply */
    fs_stream_t *target;      /* bytes that it makes */
    char *text;               /* room for them */
    fs_buffer_t *carry;       /* the begin of a part that was cut, or empty */
    apr_size_t missing;       /* bytes that this part lacks, at least; > 0 */
};

/* Asked for once a window, when that is in `window`. */
static fs_error_t *next_window(const fs_delta_window_t **window, void *baton)
{
    const fs_svndiff_apply_t *apply = baton;

    *window = &apply->window;
    return NULL;
}

fs_svndiff_apply_t *fs_svndiff_apply_create(fs_stream_t *source,
                                            fs_svndiff_sink_fn sink,
                                            void *baton, apr_pool_t *result)
{
    fs_svndiff_apply_t *apply = apr_pcalloc(result, sizeof(*apply));

    apply->sink = sink;
    apply->baton = baton;
    apply->version = -1;
    apply->buffers = fs_svndiff_buffers_create(result);
    apply->target = fs_delta_apply(
        fs_delta_stream_create(next_window, apply, result), source, result);
    apply->text = apr_palloc(result, FS_DELTA_WINDOW_MAX);
    apply->carry = fs_buffer_create(4096, result);
    apply->missing = FS_SVNDIFF_MAGIC_LEN;
    return apply;
}

static fs_error_t *apply_window(fs_svndiff_apply_t *apply)
{
    apr_size_t len = apply->window.target_len;

    if (len == 0)
        return NULL;
    FS_TRY(fs_stream_read_full(apply->target, apply->text, &len));
    return apply->sink(apply->baton, apply->text, len);
}

/* The head at `data`; `*complete` is false if it is cut. */
static fs_error_t *parse_head(fs_svndiff_head_t *head, bool *complete,
                              const char *data, apr_size_t len)
{
    fs_error_t *err = fs_svndiff_head_parse(head, data, len);

    *complete = !err;
    if (!err || err->code != FS_ERR_SVNDIFF_END)
        return err;
    fs_error_clear(err);
    return NULL;
}

/* Take the part at `data`; `*used` is 0 if it is cut. */
static fs_error_t *take_part(fs_svndiff_apply_t *apply, apr_size_t *used,
                             const char *data, apr_size_t len)
{
    fs_svndiff_head_t head;
    apr_size_t need;
    bool complete;

    *used = 0;
    if (apply->version < 0) {
        if (len < FS_SVNDIFF_MAGIC_LEN) {
            apply->missing = FS_SVNDIFF_MAGIC_LEN - len;
            return NULL;
        }
        *used = FS_SVNDIFF_MAGIC_LEN;
        return fs_svndiff_magic_parse(&apply->version, data, len);
    }
    FS_TRY(parse_head(&head, &complete, data, len));
    need = complete ? head.head_len + fs_svndiff_body_len(&head) : len + 1;
    if (len < need) {
        apply->missing = need - len;
        return NULL;
    }
    FS_TRY(fs_svndiff_slide(&apply->slide, &head));
    FS_TRY(fs_svndiff_body_parse(&apply->window, &head, apply->version,
                                 data + head.head_len, apply->buffers));
    *used = need;
    return apply_window(apply);
}

/* Complete the part that was cut; it may take several calls. */
static fs_error_t *complete_carry(fs_svndiff_apply_t *apply, const char *data,
                                  apr_size_t len)
{
    apr_size_t used;

    fs_buffer_append(apply->carry, data, len);
    FS_TRY(take_part(apply, &used, apply->carry->data, apply->carry->len));
    if (used)
        apply->carry->len = 0; /* no more was taken than it lacked */
    return NULL;
}

fs_error_t *fs_svndiff_apply_write(fs_svndiff_apply_t *apply, const char *data,
                                   apr_size_t len)
{
    apr_size_t used = 1;

    while (len && apply->carry->len) {
        used = len < apply->missing ? len : apply->missing;
        FS_TRY(complete_carry(apply, data, used));
        data += used;
        len -= used;
    }
    while (len) {
        FS_TRY(take_part(apply, &used, data, len));
        if (!used) {
            fs_buffer_append(apply->carry, data, len);
            break;
        }
        data += used;
        len -= used;
    }
    return NULL;
}

fs_error_t *fs_svndiff_apply_close(fs_svndiff_apply_t *apply)
{
    if (apply->version < 0 || apply->carry->len)
        return FS_ERROR(FS_ERR_SVNDIFF_END, "svndiff data ends inside of %s",
                        apply->version < 0 ? "its header" : "a window");
    return fs_stream_close(apply->target);
}
