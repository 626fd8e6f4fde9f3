/* SPDX-License-Identifier: Apache-2.0 */
/* Roots and node records: from disk, and as bytes in the cache. */

#include "libfs/store/fsfs/node_read.h"

#include <string.h>

#include "libfs/format/index_p2l.h"
#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/item.h"

/* Bytes that are read of a record at first, and at most. */
#define FIRST_READ 1024
#define RECORD_MAX (1024 * 1024)

/* --- Records as bytes --- */

/* A content reference as it is cached. */
typedef struct cached_content_t {
    unsigned char id[16];
    apr_uint64_t stored_len;
    apr_uint64_t size;
    apr_uint64_t edition;
    unsigned char md5[FS_MD5_SIZE];
    unsigned char sha1[FS_SHA1_SIZE];
    unsigned char present;
    unsigned char has_md5;
    unsigned char has_sha1;
    unsigned char unused;
} cached_content_t;

/* A record as it is cached; three strings with their NULs follow. */
typedef struct cached_node_t {
    cached_content_t text;
    cached_content_t props;
    unsigned char pred[16];
    unsigned char line[16];
    unsigned char branch[16];
    apr_int64_t pred_count;
    fs_rev_t copyfrom_rev; /* -1: the second string is "" and means NULL */
    fs_rev_t copyroot_rev;
    apr_int64_t mergeinfo_count;
    apr_uint32_t created_path_len;
    apr_uint32_t copyfrom_path_len;
    apr_uint32_t copyroot_path_len;
    unsigned char kind;
    unsigned char has_pred;
    unsigned char has_mergeinfo;
    unsigned char unused;
} cached_node_t;

static void content_encode(cached_content_t *out, const fs_content_t *in)
{
    memcpy(out->id, in->id, sizeof(out->id));
    out->stored_len = in->stored_len;
    out->size = in->size;
    out->edition = in->edition;
    memcpy(out->md5, in->md5, sizeof(out->md5));
    memcpy(out->sha1, in->sha1, sizeof(out->sha1));
    out->present = in->present;
    out->has_md5 = in->has_md5;
    out->has_sha1 = in->has_sha1;
}

static void content_decode(fs_content_t *out, const cached_content_t *in)
{
    memcpy(out->id, in->id, sizeof(out->id));
    out->stored_len = in->stored_len;
    out->size = in->size;
    out->edition = in->edition;
    memcpy(out->md5, in->md5, sizeof(out->md5));
    memcpy(out->sha1, in->sha1, sizeof(out->sha1));
    out->present = in->present;
    out->has_md5 = in->has_md5;
    out->has_sha1 = in->has_sha1;
}

static void keep(fs_fsfs_t *fsfs, const cache_key_t *key,
                 const fs_node_record_t *record, apr_pool_t *scratch)
{
    const char *copyfrom = record->copyfrom_path ? record->copyfrom_path : "";
    cached_node_t node;
    fs_buffer_t *buffer;

    if (!fsfs->cache)
        return;
    memset(&node, 0, sizeof(node));
    content_encode(&node.text, &record->text);
    content_encode(&node.props, &record->props);
    memcpy(node.pred, record->pred.bytes, sizeof(node.pred));
    memcpy(node.line, record->line, sizeof(node.line));
    memcpy(node.branch, record->branch, sizeof(node.branch));
    node.pred_count = record->pred_count;
    node.copyfrom_rev = record->copyfrom_rev;
    node.copyroot_rev = record->copyroot_rev;
    node.mergeinfo_count = record->mergeinfo_count;
    node.created_path_len = (apr_uint32_t)strlen(record->created_path);
    node.copyfrom_path_len = (apr_uint32_t)strlen(copyfrom);
    node.copyroot_path_len = (apr_uint32_t)strlen(record->copyroot_path);
    node.kind = (unsigned char)record->kind;
    node.has_pred = record->has_pred;
    node.has_mergeinfo = record->has_mergeinfo;
    buffer = fs_buffer_create(512, scratch);
    fs_buffer_append(buffer, &node, sizeof(node));
    fs_buffer_append(buffer, record->created_path, node.created_path_len + 1);
    fs_buffer_append(buffer, copyfrom, node.copyfrom_path_len + 1);
    fs_buffer_append(buffer, record->copyroot_path, node.copyroot_path_len + 1);
    (void)cache_put(fsfs->cache, key, buffer->data, buffer->len);
}

