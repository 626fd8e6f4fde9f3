/* SPDX-License-Identifier: Apache-2.0 */
/* Making, deleting and copying nodes in a transaction. */

#include "libfs/fs_path.h"
#include "libfs/txn/lock_check.h"
#include "libfs/txn/transaction.h"

/* The directory that `path` is or will be in. */
static fs_error_t *need_parent(const fs_node_t **parent, fs_txn_t *txn,
                               const char *path, apr_pool_t *scratch)
{
    fs_root_t *tree;

    FS_TRY(fs_transaction_tree(&tree, txn));
    FS_TRY(fs_node_need(parent, tree, fs_path_parent(path, scratch), scratch));
    if (fs_node_kind(*parent) != FS_NODE_DIR)
        return FS_ERROR(FS_ERR_NOT_DIR, "'%s' is not a directory in %s",
                        fs_node_path(*parent), fs_root_label(tree));
    return NULL;
}

static fs_error_t *exists_already(const char *path, const fs_txn_t *txn)
{
    return FS_ERROR(FS_ERR_EXISTS,
                    "path '%s' already exists in transaction '%s'", path,
                    txn->name);
}

static fs_error_t *is_root(const char *what)
{
    return FS_ERROR(FS_ERR_ROOT_DIR, "the root directory cannot be %s", what);
}

static fs_error_t *make_node(fs_txn_t *txn, const char *path,
                             fs_node_kind_t kind, apr_pool_t *scratch)
{
    const fs_node_t *parent;
    const fs_node_t *there;

    FS_TRY(fs_path_check(path));
    if (!path[1])
        return exists_already(path, txn);
    FS_TRY(need_parent(&parent, txn, path, scratch));
    FS_TRY(fs_node_child(&there, parent, fs_path_name(path), scratch));
    if (there)
        return exists_already(path, txn);
    FS_TRY(fs_lock_check_path(txn, path, true, scratch));
    fs_transaction_forget(txn);
    return txn->vtable->make(txn->stored, path, kind, scratch);
}

fs_error_t *fs_txn_make_dir(fs_txn_t *txn, const char *path,
                            apr_pool_t *scratch)
{
    return make_node(txn, path, FS_NODE_DIR, scratch);
}

fs_error_t *fs_txn_make_file(fs_txn_t *txn, const char *path,
                             apr_pool_t *scratch)
{
    return make_node(txn, path, FS_NODE_FILE, scratch);
}

fs_error_t *fs_txn_delete(fs_txn_t *txn, const char *path, apr_pool_t *scratch)
{
    const fs_node_t *node;
    fs_root_t *tree;

    if (!path[1])
        return is_root("deleted");
    FS_TRY(fs_transaction_tree(&tree, txn));
    FS_TRY(fs_node_need(&node, tree, path, scratch));
    FS_TRY(fs_lock_check_path(txn, path, true, scratch));
    fs_transaction_forget(txn);
    return txn->vtable->remove(txn->stored, path, scratch);
}

fs_error_t *fs_txn_copy(fs_txn_t *txn, fs_rev_t from_rev, const char *from_path,
                        const char *path, apr_pool_t *scratch)
{
    const fs_node_t *source;
    const fs_node_t *parent;
    const fs_node_t *there;
    fs_root_t *from;

    FS_TRY(fs_path_check(path));
    if (!path[1])
        return is_root("replaced");
    FS_TRY(fs_root_open(&from, txn->repo, from_rev, scratch));
    FS_TRY(fs_node_need(&source, from, from_path, scratch));
    FS_TRY(need_parent(&parent, txn, path, scratch));
    FS_TRY(fs_node_child(&there, parent, fs_path_name(path), scratch));
    FS_TRY(fs_lock_check_path(txn, path, true, scratch));
    if (there && fs_node_relation(there, source) == FS_SAME)
        return NULL;
    fs_transaction_forget(txn);
    return txn->vtable->copy(txn->stored, source->record, from_rev, from_path,
                             path, scratch);
}
