/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the commit of libfs/fs_txn.h. */

#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/txns.h"

static apr_hash_t *revprops(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *pool)
{
    apr_hash_t *props;

    assert_fs_ok(fs_repo_revprops(&props, repo, rev, pool, pool));
    return props;
}

static const char *text(apr_hash_t *props, const char *name)
{
    const fs_bytes_t *value = apr_hash_get(props, name, APR_HASH_KEY_STRING);

    return value ? value->data : NULL;
}

static void set(apr_hash_t *props, const char *name, const char *value,
                apr_pool_t *pool)
{
    fs_bytes_t *bytes = apr_palloc(pool, sizeof(*bytes));

    bytes->data = value;
    bytes->len = strlen(value);
    apr_hash_set(props, name, APR_HASH_KEY_STRING, bytes);
}

static fs_txn_t *begin_with_props(fs_repo_t *repo, apr_pool_t *pool)
{
    apr_hash_t *props = apr_hash_make(pool);
    fs_txn_t *txn;

    set(props, "svn:log", "message", pool);
    set(props, "svn:author", "ann", pool);
    set(props, "svn:date", "2001-02-03T04:05:06.000007Z", pool);
    set(props, "svn:txn-user-agent", "x", pool);
    set(props, "svn:txn-client-compat-version", "1.14", pool);
    set(props, FS_TXN_CHECK_OOD, "true", pool);
    set(props, FS_TXN_CHECK_LOCKS, "true", pool);
    set(props, "svn:txn", "kept", pool);
    set(props, "own", "kept too", pool);
    assert_fs_ok(fs_txn_begin(&txn, repo, 1, props, pool));
    return txn;
}

static void a_commit_is_the_next_revision_and_the_transaction_is_gone(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    apr_array_header_t *names;
    const char *conflict = "x";
    fs_root_t *root;
    fs_txn_t *txn;
    fs_rev_t rev;

    assert_fs_ok(fs_txn_begin(&txn, repo, 1, NULL, pool));
    assert_fs_ok(fs_test_txns_edit(txn, "edit d/f new;mkdir n", pool));
    assert_fs_ok(fs_txn_commit(&rev, &conflict, txn, false, pool));
    assert_int_equal(rev, 2);
    assert_null(conflict);
    fs_txn_close(txn);
    assert_non_null(fs_txn_name(txn));
    assert_fs_ok(fs_repo_txns(&names, repo, pool));
    assert_int_equal(names->nelts, 0);
    assert_fs_ok(fs_root_open(&root, repo, 2, pool));
    assert_string_equal(fs_test_txns_text(root, "/d/f", pool), "new");
    assert_string_equal(fs_test_txns_changes(root, pool), "Mt /d/f A /n");
    fs_test_txns_verify(repo, pool);
}

static void properties_of_the_transaction_alone_stay_behind(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn = begin_with_props(repo, pool);
    apr_hash_t *props;
    fs_rev_t rev;

    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
    props = revprops(repo, rev, pool);
    assert_int_equal(apr_hash_count(props), 5);
    assert_string_equal(text(props, "svn:log"), "message");
    assert_string_equal(text(props, "svn:author"), "ann");
    assert_string_equal(text(props, "svn:txn"), "kept");
    assert_string_equal(text(props, "own"), "kept too");
    assert_true(strcmp(text(props, "svn:date"), "2020") > 0);
}

static void a_date_can_be_kept(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn = begin_with_props(repo, pool);
    const fs_prop_change_t none = { "svn:date", NULL };
    fs_rev_t rev;

    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, true, pool));
    assert_string_equal(text(revprops(repo, rev, pool), "svn:date"),
                        "2001-02-03T04:05:06.000007Z");
    txn = begin_with_props(repo, pool);
    assert_fs_ok(fs_txn_change_props(txn, &none, 1, pool));
    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, true, pool));
    assert_null(text(revprops(repo, rev, pool), "svn:date"));
}

