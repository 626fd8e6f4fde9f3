/* SPDX-License-Identifier: Apache-2.0 */
/* Contents: whole or as streams, checked against their digest, cached. */

#include "libfs/store/fsfs/rep_read.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/base/checksum.h"
#include "libfs/base/compress.h"
#include "libfs/store/fsfs/item.h"

/* A content that is being read. */
typedef struct reader_t {
    fs_fsfs_t *fsfs;
    apr_pool_t *pool; /* of this reader alone */
    fs_rep_place_t place;
    apr_uint64_t size;        /* of the whole content */
    const unsigned char *md5; /* NULL: unknown */
    unsigned char md5_bytes[FS_MD5_SIZE];
    fs_rep_chain_t *chain; /* NULL when all was read */
    fs_stream_t *general;  /* instead of `chain` from some point on */
    fs_digest_t *digest;   /* NULL: not read from the beginning, or summed */
    bool summed;           /* the index has a cheaper sum, which covers it */
    apr_uint64_t produced; /* bytes of the content up to here */
    char *window;          /* the last bytes that were produced */
    apr_size_t room;
    apr_size_t have;
    apr_size_t used;
} reader_t;

fs_rep_place_t fs_rep_read_place(const fs_content_t *content)
{
    fs_rep_place_t place;

    fs_handle_unpack_id(content->id, &place.rev, &place.item);
    place.length = content->stored_len;
    return place;
}

static fs_error_t *reader_open(reader_t *reader, fs_fsfs_t *fsfs,
                               const fs_content_t *content, apr_pool_t *pool)
{
    memset(reader, 0, sizeof(*reader));
    reader->fsfs = fsfs;
    reader->pool = pool;
    reader->place = fs_rep_read_place(content);
    reader->size = content->size;
    FS_TRY(fs_rep_chain_open(&reader->chain, fsfs, &reader->place, pool));
    FS_TRY(fs_rep_chain_sum(&reader->summed, reader->chain));
    if (content->has_md5 && !reader->summed) {
        memcpy(reader->md5_bytes, content->md5, FS_MD5_SIZE);
        reader->digest = fs_digest_create(FS_DIGEST_MD5, pool);
    }
    return NULL;
}

static fs_error_t *wrap(fs_error_t *err, const reader_t *reader)
{
    return err ? fs_item_wrap(err, reader->place.rev, reader->place.item)
               : NULL;
}

static fs_error_t *check_digest(reader_t *reader)
{
    unsigned char found[FS_MD5_SIZE];

    if (!reader->digest)
        return NULL;
    fs_digest_finish(reader->digest, found);
    reader->digest = NULL;
    if (!memcmp(found, reader->md5_bytes, FS_MD5_SIZE))
        return NULL;
    return FS_ERROR(
        FS_ERR_CHECKSUM_MISMATCH, "the MD5 sum is %s and should be %s",
        fs_hex_format(found, FS_MD5_SIZE, reader->pool),
        fs_hex_format(reader->md5_bytes, FS_MD5_SIZE, reader->pool));
}

/* The end of the text as its size says: the representation must agree. */
static fs_error_t *finish(reader_t *reader)
{
    fs_rep_step_t step = FS_REP_STEP_END;
    apr_size_t len = 0;
    char more;

    if (reader->general) {
        len = 1;
        FS_TRY(fs_stream_read(reader->general, &more, &len));
        if (len)
            step = FS_REP_STEP_DATA;
    } else if (fs_rep_chain_header(reader->chain)->kind == FS_REP_PLAIN) {
        if (reader->produced != reader->place.length)
            step = FS_REP_STEP_DATA;
    } else {
        /* Room for nothing: only empty windows may follow. */
        do {
            FS_TRY(fs_rep_chain_next(&step, &more, &len, reader->chain));
        } while (step == FS_REP_STEP_DATA && !len);
    }
    if (step != FS_REP_STEP_END)
        return FS_ERROR(FS_ERR_CORRUPT, "there is more than the text's size");
    if (reader->summed)
        FS_TRY(fs_rep_chain_sum_check(reader->chain));
    fs_rep_chain_close(reader->chain);
    return check_digest(reader);
}

