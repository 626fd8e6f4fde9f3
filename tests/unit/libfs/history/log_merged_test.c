/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves logs with merged revisions, by what stock servers sent. Only changed
 * paths are not compared with that: they send those of an entry that they leave
 * out along with the next entry.
 */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"
#include "tests/support/log_text.h"
#include "tests/support/repo.h"

/* One recorded log; `repo` is an index of `repos`. */
typedef struct recorded_t {
    const char *name;
    int repo;
    const char *paths;
    fs_rev_t start;
    fs_rev_t end;
    int limit;
    bool strict;
    bool merged;
} recorded_t;

static const recorded_t recorded[] = {
    { "mg1-trunk-g", 0, "/main", 16, 0, 0, false, true },
    { "mg1-trunk-g-asc", 0, "/main", 1, 16, 0, false, true },
    { "mg1-trunk-g-limit2", 0, "/main", 16, 0, 2, false, true },
    { "mg1-f-g", 0, "/main/f", 16, 0, 0, false, true },
    { "mg1-h-g", 0, "/main/h", 16, 0, 0, false, true },
    { "mg1-b2-g", 0, "/branches/b2", 16, 0, 0, false, true },
    { "mg1-root-g", 0, "/", 16, 0, 0, false, true },
    { "mg1-range-g", 0, "/trunk", 13, 9, 0, false, true },
    { "mg1-two-g", 0, "/main/f /main/g", 16, 0, 0, false, true },
    { "mg1-nog", 0, "/main", 16, 0, 0, false, false },
    { "mg1-stop", 0, "/main", 16, 0, 0, true, false },
    { "mg1-stop-g", 0, "/main", 16, 0, 0, true, true },
    { "mg1-b1-peg", 0, "/branches/b1", 12, 0, 0, false, false },
    { "mg1-b1-peg-g", 0, "/branches/b1", 13, 0, 0, false, true },
    { "mg2-sub-g", 1, "/trunk/sub", 17, 0, 0, false, true },
    { "mg2-sub-r9-g", 1, "/trunk/sub", 9, 0, 0, false, true },
    { "mg2-m-g", 1, "/trunk/m", 17, 0, 0, false, true },
    { "mg2-b2-g", 1, "/branches/b2", 17, 0, 0, false, true },
    { "mg2-r7", 1, "/trunk", 7, 7, 0, false, true },
    { "mg2-r6", 1, "/trunk", 6, 6, 0, false, true },
    { "mg2-r10", 1, "/trunk", 10, 10, 0, false, true },
    { "mg2-r11", 1, "/trunk", 11, 11, 0, false, true },
    { "mg2-r8", 1, "/trunk", 8, 8, 0, false, true },
    { "mg2-r16", 1, "/trunk", 16, 16, 0, false, true },
    { "mg2-trunk-g-16", 1, "/trunk", 16, 1, 0, false, true },
    { "mg2-trunk-g-16-asc", 1, "/trunk", 1, 16, 0, false, true },
    { "mg3-main-g", 2, "/main", 8, 0, 0, false, true },
    { "mg3-main-g-asc", 2, "/main", 1, 8, 0, false, true },
    { "mg3-b2-g", 2, "/branches/b2", 8, 0, 0, false, true },
    { "mg3-f-g", 2, "/main/f", 8, 0, 0, false, true },
};

static apr_pool_t *group_pool;
static fs_repo_t *repos[3];

static int make_repos(void **state)
{
    int i;

    if (unit_group_setup(state) ||
        apr_pool_create(&group_pool, NULL) != APR_SUCCESS)
        return -1;
    for (i = 0; i < 3; i++)
        repos[i] = fs_test_open(
            fs_test_repo_load(
                apr_psprintf(group_pool, "tests/data/log-g/mg%d.dump", i + 1),
                group_pool),
            i == 0, group_pool);
    return 0;
}

static int drop_repos(void **state)
{
    apr_pool_destroy(group_pool);
    return unit_group_teardown(state);
}

static const char *expected_text(const char *name, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(4096, pool);

    fs_test_log_xml_text(
        out,
        fs_test_source(
            apr_pstrcat(pool, "tests/data/log-g/", name, ".xml", NULL), pool),
        false, pool);
    return out->data;
}

static const char *log_text(const recorded_t *row, const fs_reader_t *reader,
                            apr_pool_t *pool)
{
    fs_log_options_t *options =
        fs_test_log_options(row->paths, row->start, row->end, pool);
    fs_buffer_t *out = fs_buffer_create(4096, pool);

    options->changed_paths = false;
    options->limit = row->limit;
    options->strict = row->strict;
    options->merged_revisions = row->merged;
    assert_fs_ok(
        fs_test_log_text(out, repos[row->repo], options, reader, pool));
    return out->data;
}

/* Everything may be read, but somebody is asked. */
static fs_error_t *allow(bool *allowed, fs_rev_t rev, const char *path,
                         void *baton, apr_pool_t *scratch)
{
    (void)scratch;
    assert_true(rev >= 0);
    assert_true(fs_path_is_canonical(path));
    (*(int *)baton)++;
    *allowed = true;
    return NULL;
}

