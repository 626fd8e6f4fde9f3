/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of a transaction in memory. */

#include "libfs/store/fsfs/txn_edit.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/dir_pages.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/txn_path.h"

/* --- Nodes --- */

static bool has_feature(const fs_txn_state_t *state, int since)
{
    return state->fsfs->format.format >= since;
}

static fs_txn_node_t *add_node(fs_txn_state_t *state, fs_txn_node_t *parent)
{
    fs_txn_node_t *node = apr_pcalloc(state->pool, sizeof(*node));

    node->number = (apr_uint64_t)state->nodes->nelts;
    node->parent = parent;
    node->rec.id.rev = -1;
    node->rec.id.txn = state->id;
    node->rec.copyfrom_rev = FS_INVALID_REV;
    APR_ARRAY_PUSH(state->nodes, fs_txn_node_t *) = node;
    return node;
}

static fs_id_part_t fresh_part(apr_uint64_t *counter)
{
    fs_id_part_t part = { (*counter)++, FS_ID_IN_TXN };

    return part;
}

/* The id of a committed node from its record. */
static fs_noderev_id_t id_of(const fs_node_record_t *record)
{
    fs_noderev_id_t id;

    memset(&id, 0, sizeof(id));
    fs_handle_unpack_id(record->line, &id.node.rev, &id.node.number);
    fs_handle_unpack_id(record->branch, &id.copy.rev, &id.copy.number);
    fs_handle_unpack_id(record->id.bytes, &id.rev, &id.item);
    id.txn.base = FS_INVALID_REV;
    return id;
}

static fs_error_t *read_committed(const fs_node_record_t **record,
                                  const fs_txn_state_t *state, fs_rev_t rev,
                                  apr_uint64_t item, apr_pool_t *scratch)
{
    fs_node_id_t id;

    fs_handle_pack_id(id.bytes, rev, item);
    return fs_node_read(record, state->fsfs, &id, scratch, scratch);
}

fs_error_t *fs_txn_edit_begin(fs_txn_state_t *state, apr_pool_t *scratch)
{
    fs_node_rev_t base;
    apr_uint64_t item;
    fs_node_id_t id;
    fs_rev_t rev;

    state->nodes = apr_array_make(state->pool, 16, sizeof(fs_txn_node_t *));
    state->changes = apr_array_make(state->pool, 16, sizeof(fs_txn_change_t));
    state->items =
        apr_array_make(state->pool, 16, sizeof(fs_index_p2l_entry_t));
    state->by_sha1 = apr_hash_make(state->pool);
    state->next_node = 0;
    state->next_copy = 0;
    state->next_item = FS_ITEM_NUMBER_FIRST;
    state->texts_len = 0;
    FS_TRY(fs_node_read_root_id(&id, state->fsfs, state->base, scratch));
    fs_handle_unpack_id(id.bytes, &rev, &item);
    FS_TRY(fs_node_read_whole(&base, state->fsfs, rev, item, state->pool,
                              scratch));
    state->root = add_node(state, NULL);
    base.pred = base.id;
    base.has_pred = true;
    base.count++;
    base.id.rev = -1;
    base.id.item = 0;
    base.id.txn = state->id;
    base.copyfrom_path = NULL;
    base.copyfrom_rev = FS_INVALID_REV;
    base.fresh_txn_root = true;
    state->root->rec = base;
    return NULL;
}

/* --- Looking --- */

static fs_error_t *base_entry(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                              const fs_txn_node_t *dir, const char *name,
                              apr_pool_t *scratch)
{
    fs_node_record_t record = { .kind = FS_NODE_DIR };
    const fs_store_entry_t *entry;

    if (!dir->rec.has_text)
        return NULL;
    fs_node_read_content(&record.text, &dir->rec.text);
    FS_TRY(fs_dir_pages_lookup(&entry, state->fsfs, &record, name, scratch,
                               scratch));
    if (!entry)
        return NULL;
    ref->kind = entry->kind;
    fs_handle_unpack_id(entry->id.bytes, &ref->rev, &ref->item);
    return NULL;
}

fs_error_t *fs_txn_edit_entry(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                              const fs_txn_node_t *dir, const char *name,
                              apr_pool_t *scratch)
{
    const fs_txn_entry_t *entry =
        dir->entries ? apr_hash_get(dir->entries, name, APR_HASH_KEY_STRING)
                     : NULL;

    memset(ref, 0, sizeof(*ref));
    if (!entry)
        return base_entry(ref, state, dir, name, scratch);
    ref->kind = entry->kind;
    if (entry->kind == FS_NODE_NONE)
        return NULL;
    ref->node = entry->node;
    ref->rev = entry->id.rev;
    ref->item = entry->id.item;
    return NULL;
}

