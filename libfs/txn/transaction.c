/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions begin, are opened, looked at, closed and aborted. */

#include "libfs/txn/transaction.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_time.h"
#include "libfs/txn/prop_edit.h"

static fs_error_t *need_writer(const fs_store_txn_vtable_t **vtable,
                               fs_repo_t *repo)
{
    *vtable = fs_repo_store(repo)->vtable->txn;
    if (!*vtable)
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "repositories of this kind cannot be written");
    return NULL;
}

static fs_txn_t *make(fs_repo_t *repo, fs_store_txn_t *stored,
                      apr_pool_t *result)
{
    fs_txn_t *txn = apr_pcalloc(result, sizeof(*txn));

    txn->repo = repo;
    txn->store = fs_repo_store(repo);
    txn->vtable = txn->store->vtable->txn;
    txn->stored = stored;
    txn->name = apr_pstrdup(result, txn->vtable->name(stored));
    txn->base = txn->vtable->base(stored);
    txn->pool = result;
    return txn;
}

/* The properties of a new transaction, checked. */
static fs_error_t *first_props(apr_hash_t **out, apr_hash_t *props,
                               apr_pool_t *scratch)
{
    *out = props ? apr_hash_copy(scratch, props) : apr_hash_make(scratch);
    FS_TRY(fs_prop_edit_check_all(*out, scratch));
    if (!apr_hash_get(*out, "svn:date", APR_HASH_KEY_STRING)) {
        char *text = apr_palloc(scratch, FS_TIME_SIZE);
        fs_bytes_t *date = apr_palloc(scratch, sizeof(*date));

        fs_time_format(text, apr_time_now());
        date->data = text;
        date->len = strlen(text);
        apr_hash_set(*out, "svn:date", APR_HASH_KEY_STRING, date);
    }
    return NULL;
}

static fs_error_t *begin(fs_store_txn_t **stored, fs_repo_t *repo,
                         fs_rev_t base, apr_hash_t *props, apr_pool_t *result,
                         apr_pool_t *scratch)
{
    const fs_store_txn_vtable_t *vtable;
    apr_hash_t *first;
    fs_rev_t youngest = fs_repo_youngest_known(repo);

    FS_TRY(need_writer(&vtable, repo));
    if (base > youngest)
        FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    if (!FS_IS_REV(base) || base > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        base);
    FS_TRY(first_props(&first, props, scratch));
    return vtable->begin(stored, fs_repo_store(repo), base, first, result);
}

fs_error_t *fs_txn_begin(fs_txn_t **txn, fs_repo_t *repo, fs_rev_t base,
                         apr_hash_t *props, apr_pool_t *result)
{
    fs_store_txn_t *stored;
    apr_pool_t *scratch;
    fs_error_t *err;

    apr_pool_create(&scratch, result);
    err = begin(&stored, repo, base, props, result, scratch);
    apr_pool_destroy(scratch);
    if (err)
        return err;
    *txn = make(repo, stored, result);
    return NULL;
}

fs_error_t *fs_txn_open(fs_txn_t **txn, fs_repo_t *repo, const char *name,
                        apr_pool_t *result)
{
    const fs_store_txn_vtable_t *vtable;
    fs_store_txn_t *stored;

    FS_TRY(need_writer(&vtable, repo));
    FS_TRY(vtable->open(&stored, fs_repo_store(repo), name, result));
    *txn = make(repo, stored, result);
    return NULL;
}

void fs_txn_close(fs_txn_t *txn)
{
    if (!txn->stored)
        return;
    fs_transaction_forget(txn);
    txn->vtable->close(txn->stored);
    txn->stored = NULL;
}

fs_error_t *fs_txn_abort(fs_repo_t *repo, const char *name, apr_pool_t *scratch)
{
    const fs_store_txn_vtable_t *vtable;

    FS_TRY(need_writer(&vtable, repo));
    return vtable->abort(fs_repo_store(repo), name, scratch);
}

const char *fs_txn_name(const fs_txn_t *txn)
{
    return txn->name;
}

fs_rev_t fs_txn_base(const fs_txn_t *txn)
{
    return txn->base;
}

fs_repo_t *fs_txn_repo(const fs_txn_t *txn)
{
    return txn->repo;
}

void fs_txn_set_user(fs_txn_t *txn, const char *user, apr_hash_t *tokens)
{
    txn->user = user;
    txn->tokens = tokens;
}

/* ---- the tree ---- */

fs_error_t *fs_txn_root(fs_root_t **root, fs_txn_t *txn, apr_pool_t *result)
{
    fs_node_id_t id;

    FS_TRY(txn->vtable->root_id(&id, txn->stored));
    *root = fs_root_make_txn(txn->repo, &id, txn->name, result);
    return NULL;
}

fs_error_t *fs_transaction_tree(fs_root_t **tree, fs_txn_t *txn)
{
    if (!txn->tree) {
        if (!txn->tree_pool)
            apr_pool_create(&txn->tree_pool, txn->pool);
        FS_TRY(fs_txn_root(&txn->tree, txn, txn->tree_pool));
    }
    *tree = txn->tree;
    return NULL;
}

void fs_transaction_forget(fs_txn_t *txn)
{
    if (txn->tree_pool)
        apr_pool_clear(txn->tree_pool);
    txn->tree = NULL;
}

fs_error_t *fs_transaction_checks_locks(bool *check, fs_txn_t *txn,
                                        apr_pool_t *scratch)
{
    if (!txn->knows_checks) {
        apr_hash_t *props;

        FS_TRY(fs_txn_props(&props, txn, scratch));
        txn->check_locks = apr_hash_get(props, FS_TXN_CHECK_LOCKS,
                                        APR_HASH_KEY_STRING) != NULL;
        txn->knows_checks = true;
    }
    *check = txn->check_locks;
    return NULL;
}

/* ---- changed paths ---- */

typedef struct receiver_t {
    fs_change_fn receive;
    void *baton;
} receiver_t;

static fs_error_t *pass_change(void *baton, const fs_store_change_t *stored,
                               apr_pool_t *scratch)
{
    const receiver_t *receiver = baton;
    const fs_change_t change = fs_change_of(stored);

    return receiver->receive(receiver->baton, &change, scratch);
}

fs_error_t *fs_txn_changes(fs_txn_t *txn, fs_change_fn receive, void *baton,
                           apr_pool_t *scratch)
{
    receiver_t receiver = { receive, baton };

    return txn->vtable->changes(txn->stored, pass_change, &receiver, scratch);
}

/* ---- other eyes ---- */

fs_error_t *fs_txn_show(fs_txn_t *txn, apr_pool_t *scratch)
{
    return txn->vtable->show(txn->stored, scratch);
}

fs_error_t *fs_txn_take_back(fs_txn_t *txn, apr_pool_t *scratch)
{
    fs_transaction_forget(txn);
    txn->knows_checks = false;
    return txn->vtable->take_back(txn->stored, scratch);
}
