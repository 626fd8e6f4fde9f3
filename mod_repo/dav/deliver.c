/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET and HEAD. Ranges are served here, by seeking, and not by httpd's filter,
 * which would have to see the whole text in one piece.
 */

#include "mod_repo/dav/deliver.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include <http_protocol.h>
#include <http_request.h>
#include <util_filter.h>

#include "libfs/fs_time.h"
#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/headers.h"
#include "mod_repo/http/output.h"
#include "mod_repo/http/range.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/web/index.h"
#include "mod_repo/web/keywords.h"

#define SVNDIFF_TYPE "application/vnd.svn-svndiff"

/* What an answer to GET will be; found by set_headers, used by deliver. */
typedef struct plan_t {
    const fs_node_t *base;      /* of a delta; NULL: the text itself */
    apr_array_header_t *ranges; /* of repo_range_t; NULL: all of it */
    const char *boundary;       /* between several ranges */
    const char *type;           /* of the text */
    const char *keywords;       /* to expand, or NULL */
} plan_t;

static const char plan_key[] = "mod_repo:plan";

/* ---- types and tags ---- */

/* Fit for a header: printable, and with a slash. */
static bool is_sane_type(const fs_bytes_t *type)
{
    apr_size_t i;

    for (i = 0; i < type->len; i++)
        if (type->data[i] < ' ' || type->data[i] >= 0x7f)
            return false;
    return memchr(type->data, '/', type->len) != NULL;
}

fs_error_t *repo_deliver_type(const char **type, const dav_resource *resource,
                              apr_pool_t *result)
{
    const dav_resource_private *info = resource->info;
    const char *guess = NULL;
    const fs_bytes_t *value;

    if (resource->collection) {
        *type = info->request->config->index_xslt ? "text/xml"
                                                  : "text/html; charset=UTF-8";
        return NULL;
    }
    FS_TRY(fs_node_prop(&value, info->node, "svn:mime-type", result));
    if (value && is_sane_type(value)) {
        *type = apr_pstrmemdup(result, value->data, value->len);
        return NULL;
    }
    if (!info->request->is_svn)
        guess = repo_headers_guess_type(info->request->r,
                                        fs_node_path(info->node), result);
    *type = guess ? guess : "text/plain";
    return NULL;
}

/* Bytes that no header may have, as in a URL. */
static const char *header_path(const char *path, apr_pool_t *result)
{
    apr_size_t len = strlen(path);
    char *copy = apr_palloc(result, len * 3 + 1), *to = copy;

    for (; *path; path++) {
        unsigned char byte = (unsigned char)*path;

        if (apr_iscntrl(byte) && byte < 0x80)
            to += apr_snprintf(to, 4, "%%%02X", byte);
        else
            *to++ = *path;
    }
    *to = '\0';
    return copy;
}

const char *repo_deliver_etag(const dav_resource *resource)
{
    const fs_node_t *node = resource->info->node;
    const char *path;

    if (!node || resource->info->txn)
        return ""; /* what still changes has no tag */
    path = header_path(fs_node_path(node), resource->pool);
    return apr_psprintf(
        resource->pool, "%s\"%" FS_REV_FMT "/%s\"",
        resource->collection ? "W/" : "", fs_node_created_rev(node),
        repo_xml_escape(path, strlen(path), true, resource->pool));
}

/* ---- deltas ---- */

/* The node that X-SVN-VR-Base names. `*base` is NULL if it does not count. */
static dav_error *find_base(const fs_node_t **base, repo_request_t *request,
                            const repo_uri_t *uri)
{
    request_rec *r = request->r;
    fs_root_t *root;
    bool allowed;
    fs_error_t *err = repo_access_may_read(&allowed, request->access, uri->rev,
                                           uri->path, r->pool);

    if (!err && allowed)
        err = fs_node_find_in(base, &root, request->repo, uri->rev, uri->path,
                              r->pool);
    if (err)
        return repo_error_convert(r, err, 0);
    if (!*base || fs_node_kind(*base) != FS_NODE_FILE)
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_NOT_FILE,
                              "the base of the delta is not a file");
    return NULL;
}

static dav_error *plan_delta(plan_t *plan, repo_request_t *request)
{
    request_rec *r = request->r;
    const char *header = apr_table_get(r->headers_in, "X-SVN-VR-Base");
    const char *path;
    repo_uri_t uri;
    apr_size_t len = strlen(request->root);

    if (!header)
        return NULL;
    path = repo_uri_decode(header, r->pool);
    if (!path || strncmp(path, request->root, len) != 0 || path[len] != '/' ||
        !repo_uri_parse(&uri, path + len, request->special, r->pool) ||
        (uri.kind != REPO_URI_VER && uri.kind != REPO_URI_RVR))
        return NULL; /* a full text is always right */
    return find_base(&plan->base, request, &uri);
}

