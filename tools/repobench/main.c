/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repobench: measures servers that speak the protocol, and repositories
 * without a server. This file: the table of commands and the command line.
 */

#include "tools/repobench/bench.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <apr_general.h>
#include <apr_getopt.h>
#include <apr_signal.h>
#include <apr_strings.h>

#include "tools/repobench/client.h"
#include "tools/repobench/direct.h"
#include "tools/repobench/result.h"

static const bench_command_t commands[] = {
    { "null-export", "TARGET [PATH] [--bulk]",
      "fetch a whole tree: report and GETs, or all in one report", "files",
      BENCH_OPT_BULK, 1, bench_export_http, bench_export_direct },
    { "null-log", "TARGET [PATH] [-v] [-g] [-q] [-l LIMIT]",
      "the log of a path back to revision 0", "revisions",
      BENCH_OPT_VERBOSE | BENCH_OPT_MERGED | BENCH_OPT_QUIET | BENCH_OPT_LIMIT,
      1, bench_log_http, bench_log_direct },
    { "null-list", "TARGET [PATH] [-v] [-R | --depth DEPTH]",
      "the entries of a directory", "entries",
      BENCH_OPT_VERBOSE | BENCH_OPT_DEPTH, 1, bench_list_http,
      bench_list_direct },
    { "null-blame", "TARGET [PATH] [-g]",
      "all versions of a file, each as a delta", "versions", BENCH_OPT_MERGED,
      1, bench_blame_http, bench_blame_direct },
    { "propfind", "TARGET [PATH] [--depth 0|1]",
      "all properties of a node, or of it and its children", "nodes",
      BENCH_OPT_DEPTH, 1, bench_propfind_http, bench_propfind_direct },
    { "get", "TARGET [PATH...]", "contents of files, one after the other",
      "files", 0, -1, bench_get_http, bench_get_direct },
    { "options", "TARGET", "what opens each session of a client", "answers", 0,
      0, bench_options_http, bench_options_direct },
};

enum {
    OPT_BULK = 256,
    OPT_DEPTH,
    OPT_LATENCY,
    OPT_JSON,
    OPT_CONNECTIONS
};

static const apr_getopt_option_t options[] = {
    { "clients", 'c', 1, "clients at once (1)" },
    { "repetitions", 'n', 1, "operations of each client (1)" },
    { "revision", 'r', 1, "the revision to look at (the youngest)" },
    { "connections", OPT_CONNECTIONS, 1,
      "connections of a client at most (4)" },
    { "bulk", OPT_BULK, 0, "null-export: contents inside of the report" },
    { "verbose", 'v', 0, "null-log: changed paths; null-list: all fields" },
    { "merged", 'g', 0, "merged revisions as well" },
    { "quiet", 'q', 0, "null-log: without messages" },
    { "limit", 'l', 1, "null-log: so many revisions" },
    { "recursive", 'R', 0, "the same as --depth infinity" },
    { "depth", OPT_DEPTH, 1, "0, 1, empty, files, immediates or infinity" },
    { "cache", 'M', 1, "MiB of cache, 0 for none; without a server (64)" },
    { "latency", OPT_LATENCY, 0, "tell percentiles of durations" },
    { "json", OPT_JSON, 0, "the result as a JSON object" },
    { "help", 'h', 0, "this text" },
    { "version", 'V', 0, "the version" },
    { NULL, 0, 0, NULL },
};

/* ---- the command line ---- */

static void print_help(void)
{
    const apr_getopt_option_t *option;
    apr_size_t i;

    printf("usage: repobench COMMAND TARGET [PATH...] [OPTIONS]\n\n"
           "TARGET is a URL (http://HOST[:PORT]/PATH), or the folder of a "
           "repository, which\nis then read without a server. PATH is below "
           "TARGET.\n\ncommands:\n");
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        printf("  %s %s\n      %s\n", commands[i].name, commands[i].usage,
               commands[i].help);
    printf("\noptions:\n");
    for (option = options; option->name; option++) {
        if (option->optch < 256)
            printf("  -%c, ", option->optch);
        else
            printf("      ");
        printf("--%s%s: %s\n", option->name, option->has_arg ? " ARG" : "",
               option->description);
    }
}

