/* SPDX-License-Identifier: Apache-2.0 */
/* What mod_dav knows us by: the tables of hooks, and the refusal of writes. */

#include "mod_repo/dav/provider.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>
#include <httpd.h>

#include "mod_repo/dav/autoversion.h"
#include "mod_repo/dav/copymove.h"
#include "mod_repo/dav/deadprop.h"
#include "mod_repo/dav/deliver.h"
#include "mod_repo/dav/destination.h"
#include "mod_repo/dav/liveprop.h"
#include "mod_repo/dav/lock.h"
#include "mod_repo/dav/merge.h"
#include "mod_repo/dav/proppatch.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/dav/stream.h"
#include "mod_repo/dav/version.h"
#include "mod_repo/dav/walk.h"
#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"

/* ---- whose work a write is ---- */

/*
 * A write to a transaction is a step of a commit that MERGE ends; one to a
 * public URL is a commit of its own, if autoversioning is on. All else is
 * committed for ever.
 */
static dav_error *refuse(const dav_resource *resource)
{
    return repo_error_new(resource->pool, HTTP_CONFLICT, REPO_ERR_DAV_REQUEST,
                          "only what is in a transaction can be written to");
}

struct dav_stream {
    repo_stream_t *working;      /* either this */
    repo_autoversion_put_t *put; /* or this */
    request_rec *r;
    apr_int64_t limit; /* of bytes, by LimitRequestBody; 0: none */
    apr_int64_t received;
};

static dav_error *too_long(const dav_stream *stream)
{
    return repo_error_new(
        stream->r->pool, HTTP_REQUEST_ENTITY_TOO_LARGE, FS_ERR_TOO_LARGE,
        apr_psprintf(stream->r->pool,
                     "the body is longer than "
                     "%" APR_INT64_T_FMT " bytes, see LimitRequestBody",
                     stream->limit));
}

/* Is it said at once that the body will be too long? */
static dav_error *check_length(dav_stream *stream, request_rec *r)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    stream->r = r;
    stream->limit = repo_guard_own_limit(r);
    if (!length || stream->limit == 0 || apr_atoi64(length) <= stream->limit)
        return NULL;
    repo_guard_leave_body(r);
    return too_long(stream);
}

static dav_error *open_stream(const dav_resource *resource,
                              dav_stream_mode mode, dav_stream **stream)
{
    dav_error *failed;

    if (mode == DAV_MODE_WRITE_SEEKABLE)
        return repo_error_new(resource->pool, HTTP_NOT_IMPLEMENTED,
                              REPO_ERR_UNSUPPORTED,
                              "a part of a file cannot be put");
    *stream = apr_pcalloc(resource->pool, sizeof(**stream));
    failed = check_length(*stream, resource->info->request->r);
    if (failed)
        return failed;
    if (repo_working_has_tree(resource))
        return repo_stream_open(&(*stream)->working, resource);
    if (repo_autoversion_applies(resource))
        return repo_autoversion_open(&(*stream)->put, resource);
    return refuse(resource);
}

static dav_error *close_stream(dav_stream *stream, int commit)
{
    return stream->working ? repo_stream_close(stream->working, commit != 0)
                           : repo_autoversion_close(stream->put, commit != 0);
}

static dav_error *write_stream(dav_stream *stream, const void *buf,
                               apr_size_t bufsize)
{
    stream->received += (apr_int64_t)bufsize;
    if (stream->limit > 0 && stream->received > stream->limit) {
        repo_guard_end_body(stream->r);
        return too_long(stream);
    }
    return stream->working ? repo_stream_write(stream->working, buf, bufsize)
                           : repo_autoversion_write(stream->put, buf, bufsize);
}

static dav_error *create_collection(dav_resource *resource)
{
    if (repo_working_has_tree(resource))
        return repo_copymove_make_dir(resource);
    return repo_autoversion_applies(resource)
               ? repo_autoversion_make_dir(resource)
               : refuse(resource);
}

static dav_error *copy_resource(const dav_resource *src, dav_resource *dst,
                                int depth, dav_response **response)
{
    (void)response;
    if (repo_working_has_tree(dst))
        return repo_copymove_copy(src, dst);
    return repo_autoversion_applies(dst)
               ? repo_autoversion_copy(src, dst, depth == 0, false)
               : refuse(dst);
}

static dav_error *move_resource(dav_resource *src, dav_resource *dst,
                                dav_response **response)
{
    (void)response;
    return repo_autoversion_applies(dst)
               ? repo_autoversion_copy(src, dst, false, true)
               : refuse(dst);
}

/* Before it copies or moves mod_dav removes what is at the destination. That
 * is left to the copy, which replaces it in one step. */
static dav_error *remove_resource(dav_resource *resource,
                                  dav_response **response)
{
    const request_rec *r = resource->info->request->r;

    (void)response;
    if (r->method_number != M_DELETE)
        return NULL;
    if (repo_working_is_kind(resource->info->uri.kind))
        return repo_copymove_delete(resource);
    return repo_autoversion_applies(resource)
               ? repo_autoversion_delete(resource)
               : refuse(resource);
}

/* mod_dav does the work once it is clear where to. */
static int settle_destination(request_rec *r)
{
    dav_error *err = repo_destination_settle(r);

    return err ? repo_error_send_dav(r, err) : DECLINED;
}

/* A part of a text cannot be put (RFC 9110, section 14.5). */
static int refuse_part(request_rec *r)
{
    if (!apr_table_get(r->headers_in, "Content-Range"))
        return DECLINED;
    repo_guard_leave_body(r);
    return repo_error_send_dav(
        r, repo_error_new(r->pool, HTTP_BAD_REQUEST, REPO_ERR_DAV_REQUEST,
                          "a PUT with Content-Range is not possible, only one "
                          "of a whole text"));
}

int repo_provider_handler(request_rec *r)
{
    switch (r->method_number) {
    case M_PUT:
        return refuse_part(r);
    case M_COPY:
    case M_MOVE:
        return settle_destination(r);
    case M_PROPPATCH:
        return repo_proppatch_handler(r);
    case M_MERGE:
        return repo_merge_handler(r);
    default:
        return DECLINED;
    }
}

/* ---- the tables ---- */

const dav_hooks_repository repo_provider_repository = {
    1, /* handle_get */
    repo_resource_get,
    repo_resource_parent,
    repo_resource_is_same,
    repo_resource_is_parent,
    open_stream,
    close_stream,
    write_stream,
    NULL, /* seek_stream: no partial PUT */
    repo_deliver_headers,
    repo_deliver,
    create_collection,
    copy_resource,
    move_resource,
    remove_resource,
    repo_walk,
    repo_deliver_etag,
    NULL,
    repo_resource_request,
    NULL, /* get_pathname: nothing is on disk by its name */
};

static const dav_provider provider = {
    &repo_provider_repository,
    &repo_deadprop_hooks,
    &repo_lock_hooks,
    &repo_version_hooks,
    NULL,
    NULL,
    NULL,
};

void repo_provider_register(apr_pool_t *pconf)
{
    repo_request_provider = &provider;
    dav_register_provider(pconf, "repo", &provider);
    if (!dav_lookup_provider("svn"))
        dav_register_provider(pconf, "svn", &provider);
    repo_liveprop_register(pconf);
    repo_autoversion_register();
}
