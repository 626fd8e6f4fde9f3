/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/checksum.h. */

#include "tests/support/unit.h"

#include "libfs/base/checksum.h"

static const char *md5_text(const char *data, apr_pool_t *pool)
{
    unsigned char digest[FS_MD5_SIZE];

    fs_digest_md5(digest, data, strlen(data));
    return fs_hex_format(digest, sizeof(digest), pool);
}

static void md5_of_known_texts(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(md5_text("", pool), "d41d8cd98f00b204e9800998ecf8427e");
    assert_string_equal(md5_text("END\n", pool),
                        "2d2977d1c96f487abe4a1e202dd03b4e");
    assert_string_equal(md5_text("hello\n", pool),
                        "b1946ac92492d2347c6235b4d2611184");
}

static void sha1_of_a_known_text(void **state)
{
    unsigned char digest[FS_SHA1_SIZE];

    fs_digest_sha1(digest, "hello\n", 6);
    assert_string_equal(fs_hex_format(digest, sizeof(digest), unit_pool(state)),
                        "f572d396fae9206628714fb2ce00f72e94f2258f");
}

static void pieces_give_the_digest_of_the_whole(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_digest_t *md5 = fs_digest_create(FS_DIGEST_MD5, pool);
    fs_digest_t *sha1 = fs_digest_create(FS_DIGEST_SHA1, pool);
    unsigned char digest[FS_SHA1_SIZE];
    const char *p;

    for (p = "hello\n"; *p; p++) {
        fs_digest_update(md5, p, 1);
        fs_digest_update(sha1, p, 1);
    }
    fs_digest_update(md5, p, 0);
    fs_digest_finish(md5, digest);
    assert_string_equal(fs_hex_format(digest, FS_MD5_SIZE, pool),
                        "b1946ac92492d2347c6235b4d2611184");
    fs_digest_finish(sha1, digest);
    assert_string_equal(fs_hex_format(digest, FS_SHA1_SIZE, pool),
                        "f572d396fae9206628714fb2ce00f72e94f2258f");
}

static void hex_is_read_in_both_cases(void **state)
{
    unsigned char out[3];

    (void)state;
    assert_true(fs_hex_parse(out, "00fFAb", 6));
    assert_bytes_equal(out, 3, "\x00\xff\xab", 3);
    assert_false(fs_hex_parse(out, "00f", 3));
    assert_false(fs_hex_parse(out, "0g", 2));
    assert_false(fs_hex_parse(out, "g0", 2));
}

static void item_checksums_of_known_items(void **state)
{
    (void)state;
    assert_int_equal(fs_fnv1a_x4("PLAIN\nEND\nENDREP\n", 17), 0x60232b75);
    assert_int_equal(fs_fnv1a_x4("\n", 1), 0xf28a4f1d);
}

static void item_checksums_may_come_in_pieces(void **state)
{
    const char *text = "PLAIN\nEND\nENDREP\n";
    apr_size_t cut;

    (void)state;
    for (cut = 0; cut <= 17; cut++) {
        fs_fnv_t fnv;

        fs_fnv_init(&fnv);
        fs_fnv_update(&fnv, text, cut);
        fs_fnv_update(&fnv, text + cut, 17 - cut);
        assert_int_equal(fs_fnv_finish(&fnv), 0x60232b75);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(md5_of_known_texts),
    UNIT_TEST(sha1_of_a_known_text),
    UNIT_TEST(pieces_give_the_digest_of_the_whole),
    UNIT_TEST(hex_is_read_in_both_cases),
    UNIT_TEST(item_checksums_of_known_items),
    UNIT_TEST(item_checksums_may_come_in_pieces),
};

UNIT_MAIN(tests)
