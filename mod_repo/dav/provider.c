/* SPDX-License-Identifier: Apache-2.0 */
/* What mod_dav knows us by: the tables of hooks, and the refusal of writes. */

#include "mod_repo/dav/provider.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>
#include <httpd.h>

#include "mod_repo/dav/deadprop.h"
#include "mod_repo/dav/deliver.h"
#include "mod_repo/dav/liveprop.h"
#include "mod_repo/dav/lock.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/dav/version.h"
#include "mod_repo/dav/walk.h"
#include "mod_repo/http/error.h"

/* ---- writes are refused ---- */

static dav_error *refuse(const dav_resource *resource)
{
    return repo_error_read_only(resource->pool, HTTP_FORBIDDEN);
}

static dav_error *open_stream(const dav_resource *resource,
                              dav_stream_mode mode, dav_stream **stream)
{
    (void)mode;
    (void)stream;
    return refuse(resource);
}

static dav_error *close_stream(dav_stream *stream, int commit)
{
    (void)stream;
    (void)commit;
    return NULL; /* none was opened */
}

static dav_error *write_stream(dav_stream *stream, const void *buf,
                               apr_size_t bufsize)
{
    (void)stream;
    (void)buf;
    (void)bufsize;
    return NULL; /* none was opened */
}

static dav_error *create_collection(dav_resource *resource)
{
    return refuse(resource);
}

static dav_error *copy_resource(const dav_resource *src, dav_resource *dst,
                                int depth, dav_response **response)
{
    (void)src;
    (void)depth;
    (void)response;
    return refuse(dst);
}

static dav_error *move_resource(dav_resource *src, dav_resource *dst,
                                dav_response **response)
{
    (void)src;
    (void)response;
    return refuse(dst);
}

static dav_error *remove_resource(dav_resource *resource,
                                  dav_response **response)
{
    (void)response;
    return refuse(resource);
}

/** Longest body that is read to the end though it is refused, in bytes. */
#define REFUSED_BODY_MAX (64 * 1024)

/* httpd reads what is left of a body before it sends an error, unless the
 * connection ends. Do not wait for what may be long, or never come. */
static void leave_body(request_rec *r)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    if (ap_request_has_body(r) &&
        (!length || apr_atoi64(length) > REFUSED_BODY_MAX))
        r->connection->keepalive = AP_CONN_CLOSE;
}

int repo_provider_handler(request_rec *r)
{
    repo_request_t *request;
    dav_error *err;

    if (r->method_number != M_PROPPATCH && r->method_number != M_POST)
        return DECLINED;
    err = repo_request_open(&request, r);
    if (!err)
        err = request->is_list ? repo_resource_list_is_fixed(r)
                               : repo_error_read_only(r->pool, HTTP_FORBIDDEN);
    leave_body(r);
    return repo_error_send_dav(r, err);
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
}
