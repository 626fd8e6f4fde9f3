/* SPDX-License-Identifier: Apache-2.0 */
/* Autoversioning: writes to public URLs are commits of their own. */

#include "mod_repo/dav/autoversion.h"

#include <errno.h>
#include <string.h>

#include <apr_strings.h>

#include <http_log.h>
#include <util_filter.h>

#include "libfs/fs_path.h"
#include "mod_repo/dav/lock.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/headers.h"
#include "mod_repo/http/log.h"
#include "mod_repo/request/txn.h"

REPO_USE_LOG;

#define MIME_TYPE "svn:mime-type"

/* Methods whose work is a commit. */
static bool is_write(const request_rec *r)
{
    switch (r->method_number) {
    case M_PUT:
    case M_DELETE:
    case M_MKCOL:
    case M_COPY:
    case M_MOVE:
    case M_LOCK:
    case M_PROPPATCH:
        return true;
    default:
        return false;
    }
}

bool repo_autoversion_covers(const repo_request_t *request,
                             const repo_uri_t *uri)
{
    return uri->kind == REPO_URI_PUBLIC && !request->is_list &&
           is_write(request->r) && repo_config_autoversioning(request->config);
}

bool repo_autoversion_applies(const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;

    return !FS_IS_REV(info->pinned) &&
           repo_autoversion_covers(info->request, &info->uri);
}

/* ---- errors ---- */

static bool is_out_of_room(const fs_error_t *err)
{
    for (; err; err = err->cause)
        if (err->apr_status == ENOSPC || err->apr_status == EDQUOT)
            return true;
    return false;
}

/* What plain WebDAV clients understand of it; 0: as all errors of the kind. */
static int status_of(const fs_error_t *err)
{
    if (is_out_of_room(err))
        return HTTP_INSUFFICIENT_STORAGE;
    switch (err->code) {
    case FS_ERR_NOT_FOUND: /* a parent */
    case FS_ERR_NOT_DIR:
        return HTTP_CONFLICT;
    case FS_ERR_ROOT_DIR:
        return HTTP_FORBIDDEN;
    default:
        return 0;
    }
}

static dav_error *convert(const dav_resource *resource, fs_error_t *err)
{
    int status = status_of(err);
    dav_error *failed = repo_error_convert(resource->info->request->r, err, 0);

    if (status)
        failed->status = status;
    return failed;
}

/* ---- the transaction ---- */

static fs_bytes_t *bytes_of(const char *text, apr_pool_t *result)
{
    fs_bytes_t *bytes = apr_palloc(result, sizeof(*bytes));

    *bytes = (fs_bytes_t){ text, strlen(text) };
    return bytes;
}

static apr_hash_t *make_props(const char *path, apr_pool_t *result)
{
    apr_hash_t *props = apr_hash_make(result);
    const char *message = apr_pstrcat(
        result,
        "Autoversioning commit:  a non-deltaV client made a change to\n", path,
        NULL);

    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING,
                 bytes_of(message, result));
    apr_hash_set(props, "svn:autoversioned", APR_HASH_KEY_STRING,
                 bytes_of("*", result));
    return props;
}

/* Does the request say what must be there? */
static bool is_conditional(const request_rec *r)
{
    static const char *const headers[] = { "If", "If-Match", "If-None-Match",
                                           "If-Unmodified-Since", "Overwrite" };
    apr_size_t i;

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (apr_table_get(r->headers_in, headers[i]))
            return true;
    return false;
}

/* What was looked at is the revision that the resource shows. Another one may
 * have been committed before the transaction began. */
static fs_error_t *check_unchanged(fs_txn_t *txn, const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    fs_rev_t base = fs_txn_base(txn);
    const fs_node_t *node;
    fs_root_t *root;

    if (base == info->rev)
        return NULL;
    FS_TRY(fs_node_find_in(&node, &root, info->request->repo, base,
                           info->uri.path, info->request->pool));
    if (!node && !info->node)
        return NULL;
    if (node && info->node && fs_node_relation(node, info->node) == FS_SAME)
        return NULL;
    return FS_ERROR(FS_ERR_CONFLICT,
                    "'%s' was just changed in revision "
                    "%" FS_REV_FMT,
                    info->uri.path, base);
}

dav_error *repo_autoversion_begin(fs_txn_t **txn, const dav_resource *resource)
{
    repo_request_t *request = resource->info->request;
    const char *path = resource->info->uri.path;
    apr_hash_t *tokens;
    dav_error *failed = repo_txn_tokens(&tokens, request);
    fs_error_t *err;

    if (failed)
        return failed;
    err = fs_path_check(path);
    if (!err)
        err = repo_txn_begin(txn, request, make_props(path, request->pool),
                             request->pool);
    if (err)
        return convert(resource, err);
    fs_txn_set_user(*txn, request->r->user, tokens);
    if (is_conditional(request->r))
        err = check_unchanged(*txn, resource);
    return err ? repo_autoversion_fail(*txn, resource, err) : NULL;
}

