/* SPDX-License-Identifier: Apache-2.0 */
/* Making a transaction anew from what a guest left of it. */

#include "libfs/store/fsfs/txn_stock_take.h"

#include <string.h>

#include "libfs/store/fsfs/dir_pages.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_journal.h"
#include "libfs/store/fsfs/txn_path.h"

/* A node of the transaction whose edits are to be told. */
typedef struct visit_t {
    const fs_txn_node_t *node;
    const char *path;
    bool has_model; /* it was made of the committed node at */
    fs_rev_t rev;   /* this address */
    apr_uint64_t item;
} visit_t;

/* A file whose text the transaction set. */
typedef struct text_t {
    const char *path;
    const fs_rep_t *rep;
    bool done;
} text_t;

typedef struct take_t {
    fs_txn_state_t *state;
    const fs_txn_stock_t *stock;
    apr_array_header_t *visits; /* visit_t */
    apr_array_header_t *texts;  /* text_t */
    apr_hash_t *mergeinfo;      /* paths where it was touched */
    apr_pool_t *pool;           /* of all of this */
    apr_pool_t *scratch;        /* of one node */
} take_t;

static fs_error_t *edit(const take_t *take, fs_txn_op_t *op)
{
    return fs_txn_journal_edit(take->state, op, take->scratch);
}

/* An edit of `path` with what most edits do not use. */
static fs_txn_op_t edit_of(fs_txn_op_type_t type, const char *path)
{
    fs_txn_op_t op;

    memset(&op, 0, sizeof(op));
    op.type = type;
    op.path = path;
    op.from_rev = FS_INVALID_REV;
    op.node_rev = FS_INVALID_REV;
    op.rep.rev = FS_INVALID_REV;
    return op;
}

/* --- Entries --- */

static fs_error_t *read_model(apr_hash_t **entries, const take_t *take,
                              const visit_t *visit)
{
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    fs_store_dir_t *dir;
    fs_node_id_t id;

    *entries = apr_hash_make(take->scratch);
    if (!visit->has_model)
        return NULL;
    fs_handle_pack_id(id.bytes, visit->rev, visit->item);
    FS_TRY(fs_node_read(&record, take->state->fsfs, &id, take->scratch,
                        take->scratch));
    FS_TRY(fs_dir_pages_open(&dir, take->state->fsfs, record, take->scratch));
    for (;;) {
        fs_store_entry_t *copy;

        FS_TRY(fs_dir_pages_next(&entry, dir));
        if (!entry)
            return NULL;
        copy = apr_pmemdup(take->scratch, entry, sizeof(*entry));
        copy->name = apr_pstrdup(take->scratch, entry->name);
        apr_hash_set(*entries, copy->name, APR_HASH_KEY_STRING, copy);
    }
}

static bool is_at(const fs_store_entry_t *entry, const fs_noderev_id_t *id)
{
    apr_uint64_t item;
    fs_rev_t rev;

    fs_handle_unpack_id(entry->id.bytes, &rev, &item);
    return rev == id->rev && item == id->item;
}

static fs_error_t *remove_path(const take_t *take, const char *path)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_REMOVE, path);

    return edit(take, &op);
}

static fs_error_t *adopt(const take_t *take, const char *path,
                         fs_node_kind_t kind, const fs_noderev_id_t *id)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_ADOPT, path);

    op.kind = kind;
    op.node_rev = id->rev;
    op.node_item = id->item;
    return edit(take, &op);
}

static fs_error_t *copy(const take_t *take, const char *path,
                        const fs_node_rev_t *rec)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_COPY, path);

    op.from_rev = rec->copyfrom_rev;
    op.from_path = rec->copyfrom_path;
    op.node_rev = rec->pred.rev;
    op.node_item = rec->pred.item;
    return edit(take, &op);
}

static fs_error_t *make(const take_t *take, const char *path,
                        const fs_node_rev_t *rec)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_MAKE, path);

    op.kind = rec->kind;
    return edit(take, &op);
}

static void visit_later(const take_t *take, const fs_txn_node_t *node,
                        const char *path)
{
    visit_t visit = { .node = node, .path = path };

    visit.has_model = node->rec.has_pred;
    visit.rev = node->rec.pred.rev;
    visit.item = node->rec.pred.item;
    APR_ARRAY_PUSH(take->visits, visit_t) = visit;
}

/* An entry that is the transaction's own node; `before` is what the model has
 * there. */
