/* SPDX-License-Identifier: Apache-2.0 */
/* Proves roots and look-ups of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include <stdio.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

static fs_root_t *open_root(fs_rev_t rev, apr_pool_t *pool)
{
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), rev, pool));
    return root;
}

static const fs_node_t *find(fs_root_t *root, const char *path,
                             apr_pool_t *pool)
{
    const fs_node_t *node;

    assert_fs_ok(fs_node_find(&node, root, path, pool));
    return node;
}

static void a_root_knows_repository_and_revision(void **state)
{
    fs_root_t *root = open_root(7, unit_pool(state));

    assert_int_equal(fs_root_rev(root), 7);
    assert_ptr_equal(fs_root_repo(root), fs_test_hist());
}

static void a_revision_above_the_youngest_is_refused(void **state)
{
    fs_root_t *root;

    assert_fs_error_says(
        fs_root_open(&root, fs_test_hist(), 12, unit_pool(state)),
        FS_ERR_NO_SUCH_REV, "no such revision 12");
    assert_fs_error(fs_root_open(&root, fs_test_hist(), -1, unit_pool(state)),
                    FS_ERR_NO_SUCH_REV);
}

static void a_path_leads_to_its_node(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_root_t *root = open_root(11, pool);
    const fs_node_t *node = find(root, "/branches/b1/A/f", pool);

    assert_non_null(node);
    assert_ptr_equal(fs_node_root(node), root);
    assert_string_equal(fs_node_path(node), "/branches/b1/A/f");
    assert_int_equal(fs_node_kind(node), FS_NODE_FILE);
    assert_int_equal(fs_node_created_rev(node), 4);
    assert_string_equal(fs_node_created_path(node), "/branches/b1/A/f");
    assert_int_equal(fs_node_size(node), 22);
    assert_int_equal(fs_node_pred_count(node), 2);
}

static void the_root_is_a_node_too(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find(open_root(3, pool), "/", pool);

    assert_string_equal(fs_node_path(node), "/");
    assert_int_equal(fs_node_kind(node), FS_NODE_DIR);
    assert_int_equal(fs_node_created_rev(node), 3);
    assert_int_equal(fs_node_size(node), 0);
}

static void an_untouched_child_of_a_copy_keeps_where_it_was_made(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find(open_root(3, pool), "/branches/b1/g", pool);

    assert_string_equal(fs_node_path(node), "/branches/b1/g");
    assert_string_equal(fs_node_created_path(node), "/trunk/g");
    assert_int_equal(fs_node_created_rev(node), 1);
}

static void what_does_not_exist_is_no_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_root_t *root = open_root(11, pool);

    assert_null(find(root, "/none", pool));
    assert_null(find(root, "/trunk/none/deep/er", pool));
    assert_null(find(root, "/trunk/g/below/a/file", pool));
}

static void what_is_needed_must_exist(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node;

    assert_fs_error_says(
        fs_node_need(&node, open_root(5, pool), "/trunk/x", pool),
        FS_ERR_NOT_FOUND, "path '/trunk/x' not found in revision 5");
}

static void children_are_found_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *trunk = find(open_root(11, pool), "/trunk", pool);
    const fs_node_t *child;

    assert_fs_ok(fs_node_child(&child, trunk, "A", pool));
    assert_string_equal(fs_node_path(child), "/trunk/A");
    assert_fs_ok(fs_node_child(&child, trunk, "a", pool));
    assert_null(child);
    assert_fs_ok(fs_node_child(&child, find(open_root(11, pool), "/", pool),
                               "trunk", pool));
    assert_string_equal(fs_node_path(child), "/trunk");
}

static void a_file_has_no_children(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *child;

    assert_fs_ok(fs_node_child(
        &child, find(open_root(11, pool), "/trunk/g", pool), "x", pool));
    assert_null(child);
}

static void a_node_outlives_other_look_ups_in_its_root(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_root_t *root = open_root(11, pool);
    const fs_node_t *first = find(root, "/trunk/C/f2", pool);
    const fs_node_id_t id = *fs_node_id(first);

    find(root, "/branches/b1/B/h", pool);
    find(root, "/trunk/A/f2", pool);
    assert_string_equal(fs_node_path(first), "/trunk/C/f2");
    assert_string_equal(fs_node_created_path(first), "/trunk/C/f2");
    assert_memory_equal(fs_node_id(first), &id, sizeof(id));
}

/* A repository with 200 directories "a<i>/b/c", each with a file "f". */
static const char *make_wide(apr_pool_t *pool)
{
    const char *path = fs_test_repo_load(NULL, pool);
    const char *file = fs_test_file("x", 1, pool);
    apr_array_header_t *actions =
        apr_array_make(pool, 2000, sizeof(const char *));
    int i;

    for (i = 0; i < 200; i++) {
        const char *a = apr_psprintf(pool, "a%d", i);
        const char *b = apr_pstrcat(pool, a, "/b", NULL);
        const char *c = apr_pstrcat(pool, b, "/c", NULL);

        APR_ARRAY_PUSH(actions, const char *) = "mkdir";
        APR_ARRAY_PUSH(actions, const char *) = a;
        APR_ARRAY_PUSH(actions, const char *) = "mkdir";
        APR_ARRAY_PUSH(actions, const char *) = b;
        APR_ARRAY_PUSH(actions, const char *) = "mkdir";
        APR_ARRAY_PUSH(actions, const char *) = c;
        APR_ARRAY_PUSH(actions, const char *) = "put";
        APR_ARRAY_PUSH(actions, const char *) = file;
        APR_ARRAY_PUSH(actions, const char *) =
            apr_pstrcat(pool, c, "/f", NULL);
    }
    APR_ARRAY_PUSH(actions, const char *) = NULL;
    fs_test_repo_commit(path, (const char *const *)actions->elts, pool);
    return path;
}

