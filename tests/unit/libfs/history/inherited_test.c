/* SPDX-License-Identifier: Apache-2.0 */
/* Proves inherited properties of libfs/fs_history.h. */

#include "tests/support/unit.h"

#include "libfs/fs_history.h"
#include "tests/support/hist.h"

static apr_array_header_t *inherited(fs_rev_t rev, const char *path,
                                     const char *name,
                                     const fs_reader_t *reader, void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_array_header_t *parents;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), rev, pool));
    assert_fs_ok(fs_inherited_props(&parents, root, path, name, reader, pool));
    return parents;
}

static void a_parent_with_properties_is_told_with_them(void **state)
{
    const apr_array_header_t *parents =
        inherited(9, "/trunk/C/f2", NULL, NULL, state);
    const fs_inherited_t *parent = (const fs_inherited_t *)parents->elts;
    const fs_bytes_t *value;

    assert_int_equal(parents->nelts, 1);
    assert_string_equal(parent->path, "trunk/C");
    assert_int_equal(apr_hash_count(parent->props), 1);
    value = apr_hash_get(parent->props, "color", APR_HASH_KEY_STRING);
    assert_bytes_equal(value->data, value->len, "blue", 4);
}

static void a_name_chooses_one_property(void **state)
{
    assert_int_equal(inherited(9, "/trunk/C/f2", "color", NULL, state)->nelts,
                     1);
    assert_int_equal(inherited(9, "/trunk/C/f2", "size", NULL, state)->nelts,
                     0);
}

static void the_node_itself_is_no_parent(void **state)
{
    assert_int_equal(inherited(9, "/trunk/C", NULL, NULL, state)->nelts, 0);
    assert_int_equal(inherited(9, "/", NULL, NULL, state)->nelts, 0);
}

static fs_error_t *deny(bool *allowed, fs_rev_t rev, const char *path,
                        void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    *allowed = strcmp(path, baton) != 0;
    return NULL;
}

static void a_hidden_parent_is_left_out(void **state)
{
    const fs_reader_t reader = { deny, (void *)"/trunk/C" };

    assert_int_equal(inherited(9, "/trunk/C/f2", NULL, &reader, state)->nelts,
                     0);
}

static void a_hidden_path_is_refused_whether_it_exists_or_not(void **state)
{
    static const char *const paths[] = { "/trunk/C/f2", "/trunk/C/none" };
    apr_pool_t *pool = unit_pool(state);
    apr_array_header_t *parents;
    fs_root_t *root;
    size_t i;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 9, pool));
    for (i = 0; i < 2; i++) {
        const fs_reader_t reader = { deny, (void *)paths[i] };

        assert_fs_error(
            fs_inherited_props(&parents, root, paths[i], NULL, &reader, pool),
            FS_ERR_UNREADABLE);
    }
}

static void a_missing_parent_is_not_found(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_array_header_t *parents;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 9, pool));
    assert_fs_error(
        fs_inherited_props(&parents, root, "/none/x/y", NULL, NULL, pool),
        FS_ERR_NOT_FOUND);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_parent_with_properties_is_told_with_them),
    UNIT_TEST(a_name_chooses_one_property),
    UNIT_TEST(the_node_itself_is_no_parent),
    UNIT_TEST(a_hidden_parent_is_left_out),
    UNIT_TEST(a_hidden_path_is_refused_whether_it_exists_or_not),
    UNIT_TEST(a_missing_parent_is_not_found),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
