/* SPDX-License-Identifier: Apache-2.0 */
/* Proves listings of libfs/fs_history.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"

static fs_error_t *print_entry(void *baton, const fs_node_t *node,
                               apr_pool_t *scratch)
{
    (void)scratch;
    fs_buffer_printf(baton, "entry %s %s\n", fs_node_path(node),
                     fs_node_kind(node) == FS_NODE_DIR ? "dir" : "file");
    return NULL;
}

static fs_depth_t depth_of(const char *word)
{
    static const char *const names[] = { "empty", "files", "immediates",
                                         "infinity" };
    int depth;

    for (depth = 0; depth < 3; depth++)
        if (strcmp(word, names[depth]) == 0)
            break;
    return (fs_depth_t)depth;
}

/* words: REV PATH DEPTH PATTERN... */
static fs_error_t *answer_list(fs_buffer_t *answer, fs_repo_t *repo,
                               const apr_array_header_t *words,
                               apr_pool_t *pool)
{
    apr_array_header_t *patterns = NULL;
    fs_root_t *root;
    int i;

    for (i = 3; i < words->nelts; i++) {
        if (!patterns)
            patterns = apr_array_make(pool, 2, sizeof(const char *));
        APR_ARRAY_PUSH(patterns, const char *) =
            APR_ARRAY_IDX(words, i, const char *);
    }
    FS_TRY(fs_root_open(
        &root, repo, apr_atoi64(APR_ARRAY_IDX(words, 0, const char *)), pool));
    return fs_list(root, APR_ARRAY_IDX(words, 1, const char *),
                   depth_of(APR_ARRAY_IDX(words, 2, const char *)), patterns,
                   NULL, print_entry, answer, pool);
}

static void listings_are_those_of_the_stock_libraries(void **state)
{
    const char *difference = fs_test_transcript(
        "list.txt", true, fs_test_hist(), answer_list, unit_pool(state));

    if (difference)
        fail_msg("%s", difference);
}

/* A reader that may not see one path and what is below it. */
static fs_error_t *hide(bool *allowed, fs_rev_t rev, const char *path,
                        void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    *allowed = !fs_path_is_within(baton, path);
    return NULL;
}

static const char *list(const char *path, const char *hidden,
                        const apr_array_header_t *patterns, void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_reader_t reader = { hide, (void *)hidden };
    fs_buffer_t *out = fs_buffer_create(256, pool);
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 11, pool));
    assert_fs_ok(fs_list(root, path, FS_DEPTH_INFINITY, patterns, &reader,
                         print_entry, out, pool));
    return apr_pstrmemdup(pool, out->data, out->len);
}

static void a_hidden_subtree_is_passed_over(void **state)
{
    assert_string_equal(list("/branches/b1", "/branches/b1/A", NULL, state),
                        "entry /branches/b1 dir\n"
                        "entry /branches/b1/B dir\n"
                        "entry /branches/b1/B/h file\n"
                        "entry /branches/b1/g file\n");
}

static void a_hidden_start_gives_nothing_whether_it_exists_or_not(void **state)
{
    assert_string_equal(list("/trunk", "/trunk", NULL, state), "");
    assert_string_equal(list("/trunk/none", "/trunk", NULL, state), "");
}

static void an_empty_list_of_patterns_matches_nothing(void **state)
{
    apr_array_header_t *patterns =
        apr_array_make(unit_pool(state), 1, sizeof(const char *));

    assert_string_equal(list("/trunk", "/none", patterns, state), "");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(listings_are_those_of_the_stock_libraries),
    UNIT_TEST(a_hidden_subtree_is_passed_over),
    UNIT_TEST(a_hidden_start_gives_nothing_whether_it_exists_or_not),
    UNIT_TEST(an_empty_list_of_patterns_matches_nothing),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
