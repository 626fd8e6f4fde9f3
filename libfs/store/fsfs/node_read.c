/* SPDX-License-Identifier: Apache-2.0 */
/* Roots and node records: from disk, and as bytes in the cache. */

#include "libfs/store/fsfs/node_read.h"

#include <string.h>

#include "libfs/base/cursor.h"
#include "libfs/format/index_p2l.h"
#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/item.h"

/* Bytes that are read of a record at first, and at most. */
#define FIRST_READ 1024
#define RECORD_MAX (1024 * 1024)

/* --- Records as bytes --- */

/*
 * A record as it is cached: these bits, then what they say is there, numbers
 * of 7 bits a byte, and two or three strings with their NULs: about a quarter
 * of what a record takes in memory.
 */
enum {
    KIND_MASK = 3,
    HAS_PRED = 1 << 2,
    HAS_MERGEINFO = 1 << 3,
    HAS_COPYFROM = 1 << 4,
    TEXT_SHIFT = 5, /* four bits of a content each */
    PROPS_SHIFT = 9,
    BITS_LEN = 2
};

/* Bits of a content. */
enum {
    PRESENT = 1,
    HAS_MD5 = 2,
    HAS_SHA1 = 4,
    HAS_EDITION = 8
};

static void put_id(fs_buffer_t *out, const unsigned char id[16])
{
    apr_uint64_t item;
    fs_rev_t rev;

    fs_handle_unpack_id(id, &rev, &item);
    fs_buffer_varint(out, (apr_uint64_t)rev);
    fs_buffer_varint(out, item);
}

static unsigned int content_bits(const fs_content_t *content)
{
    if (!content->present)
        return 0;
    return PRESENT | (content->has_md5 ? HAS_MD5 : 0u) |
           (content->has_sha1 ? HAS_SHA1 : 0u) |
           (content->edition ? HAS_EDITION : 0u);
}

static void put_content(fs_buffer_t *out, const fs_content_t *content)
{
    unsigned int bits = content_bits(content);

    if (!(bits & PRESENT))
        return;
    put_id(out, content->id);
    fs_buffer_varint(out, content->stored_len);
    fs_buffer_varint(out, content->size);
    if (bits & HAS_EDITION)
        fs_buffer_append(out, &content->edition, sizeof(content->edition));
    if (bits & HAS_MD5)
        fs_buffer_append(out, content->md5, sizeof(content->md5));
    if (bits & HAS_SHA1)
        fs_buffer_append(out, content->sha1, sizeof(content->sha1));
}

static void put_string(fs_buffer_t *out, const char *text)
{
    fs_buffer_append(out, text, strlen(text) + 1);
}

static void keep(fs_fsfs_t *fsfs, const cache_key_t *key,
                 const fs_node_record_t *record, apr_pool_t *scratch)
{
    fs_buffer_t *out;
    unsigned int bits;
    unsigned char head[BITS_LEN];

    if (!fsfs->cache)
        return;
    bits = (unsigned int)record->kind & KIND_MASK;
    bits |= record->has_pred ? HAS_PRED : 0;
    bits |= record->has_mergeinfo ? HAS_MERGEINFO : 0;
    bits |= record->copyfrom_path ? HAS_COPYFROM : 0;
    bits |= content_bits(&record->text) << TEXT_SHIFT;
    bits |= content_bits(&record->props) << PROPS_SHIFT;
    head[0] = (unsigned char)bits;
    head[1] = (unsigned char)(bits >> 8);
    out = fs_buffer_create(512, scratch);
    fs_buffer_append(out, head, sizeof(head));
    put_content(out, &record->text);
    put_content(out, &record->props);
    put_id(out, record->line);
    put_id(out, record->branch);
    if (record->has_pred)
        put_id(out, record->pred.bytes);
    fs_buffer_varint(out, (apr_uint64_t)record->pred_count);
    fs_buffer_varint(out, (apr_uint64_t)record->copyroot_rev);
    fs_buffer_varint(out, (apr_uint64_t)record->mergeinfo_count);
    if (record->copyfrom_path)
        fs_buffer_varint(out, (apr_uint64_t)record->copyfrom_rev);
    put_string(out, record->created_path);
    put_string(out, record->copyroot_path);
    if (record->copyfrom_path)
        put_string(out, record->copyfrom_path);
    (void)cache_put(fsfs->cache, key, out->data, out->len);
}

