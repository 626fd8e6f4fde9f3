/* SPDX-License-Identifier: Apache-2.0 */
/* Versioning as mod_dav sees it. */

#include "mod_repo/dav/version.h"

#include <string.h>

#include <apr_strings.h>

#include "mod_repo/dav/checkout.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/xml.h"

#define CAPABILITY(word) "http://subversion.tigris.org/xmlns/dav/svn/" word

static const dav_report_elem no_reports[] = { { NULL, NULL } };
static const dav_report_elem *offered_reports = no_reports;

void repo_version_set_reports(const dav_report_elem *reports)
{
    offered_reports = reports;
}

/* ---- OPTIONS ---- */

/* One DAV header each; in the answer to every OPTIONS. */
static const char *const capabilities[] = {
    "version-control,checkout,working-resource",
    "merge,baseline,activity,version-controlled-collection",
    CAPABILITY("depth"),
    CAPABILITY("log-revprops"),
    CAPABILITY("atomic-revprops"),
    CAPABILITY("partial-replay"),
    CAPABILITY("inherited-props"),
    CAPABILITY("inline-props"),
    CAPABILITY("reverse-file-revs"),
    CAPABILITY("list"),
    CAPABILITY("mergeinfo"),
    NULL
};

/* Those of a repository, in answers to clients that ask for activities. */
static const char *const repository_capabilities[] = {
    CAPABILITY("ephemeral-txnprops"), CAPABILITY("svndiff1"),
    CAPABILITY("svndiff2"), CAPABILITY("put-result-checksum"), NULL
};

/* Where the second version of the protocol finds its resources. */
static const struct {
    const char *header;
    repo_uri_kind_t kind;
} stubs[] = {
    { "SVN-Me-Resource", REPO_URI_ME }, { "SVN-Rev-Root-Stub", REPO_URI_RVR },
    { "SVN-Rev-Stub", REPO_URI_REV },   { "SVN-Txn-Root-Stub", REPO_URI_TXR },
    { "SVN-Txn-Stub", REPO_URI_TXN },   { "SVN-VTxn-Root-Stub", REPO_URI_VTXR },
    { "SVN-VTxn-Stub", REPO_URI_VTXN },
};

static void vsn_options(apr_pool_t *p, apr_text_header *phdr)
{
    int i;

    for (i = 0; capabilities[i]; i++)
        apr_text_append(p, phdr, capabilities[i]);
}

static const char *bulk_word(repo_bulk_t bulk)
{
    return bulk == REPO_BULK_PREFER ? "Prefer"
           : bulk == REPO_BULK_ON   ? "On"
                                    : "Off";
}

static void add_v2_headers(const repo_request_t *request)
{
    apr_table_t *headers = request->r->headers_out;
    apr_size_t i;

    apr_table_addn(headers, "DAV", CAPABILITY("replay-rev-resource"));
    apr_table_addn(headers, "SVN-Repository-Root",
                   repo_uri_encode(request->root, request->pool));
    for (i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++)
        apr_table_addn(headers, stubs[i].header,
                       repo_request_url(request, stubs[i].kind, FS_INVALID_REV,
                                        NULL, request->pool));
    apr_table_addn(headers, "SVN-Allow-Bulk-Updates",
                   bulk_word(repo_config_bulk(request->config)));
    apr_table_addn(headers, "SVN-Supported-Posts", "create-txn");
    apr_table_addn(headers, "SVN-Supported-Posts", "create-txn-with-props");
}

static void add_headers(const repo_request_t *request, fs_rev_t youngest)
{
    apr_table_t *headers = request->r->headers_out;
    int i;

    apr_table_addn(headers, "SVN-Youngest-Rev",
                   apr_psprintf(request->pool, "%" FS_REV_FMT, youngest));
    apr_table_addn(headers, "SVN-Repository-UUID", fs_repo_uuid(request->repo));
    apr_table_addn(headers, "SVN-Repository-MergeInfo",
                   fs_repo_has_mergeinfo(request->repo) ? "yes" : "no");
    if (repo_config_v2(request->config))
        add_v2_headers(request);
    for (i = 0; repository_capabilities[i]; i++)
        apr_table_addn(headers, "DAV", repository_capabilities[i]);
}

