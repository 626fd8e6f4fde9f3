/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of repobench share: the command line, counts, commands. */

#ifndef TOOLS_REPOBENCH_BENCH_H
#define TOOLS_REPOBENCH_BENCH_H

#include <apr_pools.h>
#include <apr_tables.h>

#include "libfs/fs_repo.h"
#include "tools/repobench/histogram.h"

/** The command line, taken apart. */
typedef struct bench_args_t {
    const char *target;        /* a URL, or the folder of a repository */
    apr_array_header_t *paths; /* of const char *: relpaths below the target;
                                  one empty path if none was given */
    fs_rev_t rev;              /* -r; FS_INVALID_REV: the youngest */
    int clients;               /* -c, >= 1 */
    int repetitions;           /* -n of each client, >= 1 */
    int connections;           /* of one client at most, >= 1 */
    apr_int64_t limit;         /* -l, 0: none */
    fs_depth_t depth;          /* FS_DEPTH_UNKNOWN: the command's own */
    int cache_mib;             /* -M, direct only; 0: no cache */
    bool bulk;
    bool verbose; /* -v */
    bool merged;  /* -g */
    bool quiet;   /* -q */
    bool latency;
    bool json;
    apr_pool_t *pool;
} bench_args_t;

/** What was counted. Zero bytes are the beginning. Belongs to one thread. */
typedef struct bench_stats_t {
    apr_uint64_t operations;
    apr_uint64_t items;    /* files, revisions, entries: as the command says */
    apr_uint64_t content;  /* bytes of answers' bodies, or of what libfs told */
    apr_uint64_t requests; /* HTTP only, as all below; answered ones */
    apr_uint64_t resent;   /* again, since a connection was closed */
    apr_uint64_t connections; /* opened */
    apr_uint64_t received;    /* bytes on the wire */
    apr_uint64_t sent;
    apr_time_t elapsed; /* us, of all together */
    apr_time_t cpu;     /* us, that this process used, its start included */
    bench_histogram_t operation_us;
    bench_histogram_t request_us; /* from sending to the last byte */
} bench_stats_t;

/** Add the counts of `from` to `to`, but for `elapsed` and `cpu`. */
void bench_stats_merge(bench_stats_t *to, const bench_stats_t *from);

typedef struct bench_client_t bench_client_t; /* client.h */
typedef struct bench_direct_t bench_direct_t; /* direct.h */

/** Options that commands take, as bits. */
enum {
    BENCH_OPT_BULK = 1,
    BENCH_OPT_VERBOSE = 2,
    BENCH_OPT_MERGED = 4,
    BENCH_OPT_QUIET = 8,
    BENCH_OPT_DEPTH = 16,
    BENCH_OPT_LIMIT = 32
};

/** One command: how one operation is done. */
typedef struct bench_command_t {
    const char *name;
    const char *usage;    /* what follows the name */
    const char *help;     /* one line */
    const char *items;    /* what is counted as an item */
    unsigned int options; /* BENCH_OPT_... */
    int max_paths;        /* after the target; -1: any number */
    /** Begin an operation; its end is bench_client_done(). */
    fs_error_t *(*http)(bench_client_t *client);
    /** Do an operation. */
    fs_error_t *(*direct)(bench_direct_t *direct, apr_pool_t *scratch);
} bench_command_t;

fs_error_t *bench_export_http(bench_client_t *client);
fs_error_t *bench_export_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_log_http(bench_client_t *client);
fs_error_t *bench_log_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_list_http(bench_client_t *client);
fs_error_t *bench_list_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_blame_http(bench_client_t *client);
fs_error_t *bench_blame_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_propfind_http(bench_client_t *client);
fs_error_t *bench_propfind_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_get_http(bench_client_t *client);
fs_error_t *bench_get_direct(bench_direct_t *direct, apr_pool_t *scratch);
fs_error_t *bench_options_http(bench_client_t *client);
fs_error_t *bench_options_direct(bench_direct_t *direct, apr_pool_t *scratch);

#endif