/* False if the bytes make no sense: then it is a miss. Strings stay in the
 * value. */
static bool decode(fs_node_record_t *record, const cache_value_t *value)
{
    const char *strings = value->data + sizeof(cached_node_t);
    cached_node_t node;

    if (value->len < sizeof(node))
        return false;
    memcpy(&node, value->data, sizeof(node));
    if (value->len != sizeof(node) + (apr_size_t)node.created_path_len +
                          node.copyfrom_path_len + node.copyroot_path_len + 3)
        return false;
    content_decode(&record->text, &node.text);
    content_decode(&record->props, &node.props);
    memcpy(record->pred.bytes, node.pred, sizeof(node.pred));
    memcpy(record->line, node.line, sizeof(node.line));
    memcpy(record->branch, node.branch, sizeof(node.branch));
    record->pred_count = node.pred_count;
    record->copyfrom_rev = node.copyfrom_rev;
    record->copyroot_rev = node.copyroot_rev;
    record->mergeinfo_count = node.mergeinfo_count;
    record->kind = (fs_node_kind_t)node.kind;
    record->has_pred = node.has_pred;
    record->has_mergeinfo = node.has_mergeinfo;
    record->created_path = strings;
    strings += node.created_path_len + 1;
    record->copyfrom_path = FS_IS_REV(node.copyfrom_rev) ? strings : NULL;
    strings += node.copyfrom_path_len + 1;
    record->copyroot_path = strings;
    return true;
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

static fs_error_t *take_content(fs_content_t *out, bool present,
                                const fs_rep_t *rep, const char *what)
{
    if (!present)
        return NULL;
    if (rep->in_txn_file || rep->rev < 0)
        return FS_ERROR(FS_ERR_CORRUPT, "its %s is in a transaction", what);
    out->present = true;
    fs_handle_pack_id(out->id, rep->rev, rep->item);
    out->stored_len = rep->length;
    out->size = rep->size;
    out->edition = edition_of(rep);
    out->has_md5 = rep->has_md5;
    out->has_sha1 = rep->has_sha1;
    memcpy(out->md5, rep->md5, sizeof(out->md5));
    memcpy(out->sha1, rep->sha1, sizeof(out->sha1));
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

static fs_error_t *parse(fs_node_record_t *out, fs_item_t *item,
                         apr_pool_t *result, apr_pool_t *scratch)
{
    fs_bytes_t bytes;
    fs_node_rev_t node;

    FS_TRY(fs_item_verify(item, FS_ITEM_NODE_REV, scratch));
    FS_TRY(read_record(&bytes, item, scratch));
    FS_TRY(fs_node_rev_parse(&node, bytes.data, bytes.len, result));
    if (node.id.rev != item->rev || node.id.item != item->number)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the record found has the id of r%" FS_REV_FMT
                        " item %" APR_UINT64_T_FMT,
                        node.id.rev, node.id.item);
    return fill(out, &node);
}

static fs_error_t *load(fs_node_record_t *out, fs_fsfs_t *fsfs, fs_rev_t rev,
                        apr_uint64_t number, apr_pool_t *result,
                        apr_pool_t *scratch)
{
    fs_error_t *err;
    fs_item_t item;

    FS_TRY(fs_item_open(&item, fsfs, rev, number, scratch));
    err = parse(out, &item, result, scratch);
    fs_item_close(&item);
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
    if (cache_get(fsfs->cache, &key, &value, result) || !decode(out, &value)) {
        FS_TRY(load(out, fsfs, rev, number, result, scratch));
        keep(fsfs, &key, out, scratch);
    }
    *record = out;
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
