/* SPDX-License-Identifier: Apache-2.0 */
/* A body on its way to the report that its root element names. */

#include "mod_repo/report/dispatch.h"

#include "mod_repo/http/guard.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/request/xml_limits.h"

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
    repo_dispatch_t *dispatch = baton;

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
    repo_dispatch_t *dispatch = baton;

    if (elem->depth == 0)
        return NULL;
    return dispatch->report->end
               ? dispatch->report->end(dispatch->baton, elem, text, len)
               : repo_fields_end(dispatch->baton, elem, text, len);
}

fs_error_t *repo_dispatch_read(repo_dispatch_t *dispatch, apr_pool_t *scratch)
{
    repo_body_handler_t handler = { start, end, dispatch };
    repo_body_limits_t limits;

    repo_xml_limits_report(&limits, dispatch->request->r, &dispatch->limits);
    repo_guard_take_over(dispatch->request->r);
    return repo_body_read(dispatch->request->r, &limits, &handler, scratch);
}

fs_error_t *repo_dispatch_find_target(bool *exists, repo_request_t *request,
                                      apr_pool_t *scratch)
{
    repo_uri_kind_t kind = request->uri.kind;
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;

    *exists = kind == REPO_URI_ME || kind == REPO_URI_VCC;
    if (*exists || !(repo_uri_is_tree(kind) || kind == REPO_URI_REV ||
                     kind == REPO_URI_BLN))
        return NULL; /* of transactions there is none */
    FS_TRY(repo_request_rev(&rev, request));
    FS_TRY(fs_root_open(&root, request->repo, rev, scratch));
    *exists = true;
    if (!repo_uri_is_tree(kind))
        return NULL;
    FS_TRY(fs_node_find(&node, root, request->uri.path, scratch));
    *exists = node != NULL;
    return NULL;
}
