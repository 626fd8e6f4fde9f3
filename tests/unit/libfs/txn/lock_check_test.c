/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/txn/lock_check.h, through libfs/fs_txn.h. */

#include "libfs/txn/lock_check.h"

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "tests/support/repo.h"
#include "tests/support/txns.h"
#include "tests/support/unit.h"

#define TOKEN "opaquelocktoken:t"

static void lock(fs_repo_t *repo, const char *path, apr_time_t expires,
                 apr_pool_t *pool)
{
    fs_lock_wish_t wish = { path,    TOKEN,          NULL, false,
                            expires, FS_INVALID_REV, true };
    fs_lock_outcome_t outcome;

    assert_fs_ok(fs_lock_take(&outcome, repo, "ann", &wish, 1, pool));
    assert_fs_ok(outcome.err);
}

/* A transaction that checks locks, of `user` who presents `token`. */
static fs_txn_t *begin(fs_repo_t *repo, const char *user, const char *token,
                       apr_pool_t *pool)
{
    const fs_bytes_t yes = { "true", 4 };
    apr_hash_t *props = apr_hash_make(pool);
    apr_hash_t *tokens = apr_hash_make(pool);
    fs_txn_t *txn;

    apr_hash_set(props, FS_TXN_CHECK_LOCKS, APR_HASH_KEY_STRING, &yes);
    assert_fs_ok(fs_txn_begin(&txn, repo, 1, props, pool));
    if (token)
        apr_hash_set(tokens, token, APR_HASH_KEY_STRING, "/elsewhere");
    if (user)
        fs_txn_set_user(txn, user, token ? tokens : NULL);
    return txn;
}

static fs_error_t *try(fs_repo_t *repo, const char *user, const char *token,
                       const char *edits, apr_pool_t *pool)
{
    return fs_test_txns_edit(begin(repo, user, token, pool), edits, pool);
}

static void a_lock_stops_whoever_is_not_its_owner_with_the_token(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);

    lock(repo, "/d/f", 0, pool);
    assert_fs_error_says(try(repo, NULL, TOKEN, "edit d/f 1", pool),
                         FS_ERR_NO_USER, "'/d/f' is locked by user 'ann'");
    assert_fs_error_says(try(repo, "bob", TOKEN, "edit d/f 1", pool),
                         FS_ERR_LOCK_OWNER, "'/d/f'");
    assert_fs_error_says(try(repo, "ann", NULL, "edit d/f 1", pool),
                         FS_ERR_BAD_LOCK_TOKEN, "'/d/f'");
    assert_fs_error(
        try(repo, "ann", "opaquelocktoken:other", "edit d/f 1", pool),
        FS_ERR_BAD_LOCK_TOKEN);
    assert_fs_ok(try(repo, "ann", TOKEN, "edit d/f 1", pool));
}

static void each_kind_of_edit_meets_the_locks_it_should(void **state)
{
    static const char *const stopped[] = { "edit d/f 1", "prop d/f a b",
                                           "del d/f",    "del d",
                                           "cp 1 e d/f", "cp 1 e d",
                                           NULL };
    static const char *const passed[] = { "prop d a b", "mkdir d/n",
                                          "edit d/g 1", "cp 1 d c",
                                          "del e",      "mkfile d/f2 1",
                                          NULL };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    int i;

    lock(repo, "/d/f", 0, pool);
    for (i = 0; stopped[i]; i++)
        assert_fs_error(try(repo, "bob", NULL, stopped[i], pool),
                        FS_ERR_LOCK_OWNER);
    for (i = 0; passed[i]; i++)
        assert_fs_ok(try(repo, "bob", NULL, passed[i], pool));
}

static void a_locked_path_that_is_gone_cannot_be_made(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn = begin(repo, "ann", TOKEN, pool);

    lock(repo, "/d/f", 0, pool);
    assert_fs_ok(fs_test_txns_edit(txn, "del d", pool));
    fs_txn_set_user(txn, "bob", NULL);
    assert_fs_error(fs_txn_make_file(txn, "/d", pool), FS_ERR_LOCK_OWNER);
    assert_fs_error(fs_txn_make_dir(txn, "/d", pool), FS_ERR_LOCK_OWNER);
}

