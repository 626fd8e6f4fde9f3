/* SPDX-License-Identifier: Apache-2.0 */
/* Contents: from any offset, as stored deltas, and damaged ones. */

#include "libfs/store/fsfs/rep_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

static fs_store_t *open_fixture(fs_repo_t **repo, const char *name,
                                apr_pool_t *pool)
{
    const char *path = fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);

    assert_fs_ok(fs_repo_open(repo, path, NULL, NULL, pool));
    return fs_repo_store(*repo);
}

/* The node that `names` lead to in `rev`, NULL if it is not there. */
static const fs_node_record_t *node_at(fs_store_t *store, fs_rev_t rev,
                                       const char *const *names, int count,
                                       apr_pool_t *pool)
{
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    fs_node_id_t id;
    int i;

    assert_fs_ok(store->vtable->root_id(&id, store, rev, pool));
    for (i = 0; i < count; i++) {
        assert_fs_ok(store->vtable->node(&record, store, &id, pool, pool));
        assert_fs_ok(store->vtable->dir_lookup(&entry, store, record, names[i],
                                               pool, pool));
        if (!entry)
            return NULL;
        id = entry->id;
    }
    assert_fs_ok(store->vtable->node(&record, store, &id, pool, pool));
    return record;
}

static const fs_node_record_t *big_bin(fs_store_t *store, fs_rev_t rev,
                                       apr_pool_t *pool)
{
    static const char *const names[] = { "trunk", "big.bin" };

    return node_at(store, rev, names, 2, pool);
}

static fs_bytes_t read_from(fs_store_t *store, const fs_content_t *content,
                            apr_uint64_t offset, apr_pool_t *pool)
{
    fs_stream_t *stream;
    fs_bytes_t bytes;

    assert_fs_ok(
        store->vtable->open_content(&stream, store, content, offset, pool));
    assert_fs_ok(fs_stream_slurp(&bytes, stream, 64 << 20, pool));
    assert_fs_ok(fs_stream_close(stream));
    return bytes;
}

static void check_offsets(void **state, const char *name)
{
    static const apr_uint64_t offsets[] = { 1,       102399,  102400, 102401,
                                            1000000, 1500000, 2000000 };
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record;
    fs_store_t *store;
    fs_repo_t *repo;
    fs_bytes_t whole;
    apr_size_t i;

    store = open_fixture(&repo, name, pool);
    record = big_bin(store, 69, pool);
    assert_non_null(record);
    whole = read_from(store, &record->text, 0, pool);
    assert_int_equal(whole.len, record->text.size);
    assert_true(whole.len > 2000000);
    for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        fs_bytes_t part = read_from(store, &record->text, offsets[i], pool);

        assert_bytes_equal(part.data, part.len, whole.data + offsets[i],
                           whole.len - offsets[i]);
    }
    assert_int_equal(read_from(store, &record->text, whole.len, pool).len, 0);
    assert_int_equal(read_from(store, &record->text, whole.len + 9, pool).len,
                     0);
}

static void reading_may_begin_anywhere(void **state)
{
    check_offsets(state, "f8");
    check_offsets(state, "f1");
    check_offsets(state, "f7-packed");
    check_offsets(state, "f8-from-f2");
}

static void skipping_within_a_stream_gives_what_follows(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record;
    apr_uint64_t skipped;
    fs_stream_t *stream;
    fs_store_t *store;
    fs_bytes_t whole;
    fs_repo_t *repo;
    char buf[1000];
    apr_size_t len = sizeof(buf);

    store = open_fixture(&repo, "f6-packed", pool);
    record = big_bin(store, 69, pool);
    whole = read_from(store, &record->text, 0, pool);
    assert_fs_ok(
        store->vtable->open_content(&stream, store, &record->text, 0, pool));
    assert_fs_ok(fs_stream_read_full(stream, buf, &len));
    assert_fs_ok(fs_stream_skip(stream, 500000, &skipped));
    assert_int_equal(skipped, 500000);
    assert_fs_ok(fs_stream_read_full(stream, buf, &len));
    assert_bytes_equal(buf, len, whole.data + 501000, 1000);
    assert_fs_ok(fs_stream_skip(stream, APR_UINT64_C(1) << 40, &skipped));
    assert_int_equal(skipped, whole.len - 502000);
    assert_fs_ok(fs_stream_read(stream, buf, &len));
    assert_int_equal(len, 0);
    assert_fs_ok(fs_stream_close(stream));
}