static const bench_command_t *find_command(const char *name)
{
    apr_size_t i;

    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static bool parse_number(apr_int64_t *number, const char *text, apr_int64_t low,
                         apr_int64_t high)
{
    char *end;

    *number = apr_strtoi64(text, &end, 10);
    return *text && !*end && *number >= low && *number <= high;
}

static bool parse_depth(fs_depth_t *depth, const char *text)
{
    static const struct {
        const char *word;
        fs_depth_t depth;
    } words[] = {
        { "0", FS_DEPTH_EMPTY },
        { "1", FS_DEPTH_IMMEDIATES },
        { "empty", FS_DEPTH_EMPTY },
        { "files", FS_DEPTH_FILES },
        { "immediates", FS_DEPTH_IMMEDIATES },
        { "infinity", FS_DEPTH_INFINITY },
    };
    apr_size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, text) == 0) {
            *depth = words[i].depth;
            return true;
        }
    return false;
}

static unsigned int option_bit(int option)
{
    switch (option) {
    case OPT_BULK:
        return BENCH_OPT_BULK;
    case 'v':
        return BENCH_OPT_VERBOSE;
    case 'g':
        return BENCH_OPT_MERGED;
    case 'q':
        return BENCH_OPT_QUIET;
    case 'l':
        return BENCH_OPT_LIMIT;
    case 'R':
    case OPT_DEPTH:
        return BENCH_OPT_DEPTH;
    default:
        return 0;
    }
}

static const char *take_number(bench_args_t *args, int option,
                               const char *value)
{
    apr_int64_t low = option == 'r' || option == 'l' || option == 'M' ? 0 : 1;
    apr_int64_t high = option == 'r' ? APR_INT64_MAX : 1000000;
    apr_int64_t number;

    if (!parse_number(&number, value, low, high))
        return apr_psprintf(args->pool,
                            "'%s' is not a number from %" APR_INT64_T_FMT
                            " to %" APR_INT64_T_FMT,
                            value, low, high);
    if (option == 'c')
        args->clients = (int)number;
    else if (option == 'n')
        args->repetitions = (int)number;
    else if (option == 'r')
        args->rev = number;
    else if (option == 'l')
        args->limit = number;
    else if (option == 'M')
        args->cache_mib = (int)number;
    else
        args->connections = (int)number;
    return NULL;
}

/* One option; returns a complaint or NULL. */
static const char *take_option(bench_args_t *args,
                               const bench_command_t *command, int option,
                               const char *value)
{
    unsigned int bit = option_bit(option);

    if (bit && !(command->options & bit))
        return apr_psprintf(args->pool, "'%s' has no such option; it takes: %s",
                            command->name, command->usage);
    if (option == OPT_DEPTH)
        return parse_depth(&args->depth, value)
                   ? NULL
                   : apr_psprintf(args->pool, "'%s' is not a depth", value);
    if (value)
        return take_number(args, option, value);
    if (option == 'R')
        args->depth = FS_DEPTH_INFINITY;
    args->bulk |= bit == BENCH_OPT_BULK;
    args->verbose |= bit == BENCH_OPT_VERBOSE;
    args->merged |= bit == BENCH_OPT_MERGED;
    args->quiet |= bit == BENCH_OPT_QUIET;
    args->latency |= option == OPT_LATENCY;
    args->json |= option == OPT_JSON;
    return NULL;
}

