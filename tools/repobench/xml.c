/* SPDX-License-Identifier: Apache-2.0 */
/* Reads XML as it arrives; names are told without their prefix. */

#include "tools/repobench/xml.h"

#include <limits.h>
#include <string.h>

#include <apr_strings.h>
#include <expat.h>

struct bench_xml_t {
    XML_Parser parser;
    const bench_xml_ops_t *ops;
    void *baton;
};

/* Servers choose their prefixes; property names may hold further colons. */
static const char *local_name(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon ? colon + 1 : name;
}

static void XMLCALL on_start(void *baton, const XML_Char *name,
                             const XML_Char **attributes)
{
    const bench_xml_t *xml = baton;

    xml->ops->start(xml->baton, local_name(name), attributes);
}

static void XMLCALL on_end(void *baton, const XML_Char *name)
{
    const bench_xml_t *xml = baton;

    xml->ops->end(xml->baton, local_name(name));
}

static void XMLCALL on_text(void *baton, const XML_Char *data, int len)
{
    const bench_xml_t *xml = baton;

    xml->ops->text(xml->baton, data, (apr_size_t)len);
}

static apr_status_t free_parser(void *baton)
{
    XML_ParserFree(((bench_xml_t *)baton)->parser);
    return APR_SUCCESS;
}

fs_error_t *bench_xml_create(bench_xml_t **xml, const bench_xml_ops_t *ops,
                             void *baton, apr_pool_t *pool)
{
    bench_xml_t *made = apr_pcalloc(pool, sizeof(*made));

    made->parser = XML_ParserCreate(NULL);
    if (!made->parser)
        return FS_ERROR_APR(APR_ENOMEM, "making an XML parser");
    apr_pool_cleanup_register(pool, made, free_parser, apr_pool_cleanup_null);
    made->ops = ops;
    made->baton = baton;
    XML_SetUserData(made->parser, made);
    XML_SetElementHandler(made->parser, ops->start ? on_start : NULL,
                          ops->end ? on_end : NULL);
    XML_SetCharacterDataHandler(made->parser, ops->text ? on_text : NULL);
    *xml = made;
    return NULL;
}

static fs_error_t *parse(bench_xml_t *xml, const char *data, int len, int last)
{
    if (XML_Parse(xml->parser, data, len, last) != XML_STATUS_ERROR)
        return NULL;
    return FS_ERROR(FS_ERR_XML_MALFORMED, "malformed XML in line %lu: %s",
                    (unsigned long)XML_GetCurrentLineNumber(xml->parser),
                    XML_ErrorString(XML_GetErrorCode(xml->parser)));
}

fs_error_t *bench_xml_feed(bench_xml_t *xml, const char *data, apr_size_t len)
{
    while (len > 0) {
        int part = len < INT_MAX ? (int)len : INT_MAX;

        FS_TRY(parse(xml, data, part, 0));
        data += part;
        len -= (apr_size_t)part;
    }
    return NULL;
}

fs_error_t *bench_xml_finish(bench_xml_t *xml)
{
    return parse(xml, "", 0, 1);
}

const char *bench_xml_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

const char *bench_xml_escape(const char *text, apr_pool_t *pool)
{
    char *out = apr_palloc(pool, strlen(text) * strlen("&quot;") + 1);
    char *next = out;

    for (; *text; text++) {
        const char *entity = entity_of(*text);

        if (entity)
            next = apr_cpystrn(next, entity, sizeof("&quot;"));
        else
            *next++ = *text;
    }
    *next = '\0';
    return out;
}