/* The stored delta of `record` against `base`, applied. */
static void apply_stored(fs_store_t *store, const fs_content_t *base,
                         const fs_content_t *content, unsigned int versions,
                         apr_pool_t *pool)
{
    fs_stored_delta_t *delta;
    fs_bytes_t expected;
    fs_stream_t *source = NULL;
    fs_bytes_t found;

    assert_fs_ok(store->vtable->open_stored_delta(&delta, store, base, content,
                                                  versions, pool));
    assert_non_null(delta);
    assert_true((versions != 0) == (delta->svndiff != NULL));
    assert_true((versions == 0) == (delta->windows != NULL));
    if (base)
        assert_fs_ok(
            store->vtable->open_content(&source, store, base, 0, pool));
    assert_fs_ok(fs_stream_slurp(
        &found,
        fs_delta_apply(delta->windows ? delta->windows
                                      : fs_svndiff_read(delta->svndiff, pool),
                       source, pool),
        64 << 20, pool));
    expected = read_from(store, content, 0, pool);
    assert_bytes_equal(found.data, found.len, expected.data, expected.len);
}

static void a_stored_delta_makes_the_text_from_its_base(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record;
    const fs_node_record_t *pred;
    fs_stored_delta_t *delta;
    fs_store_t *store;
    fs_repo_t *repo;

    store = open_fixture(&repo, "f8", pool);
    record = big_bin(store, 69, pool);
    while (record->has_pred && record->pred_count > 1)
        assert_fs_ok(
            store->vtable->node(&record, store, &record->pred, pool, pool));
    assert_int_equal(record->pred_count, 1);
    assert_fs_ok(store->vtable->node(&pred, store, &record->pred, pool, pool));
    apply_stored(store, &pred->text, &record->text, 0, pool);
    apply_stored(store, &pred->text, &record->text, 1U << 2, pool);
    apply_stored(store, NULL, &pred->text, 1U << 2 | 1U << 1, pool);
    /* Not in that encoding, not against that base. */
    assert_fs_ok(store->vtable->open_stored_delta(
        &delta, store, &pred->text, &record->text, 1U << 1, pool));
    assert_null(delta);
    assert_fs_ok(store->vtable->open_stored_delta(&delta, store, &record->text,
                                                  &pred->text, 0, pool));
    assert_null(delta);
    assert_fs_ok(store->vtable->open_stored_delta(&delta, store, NULL,
                                                  &record->text, 0, pool));
    assert_null(delta);
}

/* Turn a bit at `offset` of a file that is read-only. */
static void turn_bit(const char *path, long offset)
{
    FILE *file;
    int byte;

    assert_int_equal(chmod(path, 0644), 0);
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    byte = fgetc(file);
    assert_int_not_equal(byte, EOF);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 0x10, file), byte ^ 0x10);
    assert_int_equal(fclose(file), 0);
}

/* The first version of trunk/big.bin, whose delta begins its revision's file;
 * a bit of that delta is turned. */
static fs_error_t *open_damaged(fs_stored_delta_t **delta, const char *name,
                                apr_pool_t *pool)
{
    const fs_node_record_t *record;
    fs_store_t *store;
    fs_repo_t *repo;

    store = open_fixture(&repo, name, pool);
    record = big_bin(store, 69, pool);
    while (record->has_pred)
        assert_fs_ok(
            store->vtable->node(&record, store, &record->pred, pool, pool));
    turn_bit(apr_psprintf(pool, "%s/db/revs/%d/%d", fs_repo_path(repo),
                          (int)record->created_rev / 4,
                          (int)record->created_rev),
             5000);
    return store->vtable->open_stored_delta(delta, store, NULL, &record->text,
                                            7, pool);
}

