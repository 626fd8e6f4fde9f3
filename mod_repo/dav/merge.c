/* SPDX-License-Identifier: Apache-2.0 */
/* MERGE: the commit of a transaction. */

#include "mod_repo/dav/merge.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>

#include "libfs/fs_path.h"
#include "mod_repo/dav/merge_answer.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/body.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/headers.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/request/activity.h"
#include "mod_repo/request/txn.h"
#include "mod_repo/request/xml_limits.h"

/** What a client wants committed. */
typedef struct merge_t {
    repo_request_t *request;
    apr_pool_t *pool;
    const char *source;        /* URL in the body, or NULL */
    apr_array_header_t *locks; /* fs_lock_release_t: paths and tokens told */
    fs_lock_release_t lock;    /* the one that is being read */
    repo_uri_t uri;            /* of the source */
    const char *txn;           /* name of the transaction */
    apr_hash_t *tokens;        /* all that were presented, to their paths */
} merge_t;

/* ---- the body ---- */

static fs_error_t *on_start(void *baton, const repo_body_elem_t *elem)
{
    merge_t *merge = baton;

    if (elem->depth == 0 && !repo_body_is(elem, REPO_NS_DAV, "merge"))
        return FS_ERROR(FS_ERR_DAV_REQUEST, "the body of a MERGE is a merge");
    if (strcmp(elem->name, "lock") == 0)
        merge->lock = (fs_lock_release_t){ NULL, NULL };
    return NULL;
}

/* Paths of locks are relative to the URL of the request. */
static const char *path_of(const merge_t *merge, const char *relative)
{
    const char *base = merge->request->uri.path;

    return fs_path_canonical(
        fs_path_join(base ? base : "/", relative, merge->pool), merge->pool);
}

static fs_error_t *on_end(void *baton, const repo_body_elem_t *elem,
                          const char *text, apr_size_t len)
{
    merge_t *merge = baton;

    (void)len;
    if (elem->depth == 2 && repo_body_is(elem, REPO_NS_DAV, "href"))
        merge->source = apr_pstrdup(merge->pool, text);
    else if (strcmp(elem->name, "lock-path") == 0)
        merge->lock.path = path_of(merge, text);
    else if (strcmp(elem->name, "lock-token") == 0)
        merge->lock.token = apr_pstrdup(merge->pool, text);
    else if (strcmp(elem->name, "lock") == 0 && merge->lock.path &&
             merge->lock.token)
        APR_ARRAY_PUSH(merge->locks, fs_lock_release_t) = merge->lock;
    return NULL;
}

static fs_error_t *read_body(merge_t *merge)
{
    repo_body_handler_t handler = { on_start, on_end, merge };
    repo_body_limits_t limits;
    repo_limits_t configured;

    repo_config_limits(&configured, merge->request->config);
    repo_xml_limits_dav(&limits, merge->request->r, &configured);
    repo_guard_take_over(merge->request->r);
    FS_TRY(repo_body_read(merge->request->r, &limits, &handler, merge->pool));
    return merge->source ? NULL
                         : FS_ERROR(FS_ERR_DAV_REQUEST,
                                    "the body of a MERGE names no source");
}

/* ---- what is committed ---- */

static dav_error *bad_source(const merge_t *merge)
{
    return repo_error_new(merge->pool, HTTP_METHOD_NOT_ALLOWED,
                          FS_ERR_BAD_NUMBER,
                          "the source of a MERGE is a transaction or an "
                          "activity");
}

static dav_error *no_such_txn(const merge_t *merge, const char *text)
{
    return repo_error_new(merge->pool, HTTP_NOT_FOUND, FS_ERR_NO_SUCH_TXN,
                          text);
}

/* By the client's own name for it. */
static dav_error *resolve_alias(merge_t *merge)
{
    fs_error_t *err = repo_activity_get(&merge->txn, merge->request,
                                        merge->uri.name, merge->pool);

    if (err)
        return repo_txn_error(merge->request, err);
    if (!merge->txn)
        return merge->uri.kind == REPO_URI_ACT
                   ? bad_source(merge)
                   : no_such_txn(merge, "there is no such transaction");
    return *merge->txn ? NULL
                       : no_such_txn(merge, "the activity was merged already");
}

static dav_error *resolve_source(merge_t *merge)
{
    const repo_request_t *request = merge->request;
    const char *path = repo_uri_decode(merge->source, merge->pool);
    apr_size_t len = strlen(request->root);

    if (!path || strncmp(path, request->root, len) != 0 ||
        (path[len] && path[len] != '/'))
        return bad_source(merge);
    if (!repo_uri_parse(&merge->uri, path + len, request->special, merge->pool))
        return no_such_txn(merge, "there is no such special URL");
    switch (merge->uri.kind) {
    case REPO_URI_TXN:
        merge->txn = merge->uri.name;
        return NULL;
    case REPO_URI_VTXN:
    case REPO_URI_ACT:
        return resolve_alias(merge);
    default:
        return bad_source(merge);
    }
}

/* Tokens of the body, with those of the If header. */
static dav_error *collect_tokens(merge_t *merge)
{
    apr_hash_t *others;
    dav_error *failed = repo_txn_tokens(&others, merge->request);
    int i;

    if (failed)
        return failed;
    merge->tokens = apr_hash_copy(merge->pool, others);
    for (i = 0; i < merge->locks->nelts; i++) {
        const fs_lock_release_t *lock =
            &APR_ARRAY_IDX(merge->locks, i, fs_lock_release_t);

        apr_hash_set(merge->tokens, lock->token, APR_HASH_KEY_STRING,
                     lock->path);
    }
    if (merge->locks->nelts > 0 && !merge->request->r->user)
        return repo_error_new(merge->pool, HTTP_BAD_REQUEST, FS_ERR_NO_USER,
                              "a lock token counts for a user, and none is "
                              "known");
    return NULL;
}