/* The windows of some base lie elsewhere: decode the general way from here. */
static fs_error_t *go_general(reader_t *reader)
{
    apr_uint64_t skipped;

    FS_TRY(fs_rep_chain_general(&reader->general, reader->fsfs, &reader->place,
                                reader->pool));
    FS_TRY(fs_stream_skip(reader->general, reader->produced, &skipped));
    if (skipped < reader->produced)
        return FS_ERROR(FS_ERR_CORRUPT, "the text ends early");
    return NULL;
}

/* Fill `buf` with what comes next; `*len` is 0 at the end only. */
static fs_error_t *produce(reader_t *reader, char *buf, apr_size_t *len)
{
    apr_uint64_t left = reader->size - reader->produced;
    fs_rep_step_t step = FS_REP_STEP_DATA;
    apr_size_t room = *len < left ? *len : (apr_size_t)left;

    if (!left) {
        *len = 0;
        return NULL;
    }
    do {
        *len = room;
        if (!reader->general)
            FS_TRY(fs_rep_chain_next(&step, buf, len, reader->chain));
        if (step == FS_REP_STEP_UNALIGNED) {
            FS_TRY(go_general(reader));
            step = FS_REP_STEP_DATA;
            *len = room;
        }
        if (reader->general)
            FS_TRY(fs_stream_read(reader->general, buf, len));
    } while (!*len && step == FS_REP_STEP_DATA && !reader->general);
    if (!*len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the text ends after %" APR_UINT64_T_FMT
                        " of %" APR_UINT64_T_FMT " bytes",
                        reader->produced, reader->size);
    if (reader->digest)
        fs_digest_update(reader->digest, buf, *len);
    reader->produced += *len;
    return reader->produced == reader->size ? finish(reader) : NULL;
}

/* --- Whole contents --- */

static cache_key_t text_key(const fs_fsfs_t *fsfs, cache_kind_t kind,
                            const fs_content_t *content)
{
    fs_rep_place_t place = fs_rep_read_place(content);
    cache_key_t key = fs_handle_key(fsfs, kind, place.rev, place.item);

    /* A damaged record that claims another size must not find this. */
    key.extra = content->size;
    return key;
}

/*
 * A kept text: how it is kept, then its bytes. Most texts take half the room
 * when they are compressed, and LZ4 expands as fast as bytes are copied.
 */
enum {
    KEPT_PLAIN = 0,
    KEPT_LZ4 = 1
};

/* Shorter ones are not worth it. */
#define COMPRESS_MIN 512

static void keep_text(fs_fsfs_t *fsfs, const cache_key_t *key,
                      const fs_bytes_t *text, apr_pool_t *parent)
{
    apr_size_t room = fs_lz4_bound(text->len);
    apr_size_t len = room;
    apr_pool_t *scratch;
    char *value;

    if (!fsfs->cache)
        return;
    apr_pool_create(&scratch, parent);
    value = apr_palloc(scratch, 1 + (room > text->len ? room : text->len));
    value[0] = KEPT_PLAIN;
    if (text->len >= COMPRESS_MIN) {
        fs_error_t *err =
            fs_lz4_compress(value + 1, &len, text->data, text->len);

        if (!err && len < text->len - text->len / 8)
            value[0] = KEPT_LZ4;
        fs_error_clear(err);
    }
    if (value[0] == KEPT_PLAIN) {
        len = text->len;
        memcpy(value + 1, text->data, len);
    }
    (void)cache_put(fsfs->cache, key, value, 1 + len);
    apr_pool_destroy(scratch);
}