static void a_damaged_delta_is_never_handed_out(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_stored_delta_t *delta;

    assert_fs_error(open_damaged(&delta, "f8", pool), FS_ERR_CORRUPT);
    /* Without a sum in the index a large one is never handed out raw. */
    assert_fs_ok(open_damaged(&delta, "f6", pool));
    assert_null(delta);
}

/* Two versions of a small file, the second a delta, in a repository without
 * sums in its index. */
static const char *make_small_delta(apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/small", NULL);
    const char *text = apr_pstrcat(pool, path, "/text", NULL);
    const char *url = apr_pstrcat(pool, "file://", path, "/big.bin", NULL);
    const char *create[] = { "svnadmin", "create", "--compatible-version",
                             "1.8",      path,     NULL };
    const char *first[] = { "seq", "1000", "2500", NULL };
    const char *second[] = { "seq", "1000", "2550", NULL };
    const char *put[] = { "svnmucc", "-mx", "put", text, url, NULL };

    fs_test_must_run(NULL, NULL, create, pool);
    fs_test_must_run(NULL, text, first, pool);
    fs_test_must_run(NULL, "/dev/null", put, pool);
    fs_test_must_run(NULL, text, second, pool);
    fs_test_must_run(NULL, "/dev/null", put, pool);
    return path;
}

static void a_small_damaged_delta_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record, *before;
    const char *path = make_small_delta(pool);
    fs_stored_delta_t *delta;
    const char *names[] = { "big.bin" };
    fs_store_t *store;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    store = fs_repo_store(repo);
    record = node_at(store, 2, names, 1, pool);
    before = node_at(store, 1, names, 1, pool);
    apply_stored(store, &before->text, &record->text, 7, pool);
    turn_bit(apr_pstrcat(pool, path, "/db/revs/0/2", NULL), 60);
    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    store = fs_repo_store(repo);
    assert_fs_error(store->vtable->open_stored_delta(
                        &delta, store, &before->text, &record->text, 7, pool),
                    FS_ERR_CORRUPT);
}

static void a_wrong_digest_is_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record;
    fs_content_t content;
    fs_stream_t *stream;
    fs_store_t *store;
    fs_bytes_t bytes;
    fs_repo_t *repo;

    store = open_fixture(&repo, "f8", pool);
    record = big_bin(store, 69, pool);
    content = record->text;
    content.md5[3] ^= 1;
    assert_fs_ok(
        store->vtable->open_content(&stream, store, &content, 0, pool));
    assert_fs_error_says(fs_stream_slurp(&bytes, stream, 64 << 20, pool),
                         FS_ERR_CORRUPT, "MD5");
    content = record->text;
    content.size--;
    assert_fs_ok(
        store->vtable->open_content(&stream, store, &content, 0, pool));
    assert_fs_error(fs_stream_slurp(&bytes, stream, 64 << 20, pool),
                    FS_ERR_CORRUPT);
    content = record->text;
    content.size++;
    content.has_md5 = false;
    assert_fs_ok(
        store->vtable->open_content(&stream, store, &content, 0, pool));
    assert_fs_error_says(fs_stream_slurp(&bytes, stream, 64 << 20, pool),
                         FS_ERR_CORRUPT, "ends after");
}

static void a_reference_to_nowhere_is_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_record_t *record;
    fs_content_t content;
    fs_stream_t *stream;
    fs_store_t *store;
    fs_node_id_t id;
    fs_repo_t *repo;

    store = open_fixture(&repo, "f8", pool);
    content = big_bin(store, 69, pool)->text;
    fs_handle_pack_id(content.id, 70, 3);
    assert_fs_error_says(
        store->vtable->open_content(&stream, store, &content, 0, pool),
        FS_ERR_CORRUPT, "r70 item 3");
    fs_handle_pack_id(content.id, 20, 99999);
    assert_fs_error_says(
        store->vtable->open_content(&stream, store, &content, 0, pool),
        FS_ERR_CORRUPT, "r20 item 99999");
    fs_handle_pack_id(id.bytes, 20, 1); /* the changed paths */
    assert_fs_error(store->vtable->node(&record, store, &id, pool, pool),
                    FS_ERR_INDEX_INCONSISTENT);
}

