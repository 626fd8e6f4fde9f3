/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the texts of libfs/fs_txn.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "tests/support/repo.h"
#include "tests/support/texts.h"
#include "tests/support/txns.h"

static fs_txn_t *make(apr_pool_t *pool)
{
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, fs_test_txns_copy(pool), 1, NULL, pool));
    return txn;
}

static const char *text_of(fs_txn_t *txn, const char *path, apr_pool_t *pool)
{
    fs_root_t *root;

    assert_fs_ok(fs_txn_root(&root, txn, pool));
    return fs_test_txns_text(root, path, pool);
}

/* Open, write in pieces, close. */
static fs_error_t *put(fs_txn_t *txn, const char *path,
                       const fs_txn_text_form_t *form, fs_bytes_t data,
                       apr_size_t piece, apr_pool_t *pool)
{
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *text;
    apr_size_t at;

    FS_TRY(fs_txn_text_open(&text, txn, path, form, pool));
    for (at = 0; at < data.len; at += piece) {
        fs_error_t *err =
            fs_txn_text_write(text, data.data + at,
                              data.len - at < piece ? data.len - at : piece);

        if (err) {
            fs_txn_text_abort(text);
            return err;
        }
    }
    return fs_txn_text_close(md5, text);
}

static fs_bytes_t bytes_of(const char *text)
{
    const fs_bytes_t bytes = { text, strlen(text) };

    return bytes;
}

static fs_bytes_t delta(fs_bytes_t from, fs_bytes_t to, apr_pool_t *pool)
{
    fs_bytes_t out;

    assert_fs_ok(fs_stream_slurp(
        &out,
        fs_svndiff_write(
            fs_delta_compute(fs_stream_from_bytes(from.data, from.len, pool),
                             fs_stream_from_bytes(to.data, to.len, pool), pool),
            1, 5, pool),
        1 << 24, pool));
    return out;
}

static const fs_txn_text_form_t whole = { false, NULL, NULL };
static const fs_txn_text_form_t svndiff = { true, NULL, NULL };

static void a_whole_text_is_put(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    unsigned char want[FS_MD5_SIZE];
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *text;

    fs_digest_md5(want, "new text", 8);
    assert_fs_ok(fs_txn_text_open(&text, txn, "/d/f", &whole, pool));
    assert_fs_ok(fs_txn_text_write(text, "new ", 4));
    assert_fs_ok(fs_txn_text_write(text, "", 0));
    assert_fs_ok(fs_txn_text_write(text, "text", 4));
    assert_fs_ok(fs_txn_text_close(md5, text));
    assert_memory_equal(md5, want, FS_MD5_SIZE);
    assert_string_equal(text_of(txn, "/d/f", pool), "new text");
    assert_string_equal(text_of(txn, "/d/g", pool), "base");
}

static void an_empty_text_is_put(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);

    assert_fs_ok(put(txn, "/d/f", &whole, bytes_of(""), 1, pool));
    assert_string_equal(text_of(txn, "/d/f", pool), "");
}

static void a_delta_is_applied_to_what_the_file_has(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    texts_seed_t seed = 77;
    fs_bytes_t first = texts_make(&seed, 300000, 20, pool);
    fs_bytes_t second = texts_edit(&seed, first, 50, 400, pool);

    assert_fs_ok(put(txn, "/d/f", &svndiff,
                     delta(bytes_of("base"), first, pool), 4096, pool));
    assert_string_equal(text_of(txn, "/d/f", pool),
                        apr_pstrmemdup(pool, first.data, first.len));
    assert_fs_ok(
        put(txn, "/d/f", &svndiff, delta(first, second, pool), 999, pool));
    assert_string_equal(text_of(txn, "/d/f", pool),
                        apr_pstrmemdup(pool, second.data, second.len));
}

static void digests_that_agree_are_fine(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    unsigned char base[FS_MD5_SIZE];
    unsigned char result[FS_MD5_SIZE];
    const fs_txn_text_form_t form = { true, base, result };

    fs_digest_md5(base, "base", 4);
    fs_digest_md5(result, "result", 6);
    assert_fs_ok(put(txn, "/d/f", &form,
                     delta(bytes_of("base"), bytes_of("result"), pool), 3,
                     pool));
    assert_string_equal(text_of(txn, "/d/f", pool), "result");
}

static void another_base_is_told_before_anything_comes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    unsigned char base[FS_MD5_SIZE];
    const fs_txn_text_form_t form = { true, base, NULL };
    fs_txn_text_t *text;

    fs_digest_md5(base, "other", 5);
    assert_fs_error_says(fs_txn_text_open(&text, txn, "/d/f", &form, pool),
                         FS_ERR_CHECKSUM_MISMATCH,
                         "593616de15330c0fb2d55e55410bf994");
}

static void another_result_leaves_the_old_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    unsigned char result[FS_MD5_SIZE];
    const fs_txn_text_form_t form = { false, NULL, result };

    fs_digest_md5(result, "other", 5);
    assert_fs_error_says(put(txn, "/d/f", &form, bytes_of("new"), 9, pool),
                         FS_ERR_CHECKSUM_MISMATCH, "'/d/f'");
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
    assert_fs_ok(put(txn, "/d/f", &whole, bytes_of("next"), 9, pool));
    assert_string_equal(text_of(txn, "/d/f", pool), "next");
}

static void a_delta_that_is_cut_leaves_the_old_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    fs_bytes_t bytes = delta(bytes_of("base"), bytes_of("result"), pool);

    bytes.len--;
    assert_fs_error(put(txn, "/d/f", &svndiff, bytes, 9, pool),
                    FS_ERR_SVNDIFF_END);
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
    assert_fs_error(put(txn, "/d/f", &svndiff, bytes_of("junk"), 9, pool),
                    FS_ERR_SVNDIFF_HEADER);
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
    assert_fs_ok(put(txn, "/d/f", &whole, bytes_of("next"), 9, pool));
    assert_string_equal(text_of(txn, "/d/f", pool), "next");
}

static void what_was_given_up_leaves_the_old_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    fs_txn_text_t *text;

    assert_fs_ok(fs_txn_text_open(&text, txn, "/d/f", &whole, pool));
    assert_fs_ok(fs_txn_text_write(text, "new", 3));
    fs_txn_text_abort(text);
    fs_txn_text_abort(text);
    assert_string_equal(text_of(txn, "/d/f", pool), "base");
}

static void texts_go_into_files(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn = make(pool);
    fs_txn_text_t *text;

    assert_fs_error(fs_txn_text_open(&text, txn, "/none", &whole, pool),
                    FS_ERR_NOT_FOUND);
    assert_fs_error_says(fs_txn_text_open(&text, txn, "/d", &whole, pool),
                         FS_ERR_NOT_FILE, "'/d' is not a file");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_whole_text_is_put),
    UNIT_TEST(an_empty_text_is_put),
    UNIT_TEST(a_delta_is_applied_to_what_the_file_has),
    UNIT_TEST(digests_that_agree_are_fine),
    UNIT_TEST(another_base_is_told_before_anything_comes),
    UNIT_TEST(another_result_leaves_the_old_text),
    UNIT_TEST(a_delta_that_is_cut_leaves_the_old_text),
    UNIT_TEST(what_was_given_up_leaves_the_old_text),
    UNIT_TEST(texts_go_into_files),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
