/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live properties, in one table: name, and a function that gives the value as
 * XML. A NULL value: the property is not defined for the resource.
 */

#include "mod_repo/dav/liveprop.h"

#include <string.h>

#include <apr_date.h>
#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_time.h"
#include "mod_repo/dav/deliver.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/xml.h"

/* Indexes into namespace_uris. */
enum {
    NS_DAV,
    NS_LIVE
};

static const char *const namespace_uris[] = { REPO_NS_DAV, REPO_NS_LIVE, NULL };

/* Our own ids; the standard ones begin at 20000. */
enum {
    PROP_BASELINE_RELATIVE_PATH = 1,
    PROP_MD5,
    PROP_UUID,
    PROP_DEADPROP_COUNT,
    PROP_SHA1
};

/** What a function knows. */
typedef struct context_t {
    const dav_resource *resource;
    const dav_resource_private *info;
    apr_pool_t *pool; /* of the resource: cleared with it */
} context_t;

typedef fs_error_t *(*value_fn)(const char **value, const context_t *c);

/* ---- what values are made of ---- */

static bool is_file(const context_t *c)
{
    return c->info->node && fs_node_kind(c->info->node) == FS_NODE_FILE;
}

static bool is_regular(const context_t *c)
{
    return c->info->uri.path != NULL && !c->info->is_listing;
}

static const char *escaped(const char *text, const context_t *c)
{
    return repo_xml_escape(text, strlen(text), false, c->pool);
}

static const char *href(const char *url, const context_t *c)
{
    return apr_pstrcat(c->pool, "<D:href>", escaped(url, c), "</D:href>", NULL);
}

static const char *hex(const unsigned char *digest, apr_size_t len,
                       const context_t *c)
{
    static const char digits[] = "0123456789abcdef";
    char *text = apr_palloc(c->pool, 2 * len + 1);
    apr_size_t i;

    for (i = 0; i < len; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * len] = '\0';
    return text;
}

/* Revision whose author and date the resource shows. */
static fs_rev_t shown_rev(const context_t *c)
{
    if (c->info->node)
        return fs_node_created_rev(c->info->node);
    if (repo_resource_is_revision(c->resource))
        return c->info->rev;
    return FS_INVALID_REV;
}

/* The properties of that revision, as far as the user may see them. */
static fs_error_t *read_revprops(apr_hash_t **props, fs_rev_t rev,
                                 const context_t *c)
{
    repo_request_t *request = c->info->request;

    if (c->info->node)
        return fs_repo_revprops(props, request->repo, rev, c->pool, c->pool);
    return fs_rev_visible_props(props, request->repo, rev,
                                repo_request_reader(request), c->pool);
}

/* One of them. They are kept, since dates and author come from the same list,
 * and reading it means a look at the disk. */
static fs_error_t *shown_revprop(const fs_bytes_t **value, const context_t *c,
                                 const char *name)
{
    dav_resource_private *info = c->resource->info;
    fs_rev_t rev = shown_rev(c);

    *value = NULL;
    if (!FS_IS_REV(rev))
        return NULL;
    if (!info->revprops)
        FS_TRY(read_revprops(&info->revprops, rev, c));
    *value = apr_hash_get(info->revprops, name, APR_HASH_KEY_STRING);
    return NULL;
}

/* ---- the properties ---- */

static fs_error_t *content_length(const char **value, const context_t *c)
{
    if (is_file(c))
        *value = apr_psprintf(c->pool, "%" APR_UINT64_T_FMT,
                              fs_node_size(c->info->node));
    return NULL;
}

static fs_error_t *content_type(const char **value, const context_t *c)
{
    const char *type;

    if (!c->info->node)
        return NULL;
    FS_TRY(repo_deliver_type(&type, c->resource, c->pool));
    *value = escaped(type, c);
    return NULL;
}

static fs_error_t *etag(const char **value, const context_t *c)
{
    if (c->resource->type != DAV_RESOURCE_TYPE_PRIVATE &&
        !c->info->is_listing && c->resource->exists)
        *value = escaped(repo_deliver_etag(c->resource), c);
    return NULL;
}

static fs_error_t *creation_date(const char **value, const context_t *c)
{
    const fs_bytes_t *date;

    FS_TRY(shown_revprop(&date, c, "svn:date"));
    if (date && date->len)
        *value = repo_xml_escape(date->data, date->len, false, c->pool);
    return NULL;
}

static fs_error_t *last_modified(const char **value, const context_t *c)
{
    const fs_bytes_t *date;
    apr_time_t when;
    char *text;

    FS_TRY(shown_revprop(&date, c, "svn:date"));
    if (!date)
        return NULL;
    FS_TRY(fs_time_parse(&when, date->data, date->len));
    text = apr_palloc(c->pool, APR_RFC822_DATE_LEN);
    apr_rfc822_date(text, when);
    *value = text;
    return NULL;
}

