/* SPDX-License-Identifier: Apache-2.0 */
/* Directories read entry by entry, and the changed paths of a revision. */

#include "libfs/tree/tree.h"

#include "libfs/fs_path.h"

/* ---- directories ---- */

struct fs_dir_t {
    const fs_node_t *node;
    fs_store_dir_t *entries;
    fs_dirent_t entry; /* what fs_dir_next() gave */
};

fs_error_t *fs_dir_open(fs_dir_t **dir, const fs_node_t *node,
                        apr_pool_t *result)
{
    fs_store_t *store = node->root->store;
    fs_error_t *err;

    if (node->record->kind != FS_NODE_DIR)
        return FS_ERROR(FS_ERR_NOT_DIR, "'%s' is not a directory in %s",
                        node->path, fs_root_label(node->root));
    *dir = apr_pcalloc(result, sizeof(**dir));
    (*dir)->node = node;
    err =
        store->vtable->dir_open(&(*dir)->entries, store, node->record, result);
    if (err)
        return FS_LOOKUP_BLAME(err, node->root->rev, node->path);
    return NULL;
}

fs_error_t *fs_dir_next(const fs_dirent_t **entry, fs_dir_t *dir)
{
    const fs_node_t *node = dir->node;
    const fs_store_entry_t *stored;
    fs_error_t *err;

    err = node->root->store->vtable->dir_next(&stored, dir->entries);
    if (err)
        return FS_LOOKUP_BLAME(err, node->root->rev, node->path);
    if (!stored) {
        *entry = NULL;
        return NULL;
    }
    dir->entry.name = stored->name;
    dir->entry.kind = stored->kind;
    dir->entry.id = stored->id;
    *entry = &dir->entry;
    return NULL;
}

/* ---- changed paths ---- */

typedef struct changes_baton_t {
    fs_change_fn receive;
    void *baton;
} changes_baton_t;

fs_change_t fs_change_of(const fs_store_change_t *stored)
{
    const fs_change_t change = {
        .path = stored->path,
        .action = (fs_action_t)stored->action,
        .kind = stored->kind,
        .text_mod = stored->text_mod,
        .prop_mod = stored->prop_mod,
        .mergeinfo_mod = (fs_tristate_t)stored->mergeinfo_mod,
        .copyfrom_rev =
            stored->copyfrom_path ? stored->copyfrom_rev : FS_INVALID_REV,
        .copyfrom_path = stored->copyfrom_path,
    };

    return change;
}

static fs_error_t *pass_change(void *baton, const fs_store_change_t *stored,
                               apr_pool_t *scratch)
{
    const changes_baton_t *b = baton;
    const fs_change_t change = fs_change_of(stored);

    return b->receive(b->baton, &change, scratch);
}

fs_error_t *fs_root_changes_known(fs_repo_t *repo, fs_rev_t rev,
                                  fs_change_fn receive, void *baton,
                                  apr_pool_t *scratch)
{
    fs_store_t *store = fs_repo_store(repo);
    changes_baton_t b = { receive, baton };

    return store->vtable->changes(store, rev, pass_change, &b, scratch);
}

fs_error_t *fs_root_changes(fs_root_t *root, fs_change_fn receive, void *baton,
                            apr_pool_t *scratch)
{
    return fs_root_changes_known(root->repo, root->rev, receive, baton,
                                 scratch);
}

/*
 * Where a node that was deleted from `path` in the root's revision was before:
 * behind the copy, if a copy of a parent brought it along in this revision.
 */
static fs_error_t *place_before(fs_root_t **root_before, const char **before,
                                fs_root_t *root, const char *path,
                                apr_pool_t *scratch)
{
    const fs_node_t *parent;
    const fs_copy_t *copy = NULL;
    fs_rev_t rev = root->rev - 1;

    *before = path;
    FS_TRY(fs_node_find(&parent, root, fs_path_parent(path, scratch), scratch));
    if (parent && parent->copy_rev == root->rev)
        FS_TRY(fs_copy_find(&copy, parent, scratch));
    if (copy) {
        *before = fs_path_join(copy->source, fs_path_name(path), scratch);
        rev = copy->from_rev;
    }
    return fs_root_aside(root_before, root, rev);
}

fs_error_t *fs_change_kind(fs_node_kind_t *kind, fs_root_t *root,
                           const fs_change_t *change, apr_pool_t *scratch)
{
    const char *path = change->path;
    fs_root_t *where = root;
    const fs_node_t *node;

    *kind = change->kind;
    if (change->kind != FS_NODE_UNKNOWN)
        return NULL;
    if (change->action == FS_ACTION_DELETE) {
        if (root->rev == 0)
            return NULL;
        FS_TRY(place_before(&where, &path, root, change->path, scratch));
    }
    FS_TRY(fs_node_find(&node, where, path, scratch));
    if (node)
        *kind = node->record->kind;
    return NULL;
}
