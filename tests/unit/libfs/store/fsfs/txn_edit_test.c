/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/txn_edit.h: ids, records and counts of edited nodes
 * are those that the stock library gives. */

#include "libfs/store/fsfs/txn_edit.h"

#include <stdio.h>

#include <apr_strings.h>

#include "libfs/fs_txn.h"
#include "libfs/store/fsfs/txn_table.h"
#include "tests/support/repo.h"
#include "tests/support/txn_dump.h"
#include "tests/support/unit.h"

typedef struct bed_t {
    fs_repo_t *repo;
    fs_txn_t *txn;
    fs_txn_state_t *opened; /* while it is looked at */
    apr_pool_t *pool;
} bed_t;

static void begin(bed_t *bed)
{
    fs_rev_t youngest;

    assert_fs_ok(fs_repo_youngest(&youngest, bed->repo, bed->pool));
    assert_fs_ok(fs_txn_begin(&bed->txn, bed->repo, youngest,
                              apr_hash_make(bed->pool), bed->pool));
}

static void put(const bed_t *bed, const char *path, const char *text)
{
    fs_txn_text_form_t form = { .is_svndiff = false };
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *out;

    assert_fs_ok(fs_txn_text_open(&out, bed->txn, path, &form, bed->pool));
    assert_fs_ok(fs_txn_text_write(out, text, strlen(text)));
    assert_fs_ok(fs_txn_text_close(md5, out));
}

static void mkdir_at(const bed_t *bed, const char *path)
{
    assert_fs_ok(fs_txn_make_dir(bed->txn, path, bed->pool));
}

static void mkfile_at(const bed_t *bed, const char *path)
{
    assert_fs_ok(fs_txn_make_file(bed->txn, path, bed->pool));
}

static void copy(const bed_t *bed, fs_rev_t rev, const char *from,
                 const char *to)
{
    assert_fs_ok(fs_txn_copy(bed->txn, rev, from, to, bed->pool));
}

static void remove_at(const bed_t *bed, const char *path)
{
    assert_fs_ok(fs_txn_delete(bed->txn, path, bed->pool));
}

static void set(const bed_t *bed, const char *path, const char *name,
                const char *text)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_prop_change_t change = { name, text ? &value : NULL };

    assert_fs_ok(
        fs_txn_change_node_props(bed->txn, path, &change, 1, bed->pool));
}

static void commit(bed_t *bed)
{
    fs_rev_t rev;

    assert_fs_ok(fs_txn_commit(&rev, NULL, bed->txn, false, bed->pool));
    begin(bed);
}

/* r1: /a/f, /a/sub/x. r2: /a copied to /b. r3: /a/f copied to /a/g. r4: /a
 * copied to /c. */
static void make_bed(bed_t *bed, const char *version, apr_pool_t *pool)
{
    const char *path = fs_test_repo_load_as(NULL, version, pool);

    bed->pool = pool;
    assert_fs_ok(fs_repo_open(&bed->repo, path, NULL, NULL, pool));
    begin(bed);
    mkdir_at(bed, "/a");
    mkfile_at(bed, "/a/f");
    mkdir_at(bed, "/a/sub");
    mkfile_at(bed, "/a/sub/x");
    commit(bed);
    copy(bed, 1, "/a", "/b");
    commit(bed);
    copy(bed, 2, "/a/f", "/a/g");
    commit(bed);
    copy(bed, 3, "/a", "/c");
    commit(bed);
}

static void look(bed_t *bed)
{
    fs_fsfs_t *fsfs = fs_handle_of(fs_repo_store(bed->repo));

    fs_txn_close(bed->txn);
    assert_fs_ok(fs_txn_table_open(&bed->opened, fsfs, fs_txn_name(bed->txn),
                                   bed->pool));
}

/* Put `to` in place of `from`. */
static const char *replace(const char *text, const char *from, const char *to,
                           apr_pool_t *pool)
{
    const char *at;

    while ((at = strstr(text, from)))
        text = apr_pstrcat(pool,
                           apr_pstrmemdup(pool, text, (apr_size_t)(at - text)),
                           to, at + strlen(from), NULL);
    return text;
}

