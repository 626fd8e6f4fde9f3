/* SPDX-License-Identifier: Apache-2.0 */
/* PROPPATCH of public URLs, where autoversioning makes it a commit. */

#include "mod_repo/dav/patch_public.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>
#include <util_xml.h>

#include "mod_repo/dav/autoversion.h"
#include "mod_repo/dav/propname.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/http/xml_fragment.h"
#include "mod_repo/request/xml_limits.h"

/** One property that the request names. */
typedef struct op_t {
    const char *ns, *name;   /* the namespace is quoted */
    const char *own;         /* its name in the repository */
    const fs_bytes_t *value; /* NULL: to be removed */
    const char *refusal;     /* NULL, or why not */
} op_t;

typedef struct patch_t {
    request_rec *r;
    dav_resource *resource;
    const apr_array_header_t *namespaces; /* of the body */
    apr_array_header_t *ops;              /* of op_t, in the request's order */
    bool refused;                         /* one of them is */
} patch_t;

/* ---- the body ---- */

static int read_body(apr_xml_doc **doc, request_rec *r)
{
    repo_body_limits_t limits;
    repo_limits_t configured;
    int status;

    repo_config_limits(&configured, repo_config_of(r));
    repo_xml_limits_dav(&limits, r, &configured);
    repo_guard_take_over(r);
    repo_guard_insert(r, &limits, 0);
    status = ap_xml_parse_input(r, doc);
    if (status != OK)
        return status;
    return *doc && dav_validate_root(*doc, "propertyupdate") ? OK
                                                             : HTTP_BAD_REQUEST;
}

/* Text of an element and those in it, as mod_dav takes it. */
static const char *plain_text(const apr_xml_elem *elem, apr_pool_t *result)
{
    return dav_xml_get_cdata(elem, result, 0);
}

static const fs_bytes_t *value_of(const patch_t *patch, const op_t *op,
                                  const apr_xml_elem *elem)
{
    apr_pool_t *pool = patch->r->pool;
    fs_bytes_t *value = apr_palloc(pool, sizeof(*value));
    bool is_own = strcmp(op->ns, REPO_NS_PROP_SVN) == 0 ||
                  strcmp(op->ns, REPO_NS_PROP_CUSTOM) == 0;

    value->data =
        is_own
            ? plain_text(elem, pool)
            : repo_propname_value(repo_xml_inner(elem, patch->namespaces, pool),
                                  elem->lang, pool);
    value->len = strlen(value->data);
    return value;
}

/* Does the server say what it is? Some live properties are what clients made
 * them: those are kept as all others. */
static bool is_computed(const patch_t *patch, const op_t *op)
{
    const dav_hooks_liveprop *hooks = NULL;
    int propid =
        dav_run_find_liveprop(patch->resource, op->ns, op->name, &hooks);

    return propid && !hooks->is_writable(patch->resource, propid);
}

static void add_op(patch_t *patch, const apr_xml_elem *elem, bool is_set)
{
    op_t op = { "", elem->name, NULL, NULL, NULL };

    if (elem->ns != APR_XML_NS_NONE)
        op.ns = APR_XML_GET_URI_ITEM(patch->namespaces, elem->ns);
    op.own = repo_propname_encode(op.ns, op.name, patch->r->pool);
    if (is_computed(patch, &op))
        op.refusal = "The property is computed by the server.";
    else if (!op.own)
        op.refusal = "There can be no property of that name.";
    else if (is_set)
        op.value = value_of(patch, &op, elem);
    patch->refused = patch->refused || op.refusal;
    APR_ARRAY_PUSH(patch->ops, op_t) = op;
}

/* The set and remove elements, in their order. */
static bool add_ops(patch_t *patch, const apr_xml_elem *root)
{
    const apr_xml_elem *child, *prop, *elem;

    for (child = root->first_child; child; child = child->next) {
        bool is_set = strcmp(child->name, "set") == 0;

        if (child->ns != APR_XML_NS_DAV_ID ||
            (!is_set && strcmp(child->name, "remove") != 0))
            continue;
        prop = dav_find_child(child, "prop");
        if (!prop)
            return false;
        for (elem = prop->first_child; elem; elem = elem->next)
            add_op(patch, elem, is_set);
    }
    return true;
}

