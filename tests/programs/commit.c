/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits to a repository without a server, for tests:
 *
 *     commit [-o OPTION=VALUE]... REPOSITORY <SCRIPT
 *
 * A line of the script is an operation; its words are quoted as for a shell:
 *
 *     mkdir PATH              touch PATH (an empty file)
 *     put PATH FILE           write PATH TEXT
 *     rm PATH                 cp REVISION PATH PATH
 *     set PATH NAME VALUE     unset PATH NAME
 *     rev NAME VALUE          property of the revision
 *     commit                  prints the new revision
 *     show | back             other programs may look at the transaction; they
 *                             are done
 *     run COMMAND             runs it; $TXN is the transaction's name
 *     leave                   ends here, the transaction stays
 *
 * A transaction is begun by the first operation after a commit, on the
 * youngest revision.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <apr_time.h>

#include "libfs/fs_txn.h"

#define BLOCK_SIZE 65536

typedef struct session_t {
    fs_repo_t *repo;
    fs_txn_t *txn;   /* NULL: none is open */
    apr_pool_t *all; /* of the transaction */
    apr_pool_t *pool;
} session_t;

static fs_error_t *need_txn(session_t *session)
{
    static const fs_bytes_t log = { "made by a test", 14 };
    static const fs_bytes_t author = { "tester", 6 };
    apr_hash_t *props;
    fs_rev_t youngest;

    if (session->txn)
        return NULL;
    apr_pool_clear(session->all);
    props = apr_hash_make(session->all);
    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING, &log);
    apr_hash_set(props, "svn:author", APR_HASH_KEY_STRING, &author);
    FS_TRY(fs_repo_youngest(&youngest, session->repo, session->pool));
    return fs_txn_begin(&session->txn, session->repo, youngest, props,
                        session->all);
}

/* --- Operations --- */

static fs_error_t *do_mkdir(session_t *session, char **words)
{
    return fs_txn_make_dir(session->txn, words[0], session->pool);
}

static fs_error_t *do_touch(session_t *session, char **words)
{
    return fs_txn_make_file(session->txn, words[0], session->pool);
}

static fs_error_t *do_rm(session_t *session, char **words)
{
    return fs_txn_delete(session->txn, words[0], session->pool);
}

static fs_error_t *do_cp(session_t *session, char **words)
{
    return fs_txn_copy(session->txn, atoi(words[0]), words[1], words[2],
                       session->pool);
}

static fs_error_t *open_text(fs_txn_text_t **text, session_t *session,
                             const char *path)
{
    fs_txn_text_form_t form = { .is_svndiff = false };
    fs_root_t *root;
    const fs_node_t *node;

    FS_TRY(fs_txn_root(&root, session->txn, session->pool));
    FS_TRY(fs_node_find(&node, root, path, session->pool));
    if (!node)
        FS_TRY(fs_txn_make_file(session->txn, path, session->pool));
    return fs_txn_text_open(text, session->txn, path, &form, session->pool);
}

static fs_error_t *do_write(session_t *session, char **words)
{
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *text;

    FS_TRY(open_text(&text, session, words[0]));
    FS_TRY(fs_txn_text_write(text, words[1], strlen(words[1])));
    return fs_txn_text_close(md5, text);
}

static fs_error_t *copy_file(fs_txn_text_t *text, FILE *file)
{
    static char block[BLOCK_SIZE];
    size_t len;

    while ((len = fread(block, 1, sizeof(block), file)))
        FS_TRY(fs_txn_text_write(text, block, len));
    return ferror(file) ? FS_ERROR(FS_ERR_GENERAL, "cannot read the file")
                        : NULL;
}

static fs_error_t *do_put(session_t *session, char **words)
{
    unsigned char md5[FS_MD5_SIZE];
    FILE *file = fopen(words[1], "rb");
    fs_txn_text_t *text;
    fs_error_t *err;

    if (!file)
        return FS_ERROR(FS_ERR_GENERAL, "cannot open '%s'", words[1]);
    err = open_text(&text, session, words[0]);
    if (!err)
        err = copy_file(text, file);
    (void)fclose(file);
    return err ? err : fs_txn_text_close(md5, text);
}

static fs_error_t *set_prop(session_t *session, const char *path,
                            const char *name, const char *text)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_prop_change_t change = { name, text ? &value : NULL };

    if (!path)
        return fs_txn_change_props(session->txn, &change, 1, session->pool);
    return fs_txn_change_node_props(session->txn, path, &change, 1,
                                    session->pool);
}

static fs_error_t *do_set(session_t *session, char **words)
{
    return set_prop(session, words[0], words[1], words[2]);
}

static fs_error_t *do_unset(session_t *session, char **words)
{
    return set_prop(session, words[0], words[1], NULL);
}

