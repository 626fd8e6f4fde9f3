/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged repositories: each read gives an error or what was there, and
 * never crashes or goes on for ever. */

#include "libfs/store/store.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/store_walk.h"
#include "tests/support/unit.h"

/* A small repository, in shards of four, packed or not. */
static const char *make_repository(const char *version, bool pack,
                                   apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *create[] = { "svnadmin", "create", "--compatible-version",
                             version,    path,     NULL };
    const char *load[] = { "svnadmin", "load", "-q", path, NULL };
    const char *packed[] = { "svnadmin", "pack", "-q", path, NULL };
    const char *shard[] = { "sed", "-i", "s/sharded 1000/sharded 4/",
                            apr_pstrcat(pool, path, "/db/format", NULL), NULL };

    fs_test_must_run(NULL, NULL, create, pool);
    fs_test_must_run(NULL, NULL, shard, pool);
    fs_test_must_run(fs_test_source("tests/data/history/hist.dump", pool), NULL,
                     load, pool);
    if (pack)
        fs_test_must_run(NULL, NULL, packed, pool);
    return path;
}

static apr_array_header_t *files;

static int note_file(const char *path, const struct stat *info, int type,
                     struct FTW *place)
{
    (void)place;
    if (type == FTW_F && info->st_size && !strstr(path, "rep-cache") &&
        !strstr(path, "lock") && !strstr(path, "/current"))
        APR_ARRAY_PUSH(files, const char *) = apr_pstrdup(files->pool, path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_files(const char *path, apr_pool_t *pool)
{
    files = apr_array_make(pool, 64, sizeof(const char *));
    nftw(apr_pstrcat(pool, path, "/db", NULL), note_file, 16, FTW_PHYS);
    qsort(files->elts, (size_t)files->nelts, sizeof(const char *), by_name);
}

/* What a complete reading gives, NULL if it gives an error. */
static const char *read_everything(const char *path, cache_t *cache,
                                   apr_pool_t *pool)
{
    const char *list = NULL;
    store_walk_t walk;
    fs_repo_t *repo;
    fs_error_t *err;

    err = fs_repo_open(&repo, path, NULL, cache, pool);
    if (!err)
        err = store_walk_all(&walk, repo, pool);
    if (!err && walk.revisions > 11)
        err = store_walk_list(&list, repo, 11, pool);
    if (!err)
        return apr_psprintf(pool,
                            "%" APR_UINT64_T_FMT " %" APR_UINT64_T_FMT
                            " %" APR_UINT64_T_FMT " %" APR_UINT64_T_FMT "\n%s",
                            walk.files, walk.directories, walk.entries,
                            walk.bytes, list ? list : "");
    assert_non_null(err->message);
    assert_true(err->code != FS_ERR_IO);
    fs_error_clear(err);
    return NULL;
}

static void put_byte(const char *path, off_t at, unsigned char byte)
{
    int fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static unsigned char get_byte(const char *path, off_t at)
{
    int fd = open(path, O_RDONLY);
    unsigned char byte = 0;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    close(fd);
    return byte;
}

static off_t size_of(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

/* Flip bytes here and there in one file. Returns how often the tree that was
 * read differs without an error. */
static int flip_bytes(const char *path, const char *file, off_t step,
                      const char *expected, apr_pool_t *pool)
{
    off_t size = size_of(file);
    int wrong = 0;
    off_t at;

    chmod(file, 0644);
    for (at = (off_t)(strlen(file) % 3); at < size; at += step) {
        unsigned char byte = get_byte(file, at);
        apr_pool_t *iter;
        const char *found;

        apr_pool_create(&iter, pool);
        put_byte(file, at,
                 (unsigned char)(byte ^ ((at / step) % 2 ? 0x01 : 0x80)));
        found = read_everything(path, NULL, iter);
        wrong += found && strcmp(found, expected);
        put_byte(file, at, byte);
        apr_pool_destroy(iter);
    }
    return wrong;
}

/*
 * Records of physically addressed revisions have no checksum: a bit in the
 * name of an optional header hides that header, and nothing can tell. With
 * logical addressing everything is covered.
 */
static void flip_all(void **state, const char *version, bool pack, off_t step,
                     bool covered)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = make_repository(version, pack, pool);
    const char *expected = read_everything(path, NULL, pool);
    int wrong = 0;
    int i;

    assert_non_null(expected);
    find_files(path, pool);
    for (i = 0; i < files->nelts; i++)
        wrong += flip_bytes(path, APR_ARRAY_IDX(files, i, const char *), step,
                            expected, pool);
    if (covered)
        assert_int_equal(wrong, 0);
    assert_string_equal(read_everything(path, NULL, pool), expected);
}

static void flipped_bytes_of_format_1_do_no_harm(void **state)
{
    flip_all(state, "1.3", false, 61, false);
}

static void flipped_bytes_of_format_6_packed_do_no_harm(void **state)
{
    flip_all(state, "1.8", true, 61, false);
}

static void flipped_bytes_of_format_8_do_no_harm(void **state)
{
    flip_all(state, "1.10", false, 67, true);
}

static void flipped_bytes_of_format_8_packed_do_no_harm(void **state)
{
    flip_all(state, "1.10", true, 43, true);
}

/* Write a file's bytes again. */
static void put_bytes(const char *path, const char *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_TRUNC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    close(fd);
}

static void cut_file(const char *path, const char *file, const char *expected,
                     apr_pool_t *pool)
{
    size_t size = (size_t)size_of(file);
    char *data = apr_palloc(pool, size);
    int fd = open(file, O_RDONLY);
    size_t k;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, data, size, 0), size);
    close(fd);
    chmod(file, 0644);
    for (k = 0; k < 5; k++) {
        apr_pool_t *iter;
        const char *found;

        apr_pool_create(&iter, pool);
        assert_int_equal(truncate(file, (off_t)(size * k / 5)), 0);
        found = read_everything(path, NULL, iter);
        /* A shorter one of these is whole as well. */
        if (found && !strstr(file, "/format"))
            assert_string_equal(found, expected);
        put_bytes(file, data, size);
        apr_pool_destroy(iter);
    }
}

/* Cut each file at several places: what is read fails, or is the same. */
static void cut_all(void **state, const char *version, bool pack)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = make_repository(version, pack, pool);
    const char *expected = read_everything(path, NULL, pool);
    int i;

    find_files(path, pool);
    for (i = 0; i < files->nelts; i++)
        cut_file(path, APR_ARRAY_IDX(files, i, const char *), expected, pool);
}

static void cut_files_of_format_6_packed_do_no_harm(void **state)
{
    cut_all(state, "1.8", true);
}

static void cut_files_of_format_8_do_no_harm(void **state)
{
    cut_all(state, "1.10", false);
}

static void cut_files_of_format_8_packed_do_no_harm(void **state)
{
    cut_all(state, "1.10", true);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(flipped_bytes_of_format_1_do_no_harm),
    UNIT_TEST(flipped_bytes_of_format_6_packed_do_no_harm),
    UNIT_TEST(flipped_bytes_of_format_8_do_no_harm),
    UNIT_TEST(flipped_bytes_of_format_8_packed_do_no_harm),
    UNIT_TEST(cut_files_of_format_6_packed_do_no_harm),
    UNIT_TEST(cut_files_of_format_8_do_no_harm),
    UNIT_TEST(cut_files_of_format_8_packed_do_no_harm),
};

UNIT_MAIN(tests)
