/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/rep_string.h. */

#include "tests/support/unit.h"

#include "libfs/format/rep_string.h"

#define FIVE "1 0 18 6 b1946ac92492d2347c6235b4d2611184"
#define SHA1 "f572d396fae9206628714fb2ce00f72e94f2258f"
#define EMPTY_MD5 "d41d8cd98f00b204e9800998ecf8427e"

static fs_rep_t rep_of(const char *text)
{
    fs_rep_t rep;

    assert_fs_ok(fs_rep_string_parse(&rep, text, strlen(text)));
    return rep;
}

static void assert_written(const char *text, int format, const char *expected)
{
    char buf[FS_REP_STRING_SIZE];
    fs_rep_t rep = rep_of(text);

    assert_int_equal(fs_rep_string_format(buf, &rep, format), strlen(expected));
    assert_string_equal(buf, expected);
}

static void all_seven_fields_are_read(void **state)
{
    fs_rep_t rep = rep_of(FIVE " " SHA1 " 0-0/_4");

    (void)state;
    assert_int_equal(rep.rev, 1);
    assert_int_equal(rep.item, 0);
    assert_int_equal(rep.length, 18);
    assert_int_equal(rep.size, 6);
    assert_true(rep.has_md5);
    assert_int_equal(rep.md5[0], 0xb1);
    assert_true(rep.has_sha1);
    assert_int_equal(rep.sha1[19], 0x8f);
    assert_true(rep.has_unique);
    assert_int_equal(rep.unique_txn.base, 0);
    assert_int_equal(rep.unique_txn.number, 0);
    assert_int_equal(rep.unique_number, 4);
    assert_false(rep.in_txn_file);
}

static void the_last_two_fields_may_be_absent(void **state)
{
    fs_rep_t five = rep_of(FIVE);
    fs_rep_t dashes = rep_of(FIVE " - -");
    fs_rep_t unique = rep_of(FIVE " - 1-z/_4");

    (void)state;
    assert_false(five.has_sha1);
    assert_false(five.has_unique);
    assert_false(dashes.has_sha1);
    assert_false(dashes.has_unique);
    assert_false(unique.has_sha1);
    assert_true(unique.has_unique);
    assert_int_equal(unique.unique_txn.number, 35);
}

static void contents_in_a_transaction_are_minus_one(void **state)
{
    fs_rep_t file = rep_of("-1");
    fs_rep_t text = rep_of("-1 3 18 6 b1946ac92492d2347c6235b4d2611184");

    (void)state;
    assert_true(file.in_txn_file);
    assert_int_equal(file.rev, -1);
    assert_false(text.in_txn_file);
    assert_int_equal(text.rev, -1);
    assert_int_equal(text.item, 3);
    assert_written("-1", 8, "-1");
}

static void a_missing_size_is_the_length_of_what_is_stored(void **state)
{
    (void)state;
    assert_int_equal(rep_of("1 0 18 0 b1946ac92492d2347c6235b4d2611184").size,
                     18);
    assert_int_equal(rep_of("1 0 4 0 " EMPTY_MD5).size, 0);
    assert_int_equal(rep_of("1 0 0 0 " EMPTY_MD5).size, 0);
    assert_int_equal(rep_of("1 0 9 0 00000000000000000000000000000000").size,
                     9);
}

static void digests_of_zeros_are_unknown(void **state)
{
    fs_rep_t rep = rep_of("1 0 9 9 00000000000000000000000000000000 "
                          "0000000000000000000000000000000000000000 1-1/_1");

    (void)state;
    assert_false(rep.has_md5);
    assert_false(rep.has_sha1);
}

static void malformed_strings_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "1",
        "-2 0 1 1 b1946ac92492d2347c6235b4d2611184",
        "1 0 18 6",
        "1 0 18 6 b1946ac92492d2347c6235b4d261118",
        "1 0 18 6 b1946ac92492d2347c6235b4d261118x",
        "1  0 18 6 b1946ac92492d2347c6235b4d2611184",
        "1 0 9223372036854775808 6 b1946ac92492d2347c6235b4d2611184",
        FIVE " ",
        FIVE " " SHA1,
        FIVE " -",
        FIVE " - 0-0/4",
        FIVE " - 0-0",
        FIVE " - x/_4",
        FIVE " - - -",
        FIVE " - 0-0/_4 ",
        FIVE "x",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_rep_t rep;

        assert_fs_error_says(
            fs_rep_string_parse(&rep, texts[i], strlen(texts[i])),
            FS_ERR_CORRUPT, "malformed representation");
    }
}

static void each_format_writes_what_it_has(void **state)
{
    (void)state;
    assert_written(FIVE " " SHA1 " 0-0/_4", 3, FIVE);
    assert_written(FIVE " " SHA1 " 0-0/_4", 4, FIVE " " SHA1 " 0-0/_4");
    assert_written(FIVE " " SHA1 " 0-0/_4", 8, FIVE " " SHA1 " 0-0/_4");
    assert_written(FIVE, 7, FIVE);
    assert_written(FIVE, 8, FIVE " - -");
    assert_written(FIVE " - 1-1/_4", 7, FIVE);
    assert_written(FIVE " - 1-1/_4", 8, FIVE " - 1-1/_4");
}

static void sameness_is_about_the_act_of_setting(void **state)
{
    fs_rep_t a = rep_of(FIVE " " SHA1 " 0-0/_4");
    fs_rep_t b = rep_of(FIVE " " SHA1 " 0-0/_5");
    fs_rep_t c = rep_of(FIVE);
    fs_rep_t in_file = rep_of("-1");

    (void)state;
    assert_true(fs_rep_string_same(&a, &a));
    assert_false(fs_rep_string_same(&a, &b));
    assert_false(fs_rep_string_same(&a, &c));
    assert_true(fs_rep_string_same(NULL, NULL));
    assert_false(fs_rep_string_same(&a, NULL));
    assert_false(fs_rep_string_same(&in_file, &in_file));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(all_seven_fields_are_read),
    UNIT_TEST(the_last_two_fields_may_be_absent),
    UNIT_TEST(contents_in_a_transaction_are_minus_one),
    UNIT_TEST(a_missing_size_is_the_length_of_what_is_stored),
    UNIT_TEST(digests_of_zeros_are_unknown),
    UNIT_TEST(malformed_strings_are_corrupt),
    UNIT_TEST(each_format_writes_what_it_has),
    UNIT_TEST(sameness_is_about_the_act_of_setting),
};

UNIT_MAIN(tests)
