/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/write_lock.h. */

#include "libfs/store/fsfs/write_lock.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

static fs_fsfs_t *open_with(const char *path, const char *timeout,
                            apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    apr_hash_set(options, "lock-timeout", APR_HASH_KEY_STRING, timeout);
    assert_fs_ok(fs_repo_open(&repo, path, options, NULL, pool));
    return fs_handle_of(fs_repo_store(repo));
}

static void a_lock_that_is_held_is_busy_in_this_process(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_fsfs_t *one = open_with(path, "0", pool);
    fs_fsfs_t *other = open_with(path, "0", pool);
    fs_write_lock_t *lock, *second;

    assert_fs_ok(fs_write_lock_take(&lock, one, FS_WRITE_LOCK_WRITE, pool));
    assert_fs_error_says(
        fs_write_lock_take(&second, other, FS_WRITE_LOCK_WRITE, pool),
        FS_ERR_BUSY, "another writer holds the repository's 'write-lock'");
    assert_fs_ok(fs_write_lock_take(&second, other, FS_WRITE_LOCK_PACK, pool));
    fs_write_lock_release(second);
    fs_write_lock_release(lock);
    assert_fs_ok(fs_write_lock_take(&second, other, FS_WRITE_LOCK_WRITE, pool));
    fs_write_lock_release(second);
}

static void clearing_the_pool_lets_go(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_with(fs_test_repo_load(NULL, pool), "0", pool);
    fs_write_lock_t *lock;
    apr_pool_t *holder;

    apr_pool_create(&holder, pool);
    assert_fs_ok(
        fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_TXN_CURRENT, holder));
    apr_pool_destroy(holder);
    assert_fs_ok(
        fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_TXN_CURRENT, pool));
    fs_write_lock_release(lock);
}

static void another_process_is_waited_for_so_long(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_fsfs_t *fsfs = open_with(path, "0", pool);
    fs_write_lock_t *lock;
    int ready[2], done[2];
    char byte = 'x';
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    child = fork();
    if (!child) {
        (void)close(done[1]);
        if (fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, pool))
            _exit(1);
        if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) < 0)
            _exit(2);
        _exit(0); /* dying lets go as well */
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_fs_error_says(
        fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, pool), FS_ERR_BUSY,
        "gave up after 0 ms");
    (void)close(done[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_fs_ok(fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, pool));
    fs_write_lock_release(lock);
    (void)close(ready[0]);
    (void)close(done[0]);
}

static void the_stock_tools_wait_too(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_fsfs_t *fsfs = open_with(path, "0", pool);
    const char *value = fs_test_file("v", 1, pool);
    /* The tool goes on waiting after any other signal. */
    const char *script = "timeout -s KILL 0.5 svnadmin setrevprop \"$0\" "
                         "-r 0 name \"$1\"; exit $?";
    const char *argv[] = { "sh", "-c", script, path, value, NULL };
    fs_write_lock_t *lock;

    assert_fs_ok(fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, pool));
    assert_int_equal(fs_test_run(NULL, NULL, argv, pool), 137);
    fs_write_lock_release(lock);
    assert_int_equal(fs_test_run(NULL, NULL, argv, pool), 0);
}

static void a_missing_lock_file_is_made(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_fsfs_t *fsfs = open_with(path, "0", pool);
    const char *name = apr_pstrcat(pool, path, "/db/pack-lock", NULL);
    fs_write_lock_t *lock;

    (void)unlink(name);
    assert_fs_ok(fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_PACK, pool));
    assert_int_equal(access(name, F_OK), 0);
    fs_write_lock_release(lock);
}

static void a_lock_that_cannot_be_opened_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_with(fs_test_repo_load(NULL, pool), "0", pool);
    fs_write_lock_t *lock;

    assert_fs_error_says(fs_write_lock_take(&lock, fsfs, "no/lock", pool),
                         FS_ERR_IO, "cannot open 'no/lock'");
    assert_fs_error_says(fs_write_lock_take(&lock, fsfs, "revs", pool),
                         FS_ERR_IO, "cannot open 'revs'");
    /* Nothing of the tries stays behind. */
    assert_fs_error(fs_write_lock_take(&lock, fsfs, "revs", pool), FS_ERR_IO);
}

/* --- Threads --- */

#define THREADS 4
#define ROUNDS 50

typedef struct worker_t {
    pthread_t thread;
    fs_fsfs_t *fsfs;
    int *counter; /* guarded by the lock under test */
    fs_error_t *err;
} worker_t;

static void *work(void *data)
{
    worker_t *worker = data;
    fs_write_lock_t *lock;
    apr_pool_t *pool;
    int i, seen;

    apr_pool_create(&pool, NULL);
    for (i = 0; i < ROUNDS && !worker->err; i++) {
        worker->err =
            fs_write_lock_take(&lock, worker->fsfs, FS_WRITE_LOCK_WRITE, pool);
        if (worker->err)
            break;
        seen = *worker->counter;
        sched_yield();
        *worker->counter = seen + 1;
        fs_write_lock_release(lock);
    }
    apr_pool_destroy(pool);
    return NULL;
}

static void threads_take_turns_through_handles_of_their_own(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    worker_t workers[THREADS];
    int counter = 0;
    int i;

    for (i = 0; i < THREADS; i++) {
        workers[i].fsfs = open_with(path, "60", pool);
        workers[i].counter = &counter;
        workers[i].err = NULL;
    }
    for (i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (i = 0; i < THREADS; i++)
        assert_fs_ok(workers[i].err);
    assert_int_equal(counter, THREADS * ROUNDS);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_lock_that_is_held_is_busy_in_this_process),
    UNIT_TEST(clearing_the_pool_lets_go),
    UNIT_TEST(another_process_is_waited_for_so_long),
    UNIT_TEST(the_stock_tools_wait_too),
    UNIT_TEST(a_missing_lock_file_is_made),
    UNIT_TEST(a_lock_that_cannot_be_opened_is_told),
    UNIT_TEST(threads_take_turns_through_handles_of_their_own),
};

UNIT_MAIN(tests)
