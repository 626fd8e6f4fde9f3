/* SPDX-License-Identifier: Apache-2.0 */
/* The POST method: reading its body, and the transactions that it begins. */

#include "mod_repo/post/post.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>
#include <util_filter.h>

#include "mod_repo/http/body.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/skel.h"
#include "mod_repo/request/activity.h"
#include "mod_repo/request/txn.h"

#define SKEL_TYPE "application/vnd.svn-skel"

/** Bytes that are asked for at once. */
#define READ_SIZE 32768

/** Not a property list: another number than other malformed skels. */
#define ERR_PROPERTY_LIST 160027

/* ---- the body ---- */

typedef struct buffer_t {
    char *data;
    apr_size_t len, size;
    apr_size_t limit;
    apr_pool_t *pool;
} buffer_t;

static fs_error_t *append(buffer_t *buffer, const char *data, apr_size_t len)
{
    if (len > buffer->limit - buffer->len)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "the body is longer than %" APR_SIZE_T_FMT
                        " bytes, see %s",
                        buffer->limit, REPO_LIMIT_NAME(post_body));
    if (len > buffer->size - buffer->len) {
        char *larger;

        buffer->size = 2 * (buffer->len + len);
        larger = apr_palloc(buffer->pool, buffer->size);
        if (buffer->len > 0)
            memcpy(larger, buffer->data, buffer->len);
        buffer->data = larger;
    }
    if (len > 0)
        memcpy(buffer->data + buffer->len, data, len);
    buffer->len += len;
    return NULL;
}

static fs_error_t *append_brigade(buffer_t *buffer, bool *ended,
                                  apr_bucket_brigade *brigade)
{
    apr_bucket *bucket;

    for (bucket = APR_BRIGADE_FIRST(brigade);
         bucket != APR_BRIGADE_SENTINEL(brigade) && !*ended;
         bucket = APR_BUCKET_NEXT(bucket)) {
        const char *data;
        apr_size_t len;
        apr_status_t status;

        *ended = APR_BUCKET_IS_EOS(bucket);
        if (APR_BUCKET_IS_METADATA(bucket))
            continue;
        status = apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ);
        if (status)
            return repo_body_read_error(status);
        FS_TRY(append(buffer, data, len));
    }
    return NULL;
}

static fs_error_t *read_body(buffer_t *buffer, request_rec *r)
{
    apr_bucket_brigade *brigade =
        apr_brigade_create(r->pool, r->connection->bucket_alloc);
    bool ended = false;
    fs_error_t *err = NULL;

    while (!ended && !err) {
        apr_status_t status =
            ap_get_brigade(r->input_filters, brigade, AP_MODE_READBYTES,
                           APR_BLOCK_READ, READ_SIZE);

        err = status ? repo_body_read_error(status)
                     : append_brigade(buffer, &ended, brigade);
        apr_brigade_cleanup(brigade);
    }
    apr_brigade_destroy(brigade);
    return err;
}

/* ---- create-txn ---- */

static dav_error *malformed(request_rec *r, const char *text)
{
    return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_STREAM_MALFORMED,
                          text);
}

/* (name value name value ...) */
static dav_error *read_props(apr_hash_t **props, request_rec *r,
                             const repo_skel_t *list)
{
    int i;

    if (!list || !list->is_list)
        return malformed(r, "create-txn-with-props has no list of properties");
    if (list->members->nelts % 2 != 0)
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, ERR_PROPERTY_LIST,
                              "the list of properties has a name without a "
                              "value");
    *props = apr_hash_make(r->pool);
    for (i = 0; i < list->members->nelts; i += 2) {
        const repo_skel_t *name = repo_skel_member(list, i);
        const repo_skel_t *value = repo_skel_member(list, i + 1);

        if (name->is_list || value->is_list)
            return malformed(r, "a property has a list in place of its name or "
                                "value");
        if (memchr(name->atom.data, '\0', name->atom.len))
            return malformed(r, "a property's name has a NUL byte");
        apr_hash_set(*props,
                     apr_pstrmemdup(r->pool, name->atom.data, name->atom.len),
                     APR_HASH_KEY_STRING, &value->atom);
    }
    return NULL;
}

/* Tell the client its transaction, by the name that it chose if it did. */
static fs_error_t *name_txn(fs_txn_t *txn, repo_request_t *request)
{
    request_rec *r = request->r;
    const char *alias = apr_table_get(r->headers_in, "SVN-VTxn-Name");

    if (alias && *alias) {
        FS_TRY(
            repo_activity_put(request, alias, fs_txn_name(txn), request->pool));
        apr_table_setn(r->headers_out, "SVN-VTxn-Name", alias);
    } else {
        apr_table_setn(r->headers_out, "SVN-Txn-Name",
                       apr_pstrdup(r->pool, fs_txn_name(txn)));
    }
    return NULL;
}

static dav_error *create_txn(repo_request_t *request, apr_hash_t *props)
{
    request_rec *r = request->r;
    fs_txn_t *txn;
    fs_error_t *err = repo_txn_begin(&txn, request, props, request->pool);

    if (err)
        return repo_txn_error(request, err);
    err = name_txn(txn, request);
    if (err) {
        repo_txn_abort(txn, request, request->pool);
        return repo_txn_error(request, err);
    }
    fs_txn_close(txn);
    r->status = HTTP_CREATED;
    ap_set_content_length(r, 0);
    return NULL;
}

static dav_error *carry_out(repo_request_t *request, const buffer_t *body)
{
    request_rec *r = request->r;
    const repo_skel_t *skel, *verb;
    apr_hash_t *props = NULL;
    dav_error *failed = NULL;
    fs_error_t *err =
        repo_skel_parse(&skel, body->data, body->len, request->pool);

    if (err)
        return repo_error_convert(r, err, HTTP_BAD_REQUEST);
    verb = repo_skel_member(skel, 0);
    if (repo_skel_is(verb, "create-txn-with-props"))
        failed = read_props(&props, r, repo_skel_member(skel, 1));
    else if (!repo_skel_is(verb, "create-txn"))
        failed = malformed(r, "the body is neither create-txn nor "
                              "create-txn-with-props");
    return failed ? failed : create_txn(request, props);
}

/* Is it a request that we know at all? */
static dav_error *check_request(repo_request_t **out, request_rec *r)
{
    const char *type = apr_table_get(r->headers_in, "Content-Type");
    dav_error *failed = repo_request_open(out, r);
    const repo_request_t *request = *out;

    if (failed)
        return failed;
    if (request->is_list)
        return repo_request_list_is_fixed(r);
    if (request->uri.kind != REPO_URI_ME || !type ||
        strcmp(type, SKEL_TYPE) != 0)
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, REPO_ERR_DAV_REQUEST,
                              "only a body of type " SKEL_TYPE
                              " can be posted, to the URL me");
    return NULL;
}

static dav_error *post(request_rec *r)
{
    repo_request_t *request;
    repo_limits_t limits;
    buffer_t body = { 0 };
    dav_error *failed = check_request(&request, r);
    fs_error_t *err;

    if (failed) {
        repo_guard_leave_body(r);
        return failed;
    }
    repo_config_limits(&limits, request->config);
    body.limit = (apr_size_t)limits.post_body;
    body.pool = request->pool;
    err = read_body(&body, r);
    if (err)
        return repo_error_convert(r, err, 0);
    return carry_out(request, &body);
}

int repo_post_handler(request_rec *r)
{
    dav_error *failed;

    if (r->method_number != M_POST)
        return DECLINED;
    failed = post(r);
    return failed ? repo_error_send_dav(r, failed) : OK;
}
