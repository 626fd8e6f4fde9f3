/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/rep_cache.h, beside the stock tools. */

#include "libfs/store/fsfs/rep_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/disk_file.h"
#include "libfs/store/fsfs/rep_read.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static fs_fsfs_t *open_with(const char *path, const char *option,
                            const char *value, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    if (option)
        apr_hash_set(options, option, APR_HASH_KEY_STRING, value);
    assert_fs_ok(fs_repo_open(&repo, path, options, NULL, pool));
    return fs_handle_of(fs_repo_store(repo));
}

static fs_fsfs_t *open_store(const char *path, apr_pool_t *pool)
{
    return open_with(path, NULL, NULL, pool);
}

/* Text and representation of the file `name` in the root of revision `rev`. */
static fs_rep_t rep_of_file(fs_fsfs_t *fsfs, fs_rev_t rev, const char *name,
                            apr_pool_t *pool)
{
    const fs_store_vtable_t *v = fsfs->store.vtable;
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    fs_rep_place_t place;
    fs_rep_t rep = { 0 };
    fs_node_id_t id;

    assert_fs_ok(v->root_id(&id, &fsfs->store, rev, pool));
    assert_fs_ok(v->node(&record, &fsfs->store, &id, pool, pool));
    assert_fs_ok(v->dir_lookup(&entry, &fsfs->store, record, name, pool, pool));
    assert_non_null(entry);
    assert_fs_ok(v->node(&record, &fsfs->store, &entry->id, pool, pool));
    place = fs_rep_read_place(&record->text);
    rep.rev = place.rev;
    rep.item = place.item;
    rep.length = place.length;
    rep.size = record->text.size;
    rep.has_md5 = true;
    rep.has_sha1 = record->text.has_sha1;
    memcpy(rep.md5, record->text.md5, sizeof(rep.md5));
    memcpy(rep.sha1, record->text.sha1, sizeof(rep.sha1));
    return rep;
}

/* What asks for the bytes. */
typedef struct asked_t {
    int count;
    bool answer;
    fs_error_code_t error; /* 0: none */
    fs_rep_t candidate;
} asked_t;

static fs_error_t *ask(bool *same, void *baton, const fs_rep_t *candidate,
                       apr_pool_t *scratch)
{
    asked_t *asked = baton;

    (void)scratch;
    asked->count++;
    asked->candidate = *candidate;
    *same = asked->answer;
    return asked->error ? FS_ERROR(asked->error, "told to fail") : NULL;
}

/* Look for the content of `rep` as a new one would be. */
static bool find(fs_fsfs_t *fsfs, fs_rep_t *rep, apr_pool_t *pool)
{
    asked_t asked = { 0, true, 0, { 0 } };
    bool found;

    rep->rev = -1;
    rep->item = 0;
    rep->length = 1;
    assert_fs_ok(fs_rep_cache_find(&found, rep, fsfs, ask, &asked, pool));
    assert_int_equal(asked.count, found);
    return found;
}

/* A repository by the stock tools with a file "a" in r1. */
static const char *stock_repo(const char *version, apr_pool_t *pool)
{
    const char *path = fs_test_repo_load_as(NULL, version, pool);
    const char *actions[] = { "put", fs_test_file("some text\n", 10, pool), "a",
                              NULL };

    fs_test_repo_commit(path, actions, pool);
    return path;
}

static const char *file_of(const char *repo, apr_pool_t *pool)
{
    return apr_pstrcat(pool, repo, "/db/rep-cache.db", NULL);
}

static void verify(const char *path, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "verify", "-q", path, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* --- Beside the stock tools --- */

static void rows_of_the_stock_tools_are_found(void **state)
{
    static const char *const versions[] = { "1.6", "1.8", "1.9", "1.14" };
    apr_pool_t *pool = unit_pool(state);
    int i;

    for (i = 0; i < 4; i++) {
        fs_fsfs_t *fsfs = open_store(stock_repo(versions[i], pool), pool);
        fs_rep_t expected = rep_of_file(fsfs, 1, "a", pool);
        fs_rep_t rep = expected;

        assert_true(find(fsfs, &rep, pool));
        assert_true(rep.rev == expected.rev && rep.item == expected.item &&
                    rep.length == expected.length);
        rep.sha1[0] ^= 1;
        assert_false(find(fsfs, &rep, pool));
    }
}

static void stock_tools_share_what_we_added(void **state)
{
    static const char *const versions[] = { "1.6", "1.9", "1.14" };
    apr_pool_t *pool = unit_pool(state);
    int i;

    for (i = 0; i < 3; i++) {
        const char *path = stock_repo(versions[i], pool);
        const char *again[] = { "put", fs_test_file("some text\n", 10, pool),
                                "b", NULL };
        fs_fsfs_t *fsfs = open_store(path, pool);
        fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool), other;

        assert_int_equal(unlink(file_of(path, pool)), 0);
        fs_rep_cache_add(fsfs, &rep, 1, pool);
        fs_rep_cache_flush(fsfs);
        verify(path, pool);
        fs_test_repo_commit(path, again, pool);
        other = rep_of_file(open_store(path, pool), 2, "b", pool);
        assert_true(other.rev == 1 && other.item == rep.item);
        verify(path, pool);
    }
}

