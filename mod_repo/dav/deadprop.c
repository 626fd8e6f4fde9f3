/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of nodes and revisions as mod_dav's dead properties.
 *
 * Two properties of no repository are told as well: after the dead ones
 * mod_dav makes a subrequest for each resource to find DAV:getcontenttype and
 * DAV:getcontentlanguage, unless they were among the dead ones. We know the
 * type better, and there is no language.
 */

#include "mod_repo/dav/deadprop.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "mod_repo/dav/deliver.h"
#include "mod_repo/dav/propname.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/readable.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/http/xml_fragment.h"

struct dav_db {
    const dav_resource *resource;
    apr_pool_t *pool;
    apr_hash_t *props;         /* loaded when first asked for */
    apr_array_header_t *names; /* of const char *, sorted; while listing */
    int next;                  /* index into names, then what follows it */
};

/* Steps of the listing behind the names. */
enum {
    STEP_TYPE,
    STEP_LANGUAGE,
    STEP_END
};

/* Our own handler changes properties; mod_dav never comes to it. */
static dav_error *refuse(const dav_db *db)
{
    return repo_error_new(db->pool, HTTP_NOT_IMPLEMENTED, REPO_ERR_UNSUPPORTED,
                          "properties are changed by PROPPATCH alone");
}

static dav_error *open_props(apr_pool_t *p, const dav_resource *resource,
                             int ro, dav_db **out)
{
    dav_db *db = apr_pcalloc(p, sizeof(*db));

    db->resource = resource;
    db->pool = p;
    *out = db;
    return ro ? NULL : refuse(db);
}

static void close_props(dav_db *db)
{
    (void)db; /* all is in its pool */
}

static fs_error_t *read_props(apr_hash_t **props, const dav_db *db)
{
    const dav_resource_private *info = db->resource->info;

    if (info->node)
        return fs_node_props(props, info->node, db->pool);
    if (repo_resource_is_revision(db->resource))
        return fs_rev_visible_props(props, info->request->repo, info->rev,
                                    repo_request_reader(info->request),
                                    db->pool);
    *props = apr_hash_make(db->pool);
    return NULL;
}

static void note_action(const dav_db *db)
{
    const dav_resource_private *info = db->resource->info;

    if (info->node)
        repo_request_action(
            info->request, "get-%s %s r%" FS_REV_FMT " props",
            db->resource->collection ? "dir" : "file",
            repo_uri_encode(fs_node_path(info->node), info->request->pool),
            info->rev);
    else if (repo_resource_is_revision(db->resource))
        repo_request_action(info->request, "rev-proplist r%" FS_REV_FMT,
                            info->rev);
}

static dav_error *load(dav_db *db)
{
    request_rec *r = db->resource->info->request->r;
    fs_error_t *err;

    if (db->props)
        return NULL;
    err = read_props(&db->props, db);
    if (err)
        return repo_error_convert(r, err, 0);
    if (r->method_number == M_PROPFIND &&
        !apr_table_get(r->subprocess_env, "SVN-ACTION"))
        note_action(db);
    return NULL;
}

/* ---- names ---- */

/* Can the name stand in a tag? Colons may, as clients expect. */
static bool is_tag(const char *name)
{
    const unsigned char *p = (const unsigned char *)name;

    if (!*p)
        return false;
    for (; *p; p++)
        if (*p <= ' ' || *p == 0x7f || strchr("<>&\"'/=", *p))
            return false;
    return true;
}

static bool is_foreign(const dav_prop_name *name)
{
    return strcmp(name->ns, REPO_NS_PROP_SVN) != 0 &&
           strcmp(name->ns, REPO_NS_PROP_CUSTOM) != 0;
}

/* Name of the property in the repository, NULL if it can be none. Subversion
 * clients know no other namespaces than theirs. */
static const char *name_in_repository(const dav_prop_name *name,
                                      const dav_db *db)
{
    const dav_resource_private *info = db->resource->info;

    if (is_foreign(name) && (info->request->is_svn || !info->node ||
                             !fs_node_has_props(info->node)))
        return NULL;
    return repo_propname_encode(name->ns, name->name, db->pool);
}

static void name_for_clients(dav_prop_name *pname, const char *name,
                             const dav_db *db)
{
    if (strncmp(name, "svn:", 4) == 0) {
        pname->ns = REPO_NS_PROP_SVN;
        pname->name = name + 4;
    } else if (db->resource->info->request->is_svn ||
               !repo_propname_decode(&pname->ns, &pname->name, name,
                                     db->pool)) {
        pname->ns = REPO_NS_PROP_CUSTOM;
        pname->name = name;
    }
}

static dav_error *define_namespaces(dav_db *db, dav_xmlns_info *xi)
{
    (void)db;
    dav_xmlns_add(xi, "S", REPO_NS_PROP_SVN);
    dav_xmlns_add(xi, "C", REPO_NS_PROP_CUSTOM);
    dav_xmlns_add(xi, "V", REPO_NS_LIVE);
    return NULL;
}

/* ---- values ---- */

/* The two that mod_dav would otherwise look for itself. */
static dav_error *output_standard(dav_db *db, const char *name,
                                  apr_text_header *phdr, int *found)
{
    request_rec *r = db->resource->info->request->r;
    const char *type;
    fs_error_t *err;

    *found = 1;
    if (strcmp(name, "getcontenttype") != 0)
        return NULL; /* no language */
    err = repo_deliver_type(&type, db->resource, db->pool);
    if (err)
        return repo_error_convert(r, err, 0);
    apr_text_append(
        db->pool, phdr,
        apr_pstrcat(db->pool, "<D:getcontenttype>",
                    repo_xml_escape(type, strlen(type), false, db->pool),
                    "</D:getcontenttype>\n", NULL));
    return NULL;
}