static fs_error_t *do_rev(session_t *session, char **words)
{
    return set_prop(session, NULL, words[0], words[1]);
}

static fs_error_t *do_commit(session_t *session, char **words)
{
    const char *conflict = NULL;
    fs_error_t *err;
    fs_rev_t rev;

    (void)words;
    err = fs_txn_commit(&rev, &conflict, session->txn, false, session->pool);
    if (err) {
        const char *name =
            apr_pstrdup(session->pool, fs_txn_name(session->txn));

        fs_txn_close(session->txn);
        fs_error_clear(fs_txn_abort(session->repo, name, session->pool));
    } else {
        printf("r%d\n", (int)rev);
    }
    session->txn = NULL;
    return err;
}

static fs_error_t *do_show(session_t *session, char **words)
{
    (void)words;
    return fs_txn_show(session->txn, session->pool);
}

static fs_error_t *do_back(session_t *session, char **words)
{
    (void)words;
    return fs_txn_take_back(session->txn, session->pool);
}

static fs_error_t *do_run(session_t *session, char **words)
{
    int status;

    (void)fflush(stdout);
    if (setenv("TXN", fs_txn_name(session->txn), 1))
        return FS_ERROR(FS_ERR_GENERAL, "cannot set the environment");
    status = system(words[0]); /* NOLINT(cert-env33-c): the test's own */
    return status ? FS_ERROR(FS_ERR_GENERAL, "'%s' ended with status %d",
                             words[0], status)
                  : NULL;
}

static fs_error_t *do_leave(session_t *session, char **words)
{
    (void)words;
    fs_txn_close(session->txn);
    (void)fflush(stdout);
    exit(0);
}

static const struct {
    const char *name;
    int words;
    fs_error_t *(*run)(session_t *session, char **words);
} operations[] = {
    { "mkdir", 1, do_mkdir }, { "touch", 1, do_touch },
    { "rm", 1, do_rm },       { "cp", 3, do_cp },
    { "put", 2, do_put },     { "write", 2, do_write },
    { "set", 3, do_set },     { "unset", 2, do_unset },
    { "rev", 2, do_rev },     { "commit", 0, do_commit },
    { "show", 0, do_show },   { "back", 0, do_back },
    { "run", 1, do_run },     { "leave", 0, do_leave },
};

static fs_error_t *run_line(session_t *session, const char *line)
{
    char **words;
    apr_size_t i;
    int count = 0;

    if (apr_tokenize_to_argv(line, &words, session->pool))
        return FS_ERROR(FS_ERR_GENERAL, "cannot split '%s'", line);
    while (words[count])
        count++;
    if (!count)
        return NULL;
    for (i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        if (!strcmp(operations[i].name, words[0]) &&
            operations[i].words == count - 1) {
            FS_TRY(need_txn(session));
            return operations[i].run(session, words + 1);
        }
    return FS_ERROR(FS_ERR_GENERAL, "no such operation: '%s'", line);
}

static fs_error_t *run_script(session_t *session)
{
    static char line[BLOCK_SIZE];

    while (fgets(line, sizeof(line), stdin)) {
        apr_pool_clear(session->pool);
        line[strcspn(line, "\n")] = '\0';
        FS_TRY(run_line(session, line));
    }
    return NULL;
}

/* --- The program --- */

static const char *take_options(apr_hash_t *options, char **argv,
                                apr_pool_t *pool)
{
    while (*argv && !strcmp(*argv, "-o") && argv[1]) {
        char *value = strchr(argv[1], '=');

        if (!value)
            return NULL;
        apr_hash_set(
            options,
            apr_pstrmemdup(pool, argv[1], (apr_size_t)(value - argv[1])),
            APR_HASH_KEY_STRING, value + 1);
        argv += 2;
    }
    return *argv && !argv[1] ? *argv : NULL;
}

int main(int argc, char **argv)
{
    session_t session = { .txn = NULL };
    const char *path;
    apr_hash_t *options;
    apr_pool_t *pool;
    fs_error_t *err;
    int status;

    (void)argc;
    if (apr_initialize())
        return 2;
    apr_pool_create(&pool, NULL);
    apr_pool_create(&session.all, pool);
    apr_pool_create(&session.pool, pool);
    options = apr_hash_make(pool);
    path = take_options(options, argv + 1, pool);
    if (!path) {
        fputs("usage: commit [-o OPTION=VALUE]... REPOSITORY <SCRIPT\n",
              stderr);
        return 2;
    }
    err = fs_repo_open(&session.repo, path, options, NULL, pool);
    if (!err)
        err = run_script(&session);
    if (err)
        fprintf(stderr, "commit: %s\n", fs_error_describe(err, pool));
    status = err ? 1 : 0;
    fs_error_clear(err);
    apr_pool_destroy(pool);
    apr_terminate();
    return status;
}
