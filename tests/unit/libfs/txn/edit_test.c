/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the edits of libfs/fs_txn.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "tests/support/hist.h"
#include "tests/support/txns.h"

/* An open transaction on revision 1. */
static fs_txn_t *begin(fs_repo_t *repo, apr_pool_t *pool)
{
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, repo, 1, NULL, pool));
    return txn;
}

static fs_txn_t *make(apr_pool_t *pool)
{
    return begin(fs_test_txns_copy(pool), pool);
}

static const fs_node_t *find(fs_txn_t *txn, const char *path, apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_root_t *root;

    assert_fs_ok(fs_txn_root(&root, txn, pool));
    assert_fs_ok(fs_node_find(&node, root, path, pool));
    return node;
}

static const char *text_of(fs_txn_t *txn, const char *path, apr_pool_t *pool)
{
    fs_root_t *root;

    assert_fs_ok(fs_txn_root(&root, txn, pool));
    return fs_test_txns_text(root, path, pool);
}

static fs_error_t *edit(fs_txn_t *txn, const char *edits, apr_pool_t *pool)
{
    return fs_test_txns_edit(txn, edits, pool);
}

/* ---- making ---- */

static void what_is_made_is_there(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_ok(fs_txn_make_dir(txn, "/n", pool));
    assert_fs_ok(fs_txn_make_file(txn, "/n/f", pool));
    assert_int_equal(fs_node_kind(find(txn, "/n", pool)), FS_NODE_DIR);
    assert_int_equal(fs_node_kind(find(txn, "/n/f", pool)), FS_NODE_FILE);
    assert_int_equal(fs_node_size(find(txn, "/n/f", pool)), 0);
    assert_string_equal(text_of(txn, "/n/f", pool), "");
    assert_int_equal(fs_node_created_rev(find(txn, "/n", pool)),
                     FS_INVALID_REV);
    assert_int_equal(fs_node_created_rev(find(txn, "/", pool)), FS_INVALID_REV);
    assert_int_equal(fs_node_created_rev(find(txn, "/d", pool)), 1);
}