static fs_error_t *take_node(const take_t *take, const char *path,
                             const fs_txn_node_t *node,
                             const fs_store_entry_t *before)
{
    const fs_node_rev_t *rec = &node->rec;
    bool is_copy = rec->copyfrom_path && rec->has_pred;
    bool is_new = is_copy || !rec->has_pred;

    if (is_new && before)
        FS_TRY(remove_path(take, path));
    if (is_copy)
        FS_TRY(copy(take, path, rec));
    else if (is_new)
        FS_TRY(make(take, path, rec));
    else if (!before || !is_at(before, &rec->pred)) /* merged before */
        FS_TRY(adopt(take, path, rec->kind, &rec->pred));
    visit_later(take, node, path);
    return NULL;
}

static fs_error_t *take_entry(const take_t *take, const char *path,
                              const fs_txn_entry_t *entry,
                              const fs_store_entry_t *before)
{
    if (entry->node)
        return take_node(take, path, entry->node, before);
    if (before && is_at(before, &entry->id))
        return NULL;
    return adopt(take, path, entry->kind, &entry->id);
}

static fs_error_t *remove_missing(const take_t *take, const visit_t *visit,
                                  apr_hash_t *model)
{
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(take->scratch, model); hi;
         hi = apr_hash_next(hi)) {
        const char *name = apr_hash_this_key(hi);

        if (!apr_hash_get(visit->node->entries, name, APR_HASH_KEY_STRING))
            FS_TRY(remove_path(
                take, fs_txn_path_join(visit->path, name, take->scratch)));
    }
    return NULL;
}

static fs_error_t *take_entries(const take_t *take, const visit_t *visit)
{
    apr_hash_index_t *hi;
    apr_hash_t *model;

    if (!visit->node->entries_changed)
        return NULL;
    FS_TRY(read_model(&model, take, visit));
    FS_TRY(remove_missing(take, visit, model));
    for (hi = apr_hash_first(take->scratch, visit->node->entries); hi;
         hi = apr_hash_next(hi)) {
        const fs_txn_entry_t *entry = apr_hash_this_val(hi);

        FS_TRY(take_entry(
            take, fs_txn_path_join(visit->path, entry->name, take->pool), entry,
            apr_hash_get(model, entry->name, APR_HASH_KEY_STRING)));
    }
    return NULL;
}

/* --- Properties and texts --- */

static fs_error_t *take_props(const take_t *take, const visit_t *visit)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_PROPS, visit->path);

    if (!visit->node->props_changed)
        return NULL;
    op.props =
        APR_ARRAY_IDX(take->stock->props, (int)visit->node->number, fs_bytes_t);
    op.mergeinfo_mod =
        apr_hash_get(take->mergeinfo, visit->path, APR_HASH_KEY_STRING) != NULL;
    op.has_mergeinfo = visit->node->rec.minfo_here;
    return edit(take, &op);
}

static void note_text(const take_t *take, const visit_t *visit)
{
    const fs_node_rev_t *rec = &visit->node->rec;
    const fs_txn_id_t *id = &take->state->id;
    text_t text = { visit->path, &rec->text, false };

    if (rec->kind != FS_NODE_FILE || !rec->has_text)
        return;
    if (rec->text.rev < 0 ||
        (rec->text.has_unique && rec->text.unique_txn.base == id->base &&
         rec->text.unique_txn.number == id->number))
        APR_ARRAY_PUSH(take->texts, text_t) = text;
}

static fs_error_t *take_text(const take_t *take, const char *path,
                             const fs_rep_t *rep,
                             const fs_index_p2l_entry_t *item)
{
    fs_txn_op_t op = edit_of(FS_TXN_OP_TEXT, path);

    op.rep = *rep;
    op.rep.has_unique = false;
    if (item)
        op.entry = *item;
    return edit(take, &op);
}

/*
 * Items are noted in their order. One that no file has any more is noted with
 * a file that gets its own text later; those behind the last one in use are
 * dropped.
 */
static apr_hash_t *list_used(const take_t *take)
{
    apr_hash_t *used = apr_hash_make(take->scratch);
    int i;

    for (i = 0; i < take->texts->nelts; i++) {
        text_t *text = &APR_ARRAY_IDX(take->texts, i, text_t);

        if (text->rep->rev < 0)
            apr_hash_set(used, &text->rep->item, sizeof(text->rep->item), text);
    }
    return used;
}

static text_t *user_of(apr_hash_t *used, const fs_index_p2l_entry_t *item)
{
    return apr_hash_get(used, &item->item, sizeof(item->item));
}

