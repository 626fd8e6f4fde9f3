/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what is in open transactions. */

#include "libfs/store/fsfs/txn_read.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/dir_pages.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/rep_chain.h"
#include "libfs/store/fsfs/rep_read.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_table.h"

/* Added to the number of a node: its property list, its entries. Items of
 * texts are below. */
#define PROPS_BIT (APR_UINT64_C(1) << 63)
#define ENTRIES_BIT (APR_UINT64_C(1) << 62)

/* --- Ids --- */

static fs_rev_t space_of(const fs_txn_state_t *state)
{
    return -(fs_rev_t)(state->serial + 2);
}

bool fs_txn_read_is_ours(const unsigned char id[16])
{
    apr_uint64_t item;
    fs_rev_t rev;

    fs_handle_unpack_id(id, &rev, &item);
    return rev < -2;
}

void fs_txn_read_id(fs_node_id_t *id, const fs_txn_state_t *state,
                    const fs_txn_node_t *node)
{
    fs_handle_pack_id(id->bytes, space_of(state), node->number);
}

static fs_error_t *find_state(const fs_txn_state_t **state, apr_uint64_t *item,
                              const unsigned char id[16])
{
    fs_rev_t rev;

    fs_handle_unpack_id(id, &rev, item);
    *state = fs_txn_table_find((apr_uint64_t)(-rev) - 2);
    return *state ? NULL
                  : FS_ERROR(FS_ERR_NO_SUCH_TXN,
                             "the transaction of a node is not open any more");
}

static fs_error_t *find_node(const fs_txn_state_t **state,
                             const fs_txn_node_t **node,
                             const unsigned char id[16])
{
    apr_uint64_t number;

    FS_TRY(find_state(state, &number, id));
    number &= ~(PROPS_BIT | ENTRIES_BIT);
    if (number >= (apr_uint64_t)(*state)->nodes->nelts)
        return FS_ERROR(FS_ERR_NO_SUCH_TXN,
                        "the transaction '%s' was made anew since a node of it "
                        "was looked at",
                        (*state)->name);
    *node = APR_ARRAY_IDX((*state)->nodes, (int)number, fs_txn_node_t *);
    return NULL;
}

/* --- Nodes --- */

static void fill_part(unsigned char out[16], const fs_txn_state_t *state,
                      const fs_id_part_t *part)
{
    fs_rev_t rev = part->rev == FS_ID_IN_TXN ? space_of(state) : part->rev;

    fs_handle_pack_id(out, rev, part->number);
}

static void fill_text(fs_content_t *out, const fs_txn_state_t *state,
                      const fs_txn_node_t *node)
{
    const fs_rep_t *rep = &node->rec.text;

    memset(out, 0, sizeof(*out));
    if (node->entries_changed) {
        out->present = true;
        fs_handle_pack_id(out->id, space_of(state), node->number | ENTRIES_BIT);
        return;
    }
    if (!node->rec.has_text)
        return;
    fs_node_read_content(out, rep);
    if (rep->rev < 0)
        fs_handle_pack_id(out->id, space_of(state), rep->item);
}

static void fill_props(fs_content_t *out, const fs_txn_state_t *state,
                       const fs_txn_node_t *node)
{
    memset(out, 0, sizeof(*out));
    if (node->props_changed) {
        out->present = true;
        fs_handle_pack_id(out->id, space_of(state), node->number | PROPS_BIT);
        out->size = node->props.len;
        out->stored_len = node->props.len;
        out->edition = node->props.offset;
    } else if (node->rec.has_props) {
        fs_node_read_content(out, &node->rec.props);
    }
}

