/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/txn/merge.h, with a table of what stock tools answer. */

#include "libfs/txn/merge.h"

#include <stdio.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/txns.h"
#include "tests/support/unit.h"

#define LINE_MAX_LEN 500

static const char *changes_of(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *pool)
{
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    return fs_test_txns_changes(root, pool);
}

/* What became of a transaction: as the table has it. */
static const char *outcome_of(fs_repo_t *repo, const char *name,
                              apr_pool_t *pool)
{
    const char *conflict;
    fs_error_t *err;
    fs_txn_t *txn;
    fs_rev_t rev;

    assert_fs_ok(fs_txn_open(&txn, repo, name, pool));
    err = fs_txn_commit(&rev, &conflict, txn, false, pool);
    if (!err) {
        fs_test_txns_verify(repo, pool);
        return apr_psprintf(pool, "committed; changed: %s",
                            changes_of(repo, rev, pool));
    }
    if (err->code == FS_ERR_CONFLICT) {
        assert_string_equal(err->message,
                            apr_psprintf(pool, "conflict at '%s'", conflict));
        fs_error_clear(err);
        return apr_psprintf(pool, "E160024 Conflict at '%s'", conflict);
    }
    assert_fs_ok(err);
    return NULL;
}

/* The table names copies before deletions here and there: changed paths are
 * compared as a set. */
static bool same_outcome(const char *a, const char *b, apr_pool_t *pool)
{
    char *last;
    char *word;

    if (strlen(a) != strlen(b))
        return false;
    for (word = apr_strtok(apr_pstrdup(pool, a), " ", &last); word;
         word = apr_strtok(NULL, " ", &last))
        if (!strstr(b, word))
            return false;
    return true;
}

static void check_row(char *line, apr_pool_t *pool)
{
    fs_repo_t *repo = fs_test_txns_copy(pool);
    char *last;
    const char *first = apr_strtok(line, "\t", &last);
    const char *second = apr_strtok(NULL, "\t", &last);
    const char *want = apr_strtok(NULL, "\n", &last);
    const char *ours = fs_test_txns_begin(repo, 1, second, pool);
    const char *got;

    assert_int_equal(fs_test_txns_commit(
                         repo, fs_test_txns_begin(repo, 1, first, pool), pool),
                     2);
    got = outcome_of(repo, ours, pool);
    if (!same_outcome(got, want, pool))
        fail_msg("%s, then %s: %s, not %s", first, second, got, want);
}

static void pairs_of_commits_end_as_the_table_says(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    FILE *file =
        fopen(fs_test_source("tests/data/commit/merge-matrix.tsv", pool), "r");
    char line[LINE_MAX_LEN];
    apr_pool_t *iter;
    int rows = 0;

    assert_non_null(file);
    apr_pool_create(&iter, pool);
    while (fgets(line, sizeof(line), file)) {
        if (line[0] == '#')
            continue;
        apr_pool_clear(iter);
        check_row(line, iter);
        rows++;
    }
    (void)fclose(file);
    assert_int_equal(rows, 54);
}

static const char *text_at(fs_repo_t *repo, fs_rev_t rev, const char *path,
                           apr_pool_t *pool)
{
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    return fs_test_txns_text(root, path, pool);
}

static void both_sides_are_in_the_merged_tree(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *ours = fs_test_txns_begin(
        repo, 1, "edit d/f ours;mkfile d/sub/o 1;del e/x", pool);
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;

    (void)fs_test_txns_make(repo, "edit d/g theirs;mkfile d/sub/t 2;mkdir n",
                            pool);
    rev = fs_test_txns_commit(repo, ours, pool);
    assert_string_equal(text_at(repo, rev, "/d/f", pool), "ours");
    assert_string_equal(text_at(repo, rev, "/d/g", pool), "theirs");
    assert_string_equal(text_at(repo, rev, "/d/sub/o", pool), "1");
    assert_string_equal(text_at(repo, rev, "/d/sub/t", pool), "2");
    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_node_find(&node, root, "/e/x", pool));
    assert_null(node);
    assert_fs_ok(fs_node_need(&node, root, "/n", pool));
    assert_string_equal(changes_of(repo, rev, pool),
                        "Mt /d/f At /d/sub/o D /e/x");
    fs_test_txns_verify(repo, pool);
}

