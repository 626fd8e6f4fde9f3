/* SPDX-License-Identifier: Apache-2.0 */
/* Changed paths of revisions: short lists through the cache, others read as
 * a stream. */

#include "libfs/store/fsfs/changes_read.h"

#include <apr_strings.h>

#include "libfs/store/fsfs/changes_pack.h"
#include "libfs/store/fsfs/item.h"
#include "libfs/store/fsfs/node_read.h"

/* Bytes of a list that are read at once, and kept if it ends within them. */
#define FIRST_READ 4096
#define CACHE_MAX 65536

/* An item as a stream up to where it must end. */
typedef struct source_t {
    fs_item_t item;
    apr_uint64_t pos;
} source_t;

static fs_error_t *source_read(void *baton, char *buf, apr_size_t *len)
{
    source_t *source = baton;

    FS_TRY(fs_item_read(&source->item, source->pos, buf, len));
    source->pos += *len;
    return NULL;
}

static fs_error_t *source_close(void *baton)
{
    source_t *source = baton;

    fs_item_close(&source->item);
    return NULL;
}

/* Length of the list at the beginning of `data`, 0 if it does not end there.
 */
static fs_error_t *list_extent(apr_size_t *extent, const char *data,
                               apr_size_t len)
{
    fs_changes_step_t step = FS_CHANGES_ENTRY;
    fs_change_record_t record;
    apr_size_t at = 0;
    apr_size_t used;

    *extent = 0;
    while (step == FS_CHANGES_ENTRY) {
        FS_TRY(fs_changes_parse(&record, &step, &used, data + at, len - at));
        at += used;
    }
    if (step == FS_CHANGES_END)
        *extent = at;
    return NULL;
}

/* The whole list if it is short, else `out->data` is NULL. */
static fs_error_t *read_short(fs_bytes_t *out, const fs_item_t *item,
                              apr_pool_t *scratch)
{
    apr_size_t len;

    out->data = NULL;
    for (len = FIRST_READ; len <= CACHE_MAX; len *= 4) {
        char *data = apr_palloc(scratch, len);
        apr_size_t have = len;

        FS_TRY(fs_item_read(item, 0, data, &have));
        FS_TRY(list_extent(&out->len, data, have));
        if (out->len)
            out->data = data;
        if (out->len || have < len)
            return NULL;
    }
    return NULL;
}

/* --- Telling --- */

typedef struct teller_t {
    fs_store_change_fn receive;
    void *baton;
    apr_pool_t *pool; /* cleared for each change */
} teller_t;

static fs_error_t *tell(teller_t *teller, const fs_change_record_t *record)
{
    fs_store_change_t change;

    apr_pool_clear(teller->pool);
    FS_TRY(fs_changes_convert(&change, record, teller->pool));
    return teller->receive(teller->baton, &change, teller->pool);
}

/* Errors of the receiver go through as they are. */
static fs_error_t *tell_all(fs_stream_t *source, fs_rev_t rev,
                            fs_store_change_fn receive, void *baton,
                            apr_pool_t *scratch)
{
    fs_changes_t *changes = fs_changes_open(source, true, scratch);
    teller_t teller = { receive, baton, NULL };
    const fs_change_record_t *record;
    fs_error_t *err;

    apr_pool_create(&teller.pool, scratch);
    for (;;) {
        err = fs_changes_next(&record, changes);
        if (err)
            return FS_WRAP(err, "changed paths of r%" FS_REV_FMT, rev);
        if (!record)
            break;
        FS_TRY(tell(&teller, record));
    }
    apr_pool_destroy(teller.pool);
    return NULL;
}

/* Find the list; a short one is put into `packed`, in the form and the place
 * where the cache has it, a long one becomes a stream. */
static fs_error_t *open_list(fs_stream_t **stream, fs_bytes_t *packed,
                             fs_fsfs_t *fsfs, fs_rev_t rev, apr_pool_t *scratch)
{
    static const fs_stream_ops_t ops = { source_read, NULL, source_close };
    source_t *source = apr_pcalloc(scratch, sizeof(*source));
    fs_rev_trailer_t trailer;
    fs_buffer_t *buffer;
    fs_error_t *err;
    fs_bytes_t list;

    FS_TRY(fs_node_read_trailer(&trailer, fsfs, rev, scratch));
    FS_TRY(fs_item_open(&source->item, fsfs, rev, trailer.changes, scratch));
    *stream = fs_stream_create(&ops, source, scratch);
    err = fs_item_verify(&source->item, FS_ITEM_CHANGES, scratch);
    if (!err)
        err = read_short(&list, &source->item, scratch);
    if (!err && list.data) {
        buffer = fs_buffer_create(list.len / 2, scratch);
        err = fs_changes_pack(buffer, &list);
        *packed = fs_buffer_bytes(buffer);
        fs_item_close(&source->item);
        *stream = NULL;
    }
    return err ? FS_WRAP(err, "changed paths of r%" FS_REV_FMT, rev) : NULL;
}

fs_error_t *fs_changes_read(fs_fsfs_t *fsfs, fs_rev_t rev,
                            fs_store_change_fn receive, void *baton,
                            apr_pool_t *scratch)
{
    cache_key_t key = fs_handle_key(fsfs, CACHE_CHANGES, rev, 0);
    fs_stream_t *stream = NULL;
    cache_value_t value;
    fs_bytes_t packed = { NULL, 0 };

    if (!cache_get(fsfs->cache, &key, &value, scratch)) {
        packed.data = value.data;
        packed.len = value.len;
        return fs_changes_unpack(&packed, receive, baton, scratch);
    }
    FS_TRY(open_list(&stream, &packed, fsfs, rev, scratch));
    if (!stream) {
        (void)cache_put(fsfs->cache, &key, packed.data, packed.len);
        return fs_changes_unpack(&packed, receive, baton, scratch);
    }
    FS_TRY(tell_all(stream, rev, receive, baton, scratch));
    return fs_stream_close(stream);
}
