/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a revision file that is being made. */

#include "libfs/store/fsfs/rep_out.h"

#include <errno.h>
#include <unistd.h>

/* So many bytes are gathered; more at once go straight to the file. */
#define GATHER_MAX 65536

fs_rep_out_t *fs_rep_out_create(int fd, apr_uint64_t offset, apr_pool_t *result)
{
    fs_rep_out_t *out = apr_pcalloc(result, sizeof(*out));

    out->fd = fd;
    out->flushed = offset;
    out->begin = offset;
    out->buffer = fs_buffer_create(0, result);
    fs_fnv_init(&out->sum);
    return out;
}

apr_uint64_t fs_rep_out_offset(const fs_rep_out_t *out)
{
    return out->flushed + out->buffer->len;
}

static fs_error_t *put(fs_rep_out_t *out, const char *data, apr_size_t len)
{
    while (len) {
        ssize_t n = pwrite(out->fd, data, len, (off_t)out->flushed);

        if (n < 0 && errno != EINTR)
            return FS_ERROR_APR(errno, "cannot write to the new revision");
        if (n > 0) {
            data += n;
            len -= (apr_size_t)n;
            out->flushed += (apr_uint64_t)n;
        }
    }
    return NULL;
}

fs_error_t *fs_rep_out_flush(fs_rep_out_t *out)
{
    fs_buffer_t *buffer = out->buffer;
    apr_uint64_t before = out->flushed;
    apr_size_t written;
    fs_error_t *err;

    err = put(out, buffer->data, buffer->len);
    /* What could not be written stays: the offset is the same. */
    written = (apr_size_t)(out->flushed - before);
    if (written && written < buffer->len)
        memmove(buffer->data, buffer->data + written, buffer->len - written);
    buffer->len -= written;
    return err;
}

fs_error_t *fs_rep_out_write(fs_rep_out_t *out, const void *data,
                             apr_size_t len)
{
    fs_fnv_update(&out->sum, data, len);
    if (out->buffer->len + len > GATHER_MAX)
        FS_TRY(fs_rep_out_flush(out));
    if (len > GATHER_MAX)
        return put(out, data, len);
    fs_buffer_append(out->buffer, data, len);
    return NULL;
}

void fs_rep_out_item_begin(fs_rep_out_t *out)
{
    out->begin = fs_rep_out_offset(out);
    fs_fnv_init(&out->sum);
}

void fs_rep_out_item_end(fs_index_p2l_entry_t *entry, fs_rep_out_t *out,
                         apr_uint64_t item, fs_item_type_t type, fs_rev_t rev)
{
    entry->offset = out->begin;
    entry->size = fs_rep_out_offset(out) - out->begin;
    entry->item = item;
    entry->rev = rev;
    entry->type = type;
    entry->checksum = fs_fnv_finish(&out->sum);
}

static fs_error_t *cut(int fd, apr_uint64_t len)
{
    int failed;

    do {
        failed = ftruncate(fd, (off_t)len);
    } while (failed && errno == EINTR);
    return failed ? FS_ERROR_APR(errno, "cannot cut the new revision") : NULL;
}

fs_error_t *fs_rep_out_item_drop(fs_rep_out_t *out)
{
    fs_fnv_init(&out->sum);
    if (out->begin >= out->flushed) {
        out->buffer->len = (apr_size_t)(out->begin - out->flushed);
        return NULL;
    }
    out->flushed = out->begin;
    out->buffer->len = 0;
    return cut(out->fd, out->begin);
}
