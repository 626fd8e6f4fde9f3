/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a new revision behind the texts that arrived. */

#include "libfs/store/fsfs/commit_tree.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/store/fsfs/commit_dir.h"
#include "libfs/store/fsfs/commit_props.h"
#include "libfs/store/fsfs/node_read.h"

/* A node on the way: pushed once, and written when its children were. */
typedef struct step_t {
    const fs_txn_node_t *node;
    const char *name; /* in its directory */
    bool ready;       /* its children were pushed */
} step_t;

typedef struct writer_t {
    fs_commit_tree_t *tree;
    const fs_txn_state_t *state;
    fs_fsfs_t *fsfs;
    fs_commit_items_t *items;
    fs_commit_props_t *props;
    apr_uint64_t *addresses; /* of the records, by number of the node */
    fs_buffer_t *record;     /* the one that is being written */
    fs_buffer_t *stack;      /* of step_t */
    fs_rev_trailer_t trailer;
} writer_t;

/* --- Ids --- */

static void settle_part(fs_id_part_t *part, const writer_t *w,
                        apr_uint64_t first)
{
    if (part->rev != FS_ID_IN_TXN)
        return;
    part->rev = w->tree->rev;
    if (w->fsfs->format.format < FS_FORMAT_REV_IDS) {
        part->rev = FS_ID_GLOBAL;
        part->number += first;
    }
}

/* The id that a node has from now on. */
static fs_noderev_id_t settle_id(const writer_t *w, const fs_txn_node_t *node)
{
    fs_noderev_id_t id = node->rec.id;

    settle_part(&id.node, w, w->tree->current.next_node);
    settle_part(&id.copy, w, w->tree->current.next_copy);
    id.rev = w->tree->rev;
    id.item = w->addresses[node->number];
    id.txn.base = FS_INVALID_REV;
    id.txn.number = 0;
    return id;
}

/* --- Directories --- */

static apr_array_header_t *list_entries(const writer_t *w,
                                        const fs_txn_node_t *node,
                                        apr_pool_t *scratch)
{
    apr_array_header_t *list;
    apr_hash_index_t *hi;
    int count = node->entries ? (int)apr_hash_count(node->entries) : 0;

    list = apr_array_make(scratch, count + 1, sizeof(fs_dirents_entry_t));
    if (!count)
        return list;
    for (hi = apr_hash_first(scratch, node->entries); hi;
         hi = apr_hash_next(hi)) {
        const fs_txn_entry_t *from = apr_hash_this_val(hi);
        fs_dirents_entry_t *to = apr_array_push(list);

        to->name.data = from->name;
        to->name.len = strlen(from->name);
        to->kind = from->kind;
        to->id = from->node ? settle_id(w, from->node) : from->id;
    }
    return list;
}

static fs_error_t *receive_text(void *baton, const char *data, apr_size_t len)
{
    return fs_rep_write(baton, data, len);
}

static fs_error_t *write_entries(fs_rep_t *rep, const writer_t *w,
                                 const fs_txn_node_t *node, apr_pool_t *scratch)
{
    const fs_node_rev_t *before = &node->rec;
    fs_rep_write_t *write;

    FS_TRY(fs_commit_items_open(&write, w->items, before, FS_REP_KIND_DIR,
                                scratch));
    FS_TRY(fs_commit_dir_tell(w->fsfs, before->has_text ? &before->text : NULL,
                              list_entries(w, node, scratch), receive_text,
                              write, scratch));
    FS_TRY(fs_commit_items_close(rep, w->items, write, FS_ITEM_DIR_TEXT));
    rep->has_sha1 = false;
    return NULL;
}

/* --- Nodes --- */

static void settle_file_text(fs_node_rev_t *rec, const writer_t *w)
{
    if (!rec->has_text || rec->text.rev >= 0)
        return;
    rec->text.rev = w->tree->rev;
    if (rec->text.has_sha1)
        APR_ARRAY_PUSH(w->tree->reps, fs_rep_t) = rec->text;
}

static fs_error_t *settle_contents(fs_node_rev_t *rec, const writer_t *w,
                                   const fs_txn_node_t *node,
                                   apr_pool_t *scratch)
{
    if (node->entries_changed) {
        FS_TRY(write_entries(&rec->text, w, node, scratch));
        rec->has_text = true;
    } else {
        settle_file_text(rec, w);
    }
    if (!node->props_changed)
        return NULL;
    rec->has_props = true;
    return fs_commit_props_write(&rec->props, w->props, node, scratch);
}

static fs_error_t *check_record(const fs_node_rev_t *rec)
{
    if ((rec->has_text && rec->text.rev < 0) ||
        (rec->has_props && rec->props.rev < 0) ||
        (rec->has_pred && rec->pred.rev < 0))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the node '%s' of the transaction refers to what is "
                        "not committed",
                        rec->cpath);
    return NULL;
}

static fs_error_t *write_node(writer_t *w, const fs_txn_node_t *node,
                              apr_pool_t *scratch)
{
    bool is_root = node == w->state->root;
    fs_node_rev_t rec = node->rec;

    FS_TRY(settle_contents(&rec, w, node, scratch));
    FS_TRY(check_record(&rec));
    fs_commit_items_begin(&w->addresses[node->number], w->items,
                          is_root ? FS_ITEM_NUMBER_ROOT : 0);
    rec.id = settle_id(w, node);
    if (rec.copyroot_rev < 0)
        rec.copyroot_rev = w->tree->rev;
    rec.fresh_txn_root = false;
    if (is_root)
        w->trailer.root = rec.id.item;
    w->record->len = 0;
    fs_node_rev_format(w->record, &rec, w->fsfs->format.format);
    return fs_commit_items_put(w->items, w->record, FS_ITEM_NODE_REV);
}