static void names_that_may_not_be_made_are_refused(void **state)
{
    static const char *const bad[] = { "/bad\xff",       "/over\xc0\xaf",
                                       "/s\xed\xa0\x80", "/b\xf4\x90\x80\x80",
                                       "/nl\nx",         "/tab\tx",
                                       "/del\177",       "/f/../g",
                                       "/none/\001",     NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    int i;

    for (i = 0; bad[i]; i++) {
        assert_fs_error(fs_txn_make_dir(txn, bad[i], pool), FS_ERR_PATH_SYNTAX);
        assert_fs_error(fs_txn_make_file(txn, bad[i], pool),
                        FS_ERR_PATH_SYNTAX);
        assert_fs_error(fs_txn_copy(txn, 1, "/d", bad[i], pool),
                        FS_ERR_PATH_SYNTAX);
    }
}

static void unusual_names_are_made(void **state)
{
    static const char *const fine[] = { "/h.",
                                        "/..h",
                                        "/...",
                                        "/sp ace ",
                                        "/b\\s",
                                        "/q?#%41*:",
                                        "/nfc\xc3\xa9",
                                        "/nfde\xcc\x81",
                                        "/.svn",
                                        "/\xf0\x9f\x98\x80",
                                        NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    char longest[5002];
    int i;

    memset(longest, 'n', sizeof(longest) - 1);
    longest[0] = '/';
    longest[sizeof(longest) - 1] = '\0';
    for (i = 0; fine[i]; i++)
        assert_fs_ok(fs_txn_make_dir(txn, fine[i], pool));
    assert_fs_ok(fs_txn_make_dir(txn, longest, pool));
    for (i = 0; fine[i]; i++)
        assert_non_null(find(txn, fine[i], pool));
    assert_non_null(find(txn, longest, pool));
}

static void what_exists_is_not_made_again(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_error(fs_txn_make_dir(txn, "/", pool), FS_ERR_EXISTS);
    assert_fs_error_says(
        fs_txn_make_dir(txn, "/d", pool), FS_ERR_EXISTS,
        apr_psprintf(pool, "path '/d' already exists in transaction '%s'",
                     fs_txn_name(txn)));
    assert_fs_error(fs_txn_make_file(txn, "/d/f", pool), FS_ERR_EXISTS);
    assert_fs_ok(fs_txn_make_dir(txn, "/n", pool));
    assert_fs_error(fs_txn_make_dir(txn, "/n", pool), FS_ERR_EXISTS);
}

static void a_parent_must_be_there_and_a_directory(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_error_says(
        fs_txn_make_dir(txn, "/none/x", pool), FS_ERR_NOT_FOUND,
        apr_psprintf(pool, "path '/none' not found in transaction '%s'",
                     fs_txn_name(txn)));
    assert_fs_error(fs_txn_make_file(txn, "/d/f/x", pool), FS_ERR_NOT_DIR);
    assert_fs_error(fs_txn_copy(txn, 1, "/e", "/none/x", pool),
                    FS_ERR_NOT_FOUND);
    assert_fs_error(fs_txn_copy(txn, 1, "/e", "/d/f/x", pool), FS_ERR_NOT_DIR);
}

/* ---- deleting ---- */

static void what_is_deleted_is_gone_with_all_below(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_ok(fs_txn_delete(txn, "/d", pool));
    assert_null(find(txn, "/d", pool));
    assert_null(find(txn, "/d/sub/h", pool));
    assert_fs_error(fs_txn_delete(txn, "/d", pool), FS_ERR_NOT_FOUND);
    assert_fs_error(fs_txn_delete(txn, "/d/f", pool), FS_ERR_NOT_FOUND);
    assert_fs_ok(fs_txn_make_file(txn, "/d", pool));
    assert_int_equal(fs_node_kind(find(txn, "/d", pool)), FS_NODE_FILE);
}

static void the_root_is_neither_deleted_nor_replaced(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_error(fs_txn_delete(txn, "/", pool), FS_ERR_ROOT_DIR);
    assert_fs_error(fs_txn_copy(txn, 1, "/d", "/", pool), FS_ERR_ROOT_DIR);
}

/* ---- copying ---- */

static void a_copy_has_all_below_and_its_history(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    const char *from;
    fs_rev_t rev;

    assert_fs_ok(fs_txn_copy(txn, 1, "/d", "/c", pool));
    assert_string_equal(text_of(txn, "/c/sub/h", pool), "base");
    fs_node_copyfrom(&rev, &from, find(txn, "/c", pool));
    assert_int_equal(rev, 1);
    assert_string_equal(from, "/d");
    assert_int_equal(
        fs_node_relation(find(txn, "/c", pool), find(txn, "/d", pool)),
        FS_RELATED);
    assert_int_equal(
        fs_node_relation(find(txn, "/c/f", pool), find(txn, "/d/f", pool)),
        FS_SAME);
    assert_fs_ok(edit(txn, "edit c/f new;del c/g;mkfile c/n 1", pool));
    assert_string_equal(text_of(txn, "/c/f", pool), "new");
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
    assert_null(find(txn, "/c/g", pool));
    assert_int_equal(
        fs_node_relation(find(txn, "/c/f", pool), find(txn, "/d/f", pool)),
        FS_RELATED);
}

static void a_copy_replaces_what_is_there(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_ok(fs_txn_copy(txn, 1, "/e", "/d", pool));
    assert_non_null(find(txn, "/d/x", pool));
    assert_null(find(txn, "/d/f", pool));
}

static void sources_that_are_not_there_are_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_error(fs_txn_copy(txn, 2, "/d", "/c", pool), FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_txn_copy(txn, -1, "/d", "/c", pool), FS_ERR_NO_SUCH_REV);
    assert_fs_error_says(fs_txn_copy(txn, 1, "/none", "/c", pool),
                         FS_ERR_NOT_FOUND,
                         "path '/none' not found in revision 1");
    assert_fs_error(fs_txn_copy(txn, 0, "/d", "/c", pool), FS_ERR_NOT_FOUND);
}

static fs_error_t *count_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    (void)change;
    (void)scratch;
    ++*(int *)baton;
    return NULL;
}

static void a_copy_of_itself_does_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    int changes = 0;

    assert_fs_ok(fs_txn_copy(txn, 1, "/d", "/d", pool));
    assert_fs_ok(fs_txn_changes(txn, count_change, &changes, pool));
    assert_int_equal(changes, 0);
    assert_fs_ok(fs_txn_copy(txn, 1, "/d", "/c", pool));
    assert_fs_ok(fs_txn_changes(txn, count_change, &changes, pool));
    assert_int_equal(changes, 1);
}

/* ---- properties ---- */

static const char *prop_of(fs_txn_t *txn, const char *path, const char *name,
                           apr_pool_t *pool)
{
    const fs_bytes_t *value;

    assert_fs_ok(fs_node_prop(&value, find(txn, path, pool), name, pool));
    return value ? apr_pstrmemdup(pool, value->data, value->len) : NULL;
}

static void properties_are_set_and_deleted_together(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    const fs_bytes_t value = { "v", 1 };
    const fs_bytes_t empty = { "", 0 };
    const fs_prop_change_t set[] = { { "a", &value }, { "b", &empty } };
    const fs_prop_change_t gone[] = { { "a", NULL }, { "c", &value } };

    assert_fs_ok(fs_txn_change_node_props(txn, "/d/f", set, 2, pool));
    assert_string_equal(prop_of(txn, "/d/f", "a", pool), "v");
    assert_string_equal(prop_of(txn, "/d/f", "b", pool), "");
    assert_fs_ok(fs_txn_change_node_props(txn, "/d/f", gone, 2, pool));
    assert_null(prop_of(txn, "/d/f", "a", pool));
    assert_string_equal(prop_of(txn, "/d/f", "b", pool), "");
    assert_string_equal(prop_of(txn, "/d/f", "c", pool), "v");
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
    assert_fs_ok(fs_txn_change_node_props(txn, "/", set, 2, pool));
    assert_string_equal(prop_of(txn, "/", "a", pool), "v");
}

