/* SPDX-License-Identifier: Apache-2.0 */
/* Update reports, comparisons and replays give the recorded calls. */

#include "libfs/fs_report.h"

#include <stdio.h>
#include <stdlib.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "tests/support/edit_log.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

#define HIST "tests/data/history/hist.dump"

/* A reader to whom one path, with all below it, is hidden. */
static fs_error_t *hides(bool *allowed, fs_rev_t rev, const char *path,
                         void *baton, apr_pool_t *scratch)
{
    const char *hidden = baton;
    size_t len = strlen(hidden);

    (void)rev;
    (void)scratch;
    *allowed = !(strncmp(path, hidden, len) == 0 &&
                 (path[len] == '\0' || path[len] == '/'));
    return NULL;
}

static fs_repo_t *open_hist(apr_pool_t *pool)
{
    fs_repo_t *repo;

    assert_fs_ok(
        fs_repo_open(&repo, fs_test_repo_load(HIST, pool), NULL, NULL, pool));
    return repo;
}

static fs_depth_t depth_of(const char *word)
{
    return strcmp(word, "unknown") == 0      ? FS_DEPTH_UNKNOWN
           : strcmp(word, "exclude") == 0    ? FS_DEPTH_EXCLUDE
           : strcmp(word, "empty") == 0      ? FS_DEPTH_EMPTY
           : strcmp(word, "files") == 0      ? FS_DEPTH_FILES
           : strcmp(word, "immediates") == 0 ? FS_DEPTH_IMMEDIATES
                                             : FS_DEPTH_INFINITY;
}

static const char *word_or_empty(const char *word)
{
    return strcmp(word, "\"\"") == 0 || strcmp(word, "-") == 0 ? "" : word;
}

static void log_error(edit_log_t *log, fs_error_t *err)
{
    if (err)
        edit_log_add(log, "ERROR E%d %s", (int)err->code, err->message);
    fs_error_clear(err);
}

/* A case file: what is asked for, then what the client has. */
typedef struct case_t {
    fs_report_options_t options;
    fs_report_t *report;
    fs_reader_t reader;
} case_t;

static fs_error_t *report_entry(case_t *c, char **words, int count)
{
    int link = strcmp(words[0], "link-path") == 0;
    const char *path = word_or_empty(words[1]);
    int at = link ? 3 : 2;
    fs_rev_t rev;
    fs_depth_t depth;
    bool empty;

    if (strcmp(words[0], "delete-path") == 0)
        return fs_report_delete_path(c->report, path);
    rev = atol(words[at]);
    depth = count > at + 1 ? depth_of(words[at + 1]) : FS_DEPTH_INFINITY;
    empty = count > at + 2 && strcmp(words[at + 2], "start_empty") == 0;
    if (link)
        return fs_report_link_path(c->report, path, words[2], rev, depth, empty,
                                   count > at + 3 ? words[at + 3] : NULL);
    return fs_report_set_path(c->report, path, rev, depth, empty,
                              count > at + 3 ? words[at + 3] : NULL);
}

static fs_error_t *run_line(case_t *c, edit_log_t *log, char **words, int count,
                            apr_pool_t *pool)
{
    const char *word = words[0];

    if (strcmp(word, "revision") == 0)
        c->options.target_rev = atol(words[1]);
    else if (strcmp(word, "anchor") == 0)
        c->options.anchor = word_or_empty(words[1]);
    else if (strcmp(word, "target") == 0)
        c->options.target = word_or_empty(words[1]);
    else if (strcmp(word, "switch") == 0)
        c->options.switch_path = words[1];
    else if (strcmp(word, "depth") == 0)
        c->options.depth = depth_of(words[1]);
    else if (strcmp(word, "ignore-ancestry") == 0)
        c->options.ignore_ancestry = true;
    else if (strcmp(word, "send-copyfrom") == 0)
        c->options.send_copyfrom = true;
    else if (strcmp(word, "no-text") == 0)
        c->options.text_deltas = false;
    else if (strcmp(word, "entry-props") == 0)
        log->all_entry_props = true;
    else if (strcmp(word, "hide") == 0)
        c->reader = (fs_reader_t){ hides, words[1] };
    else if (strcmp(word, "finish") == 0)
        return fs_report_finish(c->report, &c->options, &c->reader,
                                &edit_log_editor, log, pool);
    else
        return report_entry(c, words, count);
    return NULL;
}

