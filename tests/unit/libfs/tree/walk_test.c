/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the history walk of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

/* words: PATH REV CROSS */
static fs_error_t *answer_history(fs_buffer_t *answer, fs_repo_t *repo,
                                  const apr_array_header_t *words,
                                  apr_pool_t *pool)
{
    const char *path = APR_ARRAY_IDX(words, 0, const char *);
    fs_rev_t rev = apr_atoi64(APR_ARRAY_IDX(words, 1, const char *));
    bool cross = APR_ARRAY_IDX(words, 2, const char *)[0] == '1';
    fs_history_t *history;
    const fs_node_t *node;
    fs_root_t *root;

    FS_TRY(fs_root_open(&root, repo, rev, pool));
    FS_TRY(fs_node_need(&node, root, path, pool));
    FS_TRY(fs_history_open(&history, node, cross, pool));
    for (;;) {
        FS_TRY(fs_history_next(&path, &rev, history));
        if (!path)
            return NULL;
        fs_buffer_printf(answer, "%s@%" FS_REV_FMT "\n", path, rev);
    }
}

static void check_history(fs_repo_t *repo, apr_pool_t *pool)
{
    const char *difference =
        fs_test_transcript("history.txt", true, repo, answer_history, pool);

    if (difference)
        fail_msg("%s", difference);
}

static void histories_are_those_of_the_stock_libraries(void **state)
{
    check_history(fs_test_hist(), unit_pool(state));
}

static void histories_do_not_depend_on_the_format(void **state)
{
    static const char *const versions[] = { "1.3", "1.4", "1.5",
                                            "1.6", "1.8", "1.9" };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        const char *path = fs_test_repo_load_as("tests/data/history/hist.dump",
                                                versions[i], pool);

        check_history(fs_test_open(path, false, pool), pool);
    }
}

static void histories_are_the_same_with_a_cold_and_a_warm_cache(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(fs_repo_path(fs_test_hist()), true, pool);

    check_history(repo, pool);
    check_history(repo, pool);
}

static void the_end_of_a_history_stays_the_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_history_t *history;
    const fs_node_t *node;
    fs_root_t *root;
    const char *path;
    fs_rev_t rev;
    int steps;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 8, pool));
    assert_fs_ok(fs_node_need(&node, root, "/trunk/g", pool));
    assert_fs_ok(fs_history_open(&history, node, true, pool));
    for (steps = 0; steps < 3; steps++) {
        assert_fs_ok(fs_history_next(&path, &rev, history));
        if (steps == 0)
            assert_string_equal(path, "/trunk/g");
        else
            assert_null(path);
    }
}

static void a_history_outlives_the_root_it_began_in(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_pool_t *inner;
    fs_history_t *history;
    const fs_node_t *node;
    fs_root_t *root;
    const char *path;
    fs_rev_t rev;

    apr_pool_create(&inner, pool);
    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 11, inner));
    assert_fs_ok(fs_node_need(&node, root, "/trunk/C/f2", inner));
    assert_fs_ok(fs_history_open(&history, node, true, pool));
    apr_pool_destroy(inner);
    assert_fs_ok(fs_history_next(&path, &rev, history));
    assert_string_equal(path, "/trunk/C/f2");
    assert_int_equal(rev, 9);
    assert_fs_ok(fs_history_next(&path, &rev, history));
    assert_string_equal(path, "/trunk/A/f2");
    assert_int_equal(rev, 5);
}

/*
 * r1 makes A and A/f; r2 copies A/f to A/g; r3 copies A of r2 to B, edits B/g
 * and makes B/n; r4 edits both; r5 copies B to C and makes C/f anew; r6 sets a
 * property of C/f.
 */
static const char *make_nested_copies(apr_pool_t *pool)
{
    const char *path = fs_test_repo_load(NULL, pool);
    const char *one = fs_test_file("1", 1, pool);
    const char *two = fs_test_file("22", 2, pool);
    const char *r1[] = { "mkdir", "A", "put", one, "A/f", NULL };
    const char *r2[] = { "cp", "1", "A/f", "A/g", NULL };
    const char *r3[] = { "cp",  "2",   "A", "B",   "put", two,
                         "B/g", "put", one, "B/n", NULL };
    const char *r4[] = { "put", one, "B/g", "put", two, "B/n", NULL };
    const char *r5[] = { "cp",  "4",   "B", "C",   "rm",
                         "C/f", "put", two, "C/f", NULL };
    const char *r6[] = { "propset", "p", "v", "C/f", NULL };
    const char *const *const commits[] = { r1, r2, r3, r4, r5, r6 };
    int i;

    for (i = 0; i < 6; i++)
        fs_test_repo_commit(path, commits[i], pool);
    return path;
}

static const char *history_of(fs_repo_t *repo, fs_rev_t rev, const char *path,
                              apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(256, pool);
    fs_history_t *history;
    const fs_node_t *node;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_node_need(&node, root, path, pool));
    assert_fs_ok(fs_history_open(&history, node, true, pool));
    for (;;) {
        assert_fs_ok(fs_history_next(&path, &rev, history));
        if (!path)
            return apr_pstrmemdup(pool, out->data, out->len);
        fs_buffer_printf(out, " %s@%" FS_REV_FMT, path, rev);
    }
}

static void copies_within_copies_are_followed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(make_nested_copies(pool), false, pool);

    assert_string_equal(history_of(repo, 6, "/C/g", pool),
                        " /C/g@5 /B/g@4 /B/g@3 /A/g@2 /A/f@1");
    assert_string_equal(history_of(repo, 6, "/C", pool),
                        " /C@6 /C@5 /B@4 /B@3 /A@2 /A@1");
}

static void what_a_commit_makes_inside_its_own_copy_begins_there(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(make_nested_copies(pool), false, pool);

    assert_string_equal(history_of(repo, 6, "/C/f", pool), " /C/f@6 /C/f@5");
    assert_string_equal(history_of(repo, 6, "/C/n", pool),
                        " /C/n@5 /B/n@4 /B/n@3");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(histories_are_those_of_the_stock_libraries),
    UNIT_TEST(histories_do_not_depend_on_the_format),
    UNIT_TEST(histories_are_the_same_with_a_cold_and_a_warm_cache),
    UNIT_TEST(the_end_of_a_history_stays_the_end),
    UNIT_TEST(a_history_outlives_the_root_it_began_in),
    UNIT_TEST(copies_within_copies_are_followed),
    UNIT_TEST(what_a_commit_makes_inside_its_own_copy_begins_there),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
