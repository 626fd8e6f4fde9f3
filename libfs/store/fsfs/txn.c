/* SPDX-License-Identifier: Apache-2.0 */
/* The writing half of the store's functions. */

#include "libfs/store/fsfs/txn.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/format/hash_dump.h"
#include "libfs/store/fsfs/commit.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_journal.h"
#include "libfs/store/fsfs/txn_read.h"
#include "libfs/store/fsfs/txn_stock.h"
#include "libfs/store/fsfs/txn_table.h"
#include "libfs/store/fsfs/txn_text.h"

struct fs_store_txn_t {
    fs_fsfs_t *fsfs;
    fs_txn_state_t *state; /* NULL: closed, or lost after an error */
    const char *name;
    fs_rev_t base; /* as of the last edit */
    apr_pool_t *pool;
};

struct fs_store_text_t {
    fs_store_txn_t *txn;
    fs_txn_text_t *text; /* NULL: it has ended */
    apr_pool_t *pool;
};

/* --- Opening and closing --- */

static apr_status_t let_go(void *data)
{
    fs_store_txn_t *txn = data;

    if (txn->state)
        fs_txn_table_close(txn->state);
    txn->state = NULL;
    return APR_SUCCESS;
}

static void close_txn(fs_store_txn_t *txn)
{
    apr_pool_cleanup_run(txn->pool, txn, let_go);
}

static fs_error_t *open_named(fs_store_txn_t **out, fs_fsfs_t *fsfs,
                              const char *name, apr_pool_t *result)
{
    fs_store_txn_t *txn = apr_pcalloc(result, sizeof(*txn));

    FS_TRY(fs_txn_table_open(&txn->state, fsfs, name, result));
    txn->fsfs = fsfs;
    txn->name = apr_pstrdup(result, name);
    txn->base = txn->state->base;
    txn->pool = result;
    apr_pool_cleanup_register(result, txn, let_go, apr_pool_cleanup_null);
    *out = txn;
    return NULL;
}

static fs_error_t *open_txn(fs_store_txn_t **txn, fs_store_t *store,
                            const char *name, apr_pool_t *result)
{
    fs_txn_id_t id;

    FS_TRY(fs_txn_dir_parse_name(&id, name));
    return open_named(txn, fs_handle_of(store), name, result);
}

/* Fill the folder of a new transaction. */
static fs_error_t *fill(fs_fsfs_t *fsfs, const char *name,
                        const fs_txn_id_t *id, apr_hash_t *props,
                        apr_pool_t *scratch)
{
    fs_txn_state_t draft;

    memset(&draft, 0, sizeof(draft));
    draft.fsfs = fsfs;
    draft.pool = scratch;
    draft.name = name;
    draft.id = *id;
    draft.base = id->base;
    FS_TRY(fs_txn_edit_begin(&draft, scratch));
    return fs_txn_dir_fill(fsfs, name, props, &draft.root->rec, scratch);
}

static fs_error_t *begin(fs_store_txn_t **txn, fs_store_t *store, fs_rev_t base,
                         apr_hash_t *props, apr_pool_t *result)
{
    fs_fsfs_t *fsfs = fs_handle_of(store);
    apr_pool_t *scratch;
    const char *name;
    fs_error_t *err;
    fs_txn_id_t id;

    FS_TRY(fs_txn_dir_make(&name, &id, fsfs, base, result));
    apr_pool_create(&scratch, result);
    err = fill(fsfs, name, &id, props, scratch);
    if (!err)
        err = open_named(txn, fsfs, name, result);
    if (err)
        fs_error_clear(fs_txn_dir_remove(fsfs, name, scratch));
    apr_pool_destroy(scratch);
    return err;
}

static fs_error_t *abort_txn(fs_store_t *store, const char *name,
                             apr_pool_t *scratch)
{
    fs_txn_id_t id;

    FS_TRY(fs_txn_dir_parse_name(&id, name));
    return fs_txn_table_abort(fs_handle_of(store), name, scratch);
}

static fs_error_t *need_open(const fs_store_txn_t *txn)
{
    return txn->state
               ? NULL
               : FS_ERROR(FS_ERR_NO_SUCH_TXN,
                          "transaction '%s' is not open any more", txn->name);
}

/* --- What it is --- */

static const char *name_of(const fs_store_txn_t *txn)
{
    return txn->name;
}

static fs_rev_t base_of(const fs_store_txn_t *txn)
{
    return txn->base;
}

static fs_error_t *props_of(apr_hash_t **props, fs_store_txn_t *txn,
                            apr_pool_t *result)
{
    return fs_txn_dir_props(props, txn->fsfs, txn->name, result);
}