/* The text of `size` bytes if it is kept. */
static bool kept_text(fs_bytes_t *text, fs_fsfs_t *fsfs, const cache_key_t *key,
                      apr_uint64_t size, apr_pool_t *result)
{
    cache_value_t value;
    fs_error_t *err;
    char *data;

    if (cache_get(fsfs->cache, key, &value, result) || value.len < 1)
        return false;
    text->len = (apr_size_t)size;
    if (value.data[0] == KEPT_PLAIN) {
        text->data = value.data + 1;
        return value.len - 1 == size;
    }
    data = apr_palloc(result, text->len + 1);
    err = fs_lz4_expand(data, text->len, value.data + 1, value.len - 1);
    data[text->len] = '\0';
    text->data = data;
    fs_error_clear(err);
    return !err;
}

/* Read everything into `buffer`, which grows with what really comes. */
static fs_error_t *read_everything(fs_buffer_t *buffer, reader_t *reader)
{
    for (;;) {
        apr_uint64_t left = reader->size - reader->produced;
        apr_size_t len =
            left < FS_DELTA_WINDOW_MAX ? (apr_size_t)left : FS_DELTA_WINDOW_MAX;
        char *place = fs_buffer_reserve(buffer, len + 1);

        FS_TRY(produce(reader, place, &len));
        buffer->len += len;
        if (!len)
            break;
    }
    buffer->data[buffer->len] = '\0';
    return NULL;
}

/*
 * Bytes that a buffer begins with: what is to be kept has room at once. Longer
 * ones grow with what really comes. In steps, so that the memory of one version
 * of a file serves for the next.
 */
static apr_size_t first_room(apr_uint64_t size)
{
    const apr_size_t step = 65536;

    if (size < FS_DELTA_WINDOW_MAX)
        return (apr_size_t)size + 1;
    if (size > FS_REP_READ_CACHE_MAX)
        return FS_DELTA_WINDOW_MAX;
    return ((apr_size_t)size / step + 1) * step;
}

static fs_error_t *read_whole(fs_bytes_t *out, fs_fsfs_t *fsfs,
                              const fs_content_t *content, apr_pool_t *result)
{
    fs_buffer_t *buffer = fs_buffer_create(first_room(content->size), result);
    apr_pool_t *pool;
    reader_t reader;
    fs_error_t *err;

    apr_pool_create(&pool, result);
    err = reader_open(&reader, fsfs, content, pool);
    if (!err)
        err = wrap(read_everything(buffer, &reader), &reader);
    apr_pool_destroy(pool);
    FS_TRY(err);
    *out = fs_buffer_bytes(buffer);
    return NULL;
}

fs_error_t *fs_rep_read_all(fs_bytes_t *out, fs_fsfs_t *fsfs,
                            const fs_content_t *content, cache_kind_t kind,
                            apr_size_t limit, apr_pool_t *result)
{
    bool cached =
        kind != CACHE_KIND_COUNT &&
        content->size <= (kind == CACHE_PROPERTIES ? FS_REP_READ_PROPS_CACHE_MAX
                                                   : FS_REP_READ_CACHE_MAX);
    fs_rep_place_t place;
    cache_key_t key;

    out->data = "";
    out->len = 0;
    if (!content->present || !content->size)
        return NULL;
    place = fs_rep_read_place(content);
    if (content->size > limit)
        return fs_item_wrap(
            FS_ERROR(FS_ERR_CORRUPT,
                     "%" APR_UINT64_T_FMT
                     " bytes are claimed, at most %" APR_SIZE_T_FMT
                     " make sense",
                     content->size, limit),
            place.rev, place.item);
    if (cached) {
        key = text_key(fsfs, kind, content);
        if (kept_text(out, fsfs, &key, content->size, result))
            return NULL;
    }
    FS_TRY(read_whole(out, fsfs, content, result));
    if (cached)
        keep_text(fsfs, &key, out, result);
    return NULL;
}

/* --- Streams --- */