/* Entry of a committed directory. */
static fs_error_t *committed_entry(fs_txn_ref_t *ref,
                                   const fs_txn_state_t *state,
                                   const char *name, apr_pool_t *scratch)
{
    const fs_node_record_t *record;
    const fs_store_entry_t *entry = NULL;

    FS_TRY(read_committed(&record, state, ref->rev, ref->item, scratch));
    if (record->kind == FS_NODE_DIR)
        FS_TRY(fs_dir_pages_lookup(&entry, state->fsfs, record, name, scratch,
                                   scratch));
    memset(ref, 0, sizeof(*ref));
    if (!entry)
        return NULL;
    ref->kind = entry->kind;
    fs_handle_unpack_id(entry->id.bytes, &ref->rev, &ref->item);
    return NULL;
}

/* Go down from `ref`. */
static fs_error_t *find_below(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                              const char *path, apr_pool_t *scratch)
{
    apr_pool_t *iter;
    const char *name;

    apr_pool_create(&iter, scratch);
    while (ref->kind != FS_NODE_NONE &&
           (name = fs_txn_path_next(&path, scratch))) {
        apr_pool_clear(iter);
        if (!ref->node)
            FS_TRY(committed_entry(ref, state, name, iter));
        else if (ref->kind == FS_NODE_DIR)
            FS_TRY(fs_txn_edit_entry(ref, state, ref->node, name, iter));
        else
            memset(ref, 0, sizeof(*ref));
    }
    apr_pool_destroy(iter);
    return NULL;
}

fs_error_t *fs_txn_edit_find(fs_txn_ref_t *ref, const fs_txn_state_t *state,
                             const char *path, apr_pool_t *scratch)
{
    memset(ref, 0, sizeof(*ref));
    ref->kind = FS_NODE_DIR;
    ref->node = state->root;
    return find_below(ref, state, path, scratch);
}

static fs_error_t *missing(const char *path)
{
    return FS_ERROR(FS_ERR_CORRUPT, "the transaction has no '%s'", path);
}

/* --- Changing directories --- */

static void set_entry(fs_txn_state_t *state, fs_txn_node_t *dir,
                      const char *name, const fs_txn_entry_t *value)
{
    fs_txn_entry_t *entry = NULL;

    if (!dir->entries)
        dir->entries = apr_hash_make(state->pool);
    else
        entry = apr_hash_get(dir->entries, name, APR_HASH_KEY_STRING);
    if (!entry) {
        entry = apr_pcalloc(state->pool, sizeof(*entry));
        entry->name = apr_pstrdup(state->pool, name);
        apr_hash_set(dir->entries, entry->name, APR_HASH_KEY_STRING, entry);
    }
    entry->kind = value->kind;
    entry->id = value->id;
    entry->node = value->node;
    dir->rec.fresh_txn_root = false;
    if (dir->entries_changed)
        return;
    dir->entries_changed = true;
    if (has_feature(state, FS_FORMAT_REP_SHARING))
        dir->text_unique = state->next_node++;
}

static void set_node(fs_txn_state_t *state, fs_txn_node_t *dir,
                     const char *name, fs_txn_node_t *node)
{
    fs_txn_entry_t value = { .kind = node->rec.kind, .node = node };

    value.id = node->rec.id;
    set_entry(state, dir, name, &value);
}

/* --- Copy ids --- */

/*
 * Whether the node at the copy root of `rec` is of another line: then neither
 * `rec` nor what it descends from was the target of a copy itself.
 */
static fs_error_t *came_along(bool *differs, const fs_txn_state_t *state,
                              const fs_node_rev_t *rec, apr_pool_t *scratch)
{
    fs_txn_ref_t ref = { .kind = FS_NODE_DIR };
    const fs_node_record_t *record;
    fs_noderev_id_t id;
    fs_node_id_t root;

    *differs = false;
    if (rec->copyroot_rev == rec->id.rev &&
        !strcmp(rec->copyroot_path, rec->cpath))
        return NULL;
    *differs = true;
    if (!strcmp(rec->copyroot_path, "/"))
        return NULL; /* only the root has its id, and it is not asked about */
    FS_TRY(
        fs_node_read_root_id(&root, state->fsfs, rec->copyroot_rev, scratch));
    fs_handle_unpack_id(root.bytes, &ref.rev, &ref.item);
    FS_TRY(find_below(&ref, state, rec->copyroot_path, scratch));
    if (ref.kind == FS_NODE_NONE)
        return NULL;
    FS_TRY(read_committed(&record, state, ref.rev, ref.item, scratch));
    id = id_of(record);
    *differs = !fs_node_id_part_equal(&id.node, &rec->id.node);
    return NULL;
}