static void properties_that_may_not_be_are_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    const fs_bytes_t value = { "a\r", 2 };
    fs_prop_change_t change = { "svn:wc:x", &value };

    assert_fs_error(fs_txn_change_node_props(txn, "/none", &change, 1, pool),
                    FS_ERR_NOT_FOUND);
    assert_fs_error(fs_txn_change_node_props(txn, "/d", &change, 1, pool),
                    FS_ERR_BAD_ARGS);
    change.name = "svn:ignore";
    assert_fs_error(fs_txn_change_node_props(txn, "/d", &change, 1, pool),
                    FS_ERR_BAD_PROPERTY_VALUE);
    change.name = "svn:mergeinfo";
    assert_fs_error_says(fs_txn_change_node_props(txn, "/d", &change, 1, pool),
                         FS_ERR_MERGEINFO, "mergeinfo of '/d'");
    assert_null(prop_of(txn, "/d", "svn:mergeinfo", pool));
}

/* ---- looking ---- */

static void the_tree_lists_what_was_changed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    const fs_dirent_t *entry;
    const char *names = "";
    fs_dir_t *dir;

    assert_fs_ok(edit(txn, "mkdir d/a;del d/g;mkfile d/zz 1", pool));
    assert_fs_ok(fs_dir_open(&dir, find(txn, "/d", pool), pool));
    for (;;) {
        assert_fs_ok(fs_dir_next(&entry, dir));
        if (!entry)
            break;
        names = apr_pstrcat(pool, names, " ", entry->name, NULL);
    }
    assert_string_equal(names, " a f sub zz");
}

static void messages_name_the_transaction(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    const fs_node_t *node;
    fs_root_t *root;
    fs_dir_t *dir;

    assert_fs_ok(fs_txn_root(&root, txn, pool));
    assert_int_equal(fs_root_rev(root), FS_INVALID_REV);
    assert_fs_error_says(
        fs_node_need(&node, root, "/none", pool), FS_ERR_NOT_FOUND,
        apr_psprintf(pool, "in transaction '%s'", fs_txn_name(txn)));
    assert_fs_ok(fs_node_need(&node, root, "/d/f", pool));
    assert_fs_error_says(fs_dir_open(&dir, node, pool), FS_ERR_NOT_DIR,
                         "in transaction '");
}

/* The cache knows revisions; a transaction is another one after each edit. */
static void nothing_of_a_transaction_is_cached(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo =
        fs_test_open(fs_repo_path(fs_test_txns_copy(pool)), true, pool);
    fs_txn_t *first = begin(repo, pool);
    fs_txn_t *second;

    assert_string_equal(text_of(first, "/d/sub/h", pool), "base");
    assert_fs_ok(edit(first, "edit d/sub/h 1;prop d/sub/h a 1", pool));
    assert_string_equal(text_of(first, "/d/sub/h", pool), "1");
    assert_string_equal(prop_of(first, "/d/sub/h", "a", pool), "1");
    assert_fs_ok(edit(first, "edit d/sub/h 2;prop d/sub/h a 2", pool));
    assert_string_equal(text_of(first, "/d/sub/h", pool), "2");
    assert_string_equal(prop_of(first, "/d/sub/h", "a", pool), "2");
    assert_fs_ok(edit(first, "del d/sub;mkdir d/sub;mkfile d/sub/i 3", pool));
    assert_null(find(first, "/d/sub/h", pool));
    fs_txn_close(first);
    second = begin(repo, pool);
    assert_string_equal(text_of(second, "/d/sub/h", pool), "base");
    assert_null(prop_of(second, "/d/sub/h", "a", pool));
    assert_null(find(second, "/d/sub/i", pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(what_is_made_is_there),
    UNIT_TEST(names_that_may_not_be_made_are_refused),
    UNIT_TEST(unusual_names_are_made),
    UNIT_TEST(what_exists_is_not_made_again),
    UNIT_TEST(a_parent_must_be_there_and_a_directory),
    UNIT_TEST(what_is_deleted_is_gone_with_all_below),
    UNIT_TEST(the_root_is_neither_deleted_nor_replaced),
    UNIT_TEST(a_copy_has_all_below_and_its_history),
    UNIT_TEST(a_copy_replaces_what_is_there),
    UNIT_TEST(sources_that_are_not_there_are_told),
    UNIT_TEST(a_copy_of_itself_does_nothing),
    UNIT_TEST(properties_are_set_and_deleted_together),
    UNIT_TEST(properties_that_may_not_be_are_refused),
    UNIT_TEST(the_tree_lists_what_was_changed),
    UNIT_TEST(messages_name_the_transaction),
    UNIT_TEST(nothing_of_a_transaction_is_cached),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