fs_error_t *fs_txn_read_node(const fs_node_record_t **record,
                             const fs_node_id_t *id, apr_pool_t *result)
{
    fs_node_record_t *out = apr_pcalloc(result, sizeof(*out));
    const fs_txn_state_t *state;
    const fs_txn_node_t *node;
    const fs_node_rev_t *rec;

    FS_TRY(find_node(&state, &node, id->bytes));
    rec = &node->rec;
    out->id = *id;
    out->kind = rec->kind;
    fill_part(out->line, state, &rec->id.node);
    fill_part(out->branch, state, &rec->id.copy);
    out->has_pred = rec->has_pred;
    if (rec->has_pred)
        fs_handle_pack_id(out->pred.bytes, rec->pred.rev, rec->pred.item);
    out->pred_count = (apr_int64_t)rec->count;
    fill_text(&out->text, state, node);
    fill_props(&out->props, state, node);
    out->created_rev = FS_INVALID_REV;
    out->created_path = apr_pstrdup(result, rec->cpath);
    out->copyfrom_rev = rec->copyfrom_path ? rec->copyfrom_rev : FS_INVALID_REV;
    out->copyfrom_path = apr_pstrdup(result, rec->copyfrom_path);
    out->copyroot_rev = rec->copyroot_rev;
    out->copyroot_path = apr_pstrdup(result, rec->copyroot_path);
    out->mergeinfo_count = (apr_int64_t)rec->minfo_count;
    out->has_mergeinfo = rec->minfo_here;
    *record = out;
    return NULL;
}

/* --- Directories --- */

static void fill_entry_id(fs_node_id_t *id, const fs_txn_state_t *state,
                          const fs_txn_node_t *node, fs_rev_t rev,
                          apr_uint64_t item)
{
    if (node)
        fs_txn_read_id(id, state, node);
    else
        fs_handle_pack_id(id->bytes, rev, item);
}

static fs_error_t *need_dir(const fs_txn_node_t *node)
{
    if (node->rec.kind == FS_NODE_DIR)
        return NULL;
    return FS_ERROR(FS_ERR_NOT_DIR, "'%s' is not a directory in a transaction",
                    node->rec.cpath);
}

fs_error_t *fs_txn_read_lookup(const fs_store_entry_t **entry,
                               const fs_node_record_t *record, const char *name,
                               apr_pool_t *result, apr_pool_t *scratch)
{
    const fs_txn_state_t *state;
    const fs_txn_node_t *node;
    fs_store_entry_t *out;
    fs_txn_ref_t ref;

    *entry = NULL;
    FS_TRY(find_node(&state, &node, record->id.bytes));
    FS_TRY(need_dir(node));
    FS_TRY(fs_txn_edit_entry(&ref, state, node, name, scratch));
    if (ref.kind == FS_NODE_NONE)
        return NULL;
    out = apr_pcalloc(result, sizeof(*out));
    out->name = apr_pstrdup(result, name);
    out->kind = ref.kind;
    fill_entry_id(&out->id, state, ref.node, ref.rev, ref.item);
    *entry = out;
    return NULL;
}

typedef struct cursor_t {
    fs_store_dir_t dir; /* first: its address is that of the cursor */
    const fs_txn_state_t *state;
    fs_store_dir_t *base;          /* NULL: there is none */
    const fs_store_entry_t *below; /* its next entry; NULL: the end */
    bool looked;                   /* `below` is set */
    const fs_txn_entry_t **over;   /* what was changed, sorted */
    int count;
    int next;
    fs_store_entry_t entry;
} cursor_t;

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const fs_txn_entry_t *const *)a)->name,
                  (*(const fs_txn_entry_t *const *)b)->name);
}

static void sort_overlay(cursor_t *dir, apr_hash_t *entries, apr_pool_t *result)
{
    apr_hash_index_t *hi;
    int i = 0;

    if (!entries)
        return;
    dir->count = (int)apr_hash_count(entries);
    dir->over =
        apr_palloc(result, sizeof(*dir->over) * ((apr_size_t)dir->count + 1));
    for (hi = apr_hash_first(result, entries); hi; hi = apr_hash_next(hi))
        dir->over[i++] = apr_hash_this_val(hi);
    qsort(dir->over, (size_t)dir->count, sizeof(*dir->over), compare_names);
}

/* The next entry of the base, and that of the changes if it comes first or has
 * the same name. */
static fs_error_t *step(const fs_store_entry_t **below,
                        const fs_txn_entry_t **over, cursor_t *dir)
{
    int order;

    if (!dir->looked && dir->base)
        FS_TRY(fs_dir_pages_next(&dir->below, dir->base));
    dir->looked = true;
    *over = dir->next < dir->count ? dir->over[dir->next] : NULL;
    *below = dir->below;
    order = !*below ? 1 : !*over ? -1 : strcmp((*below)->name, (*over)->name);
    if (order < 0)
        *over = NULL;
    else if (order > 0)
        *below = NULL;
    if (*over)
        dir->next++;
    if (*below)
        dir->looked = false;
    return NULL;
}