static const char *take_words(bench_args_t *args,
                              const bench_command_t *command,
                              const apr_getopt_t *os, int argc)
{
    int i, count = argc - os->ind - 1;

    if (count < 0 || (command->max_paths >= 0 && count > command->max_paths))
        return apr_psprintf(args->pool, "usage: repobench %s %s", command->name,
                            command->usage);
    args->target = os->argv[os->ind];
    for (i = os->ind + 1; i < argc; i++) {
        const char *path = os->argv[i];

        APR_ARRAY_PUSH(args->paths, const char *) = path + strspn(path, "/");
    }
    if (count == 0)
        APR_ARRAY_PUSH(args->paths, const char *) = "";
    return NULL;
}

/* Take the words after the command apart; returns a complaint or NULL. */
static const char *parse_args(bench_args_t *args,
                              const bench_command_t *command, int argc,
                              const char *const *argv)
{
    const char *complaint = NULL, *value;
    apr_status_t status;
    apr_getopt_t *os;
    int option;

    apr_getopt_init(&os, args->pool, argc, argv);
    os->interleave = 1;
    os->errfn = NULL;
    for (;;) {
        value = NULL;
        status = apr_getopt_long(os, options, &option, &value);
        if (APR_STATUS_IS_EOF(status))
            return take_words(args, command, os, argc);
        if (status != APR_SUCCESS)
            return "an option is not known or lacks its value; 'repobench "
                   "help' lists them";
        complaint = take_option(args, command, option, value);
        if (complaint)
            return complaint;
    }
}

/* ---- running ---- */

static int fail(fs_error_t *err, apr_pool_t *pool)
{
    fprintf(stderr, "repobench: %s\n", fs_error_describe(err, pool));
    fs_error_clear(err);
    return EXIT_FAILURE;
}

static apr_time_t cpu_used(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return apr_time_make(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec,
                         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int run_command(const bench_command_t *command, int argc,
                       const char *const *argv, apr_pool_t *pool)
{
    bench_stats_t *stats = apr_pcalloc(pool, sizeof(*stats));
    bench_args_t args = { 0 };
    const char *complaint;
    fs_error_t *err;

    args.target = "";
    args.paths = apr_array_make(pool, 4, sizeof(const char *));
    args.rev = FS_INVALID_REV;
    args.clients = args.repetitions = 1;
    args.connections = 4;
    args.depth = FS_DEPTH_UNKNOWN;
    args.cache_mib = 64;
    args.pool = pool;
    complaint = parse_args(&args, command, argc, argv);
    if (complaint) {
        fprintf(stderr, "repobench: %s\n", complaint);
        return EXIT_FAILURE;
    }
    err = strstr(args.target, "://") ? bench_client_run(command, &args, stats)
                                     : bench_direct_run(command, &args, stats);
    if (err)
        return fail(err, pool);
    stats->cpu = cpu_used();
    return bench_result_print(command, &args, stats) ? EXIT_SUCCESS
                                                     : EXIT_FAILURE;
}

static int run(int argc, const char *const *argv, apr_pool_t *pool)
{
    const bench_command_t *command;

    if (argc < 2) {
        fprintf(stderr, "repobench: no command; 'repobench help' lists them\n");
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_help();
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("repobench %s\n", REPO_VERSION);
        return EXIT_SUCCESS;
    }
    command = find_command(argv[1]);
    if (!command) {
        fprintf(stderr,
                "repobench: there is no command '%s'; 'repobench help' lists "
                "them\n",
                argv[1]);
        return EXIT_FAILURE;
    }
    return run_command(command, argc - 1, argv + 1, pool);
}

int main(int argc, const char *const *argv)
{
    apr_pool_t *pool;
    int code;

    if (apr_app_initialize(&argc, &argv, NULL) != APR_SUCCESS)
        return EXIT_FAILURE;
    /* A server may close a connection while a request is being written. */
    apr_signal(SIGPIPE, SIG_IGN);
    apr_pool_create(&pool, NULL);
    code = run(argc, argv, pool);
    apr_pool_destroy(pool);
    apr_terminate();
    return code;
}