static void an_expired_lock_stops_nobody(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);

    lock(repo, "/d/f", 1, pool);
    assert_fs_ok(try(repo, "bob", NULL, "edit d/f 1;del d", pool));
}

static void who_does_not_ask_is_not_checked(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const fs_prop_change_t off = { FS_TXN_CHECK_LOCKS, NULL };
    fs_txn_t *txn = begin(repo, "bob", NULL, pool);
    fs_rev_t rev;

    lock(repo, "/d/f", 0, pool);
    assert_fs_error(fs_test_txns_edit(txn, "edit d/f 1", pool),
                    FS_ERR_LOCK_OWNER);
    assert_fs_ok(fs_txn_change_props(txn, &off, 1, pool));
    assert_fs_ok(fs_test_txns_edit(txn, "edit d/f 1", pool));
    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
}

static void texts_and_missing_nodes_come_before_locks(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);

    lock(repo, "/d/f", 0, pool);
    assert_fs_error(try(repo, "bob", NULL, "mkdir d/f/x", pool),
                    FS_ERR_NOT_DIR);
    assert_fs_error(try(repo, "bob", NULL, "mkdir d/f", pool), FS_ERR_EXISTS);
}

static void a_lock_taken_meanwhile_stops_the_commit(void **state)
{
    static const char *const edits[] = { "edit d/f 1", "prop d/f a b", "del d",
                                         "cp 1 e d", NULL };
    apr_pool_t *pool = unit_pool(state);
    int i;

    for (i = 0; edits[i]; i++) {
        fs_repo_t *repo = fs_test_txns_copy(pool);
        fs_txn_t *txn = begin(repo, "bob", NULL, pool);
        const fs_lock_release_t gone = { "/d/f", NULL };
        fs_lock_outcome_t outcome;
        fs_rev_t rev;

        assert_fs_ok(fs_test_txns_edit(txn, edits[i], pool));
        lock(repo, "/d/f", 0, pool);
        assert_fs_error(fs_txn_commit(&rev, NULL, txn, false, pool),
                        FS_ERR_LOCK_OWNER);
        assert_fs_ok(fs_repo_youngest(&rev, repo, pool));
        assert_int_equal(rev, 1);
        assert_fs_ok(
            fs_lock_release(&outcome, repo, NULL, &gone, 1, true, pool));
        assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
        assert_int_equal(rev, 2);
    }
}

static void locks_elsewhere_stop_no_commit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn = begin(repo, "bob", NULL, pool);
    fs_rev_t rev;

    lock(repo, "/e/x", 0, pool);
    assert_fs_ok(fs_test_txns_edit(txn, "edit d/f 1;prop e a b", pool));
    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
}

static void a_lock_stays_after_its_owners_commit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn = begin(repo, "ann", TOKEN, pool);
    const fs_lock_t *found;
    fs_rev_t rev;

    lock(repo, "/d/f", 0, pool);
    assert_fs_ok(fs_test_txns_edit(txn, "edit d/f 1", pool));
    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
    assert_fs_ok(fs_lock_get(&found, repo, "/d/f", pool));
    assert_non_null(found);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_lock_stops_whoever_is_not_its_owner_with_the_token),
    UNIT_TEST(each_kind_of_edit_meets_the_locks_it_should),
    UNIT_TEST(a_locked_path_that_is_gone_cannot_be_made),
    UNIT_TEST(an_expired_lock_stops_nobody),
    UNIT_TEST(who_does_not_ask_is_not_checked),
    UNIT_TEST(texts_and_missing_nodes_come_before_locks),
    UNIT_TEST(a_lock_taken_meanwhile_stops_the_commit),
    UNIT_TEST(locks_elsewhere_stop_no_commit),
    UNIT_TEST(a_lock_stays_after_its_owners_commit),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