/* Where a clone is made. */
typedef struct place_t {
    fs_txn_node_t *parent;
    fs_id_part_t parent_copy; /* before this edit */
    const char *name;
    const char *path;
} place_t;

static fs_id_part_t choose_copy_id(fs_txn_state_t *state, const place_t *place,
                                   const fs_node_rev_t *rec, bool along)
{
    const fs_id_part_t *own = &rec->id.copy;

    if ((own->number == 0 && own->rev == FS_ID_GLOBAL) ||
        fs_node_id_part_equal(own, &place->parent_copy) || along)
        return place->parent->rec.id.copy;
    if (!strcmp(rec->cpath, place->path))
        return *own;
    return fresh_part(&state->next_copy);
}

/* --- Making nodes one's own --- */

static fs_error_t *clone_node(fs_txn_node_t **out, fs_txn_state_t *state,
                              const place_t *place, const fs_txn_ref_t *ref,
                              fs_id_part_t *copy_before, apr_pool_t *scratch)
{
    fs_txn_node_t *node;
    fs_node_rev_t rec;
    bool along;

    FS_TRY(fs_node_read_whole(&rec, state->fsfs, ref->rev, ref->item, scratch,
                              scratch));
    FS_TRY(came_along(&along, state, &rec, scratch));
    *copy_before = rec.id.copy;
    rec.pred = rec.id;
    rec.has_pred = true;
    rec.count++;
    rec.id.copy = choose_copy_id(state, place, &rec, along);
    rec.id.rev = -1;
    rec.id.item = 0;
    rec.id.txn = state->id;
    rec.cpath = apr_pstrdup(state->pool, place->path);
    rec.copyfrom_path = NULL;
    rec.copyfrom_rev = FS_INVALID_REV;
    if (along) {
        rec.copyroot_rev = place->parent->rec.copyroot_rev;
        rec.copyroot_path = place->parent->rec.copyroot_path;
    } else {
        rec.copyroot_path = apr_pstrdup(state->pool, rec.copyroot_path);
    }
    node = add_node(state, place->parent);
    node->rec = rec;
    set_node(state, place->parent, place->name, node);
    *out = node;
    return NULL;
}

/* The node at `path`, cloned with all above it that are not ours yet. */
static fs_error_t *make_mutable(fs_txn_node_t **out, fs_txn_state_t *state,
                                const char *path, apr_pool_t *scratch)
{
    place_t place = { .parent = state->root };
    const char *rest = path;
    apr_pool_t *iter;
    fs_error_t *err = NULL;

    apr_pool_create(&iter, scratch);
    place.parent_copy = state->root->rec.id.copy;
    while (!err && (place.name = fs_txn_path_next(&rest, scratch))) {
        fs_id_part_t before;
        fs_txn_node_t *node;
        fs_txn_ref_t ref;

        apr_pool_clear(iter);
        err = fs_txn_edit_entry(&ref, state, place.parent, place.name, iter);
        if (err)
            break;
        node = ref.node;
        if (ref.kind == FS_NODE_NONE || (*rest && ref.kind != FS_NODE_DIR)) {
            err = missing(path);
        } else if (!node) {
            place.path =
                fs_txn_path_join(place.parent->rec.cpath, place.name, iter);
            err = clone_node(&node, state, &place, &ref, &before, iter);
        } else {
            before = node->rec.id.copy;
        }
        if (!err) {
            place.parent = node;
            place.parent_copy = before;
        }
    }
    apr_pool_destroy(iter);
    *out = place.parent;
    return err;
}

