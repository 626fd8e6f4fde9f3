/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts of mod_repo/http/xml.h and output.h. */
/* link: mod_repo/http/xml.o mod_repo/http/output.o */

#include "mod_repo/http/xml.h"

#include <stdlib.h>

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static httpd_request_t *request;

static repo_output_t *begin(void **state)
{
    request = httpd_request(unit_pool(state));
    return repo_output_create(&request->r, &request->filter, unit_pool(state));
}

/* What reaches the client when `out` is finished. */
static const char *finish(repo_output_t *out)
{
    assert_fs_ok(repo_output_finish(out));
    assert_true(request->ended);
    return request->sent;
}

/* ---- output ---- */

static void nothing_leaves_before_a_block_is_full(void **state)
{
    repo_output_t *out = begin(state);
    char block[REPO_OUTPUT_BLOCK];

    memset(block, 'x', sizeof(block));
    repo_output_write(out, block, 100);
    assert_false(repo_output_started(out));
    repo_output_write(out, block, sizeof(block) - 100);
    assert_false(repo_output_started(out));
    repo_output_write(out, "y", 1);
    assert_true(repo_output_started(out));
    assert_int_equal(request->sent_len, sizeof(block));
    assert_int_equal(strlen(finish(out)), sizeof(block) + 1);
}

static void what_was_discarded_does_not_leave(void **state)
{
    repo_output_t *out = begin(state);

    repo_output_puts(out, "wrong");
    repo_output_discard(out);
    repo_output_puts(out, "right");
    assert_string_equal(finish(out), "right");
}

static void a_flush_sends_what_is_there(void **state)
{
    repo_output_t *out = begin(state);

    repo_output_puts(out, "now");
    repo_output_flush(out);
    assert_string_equal(request->sent, "now");
    assert_int_equal(request->flushes, 1);
}

static void a_client_that_is_gone_is_told_as_cancelled(void **state)
{
    repo_output_t *out = begin(state);

    request->fail = APR_ECONNABORTED;
    repo_output_puts(out, "x");
    assert_fs_ok(repo_output_check(out));
    repo_output_flush(out);
    assert_fs_error(repo_output_check(out), FS_ERR_CANCELLED);
    assert_fs_error(repo_output_finish(out), FS_ERR_CANCELLED);
}

static void a_broken_answer_has_no_clean_end(void **state)
{
    repo_output_t *out = begin(state);

    repo_output_puts(out, "x");
    repo_output_flush(out);
    repo_output_break(out);
    assert_true(request->broken);
    assert_true(request->c.aborted);
    assert_fs_error(repo_output_check(out), FS_ERR_CANCELLED);
}

static void numbers_are_decimal(void **state)
{
    repo_output_t *out = begin(state);

    repo_output_number(out, 0);
    repo_output_puts(out, " ");
    repo_output_number(out, -17);
    repo_output_puts(out, " ");
    repo_output_number(out, APR_INT64_MIN);
    repo_output_printf(out, " %d %s", 5, "x");
    assert_string_equal(finish(out), "0 -17 -9223372036854775808 5 x");
}

static void long_formats_are_written_whole(void **state)
{
    repo_output_t *out = begin(state);
    char text[2000];

    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    repo_output_printf(out, "<%s>", text);
    assert_int_equal(strlen(finish(out)), sizeof(text) + 1);
}

static void a_stream_is_copied_up_to_a_limit(void **state)
{
    repo_output_t *out = begin(state);
    fs_stream_t *text =
        fs_stream_from_bytes("0123456789", 10, unit_pool(state));

    assert_fs_ok(repo_output_stream(out, text, 4));
    assert_string_equal(finish(out), "0123");
}

/* ---- escaping ---- */

static void text_escapes_markup_and_carriage_returns(void **state)
{
    repo_output_t *out = begin(state);

    repo_xml_text_of(out, "a<b>&\"c\r\n\t");
    assert_string_equal(finish(out), "a&lt;b&gt;&amp;\"c&#13;\n\t");
}

static void attributes_escape_quotes_and_white_space(void **state)
{
    repo_output_t *out = begin(state);

    repo_xml_attribute(out, "name", "a\"<\n\t&");
    assert_string_equal(finish(out), " name=\"a&quot;&lt;&#10;&#9;&amp;\"");
}

static void escaping_into_a_string_is_the_same(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(repo_xml_escape("a<\r", 3, false, pool), "a&lt;&#13;");
    assert_string_equal(repo_xml_escape("\"x", 2, true, pool), "&quot;x");
    assert_string_equal(repo_xml_escape("plain", 3, false, pool), "pla");
    assert_string_equal(repo_xml_escape("", 0, false, pool), "");
}

static void control_bytes_and_bad_utf8_are_unsafe(void **state)
{
    (void)state;
    assert_true(repo_xml_is_safe("a\t\r\n\xc3\xa9", 6));
    assert_true(repo_xml_is_safe("", 0));
    assert_false(repo_xml_is_safe("a\x01", 2));
    assert_false(repo_xml_is_safe("a\0b", 3));
    assert_false(repo_xml_is_safe("\x7f", 1));
    assert_false(repo_xml_is_safe("\xff", 1));
    assert_false(repo_xml_is_safe("\xed\xa0\x80", 3));
}

/* ---- base64 ---- */