/* Item numbers and text and property lines are others' affair. */
static const char *record(const bed_t *bed, const char *path)
{
    const char *text = replace(fs_test_txn_record(bed->opened, path, bed->pool),
                               bed->opened->name, "T", bed->pool);
    char *line, *last;
    char *out = apr_pstrdup(bed->pool, "");

    for (line = apr_strtok(apr_pstrdup(bed->pool, text), "\n", &last); line;
         line = apr_strtok(NULL, "\n", &last)) {
        if (!strncmp(line, "text:", 5) || !strncmp(line, "props:", 6))
            continue;
        if (!strncmp(line, "pred:", 5))
            *strchr(line, '/') = '\0';
        out = apr_pstrcat(bed->pool, out, line, "\n", NULL);
    }
    return out;
}

static void a_node_below_a_lazy_copy_takes_its_copy_id(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    put(&bed, "/b/sub/x", "new");
    look(&bed);
    assert_string_equal(record(&bed, "/b"), "id: 0-1.0-2.tT\n"
                                            "type: dir\n"
                                            "pred: 0-1.0-2.r2\n"
                                            "count: 2\n"
                                            "cpath: /b\n"
                                            "copyroot: 2 /b\n");
    assert_string_equal(record(&bed, "/b/sub"), "id: 4-1.0-2.tT\n"
                                                "type: dir\n"
                                                "pred: 4-1.0.r1\n"
                                                "count: 1\n"
                                                "cpath: /b/sub\n"
                                                "copyroot: 2 /b\n");
    assert_string_equal(record(&bed, "/b/sub/x"), "id: 5-1.0-2.tT\n"
                                                  "type: file\n"
                                                  "pred: 5-1.0.r1\n"
                                                  "count: 1\n"
                                                  "cpath: /b/sub/x\n"
                                                  "copyroot: 2 /b\n");
    fs_txn_table_close(bed.opened);
}

static void a_copy_at_its_own_place_keeps_its_copy_id(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    put(&bed, "/a/g", "new");
    put(&bed, "/a/f", "new");
    look(&bed);
    assert_string_equal(record(&bed, "/a/g"), "id: 2-1.0-3.tT\n"
                                              "type: file\n"
                                              "pred: 2-1.0-3.r3\n"
                                              "count: 2\n"
                                              "cpath: /a/g\n"
                                              "copyroot: 3 /a/g\n");
    assert_string_equal(record(&bed, "/a/f"), "id: 2-1.0.tT\n"
                                              "type: file\n"
                                              "pred: 2-1.0.r1\n"
                                              "count: 1\n"
                                              "cpath: /a/f\n"
                                              "copyroot: 0 /\n");
    assert_int_equal(bed.opened->next_copy, 0);
    fs_txn_table_close(bed.opened);
}

static void a_copy_in_a_tree_copied_later_gets_a_new_copy_id(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    put(&bed, "/c/g", "new");
    look(&bed);
    assert_string_equal(record(&bed, "/c/g"), "id: 2-1._0.tT\n"
                                              "type: file\n"
                                              "pred: 2-1.0-3.r3\n"
                                              "count: 2\n"
                                              "cpath: /c/g\n"
                                              "copyroot: 3 /a/g\n");
    assert_int_equal(bed.opened->next_copy, 1);
    fs_txn_table_close(bed.opened);
}

static void a_new_copy_is_its_own_root(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    copy(&bed, 3, "/a", "/d");
    put(&bed, "/d/f", "new");
    mkfile_at(&bed, "/d/n");
    look(&bed);
    assert_string_equal(record(&bed, "/d"), "id: 0-1._0.tT\n"
                                            "type: dir\n"
                                            "pred: 0-1.0.r3\n"
                                            "count: 2\n"
                                            "cpath: /d\n"
                                            "copyfrom: 3 /a\n");
    assert_string_equal(record(&bed, "/d/f"), "id: 2-1._0.tT\n"
                                              "type: file\n"
                                              "pred: 2-1.0.r1\n"
                                              "count: 1\n"
                                              "cpath: /d/f\n"
                                              "copyroot: -1 /d\n");
    assert_non_null(strstr(record(&bed, "/d/n"), "copyroot: -1 /d\n"));
    assert_non_null(strstr(record(&bed, "/d/n"), "._0.tT\ntype: file\n"));
    fs_txn_table_close(bed.opened);
}

