/* SPDX-License-Identifier: Apache-2.0 */
/* Path locks against what a transaction changes. */

#include "libfs/txn/lock_check.h"

#include "libfs/txn/transaction.h"

static fs_error_t *check_lock(const fs_txn_t *txn, const fs_store_lock_t *lock)
{
    if (!fs_store_lock_in_force(lock, apr_time_now()))
        return NULL;
    if (!txn->user)
        return FS_ERROR(FS_ERR_NO_USER,
                        "'%s' is locked by user '%s', and no user is known",
                        lock->path, lock->owner);
    if (strcmp(txn->user, lock->owner) != 0)
        return FS_ERROR(FS_ERR_LOCK_OWNER,
                        "user '%s' does not own the lock on '%s', user '%s' "
                        "does",
                        txn->user, lock->path, lock->owner);
    if (!txn->tokens ||
        !apr_hash_get(txn->tokens, lock->token, APR_HASH_KEY_STRING))
        return FS_ERROR(FS_ERR_BAD_LOCK_TOKEN,
                        "the token of the lock on '%s' was not presented",
                        lock->path);
    return NULL;
}

static fs_error_t *receive_lock(void *baton, const fs_store_lock_t *lock,
                                apr_pool_t *scratch)
{
    (void)scratch;
    return check_lock(baton, lock);
}

static fs_error_t *check_place(fs_txn_t *txn, const char *path, bool below,
                               apr_pool_t *scratch)
{
    const fs_store_vtable_t *vtable = txn->store->vtable;
    const fs_store_lock_t *lock;

    if (below)
        return vtable->lock_list(txn->store, path, receive_lock, txn, scratch);
    FS_TRY(vtable->lock_get(&lock, txn->store, path, scratch));
    return lock ? check_lock(txn, lock) : NULL;
}

fs_error_t *fs_lock_check_path(fs_txn_t *txn, const char *path, bool below,
                               apr_pool_t *scratch)
{
    bool check;

    FS_TRY(fs_transaction_checks_locks(&check, txn, scratch));
    return check ? check_place(txn, path, below, scratch) : NULL;
}

/* ---- all changes ---- */

static fs_error_t *check_change(void *baton, const fs_store_change_t *change,
                                apr_pool_t *scratch)
{
    return check_place(baton, change->path, change->action != 'M', scratch);
}

/* Ends the list at its first lock. */
static fs_error_t *stop_at_lock(void *baton, const fs_store_lock_t *lock,
                                apr_pool_t *scratch)
{
    (void)lock;
    (void)scratch;
    *(bool *)baton = true;
    return FS_ERROR(FS_ERR_CANCELLED, "one is enough");
}

/* The folder at the top knows all locks. */
static fs_error_t *any_lock(bool *any, const fs_txn_t *txn, apr_pool_t *scratch)
{
    fs_error_t *err;

    *any = false;
    err = txn->store->vtable->lock_list(txn->store, "/", stop_at_lock, any,
                                        scratch);
    if (*any) {
        fs_error_clear(err);
        return NULL;
    }
    return err;
}

fs_error_t *fs_lock_check_changes(fs_txn_t *txn, apr_pool_t *scratch)
{
    bool check;
    bool any;

    FS_TRY(fs_transaction_checks_locks(&check, txn, scratch));
    if (!check)
        return NULL;
    FS_TRY(any_lock(&any, txn, scratch));
    return any ? txn->vtable->changes(txn->stored, check_change, txn, scratch)
               : NULL;
}
