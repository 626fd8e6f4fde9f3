/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/txn_table.h: who has a transaction has it alone. */

#include "libfs/store/fsfs/txn_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/fs_txn.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/store_txn.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

static fs_repo_t *open_repo(const char *path, const char *timeout,
                            apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    apr_hash_set(options, "lock-timeout", APR_HASH_KEY_STRING, timeout);
    assert_fs_ok(fs_repo_open(&repo, path, options, NULL, pool));
    return repo;
}

static fs_fsfs_t *store_of(fs_repo_t *repo)
{
    return fs_handle_of(fs_repo_store(repo));
}

static fs_txn_t *begin(fs_repo_t *repo, apr_pool_t *pool)
{
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, repo, 0, apr_hash_make(pool), pool));
    return txn;
}

/* A transaction that nobody has open. */
static const char *begin_and_close(fs_repo_t *repo, apr_pool_t *pool)
{
    fs_txn_t *txn = begin(repo, pool);

    fs_txn_close(txn);
    return fs_txn_name(txn);
}

static const char *file_of(const char *path, const char *name, const char *file,
                           apr_pool_t *pool)
{
    return apr_pstrcat(pool, path, "/db/", fs_txn_dir_path(name, file, pool),
                       NULL);
}

static bool exists(const char *path)
{
    struct stat info;

    return !lstat(path, &info);
}

/* --- Alone --- */

static void two_handles_exclude_each_other(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *one = open_repo(path, "5", pool);
    fs_repo_t *two = open_repo(path, "0", pool);
    fs_txn_t *mine = begin(one, pool);
    fs_txn_t *other;

    assert_fs_error_says(fs_txn_open(&other, two, fs_txn_name(mine), pool),
                         FS_ERR_BUSY, "another request works on");
    assert_fs_error(fs_txn_abort(two, fs_txn_name(mine), pool), FS_ERR_BUSY);
    fs_txn_close(mine);
    assert_fs_ok(fs_txn_open(&other, two, fs_txn_name(mine), pool));
    fs_txn_close(other);
}

typedef struct worker_t {
    fs_repo_t *repo;
    const char *name;
    int number;
    int failed;
} worker_t;

/* A directory of its own, then 20 more in it, each in a step of its own. */
static void *work(void *data)
{
    worker_t *worker = data;
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, NULL);
    for (i = 0; i < 20 && !worker->failed; i++) {
        fs_txn_t *txn;
        fs_error_t *err;

        err = fs_txn_open(&txn, worker->repo, worker->name, pool);
        if (!err)
            err = fs_txn_make_dir(
                txn, apr_psprintf(pool, "/%d-%d", worker->number, i), pool);
        if (!err)
            fs_txn_close(txn);
        worker->failed = err != NULL;
        fs_error_clear(err);
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return NULL;
}

static int count_entries(fs_repo_t *repo, const char *name, apr_pool_t *pool)
{
    fs_txn_state_t *opened;
    int count;

    assert_fs_ok(fs_txn_table_open(&opened, store_of(repo), name, pool));
    count = (int)apr_hash_count(opened->root->entries);
    fs_txn_table_close(opened);
    return count;
}

static void threads_take_turns(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    worker_t workers[4];
    pthread_t threads[4];
    const char *name = NULL;
    int i;

    for (i = 0; i < 4; i++) {
        workers[i].repo = open_repo(path, "60", pool);
        if (!name)
            name = begin_and_close(workers[0].repo, pool);
        workers[i].name = name;
        workers[i].number = i;
        workers[i].failed = 0;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    for (i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failed, 0);
    }
    assert_int_equal(count_entries(workers[0].repo, name, pool), 80);
    fs_txn_table_clear();
    assert_int_equal(count_entries(workers[0].repo, name, pool), 80);
}

static void processes_take_turns(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "60", pool);
    const char *name = begin_and_close(repo, pool);
    pid_t children[3];
    int status, i;

    fs_txn_table_clear();
    for (i = 0; i < 3; i++) {
        children[i] = fork();
        if (!children[i]) {
            worker_t worker = { repo, name, i, 0 };

            (void)work(&worker);
            _exit(worker.failed);
        }
    }
    for (i = 0; i < 3; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_entries(repo, name, pool), 60);
}

