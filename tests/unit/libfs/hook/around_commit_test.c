/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the hooks around a commit (fs_hook.h). */

#include <unistd.h>

#include <apr_strings.h>

#include "libfs/fs_hook.h"
#include "tests/support/hook_notes.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

/* A repository without revisions, a transaction in it that makes "/d", and
 * notes of what hooks were told. */
typedef struct stage_t {
    const char *path;
    const char *notes;
    fs_repo_t *repo;
    fs_txn_t *txn;
    const char *name;
    apr_pool_t *pool;
} stage_t;

static stage_t set_stage(void **state)
{
    fs_bytes_t log = { "message", 7 };
    apr_hash_t *props;
    stage_t stage;

    stage.pool = unit_pool(state);
    stage.path = fs_test_repo_load(NULL, stage.pool);
    stage.notes = fs_test_file("", 0, stage.pool);
    props = apr_hash_make(stage.pool);
    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING, &log);
    assert_fs_ok(fs_repo_open(&stage.repo, stage.path, NULL, NULL, stage.pool));
    assert_fs_ok(fs_txn_begin(&stage.txn, stage.repo, 0, props, stage.pool));
    assert_fs_ok(fs_txn_make_dir(stage.txn, "/d", stage.pool));
    stage.name = apr_pstrdup(stage.pool, fs_txn_name(stage.txn));
    return stage;
}

static void put_hook(const stage_t *stage, const char *name, const char *end)
{
    fs_test_hook_noting(stage->path, name, stage->notes, end, stage->pool);
}

static fs_error_t *commit(stage_t *stage, fs_hook_commit_t *done,
                          apr_hash_t *tokens)
{
    return fs_hook_commit(done, stage->txn, NULL, tokens, stage->pool);
}

static const char *log_of(const stage_t *stage, fs_rev_t rev)
{
    const fs_bytes_t *value;

    assert_fs_ok(fs_repo_revprop(&value, stage->repo, rev, "svn:log",
                                 stage->pool, stage->pool));
    return apr_pstrmemdup(stage->pool, value->data, value->len);
}

static void without_hooks_it_is_a_commit(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    assert_fs_ok(fs_hook_start_commit(stage.txn, NULL, NULL, NULL, stage.pool));
    assert_fs_ok(commit(&stage, &done, NULL));
    assert_int_equal(done.rev, 1);
    assert_null(done.post_error);
    assert_string_equal(log_of(&stage, 1), "message");
}

static void the_three_hooks_are_told_of_the_commit(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    put_hook(&stage, "start-commit", "exit 0");
    put_hook(&stage, "pre-commit", "exit 0");
    put_hook(&stage, "post-commit", "exit 0");
    assert_fs_ok(
        fs_hook_start_commit(stage.txn, NULL, "jo", "mergeinfo", stage.pool));
    assert_fs_ok(commit(&stage, &done, NULL));
    fs_test_hook_assert_notes(
        stage.notes,
        apr_psprintf(stage.pool,
                     "start-commit <jo> <mergeinfo> <%s> []\n"
                     "pre-commit <%s> []\npost-commit <1> <%s> []\n",
                     stage.name, stage.name, stage.name));
}

static void an_unknown_user_is_an_empty_word(void **state)
{
    stage_t stage = set_stage(state);

    put_hook(&stage, "start-commit", "exit 0");
    assert_fs_ok(fs_hook_start_commit(stage.txn, NULL, NULL, NULL, stage.pool));
    fs_test_hook_assert_notes(
        stage.notes,
        apr_psprintf(stage.pool, "start-commit <> <> <%s> []\n", stage.name));
}

static void lock_tokens_are_read_by_pre_commit(void **state)
{
    stage_t stage = set_stage(state);
    apr_hash_t *tokens = apr_hash_make(stage.pool);
    fs_hook_commit_t done;

    put_hook(&stage, "pre-commit", "exit 0");
    apr_hash_set(tokens, "opaquelocktoken:2", APR_HASH_KEY_STRING,
                 "/caf\xc3\xa9 !\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~");
    apr_hash_set(tokens, "opaquelocktoken:3", APR_HASH_KEY_STRING, "/b");
    apr_hash_set(tokens, "opaquelocktoken:1", APR_HASH_KEY_STRING, "");
    assert_fs_ok(commit(&stage, &done, tokens));
    fs_test_hook_assert_notes(
        stage.notes,
        apr_psprintf(stage.pool,
                     "pre-commit <%s> [LOCK-TOKENS:\n|opaquelocktoken:1\n"
                     "/b|opaquelocktoken:3\n"
                     "/caf\xc3\xa9%%20!%%22#$%%&'()*+,-.:;%%3C=%%3E?@["
                     "%%5C]%%5E_%%60%%7B%%7C%%7D~|opaquelocktoken:2\n\n]\n",
                     stage.name));
}

