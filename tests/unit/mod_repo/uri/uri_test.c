/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/uri/uri.h. */
/* link: mod_repo/uri/uri.o */

#include "mod_repo/uri/uri.h"

#include "tests/support/unit.h"

/* ---- splitting ---- */

static void the_root_is_the_location_of_a_single_repository(void **state)
{
    const char *root, *name, *below;

    assert_true(repo_uri_split(&root, &name, &below, "/repo", "/repo/trunk/a",
                               false, unit_pool(state)));
    assert_string_equal(root, "/repo");
    assert_null(name);
    assert_string_equal(below, "/trunk/a");
}

static void a_location_may_end_in_a_slash(void **state)
{
    const char *root, *name, *below;

    assert_true(repo_uri_split(&root, &name, &below, "/repo/", "/repo", false,
                               unit_pool(state)));
    assert_string_equal(root, "/repo");
    assert_string_equal(below, "");
}

static void a_repository_at_the_root_has_an_empty_root(void **state)
{
    const char *root, *name, *below;

    assert_true(repo_uri_split(&root, &name, &below, "/", "/!svn/me", false,
                               unit_pool(state)));
    assert_string_equal(root, "");
    assert_string_equal(below, "/!svn/me");
}

static void a_segment_names_the_repository_below_a_parent(void **state)
{
    const char *root, *name, *below;

    assert_true(repo_uri_split(&root, &name, &below, "/svn", "//svn//r1//trunk",
                               true, unit_pool(state)));
    assert_string_equal(root, "/svn/r1");
    assert_string_equal(name, "r1");
    assert_string_equal(below, "/trunk");
}

static void the_location_of_a_parent_has_an_empty_name(void **state)
{
    const char *root, *name, *below;

    assert_true(repo_uri_split(&root, &name, &below, "/svn", "/svn/", true,
                               unit_pool(state)));
    assert_string_equal(root, "/svn");
    assert_string_equal(name, "");
    assert_string_equal(below, "/");
}

static void a_path_beside_the_location_is_refused(void **state)
{
    const char *root, *name, *below;

    assert_false(repo_uri_split(&root, &name, &below, "/repo", "/repo2/a",
                                false, unit_pool(state)));
    assert_false(repo_uri_split(&root, &name, &below, "/repo", "/other", false,
                                unit_pool(state)));
}

/* ---- parsing ---- */

static repo_uri_t parse(const char *below, void **state)
{
    repo_uri_t uri;

    assert_true(repo_uri_parse(&uri, below, "!svn", unit_pool(state)));
    return uri;
}

static void assert_unknown(const char *below, void **state)
{
    repo_uri_t uri;

    if (repo_uri_parse(&uri, below, "!svn", unit_pool(state)))
        fail_msg("%s is taken for a URL", below);
}

static void a_public_path_is_made_canonical(void **state)
{
    repo_uri_t uri = parse("//trunk/./a//b/", state);

    assert_int_equal(uri.kind, REPO_URI_PUBLIC);
    assert_string_equal(uri.path, "/trunk/a/b");
    assert_true(uri.slash);
    assert_int_equal(uri.rev, FS_INVALID_REV);
    assert_string_equal(parse("", state).path, "/");
    assert_false(parse("", state).slash);
}

static void dots_and_slashes_do_not_hide_a_special_url(void **state)
{
    static const char *const rows[] = { "/./!svn/rvr/7/a", "//!svn//rvr/7/./a",
                                        "/././!svn/./rvr/7/a/." };
    repo_uri_t uri;
    int i;

    for (i = 0; i < 3; i++) {
        assert_true(repo_uri_parse(&uri, rows[i], "!svn", unit_pool(state)));
        assert_int_equal(uri.kind, REPO_URI_RVR);
        assert_int_equal(uri.rev, 7);
        assert_string_equal(uri.path, "/a");
        assert_int_equal(uri.slash, i == 2);
    }
    assert_true(repo_uri_parse(&uri, "/.a/b./..c", "!svn", unit_pool(state)));
    assert_string_equal(uri.path, "/.a/b./..c");
}

static void a_path_that_begins_like_the_special_one_is_public(void **state)
{
    assert_string_equal(parse("/!svnx/me", state).path, "/!svnx/me");
    assert_string_equal(parse("/a/!svn/me", state).path, "/a/!svn/me");
}

