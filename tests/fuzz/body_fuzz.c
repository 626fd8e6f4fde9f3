/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XML bodies: what is told of one must not depend on the pieces that it comes
 * in, and keep to its limits.
 */
/* link: mod_repo/http/body.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "mod_repo/http/body.h"

FUZZ_WITH_APR

static const repo_body_limits_t limits = {
    .bytes = 100000,
    .depth = 8,
    .attributes = 4,
    .namespaces = 6,
    .text = 1000,
    .items = 200,
};

/* What was told, as a number. */
typedef struct told_t {
    apr_uint64_t sum;
    int depth;
} told_t;

static void add(told_t *told, const char *text, apr_size_t len)
{
    for (; len > 0; len--)
        told->sum = told->sum * 31 + (unsigned char)*text++;
    told->sum = told->sum * 31 + 256;
}

static fs_error_t *on_start(void *baton, const repo_body_elem_t *elem)
{
    told_t *told = baton;
    int i;

    if (elem->depth != told->depth++ || elem->depth >= limits.depth ||
        elem->attr_count > limits.attributes)
        abort();
    add(told, elem->ns, strlen(elem->ns));
    add(told, elem->name, strlen(elem->name));
    for (i = 0; i < elem->attr_count; i++) {
        add(told, elem->attrs[i].ns, strlen(elem->attrs[i].ns));
        add(told, elem->attrs[i].name, strlen(elem->attrs[i].name));
        add(told, elem->attrs[i].value, strlen(elem->attrs[i].value));
    }
    return NULL;
}

static fs_error_t *on_end(void *baton, const repo_body_elem_t *elem,
                          const char *text, apr_size_t len)
{
    told_t *told = baton;

    if (elem->depth != --told->depth || text[len] ||
        (apr_int64_t)len > limits.text)
        abort();
    add(told, text, len);
    return NULL;
}

/* Was it accepted? */
static bool feed(told_t *told, const char *data, apr_size_t len,
                 apr_size_t piece, apr_pool_t *pool)
{
    const repo_body_handler_t handler = { on_start, on_end, told };
    repo_body_parser_t *parser =
        repo_body_parser_create(&limits, &handler, pool);
    fs_error_t *err = NULL;

    memset(told, 0, sizeof(*told));
    while (!err && len > 0) {
        apr_size_t part = len < piece ? len : piece;

        err = repo_body_parser_feed(parser, data, part, false);
        data += part;
        len -= part;
    }
    if (!err)
        err = repo_body_parser_feed(parser, "", 0, true);
    fs_error_clear(err);
    return !err;
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    told_t whole, pieces;
    bool accepted = feed(&whole, data, len, len, pool);

    if (feed(&pieces, data, len, 7, pool) != accepted)
        abort();
    if (accepted && (whole.sum != pieces.sum || whole.depth != 0))
        abort();
}

FUZZ_EACH(try_input)
