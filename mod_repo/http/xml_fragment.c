/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of XML that are kept as they are and shown in other documents. */

#include "mod_repo/http/xml_fragment.h"

#include <string.h>

#include <apr_strings.h>

#include "mod_repo/http/body.h"
#include "mod_repo/http/xml.h"

/* ---- is it one? ---- */

/* Deepest nesting; what is shown stands in elements of ours. */
#define DEPTH_MAX 64

bool repo_xml_is_fragment(const char *data, apr_size_t len, apr_pool_t *scratch)
{
    static const char before[] = "<x>", after[] = "</x>";
    repo_body_limits_t limits = { .depth = DEPTH_MAX };
    repo_body_parser_t *parser;
    apr_pool_t *pool;
    fs_error_t *err;

    apr_pool_create(&pool, scratch);
    parser = repo_body_parser_create(&limits, NULL, pool);
    err = repo_body_parser_feed(parser, before, sizeof(before) - 1, false);
    if (!err)
        err = repo_body_parser_feed(parser, data, len, false);
    if (!err)
        err = repo_body_parser_feed(parser, after, sizeof(after) - 1, true);
    apr_pool_destroy(pool);
    if (!err)
        return true;
    fs_error_clear(err);
    return false;
}

/* ---- writing one ---- */

typedef struct writer_t {
    apr_array_header_t *parts; /* of const char * */
    const apr_array_header_t *namespaces;
    char *declared; /* by index: is the prefix bound here? */
    apr_pool_t *pool;
} writer_t;

static void add(writer_t *w, const char *text)
{
    APR_ARRAY_PUSH(w->parts, const char *) = text;
}

static void add_text(writer_t *w, const apr_text_header *header)
{
    const apr_text *piece;

    for (piece = header->first; piece; piece = piece->next)
        add(w,
            repo_xml_escape(piece->text, strlen(piece->text), false, w->pool));
}

/* "ns3:" + name; none without a namespace. */
static const char *tag_of(const writer_t *w, int ns, const char *name)
{
    return ns < 0 ? name : apr_psprintf(w->pool, "ns%d:%s", ns, name);
}

static void declare(writer_t *w, int ns)
{
    const char *uri;

    if (ns < 0 || w->declared[ns])
        return;
    w->declared[ns] = 1;
    /* APR keeps them quoted. */
    uri = APR_XML_GET_URI_ITEM(w->namespaces, ns);
    add(w, apr_psprintf(w->pool, " xmlns:ns%d=\"%s\"", ns, uri));
}

static void write_inner(writer_t *w, const apr_xml_elem *elem);

static void write_attributes(writer_t *w, const apr_xml_elem *elem)
{
    const apr_xml_attr *attr;

    declare(w, elem->ns);
    for (attr = elem->attr; attr; attr = attr->next)
        declare(w, attr->ns);
    if (elem->lang && (!elem->parent || elem->lang != elem->parent->lang))
        add(w, apr_psprintf(w->pool, " xml:lang=\"%s\"",
                            repo_xml_escape(elem->lang, strlen(elem->lang),
                                            true, w->pool)));
    for (attr = elem->attr; attr; attr = attr->next)
        add(w,
            apr_psprintf(w->pool, " %s=\"%s\"", tag_of(w, attr->ns, attr->name),
                         repo_xml_escape(attr->value, strlen(attr->value), true,
                                         w->pool)));
}

/* Nesting is bounded where the body is read. */
static void write_elem(writer_t *w, const apr_xml_elem *elem)
{
    const char *tag = tag_of(w, elem->ns, elem->name);
    apr_size_t count = (apr_size_t)w->namespaces->nelts;
    char *outside = apr_pmemdup(w->pool, w->declared, count);

    add(w, "<");
    add(w, tag);
    write_attributes(w, elem);
    if (APR_XML_ELEM_IS_EMPTY(elem))
        add(w, "/>");
    else {
        add(w, ">");
        write_inner(w, elem);
        add(w, "</");
        add(w, tag);
        add(w, ">");
    }
    memcpy(w->declared, outside, count);
}

static void write_inner(writer_t *w, const apr_xml_elem *elem)
{
    const apr_xml_elem *child;

    add_text(w, &elem->first_cdata);
    for (child = elem->first_child; child; child = child->next) {
        write_elem(w, child);
        add_text(w, &child->following_cdata);
    }
}

const char *repo_xml_inner(const apr_xml_elem *elem,
                           const apr_array_header_t *namespaces,
                           apr_pool_t *result)
{
    writer_t w = { apr_array_make(result, 16, sizeof(const char *)), namespaces,
                   apr_pcalloc(result, (apr_size_t)namespaces->nelts + 1),
                   result };

    write_inner(&w, elem);
    return apr_array_pstrcat(result, w.parts, 0);
}