static void a_new_database_is_as_readable_as_the_repository(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
    struct stat info;

    assert_int_equal(unlink(file_of(path, pool)), 0);
    assert_int_equal(chmod(apr_pstrcat(pool, path, "/db/current", NULL), 0664),
                     0);
    fs_rep_cache_add(fsfs, &rep, 1, pool);
    fs_rep_cache_flush(fsfs);
    assert_int_equal(stat(file_of(path, pool), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0664);
}

/* --- Rows that are gathered --- */

static void rows_are_known_before_they_are_written(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool), wanted = rep;

    assert_int_equal(unlink(file_of(path, pool)), 0);
    assert_false(find(fsfs, &wanted, pool));
    fs_rep_cache_add(fsfs, &rep, 1, pool);
    assert_true(find(fsfs, &wanted, pool));
    assert_true(wanted.rev == 1 && wanted.item == rep.item);
}

static void closing_a_store_writes_its_rows(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    apr_pool_t *short_pool;
    fs_fsfs_t *fsfs;
    fs_rep_t rep;

    apr_pool_create(&short_pool, pool);
    fsfs = open_store(path, short_pool);
    rep = rep_of_file(fsfs, 1, "a", short_pool);
    assert_int_equal(unlink(file_of(path, pool)), 0);
    fs_rep_cache_add(fsfs, &rep, 1, pool);
    apr_pool_destroy(short_pool);
    assert_true(find(open_store(path, pool), &rep, pool));
}

static void the_first_row_of_a_content_stays(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(stock_repo("1.14", pool), pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool), other = rep;

    other.item += 100;
    fs_rep_cache_add(fsfs, &other, 1, pool);
    fs_rep_cache_flush(fsfs);
    other = rep;
    assert_true(find(fsfs, &other, pool));
    assert_true(other.item == rep.item);
}

static void rows_beyond_the_youngest_are_never_written(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);

    rep.rev = 2;
    rep.sha1[0] ^= 1;
    fs_rep_cache_add(fsfs, &rep, 1, pool);
    fs_rep_cache_flush(fsfs);
    assert_false(find(fsfs, &rep, pool));
    verify(path, pool);
}

/* --- What is compared --- */

static void a_candidate_that_cannot_be_read_is_none(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(stock_repo("1.14", pool), pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
    asked_t asked = { 0, true, FS_ERR_CORRUPT, { 0 } };
    bool found;

    assert_fs_ok(fs_rep_cache_find(&found, &rep, fsfs, ask, &asked, pool));
    assert_int_equal(asked.count, 1);
    assert_int_equal(asked.candidate.rev, 1);
    assert_false(found);
}

static void equal_digests_of_other_bytes_are_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(stock_repo("1.14", pool), pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
    asked_t asked = { 0, false, 0, { 0 } };
    bool found;

    assert_fs_error_says(
        fs_rep_cache_find(&found, &rep, fsfs, ask, &asked, pool),
        FS_ERR_CORRUPT, "differ from those in r1");
}

static void another_size_is_not_looked_at(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(stock_repo("1.14", pool), pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);

    rep.size++;
    assert_false(find(fsfs, &rep, pool));
}

/* Run statements with the shell's own SQLite: python3 has it. */
static void sql(const char *path, const char *statement, apr_pool_t *pool)
{
    static const char program[] = "import sqlite3, sys\n"
                                  "db = sqlite3.connect(sys.argv[1])\n"
                                  "db.executescript(sys.argv[2])\n"
                                  "db.commit()\n";
    const char *argv[] = { "/usr/bin/python3",  "-c",      program,
                           file_of(path, pool), statement, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

static void a_row_beyond_the_youngest_is_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
    asked_t asked = { 0, true, 0, { 0 } };
    bool found;

    sql(path, "UPDATE rep_cache SET revision = 7", pool);
    assert_fs_error_says(
        fs_rep_cache_find(&found, &rep, fsfs, ask, &asked, pool),
        FS_ERR_CORRUPT, "r7, which does not exist");
}

static void odd_rows_are_none(void **state)
{
    static const char *const odd[] = {
        "UPDATE rep_cache SET revision = -1",
        "UPDATE rep_cache SET offset = 'text'",
        "UPDATE rep_cache SET size = -5",
        "DELETE FROM rep_cache",
        "PRAGMA user_version = 3",
    };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        const char *path = stock_repo("1.14", pool);
        fs_fsfs_t *fsfs = open_store(path, pool);
        fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);

        sql(path, odd[i], pool);
        assert_false(find(fsfs, &rep, pool));
    }
}

