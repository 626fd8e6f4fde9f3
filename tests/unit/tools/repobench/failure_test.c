/* SPDX-License-Identifier: Apache-2.0 */
/* Proves tools/repobench/failure.h. */

/* link: tools/repobench/failure.o tools/repobench/xml.o */
#include "tools/repobench/failure.h"

#include <string.h>

#include "tests/support/unit.h"

static const char *text_of(const char *body, apr_pool_t *pool)
{
    return bench_failure_text(body, strlen(body), pool);
}

static void number_and_sentence_are_found(void **state)
{
    const char *body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                       "<D:error xmlns:D=\"DAV:\" xmlns:m=\"http://x\" "
                       "xmlns:C=\"svn:\">\n<C:error/>\n"
                       "<m:human-readable errcode=\"160013\">\n"
                       "path  &lt;'/a'&gt;\nnot found\n"
                       "</m:human-readable>\n</D:error>\n";

    assert_string_equal(text_of(body, unit_pool(state)),
                        "E160013: path <'/a'> not found");
}

static void a_sentence_without_number_is_told_alone(void **state)
{
    assert_string_equal(text_of("<e><human-readable>gone</human-readable></e>",
                                unit_pool(state)),
                        "gone");
}

static void other_xml_has_no_text(void **state)
{
    assert_null(text_of("<e><x>gone</x></e>", unit_pool(state)));
}

static void a_page_for_browsers_has_no_text(void **state)
{
    assert_null(
        text_of("<!DOCTYPE HTML><p>Not Found<br>here", unit_pool(state)));
    assert_null(text_of("plain words", unit_pool(state)));
    assert_null(text_of("", unit_pool(state)));
}

static void what_stands_before_a_syntax_error_counts(void **state)
{
    assert_string_equal(
        text_of("<e><human-readable errcode=\"1\">cut</human-readable><",
                unit_pool(state)),
        "E1: cut");
}

static void a_long_sentence_is_cut(void **state)
{
    char body[5000] = "<e><human-readable>";
    const char *text;

    memset(body + strlen(body), 'x', 4000);
    strcpy(body + strlen("<e><human-readable>") + 4000,
           "</human-readable></e>");
    text = text_of(body, unit_pool(state));
    assert_int_equal(strlen(text), 1000);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(number_and_sentence_are_found),
    UNIT_TEST(a_sentence_without_number_is_told_alone),
    UNIT_TEST(other_xml_has_no_text),
    UNIT_TEST(a_page_for_browsers_has_no_text),
    UNIT_TEST(what_stands_before_a_syntax_error_counts),
    UNIT_TEST(a_long_sentence_is_cut),
};

UNIT_MAIN(tests)