static void the_root_is_fresh_until_it_is_edited(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    look(&bed);
    assert_string_equal(record(&bed, "/"), "id: 0.0.tT\n"
                                           "type: dir\n"
                                           "pred: 0.0.r4\n"
                                           "count: 5\n"
                                           "cpath: /\n"
                                           "copyroot: 0 /\n"
                                           "is-fresh-txn-root: y\n");
    fs_txn_table_close(bed.opened);
    assert_fs_ok(
        fs_txn_open(&bed.txn, bed.repo, fs_txn_name(bed.txn), bed.pool));
    mkdir_at(&bed, "/z");
    look(&bed);
    assert_null(strstr(record(&bed, "/"), "fresh"));
    fs_txn_table_close(bed.opened);
}

/* Node numbers are taken by nodes and, from format 4 on, by contents. */
static void numbers_are_taken_as_the_stock_library_does(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    mkdir_at(&bed, "/z");      /* node 0, entries of "/" 1 */
    mkfile_at(&bed, "/z/f");   /* node 2, entries of /z 3 */
    put(&bed, "/z/f", "x");    /* text 4 */
    set(&bed, "/z", "p", "1"); /* property list 5 */
    set(&bed, "/z", "p", "2"); /* again: the same number */
    mkfile_at(&bed, "/z/g");   /* node 6; /z has a number */
    look(&bed);
    assert_int_equal(bed.opened->next_node, 7);
    assert_int_equal(bed.opened->next_item, 4);
    assert_int_equal(bed.opened->root->text_unique, 1);
    assert_non_null(strstr(record(&bed, "/z/f"), "id: _2.0.tT"));
    assert_non_null(
        strstr(fs_test_txn_record(bed.opened, "/z/f", bed.pool), "/_4\n"));
    assert_non_null(strstr(record(&bed, "/z/g"), "id: _6.0.tT"));
    fs_txn_table_close(bed.opened);
}

static void old_formats_number_nodes_alone(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.5", unit_pool(state));
    mkdir_at(&bed, "/z");
    mkfile_at(&bed, "/z/f");
    put(&bed, "/z/f", "x");
    set(&bed, "/z", "p", "1");
    look(&bed);
    assert_int_equal(bed.opened->next_node, 2);
    assert_int_equal(bed.opened->next_item, 3);
    fs_txn_table_close(bed.opened);
}

static int mergeinfo_at(const bed_t *bed, const char *path)
{
    fs_txn_ref_t ref;

    assert_fs_ok(fs_txn_edit_find(&ref, bed->opened, path, bed->pool));
    assert_non_null(ref.node);
    return (int)ref.node->rec.minfo_count;
}

static void mergeinfo_is_counted_up_to_the_root(void **state)
{
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    set(&bed, "/a/sub", "svn:mergeinfo", "/q:1");
    set(&bed, "/a/sub", "svn:mergeinfo", "/q:1-2"); /* counts once */
    set(&bed, "/a/sub/x", "svn:mergeinfo", "/q:1");
    set(&bed, "/a", "svn:mergeinfo", NULL); /* was not there */
    commit(&bed);
    copy(&bed, 5, "/a", "/d");
    set(&bed, "/d/sub/x", "svn:mergeinfo", NULL);
    mkdir_at(&bed, "/e");
    copy(&bed, 5, "/a/sub", "/e/s");
    remove_at(&bed, "/e/s");
    copy(&bed, 5, "/a/f", "/a/sub"); /* takes the place of two */
    look(&bed);
    assert_int_equal(mergeinfo_at(&bed, "/d/sub/x"), 0);
    assert_int_equal(mergeinfo_at(&bed, "/d/sub"), 1);
    assert_int_equal(mergeinfo_at(&bed, "/d"), 1);
    assert_int_equal(mergeinfo_at(&bed, "/e"), 0);
    assert_int_equal(mergeinfo_at(&bed, "/a"), 0);
    assert_int_equal(mergeinfo_at(&bed, "/"), 1);
    fs_txn_table_close(bed.opened);
}

static const char *change_line(const bed_t *bed, int i)
{
    const fs_txn_change_t *c =
        &APR_ARRAY_IDX(bed->opened->changes, i, fs_txn_change_t);
    static const char actions[] = { 'A', 'D', 'R', 'M' };

    return apr_psprintf(bed->pool, "%c%c%c%c %s %s %d %s", actions[c->action],
                        c->text_mod ? 't' : '-', c->prop_mod ? 'p' : '-',
                        c->minfo_mod ? 'm' : '-',
                        c->kind == FS_NODE_DIR ? "dir" : "file", c->path,
                        (int)c->copyfrom_rev,
                        c->copyfrom_path ? c->copyfrom_path : "-");
}

