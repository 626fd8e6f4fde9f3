/* SPDX-License-Identifier: Apache-2.0 */
/* Opening repositories: what is refused and how, options, staleness. */

#include "libfs/store/store.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/store_walk.h"
#include "tests/support/unit.h"

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static const char *in(const char *path, const char *name, apr_pool_t *pool)
{
    return apr_pstrcat(pool, path, "/", name, NULL);
}

static void write_file(const char *path, const char *text)
{
    FILE *file;

    (void)unlink(path);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static fs_error_t *open_with(const char *path, const char *name,
                             const char *value, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    if (name)
        apr_hash_set(options, name, APR_HASH_KEY_STRING, value);
    return fs_repo_open(&repo, path, options, NULL, pool);
}

/* --- What is refused --- */

static void a_folder_without_repository_is_not_found(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_fs_error_says(open_with(unit_folder(state), NULL, NULL, pool),
                         FS_ERR_NOT_FOUND, "there is no repository");
    assert_fs_error(open_with("/nonexistent/r", NULL, NULL, pool),
                    FS_ERR_NOT_FOUND);
}

static void another_filesystem_type_is_refused_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);

    write_file(in(path, "db/fs-type", pool), "bdb\n");
    assert_fs_error_says(open_with(path, NULL, NULL, pool),
                         FS_ERR_UNSUPPORTED_REPO, "'bdb'");
}

static void formats_5_and_above_8_are_refused_by_number(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);

    write_file(in(path, "db/format", pool), "5\nlayout sharded 4\n");
    assert_fs_error_says(open_with(path, NULL, NULL, pool),
                         FS_ERR_UNSUPPORTED_FORMAT, "5");
    write_file(in(path, "db/format", pool), "9\nlayout sharded 4\n");
    assert_fs_error_says(open_with(path, NULL, NULL, pool),
                         FS_ERR_UNSUPPORTED_FORMAT, "9");
}

static void an_unknown_repository_format_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);

    write_file(in(path, "format", pool), "6\n");
    assert_fs_error_says(open_with(path, NULL, NULL, pool),
                         FS_ERR_UNSUPPORTED_REPO, "6");
}

static void what_is_missing_is_named(void **state)
{
    static const struct {
        const char *file;
        fs_error_code_t code;
    } rows[] = {
        { "format", FS_ERR_BAD_FORMAT_FILE },
        { "db/uuid", FS_ERR_CORRUPT },
        { "db/current", FS_ERR_CORRUPT },
        { "db/min-unpacked-rev", FS_ERR_CORRUPT },
    };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *path = unpack("f8", pool);

        assert_int_equal(unlink(in(path, rows[i].file, pool)), 0);
        assert_fs_error_says(open_with(path, NULL, NULL, pool), rows[i].code,
                             rows[i].file);
    }
}

static void no_message_names_the_folder(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    fs_error_t *err;

    unlink(in(path, "db/uuid", pool));
    err = open_with(path, NULL, NULL, pool);
    assert_non_null(err);
    assert_null(strstr(fs_error_describe(err, pool), path));
    fs_error_clear(err);
}

static void a_missing_format_file_in_db_means_format_1(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f1", pool);
    fs_repo_t *repo;

    (void)unlink(in(path, "db/format", pool));
    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_int_equal(fs_repo_format(repo), 1);
    assert_false(fs_repo_has_mergeinfo(repo));
}

static void a_missing_configuration_means_defaults(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);

    assert_int_equal(unlink(in(path, "db/fsfs.conf", pool)), 0);
    assert_fs_ok(open_with(path, NULL, NULL, pool));
}

/* --- Options --- */

static void an_unknown_option_is_refused_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_fs_error_says(open_with(unpack("f8", pool), "sharpness", "7", pool),
                         FS_ERR_BAD_ARGS, "'sharpness'");
}

static void a_bad_value_is_refused_with_name_and_value(void **state)
{
    static const char *const rows[][2] = {
        { "nosync", "maybe" },
        { "compression", "bzip2" },
        { "max-deltification-walk", "far" },
        { "l2p-page-size", "1000" },
        { "lock-timeout", "86401" },
        { "compatible-version", "two" },
        { "enable-rep-sharing", "perhaps" },
    };
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_fs_error_says(open_with(path, rows[i][0], rows[i][1], pool),
                             FS_ERR_BAD_ARGS, rows[i][0]);
        assert_fs_error_says(open_with(path, rows[i][0], rows[i][1], pool),
                             FS_ERR_BAD_ARGS, rows[i][1]);
    }
}

