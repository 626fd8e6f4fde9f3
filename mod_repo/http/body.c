/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an XML body as a stream.
 *
 * Prefixes are resolved here and not by Expat, because clients send property
 * names with a second colon, which a strict namespace parser refuses. The
 * texts of all open elements share one buffer: a child's text lies behind its
 * parent's and is cut off when the child ends.
 */

#include "mod_repo/http/body.h"

#include <string.h>

#include <apr_buckets.h>
#include <apr_strings.h>
#include <expat.h>

#include <http_protocol.h>
#include <util_filter.h>

/** Bytes that Expat gets at once. */
#define FEED_SIZE 16384

/** Longest single token (a tag with its attributes), in bytes. */
#define TOKEN_MAX (1024 * 1024)

/** Bytes that Expat may hold back: it looks at an unfinished token again when
 *  twice as much of it is there. */
#define HELD_BACK_MAX ((apr_int64_t)2 * TOKEN_MAX)

/** Prefixes and URIs of all namespaces that a body declares, in bytes. */
#define NAMESPACES_MAX ((apr_size_t)64 * 1024)

/** Depth that is accepted when the caller sets no limit. */
#define DEPTH_MAX 1024

typedef struct binding_t {
    const char *prefix;
    const char *uri;
    int depth; /* of the element that declares it */
} binding_t;

struct repo_body_parser_t {
    XML_Parser expat;
    apr_pool_t *pool;
    repo_body_limits_t limits;
    const repo_body_handler_t *handler; /* or NULL */
    fs_error_t *err;                    /* raised in a callback */
    apr_int64_t fed;                    /* bytes */
    apr_int64_t seen;                   /* of them when Expat told the last */
    apr_int64_t declared;               /* namespaces, in all */
    apr_size_t declared_bytes;          /* of their prefixes and URIs */
    apr_int64_t items;                  /* elements and attributes, in all */
    apr_array_header_t *bindings;       /* of binding_t */
    apr_array_header_t *attrs;          /* of repo_body_attr_t */
    int depth;                          /* open elements */
    apr_array_header_t *starts; /* apr_size_t: where their texts begin */
    char *text;
    apr_size_t text_len;
    apr_size_t text_size;
};

static void stop(repo_body_parser_t *parser, fs_error_t *err)
{
    if (parser->err) {
        fs_error_clear(err);
        return;
    }
    parser->err = err;
    XML_StopParser(parser->expat, XML_FALSE);
}

#define STOP_MALFORMED(parser, ...)                                            \
    stop((parser), FS_ERROR(FS_ERR_XML_MALFORMED, __VA_ARGS__))

/* ---- namespaces ---- */

/* Is `name` an attribute that declares a namespace? Sets the prefix. */
static bool is_declaration(const char *name, const char **prefix)
{
    if (strncmp(name, "xmlns", 5) != 0)
        return false;
    if (name[5] == '\0') {
        *prefix = "";
        return true;
    }
    *prefix = name + 6;
    return name[5] == ':';
}

/* ", see DIRECTIVE" or nothing. */
static const char *see(const char *directive, apr_pool_t *result)
{
    return directive ? apr_pstrcat(result, ", see ", directive, NULL) : "";
}

/* Room for one more declaration? Stops the parser if not. */
static bool may_declare(repo_body_parser_t *parser, apr_size_t bytes)
{
    parser->declared++;
    parser->declared_bytes += bytes;
    if (parser->limits.namespaces > 0 &&
        parser->declared > parser->limits.namespaces)
        STOP_MALFORMED(parser,
                       "the body declares more than %" APR_INT64_T_FMT
                       " namespaces%s",
                       parser->limits.namespaces,
                       see(parser->limits.namespaces_directive, parser->pool));
    else if (parser->declared_bytes > NAMESPACES_MAX)
        stop(parser,
             FS_ERROR(FS_ERR_TOO_LARGE,
                      "the names of the body's namespaces are longer than "
                      "%" APR_SIZE_T_FMT " bytes",
                      NAMESPACES_MAX));
    return !parser->err;
}