static void each_edit_is_a_change(void **state)
{
    static const char *const lines[] = {
        "A--- dir /z -1 -",        "At-- file /z/f -1 -", "Mt-- file /z/f -1 -",
        "M-p- dir /z -1 -",        "M-pm file /z/f -1 -", "A--- dir /z/c 3 /a",
        "R--- file /a/sub 4 /a/f", "D--- dir /b -1 -",
    };
    apr_size_t i;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    mkdir_at(&bed, "/z");
    mkfile_at(&bed, "/z/f");
    put(&bed, "/z/f", "x");
    set(&bed, "/z", "p", "1");
    set(&bed, "/z/f", "svn:mergeinfo", "/q:1");
    copy(&bed, 3, "/a", "/z/c");
    copy(&bed, 4, "/a/f", "/a/sub");
    remove_at(&bed, "/b");
    look(&bed);
    assert_int_equal(bed.opened->changes->nelts, 8);
    for (i = 0; i < 8; i++)
        assert_string_equal(change_line(&bed, (int)i), lines[i]);
    fs_txn_table_close(bed.opened);
}

static void what_is_removed_is_not_written(void **state)
{
    const fs_txn_node_t *node;
    bed_t bed;
    int gone = 0;
    int i;

    make_bed(&bed, "1.14", unit_pool(state));
    mkdir_at(&bed, "/z");
    mkdir_at(&bed, "/z/y");
    mkfile_at(&bed, "/z/y/f");
    remove_at(&bed, "/z");
    look(&bed);
    for (i = 0; i < bed.opened->nodes->nelts; i++) {
        node = APR_ARRAY_IDX(bed.opened->nodes, i, fs_txn_node_t *);
        gone += node->gone;
    }
    assert_int_equal(gone, 3);
    assert_false(bed.opened->root->gone);
    fs_txn_table_close(bed.opened);
}

static void what_is_not_there_is_told(void **state)
{
    fs_txn_op_t op = { .type = FS_TXN_OP_REMOVE, .path = "/none" };
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    look(&bed);
    assert_fs_error_says(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                         FS_ERR_CORRUPT, "has no '/none'");
    op.type = FS_TXN_OP_MAKE;
    op.kind = FS_NODE_DIR;
    op.path = "/a";
    assert_fs_error_says(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                         FS_ERR_CORRUPT, "has '/a' already");
    op.path = "/a/f/x";
    assert_fs_error(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                    FS_ERR_CORRUPT);
    op.path = "/";
    assert_fs_error_says(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                         FS_ERR_CORRUPT, "root");
    op.type = FS_TXN_OP_FOLLOW;
    op.path = "/a/sub";
    assert_fs_error(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                    FS_ERR_CORRUPT);
    op.type = FS_TXN_OP_BASE;
    op.from_rev = 1;
    assert_fs_error_says(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                         FS_ERR_CORRUPT, "went back");
    op.type = (fs_txn_op_type_t)77;
    assert_fs_error_says(fs_txn_edit_apply(bed.opened, &op, bed.pool),
                         FS_ERR_CORRUPT, "unknown kind");
    fs_txn_table_forget(bed.opened);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_node_below_a_lazy_copy_takes_its_copy_id),
    UNIT_TEST(a_copy_at_its_own_place_keeps_its_copy_id),
    UNIT_TEST(a_copy_in_a_tree_copied_later_gets_a_new_copy_id),
    UNIT_TEST(a_new_copy_is_its_own_root),
    UNIT_TEST(the_root_is_fresh_until_it_is_edited),
    UNIT_TEST(numbers_are_taken_as_the_stock_library_does),
    UNIT_TEST(old_formats_number_nodes_alone),
    UNIT_TEST(mergeinfo_is_counted_up_to_the_root),
    UNIT_TEST(each_edit_is_a_change),
    UNIT_TEST(what_is_removed_is_not_written),
    UNIT_TEST(what_is_not_there_is_told),
};

UNIT_MAIN(tests)
