/* SPDX-License-Identifier: Apache-2.0 */
/* Commits: merge, try, and again when others were faster. */

#include <string.h>

#include "libfs/txn/lock_check.h"
#include "libfs/txn/merge.h"
#include "libfs/txn/transaction.h"

/* Is this property about the transaction alone? */
static bool stays_behind(const char *name)
{
    static const char prefix[] = "svn:txn-";

    return !strncmp(name, prefix, sizeof(prefix) - 1) ||
           !strcmp(name, FS_TXN_CHECK_LOCKS) || !strcmp(name, FS_TXN_CHECK_OOD);
}

static fs_error_t *make_revprops(apr_hash_t **revprops, fs_txn_t *txn,
                                 apr_pool_t *result)
{
    apr_hash_t *props;
    apr_hash_index_t *i;

    FS_TRY(fs_txn_props(&props, txn, result));
    *revprops = apr_hash_make(result);
    for (i = apr_hash_first(result, props); i; i = apr_hash_next(i)) {
        const char *name = apr_hash_this_key(i);

        if (!stays_behind(name))
            apr_hash_set(*revprops, name, APR_HASH_KEY_STRING,
                         apr_hash_this_val(i));
    }
    return NULL;
}

static fs_error_t *check_locks(void *baton, apr_pool_t *scratch)
{
    return fs_lock_check_changes(baton, scratch);
}

/* Until the transaction's base is the youngest revision under the lock. Each
 * turn more means that another commit was made. */
static fs_error_t *commit(fs_rev_t *rev, const char **conflict, fs_txn_t *txn,
                          const fs_store_commit_t *how, apr_pool_t *result,
                          apr_pool_t *scratch)
{
    /* If it is not the youngest any more, the store says so. */
    fs_rev_t youngest = fs_repo_youngest_known(txn->repo);
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    if (youngest < txn->base)
        FS_TRY(fs_repo_youngest(&youngest, txn->repo, iter));
    do {
        apr_pool_clear(iter);
        if (youngest != txn->base)
            FS_TRY(fs_merge_up_to(conflict, txn, youngest, result));
        FS_TRY(txn->vtable->commit(rev, &youngest, txn->stored, how, iter));
    } while (!FS_IS_REV(*rev));
    return NULL;
}

fs_error_t *fs_txn_commit(fs_rev_t *rev, const char **conflict, fs_txn_t *txn,
                          bool keep_date, apr_pool_t *result)
{
    fs_store_commit_t how = { .check = check_locks,
                              .baton = txn,
                              .set_date = !keep_date };
    const char *where = NULL;
    apr_pool_t *scratch;
    fs_error_t *err;

    fs_transaction_forget(txn);
    apr_pool_create(&scratch, result);
    err = make_revprops(&how.revprops, txn, scratch);
    if (!err)
        err = commit(rev, &where, txn, &how, result, scratch);
    apr_pool_destroy(scratch);
    if (conflict)
        *conflict = where;
    if (!err)
        txn->stored = NULL;
    return err;
}