static fs_error_t *next_entry(const fs_store_entry_t **entry,
                              fs_store_dir_t *cursor)
{
    cursor_t *dir = (cursor_t *)cursor;
    const fs_store_entry_t *below;
    const fs_txn_entry_t *over;

    do {
        FS_TRY(step(&below, &over, dir));
    } while (over && over->kind == FS_NODE_NONE);
    *entry = below;
    if (!over)
        return NULL;
    dir->entry.name = over->name;
    dir->entry.kind = over->kind;
    fill_entry_id(&dir->entry.id, dir->state, over->node, over->id.rev,
                  over->id.item);
    *entry = &dir->entry;
    return NULL;
}

fs_error_t *fs_txn_read_dir_open(fs_store_dir_t **dir,
                                 const fs_node_record_t *record,
                                 apr_pool_t *result)
{
    cursor_t *d = apr_pcalloc(result, sizeof(*d));
    fs_node_record_t base = { .kind = FS_NODE_DIR };
    const fs_txn_node_t *node;

    FS_TRY(find_node(&d->state, &node, record->id.bytes));
    FS_TRY(need_dir(node));
    sort_overlay(d, node->entries, result);
    d->dir.next = next_entry;
    *dir = &d->dir;
    if (!node->rec.has_text)
        return NULL;
    fs_node_read_content(&base.text, &node->rec.text);
    return fs_dir_pages_open(&d->base, d->state->fsfs, &base, result);
}

/* --- Property lists --- */

fs_error_t *fs_txn_read_props(fs_bytes_t *text, const fs_content_t *content,
                              apr_pool_t *result)
{
    const fs_txn_state_t *state;
    const fs_txn_node_t *node;
    apr_size_t len;
    char *data;

    FS_TRY(find_node(&state, &node, content->id));
    len = node->props.len;
    data = apr_palloc(result, len + 1);
    FS_TRY(fs_disk_file_pread(state->journal, node->props.offset, data, &len,
                              FS_TXN_DIR_JOURNAL));
    if (len < node->props.len)
        return FS_ERROR(FS_ERR_CORRUPT, "properties of '%s' are cut",
                        node->rec.cpath);
    data[len] = '\0';
    text->data = data;
    text->len = len;
    return NULL;
}

/* --- Texts --- */

/* Bytes of the texts file. */
typedef struct span_t {
    int fd;
    apr_uint64_t offset;
    apr_uint64_t left;
} span_t;

static fs_error_t *read_span(void *baton, char *buf, apr_size_t *len)
{
    span_t *span = baton;

    if (*len > span->left)
        *len = (apr_size_t)span->left;
    if (!*len)
        return NULL;
    FS_TRY(
        fs_disk_file_pread(span->fd, span->offset, buf, len, FS_TXN_DIR_TEXTS));
    if (!*len)
        return FS_ERROR(FS_ERR_CORRUPT, "a text of the transaction is cut");
    span->offset += *len;
    span->left -= *len;
    return NULL;
}

/* A text on its way out, with the digest that it should have. */
typedef struct checked_t {
    fs_stream_t *source;
    fs_digest_t *digest; /* NULL: all was compared */
    unsigned char md5[FS_MD5_SIZE];
} checked_t;

static fs_error_t *read_checked(void *baton, char *buf, apr_size_t *len)
{
    checked_t *checked = baton;
    unsigned char found[FS_MD5_SIZE];

    FS_TRY(fs_stream_read(checked->source, buf, len));
    if (!checked->digest)
        return NULL;
    if (*len) {
        fs_digest_update(checked->digest, buf, *len);
        return NULL;
    }
    fs_digest_finish(checked->digest, found);
    checked->digest = NULL;
    if (memcmp(found, checked->md5, FS_MD5_SIZE))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a text of the transaction has the wrong MD5 sum");
    return NULL;
}

static fs_error_t *close_checked(void *baton)
{
    checked_t *checked = baton;

    return fs_stream_close(checked->source);
}

