/* SPDX-License-Identifier: Apache-2.0 */
/* Everything in repositories of all formats, as the stock tools wrote them. */

#include "libfs/store/fsfs/fsfs.h"

#include <stdlib.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/store_walk.h"
#include "tests/support/unit.h"

typedef struct fixture_t {
    const char *name;
    int format;
    fs_rev_t youngest;
    int txns;
} fixture_t;

static const fixture_t fixtures[] = {
    { "f1", 1, 69, 0 },
    { "f2", 2, 69, 1 },
    { "f3", 3, 69, 0 },
    { "f4", 4, 69, 0 },
    { "f4-packed", 4, 69, 0 },
    { "f6", 6, 69, 1 },
    { "f6-packed", 6, 69, 0 },
    { "f6-linear", 6, 69, 0 },
    { "f7", 7, 69, 0 },
    { "f7-packed", 7, 69, 0 },
    { "f7-zlib1-shard1000", 7, 69, 0 },
    { "f8", 8, 69, 1 },
    { "f8-packed", 8, 69, 0 },
    { "f8-smallpages", 8, 69, 0 },
    { "f8-smallpages-packed", 8, 69, 0 },
    { "f8-plain-options", 8, 69, 0 },
    { "f8-from-f1", 8, 76, 0 },
    { "f8-from-f2", 8, 76, 0 },
    { "f8-from-f4-packed", 8, 76, 0 },
    { "f8-from-f6-packed", 8, 76, 0 },
};

#define COUNT (sizeof(fixtures) / sizeof(fixtures[0]))

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static cache_t *make_cache(const char *backend, apr_pool_t *pool)
{
    cache_options_t options = { .backend = backend, .size = 32 << 20 };
    cache_t *cache;

    assert_apr_ok(cache_create(&cache, &options, pool));
    return cache;
}

static const char *read_file(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_file_t *file;
    char *text;

    assert_apr_ok(apr_file_open(&file, path, APR_FOPEN_READ, 0, pool));
    assert_apr_ok(apr_file_info_get(&info, APR_FINFO_SIZE, file));
    text = apr_pcalloc(pool, (apr_size_t)info.size + 1);
    assert_apr_ok(apr_file_read_full(file, text, (apr_size_t)info.size, NULL));
    assert_apr_ok(apr_file_close(file));
    return text;
}

static void walk_fixture(const fixture_t *fixture, cache_t *cache,
                         apr_pool_t *pool)
{
    const char *path = unpack(fixture->name, pool);
    apr_array_header_t *txns;
    store_walk_t again;
    store_walk_t walk;
    fs_rev_t youngest;
    fs_repo_t *repo;

    print_message("%s\n", fixture->name);
    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    assert_int_equal(fs_repo_format(repo), fixture->format);
    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    assert_int_equal(youngest, fixture->youngest);
    assert_fs_ok(fs_repo_txns(&txns, repo, pool));
    assert_int_equal(txns->nelts, fixture->txns);
    assert_fs_ok(store_walk_all(&walk, repo, pool));
    assert_int_equal(walk.revisions, fixture->youngest + 1);
    assert_true(walk.files > 2000);
    /* What the cache gives must be the same. */
    assert_fs_ok(store_walk_all(&again, repo, pool));
    assert_memory_equal(&walk, &again, sizeof(walk));
}

static void every_format_is_read_completely(void **state)
{
    apr_pool_t *pool;
    apr_size_t i;

    for (i = 0; i < COUNT; i++) {
        apr_pool_create(&pool, unit_pool(state));
        walk_fixture(&fixtures[i], make_cache("process", pool), pool);
        apr_pool_destroy(pool);
    }
}

static void head_is_what_the_stock_tools_list(void **state)
{
    apr_pool_t *pool;
    apr_size_t i;

    for (i = 0; i < COUNT; i++) {
        const fixture_t *fixture = &fixtures[i];
        const char *expected;
        const char *found;
        fs_repo_t *repo;

        apr_pool_create(&pool, unit_pool(state));
        assert_fs_ok(
            fs_repo_open(&repo, unpack(fixture->name, pool), NULL, NULL, pool));
        expected =
            read_file(fs_test_source(apr_pstrcat(pool, "tests/data/fsfs/",
                                                 fixture->name, ".list", NULL),
                                     pool),
                      pool);
        assert_fs_ok(store_walk_list(&found, repo, fixture->youngest, pool));
        assert_bytes_equal(found, strlen(found), expected, strlen(expected));
        apr_pool_destroy(pool);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(every_format_is_read_completely),
    UNIT_TEST(head_is_what_the_stock_tools_list),
};

UNIT_MAIN(tests)
