/* SPDX-License-Identifier: Apache-2.0 */
/* Revision properties, locks and transactions: the parts that change. */

#include "libfs/store/fsfs/revprop.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static cache_t *make_cache(apr_pool_t *pool)
{
    cache_options_t options = { .backend = "process", .size = 16 << 20 };
    cache_t *cache;

    assert_apr_ok(cache_create(&cache, &options, pool));
    return cache;
}

static const char *log_of(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *pool)
{
    const fs_bytes_t *value;

    assert_fs_ok(fs_repo_revprop(&value, repo, rev, "svn:log", pool, pool));
    return value ? apr_pstrmemdup(pool, value->data, value->len) : NULL;
}

/* Change a log message with the stock tool. */
static void set_log(const char *path, const char *rev, const char *text,
                    apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "setlog", "--bypass-hooks",
                           path,       "-r",     rev,
                           NULL,       NULL };

    argv[6] = fs_test_file(text, strlen(text), pool);
    fs_test_must_run(NULL, NULL, argv, pool);
}

/* Nothing is cached of files that changed a moment ago; make them old. */
static void let_settle(void)
{
    usleep(1200000);
}

static void see_changes(void **state, const char *name)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack(name, pool);
    char big[30001];
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, make_cache(pool), pool));
    let_settle();
    (void)log_of(repo, 30, pool);
    set_log(path, "30", "first", pool);
    assert_string_equal(log_of(repo, 30, pool), "first");
    let_settle();
    assert_string_equal(log_of(repo, 30, pool), "first");
    assert_string_equal(log_of(repo, 30, pool), "first");
    /* The same length, so that a packed file keeps its name and size. */
    set_log(path, "30", "secon", pool);
    assert_string_equal(log_of(repo, 30, pool), "secon");
    /* So long that a pack file is split. */
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    set_log(path, "30", big, pool);
    assert_string_equal(log_of(repo, 30, pool), big);
    assert_non_null(log_of(repo, 29, pool));
    assert_non_null(log_of(repo, 31, pool));
}

static void changes_of_loose_properties_are_seen(void **state)
{
    see_changes(state, "f4-packed");
}

static void changes_of_packed_properties_are_seen(void **state)
{
    see_changes(state, "f8-packed");
}

static void changes_of_compressed_packs_are_seen(void **state)
{
    see_changes(state, "f8-smallpages-packed");
}

static void binary_values_and_missing_properties_are_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_bytes_t *value;
    fs_repo_t *repo;

    assert_fs_ok(
        fs_repo_open(&repo, unpack("f8-packed", pool), NULL, NULL, pool));
    /* The author of r7 was deleted after packing. */
    assert_fs_ok(fs_repo_revprop(&value, repo, 7, "svn:author", pool, pool));
    assert_null(value);
    assert_fs_ok(fs_repo_revprop(&value, repo, 8, "svn:author", pool, pool));
    assert_non_null(value);
}

static void a_missing_property_file_is_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    apr_hash_t *props;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_int_equal(unlink(apr_pstrcat(pool, path, "/db/revprops/7/30", NULL)),
                     0);
    assert_fs_error_says(fs_repo_revprops(&props, repo, 30, pool, pool),
                         FS_ERR_CORRUPT, "r30");
}

/* --- Locks --- */

static fs_error_t *count_lock(void *baton, const fs_store_lock_t *lock,
                              apr_pool_t *scratch)
{
    (void)scratch;
    assert_non_null(strstr(lock->token, "opaquelocktoken:"));
    assert_true(lock->created > 0);
    ++*(int *)baton;
    return NULL;
}

static void locks_at_and_below_a_path_are_listed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_store_lock_t *lock;
    fs_store_t *store;
    fs_repo_t *repo;
    int count = 0;

    assert_fs_ok(fs_repo_open(&repo, unpack("f8", pool), NULL, NULL, pool));
    store = fs_repo_store(repo);
    assert_fs_ok(
        store->vtable->lock_list(store, "/", count_lock, &count, pool));
    assert_int_equal(count, 4);
    assert_fs_ok(store->vtable->lock_get(&lock, store, "/", pool));
    assert_null(lock);
    assert_fs_ok(store->vtable->lock_get(&lock, store, "/no/such", pool));
    assert_null(lock);
}

static void a_lock_taken_by_the_stock_tool_is_seen_at_once(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load("tests/data/history/hist.dump", pool);
    const char *comment = fs_test_file("a comment", 9, pool);
    const char *argv[] = { "svnadmin", "lock",  path, "trunk/new",
                           "jane",     comment, NULL };
    const fs_store_lock_t *lock;
    fs_store_t *store;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    store = fs_repo_store(repo);
    assert_fs_ok(store->vtable->lock_get(&lock, store, "/trunk/new", pool));
    assert_null(lock);
    fs_test_must_run(NULL, NULL, argv, pool);
    assert_fs_ok(store->vtable->lock_get(&lock, store, "/trunk/new", pool));
    assert_non_null(lock);
    assert_string_equal(lock->owner, "jane");
    assert_string_equal(lock->comment, "a comment");
    assert_int_equal(lock->expires, 0);
    assert_false(lock->is_dav_comment);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(changes_of_loose_properties_are_seen),
    UNIT_TEST(changes_of_packed_properties_are_seen),
    UNIT_TEST(changes_of_compressed_packs_are_seen),
    UNIT_TEST(binary_values_and_missing_properties_are_told),
    UNIT_TEST(a_missing_property_file_is_damage),
    UNIT_TEST(locks_at_and_below_a_path_are_listed),
    UNIT_TEST(a_lock_taken_by_the_stock_tool_is_seen_at_once),
};

UNIT_MAIN(tests)
