/* SPDX-License-Identifier: Apache-2.0 */
/* repoadmin: looks after repositories. This file: the table of commands. */

#include "tools/repoadmin/repoadmin.h"

#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_getopt.h>
#include <apr_strings.h>

/* Options that have no letter. */
enum {
    OPT_FS_TYPE = 256,
    OPT_COMPATIBLE,
    OPT_PRE_1_4,
    OPT_PRE_1_5,
    OPT_PRE_1_6,
    OPT_OPTION,
    OPT_IGNORED,
    OPT_IGNORED_ARG
};

static const admin_command_t commands[] = {
    { "create", "REPOSITORY [--compatible-version ARG] [--option NAME=VALUE]",
      "make an empty repository", ADMIN_OPT_CREATE, 1, 1, admin_cmd_create },
    { "dump", "REPOSITORY [-r FROM[:TO]] [--incremental] [--deltas] [-F FILE]",
      "write revisions as a dump stream",
      ADMIN_OPT_REV | ADMIN_OPT_QUIET | ADMIN_OPT_INCREMENTAL |
          ADMIN_OPT_DELTAS | ADMIN_OPT_FILE,
      1, 1, admin_cmd_dump },
    { "info", "REPOSITORY", "tell what kind of repository it is", 0, 1, 1,
      admin_cmd_info },
    { "lslocks", "REPOSITORY [PATH]", "list the locks at and below a path", 0,
      1, 2, admin_cmd_lslocks },
    { "lstxns", "REPOSITORY [-r REV]", "list the open transactions",
      ADMIN_OPT_REV, 1, 1, admin_cmd_lstxns },
    { NULL, NULL, NULL, 0, 0, 0, NULL },
};

static const apr_getopt_option_t options[] = {
    { "revision", 'r', 1, "a revision, or two with a colon between" },
    { "quiet", 'q', 0, "no progress" },
    { "incremental", 'i', 0, "the first revision as changes, not whole" },
    { "deltas", 'd', 0, "differences in place of full texts" },
    { "file", 'F', 1, "write to this file" },
    { "memory-cache-size", 'M', 1, "MiB of memory for caching (16)" },
    { "full-paths", 'f', 0, "show full paths" },
    { "non-recursive", 'N', 0, "only the directory itself" },
    { "compatible-version", OPT_COMPATIBLE, 1,
      "a new repository is for this release and later ones (1.8)" },
    { "option", OPT_OPTION, 1,
      "set NAME=VALUE in a new repository (shard-size=100)" },
    { "fs-type", OPT_FS_TYPE, 1, "kind of a new repository: fsfs" },
    { "pre-1.4-compatible", OPT_PRE_1_4, 0, "old word for 1.3" },
    { "pre-1.5-compatible", OPT_PRE_1_5, 0, "old word for 1.4" },
    { "pre-1.6-compatible", OPT_PRE_1_6, 0, "old word for 1.5" },
    { "bdb-txn-nosync", OPT_IGNORED, 0, "has no effect" },
    { "bdb-log-keep", OPT_IGNORED, 0, "has no effect" },
    { "config-dir", OPT_IGNORED_ARG, 1, "has no effect" },
    { "help", 'h', 0, "this text" },
    { "version", 'v', 0, "the version" },
    { NULL, 0, 0, NULL },
};

fs_error_t *admin_write(const char *data, apr_size_t len)
{
    if (fwrite(data, 1, len, stdout) == len)
        return NULL;
    if (errno == EPIPE)
        return FS_ERROR(FS_ERR_CANCELLED, "the reader of the output is gone");
    return FS_ERROR_APR(APR_FROM_OS_ERROR(errno), "writing to standard output");
}

fs_error_t *admin_printf(const char *format, ...)
{
    va_list args;
    int len;

    va_start(args, format);
    len = vprintf(format, args);
    va_end(args);
    return len < 0 ? FS_ERROR_APR(APR_FROM_OS_ERROR(errno),
                                  "writing to standard output")
                   : NULL;
}

fs_error_t *admin_open(fs_repo_t **repo, const admin_args_t *args)
{
    cache_options_t cache_options = { "process",
                                      (apr_uint64_t)args->cache_mib << 20 };
    const char *path = APR_ARRAY_IDX(args->words, 0, const char *);
    apr_status_t status;
    cache_t *cache;

    status = cache_create(&cache, &cache_options, args->pool);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "making a cache of %u MiB",
                            args->cache_mib);
    return fs_repo_open(repo, path, NULL, cache, args->pool);
}

fs_error_t *admin_rev(fs_rev_t *rev, fs_repo_t *repo, const admin_args_t *args)
{
    fs_rev_t youngest;

    FS_TRY(fs_repo_youngest(&youngest, repo, args->pool));
    *rev = FS_IS_REV(args->rev) ? args->rev : youngest;
    if (*rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "no such revision %" FS_REV_FMT
                        ", the youngest is %" FS_REV_FMT,
                        *rev, youngest);
    return NULL;
}

