/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_path.h. */

#include "tests/support/unit.h"

#include "libfs/fs_path.h"

static void canonical_paths_are_told_from_others(void **state)
{
    static const char *const good[] = { "/",        "/a",      "/a/b c",
                                        "/...",     "/.svn",   "/a\\b:*%?#",
                                        "/ a / b ", "/a/..b/c" };
    static const char *const bad[] = { "",      "a",      "//",     "/a/",
                                       "/a//b", "/./a",   "/a/.",   "/../a",
                                       "/a/..", "/a/./b", "/a/../b" };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(fs_path_is_canonical(good[i]));
        assert_true(fs_path_is_relpath(good[i] + 1));
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(fs_path_is_canonical(bad[i]));
    assert_false(fs_path_is_relpath("/a"));
    assert_false(fs_path_is_relpath("a/"));
}

static void paths_are_made_canonical(void **state)
{
    static const char *const rows[][2] = {
        { "", "/" },
        { "/", "/" },
        { "a", "/a" },
        { "/a/", "/a" },
        { "//a///b//", "/a/b" },
        { "./a/./b/.", "/a/b" },
        { "/a/../b", "/a/../b" },
        { "///", "/" },
        { "/.", "/" },
        { "/.a/b.", "/.a/b." },
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(fs_path_canonical(rows[i][0], unit_pool(state)),
                            rows[i][1]);
}

static void a_canonical_path_is_not_copied(void **state)
{
    const char *path = "/trunk/a.c";

    assert_ptr_equal(fs_path_canonical(path, unit_pool(state)), path);
}

static void nodes_may_be_made_at_most_paths(void **state)
{
    (void)state;
    assert_fs_ok(fs_path_check("/"));
    assert_fs_ok(fs_path_check("/trunk/\xc3\xa4 b"));
    assert_fs_ok(fs_path_check("/\xf4\x8f\xbf\xbf"));
}

static void paths_with_other_bytes_are_refused(void **state)
{
    (void)state;
    assert_fs_error_says(fs_path_check("/a\002x"), FS_ERR_PATH_SYNTAX,
                         "control character 0x02 in path '/a\\002x'");
    assert_fs_error(fs_path_check("/a\nb"), FS_ERR_PATH_SYNTAX);
    assert_fs_error(fs_path_check("/a\177"), FS_ERR_PATH_SYNTAX);
    assert_fs_error_says(fs_path_check("/\xff"), FS_ERR_PATH_SYNTAX,
                         "'/\\377' is not valid UTF-8");
    assert_fs_error(fs_path_check("/a/../b"), FS_ERR_PATH_SYNTAX);
    assert_fs_error(fs_path_check("/a/./b"), FS_ERR_PATH_SYNTAX);
}

static void a_long_bad_path_is_cut_in_the_message(void **state)
{
    char path[2000];

    (void)state;
    memset(path, '\001', sizeof(path) - 1);
    path[0] = '/';
    path[1999] = '\0';
    assert_fs_error(fs_path_check(path), FS_ERR_PATH_SYNTAX);
}

static void utf8_has_one_form_for_each_character(void **state)
{
    static const char *const good[] = { "",
                                        "abcdefghi",
                                        "\xc2\x80",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xf0\x90\x80\x80",
                                        "12345678\xe2\x82\xac" };
    static const char *const bad[] = {
        "\x80",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xc3",
        "\xe2\x82",
        "12345678\xe2",
        "\xe2\x28\xa1",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(fs_utf8_is_valid(good[i], strlen(good[i])));
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(fs_utf8_is_valid(bad[i], strlen(bad[i])));
}

static void paths_are_joined(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(fs_path_join("/", "a", pool), "/a");
    assert_string_equal(fs_path_join("/a", "b/c", pool), "/a/b/c");
    assert_string_equal(fs_path_join("/a", "", pool), "/a");
    assert_string_equal(fs_path_join("", "a", pool), "a");
    assert_string_equal(fs_path_join("a", "b", pool), "a/b");
    assert_string_equal(fs_path_join("", "", pool), "");
    assert_string_equal(fs_path_join("/", "", pool), "/");
}

static void paths_are_taken_apart(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_array_header_t *segments = fs_path_segments("/a/bc/d", pool);

    assert_string_equal(fs_path_parent("/a/b", pool), "/a");
    assert_string_equal(fs_path_parent("/a", pool), "/");
    assert_string_equal(fs_path_parent("/", pool), "/");
    assert_string_equal(fs_path_parent("a/b", pool), "a");
    assert_string_equal(fs_path_parent("a", pool), "");
    assert_string_equal(fs_path_name("/a/b"), "b");
    assert_string_equal(fs_path_name("/"), "");
    assert_string_equal(fs_path_name("a"), "a");
    assert_int_equal(segments->nelts, 3);
    assert_string_equal(APR_ARRAY_IDX(segments, 1, const char *), "bc");
    assert_int_equal(fs_path_segments("/", pool)->nelts, 0);
}

static void what_is_below_ends_at_segments(void **state)
{
    (void)state;
    assert_string_equal(fs_path_below("/a", "/a/b/c"), "b/c");
    assert_string_equal(fs_path_below("/a", "/a"), "");
    assert_string_equal(fs_path_below("/", "/a"), "a");
    assert_string_equal(fs_path_below("/", "/"), "");
    assert_string_equal(fs_path_below("", "a/b"), "a/b");
    assert_null(fs_path_below("/a", "/ab"));
    assert_null(fs_path_below("/a/b", "/a"));
    assert_true(fs_path_is_within("/", "/x"));
    assert_false(fs_path_is_within("/x", "/"));
}

static void parents_come_right_before_their_children(void **state)
{
    static const char *const order[] = { "/",    "/a",   "/a/b", "/a/z",
                                         "/a b", "/a-b", "/ab",  "/b" };
    int i, k;

    (void)state;
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++) {
            int sign = fs_path_compare(order[i], order[k]);

            assert_int_equal((sign > 0) - (sign < 0), (i > k) - (i < k));
        }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(canonical_paths_are_told_from_others),
    UNIT_TEST(paths_are_made_canonical),
    UNIT_TEST(a_canonical_path_is_not_copied),
    UNIT_TEST(nodes_may_be_made_at_most_paths),
    UNIT_TEST(paths_with_other_bytes_are_refused),
    UNIT_TEST(a_long_bad_path_is_cut_in_the_message),
    UNIT_TEST(utf8_has_one_form_for_each_character),
    UNIT_TEST(paths_are_joined),
    UNIT_TEST(paths_are_taken_apart),
    UNIT_TEST(what_is_below_ends_at_segments),
    UNIT_TEST(parents_come_right_before_their_children),
};

UNIT_MAIN(tests)
