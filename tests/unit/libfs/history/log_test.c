/* SPDX-License-Identifier: Apache-2.0 */
/* Proves logs without merged revisions, by what the stock client prints. */

#include "tests/support/unit.h"

#include <stdio.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"
#include "tests/support/log_text.h"
#include "tests/support/repo.h"

#define YOUNGEST 11

/* ---- asking for logs ---- */

static const char *stock_log(const char *path, fs_rev_t peg, fs_rev_t start,
                             fs_rev_t end, int limit, bool strict,
                             apr_pool_t *pool)
{
    const char *output =
        apr_pstrcat(pool, fs_test_folder(pool), "/log.xml", NULL);
    const char *argv[12] = { "svn", "log", "--xml", "-v" };
    fs_buffer_t *out = fs_buffer_create(4096, pool);
    int argc = 4;

    argv[argc++] = apr_psprintf(pool, "-r%d:%d", (int)start, (int)end);
    if (limit)
        argv[argc++] = apr_psprintf(pool, "-l%d", limit);
    if (strict)
        argv[argc++] = "--stop-on-copy";
    argv[argc++] = apr_psprintf(pool, "file://%s%s@%d",
                                fs_repo_path(fs_test_hist()), path, (int)peg);
    fs_test_must_run(NULL, output, argv, pool);
    fs_test_log_xml_text(out, output, true, pool);
    return out->data;
}

static const char *log_text(const fs_log_options_t *options,
                            const fs_reader_t *reader, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(4096, pool);

    assert_fs_ok(fs_test_log_text(out, fs_test_hist(), options, reader, pool));
    return out->data;
}

static const char *our_log(const char *paths, fs_rev_t start, fs_rev_t end,
                           int limit, bool strict, apr_pool_t *pool)
{
    fs_log_options_t *options = fs_test_log_options(paths, start, end, pool);

    options->limit = limit;
    options->strict = strict;
    return log_text(options, NULL, pool);
}

/* All paths of `rev`, by the stock tools; array of `const char *`. */
static apr_array_header_t *paths_in(fs_rev_t rev, apr_pool_t *pool)
{
    const char *output = apr_pstrcat(pool, fs_test_folder(pool), "/tree", NULL);
    const char *argv[] = { "svnlook",
                           "tree",
                           "--full-paths",
                           "-r",
                           apr_psprintf(pool, "%d", (int)rev),
                           fs_repo_path(fs_test_hist()),
                           NULL };
    apr_array_header_t *paths = apr_array_make(pool, 20, sizeof(const char *));
    char line[300];
    FILE *file;

    fs_test_must_run(NULL, output, argv, pool);
    file = fopen(output, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        APR_ARRAY_PUSH(paths, const char *) =
            fs_path_canonical(apr_pstrcat(pool, "/", line, NULL), pool);
    }
    fclose(file);
    return paths;
}

/* Hides one path and what is below. */
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

/* ---- which revisions, in which order ---- */

/* The variants of a log of a path in revision N that are tried in turn. */
static void compare_variant(int variant, const char *path, fs_rev_t n,
                            apr_pool_t *pool)
{
    static const struct {
        int limit;
        bool upwards, strict, half;
    } variants[] = {
        { 0, false, false, false }, { 0, false, true, false },
        { 0, true, false, false },  { 2, true, false, false },
        { 2, false, false, false }, { 0, false, false, true },
        { 1, true, true, true },
    };
    int which = variant % 7;
    fs_rev_t low = variants[which].half ? n / 2 : 0;
    fs_rev_t start = variants[which].upwards ? low : n;
    fs_rev_t end = variants[which].upwards ? n : low;
    int limit = variants[which].limit;
    bool strict = variants[which].strict;
    const char *want = stock_log(path, n, start, end, limit, strict, pool);
    const char *got = our_log(path, start, end, limit, strict, pool);

    if (strcmp(want, got) != 0)
        fail_msg("%s from %d to %d, limit %d%s: found\n%s\nexpected\n%s", path,
                 (int)start, (int)end, limit, strict ? ", strict" : "", got,
                 want);
}

