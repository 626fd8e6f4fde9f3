/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/node_rev.h. */

#include "tests/support/unit.h"

#include "libfs/format/node_rev.h"

/* From a repository of format 8; a copied directory with properties. */
static const char copied[] =
    "id: 0-1.0-3.r3/5\n"
    "type: dir\n"
    "pred: 0-1.0.r2/7\n"
    "count: 2\n"
    "text: 2 5 43 31 4b5e8c7f35d8e5bcbeadf59e06791396 - -\n"
    "props: 2 6 28 16 3a168dfdd518458e82581901e34df6b3 - 1-1/_4\n"
    "cpath: /e\n"
    "copyfrom: 2 /d\n"
    "\n";

/* From a repository of format 1: the root of revision 0. */
static const char root[] = "id: 0.0.r0/17\n"
                           "type: dir\n"
                           "count: 0\n"
                           "text: 0 0 4 4 2d2977d1c96f487abe4a1e202dd03b4e\n"
                           "cpath: /\n"
                           "\n";

static fs_node_rev_t node_of(const char *text, apr_pool_t *pool)
{
    fs_node_rev_t node;

    assert_fs_ok(fs_node_rev_parse(&node, text, strlen(text), pool));
    return node;
}

static void all_headers_of_a_copy_are_read(void **state)
{
    fs_node_rev_t node = node_of(copied, unit_pool(state));

    assert_int_equal(node.id.rev, 3);
    assert_int_equal(node.id.item, 5);
    assert_int_equal(node.kind, FS_NODE_DIR);
    assert_true(node.has_pred);
    assert_int_equal(node.pred.rev, 2);
    assert_int_equal(node.count, 2);
    assert_true(node.has_text);
    assert_int_equal(node.text.size, 31);
    assert_true(node.has_props);
    assert_int_equal(node.props.item, 6);
    assert_string_equal(node.cpath, "/e");
    assert_int_equal(node.copyfrom_rev, 2);
    assert_string_equal(node.copyfrom_path, "/d");
    assert_int_equal(node.copyroot_rev, 3);
    assert_string_equal(node.copyroot_path, "/e");
    assert_int_equal(node.minfo_count, 0);
    assert_false(node.minfo_here);
}

static void what_is_absent_has_its_default(void **state)
{
    fs_node_rev_t node =
        node_of("id: _1.0.t3-1\ntype: file\ncpath: /f\n\n", unit_pool(state));

    assert_false(node.has_pred);
    assert_int_equal(node.count, 0);
    assert_false(node.has_text);
    assert_false(node.has_props);
    assert_null(node.copyfrom_path);
    assert_int_equal(node.copyfrom_rev, -1);
    assert_int_equal(node.copyroot_rev, -1);
    assert_string_equal(node.copyroot_path, "/f");
}

static void records_are_written_as_they_were_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    static const char in_txn[] = "id: 0.0.t3-1\ntype: dir\npred: 0.0.r3/2\n"
                                 "count: 4\ntext: -1\nprops: -1\n"
                                 "cpath: /\ncopyroot: 0 /\n"
                                 "is-fresh-txn-root: y\nminfo-cnt: 2\n"
                                 "minfo-here: y\n\n";
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_node_rev_t node;

    node = node_of(copied, pool);
    fs_node_rev_format(out, &node, 8);
    assert_bytes_equal(out->data, out->len, copied, sizeof(copied) - 1);
    out->len = 0;
    node = node_of(root, pool);
    fs_node_rev_format(out, &node, 1);
    assert_bytes_equal(out->data, out->len, root, sizeof(root) - 1);
    out->len = 0;
    node = node_of(in_txn, pool);
    fs_node_rev_format(out, &node, 6);
    assert_bytes_equal(out->data, out->len, in_txn, sizeof(in_txn) - 1);
}