static void options_are_checked_without_a_repository(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *options = apr_hash_make(pool);

    assert_fs_ok(fs_repo_check_options(options, pool));
    apr_hash_set(options, "compression", APR_HASH_KEY_STRING, "zlib-9");
    assert_fs_ok(fs_repo_check_options(options, pool));
    apr_hash_set(options, "block-size", APR_HASH_KEY_STRING, "many");
    assert_fs_error_says(fs_repo_check_options(options, pool), FS_ERR_BAD_ARGS,
                         "'many'");
    apr_hash_set(options, "block-size", APR_HASH_KEY_STRING, NULL);
    apr_hash_set(options, "sharpness", APR_HASH_KEY_STRING, "7");
    assert_fs_error_says(fs_repo_check_options(options, pool), FS_ERR_BAD_ARGS,
                         "'sharpness'");
}

static void each_announced_option_is_taken(void **state)
{
    static const struct {
        const char *name;
        const char *value;
    } rows[] = {
        { "compression", "zlib-9" },
        { "compression-level", "3" },
        { "max-deltification-walk", "10" },
        { "max-linear-deltification", "4" },
        { "enable-rep-sharing", "no" },
        { "enable-dir-deltification", "false" },
        { "enable-props-deltification", "off" },
        { "revprop-pack-size", "4" },
        { "compress-packed-revprops", "yes" },
        { "block-size", "32" },
        { "l2p-page-size", "16" },
        { "p2l-page-size", "1" },
        { "verify-before-commit", "true" },
        { "pack-after-commit", "on" },
        { "nosync", "1" },
        { "lock-timeout", "0" },
        { "compatible-version", "1.8.3" },
        { "shard-size", "4" },
    };
    const fs_option_t *option = fs_repo_options();
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++, option++) {
        assert_non_null(option->name);
        assert_string_equal(option->name, rows[i].name);
        assert_true(strlen(option->meaning) > 10);
        assert_fs_ok(open_with(path, rows[i].name, rows[i].value, pool));
    }
    assert_null(option->name);
}

/* --- Facts and revisions --- */

static const char *fact(fs_repo_t *repo, const char *name, apr_pool_t *pool)
{
    apr_array_header_t *facts;
    int i;

    assert_fs_ok(fs_repo_facts(&facts, repo, pool));
    for (i = 0; i < facts->nelts; i++) {
        const apr_table_entry_t *entry =
            &APR_ARRAY_IDX(facts, i, apr_table_entry_t);

        if (!strcmp(entry->key, name))
            return entry->val;
    }
    return "";
}

static void facts_tell_format_layout_and_packing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo;

    assert_fs_ok(
        fs_repo_open(&repo, unpack("f8-packed", pool), NULL, NULL, pool));
    assert_string_equal(fact(repo, "type", pool), "fsfs");
    assert_string_equal(fact(repo, "configuration-file", pool), "db/fsfs.conf");
    assert_string_equal(fact(repo, "format", pool), "8");
    assert_string_equal(fact(repo, "repository-format", pool), "5");
    assert_string_equal(fact(repo, "layout", pool), "sharded 4");
    assert_string_equal(fact(repo, "addressing", pool), "logical");
    assert_string_equal(fact(repo, "youngest", pool), "69");
    assert_string_equal(fact(repo, "packed", pool), "68");
    assert_string_equal(fact(repo, "uuid", pool), fs_repo_uuid(repo));
    assert_fs_ok(fs_repo_open(&repo, unpack("f1", pool), NULL, NULL, pool));
    assert_string_equal(fact(repo, "layout", pool), "linear");
    assert_string_equal(fact(repo, "addressing", pool), "physical");
}

