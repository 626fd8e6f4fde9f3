/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a PROPPATCH. */

#include "mod_repo/dav/patch_body.h"

#include <string.h>

#include <apr_strings.h>

#include "mod_repo/http/body.h"
#include "mod_repo/http/guard.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/request/xml_limits.h"

/* How deep the elements stand. */
enum {
    DEPTH_ROOT,
    DEPTH_ACTION, /* set, remove */
    DEPTH_PROP,
    DEPTH_PROPERTY,
    DEPTH_OLD_VALUE
};

/* How a value is written. */
typedef struct form_t {
    const char *encoding; /* NULL: as it is */
    bool absent;
} form_t;

typedef struct reader_t {
    repo_request_t *request;
    apr_pool_t *pool;
    apr_array_header_t *patches;
    repo_patch_t *patch; /* being read */
    bool in_prop;
    bool removes;
    form_t form;     /* of the property */
    form_t old_form; /* of its old value */
} reader_t;

/* ---- values ---- */

static void read_form(form_t *form, const repo_body_elem_t *elem,
                      apr_pool_t *result)
{
    int i;

    *form = (form_t){ NULL, false };
    for (i = 0; i < elem->attr_count; i++) {
        const repo_body_attr_t *attr = &elem->attrs[i];

        if (strcmp(attr->name, "encoding") == 0)
            form->encoding = apr_pstrdup(result, attr->value);
        else if (strcmp(attr->name, "absent") == 0)
            form->absent = true;
    }
}

static void refuse(repo_patch_t *patch, int status, const char *reason)
{
    if (patch->status)
        return;
    patch->status = status;
    patch->reason = reason;
}

/* The value of an element; NULL, with the patch refused, if it cannot be
 * read. */
static const fs_bytes_t *read_value(reader_t *reader, const form_t *form,
                                    const char *text, apr_size_t len)
{
    fs_bytes_t *value = apr_palloc(reader->pool, sizeof(*value));

    if (!form->encoding) {
        *value = (fs_bytes_t){ apr_pstrmemdup(reader->pool, text, len), len };
        return value;
    }
    if (strcmp(form->encoding, "base64") != 0) {
        refuse(reader->patch, HTTP_INTERNAL_SERVER_ERROR,
               apr_psprintf(reader->pool, "the encoding '%s' is not known",
                            form->encoding));
        return NULL;
    }
    *value = repo_xml_base64_decode(text, len, reader->pool);
    return value;
}

static void end_property(reader_t *reader, const char *text, apr_size_t len)
{
    repo_patch_t *patch = reader->patch;

    if (reader->removes)
        return;
    if (!reader->form.absent)
        patch->value = read_value(reader, &reader->form, text, len);
    else if (!patch->has_old)
        refuse(patch, HTTP_INTERNAL_SERVER_ERROR,
               "a property is set to an absent value");
}

/* ---- names ---- */

static const char *name_in_repository(const repo_patch_t *patch,
                                      apr_pool_t *result)
{
    if (strcmp(patch->ns, REPO_NS_PROP_SVN) == 0)
        return apr_pstrcat(result, "svn:", patch->name, NULL);
    return strcmp(patch->ns, REPO_NS_PROP_CUSTOM) == 0 ? patch->name : NULL;
}

static void begin_property(reader_t *reader, const repo_body_elem_t *elem)
{
    repo_patch_t *patch = apr_pcalloc(reader->pool, sizeof(*patch));

    patch->ns = apr_pstrdup(reader->pool, elem->ns);
    patch->name = apr_pstrdup(reader->pool, elem->name);
    patch->own = name_in_repository(patch, reader->pool);
    if (strcmp(elem->ns, REPO_NS_DAV) == 0 ||
        strcmp(elem->ns, REPO_NS_LIVE) == 0)
        refuse(patch, HTTP_CONFLICT, "the property is read-only");
    else if (!patch->own)
        refuse(patch, HTTP_INTERNAL_SERVER_ERROR,
               "properties of this namespace are not kept");
    read_form(&reader->form, elem, reader->pool);
    reader->patch = patch;
    APR_ARRAY_PUSH(reader->patches, repo_patch_t *) = patch;
}

static bool is_old_value(const repo_body_elem_t *elem)
{
    return elem->depth == DEPTH_OLD_VALUE &&
           repo_body_is(elem, REPO_NS_LIVE, "old-value");
}

static fs_error_t *on_start(void *baton, const repo_body_elem_t *elem)
{
    reader_t *reader = baton;

    switch (elem->depth) {
    case DEPTH_ROOT:
        if (!repo_body_is(elem, REPO_NS_DAV, "propertyupdate"))
            return FS_ERROR(FS_ERR_DAV_REQUEST,
                            "the body of a PROPPATCH is a propertyupdate");
        break;
    case DEPTH_ACTION:
        reader->removes = repo_body_is(elem, REPO_NS_DAV, "remove");
        reader->in_prop = false;
        break;
    case DEPTH_PROP:
        reader->in_prop = repo_body_is(elem, REPO_NS_DAV, "prop");
        break;
    case DEPTH_PROPERTY:
        if (reader->in_prop)
            begin_property(reader, elem);
        break;
    default:
        if (reader->in_prop && is_old_value(elem))
            read_form(&reader->old_form, elem, reader->pool);
        break;
    }
    return NULL;
}

static fs_error_t *on_end(void *baton, const repo_body_elem_t *elem,
                          const char *text, apr_size_t len)
{
    reader_t *reader = baton;

    if (!reader->in_prop)
        return NULL;
    if (elem->depth == DEPTH_PROPERTY) {
        end_property(reader, text, len);
    } else if (is_old_value(elem)) {
        reader->patch->has_old = true;
        if (!reader->old_form.absent)
            reader->patch->old =
                read_value(reader, &reader->old_form, text, len);
    }
    return NULL;
}

fs_error_t *repo_patch_body_read(apr_array_header_t **patches,
                                 repo_request_t *request)
{
    reader_t reader = { .request = request, .pool = request->pool };
    repo_body_handler_t handler = { on_start, on_end, &reader };
    repo_body_limits_t limits;
    repo_limits_t configured;

    *patches = reader.patches =
        apr_array_make(request->pool, 4, sizeof(repo_patch_t *));
    repo_config_limits(&configured, request->config);
    repo_xml_limits_dav(&limits, request->r, &configured);
    repo_guard_take_over(request->r);
    return repo_body_read(request->r, &limits, &handler, request->pool);
}
