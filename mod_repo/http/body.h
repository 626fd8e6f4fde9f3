/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an XML body as a stream: Expat with limits, namespaces resolved,
 * one call a start tag and one an end tag with the element's text.
 */

#ifndef MOD_REPO_HTTP_BODY_H
#define MOD_REPO_HTTP_BODY_H

#include <httpd.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** What a body may be; 0 means no limit. */
typedef struct repo_body_limits_t {
    apr_int64_t bytes; /* of the decoded body */
    apr_int64_t depth;
    apr_int64_t attributes;
    apr_int64_t namespaces; /* declarations in the whole body */
    apr_int64_t text;       /* bytes of the text of one element */
    /* Names for messages: what to raise. May be NULL. */
    const char *bytes_directive;
    const char *depth_directive;
    const char *attributes_directive;
    const char *namespaces_directive;
    const char *text_directive;
    /* Elements and attributes in all: for a body that is held in memory. */
    apr_int64_t items;
    const char *items_directive;
} repo_body_limits_t;

/** An attribute without its prefix; valid during the call. */
typedef struct repo_body_attr_t {
    const char *ns; /* "" without a prefix */
    const char *name;
    const char *value;
} repo_body_attr_t;

/** An element; valid during the call. */
typedef struct repo_body_elem_t {
    const char *ns;   /* namespace URI, "" if there is none */
    const char *name; /* what follows the first colon */
    int depth;        /* 0: the root */
    const repo_body_attr_t *attrs;
    int attr_count; /* 0 at the end tag */
} repo_body_elem_t;

typedef struct repo_body_handler_t {
    fs_error_t *(*start)(void *baton, const repo_body_elem_t *elem);
    /**
     * The element ends; `text` is what stood directly in it, `len` bytes with
     * a NUL after them.
     */
    fs_error_t *(*end)(void *baton, const repo_body_elem_t *elem,
                       const char *text, apr_size_t len);
    void *baton;
} repo_body_handler_t;

/** Value of an attribute without namespace, or NULL. */
const char *repo_body_attr(const repo_body_elem_t *elem, const char *name);

/** Is it the element `name` of namespace `ns`? */
bool repo_body_is(const repo_body_elem_t *elem, const char *ns,
                  const char *name);

/** A parser that is fed piece by piece (for filters and tests). */
typedef struct repo_body_parser_t repo_body_parser_t;

/** Lives in `pool`. `handler` may be NULL: then the body is only checked. */
repo_body_parser_t *repo_body_parser_create(const repo_body_limits_t *limits,
                                            const repo_body_handler_t *handler,
                                            apr_pool_t *pool);

/**
 * Feed `len` bytes; `last` marks the end of the body.
 * Errors: FS_ERR_XML_MALFORMED: not well-formed, a DOCTYPE, a processing
 *         instruction, too deep, too many attributes or namespaces;
 *         FS_ERR_TOO_LARGE: body, text, items or the names of namespaces
 *         exceed a limit; what the handler returned.
 * Memory: independent of the body's length.
 */
fs_error_t *repo_body_parser_feed(repo_body_parser_t *parser, const char *data,
                                  apr_size_t len, bool last) FS_MUST_CHECK;

/** Did any byte arrive? */
bool repo_body_parser_began(const repo_body_parser_t *parser);

/** Is `status`, of a read that failed, that of a client which is gone or
 *  stands still? */
bool repo_body_is_cut(apr_status_t status);

/**
 * What a failed read of a body means: FS_ERR_CANCELLED, the client is gone;
 * FS_ERR_TOO_LARGE, a limit of httpd; FS_ERR_DAV_REQUEST, a filter of httpd
 * could not decode it.
 */
fs_error_t *repo_body_read_error(apr_status_t status);

/**
 * Read the whole body of a request through the parser.
 * Errors: as repo_body_parser_feed(); FS_ERR_XML_MALFORMED: no body;
 *         those of repo_body_read_error().
 */
fs_error_t *repo_body_read(request_rec *r, const repo_body_limits_t *limits,
                           const repo_body_handler_t *handler,
                           apr_pool_t *scratch) FS_MUST_CHECK;

#endif