static fs_error_t *get_id(unsigned char id[16], fs_cursor_t *c)
{
    apr_uint64_t rev, item;

    FS_TRY(fs_cursor_varint(c, &rev));
    FS_TRY(fs_cursor_varint(c, &item));
    fs_handle_pack_id(id, (fs_rev_t)rev, item);
    return NULL;
}

static fs_error_t *get_bytes(void *out, apr_size_t len, fs_cursor_t *c)
{
    const char *bytes;

    FS_TRY(fs_cursor_take(c, &bytes, len));
    memcpy(out, bytes, len);
    return NULL;
}

static fs_error_t *get_content(fs_content_t *content, unsigned int bits,
                               fs_cursor_t *c)
{
    if (!(bits & PRESENT))
        return NULL;
    content->present = true;
    content->has_md5 = bits & HAS_MD5;
    content->has_sha1 = bits & HAS_SHA1;
    FS_TRY(get_id(content->id, c));
    FS_TRY(fs_cursor_varint(c, &content->stored_len));
    FS_TRY(fs_cursor_varint(c, &content->size));
    if (bits & HAS_EDITION)
        FS_TRY(get_bytes(&content->edition, sizeof(content->edition), c));
    if (bits & HAS_MD5)
        FS_TRY(get_bytes(content->md5, sizeof(content->md5), c));
    if (bits & HAS_SHA1)
        FS_TRY(get_bytes(content->sha1, sizeof(content->sha1), c));
    return NULL;
}

static fs_error_t *get_number(apr_int64_t *out, fs_cursor_t *c)
{
    apr_uint64_t number;

    FS_TRY(fs_cursor_varint(c, &number));
    *out = (apr_int64_t)number;
    return NULL;
}

/* A string that stays where it is. */
static fs_error_t *get_string(const char **text, fs_cursor_t *c)
{
    apr_size_t left = fs_cursor_left(c);
    const char *end = left ? memchr(c->pos, '\0', left) : NULL;

    if (!end)
        return FS_ERROR(FS_ERR_CORRUPT, "a kept record is cut");
    *text = c->pos;
    c->pos = end + 1;
    return NULL;
}

static fs_error_t *get_record(fs_node_record_t *record, fs_cursor_t *c)
{
    unsigned char head[BITS_LEN];
    unsigned int bits;

    FS_TRY(get_bytes(head, sizeof(head), c));
    bits = head[0] | (unsigned int)head[1] << 8;
    record->kind = (fs_node_kind_t)(bits & KIND_MASK);
    record->has_pred = bits & HAS_PRED;
    record->has_mergeinfo = bits & HAS_MERGEINFO;
    FS_TRY(get_content(&record->text, bits >> TEXT_SHIFT, c));
    FS_TRY(get_content(&record->props, bits >> PROPS_SHIFT, c));
    FS_TRY(get_id(record->line, c));
    FS_TRY(get_id(record->branch, c));
    if (record->has_pred)
        FS_TRY(get_id(record->pred.bytes, c));
    FS_TRY(get_number(&record->pred_count, c));
    FS_TRY(get_number(&record->copyroot_rev, c));
    FS_TRY(get_number(&record->mergeinfo_count, c));
    record->copyfrom_rev = FS_INVALID_REV;
    if (bits & HAS_COPYFROM)
        FS_TRY(get_number(&record->copyfrom_rev, c));
    FS_TRY(get_string(&record->created_path, c));
    FS_TRY(get_string(&record->copyroot_path, c));
    return bits & HAS_COPYFROM ? get_string(&record->copyfrom_path, c) : NULL;
}

/* False if the bytes make no sense: then it is a miss. Strings stay in the
 * value. */
static bool decode(fs_node_record_t *record, const cache_value_t *value)
{
    fs_cursor_t c = fs_cursor(value->data, value->len);
    fs_error_t *err = get_record(record, &c);
    bool complete = !err && !fs_cursor_left(&c);

    fs_error_clear(err);
    return complete;
}

/* --- Records from disk --- */

