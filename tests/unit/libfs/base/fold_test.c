/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/base/fold.h. */

#include "tests/support/unit.h"

#include "libfs/base/fold.h"

static void plain_lower_case_names_are_not_copied(void **state)
{
    const char *name = "readme-2.txt";

    assert_ptr_equal(fs_fold_name(name, unit_pool(state)), name);
}

static void case_and_accents_go(void **state)
{
    static const char *const rows[][2] = {
        { "README", "readme" },
        { "\xc3\x84rger", "arger" },       /* A with diaeresis */
        { "A\xcc\x88rger", "arger" },      /* the same, decomposed */
        { "Stra\xc3\x9f\x65", "strasse" }, /* sharp s */
        { "\xd0\x9c\xd0\xb8\xd1\x80", "\xd0\xbc\xd0\xb8\xd1\x80" },
        { "\xef\xac\x83", "ffi" }, /* a ligature */
        { "\xe1\xbb\x86", "e" },   /* E, circumflex, dot */
        { "\xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2\xe5\xad\x97" },
        { "\xf0\x9d\x84\x9e"
          "A",
          "\xf0\x9d\x84\x9e"
          "a" },
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(fs_fold_name(rows[i][0], unit_pool(state)),
                            rows[i][1]);
}

static void hangul_syllables_are_taken_apart(void **state)
{
    /* U+D55C and U+AC00 */
    assert_string_equal(
        fs_fold_name("\xed\x95\x9c\xea\xb0\x80", unit_pool(state)),
        "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\xe1\x84\x80\xe1\x85\xa1");
}

static void bytes_that_are_no_utf8_stay(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(fs_fold_name("A\xff\xc3", pool), "a\xff\xc3");
    assert_string_equal(fs_fold_name("\xe2\x82", pool), "\xe2\x82");
}

static void patterns_match_folded_names(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_true(fs_fold_match("*.txt", "README.TXT", pool));
    assert_true(fs_fold_match("*", ".hidden", pool));
    assert_true(fs_fold_match("a[qr]ger", "\xc3\x84rger", pool));
    assert_true(fs_fold_match("?", "X", pool));
    assert_true(fs_fold_match("a\\*b", "a*b", pool));
    assert_false(fs_fold_match("a\\*b", "axb", pool));
    assert_false(fs_fold_match("README", "README", pool));
    assert_false(fs_fold_match("", "a", pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(plain_lower_case_names_are_not_copied),
    UNIT_TEST(case_and_accents_go),
    UNIT_TEST(hangul_syllables_are_taken_apart),
    UNIT_TEST(bytes_that_are_no_utf8_stay),
    UNIT_TEST(patterns_match_folded_names),
};

UNIT_MAIN(tests)