static void logs_of_all_paths_are_those_of_the_stock_client(void **state)
{
    apr_pool_t *iter;
    fs_rev_t rev;
    int compared = 0;

    apr_pool_create(&iter, unit_pool(state));
    for (rev = 1; rev <= YOUNGEST; rev++) {
        apr_array_header_t *paths = paths_in(rev, unit_pool(state));
        int i;

        for (i = 0; i < paths->nelts; i++) {
            apr_pool_clear(iter);
            compare_variant(i + (int)rev, APR_ARRAY_IDX(paths, i, const char *),
                            rev, iter);
            compared++;
        }
    }
    assert_true(compared > 90);
}

/* Only the numbers of what is told. */
static fs_error_t *note_number(void *baton, const fs_log_entry_t *entry,
                               apr_pool_t *scratch)
{
    (void)scratch;
    fs_buffer_printf(baton, "%" FS_REV_FMT " ", entry->rev);
    return NULL;
}

static const char *numbers(const char *paths, fs_rev_t start, fs_rev_t end,
                           int limit, bool strict, apr_pool_t *pool)
{
    fs_log_options_t *options = fs_test_log_options(paths, start, end, pool);
    fs_buffer_t *out = fs_buffer_create(64, pool);
    const fs_log_receiver_t receiver = { NULL, note_number, out };

    options->changed_paths = false;
    options->limit = limit;
    options->strict = strict;
    assert_fs_ok(fs_log(fs_test_hist(), options, NULL, &receiver, pool));
    fs_buffer_append(out, "", 1);
    return out->data;
}

static void no_path_and_the_root_mean_every_revision(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(numbers("", -1, 0, 0, false, pool),
                        "11 10 9 8 7 6 5 4 3 2 1 0 ");
    assert_string_equal(numbers("/", 7, 4, 0, true, pool), "7 6 5 4 ");
    assert_string_equal(numbers("/", 9, -1, 0, false, pool), "9 10 11 ");
    assert_string_equal(numbers("/", 2, 9, 3, false, pool), "2 3 4 ");
    assert_string_equal(numbers("", 5, 5, 0, false, pool), "5 ");
}

static void several_paths_are_one_log(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(
        numbers("/trunk/A/f2 /branches/b1/A/f", 11, 0, 0, false, pool),
        "11 5 4 3 2 1 ");
    assert_string_equal(
        numbers("/trunk/A/f2 /branches/b1/A/f", 0, 11, 3, false, pool),
        "1 2 3 ");
    assert_string_equal(numbers("/ /trunk", 11, 9, 0, false, pool), "11 10 9 ");
    assert_string_equal(
        numbers("/trunk/C /trunk/C /branches/b1", 11, 1, 2, true, pool),
        "11 9 ");
}

static void more_paths_than_stay_open_give_the_same(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *paths = "/branches/b1/A/f";
    int i;

    for (i = 0; i < 150; i++)
        paths = apr_pstrcat(pool, paths,
                            i % 2 ? " /trunk/A/f2" : " /branches/b1/A/f", NULL);
    assert_string_equal(
        numbers(paths, 11, 0, 0, false, pool),
        numbers("/trunk/A/f2 /branches/b1/A/f", 11, 0, 0, false, pool));
    assert_string_equal(
        numbers(paths, 11, 0, 0, true, pool),
        numbers("/trunk/A/f2 /branches/b1/A/f", 11, 0, 0, true, pool));
}

/* Format 1 does not record the kinds of changed nodes. */
static void kinds_that_were_not_recorded_are_looked_up(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path =
        fs_test_repo_load_as("tests/data/history/hist.dump", "1.3", pool);
    fs_buffer_t *out = fs_buffer_create(4096, pool);

    assert_fs_ok(fs_test_log_text(out, fs_test_open(path, false, pool),
                                  fs_test_log_options("/", 11, 0, pool), NULL,
                                  pool));
    assert_string_equal(out->data, our_log("/", 11, 0, 0, false, pool));
    assert_non_null(strstr(out->data, "/trunk/B R file text"));
    assert_null(strstr(out->data, "unknown"));
}