static void base64_pads_at_the_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(repo_xml_encode_base64("", 0, pool), "");
    assert_string_equal(repo_xml_encode_base64("f", 1, pool), "Zg==\n");
    assert_string_equal(repo_xml_encode_base64("fo", 2, pool), "Zm8=\n");
    assert_string_equal(repo_xml_encode_base64("foo", 3, pool), "Zm9v\n");
    assert_string_equal(repo_xml_encode_base64("\0\x01\x62\x6e\xbb", 5, pool),
                        "AAFibrs=\n");
}

static void base64_breaks_lines_after_76_characters(void **state)
{
    repo_output_t *out = begin(state);
    char bytes[58];

    memset(bytes, 0, sizeof(bytes));
    repo_xml_base64(out, bytes, sizeof(bytes));
    assert_string_equal(finish(out),
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                        "AAAAAAAAAAAAAAAAAAAAAA\nAA==\n");
    assert_string_equal(repo_xml_encode_base64(bytes, 57, unit_pool(state)),
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                        "AAAAAAAAAAAAAAAAAA"
                        "AAAA\n");
}

static void assert_decoded(const char *text, const char *bytes, apr_size_t len,
                           void **state)
{
    fs_bytes_t decoded =
        repo_xml_base64_decode(text, strlen(text), unit_pool(state));

    assert_int_equal(decoded.len, len);
    assert_memory_equal(decoded.data, bytes, len);
}

static void base64_is_read_whatever_stands_between(void **state)
{
    assert_decoded("", "", 0, state);
    assert_decoded("AAFibrs=\n", "\0\x01\x62\x6e\xbb", 5, state);
    assert_decoded(" Zm\r\n9v!*=Zg", "foof", 4, state);
    assert_decoded("+/+/", "\xfb\xff\xbf", 3, state);
    assert_decoded("Z", "", 0, state);
}

static void base64_of_a_stream_is_one_line(void **state)
{
    repo_output_t *out = begin(state);
    apr_size_t len = 10000, i;
    char *bytes = apr_pcalloc(unit_pool(state), len);

    assert_fs_ok(repo_xml_base64_stream(
        out, fs_stream_from_bytes(bytes, len, unit_pool(state))));
    finish(out);
    assert_int_equal(request->sent_len, 13336);
    for (i = 0; i < 13334; i++)
        assert_int_equal(request->sent[i], 'A');
    assert_string_equal(request->sent + 13334, "==");
}

/* ---- values ---- */

static void a_safe_value_is_text(void **state)
{
    repo_output_t *out = begin(state);

    repo_xml_named_value(out, "S:set-prop", "a\"b", "x&y", 3);
    assert_string_equal(finish(out),
                        "<S:set-prop name=\"a&quot;b\">x&amp;y</S:set-prop>\n");
}

static void an_unsafe_value_is_base64(void **state)
{
    repo_output_t *out = begin(state);

    repo_xml_value(out, "S:owner", " k=\"v\"", "\0\x01", 2);
    assert_string_equal(finish(out), "<S:owner k=\"v\" encoding=\"base64\">\n"
                                     "AAE=\n</S:owner>\n");
}

static void an_empty_value_is_an_empty_element(void **state)
{
    repo_output_t *out = begin(state);

    repo_xml_value(out, "D:comment", "", "", 0);
    assert_string_equal(finish(out), "<D:comment/>\n");
}

static void properties_have_their_namespace_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "x<", 2 }, bytes = { "\x01", 1 }, empty = { "", 0 };

    assert_string_equal(repo_xml_property("svn:ignore", &text, pool),
                        "<S:ignore>x&lt;</S:ignore>\n");
    assert_string_equal(repo_xml_property("ns:odd", &text, pool),
                        "<C:ns:odd>x&lt;</C:ns:odd>\n");
    assert_string_equal(repo_xml_property("b", &bytes, pool),
                        "<C:b V:encoding=\"base64\">AQ==\n</C:b>\n");
    assert_string_equal(repo_xml_property("e", &empty, pool), "<C:e/>\n");
}

static void authors_lose_control_characters(void **state)
{
    fs_bytes_t author = { "a\x01l\nice", 7 };

    assert_string_equal(repo_xml_strip_controls(&author, unit_pool(state)),
                        "al\nice");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(nothing_leaves_before_a_block_is_full),
    UNIT_TEST(what_was_discarded_does_not_leave),
    UNIT_TEST(a_flush_sends_what_is_there),
    UNIT_TEST(a_client_that_is_gone_is_told_as_cancelled),
    UNIT_TEST(a_broken_answer_has_no_clean_end),
    UNIT_TEST(numbers_are_decimal),
    UNIT_TEST(long_formats_are_written_whole),
    UNIT_TEST(a_stream_is_copied_up_to_a_limit),
    UNIT_TEST(text_escapes_markup_and_carriage_returns),
    UNIT_TEST(attributes_escape_quotes_and_white_space),
    UNIT_TEST(escaping_into_a_string_is_the_same),
    UNIT_TEST(control_bytes_and_bad_utf8_are_unsafe),
    UNIT_TEST(base64_pads_at_the_end),
    UNIT_TEST(base64_breaks_lines_after_76_characters),
    UNIT_TEST(base64_is_read_whatever_stands_between),
    UNIT_TEST(base64_of_a_stream_is_one_line),
    UNIT_TEST(a_safe_value_is_text),
    UNIT_TEST(an_unsafe_value_is_base64),
    UNIT_TEST(an_empty_value_is_an_empty_element),
    UNIT_TEST(properties_have_their_namespace_by_name),
    UNIT_TEST(authors_lose_control_characters),
};

UNIT_MAIN(tests)