/* The directory of `path`, made one's own, and what is there now. */
static fs_error_t *open_parent(fs_txn_node_t **dir, const char **name,
                               fs_txn_ref_t *ref, fs_txn_state_t *state,
                               const char *path, apr_pool_t *scratch)
{
    const char *parent = fs_txn_path_split(name, path, scratch);

    if (!parent)
        return FS_ERROR(FS_ERR_CORRUPT, "the root is not in a directory");
    FS_TRY(make_mutable(dir, state, parent, scratch));
    if ((*dir)->rec.kind != FS_NODE_DIR)
        return missing(path);
    return fs_txn_edit_entry(ref, state, *dir, *name, scratch);
}

/* --- Bookkeeping --- */

static void count_mergeinfo(fs_txn_state_t *state, fs_txn_node_t *node,
                            apr_uint64_t plus, apr_uint64_t minus)
{
    if (!has_feature(state, FS_FORMAT_MERGEINFO) || plus == minus)
        return;
    for (; node; node = node->parent) {
        node->rec.minfo_count += plus;
        node->rec.minfo_count -=
            minus <= node->rec.minfo_count ? minus : node->rec.minfo_count;
    }
}

/* All nodes at and below `top`, however deep. */
static void mark_gone(fs_txn_node_t *top, apr_pool_t *pool)
{
    apr_array_header_t *waiting = apr_array_make(pool, 8, sizeof(top));
    apr_hash_index_t *hi;

    APR_ARRAY_PUSH(waiting, fs_txn_node_t *) = top;
    while (waiting->nelts) {
        fs_txn_node_t *node = *(fs_txn_node_t **)apr_array_pop(waiting);

        node->gone = true;
        if (!node->entries)
            continue;
        for (hi = apr_hash_first(NULL, node->entries); hi;
             hi = apr_hash_next(hi)) {
            const fs_txn_entry_t *entry = apr_hash_this_val(hi);

            if (entry->node && entry->kind != FS_NODE_NONE)
                APR_ARRAY_PUSH(waiting, fs_txn_node_t *) = entry->node;
        }
    }
}

/* Id and mergeinfo count of what is at a place, both zero if nothing is. */
static fs_error_t *weigh(fs_noderev_id_t *id, apr_uint64_t *count,
                         const fs_txn_state_t *state, const fs_txn_ref_t *ref,
                         apr_pool_t *scratch)
{
    const fs_node_record_t *record;

    memset(id, 0, sizeof(*id));
    *count = 0;
    if (ref->kind == FS_NODE_NONE)
        return NULL;
    if (ref->node) {
        *id = ref->node->rec.id;
        *count = ref->node->rec.minfo_count;
        return NULL;
    }
    FS_TRY(read_committed(&record, state, ref->rev, ref->item, scratch));
    *id = id_of(record);
    *count = (apr_uint64_t)record->mergeinfo_count;
    return NULL;
}

static fs_txn_change_t *add_change(fs_txn_state_t *state,
                                   fs_change_action_t action, const char *path,
                                   fs_node_kind_t kind,
                                   const fs_noderev_id_t *id)
{
    fs_txn_change_t *change = apr_array_push(state->changes);

    memset(change, 0, sizeof(*change));
    change->path = path;
    change->action = action;
    change->kind = kind;
    change->id = *id;
    change->copyfrom_rev = FS_INVALID_REV;
    return change;
}

static fs_txn_change_t *add_modify(fs_txn_state_t *state,
                                   const fs_txn_node_t *node)
{
    return add_change(state, FS_CHANGE_ACTION_MODIFY, node->rec.cpath,
                      node->rec.kind, &node->rec.id);
}

/* --- The edits --- */

static fs_error_t *apply_make(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch)
{
    fs_txn_node_t *dir, *node;
    fs_txn_ref_t ref;
    const char *name;

    FS_TRY(open_parent(&dir, &name, &ref, state, op->path, scratch));
    if (ref.kind != FS_NODE_NONE)
        return FS_ERROR(FS_ERR_CORRUPT, "the transaction has '%s' already",
                        op->path);
    node = add_node(state, dir);
    node->rec.kind = op->kind;
    node->rec.id.node = fresh_part(&state->next_node);
    node->rec.id.copy = dir->rec.id.copy;
    node->rec.cpath = apr_pstrdup(state->pool, op->path);
    node->rec.copyroot_rev = dir->rec.copyroot_rev;
    node->rec.copyroot_path = dir->rec.copyroot_path;
    set_node(state, dir, name, node);
    add_change(state, FS_CHANGE_ACTION_ADD, node->rec.cpath, op->kind,
               &node->rec.id)
        ->text_mod = op->kind == FS_NODE_FILE;
    return NULL;
}