/* ---- the commit ---- */

static dav_error *commit(fs_hook_commit_t *done, merge_t *merge)
{
    repo_request_t *request = merge->request;
    fs_hook_config_t hooks;
    fs_txn_t *txn;
    dav_error *failed = repo_txn_open(&txn, request, merge->txn, merge->pool);
    fs_error_t *err;

    if (failed)
        return failed;
    failed = repo_txn_check_author(txn, request);
    if (failed) {
        fs_txn_close(txn);
        return failed;
    }
    fs_txn_set_user(txn, request->r->user, merge->tokens);
    repo_txn_hooks(&hooks, request);
    err = fs_hook_commit(done, txn, &hooks, merge->tokens, merge->pool);
    if (!err) {
        fs_txn_close(txn);
        return NULL;
    }
    repo_txn_abort(txn, request, merge->pool);
    if (err->code == FS_ERR_CONFLICT)
        return repo_error_convert(request->r, err, HTTP_CONFLICT);
    return repo_txn_error(request, err);
}

/* What failed after the commit is for the log: the commit stands. */
static void log_failure(const repo_request_t *request, fs_error_t *err)
{
    if (!err)
        return;
    repo_error_log(request->r, err);
    fs_error_clear(err);
}

/* The client's own name for the transaction has done its service. */
static void forget_name(const merge_t *merge)
{
    const repo_request_t *request = merge->request;

    if (merge->uri.kind == REPO_URI_ACT)
        log_failure(request, repo_activity_put(request, merge->uri.name, "",
                                               merge->pool));
    else if (merge->uri.kind == REPO_URI_VTXN)
        log_failure(request,
                    repo_activity_drop(request, merge->uri.name, merge->pool));
}

static void release_locks(const merge_t *merge)
{
    const repo_request_t *request = merge->request;
    int count = merge->locks->nelts, i;
    fs_lock_outcome_t *outcomes;
    const char *post_error = NULL;
    fs_hook_config_t hooks;

    if (count == 0 || !repo_headers_has_option(request->r, "release-locks"))
        return;
    outcomes = apr_pcalloc(merge->pool, sizeof(*outcomes) * (apr_size_t)count);
    repo_txn_hooks(&hooks, request);
    log_failure(request,
                fs_hook_unlock(outcomes, &post_error, request->repo, &hooks,
                               request->r->user,
                               (const fs_lock_release_t *)merge->locks->elts,
                               count, false, merge->pool));
    for (i = 0; i < count; i++)
        log_failure(request, outcomes[i].err);
}

/* ---- the answer ---- */

/* The commit stands: the answer says so even if the list of what changed cannot
 * be made. */
static int answer(const merge_t *merge, const fs_hook_commit_t *done)
{
    request_rec *r = merge->request->r;
    bool full = !repo_headers_has_option(r, "no-merge-response");
    repo_output_t *out = repo_output_create(r, r->output_filters, merge->pool);
    fs_error_t *err;

    ap_set_content_type(r, "text/xml");
    err = repo_merge_answer(out, merge->request, done, full, merge->pool);
    if (err && full && !repo_output_started(out)) {
        log_failure(merge->request, err);
        repo_output_discard(out);
        err = repo_merge_answer(out, merge->request, done, false, merge->pool);
    }
    if (!err)
        err = repo_output_check(out);
    if (!err)
        err = repo_output_finish(out);
    if (!err)
        return OK;
    if (repo_output_started(out)) {
        log_failure(merge->request, err);
        repo_output_break(out);
        return DONE;
    }
    repo_output_discard(out);
    return repo_error_send(r, err, 0);
}

/* ---- the handler ---- */

static dav_error *check_target(merge_t *merge)
{
    request_rec *r = merge->request->r;
    dav_resource *target;
    dav_error *failed;

    if (merge->request->is_list)
        return repo_request_list_is_fixed(r);
    failed = repo_resource_get(r, NULL, NULL, 0, &target);
    if (!failed && !target->exists)
        failed = dav_new_error(r->pool, HTTP_NOT_FOUND, 0, 0,
                               "there is no such resource");
    return failed;
}

static dav_error *merge_all(fs_hook_commit_t *done, merge_t *merge)
{
    dav_error *failed = resolve_source(merge);

    if (!failed)
        failed = collect_tokens(merge);
    if (!failed)
        failed = commit(done, merge);
    if (failed)
        return failed;
    merge->request->youngest = done->rev;
    repo_request_action(merge->request, "commit r%" FS_REV_FMT, done->rev);
    forget_name(merge);
    release_locks(merge);
    return NULL;
}

int repo_merge_handler(request_rec *r)
{
    fs_hook_commit_t done = { FS_INVALID_REV, NULL, NULL };
    merge_t merge = { .pool = r->pool };
    dav_error *failed = repo_request_open(&merge.request, r);
    fs_error_t *err;

    apr_table_setn(r->headers_out, "Cache-Control", "no-cache");
    merge.locks = apr_array_make(r->pool, 4, sizeof(fs_lock_release_t));
    if (!failed)
        failed = check_target(&merge);
    if (failed) {
        repo_guard_leave_body(r);
        return repo_error_send_dav(r, failed);
    }
    err = read_body(&merge);
    if (err)
        return repo_error_send(r, err, 0);
    failed = merge_all(&done, &merge);
    return failed ? repo_error_send_dav(r, failed) : answer(&merge, &done);
}
