/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/format_file.h. */

#include "tests/support/unit.h"

#include "libfs/format/format_file.h"

#define UUID_A "0123abcd-4567-89ab-cdef-0123456789ab"
#define UUID_B "ffffffff-0000-4000-8000-000000000000"

static void formats_have_layout_and_addressing(void **state)
{
    static const struct {
        const char *text;
        int format;
        apr_uint64_t shard_size;
        bool logical;
    } rows[] = {
        { "1\n", 1, 0, false },
        { "2", 2, 0, false },
        { "3\nlayout linear\n", 3, 0, false },
        { "4\nlayout sharded 1000\n", 4, 1000, false },
        { "6\n", 6, 0, false },
        { "7\nlayout sharded 4\naddressing physical\n", 7, 4, false },
        { "8\naddressing logical\nlayout sharded 4", 8, 4, true },
        { "8\nlayout sharded 0\n", 8, 0, false },
        { "8\nlayout sharded 4\n\nrubbish\n", 8, 4, false },
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fs_format_file_t out;

        assert_fs_ok(
            fs_format_file_parse(&out, rows[i].text, strlen(rows[i].text)));
        assert_int_equal(out.format, rows[i].format);
        assert_int_equal(out.shard_size, rows[i].shard_size);
        assert_int_equal(out.logical, rows[i].logical);
    }
}

static void format_files_are_written_as_they_were_read(void **state)
{
    static const char *const texts[] = {
        "1\n",
        "3\nlayout linear\n",
        "6\nlayout sharded 4\n",
        "8\nlayout linear\naddressing physical\n",
        "8\nlayout sharded 1000\naddressing logical\n",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));
        fs_format_file_t format;

        assert_fs_ok(fs_format_file_parse(&format, texts[i], strlen(texts[i])));
        fs_format_file_format(out, &format);
        assert_bytes_equal(out->data, out->len, texts[i], strlen(texts[i]));
    }
}

static void malformed_format_files_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "8 \n",
        " 8\n",
        "-8\n",
        "eight\n",
        "2\nlayout linear\n",
        "6\naddressing physical\n",
        "8\nlayout sharded\n",
        "8\nlayout sharded x\n",
        "8\nlayout sharded 4 \n",
        "8\nlayout sharded 9999999999\n",
        "8\nlayout tree\n",
        "8\nsquash\n",
        "8\nlayout linear\naddressing logical\n",
        "8\naddressing logical\n",
        "99999999999\n",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_format_file_t out;

        assert_fs_error(fs_format_file_parse(&out, texts[i], strlen(texts[i])),
                        FS_ERR_BAD_FORMAT_FILE);
    }
}

static void other_formats_are_not_served(void **state)
{
    static const char *const texts[] = { "0\n", "5\n", "9\n",
                                         "99\nlayout x\n" };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_format_file_t out;

        assert_fs_error_says(
            fs_format_file_parse(&out, texts[i], strlen(texts[i])),
            FS_ERR_UNSUPPORTED_FORMAT, "1 to 4 and 6 to 8 are served");
    }
}

static void repositories_have_format_3_or_5(void **state)
{
    int format;

    (void)state;
    assert_fs_ok(fs_format_file_parse_repository(&format, "5\n", 2));
    assert_int_equal(format, 5);
    assert_fs_ok(fs_format_file_parse_repository(&format, "3\n", 2));
    assert_int_equal(format, 3);
    assert_fs_error(fs_format_file_parse_repository(&format, "4\n", 2),
                    FS_ERR_UNSUPPORTED_REPO);
    assert_fs_error(fs_format_file_parse_repository(&format, "x\n", 2),
                    FS_ERR_BAD_FORMAT_FILE);
}

