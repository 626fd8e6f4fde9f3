/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/body.h. */
/* link: mod_repo/http/body.o */

#include "mod_repo/http/body.h"

#include <apr_strings.h>

#include "tests/support/unit.h"

static const repo_body_limits_t limits = {
    .bytes = 1000,
    .depth = 4,
    .attributes = 3,
    .namespaces = 3,
    .text = 20,
    .bytes_directive = "RepoLimitReportBody",
    .depth_directive = "RepoLimitXMLDepth",
    .attributes_directive = "RepoLimitXMLAttributes",
    .namespaces_directive = "RepoLimitXMLNamespaces",
    .text_directive = "RepoLimitXMLText",
    .items = 9,
    .items_directive = "RepoLimitXMLItems",
};

/* What was told, as text. */
static const char *told;
static apr_pool_t *told_pool;

static fs_error_t *on_start(void *baton, const repo_body_elem_t *elem)
{
    const char *rev = repo_body_attr(elem, "rev");

    (void)baton;
    told =
        apr_psprintf(told_pool, "%s<%s|%s@%d%s%s", told, elem->ns, elem->name,
                     elem->depth, rev ? " rev=" : "", rev ? rev : "");
    return strcmp(elem->name, "stop") == 0
               ? FS_ERROR(FS_ERR_BAD_ARGS, "stopped")
               : NULL;
}

static fs_error_t *on_end(void *baton, const repo_body_elem_t *elem,
                          const char *text, apr_size_t len)
{
    (void)baton;
    assert_int_equal(strlen(text), len);
    told = apr_psprintf(told_pool, "%s>%s[%s]", told, elem->name, text);
    return NULL;
}

static const repo_body_handler_t handler = { on_start, on_end, NULL };

/* Feed in pieces of `step` bytes. */
static fs_error_t *feed(const char *xml, apr_size_t step, void **state)
{
    repo_body_parser_t *parser =
        repo_body_parser_create(&limits, &handler, unit_pool(state));
    apr_size_t left = strlen(xml);

    told = "";
    told_pool = unit_pool(state);
    for (; left > step; left -= step, xml += step)
        FS_TRY(repo_body_parser_feed(parser, xml, step, false));
    return repo_body_parser_feed(parser, xml, left, true);
}

static void elements_are_told_with_namespace_depth_and_text(void **state)
{
    static const char xml[] =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<S:r xmlns:S=\"svn:\" rev='7'>a<S:p>b&amp;c</S:p>d</S:r>";
    static const char expected[] = "<svn:|r@0 rev=7<svn:|p@1>p[b&c]>r[ad]";

    assert_fs_ok(feed(xml, 1000, state));
    assert_string_equal(told, expected);
    assert_fs_ok(feed(xml, 1, state));
    assert_string_equal(told, expected);
}

static void an_inner_namespace_hides_an_outer_one(void **state)
{
    assert_fs_ok(feed("<a xmlns='o'><b xmlns='i'/><c/></a>", 1000, state));
    assert_string_equal(told, "<o|a@0<i|b@1>b[]<o|c@1>c[]>a[]");
}

static void a_name_is_split_at_the_first_colon(void **state)
{
    assert_fs_ok(feed("<C:ns:odd xmlns:C='c'/>", 1000, state));
    assert_string_equal(told, "<c|ns:odd@0>ns:odd[]");
}

static void an_attribute_with_a_prefix_is_another_one(void **state)
{
    assert_fs_ok(feed("<a xmlns:x='u' x:rev='1'/>", 1000, state));
    assert_string_equal(told, "<|a@0>a[]");
}