static void declare(repo_body_parser_t *parser, const char **atts)
{
    const char *prefix;
    binding_t *binding;

    for (; *atts; atts += 2) {
        if (!is_declaration(atts[0], &prefix))
            continue;
        if (!may_declare(parser, strlen(prefix) + strlen(atts[1])))
            return;
        binding = apr_array_push(parser->bindings);
        binding->prefix = apr_pstrdup(parser->pool, prefix);
        binding->uri = apr_pstrdup(parser->pool, atts[1]);
        binding->depth = parser->depth;
    }
}

/* URI of the `len` bytes of prefix, NULL if it is not bound. */
static const char *uri_of(const repo_body_parser_t *parser, const char *prefix,
                          apr_size_t len)
{
    int i;

    for (i = parser->bindings->nelts - 1; i >= 0; i--) {
        const binding_t *binding =
            &APR_ARRAY_IDX(parser->bindings, i, binding_t);

        if (strlen(binding->prefix) == len &&
            memcmp(binding->prefix, prefix, len) == 0)
            return binding->uri;
    }
    if (len == 3 && memcmp(prefix, "xml", 3) == 0)
        return "http://www.w3.org/XML/1998/namespace";
    return len == 0 ? "" : NULL;
}

/* Split at the first colon; false if the prefix is not bound. */
static bool resolve(const repo_body_parser_t *parser, const char *qualified,
                    bool is_attr, const char **ns, const char **name)
{
    const char *colon = strchr(qualified, ':');

    if (!colon) {
        *name = qualified;
        *ns = is_attr ? "" : uri_of(parser, "", 0);
        return true;
    }
    *name = colon + 1;
    *ns = uri_of(parser, qualified, (apr_size_t)(colon - qualified));
    return *ns != NULL;
}

/* ---- callbacks of Expat ---- */

/* Something was told: what was fed is no part of an endless token. */
static void note_progress(repo_body_parser_t *parser)
{
    parser->seen = parser->fed;
}

static fs_error_t *long_token(void)
{
    return FS_ERROR(FS_ERR_TOO_LARGE,
                    "a tag of the body is longer than %d bytes", TOKEN_MAX);
}

static void collect_attrs(repo_body_parser_t *parser, const char **atts)
{
    const char *prefix;
    repo_body_attr_t *attr;
    apr_int64_t count = 0;

    apr_array_clear(parser->attrs);
    for (; *atts; atts += 2) {
        count++;
        if (parser->limits.attributes > 0 &&
            count > parser->limits.attributes) {
            STOP_MALFORMED(
                parser,
                "an element has more than %" APR_INT64_T_FMT " attributes%s",
                parser->limits.attributes,
                see(parser->limits.attributes_directive, parser->pool));
            return;
        }
        if (is_declaration(atts[0], &prefix))
            continue;
        attr = apr_array_push(parser->attrs);
        attr->value = atts[1];
        if (!resolve(parser, atts[0], true, &attr->ns, &attr->name)) {
            STOP_MALFORMED(parser, "an attribute has an unknown prefix");
            return;
        }
    }
}

/* Count an element and its attributes. */
static void count_items(repo_body_parser_t *parser, const char **atts)
{
    parser->items++;
    for (; *atts; atts += 2)
        parser->items++;
    if (parser->limits.items > 0 && parser->items > parser->limits.items)
        stop(parser,
             FS_ERROR(FS_ERR_TOO_LARGE,
                      "the body has more than %" APR_INT64_T_FMT
                      " elements and attributes%s",
                      parser->limits.items,
                      see(parser->limits.items_directive, parser->pool)));
}