/* ---- errors ---- */

static void assert_log_fails(const fs_log_options_t *options,
                             const fs_reader_t *reader, fs_error_code_t code,
                             apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(64, pool);

    assert_fs_error(
        fs_test_log_text(out, fs_test_hist(), options, reader, pool), code);
    assert_int_equal(out->len, 0);
}

static void bad_arguments_are_found_before_anything_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t no_trunk = hiding("/trunk/A", pool);
    fs_reader_t nothing = hiding("/", pool);

    assert_log_fails(fs_test_log_options("/trunk", 12, 1, pool), NULL,
                     FS_ERR_NO_SUCH_REV, pool);
    assert_log_fails(fs_test_log_options("/trunk", 1, 12, pool), NULL,
                     FS_ERR_NO_SUCH_REV, pool);
    assert_log_fails(fs_test_log_options("/trunk", 1, -2, pool), NULL,
                     FS_ERR_NO_SUCH_REV, pool);
    assert_log_fails(fs_test_log_options("/trunk /none", 11, 1, pool), NULL,
                     FS_ERR_NOT_FOUND, pool);
    assert_log_fails(fs_test_log_options("/trunk /trunk/A", 11, 1, pool),
                     &no_trunk, FS_ERR_UNREADABLE, pool);
    assert_log_fails(fs_test_log_options("/trunk/A/none", 11, 1, pool),
                     &no_trunk, FS_ERR_UNREADABLE, pool);
    assert_log_fails(fs_test_log_options("/", 11, 1, pool), &nothing,
                     FS_ERR_UNREADABLE, pool);
    assert_log_fails(fs_test_log_options("", 1, 11, pool), &nothing,
                     FS_ERR_UNREADABLE, pool);
}

static fs_error_t *give_up(void *baton, const fs_log_entry_t *entry,
                           apr_pool_t *scratch)
{
    (void)entry;
    (void)scratch;
    if (++*(int *)baton < 3)
        return NULL;
    return FS_ERROR(FS_ERR_CANCELLED, "had enough");
}

static void an_error_of_the_receiver_ends_the_log(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    int calls = 0;
    const fs_log_receiver_t receiver = { NULL, give_up, &calls };
    fs_log_options_t *options = fs_test_log_options("/trunk", 11, 1, pool);

    options->changed_paths = false;
    assert_fs_error(fs_log(fs_test_hist(), options, NULL, &receiver, pool),
                    FS_ERR_CANCELLED);
    assert_int_equal(calls, 3);
}

/* ---- properties ---- */

