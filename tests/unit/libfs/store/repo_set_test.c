/* SPDX-License-Identifier: Apache-2.0 */
/* The set of open repositories: shared, replaced when stale, bounded. */

#include "libfs/fs_repo.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/store_walk.h"
#include "tests/support/unit.h"

static fs_repo_set_t *make_set(int max_idle, apr_pool_t *pool)
{
    fs_repo_set_t *set;

    assert_fs_ok(fs_repo_set_create(&set, max_idle, NULL, pool));
    return set;
}

static fs_repo_t *get(fs_repo_set_t *set, const char *path, apr_hash_t *options,
                      apr_pool_t *holder)
{
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_set_get(&repo, set, path, options, holder));
    return repo;
}

static void a_repository_is_opened_once(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_set_t *set = make_set(4, pool);
    apr_pool_t *first;
    apr_pool_t *second;
    fs_repo_t *repo;

    apr_pool_create(&first, pool);
    apr_pool_create(&second, pool);
    repo = get(set, path, NULL, first);
    assert_ptr_equal(get(set, path, NULL, second), repo);
    apr_pool_destroy(first);
    apr_pool_clear(second);
    /* It stays open without a user. */
    assert_ptr_equal(get(set, path, NULL, second), repo);
    apr_pool_destroy(second);
}

static void other_options_are_another_handle(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_set_t *set = make_set(4, pool);
    apr_pool_t *holder;

    apr_hash_set(options, "nosync", APR_HASH_KEY_STRING, "true");
    apr_pool_create(&holder, pool);
    assert_ptr_not_equal(get(set, path, options, holder),
                         get(set, path, NULL, holder));
    apr_pool_destroy(holder);
}

static void a_stale_handle_is_replaced_and_lives_while_held(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    const char *setuuid[] = { "svnadmin", "setuuid", path, NULL };
    fs_repo_set_t *set = make_set(4, pool);
    apr_pool_t *first;
    apr_pool_t *second;
    const char *uuid;
    fs_repo_t *old;

    apr_pool_create(&first, pool);
    apr_pool_create(&second, pool);
    old = get(set, path, NULL, first);
    uuid = apr_pstrdup(pool, fs_repo_uuid(old));
    fs_test_must_run(NULL, NULL, setuuid, pool);
    assert_string_not_equal(fs_repo_uuid(get(set, path, NULL, second)), uuid);
    assert_string_equal(fs_repo_uuid(old), uuid);
    apr_pool_destroy(first);
    apr_pool_destroy(second);
}

static void a_repository_that_went_away_is_not_found(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_set_t *set = make_set(4, pool);
    apr_pool_t *holder;
    fs_repo_t *repo;

    apr_pool_create(&holder, pool);
    (void)get(set, path, NULL, holder);
    assert_int_equal(rename(path, apr_pstrcat(pool, path, "-old", NULL)), 0);
    assert_fs_error(fs_repo_set_get(&repo, set, path, NULL, holder),
                    FS_ERR_NOT_FOUND);
    apr_pool_destroy(holder);
}

static void more_idle_ones_than_allowed_are_closed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *one = fs_test_repo_load(NULL, pool);
    const char *two = fs_test_repo_load(NULL, pool);
    fs_repo_set_t *set = make_set(1, pool);
    apr_pool_t *holder;
    unsigned char instance[16];

    apr_pool_create(&holder, pool);
    memcpy(instance, fs_repo_instance(get(set, one, NULL, holder)), 16);
    (void)get(set, two, NULL, holder);
    apr_pool_clear(holder); /* closes `one` or `two` */
    (void)get(set, two, NULL, holder);
    apr_pool_clear(holder);
    /* `one` was closed: without a cache it is drawn a new epoch. */
    assert_memory_not_equal(fs_repo_instance(get(set, one, NULL, holder)),
                            instance, 16);
    apr_pool_destroy(holder);
}

/* --- Threads --- */

#define THREADS 8