static void run_case(fs_repo_t *repo, const char *name, apr_pool_t *pool)
{
    apr_array_header_t *lines = edit_log_read(
        fs_test_source(apr_pstrcat(pool, "tests/data/update-report/cases/",
                                   name, ".case", NULL),
                       pool),
        pool);
    case_t c = { 0 };
    edit_log_t log;
    fs_error_t *err;
    int i;

    edit_log_init(&log, pool);
    c.options.anchor = "/";
    c.options.target = "";
    c.options.text_deltas = true;
    c.options.depth = FS_DEPTH_UNKNOWN;
    err = fs_report_begin(&c.report, repo, pool);
    for (i = 0; !err && i < lines->nelts; i++) {
        char *words[8], *state;
        int count = 0;

        words[0] =
            apr_strtok(apr_pstrdup(pool, APR_ARRAY_IDX(lines, i, const char *)),
                       " ", &state);
        while (count < 7 && words[count])
            words[++count] = apr_strtok(NULL, " ", &state);
        err = run_line(&c, &log, words, count, pool);
    }
    log_error(&log, err);

    lines = edit_log_read(
        fs_test_source(apr_pstrcat(pool, "tests/data/update-report/expected/",
                                   name, ".txt", NULL),
                       pool),
        pool);
    edit_log_assert_same(name, lines, log.lines, false, pool);
}

/* Names of the files in a folder that end with `suffix`, without it. */
static apr_array_header_t *names_in(const char *folder, const char *suffix,
                                    apr_pool_t *pool)
{
    apr_array_header_t *names = apr_array_make(pool, 64, sizeof(const char *));
    size_t suffix_len = strlen(suffix);
    apr_finfo_t info;
    apr_dir_t *dir;

    assert_apr_ok(apr_dir_open(&dir, fs_test_source(folder, pool), pool));
    while (apr_dir_read(&info, APR_FINFO_NAME, dir) == APR_SUCCESS) {
        size_t len = strlen(info.name);

        if (len > suffix_len &&
            strcmp(info.name + len - suffix_len, suffix) == 0)
            APR_ARRAY_PUSH(names, const char *) =
                apr_pstrmemdup(pool, info.name, len - suffix_len);
    }
    apr_dir_close(dir);
    return names;
}

static void every_client_state_gets_the_recorded_edit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    apr_array_header_t *names =
        names_in("tests/data/update-report/cases", ".case", pool);
    int i;

    assert_int_equal(names->nelts, 40);
    for (i = 0; i < names->nelts; i++)
        run_case(repo, APR_ARRAY_IDX(names, i, const char *), pool);
}

static void every_pair_of_trees_gets_the_recorded_edit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    int i;

    for (i = 1; i <= 15; i++) {
        const char *file = fs_test_source(
            apr_psprintf(pool, "tests/data/dir-delta/%02d.txt", i), pool);
        long from_rev, to_rev, entry_props, ignore;
        char from[100], entry[100], to[100], depth[20];
        fs_dir_delta_options_t options = { 0 };
        fs_root_t *from_root, *to_root;
        edit_log_t log;
        FILE *in = fopen(file, "r");

        assert_non_null(in);
        assert_int_equal(fscanf(in,
                                "# dir-delta: src-rev src-parent src-entry "
                                "tgt-rev tgt-path depth entry-props "
                                "ignore-ancestry: %ld %99s %99s %ld %99s %19s "
                                "%ld %ld",
                                &from_rev, from, entry, &to_rev, to, depth,
                                &entry_props, &ignore),
                         8);
        fclose(in);
        edit_log_init(&log, pool);
        options.text_deltas = true;
        options.depth = depth_of(depth);
        options.entry_props = entry_props != 0;
        options.ignore_ancestry = ignore != 0;
        assert_fs_ok(fs_root_open(&from_root, repo, from_rev, pool));
        assert_fs_ok(fs_root_open(&to_root, repo, to_rev, pool));
        log_error(&log, fs_dir_delta(from_root, from, word_or_empty(entry),
                                     to_root, to, &options, NULL,
                                     &edit_log_editor, &log, pool));
        edit_log_assert_same(file, edit_log_read(file, pool), log.lines, false,
                             pool);
    }
}

typedef struct replay_case_t {
    const char *file;
    fs_rev_t rev;
    const char *base;
    fs_rev_t low;
    bool deltas;
    const char *hidden;
} replay_case_t;