static fs_error_t *read_record(fs_bytes_t *out, const fs_item_t *item,
                               apr_pool_t *scratch)
{
    apr_size_t len = FIRST_READ;

    for (;;) {
        char *data = apr_palloc(scratch, len);
        apr_size_t have = len;
        apr_size_t extent;

        FS_TRY(fs_item_read(item, 0, data, &have));
        extent = fs_node_rev_extent(data, have);
        if (extent) {
            out->data = data;
            out->len = extent;
            return NULL;
        }
        if (have < len || len >= RECORD_MAX)
            return FS_ERROR(FS_ERR_CORRUPT, "the node record has no end");
        len *= 4;
    }
}

static apr_uint64_t edition_of(const fs_rep_t *rep)
{
    apr_uint64_t h = APR_UINT64_C(0xcbf29ce484222325);
    apr_uint64_t values[3] = { (apr_uint64_t)rep->unique_txn.base,
                               rep->unique_txn.number, rep->unique_number };
    int i;

    if (!rep->has_unique)
        return 0;
    for (i = 0; i < 3; i++) {
        h = (h ^ values[i]) * APR_UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h ? h : 1;
}

void fs_node_read_content(fs_content_t *out, const fs_rep_t *rep)
{
    memset(out, 0, sizeof(*out));
    out->present = true;
    fs_handle_pack_id(out->id, rep->rev, rep->item);
    out->stored_len = rep->length;
    out->size = rep->size;
    out->edition = edition_of(rep);
    out->has_md5 = rep->has_md5;
    out->has_sha1 = rep->has_sha1;
    memcpy(out->md5, rep->md5, sizeof(out->md5));
    memcpy(out->sha1, rep->sha1, sizeof(out->sha1));
}

static fs_error_t *take_content(fs_content_t *out, bool present,
                                const fs_rep_t *rep, const char *what)
{
    if (!present)
        return NULL;
    if (rep->in_txn_file || rep->rev < 0)
        return FS_ERROR(FS_ERR_CORRUPT, "its %s is in a transaction", what);
    fs_node_read_content(out, rep);
    return NULL;
}

static fs_error_t *fill(fs_node_record_t *out, const fs_node_rev_t *node)
{
    if (node->copyroot_rev < 0 ||
        (node->copyfrom_path && node->copyfrom_rev < 0))
        return FS_ERROR(FS_ERR_CORRUPT, "it was copied in a transaction");
    if (node->has_pred && node->pred.rev < 0)
        return FS_ERROR(FS_ERR_CORRUPT, "its predecessor is in a transaction");
    out->kind = node->kind;
    fs_handle_pack_id(out->line, node->id.node.rev, node->id.node.number);
    fs_handle_pack_id(out->branch, node->id.copy.rev, node->id.copy.number);
    out->has_pred = node->has_pred;
    if (node->has_pred)
        fs_handle_pack_id(out->pred.bytes, node->pred.rev, node->pred.item);
    out->pred_count = (apr_int64_t)node->count;
    FS_TRY(take_content(&out->text, node->has_text, &node->text, "text"));
    FS_TRY(take_content(&out->props, node->has_props, &node->props,
                        "property list"));
    out->created_path = node->cpath;
    out->copyfrom_rev =
        node->copyfrom_path ? node->copyfrom_rev : FS_INVALID_REV;
    out->copyfrom_path = node->copyfrom_path;
    out->copyroot_rev = node->copyroot_rev;
    out->copyroot_path = node->copyroot_path;
    out->mergeinfo_count = (apr_int64_t)node->minfo_count;
    out->has_mergeinfo = node->minfo_here;
    return NULL;
}

static fs_error_t *parse(fs_node_rev_t *node, fs_item_t *item,
                         apr_pool_t *result, apr_pool_t *scratch)
{
    fs_node_record_t sound = { 0 };
    fs_bytes_t bytes;

    FS_TRY(fs_item_verify(item, FS_ITEM_NODE_REV, scratch));
    FS_TRY(read_record(&bytes, item, scratch));
    FS_TRY(fs_node_rev_parse(node, bytes.data, bytes.len, result));
    if (node->id.rev != item->rev || node->id.item != item->number)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the record found has the id of r%" FS_REV_FMT
                        " item %" APR_UINT64_T_FMT,
                        node->id.rev, node->id.item);
    return fill(&sound, node);
}