static void order_is_free_and_unknown_names_are_ignored(void **state)
{
    fs_node_rev_t node = node_of("cpath: /a: b\nfuture: x: y\ntype: file\n"
                                 "copyroot: 4 /with blank\nid: 1.0.r5/9\n\n"
                                 "id: rubbish\n",
                                 unit_pool(state));

    assert_string_equal(node.cpath, "/a: b");
    assert_int_equal(node.copyroot_rev, 4);
    assert_string_equal(node.copyroot_path, "/with blank");
}

static void a_copy_root_in_the_transaction_has_no_revision(void **state)
{
    fs_node_rev_t node = node_of("id: _1.0.t3-1\ntype: file\ncpath: /d/f\n"
                                 "copyroot: -1 /d\n\n",
                                 unit_pool(state));

    assert_int_equal(node.copyroot_rev, -1);
    assert_string_equal(node.copyroot_path, "/d");
}

static void a_fresh_mark_in_a_revision_is_ignored(void **state)
{
    fs_node_rev_t node = node_of("id: 0.0.r5/9\ntype: dir\ncpath: /\n"
                                 "is-fresh-txn-root: y\n\n",
                                 unit_pool(state));

    assert_false(node.fresh_txn_root);
}

static void mergeinfo_is_not_written_before_format_3(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_node_rev_t node = node_of("id: 0.0.r5/9\ntype: dir\ncpath: /\n"
                                 "minfo-cnt: 1\nminfo-here: y\n\n",
                                 pool);
    fs_buffer_t *out = fs_buffer_create(0, pool);

    fs_node_rev_format(out, &node, 2);
    assert_bytes_equal(out->data, out->len,
                       "id: 0.0.r5/9\ntype: dir\ncount: 0\ncpath: /\n\n", 42);
}

static void the_extent_ends_with_the_empty_line(void **state)
{
    (void)state;
    assert_int_equal(fs_node_rev_extent("a: b\n\nrest", 10), 6);
    assert_int_equal(fs_node_rev_extent("a: b\n", 5), 0);
    assert_int_equal(fs_node_rev_extent("a: b", 4), 0);
    assert_int_equal(fs_node_rev_extent("\n", 1), 1);
    assert_int_equal(fs_node_rev_extent("", 0), 0);
    assert_int_equal(fs_node_rev_extent(copied, sizeof(copied) - 1),
                     sizeof(copied) - 1);
}

static void malformed_records_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\n",
        "type: dir\ncpath: /\n\n",
        "id: 0.0.r5/9\ncpath: /\n\n",
        "id: 0.0.r5/9\ntype: dir\n\n",
        "id: 0.0.r5/9\ntype: link\ncpath: /\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: trunk\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\nno colon\n\n",
        "id:0.0.r5/9\ntype: dir\ncpath: /\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ncount: x\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ncount: 1 \n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\npred: 0\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ntext: 1 2 3\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ncopyfrom: -1 /a\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ncopyfrom: 1\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\ncopyroot: 1 a\n\n",
        "id: 0.0.r5/9\ntype: dir\ncpath: /\nminfo-here: n\n\n",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_node_rev_t node;

        assert_fs_error_says(fs_node_rev_parse(&node, texts[i],
                                               strlen(texts[i]),
                                               unit_pool(state)),
                             FS_ERR_CORRUPT, "malformed node record");
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(all_headers_of_a_copy_are_read),
    UNIT_TEST(what_is_absent_has_its_default),
    UNIT_TEST(records_are_written_as_they_were_read),
    UNIT_TEST(order_is_free_and_unknown_names_are_ignored),
    UNIT_TEST(a_copy_root_in_the_transaction_has_no_revision),
    UNIT_TEST(a_fresh_mark_in_a_revision_is_ignored),
    UNIT_TEST(mergeinfo_is_not_written_before_format_3),
    UNIT_TEST(the_extent_ends_with_the_empty_line),
    UNIT_TEST(malformed_records_are_corrupt),
};

UNIT_MAIN(tests)
