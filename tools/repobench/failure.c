/* SPDX-License-Identifier: Apache-2.0 */
/* What a server says in the body of an answer that reports a failure. */

#include "tools/repobench/failure.h"

#include <stdbool.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "tools/repobench/xml.h"

#define TEXT_MAX 1000 /* bytes that are shown */

typedef struct failure_t {
    bool inside;
    char number[16];
    char text[TEXT_MAX + 1];
    apr_size_t len;
} failure_t;

static void on_start(void *baton, const char *name, const char **attributes)
{
    failure_t *failure = baton;
    const char *number = bench_xml_attribute(attributes, "errcode");

    failure->inside = strcmp(name, "human-readable") == 0;
    if (failure->inside && number)
        apr_cpystrn(failure->number, number, sizeof(failure->number));
}

static void on_end(void *baton, const char *name)
{
    (void)name;
    ((failure_t *)baton)->inside = false;
}

static void on_text(void *baton, const char *data, apr_size_t len)
{
    failure_t *failure = baton;
    apr_size_t room = TEXT_MAX - failure->len;

    if (!failure->inside)
        return;
    if (len > room)
        len = room;
    memcpy(failure->text + failure->len, data, len);
    failure->len += len;
}

/* One line: blanks at the ends go, those in the middle become one space. */
static void squeeze(char *text)
{
    char *out = text, *in;

    for (in = text; *in; in++)
        if (!apr_isspace(*in))
            *out++ = *in;
        else if (out > text && out[-1] != ' ')
            *out++ = ' ';
    while (out > text && out[-1] == ' ')
        out--;
    *out = '\0';
}

const char *bench_failure_text(const char *body, apr_size_t len,
                               apr_pool_t *pool)
{
    static const bench_xml_ops_t ops = { on_start, on_end, on_text };
    failure_t *failure = apr_pcalloc(pool, sizeof(*failure));
    fs_error_t *err;
    bench_xml_t *xml;

    err = bench_xml_create(&xml, &ops, failure, pool);
    if (!err)
        err = bench_xml_feed(xml, body, len);
    /* A page for browsers is often no XML: what was found until then counts. */
    fs_error_clear(err);
    squeeze(failure->text);
    if (!*failure->text)
        return NULL;
    if (!*failure->number)
        return failure->text;
    return apr_psprintf(pool, "E%s: %s", failure->number, failure->text);
}