/* ---- headers ---- */

static void set_modified(request_rec *r, const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    const fs_bytes_t *date;
    apr_time_t when;
    fs_error_t *err;

    if (info->uri.kind != REPO_URI_PUBLIC)
        return;
    err = fs_repo_revprop(&date, info->request->repo,
                          fs_node_created_rev(info->node), "svn:date", r->pool,
                          r->pool);
    if (!err && date)
        err = fs_time_parse(&when, date->data, date->len);
    if (!err && date) {
        ap_update_mtime(r, when);
        ap_set_last_modified(r);
    }
    fs_error_clear(err); /* a damaged date is no reason to refuse the text */
}

static void set_cache_control(request_rec *r, const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    bool is_fixed = !info->txn && (info->uri.kind != REPO_URI_PUBLIC ||
                                   FS_IS_REV(info->pinned));
    const char *value = "max-age=0";

    /* A stored answer is given without a check: to the next user of a browser,
     * or to one whose access was withdrawn. */
    if (repo_request_is_restricted(info->request))
        value = "private, no-cache";
    else if (is_fixed && !resource->collection)
        value = "max-age=604800";
    apr_table_setn(r->headers_out, "Cache-Control", value);
}

/* What a conditional request is compared with. A directory shows each user
 * something else where paths are checked, but is the same one. */
static void set_validators(request_rec *r, const dav_resource *resource)
{
    if (resource->info->txn)
        return;
    if (resource->collection &&
        repo_request_reader(resource->info->request)->may_read)
        return;
    apr_table_setn(r->headers_out, "ETag", repo_deliver_etag(resource));
    set_modified(r, resource);
}

/* Does If-Range, if there is one, still hold? */
static bool range_condition_holds(request_rec *r)
{
    return !apr_table_get(r->headers_in, "If-Range") ||
           ap_condition_if_range(r, r->headers_out) == AP_CONDITION_STRONG;
}

static apr_off_t multipart_length(const plan_t *plan, apr_uint64_t size);

/* Set the status and the headers of a partial answer. */
/* Ranges are those of the text as it is. Filters that encode see that of a
 * single one, but not of several; and what they would have told caches about
 * the whole text is true of its parts. */
static void keep_as_it_is(request_rec *r)
{
    const ap_filter_t *filter;

    apr_table_setn(r->subprocess_env, "no-gzip", "1");
    apr_table_setn(r->subprocess_env, "no-brotli", "1");
    for (filter = r->output_filters; filter; filter = filter->next) {
        const char *name = filter->frec->name;

        if (!apr_cstr_casecmp(name, "deflate") ||
            !apr_cstr_casecmp(name, "brotli_compress")) {
            apr_table_mergen(r->headers_out, "Vary", "Accept-Encoding");
            return;
        }
    }
}

static dav_error *plan_ranges(plan_t *plan, request_rec *r, apr_uint64_t size)
{
    const char *value = apr_table_get(r->headers_in, "Range");
    apr_array_header_t *ranges;
    const repo_range_t *first;

    if (!value || !range_condition_holds(r))
        return NULL;
    switch (repo_range_parse(&ranges, value, size, r->pool)) {
    case REPO_RANGE_IGNORE:
        return NULL;
    case REPO_RANGE_UNSATISFIABLE:
        apr_table_setn(
            r->err_headers_out, "Content-Range",
            apr_psprintf(r->pool, "bytes */%" APR_UINT64_T_FMT, size));
        return dav_new_error(r->pool, HTTP_RANGE_NOT_SATISFIABLE, 0, 0,
                             "the range lies behind the end of the file");
    case REPO_RANGE_PARTIAL:
        break;
    }
    plan->ranges = ranges;
    keep_as_it_is(r);
    r->status = HTTP_PARTIAL_CONTENT;
    if (ranges->nelts > 1) {
        plan->boundary =
            apr_psprintf(r->pool, "repo%" APR_UINT64_T_HEX_FMT "%lx",
                         (apr_uint64_t)r->request_time, r->connection->id);
        ap_set_content_type(r, apr_pstrcat(r->pool,
                                           "multipart/byteranges; boundary=",
                                           plan->boundary, NULL));
        ap_set_content_length(r, multipart_length(plan, size));
        return NULL;
    }
    first = &APR_ARRAY_IDX(ranges, 0, repo_range_t);
    apr_table_setn(r->headers_out, "Content-Range",
                   apr_psprintf(r->pool,
                                "bytes %" APR_UINT64_T_FMT "-%" APR_UINT64_T_FMT
                                "/%" APR_UINT64_T_FMT,
                                first->start, first->start + first->len - 1,
                                size));
    ap_set_content_length(r, (apr_off_t)first->len);
    return NULL;
}