static fs_error_t *take_item(const take_t *take, text_t *text,
                             const fs_index_p2l_entry_t *item)
{
    text_t *first = &APR_ARRAY_IDX(take->texts, 0, text_t);
    fs_rep_t unused = *first->rep;

    take->state->texts_len = item->offset + item->size;
    if (text) {
        text->done = true;
        return take_text(take, text->path, text->rep, item);
    }
    unused.rev = FS_INVALID_REV;
    unused.item = item->item;
    unused.has_sha1 = false;
    first->done = false;
    return take_text(take, first->path, &unused, item);
}

static fs_error_t *take_items(const take_t *take)
{
    const apr_array_header_t *items = take->stock->items;
    const fs_index_p2l_entry_t *list =
        (const fs_index_p2l_entry_t *)(const void *)items->elts;
    apr_hash_t *used = list_used(take);
    int count = items->nelts;
    int i;

    while (count && !user_of(used, &list[count - 1]))
        count--;
    for (i = 0; i < count; i++)
        FS_TRY(take_item(take, user_of(used, &list[i]), &list[i]));
    return NULL;
}

static fs_error_t *take_texts(const take_t *take)
{
    int i;

    FS_TRY(take_items(take));
    for (i = 0; i < take->texts->nelts; i++) {
        const text_t *text = &APR_ARRAY_IDX(take->texts, i, text_t);

        if (!text->done)
            FS_TRY(take_text(take, text->path, text->rep, NULL));
    }
    return NULL;
}

/* --- All --- */

static apr_hash_t *list_mergeinfo(const fs_txn_stock_t *stock, apr_pool_t *pool)
{
    apr_hash_t *paths = apr_hash_make(pool);
    int i;

    for (i = 0; i < stock->changes->nelts; i++) {
        const fs_txn_change_t *change =
            &APR_ARRAY_IDX(stock->changes, i, fs_txn_change_t);

        if (change->minfo_mod)
            apr_hash_set(paths, change->path, APR_HASH_KEY_STRING, change);
    }
    return paths;
}

/* The root is what replaying the journal begins with. */
static void visit_root(const take_t *take)
{
    const fs_noderev_id_t *base = &take->state->root->rec.pred;
    visit_t visit = { .path = "/", .has_model = true };

    visit.node = APR_ARRAY_IDX(take->stock->nodes, 0, fs_txn_node_t *);
    visit.rev = base->rev;
    visit.item = base->item;
    APR_ARRAY_PUSH(take->visits, visit_t) = visit;
}

/* Directories before what is in them. */
static fs_error_t *take_tree(const take_t *take)
{
    int i;

    visit_root(take);
    for (i = 0; i < take->visits->nelts; i++) {
        visit_t visit = APR_ARRAY_IDX(take->visits, i, visit_t);

        apr_pool_clear(take->scratch);
        FS_TRY(take_entries(take, &visit));
        FS_TRY(take_props(take, &visit));
        note_text(take, &visit);
    }
    apr_pool_clear(take->scratch);
    return take_texts(take);
}

/* It was merged with revisions behind the one that it began from. */
static fs_error_t *take_base(const take_t *take)
{
    const fs_txn_node_t *root =
        APR_ARRAY_IDX(take->stock->nodes, 0, fs_txn_node_t *);
    fs_txn_op_t follow = edit_of(FS_TXN_OP_FOLLOW, "/");
    fs_txn_op_t base = edit_of(FS_TXN_OP_BASE, NULL);

    if (take->stock->base == take->state->base)
        return NULL;
    follow.node_rev = root->rec.pred.rev;
    follow.node_item = root->rec.pred.item;
    FS_TRY(edit(take, &follow));
    base.from_rev = take->stock->base;
    return edit(take, &base);
}

static fs_error_t *begin(fs_txn_state_t *state, const fs_txn_stock_t *stock,
                         apr_pool_t *scratch)
{
    FS_TRY(fs_txn_journal_restart(state, scratch));
    if (!state->fsfs->format.logical)
        state->texts_len = stock->texts_len;
    return NULL;
}

fs_error_t *fs_txn_stock_take(fs_txn_state_t *state,
                              const fs_txn_stock_t *stock, apr_pool_t *scratch)
{
    take_t take = { .state = state, .stock = stock };

    apr_pool_create(&take.pool, scratch);
    apr_pool_create(&take.scratch, take.pool);
    take.visits = apr_array_make(take.pool, 16, sizeof(visit_t));
    take.texts = apr_array_make(take.pool, 16, sizeof(text_t));
    take.mergeinfo = list_mergeinfo(stock, take.pool);
    FS_TRY(begin(state, stock, scratch));
    FS_TRY(take_tree(&take));
    FS_TRY(take_base(&take));
    apr_pool_destroy(take.pool);
    return fs_txn_journal_cut(state->texts, state->texts_len, FS_TXN_DIR_TEXTS);
}