static fs_error_t *stream_fill(reader_t *reader)
{
    apr_size_t len = reader->room;

    FS_TRY(wrap(produce(reader, reader->window, &len), reader));
    reader->have = len;
    reader->used = 0;
    return NULL;
}

static fs_error_t *stream_read(void *baton, char *buf, apr_size_t *len)
{
    reader_t *reader = baton;
    apr_size_t n;

    if (reader->used == reader->have)
        FS_TRY(stream_fill(reader));
    n = reader->have - reader->used;
    if (n > *len)
        n = *len;
    if (n)
        memcpy(buf, reader->window + reader->used, n);
    reader->used += n;
    *len = n;
    return NULL;
}

/* Pass over whole windows unread; afterwards there is no digest to check. */
static fs_error_t *skip_ahead(reader_t *reader, apr_uint64_t len)
{
    apr_uint64_t at = reader->produced;
    apr_uint64_t wanted = reader->produced + len;

    reader->have = 0;
    reader->used = 0;
    reader->digest = NULL;
    reader->summed = false;
    if (wanted > reader->size)
        wanted = reader->size;
    if (reader->general)
        FS_TRY(fs_stream_skip(reader->general, len, &at));
    else
        FS_TRY(fs_rep_chain_skip(&at, reader->chain, wanted));
    reader->produced = reader->general ? reader->produced + at : at;
    if (reader->produced > reader->size)
        return FS_ERROR(FS_ERR_CORRUPT, "there is more than the text's size");
    return NULL;
}

static fs_error_t *stream_skip(void *baton, apr_uint64_t *len)
{
    reader_t *reader = baton;
    apr_uint64_t wanted = *len;
    apr_uint64_t left;
    apr_size_t n = reader->have - reader->used;

    if (n > wanted)
        n = (apr_size_t)wanted;
    reader->used += n;
    wanted -= n;
    left = reader->size - reader->produced;
    if (wanted > left)
        wanted = left;
    *len = n + wanted;
    while (wanted) {
        apr_uint64_t before = reader->produced;

        if (wanted >= FS_DELTA_WINDOW_MAX)
            FS_TRY(wrap(skip_ahead(reader, wanted), reader));
        wanted -= reader->produced - before;
        if (!wanted)
            break;
        FS_TRY(stream_fill(reader));
        n = wanted < reader->have ? (apr_size_t)wanted : reader->have;
        reader->used = n;
        wanted -= n;
        if (!reader->have)
            break;
    }
    return NULL;
}

static fs_error_t *stream_close(void *baton)
{
    reader_t *reader = baton;

    apr_pool_destroy(reader->pool);
    return NULL;
}

static fs_error_t *open_stream(fs_stream_t **stream, fs_fsfs_t *fsfs,
                               const fs_content_t *content, apr_uint64_t offset,
                               apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { stream_read, stream_skip,
                                         stream_close };
    reader_t *reader = apr_palloc(result, sizeof(*reader));
    apr_uint64_t skipped;
    apr_pool_t *pool;
    fs_error_t *err;

    apr_pool_create(&pool, result);
    err = reader_open(reader, fsfs, content, pool);
    if (err) {
        apr_pool_destroy(pool);
        return err;
    }
    reader->room = FS_DELTA_WINDOW_MAX;
    reader->window = apr_palloc(pool, reader->room);
    *stream = fs_stream_create(&ops, reader, result);
    if (offset)
        FS_TRY(fs_stream_skip(*stream, offset, &skipped));
    return NULL;
}

fs_error_t *fs_rep_read_stream(fs_stream_t **stream, fs_fsfs_t *fsfs,
                               const fs_content_t *content, apr_uint64_t offset,
                               apr_pool_t *result)
{
    fs_bytes_t text;

    if (!content->present || offset >= content->size) {
        *stream = fs_stream_empty(result);
        return NULL;
    }
    if (content->size > FS_REP_READ_CACHE_MAX)
        return open_stream(stream, fsfs, content, offset, result);
    FS_TRY(fs_rep_read_all(&text, fsfs, content, CACHE_TEXT,
                           FS_REP_READ_CACHE_MAX, result));
    *stream = fs_stream_from_bytes(text.data + offset,
                                   text.len - (apr_size_t)offset, result);
    return NULL;
}

