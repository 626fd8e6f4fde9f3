/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the hooks around taking and releasing locks (fs_hook.h). */

#include <apr_strings.h>

#include "libfs/fs_hook.h"
#include "tests/support/hook_notes.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

#define TOKEN "opaquelocktoken:11111111-2222-3333-4444-555555555555"

/* A repository with the files /a and /b, and notes of what hooks were told. */
typedef struct stage_t {
    const char *path;
    const char *notes;
    fs_repo_t *repo;
    const char *post_error;
    fs_lock_outcome_t outcomes[2];
    apr_pool_t *pool;
} stage_t;

static stage_t set_stage(void **state)
{
    static const char *const actions[] = { "put",       "/dev/null", "a", "put",
                                           "/dev/null", "b",         NULL };
    stage_t stage;

    memset(&stage, 0, sizeof(stage));
    stage.pool = unit_pool(state);
    stage.path = fs_test_repo_load(NULL, stage.pool);
    stage.notes = fs_test_file("", 0, stage.pool);
    fs_test_repo_commit(stage.path, actions, stage.pool);
    assert_fs_ok(fs_repo_open(&stage.repo, stage.path, NULL, NULL, stage.pool));
    return stage;
}

static void put_hook(const stage_t *stage, const char *name, const char *end)
{
    fs_test_hook_noting(stage->path, name, stage->notes, end, stage->pool);
}

static void lock_both(stage_t *stage, const char *user, bool steal)
{
    fs_lock_wish_t wishes[2];

    memset(wishes, 0, sizeof(wishes));
    wishes[0].path = "/a";
    wishes[1].path = "/b";
    wishes[0].rev = wishes[1].rev = FS_INVALID_REV;
    wishes[0].steal = wishes[1].steal = steal;
    wishes[0].comment = "why not";
    wishes[1].token = steal ? NULL : TOKEN;
    assert_fs_ok(fs_hook_lock(stage->outcomes, &stage->post_error, stage->repo,
                              NULL, user, wishes, 2, stage->pool));
}

static void unlock_both(stage_t *stage, const char *user, bool force)
{
    fs_lock_release_t locks[2] = {
        { "/a", force ? NULL : stage->outcomes[0].lock->token },
        { "/b", force ? NULL : TOKEN },
    };

    assert_fs_ok(fs_hook_unlock(stage->outcomes, &stage->post_error,
                                stage->repo, NULL, user, locks, 2, force,
                                stage->pool));
}

static void assert_done(const stage_t *stage)
{
    assert_fs_ok(stage->outcomes[0].err);
    assert_fs_ok(stage->outcomes[1].err);
}

static void assert_owner(const stage_t *stage, const char *path,
                         const char *owner)
{
    const fs_lock_t *lock;

    assert_fs_ok(fs_lock_get(&lock, stage->repo, path, stage->pool));
    if (!owner) {
        assert_null(lock);
        return;
    }
    assert_non_null(lock);
    assert_string_equal(lock->owner, owner);
}

static void without_hooks_locks_are_taken_and_released(void **state)
{
    stage_t stage = set_stage(state);

    lock_both(&stage, "jo", false);
    assert_done(&stage);
    assert_null(stage.post_error);
    assert_string_equal(stage.outcomes[1].lock->token, TOKEN);
    assert_owner(&stage, "/a", "jo");
    unlock_both(&stage, "jo", false);
    assert_done(&stage);
    assert_owner(&stage, "/a", NULL);
    assert_owner(&stage, "/b", NULL);
}

static void hooks_are_told_of_each_path_before_and_of_all_after(void **state)
{
    stage_t stage = set_stage(state);
    const char *token;

    put_hook(&stage, "pre-lock", "exit 0");
    put_hook(&stage, "post-lock", "exit 0");
    put_hook(&stage, "pre-unlock", "exit 0");
    put_hook(&stage, "post-unlock", "exit 0");
    lock_both(&stage, "jo", false);
    assert_done(&stage);
    token = stage.outcomes[0].lock->token;
    unlock_both(&stage, "jo", false);
    assert_done(&stage);
    fs_test_hook_assert_notes(
        stage.notes, apr_psprintf(stage.pool,
                                  "pre-lock </a> <jo> <why not> <0> []\n"
                                  "pre-lock </b> <jo> <> <0> []\n"
                                  "post-lock <jo> [/a\n/b\n]\n"
                                  "pre-unlock </a> <jo> <%s> <0> []\n"
                                  "pre-unlock </b> <jo> <" TOKEN "> <0> []\n"
                                  "post-unlock <jo> [/a\n/b\n]\n",
                                  token));
}

static void stealing_and_breaking_are_told(void **state)
{
    stage_t stage = set_stage(state);

    lock_both(&stage, "jo", false);
    put_hook(&stage, "pre-lock", "exit 0");
    put_hook(&stage, "pre-unlock", "exit 0");
    put_hook(&stage, "post-unlock", "exit 0");
    lock_both(&stage, "flo", true);
    assert_done(&stage);
    assert_owner(&stage, "/a", "flo");
    unlock_both(&stage, NULL, true);
    assert_done(&stage);
    fs_test_hook_assert_notes(stage.notes,
                              "pre-lock </a> <flo> <why not> <1> []\n"
                              "pre-lock </b> <flo> <> <1> []\n"
                              "pre-unlock </a> <> <> <1> []\n"
                              "pre-unlock </b> <> <> <1> []\n"
                              "post-unlock <> [/a\n/b\n]\n");
}