/* --- Files that come and go --- */

static void a_replaced_database_is_noticed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    const char *kept = apr_pstrcat(pool, path, "/kept", NULL);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);

    assert_true(find(fsfs, &rep, pool));
    assert_int_equal(rename(file_of(path, pool), kept), 0);
    assert_false(find(fsfs, &rep, pool));
    assert_int_equal(rename(kept, file_of(path, pool)), 0);
    assert_true(find(fsfs, &rep, pool));
}

static void damage_fails_nothing(void **state)
{
    static const char *const damages[] = { "", "no database at all",
                                           "SQLite format 3" };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < 3; i++) {
        const char *path = stock_repo("1.14", pool);
        fs_fsfs_t *fsfs = open_store(path, pool);
        fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
        int fd = open(file_of(path, pool), O_WRONLY | O_TRUNC | O_CLOEXEC);
        apr_size_t len = strlen(damages[i]) + (i == 2);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, damages[i], len), len);
        (void)close(fd);
        assert_false(find(fsfs, &rep, pool));
        rep = rep_of_file(fsfs, 1, "a", pool);
        fs_rep_cache_add(fsfs, &rep, 1, pool);
        fs_rep_cache_flush(fsfs);
        if (i == 0) /* an empty file is a new database */
            assert_true(find(open_store(path, pool), &rep, pool));
    }
}

static void nobody_waits_for_a_locked_database(void **state)
{
    static const char program[] =
        "import sqlite3, sys, time\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('BEGIN EXCLUSIVE')\n"
        "open(sys.argv[2], 'w').close()\n"
        "time.sleep(2)\n";
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    const char *ready = apr_pstrcat(pool, path, "/ready", NULL);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool), other = rep;
    apr_time_t begin;
    pid_t pid = fork();
    int i;

    assert_true(pid >= 0);
    if (pid == 0) {
        execl("/usr/bin/python3", "python3", "-c", program, file_of(path, pool),
              ready, (char *)NULL);
        _exit(127);
    }
    for (i = 0; i < 1000 && access(ready, F_OK); i++)
        apr_sleep(10000);
    assert_int_equal(access(ready, F_OK), 0);
    begin = apr_time_now();
    for (i = 0; i < 50; i++)
        assert_false(find(fsfs, &other, pool));
    other = rep;
    other.sha1[0] ^= 1;
    fs_rep_cache_add(fsfs, &other, 1, pool);
    assert_true(apr_time_now() - begin < apr_time_from_sec(1));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    /* The row comes when the other one is done. */
    fs_rep_cache_flush(fsfs);
    assert_true(find(open_store(path, pool), &other, pool));
}

static void a_child_opens_its_own_connection(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = stock_repo("1.14", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = rep_of_file(fsfs, 1, "a", pool);
    int status;
    pid_t pid;

    assert_true(find(fsfs, &rep, pool));
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        asked_t asked = { 0, true, 0, { 0 } };
        bool found = false;
        fs_error_t *err =
            fs_rep_cache_find(&found, &rep, fsfs, ask, &asked, pool);

        _exit(!err && found ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(find(fsfs, &rep, pool));
}

static void formats_without_sharing_have_none(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f3", pool);
    fs_fsfs_t *fsfs = open_store(path, pool);
    fs_rep_t rep = { 0 };

    rep.rev = 1;
    rep.has_sha1 = true;
    fs_rep_cache_add(fsfs, &rep, 1, pool);
    assert_false(find(fsfs, &rep, pool));
    assert_int_equal(access(file_of(path, pool), F_OK), -1);

    path = stock_repo("1.14", pool);
    fsfs = open_with(path, "enable-rep-sharing", "no", pool);
    rep = rep_of_file(fsfs, 1, "a", pool);
    assert_false(find(fsfs, &rep, pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(rows_of_the_stock_tools_are_found),
    UNIT_TEST(stock_tools_share_what_we_added),
    UNIT_TEST(a_new_database_is_as_readable_as_the_repository),
    UNIT_TEST(rows_are_known_before_they_are_written),
    UNIT_TEST(closing_a_store_writes_its_rows),
    UNIT_TEST(the_first_row_of_a_content_stays),
    UNIT_TEST(rows_beyond_the_youngest_are_never_written),
    UNIT_TEST(a_candidate_that_cannot_be_read_is_none),
    UNIT_TEST(equal_digests_of_other_bytes_are_damage),
    UNIT_TEST(another_size_is_not_looked_at),
    UNIT_TEST(a_row_beyond_the_youngest_is_damage),
    UNIT_TEST(odd_rows_are_none),
    UNIT_TEST(a_replaced_database_is_noticed),
    UNIT_TEST(damage_fails_nothing),
    UNIT_TEST(nobody_waits_for_a_locked_database),
    UNIT_TEST(a_child_opens_its_own_connection),
    UNIT_TEST(formats_without_sharing_have_none),
};

UNIT_MAIN(tests)
