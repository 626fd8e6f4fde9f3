/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/prop_rules.h. */

#include "libfs/store/prop_rules.h"

#include "tests/support/unit.h"

static fs_error_t *check(const char *name, const char *text, apr_size_t len)
{
    fs_bytes_t value = { text, len };

    return fs_prop_rules_check(name, &value);
}

static void names_that_clients_keep_cannot_be_set_but_deleted(void **state)
{
    (void)state;
    assert_fs_error_says(check("svn:wc:ra", "x", 1), FS_ERR_BAD_ARGS,
                         "'svn:wc:ra'");
    assert_fs_error(check("svn:entry:uuid", "x", 1), FS_ERR_BAD_ARGS);
    assert_fs_ok(fs_prop_rules_check("svn:wc:ra", NULL));
    assert_fs_ok(check("SVN:wc:ra", "x", 1));
}

static void values_of_svn_properties_are_utf8(void **state)
{
    (void)state;
    assert_fs_error(check("svn:log", "a\xff", 2), FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_error(check("svn:unheard", "\xff", 1), FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_ok(check("svn:log", "\xc3\xa4", 2));
    assert_fs_ok(check("svn:log", "", 0));
    assert_fs_ok(check("svn:log", NULL, 0));
    assert_fs_ok(check("log", "\xff\r", 2));
    assert_fs_ok(check("", "\r", 1));
}

static void a_cr_is_refused_up_to_the_first_nul(void **state)
{
    fs_error_t *err = check("svn:log", "a\r\nb", 4);

    (void)state;
    assert_true(fs_error_has(err, FS_ERR_BAD_LINE_ENDING));
    assert_fs_error(err, FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_ok(check("svn:log", "a\0b\r", 4));
    assert_fs_ok(check("svn:log", "a\nb", 3));
}

static void a_date_must_be_one(void **state)
{
    static const char good[] = "2024-01-02T03:04:05.678901Z";
    fs_error_t *err = check("svn:date", "yesterday", 9);

    (void)state;
    assert_true(fs_error_has(err, FS_ERR_BAD_DATE));
    assert_fs_error(err, FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_error(check("svn:date", "", 0), FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_ok(check("svn:date", good, sizeof(good) - 1));
    assert_fs_ok(fs_prop_rules_check("svn:date", NULL));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(names_that_clients_keep_cannot_be_set_but_deleted),
    UNIT_TEST(values_of_svn_properties_are_utf8),
    UNIT_TEST(a_cr_is_refused_up_to_the_first_nul),
    UNIT_TEST(a_date_must_be_one),
};

UNIT_MAIN(tests)