static void every_special_form_is_parsed(void **state)
{
    static const struct {
        const char *below;
        repo_uri_kind_t kind;
        fs_rev_t rev;
        const char *path;
        const char *name;
    } rows[] = {
        { "/!svn/me", REPO_URI_ME, -1, NULL, NULL },
        { "/!svn/rev/3", REPO_URI_REV, 3, NULL, NULL },
        { "/!svn/rvr/3/a/b", REPO_URI_RVR, 3, "/a/b", NULL },
        { "/!svn/rvr/0", REPO_URI_RVR, 0, "/", NULL },
        { "/!svn/txn/4-1a", REPO_URI_TXN, -1, NULL, "4-1a" },
        { "/!svn/txr/4-1a/x", REPO_URI_TXR, -1, "/x", "4-1a" },
        { "/!svn/vtxn/my name", REPO_URI_VTXN, -1, NULL, "my name" },
        { "/!svn/vtxr/n/x/y", REPO_URI_VTXR, -1, "/x/y", "n" },
        { "/!svn/vcc/default", REPO_URI_VCC, -1, NULL, NULL },
        { "/!svn/bln/12", REPO_URI_BLN, 12, NULL, NULL },
        { "/!svn/bc/12/", REPO_URI_BC, 12, "/", NULL },
        { "/!svn/ver/7/a", REPO_URI_VER, 7, "/a", NULL },
        { "/!svn/act/0b3-9", REPO_URI_ACT, -1, NULL, "0b3-9" },
        { "/!svn/wrk/0b3-9/a", REPO_URI_WRK, -1, "/a", "0b3-9" },
        { "/!svn/wbl/0b3-9/5", REPO_URI_WBL, 5, NULL, "0b3-9" },
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        repo_uri_t uri = parse(rows[i].below, state);

        assert_int_equal(uri.kind, rows[i].kind);
        assert_int_equal(uri.rev, rows[i].rev);
        if (rows[i].path)
            assert_string_equal(uri.path, rows[i].path);
        else
            assert_null(uri.path);
        if (rows[i].name)
            assert_string_equal(uri.name, rows[i].name);
        else
            assert_null(uri.name);
    }
}