/* What stands between the tags. If somebody who did not know that the value is
 * a piece of XML made it something else, it is shown as text. */
static const char *foreign_inner(const char *data, apr_size_t len,
                                 apr_pool_t *result)
{
    const char *text = apr_pstrmemdup(result, data, len);

    if (repo_xml_is_fragment(data, len, result))
        return text;
    text = repo_readable(text, result);
    return repo_xml_escape(text, strlen(text), false, result);
}

/* A property of another namespace. */
static const char *foreign_property(const dav_prop_name *name,
                                    const fs_bytes_t *value, apr_pool_t *result)
{
    apr_size_t skip;
    const char *lang = repo_propname_lang(&skip, value, result);
    const char *tag =
        *name->ns ? apr_pstrcat(result, "P:", name->name, NULL) : name->name;
    const char *ns =
        *name->ns ? apr_pstrcat(result, " xmlns:P=\"", name->ns, "\"", NULL)
                  : "";

    if (lang)
        ns = apr_pstrcat(result, ns, " xml:lang=\"", lang, "\"", NULL);
    if (value->len == skip)
        return apr_pstrcat(result, "<", tag, ns, "/>\n", NULL);
    return apr_pstrcat(
        result, "<", tag, ns, ">",
        foreign_inner(value->data + skip, value->len - skip, result), "</", tag,
        ">\n", NULL);
}

/* Is it one of the two that follow the names of a listing? */
static bool is_standard(const dav_prop_name *name)
{
    return strcmp(name->ns, REPO_NS_DAV) == 0 &&
           (strcmp(name->name, "getcontenttype") == 0 ||
            strcmp(name->name, "getcontentlanguage") == 0);
}

static dav_error *output_value(dav_db *db, const dav_prop_name *name,
                               dav_xmlns_info *xi, apr_text_header *phdr,
                               int *found)
{
    const char *own;
    const fs_bytes_t *value;
    dav_error *err;

    (void)xi;
    *found = 0;
    if (is_standard(name))
        return db->resource->info->node && db->names
                   ? output_standard(db, name->name, phdr, found)
                   : NULL;
    own = name_in_repository(name, db);
    if (!own || !is_tag(own))
        return NULL;
    err = load(db);
    if (err)
        return err;
    value = apr_hash_get(db->props, own, APR_HASH_KEY_STRING);
    if (!value)
        return NULL;
    *found = 1;
    apr_text_append(db->pool, phdr,
                    is_foreign(name) ? foreign_property(name, value, db->pool)
                                     : repo_xml_property(own, value, db->pool));
    return NULL;
}

static int exists(dav_db *db, const dav_prop_name *name)
{
    const char *own = name_in_repository(name, db);
    dav_error *err = own ? load(db) : NULL;

    return own && !err && apr_hash_get(db->props, own, APR_HASH_KEY_STRING);
}

/* ---- listing ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static dav_error *next_name(dav_db *db, dav_prop_name *pname)
{
    int step;

    pname->ns = pname->name = NULL;
    if (db->next < db->names->nelts) {
        name_for_clients(pname,
                         APR_ARRAY_IDX(db->names, db->next, const char *), db);
        db->next++;
        return NULL;
    }
    if (!db->resource->info->node)
        return NULL;
    step = db->next - db->names->nelts;
    if (step == STEP_LANGUAGE &&
        repo_guard_wants_names(db->resource->info->request->r))
        step = STEP_END; /* a name without a value would be told */
    if (step < STEP_END) {
        pname->ns = REPO_NS_DAV;
        pname->name =
            step == STEP_TYPE ? "getcontenttype" : "getcontentlanguage";
        db->next++;
    }
    return NULL;
}

static dav_error *first_name(dav_db *db, dav_prop_name *pname)
{
    apr_hash_index_t *hi;
    dav_error *err = load(db);

    if (err)
        return err;
    db->names = apr_array_make(db->pool, 8, sizeof(const char *));
    for (hi = apr_hash_first(db->pool, db->props); hi; hi = apr_hash_next(hi)) {
        const char *name = apr_hash_this_key(hi);

        if (is_tag(name))
            APR_ARRAY_PUSH(db->names, const char *) = name;
    }
    qsort(db->names->elts, (size_t)db->names->nelts, sizeof(const char *),
          compare_names);
    db->next = 0;
    return next_name(db, pname);
}

/* ---- writing ---- */

static dav_error *map_namespaces(dav_db *db,
                                 const apr_array_header_t *namespaces,
                                 dav_namespace_map **mapping)
{
    (void)namespaces;
    (void)mapping;
    return refuse(db);
}

static dav_error *store(dav_db *db, const dav_prop_name *name,
                        const apr_xml_elem *elem, dav_namespace_map *mapping)
{
    (void)name;
    (void)elem;
    (void)mapping;
    return refuse(db);
}

static dav_error *remove_prop(dav_db *db, const dav_prop_name *name)
{
    (void)name;
    return refuse(db);
}

static dav_error *get_rollback(dav_db *db, const dav_prop_name *name,
                               dav_deadprop_rollback **prollback)
{
    (void)name;
    (void)prollback;
    return refuse(db);
}

static dav_error *apply_rollback(dav_db *db, dav_deadprop_rollback *rollback)
{
    (void)rollback;
    return refuse(db);
}

const dav_hooks_propdb repo_deadprop_hooks = {
    open_props,     close_props, define_namespaces, output_value,
    map_namespaces, store,       remove_prop,       exists,
    first_name,     next_name,   get_rollback,      apply_rollback,
    NULL,
};
