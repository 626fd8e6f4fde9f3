/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/ini.h. */

#include "libfs/format/ini.h"

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "tests/support/unit.h"

static fs_error_t *note(void *baton, const char *section, const char *name,
                        const char *value)
{
    fs_buffer_printf(baton, "<%s|%s|%s>", section, name, value);
    return NULL;
}

static fs_error_t *parse(fs_buffer_t *told, const char *data, apr_size_t len)
{
    fs_bytes_t text = { data, len };

    return fs_ini_parse("x.conf", text, note, told, told->pool);
}

static void assert_told(const char *data, const char *expected, void **state)
{
    fs_buffer_t *told = fs_buffer_create(64, unit_pool(state));

    assert_fs_ok(parse(told, data, strlen(data)));
    assert_bytes_equal(told->data, told->len, expected, strlen(expected));
}

static void options_are_told_with_their_sections(void **state)
{
    assert_told("[a]\nx=1\ny : 2 = 3\n[b]\nX = a # b \n= none\ne=\n",
                "<a|x|1><a|y|2 = 3><b|X|a # b><b||none><b|e|>", state);
}

static void comments_blank_lines_and_carriage_returns_are_passed_over(
    void **state)
{
    assert_told("\xef\xbb\xbf\n# c\n  \n[a] more\r\n#x=1\r\nb=2\r\n\r\n",
                "<a|b|2>", state);
}

static void indented_lines_continue_a_value_until_an_empty_one(void **state)
{
    assert_told("[a]\nx = 1\n  2\n# c\n\t# 3\ny =\n 4\n\n 5\n",
                "<a|x|1 2 # 3><a|y|4>", state);
}

static void an_empty_text_has_no_options(void **state)
{
    assert_told("", "", state);
}

static void malformed_lines_are_refused_by_number(void **state)
{
    static const char *const rows[][2] = {
        { "[a]\nx=1\n[b\n", "x.conf line 3: a section needs a ']'" },
        { "[a]\n\njunk\n", "x.conf line 3: 'name = value' is expected" },
        { "x=1\n", "x.conf line 1: a section has to come first" },
    };
    fs_buffer_t *told = fs_buffer_create(64, unit_pool(state));
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_fs_error_says(parse(told, rows[i][0], strlen(rows[i][0])),
                             FS_ERR_BAD_CONFIG, rows[i][1]);
    assert_fs_error_says(parse(told, "[a]\nb=1\0002\n", 10), FS_ERR_BAD_CONFIG,
                         "x.conf line 2: there is a NUL byte in it");
}

static fs_error_t *refuse(void *baton, const char *section, const char *name,
                          const char *value)
{
    (void)baton;
    (void)section;
    (void)name;
    return FS_ERROR(FS_ERR_BAD_ARGS, "not '%s'", value);
}

static void the_receiver_s_error_ends_it(void **state)
{
    fs_bytes_t text = { "[a]\nx=1\ny=2\n", 12 };

    assert_fs_error_says(
        fs_ini_parse("x", text, refuse, NULL, unit_pool(state)),
        FS_ERR_BAD_ARGS, "not '1'");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(options_are_told_with_their_sections),
    UNIT_TEST(comments_blank_lines_and_carriage_returns_are_passed_over),
    UNIT_TEST(indented_lines_continue_a_value_until_an_empty_one),
    UNIT_TEST(an_empty_text_has_no_options),
    UNIT_TEST(malformed_lines_are_refused_by_number),
    UNIT_TEST(the_receiver_s_error_ends_it),
};

UNIT_MAIN(tests)
