/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REPORT method: the body streams into the report that it is for, then
 * that report streams the answer out.
 */

#include <string.h>

#include <apr_strings.h>
#include <http_protocol.h>

#include "mod_repo/http/error.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/dispatch.h"
#include "mod_repo/report/report.h"

/* What depends on headers of the request. Of a report there are no ranges. */
static void set_headers(request_rec *r)
{
    ap_set_content_type(r, REPO_XML_TYPE);
    apr_table_unset(r->headers_in, "Range");
    if (apr_table_get(r->headers_in, "Label"))
        apr_table_mergen(r->headers_out, "Vary", "Label");
}

/* Once bytes left, an error can only break the answer off. */
static int answer(repo_dispatch_t *dispatch, apr_pool_t *scratch)
{
    request_rec *r = dispatch->request->r;
    repo_output_t *out;
    fs_error_t *err;

    set_headers(r);
    out = repo_output_create(r, r->output_filters, r->pool);
    err =
        dispatch->report->run(dispatch->baton, dispatch->request, out, scratch);
    if (!err)
        err = repo_output_check(out);
    if (!err)
        err = repo_output_finish(out);
    if (!err)
        return OK;

    if (repo_output_started(out)) {
        repo_error_log(r, err);
        fs_error_clear(err);
        repo_output_break(out);
        return DONE;
    }
    repo_output_discard(out);
    return repo_error_send(r, err, dispatch->report->fallback);
}

static int refuse(request_rec *r, int status, const char *text)
{
    return repo_error_send_dav(
        r, repo_error_new(r->pool, status, REPO_ERR_DAV_REQUEST, text));
}

/* Status of an error that the body causes, 0: as the error says. */
static int status_of_body(const repo_dispatch_t *dispatch)
{
    repo_uri_kind_t kind = dispatch->request->uri.kind;

    if (!dispatch->report)
        return 0;
    if (dispatch->report->whole && kind != REPO_URI_ME && kind != REPO_URI_VCC)
        return HTTP_CONFLICT;
    return dispatch->report->fallback;
}

int repo_report_handler(request_rec *r)
{
    repo_dispatch_t dispatch = { 0 };
    apr_pool_t *scratch;
    dav_error *refused;
    fs_error_t *err;
    bool exists;

    if (strcmp(r->method, "REPORT") != 0 || !repo_request_is_ours(r) ||
        (r->handler && strcmp(r->handler, "proxy-server") == 0))
        return DECLINED;
    if (r->parsed_uri.fragment)
        return refuse(r, HTTP_BAD_REQUEST,
                      "the URL holds an unescaped '#' and a fragment");
    refused = repo_request_open(&dispatch.request, r);
    if (refused)
        return repo_error_send_dav(r, refused);
    if (dispatch.request->is_list) {
        apr_table_setn(r->headers_out, "Allow", "OPTIONS,GET,HEAD,PROPFIND");
        return refuse(r, HTTP_METHOD_NOT_ALLOWED,
                      "a list of repositories has no reports");
    }

    apr_pool_create(&scratch, r->pool);
    repo_config_limits(&dispatch.limits, dispatch.request->config);
    err = repo_dispatch_find_target(&exists, dispatch.request, scratch);
    if (err)
        return repo_error_send(r, err, 0);
    if (!exists)
        return HTTP_NOT_FOUND;
    err = repo_dispatch_read(&dispatch, scratch);
    if (err)
        return repo_error_send(r, err, status_of_body(&dispatch));
    return answer(&dispatch, scratch);
}