static void find_all_of_wide(fs_repo_t *repo, apr_pool_t *pool)
{
    apr_pool_t *iter;
    fs_root_t *root;
    int i;

    apr_pool_create(&iter, pool);
    assert_fs_ok(fs_root_open(&root, repo, 1, pool));
    for (i = 0; i < 600; i++) {
        const char *path;
        const fs_node_t *node;

        apr_pool_clear(iter);
        path = apr_psprintf(iter, "/a%d/b/c/f", i * 7 % 200);
        assert_fs_ok(fs_node_need(&node, root, path, iter));
        assert_string_equal(fs_node_created_path(node), path);
    }
    apr_pool_destroy(iter);
}

static void more_directories_than_a_root_remembers_are_found(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = make_wide(pool);
    fs_repo_t *cached = fs_test_open(path, true, pool);

    find_all_of_wide(fs_test_open(path, false, pool), pool);
    find_all_of_wide(cached, pool);
    find_all_of_wide(cached, pool);
}

static void check_found_in(fs_repo_t *repo, fs_rev_t rev, const char *path,
                           apr_pool_t *pool)
{
    fs_root_t *root, *other;
    const fs_node_t *node, *expected, *top;

    assert_fs_ok(fs_root_open(&other, fs_test_hist(), rev, pool));
    expected = find(other, path, pool);
    assert_fs_ok(fs_node_find_in(&node, &root, repo, rev, path, pool));
    assert_int_equal(fs_root_rev(root), rev);
    if (expected) {
        const char *from, *expected_from;
        fs_rev_t from_rev, expected_from_rev;

        assert_ptr_equal(fs_node_root(node), root);
        assert_string_equal(fs_node_path(node), path);
        assert_memory_equal(fs_node_id(node), fs_node_id(expected),
                            sizeof(fs_node_id_t));
        fs_node_copyfrom(&from_rev, &from, node);
        fs_node_copyfrom(&expected_from_rev, &expected_from, expected);
        assert_int_equal(from_rev, expected_from_rev);
    } else {
        assert_null(node);
    }
    /* The root serves further look-ups. */
    top = find(root, "/", pool);
    assert_int_equal(fs_node_created_rev(top), rev);
}

static void a_node_is_found_together_with_its_root(void **state)
{
    static const char *const paths[] = { "/", "/branches/b1/A/f", "/trunk",
                                         "/trunk/A", "/nowhere/at/all" };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *cached = fs_test_open(fs_repo_path(fs_test_hist()), true, pool);
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;
    apr_size_t i;

    for (rev = 1; rev <= 11; rev++) {
        for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            check_found_in(cached, rev, paths[i], pool);
            check_found_in(cached, rev, paths[i], pool);
            check_found_in(fs_test_hist(), rev, paths[i], pool);
        }
    }
    assert_fs_error(fs_node_find_in(&node, &root, cached, 12, "/trunk", pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_node_find_in(&node, &root, cached, -1, "/trunk", pool),
                    FS_ERR_NO_SUCH_REV);
}

