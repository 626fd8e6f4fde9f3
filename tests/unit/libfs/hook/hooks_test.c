/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/hook/hooks.h: texts as the stock server has them. */

#include "libfs/hook/hooks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/hook_notes.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

/* A repository whose hooks are about to be run. */
typedef struct stage_t {
    const char *path;
    fs_hooks_t hooks;
    apr_pool_t *pool;
} stage_t;

static stage_t set_stage(const fs_hook_config_t *config, void **state)
{
    stage_t stage;
    fs_repo_t *repo;

    stage.pool = unit_pool(state);
    stage.path = fs_test_repo_load(NULL, stage.pool);
    assert_fs_ok(fs_repo_open(&repo, stage.path, NULL, NULL, stage.pool));
    assert_fs_ok(fs_hooks_init(&stage.hooks, repo, config, stage.pool));
    return stage;
}

static const char *hook_path(const stage_t *stage, const char *name)
{
    return apr_pstrcat(stage->pool, stage->path, "/hooks/", name, NULL);
}

static void put_hook(const stage_t *stage, const char *name, const char *lines)
{
    fs_test_hook(stage->path, name, lines, stage->pool);
}

static fs_error_t *find_and_run(stage_t *stage, fs_hook_id_t id)
{
    const char *args[] = { "1", NULL };
    bool found;

    FS_TRY(fs_hooks_find(&found, &stage->hooks, id));
    assert_true(found);
    return fs_hooks_run(&stage->hooks, id, args, NULL, NULL);
}

/* The message must be all of `text`. */
static void assert_refusal(fs_error_t *err, const char *text)
{
    assert_non_null(err);
    assert_int_equal(err->code, FS_ERR_HOOK_FAILED);
    assert_string_equal(err->message, text);
    fs_error_clear(err);
}

static void without_the_file_there_is_no_hook(void **state)
{
    stage_t stage = set_stage(NULL, state);
    bool found = true;

    assert_fs_ok(fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_COMMIT));
    assert_false(found);
    assert_int_equal(mkdir(hook_path(&stage, "pre-commit"), 0755), 0);
    assert_fs_ok(fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_COMMIT));
    assert_false(found);
}

static void a_link_to_nowhere_is_refused_without_the_folder(void **state)
{
    stage_t stage = set_stage(NULL, state);
    bool found;

    assert_int_equal(symlink("nowhere", hook_path(&stage, "pre-commit")), 0);
    assert_refusal(fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_COMMIT),
                   "Failed to run 'pre-commit' hook; broken symlink");
    assert_int_equal(symlink("/tmp", hook_path(&stage, "pre-lock")), 0);
    assert_refusal(fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_LOCK),
                   "Failed to run 'pre-lock' hook; broken symlink");
}

static void a_link_to_a_program_is_a_hook(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "real", "exit 0");
    assert_int_equal(symlink("real", hook_path(&stage, "pre-commit")), 0);
    assert_fs_ok(find_and_run(&stage, FS_HOOK_PRE_COMMIT));
}

static void each_hook_has_its_words(void **state)
{
    static const struct {
        fs_hook_id_t id;
        const char *name;
        const char *text;
    } rows[] = {
        { FS_HOOK_START_COMMIT, "start-commit",
          "Commit blocked by start-commit hook (exit code 3)" },
        { FS_HOOK_PRE_COMMIT, "pre-commit",
          "Commit blocked by pre-commit hook (exit code 3)" },
        { FS_HOOK_POST_COMMIT, "post-commit",
          "post-commit hook failed (exit code 3)" },
        { FS_HOOK_PRE_REVPROP_CHANGE, "pre-revprop-change",
          "Revprop change blocked by pre-revprop-change hook (exit code 3)" },
        { FS_HOOK_POST_REVPROP_CHANGE, "post-revprop-change",
          "post-revprop-change hook failed (exit code 3)" },
        { FS_HOOK_PRE_LOCK, "pre-lock",
          "Lock blocked by pre-lock hook (exit code 3)" },
        { FS_HOOK_POST_LOCK, "post-lock",
          "post-lock hook failed (exit code 3)" },
        { FS_HOOK_PRE_UNLOCK, "pre-unlock",
          "Unlock blocked by pre-unlock hook (exit code 3)" },
        { FS_HOOK_POST_UNLOCK, "post-unlock",
          "post-unlock hook failed (exit code 3)" },
    };
    stage_t stage = set_stage(NULL, state);
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_hook(&stage, rows[i].name, "echo 'a <&> b' >&2; echo c; exit 3");
        assert_refusal(find_and_run(&stage, rows[i].id),
                       apr_pstrcat(stage.pool, rows[i].text,
                                   " with output:\na <&> b\n", NULL));
        put_hook(&stage, rows[i].name, "exit 3");
        assert_refusal(
            find_and_run(&stage, rows[i].id),
            apr_pstrcat(stage.pool, rows[i].text, " with no output.", NULL));
    }
}