/* --- Representations made by hand --- */

/* A repository whose r1 holds just `data`. */
static fs_store_t *store_with(const char *data, apr_size_t len,
                              apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *create[] = { "svnadmin", "create", "--compatible-version",
                             "1.3",      path,     NULL };
    FILE *file;
    fs_repo_t *repo;

    fs_test_must_run(NULL, NULL, create, pool);
    file = fopen(apr_pstrcat(pool, path, "/db/revs/1", NULL), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    file = fopen(apr_pstrcat(pool, path, "/db/current", NULL), "w");
    assert_non_null(file);
    assert_true(fputs("1 1 1\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    return fs_repo_store(repo);
}

static fs_content_t content_at(apr_uint64_t item, apr_uint64_t stored_len,
                               apr_uint64_t size)
{
    fs_content_t content = { .present = true,
                             .stored_len = stored_len,
                             .size = size };

    fs_handle_pack_id(content.id, 1, item);
    return content;
}

static void windows_that_are_not_aligned_are_decoded(void **state)
{
    /* "abcdef" in windows of two and four bytes; then one window that takes
     * "cde" from a view which begins within the second. */
    static const char data[] = "DELTA\n"
                               "SVN\0"
                               "\0\0\2\1\2\x82"
                               "ab"
                               "\0\0\4\1\4\x84"
                               "cdef"
                               "ENDREP\n"
                               "DELTA 1 0 22\n"
                               "SVN\0"
                               "\2\4\3\2\0\x03\0"
                               "ENDREP\n";
    apr_pool_t *pool = unit_pool(state);
    fs_store_t *store = store_with(data, sizeof(data) - 1, pool);
    fs_content_t base = content_at(0, 22, 6);
    fs_content_t top = content_at(35, 11, 3);
    fs_bytes_t text;

    text = read_from(store, &base, 0, pool);
    assert_bytes_equal(text.data, text.len, "abcdef", 6);
    text = read_from(store, &top, 0, pool);
    assert_bytes_equal(text.data, text.len, "cde", 3);
}

static void a_plain_base_honours_the_source_view(void **state)
{
    static const char data[] = "PLAIN\n"
                               "abcdef"
                               "ENDREP\n"
                               "DELTA 1 0 6\n"
                               "SVN\0"
                               "\1\4\6\4\0\x04\0\x42\1"
                               "ENDREP\n";
    apr_pool_t *pool = unit_pool(state);
    fs_store_t *store = store_with(data, sizeof(data) - 1, pool);
    fs_content_t top = content_at(19, 13, 6);
    fs_bytes_t text;

    text = read_from(store, &top, 0, pool);
    assert_bytes_equal(text.data, text.len, "bcdecd", 6);
}

static void a_chain_in_circles_ends(void **state)
{
    static const char data[] = "DELTA 1 0 11\n"
                               "SVN\0"
                               "\0\1\1\2\0\x01\0"
                               "ENDREP\n";
    apr_pool_t *pool = unit_pool(state);
    fs_store_t *store = store_with(data, sizeof(data) - 1, pool);
    fs_content_t top = content_at(0, 11, 1);
    fs_stream_t *stream;

    assert_fs_error_says(
        store->vtable->open_content(&stream, store, &top, 0, pool),
        FS_ERR_CORRUPT, "more than 65536 links");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(reading_may_begin_anywhere),
    UNIT_TEST(skipping_within_a_stream_gives_what_follows),
    UNIT_TEST(a_stored_delta_makes_the_text_from_its_base),
    UNIT_TEST(a_damaged_delta_is_never_handed_out),
    UNIT_TEST(a_small_damaged_delta_is_an_error),
    UNIT_TEST(a_wrong_digest_is_damage),
    UNIT_TEST(a_reference_to_nowhere_is_damage),
    UNIT_TEST(windows_that_are_not_aligned_are_decoded),
    UNIT_TEST(a_plain_base_honours_the_source_view),
    UNIT_TEST(a_chain_in_circles_ends),
};

UNIT_MAIN(tests)