/* Show where two texts begin to differ. */
static void fail_at_difference(const char *name, const char *got,
                               const char *want)
{
    size_t at = 0;

    while (got[at] && got[at] == want[at])
        at++;
    while (at > 0 && got[at - 1] != '\n')
        at--;
    fail_msg("%s: found\n%.400s\nexpected\n%.400s", name, got + at, want + at);
}

static void compare_all(const fs_reader_t *reader, void **state)
{
    size_t i;

    for (i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        const char *want = expected_text(recorded[i].name, unit_pool(state));
        const char *got = log_text(&recorded[i], reader, unit_pool(state));

        if (strcmp(want, got) != 0)
            fail_at_difference(recorded[i].name, got, want);
    }
}

static void logs_are_nested_as_stock_servers_nest_them(void **state)
{
    compare_all(NULL, state);
}

/* Format 3 has mergeinfo, but does not record which change touched it. */
static void an_old_format_gives_the_same(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *present[3];
    int i;

    memcpy(present, repos, sizeof(repos));
    for (i = 0; i < 3; i++)
        repos[i] = fs_test_open(
            fs_test_repo_load_as(
                apr_psprintf(pool, "tests/data/log-g/mg%d.dump", i + 1), "1.5",
                pool),
            false, pool);
    compare_all(NULL, state);
    memcpy(repos, present, sizeof(repos));
}

static void an_access_function_that_allows_all_changes_nothing(void **state)
{
    int calls = 0;
    const fs_reader_t reader = { allow, &calls };

    compare_all(&reader, state);
    assert_true(calls > 0);
}

/* The changed paths of each revision, noted first and then compared with. */
typedef struct by_rev_t {
    fs_buffer_t *paths; /* of the next entry */
    const char *noted[20];
    int compared;
    bool noting;
    apr_pool_t *pool;
} by_rev_t;

static fs_error_t *add_path(void *baton, const fs_change_t *change,
                            apr_pool_t *scratch)
{
    by_rev_t *by_rev = baton;

    (void)scratch;
    fs_buffer_printf(by_rev->paths, "%c %s\n", (char)change->action,
                     change->path);
    return NULL;
}

static fs_error_t *note_or_compare(void *baton, const fs_log_entry_t *entry,
                                   apr_pool_t *scratch)
{
    by_rev_t *by_rev = baton;
    const char *paths =
        apr_pstrmemdup(by_rev->pool, by_rev->paths->data, by_rev->paths->len);

    (void)scratch;
    by_rev->paths->len = 0;
    if (entry->rev == FS_INVALID_REV) {
        assert_string_equal(paths, "");
        return NULL;
    }
    if (by_rev->noting) {
        by_rev->noted[entry->rev] = paths;
    } else {
        assert_string_equal(paths, by_rev->noted[entry->rev]);
        by_rev->compared++;
    }
    return NULL;
}

static void each_entry_comes_with_the_paths_of_its_own_revision(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    by_rev_t by_rev = { fs_buffer_create(100, pool), { NULL }, 0, true, pool };
    const fs_log_receiver_t receiver = { add_path, note_or_compare, &by_rev };
    fs_log_options_t *options = fs_test_log_options("/", -1, 0, pool);

    assert_fs_ok(fs_log(repos[0], options, NULL, &receiver, pool));
    by_rev.noting = false;
    options = fs_test_log_options("/main", -1, 0, pool);
    options->merged_revisions = true;
    assert_fs_ok(fs_log(repos[0], options, NULL, &receiver, pool));
    assert_int_equal(by_rev.compared, 15);
}

static void several_ranges_are_several_logs(void **state)
{
    const recorded_t upper = { "", 1, "/trunk", 16, 14, 0, false, true };
    const recorded_t lower = { "", 1, "/trunk", 7, 5, 0, false, true };
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(apr_pstrcat(pool, log_text(&upper, NULL, pool),
                                    log_text(&lower, NULL, pool), NULL),
                        expected_text("mg2-ranges", pool));
}

static void revisions_go_without_properties_when_none_are_asked(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_log_options_t *options = fs_test_log_options("/trunk", 16, 1, pool);
    fs_buffer_t *out = fs_buffer_create(4096, pool);

    options->changed_paths = false;
    options->merged_revisions = true;
    options->all_revprops = false;
    assert_fs_ok(fs_test_log_text(out, repos[1], options, NULL, pool));
    assert_string_equal(out->data, expected_text("mg2-noprops", pool));
}

static void mergeinfo_of_later_revisions_is_cut(void **state)
{
    const recorded_t row = { "", 1, "/trunk", 17, 1, 0, false, true };
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(
        log_text(&row, NULL, pool),
        apr_pstrcat(pool,
                    "r17\n author: ann\n date: 2024-02-18T08:00:00.000000Z\n"
                    " message: r17 mergeinfo of future revisions\n",
                    expected_text("mg2-trunk-g-16", pool), NULL));
}