/* A file in /trunk, which is removed and brought back by a copy. */
static void a_node_is_not_taken_from_below_a_later_copy(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    const char *made[] = { "mkdir",   "trunk",
                           "put",     fs_test_file("x", 1, pool),
                           "trunk/f", NULL };
    const char *removed[] = { "rm", "trunk", NULL };
    const char *copied[] = { "cp", "1", "trunk", "trunk", NULL };
    fs_repo_t *repo;
    const fs_node_t *node;
    fs_root_t *root;
    const char *copy;
    fs_rev_t rev;

    fs_test_repo_commit(path, made, pool);
    fs_test_repo_commit(path, removed, pool);
    fs_test_repo_commit(path, copied, pool);
    repo = fs_test_open(path, true, pool);
    assert_fs_ok(fs_node_find_in(&node, &root, repo, 3, "/trunk/f", pool));
    assert_fs_ok(fs_node_closest_copy(&rev, &copy, node, pool));
    assert_int_equal(rev, 3);
    assert_int_equal(fs_node_created_rev(node), 1);
    assert_fs_ok(fs_node_find_in(&node, &root, repo, 1, "/trunk/f", pool));
    assert_int_equal(fs_root_rev(root), 1);
    assert_fs_ok(fs_node_closest_copy(&rev, &copy, node, pool));
    assert_int_equal(rev, FS_INVALID_REV);
    assert_fs_ok(fs_node_find_in(&node, &root, repo, 2, "/trunk/f", pool));
    assert_null(node);
}

/* Spoil the record of "/" in a revision file. */
static void spoil_root(const char *path, const char *file, apr_pool_t *pool)
{
    static const char mark[] = "cpath: /\n";
    const char *name = apr_pstrcat(pool, path, "/db/revs/0/", file, NULL);
    FILE *f;
    char *data = apr_pcalloc(pool, 4096);
    apr_size_t len, at = 0;

    assert_int_equal(chmod(name, 0644), 0);
    f = fopen(name, "r+b");
    assert_non_null(f);
    len = fread(data, 1, 4096, f);
    while (at < len && memcmp(data + at, mark, sizeof(mark) - 1) != 0)
        at++;
    assert_true(at < len);
    assert_int_equal(fseek(f, (long)at + 7, SEEK_SET), 0);
    assert_int_equal(fputc('x', f), 'x');
    assert_int_equal(fclose(f), 0);
}

static void what_is_still_there_is_found_without_the_tree_that_made_it(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    const char *file = fs_test_file("x", 1, pool);
    const char *first[] = { "mkdir", "trunk",         "put",
                            file,    "trunk/old",     "put",
                            file,    "trunk/gone",    "put",
                            file,    "trunk/changed", NULL };
    const char *second[] = {
        "rm", "trunk/gone", "put", fs_test_file("y", 1, pool), "trunk/changed",
        NULL
    };
    fs_repo_t *repo;
    const fs_node_t *node;
    fs_root_t *root;

    fs_test_repo_commit(path, first, pool);
    fs_test_repo_commit(path, second, pool);
    spoil_root(path, "1", pool);
    repo = fs_test_open(path, true, pool);
    assert_fs_ok(fs_node_find_in(&node, &root, repo, 1, "/trunk/old", pool));
    assert_string_equal(fs_node_path(node), "/trunk/old");
    assert_int_equal(fs_node_created_rev(node), 1);
    assert_int_equal(fs_root_rev(root), 1);
    assert_ptr_equal(fs_node_root(node), root);
    assert_fs_ok(
        fs_node_find_in(&node, &root, repo, 1, "/trunk/changed", pool));
    assert_string_equal(fs_node_path(node), "/trunk/changed");
    assert_int_equal(fs_node_created_rev(node), 1);
    assert_fs_error(fs_node_find_in(&node, &root, repo, 1, "/trunk/gone", pool),
                    FS_ERR_CORRUPT);
}

static const struct CMUnitTest tests[] = {
    /* First: after wrong guesses none is made for a while. */
    UNIT_TEST(what_is_still_there_is_found_without_the_tree_that_made_it),
    UNIT_TEST(a_node_is_not_taken_from_below_a_later_copy),
    UNIT_TEST(a_node_is_found_together_with_its_root),
    UNIT_TEST(a_root_knows_repository_and_revision),
    UNIT_TEST(a_revision_above_the_youngest_is_refused),
    UNIT_TEST(a_path_leads_to_its_node),
    UNIT_TEST(the_root_is_a_node_too),
    UNIT_TEST(an_untouched_child_of_a_copy_keeps_where_it_was_made),
    UNIT_TEST(what_does_not_exist_is_no_error),
    UNIT_TEST(what_is_needed_must_exist),
    UNIT_TEST(children_are_found_by_name),
    UNIT_TEST(a_file_has_no_children),
    UNIT_TEST(a_node_outlives_other_look_ups_in_its_root),
    UNIT_TEST(more_directories_than_a_root_remembers_are_found),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
