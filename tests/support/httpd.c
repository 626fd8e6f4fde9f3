/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for httpd. */

#include "tests/support/httpd.h"

#include <stdlib.h>
#include <string.h>

#include <apr_buckets.h>
#include <apr_strings.h>

#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mod_dav.h>

static const struct ap_logconf quiet = { NULL, APLOG_WARNING };

httpd_request_t *httpd_request(apr_pool_t *pool)
{
    httpd_request_t *request = apr_pcalloc(pool, sizeof(*request));

    request->core.limit_xml_body = request->core.limit_req_body = -1;
    request->settings[0] = &request->core;
    request->r.per_dir_config = (ap_conf_vector_t *)request->settings;
    request->r.pool = pool;
    request->r.log = &quiet;
    request->r.connection = &request->c;
    request->r.headers_in = apr_table_make(pool, 4);
    request->r.headers_out = apr_table_make(pool, 4);
    request->r.subprocess_env = apr_table_make(pool, 4);
    request->r.output_filters = &request->filter;
    request->r.input_filters = &request->filter;
    request->r.status = HTTP_OK;
    request->c.pool = pool;
    request->c.bucket_alloc = apr_bucket_alloc_create(pool);
    request->filter.c = &request->c;
    request->filter.r = &request->r;
    request->filter.ctx = request;
    request->sent = apr_pcalloc(pool, 1);
    return request;
}

static void collect(httpd_request_t *request, apr_bucket *bucket)
{
    const char *data;
    apr_size_t len;
    char *more;

    if (APR_BUCKET_IS_EOS(bucket))
        request->ended = true;
    else if (APR_BUCKET_IS_FLUSH(bucket))
        request->flushes++;
    else if (APR_BUCKET_IS_METADATA(bucket))
        request->broken = true;
    else if (apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ) ==
             APR_SUCCESS) {
        more = apr_palloc(request->r.pool, request->sent_len + len + 1);
        memcpy(more, request->sent, request->sent_len);
        memcpy(more + request->sent_len, data, len);
        request->sent = more;
        request->sent_len += len;
        request->sent[request->sent_len] = '\0';
    }
}

AP_DECLARE(apr_status_t)
ap_pass_brigade(ap_filter_t *filter, apr_bucket_brigade *brigade)
{
    httpd_request_t *request = filter->ctx;
    apr_bucket *bucket;

    if (request->fail != APR_SUCCESS)
        return request->fail;
    for (bucket = APR_BRIGADE_FIRST(brigade);
         bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket))
        collect(request, bucket);
    return APR_SUCCESS;
}

/* The next piece of the body, or its end. */
static apr_status_t read_body(httpd_request_t *request,
                              apr_bucket_brigade *brigade, apr_off_t readbytes)
{
    apr_bucket_alloc_t *alloc = request->c.bucket_alloc;
    apr_size_t len = request->body_len;

    if (!request->body)
        return APR_EGENERAL;
    if (len > (apr_size_t)readbytes)
        len = (apr_size_t)readbytes;
    if (request->piece && len > request->piece)
        len = request->piece;
    if (len > 0)
        APR_BRIGADE_INSERT_TAIL(
            brigade, apr_bucket_immortal_create(request->body, len, alloc));
    request->body += len;
    request->body_len -= len;
    if (request->body_len == 0)
        APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(alloc));
    return APR_SUCCESS;
}

AP_DECLARE(apr_status_t)
ap_get_brigade(ap_filter_t *filter, apr_bucket_brigade *brigade,
               ap_input_mode_t mode, apr_read_type_e block, apr_off_t readbytes)
{
    if (filter->frec)
        return filter->frec->filter_func.in_func(filter, brigade, mode, block,
                                                 readbytes);
    return read_body(filter->ctx, brigade, readbytes);
}

/* The filters that a test registers. */
static ap_filter_rec_t registered[4];

AP_DECLARE(ap_filter_rec_t *)
ap_register_input_filter(const char *name, ap_in_filter_func filter_func,
                         ap_init_filter_func filter_init, ap_filter_type ftype)
{
    ap_filter_rec_t *record = registered;

    while (record->name && strcmp(record->name, name) != 0)
        record++;
    record->name = name;
    record->filter_func.in_func = filter_func;
    record->filter_init_func = filter_init;
    record->ftype = ftype;
    return record;
}

AP_DECLARE(ap_filter_t *)
ap_add_input_filter(const char *name, void *ctx, request_rec *r, conn_rec *c)
{
    ap_filter_t *filter = apr_pcalloc(r->pool, sizeof(*filter));
    ap_filter_rec_t *record = registered;

    while (strcmp(record->name, name) != 0)
        record++;
    filter->frec = record;
    filter->ctx = ctx;
    filter->next = r->input_filters;
    filter->r = r;
    filter->c = c;
    r->input_filters = filter;
    return filter;
}