dav_error *repo_autoversion_fail(fs_txn_t *txn, const dav_resource *resource,
                                 fs_error_t *err)
{
    repo_request_t *request = resource->info->request;

    repo_txn_abort(txn, request, request->pool);
    return convert(resource, err);
}

dav_error *repo_autoversion_commit(fs_txn_t *txn, const dav_resource *resource)
{
    repo_request_t *request = resource->info->request;
    request_rec *r = request->r;
    fs_hook_commit_t done = { FS_INVALID_REV, NULL, NULL };
    fs_hook_config_t hooks;
    apr_hash_t *tokens;
    dav_error *failed = repo_txn_tokens(&tokens, request);
    fs_error_t *err;

    if (failed)
        return failed; /* it was not so when the transaction began */
    repo_txn_hooks(&hooks, request);
    err = fs_hook_commit(&done, txn, &hooks, tokens, request->pool);
    if (err)
        return repo_autoversion_fail(txn, resource, err);
    if (done.post_error)
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "%s %s: %s", r->method,
                      r->uri, done.post_error);
    request->youngest = done.rev;
    repo_request_action(request, "commit r%" FS_REV_FMT, done.rev);
    return NULL;
}

/* The end of a commit of one step: `err` is what became of the step. */
static dav_error *finish(fs_txn_t *txn, const dav_resource *resource,
                         fs_error_t *err)
{
    return err ? repo_autoversion_fail(txn, resource, err)
               : repo_autoversion_commit(txn, resource);
}

/* ---- the status of a LOCK that made a file ---- */

/* mod_dav says 200 when all is done. */
static apr_status_t say_created(ap_filter_t *f, apr_bucket_brigade *brigade)
{
    if (f->r->status == HTTP_OK) {
        f->r->status = HTTP_CREATED;
        f->r->status_line = NULL;
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, brigade);
}

void repo_autoversion_register(void)
{
    ap_register_output_filter("REPO_CREATED", say_created, NULL,
                              AP_FTYPE_RESOURCE);
}

/* ---- whole commits ---- */

dav_error *repo_autoversion_make_file(const dav_resource *resource)
{
    const repo_request_t *request = resource->info->request;
    fs_txn_t *txn;
    dav_error *failed = repo_autoversion_begin(&txn, resource);

    if (!failed)
        failed = finish(
            txn, resource,
            fs_txn_make_file(txn, resource->info->uri.path, request->pool));
    if (!failed)
        ap_add_output_filter("REPO_CREATED", NULL, request->r,
                             request->r->connection);
    return failed;
}

dav_error *repo_autoversion_make_dir(const dav_resource *resource)
{
    fs_txn_t *txn;
    dav_error *failed = repo_autoversion_begin(&txn, resource);

    if (failed)
        return failed;
    return finish(
        txn, resource,
        fs_txn_make_dir(txn, resource->info->uri.path, resource->pool));
}

dav_error *repo_autoversion_delete(const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    fs_txn_t *txn;
    dav_error *failed = repo_autoversion_begin(&txn, resource);

    if (!failed)
        failed =
            finish(txn, resource,
                   fs_txn_delete(txn, info->uri.path, info->request->pool));
    if (!failed)
        repo_lock_release_all(info->request, info->uri.path);
    return failed;
}

/* A directory without what is in it, in place of what is there. */
static fs_error_t *copy_shallow(fs_txn_t *txn, const fs_node_t *source,
                                const char *path, apr_pool_t *scratch)
{
    apr_array_header_t *changes;
    apr_hash_t *props;
    fs_root_t *root;
    const fs_node_t *there;

    FS_TRY(fs_txn_root(&root, txn, scratch));
    FS_TRY(fs_node_find(&there, root, path, scratch));
    if (there)
        FS_TRY(fs_txn_delete(txn, path, scratch));
    FS_TRY(fs_txn_make_dir(txn, path, scratch));
    FS_TRY(fs_node_props(&props, source, scratch));
    changes = fs_prop_diff(NULL, props, scratch);
    if (changes->nelts == 0)
        return NULL;
    return fs_txn_change_node_props(txn, path,
                                    (const fs_prop_change_t *)changes->elts,
                                    changes->nelts, scratch);
}

