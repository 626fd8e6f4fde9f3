/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging a transaction with newer revisions. First everything is compared,
 * which may find a conflict; then what was found is done.
 */

#include "libfs/txn/merge.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/txn/transaction.h"

/* A directory that both sides changed. */
typedef struct pair_t {
    const char *path;
    fs_node_id_t base;
    fs_node_id_t ours;   /* in the transaction */
    fs_node_id_t theirs; /* in the youngest revision */
} pair_t;

/* An entry to take over. */
typedef struct taken_t {
    const char *path;
    fs_node_kind_t kind; /* FS_NODE_NONE: it is gone */
    fs_node_id_t id;
} taken_t;

typedef struct merge_t {
    fs_txn_t *txn;
    fs_root_t *base;
    fs_root_t *ours;
    fs_root_t *theirs;
    apr_array_header_t *pairs; /* of pair_t; a parent before its children */
    apr_array_header_t *taken; /* of taken_t */
    const char *conflict;      /* where there is one; NULL: nowhere yet */
    apr_pool_t *pool;
} merge_t;

/* One directory in the three trees. */
typedef struct trio_t {
    const fs_node_t *base;
    const fs_node_t *ours;
    const fs_node_t *theirs;
} trio_t;

static bool same_id(const fs_node_id_t *a, const fs_node_id_t *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Does `b` go on where `a` was, without a copy in between? */
static bool same_line(const fs_node_record_t *a, const fs_node_record_t *b)
{
    return !memcmp(a->line, b->line, sizeof(a->line)) &&
           !memcmp(a->branch, b->branch, sizeof(a->branch));
}

static void conflict_at(merge_t *m, const char *dir, const char *name)
{
    m->conflict = fs_path_join(dir, name, m->pool);
}

static void take(merge_t *m, const char *dir, const char *name,
                 fs_node_kind_t kind, const fs_node_id_t *id)
{
    taken_t *taken = apr_array_push(m->taken);

    taken->path = fs_path_join(dir, name, m->pool);
    taken->kind = kind;
    if (id)
        taken->id = *id;
}

static void descend(merge_t *m, const char *path, const fs_node_id_t *base,
                    const fs_node_id_t *ours, const fs_node_id_t *theirs)
{
    pair_t *pair = apr_array_push(m->pairs);

    pair->path = path;
    pair->base = *base;
    pair->ours = *ours;
    pair->theirs = *theirs;
}

/* ---- one entry ---- */

/* An entry of the base that is another one, or none (NULL), in `theirs`. */
static fs_error_t *merge_changed(merge_t *m, const trio_t *dir,
                                 const fs_dirent_t *was,
                                 const fs_dirent_t *theirs, apr_pool_t *scratch)
{
    const char *path = dir->base->path;
    const fs_node_t *base;
    const fs_node_t *our_node;
    const fs_node_t *their_node;

    FS_TRY(fs_node_child(&our_node, dir->ours, was->name, scratch));
    if (our_node && same_id(&our_node->record->id, &was->id)) {
        take(m, path, was->name, theirs ? theirs->kind : FS_NODE_NONE,
             theirs ? &theirs->id : NULL);
        return NULL;
    }
    if (!theirs || !our_node || was->kind != FS_NODE_DIR ||
        theirs->kind != FS_NODE_DIR || fs_node_kind(our_node) != FS_NODE_DIR) {
        conflict_at(m, path, was->name);
        return NULL;
    }
    FS_TRY(fs_dir_node(&base, dir->base, was, scratch));
    FS_TRY(fs_dir_node(&their_node, dir->theirs, theirs, scratch));
    if (same_line(base->record, our_node->record) &&
        same_line(base->record, their_node->record))
        descend(m, fs_path_join(path, was->name, m->pool), &base->record->id,
                &our_node->record->id, &their_node->record->id);
    else
        conflict_at(m, path, was->name);
    return NULL;
}

static fs_error_t *merge_added(merge_t *m, const trio_t *dir,
                               const fs_dirent_t *theirs, apr_pool_t *scratch)
{
    const fs_node_t *ours;

    FS_TRY(fs_node_child(&ours, dir->ours, theirs->name, scratch));
    if (ours)
        conflict_at(m, dir->base->path, theirs->name);
    else
        take(m, dir->base->path, theirs->name, theirs->kind, &theirs->id);
    return NULL;
}

/* What is done with an entry that differs; either may be NULL: not there. */
typedef fs_error_t *(*entry_fn)(merge_t *m, const trio_t *dir,
                                const fs_dirent_t *was,
                                const fs_dirent_t *theirs, apr_pool_t *scratch);

static fs_error_t *merge_entry(merge_t *m, const trio_t *dir,
                               const fs_dirent_t *was,
                               const fs_dirent_t *theirs, apr_pool_t *scratch)
{
    return was ? merge_changed(m, dir, was, theirs, scratch)
               : merge_added(m, dir, theirs, scratch);
}

/* The transaction's new properties were made for what the directory
 * contained: its entries may have changed, not become others. */
static fs_error_t *keep_entry(merge_t *m, const trio_t *dir,
                              const fs_dirent_t *was, const fs_dirent_t *theirs,
                              apr_pool_t *scratch)
{
    const fs_node_t *base;
    const fs_node_t *now;

    if (was && theirs) {
        FS_TRY(fs_dir_node(&base, dir->base, was, scratch));
        FS_TRY(fs_dir_node(&now, dir->theirs, theirs, scratch));
        if (same_line(base->record, now->record))
            return NULL;
    }
    conflict_at(m, dir->base->path, "");
    return NULL;
}

/* ---- one directory ---- */

/* Both lists, side by side; they are sorted by bytes of names. */
typedef struct cursors_t {
    fs_dir_t *base;
    fs_dir_t *theirs;
    const fs_dirent_t *was; /* NULL: the end */
    const fs_dirent_t *now;
} cursors_t;

static fs_error_t *open_cursors(cursors_t *c, const trio_t *dir,
                                apr_pool_t *pool)
{
    FS_TRY(fs_dir_open(&c->base, dir->base, pool));
    FS_TRY(fs_dir_open(&c->theirs, dir->theirs, pool));
    FS_TRY(fs_dir_next(&c->was, c->base));
    return fs_dir_next(&c->now, c->theirs);
}

static int order(const cursors_t *c)
{
    if (!c->was || !c->now)
        return c->now ? 1 : -1;
    return strcmp(c->was->name, c->now->name);
}

/* Up to the first conflict. */
static fs_error_t *each_entry(merge_t *m, const trio_t *dir, entry_fn fn,
                              apr_pool_t *scratch)
{
    cursors_t c;
    apr_pool_t *iter;

    FS_TRY(open_cursors(&c, dir, scratch));
    apr_pool_create(&iter, scratch);
    while ((c.was || c.now) && !m->conflict) {
        int which = order(&c);
        const fs_dirent_t *was = which > 0 ? NULL : c.was;
        const fs_dirent_t *theirs = which < 0 ? NULL : c.now;

        apr_pool_clear(iter);
        if (!was || !theirs || !same_id(&was->id, &theirs->id))
            FS_TRY(fn(m, dir, was, theirs, iter));
        if (which <= 0)
            FS_TRY(fs_dir_next(&c.was, c.base));
        if (which >= 0)
            FS_TRY(fs_dir_next(&c.now, c.theirs));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *read_node(const fs_node_t **node, fs_root_t *root,
                             const fs_node_id_t *id, const char *path,
                             apr_pool_t *result)
{
    const fs_node_record_t *record;

    FS_TRY(fs_lookup_record(&record, root, id, result));
    *node = fs_lookup_make(root, path, record, 0, "/", result);
    return NULL;
}

static fs_error_t *read_trio(trio_t *dir, const merge_t *m, const pair_t *pair,
                             apr_pool_t *result)
{
    FS_TRY(read_node(&dir->base, m->base, &pair->base, pair->path, result));
    FS_TRY(read_node(&dir->ours, m->ours, &pair->ours, pair->path, result));
    return read_node(&dir->theirs, m->theirs, &pair->theirs, pair->path,
                     result);
}

static fs_error_t *merge_pair(merge_t *m, const pair_t *pair,
                              apr_pool_t *scratch)
{
    bool their_props;
    bool our_props;
    trio_t dir;

    FS_TRY(read_trio(&dir, m, pair, scratch));
    FS_TRY(fs_node_props_differ(&their_props, dir.base, dir.theirs, scratch));
    if (their_props) {
        conflict_at(m, pair->path, "");
        return NULL;
    }
    FS_TRY(fs_node_props_differ(&our_props, dir.base, dir.ours, scratch));
    if (our_props)
        FS_TRY(each_entry(m, &dir, keep_entry, scratch));
    return m->conflict ? NULL : each_entry(m, &dir, merge_entry, scratch);
}

/* ---- the tree ---- */

static fs_error_t *compare(merge_t *m, apr_pool_t *scratch)
{
    const fs_node_t *base;
    const fs_node_t *ours;
    const fs_node_t *theirs;
    apr_pool_t *iter;
    int i;

    FS_TRY(fs_root_top(&base, m->base));
    FS_TRY(fs_root_top(&ours, m->ours));
    FS_TRY(fs_root_top(&theirs, m->theirs));
    descend(m, "/", &base->record->id, &ours->record->id, &theirs->record->id);
    apr_pool_create(&iter, scratch);
    for (i = 0; i < m->pairs->nelts && !m->conflict; i++) {
        pair_t pair = APR_ARRAY_IDX(m->pairs, i, pair_t);

        apr_pool_clear(iter);
        FS_TRY(merge_pair(m, &pair, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *carry_out(const merge_t *m, fs_rev_t youngest)
{
    fs_txn_t *txn = m->txn;
    apr_pool_t *iter;
    int i;

    fs_transaction_forget(txn);
    apr_pool_create(&iter, m->pool);
    for (i = 0; i < m->taken->nelts; i++) {
        const taken_t *taken = &APR_ARRAY_IDX(m->taken, i, taken_t);

        apr_pool_clear(iter);
        FS_TRY(txn->vtable->adopt(
            txn->stored, taken->path, taken->kind,
            taken->kind == FS_NODE_NONE ? NULL : &taken->id, iter));
    }
    for (i = m->pairs->nelts - 1; i >= 0; i--) {
        const pair_t *pair = &APR_ARRAY_IDX(m->pairs, i, pair_t);

        apr_pool_clear(iter);
        FS_TRY(
            txn->vtable->follow(txn->stored, pair->path, &pair->theirs, iter));
    }
    FS_TRY(txn->vtable->set_base(txn->stored, youngest, iter));
    txn->base = youngest;
    return NULL;
}

static fs_error_t *merge(merge_t *m, fs_rev_t youngest)
{
    FS_TRY(fs_root_open_known(&m->base, m->txn->repo, m->txn->base, m->pool));
    FS_TRY(fs_root_open_known(&m->theirs, m->txn->repo, youngest, m->pool));
    FS_TRY(fs_txn_root(&m->ours, m->txn, m->pool));
    FS_TRY(compare(m, m->pool));
    return m->conflict
               ? FS_ERROR(FS_ERR_CONFLICT, "conflict at '%s'", m->conflict)
               : carry_out(m, youngest);
}

fs_error_t *fs_merge_up_to(const char **conflict, fs_txn_t *txn,
                           fs_rev_t youngest, apr_pool_t *result)
{
    merge_t m = { .txn = txn };
    fs_error_t *err;

    apr_pool_create(&m.pool, result);
    m.pairs = apr_array_make(m.pool, 8, sizeof(pair_t));
    m.taken = apr_array_make(m.pool, 8, sizeof(taken_t));
    err = merge(&m, youngest);
    if (m.conflict)
        *conflict = apr_pstrdup(result, m.conflict);
    apr_pool_destroy(m.pool);
    return err;
}
