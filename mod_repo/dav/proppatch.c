/* SPDX-License-Identifier: Apache-2.0 */
/* PROPPATCH: setting properties, and the answer to it. */

#include "mod_repo/dav/proppatch.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>

#include "mod_repo/dav/autoversion.h"
#include "mod_repo/dav/patch_body.h"
#include "mod_repo/dav/patch_public.h"
#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/output.h"
#include "mod_repo/http/readable.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/request/txn.h"

#define PATCH(patches, i) APR_ARRAY_IDX(patches, i, repo_patch_t *)

/* ---- what became of a property ---- */

/* The error of one property: its status and reason in the answer. */
static void blame(repo_patch_t *patch, repo_request_t *request, fs_error_t *err)
{
    patch->status = repo_error_status(err, HTTP_INTERNAL_SERVER_ERROR);
    patch->reason =
        repo_readable(repo_error_message(err, request->pool), request->pool);
    if (fs_error_kind(err->code) == FS_KIND_IO)
        repo_error_log(request->r, err);
    fs_error_clear(err);
}

static bool any_failed(const apr_array_header_t *patches)
{
    int i;

    for (i = 0; i < patches->nelts; i++)
        if (PATCH(patches, i)->status >= 400)
            return true;
    return false;
}

/* Those that nothing is said of yet. */
static void decide_rest(const apr_array_header_t *patches, int status)
{
    int i;

    for (i = 0; i < patches->nelts; i++)
        if (!PATCH(patches, i)->status)
            PATCH(patches, i)->status = status;
}

/* Look for names and values that cannot be, before anything is changed. */
static void check(const apr_array_header_t *patches, repo_request_t *request)
{
    int i;

    for (i = 0; i < patches->nelts; i++) {
        repo_patch_t *patch = PATCH(patches, i);
        fs_prop_change_t change = { patch->own, patch->value };
        fs_error_t *err = patch->status || !patch->own
                              ? NULL
                              : fs_txn_check_prop(&change, request->pool);

        if (err)
            blame(patch, request, err);
    }
}

/* ---- transactions ---- */

static fs_prop_change_t *changes_of(const apr_array_header_t *patches,
                                    apr_pool_t *result)
{
    fs_prop_change_t *changes =
        apr_palloc(result, sizeof(*changes) * (apr_size_t)(patches->nelts + 1));
    int i;

    for (i = 0; i < patches->nelts; i++)
        changes[i] = (fs_prop_change_t){ PATCH(patches, i)->own,
                                         PATCH(patches, i)->value };
    return changes;
}

/* Whose transaction it is, is not the client's to say. */
static void guard_author(const apr_array_header_t *patches)
{
    int i;

    for (i = 0; i < patches->nelts; i++)
        if (strcmp(PATCH(patches, i)->own, "svn:author") == 0) {
            PATCH(patches, i)->status = HTTP_INTERNAL_SERVER_ERROR;
            PATCH(patches, i)->reason =
                "the author of a transaction is the user who began it";
        }
}

static fs_error_t *change_all(fs_txn_t *txn, const dav_resource *resource,
                              const apr_array_header_t *patches)
{
    const repo_request_t *request = resource->info->request;
    const fs_prop_change_t *changes = changes_of(patches, request->pool);

    if (resource->info->uri.path)
        return fs_txn_change_node_props(txn, resource->info->uri.path, changes,
                                        patches->nelts, request->pool);
    return fs_txn_change_props(txn, changes, patches->nelts, request->pool);
}

static dav_error *patch_working(const dav_resource *resource,
                                const apr_array_header_t *patches)
{
    fs_txn_t *txn;
    dav_error *failed;
    fs_error_t *err;

    if (!resource->info->uri.path)
        guard_author(patches);
    if (any_failed(patches))
        return NULL;
    failed = repo_working_open(&txn, resource, resource->pool);
    if (failed)
        return failed;
    err = change_all(txn, resource, patches);
    fs_txn_close(txn);
    return err ? repo_txn_error(resource->info->request, err) : NULL;
}

/* ---- revisions ---- */

static fs_error_t *change_revprop(const dav_resource *resource,
                                  const fs_hook_config_t *hooks,
                                  const repo_patch_t *patch)
{
    repo_request_t *request = resource->info->request;
    fs_hook_revprop_t change = { .rev = resource->info->rev,
                                 .user = request->r->user,
                                 .name = patch->own,
                                 .value = patch->value,
                                 .has_expected = patch->has_old,
                                 .expected = patch->old };
    bool changed = false;

    repo_request_action(request, "change-rev-prop r%" FS_REV_FMT " %s",
                        change.rev, repo_uri_encode(patch->own, request->pool));
    return fs_hook_change_revprop(&changed, request->repo, hooks, &change,
                                  request->pool);
}

/* What was changed before one that is refused stays: its hooks have run. */
static void patch_revision(const dav_resource *resource,
                           const apr_array_header_t *patches)
{
    repo_request_t *request = resource->info->request;
    fs_hook_config_t hooks;
    int i;

    if (any_failed(patches))
        return;
    repo_txn_hooks(&hooks, request);
    for (i = 0; i < patches->nelts; i++) {
        repo_patch_t *patch = PATCH(patches, i);
        fs_error_t *err = change_revprop(resource, &hooks, patch);

        if (err) {
            blame(patch, request, err);
            return;
        }
        patch->status = HTTP_OK;
    }
}

/* ---- the answer ---- */

static int index_of(const apr_array_header_t *spaces, const char *ns)
{
    int i;

    for (i = 0; i < spaces->nelts; i++)
        if (strcmp(APR_ARRAY_IDX(spaces, i, const char *), ns) == 0)
            return i;
    return -1;
}