/* A text whose keywords are wanted and that has any to expand. */
static fs_error_t *plan_keywords(plan_t *plan, const dav_resource *resource)
{
    request_rec *r = resource->info->request->r;
    const char *wanted = repo_headers_query(r, "kw", r->pool);
    const fs_bytes_t *value;

    if (!wanted || strcmp(wanted, "1") != 0)
        return NULL;
    FS_TRY(fs_node_prop(&value, resource->info->node, "svn:keywords", r->pool));
    if (value)
        plan->keywords = apr_pstrmemdup(r->pool, value->data, value->len);
    return NULL;
}

/* The tag is that of the text: a cache must not take the two for the same. */
static void delta_headers(request_rec *r)
{
    apr_table_setn(r->headers_out, "X-SVN-VR-Base",
                   apr_table_get(r->headers_in, "X-SVN-VR-Base"));
    apr_table_mergen(r->headers_out, "Vary", "X-SVN-VR-Base, Accept-Encoding");
    apr_table_unset(r->headers_out, "ETag");
    ap_set_content_type(r, SVNDIFF_TYPE);
    apr_table_unset(r->headers_in, "Range");
}

static dav_error *file_headers(request_rec *r, const dav_resource *resource,
                               plan_t *plan)
{
    const dav_resource_private *info = resource->info;
    apr_uint64_t size = fs_node_size(info->node);
    dav_error *failed;
    fs_error_t *err;

    apr_table_setn(r->headers_out, "Accept-Ranges", "none");
    if (plan->base) {
        delta_headers(r);
        return NULL;
    }
    err = repo_deliver_type(&plan->type, resource, r->pool);
    if (!err)
        err = plan_keywords(plan, resource);
    if (err)
        return repo_error_convert(r, err, 0);
    ap_set_content_type(r, plan->type);
    if (plan->keywords) {
        apr_table_unset(r->headers_in, "Range");
        return NULL;
    }
    apr_table_setn(r->headers_out, "Accept-Ranges", "bytes");
    ap_set_content_length(r, (apr_off_t)size);
    failed = plan_ranges(plan, r, size);
    /* httpd's own filter must not cut what is whole or cut already. */
    apr_table_unset(r->headers_in, "Range");
    return failed;
}

/* mod_dav would end the request with 304, past the filters. One of them may
 * be a cache that asked for its own sake and has the text for the client. */
static void heed_conditions(request_rec *r)
{
    if (ap_meets_conditions(r) == HTTP_NOT_MODIFIED) {
        apr_table_unset(r->headers_out, "Content-Length");
        apr_table_unset(r->headers_out, "Content-Range");
        r->clength = 0;
        r->status = HTTP_NOT_MODIFIED;
    }
}

/* Of a resource with a node. */
static dav_error *node_headers(request_rec *r, const dav_resource *resource,
                               plan_t *plan)
{
    dav_error *failed = NULL;

    if (!resource->collection)
        failed = plan_delta(plan, resource->info->request);
    if (failed)
        return failed;
    set_validators(r, resource);
    set_cache_control(r, resource);
    if (!resource->collection)
        return file_headers(r, resource, plan);
    apr_table_unset(r->headers_in, "Range"); /* not of listings */
    ap_set_content_type(r, resource->info->request->config->index_xslt
                               ? "text/xml"
                               : "text/html; charset=UTF-8");
    return NULL;
}

dav_error *repo_deliver_headers(request_rec *r, const dav_resource *resource)
{
    dav_error *failed;
    plan_t *plan = apr_pcalloc(r->pool, sizeof(*plan));

    if (!resource->exists)
        return NULL;
    if (resource->info->is_listing) {
        set_cache_control(r, resource);
        ap_set_content_type(r, "text/html; charset=UTF-8");
        return NULL;
    }
    failed = repo_working_show(resource);
    if (failed)
        return failed;
    if (!repo_resource_has_node(resource))
        return dav_new_error(r->pool, HTTP_CONFLICT, 0, 0,
                             "this kind of resource has no content to get");
    apr_pool_userdata_setn(plan, plan_key, NULL, r->pool);
    failed = node_headers(r, resource, plan);
    repo_working_hide(resource);
    if (!failed)
        heed_conditions(r);
    return failed;
}

/* ---- the body ---- */

static const char *part_header(const plan_t *plan, const repo_range_t *range,
                               apr_uint64_t size, apr_pool_t *result)
{
    return apr_psprintf(result,
                        "\r\n--%s\r\nContent-type: %s\r\n"
                        "Content-range: bytes %" APR_UINT64_T_FMT
                        "-%" APR_UINT64_T_FMT "/%" APR_UINT64_T_FMT "\r\n\r\n",
                        plan->boundary, plan->type, range->start,
                        range->start + range->len - 1, size);
}