static void mergeinfo_of_later_revisions_is_cut_oldest_first(void **state)
{
    const recorded_t row = { "", 1, "/trunk", 1, 17, 0, false, true };
    apr_pool_t *pool = unit_pool(state);
    const char *text = log_text(&row, NULL, pool);
    const char *before = expected_text("mg2-trunk-g-16-asc", pool);

    assert_memory_equal(text, before, strlen(before));
    assert_string_equal(
        text + strlen(before),
        "r17\n author: ann\n date: 2024-02-18T08:00:00.000000Z\n"
        " message: r17 mergeinfo of future revisions\n");
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

static void a_hidden_merge_source_is_not_searched(void **state)
{
    const fs_reader_t reader = hiding("/branches", unit_pool(state));
    const recorded_t row = { "", 0, "/main", 16, 14, 0, false, true };
    const recorded_t trunk = { "", 0, "/trunk", 6, 6, 0, false, true };
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(
        log_text(&row, &reader, pool),
        "r15\n author: ann\n date: 2024-02-16T08:00:00.000000Z\n"
        " message: r15 edit main/g\n"
        "r14\n author: ann\n date: 2024-02-15T08:00:00.000000Z\n"
        " message: r14 rename trunk to main\n");
    assert_string_equal(log_text(&trunk, &reader, pool),
                        "r6\n author: ann\n date: 2024-02-07T08:00:00.000000Z\n"
                        " message: r6 merge b1 to trunk\n");
}

static void a_hidden_target_is_refused_before_anything_is_told(void **state)
{
    const fs_reader_t reader = hiding("/main/f", unit_pool(state));
    apr_pool_t *pool = unit_pool(state);
    fs_log_options_t *options =
        fs_test_log_options("/main/g /main/f", 16, 1, pool);
    fs_buffer_t *out = fs_buffer_create(64, pool);

    options->merged_revisions = true;
    assert_fs_error(fs_test_log_text(out, repos[0], options, &reader, pool),
                    FS_ERR_UNREADABLE);
    assert_int_equal(out->len, 0);
}

/* How often each revision was told, and how many ends. */
typedef struct tally_t {
    int told[8];
    int ends;
} tally_t;

static fs_error_t *tally(void *baton, const fs_log_entry_t *entry,
                         apr_pool_t *scratch)
{
    tally_t *t = baton;

    (void)scratch;
    if (entry->rev == FS_INVALID_REV)
        t->ends++;
    else
        t->told[entry->rev]++;
    return NULL;
}

/* Two folders whose mergeinfo names each other's later revisions: what stock
 * servers search for ever, oldest first. */
static void merges_in_a_circle_come_to_an_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(
        fs_test_repo_load("tests/data/log-g/cycle.dump", pool), false, pool);
    int upwards;

    for (upwards = 0; upwards < 2; upwards++) {
        tally_t t = { { 0 }, 0 };
        const fs_log_receiver_t receiver = { NULL, tally, &t };
        fs_log_options_t *options =
            fs_test_log_options("/a", upwards ? 1 : 7, upwards ? 7 : 1, pool);
        int rev;

        options->changed_paths = false;
        options->merged_revisions = true;
        assert_fs_ok(fs_log(repo, options, NULL, &receiver, pool));
        for (rev = 1; rev <= 7; rev++)
            assert_int_equal(t.told[rev], rev == 1 ? 2 : 1);
        assert_true(t.ends >= 4 && t.ends < 1100);
    }
}

static void no_path_means_the_root_also_with_merged_revisions(void **state)
{
    const recorded_t row = { "", 0, "", 16, 0, 0, false, true };
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(log_text(&row, NULL, pool),
                        expected_text("mg1-root-g", pool));
}

static void formats_without_mergeinfo_refuse_merged_revisions(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_open(
        fs_test_repo_load_as("tests/data/history/hist.dump", "1.4", pool),
        false, pool);
    fs_log_options_t *options = fs_test_log_options("/trunk", 11, 1, pool);

    options->merged_revisions = true;
    assert_fs_error(
        fs_test_log_text(fs_buffer_create(64, pool), repo, options, NULL, pool),
        FS_ERR_UNSUPPORTED);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(logs_are_nested_as_stock_servers_nest_them),
    UNIT_TEST(an_old_format_gives_the_same),
    UNIT_TEST(an_access_function_that_allows_all_changes_nothing),
    UNIT_TEST(each_entry_comes_with_the_paths_of_its_own_revision),
    UNIT_TEST(several_ranges_are_several_logs),
    UNIT_TEST(revisions_go_without_properties_when_none_are_asked),
    UNIT_TEST(mergeinfo_of_later_revisions_is_cut),
    UNIT_TEST(mergeinfo_of_later_revisions_is_cut_oldest_first),
    UNIT_TEST(a_hidden_merge_source_is_not_searched),
    UNIT_TEST(a_hidden_target_is_refused_before_anything_is_told),
    UNIT_TEST(merges_in_a_circle_come_to_an_end),
    UNIT_TEST(no_path_means_the_root_also_with_merged_revisions),
    UNIT_TEST(formats_without_mergeinfo_refuse_merged_revisions),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, make_repos, drop_repos);
}