/* ---- the command line ---- */

static void print_commands(const char *prefix, const admin_command_t *table)
{
    for (; table->name; table++)
        printf("  %s%s %s\n      %s\n", prefix, table->name, table->usage,
               table->help);
}

static void print_help(void)
{
    const apr_getopt_option_t *option;

    printf("usage: repoadmin COMMAND REPOSITORY [OPTIONS]\n\ncommands:\n");
    print_commands("", commands);
    print_commands("look ", admin_look_commands);
    printf("\noptions:\n");
    for (option = options; option->name; option++) {
        if (option->optch < OPT_FS_TYPE)
            printf("  -%c, ", option->optch);
        else
            printf("      ");
        printf("--%s%s: %s\n", option->name, option->has_arg ? " ARG" : "",
               option->description);
    }
}

static bool parse_rev(fs_rev_t *rev, const char *text, const char **end)
{
    char *after;

    if (strncmp(text, "HEAD", 4) == 0) {
        *rev = FS_INVALID_REV;
        *end = text + 4;
        return true;
    }
    errno = 0;
    *rev = apr_strtoi64(text, &after, 10);
    *end = after;
    return errno == 0 && after != text && *rev >= 0;
}

static bool parse_range(admin_args_t *args, const char *text)
{
    const char *end;

    if (!parse_rev(&args->rev, text, &end))
        return false;
    args->rev_end = args->rev;
    if (*end == ':')
        return parse_rev(&args->rev_end, end + 1, &end) && !*end;
    return !*end;
}

