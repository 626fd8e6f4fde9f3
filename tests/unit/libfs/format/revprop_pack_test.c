/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/revprop_pack.h. */

#include "tests/support/unit.h"

#include "libfs/format/revprop_pack.h"

/* Two revisions, 4 and 5; 21 bytes. */
static const char pack45[] = "\x15"
                             "4\n2\n4\n8\n\nEND\nEND\nEND\n";
#define PACK_LEN (sizeof(pack45) - 1)

static const fs_revprop_shard_t shard1 = { 4, 4 };

static void shards_list_their_revisions_but_the_first(void **state)
{
    fs_revprop_shard_t first = fs_revprop_pack_shard(0, 4);
    fs_revprop_shard_t second = fs_revprop_pack_shard(1, 4);

    (void)state;
    assert_int_equal(first.first_rev, 1);
    assert_int_equal(first.count, 3);
    assert_int_equal(second.first_rev, 4);
    assert_int_equal(second.count, 4);
    assert_int_equal(fs_revprop_pack_shard(0, 1).count, 0);
}

static void a_manifest_names_a_pack_for_each_revision(void **state)
{
    static const char text[] = "4.0\n4.0\n6.2\n7.12\n";
    fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));
    fs_revprop_pack_name_t names[4];
    fs_revprop_pack_name_t one;
    int i;

    assert_fs_ok(
        fs_revprop_pack_manifest_parse(names, text, sizeof(text) - 1, &shard1));
    assert_int_equal(names[1].first_rev, 4);
    assert_int_equal(names[3].first_rev, 7);
    assert_int_equal(names[3].tag, 12);
    for (i = 0; i < 4; i++) {
        fs_revprop_pack_manifest_format(out, &names[i]);
        assert_fs_ok(fs_revprop_pack_manifest_find(
            &one, NULL, NULL, text, sizeof(text) - 1, &shard1, 4 + i));
        assert_int_equal(one.first_rev, names[i].first_rev);
        assert_int_equal(one.tag, names[i].tag);
    }
    assert_bytes_equal(out->data, out->len, text, sizeof(text) - 1);
}

static void malformed_manifests_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "4.0\n4.0\n4.0\n",
        "4.0\n4.0\n4.0\n4.0\n4.0\n",
        "4.0\n4.0\n4.0\n4.0",
        "4.0\n6.0\n6.0\n6.0\n",
        "3.0\n3.0\n3.0\n3.0\n",
        "8.0\n8.0\n8.0\n8.0\n",
        "4\n4.0\n4.0\n4.0\n",
        "../4.0\n4.0\n4.0\n4.0\n",
        "4.x\n4.0\n4.0\n4.0\n",
        "4.0/\n4.0\n4.0\n4.0\n",
    };
    fs_revprop_pack_name_t names[4];
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_fs_error(fs_revprop_pack_manifest_parse(
                            names, texts[i], strlen(texts[i]), &shard1),
                        FS_ERR_CORRUPT);
}

static void a_manifest_tells_which_lines_are_alike(void **state)
{
    static const char text[] = "4.0\n4.0\n6.1\n6.1\n";
    static const fs_rev_t expected[][2] = {
        { 4, 5 }, { 4, 5 }, { 6, 7 }, { 6, 7 }
    };
    fs_revprop_pack_name_t name;
    fs_rev_t first, last;
    fs_rev_t rev;

    (void)state;
    for (rev = 4; rev < 8; rev++) {
        assert_fs_ok(fs_revprop_pack_manifest_find(
            &name, &first, &last, text, sizeof(text) - 1, &shard1, rev));
        assert_int_equal(first, expected[rev - 4][0]);
        assert_int_equal(last, expected[rev - 4][1]);
    }
    /* What is cut off behind the line does not matter to it. */
    assert_fs_ok(fs_revprop_pack_manifest_find(&name, &first, &last, text, 9,
                                               &shard1, 5));
    assert_int_equal(last, 5);
}

static void a_revision_that_is_not_listed_is_corrupt(void **state)
{
    fs_revprop_pack_name_t name;

    (void)state;
    assert_fs_error(fs_revprop_pack_manifest_find(&name, NULL, NULL, "4.0\n", 4,
                                                  &shard1, 3),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_revprop_pack_manifest_find(&name, NULL, NULL, "4.0\n", 4,
                                                  &shard1, 8),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_revprop_pack_manifest_find(&name, NULL, NULL, "4.0\n", 4,
                                                  &shard1, 5),
                    FS_ERR_CORRUPT);
}