static void a_process_that_holds_it_is_waited_for_only_so_long(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "0", pool);
    const char *name = begin_and_close(repo, pool);
    fs_txn_t *txn;
    int ready[2], end[2], status;
    pid_t child;
    char byte;

    fs_txn_table_clear();
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    child = fork();
    if (!child) {
        (void)close(end[1]);
        if (!fs_txn_open(&txn, repo, name, pool))
            (void)!write(ready[1], "x", 1);
        (void)!read(end[0], &byte, 1);
        _exit(0); /* dies with it in its hands */
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_fs_error(fs_txn_open(&txn, repo, name, pool), FS_ERR_BUSY);
    assert_fs_error(fs_txn_abort(repo, name, pool), FS_ERR_BUSY);
    (void)close(end[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_fs_ok(fs_txn_open(&txn, repo, name, pool));
    fs_txn_close(txn);
    (void)close(end[0]);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* --- Gone, or others' --- */

static void run(const char *const *argv, apr_pool_t *pool)
{
    fs_test_must_run(NULL, NULL, argv, pool);
}

static void what_the_stock_tool_removed_is_gone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "5", pool);
    const char *name = begin_and_close(repo, pool);
    const char *argv[] = { "svnadmin", "rmtxns", path, name, NULL };
    fs_txn_t *txn;

    run(argv, pool);
    assert_false(exists(file_of(path, name, NULL, pool)));
    assert_fs_error(fs_txn_open(&txn, repo, name, pool), FS_ERR_NO_SUCH_TXN);
    assert_fs_error(fs_txn_abort(repo, name, pool), FS_ERR_NO_SUCH_TXN);
}

/* Formats 1 and 2 use names again. */
static void a_name_that_comes_again_is_another_transaction(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load_as(NULL, "1.4", pool);
    fs_repo_t *repo = open_repo(path, "5", pool);
    fs_txn_t *txn = begin(repo, pool);
    const char *argv[] = { "svnadmin", "rmtxns", path, "0-1", NULL };

    assert_string_equal(fs_txn_name(txn), "0-1");
    assert_fs_ok(fs_txn_make_dir(txn, "/old", pool));
    fs_txn_close(txn);
    run(argv, pool);
    txn = begin(repo, pool);
    assert_string_equal(fs_txn_name(txn), "0-1");
    assert_fs_ok(fs_txn_make_dir(txn, "/new", pool));
    fs_txn_close(txn);
    assert_int_equal(count_entries(repo, "0-1", pool), 1);
    assert_fs_ok(fs_txn_abort(repo, "0-1", pool));
    assert_false(exists(file_of(path, "0-1", NULL, pool)));
}

static void a_transaction_without_a_journal_is_foreign(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "5", pool);
    const char *proto =
        apr_pstrcat(pool, path, "/db/txn-protorevs/0-7.rev", NULL);
    fs_txn_t *txn;

    assert_int_equal(mkdir(file_of(path, "0-7", NULL, pool), 0777), 0);
    assert_true(close(creat(proto, 0666)) == 0);
    assert_fs_error_says(fs_txn_open(&txn, repo, "0-7", pool),
                         FS_ERR_FOREIGN_TXN, "begun by another program");
    assert_fs_ok(fs_txn_abort(repo, "0-7", pool));
    assert_false(exists(file_of(path, "0-7", NULL, pool)));
    assert_false(exists(proto));
}

/* Files of the stock layout are there while a hook looks at it alone: later
 * nobody knows what became of it. */
static void one_that_was_left_with_a_guest_is_foreign(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "5", pool);
    const char *name = begin_and_close(repo, pool);
    fs_txn_t *txn;

    assert_true(close(creat(file_of(path, name, "changes", pool), 0666)) == 0);
    assert_fs_error_says(fs_txn_open(&txn, repo, name, pool),
                         FS_ERR_FOREIGN_TXN, "taken over");
    assert_fs_ok(fs_txn_abort(repo, name, pool));
}

