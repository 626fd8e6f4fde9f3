/* SPDX-License-Identifier: Apache-2.0 */
/* Proves texts and their deltas of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

/* ---- the repository: a file in four editions ---- */

#define BIG 300000

static const char *folder; /* of the repository */

/* r1: /small, /big and /empty; r2: both changed; r3: /twin, equal to /big of
 * r1 but made anew. */
static int make_repository(void **state)
{
    static char big[BIG];
    apr_pool_t *pool;
    apr_uint32_t seed = 1;
    int i;

    (void)state;
    if (apr_initialize() || apr_pool_create(&pool, NULL))
        return -1;
    *state = pool;
    for (i = 0; i < BIG; i++) {
        seed = seed * 1103515245 + 12345;
        big[i] = (char)(seed >> 16);
    }
    folder = fs_test_repo_load(NULL, pool);
    {
        const char *file = fs_test_file(big, BIG, pool);
        const char *first[] = { "put",   fs_test_file("hello\n", 6, pool),
                                "small", "put",
                                file,    "big",
                                "put",   fs_test_file("", 0, pool),
                                "empty", NULL };
        const char *third[] = { "put", file, "twin", NULL };
        const char *second[] = { "put",   fs_test_file("hello you\n", 10, pool),
                                 "small", "put",
                                 NULL,    "big",
                                 NULL };

        big[150000] = (char)(big[150000] + 1);
        second[4] = fs_test_file(big, BIG, pool);
        fs_test_repo_commit(folder, first, pool);
        fs_test_repo_commit(folder, second, pool);
        fs_test_repo_commit(folder, third, pool);
    }
    return 0;
}

static int remove_repository(void **state)
{
    apr_pool_destroy(*state);
    apr_terminate();
    return 0;
}

static const fs_node_t *find(fs_rev_t rev, const char *path, apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_root_t *root;

    assert_fs_ok(
        fs_root_open(&root, fs_test_open(folder, false, pool), rev, pool));
    assert_fs_ok(fs_node_need(&node, root, path, pool));
    return node;
}

static fs_bytes_t slurp(fs_stream_t *stream, apr_pool_t *pool)
{
    fs_bytes_t bytes;

    assert_fs_ok(fs_stream_slurp(&bytes, stream, 10000000, pool));
    return bytes;
}

static fs_bytes_t text_of(const fs_node_t *node, apr_pool_t *pool)
{
    fs_stream_t *text;

    assert_fs_ok(fs_node_open(&text, node, 0, pool));
    return slurp(text, pool);
}

/* ---- reading ---- */

static void a_text_is_read_from_any_place(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find(2, "/small", pool);
    fs_stream_t *text;
    fs_bytes_t bytes = text_of(node, pool);

    assert_bytes_equal(bytes.data, bytes.len, "hello you\n", 10);
    assert_fs_ok(fs_node_open(&text, node, 6, pool));
    bytes = slurp(text, pool);
    assert_bytes_equal(bytes.data, bytes.len, "you\n", 4);
    assert_fs_ok(fs_node_open(&text, node, 10, pool));
    assert_int_equal(slurp(text, pool).len, 0);
}

static void an_empty_text_has_no_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find(1, "/empty", pool);

    assert_int_equal(fs_node_size(node), 0);
    assert_int_equal(text_of(node, pool).len, 0);
}

static void a_directory_has_no_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_stream_t *text;

    assert_fs_error_says(fs_node_open(&text, find(1, "/", pool), 0, pool),
                         FS_ERR_NOT_FILE, "'/' is not a file in revision 1");
}

static void digests_are_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find(1, "/small", pool);
    unsigned char md5[FS_MD5_SIZE];

    assert_fs_ok(fs_node_md5(md5, node, pool));
    assert_string_equal(fs_hex_format(md5, sizeof(md5), pool),
                        "b1946ac92492d2347c6235b4d2611184");
    assert_string_equal(fs_hex_format(fs_node_sha1(node), FS_SHA1_SIZE, pool),
                        "f572d396fae9206628714fb2ce00f72e94f2258f");
    assert_fs_ok(fs_node_md5(md5, find(1, "/empty", pool), pool));
    assert_string_equal(fs_hex_format(md5, sizeof(md5), pool),
                        "d41d8cd98f00b204e9800998ecf8427e");
}

static void a_sha1_that_is_not_stored_is_computed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path =
        fs_test_repo_load_as("tests/data/history/hist.dump", "1.3", pool);
    unsigned char sha1[FS_SHA1_SIZE];
    const fs_node_t *node;
    fs_repo_t *repo;
    fs_root_t *root;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_fs_ok(fs_root_open(&root, repo, 1, pool));
    assert_fs_ok(fs_node_need(&node, root, "/trunk/g", pool));
    assert_null(fs_node_sha1(node));
    assert_fs_ok(fs_node_compute_sha1(sha1, node, pool)); /* of "gee\n" */
    assert_string_equal(fs_hex_format(sha1, sizeof(sha1), pool),
                        "90c6dcf1767802b8bf571d0e31c491120e9b6131");
    assert_fs_ok(fs_node_need(&node, root, "/trunk", pool));
    assert_fs_error(fs_node_compute_sha1(sha1, node, pool), FS_ERR_NOT_FILE);
}

static void reading_ahead_changes_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *nodes[3];

    nodes[0] = find(1, "/small", pool);
    nodes[1] = find(1, "/", pool);
    nodes[2] = find(1, "/empty", pool);
    fs_node_prefetch(nodes, 3);
    fs_node_prefetch(nodes, 0);
    assert_int_equal(text_of(nodes[0], pool).len, 6);
}

