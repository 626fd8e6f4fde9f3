/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of repoadmin share. */

#ifndef TOOLS_REPOADMIN_REPOADMIN_H
#define TOOLS_REPOADMIN_REPOADMIN_H

#include <apr_hash.h>
#include <apr_pools.h>
#include <apr_tables.h>

#include "libfs/fs_repo.h"

/** The command line after the command's name, taken apart. */
typedef struct admin_args_t {
    apr_array_header_t *words; /* of const char *: what is no option */
    fs_rev_t rev;              /* -r: FS_INVALID_REV if not given */
    fs_rev_t rev_end;          /* -r A:B: B, else as `rev` */
    bool quiet;
    bool incremental;
    bool deltas;
    bool full_paths;
    bool non_recursive;
    const char *file;       /* -F: write there, NULL: standard output */
    unsigned int cache_mib; /* -M */
    apr_hash_t *create;     /* options of a new repository */
    const char *fs_type;    /* --fs-type, NULL: not given */
    apr_pool_t *pool;
} admin_args_t;

/** Options that commands take, as bits. */
enum {
    ADMIN_OPT_REV = 1,
    ADMIN_OPT_QUIET = 2,
    ADMIN_OPT_INCREMENTAL = 4,
    ADMIN_OPT_DELTAS = 8,
    ADMIN_OPT_FILE = 16,
    ADMIN_OPT_FULL_PATHS = 32,
    ADMIN_OPT_NON_RECURSIVE = 64,
    ADMIN_OPT_CREATE = 128 /* all that are for a new repository */
};

/** One command. */
typedef struct admin_command_t {
    const char *name;
    const char *usage; /* what follows the name */
    const char *help;  /* one line */
    unsigned int options;
    int min_words;
    int max_words;
    fs_error_t *(*run)(const admin_args_t *args);
} admin_command_t;

fs_error_t *admin_cmd_create(const admin_args_t *args);
fs_error_t *admin_cmd_dump(const admin_args_t *args);
fs_error_t *admin_cmd_info(const admin_args_t *args);
fs_error_t *admin_cmd_lslocks(const admin_args_t *args);
fs_error_t *admin_cmd_lstxns(const admin_args_t *args);

/** `repoadmin look`: the table ends with a NULL name. */
extern const admin_command_t admin_look_commands[];

/** Open the repository named by the first word. */
fs_error_t *admin_open(fs_repo_t **repo,
                       const admin_args_t *args) FS_MUST_CHECK;

/** The revision asked for by -r, or the youngest. */
fs_error_t *admin_rev(fs_rev_t *rev, fs_repo_t *repo,
                      const admin_args_t *args) FS_MUST_CHECK;

/** Write to standard output; a closed pipe is FS_ERR_CANCELLED. */
fs_error_t *admin_write(const char *data, apr_size_t len) FS_MUST_CHECK;
fs_error_t *admin_printf(const char *format, ...) FS_MUST_CHECK FS_PRINTF(1, 2);

#endif
