/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_lock.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

static void lock_path(const char *folder, const char *path, const char *user,
                      const char *comment, const char *token, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin",
                           "lock",
                           "-q",
                           folder,
                           path,
                           user,
                           fs_test_file(comment, strlen(comment), pool),
                           token,
                           NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* Locks at /trunk/g, /trunk/A/f2 and /trunk/C/f2. */
static fs_repo_t *make_locked(apr_pool_t *pool)
{
    const char *folder =
        fs_test_repo_load("tests/data/history/hist.dump", pool);

    lock_path(folder, "/trunk/g", "ann", "mine <now>\n", "opaquelocktoken:g",
              pool);
    lock_path(folder, "/trunk/A/f2", "bob", "", "opaquelocktoken:a", pool);
    lock_path(folder, "/trunk/C/f2", "bob", "c", "opaquelocktoken:c", pool);
    return fs_test_open(folder, false, pool);
}

static void a_lock_is_told_whole(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_locked(pool);
    const fs_lock_t *lock;

    assert_fs_ok(fs_lock_get(&lock, repo, "/trunk/g", pool));
    assert_non_null(lock);
    assert_string_equal(lock->path, "/trunk/g");
    assert_string_equal(lock->token, "opaquelocktoken:g");
    assert_string_equal(lock->owner, "ann");
    assert_string_equal(lock->comment, "mine <now>\n");
    assert_false(lock->is_dav_comment);
    assert_int_equal(lock->expires, 0);
    assert_true(lock->created > apr_time_now() - apr_time_from_sec(120));
    assert_true(lock->created <= apr_time_now());
}

static void a_path_without_lock_has_none(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_lock_t *lock;

    assert_fs_ok(fs_lock_get(&lock, fs_test_hist(), "/trunk/g", pool));
    assert_null(lock);
    assert_fs_ok(fs_lock_get(&lock, make_locked(pool), "/trunk", pool));
    assert_null(lock);
}

static fs_error_t *collect(void *baton, const fs_lock_t *lock,
                           apr_pool_t *scratch)
{
    (void)scratch;
    apr_hash_set(baton, apr_pstrdup(apr_hash_pool_get(baton), lock->path),
                 APR_HASH_KEY_STRING, "");
    return NULL;
}

static apr_hash_t *list(fs_repo_t *repo, const char *path, fs_depth_t depth,
                        apr_pool_t *pool)
{
    apr_hash_t *found = apr_hash_make(pool);

    assert_fs_ok(fs_lock_list(repo, path, depth, collect, found, pool));
    return found;
}

static bool has(apr_hash_t *found, const char *path)
{
    return apr_hash_get(found, path, APR_HASH_KEY_STRING) != NULL;
}

static void a_list_goes_as_deep_as_asked(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_locked(pool);
    apr_hash_t *found;

    assert_int_equal(apr_hash_count(list(repo, "/", FS_DEPTH_INFINITY, pool)),
                     3);
    found = list(repo, "/trunk/A", FS_DEPTH_INFINITY, pool);
    assert_int_equal(apr_hash_count(found), 1);
    assert_true(has(found, "/trunk/A/f2"));
    found = list(repo, "/trunk", FS_DEPTH_FILES, pool);
    assert_int_equal(apr_hash_count(found), 1);
    assert_true(has(found, "/trunk/g"));
    found = list(repo, "/trunk", FS_DEPTH_IMMEDIATES, pool);
    assert_int_equal(apr_hash_count(found), 1);
    assert_int_equal(apr_hash_count(list(repo, "/trunk", FS_DEPTH_EMPTY, pool)),
                     0);
    found = list(repo, "/trunk/g", FS_DEPTH_EMPTY, pool);
    assert_int_equal(apr_hash_count(found), 1);
    assert_true(has(found, "/trunk/g"));
}

static void the_list_of_a_path_includes_its_own_lock(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = make_locked(pool);

    assert_true(
        has(list(repo, "/trunk/g", FS_DEPTH_INFINITY, pool), "/trunk/g"));
    assert_int_equal(
        apr_hash_count(list(repo, "/trunk/none", FS_DEPTH_INFINITY, pool)), 0);
}

/* Write "expiration_date" into the lock file below `folder`; there is one. */
static void set_expiry(const char *folder, const char *date, apr_pool_t *pool)
{
    const char *script = apr_psprintf(
        pool,
        "f=$(grep -l opaquelocktoken:e $(find '%s/db/locks' -type f)) && "
        "printf 'K 15\\nexpiration_date\\nV %d\\n%%s\\nEND\\n' '%s' >'%s/x' && "
        "sed -i '/^END$/d' \"$f\" && cat '%s/x' >>\"$f\"",
        folder, (int)strlen(date), date, folder, folder);
    const char *argv[] = { "sh", "-c", script, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

static void a_lock_that_expires_later_is_told_with_its_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder =
        fs_test_repo_load("tests/data/history/hist.dump", pool);
    const fs_lock_t *lock;

    lock_path(folder, "/trunk/g", "ann", "c", "opaquelocktoken:e", pool);
    set_expiry(folder, "2999-01-01T00:00:00.000000Z", pool);
    assert_fs_ok(fs_lock_get(&lock, fs_test_open(folder, false, pool),
                             "/trunk/g", pool));
    assert_non_null(lock);
    assert_true(lock->expires == APR_INT64_C(32472144000) * 1000000);
}

static void an_expired_lock_is_gone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder =
        fs_test_repo_load("tests/data/history/hist.dump", pool);
    fs_repo_t *repo;
    const fs_lock_t *lock;

    lock_path(folder, "/trunk/g", "ann", "c", "opaquelocktoken:e", pool);
    set_expiry(folder, "2001-01-01T00:00:00.000000Z", pool);
    repo = fs_test_open(folder, false, pool);
    assert_fs_ok(fs_lock_get(&lock, repo, "/trunk/g", pool));
    assert_null(lock);
    assert_int_equal(apr_hash_count(list(repo, "/", FS_DEPTH_INFINITY, pool)),
                     0);
}

static fs_error_t *stop(void *baton, const fs_lock_t *lock, apr_pool_t *scratch)
{
    (void)lock;
    (void)scratch;
    ++*(int *)baton;
    return FS_ERROR(FS_ERR_CANCELLED, "enough");
}

static void an_error_of_the_receiver_ends_the_list(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    int calls = 0;

    assert_fs_error(fs_lock_list(make_locked(pool), "/", FS_DEPTH_INFINITY,
                                 stop, &calls, pool),
                    FS_ERR_CANCELLED);
    assert_int_equal(calls, 1);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_lock_is_told_whole),
    UNIT_TEST(a_path_without_lock_has_none),
    UNIT_TEST(a_list_goes_as_deep_as_asked),
    UNIT_TEST(the_list_of_a_path_includes_its_own_lock),
    UNIT_TEST(a_lock_that_expires_later_is_told_with_its_end),
    UNIT_TEST(an_expired_lock_is_gone),
    UNIT_TEST(an_error_of_the_receiver_ends_the_list),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
