/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/lock_file.h. */

#include "tests/support/unit.h"

#include "libfs/format/lock_file.h"

#define DATE "V 27\n2024-01-02T03:04:05.678901Z\n"
#define DIGEST "0123456789abcdef0123456789abcdef"
#define REQUIRED                                                               \
    "K 13\ncreation_date\n" DATE "K 14\nis_dav_comment\nV 1\n0\n"              \
    "K 5\nowner\nV 5\nharry\nK 4\npath\nV 4\n/a/b\nK 5\ntoken\nV 5\nt:123\n"

static const char full[] =
    "K 8\nchildren\nV 33\n" DIGEST "\n\nK 7\ncomment\nV 2\nhi\n"
    "K 13\ncreation_date\n" DATE "K 15\nexpiration_date\n" DATE
    "K 14\nis_dav_comment\nV 1\n1\nK 5\nowner\nV 5\nharry\n"
    "K 4\npath\nV 4\n/a/b\nK 5\ntoken\nV 5\nt:123\nEND\n";

static fs_error_t *parse(fs_lock_file_t *out, const char *text, void **state)
{
    return fs_lock_file_parse(out, text, strlen(text), unit_pool(state));
}

static void all_of_a_lock_is_read(void **state)
{
    fs_lock_file_t lock;

    assert_fs_ok(parse(&lock, full, state));
    assert_string_equal(lock.path, "/a/b");
    assert_string_equal(lock.token, "t:123");
    assert_string_equal(lock.owner, "harry");
    assert_string_equal(lock.comment, "hi");
    assert_true(lock.is_dav_comment);
    assert_true(lock.creation == APR_TIME_C(1704164645678901));
    assert_true(lock.expiration == APR_TIME_C(1704164645678901));
    assert_int_equal(fs_lock_file_child_count(&lock), 1);
    assert_memory_equal(fs_lock_file_child(&lock, 0), DIGEST, 32);
}

static void what_is_optional_may_be_absent(void **state)
{
    fs_lock_file_t lock;

    assert_fs_ok(parse(&lock, REQUIRED "END\n", state));
    assert_null(lock.comment);
    assert_false(lock.is_dav_comment);
    assert_int_equal(lock.expiration, 0);
    assert_int_equal(fs_lock_file_child_count(&lock), 0);
    assert_fs_ok(parse(&lock, "K 7\ncomment\nV 0\n\n" REQUIRED "END\n", state));
    assert_string_equal(lock.comment, "");
}

static void a_directory_has_children_without_a_lock(void **state)
{
    fs_lock_file_t lock;

    assert_fs_ok(parse(
        &lock, "K 8\nchildren\nV 66\n" DIGEST "\n" DIGEST "\n\nEND\n", state));
    assert_null(lock.path);
    assert_int_equal(fs_lock_file_child_count(&lock), 2);
    assert_memory_equal(fs_lock_file_child(&lock, 1), DIGEST, 32);
    assert_fs_ok(parse(&lock, "END\n", state));
    assert_null(lock.path);
}

static void digest_files_are_written_as_they_were_read(void **state)
{
    fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));
    fs_lock_file_t lock;

    assert_fs_ok(parse(&lock, full, state));
    fs_lock_file_format(out, &lock);
    assert_bytes_equal(out->data, out->len, full, sizeof(full) - 1);
    out->len = 0;
    assert_fs_ok(parse(&lock, REQUIRED "END\n", state));
    fs_lock_file_format(out, &lock);
    assert_bytes_equal(out->data, out->len, REQUIRED "END\n",
                       sizeof(REQUIRED "END\n") - 1);
}

static void locks_without_a_required_key_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "K 4\npath\nV 4\n/a/b\nEND\n",
        "K 4\npath\nV 4\n/a/b\nK 5\ntoken\nV 1\nt\nEND\n",
        "K 4\npath\nV 4\n/a/b\nK 5\ntoken\nV 1\nt\nK 5\nowner\nV 1\nh\nEND\n",
        ("K 4\npath\nV 4\n/a/b\nK 5\ntoken\nV 1\nt\nK 5\nowner\nV 1\nh\n"
         "K 14\nis_dav_comment\nV 1\n0\nEND\n"),
        "K 4\npath\nV 3\na/b\nEND\n",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_lock_file_t lock;

        assert_fs_error(parse(&lock, texts[i], state), FS_ERR_CORRUPT);
    }
}

static void malformed_values_are_corrupt(void **state)
{
    static const char nul[] = "K 4\npath\nV 3\n/\0b\nEND\n";
    fs_lock_file_t lock;

    assert_fs_error(
        parse(&lock, REQUIRED "K 14\nis_dav_comment\nV 1\n2\nEND\n", state),
        FS_ERR_CORRUPT);
    assert_fs_error(
        parse(&lock, REQUIRED "K 15\nexpiration_date\nV 3\nnow\nEND\n", state),
        FS_ERR_CORRUPT);
    assert_fs_error(
        parse(&lock, "K 8\nchildren\nV 32\n" DIGEST "\nEND\n", state),
        FS_ERR_CORRUPT);
    assert_fs_error(
        parse(&lock, "K 8\nchildren\nV 33\n" DIGEST "x\nEND\n", state),
        FS_ERR_CORRUPT);
    assert_fs_error(
        parse(&lock, "K 8\nchildren\nV 33\nx" DIGEST "\nEND\n", state),
        FS_ERR_CORRUPT);
    assert_fs_error(
        fs_lock_file_parse(&lock, nul, sizeof(nul) - 1, unit_pool(state)),
        FS_ERR_CORRUPT);
}

static void the_digest_is_the_md5_of_the_path(void **state)
{
    char digest[FS_LOCK_DIGEST_LEN + 1];

    (void)state;
    fs_lock_file_digest(digest, "/");
    assert_string_equal(digest, "6666cd76f96956469e7be39d750cc7d9");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(all_of_a_lock_is_read),
    UNIT_TEST(what_is_optional_may_be_absent),
    UNIT_TEST(a_directory_has_children_without_a_lock),
    UNIT_TEST(digest_files_are_written_as_they_were_read),
    UNIT_TEST(locks_without_a_required_key_are_corrupt),
    UNIT_TEST(malformed_values_are_corrupt),
    UNIT_TEST(the_digest_is_the_md5_of_the_path),
};

UNIT_MAIN(tests)
