/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the half of libfs/fs_lock.h that changes locks. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "libfs/fs_tree.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

/* A repository with the files /trunk/g, /trunk/A/f2 and /trunk/C/f2. */
static fs_repo_t *make_repo(apr_pool_t *pool)
{
    const char *folder = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *argv[] = { "cp", "-a", fs_repo_path(fs_test_hist()), folder,
                           NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
    return fs_test_open(folder, false, pool);
}

static fs_lock_wish_t wish_for(const char *path)
{
    const fs_lock_wish_t wish = { .path = path, .rev = FS_INVALID_REV };

    return wish;
}

/* Take one lock; its own error. */
static fs_error_t *take(const fs_lock_t **lock, fs_repo_t *repo,
                        const char *user, const fs_lock_wish_t *wish,
                        apr_pool_t *pool)
{
    fs_lock_outcome_t outcome;

    assert_fs_ok(fs_lock_take(&outcome, repo, user, wish, 1, pool));
    if (lock)
        *lock = outcome.lock;
    if (outcome.err)
        assert_null(outcome.lock);
    return outcome.err;
}

static fs_error_t *release(fs_repo_t *repo, const char *user, const char *path,
                           const char *token, bool force, apr_pool_t *pool)
{
    const fs_lock_release_t what = { path, token };
    fs_lock_outcome_t outcome;

    assert_fs_ok(fs_lock_release(&outcome, repo, user, &what, 1, force, pool));
    return outcome.err;
}

static const fs_lock_t *lock_of(fs_repo_t *repo, const char *path,
                                apr_pool_t *pool)
{
    const fs_lock_t *lock;

    assert_fs_ok(fs_lock_get(&lock, repo, path, pool));
    return lock;
}

/* ---- taking ---- */

static void a_lock_is_taken_with_a_token_of_its_own(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    const fs_lock_t *told;
    const fs_lock_t *found;

    wish.comment = "mine <now>\n";
    assert_fs_ok(take(&told, repo, "ann", &wish, pool));
    found = lock_of(repo, "/trunk/g", pool);
    assert_non_null(found);
    assert_string_equal(found->path, "/trunk/g");
    assert_string_equal(found->owner, "ann");
    assert_string_equal(found->comment, "mine <now>\n");
    assert_false(found->is_dav_comment);
    assert_int_equal(found->expires, 0);
    assert_string_equal(found->token, told->token);
    assert_int_equal(strlen(found->token), strlen("opaquelocktoken:") + 36);
    assert_memory_equal(found->token, "opaquelocktoken:", 16);
    assert_true(found->created == told->created);
    assert_true(found->created > apr_time_now() - apr_time_from_sec(60));
}

static void what_the_caller_wants_is_kept(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    apr_time_t later = apr_time_now() + apr_time_from_sec(1000);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    const fs_lock_t *found;

    wish.token = "opaquelocktoken:whatever";
    wish.comment = "<D:owner xmlns:D=\"DAV:\">x</D:owner>";
    wish.is_dav_comment = true;
    wish.expires = later;
    assert_fs_ok(take(NULL, repo, "bob", &wish, pool));
    found = lock_of(repo, "/trunk/g", pool);
    assert_non_null(found);
    assert_string_equal(found->token, "opaquelocktoken:whatever");
    assert_string_equal(found->comment, wish.comment);
    assert_true(found->is_dav_comment);
    assert_true(found->expires == later);
}

static void an_empty_comment_is_one(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t none = wish_for("/trunk/g");
    fs_lock_wish_t empty = wish_for("/trunk/A/f2");

    empty.comment = "";
    assert_fs_ok(take(NULL, repo, "ann", &none, pool));
    assert_fs_ok(take(NULL, repo, "ann", &empty, pool));
    assert_null(lock_of(repo, "/trunk/g", pool)->comment);
    assert_string_equal(lock_of(repo, "/trunk/A/f2", pool)->comment, "");
}

static void nobody_takes_no_lock(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_lock_wish_t wish = wish_for("/trunk");

    wish.comment = "\001"; /* comes later */
    assert_fs_error_says(take(NULL, make_repo(pool), NULL, &wish, pool),
                         FS_ERR_NO_USER, "/trunk");
}

static void a_comment_is_one_that_xml_can_hold(void **state)
{
    static const char *const bad[] = { "a\001b", "a\177", "\303\050x", NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    int i;

    for (i = 0; bad[i]; i++) {
        wish.comment = bad[i];
        wish.token = "none"; /* comes later */
        assert_fs_error(take(NULL, repo, "ann", &wish, pool),
                        FS_ERR_XML_UNSAFE);
    }
    wish.token = NULL;
    wish.comment = "tab\tlf\ncr\r\303\244<&>";
    assert_fs_ok(take(NULL, repo, "ann", &wish, pool));
}

static void a_token_is_one(void **state)
{
    static const char *const bad[] = { "", "none", "opaquelocktoken:a\nb",
                                       "opaquelocktoken:\303\274", NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    int i;

    wish.expires = -1; /* comes later */
    for (i = 0; bad[i]; i++) {
        wish.token = bad[i];
        assert_fs_error(take(NULL, repo, "ann", &wish, pool),
                        FS_ERR_BAD_LOCK_TOKEN);
    }
}

static void a_lock_does_not_expire_before_time_began(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_lock_wish_t wish = wish_for("/trunk");

    wish.expires = -1;
    assert_fs_error(take(NULL, make_repo(pool), "ann", &wish, pool),
                    FS_ERR_BAD_ARGS);
}

static void only_files_are_locked(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk");

    wish.rev = 1000; /* comes later */
    assert_fs_error_says(take(NULL, repo, "ann", &wish, pool), FS_ERR_NOT_FILE,
                         "'/trunk'");
    wish.path = "/";
    assert_fs_error(take(NULL, repo, "ann", &wish, pool), FS_ERR_NOT_FILE);
}

static void a_missing_path_is_out_of_date_for_who_had_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/none");

    assert_fs_error_says(take(NULL, repo, "ann", &wish, pool), FS_ERR_NOT_FOUND,
                         "'/trunk/none'");
    wish.rev = 1;
    assert_fs_error(take(NULL, repo, "ann", &wish, pool),
                    FS_ERR_LOCK_OUT_OF_DATE);
}

static void the_revision_is_looked_at(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/A/f2");
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t created;

    assert_fs_ok(fs_root_open(&root, repo, 11, pool));
    assert_fs_ok(fs_node_need(&node, root, "/trunk/A/f2", pool));
    created = fs_node_created_rev(node);
    assert_true(created > 0);
    wish.rev = 12;
    assert_fs_error(take(NULL, repo, "ann", &wish, pool), FS_ERR_NO_SUCH_REV);
    wish.rev = created - 1;
    assert_fs_error(take(NULL, repo, "ann", &wish, pool),
                    FS_ERR_LOCK_OUT_OF_DATE);
    wish.rev = created;
    assert_fs_ok(take(NULL, repo, "ann", &wish, pool));
}

static void a_locked_path_is_taken_by_stealing_only(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    const fs_lock_t *first;
    const fs_lock_t *second;

    assert_fs_ok(take(&first, repo, "ann", &wish, pool));
    assert_fs_error_says(take(NULL, repo, "bob", &wish, pool), FS_ERR_LOCKED,
                         "by user 'ann'");
    assert_fs_error(take(NULL, repo, "ann", &wish, pool), FS_ERR_LOCKED);
    wish.steal = true;
    assert_fs_ok(take(&second, repo, "bob", &wish, pool));
    assert_string_not_equal(first->token, second->token);
    assert_string_equal(lock_of(repo, "/trunk/g", pool)->owner, "bob");
}

static void an_expired_lock_is_in_nobodys_way(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");

    wish.expires = 1;
    assert_fs_ok(take(NULL, repo, "ann", &wish, pool));
    assert_null(lock_of(repo, "/trunk/g", pool));
    wish.expires = 0;
    assert_fs_ok(take(NULL, repo, "bob", &wish, pool));
    assert_string_equal(lock_of(repo, "/trunk/g", pool)->owner, "bob");
}

static void each_path_succeeds_or_fails_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wishes[4] = { wish_for("/trunk/g"), wish_for("/trunk"),
                                 wish_for("/trunk/A/f2"),
                                 wish_for("/trunk/g") };
    fs_lock_outcome_t out[4];

    assert_fs_ok(fs_lock_take(out, repo, "ann", wishes, 4, pool));
    assert_fs_ok(out[0].err);
    assert_string_equal(out[0].lock->path, "/trunk/g");
    assert_fs_error(out[1].err, FS_ERR_NOT_FILE);
    assert_fs_ok(out[2].err);
    assert_string_equal(out[2].lock->path, "/trunk/A/f2");
    assert_fs_error(out[3].err, FS_ERR_LOCKED);
    assert_string_equal(lock_of(repo, "/trunk/g", pool)->token,
                        out[0].lock->token);
}

static void no_paths_are_no_work(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_fs_ok(fs_lock_take(NULL, make_repo(pool), "ann", NULL, 0, pool));
}

/* ---- releasing ---- */

static fs_repo_t *make_locked(const char **token, apr_pool_t *pool)
{
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");
    const fs_lock_t *lock;

    assert_fs_ok(take(&lock, repo, "ann", &wish, pool));
    *token = lock->token;
    return repo;
}

static void the_owner_releases_with_the_token(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *token;
    fs_repo_t *repo = make_locked(&token, pool);
    const fs_lock_release_t what = { "/trunk/g", token };
    fs_lock_outcome_t out;

    assert_fs_ok(fs_lock_release(&out, repo, "ann", &what, 1, false, pool));
    assert_fs_ok(out.err);
    assert_string_equal(out.lock->token, token);
    assert_string_equal(out.lock->owner, "ann");
    assert_null(lock_of(repo, "/trunk/g", pool));
    assert_fs_error(release(repo, "ann", "/trunk/g", token, false, pool),
                    FS_ERR_NO_SUCH_LOCK);
}

static void who_may_not_release_is_told_why(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *token;
    fs_repo_t *repo = make_locked(&token, pool);

    assert_fs_error(release(repo, NULL, "/trunk/g", "none", false, pool),
                    FS_ERR_NO_USER);
    assert_fs_error(release(repo, "bob", "/trunk/g", "none", false, pool),
                    FS_ERR_NO_SUCH_LOCK);
    assert_fs_error(release(repo, "ann", "/trunk/g", NULL, false, pool),
                    FS_ERR_NO_SUCH_LOCK);
    assert_fs_error_says(release(repo, "bob", "/trunk/g", token, false, pool),
                         FS_ERR_LOCK_OWNER, "user 'ann' does");
    assert_non_null(lock_of(repo, "/trunk/g", pool));
}

static void force_needs_neither_user_nor_token(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *token;
    fs_repo_t *repo = make_locked(&token, pool);

    assert_fs_ok(release(repo, NULL, "/trunk/g", NULL, true, pool));
    assert_null(lock_of(repo, "/trunk/g", pool));
    assert_fs_error(release(repo, NULL, "/trunk/g", NULL, true, pool),
                    FS_ERR_NO_SUCH_LOCK);
}

static void an_expired_lock_is_not_released_but_removed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_repo(pool);
    fs_lock_wish_t wish = wish_for("/trunk/g");

    wish.expires = 1;
    wish.token = "opaquelocktoken:e";
    assert_fs_ok(take(NULL, repo, "ann", &wish, pool));
    assert_fs_error(
        release(repo, "ann", "/trunk/g", "opaquelocktoken:e", false, pool),
        FS_ERR_LOCK_EXPIRED);
    assert_fs_error(
        release(repo, "ann", "/trunk/g", "opaquelocktoken:e", false, pool),
        FS_ERR_NO_SUCH_LOCK);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_lock_is_taken_with_a_token_of_its_own),
    UNIT_TEST(what_the_caller_wants_is_kept),
    UNIT_TEST(an_empty_comment_is_one),
    UNIT_TEST(nobody_takes_no_lock),
    UNIT_TEST(a_comment_is_one_that_xml_can_hold),
    UNIT_TEST(a_token_is_one),
    UNIT_TEST(a_lock_does_not_expire_before_time_began),
    UNIT_TEST(only_files_are_locked),
    UNIT_TEST(a_missing_path_is_out_of_date_for_who_had_it),
    UNIT_TEST(the_revision_is_looked_at),
    UNIT_TEST(a_locked_path_is_taken_by_stealing_only),
    UNIT_TEST(an_expired_lock_is_in_nobodys_way),
    UNIT_TEST(each_path_succeeds_or_fails_alone),
    UNIT_TEST(no_paths_are_no_work),
    UNIT_TEST(the_owner_releases_with_the_token),
    UNIT_TEST(who_may_not_release_is_told_why),
    UNIT_TEST(force_needs_neither_user_nor_token),
    UNIT_TEST(an_expired_lock_is_not_released_but_removed),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