static void no_tokens_are_no_text(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    put_hook(&stage, "pre-commit", "exit 0");
    assert_fs_ok(commit(&stage, &done, apr_hash_make(stage.pool)));
    fs_test_hook_assert_notes(
        stage.notes,
        apr_psprintf(stage.pool, "pre-commit <%s> []\n", stage.name));
}

static void a_refused_start_leaves_the_transaction_to_be_aborted(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "start-commit", "exit 1", stage.pool);
    assert_fs_error_says(
        fs_hook_start_commit(stage.txn, NULL, "jo", "", stage.pool),
        FS_ERR_HOOK_FAILED,
        "Commit blocked by start-commit hook (exit code 1) with no output.");
    fs_txn_close(stage.txn);
    assert_fs_ok(fs_txn_abort(stage.repo, stage.name, stage.pool));
}

static void a_refused_commit_makes_no_revision(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;
    fs_rev_t youngest;

    fs_test_hook(stage.path, "pre-commit", "echo no >&2; exit 1", stage.pool);
    put_hook(&stage, "post-commit", "exit 0");
    assert_fs_error_says(commit(&stage, &done, NULL), FS_ERR_HOOK_FAILED,
                         "Commit blocked by pre-commit hook (exit code 1) with "
                         "output:\nno\n");
    assert_fs_ok(fs_repo_youngest(&youngest, stage.repo, stage.pool));
    assert_int_equal(youngest, 0);
    fs_test_hook_assert_notes(stage.notes, "");
    fs_txn_close(stage.txn);
    assert_fs_ok(fs_txn_abort(stage.repo, stage.name, stage.pool));
}

static void a_late_failure_is_text_beside_the_revision(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    fs_test_hook(stage.path, "post-commit", "echo late >&2; exit 1",
                 stage.pool);
    assert_fs_ok(commit(&stage, &done, NULL));
    assert_int_equal(done.rev, 1);
    assert_string_equal(
        done.post_error,
        "post-commit hook failed (exit code 1) with output:\nlate\n");
}

static void a_link_to_nowhere_after_a_commit_is_text_as_well(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    assert_int_equal(
        symlink("nowhere", apr_pstrcat(stage.pool, stage.path,
                                       "/hooks/post-commit", NULL)),
        0);
    assert_fs_ok(commit(&stage, &done, NULL));
    assert_string_equal(done.post_error,
                        "Failed to run 'post-commit' hook; broken symlink");
}

static void a_malformed_environment_refuses_the_commit(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    put_hook(&stage, "post-commit", "exit 0");
    fs_test_hook_file(
        apr_pstrcat(stage.pool, stage.path, "/conf/hooks-env", NULL), "x\n",
        0644);
    assert_fs_error(commit(&stage, &done, NULL), FS_ERR_BAD_CONFIG);
    assert_int_equal(done.rev, FS_INVALID_REV);
    fs_test_hook_assert_notes(stage.notes, "");
}

static void stock_tools_see_the_transaction_in_a_hook(void **state)
{
    stage_t stage = set_stage(state);
    fs_hook_commit_t done;

    fs_test_hook(stage.path, "pre-commit",
                 apr_pstrcat(stage.pool, "exec >> ", stage.notes, " 2>&1\n",
                             "PATH=/usr/local/bin:/usr/bin:/bin\n"
                             "svnlook changed -t \"$2\" \"$1\" &&\n"
                             "svnlook log -t \"$2\" \"$1\"",
                             NULL),
                 stage.pool);
    assert_fs_ok(commit(&stage, &done, NULL));
    fs_test_hook_assert_notes(stage.notes, "A   d/\nmessage\n");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(without_hooks_it_is_a_commit),
    UNIT_TEST(the_three_hooks_are_told_of_the_commit),
    UNIT_TEST(an_unknown_user_is_an_empty_word),
    UNIT_TEST(lock_tokens_are_read_by_pre_commit),
    UNIT_TEST(no_tokens_are_no_text),
    UNIT_TEST(a_refused_start_leaves_the_transaction_to_be_aborted),
    UNIT_TEST(a_refused_commit_makes_no_revision),
    UNIT_TEST(a_late_failure_is_text_beside_the_revision),
    UNIT_TEST(a_link_to_nowhere_after_a_commit_is_text_as_well),
    UNIT_TEST(a_malformed_environment_refuses_the_commit),
    UNIT_TEST(stock_tools_see_the_transaction_in_a_hook),
};

UNIT_MAIN(tests)