typedef struct job_t {
    fs_repo_set_t *set;
    const char *path;
    int rounds;
    bool ok;
} job_t;

/* Assertions belong to the main thread: only note what happened. */
static void *read_all(void *data)
{
    job_t *job = data;
    store_walk_t first;
    int i;

    job->ok = true;
    for (i = 0; i < job->rounds && job->ok; i++) {
        store_walk_t walk;
        apr_pool_t *pool;
        fs_repo_t *repo;
        fs_error_t *err;

        apr_pool_create(&pool, NULL);
        err = fs_repo_set_get(&repo, job->set, job->path, NULL, pool);
        if (!err)
            err = store_walk_all(&walk, repo, pool);
        if (err) {
            print_error("%s\n", fs_error_describe(err, pool));
            fs_error_clear(err);
            job->ok = false;
        } else if (!i) {
            first = walk;
        } else if (memcmp(&first, &walk, sizeof(walk))) {
            job->ok = false;
        }
        apr_pool_destroy(pool);
    }
    return NULL;
}

static cache_t *make_cache(apr_pool_t *pool)
{
    cache_options_t options = { .backend = "process", .size = 4 << 20 };
    cache_t *cache;

    assert_apr_ok(cache_create(&cache, &options, pool));
    return cache;
}

/* Start threads that read, run `argv` meanwhile, and see that all went well.
 */
static void read_while(const char *path, cache_t *cache,
                       const char *const *argv, apr_pool_t *pool)
{
    pthread_t threads[THREADS];
    job_t jobs[THREADS];
    fs_repo_set_t *set;
    int i;

    assert_fs_ok(fs_repo_set_create(&set, 2, cache, pool));
    for (i = 0; i < THREADS; i++) {
        jobs[i] = (job_t){ set, path, 20, false };
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &jobs[i]),
                         0);
    }
    if (argv)
        fs_test_must_run(NULL, NULL, argv, pool);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (i = 0; i < THREADS; i++)
        assert_true(jobs[i].ok);
}

static void threads_read_one_repository(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load("tests/data/history/hist.dump", pool);

    read_while(path, make_cache(pool), NULL, pool);
    read_while(path, NULL, NULL, pool);
}

/* A repository of a dozen revisions in shards of two. */
static const char *make_sharded(const char *version, apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *create[] = { "svnadmin", "create", "--compatible-version",
                             version,    path,     NULL };
    const char *load[] = { "svnadmin", "load", "-q", path, NULL };
    const char *shard[] = { "sed", "-i", "s/sharded 1000/sharded 2/",
                            apr_pstrcat(pool, path, "/db/format", NULL), NULL };

    fs_test_must_run(NULL, NULL, create, pool);
    fs_test_must_run(NULL, NULL, shard, pool);
    fs_test_must_run(fs_test_source("tests/data/history/hist.dump", pool), NULL,
                     load, pool);
    return path;
}

static void threads_read_while_the_stock_tool_packs(void **state)
{
    static const char *const versions[] = { "1.6", "1.8", "1.9", "1.10" };
    apr_size_t i;

    for (i = 0; i < 2 * sizeof(versions) / sizeof(versions[0]); i++) {
        apr_pool_t *pool;
        const char *path;

        apr_pool_create(&pool, unit_pool(state));
        path = make_sharded(versions[i / 2], pool);
        {
            const char *pack[] = { "svnadmin", "pack", "-q", path, NULL };

            read_while(path, i % 2 ? make_cache(pool) : NULL, pack, pool);
        }
        apr_pool_destroy(pool);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_repository_is_opened_once),
    UNIT_TEST(other_options_are_another_handle),
    UNIT_TEST(a_stale_handle_is_replaced_and_lives_while_held),
    UNIT_TEST(a_repository_that_went_away_is_not_found),
    UNIT_TEST(more_idle_ones_than_allowed_are_closed),
    UNIT_TEST(threads_read_one_repository),
    UNIT_TEST(threads_read_while_the_stock_tool_packs),
};

UNIT_MAIN(tests)