/* ---- the commit ---- */

/* What is to change of the properties that are there; the last word on each
 * counts. */
static fs_error_t *find_changes(apr_array_header_t **changes,
                                const patch_t *patch, apr_pool_t *result)
{
    apr_hash_t *before, *after;
    int i;

    FS_TRY(fs_node_props(&before, patch->resource->info->node, result));
    after = apr_hash_copy(result, before);
    for (i = 0; i < patch->ops->nelts; i++) {
        const op_t *op = &APR_ARRAY_IDX(patch->ops, i, op_t);

        apr_hash_set(after, op->own, APR_HASH_KEY_STRING, op->value);
    }
    *changes = fs_prop_diff(before, after, result);
    return NULL;
}

static dav_error *commit(const patch_t *patch)
{
    const dav_resource *resource = patch->resource;
    apr_array_header_t *changes;
    fs_txn_t *txn;
    dav_error *failed;
    fs_error_t *err = find_changes(&changes, patch, patch->r->pool);

    if (err)
        return repo_error_convert(patch->r, err, 0);
    if (changes->nelts == 0)
        return NULL;
    failed = repo_autoversion_begin(&txn, resource);
    if (failed)
        return failed;
    err = fs_txn_change_node_props(txn, resource->info->uri.path,
                                   (const fs_prop_change_t *)changes->elts,
                                   changes->nelts, patch->r->pool);
    return err ? repo_autoversion_fail(txn, resource, err)
               : repo_autoversion_commit(txn, resource);
}

/* ---- the answer ---- */

static void add_propstat(apr_text_header *out, const patch_t *patch,
                         const op_t *op)
{
    apr_pool_t *pool = patch->r->pool;
    const char *status = !patch->refused ? "200 OK"
                         : op->refusal   ? "409 Conflict"
                                         : "424 Failed Dependency";
    const char *name =
        *op->ns ? apr_psprintf(pool, "<P:%s xmlns:P=\"%s\"/>", op->name, op->ns)
                : apr_psprintf(pool, "<%s/>", op->name);

    apr_text_append(pool, out,
                    apr_pstrcat(pool, "<D:propstat>\n<D:prop>", name,
                                "</D:prop>\n<D:status>HTTP/1.1 ", status,
                                "</D:status>\n", NULL));
    if (op->refusal)
        apr_text_append(pool, out,
                        apr_pstrcat(pool, "<D:responsedescription>",
                                    op->refusal, "</D:responsedescription>\n",
                                    NULL));
    apr_text_append(pool, out, "</D:propstat>\n");
}

static int answer(const patch_t *patch)
{
    dav_response response = { 0 };
    apr_text_header propstats = { 0 };
    int i;

    for (i = 0; i < patch->ops->nelts; i++)
        add_propstat(&propstats, patch, &APR_ARRAY_IDX(patch->ops, i, op_t));
    response.href = patch->resource->uri;
    response.propresult.propstats = propstats.first;
    dav_send_multistatus(patch->r, HTTP_MULTI_STATUS, &response, NULL);
    return DONE;
}

int repo_patch_public(request_rec *r)
{
    patch_t patch = { .r = r };
    dav_response *responses = NULL;
    apr_xml_doc *doc = NULL;
    dav_error *err = repo_resource_get(r, NULL, NULL, 0, &patch.resource);
    int status;

    if (err)
        return repo_error_send_dav(r, err);
    if (!patch.resource->exists)
        return HTTP_NOT_FOUND;
    status = read_body(&doc, r);
    if (status != OK)
        return status;
    patch.namespaces = doc->namespaces;
    patch.ops = apr_array_make(r->pool, 8, sizeof(op_t));
    if (!add_ops(&patch, doc->root))
        return HTTP_BAD_REQUEST;
    err = dav_validate_request(r, patch.resource, 0, NULL, &responses,
                               DAV_VALIDATE_RESOURCE, NULL);
    if (!err && !patch.refused)
        err = commit(&patch);
    return err ? dav_handle_err(r, err, responses) : answer(&patch);
}
