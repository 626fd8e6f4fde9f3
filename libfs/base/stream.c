/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of bytes: calls to a kind's functions, and bytes in memory. */

#include "libfs/fs_stream.h"

#include <stdlib.h>
#include <string.h>

#define SKIP_BLOCK 16384
#define SLURP_FIRST 4096

struct fs_stream_t {
    const fs_stream_ops_t *ops;
    void *baton;
    apr_pool_t *pool; /* where the cleanup is registered */
    bool closed;
};

static fs_error_t *close_once(fs_stream_t *stream)
{
    if (stream->closed)
        return NULL;
    stream->closed = true;
    return stream->ops->close ? stream->ops->close(stream->baton) : NULL;
}

static apr_status_t close_with_pool(void *data)
{
    fs_error_clear(close_once(data));
    return APR_SUCCESS;
}

fs_stream_t *fs_stream_create(const fs_stream_ops_t *ops, void *baton,
                              apr_pool_t *result)
{
    fs_stream_t *stream = apr_palloc(result, sizeof(*stream));

    stream->ops = ops;
    stream->baton = baton;
    stream->pool = result;
    stream->closed = false;
    /* Before sub-pools go: the baton may have its buffers in one. */
    if (ops->close)
        apr_pool_pre_cleanup_register(result, stream, close_with_pool);
    return stream;
}

fs_error_t *fs_stream_close(fs_stream_t *stream)
{
    if (!stream->closed && stream->ops->close)
        apr_pool_cleanup_kill(stream->pool, stream, close_with_pool);
    return close_once(stream);
}

static fs_error_t *read_bytes(void *baton, char *buf, apr_size_t *len)
{
    fs_bytes_t *rest = baton;

    if (*len > rest->len)
        *len = rest->len;
    if (*len)
        memcpy(buf, rest->data, *len);
    rest->data += *len;
    rest->len -= *len;
    return NULL;
}

static fs_error_t *skip_bytes(void *baton, apr_uint64_t *len)
{
    fs_bytes_t *rest = baton;

    if (*len > rest->len)
        *len = rest->len;
    rest->data += *len;
    rest->len -= (apr_size_t)*len;
    return NULL;
}

static const fs_stream_ops_t bytes_ops = { read_bytes, skip_bytes, NULL };

fs_stream_t *fs_stream_from_bytes(const char *data, apr_size_t len,
                                  apr_pool_t *result)
{
    fs_bytes_t *rest = apr_palloc(result, sizeof(*rest));

    rest->data = len ? data : "";
    rest->len = len;
    return fs_stream_create(&bytes_ops, rest, result);
}

fs_stream_t *fs_stream_empty(apr_pool_t *result)
{
    return fs_stream_from_bytes("", 0, result);
}

fs_error_t *fs_stream_read(fs_stream_t *stream, char *buf, apr_size_t *len)
{
    if (!*len)
        return NULL;
    return stream->ops->read(stream->baton, buf, len);
}

fs_error_t *fs_stream_read_full(fs_stream_t *stream, char *buf, apr_size_t *len)
{
    apr_size_t done = 0;

    while (done < *len) {
        apr_size_t part = *len - done;

        FS_TRY(stream->ops->read(stream->baton, buf + done, &part));
        if (!part)
            break;
        done += part;
    }
    *len = done;
    return NULL;
}

/* Pass over up to `*len` bytes in one step; 0 is the end. */
static fs_error_t *skip_some(fs_stream_t *stream, apr_uint64_t *len)
{
    char block[SKIP_BLOCK];
    apr_size_t part = sizeof(block);

    if (stream->ops->skip)
        return stream->ops->skip(stream->baton, len);

    if (part > *len)
        part = (apr_size_t)*len;
    FS_TRY(stream->ops->read(stream->baton, block, &part));
    *len = part;
    return NULL;
}

fs_error_t *fs_stream_skip(fs_stream_t *stream, apr_uint64_t len,
                           apr_uint64_t *skipped)
{
    *skipped = 0;
    while (*skipped < len) {
        apr_uint64_t part = len - *skipped;

        FS_TRY(skip_some(stream, &part));
        if (!part)
            break;
        *skipped += part;
    }
    return NULL;
}

/* Read on into `*block`, which is reallocated, up to `limit` + 1 bytes. */
static fs_error_t *slurp_block(char **block, apr_size_t *used,
                               fs_stream_t *stream, apr_size_t limit)
{
    apr_size_t room = 0;

    *used = 0;
    for (;;) {
        apr_size_t part;

        if (*used == room) {
            char *grown;

            room = room ? room * 2 : SLURP_FIRST;
            grown = realloc(*block, room);
            if (!grown)
                return FS_ERROR_APR(APR_ENOMEM, "reading a stream");
            *block = grown;
        }
        part = room - *used;
        FS_TRY(stream->ops->read(stream->baton, *block + *used, &part));
        if (!part)
            return NULL;
        *used += part;
        if (*used > limit)
            return FS_ERROR(FS_ERR_GENERAL,
                            "more than %" APR_SIZE_T_FMT " bytes", limit);
    }
}

fs_error_t *fs_stream_slurp(fs_bytes_t *out, fs_stream_t *stream,
                            apr_size_t limit, apr_pool_t *result)
{
    char *block = NULL;
    apr_size_t used;
    fs_error_t *err = slurp_block(&block, &used, stream, limit);

    if (!err) {
        char *copy = apr_palloc(result, used + 1);

        memcpy(copy, block, used);
        copy[used] = '\0';
        out->data = copy;
        out->len = used;
    }
    free(block);
    return err;
}
