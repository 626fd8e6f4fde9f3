/* SPDX-License-Identifier: Apache-2.0 */
/* Proves directories and changed paths of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

static const fs_node_t *find(fs_rev_t rev, const char *path, apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), rev, pool));
    assert_fs_ok(fs_node_need(&node, root, path, pool));
    return node;
}

static void entries_come_sorted_and_lead_to_their_nodes(void **state)
{
    static const struct {
        const char *name;
        fs_node_kind_t kind;
        fs_rev_t created;
    } expected[] = {
        { "A", FS_NODE_DIR, 5 },    { "B", FS_NODE_FILE, 5 },
        { "C", FS_NODE_DIR, 9 },    { "g", FS_NODE_FILE, 8 },
        { "new", FS_NODE_FILE, 7 },
    };
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *trunk = find(11, "/trunk", pool);
    const fs_dirent_t *entry;
    const fs_node_t *child;
    fs_dir_t *dir;
    int i;

    assert_fs_ok(fs_dir_open(&dir, trunk, pool));
    for (i = 0; i < 5; i++) {
        assert_fs_ok(fs_dir_next(&entry, dir));
        assert_non_null(entry);
        assert_string_equal(entry->name, expected[i].name);
        assert_int_equal(entry->kind, expected[i].kind);
        assert_fs_ok(fs_dir_node(&child, trunk, entry, pool));
        assert_string_equal(
            fs_node_path(child),
            apr_pstrcat(pool, "/trunk/", expected[i].name, NULL));
        assert_int_equal(fs_node_kind(child), expected[i].kind);
        assert_int_equal(fs_node_created_rev(child), expected[i].created);
    }
    assert_fs_ok(fs_dir_next(&entry, dir));
    assert_null(entry);
}

static void an_empty_directory_ends_at_once(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_dirent_t *entry;
    fs_dir_t *dir;

    assert_fs_ok(fs_dir_open(&dir, find(0, "/", pool), pool));
    assert_fs_ok(fs_dir_next(&entry, dir));
    assert_null(entry);
}

static void a_file_is_not_read_as_directory(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_dir_t *dir;

    assert_fs_error_says(fs_dir_open(&dir, find(11, "/trunk/g", pool), pool),
                         FS_ERR_NOT_DIR,
                         "'/trunk/g' is not a directory in revision 11");
}

/* ---- changed paths ---- */

static fs_error_t *print_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    (void)scratch;
    fs_buffer_printf(baton, "%c %s %s%s%s", change->action, change->path,
                     change->kind == FS_NODE_DIR ? "dir" : "file",
                     change->text_mod ? " text" : "",
                     change->prop_mod ? " props" : "");
    if (change->copyfrom_path)
        fs_buffer_printf(baton, " from %s@%" FS_REV_FMT, change->copyfrom_path,
                         change->copyfrom_rev);
    fs_buffer_puts(baton, "\n");
    return NULL;
}

static const char *changes_of(fs_rev_t rev, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(256, pool);
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), rev, pool));
    assert_fs_ok(fs_root_changes(root, print_change, out, pool));
    return apr_pstrmemdup(pool, out->data, out->len);
}

static void changed_paths_are_told_with_flags_and_sources(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(changes_of(0, pool), "");
    assert_string_equal(changes_of(5, pool),
                        "D /trunk/A/f file\n"
                        "A /trunk/A/f2 file from /trunk/A/f@4\n"
                        "R /trunk/B file text\n");
    assert_string_equal(changes_of(6, pool), "M /trunk/new file props\n");
    assert_string_equal(changes_of(7, pool),
                        "R /trunk/new file from /trunk/A/f2@6\n");
    assert_string_equal(changes_of(9, pool),
                        "A /trunk/C dir props from /trunk/A@8\n"
                        "M /trunk/C/f2 file text\n");
}

static fs_error_t *stop(void *baton, const fs_change_t *change,
                        apr_pool_t *scratch)
{
    int *calls = baton;

    (void)change;
    (void)scratch;
    ++*calls;
    return FS_ERROR(FS_ERR_CANCELLED, "enough");
}

static void an_error_of_the_receiver_ends_the_telling(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_root_t *root;
    int calls = 0;

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), 5, pool));
    assert_fs_error(fs_root_changes(root, stop, &calls, pool),
                    FS_ERR_CANCELLED);
    assert_int_equal(calls, 1);
}

static fs_node_kind_t kind_of(fs_repo_t *repo, fs_rev_t rev, fs_action_t action,
                              const char *path, apr_pool_t *pool)
{
    const fs_change_t change = { .path = path,
                                 .action = action,
                                 .kind = FS_NODE_UNKNOWN,
                                 .copyfrom_rev = FS_INVALID_REV };
    fs_node_kind_t kind;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_change_kind(&kind, root, &change, pool));
    return kind;
}

static void an_unrecorded_kind_is_looked_up(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_hist();

    assert_int_equal(kind_of(repo, 9, FS_ACTION_ADD, "/trunk/C", pool),
                     FS_NODE_DIR);
    assert_int_equal(kind_of(repo, 5, FS_ACTION_REPLACE, "/trunk/B", pool),
                     FS_NODE_FILE);
    assert_int_equal(kind_of(repo, 10, FS_ACTION_DELETE, "/branches/b1", pool),
                     FS_NODE_DIR);
    assert_int_equal(kind_of(repo, 5, FS_ACTION_DELETE, "/trunk/A/f", pool),
                     FS_NODE_FILE);
}

static void the_kind_of_what_went_below_a_copy_is_that_of_its_source(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    const char *file = fs_test_file("x", 1, pool);
    const char *first[] = { "mkdir", "A",   "mkdir", "A/d", "mkdir", "B", "put",
                            file,    "A/f", "put",   file,  "B/d",   NULL };
    const char *second[] = { "rm", "B",   "cp", "1",   "A", "B",
                             "rm", "B/d", "rm", "B/f", NULL };
    fs_repo_t *repo;

    fs_test_repo_commit(path, first, pool);
    fs_test_repo_commit(path, second, pool);
    repo = fs_test_open(path, false, pool);
    assert_int_equal(kind_of(repo, 2, FS_ACTION_DELETE, "/B/d", pool),
                     FS_NODE_DIR);
    assert_int_equal(kind_of(repo, 2, FS_ACTION_DELETE, "/B/f", pool),
                     FS_NODE_FILE);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(entries_come_sorted_and_lead_to_their_nodes),
    UNIT_TEST(an_empty_directory_ends_at_once),
    UNIT_TEST(a_file_is_not_read_as_directory),
    UNIT_TEST(changed_paths_are_told_with_flags_and_sources),
    UNIT_TEST(an_error_of_the_receiver_ends_the_telling),
    UNIT_TEST(an_unrecorded_kind_is_looked_up),
    UNIT_TEST(the_kind_of_what_went_below_a_copy_is_that_of_its_source),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