static fs_error_t *copy_step(fs_txn_t *txn, const dav_resource *source,
                             const char *path, bool shallow, bool move,
                             apr_pool_t *scratch)
{
    const dav_resource_private *from = source->info;

    if (move)
        FS_TRY(check_unchanged(txn, source));
    if (shallow && source->collection)
        return copy_shallow(txn, from->node, path, scratch);
    FS_TRY(fs_txn_copy(txn, from->rev, from->uri.path, path, scratch));
    return move ? fs_txn_delete(txn, from->uri.path, scratch) : NULL;
}

/* Both ends must lie in one repository, and what is moved must be there to be
 * deleted. */
static dav_error *check_ends(const dav_resource *source,
                             const dav_resource *target, bool move)
{
    const repo_request_t *from = source->info->request;
    const repo_request_t *to = target->info->request;

    if (strcmp(from->root, to->root) != 0)
        return repo_error_new(to->pool, HTTP_BAD_GATEWAY, REPO_ERR_DAV_REQUEST,
                              "the destination is in another repository");
    if (move && !repo_autoversion_applies(source))
        return repo_error_new(to->pool, HTTP_CONFLICT, REPO_ERR_DAV_REQUEST,
                              "what is in an old revision cannot be moved");
    return NULL;
}

dav_error *repo_autoversion_copy(const dav_resource *source,
                                 const dav_resource *target, bool shallow,
                                 bool move)
{
    repo_request_t *request = source->info->request;
    fs_txn_t *txn = NULL;
    dav_error *failed = check_ends(source, target, move);

    if (!failed)
        failed = repo_autoversion_begin(&txn, target);
    if (!failed)
        failed = finish(txn, target,
                        copy_step(txn, source, target->info->uri.path, shallow,
                                  move, request->pool));
    if (!failed && move)
        repo_lock_release_all(request, source->info->uri.path);
    return failed;
}

/* ---- PUT ---- */

struct repo_autoversion_put_t {
    const dav_resource *resource;
    fs_txn_t *txn;
    fs_txn_text_t *text;
};

/* Open the text of a file that is made if there is none. */
static fs_error_t *open_text(repo_autoversion_put_t *put, apr_pool_t *result)
{
    const char *path = put->resource->info->uri.path;
    fs_txn_text_form_t form = { false, NULL, NULL };
    fs_root_t *root;
    const fs_node_t *there;

    FS_TRY(fs_txn_root(&root, put->txn, result));
    FS_TRY(fs_node_find(&there, root, path, result));
    if (!there)
        FS_TRY(fs_txn_make_file(put->txn, path, result));
    return fs_txn_text_open(&put->text, put->txn, path, &form, result);
}

dav_error *repo_autoversion_open(repo_autoversion_put_t **out,
                                 const dav_resource *resource)
{
    apr_pool_t *pool = resource->info->request->pool;
    repo_autoversion_put_t *put = apr_pcalloc(pool, sizeof(*put));
    dav_error *failed = repo_autoversion_begin(&put->txn, resource);
    fs_error_t *err;

    if (failed)
        return failed;
    put->resource = resource;
    err = open_text(put, pool);
    if (err)
        return repo_autoversion_fail(put->txn, resource, err);
    *out = put;
    return NULL;
}

dav_error *repo_autoversion_write(repo_autoversion_put_t *put, const char *data,
                                  apr_size_t len)
{
    fs_error_t *err = fs_txn_text_write(put->text, data, len);

    return err ? convert(put->resource, err) : NULL;
}

/* Give the file a type, unless it has one. */
static fs_error_t *set_type(repo_autoversion_put_t *put, apr_pool_t *scratch)
{
    const char *path = put->resource->info->uri.path;
    fs_prop_change_t change = { MIME_TYPE, NULL };
    const fs_bytes_t *present;
    const fs_node_t *file;
    fs_root_t *root;
    const char *type =
        repo_headers_guess_type(put->resource->info->request->r, path, scratch);

    if (!type)
        return NULL;
    FS_TRY(fs_txn_root(&root, put->txn, scratch));
    FS_TRY(fs_node_need(&file, root, path, scratch));
    FS_TRY(fs_node_prop(&present, file, MIME_TYPE, scratch));
    if (present)
        return NULL;
    change.value = bytes_of(type, scratch);
    return fs_txn_change_node_props(put->txn, path, &change, 1, scratch);
}

dav_error *repo_autoversion_close(repo_autoversion_put_t *put, bool commit)
{
    repo_request_t *request = put->resource->info->request;
    unsigned char md5[FS_MD5_SIZE];
    fs_error_t *err;

    if (!commit) {
        fs_txn_text_abort(put->text);
        repo_txn_abort(put->txn, request, request->pool);
        return NULL;
    }
    err = fs_txn_text_close(md5, put->text);
    if (!err)
        err = set_type(put, request->pool);
    return finish(put->txn, put->resource, err);
}