static void one_whose_commit_died_is_not_gone_on_with(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, "5", pool);
    const char *name = begin_and_close(repo, pool);
    const char *texts = file_of(path, name, FS_TXN_DIR_TEXTS, pool);
    fs_txn_t *txn;

    /* The texts are a revision file already, which nobody may write to. */
    assert_int_equal(rename(texts, apr_pstrcat(pool, path, "/1", NULL)), 0);
    assert_fs_error_says(fs_txn_open(&txn, repo, name, pool),
                         FS_ERR_NO_SUCH_TXN, "middle of its commit");
    /* Another file of that name is not the one that is kept open. */
    assert_true(close(creat(texts, 0666)) == 0);
    assert_fs_ok(fs_txn_open(&txn, repo, name, pool));
    fs_txn_close(txn);
    assert_fs_ok(fs_txn_abort(repo, name, pool));
    assert_true(exists(apr_pstrcat(pool, path, "/1", NULL)));
}

static void malformed_names_are_told(void **state)
{
    static const char *const names[] = { "",      "1",    "a-1",  "1-",
                                         "-1",    "1-A",  "01-1", "1-01",
                                         "1-1/x", "../1", "1-1 ", "1-_" };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), "5", pool);
    fs_txn_t *txn;
    apr_size_t i;

    for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_fs_error(fs_txn_open(&txn, repo, names[i], pool),
                        FS_ERR_TXN_NAME);
        assert_fs_error(fs_txn_abort(repo, names[i], pool), FS_ERR_TXN_NAME);
    }
    assert_fs_error(fs_txn_open(&txn, repo, "1-1", pool), FS_ERR_NO_SUCH_TXN);
}

/* --- Bounds --- */

static int count_open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count;
}

static void only_so_many_are_kept(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), "5", pool);
    int before, i;

    fs_txn_table_clear();
    before = count_open_files();
    for (i = 0; i < FS_TXN_TABLE_IDLE_MAX + 20; i++)
        (void)begin_and_close(repo, pool);
    assert_in_range(count_open_files(), before + 1,
                    before + 3 * FS_TXN_TABLE_IDLE_MAX + 8);
    fs_txn_table_clear();
    assert_in_range(count_open_files(), before, before + 8);
}

static void an_edit_that_fails_leaves_what_was(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), "5", pool);
    const fs_store_txn_vtable_t *vtable = fs_repo_store(repo)->vtable->txn;
    fs_store_txn_t *txn;
    fs_node_id_t id;

    assert_fs_ok(
        vtable->begin(&txn, fs_repo_store(repo), 0, apr_hash_make(pool), pool));
    assert_fs_ok(vtable->make(txn, "/a", FS_NODE_DIR, pool));
    assert_fs_error(vtable->make(txn, "/a/b/c", FS_NODE_DIR, pool),
                    FS_ERR_CORRUPT);
    assert_fs_error(vtable->remove(txn, "/a/x", pool), FS_ERR_CORRUPT);
    assert_fs_ok(vtable->make(txn, "/a/b", FS_NODE_FILE, pool));
    assert_fs_ok(vtable->root_id(&id, txn));
    vtable->close(txn);
    assert_int_equal(count_entries(repo, vtable->name(txn), pool), 1);
    assert_fs_error(vtable->make(txn, "/z", FS_NODE_DIR, pool),
                    FS_ERR_NO_SUCH_TXN);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(two_handles_exclude_each_other),
    UNIT_TEST(threads_take_turns),
    UNIT_TEST(processes_take_turns),
    UNIT_TEST(a_process_that_holds_it_is_waited_for_only_so_long),
    UNIT_TEST(what_the_stock_tool_removed_is_gone),
    UNIT_TEST(a_name_that_comes_again_is_another_transaction),
    UNIT_TEST(a_transaction_without_a_journal_is_foreign),
    UNIT_TEST(one_that_was_left_with_a_guest_is_foreign),
    UNIT_TEST(one_whose_commit_died_is_not_gone_on_with),
    UNIT_TEST(malformed_names_are_told),
    UNIT_TEST(only_so_many_are_kept),
    UNIT_TEST(an_edit_that_fails_leaves_what_was),
};

UNIT_MAIN(tests)