static const char *last_boundary(const plan_t *plan, apr_pool_t *result)
{
    return apr_pstrcat(result, "\r\n--", plan->boundary, "--\r\n", NULL);
}

static apr_off_t multipart_length(const plan_t *plan, apr_uint64_t size)
{
    apr_pool_t *pool = plan->ranges->pool;
    apr_off_t length = (apr_off_t)strlen(last_boundary(plan, pool));
    int i;

    for (i = 0; i < plan->ranges->nelts; i++) {
        const repo_range_t *range =
            &APR_ARRAY_IDX(plan->ranges, i, repo_range_t);

        length += (apr_off_t)strlen(part_header(plan, range, size, pool));
        length += (apr_off_t)range->len;
    }
    return length;
}

static fs_error_t *write_range(repo_output_t *out, const fs_node_t *node,
                               const repo_range_t *range, apr_pool_t *scratch)
{
    fs_stream_t *text;

    FS_TRY(fs_node_open(&text, node, range->start, scratch));
    return repo_output_stream(out, text, range->len);
}

static fs_error_t *write_ranges(repo_output_t *out, const plan_t *plan,
                                const fs_node_t *node, apr_pool_t *scratch)
{
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, scratch);
    for (i = 0; i < plan->ranges->nelts; i++) {
        const repo_range_t *range =
            &APR_ARRAY_IDX(plan->ranges, i, repo_range_t);

        apr_pool_clear(iter);
        if (plan->boundary)
            repo_output_puts(
                out, part_header(plan, range, fs_node_size(node), iter));
        FS_TRY(write_range(out, node, range, iter));
    }
    if (plan->boundary)
        repo_output_puts(out, last_boundary(plan, scratch));
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *write_file(repo_output_t *out, const plan_t *plan,
                              const dav_resource *resource, apr_pool_t *scratch)
{
    const dav_resource_private *info = resource->info;
    fs_stream_t *text;

    if (plan->ranges)
        return write_ranges(out, plan, info->node, scratch);
    if (plan->base)
        FS_TRY(fs_node_svndiff(&text, plan->base, info->node,
                               repo_request_svndiff_version(info->request),
                               repo_request_compression(info->request),
                               scratch));
    else
        FS_TRY(fs_node_open(&text, info->node, 0, scratch));
    if (plan->keywords)
        FS_TRY(repo_keywords_expand(&text, text, plan->keywords, info->node,
                                    info->request, scratch));
    return repo_output_stream(out, text, APR_UINT64_MAX);
}

static fs_error_t *write_body(repo_output_t *out, const dav_resource *resource,
                              apr_pool_t *scratch)
{
    const dav_resource_private *info = resource->info;
    void *plan;

    if (info->request->r->status == HTTP_NOT_MODIFIED)
        return NULL;
    if (info->is_listing)
        return repo_index_list(out, info->request, scratch);
    if (resource->collection)
        return repo_index_write(out, info->request, info->node, info->pinned,
                                scratch);
    apr_pool_userdata_get(&plan, plan_key, info->request->r->pool);
    return write_file(out, plan, resource, scratch);
}

/* Take back what was said of a text that is not sent after all. */
static void forget_headers(request_rec *r)
{
    static const char *const names[] = { "Accept-Ranges",  "Cache-Control",
                                         "Content-Length", "Content-Range",
                                         "ETag",           "Last-Modified",
                                         "X-SVN-VR-Base",  NULL };
    int i;

    for (i = 0; names[i]; i++)
        apr_table_unset(r->headers_out, names[i]);
    r->clength = 0;
    r->status = HTTP_OK;
}

dav_error *repo_deliver(const dav_resource *resource, ap_filter_t *output)
{
    request_rec *r = resource->info->request->r;
    apr_pool_t *scratch;
    repo_output_t *out;
    fs_error_t *err;
    dav_error *failed = repo_working_show(resource);

    if (failed)
        return failed;
    apr_pool_create(&scratch, r->pool);
    out = repo_output_create(r, output, scratch);
    err = write_body(out, resource, scratch);
    repo_working_hide(resource);
    if (!err)
        err = repo_output_finish(out);
    if (!err)
        return NULL;
    if (!repo_output_started(out)) {
        forget_headers(r);
        return repo_error_convert(r, err, 0);
    }
    /* Headers and bytes are gone: the client must see that it is not all. */
    if (fs_error_kind(err->code) != FS_KIND_ABORTED)
        repo_error_log(r, err);
    fs_error_clear(err);
    repo_output_break(out);
    return NULL;
}