static void texts_differ_by_content(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    bool differ;

    assert_fs_ok(fs_node_texts_differ(&differ, find(1, "/big", pool),
                                      find(2, "/big", pool), pool));
    assert_true(differ);
    assert_fs_ok(fs_node_texts_differ(&differ, find(1, "/big", pool),
                                      find(3, "/twin", pool), pool));
    assert_false(differ);
    assert_fs_ok(fs_node_texts_differ(&differ, find(1, "/small", pool),
                                      find(1, "/empty", pool), pool));
    assert_true(differ);
    assert_fs_error(fs_node_texts_differ(&differ, find(1, "/", pool),
                                         find(1, "/empty", pool), pool),
                    FS_ERR_NOT_FILE);
}

static void an_equal_text_set_anew_counts_as_touched(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_true(
        fs_node_text_touched(find(1, "/big", pool), find(3, "/twin", pool)));
    assert_false(
        fs_node_text_touched(find(2, "/big", pool), find(3, "/big", pool)));
}

/* ---- deltas ---- */

static void check_delta(const fs_node_t *base, const fs_node_t *node,
                        apr_pool_t *pool)
{
    fs_bytes_t expected = text_of(node, pool);
    fs_stream_t *source = NULL;
    fs_delta_stream_t *delta;
    fs_bytes_t found;

    if (base)
        assert_fs_ok(fs_node_open(&source, base, 0, pool));
    assert_fs_ok(fs_node_delta(&delta, base, node, pool));
    found = slurp(fs_delta_apply(delta, source, pool), pool);
    assert_bytes_equal(found.data, found.len, expected.data, expected.len);
}

static apr_size_t check_svndiff(const fs_node_t *base, const fs_node_t *node,
                                int version, apr_pool_t *pool)
{
    fs_bytes_t expected = text_of(node, pool);
    fs_stream_t *source = NULL;
    fs_stream_t *svndiff;
    fs_bytes_t encoded;
    fs_bytes_t found;

    if (base)
        assert_fs_ok(fs_node_open(&source, base, 0, pool));
    assert_fs_ok(fs_node_svndiff(&svndiff, base, node, version, 5, pool));
    encoded = slurp(svndiff, pool);
    assert_true(encoded.len >= 4);
    assert_memory_equal(encoded.data, "SVN", 3);
    assert_int_equal(encoded.data[3], version);
    found = slurp(
        fs_delta_apply(
            fs_svndiff_read(
                fs_stream_from_bytes(encoded.data, encoded.len, pool), pool),
            source, pool),
        pool);
    assert_bytes_equal(found.data, found.len, expected.data, expected.len);
    return encoded.len;
}

static void check_all(fs_rev_t base_rev, const char *base_path, fs_rev_t rev,
                      const char *path, apr_pool_t *pool)
{
    const fs_node_t *base = base_path ? find(base_rev, base_path, pool) : NULL;
    const fs_node_t *node = find(rev, path, pool);
    int version;

    check_delta(base, node, pool);
    for (version = 0; version <= 2; version++)
        check_svndiff(base, node, version, pool);
}

static void a_delta_turns_the_base_into_the_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    check_all(1, "/small", 2, "/small", pool);
    check_all(2, "/small", 1, "/small", pool);
    check_all(1, "/big", 2, "/big", pool);
    check_all(2, "/big", 1, "/big", pool);
    check_all(1, "/small", 2, "/big", pool);
}

static void a_delta_without_base_makes_the_text(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    check_all(0, NULL, 1, "/small", pool);
    check_all(0, NULL, 2, "/small", pool);
    check_all(0, NULL, 1, "/big", pool);
    check_all(0, NULL, 2, "/big", pool);
}

static void an_empty_text_is_base_and_target_as_any_other(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    check_all(1, "/empty", 1, "/big", pool);
    check_all(1, "/big", 1, "/empty", pool);
    check_all(1, "/empty", 2, "/empty", pool);
    check_all(0, NULL, 1, "/empty", pool);
}

static void equal_texts_give_copies_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *base = find(1, "/big", pool);
    const fs_delta_window_t *window;
    fs_delta_stream_t *delta;
    int version;

    check_all(1, "/big", 3, "/twin", pool);
    for (version = 0; version <= 2; version++)
        assert_true(check_svndiff(base, find(3, "/twin", pool), version, pool) <
                    100);
    assert_fs_ok(fs_node_delta(&delta, base, base, pool));
    assert_fs_ok(fs_delta_next(&window, delta));
    assert_int_equal(window->new_len, 0);
    assert_int_equal(window->target_len, FS_DELTA_WINDOW_MAX);
}

static void a_delta_needs_files(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_delta_stream_t *delta;
    fs_stream_t *svndiff;

    assert_fs_error(
        fs_node_delta(&delta, find(1, "/", pool), find(1, "/big", pool), pool),
        FS_ERR_NOT_FILE);
    assert_fs_error(
        fs_node_svndiff(&svndiff, NULL, find(1, "/", pool), 1, 5, pool),
        FS_ERR_NOT_FILE);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_text_is_read_from_any_place),
    UNIT_TEST(an_empty_text_has_no_bytes),
    UNIT_TEST(a_directory_has_no_text),
    UNIT_TEST(digests_are_told),
    UNIT_TEST(a_sha1_that_is_not_stored_is_computed),
    UNIT_TEST(reading_ahead_changes_nothing),
    UNIT_TEST(texts_differ_by_content),
    UNIT_TEST(an_equal_text_set_anew_counts_as_touched),
    UNIT_TEST(a_delta_turns_the_base_into_the_text),
    UNIT_TEST(a_delta_without_base_makes_the_text),
    UNIT_TEST(an_empty_text_is_base_and_target_as_any_other),
    UNIT_TEST(equal_texts_give_copies_alone),
    UNIT_TEST(a_delta_needs_files),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, make_repository,
                                       remove_repository);
}