static fs_stream_t *check_stream(fs_stream_t *source, const fs_rep_t *rep,
                                 apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { read_checked, NULL, close_checked };
    checked_t *checked = apr_pcalloc(result, sizeof(*checked));

    checked->source = source;
    checked->digest = fs_digest_create(FS_DIGEST_MD5, result);
    memcpy(checked->md5, rep->md5, FS_MD5_SIZE);
    return fs_stream_create(&ops, checked, result);
}

static fs_error_t *read_header(fs_rep_header_t *header,
                               const fs_txn_state_t *state, apr_uint64_t offset)
{
    apr_size_t len = FS_REP_HEADER_SIZE;
    char bytes[FS_REP_HEADER_SIZE];

    FS_TRY(fs_disk_file_pread(state->texts, offset, bytes, &len,
                              FS_TXN_DIR_TEXTS));
    return fs_rep_header_parse(header, bytes, len);
}

fs_error_t *fs_txn_read_text(fs_stream_t **stream, const fs_txn_state_t *state,
                             const fs_rep_t *rep, apr_uint64_t offset,
                             apr_pool_t *result)
{
    static const fs_stream_ops_t ops = { read_span, NULL, NULL };
    span_t *span = apr_palloc(result, sizeof(*span));
    fs_stream_t *base = NULL;
    fs_rep_header_t header;
    fs_rep_place_t place;
    fs_stream_t *text;

    FS_TRY(read_header(&header, state, offset));
    span->fd = state->texts;
    span->offset = offset + header.header_len;
    span->left = rep->length;
    text = fs_stream_create(&ops, span, result);
    if (header.kind == FS_REP_DELTA) {
        place.rev = header.base_rev;
        place.item = header.base_item;
        place.length = header.base_length;
        FS_TRY(fs_rep_chain_general(&base, state->fsfs, &place, result));
    }
    if (header.kind != FS_REP_PLAIN)
        text = fs_delta_apply(fs_svndiff_read(text, result), base, result);
    *stream = rep->has_md5 ? check_stream(text, rep, result) : text;
    return NULL;
}

fs_error_t *fs_txn_read_locate(apr_uint64_t *offset,
                               const fs_txn_state_t *state, apr_uint64_t item)
{
    const fs_index_p2l_entry_t *entries =
        (const fs_index_p2l_entry_t *)(const void *)state->items->elts;
    int low = 0;
    int high = state->items->nelts;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (entries[middle].item < item)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == state->items->nelts || entries[low].item != item)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the transaction has no text %" APR_UINT64_T_FMT, item);
    *offset = entries[low].offset;
    return NULL;
}

fs_error_t *fs_txn_read_rep(fs_stream_t **stream, const fs_txn_state_t *state,
                            const fs_rep_t *rep, apr_pool_t *result)
{
    fs_content_t content;
    apr_uint64_t offset;

    if (rep->rev < 0) {
        FS_TRY(fs_txn_read_locate(&offset, state, rep->item));
        return fs_txn_read_text(stream, state, rep, offset, result);
    }
    fs_node_read_content(&content, rep);
    return fs_rep_read_stream(stream, state->fsfs, &content, 0, result);
}

static fs_error_t *open_whole(fs_stream_t **stream, const fs_content_t *content,
                              apr_pool_t *result)
{
    const fs_txn_state_t *state;
    apr_uint64_t item;
    fs_bytes_t bytes;
    fs_rep_t rep;

    FS_TRY(find_state(&state, &item, content->id));
    if (item & PROPS_BIT) {
        FS_TRY(fs_txn_read_props(&bytes, content, result));
        *stream = fs_stream_from_bytes(bytes.data, bytes.len, result);
        return NULL;
    }
    memset(&rep, 0, sizeof(rep));
    rep.rev = -1;
    rep.item = item;
    rep.length = content->stored_len;
    rep.size = content->size;
    rep.has_md5 = content->has_md5;
    memcpy(rep.md5, content->md5, FS_MD5_SIZE);
    return fs_txn_read_rep(stream, state, &rep, result);
}

fs_error_t *fs_txn_read_stream(fs_stream_t **stream,
                               const fs_content_t *content, apr_uint64_t offset,
                               apr_pool_t *result)
{
    apr_uint64_t skipped;

    FS_TRY(open_whole(stream, content, result));
    return offset ? fs_stream_skip(*stream, offset, &skipped) : NULL;
}