static void current_has_counters_in_old_formats(void **state)
{
    fs_format_current_t current;
    char buf[FS_FORMAT_NUMBER_SIZE];

    (void)state;
    assert_fs_ok(fs_format_file_parse_current(&current, 2, "69 1z a\n", 8));
    assert_int_equal(current.youngest, 69);
    assert_int_equal(current.next_node, 71);
    assert_int_equal(current.next_copy, 10);
    assert_int_equal(fs_format_file_format_current(buf, 2, &current), 8);
    assert_string_equal(buf, "69 1z a\n");
    assert_fs_error(fs_format_file_parse_current(&current, 1, "69\n", 3),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_current(&current, 1, "69 Z 1\n", 7),
                    FS_ERR_CORRUPT);
}

static void current_is_a_number_in_later_formats(void **state)
{
    fs_format_current_t current;
    char buf[FS_FORMAT_NUMBER_SIZE];

    (void)state;
    assert_fs_ok(fs_format_file_parse_current(&current, 3, "69 1z a\n", 8));
    assert_int_equal(current.youngest, 69);
    assert_int_equal(current.next_node, 0);
    assert_int_equal(fs_format_file_format_current(buf, 8, &current), 3);
    assert_string_equal(buf, "69\n");
    assert_fs_error(fs_format_file_parse_current(&current, 8, "", 0),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_current(&current, 8, " 1\n", 3),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_current(&current, 8, "-1\n", 3),
                    FS_ERR_CORRUPT);
}

static void an_instance_id_comes_with_format_7(void **state)
{
    static const char text[] = UUID_A "\n" UUID_B "\n";
    fs_format_uuid_t uuid;

    (void)state;
    assert_fs_ok(fs_format_file_parse_uuid(&uuid, 6, text, 37));
    assert_string_equal(uuid.uuid, UUID_A);
    assert_string_equal(uuid.instance, "");
    assert_fs_ok(fs_format_file_parse_uuid(&uuid, 7, text, sizeof(text) - 1));
    assert_string_equal(uuid.instance, UUID_B);
    assert_fs_error(fs_format_file_parse_uuid(&uuid, 7, text, 37),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_uuid(&uuid, 6, text, 35),
                    FS_ERR_CORRUPT);
    assert_false(fs_format_file_is_uuid(UUID_A "0", 37));
    assert_false(
        fs_format_file_is_uuid("0123abcd-4567-89ab-cdef_0123456789ab", 36));
    assert_false(
        fs_format_file_is_uuid("0123abcg-4567-89ab-cdef-0123456789ab", 36));
}

static void packing_ends_at_a_shard(void **state)
{
    fs_rev_t rev;

    (void)state;
    assert_fs_ok(fs_format_file_parse_min_unpacked(&rev, 4, "68\n", 3));
    assert_int_equal(rev, 68);
    assert_fs_ok(fs_format_file_parse_min_unpacked(&rev, 0, "0\n", 2));
    assert_fs_error(fs_format_file_parse_min_unpacked(&rev, 4, "66\n", 3),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_min_unpacked(&rev, 4, "x\n", 2),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_format_file_parse_min_unpacked(&rev, 4, "", 0),
                    FS_ERR_CORRUPT);
}

static void the_next_transaction_is_in_base_36(void **state)
{
    apr_uint64_t number;

    (void)state;
    assert_fs_ok(fs_format_file_parse_txn_current(&number, "1a\n", 3));
    assert_int_equal(number, 46);
    assert_fs_error(fs_format_file_parse_txn_current(&number, "\n", 1),
                    FS_ERR_CORRUPT);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(formats_have_layout_and_addressing),
    UNIT_TEST(format_files_are_written_as_they_were_read),
    UNIT_TEST(malformed_format_files_are_refused),
    UNIT_TEST(other_formats_are_not_served),
    UNIT_TEST(repositories_have_format_3_or_5),
    UNIT_TEST(current_has_counters_in_old_formats),
    UNIT_TEST(current_is_a_number_in_later_formats),
    UNIT_TEST(an_instance_id_comes_with_format_7),
    UNIT_TEST(packing_ends_at_a_shard),
    UNIT_TEST(the_next_transaction_is_in_base_36),
};

UNIT_MAIN(tests)
