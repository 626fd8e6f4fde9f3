/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/xml_fragment.h. */
/* link: mod_repo/http/xml_fragment.o mod_repo/http/body.o */
/* link: mod_repo/http/xml.o mod_repo/http/output.o */

#include "mod_repo/http/xml_fragment.h"

#include <string.h>

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static bool is_fragment(void **state, const char *text)
{
    return repo_xml_is_fragment(text, strlen(text), unit_pool(state));
}

static void text_and_elements_are_fragments(void **state)
{
    assert_true(is_fragment(state, ""));
    assert_true(is_fragment(state, "a &lt; b"));
    assert_true(is_fragment(state, "a<b c='1'/><d>e</d>f"));
    assert_true(is_fragment(state, "<p:a xmlns:p='urn:x'><p:b/></p:a>"));
}

static void what_would_break_a_document_is_none(void **state)
{
    assert_false(is_fragment(state, "a < b"));
    assert_false(is_fragment(state, "<a>"));
    assert_false(is_fragment(state, "</x><x>"));
    assert_false(is_fragment(state, "a & b"));
    assert_false(is_fragment(state, "<!-- x"));
    assert_false(is_fragment(state, "<?pi x?>"));
    assert_false(is_fragment(state, "<![CDATA[x"));
}

static void a_prefix_from_outside_is_none_of_a_fragment(void **state)
{
    assert_false(is_fragment(state, "<p:a/>"));
    assert_false(is_fragment(state, "<a p:b='1'/>"));
}

static void nesting_is_bounded(void **state)
{
    char text[7 * 70 + 1] = "";
    int i;

    for (i = 0; i < 70; i++)
        strcat(text, "<a>");
    for (i = 0; i < 70; i++)
        strcat(text, "</a>");
    assert_false(is_fragment(state, text));
}

/* The inside of the root of a document. */
static const char *inner(void **state, const char *document)
{
    apr_pool_t *pool = unit_pool(state);
    apr_xml_parser *parser = apr_xml_parser_create(pool);
    apr_xml_doc *doc;

    assert_int_equal(apr_xml_parser_feed(parser, document, strlen(document)),
                     APR_SUCCESS);
    assert_int_equal(apr_xml_parser_done(parser, &doc), APR_SUCCESS);
    return repo_xml_inner(doc->root, doc->namespaces, pool);
}

static void text_stays_quoted(void **state)
{
    assert_string_equal(inner(state, "<x>a &lt; b &amp;&#13; c</x>"),
                        "a &lt; b &amp;&#13; c");
    assert_string_equal(inner(state, "<x/>"), "");
}

static void declarations_from_outside_are_written_where_they_count(void **state)
{
    assert_string_equal(
        inner(state, "<x xmlns:p='urn:p' xmlns='urn:d'>a<p:b q='1'>"
                     "<p:c/><e/></p:b>f<g p:h='\"'/></x>"),
        "a<ns2:b xmlns:ns2=\"urn:p\" q=\"1\"><ns2:c/>"
        "<ns1:e xmlns:ns1=\"urn:d\"/></ns2:b>"
        "f<ns1:g xmlns:ns1=\"urn:d\" xmlns:ns2=\"urn:p\" ns2:h=\"&quot;\"/>");
}

static void names_of_namespaces_are_quoted(void **state)
{
    const char *text =
        inner(state, "<x xmlns:p='a&quot;b&amp;&lt;'><p:b/></x>");

    assert_true(is_fragment(state, text));
    assert_non_null(strstr(text, "=\"a&quot;b&amp;&lt;\""));
}

static void a_language_is_kept_where_it_begins(void **state)
{
    assert_string_equal(
        inner(state, "<x xml:lang='en'><a/><b xml:lang='de'><c/></b></x>"),
        "<a/><b xml:lang=\"de\"><c/></b>");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(text_and_elements_are_fragments),
    UNIT_TEST(what_would_break_a_document_is_none),
    UNIT_TEST(a_prefix_from_outside_is_none_of_a_fragment),
    UNIT_TEST(nesting_is_bounded),
    UNIT_TEST(text_stays_quoted),
    UNIT_TEST(declarations_from_outside_are_written_where_they_count),
    UNIT_TEST(names_of_namespaces_are_quoted),
    UNIT_TEST(a_language_is_kept_where_it_begins),
};

UNIT_MAIN(tests)
