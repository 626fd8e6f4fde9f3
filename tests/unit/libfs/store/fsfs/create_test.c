/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/create.h: what stock tools make of what was made is
 * the subject of tests/system/test_create.py. */

#include "libfs/store/fsfs/create.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/fs_repo.h"
#include "libfs/store/fsfs/create_files.h"
#include "libfs/store/fsfs/handle.h"
#include "tests/support/repo.h"
#include "tests/support/syncs.h"
#include "tests/support/unit.h"

static apr_hash_t *one(const char *name, const char *value, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);

    apr_hash_set(options, name, APR_HASH_KEY_STRING, value);
    return options;
}

static const char *in_folder(const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, fs_test_folder(pool), "/", name, NULL);
}

/* --- Formats --- */

static void releases_have_their_formats(void **state)
{
    static const struct {
        const char *release;
        int repository;
        int format;
        int shard_size;
        bool logical;
    } cases[] = {
        { "1.1", 3, 1, 0, false },    { "1.3.2", 3, 1, 0, false },
        { "1.4", 5, 2, 0, false },    { "1.5", 5, 3, 1000, false },
        { "1.6", 5, 4, 1000, false }, { "1.7", 5, 4, 1000, false },
        { "1.8", 5, 6, 1000, false }, { "1.9", 5, 7, 1000, true },
        { "1.10", 5, 8, 1000, true }, { "1.14.2", 5, 8, 1000, true },
        { "1.99", 5, 8, 1000, true },
    };
    apr_pool_t *pool = unit_pool(state);
    fs_create_format_t format;
    apr_size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_fs_ok(fs_create_format(
            &format, one("compatible-version", cases[i].release, pool)));
        assert_int_equal(format.repository, cases[i].repository);
        assert_int_equal(format.fs.format, cases[i].format);
        assert_int_equal(format.fs.shard_size, cases[i].shard_size);
        assert_int_equal(format.fs.logical, cases[i].logical);
    }
    assert_fs_ok(fs_create_format(&format, NULL));
    assert_int_equal(format.fs.format, 8);
}

static void a_linear_layout_has_no_logical_addresses(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_create_format_t format;

    assert_fs_ok(fs_create_format(&format, one("shard-size", "0", pool)));
    assert_int_equal(format.fs.format, 8);
    assert_int_equal(format.fs.shard_size, 0);
    assert_false(format.fs.logical);
    assert_fs_ok(fs_create_format(&format, one("shard-size", "4", pool)));
    assert_int_equal(format.fs.shard_size, 4);
    assert_true(format.fs.logical);
}

static void values_that_make_no_sense_are_named(void **state)
{
    static const char *const releases[] = { "",    "1",    "1.0",  "2.0",
                                            "1.x", "1.8.", "1.8x", "1.8.1.1" };
    static const char *const sizes[] = { "", "-1", "x", "1000 ",
                                         "99999999999" };
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *options = one("compatible-version", "1.4", pool);
    fs_create_format_t format;
    apr_size_t i;

    for (i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
        assert_fs_error_says(fs_create_format(&format, one("compatible-version",
                                                           releases[i], pool)),
                             FS_ERR_BAD_ARGS,
                             "a release such as 1.8, from 1.1 on");
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        assert_fs_error_says(
            fs_create_format(&format, one("shard-size", sizes[i], pool)),
            FS_ERR_BAD_ARGS, "'shard-size'");
    apr_hash_set(options, "shard-size", APR_HASH_KEY_STRING, "1000");
    assert_fs_error_says(fs_create_format(&format, options), FS_ERR_BAD_ARGS,
                         "0 below the compatible version 1.5");
}

/* --- Repositories --- */

static void a_new_repository_opens_and_is_empty(void **state)
{
    static const char *const releases[] = { "1.1", "1.4", "1.5", "1.6",
                                            "1.8", "1.9", "1.14" };
    apr_pool_t *pool = unit_pool(state);
    const fs_bytes_t *date;
    fs_rev_t youngest;
    fs_repo_t *repo;
    int i;

    for (i = 0; i < 7; i++) {
        const char *path = in_folder("new", pool);

        assert_fs_ok(fs_repo_create(
            path, one("compatible-version", releases[i], pool), pool));
        assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
        assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
        assert_int_equal(youngest, 0);
        assert_fs_ok(fs_repo_revprop(&date, repo, 0, "svn:date", pool, pool));
        assert_int_equal(date->len, 27);
        assert_int_equal(strlen(fs_repo_uuid(repo)), 36);
    }
}

static void two_repositories_have_two_identities(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *paths[2];
    fs_repo_t *repos[2];
    int i;

    for (i = 0; i < 2; i++) {
        paths[i] = in_folder("new", pool);
        assert_fs_ok(fs_repo_create(paths[i], NULL, pool));
        assert_fs_ok(fs_repo_open(&repos[i], paths[i], NULL, NULL, pool));
    }
    assert_string_not_equal(fs_repo_uuid(repos[0]), fs_repo_uuid(repos[1]));
}

static void options_are_written_down(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool);
    apr_hash_t *options = one("compression", "zlib-9", pool);
    fs_repo_t *repo;
    fs_fsfs_t *fsfs;

    apr_hash_set(options, "l2p-page-size", APR_HASH_KEY_STRING, "16");
    assert_fs_ok(fs_repo_create(path, options, pool));
    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    fsfs = fs_handle_of(fs_repo_store(repo));
    assert_int_equal(fsfs->conf.compression, FS_CONF_COMPRESS_ZLIB);
    assert_int_equal(fsfs->conf.compression_level, 9);
    assert_int_equal(fsfs->conf.l2p_page_size, 16);
    assert_true(fsfs->conf.enable_rep_sharing);
}