static void a_death_by_a_signal_is_told(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "pre-commit", "kill -9 $$");
    assert_refusal(find_and_run(&stage, FS_HOOK_PRE_COMMIT),
                   "'pre-commit' hook failed (did not exit cleanly: "
                   "apr_exit_why_e was 2, exitcode was 9).   with no output.");
    put_hook(&stage, "pre-commit", "echo x >&2; kill -15 $$");
    assert_refusal(find_and_run(&stage, FS_HOOK_PRE_COMMIT),
                   "'pre-commit' hook failed (did not exit cleanly: "
                   "apr_exit_why_e was 2, exitcode was 15).   with output:\n"
                   "x\n");
}

static void what_cannot_be_started_counts_as_255(void **state)
{
    stage_t stage = set_stage(NULL, state);

    fs_test_hook_file(hook_path(&stage, "pre-commit"), "#!/bin/sh\n", 0644);
    assert_refusal(
        find_and_run(&stage, FS_HOOK_PRE_COMMIT),
        "Commit blocked by pre-commit hook (exit code 255) with output:\n"
        "the hook could not be started: it, or its interpreter '/bin/sh', "
        "is not executable");
    fs_test_hook_file(hook_path(&stage, "pre-commit"), "#! /no/s\xe9x -e\n",
                      0755);
    assert_refusal(
        find_and_run(&stage, FS_HOOK_PRE_COMMIT),
        "Commit blocked by pre-commit hook (exit code 255) with output:\n"
        "the hook could not be started: there is no interpreter "
        "'/no/s?\\233x'");
    fs_test_hook_file(hook_path(&stage, "post-commit"), "exit 0\n", 0755);
    assert_refusal(
        find_and_run(&stage, FS_HOOK_POST_COMMIT),
        "post-commit hook failed (exit code 255) with output:\n"
        "the hook could not be started: it is no program, and its first line "
        "names no interpreter");
}

static void odd_bytes_are_written_as_numbers(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "pre-commit",
             "printf 'a\\303\\251\\t\\351\\001\\000b\\357\\277\\277\\r\\n' >&2;"
             "exit 1");
    assert_refusal(find_and_run(&stage, FS_HOOK_PRE_COMMIT),
                   "Commit blocked by pre-commit hook (exit code 1) with "
                   "output:\n"
                   "a\xc3\xa9\t?\\233?\\001?\\000b?\\239?\\191?\\191\r\n");
}

static void long_output_is_cut_between_characters(void **state)
{
    fs_hook_config_t config = { NULL, 0, 6 };
    stage_t stage = set_stage(&config, state);

    put_hook(&stage, "pre-commit", "printf '12345\\303\\251789' >&2; exit 1");
    assert_refusal(find_and_run(&stage, FS_HOOK_PRE_COMMIT),
                   "Commit blocked by pre-commit hook (exit code 1) with "
                   "output:\n12345\n[4 more bytes]\n");
    put_hook(&stage, "pre-commit", "printf '1234\\303\\251789' >&2; exit 1");
    assert_refusal(find_and_run(&stage, FS_HOOK_PRE_COMMIT),
                   "Commit blocked by pre-commit hook (exit code 1) with "
                   "output:\n1234\xc3\xa9\n[3 more bytes]\n");
}

static void sixty_four_kib_are_kept_unless_said(void **state)
{
    stage_t stage = set_stage(NULL, state);
    fs_error_t *err;

    put_hook(&stage, "pre-commit",
             "/usr/bin/head -c 300000 /dev/zero | /usr/bin/tr '\\0' x >&2;"
             "exit 1");
    err = find_and_run(&stage, FS_HOOK_PRE_COMMIT);
    assert_non_null(err);
    assert_non_null(strstr(err->message, "xxx\n[234464 more bytes]\n"));
    assert_true(strlen(err->message) < 65536 + 200);
    fs_error_clear(err);
}

static void a_hook_that_takes_too_long_is_ended(void **state)
{
    fs_hook_config_t config = { NULL, apr_time_from_msec(300), 0 };
    stage_t stage = set_stage(&config, state);

    put_hook(&stage, "pre-commit", "echo begun >&2; /bin/sleep 100");
    assert_refusal(
        find_and_run(&stage, FS_HOOK_PRE_COMMIT),
        "'pre-commit' hook failed (it was ended after 0.3 seconds) with "
        "output:\nbegun\n");
}

static void with_code_0_what_it_wrote_is_nobody_s_concern(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "pre-commit", "echo noise >&2; exit 0");
    assert_fs_ok(find_and_run(&stage, FS_HOOK_PRE_COMMIT));
}

/* What a hook prints that prints its arguments and variable A. */
static const char *printed(stage_t *stage)
{
    const char *args[] = { "/a b", "", "1", NULL };
    fs_bytes_t output;
    bool found;

    assert_fs_ok(fs_hooks_find(&found, &stage->hooks, FS_HOOK_PRE_LOCK));
    assert_fs_ok(
        fs_hooks_run(&stage->hooks, FS_HOOK_PRE_LOCK, args, NULL, &output));
    return apr_pstrmemdup(stage->pool, output.data, output.len);
}