static void names_are_written_with_their_tag(void **state)
{
    fs_revprop_pack_name_t name = { 1000, 3 };
    char buf[FS_REVPROP_PACK_NAME_SIZE];

    (void)state;
    assert_int_equal(fs_revprop_pack_name(buf, &name), 6);
    assert_string_equal(buf, "1000.3");
}

static void a_pack_gives_the_dump_of_each_revision(void **state)
{
    fs_revprop_pack_t pack;
    fs_bytes_t dump;

    assert_fs_ok(fs_revprop_pack_parse(&pack, pack45, PACK_LEN, &shard1,
                                       unit_pool(state)));
    assert_int_equal(pack.first_rev, 4);
    assert_int_equal(pack.count, 2);
    assert_fs_ok(fs_revprop_pack_get(&dump, &pack, 4));
    assert_bytes_equal(dump.data, dump.len, "END\n", 4);
    assert_fs_ok(fs_revprop_pack_get(&dump, &pack, 5));
    assert_bytes_equal(dump.data, dump.len, "END\nEND\n", 8);
    assert_fs_error(fs_revprop_pack_get(&dump, &pack, 3), FS_ERR_CORRUPT);
    assert_fs_error(fs_revprop_pack_get(&dump, &pack, 6), FS_ERR_CORRUPT);
}

static void packs_are_written_verbatim_and_compressed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *plain = fs_buffer_create(0, pool);
    fs_buffer_t *deflated = fs_buffer_create(0, pool);
    static char text[2000];
    fs_bytes_t entry = { text, sizeof(text) };
    fs_revprop_pack_t big = { 6, 1, &entry };
    fs_revprop_pack_t pack;
    fs_bytes_t dump;

    assert_fs_ok(fs_revprop_pack_parse(&pack, pack45, PACK_LEN, &shard1, pool));
    assert_fs_ok(fs_revprop_pack_format(plain, &pack, 0, pool));
    assert_bytes_equal(plain->data, plain->len, pack45, PACK_LEN);

    memset(text, 'x', sizeof(text));
    assert_fs_ok(fs_revprop_pack_format(deflated, &big, 6, pool));
    assert_true(deflated->len < 100);
    assert_fs_ok(fs_revprop_pack_parse(&pack, deflated->data, deflated->len,
                                       &shard1, pool));
    assert_fs_ok(fs_revprop_pack_get(&dump, &pack, 6));
    assert_bytes_equal(dump.data, dump.len, text, sizeof(text));
}

static void what_does_not_shrink_is_written_verbatim(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_revprop_pack_t pack;

    assert_fs_ok(fs_revprop_pack_parse(&pack, pack45, PACK_LEN, &shard1, pool));
    assert_fs_ok(fs_revprop_pack_format(out, &pack, 9, pool));
    assert_bytes_equal(out->data, out->len, pack45, PACK_LEN);
}

static void malformed_packs_are_corrupt(void **state)
{
    static const char *const packs[] = {
        "",
        "\x80",
        "\x0b"
        "3\n1\n4\n\nEND\n",
        "\x0d"
        "7\n2\n4\n4\n\nEND\n",
        "\x0b"
        "4\n0\n4\n\nEND\n",
        "\x0b"
        "4\n1\n5\n\nEND\n",
        "\x0c"
        "4\n1\n4\n\nEND\nx",
        "\x0b"
        "4\n1\n4\nxEND\n",
        "\x0b"
        "4\n4\n4\n\nEND\n",
        "\x0b"
        "x\n1\n4\n\nEND\n",
        "\x0a"
        "4\n1\n4\n\nEND\n",
        "\x90\x80\x80\x80\x00"
        "4\n1\n4\n\nEND\n",
        "\x1d"
        "4\n1\n9223372036854775807\n\nEND\n",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
        fs_revprop_pack_t pack;

        assert_fs_error_says(
            fs_revprop_pack_parse(&pack, packs[i], strlen(packs[i]), &shard1,
                                  unit_pool(state)),
            FS_ERR_CORRUPT, "malformed pack of revision properties");
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(shards_list_their_revisions_but_the_first),
    UNIT_TEST(a_manifest_names_a_pack_for_each_revision),
    UNIT_TEST(malformed_manifests_are_corrupt),
    UNIT_TEST(a_manifest_tells_which_lines_are_alike),
    UNIT_TEST(a_revision_that_is_not_listed_is_corrupt),
    UNIT_TEST(names_are_written_with_their_tag),
    UNIT_TEST(a_pack_gives_the_dump_of_each_revision),
    UNIT_TEST(packs_are_written_verbatim_and_compressed),
    UNIT_TEST(what_does_not_shrink_is_written_verbatim),
    UNIT_TEST(malformed_packs_are_corrupt),
};

UNIT_MAIN(tests)
