/* SPDX-License-Identifier: Apache-2.0 */
/* Proves copies, origins and last changes of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

static fs_error_t *find(const fs_node_t **node, fs_repo_t *repo,
                        const char *place, apr_pool_t *pool)
{
    fs_root_t *root;
    fs_rev_t rev;
    const char *path = fs_test_split_at(&rev, place, pool);

    FS_TRY(fs_root_open(&root, repo, rev, pool));
    return fs_node_need(node, root, path, pool);
}

/* words: PATH@REV ... */
static fs_error_t *answer_node(fs_buffer_t *answer, fs_repo_t *repo,
                               const apr_array_header_t *words,
                               apr_pool_t *pool)
{
    const char *place = APR_ARRAY_IDX(words, 0, const char *);
    const fs_node_t *node;
    const char *from;
    const char *copy;
    fs_rev_t from_rev;
    fs_rev_t copy_rev;
    fs_rev_t origin;

    FS_TRY(find(&node, repo, place, pool));
    FS_TRY(fs_node_origin_rev(&origin, node, pool));
    FS_TRY(fs_node_closest_copy(&copy_rev, &copy, node, pool));
    fs_node_copyfrom(&from_rev, &from, node);
    fs_buffer_printf(
        answer,
        "%s created-rev=%" FS_REV_FMT " created-path=%s origin-rev=%" FS_REV_FMT
        " copied-from=%s@%" FS_REV_FMT " closest-copy=%s@%" FS_REV_FMT "\n",
        place, fs_node_created_rev(node), fs_node_created_path(node), origin,
        from ? from : "-", from_rev, copy ? copy : "-", copy_rev);
    return NULL;
}

static void check_nodes(fs_repo_t *repo, apr_pool_t *pool)
{
    const char *difference =
        fs_test_transcript("nodes.txt", false, repo, answer_node, pool);

    if (difference)
        fail_msg("%s", difference);
}

static void nodes_tell_what_the_stock_libraries_tell(void **state)
{
    check_nodes(fs_test_hist(), unit_pool(state));
}

static void nodes_tell_the_same_in_the_oldest_format(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path =
        fs_test_repo_load_as("tests/data/history/hist.dump", "1.3", pool);

    check_nodes(fs_test_open(path, true, pool), pool);
}

static fs_rev_t last_change(const char *place, apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_rev_t rev;

    assert_fs_ok(find(&node, fs_test_hist(), place, pool));
    assert_fs_ok(fs_node_last_change(&rev, node, pool));
    return rev;
}

static void the_last_change_is_the_last_edit(void **state)
{
    assert_int_equal(last_change("/trunk/A/f@3", unit_pool(state)), 2);
    assert_int_equal(last_change("/trunk@11", unit_pool(state)), 9);
    assert_int_equal(last_change("/@7", unit_pool(state)), 7);
}

static void the_last_change_is_a_younger_copy_of_a_parent(void **state)
{
    assert_int_equal(last_change("/branches/b1/g@3", unit_pool(state)), 3);
    assert_int_equal(last_change("/branches/b1/g@9", unit_pool(state)), 3);
    assert_int_equal(last_change("/branches/b1/A/f@11", unit_pool(state)), 11);
}

static void the_last_change_after_a_copy_is_an_edit_in_it(void **state)
{
    assert_int_equal(last_change("/branches/b1/A/f@9", unit_pool(state)), 4);
    assert_int_equal(last_change("/trunk/C/f2@11", unit_pool(state)), 9);
}

static void only_what_the_copy_itself_made_has_a_source(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node;
    const char *path;
    fs_rev_t rev;

    assert_fs_ok(find(&node, fs_test_hist(), "/trunk/C@9", pool));
    fs_node_copyfrom(&rev, &path, node);
    assert_string_equal(path, "/trunk/A");
    assert_int_equal(rev, 8);
    assert_fs_ok(find(&node, fs_test_hist(), "/trunk/C/f2@9", pool));
    fs_node_copyfrom(&rev, &path, node);
    assert_null(path);
    assert_int_equal(rev, FS_INVALID_REV);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(nodes_tell_what_the_stock_libraries_tell),
    UNIT_TEST(nodes_tell_the_same_in_the_oldest_format),
    UNIT_TEST(the_last_change_is_the_last_edit),
    UNIT_TEST(the_last_change_is_a_younger_copy_of_a_parent),
    UNIT_TEST(the_last_change_after_a_copy_is_an_edit_in_it),
    UNIT_TEST(only_what_the_copy_itself_made_has_a_source),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
