/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that repeat one operation on a repository, without a server. */

#include "tools/repobench/direct.h"

#include <apr_thread_proc.h>

#include "libfs/fs_path.h"

const char *bench_direct_path(const bench_direct_t *direct, int index,
                              apr_pool_t *pool)
{
    return fs_path_canonical(
        APR_ARRAY_IDX(direct->args->paths, index, const char *), pool);
}

fs_error_t *bench_direct_drain(bench_direct_t *direct, fs_stream_t *stream)
{
    char buffer[16384];
    apr_size_t len;

    do {
        len = sizeof(buffer);
        FS_TRY(fs_stream_read(stream, buffer, &len));
        direct->stats.content += len;
    } while (len > 0);
    return fs_stream_close(stream);
}

static fs_error_t *repeat(bench_direct_t *direct, apr_pool_t *pool)
{
    int i;

    for (i = 0; i < direct->args->repetitions; i++) {
        apr_time_t began = apr_time_now();

        apr_pool_clear(pool);
        FS_TRY(direct->command->direct(direct, pool));
        direct->stats.operations++;
        bench_histogram_add(&direct->stats.operation_us,
                            apr_time_now() - began);
    }
    return NULL;
}

static void *APR_THREAD_FUNC run_thread(apr_thread_t *thread, void *baton)
{
    bench_direct_t *direct = baton;
    apr_allocator_t *allocator;
    apr_pool_t *pool;

    (void)thread;
    /* A pool of its own, without a parent that threads would share. */
    apr_allocator_create(&allocator);
    apr_pool_create_unmanaged_ex(&pool, NULL, allocator);
    apr_allocator_owner_set(allocator, pool);
    direct->err = repeat(direct, pool);
    apr_pool_destroy(pool);
    return NULL;
}

static fs_error_t *run_all(bench_direct_t *threads, int count, apr_pool_t *pool)
{
    apr_thread_t **handles =
        apr_pcalloc(pool, sizeof(*handles) * (apr_size_t)count);
    apr_status_t status = APR_SUCCESS, ended;
    int i;

    for (i = 0; i < count && status == APR_SUCCESS; i++)
        status =
            apr_thread_create(&handles[i], NULL, run_thread, &threads[i], pool);
    if (status != APR_SUCCESS)
        i--;
    while (i-- > 0)
        apr_thread_join(&ended, handles[i]);
    return status ? FS_ERROR_APR(status, "starting %d threads", count) : NULL;
}

static fs_error_t *collect(bench_stats_t *stats, const bench_direct_t *threads,
                           int count)
{
    fs_error_t *err = NULL;
    int i;

    for (i = 0; i < count; i++) {
        bench_stats_merge(stats, &threads[i].stats);
        if (err)
            fs_error_clear(threads[i].err);
        else
            err = threads[i].err;
    }
    return err;
}

static fs_error_t *open_repo(fs_repo_t **repo, fs_rev_t *rev,
                             const bench_args_t *args)
{
    cache_options_t options = { args->cache_mib ? "process" : "none",
                                (apr_uint64_t)args->cache_mib << 20 };
    apr_status_t status;
    fs_rev_t youngest;
    cache_t *cache;

    status = cache_create(&cache, &options, args->pool);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "making a cache of %d MiB",
                            args->cache_mib);
    FS_TRY(fs_repo_open(repo, args->target, NULL, cache, args->pool));
    FS_TRY(fs_repo_youngest(&youngest, *repo, args->pool));
    *rev = FS_IS_REV(args->rev) ? args->rev : youngest;
    return NULL;
}

fs_error_t *bench_direct_run(const bench_command_t *command,
                             const bench_args_t *args, bench_stats_t *stats)
{
    apr_time_t began = apr_time_now();
    bench_direct_t *threads;
    fs_error_t *err, *failed;
    fs_repo_t *repo;
    fs_rev_t rev;
    int i;

    FS_TRY(open_repo(&repo, &rev, args));
    threads =
        apr_pcalloc(args->pool, sizeof(*threads) * (apr_size_t)args->clients);
    for (i = 0; i < args->clients; i++) {
        threads[i].args = args;
        threads[i].command = command;
        threads[i].repo = repo;
        threads[i].rev = rev;
    }
    err = run_all(threads, args->clients, args->pool);
    stats->elapsed = apr_time_now() - began;
    failed = collect(stats, threads, args->clients);
    if (err)
        fs_error_clear(failed);
    return err ? err : failed;
}
