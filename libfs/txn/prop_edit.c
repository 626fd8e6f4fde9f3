/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of transactions and of their nodes. */

#include "libfs/txn/prop_edit.h"

#include <string.h>

#include "libfs/fs_mergeinfo.h"
#include "libfs/fs_txn.h"
#include "libfs/store/prop_rules.h"
#include "libfs/txn/lock_check.h"
#include "libfs/txn/transaction.h"

#define MERGEINFO "svn:mergeinfo"

fs_error_t *fs_prop_edit_check_all(apr_hash_t *props, apr_pool_t *scratch)
{
    apr_hash_index_t *i;

    for (i = apr_hash_first(scratch, props); i; i = apr_hash_next(i))
        FS_TRY(fs_prop_rules_check(apr_hash_this_key(i), apr_hash_this_val(i)));
    return NULL;
}

fs_error_t *fs_prop_edit_check(const fs_prop_change_t *changes, int count)
{
    int i;

    for (i = 0; i < count; i++)
        FS_TRY(fs_prop_rules_check(changes[i].name, changes[i].value));
    return NULL;
}

static fs_error_t *check_mergeinfo(const fs_bytes_t *value, const char *path,
                                   apr_pool_t *scratch)
{
    apr_hash_t *mergeinfo;
    fs_error_t *err;

    if (!value)
        return NULL;
    err = fs_mergeinfo_parse(&mergeinfo, value->data, value->len, scratch);
    return err ? FS_WRAP(err, "mergeinfo of '%s' cannot be understood", path)
               : NULL;
}

fs_error_t *fs_prop_edit_check_node(bool *mergeinfo_mod,
                                    const fs_prop_change_t *changes, int count,
                                    const char *path, apr_pool_t *scratch)
{
    int i;

    *mergeinfo_mod = false;
    for (i = 0; i < count; i++) {
        if (!strcmp(changes[i].name, MERGEINFO)) {
            *mergeinfo_mod = true;
            FS_TRY(check_mergeinfo(changes[i].value, path, scratch));
        }
        FS_TRY(fs_prop_rules_check(changes[i].name, changes[i].value));
    }
    return NULL;
}

fs_error_t *fs_txn_check_prop(const fs_prop_change_t *change,
                              apr_pool_t *scratch)
{
    if (!strcmp(change->name, MERGEINFO))
        FS_TRY(check_mergeinfo(change->value, change->name, scratch));
    return fs_prop_rules_check(change->name, change->value);
}

void fs_prop_edit_apply(apr_hash_t *props, const fs_prop_change_t *changes,
                        int count)
{
    int i;

    for (i = 0; i < count; i++)
        apr_hash_set(props, changes[i].name, APR_HASH_KEY_STRING,
                     changes[i].value);
}

fs_error_t *fs_txn_props(apr_hash_t **props, fs_txn_t *txn, apr_pool_t *result)
{
    return txn->vtable->props(props, txn->stored, result);
}

fs_error_t *fs_txn_change_props(fs_txn_t *txn, const fs_prop_change_t *changes,
                                int count, apr_pool_t *scratch)
{
    apr_hash_t *props;

    FS_TRY(fs_prop_edit_check(changes, count));
    if (count == 0)
        return NULL;
    FS_TRY(fs_txn_props(&props, txn, scratch));
    fs_prop_edit_apply(props, changes, count);
    txn->knows_checks = false;
    return txn->vtable->set_props(txn->stored, props, scratch);
}

fs_error_t *fs_txn_change_node_props(fs_txn_t *txn, const char *path,
                                     const fs_prop_change_t *changes, int count,
                                     apr_pool_t *scratch)
{
    const fs_node_t *node;
    bool mergeinfo_mod;
    apr_hash_t *props;
    fs_root_t *tree;

    FS_TRY(fs_transaction_tree(&tree, txn));
    FS_TRY(fs_node_need(&node, tree, path, scratch));
    FS_TRY(
        fs_prop_edit_check_node(&mergeinfo_mod, changes, count, path, scratch));
    FS_TRY(fs_lock_check_path(txn, path, false, scratch));
    if (count == 0)
        return NULL;
    FS_TRY(fs_node_props(&props, node, scratch));
    fs_prop_edit_apply(props, changes, count);
    fs_transaction_forget(txn);
    return txn->vtable->set_node_props(txn->stored, path, props, mergeinfo_mod,
                                       scratch);
}
