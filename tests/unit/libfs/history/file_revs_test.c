/* SPDX-License-Identifier: Apache-2.0 */
/* Proves versions of a file, by transcripts of the stock libraries. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

static const char *word(const apr_array_header_t *words, int i)
{
    return APR_ARRAY_IDX(words, i, const char *);
}

static fs_error_t *note(void *baton, const fs_file_rev_t *item,
                        apr_pool_t *scratch)
{
    int i;

    (void)scratch;
    fs_buffer_printf(baton, "file-rev %s@%" FS_REV_FMT "%s", item->path,
                     item->rev, item->merged ? " merged" : "");
    for (i = 0; i < item->prop_changes->nelts; i++) {
        const fs_prop_change_t *change =
            &APR_ARRAY_IDX(item->prop_changes, i, fs_prop_change_t);

        fs_buffer_printf(baton, " %s%s", change->value ? "+" : "-",
                         change->name);
    }
    fs_buffer_printf(baton, "%s\n", item->node ? " text" : "");
    return NULL;
}

/* words: PATH "start" START "end" END "merged=N" */
static fs_error_t *answer(fs_buffer_t *out, fs_repo_t *repo,
                          const apr_array_header_t *words, apr_pool_t *pool)
{
    return fs_file_revs(repo, word(words, 0), apr_atoi64(word(words, 2)),
                        apr_atoi64(word(words, 4)),
                        strcmp(word(words, 5), "merged=1") == 0, NULL, note,
                        out, pool);
}

static fs_repo_t *load(const char *name, apr_pool_t *pool)
{
    const char *dump = apr_pstrcat(pool, "tests/data/log-g/", name, NULL);

    return fs_test_open(fs_test_repo_load(dump, pool), false, pool);
}

static void versions_are_those_of_the_stock_libraries(void **state)
{
    static const char *const files[][2] = {
        { "mg1.dump", "../log-g/mg1-file-revs.txt" },
        { "mg2.dump", "../log-g/mg2-file-revs.txt" },
    };
    apr_pool_t *pool = unit_pool(state);
    int i;

    for (i = 0; i < 2; i++) {
        const char *difference = fs_test_transcript(
            files[i][1], true, load(files[i][0], pool), answer, pool);

        if (difference)
            fail_msg("%s: %s", files[i][1], difference);
    }
}

/* Each text is put together from the one before and the delta. */
typedef struct rebuilt_t {
    fs_buffer_t *out;
    fs_bytes_t text;
    apr_pool_t *pool;
} rebuilt_t;

static fs_error_t *read_text(fs_bytes_t *text, const fs_node_t *node,
                             apr_pool_t *pool)
{
    fs_buffer_t *buffer = fs_buffer_create(64, pool);
    fs_stream_t *stream;
    apr_size_t len;

    FS_TRY(fs_node_open(&stream, node, 0, pool));
    do {
        len = 64;
        FS_TRY(fs_stream_read(stream, fs_buffer_reserve(buffer, len), &len));
        buffer->len += len;
    } while (len > 0);
    *text = fs_buffer_bytes(buffer);
    return NULL;
}

static fs_error_t *follow(void *baton, const fs_file_rev_t *item,
                          apr_pool_t *scratch)
{
    rebuilt_t *rebuilt = baton;
    fs_bytes_t base = { "", 0 };

    if (item->base)
        FS_TRY(read_text(&base, item->base, scratch));
    assert_bytes_equal(base.data, base.len, rebuilt->text.data,
                       rebuilt->text.len);
    if (item->node)
        FS_TRY(read_text(&rebuilt->text, item->node, rebuilt->pool));
    fs_buffer_printf(rebuilt->out, "%s@%" FS_REV_FMT " %.*s", item->path,
                     item->rev, (int)rebuilt->text.len, rebuilt->text.data);
    return NULL;
}

static void the_base_is_always_the_text_that_the_receiver_has(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);
    rebuilt_t rebuilt = { fs_buffer_create(100, pool), { "", 0 }, pool };

    assert_fs_ok(fs_file_revs(repo, "/main/g", 0, -1, true, NULL, follow,
                              &rebuilt, pool));
    fs_buffer_append(rebuilt.out, "", 1);
    assert_string_equal(rebuilt.out->data,
                        "/trunk/g@1 x\n/branches/b1/g@2 x\n"
                        "/branches/b1/g@4 x b1\n/trunk/g@6 x b1\n"
                        "/trunk/g@7 x\n/trunk/g@9 x b1\n/main/g@14 x b1\n"
                        "/main/g@15 x b1\nz\n");
}