static apr_array_header_t *namespaces_of(const apr_array_header_t *patches,
                                         apr_pool_t *result)
{
    apr_array_header_t *spaces = apr_array_make(result, 4, sizeof(char *));
    int i;

    APR_ARRAY_PUSH(spaces, const char *) = REPO_NS_DAV;
    for (i = 0; i < patches->nelts; i++)
        if (*PATCH(patches, i)->ns &&
            index_of(spaces, PATCH(patches, i)->ns) < 0)
            APR_ARRAY_PUSH(spaces, const char *) = PATCH(patches, i)->ns;
    return spaces;
}

static void write_name(repo_output_t *out, const apr_array_header_t *spaces,
                       const repo_patch_t *patch)
{
    if (*patch->ns)
        repo_output_printf(out, "<ns%d:%s/>\n", index_of(spaces, patch->ns),
                           patch->name);
    else
        repo_output_printf(out, "<%s/>\n", patch->name);
}

static void write_propstat(repo_output_t *out, const apr_array_header_t *spaces,
                           const repo_patch_t *patch)
{
    repo_output_puts(out, "<D:propstat>\n<D:prop>");
    write_name(out, spaces, patch);
    repo_output_printf(out, "</D:prop>\n<D:status>HTTP/1.1 %d %s</D:status>\n",
                       patch->status,
                       patch->status == HTTP_OK ? "OK" : "(status)");
    if (patch->reason) {
        repo_output_puts(out, "<D:responsedescription>\n");
        repo_xml_text_of(out, patch->reason);
        repo_output_puts(out, "</D:responsedescription>\n");
    }
    repo_output_puts(out, "</D:propstat>\n");
}

/* All that succeeded share one. */
static void write_success(repo_output_t *out, const apr_array_header_t *spaces,
                          const apr_array_header_t *patches)
{
    int i;

    repo_output_puts(out, "<D:propstat>\n<D:prop>\n");
    for (i = 0; i < patches->nelts; i++)
        write_name(out, spaces, PATCH(patches, i));
    repo_output_puts(out, "</D:prop>\n<D:status>HTTP/1.1 200 OK</D:status>\n"
                          "</D:propstat>\n");
}

static void write_answer(repo_output_t *out, const dav_resource *resource,
                         const apr_array_header_t *patches)
{
    repo_request_t *request = resource->info->request;
    apr_array_header_t *spaces = namespaces_of(patches, request->pool);
    int i;

    repo_output_puts(out, REPO_XML_HEADER "<D:multistatus xmlns:D=\"DAV:\"");
    for (i = 0; i < spaces->nelts; i++) {
        repo_output_printf(out, " xmlns:ns%d=\"", i);
        repo_xml_attr_of(out, APR_ARRAY_IDX(spaces, i, const char *));
        repo_output_puts(out, "\"");
    }
    repo_output_puts(out, ">\n<D:response>\n<D:href>");
    repo_xml_text_of(out, repo_uri_encode(resource->uri, request->pool));
    repo_output_puts(out, "</D:href>\n");
    if (any_failed(patches))
        for (i = 0; i < patches->nelts; i++)
            write_propstat(out, spaces, PATCH(patches, i));
    else
        write_success(out, spaces, patches);
    repo_output_puts(out, "</D:response>\n</D:multistatus>\n");
}

static int answer(const dav_resource *resource,
                  const apr_array_header_t *patches)
{
    request_rec *r = resource->info->request->r;
    repo_output_t *out = repo_output_create(r, r->output_filters, r->pool);
    fs_error_t *err;

    r->status = HTTP_MULTI_STATUS;
    ap_set_content_type(r, REPO_XML_TYPE);
    write_answer(out, resource, patches);
    err = repo_output_check(out);
    if (!err)
        err = repo_output_finish(out);
    return err ? repo_error_send(r, err, 0) : OK;
}

/* ---- the handler ---- */

static dav_error *apply(const dav_resource *resource,
                        const apr_array_header_t *patches)
{
    repo_request_t *request = resource->info->request;
    dav_error *failed = NULL;

    check(patches, request);
    if (repo_resource_is_revision(resource))
        patch_revision(resource, patches);
    else
        failed = patch_working(resource, patches);
    if (!failed)
        decide_rest(patches,
                    any_failed(patches) ? HTTP_FAILED_DEPENDENCY : HTTP_OK);
    return failed;
}

static dav_error *check_target(dav_resource *resource, request_rec *r)
{
    if (!resource->exists)
        return dav_new_error(r->pool, HTTP_NOT_FOUND, 0, 0,
                             "there is no such resource");
    if (!repo_resource_is_revision(resource) && !resource->info->txn)
        return repo_error_new(r->pool, HTTP_CONFLICT, REPO_ERR_DAV_REQUEST,
                              "the properties of this resource cannot be "
                              "changed by this URL");
    /* Path locks, and the conditions of the If header. */
    return dav_validate_request(r, resource, 0, NULL, NULL,
                                DAV_VALIDATE_RESOURCE, NULL);
}

int repo_proppatch_handler(request_rec *r)
{
    apr_array_header_t *patches;
    dav_resource *resource;
    dav_error *failed = repo_resource_get(r, NULL, NULL, 0, &resource);
    fs_error_t *err;

    if (!failed && repo_autoversion_applies(resource))
        return repo_patch_public(r);
    if (!failed)
        failed = check_target(resource, r);
    if (failed) {
        repo_guard_leave_body(r);
        return repo_error_send_dav(r, failed);
    }
    err = repo_patch_body_read(&patches, resource->info->request);
    if (err)
        return repo_error_send(r, err, 0);
    failed = apply(resource, patches);
    return failed ? repo_error_send_dav(r, failed) : answer(resource, patches);
}
