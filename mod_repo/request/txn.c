/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions of requests: how they begin, who may go on with them. */

#include "mod_repo/request/txn.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>

#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/headers.h"

void repo_txn_hooks(fs_hook_config_t *config, const repo_request_t *request)
{
    memset(config, 0, sizeof(*config));
    config->env_file = request->config->hooks_env;
    config->timeout = repo_config_hook_timeout(request->config);
}

dav_error *repo_txn_error(const repo_request_t *request, fs_error_t *err)
{
    return repo_error_convert(request->r, err, HTTP_INTERNAL_SERVER_ERROR);
}

/* ---- beginning ---- */

static const fs_bytes_t *bytes_of(const char *text, apr_pool_t *result)
{
    fs_bytes_t *bytes = apr_palloc(result, sizeof(*bytes));

    *bytes = (fs_bytes_t){ text, strlen(text) };
    return bytes;
}

static apr_hash_t *initial_props(const repo_request_t *request,
                                 apr_hash_t *props, apr_pool_t *result)
{
    apr_hash_t *all =
        props ? apr_hash_copy(result, props) : apr_hash_make(result);
    const char *user = request->r->user;

    /* Who is not known commits as nobody, whatever the client says. */
    apr_hash_set(all, "svn:author", APR_HASH_KEY_STRING,
                 user ? bytes_of(user, result) : NULL);
    apr_hash_set(all, FS_TXN_CHECK_LOCKS, APR_HASH_KEY_STRING,
                 bytes_of("true", result));
    return all;
}

static const char *capabilities(const repo_request_t *request)
{
    return repo_headers_has_capability(request->r, "mergeinfo") ? "mergeinfo"
                                                                : "";
}

fs_error_t *repo_txn_begin(fs_txn_t **txn, repo_request_t *request,
                           apr_hash_t *props, apr_pool_t *result)
{
    fs_hook_config_t hooks;
    fs_error_t *err;

    /* Looked up when the request was opened. */
    FS_TRY(fs_txn_begin(txn, request->repo,
                        fs_repo_youngest_known(request->repo),
                        initial_props(request, props, result), result));
    repo_txn_hooks(&hooks, request);
    err = fs_hook_start_commit(*txn, &hooks, request->r->user,
                               capabilities(request), result);
    if (err)
        repo_txn_abort(*txn, request, result);
    return err;
}

void repo_txn_abort(fs_txn_t *txn, repo_request_t *request, apr_pool_t *scratch)
{
    const char *name = apr_pstrdup(scratch, fs_txn_name(txn));
    fs_error_t *err;

    fs_txn_close(txn);
    err = fs_txn_abort(request->repo, name, scratch);
    if (err && err->code != FS_ERR_NO_SUCH_TXN)
        repo_error_log(request->r, err);
    fs_error_clear(err);
}

/* ---- tokens ---- */

static const char tokens_key[] = "mod_repo:tokens";

/* Those in the If header, if there are any. */
static void add_if_tokens(apr_hash_t *tokens, request_rec *r)
{
    const dav_hooks_locks *hooks = dav_get_lock_hooks(r);
    dav_locktoken_list *list;

    if (!apr_table_get(r->headers_in, "If"))
        return;
    /* mod_dav refuses a malformed header by itself. */
    if (dav_get_locktoken_list(r, &list))
        return;
    for (; list; list = list->next)
        apr_hash_set(tokens, hooks->format_locktoken(r->pool, list->locktoken),
                     APR_HASH_KEY_STRING, "");
}

static void add_body_tokens(apr_hash_t *tokens, request_rec *r)
{
    apr_hash_t *found = repo_guard_tokens(r);
    apr_hash_index_t *hi;

    for (hi = found ? apr_hash_first(r->pool, found) : NULL; hi;
         hi = apr_hash_next(hi))
        apr_hash_set(tokens, apr_hash_this_key(hi), APR_HASH_KEY_STRING,
                     apr_hash_this_val(hi));
}

dav_error *repo_txn_tokens(apr_hash_t **tokens, const repo_request_t *request)
{
    request_rec *r = request->r;
    void *known = NULL;

    apr_pool_userdata_get(&known, tokens_key, r->pool);
    *tokens = known;
    if (!known) {
        *tokens = apr_hash_make(r->pool);
        add_if_tokens(*tokens, r);
        add_body_tokens(*tokens, r);
        apr_pool_userdata_setn(*tokens, tokens_key, NULL, r->pool);
    }
    if (apr_hash_count(*tokens) > 0 && !r->user)
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_NO_USER,
                              "a lock token counts for a user, and none is "
                              "known");
    return NULL;
}

/* ---- going on ---- */

static dav_error *open_error(const repo_request_t *request, fs_error_t *err)
{
    return repo_error_convert(
        request->r, err, err->code == FS_ERR_TXN_NAME ? HTTP_NOT_FOUND : 0);
}

dav_error *repo_txn_open(fs_txn_t **txn, repo_request_t *request,
                         const char *name, apr_pool_t *result)
{
    apr_hash_t *tokens;
    dav_error *failed = repo_txn_tokens(&tokens, request);
    fs_error_t *err;

    if (failed)
        return failed;
    err = fs_txn_open(txn, request->repo, name, result);
    if (err)
        return open_error(request, err);
    fs_txn_set_user(*txn, request->r->user, tokens);
    return NULL;
}

static fs_error_t *set_author(fs_txn_t *txn, const char *user,
                              apr_pool_t *scratch)
{
    fs_prop_change_t change = { "svn:author", bytes_of(user, scratch) };

    return fs_txn_change_props(txn, &change, 1, scratch);
}

dav_error *repo_txn_check_author(fs_txn_t *txn, const repo_request_t *request)
{
    request_rec *r = request->r;
    const fs_bytes_t *author = NULL;
    apr_hash_t *props;
    fs_error_t *err;

    if (!r->user)
        return NULL;
    err = fs_txn_props(&props, txn, r->pool);
    if (!err)
        author = apr_hash_get(props, "svn:author", APR_HASH_KEY_STRING);
    if (!err && !author)
        err = set_author(txn, r->user, r->pool);
    if (err)
        return repo_txn_error(request, err);
    if (author && (author->len != strlen(r->user) ||
                   memcmp(author->data, r->user, author->len) != 0))
        return repo_error_new(r->pool, HTTP_NOT_IMPLEMENTED, FS_ERR_UNSUPPORTED,
                              "the transaction is another user's, and one with "
                              "several authors is not supported");
    return NULL;
}