static const replay_case_t replays[] = {
    { "r0", 0, "", -1, true, NULL },
    { "r1", 1, "", -1, true, NULL },
    { "r2", 2, "", -1, true, NULL },
    { "r3", 3, "", -1, true, NULL },
    { "r4", 4, "", -1, true, NULL },
    { "r5", 5, "", -1, true, NULL },
    { "r7", 7, "", -1, true, NULL },
    { "r9", 9, "", -1, true, NULL },
    { "r11", 11, "", -1, true, NULL },
    { "r3-base-branches", 3, "branches", -1, true, NULL },
    { "r9-base-trunk-C", 9, "trunk/C", -1, true, NULL },
    { "r3-low3", 3, "", 3, true, NULL },
    { "r5-nodeltas", 5, "", -1, false, NULL },
    { "r3-hide-trunk", 3, "", -1, true, "/trunk" },
    { "r5-hide-f", 5, "", -1, true, "/trunk/A/f" },
};

static void every_revision_replays_as_recorded(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    size_t i;

    for (i = 0; i < sizeof(replays) / sizeof(replays[0]); i++) {
        const replay_case_t *c = &replays[i];
        fs_replay_options_t options = { c->base, c->low, c->deltas };
        fs_reader_t reader = { c->hidden ? hides : NULL, (void *)c->hidden };
        const char *file = fs_test_source(
            apr_pstrcat(pool, "tests/data/replay/", c->file, ".txt", NULL),
            pool);
        fs_root_t *root;
        edit_log_t log;

        edit_log_init(&log, pool);
        assert_fs_ok(fs_root_open(&root, repo, c->rev, pool));
        log_error(&log, fs_replay(root, &options, &reader, &edit_log_editor,
                                  &log, pool));
        edit_log_assert_same(c->file, edit_log_read(file, pool), log.lines,
                             true, pool);
    }
}

/* More entries than fit into memory: the answer is the same. */
static void a_report_that_overflows_to_a_file_is_read_back(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    fs_report_options_t options = { 11,    "/trunk",         "",    NULL,
                                    false, FS_DEPTH_UNKNOWN, false, false };
    fs_report_t *report;
    edit_log_t log;
    char name[200];
    int i;

    edit_log_init(&log, pool);
    assert_fs_ok(fs_report_begin(&report, repo, pool));
    assert_fs_ok(
        fs_report_set_path(report, "", 11, FS_DEPTH_INFINITY, false, NULL));
    for (i = 0; i < 20000; i++) {
        snprintf(name, sizeof(name), "g%0150d", i);
        assert_fs_ok(fs_report_delete_path(report, name));
    }
    assert_fs_ok(fs_report_delete_path(report, "new"));
    assert_fs_ok(
        fs_report_finish(report, &options, NULL, &edit_log_editor, &log, pool));
    for (i = 0; i < log.lines->nelts; i++)
        if (strcmp(APR_ARRAY_IDX(log.lines, i, const char *), "add-file new") ==
            0)
            return;
    fail_msg("the last entry of the report was not heeded");
}

static void a_link_path_without_slash_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    fs_report_t *report;

    assert_fs_ok(fs_report_begin(&report, repo, pool));
    assert_fs_error(fs_report_link_path(report, "x", "trunk/A", 3,
                                        FS_DEPTH_INFINITY, false, NULL),
                    FS_ERR_BAD_REPORT);
}

static void a_target_in_the_future_is_refused_before_the_edit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_hist(pool);
    fs_report_options_t options = { 12,    "/trunk",         "",    NULL,
                                    false, FS_DEPTH_UNKNOWN, false, false };
    fs_report_t *report;
    edit_log_t log;

    edit_log_init(&log, pool);
    assert_fs_ok(fs_report_begin(&report, repo, pool));
    assert_fs_error_says(
        fs_report_finish(report, &options, NULL, &edit_log_editor, &log, pool),
        FS_ERR_NO_SUCH_REV, "the youngest is 11");
    assert_int_equal(log.lines->nelts, 0);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(every_client_state_gets_the_recorded_edit),
    UNIT_TEST(every_pair_of_trees_gets_the_recorded_edit),
    UNIT_TEST(every_revision_replays_as_recorded),
    UNIT_TEST(a_report_that_overflows_to_a_file_is_read_back),
    UNIT_TEST(a_link_path_without_slash_is_refused),
    UNIT_TEST(a_target_in_the_future_is_refused_before_the_edit),
};

UNIT_MAIN(tests)