AP_CORE_DECLARE(ap_conf_vector_t *) ap_create_per_dir_config(apr_pool_t *p)
{
    return apr_pcalloc(p, 1);
}

AP_CORE_DECLARE(ap_conf_vector_t *)
ap_merge_per_dir_configs(apr_pool_t *p, ap_conf_vector_t *base,
                         ap_conf_vector_t *new_conf)
{
    (void)p;
    (void)new_conf;
    return base;
}

AP_DECLARE(char *)
ap_construct_url(apr_pool_t *p, const char *uri, request_rec *r)
{
    (void)r;
    return apr_pstrcat(p, "http://localhost", uri, NULL);
}

AP_DECLARE(void) ap_set_content_type(request_rec *r, const char *ct)
{
    r->content_type = ct;
}

/* Any metadata bucket will do: the collector takes it for an error. */
static apr_status_t no_data(apr_bucket *bucket, const char **data,
                            apr_size_t *len, apr_read_type_e block)
{
    (void)bucket;
    (void)block;
    *data = NULL;
    *len = 0;
    return APR_SUCCESS;
}

static const apr_bucket_type_t error_bucket = {
    "ERROR",
    5,
    APR_BUCKET_METADATA,
    apr_bucket_destroy_noop,
    no_data,
    apr_bucket_setaside_noop,
    apr_bucket_split_notimpl,
    apr_bucket_simple_copy,
};

AP_DECLARE(apr_bucket *)
ap_bucket_error_create(int error, const char *buf, apr_pool_t *pool,
                       apr_bucket_alloc_t *list)
{
    apr_bucket *bucket = apr_bucket_alloc(sizeof(*bucket), list);

    (void)error;
    (void)buf;
    (void)pool;
    APR_BUCKET_INIT(bucket);
    bucket->free = apr_bucket_free;
    bucket->list = list;
    bucket->type = &error_bucket;
    bucket->length = 0;
    bucket->start = 0;
    bucket->data = NULL;
    return bucket;
}

AP_DECLARE(int) ap_unescape_urlencoded(char *query)
{
    (void)query;
    return OK;
}

AP_DECLARE(int) ap_request_has_body(request_rec *r)
{
    return apr_table_get(r->headers_in, "Content-Length") != NULL ||
           apr_table_get(r->headers_in, "Transfer-Encoding") != NULL;
}

AP_DECLARE(int) ap_run_type_checker(request_rec *r)
{
    (void)r;
    return DECLINED;
}

AP_DECLARE(void)
ap_log_rerror_(const char *file, int line, int module_index, int level,
               apr_status_t status, const request_rec *r, const char *fmt, ...)
{
    (void)file;
    (void)line;
    (void)module_index;
    (void)level;
    (void)status;
    (void)r;
    (void)fmt;
}

AP_DECLARE(char *) ap_server_root_relative(apr_pool_t *p, const char *name)
{
    return apr_pstrdup(p, name);
}

module *ap_top_module;

dav_error *dav_new_error_tag(apr_pool_t *p, int status, int error_id,
                             apr_status_t aprerr, const char *desc,
                             const char *namespace, const char *tagname)
{
    dav_error *err = apr_pcalloc(p, sizeof(*err));

    err->status = status;
    err->error_id = error_id;
    err->aprerr = aprerr;
    err->desc = desc;
    err->namespace = namespace;
    err->tagname = tagname;
    return err;
}

dav_error *dav_new_error(apr_pool_t *p, int status, int error_id,
                         apr_status_t aprerr, const char *desc)
{
    return dav_new_error_tag(p, status, error_id, aprerr, desc, NULL, NULL);
}

int dav_handle_err(request_rec *r, dav_error *err, dav_response *response)
{
    (void)r;
    (void)response;
    return err->status;
}

const char *httpd_hook_owner;

/* What every list of hooks looks like: one entry, or none. */
static apr_array_header_t *hooks(void)
{
    static ap_LINK_fixups_t entry;
    static apr_array_header_t list;

    entry.szName = httpd_hook_owner;
    list.elts = (char *)&entry;
    list.elt_size = sizeof(entry);
    list.nelts = httpd_hook_owner ? 1 : 0;
    return &list;
}

#define HOOK_LIST(name)                                                        \
    AP_DECLARE(apr_array_header_t *) ap_hook_get_##name(void)                  \
    {                                                                          \
        return hooks();                                                        \
    }

HOOK_LIST(access_checker)
HOOK_LIST(access_checker_ex)
HOOK_LIST(auth_checker)
HOOK_LIST(check_user_id)
HOOK_LIST(translate_name)
HOOK_LIST(map_to_storage)
HOOK_LIST(type_checker)
HOOK_LIST(fixups)