static void properties_by_name_are_all_that_is_given(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_log_options_t *options = fs_test_log_options("/trunk", 2, 2, pool);
    apr_array_header_t *names = apr_array_make(pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(names, const char *) = "svn:author";
    APR_ARRAY_PUSH(names, const char *) = "no-such-property";
    options->all_revprops = false;
    options->changed_paths = false;
    options->revprops = names;
    assert_string_equal(log_text(options, NULL, pool), "r2\n author: bob\n");
    options->revprops = NULL;
    assert_string_equal(log_text(options, NULL, pool), "r2\n");
}

/* ---- what a reader may not see ---- */

static void hidden_paths_are_left_out_and_the_message_with_them(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t reader = hiding("/trunk/g", pool);

    assert_string_equal(
        log_text(fs_test_log_options("/branches", 4, 4, pool), &reader, pool),
        "r4\n author: bob\n date: 2024-01-05T12:00:00.000004Z\n"
        "  /branches/b1/A/f M file text\n"
        "  /trunk/new A file text\n");
}

static void author_and_date_are_shown_if_they_are_asked_for(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t reader = hiding("/trunk/g", pool);
    fs_log_options_t *options = fs_test_log_options("/", 4, 4, pool);
    apr_array_header_t *names = apr_array_make(pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(names, const char *) = "svn:log";
    APR_ARRAY_PUSH(names, const char *) = "svn:date";
    options->all_revprops = false;
    options->changed_paths = false;
    options->revprops = names;
    assert_string_equal(log_text(options, &reader, pool),
                        "r4\n date: 2024-01-05T12:00:00.000004Z\n");
}

static void a_hidden_copy_source_is_taken_away_and_counts_as_hidden(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t reader = hiding("/trunk", pool);

    assert_string_equal(
        log_text(fs_test_log_options("/branches", 3, 3, pool), &reader, pool),
        "r3\n author: ann\n date: 2024-01-04T12:00:00.000003Z\n"
        "  /branches/b1 A dir\n");
}

static void of_a_hidden_revision_the_number_alone_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t reader = hiding("/trunk", pool);

    assert_string_equal(
        log_text(fs_test_log_options("/", 7, 6, pool), &reader, pool),
        "r7\nr6\n");
}

static void a_history_ends_before_a_hidden_location(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_reader_t reader = hiding("/trunk", pool);
    fs_log_options_t *options =
        fs_test_log_options("/branches/b1/A/f", 11, 0, pool);
    const char *text = log_text(options, &reader, pool);

    assert_non_null(strstr(text, "r4\n"));
    assert_non_null(strstr(text, "r3\n"));
    assert_null(strstr(text, "r2\n"));
    assert_null(strstr(text, "r1\n"));
}

static fs_error_t *count(bool *allowed, fs_rev_t rev, const char *path,
                         void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    assert_int_equal(path[0], '/');
    ++*(int *)baton;
    *allowed = true;
    return NULL;
}

static void each_path_is_asked_about_once_if_all_are_readable(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    int calls = 0;
    const fs_reader_t reader = { count, &calls };
    fs_log_options_t *options = fs_test_log_options("/", 7, 7, pool);

    /* The root; a path and its copy source in r7. */
    assert_string_equal(log_text(options, &reader, pool),
                        our_log("/", 7, 7, 0, false, pool));
    assert_int_equal(calls, 3);
}

static void without_access_function_nothing_of_the_tree_is_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load("tests/data/history/hist.dump", pool);
    fs_repo_t *repo = fs_test_open(path, false, pool);
    const char *revs = apr_pstrcat(pool, path, "/db/revs/0", NULL);
    fs_log_options_t *options = fs_test_log_options("/", 11, 0, pool);
    fs_buffer_t *out = fs_buffer_create(100, pool);
    const fs_log_receiver_t receiver = { NULL, note_number, out };
    int rev;

    /* All but the youngest, by which a repository is known. */
    for (rev = 0; rev < 11; rev++)
        assert_apr_ok(
            apr_file_remove(apr_psprintf(pool, "%s/%d", revs, rev), pool));
    options->changed_paths = false;
    assert_fs_ok(fs_log(repo, options, NULL, &receiver, pool));
    fs_buffer_append(out, "", 1);
    assert_string_equal(out->data, "11 10 9 8 7 6 5 4 3 2 1 0 ");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(logs_of_all_paths_are_those_of_the_stock_client),
    UNIT_TEST(no_path_and_the_root_mean_every_revision),
    UNIT_TEST(several_paths_are_one_log),
    UNIT_TEST(more_paths_than_stay_open_give_the_same),
    UNIT_TEST(kinds_that_were_not_recorded_are_looked_up),
    UNIT_TEST(bad_arguments_are_found_before_anything_is_told),
    UNIT_TEST(an_error_of_the_receiver_ends_the_log),
    UNIT_TEST(properties_by_name_are_all_that_is_given),
    UNIT_TEST(hidden_paths_are_left_out_and_the_message_with_them),
    UNIT_TEST(author_and_date_are_shown_if_they_are_asked_for),
    UNIT_TEST(a_hidden_copy_source_is_taken_away_and_counts_as_hidden),
    UNIT_TEST(of_a_hidden_revision_the_number_alone_is_told),
    UNIT_TEST(a_history_ends_before_a_hidden_location),
    UNIT_TEST(each_path_is_asked_about_once_if_all_are_readable),
    UNIT_TEST(without_access_function_nothing_of_the_tree_is_read),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
