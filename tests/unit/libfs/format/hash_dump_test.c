/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/hash_dump.h. */

#include "tests/support/unit.h"

#include "libfs/format/hash_dump.h"

static const fs_bytes_t *get(apr_hash_t *hash, const char *key)
{
    return apr_hash_get(hash, key, APR_HASH_KEY_STRING);
}

static void values_may_hold_any_bytes(void **state)
{
    static const char dump[] = "K 1\nb\nV 4\nx\n\0y\nK 0\n\nV 0\n\nEND\n";
    apr_hash_t *hash;

    assert_fs_ok(fs_hash_dump_parse(&hash, dump, sizeof(dump) - 1, false,
                                    unit_pool(state)));
    assert_int_equal(apr_hash_count(hash), 2);
    assert_bytes_equal(get(hash, "b")->data, get(hash, "b")->len, "x\n\0y", 4);
    assert_int_equal(get(hash, "")->len, 0);
    assert_string_equal(get(hash, "")->data, "");
}

static void the_empty_map_is_four_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(0, pool);
    apr_hash_t *hash;

    assert_fs_ok(fs_hash_dump_parse(&hash, "END\n", 4, false, pool));
    assert_int_equal(apr_hash_count(hash), 0);
    fs_hash_dump_format(out, hash, pool);
    assert_bytes_equal(out->data, out->len, "END\n", 4);
    fs_hash_dump_format(out, NULL, pool);
    assert_bytes_equal(out->data, out->len, "END\nEND\n", 8);
}

static void bytes_behind_the_end_are_ignored(void **state)
{
    fs_hash_dump_iter_t iter = fs_hash_dump_begin("END\nrest", 8, false);
    fs_hash_dump_pair_t pair;
    apr_hash_t *hash;
    bool more;

    assert_fs_ok(
        fs_hash_dump_parse(&hash, "END\n\0", 5, false, unit_pool(state)));
    assert_fs_ok(fs_hash_dump_next(&pair, &more, &iter));
    assert_false(more);
    assert_int_equal(fs_cursor_left(&iter.cursor), 4);
    assert_fs_ok(fs_hash_dump_next(&pair, &more, &iter));
    assert_false(more);
}

static void the_incremental_form_sets_and_deletes(void **state)
{
    static const char dump[] = "K 1\na\nV 1\n1\nK 1\nb\nV 1\n2\nEND\n"
                               "D 1\na\nK 1\nb\nV 1\n3\nK 1\nc\nV 1\n4\n"
                               "D 1\nx\n";
    apr_hash_t *hash;

    assert_fs_ok(fs_hash_dump_parse(&hash, dump, sizeof(dump) - 1, true,
                                    unit_pool(state)));
    assert_int_equal(apr_hash_count(hash), 2);
    assert_string_equal(get(hash, "b")->data, "3");
    assert_string_equal(get(hash, "c")->data, "4");
}

static void malformed_dumps_are_corrupt(void **state)
{
    static const char *const dumps[] = {
        "",
        "END",
        "K 1\na\nV 1\n1\n",
        "K 2\na\nV 1\n1\nEND\n",
        "K 1\nab\nV 1\n1\nEND\n",
        "K x\na\nV 1\n1\nEND\n",
        "K 1 \na\nV 1\n1\nEND\n",
        "K 1\na\nK 1\nb\nEND\n",
        "K 99999999999999999999\na\nV 1\n1\nEND\n",
        "K 9223372036854775807\na\nV 1\n1\nEND\n",
        "K 1\na\nV -1\n1\nEND\n",
        "D 1\na\nEND\n",
        "K 1\na\nV 1\n1",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
        apr_hash_t *hash;

        assert_fs_error_says(fs_hash_dump_parse(&hash, dumps[i],
                                                strlen(dumps[i]), false,
                                                unit_pool(state)),
                             FS_ERR_CORRUPT, "malformed hash dump");
    }
}

static void a_key_with_a_nul_byte_is_corrupt(void **state)
{
    static const char dump[] = "K 1\n\0\nV 1\n1\nEND\n";
    apr_hash_t *hash;

    assert_fs_error(fs_hash_dump_parse(&hash, dump, sizeof(dump) - 1, false,
                                       unit_pool(state)),
                    FS_ERR_CORRUPT);
}

static void keys_are_written_in_order_of_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    static const char dump[] = "K 1\nb\nV 1\n1\nK 2\nab\nV 1\n2\nK 1\na\nV 1\n"
                               "3\nEND\n";
    fs_buffer_t *out = fs_buffer_create(0, pool);
    apr_hash_t *hash;

    assert_fs_ok(
        fs_hash_dump_parse(&hash, dump, sizeof(dump) - 1, false, pool));
    fs_hash_dump_format(out, hash, pool);
    assert_bytes_equal(out->data, out->len,
                       "K 1\na\nV 1\n3\nK 2\nab\nV 1\n2\nK 1\nb\nV 1\n1\nEND\n",
                       41);
}

static void deletions_are_written(void **state)
{
    fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));

    fs_hash_dump_format_delete(out, "name", 4);
    assert_bytes_equal(out->data, out->len, "D 4\nname\n", 9);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(values_may_hold_any_bytes),
    UNIT_TEST(the_empty_map_is_four_bytes),
    UNIT_TEST(bytes_behind_the_end_are_ignored),
    UNIT_TEST(the_incremental_form_sets_and_deletes),
    UNIT_TEST(malformed_dumps_are_corrupt),
    UNIT_TEST(a_key_with_a_nul_byte_is_corrupt),
    UNIT_TEST(keys_are_written_in_order_of_bytes),
    UNIT_TEST(deletions_are_written),
};

UNIT_MAIN(tests)