static void a_revision_above_the_youngest_does_not_exist(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_node_id_t id;
    apr_hash_t *props;
    fs_repo_t *repo;
    fs_store_t *store;

    assert_fs_ok(fs_repo_open(&repo, unpack("f8", pool), NULL, NULL, pool));
    store = fs_repo_store(repo);
    assert_fs_error_says(store->vtable->root_id(&id, store, 70, pool),
                         FS_ERR_NO_SUCH_REV, "70");
    assert_fs_error(store->vtable->root_id(&id, store, -1, pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_repo_revprops(&props, repo, 70, pool, pool),
                    FS_ERR_NO_SUCH_REV);
}

/* --- Staleness --- */

static bool is_stale(fs_repo_t *repo, apr_pool_t *pool)
{
    bool stale;

    assert_fs_ok(fs_repo_check(&stale, repo, pool));
    return stale;
}

static cache_t *make_cache(apr_pool_t *pool)
{
    cache_options_t options = { .backend = "process", .size = 16 << 20 };
    cache_t *cache;

    assert_apr_ok(cache_create(&cache, &options, pool));
    return cache;
}

static void an_untouched_repository_is_not_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    cache_t *cache = make_cache(pool);
    const char *path = unpack("f8", pool);
    fs_repo_t *again;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    assert_false(is_stale(repo, pool));
    assert_false(is_stale(repo, pool));
    /* Two handles share what is cached. */
    assert_fs_ok(fs_repo_open(&again, path, NULL, cache, pool));
    assert_memory_equal(fs_repo_instance(repo), fs_repo_instance(again), 16);
}

static void a_commit_does_not_make_it_stale(void **state)
{
    static const char *const mkdir_new[] = { "mkdir", "new", NULL };
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *again;
    fs_rev_t youngest;
    fs_repo_t *repo;
    cache_t *cache = make_cache(pool);

    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    fs_test_repo_commit(path, mkdir_new, pool);
    assert_false(is_stale(repo, pool));
    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    assert_int_equal(youngest, 1);
    assert_fs_ok(fs_repo_open(&again, path, NULL, cache, pool));
    assert_memory_equal(fs_repo_instance(repo), fs_repo_instance(again), 16);
}

static void packing_does_not_make_it_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    const char *pack[] = { "svnadmin", "pack", "-q", path, NULL };
    store_walk_t before;
    store_walk_t after;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_fs_ok(store_walk_all(&before, repo, pool));
    fs_test_must_run(NULL, NULL, pack, pool);
    /* Whether it was looked at or not. */
    assert_fs_ok(store_walk_all(&after, repo, pool));
    assert_memory_equal(&before, &after, sizeof(before));
    assert_false(is_stale(repo, pool));
}

static void a_lower_youngest_revision_is_stale_and_changes_the_instance(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    cache_t *cache = make_cache(pool);
    const char *path = unpack("f8", pool);
    fs_repo_t *again;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    write_file(in(path, "db/current", pool), "60\n");
    assert_true(is_stale(repo, pool));
    assert_fs_ok(fs_repo_open(&again, path, NULL, cache, pool));
    assert_memory_not_equal(fs_repo_instance(repo), fs_repo_instance(again),
                            16);
}

/* Put a copy in the place of the file of the youngest revision. */
static void replace_youngest(const char *path, apr_pool_t *pool)
{
    const char *file = in(path, "db/revs/17/69", pool);
    const char *copy = in(path, "db/revs/17/copy", pool);
    const char *cp[] = { "cp", file, copy, NULL };

    fs_test_must_run(NULL, NULL, cp, pool);
    assert_int_equal(rename(copy, file), 0);
}

static void a_replaced_revision_file_is_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    cache_t *cache = make_cache(pool);
    const char *path = unpack("f8", pool);
    fs_repo_t *again;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    replace_youngest(path, pool);
    assert_true(is_stale(repo, pool));
    assert_fs_ok(fs_repo_open(&again, path, NULL, cache, pool));
    assert_memory_not_equal(fs_repo_instance(repo), fs_repo_instance(again),
                            16);
}

static void who_reads_while_the_history_is_replaced_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    apr_hash_t *props;
    fs_rev_t youngest;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_fs_ok(fs_repo_revprops(&props, repo, 5, pool, pool));
    replace_youngest(path, pool);
    apr_sleep(apr_time_from_msec(20));
    assert_fs_error(fs_repo_revprops(&props, repo, 5, pool, pool),
                    FS_ERR_CORRUPT);
    assert_fs_error(fs_repo_youngest(&youngest, repo, pool), FS_ERR_CORRUPT);
}