static void an_option_that_the_format_lacks_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool);
    apr_hash_t *options = one("compatible-version", "1.9", pool);

    apr_hash_set(options, "compression", APR_HASH_KEY_STRING, "lz4");
    assert_fs_error_says(fs_repo_create(path, options, pool), FS_ERR_BAD_ARGS,
                         "lz4");
    assert_fs_error_says(fs_repo_create(path, one("color", "red", pool), pool),
                         FS_ERR_BAD_ARGS, "unknown option 'color'");
    assert_int_equal(access(path, F_OK), -1);
}

/* Each option of a configuration is explained in the file. */
static void every_option_is_in_the_configuration(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_option_t *option;

    for (option = fs_repo_options(); option->name; option++) {
        const char *text =
            fs_create_files_conf(one(option->name, "a value", pool), pool);

        if (fs_conf_file_knows(option->name))
            assert_non_null(strstr(text, apr_pstrcat(pool, "\n", option->name,
                                                     " = a value\n", NULL)));
        else
            assert_null(strstr(text, "a value"));
    }
}

/* --- Refusals --- */

static void an_empty_folder_is_used_and_a_full_one_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *empty = fs_test_folder(pool), *full = fs_test_folder(pool);
    const char *file = apr_pstrcat(pool, full, "/file", NULL);
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    (void)fclose(out);
    assert_fs_ok(
        fs_repo_create(apr_pstrcat(pool, empty, "//", NULL), NULL, pool));
    assert_fs_error(fs_repo_create(full, NULL, pool), FS_ERR_FOLDER_NOT_EMPTY);
    assert_fs_error(fs_repo_create(file, NULL, pool), FS_ERR_EXISTS);
    assert_int_equal(access(file, F_OK), 0);
    assert_fs_error_says(fs_repo_create(empty, NULL, pool), FS_ERR_BAD_ARGS,
                         "is a repository already");
}

static void repositories_do_not_lie_in_each_other(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool);

    assert_fs_ok(fs_repo_create(path, NULL, pool));
    assert_fs_error_says(
        fs_repo_create(apr_pstrcat(pool, path, "/db/revs/inner", NULL), NULL,
                       pool),
        FS_ERR_BAD_ARGS, "lie in another repository");
    assert_fs_error(fs_repo_create(in_folder("missing/new", pool), NULL, pool),
                    FS_ERR_IO);
}

/* Make a repository in a process whose files may have `limit` bytes. */
static int create_limited(const char *path, rlim_t limit, apr_pool_t *pool)
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit rlimit = { limit, limit };
        fs_error_t *err;

        (void)signal(SIGXFSZ, SIG_IGN);
        (void)setrlimit(RLIMIT_FSIZE, &rlimit);
        err = fs_repo_create(path, NULL, pool);
        status = !err ? 0 : err->code == FS_ERR_IO ? 1 : 2;
        fs_error_clear(err);
        fs_error_check_thread();
        _exit(status);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_fails_leaves_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool), *empty = fs_test_folder(pool);

    assert_int_equal(create_limited(path, 100, pool), 1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(create_limited(empty, 2000, pool), 1);
    assert_int_equal(rmdir(empty), 0);
    assert_int_equal(mkdir(empty, 0777), 0);
    assert_int_equal(create_limited(path, 100000, pool), 0);
    assert_int_equal(access(path, F_OK), 0);
}

static void the_file_that_makes_it_a_repository_comes_last(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool);
    apr_size_t len;

    fs_test_syncs_reset();
    assert_fs_ok(fs_repo_create(path, NULL, pool));
    len = strlen(fs_test_syncs.log);
    /* Thirty files, 12 folders and the one above, `format` and its name. */
    assert_true(fs_test_syncs.syncs > 40);
    assert_string_equal(fs_test_syncs.log + len - 4, "ddsd");
    fs_test_syncs_reset();
    assert_fs_ok(fs_repo_create(in_folder("new", pool),
                                one("nosync", "yes", pool), pool));
    assert_int_equal(fs_test_syncs.syncs, 0);
}

static void a_sync_that_fails_leaves_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = in_folder("new", pool);
    int n;

    for (n = 1; n < 45; n += 11) {
        fs_test_syncs_reset();
        fs_test_syncs_fail(n, EIO);
        assert_fs_error(fs_repo_create(path, NULL, pool), FS_ERR_IO);
        assert_int_equal(access(path, F_OK), -1);
    }
    fs_test_syncs_reset();
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(releases_have_their_formats),
    UNIT_TEST(a_linear_layout_has_no_logical_addresses),
    UNIT_TEST(values_that_make_no_sense_are_named),
    UNIT_TEST(a_new_repository_opens_and_is_empty),
    UNIT_TEST(two_repositories_have_two_identities),
    UNIT_TEST(options_are_written_down),
    UNIT_TEST(an_option_that_the_format_lacks_is_refused),
    UNIT_TEST(every_option_is_in_the_configuration),
    UNIT_TEST(an_empty_folder_is_used_and_a_full_one_refused),
    UNIT_TEST(repositories_do_not_lie_in_each_other),
    UNIT_TEST(what_fails_leaves_nothing),
    UNIT_TEST(the_file_that_makes_it_a_repository_comes_last),
    UNIT_TEST(a_sync_that_fails_leaves_nothing),
};

UNIT_MAIN(tests)
