/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REPORT method: the body streams into the report that its root element
 * names, then that report streams the answer out.
 */

#include <string.h>

#include <apr_strings.h>
#include <http_protocol.h>

#include "mod_repo/http/error.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/report.h"

/* A body on its way to its report. */
typedef struct dispatch_t {
    repo_request_t *request;
    repo_limits_t limits;
    const repo_report_t *report; /* NULL until the root element */
    void *baton;
} dispatch_t;

static const repo_report_t *find_report(const repo_body_elem_t *root)
{
    const repo_report_t *const *report;

    for (report = repo_reports; *report; report++)
        if (repo_body_is(root, REPO_NS_SVN, (*report)->root))
            return *report;
    return NULL;
}

static fs_error_t *start(void *baton, const repo_body_elem_t *elem)
{
    dispatch_t *dispatch = baton;

    if (elem->depth > 0)
        return dispatch->report->start
                   ? dispatch->report->start(dispatch->baton, elem)
                   : NULL;
    dispatch->report = find_report(elem);
    if (!dispatch->report)
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "the report '%s' of the namespace '%s' is not known "
                        "here",
                        elem->name, elem->ns);
    if (dispatch->report->begin)
        return dispatch->report->begin(&dispatch->baton, dispatch->request,
                                       &dispatch->limits, elem);
    dispatch->baton =
        repo_fields_begin(dispatch->report->size, dispatch->report->fields,
                          dispatch->request, &dispatch->limits);
    return NULL;
}

static fs_error_t *end(void *baton, const repo_body_elem_t *elem,
                       const char *text, apr_size_t len)
{
    dispatch_t *dispatch = baton;

    if (elem->depth == 0)
        return NULL;
    return dispatch->report->end
               ? dispatch->report->end(dispatch->baton, elem, text, len)
               : repo_fields_end(dispatch->baton, elem, text, len);
}

static void set_body_limits(repo_body_limits_t *out,
                            const repo_limits_t *limits)
{
    out->bytes = limits->report_body;
    out->depth = limits->xml_depth;
    out->attributes = limits->xml_attributes;
    out->namespaces = limits->xml_namespaces;
    out->text = limits->xml_text;
    out->bytes_directive = REPO_LIMIT_NAME(report_body);
    out->text_directive = REPO_LIMIT_NAME(xml_text);
}

static fs_error_t *read_body(dispatch_t *dispatch, apr_pool_t *scratch)
{
    repo_body_handler_t handler = { start, end, dispatch };
    repo_body_limits_t limits;

    set_body_limits(&limits, &dispatch->limits);
    return repo_body_read(dispatch->request->r, &limits, &handler, scratch);
}

/* Reports on a node that is not there are answered as any request on it. */
static fs_error_t *find_target(bool *exists, repo_request_t *request,
                               apr_pool_t *scratch)
{
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;

    *exists = true;
    if (!repo_uri_is_tree(request->uri.kind))
        return NULL;
    FS_TRY(repo_request_rev(&rev, request));
    FS_TRY(fs_root_open(&root, request->repo, rev, scratch));
    FS_TRY(fs_node_find(&node, root, request->uri.path, scratch));
    *exists = node != NULL;
    return NULL;
}

/* Once bytes left, an error can only break the answer off. */
static int answer(dispatch_t *dispatch, apr_pool_t *scratch)
{
    request_rec *r = dispatch->request->r;
    repo_output_t *out;
    fs_error_t *err;

    ap_set_content_type(r, REPO_XML_TYPE);
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

int repo_report_handler(request_rec *r)
{
    dispatch_t dispatch = { 0 };
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
    err = read_body(&dispatch, scratch);
    if (err)
        return repo_error_send(r, err,
                               dispatch.report ? dispatch.report->fallback : 0);
    err = find_target(&exists, dispatch.request, scratch);
    if (err)
        return repo_error_send(r, err, 0);
    if (!exists)
        return HTTP_NOT_FOUND;
    return answer(&dispatch, scratch);
}
