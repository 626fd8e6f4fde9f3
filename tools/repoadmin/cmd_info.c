/* SPDX-License-Identifier: Apache-2.0 */
/* repoadmin info, lslocks, lstxns */

#include "tools/repoadmin/repoadmin.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "libfs/fs_lock.h"

/* The fact `name` of the store, or NULL. */
static const char *fact(const apr_array_header_t *facts, const char *name)
{
    int i;

    for (i = 0; i < facts->nelts; i++) {
        const apr_table_entry_t *entry =
            &APR_ARRAY_IDX(facts, i, apr_table_entry_t);

        if (strcmp(entry->key, name) == 0)
            return entry->val;
    }
    return NULL;
}

static fs_error_t *print_fact(const char *label,
                              const apr_array_header_t *facts, const char *name)
{
    const char *value = fact(facts, name);

    return value ? admin_printf("%s: %s\n", label, value) : NULL;
}

static fs_error_t *print_layout(const apr_array_header_t *facts)
{
    const char *layout = fact(facts, "layout");
    const char *addressing = fact(facts, "addressing");

    if (!layout)
        return NULL; /* the store has no such thing */
    if (strncmp(layout, "sharded ", 8) == 0)
        FS_TRY(admin_printf("FSFS Sharded: yes\nFSFS Shard Size: %s\n",
                            layout + 8));
    else
        FS_TRY(admin_printf("FSFS Sharded: no\n"));
    if (fact(facts, "shards"))
        FS_TRY(admin_printf("FSFS Shards Packed: %s/%s\n",
                            fact(facts, "packed-shards"),
                            fact(facts, "shards")));
    return admin_printf(
        "FSFS Logical Addressing: %s\n",
        addressing && strcmp(addressing, "logical") == 0 ? "yes" : "no");
}

fs_error_t *admin_cmd_info(const admin_args_t *args)
{
    const char *path = APR_ARRAY_IDX(args->words, 0, const char *);
    apr_array_header_t *facts;
    fs_repo_t *repo;
    fs_rev_t youngest;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(fs_repo_youngest(&youngest, repo, args->pool));
    FS_TRY(fs_repo_facts(&facts, repo, args->pool));
    FS_TRY(admin_printf("Path: %s\nUUID: %s\nRevisions: %" FS_REV_FMT "\n",
                        path, fs_repo_uuid(repo), youngest));
    FS_TRY(print_fact("Repository Format", facts, "repository-format"));
    FS_TRY(print_fact("Compatible With Version", facts, "compatible-version"));
    if (fs_repo_has_mergeinfo(repo))
        FS_TRY(admin_printf("Repository Capability: mergeinfo\n"));
    FS_TRY(print_fact("Filesystem Type", facts, "type"));
    FS_TRY(print_fact("Filesystem Format", facts, "format"));
    FS_TRY(print_layout(facts));
    if (fact(facts, "configuration-file"))
        FS_TRY(admin_printf("Configuration File: %s/%s\n", path,
                            fact(facts, "configuration-file")));
    return admin_printf("\n");
}

/* "2026-11-30 12:47:26 +0000 (Mon, 30 Nov 2026)", in local time. */
static fs_error_t *print_time(const char *label, apr_time_t when)
{
    char text[64] = "", day[32] = "";
    apr_time_exp_t parts;
    apr_size_t len;
    int offset;

    if (when == 0)
        return admin_printf("%s: \n", label);
    apr_time_exp_lt(&parts, when);
    apr_strftime(text, &len, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
    apr_strftime(day, &len, sizeof(day), "%a, %d %b %Y", &parts);
    offset = parts.tm_gmtoff / 60;
    return admin_printf("%s: %s %c%02d%02d (%s)\n", label, text,
                        offset < 0 ? '-' : '+', abs(offset) / 60,
                        abs(offset) % 60, day);
}

static fs_error_t *print_lock(void *baton, const fs_lock_t *lock,
                              apr_pool_t *scratch)
{
    (void)baton;
    (void)scratch;
    FS_TRY(admin_printf("Path: %s\nUUID Token: %s\nOwner: %s\n", lock->path,
                        lock->token, lock->owner));
    FS_TRY(print_time("Created", lock->created));
    FS_TRY(print_time("Expires", lock->expires));
    if (lock->comment) {
        const char *at;
        int lines = 1;

        for (at = lock->comment; *at; at++)
            lines += *at == '\n';
        FS_TRY(admin_printf("Comment (%d line%s):\n%s\n", lines,
                            lines == 1 ? "" : "s", lock->comment));
    } else {
        FS_TRY(admin_printf("Comment (0 lines):\n\n"));
    }
    return admin_printf("\n");
}

fs_error_t *admin_cmd_lslocks(const admin_args_t *args)
{
    const char *path = args->words->nelts > 1
                           ? APR_ARRAY_IDX(args->words, 1, const char *)
                           : "/";
    fs_repo_t *repo;

    FS_TRY(admin_open(&repo, args));
    return fs_lock_list(repo, path, FS_DEPTH_INFINITY, print_lock, NULL,
                        args->pool);
}

fs_error_t *admin_cmd_lstxns(const admin_args_t *args)
{
    apr_array_header_t *names;
    fs_repo_t *repo;
    int i;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(fs_repo_txns(&names, repo, args->pool));
    for (i = 0; i < names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);

        /* A name begins with the revision that the transaction is based on. */
        if (!FS_IS_REV(args->rev) || apr_strtoi64(name, NULL, 10) <= args->rev)
            FS_TRY(admin_printf("%s\n", name));
    }
    return NULL;
}