static void on_start(void *data, const char *qualified, const char **atts)
{
    repo_body_parser_t *parser = data;
    apr_int64_t max =
        parser->limits.depth > 0 ? parser->limits.depth : DEPTH_MAX;
    repo_body_elem_t elem;

    note_progress(parser);
    if (parser->err)
        return;
    if (XML_GetCurrentByteCount(parser->expat) > TOKEN_MAX) {
        stop(parser, long_token());
        return;
    }
    if (parser->depth >= max) {
        STOP_MALFORMED(parser,
                       "elements are nested deeper than %" APR_INT64_T_FMT "%s",
                       max, see(parser->limits.depth_directive, parser->pool));
        return;
    }
    count_items(parser, atts);
    if (!parser->err)
        declare(parser, atts);
    if (!parser->err)
        collect_attrs(parser, atts);
    if (parser->err)
        return;
    if (!resolve(parser, qualified, false, &elem.ns, &elem.name)) {
        STOP_MALFORMED(parser, "an element has an unknown prefix");
        return;
    }
    elem.depth = parser->depth++;
    APR_ARRAY_PUSH(parser->starts, apr_size_t) = parser->text_len;
    elem.attrs = (const repo_body_attr_t *)parser->attrs->elts;
    elem.attr_count = parser->attrs->nelts;
    if (parser->handler && parser->handler->start) {
        fs_error_t *err = parser->handler->start(parser->handler->baton, &elem);

        if (err)
            stop(parser, err);
    }
}

static void drop_bindings(repo_body_parser_t *parser)
{
    while (
        parser->bindings->nelts > 0 &&
        APR_ARRAY_IDX(parser->bindings, parser->bindings->nelts - 1, binding_t)
                .depth >= parser->depth)
        apr_array_pop(parser->bindings);
}

/* Without somebody to tell, texts are counted only. */
static bool keeps_text(const repo_body_parser_t *parser)
{
    return parser->handler && parser->handler->end;
}

static void on_end(void *data, const char *qualified)
{
    repo_body_parser_t *parser = data;
    repo_body_elem_t elem = { 0 };
    apr_size_t start;

    note_progress(parser);
    if (parser->err)
        return;
    start = *(apr_size_t *)apr_array_pop(parser->starts);
    elem.depth = --parser->depth;
    if (keeps_text(parser) &&
        resolve(parser, qualified, false, &elem.ns, &elem.name)) {
        fs_error_t *err;

        parser->text[parser->text_len] = '\0';
        err = parser->handler->end(parser->handler->baton, &elem,
                                   parser->text + start,
                                   parser->text_len - start);
        if (err)
            stop(parser, err);
    }
    parser->text_len = start;
    drop_bindings(parser);
}

/* Room for `len` more bytes and a NUL. */
static void reserve_text(repo_body_parser_t *parser, apr_size_t len)
{
    char *larger;

    if (parser->text_len + len < parser->text_size)
        return;
    parser->text_size = 2 * (parser->text_len + len + 1);
    larger = apr_palloc(parser->pool, parser->text_size);
    memcpy(larger, parser->text, parser->text_len);
    parser->text = larger;
}

static void on_text(void *data, const char *text, int len)
{
    repo_body_parser_t *parser = data;
    apr_size_t start;

    note_progress(parser);
    if (parser->err || parser->depth == 0)
        return;
    start =
        APR_ARRAY_IDX(parser->starts, parser->starts->nelts - 1, apr_size_t);
    if (parser->limits.text > 0 &&
        (apr_int64_t)(parser->text_len - start) + len > parser->limits.text) {
        stop(parser,
             FS_ERROR(FS_ERR_TOO_LARGE,
                      "the text of an element is longer than %" APR_INT64_T_FMT
                      " bytes%s",
                      parser->limits.text,
                      see(parser->limits.text_directive, parser->pool)));
        return;
    }
    if (keeps_text(parser)) {
        reserve_text(parser, (apr_size_t)len);
        memcpy(parser->text + parser->text_len, text, (apr_size_t)len);
    }
    parser->text_len += (apr_size_t)len;
}

/* Comments, and blanks around the root. */
static void on_other(void *data, const char *text, int len)
{
    (void)text;
    (void)len;
    note_progress(data);
}