static void clear_entry(fs_txn_state_t *state, fs_txn_node_t *dir,
                        const char *name)
{
    fs_txn_entry_t none = { .kind = FS_NODE_NONE };

    none.id.txn.base = FS_INVALID_REV;
    set_entry(state, dir, name, &none);
}

static fs_error_t *apply_remove(fs_txn_state_t *state, const fs_txn_op_t *op,
                                apr_pool_t *scratch)
{
    fs_noderev_id_t id;
    apr_uint64_t count;
    fs_txn_node_t *dir;
    fs_txn_ref_t ref;
    const char *name;

    FS_TRY(open_parent(&dir, &name, &ref, state, op->path, scratch));
    if (ref.kind == FS_NODE_NONE)
        return missing(op->path);
    FS_TRY(weigh(&id, &count, state, &ref, scratch));
    clear_entry(state, dir, name);
    count_mergeinfo(state, dir, 0, count);
    if (ref.node)
        mark_gone(ref.node, scratch);
    add_change(state, FS_CHANGE_ACTION_DELETE,
               apr_pstrdup(state->pool, op->path), ref.kind, &id);
    return NULL;
}

static void init_copy(fs_txn_state_t *state, fs_txn_node_t *node,
                      const fs_node_rev_t *source, const fs_txn_op_t *op)
{
    node->rec = *source;
    node->rec.pred = source->id;
    node->rec.has_pred = true;
    node->rec.count++;
    node->rec.id.copy = fresh_part(&state->next_copy);
    node->rec.id.rev = -1;
    node->rec.id.item = 0;
    node->rec.id.txn = state->id;
    node->rec.cpath = apr_pstrdup(state->pool, op->path);
    node->rec.copyfrom_rev = op->from_rev;
    node->rec.copyfrom_path = apr_pstrdup(state->pool, op->from_path);
    node->rec.copyroot_rev = -1;
    node->rec.copyroot_path = node->rec.cpath;
}

static fs_error_t *apply_copy(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch)
{
    fs_txn_node_t *dir, *node;
    fs_txn_change_t *change;
    fs_node_rev_t source;
    fs_noderev_id_t id;
    apr_uint64_t count;
    fs_txn_ref_t ref;
    const char *name;

    FS_TRY(fs_node_read_whole(&source, state->fsfs, op->node_rev, op->node_item,
                              scratch, scratch));
    FS_TRY(open_parent(&dir, &name, &ref, state, op->path, scratch));
    FS_TRY(weigh(&id, &count, state, &ref, scratch));
    node = add_node(state, dir);
    init_copy(state, node, &source, op);
    set_node(state, dir, name, node);
    count_mergeinfo(state, dir, source.minfo_count, count);
    if (ref.node)
        mark_gone(ref.node, scratch);
    change = add_change(state,
                        ref.kind == FS_NODE_NONE ? FS_CHANGE_ACTION_ADD
                                                 : FS_CHANGE_ACTION_REPLACE,
                        node->rec.cpath, source.kind, &node->rec.id);
    change->copyfrom_rev = op->from_rev;
    change->copyfrom_path = node->rec.copyfrom_path;
    return NULL;
}

static void note_mergeinfo(fs_txn_state_t *state, fs_txn_node_t *node,
                           bool here)
{
    if (!has_feature(state, FS_FORMAT_MERGEINFO) ||
        here == node->rec.minfo_here)
        return;
    node->rec.minfo_here = here;
    count_mergeinfo(state, node, here ? 1 : 0, here ? 0 : 1);
}

static fs_error_t *apply_props(fs_txn_state_t *state, const fs_txn_op_t *op,
                               apr_pool_t *scratch)
{
    fs_txn_change_t *change;
    fs_txn_node_t *node;

    FS_TRY(make_mutable(&node, state, op->path, scratch));
    if (!node->props_changed && has_feature(state, FS_FORMAT_REP_SHARING))
        node->props_unique = state->next_node++;
    node->props_changed = true;
    node->props.offset = op->props_at;
    node->props.len = op->props.len;
    node->rec.fresh_txn_root = false;
    if (op->mergeinfo_mod)
        note_mergeinfo(state, node, op->has_mergeinfo);
    change = add_modify(state, node);
    change->prop_mod = true;
    change->minfo_mod = op->mergeinfo_mod;
    return NULL;
}