static dav_error *get_option(const dav_resource *resource,
                             const apr_xml_elem *elem, apr_text_header *option)
{
    repo_request_t *request = resource->info->request;
    const char *url;
    fs_rev_t youngest;
    fs_error_t *err;

    if (elem->ns != APR_XML_NS_DAV_ID ||
        strcmp(elem->name, "activity-collection-set") != 0 || !request->repo)
        return NULL;
    err = repo_request_youngest(&youngest, request);
    if (err)
        return repo_error_convert(request->r, err, 0);
    url = repo_request_url(request, REPO_URI_ACT, FS_INVALID_REV, NULL,
                           request->pool);
    apr_text_append(resource->pool, option, "<D:activity-collection-set>");
    apr_text_append(
        resource->pool, option,
        apr_pstrcat(resource->pool, "<D:href>",
                    repo_xml_escape(url, strlen(url), false, resource->pool),
                    "/</D:href>", NULL));
    apr_text_append(resource->pool, option, "</D:activity-collection-set>");
    add_headers(request, youngest);
    return NULL;
}

/* ---- reports ---- */

static dav_error *avail_reports(const dav_resource *resource,
                                const dav_report_elem **reports)
{
    *reports = resource->info->is_listing ? no_reports : offered_reports;
    return NULL;
}

static int label_allowed(const apr_xml_doc *doc)
{
    (void)doc;
    return 0;
}

/* Our own handler answers REPORT before mod_dav does. */
static dav_error *deliver_report(request_rec *r, const dav_resource *resource,
                                 const apr_xml_doc *doc, ap_filter_t *output)
{
    (void)resource;
    (void)doc;
    (void)output;
    return repo_error_new(r->pool, HTTP_NOT_IMPLEMENTED, REPO_ERR_UNSUPPORTED,
                          "the requested report is unknown");
}

/* ---- writing ---- */

static dav_error *not_offered(const dav_resource *resource)
{
    return repo_error_new(resource->pool, HTTP_NOT_IMPLEMENTED,
                          REPO_ERR_UNSUPPORTED,
                          "this step of versioning is not offered");
}

static int versionable(const dav_resource *resource)
{
    (void)resource;
    return 0;
}

static dav_auto_version auto_versionable(const dav_resource *resource)
{
    (void)resource;
    return DAV_AUTO_VERSION_NEVER;
}

static dav_error *vsn_control(dav_resource *resource, const char *target)
{
    (void)target;
    if (resource->exists)
        return NULL; /* everything here is under version control */
    return not_offered(resource);
}

static dav_error *uncheckout(dav_resource *resource)
{
    return not_offered(resource);
}

static dav_error *checkin(dav_resource *resource, int keep_checked_out,
                          dav_resource **version_resource)
{
    (void)keep_checked_out;
    (void)version_resource;
    return not_offered(resource);
}

static int can_be_activity(const dav_resource *resource)
{
    return resource->type == DAV_RESOURCE_TYPE_ACTIVITY && !resource->exists;
}

/* Our own handler answers MERGE before mod_dav does. */
static dav_error *merge(dav_resource *target, dav_resource *source,
                        int no_auto_merge, int no_checkout,
                        apr_xml_elem *prop_elem, ap_filter_t *output)
{
    (void)source;
    (void)no_auto_merge;
    (void)no_checkout;
    (void)prop_elem;
    (void)output;
    return not_offered(target);
}

const dav_hooks_vsn repo_version_hooks = {
    vsn_options,
    get_option,
    versionable,
    auto_versionable,
    vsn_control,
    repo_checkout,
    uncheckout,
    checkin,
    avail_reports,
    label_allowed,
    deliver_report,
    NULL, /* update */
    NULL, /* add_label */
    NULL, /* remove_label */
    NULL, /* can_be_workspace */
    NULL, /* make_workspace */
    can_be_activity,
    repo_checkout_make_activity,
    merge,
    NULL,
};
