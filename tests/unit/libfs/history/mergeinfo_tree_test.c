/* SPDX-License-Identifier: Apache-2.0 */
/* Proves mergeinfo in the tree, by transcripts of the stock libraries. */

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

static fs_error_t *note(void *baton, const char *path, apr_hash_t *mergeinfo,
                        apr_pool_t *scratch)
{
    const char *text = fs_mergeinfo_format(mergeinfo, scratch);

    fs_buffer_printf(baton, "mergeinfo %s: ", path);
    for (; *text; text++)
        fs_buffer_puts(baton, *text == '\n' ? " | "
                                            : apr_pstrmemdup(scratch, text, 1));
    fs_buffer_puts(baton, "\n");
    return NULL;
}

static fs_inheritance_t inheritance_named(const char *name)
{
    if (strcmp(name, "inherited") == 0)
        return FS_MERGEINFO_INHERITED;
    return strcmp(name, "explicit") == 0 ? FS_MERGEINFO_EXPLICIT
                                         : FS_MERGEINFO_NEAREST_ANCESTOR;
}

/* words: PATH "rev" REV INHERITANCE "descendants=N" */
static fs_error_t *answer(fs_buffer_t *out, fs_repo_t *repo,
                          const apr_array_header_t *words, apr_pool_t *pool)
{
    apr_array_header_t *paths = apr_array_make(pool, 1, sizeof(const char *));

    APR_ARRAY_PUSH(paths, const char *) = word(words, 0);
    return fs_mergeinfo_get(repo, apr_atoi64(word(words, 2)), paths,
                            inheritance_named(word(words, 3)),
                            strcmp(word(words, 4), "descendants=1") == 0, NULL,
                            note, out, pool);
}

static fs_repo_t *load(const char *name, apr_pool_t *pool)
{
    const char *dump = apr_pstrcat(pool, "tests/data/log-g/", name, NULL);

    return fs_test_open(fs_test_repo_load(dump, pool), false, pool);
}

static void answers_are_those_of_the_stock_libraries(void **state)
{
    static const char *const files[][2] = {
        { "mg1.dump", "../log-g/mg1-mergeinfo.txt" },
        { "mg2.dump", "../log-g/mg2-mergeinfo.txt" },
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

/* What is told about `paths` (split at blanks) in `rev`. */
static const char *ask(fs_repo_t *repo, const char *paths, fs_rev_t rev,
                       bool descendants, const fs_reader_t *reader,
                       apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(100, pool);
    apr_array_header_t *list = apr_array_make(pool, 2, sizeof(const char *));
    char *state = NULL;
    char *path = apr_strtok(apr_pstrdup(pool, paths), " ", &state);

    for (; path; path = apr_strtok(NULL, " ", &state))
        APR_ARRAY_PUSH(list, const char *) = path;
    assert_fs_ok(fs_mergeinfo_get(repo, rev, list, FS_MERGEINFO_INHERITED,
                                  descendants, reader, note, out, pool));
    fs_buffer_append(out, "", 1);
    return out->data;
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

static void hidden_paths_are_left_out(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);
    fs_reader_t reader = hiding("/branches", unit_pool(state));

    assert_string_equal(
        ask(repo, "/main /branches/b2 /branches/none", 16, false, &reader,
            pool),
        "mergeinfo /main: /branches/b1:2-12 | /branches/b2:10-11\n");
    assert_string_equal(
        ask(repo, "/", 16, true, &reader, pool),
        "mergeinfo /main: /branches/b1:2-12 | /branches/b2:10-11\n");
    reader = hiding("/branches/b2", pool);
    assert_string_equal(ask(repo, "/branches", 12, true, &reader, pool),
                        "mergeinfo /branches/b1: /branches/b2:10-11 | "
                        "/trunk:2-9\n");
}

static void minus_one_is_the_youngest_revision(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);

    assert_string_equal(ask(repo, "/branches/b2", -1, false, NULL, pool),
                        "mergeinfo /branches/b2: /branches/b1:2-8\n");
}

static void a_missing_path_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = load("mg1.dump", pool);
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const char *));

    APR_ARRAY_PUSH(list, const char *) = "/main/f/below-a-file";
    assert_fs_error_says(fs_mergeinfo_get(repo, 16, list,
                                          FS_MERGEINFO_INHERITED, false, NULL,
                                          note, NULL, pool),
                         FS_ERR_NOT_FOUND, "'/main/f/below-a-file'");
    assert_fs_error(fs_mergeinfo_get(repo, 17, list, FS_MERGEINFO_INHERITED,
                                     false, NULL, note, NULL, pool),
                    FS_ERR_NO_SUCH_REV);
}

static void formats_without_mergeinfo_say_so(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(
        fs_test_repo_load_as("tests/data/history/hist.dump", "1.4", pool),
        false, pool);
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const char *));

    assert_fs_error(fs_mergeinfo_get(repo, 1, list, FS_MERGEINFO_EXPLICIT,
                                     false, NULL, note, NULL, pool),
                    FS_ERR_UNSUPPORTED);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(answers_are_those_of_the_stock_libraries),
    UNIT_TEST(hidden_paths_are_left_out),
    UNIT_TEST(minus_one_is_the_youngest_revision),
    UNIT_TEST(a_missing_path_is_an_error),
    UNIT_TEST(formats_without_mergeinfo_say_so),
};

UNIT_MAIN(tests)
