/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories for tests, made by the stock tools in temporary folders. */

#include "tests/support/repo.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>

#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 1, 2)))
#endif
static void
give_up(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

const char *fs_test_source(const char *relative, apr_pool_t *pool)
{
    static const char here[] = "tests/support/repo.c";
    const char *root = getenv("MOD_REPO_SOURCE");
    apr_size_t len = strlen(__FILE__);

    if (relative[0] == '/')
        return relative;
    if (root && *root)
        return apr_pstrcat(pool, root, "/", relative, NULL);
    return apr_pstrcat(pool,
                       apr_pstrndup(pool, __FILE__, len - (sizeof(here) - 1)),
                       relative, NULL);
}

static int remove_entry(const char *path, const struct stat *info, int type,
                        struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static apr_status_t remove_folder(void *data)
{
    if (nftw(data, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
        return APR_FROM_OS_ERROR(errno);
    return APR_SUCCESS;
}

const char *fs_test_folder(apr_pool_t *pool)
{
    const char *parent = getenv("TMPDIR");
    char *path = apr_pstrcat(pool, parent && *parent ? parent : "/tmp",
                             "/mod_repo-unit-XXXXXX", NULL);

    if (!mkdtemp(path))
        give_up("cannot create %s", path);
    apr_pool_cleanup_register(pool, path, remove_folder, apr_pool_cleanup_null);
    return path;
}

static apr_file_t *open_end(const char *path, apr_int32_t flags,
                            apr_pool_t *pool)
{
    apr_file_t *file;

    if (apr_file_open(&file, path ? path : "/dev/null", flags, APR_OS_DEFAULT,
                      pool) != APR_SUCCESS)
        give_up("cannot open %s", path);
    return file;
}

int fs_test_run(const char *input, const char *output, const char *const *argv,
                apr_pool_t *pool)
{
    apr_procattr_t *attr;
    apr_proc_t proc;
    apr_exit_why_e why;
    apr_pool_t *scratch;
    int status;

    apr_pool_create(&scratch, pool);
    if (apr_procattr_create(&attr, scratch) != APR_SUCCESS ||
        apr_procattr_cmdtype_set(attr, APR_PROGRAM_PATH) != APR_SUCCESS ||
        apr_procattr_child_in_set(
            attr, open_end(input, APR_FOPEN_READ, scratch), NULL) ||
        apr_procattr_child_out_set(
            attr,
            open_end(output,
                     APR_FOPEN_WRITE | APR_FOPEN_CREATE | APR_FOPEN_TRUNCATE,
                     scratch),
            NULL) ||
        apr_proc_create(&proc, argv[0], argv, NULL, attr, scratch))
        give_up("cannot start %s", argv[0]);
    if (apr_proc_wait(&proc, &status, &why, APR_WAIT) != APR_CHILD_DONE ||
        !APR_PROC_CHECK_EXIT(why))
        give_up("%s was killed", argv[0]);
    apr_pool_destroy(scratch);
    return status;
}

void fs_test_must_run(const char *input, const char *output,
                      const char *const *argv, apr_pool_t *pool)
{
    int status = fs_test_run(input, output, argv, pool);

    if (status)
        give_up("%s %s ended with status %d", argv[0], argv[1] ? argv[1] : "",
                status);
}

const char *fs_test_repo_load_as(const char *dump, const char *version,
                                 apr_pool_t *pool)
{
    const char *path =
        apr_pstrcat(pool, fs_test_folder(pool), "/repository", NULL);
    const char *create[] = { "svnadmin", "create", path, "--compatible-version",
                             version,    NULL };
    const char *load[] = { "svnadmin", "load", "-q", path, NULL };

    if (!version)
        create[3] = NULL;
    fs_test_must_run(NULL, NULL, create, pool);
    if (dump)
        fs_test_must_run(fs_test_source(dump, pool), NULL, load, pool);
    return path;
}

const char *fs_test_repo_load(const char *dump, apr_pool_t *pool)
{
    return fs_test_repo_load_as(dump, NULL, pool);
}

void fs_test_repo_commit(const char *path, const char *const *actions,
                         apr_pool_t *pool)
{
    apr_array_header_t *argv = apr_array_make(pool, 16, sizeof(const char *));

    APR_ARRAY_PUSH(argv, const char *) = "svnmucc";
    APR_ARRAY_PUSH(argv, const char *) = "--non-interactive";
    APR_ARRAY_PUSH(argv, const char *) = "-m";
    APR_ARRAY_PUSH(argv, const char *) = "change";
    APR_ARRAY_PUSH(argv, const char *) = "-U";
    APR_ARRAY_PUSH(argv, const char *) =
        apr_pstrcat(pool, "file://", path, NULL);
    for (; *actions; actions++)
        APR_ARRAY_PUSH(argv, const char *) = *actions;
    APR_ARRAY_PUSH(argv, const char *) = NULL;
    fs_test_must_run(NULL, NULL, (const char *const *)argv->elts, pool);
}

const char *fs_test_file(const void *data, apr_size_t len, apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/file", NULL);
    apr_file_t *file = open_end(path, APR_FOPEN_WRITE | APR_FOPEN_CREATE, pool);

    if (apr_file_write_full(file, data, len, NULL) || apr_file_close(file))
        give_up("cannot write %s", path);
    return path;
}

const char *fs_test_repo_unpack(const char *archive, const char *name,
                                apr_pool_t *pool)
{
    const char *folder = fs_test_folder(pool);
    const char *unpack[] = { "tar", "-xzf", fs_test_source(archive, pool),
                             "-C",  folder, NULL };

    fs_test_must_run(NULL, NULL, unpack, pool);
    return apr_pstrcat(pool, folder, "/", name, NULL);
}