static fs_error_t *baseline_collection(const char **value, const context_t *c)
{
    if (repo_resource_is_revision(c->resource))
        *value = href(repo_request_url(c->info->request, REPO_URI_BC,
                                       c->info->rev, "/", c->pool),
                      c);
    return NULL;
}

static fs_error_t *checked_in(const char **value, const context_t *c)
{
    repo_request_t *request = c->info->request;
    fs_rev_t rev;

    if (c->info->uri.kind == REPO_URI_ME || c->info->uri.kind == REPO_URI_VCC) {
        FS_TRY(repo_request_youngest(&rev, request));
        *value = href(
            repo_request_url(request, REPO_URI_BLN, rev, NULL, c->pool), c);
    } else if (c->info->node && !c->info->txn &&
               c->info->uri.kind != REPO_URI_VER) {
        FS_TRY(fs_node_last_change(&rev, c->info->node, c->pool));
        *value = href(repo_request_url(request, REPO_URI_VER, rev,
                                       fs_node_path(c->info->node), c->pool),
                      c);
    }
    return NULL;
}

static fs_error_t *configuration(const char **value, const context_t *c)
{
    if (is_regular(c))
        *value = href(
            repo_request_url(c->info->request, REPO_URI_VCC, 0, NULL, c->pool),
            c);
    return NULL;
}

static fs_error_t *version_name(const char **value, const context_t *c)
{
    fs_rev_t rev = shown_rev(c);

    if (FS_IS_REV(rev))
        *value = apr_psprintf(c->pool, "%" FS_REV_FMT, rev);
    return NULL;
}

static fs_error_t *creator(const char **value, const context_t *c)
{
    const fs_bytes_t *author;

    FS_TRY(shown_revprop(&author, c, "svn:author"));
    if (author)
        *value = escaped(repo_xml_strip_controls(author, c->pool), c);
    return NULL;
}

/* As clients of the field know it, not as an element. */
static fs_error_t *auto_version(const char **value, const context_t *c)
{
    if (c->info->node && c->info->uri.kind == REPO_URI_PUBLIC &&
        repo_config_autoversioning(c->info->request->config))
        *value = "DAV:checkout-checkin";
    return NULL;
}

static fs_error_t *relative_path(const char **value, const context_t *c)
{
    if (is_regular(c))
        *value = escaped(c->info->uri.path + 1, c);
    return NULL;
}

static fs_error_t *md5(const char **value, const context_t *c)
{
    unsigned char digest[FS_MD5_SIZE];

    if (!is_file(c))
        return NULL;
    FS_TRY(fs_node_md5(digest, c->info->node, c->pool));
    *value = hex(digest, sizeof(digest), c);
    return NULL;
}

static fs_error_t *sha1(const char **value, const context_t *c)
{
    unsigned char digest[FS_SHA1_SIZE];

    if (!is_file(c))
        return NULL;
    FS_TRY(fs_node_compute_sha1(digest, c->info->node, c->pool));
    *value = hex(digest, sizeof(digest), c);
    return NULL;
}

static fs_error_t *uuid(const char **value, const context_t *c)
{
    if (c->info->request->repo)
        *value = fs_repo_uuid(c->info->request->repo);
    return NULL;
}

static fs_error_t *deadprop_count(const char **value, const context_t *c)
{
    if (c->info->node)
        *value = fs_node_has_props(c->info->node) ? "1" : "0";
    return NULL;
}

/* ---- the table ---- */

/* In the order in which an answer to allprop has them. */
static const dav_liveprop_spec specs[] = {
    { NS_DAV, "getcontentlength", DAV_PROPID_getcontentlength, 0 },
    { NS_DAV, "getcontenttype", DAV_PROPID_getcontenttype, 0 },
    { NS_DAV, "getetag", DAV_PROPID_getetag, 0 },
    { NS_DAV, "creationdate", DAV_PROPID_creationdate, 0 },
    { NS_DAV, "getlastmodified", DAV_PROPID_getlastmodified, 0 },
    { NS_DAV, "baseline-collection", DAV_PROPID_baseline_collection, 0 },
    { NS_DAV, "checked-in", DAV_PROPID_checked_in, 0 },
    { NS_DAV, "version-controlled-configuration",
      DAV_PROPID_version_controlled_configuration, 0 },
    { NS_DAV, "version-name", DAV_PROPID_version_name, 0 },
    { NS_DAV, "creator-displayname", DAV_PROPID_creator_displayname, 0 },
    { NS_DAV, "auto-version", DAV_PROPID_auto_version, 0 },
    { NS_LIVE, "baseline-relative-path", PROP_BASELINE_RELATIVE_PATH, 0 },
    { NS_LIVE, "md5-checksum", PROP_MD5, 0 },
    { NS_LIVE, "repository-uuid", PROP_UUID, 0 },
    { NS_LIVE, "deadprop-count", PROP_DEADPROP_COUNT, 0 },
    { NS_LIVE, "sha1-checksum", PROP_SHA1, 0 },
    { 0, NULL, 0, 0 }
};