static void on_doctype(void *data, const char *name, const char *system_id,
                       const char *public_id, int has_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_subset;
    STOP_MALFORMED((repo_body_parser_t *)data,
                   "a document type declaration is not allowed");
}

static void on_instruction(void *data, const char *target, const char *text)
{
    (void)target;
    (void)text;
    STOP_MALFORMED((repo_body_parser_t *)data,
                   "a processing instruction is not allowed");
}

static void on_declaration(void *data, const char *version,
                           const char *encoding, int standalone)
{
    (void)version;
    (void)standalone;
    if (encoding && strncasecmp(encoding, "utf-8", 6) != 0 &&
        strncasecmp(encoding, "utf-16", 6) != 0)
        STOP_MALFORMED((repo_body_parser_t *)data,
                       "the encoding of the body is neither UTF-8 nor UTF-16");
}

/* ---- the parser ---- */

static apr_status_t free_parser(void *data)
{
    repo_body_parser_t *parser = data;

    XML_ParserFree(parser->expat);
    fs_error_clear(parser->err);
    parser->err = NULL;
    return APR_SUCCESS;
}

repo_body_parser_t *repo_body_parser_create(const repo_body_limits_t *limits,
                                            const repo_body_handler_t *handler,
                                            apr_pool_t *pool)
{
    repo_body_parser_t *parser = apr_pcalloc(pool, sizeof(*parser));

    parser->pool = pool;
    parser->limits = *limits;
    parser->handler = handler;
    parser->bindings = apr_array_make(pool, 4, sizeof(binding_t));
    parser->attrs = apr_array_make(pool, 8, sizeof(repo_body_attr_t));
    parser->starts = apr_array_make(pool, 16, sizeof(apr_size_t));
    parser->text_size = 256;
    parser->text = apr_palloc(pool, parser->text_size);

    parser->expat = XML_ParserCreate(NULL);
    if (!parser->expat)
        return NULL;
    apr_pool_cleanup_register(pool, parser, free_parser, apr_pool_cleanup_null);
    XML_SetUserData(parser->expat, parser);
    XML_SetElementHandler(parser->expat, on_start, on_end);
    XML_SetCharacterDataHandler(parser->expat, on_text);
    XML_SetStartDoctypeDeclHandler(parser->expat, on_doctype);
    XML_SetProcessingInstructionHandler(parser->expat, on_instruction);
    XML_SetXmlDeclHandler(parser->expat, on_declaration);
    XML_SetDefaultHandlerExpand(parser->expat, on_other);
    return parser;
}

bool repo_body_parser_began(const repo_body_parser_t *parser)
{
    return parser->fed > 0;
}

static fs_error_t *feed_part(repo_body_parser_t *parser, const char *data,
                             int len, bool last)
{
    enum XML_Status status = XML_Parse(parser->expat, data, len, last);

    if (parser->err) {
        fs_error_t *err = parser->err;

        parser->err = NULL;
        return err;
    }
    if (status != XML_STATUS_OK)
        return FS_ERROR(FS_ERR_XML_MALFORMED, "malformed XML at line %lu: %s",
                        (unsigned long)XML_GetCurrentLineNumber(parser->expat),
                        XML_ErrorString(XML_GetErrorCode(parser->expat)));
    if (!last && parser->fed - parser->seen > HELD_BACK_MAX)
        return long_token();
    return NULL;
}

fs_error_t *repo_body_parser_feed(repo_body_parser_t *parser, const char *data,
                                  apr_size_t len, bool last)
{
    do {
        int part = len < FEED_SIZE ? (int)len : FEED_SIZE;

        parser->fed += part;
        if (parser->limits.bytes > 0 && parser->fed > parser->limits.bytes)
            return FS_ERROR(FS_ERR_TOO_LARGE,
                            "the body is longer than %" APR_INT64_T_FMT
                            " bytes%s",
                            parser->limits.bytes,
                            see(parser->limits.bytes_directive, parser->pool));
        len -= (apr_size_t)part;
        FS_TRY(feed_part(parser, data, part, last && len == 0));
        data += part;
    } while (len > 0);
    return NULL;
}