/* --- Deltas as they are stored --- */

/* Whether the header says: a delta against exactly `base`. */
static bool is_against(const fs_rep_header_t *header, const fs_content_t *base)
{
    fs_rep_place_t place;

    if (!base || !base->present)
        return header->kind == FS_REP_SELF_DELTA;
    if (header->kind != FS_REP_DELTA)
        return false;
    place = fs_rep_read_place(base);
    return place.rev == header->base_rev && place.item == header->base_item;
}

/* The svndiff version in front of the bytes at hand. */
static fs_error_t *peek_version(unsigned int *mask, fs_fsfs_t *fsfs,
                                const fs_rep_place_t *place,
                                apr_pool_t *scratch)
{
    fs_rep_header_t header;
    fs_stream_t *raw;
    char magic[4];
    apr_size_t len = sizeof(magic);

    FS_TRY(fs_rep_chain_raw(&raw, &header, fsfs, place, scratch));
    FS_TRY(fs_stream_read_full(raw, magic, &len));
    FS_TRY(fs_stream_close(raw));
    *mask = len == 4 && magic[3] >= 0 && magic[3] < 3 ? 1U << magic[3] : 0;
    return NULL;
}

/* Was the whole text read, and its digest found right, not long ago? */
static bool is_known_good(fs_fsfs_t *fsfs, const fs_content_t *content)
{
    cache_key_t key = text_key(fsfs, CACHE_TEXT, content);
    apr_size_t nothing = 0;
    apr_uint64_t size;
    char none;

    return !cache_get_part(fsfs->cache, &key, 0, &none, &nothing, &size);
}

static fs_error_t *check_text(const fs_bytes_t *text,
                              const fs_content_t *content)
{
    unsigned char found[FS_MD5_SIZE];

    if (text->len != content->size)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the text has %" APR_SIZE_T_FMT
                        " bytes and should have %" APR_UINT64_T_FMT,
                        text->len, content->size);
    fs_digest_md5(found, text->data, text->len);
    if (content->has_md5 && memcmp(found, content->md5, FS_MD5_SIZE) != 0)
        return FS_ERROR(FS_ERR_CHECKSUM_MISMATCH,
                        "the MD5 sum is not that of its text");
    return NULL;
}

/*
 * The text that was made last. The base of one version of a file is the text
 * of the one before: a walk through its history needs each text once more, at
 * once, and never again, so that the cache is no place for them.
 */
static struct {
    pthread_mutex_t lock; /* guards what follows */
    apr_uint64_t store;
    unsigned char id[sizeof(((fs_content_t *)0)->id)];
    apr_uint64_t size;
    char *data; /* FS_REP_READ_CACHE_MAX bytes, allocated at first use */
} last_text = { PTHREAD_MUTEX_INITIALIZER, 0, { 0 }, 0, NULL };

static bool recall_text(fs_bytes_t *text, const fs_fsfs_t *fsfs,
                        const fs_content_t *content, apr_pool_t *result)
{
    bool found;

    pthread_mutex_lock(&last_text.lock);
    found = last_text.store == fsfs->serial && last_text.data &&
            last_text.size == content->size &&
            !memcmp(last_text.id, content->id, sizeof(last_text.id));
    if (found) {
        text->len = (apr_size_t)last_text.size;
        text->data = apr_pmemdup(result, last_text.data, text->len);
    }
    pthread_mutex_unlock(&last_text.lock);
    return found;
}