/* In the order of specs. */
static const value_fn values[] = {
    content_length,
    content_type,
    etag,
    creation_date,
    last_modified,
    baseline_collection,
    checked_in,
    configuration,
    version_name,
    creator,
    auto_version,
    relative_path,
    md5,
    uuid,
    deadprop_count,
    sha1,
};

/* ---- hooks ---- */

static const dav_liveprop_group group;

static value_fn value_of(int propid)
{
    int i;

    for (i = 0; specs[i].name; i++)
        if (specs[i].propid == propid)
            return values[i];
    return NULL;
}

static void append(const context_t *c, int propid, dav_prop_insert what,
                   const char *value, apr_text_header *phdr)
{
    const dav_liveprop_spec *spec;
    long ns = dav_get_liveprop_info(propid, &group, &spec);
    const char *text;

    if (what == DAV_PROP_INSERT_VALUE && *value)
        text = apr_psprintf(c->pool, "<lp%ld:%s>%s</lp%ld:%s>\n", ns,
                            spec->name, value, ns, spec->name);
    else if (what == DAV_PROP_INSERT_SUPPORTED)
        text = apr_psprintf(c->pool,
                            "<D:supported-live-property D:name=\"%s\" "
                            "D:namespace=\"%s\"/>\n",
                            spec->name, namespace_uris[spec->ns]);
    else
        text = apr_psprintf(c->pool, "<lp%ld:%s/>\n", ns, spec->name);
    apr_text_append(c->pool, phdr, text);
}

static dav_prop_insert insert_prop(const dav_resource *resource, int propid,
                                   dav_prop_insert what, apr_text_header *phdr)
{
    context_t c = { resource, resource->info, resource->pool };
    value_fn find = value_of(propid);
    const char *value = NULL;
    fs_error_t *err;

    /* A missing path that is locked has these two alone. */
    if (!find ||
        (!resource->exists && find != configuration && find != relative_path))
        return DAV_PROP_INSERT_NOTSUPP;
    err = find(&value, &c);
    if (err) {
        repo_error_log(c.info->request->r, err);
        fs_error_clear(err);
        return DAV_PROP_INSERT_NOTDEF;
    }
    if (!value)
        return DAV_PROP_INSERT_NOTSUPP;
    append(&c, propid, what, value, phdr);
    return what;
}

static int is_writable(const dav_resource *resource, int propid)
{
    (void)resource;
    (void)propid;
    return 0;
}

static dav_error *patch_validate(const dav_resource *resource,
                                 const apr_xml_elem *elem, int operation,
                                 void **context, int *defer_to_dead)
{
    (void)elem;
    (void)operation;
    (void)context;
    (void)defer_to_dead;
    return dav_new_error(resource->pool, HTTP_CONFLICT, DAV_ERR_PROP_READONLY,
                         0, "the property is computed by the server");
}

static dav_error *patch_exec(const dav_resource *resource,
                             const apr_xml_elem *elem, int operation,
                             void *context, dav_liveprop_rollback **rollback)
{
    (void)rollback;
    return patch_validate(resource, elem, operation, &context, NULL);
}

static void patch_commit(const dav_resource *resource, int operation,
                         void *context, dav_liveprop_rollback *rollback)
{
    (void)resource;
    (void)operation;
    (void)context;
    (void)rollback;
}

static dav_error *patch_rollback(const dav_resource *resource, int operation,
                                 void *context, dav_liveprop_rollback *rollback)
{
    (void)resource;
    (void)operation;
    (void)context;
    (void)rollback;
    return NULL;
}

static const dav_hooks_liveprop hooks = {
    insert_prop, is_writable,  namespace_uris, patch_validate,
    patch_exec,  patch_commit, patch_rollback, NULL,
};

static const dav_liveprop_group group = { specs, namespace_uris, &hooks };

static int find_liveprop(const dav_resource *resource, const char *ns_uri,
                         const char *name, const dav_hooks_liveprop **found)
{
    if (!repo_resource_is_ours(resource))
        return 0;
    return dav_do_find_liveprop(ns_uri, name, &group, found);
}

static void insert_all(request_rec *r, const dav_resource *resource,
                       dav_prop_insert what, apr_text_header *phdr)
{
    int i;

    (void)r;
    if (!repo_resource_is_ours(resource))
        return;
    for (i = 0; specs[i].name; i++)
        /* The type is among the dead properties, see deadprop.c. */
        if (values[i] != content_type)
            (void)insert_prop(resource, specs[i].propid, what, phdr);
}

static void gather_propsets(apr_array_header_t *uris)
{
    (void)uris; /* none is advertised in the DAV header */
}

void repo_liveprop_register(apr_pool_t *pconf)
{
    dav_register_liveprop_group(pconf, &group);
    dav_hook_find_liveprop(find_liveprop, NULL, NULL, APR_HOOK_MIDDLE);
    dav_hook_insert_all_liveprops(insert_all, NULL, NULL, APR_HOOK_MIDDLE);
    dav_hook_gather_propsets(gather_propsets, NULL, NULL, APR_HOOK_MIDDLE);
}
