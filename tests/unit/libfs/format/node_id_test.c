/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/node_id.h. */

#include "tests/support/unit.h"

#include "libfs/format/node_id.h"

static fs_noderev_id_t id_of(const char *text)
{
    fs_noderev_id_t id;

    assert_fs_ok(fs_node_id_parse(&id, text, strlen(text)));
    return id;
}

static void a_committed_id_has_its_place(void **state)
{
    fs_noderev_id_t id = id_of("1a-7._0.r12/345");

    (void)state;
    assert_int_equal(id.node.number, 46);
    assert_int_equal(id.node.rev, 7);
    assert_int_equal(id.copy.number, 0);
    assert_int_equal(id.copy.rev, FS_ID_IN_TXN);
    assert_int_equal(id.rev, 12);
    assert_int_equal(id.item, 345);
    assert_int_equal(id.txn.base, -1);
}

static void an_id_in_a_transaction_has_its_name(void **state)
{
    fs_noderev_id_t id = id_of("z.0.t12-1a");

    (void)state;
    assert_int_equal(id.node.number, 35);
    assert_int_equal(id.node.rev, FS_ID_GLOBAL);
    assert_int_equal(id.rev, -1);
    assert_int_equal(id.txn.base, 12);
    assert_int_equal(id.txn.number, 46);
}

static void ids_are_written_as_they_were_read(void **state)
{
    static const char *const texts[] = {
        "0.0.r0/17",
        "2-1.0.r1/31",
        "0-1.0-3.r3/5",
        "_2._0.t0-0",
        "3f.z.r99/123456",
        "5.2.t7-1",
        ("3w5e11264sgsf-9223372036854775807.3w5e11264sgsf-9223372036854775807."
         "r9223372036854775807/18446744073709551615"),
    };
    char buf[FS_NODE_ID_SIZE];
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_noderev_id_t id = id_of(texts[i]);

        assert_int_equal(fs_node_id_format(buf, &id), strlen(texts[i]));
        assert_string_equal(buf, texts[i]);
    }
}

static void malformed_ids_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "0",
        "0.0",
        "0.0.r0",
        "0.0.r0/",
        "0.0.x0/1",
        "0.0.r0/1x",
        "0..r0/1",
        "A.0.r0/1",
        "0-.0.r0/1",
        "0.0.r-1/1",
        "__1.0.r0/1",
        "0.0.t1",
        "0.0.t1-",
        "reset",
        "0.0.r0/1 ",
        " 0.0.r0/1",
        "0.0.0.r0/1",
        "0.0.r9223372036854775808/1",
        "0.0.r1/18446744073709551616",
        "3w5e11264sgsg.0.r1/1",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_noderev_id_t id;

        assert_fs_error(fs_node_id_parse(&id, texts[i], strlen(texts[i])),
                        FS_ERR_CORRUPT);
        assert_false(fs_node_id_read(&id, texts[i], strlen(texts[i])));
    }
}

static void parts_and_transactions_are_read_alone(void **state)
{
    char buf[FS_NODE_ID_SIZE];
    fs_id_part_t part;
    fs_txn_id_t txn;

    (void)state;
    assert_true(fs_node_id_read_part(&part, "_2", 2));
    assert_int_equal(fs_node_id_format_part(buf, &part), 2);
    assert_string_equal(buf, "_2");
    assert_false(fs_node_id_read_part(&part, "2.0", 3));
    assert_true(fs_node_id_read_txn(&txn, "3-z", 3));
    assert_int_equal(fs_node_id_format_txn(buf, &txn), 3);
    assert_string_equal(buf, "3-z");
    assert_false(fs_node_id_read_txn(&txn, "3-z.", 4));
}

static fs_relation_t relation(const char *a, const char *b)
{
    fs_noderev_id_t x = id_of(a);
    fs_noderev_id_t y = id_of(b);

    return fs_node_id_relation(&x, &y);
}

static void nodes_with_one_node_id_are_related(void **state)
{
    (void)state;
    assert_int_equal(relation("2-1.0.r1/3", "2-1.0.r1/3"), FS_SAME);
    assert_int_equal(relation("2-1.0.r1/3", "2-1.5-4.r9/7"), FS_RELATED);
    assert_int_equal(relation("2-1.0.r1/3", "2-2.0.r1/3"), FS_UNRELATED);
    assert_int_equal(relation("2.0.r1/3", "2-1.0.r1/3"), FS_UNRELATED);
    assert_int_equal(relation("2-1.0.r1/3", "2-1.0.t4-1"), FS_RELATED);
}

static void uncommitted_nodes_are_related_within_a_transaction(void **state)
{
    (void)state;
    assert_int_equal(relation("_2.0.t1-1", "_2.0.t1-1"), FS_SAME);
    assert_int_equal(relation("_2.0.t1-1", "_2._1.t1-1"), FS_RELATED);
    assert_int_equal(relation("_2.0.t1-1", "_2.0.t1-2"), FS_UNRELATED);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_committed_id_has_its_place),
    UNIT_TEST(an_id_in_a_transaction_has_its_name),
    UNIT_TEST(ids_are_written_as_they_were_read),
    UNIT_TEST(malformed_ids_are_corrupt),
    UNIT_TEST(parts_and_transactions_are_read_alone),
    UNIT_TEST(nodes_with_one_node_id_are_related),
    UNIT_TEST(uncommitted_nodes_are_related_within_a_transaction),
};

UNIT_MAIN(tests)
