/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that repeat one operation on a repository, without a server. */

#ifndef TOOLS_REPOBENCH_DIRECT_H
#define TOOLS_REPOBENCH_DIRECT_H

#include "libfs/fs_stream.h"
#include "libfs/fs_tree.h"
#include "tools/repobench/bench.h"

/** One thread; commands read it. */
struct bench_direct_t {
    const bench_args_t *args;
    const bench_command_t *command;
    fs_repo_t *repo; /* shared by all */
    fs_rev_t rev;
    bench_stats_t stats; /* of this thread */
    fs_error_t *err;     /* what ended it, or NULL */
};

/**
 * Run args->clients threads, each args->repetitions operations on the
 * repository in the folder args->target, and count in `stats`.
 */
fs_error_t *bench_direct_run(const bench_command_t *command,
                             const bench_args_t *args,
                             bench_stats_t *stats) FS_MUST_CHECK;

/** The fspath of one of args->paths. */
const char *bench_direct_path(const bench_direct_t *direct, int index,
                              apr_pool_t *pool);

/** Read a stream to its end and count its bytes as content. */
fs_error_t *bench_direct_drain(bench_direct_t *direct,
                               fs_stream_t *stream) FS_MUST_CHECK;

#endif