static fs_error_t *set_props(fs_store_txn_t *txn, apr_hash_t *props,
                             apr_pool_t *scratch)
{
    FS_TRY(need_open(txn));
    return fs_txn_dir_set_props(txn->fsfs, txn->name, props, scratch);
}

static fs_error_t *root_id(fs_node_id_t *id, fs_store_txn_t *txn)
{
    FS_TRY(need_open(txn));
    fs_txn_read_id(id, txn->state, txn->state->root);
    return NULL;
}

/* --- Edits --- */

/* What an edit that failed left half done is undone by a new replay. */
static void undo(fs_store_txn_t *txn, apr_pool_t *scratch)
{
    fs_error_t *err = fs_txn_table_reload(txn->state, scratch);

    if (!err)
        return;
    fs_error_clear(err);
    fs_txn_table_forget(txn->state);
    txn->state = NULL;
}

static fs_error_t *edit(fs_store_txn_t *txn, fs_txn_op_t *op,
                        apr_pool_t *scratch)
{
    fs_error_t *err;

    FS_TRY(need_open(txn));
    err = fs_txn_journal_edit(txn->state, op, scratch);
    if (err)
        undo(txn, scratch);
    else
        txn->base = txn->state->base;
    return err;
}

static void set_node(fs_txn_op_t *op, const fs_node_id_t *id)
{
    fs_handle_unpack_id(id->bytes, &op->node_rev, &op->node_item);
}

static fs_error_t *make(fs_store_txn_t *txn, const char *path,
                        fs_node_kind_t kind, apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_MAKE, .path = path, .kind = kind };

    return edit(txn, &op, scratch);
}

static fs_error_t *remove_node(fs_store_txn_t *txn, const char *path,
                               apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_REMOVE, .path = path };

    return edit(txn, &op, scratch);
}

static fs_error_t *copy(fs_store_txn_t *txn, const fs_node_record_t *source,
                        fs_rev_t from_rev, const char *from_path,
                        const char *path, apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_COPY,
                       .path = path,
                       .from_rev = from_rev,
                       .from_path = from_path };
    fs_txn_ref_t there;

    FS_TRY(need_open(txn));
    set_node(&op, &source->id);
    FS_TRY(fs_txn_edit_find(&there, txn->state, path, scratch));
    if (there.kind != FS_NODE_NONE && !there.node && there.rev == op.node_rev &&
        there.item == op.node_item)
        return NULL;
    return edit(txn, &op, scratch);
}

static fs_error_t *set_node_props(fs_store_txn_t *txn, const char *path,
                                  apr_hash_t *props, bool mergeinfo_mod,
                                  apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_PROPS,
                       .path = path,
                       .mergeinfo_mod = mergeinfo_mod };
    fs_buffer_t *text = fs_buffer_create(512, scratch);

    fs_hash_dump_format(text, props, scratch);
    op.props = fs_buffer_bytes(text);
    op.has_mergeinfo =
        props && apr_hash_get(props, "svn:mergeinfo", APR_HASH_KEY_STRING);
    return edit(txn, &op, scratch);
}

/* --- Texts --- */

static fs_error_t *text_open(fs_store_text_t **out, fs_store_txn_t *txn,
                             const char *path, apr_pool_t *result)
{
    fs_store_text_t *text = apr_pcalloc(result, sizeof(*text));
    fs_error_t *err;

    FS_TRY(need_open(txn));
    text->txn = txn;
    apr_pool_create(&text->pool, result);
    err = fs_txn_text_begin(&text->text, txn->state, path, text->pool);
    if (err) {
        apr_pool_destroy(text->pool);
        return err;
    }
    *out = text;
    return NULL;
}

static fs_error_t *text_write(fs_store_text_t *text, const char *data,
                              apr_size_t len)
{
    FS_TRY(need_open(text->txn));
    return fs_txn_text_add(text->text, data, len);
}

static void text_abort(fs_store_text_t *text)
{
    if (!text->text)
        return;
    if (text->txn->state)
        fs_txn_text_drop(text->text);
    text->text = NULL;
    apr_pool_destroy(text->pool);
}

static fs_error_t *text_close(unsigned char md5[FS_MD5_SIZE],
                              const unsigned char *expected,
                              fs_store_text_t *text)
{
    fs_txn_op_t op;
    fs_error_t *err;

    FS_TRY(need_open(text->txn));
    err = fs_txn_text_end(&op, md5, text->text, expected);
    if (err) {
        text_abort(text);
        return err;
    }
    /* An edit that fails cuts the texts, too. */
    err = edit(text->txn, &op, text->pool);
    text->text = NULL;
    apr_pool_destroy(text->pool);
    return err;
}

