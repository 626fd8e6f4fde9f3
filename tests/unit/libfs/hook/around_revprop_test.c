/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the hooks around a change of a revision property (fs_hook.h). */

#include "libfs/fs_hook.h"
#include "tests/support/hook_notes.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

/* A repository with one revision, the log message "old", and a note of what
 * hooks were told. */
typedef struct stage_t {
    const char *path;
    const char *notes;
    fs_repo_t *repo;
    apr_pool_t *pool;
} stage_t;

static void put_hook(const stage_t *stage, const char *name, const char *end)
{
    fs_test_hook_noting(stage->path, name, stage->notes, end, stage->pool);
}

static stage_t set_stage(void **state)
{
    static const char *const actions[] = { "propset", "x", "y", "", NULL };
    stage_t stage;

    stage.pool = unit_pool(state);
    stage.path = fs_test_repo_load(NULL, stage.pool);
    stage.notes = fs_test_file("", 0, stage.pool);
    fs_test_repo_commit(stage.path, actions, stage.pool);
    assert_fs_ok(fs_repo_open(&stage.repo, stage.path, NULL, NULL, stage.pool));
    return stage;
}

static fs_bytes_t bytes(const char *text)
{
    fs_bytes_t value = { text, strlen(text) };

    return value;
}

static void assert_value(const stage_t *stage, const char *expected)
{
    const fs_bytes_t *value;

    assert_fs_ok(
        fs_repo_revprop(&value, stage->repo, 1, "p", stage->pool, stage->pool));
    if (!expected) {
        assert_null(value);
        return;
    }
    assert_non_null(value);
    assert_bytes_equal(value->data, value->len, expected, strlen(expected));
}

static fs_error_t *set(const stage_t *stage, const char *name, const char *text,
                       bool *changed)
{
    fs_bytes_t value = bytes(text ? text : "");
    fs_hook_revprop_t change = { 1,     "jo", name, text ? &value : NULL,
                                 false, NULL };

    return fs_hook_change_revprop(changed, stage->repo, NULL, &change,
                                  stage->pool);
}

static void both_hooks_are_told_what_happens(void **state)
{
    stage_t stage = set_stage(state);
    bool changed = false;

    put_hook(&stage, "pre-revprop-change", "exit 0");
    put_hook(&stage, "post-revprop-change", "exit 0");
    assert_fs_ok(set(&stage, "p", "one", &changed));
    assert_true(changed);
    assert_value(&stage, "one");
    assert_fs_ok(set(&stage, "p", "two", &changed));
    assert_value(&stage, "two");
    assert_fs_ok(set(&stage, "p", NULL, &changed));
    assert_value(&stage, NULL);
    fs_test_hook_assert_notes(stage.notes,
                              "pre-revprop-change <1> <jo> <p> <A> [one]\n"
                              "post-revprop-change <1> <jo> <p> <A> []\n"
                              "pre-revprop-change <1> <jo> <p> <M> [two]\n"
                              "post-revprop-change <1> <jo> <p> <M> [one]\n"
                              "pre-revprop-change <1> <jo> <p> <D> []\n"
                              "post-revprop-change <1> <jo> <p> <D> [two]\n");
}

static void without_the_pre_hook_nothing_is_changed(void **state)
{
    stage_t stage = set_stage(state);
    bool changed = true;

    assert_fs_error_says(set(&stage, "p", "x", &changed), FS_ERR_HOOK_DISABLED,
                         "pre-revprop-change hook");
    assert_false(changed);
    assert_value(&stage, NULL);
}

static void a_refusal_leaves_the_value(void **state)
{
    stage_t stage = set_stage(state);
    bool changed = true;

    put_hook(&stage, "pre-revprop-change", "echo no >&2; exit 1");
    assert_fs_error_says(set(&stage, "p", "x", &changed), FS_ERR_HOOK_FAILED,
                         "Revprop change blocked by pre-revprop-change hook "
                         "(exit code 1) with output:\nno\n");
    assert_false(changed);
    assert_value(&stage, NULL);
}

static void a_failing_post_hook_does_not_take_the_change_back(void **state)
{
    stage_t stage = set_stage(state);
    bool changed = false;

    put_hook(&stage, "pre-revprop-change", "exit 0");
    put_hook(&stage, "post-revprop-change", "exit 2");
    assert_fs_error_says(set(&stage, "p", "x", &changed), FS_ERR_HOOK_FAILED,
                         "post-revprop-change hook failed (exit code 2)");
    assert_true(changed);
    assert_value(&stage, "x");
}

static void rules_are_checked_before_any_hook(void **state)
{
    stage_t stage = set_stage(state);
    bool changed = true;

    put_hook(&stage, "pre-revprop-change", "exit 0");
    assert_fs_error(set(&stage, "svn:log", "a\rb", &changed),
                    FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_error(set(&stage, "svn:wc:x", "a", &changed), FS_ERR_BAD_ARGS);
    assert_false(changed);
    fs_test_hook_assert_notes(stage.notes, "");
}

static void a_revision_that_is_not_there_is_told_before_any_hook(void **state)
{
    stage_t stage = set_stage(state);
    fs_bytes_t value = bytes("x"), claim = bytes("y");
    fs_hook_revprop_t change = { 2, "jo", "p", &value, true, &claim };
    bool changed = true;

    put_hook(&stage, "pre-revprop-change", "exit 0");
    assert_fs_error(
        fs_hook_change_revprop(&changed, stage.repo, NULL, &change, stage.pool),
        FS_ERR_NO_SUCH_REV);
    assert_false(changed);
    fs_test_hook_assert_notes(stage.notes, "");
}

static void a_claim_is_told_to_the_hook_and_then_checked(void **state)
{
    stage_t stage = set_stage(state);
    fs_bytes_t value = bytes("x"), claim = bytes("y");
    fs_hook_revprop_t change = { 1, NULL, "p", &value, true, &claim };
    bool changed = true;

    put_hook(&stage, "pre-revprop-change", "exit 0");
    put_hook(&stage, "post-revprop-change", "exit 0");
    assert_fs_error(
        fs_hook_change_revprop(&changed, stage.repo, NULL, &change, stage.pool),
        FS_ERR_PROP_CHANGED);
    assert_false(changed);
    change.expected = NULL;
    assert_fs_ok(fs_hook_change_revprop(&changed, stage.repo, NULL, &change,
                                        stage.pool));
    assert_true(changed);
    assert_value(&stage, "x");
    fs_test_hook_assert_notes(stage.notes,
                              "pre-revprop-change <1> <> <p> <M> [x]\n"
                              "pre-revprop-change <1> <> <p> <A> [x]\n"
                              "post-revprop-change <1> <> <p> <A> []\n");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(both_hooks_are_told_what_happens),
    UNIT_TEST(without_the_pre_hook_nothing_is_changed),
    UNIT_TEST(a_refusal_leaves_the_value),
    UNIT_TEST(a_failing_post_hook_does_not_take_the_change_back),
    UNIT_TEST(rules_are_checked_before_any_hook),
    UNIT_TEST(a_revision_that_is_not_there_is_told_before_any_hook),
    UNIT_TEST(a_claim_is_told_to_the_hook_and_then_checked),
};

UNIT_MAIN(tests)