const char *repo_body_attr(const repo_body_elem_t *elem, const char *name)
{
    int i;

    for (i = 0; i < elem->attr_count; i++)
        if (!*elem->attrs[i].ns && strcmp(elem->attrs[i].name, name) == 0)
            return elem->attrs[i].value;
    return NULL;
}

bool repo_body_is(const repo_body_elem_t *elem, const char *ns,
                  const char *name)
{
    return strcmp(elem->name, name) == 0 && strcmp(elem->ns, ns) == 0;
}

/* ---- the body of a request ---- */

bool repo_body_is_cut(apr_status_t status)
{
    return APR_STATUS_IS_EOF(status) || APR_STATUS_IS_TIMEUP(status) ||
           APR_STATUS_IS_ECONNRESET(status) ||
           APR_STATUS_IS_ECONNABORTED(status) ||
           APR_STATUS_IS_INCOMPLETE(status);
}

fs_error_t *repo_body_read_error(apr_status_t status)
{
    if (repo_body_is_cut(status))
        return fs_error_create(FS_ERR_CANCELLED, status, NULL, __FILE__,
                               __LINE__,
                               "the client went away while it sent the body");
    if (APR_STATUS_IS_ENOSPC(status))
        return fs_error_create(FS_ERR_TOO_LARGE, status, NULL, __FILE__,
                               __LINE__,
                               "the body is longer than LimitRequestBody "
                               "allows");
    return fs_error_create(FS_ERR_DAV_REQUEST, status, NULL, __FILE__, __LINE__,
                           "the body could not be read: its transfer coding "
                           "or its compression is broken, or expands too much");
}

static fs_error_t *feed_brigade(repo_body_parser_t *parser,
                                apr_bucket_brigade *brigade, bool *ended)
{
    while (!APR_BRIGADE_EMPTY(brigade)) {
        apr_bucket *bucket = APR_BRIGADE_FIRST(brigade);
        const char *data;
        apr_size_t len;
        apr_status_t status;

        if (APR_BUCKET_IS_EOS(bucket)) {
            *ended = true;
            return NULL;
        }
        if (!APR_BUCKET_IS_METADATA(bucket)) {
            status = apr_bucket_read(bucket, &data, &len, APR_BLOCK_READ);
            if (status != APR_SUCCESS)
                return repo_body_read_error(status);
            if (len > 0)
                FS_TRY(repo_body_parser_feed(parser, data, len, false));
        }
        apr_bucket_delete(bucket);
    }
    return NULL;
}

static fs_error_t *read_all(request_rec *r, repo_body_parser_t *parser,
                            apr_bucket_brigade *brigade)
{
    bool ended = false;

    while (!ended) {
        apr_status_t status =
            ap_get_brigade(r->input_filters, brigade, AP_MODE_READBYTES,
                           APR_BLOCK_READ, FEED_SIZE);
        fs_error_t *err;

        if (status != APR_SUCCESS)
            return repo_body_read_error(status);
        err = feed_brigade(parser, brigade, &ended);
        apr_brigade_cleanup(brigade);
        if (err)
            return err;
    }
    if (!repo_body_parser_began(parser))
        return FS_ERROR(FS_ERR_XML_MALFORMED, "the request has no body");
    return repo_body_parser_feed(parser, "", 0, true);
}

fs_error_t *repo_body_read(request_rec *r, const repo_body_limits_t *limits,
                           const repo_body_handler_t *handler,
                           apr_pool_t *scratch)
{
    repo_body_parser_t *parser =
        repo_body_parser_create(limits, handler, scratch);
    apr_bucket_brigade *brigade =
        apr_brigade_create(scratch, r->connection->bucket_alloc);
    fs_error_t *err;

    if (!parser)
        return FS_ERROR_APR(APR_ENOMEM, "no memory for an XML parser");
    err = read_all(r, parser, brigade);
    apr_brigade_destroy(brigade);
    return err;
}
