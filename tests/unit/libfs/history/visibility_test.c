/* SPDX-License-Identifier: Apache-2.0 */
/* Proves what is said about visible revisions in libfs/fs_history.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"

static fs_error_t *hide(bool *allowed, fs_rev_t rev, const char *path,
                        void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    *allowed = !fs_path_is_within(baton, path);
    return NULL;
}

static fs_visibility_t visibility_of(fs_rev_t rev, const char *hidden,
                                     apr_pool_t *pool)
{
    const fs_reader_t reader = { hide, apr_pstrdup(pool, hidden) };
    fs_visibility_t visibility = FS_VISIBLE_NONE;

    assert_fs_ok(
        fs_rev_visibility(&visibility, fs_test_hist(), rev, &reader, pool));
    return visibility;
}

static void without_access_function_all_is_visible(void **state)
{
    const fs_reader_t anybody = { NULL, NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_visibility_t visibility = FS_VISIBLE_NONE;

    assert_fs_ok(fs_rev_visibility(&visibility, fs_test_hist(), 4, NULL, pool));
    assert_int_equal(visibility, FS_VISIBLE_ALL);
    visibility = FS_VISIBLE_NONE;
    assert_fs_ok(
        fs_rev_visibility(&visibility, fs_test_hist(), 4, &anybody, pool));
    assert_int_equal(visibility, FS_VISIBLE_ALL);
}

static void visibility_depends_on_the_changed_paths(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_int_equal(visibility_of(4, "/trunk/B", pool), FS_VISIBLE_ALL);
    assert_int_equal(visibility_of(4, "/trunk/new", pool), FS_VISIBLE_SOME);
    assert_int_equal(visibility_of(4, "/", pool), FS_VISIBLE_NONE);
    assert_int_equal(visibility_of(10, "/branches", pool), FS_VISIBLE_NONE);
}

static void a_deleted_path_is_asked_about_as_well(void **state)
{
    assert_int_equal(visibility_of(4, "/trunk/g", unit_pool(state)),
                     FS_VISIBLE_SOME);
}

static void a_hidden_copy_source_hides_a_part(void **state)
{
    assert_int_equal(visibility_of(3, "/trunk", unit_pool(state)),
                     FS_VISIBLE_SOME);
    /* What is below the source does not matter. */
    assert_int_equal(visibility_of(3, "/trunk/A", unit_pool(state)),
                     FS_VISIBLE_ALL);
}

static void revision_0_is_visible_to_everybody(void **state)
{
    assert_int_equal(visibility_of(0, "/", unit_pool(state)), FS_VISIBLE_ALL);
}

static void minus_one_is_the_youngest_revision(void **state)
{
    assert_int_equal(visibility_of(-1, "/branches", unit_pool(state)),
                     FS_VISIBLE_NONE);
    assert_int_equal(visibility_of(-1, "/trunk", unit_pool(state)),
                     FS_VISIBLE_ALL);
}

static const char *names_of(fs_rev_t rev, const char *hidden, apr_pool_t *pool)
{
    static const char *const known[] = { "svn:author", "svn:date", "svn:log" };
    const fs_reader_t reader = { hide, apr_pstrdup(pool, hidden) };
    const char *names = "";
    apr_hash_t *props;
    int i;

    assert_fs_ok(
        fs_rev_visible_props(&props, fs_test_hist(), rev, &reader, pool));
    for (i = 0; i < 3; i++)
        if (apr_hash_get(props, known[i], APR_HASH_KEY_STRING))
            names = apr_pstrcat(pool, names, known[i], " ", NULL);
    assert_true(apr_hash_count(props) <= 3);
    return names;
}

static void properties_are_cut_to_what_may_be_shown(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(names_of(4, "/none", pool),
                        "svn:author svn:date svn:log ");
    assert_string_equal(names_of(4, "/trunk/g", pool), "svn:author svn:date ");
    assert_string_equal(names_of(4, "/", pool), "");
    assert_string_equal(names_of(0, "/", pool), "svn:date ");
}

static void a_missing_revision_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_reader_t reader = { hide, apr_pstrdup(pool, "/a") };
    fs_visibility_t visibility;
    apr_hash_t *props;

    assert_fs_error(
        fs_rev_visibility(&visibility, fs_test_hist(), 12, &reader, pool),
        FS_ERR_NO_SUCH_REV);
    assert_fs_error(
        fs_rev_visible_props(&props, fs_test_hist(), 12, NULL, pool),
        FS_ERR_NO_SUCH_REV);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(without_access_function_all_is_visible),
    UNIT_TEST(visibility_depends_on_the_changed_paths),
    UNIT_TEST(a_deleted_path_is_asked_about_as_well),
    UNIT_TEST(a_hidden_copy_source_hides_a_part),
    UNIT_TEST(revision_0_is_visible_to_everybody),
    UNIT_TEST(minus_one_is_the_youngest_revision),
    UNIT_TEST(properties_are_cut_to_what_may_be_shown),
    UNIT_TEST(a_missing_revision_is_an_error),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