static void a_hook_gets_the_folder_and_its_arguments(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "pre-lock",
             "for i in \"$0\" \"$@\" \"$A\"; do "
             "echo \"<$i>\"; done");
    assert_string_equal(
        printed(&stage),
        apr_pstrcat(stage.pool, "<", hook_path(&stage, "pre-lock"), ">\n<",
                    stage.path, ">\n</a b>\n<>\n<1>\n<>\n", NULL));
}

static void the_folder_is_absolute_and_has_no_slash_at_its_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo;
    fs_hooks_t hooks;

    assert_fs_ok(fs_repo_open(&repo, apr_pstrcat(pool, "/", path, "//", NULL),
                              NULL, NULL, pool));
    assert_fs_ok(fs_hooks_init(&hooks, repo, NULL, pool));
    assert_string_equal(hooks.folder, path);
}

static void the_environment_is_that_of_the_file(void **state)
{
    stage_t stage = set_stage(NULL, state);

    put_hook(&stage, "pre-lock", "echo \"$A\"");
    fs_test_hook_file(
        apr_pstrcat(stage.pool, stage.path, "/conf/hooks-env", NULL),
        "[default]\nA=it\n", 0644);
    assert_string_equal(printed(&stage), "it\n");
}

static void the_file_of_the_environment_can_be_another(void **state)
{
    fs_hook_config_t config = { "more/env", 0, 0 };
    stage_t stage = set_stage(&config, state);

    put_hook(&stage, "pre-lock", "echo \"$A\"");
    assert_int_equal(
        mkdir(apr_pstrcat(stage.pool, stage.path, "/conf/more", NULL), 0755),
        0);
    fs_test_hook_file(
        apr_pstrcat(stage.pool, stage.path, "/conf/more/env", NULL),
        "[pre-lock]\nA=other\n", 0644);
    assert_string_equal(printed(&stage), "other\n");
    stage.hooks.env = NULL;
    stage.hooks.config.env_file =
        fs_test_file("[default]\nA=absolute\n", 21, stage.pool);
    assert_string_equal(printed(&stage), "absolute\n");
}

static void a_malformed_environment_shows_before_anything_is_run(void **state)
{
    stage_t stage = set_stage(NULL, state);
    bool found;

    fs_test_hook_file(
        apr_pstrcat(stage.pool, stage.path, "/conf/hooks-env", NULL), "A=1\n",
        0644);
    assert_fs_ok(fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_COMMIT));
    put_hook(&stage, "pre-commit", "exit 0");
    assert_fs_error_says(
        fs_hooks_find(&found, &stage.hooks, FS_HOOK_PRE_COMMIT),
        FS_ERR_BAD_CONFIG, "hooks-env line 1: a section has to come first");
}

static void a_late_failure_becomes_text_without_paths(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_null(fs_hooks_late(NULL, FS_HOOK_POST_COMMIT, pool));
    assert_string_equal(fs_hooks_late(FS_ERROR(FS_ERR_HOOK_FAILED, "as it is"),
                                      FS_HOOK_POST_COMMIT, pool),
                        "as it is");
    assert_string_equal(
        fs_hooks_late(FS_ERROR_APR(APR_EACCES, "cannot open '/srv/x'"),
                      FS_HOOK_POST_LOCK, pool),
        "post-lock hook failed: it could not be run");
    assert_string_equal(
        fs_hooks_late(FS_ERROR(FS_ERR_BAD_CONFIG, "hooks-env line 2: x"),
                      FS_HOOK_POST_COMMIT, pool),
        "post-commit hook failed: hooks-env line 2: x");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(without_the_file_there_is_no_hook),
    UNIT_TEST(a_link_to_nowhere_is_refused_without_the_folder),
    UNIT_TEST(a_link_to_a_program_is_a_hook),
    UNIT_TEST(each_hook_has_its_words),
    UNIT_TEST(a_death_by_a_signal_is_told),
    UNIT_TEST(what_cannot_be_started_counts_as_255),
    UNIT_TEST(odd_bytes_are_written_as_numbers),
    UNIT_TEST(long_output_is_cut_between_characters),
    UNIT_TEST(sixty_four_kib_are_kept_unless_said),
    UNIT_TEST(a_hook_that_takes_too_long_is_ended),
    UNIT_TEST(with_code_0_what_it_wrote_is_nobody_s_concern),
    UNIT_TEST(a_hook_gets_the_folder_and_its_arguments),
    UNIT_TEST(the_folder_is_absolute_and_has_no_slash_at_its_end),
    UNIT_TEST(the_environment_is_that_of_the_file),
    UNIT_TEST(the_file_of_the_environment_can_be_another),
    UNIT_TEST(a_malformed_environment_shows_before_anything_is_run),
    UNIT_TEST(a_late_failure_becomes_text_without_paths),
};

UNIT_MAIN(tests)
