/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a transaction that is laid out as the stock tools do. */

#include "libfs/store/fsfs/txn_stock_read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "libfs/base/number.h"
#include "libfs/format/dirents.h"
#include "libfs/store/fsfs/disk_file.h"

/* Longest files that are read, in bytes. */
#define RECORD_MAX ((apr_size_t)1024 * 1024)
#define LIST_MAX ((apr_size_t)1 << 30)

/* Bytes of a record of index.p2l: six numbers. */
#define P2L_LEN 48
#define NUMBER_LEN 8

typedef struct reader_t {
    fs_txn_stock_t *out;
    const fs_txn_state_t *state;
    apr_pool_t *result;
    apr_pool_t *scratch; /* of one node */
} reader_t;

/* A file of the transaction; `bytes->data` is NULL if there is none. */
static fs_error_t *get_file(fs_bytes_t *bytes, const reader_t *r,
                            const char *name, apr_size_t limit,
                            apr_pool_t *pool)
{
    return fs_disk_file_read(bytes, NULL, r->state->folder, name, limit, pool);
}

static fs_error_t *need_file(fs_bytes_t *bytes, const reader_t *r,
                             const char *name, apr_size_t limit,
                             apr_pool_t *pool)
{
    FS_TRY(get_file(bytes, r, name, limit, pool));
    if (!bytes->data)
        return FS_ERROR(FS_ERR_CORRUPT, "transaction '%s' has no file '%s'",
                        r->state->name, name);
    return NULL;
}

/* --- Nodes --- */

static const char *name_of(const reader_t *r, const fs_noderev_id_t *id,
                           const char *suffix)
{
    char node[FS_NODE_ID_SIZE];
    char copy[FS_NODE_ID_SIZE];

    fs_node_id_format_part(node, &id->node);
    fs_node_id_format_part(copy, &id->copy);
    return apr_pstrcat(r->scratch, "node.", node, ".", copy, suffix,
                       (char *)NULL);
}

static bool is_here(const reader_t *r, const fs_noderev_id_t *id)
{
    return id->rev < 0 && id->txn.base == r->state->id.base &&
           id->txn.number == r->state->id.number;
}

/* A node that is to be read; its record has only the id yet. */
static fs_txn_node_t *add_node(const reader_t *r, fs_txn_node_t *parent,
                               const fs_noderev_id_t *id)
{
    fs_txn_node_t *node = apr_pcalloc(r->result, sizeof(*node));

    node->number = (apr_uint64_t)r->out->nodes->nelts;
    node->parent = parent;
    node->rec.id = *id;
    APR_ARRAY_PUSH(r->out->nodes, fs_txn_node_t *) = node;
    return node;
}

static fs_error_t *add_entry(const reader_t *r, fs_txn_node_t *node,
                             const fs_dirents_entry_t *from)
{
    fs_txn_entry_t *entry = apr_pcalloc(r->result, sizeof(*entry));

    entry->name = apr_pstrmemdup(r->result, from->name.data, from->name.len);
    entry->kind = from->kind;
    entry->id = from->id;
    if (is_here(r, &from->id))
        entry->node = add_node(r, node, &from->id);
    else if (from->id.rev < 0)
        return FS_ERROR(FS_ERR_CORRUPT, "'%s' is in another transaction",
                        entry->name);
    apr_hash_set(node->entries, entry->name, APR_HASH_KEY_STRING, entry);
    return NULL;
}

/* All entries are told as changes of the empty directory. */
static fs_error_t *read_entries(const reader_t *r, fs_txn_node_t *node)
{
    fs_dirents_t dirents;
    fs_bytes_t text;
    apr_size_t i;

    FS_TRY(need_file(&text, r, name_of(r, &node->rec.id, ".children"), LIST_MAX,
                     r->scratch));
    FS_TRY(fs_dirents_parse(&dirents, text.data, text.len, true, r->scratch,
                            r->scratch));
    memset(&node->rec.text, 0, sizeof(node->rec.text));
    node->rec.has_text = false;
    node->entries = apr_hash_make(r->result);
    node->entries_changed = true;
    for (i = 0; i < dirents.count; i++)
        FS_TRY(add_entry(r, node, &dirents.entries[i]));
    return NULL;
}