static void the_text_backwards_goes_from_version_to_version(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    rebuilt_t rebuilt = { fs_buffer_create(100, pool), { "", 0 }, pool };

    assert_fs_ok(fs_file_revs(load("mg1.dump", pool), "/main/g", 16, 7, false,
                              NULL, follow, &rebuilt, pool));
    fs_buffer_append(rebuilt.out, "", 1);
    assert_string_equal(rebuilt.out->data,
                        "/main/g@15 x b1\nz\n/main/g@14 x b1\n"
                        "/trunk/g@9 x b1\n/trunk/g@7 x\n");
}

static fs_error_t *hide(bool *allowed, fs_rev_t rev, const char *path,
                        void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    *allowed = !fs_path_is_within(baton, path);
    return NULL;
}

static fs_reader_t hiding(const char *path, apr_pool_t *pool)
{
    fs_reader_t reader = { hide, apr_pstrdup(pool, path) };

    return reader;
}

static const char *ask(const fs_reader_t *reader, fs_rev_t start, fs_rev_t end,
                       bool merged, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(100, pool);

    assert_fs_ok(fs_file_revs(load("mg1.dump", pool), "/main/f", start, end,
                              merged, reader, note, out, pool));
    fs_buffer_append(out, "", 1);
    return out->data;
}

static void versions_end_before_a_hidden_location(void **state)
{
    const fs_reader_t reader = hiding("/trunk", unit_pool(state));
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(ask(&reader, 0, 16, false, pool),
                        "file-rev /main/f@14 text\n");
    assert_string_equal(ask(&reader, 16, 0, false, pool),
                        "file-rev /main/f@14 text\n");
}

static void hidden_merged_versions_are_left_out(void **state)
{
    const fs_reader_t reader = hiding("/branches", unit_pool(state));

    assert_string_equal(ask(&reader, 0, 16, true, unit_pool(state)),
                        "file-rev /trunk/f@1 text\nfile-rev /trunk/f@5 text\n"
                        "file-rev /trunk/f@6 text\nfile-rev /main/f@14 text\n");
}

static void a_hidden_file_is_refused(void **state)
{
    const fs_reader_t reader = hiding("/main", unit_pool(state));
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);

    assert_fs_error(
        fs_file_revs(repo, "/main/f", 0, 16, false, &reader, note, NULL, pool),
        FS_ERR_UNREADABLE);
    assert_fs_error(fs_file_revs(repo, "/main/none", 16, 0, false, &reader,
                                 note, NULL, pool),
                    FS_ERR_UNREADABLE);
}

static void what_is_no_file_or_no_revision_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);

    assert_fs_error_says(
        fs_file_revs(repo, "/main", 0, 16, false, NULL, note, NULL, pool),
        FS_ERR_NOT_FILE, "'/main' is not a file in revision 16");
    assert_fs_error(
        fs_file_revs(repo, "/none", 16, 2, false, NULL, note, NULL, pool),
        FS_ERR_NOT_FILE);
    assert_fs_error(
        fs_file_revs(repo, "/main/f", 17, 1, false, NULL, note, NULL, pool),
        FS_ERR_NO_SUCH_REV);
    assert_fs_error(
        fs_file_revs(repo, "/main/f", 16, 1, true, NULL, note, NULL, pool),
        FS_ERR_UNSUPPORTED);
}

static fs_error_t *note_props(void *baton, const fs_file_rev_t *item,
                              apr_pool_t *scratch)
{
    const fs_bytes_t *log =
        apr_hash_get(item->revprops, "svn:log", APR_HASH_KEY_STRING);
    const fs_bytes_t *author =
        apr_hash_get(item->revprops, "svn:author", APR_HASH_KEY_STRING);

    (void)scratch;
    fs_buffer_printf(baton, "%" FS_REV_FMT " %s %s\n", item->rev,
                     author ? "author" : "-", log ? "log" : "-");
    return NULL;
}

static void properties_of_half_hidden_revisions_are_cut(void **state)
{
    const fs_reader_t reader = hiding("/trunk/g", unit_pool(state));
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(100, pool);

    assert_fs_ok(fs_file_revs(load("mg1.dump", pool), "/main/f", 0, 16, false,
                              &reader, note_props, out, pool));
    fs_buffer_append(out, "", 1);
    assert_string_equal(out->data, "1 author -\n5 author log\n6 author -\n"
                                   "14 author log\n");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(versions_are_those_of_the_stock_libraries),
    UNIT_TEST(the_base_is_always_the_text_that_the_receiver_has),
    UNIT_TEST(the_text_backwards_goes_from_version_to_version),
    UNIT_TEST(versions_end_before_a_hidden_location),
    UNIT_TEST(hidden_merged_versions_are_left_out),
    UNIT_TEST(a_hidden_file_is_refused),
    UNIT_TEST(what_is_no_file_or_no_revision_is_an_error),
    UNIT_TEST(properties_of_half_hidden_revisions_are_cut),
};

UNIT_MAIN(tests)
