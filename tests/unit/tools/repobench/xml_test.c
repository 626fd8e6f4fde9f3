/* SPDX-License-Identifier: Apache-2.0 */
/* Proves tools/repobench/xml.h. */

/* link: tools/repobench/xml.o */
#include "tools/repobench/xml.h"

#include <apr_strings.h>

#include "tests/support/unit.h"

/* What was told, as text: "<name attribute=value>", "</name>", texts. */
typedef struct told_t {
    char *text;
    apr_pool_t *pool;
} told_t;

static void add(told_t *told, const char *text)
{
    told->text = apr_pstrcat(told->pool, told->text, text, NULL);
}

static void on_start(void *baton, const char *name, const char **attributes)
{
    const char *value = bench_xml_attribute(attributes, "rev");
    told_t *told = baton;

    add(told, apr_psprintf(told->pool, "<%s%s%s>", name, value ? " rev=" : "",
                           value ? value : ""));
}

static void on_end(void *baton, const char *name)
{
    told_t *told = baton;

    add(told, apr_psprintf(told->pool, "</%s>", name));
}

static void on_text(void *baton, const char *data, apr_size_t len)
{
    told_t *told = baton;

    add(told, apr_pstrmemdup(told->pool, data, len));
}

static const bench_xml_ops_t all = { on_start, on_end, on_text };
static const char document[] =
    "<?xml version=\"1.0\"?><S:log xmlns:S=\"svn:\"><S:item kind=\"x\" "
    "rev=\"7\">a &amp; b</S:item><C:ns:odd/></S:log>";

static void names_are_told_without_their_prefix(void **state)
{
    told_t told = { "", unit_pool(state) };
    bench_xml_t *xml;

    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    assert_fs_ok(bench_xml_feed(xml, document, strlen(document)));
    assert_fs_ok(bench_xml_finish(xml));
    assert_string_equal(told.text, "<log><item rev=7>a & b</item><ns:odd>"
                                   "</ns:odd></log>");
}

static void it_does_not_matter_how_the_bytes_arrive(void **state)
{
    told_t told = { "", unit_pool(state) };
    bench_xml_t *xml;
    apr_size_t i;

    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    for (i = 0; i < strlen(document); i++)
        assert_fs_ok(bench_xml_feed(xml, document + i, 1));
    assert_fs_ok(bench_xml_finish(xml));
    assert_string_equal(told.text, "<log><item rev=7>a & b</item><ns:odd>"
                                   "</ns:odd></log>");
}

static void what_is_not_asked_for_is_not_told(void **state)
{
    static const bench_xml_ops_t none = { NULL, NULL, NULL };
    bench_xml_t *xml;

    assert_fs_ok(bench_xml_create(&xml, &none, NULL, unit_pool(state)));
    assert_fs_ok(bench_xml_feed(xml, document, strlen(document)));
    assert_fs_ok(bench_xml_finish(xml));
}

static void a_document_that_ends_early_is_malformed(void **state)
{
    told_t told = { "", unit_pool(state) };
    bench_xml_t *xml;

    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    assert_fs_ok(bench_xml_feed(xml, document, strlen(document) - 2));
    assert_fs_error(bench_xml_finish(xml), FS_ERR_XML_MALFORMED);
}

static void no_document_at_all_is_malformed(void **state)
{
    told_t told = { "", unit_pool(state) };
    bench_xml_t *xml;

    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    assert_fs_error(bench_xml_finish(xml), FS_ERR_XML_MALFORMED);
}

static void tags_that_do_not_match_are_malformed(void **state)
{
    told_t told = { "", unit_pool(state) };
    bench_xml_t *xml;

    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    assert_fs_error(bench_xml_feed(xml, "<a></b>", 7), FS_ERR_XML_MALFORMED);
}

static void escaped_text_comes_back(void **state)
{
    told_t told = { "", unit_pool(state) };
    const char *escaped = bench_xml_escape("<a href=\"x\">&'</a>", told.pool);
    bench_xml_t *xml;

    assert_string_equal(escaped,
                        "&lt;a href=&quot;x&quot;&gt;&amp;'&lt;/a&gt;");
    escaped = apr_pstrcat(told.pool, "<t>", escaped, "</t>", NULL);
    assert_fs_ok(bench_xml_create(&xml, &all, &told, told.pool));
    assert_fs_ok(bench_xml_feed(xml, escaped, strlen(escaped)));
    assert_fs_ok(bench_xml_finish(xml));
    assert_string_equal(told.text, "<t><a href=\"x\">&'</a></t>");
    assert_string_equal(bench_xml_escape("", told.pool), "");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(names_are_told_without_their_prefix),
    UNIT_TEST(it_does_not_matter_how_the_bytes_arrive),
    UNIT_TEST(what_is_not_asked_for_is_not_told),
    UNIT_TEST(a_document_that_ends_early_is_malformed),
    UNIT_TEST(no_document_at_all_is_malformed),
    UNIT_TEST(tags_that_do_not_match_are_malformed),
    UNIT_TEST(escaped_text_comes_back),
};

UNIT_MAIN(tests)