/* A text that came is an item, which later ones may share. */
static fs_error_t *add_text(fs_txn_state_t *state, const fs_txn_op_t *op,
                            const fs_rep_t *rep)
{
    APR_ARRAY_PUSH(state->items, fs_index_p2l_entry_t) = op->entry;
    if (state->fsfs->format.logical) {
        if (op->entry.item != state->next_item)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "the transaction's item %" APR_UINT64_T_FMT
                            " should be number %" APR_UINT64_T_FMT,
                            op->entry.item, state->next_item);
        state->next_item++;
    }
    if (rep->has_sha1) {
        fs_rep_t *kept = apr_pmemdup(state->pool, rep, sizeof(*rep));

        apr_hash_set(state->by_sha1, kept->sha1, FS_SHA1_SIZE, kept);
    }
    return NULL;
}

static fs_error_t *apply_text(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch)
{
    fs_rep_t rep = op->rep;
    fs_txn_node_t *node;

    FS_TRY(make_mutable(&node, state, op->path, scratch));
    if (node->rec.kind != FS_NODE_FILE)
        return missing(op->path);
    rep.has_unique = has_feature(state, FS_FORMAT_REP_SHARING);
    if (rep.has_unique) {
        rep.unique_txn = state->id;
        rep.unique_number = state->next_node++;
    }
    if (op->entry.size)
        FS_TRY(add_text(state, op, &rep));
    node->rec.has_text = true;
    node->rec.text = rep;
    add_modify(state, node)->text_mod = true;
    return NULL;
}

static fs_error_t *apply_adopt(fs_txn_state_t *state, const fs_txn_op_t *op,
                               apr_pool_t *scratch)
{
    fs_txn_ref_t taken = { .kind = op->kind,
                           .rev = op->node_rev,
                           .item = op->node_item };
    fs_txn_entry_t value = { .kind = op->kind };
    apr_uint64_t before, after;
    fs_noderev_id_t id;
    fs_txn_node_t *dir;
    fs_txn_ref_t ref;
    const char *name;

    FS_TRY(open_parent(&dir, &name, &ref, state, op->path, scratch));
    FS_TRY(weigh(&id, &before, state, &ref, scratch));
    FS_TRY(weigh(&value.id, &after, state, &taken, scratch));
    if (op->kind == FS_NODE_NONE)
        clear_entry(state, dir, name);
    else
        set_entry(state, dir, name, &value);
    count_mergeinfo(state, dir, after, before);
    if (ref.node)
        mark_gone(ref.node, scratch);
    return NULL;
}

static fs_error_t *apply_follow(fs_txn_state_t *state, const fs_txn_op_t *op,
                                apr_pool_t *scratch)
{
    const fs_node_record_t *record;
    fs_txn_ref_t ref;

    FS_TRY(fs_txn_edit_find(&ref, state, op->path, scratch));
    if (!ref.node)
        return missing(op->path);
    FS_TRY(
        read_committed(&record, state, op->node_rev, op->node_item, scratch));
    ref.node->rec.has_pred = true;
    ref.node->rec.pred = id_of(record);
    ref.node->rec.count = (apr_uint64_t)record->pred_count + 1;
    return NULL;
}

static fs_error_t *apply_base(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch)
{
    (void)scratch;
    if (op->from_rev < state->base)
        return FS_ERROR(FS_ERR_CORRUPT, "the transaction's base went back");
    state->base = op->from_rev;
    return NULL;
}

fs_error_t *fs_txn_edit_apply(fs_txn_state_t *state, const fs_txn_op_t *op,
                              apr_pool_t *scratch)
{
    switch (op->type) {
    case FS_TXN_OP_MAKE:
        return apply_make(state, op, scratch);
    case FS_TXN_OP_REMOVE:
        return apply_remove(state, op, scratch);
    case FS_TXN_OP_COPY:
        return apply_copy(state, op, scratch);
    case FS_TXN_OP_PROPS:
        return apply_props(state, op, scratch);
    case FS_TXN_OP_TEXT:
        return apply_text(state, op, scratch);
    case FS_TXN_OP_ADOPT:
        return apply_adopt(state, op, scratch);
    case FS_TXN_OP_FOLLOW:
        return apply_follow(state, op, scratch);
    case FS_TXN_OP_BASE:
        return apply_base(state, op, scratch);
    }
    return FS_ERROR(FS_ERR_CORRUPT, "the transaction's journal has an edit of "
                                    "an unknown kind");
}