static void the_merged_folder_goes_on_where_the_youngest_was(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *ours = fs_test_txns_begin(repo, 1, "edit d/f ours", pool);
    const fs_node_t *theirs;
    const fs_node_t *merged;
    fs_root_t *root;

    assert_int_equal(fs_test_txns_make(repo, "edit d/g 1", pool), 2);
    assert_int_equal(fs_test_txns_make(repo, "edit d/g 2", pool), 3);
    assert_int_equal(fs_test_txns_commit(repo, ours, pool), 4);
    assert_fs_ok(fs_root_open(&root, repo, 3, pool));
    assert_fs_ok(fs_node_need(&theirs, root, "/d", pool));
    assert_fs_ok(fs_root_open(&root, repo, 4, pool));
    assert_fs_ok(fs_node_need(&merged, root, "/d", pool));
    assert_int_equal(fs_node_pred_count(merged),
                     fs_node_pred_count(theirs) + 1);
    assert_int_equal(fs_node_relation(theirs, merged), FS_RELATED);
}

static void mergeinfo_is_counted_on_both_sides(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *ours =
        fs_test_txns_begin(repo, 1, "prop d/f svn:mergeinfo /a:1", pool);
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;

    (void)fs_test_txns_make(
        repo, "prop d/g svn:mergeinfo /a:1;prop e/x svn:mergeinfo /b:1", pool);
    rev = fs_test_txns_commit(repo, ours, pool);
    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_node_need(&node, root, "/d", pool));
    assert_int_equal(fs_node_mergeinfo_count(node), 2);
    assert_fs_ok(fs_node_need(&node, root, "/", pool));
    assert_int_equal(fs_node_mergeinfo_count(node), 3);
    fs_test_txns_verify(repo, pool);
}

static void after_a_conflict_nothing_is_changed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *ours =
        fs_test_txns_begin(repo, 1, "edit d/f ours;edit e/x 1", pool);
    fs_root_t *root;
    fs_txn_t *txn;
    fs_rev_t rev;

    (void)fs_test_txns_make(repo, "edit d/g 1;mkdir a;edit e/x 2", pool);
    assert_fs_ok(fs_txn_open(&txn, repo, ours, pool));
    assert_fs_error(fs_txn_commit(&rev, NULL, txn, false, pool),
                    FS_ERR_CONFLICT);
    assert_int_equal(fs_txn_base(txn), 1);
    assert_fs_ok(fs_txn_root(&root, txn, pool));
    assert_string_equal(fs_test_txns_text(root, "/d/g", pool), "base");
    assert_string_equal(fs_test_txns_text(root, "/d/f", pool), "ours");
    fs_txn_close(txn);
    assert_fs_ok(fs_txn_abort(repo, ours, pool));
}

/* Deeper than anybody's stack would bear. */
static void a_deep_tree_is_merged(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_rev_t youngest;
    const char *path = "";
    const char *ours;
    const char *name;
    fs_txn_t *txn;
    int i;

    assert_fs_ok(fs_txn_begin(&txn, repo, 1, NULL, pool));
    for (i = 0; i < 300; i++) {
        path = apr_pstrcat(pool, path, "/x", NULL);
        assert_fs_ok(fs_txn_make_dir(txn, path, pool));
    }
    name = fs_txn_name(txn);
    fs_txn_close(txn);
    youngest = fs_test_txns_commit(repo, name, pool);
    ours = fs_test_txns_begin(repo, youngest,
                              apr_psprintf(pool, "mkdir %s/ours", path), pool);
    (void)fs_test_txns_make(repo, apr_psprintf(pool, "mkdir %s/theirs", path),
                            pool);
    youngest = fs_test_txns_commit(repo, ours, pool);
    assert_string_equal(changes_of(repo, youngest, pool),
                        apr_psprintf(pool, "A %s/ours", path));
    fs_test_txns_verify(repo, pool);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(pairs_of_commits_end_as_the_table_says),
    UNIT_TEST(both_sides_are_in_the_merged_tree),
    UNIT_TEST(the_merged_folder_goes_on_where_the_youngest_was),
    UNIT_TEST(mergeinfo_is_counted_on_both_sides),
    UNIT_TEST(after_a_conflict_nothing_is_changed),
    UNIT_TEST(a_deep_tree_is_merged),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