static fs_error_t *read_props(const reader_t *r, fs_txn_node_t *node,
                              fs_bytes_t *list)
{
    memset(list, 0, sizeof(*list));
    if (!node->rec.has_props || !node->rec.props.in_txn_file)
        return NULL;
    memset(&node->rec.props, 0, sizeof(node->rec.props));
    node->rec.has_props = false;
    node->props_changed = true;
    return need_file(list, r, name_of(r, &node->rec.id, ".props"), LIST_MAX,
                     r->result);
}

static fs_error_t *read_record(const reader_t *r, fs_txn_node_t *node)
{
    fs_noderev_id_t id = node->rec.id;
    fs_bytes_t text;

    FS_TRY(need_file(&text, r, name_of(r, &id, ""), RECORD_MAX, r->scratch));
    FS_TRY(fs_node_rev_parse(&node->rec, text.data, text.len, r->result));
    if (!fs_node_id_equal(&node->rec.id, &id))
        return FS_ERROR(FS_ERR_CORRUPT, "the record has another id");
    if (node->rec.has_pred && node->rec.pred.rev < 0)
        return FS_ERROR(FS_ERR_CORRUPT, "its predecessor is in a transaction");
    if (node->rec.kind == FS_NODE_DIR && node->rec.has_text &&
        node->rec.text.in_txn_file)
        return read_entries(r, node);
    return NULL;
}

/* Nodes found in directories queue up behind. */
static fs_error_t *read_nodes(reader_t *r)
{
    fs_txn_stock_t *out = r->out;
    fs_noderev_id_t root = { .node = { 0, FS_ID_GLOBAL },
                             .copy = { 0, FS_ID_GLOBAL },
                             .rev = FS_INVALID_REV,
                             .txn = r->state->id };
    int i;

    add_node(r, NULL, &root);
    for (i = 0; i < out->nodes->nelts; i++) {
        fs_txn_node_t *node = APR_ARRAY_IDX(out->nodes, i, fs_txn_node_t *);
        fs_error_t *err;

        apr_pool_clear(r->scratch);
        err = read_record(r, node);
        if (!err)
            err = read_props(r, node, apr_array_push(out->props));
        if (err)
            return FS_WRAP(err, "node '%s' of transaction '%s'",
                           name_of(r, &node->rec.id, ""), r->state->name);
    }
    return NULL;
}

static fs_error_t *read_base(reader_t *r)
{
    const fs_txn_node_t *root =
        APR_ARRAY_IDX(r->out->nodes, 0, fs_txn_node_t *);

    if (root->rec.kind != FS_NODE_DIR || !root->rec.has_pred)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the root of transaction '%s' follows no revision",
                        r->state->name);
    r->out->base = root->rec.pred.rev;
    return NULL;
}

/* --- Changes --- */

static const char *text_of(fs_bytes_t bytes, apr_pool_t *pool)
{
    return bytes.data ? apr_pstrmemdup(pool, bytes.data, bytes.len) : NULL;
}

static void add_change(const reader_t *r, const fs_change_record_t *from)
{
    fs_txn_change_t *to = apr_array_push(r->out->changes);

    memset(to, 0, sizeof(*to));
    if (!fs_node_id_read(&to->id, from->id.data, from->id.len))
        to->id.rev = FS_INVALID_REV;
    to->path = text_of(from->path, r->result);
    to->action = from->action;
    to->kind = from->kind;
    to->text_mod = from->text_mod;
    to->prop_mod = from->prop_mod;
    to->minfo_mod = from->minfo_mod > 0;
    to->copyfrom_rev = from->copyfrom_rev;
    to->copyfrom_path = text_of(from->copyfrom_path, r->result);
}

static fs_error_t *read_changes(reader_t *r)
{
    apr_size_t done = 0;
    fs_bytes_t text;

    FS_TRY(need_file(&text, r, "changes", LIST_MAX, r->scratch));
    while (done < text.len) {
        fs_change_record_t record;
        fs_changes_step_t step;
        apr_size_t used;

        FS_TRY(fs_changes_parse(&record, &step, &used, text.data + done,
                                text.len - done));
        if (step != FS_CHANGES_ENTRY)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "the changes of transaction '%s' end early",
                            r->state->name);
        add_change(r, &record);
        done += used;
    }
    return NULL;
}