static void remember_text(const fs_bytes_t *text, const fs_fsfs_t *fsfs,
                          const fs_content_t *content)
{
    pthread_mutex_lock(&last_text.lock);
    if (!last_text.data)
        last_text.data = malloc(FS_REP_READ_CACHE_MAX);
    if (last_text.data) {
        memcpy(last_text.data, text->data, text->len);
        memcpy(last_text.id, content->id, sizeof(last_text.id));
        last_text.size = text->len;
        last_text.store = fsfs->serial;
    }
    pthread_mutex_unlock(&last_text.lock);
}

/* Make the text from its base and the stored delta, and check its digest. */
static fs_error_t *check_by_digest(fs_fsfs_t *fsfs, const fs_content_t *base,
                                   const fs_content_t *content,
                                   const fs_rep_place_t *place,
                                   apr_pool_t *scratch)
{
    fs_stream_t *source = NULL;
    fs_rep_header_t header;
    fs_stream_t *raw, *target;
    fs_bytes_t text;
    fs_error_t *err;

    if (base && base->present) {
        if (!recall_text(&text, fsfs, base, scratch))
            FS_TRY(fs_rep_read_all(&text, fsfs, base, CACHE_TEXT,
                                   FS_REP_READ_CACHE_MAX, scratch));
        source = fs_stream_from_bytes(text.data, text.len, scratch);
    }
    FS_TRY(fs_rep_chain_raw(&raw, &header, fsfs, place, scratch));
    target = fs_delta_apply(fs_svndiff_read(raw, scratch), source, scratch);
    err = fs_stream_slurp(&text, target, FS_REP_READ_CACHE_MAX, scratch);
    if (!err)
        err = check_text(&text, content);
    if (err)
        return fs_item_wrap(err, place->rev, place->item);
    remember_text(&text, fsfs, content);
    return fs_stream_close(target);
}

/*
 * Check the stored bytes of a text before they go out as they are. The
 * index has a sum of them with logical addressing. Else only the digest of
 * the text covers them; where texts are too long to be kept, that is not
 * worth a second reading, and `*checked` stays false.
 */
static fs_error_t *check_stored(bool *checked, fs_fsfs_t *fsfs,
                                const fs_content_t *base,
                                const fs_content_t *content,
                                const fs_rep_place_t *place,
                                apr_pool_t *scratch)
{
    fs_item_t item;
    fs_error_t *err;

    *checked = true;
    if (fsfs->format.logical) {
        FS_TRY(fs_item_open(&item, fsfs, place->rev, place->item, scratch));
        err = fs_item_verify(&item, FS_ITEM_UNUSED, scratch);
        fs_item_close(&item);
        return err;
    }
    *checked = content->size <= FS_REP_READ_CACHE_MAX &&
               (!base || !base->present || base->size <= FS_REP_READ_CACHE_MAX);
    if (!*checked || is_known_good(fsfs, content))
        return NULL;
    return check_by_digest(fsfs, base, content, place, scratch);
}

fs_error_t *fs_rep_read_stored_delta(fs_stored_delta_t **delta, fs_fsfs_t *fsfs,
                                     const fs_content_t *base,
                                     const fs_content_t *content,
                                     unsigned int versions, apr_pool_t *result)
{
    fs_rep_header_t header;
    fs_rep_place_t place;
    unsigned int mask = 0;
    fs_stream_t *raw;
    bool checked;

    *delta = NULL;
    if (!content->present)
        return NULL;
    place = fs_rep_read_place(content);
    FS_TRY(fs_rep_chain_raw(&raw, &header, fsfs, &place, result));
    if (!is_against(&header, base))
        return fs_stream_close(raw);
    if (versions) {
        FS_TRY(peek_version(&mask, fsfs, &place, result));
        if (!(mask & versions))
            return fs_stream_close(raw);
    }
    FS_TRY(check_stored(&checked, fsfs, base, content, &place, result));
    if (!checked)
        return fs_stream_close(raw);
    *delta = apr_pcalloc(result, sizeof(**delta));
    if (versions)
        (*delta)->svndiff = raw;
    else
        (*delta)->windows = fs_svndiff_read(raw, result);
    return NULL;
}