fs_error_t *fs_node_read_whole(fs_node_rev_t *out, fs_fsfs_t *fsfs,
                               fs_rev_t rev, apr_uint64_t number,
                               apr_pool_t *result, apr_pool_t *scratch)
{
    fs_error_t *err;
    fs_item_t item;

    FS_TRY(fs_item_open(&item, fsfs, rev, number, scratch));
    err = parse(out, &item, result, scratch);
    fs_item_close(&item);
    return err ? fs_item_wrap(err, rev, number) : NULL;
}

static fs_error_t *load(fs_node_record_t *out, fs_fsfs_t *fsfs, fs_rev_t rev,
                        apr_uint64_t number, apr_pool_t *result,
                        apr_pool_t *scratch)
{
    fs_node_rev_t node;
    fs_error_t *err;
    fs_item_t item;

    FS_TRY(fs_item_open(&item, fsfs, rev, number, scratch));
    err = parse(&node, &item, result, scratch);
    fs_item_close(&item);
    if (!err)
        err = fill(out, &node);
    return err ? fs_item_wrap(err, rev, number) : NULL;
}

fs_error_t *fs_node_read(const fs_node_record_t **record, fs_fsfs_t *fsfs,
                         const fs_node_id_t *id, apr_pool_t *result,
                         apr_pool_t *scratch)
{
    fs_node_record_t *out = apr_pcalloc(result, sizeof(*out));
    apr_uint64_t number;
    cache_value_t value;
    cache_key_t key;
    fs_rev_t rev;

    fs_handle_unpack_id(id->bytes, &rev, &number);
    out->id = *id;
    out->created_rev = rev;
    key = fs_handle_key(fsfs, CACHE_NODE, rev, number);
    *record = out;
    if (!cache_get(fsfs->cache, &key, &value, result)) {
        if (decode(out, &value))
            return NULL;
        memset(out, 0, sizeof(*out));
        out->id = *id;
        out->created_rev = rev;
    }
    FS_TRY(load(out, fsfs, rev, number, result, scratch));
    keep(fsfs, &key, out, scratch);
    return NULL;
}

/* --- Roots --- */

static fs_error_t *load_trailer(fs_rev_trailer_t *out, fs_fsfs_t *fsfs,
                                fs_rev_t rev, apr_pool_t *scratch)
{
    fs_rev_file_t *file;
    fs_error_t *err;

    FS_TRY(fs_rev_file_get(&file, fsfs, rev, scratch));
    err = fs_rev_file_trailer(out, file, rev);
    fs_rev_file_release(file);
    return err ? FS_WRAP(err, "end of r%" FS_REV_FMT, rev) : NULL;
}

fs_error_t *fs_node_read_trailer(fs_rev_trailer_t *out, fs_fsfs_t *fsfs,
                                 fs_rev_t rev, apr_pool_t *scratch)
{
    cache_value_t value;
    cache_key_t key;

    FS_TRY(fs_current_need(fsfs, rev, scratch));
    if (fsfs->format.logical) {
        out->root = FS_ITEM_NUMBER_ROOT;
        out->changes = FS_ITEM_NUMBER_CHANGES;
        return NULL;
    }
    /* Addresses of items, which packing does not move. */
    key = fs_handle_key(fsfs, CACHE_INDEX, rev, 0);
    if (!cache_get(fsfs->cache, &key, &value, scratch) &&
        value.len == sizeof(*out)) {
        memcpy(out, value.data, sizeof(*out));
        return NULL;
    }
    FS_TRY(load_trailer(out, fsfs, rev, scratch));
    (void)cache_put(fsfs->cache, &key, out, sizeof(*out));
    return NULL;
}

fs_error_t *fs_node_read_root_id(fs_node_id_t *id, fs_fsfs_t *fsfs,
                                 fs_rev_t rev, apr_pool_t *scratch)
{
    fs_rev_trailer_t trailer;

    FS_TRY(fs_node_read_trailer(&trailer, fsfs, rev, scratch));
    fs_handle_pack_id(id->bytes, rev, trailer.root);
    return NULL;
}