static void who_reads_while_links_are_made_goes_on(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    const char *file = in(path, "db/revs/17/69", pool);
    const char *copy = in(path, "db/revs/17/copy", pool);
    apr_hash_t *props;
    fs_rev_t youngest;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_int_equal(link(file, copy), 0);
    apr_sleep(apr_time_from_msec(20));
    assert_fs_ok(fs_repo_revprops(&props, repo, 5, pool, pool));
    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    assert_int_equal(youngest, 69);
}

static void who_reads_while_another_is_renamed_into_place_sees_one(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    const char *other = fs_test_repo_load(NULL, pool);
    store_walk_t before;
    store_walk_t after;
    fs_repo_t *whole;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&whole, path, NULL, NULL, pool));
    assert_fs_ok(store_walk_all(&before, whole, pool));
    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_int_equal(rename(path, apr_pstrcat(pool, path, "-old", NULL)), 0);
    assert_int_equal(rename(other, path), 0);
    assert_fs_ok(store_walk_all(&after, repo, pool));
    assert_memory_equal(&before, &after, sizeof(before));
    assert_true(is_stale(repo, pool));
}

static void who_reads_properties_during_an_upgrade_finds_them(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f4-packed", pool);
    const char *upgrade[] = { "svnadmin", "upgrade", path, NULL };
    apr_hash_t *before;
    apr_hash_t *after;
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_fs_ok(fs_repo_revprops(&before, repo, 5, pool, pool));
    fs_test_must_run(NULL, NULL, upgrade, pool);
    assert_int_not_equal(access(in(path, "db/revprops/1/5", pool), F_OK), 0);
    assert_fs_ok(fs_repo_revprops(&after, repo, 5, pool, pool));
    assert_int_equal(apr_hash_count(after), apr_hash_count(before));
}

static void a_new_uuid_is_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    const char *setuuid[] = { "svnadmin", "setuuid", path, NULL };
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    fs_test_must_run(NULL, NULL, setuuid, pool);
    assert_true(is_stale(repo, pool));
}

static void an_upgraded_repository_is_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f6-linear", pool);
    const char *upgrade[] = { "svnadmin", "upgrade", path, NULL };
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    fs_test_must_run(NULL, NULL, upgrade, pool);
    assert_true(is_stale(repo, pool));
}

static void a_folder_that_went_away_is_stale(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    assert_int_equal(rename(path, apr_pstrcat(pool, path, "-old", NULL)), 0);
    assert_true(is_stale(repo, pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_folder_without_repository_is_not_found),
    UNIT_TEST(another_filesystem_type_is_refused_by_name),
    UNIT_TEST(formats_5_and_above_8_are_refused_by_number),
    UNIT_TEST(an_unknown_repository_format_is_refused),
    UNIT_TEST(what_is_missing_is_named),
    UNIT_TEST(no_message_names_the_folder),
    UNIT_TEST(a_missing_format_file_in_db_means_format_1),
    UNIT_TEST(a_missing_configuration_means_defaults),
    UNIT_TEST(an_unknown_option_is_refused_by_name),
    UNIT_TEST(a_bad_value_is_refused_with_name_and_value),
    UNIT_TEST(options_are_checked_without_a_repository),
    UNIT_TEST(each_announced_option_is_taken),
    UNIT_TEST(facts_tell_format_layout_and_packing),
    UNIT_TEST(a_revision_above_the_youngest_does_not_exist),
    UNIT_TEST(an_untouched_repository_is_not_stale),
    UNIT_TEST(a_commit_does_not_make_it_stale),
    UNIT_TEST(packing_does_not_make_it_stale),
    UNIT_TEST(a_lower_youngest_revision_is_stale_and_changes_the_instance),
    UNIT_TEST(a_replaced_revision_file_is_stale),
    UNIT_TEST(who_reads_while_the_history_is_replaced_is_told),
    UNIT_TEST(who_reads_while_links_are_made_goes_on),
    UNIT_TEST(who_reads_while_another_is_renamed_into_place_sees_one),
    UNIT_TEST(who_reads_properties_during_an_upgrade_finds_them),
    UNIT_TEST(a_new_uuid_is_stale),
    UNIT_TEST(an_upgraded_repository_is_stale),
    UNIT_TEST(a_folder_that_went_away_is_stale),
};

UNIT_MAIN(tests)
