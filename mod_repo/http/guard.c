/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter before XML bodies that mod_dav parses. It looks at what passes
 * and holds nothing back; at the first thing it does not like it answers the
 * request itself and ends the reading.
 */

#include "mod_repo/http/guard.h"

#include <string.h>

#include <apr_strings.h>

#include <http_core.h>
#include <http_protocol.h>

#include "mod_repo/http/error.h"

static const char filter_name[] = "REPO_XML_GUARD";
static const char end_name[] = "REPO_BODY_END";
static const char names_key[] = "mod_repo:propname";
static const char tokens_key[] = "mod_repo:body-tokens";

typedef struct guard_t {
    request_rec *r;
    repo_body_parser_t *parser;
    repo_body_handler_t handler;
    apr_int64_t prop_names; /* most that may be asked for; 0: no limit */
    apr_int64_t named;      /* properties asked for so far */
    apr_hash_t *tokens;     /* of a DELETE */
    bool ended;
} guard_t;

/* ---- what a PROPFIND asks for ---- */

static fs_error_t *on_start(void *baton, const repo_body_elem_t *elem)
{
    guard_t *guard = baton;

    if (guard->r->method_number != M_PROPFIND)
        return NULL;
    if (elem->depth == 1 && strcmp(elem->name, "propname") == 0)
        apr_pool_userdata_setn(guard, names_key, NULL, guard->r->pool);
    if (elem->depth == 2 && guard->prop_names > 0 &&
        ++guard->named > guard->prop_names)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "the request names more than %" APR_INT64_T_FMT
                        " properties, see RepoLimitPropertyNames",
                        guard->prop_names);
    return NULL;
}

bool repo_guard_wants_names(request_rec *r)
{
    void *found = NULL;

    apr_pool_userdata_get(&found, names_key, r->pool);
    return found != NULL;
}

/* ---- the tokens in a DELETE ---- */

static fs_error_t *on_delete_end(void *baton, const repo_body_elem_t *elem,
                                 const char *text, apr_size_t len)
{
    guard_t *guard = baton;

    if (strcmp(elem->name, "lock-token") == 0)
        apr_hash_set(guard->tokens, apr_pstrmemdup(guard->r->pool, text, len),
                     APR_HASH_KEY_STRING, "");
    return NULL;
}

static void collect_tokens(guard_t *guard)
{
    guard->handler.end = on_delete_end;
    guard->tokens = apr_hash_make(guard->r->pool);
    apr_pool_userdata_setn(guard->tokens, tokens_key, NULL, guard->r->pool);
}

apr_hash_t *repo_guard_tokens(request_rec *r)
{
    void *found = NULL;

    apr_pool_userdata_get(&found, tokens_key, r->pool);
    return found;
}

/* ---- the filter ---- */

static fs_error_t *look_at(guard_t *guard, apr_bucket_brigade *brigade)
{
    apr_bucket *bucket;

    for (bucket = APR_BRIGADE_FIRST(brigade);
         bucket != APR_BRIGADE_SENTINEL(brigade) && !guard->ended;
         bucket = APR_BUCKET_NEXT(bucket)) {
        const char *data;
        apr_size_t len;

        if (APR_BUCKET_IS_EOS(bucket)) {
            guard->ended = true;
            if (repo_body_parser_began(guard->parser))
                return repo_body_parser_feed(guard->parser, "", 0, true);
        } else if (!APR_BUCKET_IS_METADATA(bucket)) {
            if (apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ) !=
                APR_SUCCESS)
                return NULL; /* whoever reads on will see the failure */
            if (len > 0)
                FS_TRY(repo_body_parser_feed(guard->parser, data, len, false));
        }
    }
    return NULL;
}

/* Answer now and to the end: what mod_dav returns next must change nothing. */
static void answer(request_rec *r, fs_error_t *err)
{
    apr_bucket_alloc_t *alloc = r->connection->bucket_alloc;
    apr_bucket_brigade *end = apr_brigade_create(r->pool, alloc);
    int status;

    r->connection->keepalive = AP_CONN_CLOSE;
    status = repo_error_send(r, err, 0);
    if (status != DONE && status != OK)
        return; /* left to httpd */
    APR_BRIGADE_INSERT_TAIL(end, apr_bucket_eos_create(alloc));
    (void)ap_pass_brigade(r->output_filters, end);
}

/* A failure of which the client knows, or cannot be told. */
static bool is_answered(const request_rec *r, apr_status_t status)
{
    return status == AP_FILTER_ERROR || APR_STATUS_IS_EAGAIN(status) ||
           r->connection->aborted || repo_body_is_cut(status);
}