/* --- The tree --- */

static void push(const writer_t *w, const fs_txn_node_t *node, const char *name)
{
    step_t step = { node, name, false };

    fs_buffer_append(w->stack, &step, sizeof(step));
}

/* The last pushed is the first written. */
static int compare_down(const void *a, const void *b)
{
    return strcmp(((const step_t *)b)->name, ((const step_t *)a)->name);
}

static void push_children(const writer_t *w, const fs_txn_node_t *node,
                          apr_pool_t *scratch)
{
    apr_size_t before = w->stack->len;
    apr_hash_index_t *hi;

    if (!node->entries)
        return;
    for (hi = apr_hash_first(scratch, node->entries); hi;
         hi = apr_hash_next(hi)) {
        const fs_txn_entry_t *entry = apr_hash_this_val(hi);

        if (entry->node && entry->kind != FS_NODE_NONE)
            push(w, entry->node, entry->name);
    }
    qsort(w->stack->data + before, (w->stack->len - before) / sizeof(step_t),
          sizeof(step_t), compare_down);
}

static fs_error_t *write_nodes(writer_t *w, apr_pool_t *scratch)
{
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    push(w, w->state->root, "");
    while (w->stack->len) {
        step_t *last = (step_t *)(void *)(w->stack->data + w->stack->len) - 1;
        const fs_txn_node_t *node = last->node;

        apr_pool_clear(iter);
        if (last->ready) {
            w->stack->len -= sizeof(*last);
            FS_TRY(write_node(w, node, iter));
        } else {
            last->ready = true;
            push_children(w, node, iter);
        }
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* --- Changed paths --- */

static fs_bytes_t bytes_of(const char *text)
{
    fs_bytes_t bytes = { text, text ? strlen(text) : 0 };

    return bytes;
}

void fs_commit_tree_format_change(fs_buffer_t *out,
                                  const fs_txn_change_t *change, int format)
{
    char id[FS_NODE_ID_SIZE];
    fs_change_record_t record = { .path = bytes_of(change->path),
                                  .copyfrom_path =
                                      bytes_of(change->copyfrom_path),
                                  .copyfrom_rev = change->copyfrom_rev,
                                  .action = change->action,
                                  .kind = change->kind,
                                  .text_mod = change->text_mod,
                                  .prop_mod = change->prop_mod,
                                  .minfo_mod = change->minfo_mod };

    record.id.data = id;
    record.id.len = fs_node_id_format(id, &change->id);
    fs_changes_format(out, &record, format);
}

static fs_error_t *write_changes(writer_t *w, const apr_array_header_t *changes)
{
    int i;

    fs_commit_items_begin(&w->trailer.changes, w->items,
                          FS_ITEM_NUMBER_CHANGES);
    for (i = 0; i < changes->nelts; i++) {
        w->record->len = 0;
        fs_commit_tree_format_change(
            w->record, &APR_ARRAY_IDX(changes, i, fs_txn_change_t),
            w->fsfs->format.format);
        FS_TRY(fs_commit_items_add(w->items, w->record));
    }
    w->record->len = 0;
    fs_buffer_puts(w->record, "\n");
    return fs_commit_items_put(w->items, w->record, FS_ITEM_CHANGES);
}

/* --- All --- */

static fs_error_t *check_root(const fs_txn_state_t *state, apr_pool_t *scratch)
{
    const fs_node_rev_t *root = &state->root->rec;
    const fs_node_record_t *base;
    fs_node_id_t id;
    fs_node_id_t pred;

    FS_TRY(fs_node_read_root_id(&id, state->fsfs, state->base, scratch));
    FS_TRY(fs_node_read(&base, state->fsfs, &id, scratch, scratch));
    fs_handle_pack_id(pred.bytes, root->pred.rev, root->pred.item);
    if (!root->has_pred || memcmp(pred.bytes, id.bytes, sizeof(id.bytes)) ||
        root->count != (apr_uint64_t)base->pred_count + 1)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the root of the transaction does not follow that of "
                        "r%" FS_REV_FMT,
                        state->base);
    return NULL;
}

fs_error_t *fs_commit_tree_write(fs_commit_tree_t *tree,
                                 const fs_txn_state_t *state,
                                 const apr_array_header_t *changes,
                                 apr_pool_t *result)
{
    writer_t w = { .tree = tree, .state = state, .fsfs = state->fsfs };
    apr_pool_t *scratch;

    apr_pool_create(&scratch, result);
    FS_TRY(check_root(state, scratch));
    tree->reps = apr_array_make(result, 16, sizeof(fs_rep_t));
    w.items = fs_commit_items_create(state, tree->rev, scratch);
    w.props = fs_commit_props_create(w.items, state, tree->reps, scratch);
    w.addresses = apr_pcalloc(scratch, ((apr_size_t)state->nodes->nelts + 1) *
                                           sizeof(*w.addresses));
    w.record = fs_buffer_create(1024, scratch);
    w.stack = fs_buffer_create(64 * sizeof(step_t), scratch);
    FS_TRY(write_nodes(&w, scratch));
    FS_TRY(write_changes(&w, changes));
    FS_TRY(fs_commit_items_finish(w.items, &w.trailer, scratch));
    tree->current.youngest = tree->rev;
    if (w.fsfs->format.format < FS_FORMAT_REV_IDS) {
        tree->current.next_node += state->next_node;
        tree->current.next_copy += state->next_copy;
    }
    apr_pool_destroy(scratch);
    return NULL;
}
