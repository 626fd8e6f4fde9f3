/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/dirents.h. */

#include "tests/support/unit.h"

#include "libfs/format/dirents.h"

static const char two[] = "K 1\nd\nV 14\ndir 0-1.0.r3/4\n"
                          "K 2\nef\nV 17\nfile 0-1.0-3.r3/5\nEND\n";

static fs_error_t *parse(fs_dirents_t *out, const char *text, bool incremental,
                         void **state)
{
    return fs_dirents_parse(out, text, strlen(text), incremental,
                            unit_pool(state), unit_pool(state));
}

static void entries_have_name_kind_and_id(void **state)
{
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, two, false, state));
    assert_int_equal(dirents.count, 2);
    assert_bytes_equal(dirents.entries[1].name.data,
                       dirents.entries[1].name.len, "ef", 2);
    assert_int_equal(dirents.entries[0].kind, FS_NODE_DIR);
    assert_int_equal(dirents.entries[1].kind, FS_NODE_FILE);
    assert_int_equal(dirents.entries[1].id.item, 5);
}

static void no_bytes_and_the_empty_dump_are_the_empty_directory(void **state)
{
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, "", false, state));
    assert_int_equal(dirents.count, 0);
    assert_null(fs_dirents_find(&dirents, "a", 1));
    assert_fs_ok(parse(&dirents, "END\n", false, state));
    assert_int_equal(dirents.count, 0);
}

static void entries_are_put_in_order_of_bytes(void **state)
{
    static const char mixed[] = "K 2\nab\nV 13\nfile 1.0.r1/1\n"
                                "K 1\na\nV 13\nfile 1.0.r1/2\n"
                                "K 2\nB\xff\nV 13\nfile 1.0.r1/3\nEND\n";
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, mixed, false, state));
    assert_int_equal(dirents.count, 3);
    assert_int_equal(dirents.entries[0].id.item, 3);
    assert_int_equal(dirents.entries[1].id.item, 2);
    assert_int_equal(dirents.entries[2].id.item, 1);
}

static void each_entry_is_found_by_name(void **state)
{
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, two, false, state));
    assert_ptr_equal(fs_dirents_find(&dirents, "d", 1), &dirents.entries[0]);
    assert_ptr_equal(fs_dirents_find(&dirents, "ef", 2), &dirents.entries[1]);
    assert_null(fs_dirents_find(&dirents, "e", 1));
    assert_null(fs_dirents_find(&dirents, "efg", 3));
    assert_null(fs_dirents_find(&dirents, "", 0));
}

static void the_incremental_form_gives_what_holds_in_the_end(void **state)
{
    static const char dump[] = "K 1\na\nV 13\nfile 1.0.r1/1\n"
                               "K 1\nb\nV 13\nfile 2.0.r1/2\nEND\n"
                               "D 1\na\nK 1\nb\nV 14\nfile 2.0.t1-1a\n"
                               "K 1\nA\nV 13\ndir _1.0.t1-1\n";
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, dump, true, state));
    assert_int_equal(dirents.count, 2);
    assert_int_equal(dirents.entries[0].kind, FS_NODE_DIR);
    assert_int_equal(dirents.entries[1].id.rev, -1);
    assert_int_equal(dirents.entries[1].id.txn.number, 46);
}

static void malformed_directories_are_corrupt(void **state)
{
    static const char *const dumps[] = {
        "K 0\n\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 1\n.\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 2\n..\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 3\na/b\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 3\na\nb\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 1\na\nV 13\nlink 1.0.r1/1\nEND\n",
        "K 1\na\nV 9\n1.0.r1/12\nEND\n",
        "K 1\na\nV 13\nfile 1.0.r1/1\nK 1\na\nV 13\nfile 1.0.r1/1\nEND\n",
        "K 1\na\nV 13\nfile 1.0.r1/1\n",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
        fs_dirents_t dirents;

        assert_fs_error(parse(&dirents, dumps[i], false, state),
                        FS_ERR_CORRUPT);
    }
}

static void directories_are_written_as_they_were_read(void **state)
{
    fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));
    fs_dirents_t dirents;

    assert_fs_ok(parse(&dirents, two, false, state));
    fs_dirents_format(out, &dirents);
    assert_bytes_equal(out->data, out->len, two, sizeof(two) - 1);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(entries_have_name_kind_and_id),
    UNIT_TEST(no_bytes_and_the_empty_dump_are_the_empty_directory),
    UNIT_TEST(entries_are_put_in_order_of_bytes),
    UNIT_TEST(each_entry_is_found_by_name),
    UNIT_TEST(the_incremental_form_gives_what_holds_in_the_end),
    UNIT_TEST(malformed_directories_are_corrupt),
    UNIT_TEST(directories_are_written_as_they_were_read),
};

UNIT_MAIN(tests)