static apr_status_t guard_filter(ap_filter_t *f, apr_bucket_brigade *brigade,
                                 ap_input_mode_t mode, apr_read_type_e block,
                                 apr_off_t readbytes)
{
    guard_t *guard = f->ctx;
    apr_status_t status =
        ap_get_brigade(f->next, brigade, mode, block, readbytes);
    fs_error_t *err;

    if (mode != AP_MODE_READBYTES || guard->ended ||
        (status != APR_SUCCESS && is_answered(f->r, status)))
        return status;
    if (f->r->status != HTTP_OK || f->r->eos_sent) {
        guard->ended = true; /* answered: httpd throws the rest away */
        return status;
    }
    err = status == APR_SUCCESS ? look_at(guard, brigade)
                                : repo_body_read_error(status);
    if (!err)
        return APR_SUCCESS;
    guard->ended = true;
    apr_brigade_cleanup(brigade);
    answer(f->r, err);
    return AP_FILTER_ERROR;
}

/* The end of a body of which no more is wanted. */
static apr_status_t end_filter(ap_filter_t *f, apr_bucket_brigade *brigade,
                               ap_input_mode_t mode, apr_read_type_e block,
                               apr_off_t readbytes)
{
    (void)mode;
    (void)block;
    (void)readbytes;
    APR_BRIGADE_INSERT_TAIL(
        brigade, apr_bucket_eos_create(f->r->connection->bucket_alloc));
    return APR_SUCCESS;
}

void repo_guard_register(void)
{
    /* Behind what decodes a body. */
    ap_register_input_filter(filter_name, guard_filter, NULL,
                             (ap_filter_type)(AP_FTYPE_RESOURCE - 1));
    ap_register_input_filter(end_name, end_filter, NULL,
                             (ap_filter_type)(AP_FTYPE_RESOURCE - 2));
}

void repo_guard_insert(request_rec *r, const repo_body_limits_t *limits,
                       apr_int64_t prop_names)
{
    guard_t *guard = apr_pcalloc(r->pool, sizeof(*guard));

    guard->r = r;
    guard->prop_names = prop_names;
    guard->handler = (repo_body_handler_t){ on_start, NULL, guard };
    if (r->method_number == M_DELETE)
        collect_tokens(guard);
    guard->parser = repo_body_parser_create(limits, &guard->handler, r->pool);
    if (guard->parser)
        ap_add_input_filter(filter_name, guard, r, r->connection);
}

/* ---- unread bodies ---- */

/** Longest body that is read to the end though it is refused, in bytes. */
#define REFUSED_BODY_MAX (64 * 1024)

void repo_guard_leave_body(request_rec *r)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");

    if (ap_request_has_body(r) &&
        (!length || apr_atoi64(length) > REFUSED_BODY_MAX))
        r->connection->keepalive = AP_CONN_CLOSE;
}

void repo_guard_end_body(request_rec *r)
{
    r->connection->keepalive = AP_CONN_CLOSE;
    ap_add_input_filter(end_name, NULL, r, r->connection);
}

/* ---- limits of httpd ---- */

/* What the core takes for "not set". */
#define CORE_UNSET (-1)

/* Settings of the core for this request alone. */
static core_dir_config *own_settings(request_rec *r)
{
    core_dir_config *core = apr_pmemdup(
        r->pool, ap_get_core_module_config(r->per_dir_config), sizeof(*core));
    ap_conf_vector_t *empty = ap_create_per_dir_config(r->pool);

    /* Merging with nothing makes a copy of the vector. */
    r->per_dir_config =
        ap_merge_per_dir_configs(r->pool, r->per_dir_config, empty);
    ap_set_core_module_config(r->per_dir_config, core);
    return core;
}

void repo_guard_raise_limits(request_rec *r)
{
    core_dir_config *core = ap_get_core_module_config(r->per_dir_config);

    if (core->limit_xml_body != CORE_UNSET &&
        core->limit_req_body != CORE_UNSET)
        return;
    core = own_settings(r);
    if (core->limit_xml_body == CORE_UNSET)
        core->limit_xml_body = 0;
    if (core->limit_req_body == CORE_UNSET)
        core->limit_req_body = 0;
}

apr_int64_t repo_guard_own_limit(request_rec *r)
{
    core_dir_config *core = ap_get_core_module_config(r->per_dir_config);
    apr_int64_t limit = core->limit_req_body;

    if (limit <= 0)
        return 0;
    core = own_settings(r);
    core->limit_req_body = 0;
    return limit;
}

void repo_guard_take_over(request_rec *r)
{
    core_dir_config *core = ap_get_core_module_config(r->per_dir_config);

    if (core->limit_xml_body == 0 && core->limit_req_body == 0)
        return;
    core = own_settings(r);
    core->limit_xml_body = 0;
    core->limit_req_body = 0;
}