/* --- Counters and items --- */

static fs_error_t *read_counters(reader_t *r)
{
    const char *p;
    fs_bytes_t text;

    FS_TRY(need_file(&text, r, "next-ids", RECORD_MAX, r->scratch));
    p = text.data;
    if (!fs_number_base36(&r->out->next_node, &p, text.data + text.len) ||
        *p++ != ' ' ||
        !fs_number_base36(&r->out->next_copy, &p, text.data + text.len))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "malformed 'next-ids' of transaction '%s'",
                        r->state->name);
    r->out->next_item = FS_ITEM_NUMBER_FIRST;
    FS_TRY(get_file(&text, r, "itemidx", RECORD_MAX, r->scratch));
    p = text.data;
    if (p && !fs_number_decimal(&r->out->next_item, &p, text.data + text.len,
                                APR_INT64_MAX))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "malformed 'itemidx' of transaction '%s'",
                        r->state->name);
    return NULL;
}

static apr_uint64_t number_at(const char *bytes)
{
    apr_uint64_t number = 0;
    int i;

    for (i = NUMBER_LEN; i--;)
        number = number << 8 | (unsigned char)bytes[i];
    return number;
}

static fs_error_t *add_item(const reader_t *r, const char *bytes)
{
    fs_index_p2l_entry_t *item = apr_array_push(r->out->items);
    apr_uint64_t type = number_at(bytes + 2 * NUMBER_LEN);

    item->offset = number_at(bytes);
    item->size = number_at(bytes + NUMBER_LEN);
    item->type = (fs_item_type_t)type;
    item->checksum = (apr_uint32_t)number_at(bytes + 3 * NUMBER_LEN);
    item->rev = FS_INVALID_REV;
    item->item = number_at(bytes + 5 * NUMBER_LEN);
    if (item->offset != r->out->texts_len || type > FS_ITEM_CHANGES ||
        item->size > APR_INT64_MAX - item->offset)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the index of transaction '%s' has a gap",
                        r->state->name);
    r->out->texts_len += item->size;
    return NULL;
}

static fs_error_t *read_items(reader_t *r)
{
    struct stat info;
    fs_bytes_t text;
    apr_size_t at;

    if (fstat(r->state->texts, &info))
        return FS_ERROR_APR(errno, "cannot stat the transaction's texts");
    r->out->texts_len = (apr_uint64_t)info.st_size;
    if (!r->state->fsfs->format.logical)
        return NULL;
    r->out->texts_len = 0;
    FS_TRY(get_file(&text, r, "index.p2l", LIST_MAX, r->scratch));
    for (at = 0; text.data && at + P2L_LEN <= text.len; at += P2L_LEN)
        FS_TRY(add_item(r, text.data + at));
    if (r->out->texts_len > (apr_uint64_t)info.st_size)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the texts of transaction '%s' end early",
                        r->state->name);
    return NULL;
}

fs_error_t *fs_txn_stock_read(fs_txn_stock_t *out, const fs_txn_state_t *state,
                              apr_pool_t *result, apr_pool_t *scratch)
{
    reader_t r = { .out = out, .state = state, .result = result };

    memset(out, 0, sizeof(*out));
    out->nodes = apr_array_make(result, 16, sizeof(fs_txn_node_t *));
    out->props = apr_array_make(result, 16, sizeof(fs_bytes_t));
    out->changes = apr_array_make(result, 16, sizeof(fs_txn_change_t));
    out->items = apr_array_make(result, 16, sizeof(fs_index_p2l_entry_t));
    apr_pool_create(&r.scratch, scratch);
    FS_TRY(read_nodes(&r));
    FS_TRY(read_base(&r));
    FS_TRY(read_changes(&r));
    FS_TRY(read_counters(&r));
    FS_TRY(read_items(&r));
    apr_pool_destroy(r.scratch);
    return NULL;
}