static void malformed_bodies_are_refused(void **state)
{
    static const char *const rows[] = {
        "",
        "<a>",
        "<a></b>",
        "<x:a/>",
        "<a x:b='1'/>",
        "text",
        "<a/><b/>",
        "<a b='1' b='2'/>",
        "<a>\x01</a>",
        "<a>&nope;</a>",
        "<a>\xff</a>",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_fs_error(feed(rows[i], 1000, state), FS_ERR_XML_MALFORMED);
}

static void document_types_and_instructions_are_refused(void **state)
{
    assert_fs_error_says(
        feed("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", 1000, state),
        FS_ERR_XML_MALFORMED, "document type");
    assert_fs_error_says(feed("<a><?php x?></a>", 1000, state),
                         FS_ERR_XML_MALFORMED, "processing instruction");
    assert_fs_error_says(
        feed("<?xml version='1.0' encoding='iso-8859-1'?><a/>", 1000, state),
        FS_ERR_XML_MALFORMED, "encoding");
}

static void limits_hold_at_their_value_and_not_above(void **state)
{
    assert_fs_ok(feed("<a><b><c><d/></c></b></a>", 1000, state));
    assert_fs_error_says(feed("<a><b><c><d><e/></d></c></b></a>", 1000, state),
                         FS_ERR_XML_MALFORMED,
                         "deeper than 4, see RepoLimitXMLDepth");
    assert_fs_ok(feed("<a b='' c='' d=''/>", 1000, state));
    assert_fs_error_says(feed("<a b='' c='' d='' e=''/>", 1000, state),
                         FS_ERR_XML_MALFORMED,
                         "3 attributes, see RepoLimitXMLAttributes");
    assert_fs_ok(feed("<a xmlns:b='1' xmlns:c='2' xmlns:d='3'/>", 1000, state));
    assert_fs_error_says(
        feed("<a xmlns:b='1'><c xmlns:b='2'/><d xmlns:b='3'/><e xmlns:b='4'/>"
             "</a>",
             1000, state),
        FS_ERR_XML_MALFORMED, "3 namespaces, see RepoLimitXMLNamespaces");
    assert_fs_ok(feed("<a>12345678901234567890</a>", 1000, state));
    assert_fs_error_says(feed("<a>123456789012345678901</a>", 1000, state),
                         FS_ERR_TOO_LARGE, "RepoLimitXMLText");
}

static void elements_and_attributes_are_counted_together(void **state)
{
    assert_fs_ok(
        feed("<a b=''><c d='' e=''/><f/><g/><h/><i/></a>", 1000, state));
    assert_fs_error_says(
        feed("<a b=''><c d='' e=''/><f/><g/><h/><i/><j/></a>", 1000, state),
        FS_ERR_TOO_LARGE, "more than 9 elements and attributes");
    assert_fs_error_says(
        feed("<a><b/><c/><d/><e/><f/><g/><h/><i/><j/></a>", 3, state),
        FS_ERR_TOO_LARGE, "RepoLimitXMLItems");
}

static void names_of_namespaces_are_limited_in_all(void **state)
{
    static const repo_body_limits_t none = { 0 };
    apr_pool_t *pool = unit_pool(state);
    char *uri = apr_palloc(pool, 65536);
    const char *xml;
    repo_body_parser_t *parser;

    memset(uri, 'u', 65535);
    uri[65535] = '\0';
    xml = apr_pstrcat(pool, "<a xmlns:b='", uri, "'>", NULL);
    parser = repo_body_parser_create(&none, NULL, pool);
    assert_fs_ok(repo_body_parser_feed(parser, xml, strlen(xml), false));
    assert_fs_error_says(
        repo_body_parser_feed(parser, "<c xmlns='d'/></a>", 18, true),
        FS_ERR_TOO_LARGE, "65536 bytes");
}

static void a_long_body_names_the_directive_to_raise(void **state)
{
    char *xml = apr_palloc(unit_pool(state), 1002);

    memset(xml, ' ', 1001);
    memcpy(xml, "<a/>", 4);
    xml[1000] = '\0';
    assert_fs_ok(feed(xml, 100, state));
    xml[1000] = ' ';
    xml[1001] = '\0';
    assert_fs_error_says(feed(xml, 100, state), FS_ERR_TOO_LARGE,
                         "RepoLimitReportBody");
}

static void an_error_of_the_handler_ends_the_parse(void **state)
{
    assert_fs_error_says(feed("<a><stop/><b/></a>", 1000, state),
                         FS_ERR_BAD_ARGS, "stopped");
    assert_string_equal(told, "<|a@0<|stop@1");
}

/* Feed a body of nothing but `len` bytes between two others. */
static fs_error_t *feed_long(const char *before, apr_size_t len,
                             const char *after, apr_pool_t *pool)
{
    static const repo_body_limits_t none = { 0 };
    repo_body_parser_t *parser = repo_body_parser_create(&none, NULL, pool);
    char *middle = apr_palloc(pool, len);

    memset(middle, ' ', len);
    FS_TRY(repo_body_parser_feed(parser, before, strlen(before), false));
    FS_TRY(repo_body_parser_feed(parser, middle, len, false));
    return repo_body_parser_feed(parser, after, strlen(after), true);
}

static void a_tag_has_a_length(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_fs_ok(feed_long("<a b='", 1048567, "'/>", pool));
    assert_fs_error_says(feed_long("<a b='", 1048568, "'/>", pool),
                         FS_ERR_TOO_LARGE, "1048576 bytes");
    assert_fs_error_says(feed_long("<a b='", 5000000, "", pool),
                         FS_ERR_TOO_LARGE, "1048576 bytes");
    assert_fs_error_says(feed_long("<!--", 5000000, "", pool), FS_ERR_TOO_LARGE,
                         "1048576 bytes");
    assert_fs_ok(feed_long("<a/>", 5000000, "", pool));
    assert_fs_ok(feed_long("", 5000000, "<a/>", pool));
    assert_fs_ok(feed_long("<a>", 5000000, "</a>", pool));
}

static void texts_are_limited_without_a_handler(void **state)
{
    static const char xml[] = "<a>12345<b>12345678901234567890</b>123456";
    repo_body_parser_t *parser =
        repo_body_parser_create(&limits, NULL, unit_pool(state));

    assert_fs_ok(repo_body_parser_feed(parser, xml, sizeof(xml) - 1, false));
    assert_fs_error_says(
        repo_body_parser_feed(parser, "7890123456</a>", 14, true),
        FS_ERR_TOO_LARGE, "RepoLimitXMLText");
}

static void a_failed_read_tells_whose_fault_it_was(void **state)
{
    (void)state;
    assert_fs_error(repo_body_read_error(APR_EOF), FS_ERR_CANCELLED);
    assert_fs_error(repo_body_read_error(APR_TIMEUP), FS_ERR_CANCELLED);
    assert_fs_error_says(repo_body_read_error(APR_ENOSPC), FS_ERR_TOO_LARGE,
                         "LimitRequestBody");
    assert_fs_error_says(repo_body_read_error(APR_EINVAL), FS_ERR_DAV_REQUEST,
                         "compression");
}

static void a_body_can_be_checked_without_a_handler(void **state)
{
    repo_body_parser_t *parser =
        repo_body_parser_create(&limits, NULL, unit_pool(state));

    assert_false(repo_body_parser_began(parser));
    assert_fs_ok(repo_body_parser_feed(parser, "<a>text", 7, false));
    assert_true(repo_body_parser_began(parser));
    assert_fs_ok(repo_body_parser_feed(parser, "</a>", 4, true));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(elements_are_told_with_namespace_depth_and_text),
    UNIT_TEST(an_inner_namespace_hides_an_outer_one),
    UNIT_TEST(a_name_is_split_at_the_first_colon),
    UNIT_TEST(an_attribute_with_a_prefix_is_another_one),
    UNIT_TEST(malformed_bodies_are_refused),
    UNIT_TEST(document_types_and_instructions_are_refused),
    UNIT_TEST(limits_hold_at_their_value_and_not_above),
    UNIT_TEST(elements_and_attributes_are_counted_together),
    UNIT_TEST(names_of_namespaces_are_limited_in_all),
    UNIT_TEST(a_long_body_names_the_directive_to_raise),
    UNIT_TEST(an_error_of_the_handler_ends_the_parse),
    UNIT_TEST(a_tag_has_a_length),
    UNIT_TEST(texts_are_limited_without_a_handler),
    UNIT_TEST(a_failed_read_tells_whose_fault_it_was),
    UNIT_TEST(a_body_can_be_checked_without_a_handler),
};

UNIT_MAIN(tests)