/* --- Changed paths --- */

static fs_error_t *tell(const fs_txn_change_t *from, bool has_minfo,
                        fs_store_change_fn receive, void *baton,
                        apr_pool_t *scratch)
{
    static const char letters[] = { 'A', 'D', 'R', 'M' };
    fs_store_change_t to = { .path = from->path,
                             .action = letters[from->action],
                             .kind = from->kind,
                             .text_mod = from->text_mod,
                             .prop_mod = from->prop_mod,
                             .mergeinfo_mod = has_minfo ? from->minfo_mod : 2,
                             .copyfrom_rev = from->copyfrom_rev,
                             .copyfrom_path = from->copyfrom_path };

    return receive(baton, &to, scratch);
}

static fs_error_t *changes(fs_store_txn_t *txn, fs_store_change_fn receive,
                           void *baton, apr_pool_t *scratch)
{
    bool has_minfo = txn->fsfs->format.format >= FS_FORMAT_MERGEINFO;
    apr_array_header_t *list;
    apr_pool_t *iter;
    int i;

    FS_TRY(need_open(txn));
    FS_TRY(fs_commit_fold(&list, txn->state, scratch));
    apr_pool_create(&iter, scratch);
    for (i = 0; i < list->nelts; i++) {
        apr_pool_clear(iter);
        FS_TRY(tell(&APR_ARRAY_IDX(list, i, fs_txn_change_t), has_minfo,
                    receive, baton, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* --- Merging --- */

static fs_error_t *adopt(fs_store_txn_t *txn, const char *path,
                         fs_node_kind_t kind, const fs_node_id_t *id,
                         apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_ADOPT,
                       .path = path,
                       .kind = id ? kind : FS_NODE_NONE };

    if (id)
        set_node(&op, id);
    return edit(txn, &op, scratch);
}

static fs_error_t *follow(fs_store_txn_t *txn, const char *path,
                          const fs_node_id_t *pred, apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_FOLLOW, .path = path };

    set_node(&op, pred);
    return edit(txn, &op, scratch);
}

static fs_error_t *set_base(fs_store_txn_t *txn, fs_rev_t base,
                            apr_pool_t *scratch)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_BASE, .from_rev = base };

    return edit(txn, &op, scratch);
}

/* --- Other eyes, and the end --- */

static fs_error_t *show(fs_store_txn_t *txn, apr_pool_t *scratch)
{
    FS_TRY(need_open(txn));
    /* Guests take all of the file for texts. */
    FS_TRY(fs_txn_journal_cut(txn->state->texts, txn->state->texts_len,
                              FS_TXN_DIR_TEXTS));
    return fs_txn_stock_show(txn->state, scratch);
}

static fs_error_t *take_back(fs_store_txn_t *txn, apr_pool_t *scratch)
{
    fs_error_t *err;

    FS_TRY(need_open(txn));
    err = fs_txn_stock_take_back(txn->state, scratch);
    if (err) {
        fs_txn_table_forget(txn->state);
        txn->state = NULL;
        return err;
    }
    fs_txn_table_renumber(txn->state);
    txn->base = txn->state->base;
    return NULL;
}

static fs_error_t *commit(fs_rev_t *rev, fs_rev_t *youngest,
                          fs_store_txn_t *txn, const fs_store_commit_t *how,
                          apr_pool_t *scratch)
{
    FS_TRY(need_open(txn));
    FS_TRY(fs_txn_journal_cut(txn->state->texts, txn->state->texts_len,
                              FS_TXN_DIR_TEXTS));
    FS_TRY(fs_commit_run(rev, youngest, txn->state, how, scratch));
    if (*rev == FS_INVALID_REV)
        return NULL;
    fs_txn_table_forget(txn->state);
    txn->state = NULL;
    return NULL;
}

const fs_store_txn_vtable_t fs_txn_vtable = {
    .begin = begin,
    .open = open_txn,
    .close = close_txn,
    .abort = abort_txn,
    .name = name_of,
    .base = base_of,
    .props = props_of,
    .set_props = set_props,
    .root_id = root_id,
    .make = make,
    .remove = remove_node,
    .copy = copy,
    .set_node_props = set_node_props,
    .text_open = text_open,
    .text_write = text_write,
    .text_close = text_close,
    .text_abort = text_abort,
    .changes = changes,
    .adopt = adopt,
    .follow = follow,
    .set_base = set_base,
    .show = show,
    .take_back = take_back,
    .commit = commit,
};