static void an_empty_transaction_is_a_revision(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_root_t *root;

    assert_int_equal(fs_test_txns_make(repo, "none", pool), 2);
    assert_int_equal(fs_test_txns_make(repo, "none", pool), 3);
    assert_fs_ok(fs_root_open(&root, repo, 3, pool));
    assert_string_equal(fs_test_txns_changes(root, pool), "");
    assert_string_equal(fs_test_txns_text(root, "/d/f", pool), "base");
    fs_test_txns_verify(repo, pool);
}

static void a_copy_is_of_the_revision_that_was_named(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const fs_node_t *node;
    fs_root_t *root;
    const char *from;
    fs_rev_t rev;

    (void)fs_test_txns_make(repo, "edit d/f new", pool);
    rev = fs_test_txns_make(repo, "cp 1 d c;cp 2 d c/d", pool);
    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_string_equal(fs_test_txns_text(root, "/c/f", pool), "base");
    assert_string_equal(fs_test_txns_text(root, "/c/d/f", pool), "new");
    assert_fs_ok(fs_node_need(&node, root, "/c/d", pool));
    fs_node_copyfrom(&rev, &from, node);
    assert_int_equal(rev, 2);
    assert_string_equal(from, "/d");
    fs_test_txns_verify(repo, pool);
}

/* ---- at the same time ---- */

#define THREADS 4
#define ROUNDS 8

typedef struct worker_t {
    pthread_t thread;
    const char *folder;
    int number;
    bool failed;
} worker_t;

/* Each makes folders of its own, below one that all of them change. */
static fs_error_t *commit_one(fs_repo_t *repo, int number, int round,
                              apr_pool_t *pool)
{
    fs_rev_t youngest, rev;
    fs_txn_t *txn;

    FS_TRY(fs_repo_youngest(&youngest, repo, pool));
    FS_TRY(fs_txn_begin(&txn, repo, youngest, NULL, pool));
    FS_TRY(fs_txn_make_dir(
        txn, apr_psprintf(pool, "/d/sub/w%d-%d", number, round), pool));
    return fs_txn_commit(&rev, NULL, txn, false, pool);
}

static void *work(void *data)
{
    worker_t *worker = data;
    apr_hash_t *options;
    fs_repo_t *repo;
    apr_pool_t *pool, *iter;
    fs_error_t *err;
    int i;

    apr_pool_create(&pool, NULL);
    apr_pool_create(&iter, pool);
    options = apr_hash_make(pool);
    apr_hash_set(options, "nosync", APR_HASH_KEY_STRING, "true");
    err = fs_repo_open(&repo, worker->folder, options, NULL, pool);
    for (i = 0; i < ROUNDS && !err; i++) {
        apr_pool_clear(iter);
        err = commit_one(repo, worker->number, i, iter);
    }
    if (err)
        (void)fprintf(stderr, "%s\n", fs_error_describe(err, pool));
    worker->failed = err != NULL;
    fs_error_clear(err);
    apr_pool_destroy(pool);
    return NULL;
}

static void commits_at_the_same_time_lose_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    worker_t workers[THREADS];
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t youngest;
    int i, k;

    for (i = 0; i < THREADS; i++) {
        workers[i].folder = fs_repo_path(repo);
        workers[i].number = i;
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_false(workers[i].failed);
    }
    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    assert_int_equal(youngest, 1 + (THREADS * ROUNDS));
    assert_fs_ok(fs_root_open(&root, repo, youngest, pool));
    for (i = 0; i < THREADS; i++)
        for (k = 0; k < ROUNDS; k++)
            assert_fs_ok(fs_node_need(
                &node, root, apr_psprintf(pool, "/d/sub/w%d-%d", i, k), pool));
    fs_test_txns_verify(repo, pool);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_commit_is_the_next_revision_and_the_transaction_is_gone),
    UNIT_TEST(properties_of_the_transaction_alone_stay_behind),
    UNIT_TEST(a_date_can_be_kept),
    UNIT_TEST(an_empty_transaction_is_a_revision),
    UNIT_TEST(a_copy_is_of_the_revision_that_was_named),
    UNIT_TEST(commits_at_the_same_time_lose_nothing),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