static void malformed_special_urls_are_unknown(void **state)
{
    static const char *const rows[] = {
        "/!svn",
        "/!svn/",
        "/!svn/xyz/3",
        "/!svn/act/",
        "/!svn/rvr",
        "/!svn/rvr/",
        "/!svn/rvr/x/",
        "/!svn/rvr/1x/a",
        "/!svn/rvr/-1/",
        "/!svn/rvr/+1/",
        "/!svn/rev/3/a",
        "/!svn/vcc/other",
        "/!svn/vcc/",
        "/!svn/me/x",
        "/!svn/txn/",
        "/!svn/txn/a/b",
        "/!svn/wbl/a",
        "/!svn/wbl/a/x",
        "/!svn/his/1",
        "/!svn/rvr/99999999999999999999/",
        "/!svn/rvr/3/a/../b",
        "/a/../b",
        "/..",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_unknown(rows[i], state);
}

static void a_special_uri_may_have_several_segments(void **state)
{
    repo_uri_t uri;

    assert_true(repo_uri_parse(&uri, "/x/y/rev/3", "x/y", unit_pool(state)));
    assert_int_equal(uri.kind, REPO_URI_REV);
    assert_true(repo_uri_parse(&uri, "/x/rev/3", "x/y", unit_pool(state)));
    assert_int_equal(uri.kind, REPO_URI_PUBLIC);
}

static void only_kinds_with_a_path_have_one(void **state)
{
    (void)state;
    assert_true(repo_uri_has_path(REPO_URI_PUBLIC));
    assert_true(repo_uri_has_path(REPO_URI_TXR));
    assert_false(repo_uri_has_path(REPO_URI_REV));
    assert_true(repo_uri_is_tree(REPO_URI_VER));
    assert_false(repo_uri_is_tree(REPO_URI_WRK));
    assert_string_equal(repo_uri_word(REPO_URI_BLN), "bln");
}

/* ---- escaping and building ---- */

static void letters_digits_and_some_signs_stay_literal(void **state)
{
    static const char plain[] = "/azAZ09!$&'()*+,-./:=@_~";

    assert_string_equal(repo_uri_encode(plain, unit_pool(state)), plain);
    assert_string_equal(
        repo_uri_encode("/a b;c%d?e#f\"<\xc3\xa9[\x01", unit_pool(state)),
        "/a%20b%3Bc%25d%3Fe%23f%22%3C%C3%A9%5B%01");
}

static void urls_are_built_by_kind(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(
        repo_uri_build(REPO_URI_RVR, "/repo", "!svn", 7, "/trunk/a b", pool),
        "/repo/!svn/rvr/7/trunk/a%20b");
    assert_string_equal(
        repo_uri_build(REPO_URI_BC, "/repo", "!svn", 7, "/", pool),
        "/repo/!svn/bc/7/");
    assert_string_equal(repo_uri_build(REPO_URI_RVR, "/repo", "!svn",
                                       FS_INVALID_REV, NULL, pool),
                        "/repo/!svn/rvr");
    assert_string_equal(repo_uri_build(REPO_URI_BLN, "", "!svn", 7, NULL, pool),
                        "/!svn/bln/7");
    assert_string_equal(
        repo_uri_build(REPO_URI_VCC, "/r x", "!svn", 0, NULL, pool),
        "/r%20x/!svn/vcc/default");
    assert_string_equal(
        repo_uri_build(REPO_URI_TXN, "/repo", "!svn", 0, "4-a", pool),
        "/repo/!svn/txn/4-a");
    assert_string_equal(
        repo_uri_build(REPO_URI_PUBLIC, "/repo", "!svn", 0, "/a;b", pool),
        "/repo/a%3Bb");
}

/* ---- URLs of clients ---- */

static void a_url_is_decoded_without_scheme_host_and_query(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(repo_uri_decode("http://h:80/r/a%20b?p=1", pool),
                        "/r/a b");
    assert_string_equal(repo_uri_decode("/r/%C3%A9#x", pool), "/r/\xc3\xa9");
}

static void bad_escapes_and_missing_paths_are_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_null(repo_uri_decode("/a%", pool));
    assert_null(repo_uri_decode("/a%2", pool));
    assert_null(repo_uri_decode("/a%zz", pool));
    assert_null(repo_uri_decode("/a%00b", pool));
    assert_null(repo_uri_decode("/a%2fb", pool));
    assert_null(repo_uri_decode("http://host", pool));
    assert_null(repo_uri_decode("a/b", pool));
    assert_null(repo_uri_decode("", pool));
}

static void a_source_path_lies_below_the_root(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(repo_uri_fspath("/repo/trunk%20x/", "/repo", pool),
                        "/trunk x");
    assert_string_equal(repo_uri_fspath("https://h/repo", "/repo", pool), "/");
    assert_string_equal(repo_uri_fspath("/trunk", "", pool), "/trunk");
    assert_null(repo_uri_fspath("/repo2/trunk", "/repo", pool));
    assert_null(repo_uri_fspath("/trunk", "/repo", pool));
    assert_null(repo_uri_fspath("/repo/../x", "/repo", pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_root_is_the_location_of_a_single_repository),
    UNIT_TEST(a_location_may_end_in_a_slash),
    UNIT_TEST(a_repository_at_the_root_has_an_empty_root),
    UNIT_TEST(a_segment_names_the_repository_below_a_parent),
    UNIT_TEST(the_location_of_a_parent_has_an_empty_name),
    UNIT_TEST(a_path_beside_the_location_is_refused),
    UNIT_TEST(a_public_path_is_made_canonical),
    UNIT_TEST(dots_and_slashes_do_not_hide_a_special_url),
    UNIT_TEST(a_path_that_begins_like_the_special_one_is_public),
    UNIT_TEST(every_special_form_is_parsed),
    UNIT_TEST(malformed_special_urls_are_unknown),
    UNIT_TEST(a_special_uri_may_have_several_segments),
    UNIT_TEST(only_kinds_with_a_path_have_one),
    UNIT_TEST(letters_digits_and_some_signs_stay_literal),
    UNIT_TEST(urls_are_built_by_kind),
    UNIT_TEST(a_url_is_decoded_without_scheme_host_and_query),
    UNIT_TEST(bad_escapes_and_missing_paths_are_refused),
    UNIT_TEST(a_source_path_lies_below_the_root),
};

UNIT_MAIN(tests)