static void a_refusal_concerns_its_path_alone(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "pre-lock", "test \"$2\" = /b", stage.pool);
    put_hook(&stage, "post-lock", "exit 0");
    lock_both(&stage, "jo", false);
    assert_fs_error_says(
        stage.outcomes[0].err, FS_ERR_HOOK_FAILED,
        "Lock blocked by pre-lock hook (exit code 1) with no output.");
    assert_fs_ok(stage.outcomes[1].err);
    assert_string_equal(stage.outcomes[1].lock->token, TOKEN);
    assert_owner(&stage, "/a", NULL);
    assert_owner(&stage, "/b", "jo");
    fs_test_hook_assert_notes(stage.notes, "post-lock <jo> [/b\n]\n");
}

static void a_refused_unlock_leaves_the_lock(void **state)
{
    stage_t stage = set_stage(state);

    lock_both(&stage, "jo", false);
    fs_test_hook(stage.path, "pre-unlock", "test \"$2\" = /b", stage.pool);
    unlock_both(&stage, "jo", false);
    assert_fs_error_says(
        stage.outcomes[0].err, FS_ERR_HOOK_FAILED,
        "Unlock blocked by pre-unlock hook (exit code 1) with no output.");
    assert_fs_ok(stage.outcomes[1].err);
    assert_owner(&stage, "/a", "jo");
    assert_owner(&stage, "/b", NULL);
}

static void post_hooks_do_not_run_when_nothing_was_done(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "pre-lock", "exit 1", stage.pool);
    put_hook(&stage, "post-lock", "exit 0");
    lock_both(&stage, "jo", false);
    assert_fs_error(stage.outcomes[0].err, FS_ERR_HOOK_FAILED);
    assert_fs_error(stage.outcomes[1].err, FS_ERR_HOOK_FAILED);
    fs_test_hook_assert_notes(stage.notes, "");
}

static void a_token_that_pre_lock_prints_is_the_lock_s(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "pre-lock", "printf 'opaquelocktoken:x'\"$2\"",
                 stage.pool);
    lock_both(&stage, "jo", false);
    assert_done(&stage);
    assert_string_equal(stage.outcomes[0].lock->token, "opaquelocktoken:x/a");
    assert_string_equal(stage.outcomes[1].lock->token, "opaquelocktoken:x/b");
}

static void a_printed_token_counts_as_printed(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "pre-lock",
                 "test \"$2\" = /a && echo 'opaquelocktoken:x' ||\n"
                 "printf 'opaquelocktoken:x\\000y'",
                 stage.pool);
    lock_both(&stage, "jo", false);
    assert_fs_error(stage.outcomes[0].err, FS_ERR_BAD_LOCK_TOKEN);
    assert_fs_error_says(stage.outcomes[1].err, FS_ERR_BAD_LOCK_TOKEN, "NUL");
    assert_owner(&stage, "/a", NULL);
}

static void without_a_user_no_hook_is_asked(void **state)
{
    stage_t stage = set_stage(state);

    put_hook(&stage, "pre-lock", "exit 0");
    lock_both(&stage, NULL, false);
    assert_fs_error(stage.outcomes[0].err, FS_ERR_NO_USER);
    assert_fs_error(stage.outcomes[1].err, FS_ERR_NO_USER);
    fs_test_hook_assert_notes(stage.notes, "");
}

static void late_failures_are_text_beside_the_outcomes(void **state)
{
    stage_t stage = set_stage(state);

    fs_test_hook(stage.path, "post-lock", "exit 4", stage.pool);
    fs_test_hook(stage.path, "post-unlock", "exit 5", stage.pool);
    lock_both(&stage, "jo", false);
    assert_done(&stage);
    assert_string_equal(stage.post_error,
                        "post-lock hook failed (exit code 4) with no output.");
    unlock_both(&stage, "jo", false);
    assert_done(&stage);
    assert_string_equal(
        stage.post_error,
        "post-unlock hook failed (exit code 5) with no output.");
    assert_owner(&stage, "/a", NULL);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(without_hooks_locks_are_taken_and_released),
    UNIT_TEST(hooks_are_told_of_each_path_before_and_of_all_after),
    UNIT_TEST(stealing_and_breaking_are_told),
    UNIT_TEST(a_refusal_concerns_its_path_alone),
    UNIT_TEST(a_refused_unlock_leaves_the_lock),
    UNIT_TEST(post_hooks_do_not_run_when_nothing_was_done),
    UNIT_TEST(a_token_that_pre_lock_prints_is_the_lock_s),
    UNIT_TEST(a_printed_token_counts_as_printed),
    UNIT_TEST(without_a_user_no_hook_is_asked),
    UNIT_TEST(late_failures_are_text_beside_the_outcomes),
};

UNIT_MAIN(tests)