static const admin_command_t *find_command(const admin_command_t *table,
                                           const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

static unsigned int option_bit(int letter)
{
    switch (letter) {
    case 'r':
        return ADMIN_OPT_REV;
    case 'q':
        return ADMIN_OPT_QUIET;
    case 'i':
        return ADMIN_OPT_INCREMENTAL;
    case 'd':
        return ADMIN_OPT_DELTAS;
    case 'F':
        return ADMIN_OPT_FILE;
    case 'f':
        return ADMIN_OPT_FULL_PATHS;
    case 'N':
        return ADMIN_OPT_NON_RECURSIVE;
    default:
        return letter >= OPT_FS_TYPE ? ADMIN_OPT_CREATE : 0;
    }
}

/* The option as it is written: by its letter, if it has one. */
static const char *spelling(int letter, apr_pool_t *pool)
{
    const apr_getopt_option_t *option = options;

    if (letter < OPT_FS_TYPE)
        return apr_psprintf(pool, "-%c", letter);
    while (option->optch != letter)
        option++;
    return apr_pstrcat(pool, "--", option->name, (char *)NULL);
}

static void set_create(admin_args_t *args, const char *name, const char *value)
{
    apr_hash_set(args->create, name, APR_HASH_KEY_STRING, value);
}

/* An option of a new repository. */
static const char *take_create_option(admin_args_t *args, int letter,
                                      const char *value)
{
    static const char version[] = "compatible-version";
    const char *equals;

    switch (letter) {
    case OPT_FS_TYPE:
        args->fs_type = value;
        break;
    case OPT_COMPATIBLE:
        set_create(args, version, value);
        break;
    case OPT_PRE_1_4:
        set_create(args, version, "1.3");
        break;
    case OPT_PRE_1_5:
        set_create(args, version, "1.4");
        break;
    case OPT_PRE_1_6:
        set_create(args, version, "1.5");
        break;
    case OPT_OPTION:
        equals = strchr(value, '=');
        if (!equals)
            return apr_psprintf(args->pool, "'%s' is not NAME=VALUE", value);
        set_create(
            args,
            apr_pstrmemdup(args->pool, value, (apr_size_t)(equals - value)),
            equals + 1);
        break;
    default: /* ignored */
        break;
    }
    return NULL;
}

static const char *take_option(admin_args_t *args,
                               const admin_command_t *command, int letter,
                               const char *value)
{
    unsigned int bit = option_bit(letter);
    char *end;

    if (bit && !(command->options & bit))
        return apr_psprintf(args->pool, "'%s' does not take the option '%s'",
                            command->name, spelling(letter, args->pool));
    if (bit == ADMIN_OPT_CREATE)
        return take_create_option(args, letter, value);
    switch (letter) {
    case 'r':
        if (!parse_range(args, value))
            return apr_psprintf(args->pool,
                                "'%s' is not a revision, 'HEAD', or two of "
                                "them with a colon between",
                                value);
        break;
    case 'M':
        args->cache_mib = (unsigned int)strtoul(value, &end, 10);
        if (*end || end == value || args->cache_mib > 1024 * 1024)
            return apr_psprintf(args->pool, "'%s' is not a number of MiB",
                                value);
        break;
    case 'F':
        args->file = value;
        break;
    default:
        args->quiet |= bit == ADMIN_OPT_QUIET;
        args->incremental |= bit == ADMIN_OPT_INCREMENTAL;
        args->deltas |= bit == ADMIN_OPT_DELTAS;
        args->full_paths |= bit == ADMIN_OPT_FULL_PATHS;
        args->non_recursive |= bit == ADMIN_OPT_NON_RECURSIVE;
    }
    return NULL;
}

/* Take the words after the command apart; returns a complaint or NULL. */
static const char *parse_args(admin_args_t *args,
                              const admin_command_t *command, int argc,
                              const char *const *argv)
{
    const char *complaint = NULL, *value;
    apr_status_t status;
    apr_getopt_t *os;
    int letter;

    apr_getopt_init(&os, args->pool, argc, argv);
    os->interleave = 1;
    os->errfn = NULL;
    while (!complaint) {
        status = apr_getopt_long(os, options, &letter, &value);
        if (APR_STATUS_IS_EOF(status))
            break;
        if (status != APR_SUCCESS)
            return apr_psprintf(args->pool,
                                "'%s' has an option that is not known or "
                                "lacks its value",
                                command->name);
        complaint = take_option(args, command, letter, value);
    }
    for (; !complaint && os->ind < argc; os->ind++)
        APR_ARRAY_PUSH(args->words, const char *) = os->argv[os->ind];
    if (!complaint && (args->words->nelts < command->min_words ||
                       args->words->nelts > command->max_words))
        return apr_psprintf(args->pool, "usage: repoadmin %s %s", command->name,
                            command->usage);
    return complaint;
}

/* Levels of the error, outermost first; as scripts of the field read it. */
static int report_error(fs_error_t *err)
{
    const fs_error_t *level;
    bool quiet = fs_error_has(err, FS_ERR_CANCELLED);

    for (level = err; level && !quiet; level = level->cause) {
        char reason[120] = "";

        if (level->apr_status != APR_SUCCESS && !level->cause)
            apr_strerror(level->apr_status, reason, sizeof(reason));
        fprintf(stderr, "repoadmin: E%06d: %s%s%s\n", (int)level->code,
                level->message, *reason ? ": " : "", reason);
    }
    fs_error_clear(err);
    return EXIT_FAILURE;
}

static int run_command(const admin_command_t *command, int argc,
                       const char *const *argv, apr_pool_t *pool)
{
    admin_args_t args = { 0 };
    const char *complaint;
    fs_error_t *err;

    args.words = apr_array_make(pool, 4, sizeof(const char *));
    args.rev = args.rev_end = FS_INVALID_REV;
    args.cache_mib = 16;
    args.create = apr_hash_make(pool);
    args.pool = pool;
    complaint = parse_args(&args, command, argc, argv);
    if (complaint) {
        fprintf(stderr, "repoadmin: E205000: %s\n", complaint);
        return EXIT_FAILURE;
    }
    err = command->run(&args);
    if (!err && fflush(stdout) != 0)
        err = FS_ERROR_APR(APR_FROM_OS_ERROR(errno),
                           "writing to standard output");
    return err ? report_error(err) : EXIT_SUCCESS;
}

static int run(int argc, const char *const *argv, apr_pool_t *pool)
{
    const admin_command_t *command;
    int skip = 1;

    if (argc > 1 &&
        (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
         strcmp(argv[1], "-h") == 0)) {
        print_help();
        return EXIT_SUCCESS;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("repoadmin %s\n", REPO_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc < 2) {
        fprintf(stderr, "repoadmin: E205000: no command; 'repoadmin help' "
                        "lists them\n");
        return EXIT_FAILURE;
    }
    command = find_command(commands, argv[1]);
    if (!command && strcmp(argv[1], "look") == 0 && argc > 2) {
        command = find_command(admin_look_commands, argv[2]);
        skip = 2;
    }
    if (!command) {
        fprintf(stderr,
                "repoadmin: E205000: there is no command '%s%s%s'; 'repoadmin "
                "help' lists them\n",
                argv[1], skip == 2 ? " " : "", skip == 2 ? argv[2] : "");
        return EXIT_FAILURE;
    }
    return run_command(command, argc - skip, argv + skip, pool);
}

int main(int argc, const char *const *argv)
{
    apr_pool_t *pool;
    int code;

    if (apr_app_initialize(&argc, &argv, NULL) != APR_SUCCESS)
        return EXIT_FAILURE;
    apr_pool_create(&pool, NULL);
    code = run(argc, argv, pool);
    apr_pool_destroy(pool);
    apr_terminate();
    return code;
}
