/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/txn_journal.h: what is replayed is what was. */

#include "libfs/store/fsfs/txn_journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/fs_txn.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_table.h"
#include "tests/support/repo.h"
#include "tests/support/txn_dump.h"
#include "tests/support/unit.h"

/* A repository with an open transaction in it. */
typedef struct bed_t {
    const char *path;
    fs_repo_t *repo;
    fs_fsfs_t *fsfs;
    fs_txn_t *txn;
    const char *name;
    apr_pool_t *pool;
} bed_t;

static void begin(bed_t *bed)
{
    fs_rev_t youngest;

    assert_fs_ok(fs_repo_youngest(&youngest, bed->repo, bed->pool));
    assert_fs_ok(fs_txn_begin(&bed->txn, bed->repo, youngest,
                              apr_hash_make(bed->pool), bed->pool));
    bed->name = apr_pstrdup(bed->pool, fs_txn_name(bed->txn));
}

static void make_bed(bed_t *bed, const char *version, apr_pool_t *pool)
{
    bed->pool = pool;
    bed->path = fs_test_repo_load_as(NULL, version, pool);
    assert_fs_ok(fs_repo_open(&bed->repo, bed->path, NULL, NULL, pool));
    bed->fsfs = fs_handle_of(fs_repo_store(bed->repo));
    begin(bed);
}

static void reopen(bed_t *bed)
{
    assert_fs_ok(fs_txn_open(&bed->txn, bed->repo, bed->name, bed->pool));
}

/* The state as this process has it; the transaction is closed. */
static const char *dump(const bed_t *bed)
{
    fs_txn_state_t *state;
    const char *text;

    assert_fs_ok(fs_txn_table_open(&state, bed->fsfs, bed->name, bed->pool));
    text = fs_test_txn_dump(state, bed->pool);
    fs_txn_table_close(state);
    return text;
}

/* The same after a replay of all of it. */
static const char *dump_anew(const bed_t *bed)
{
    fs_txn_table_clear();
    return dump(bed);
}

static const char *file_of(const bed_t *bed, const char *file)
{
    return apr_pstrcat(bed->pool, bed->path, "/db/",
                       fs_txn_dir_path(bed->name, file, bed->pool), NULL);
}

static apr_size_t size_of(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    return (apr_size_t)info.st_size;
}

/* --- Edits --- */

static void put(const bed_t *bed, const char *path, const char *text)
{
    fs_txn_text_form_t form = { .is_svndiff = false };
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *out;

    assert_fs_ok(fs_txn_text_open(&out, bed->txn, path, &form, bed->pool));
    assert_fs_ok(fs_txn_text_write(out, text, strlen(text)));
    assert_fs_ok(fs_txn_text_close(md5, out));
}

static void set(const bed_t *bed, const char *path, const char *name,
                const char *text)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_prop_change_t change = { name, text ? &value : NULL };

    assert_fs_ok(
        fs_txn_change_node_props(bed->txn, path, &change, 1, bed->pool));
}

static void commit(bed_t *bed)
{
    fs_rev_t rev;

    assert_fs_ok(fs_txn_commit(&rev, NULL, bed->txn, false, bed->pool));
    begin(bed);
}

/* r1: two directories with files; then a transaction on it. */
static void make_history(bed_t *bed)
{
    assert_fs_ok(fs_txn_make_dir(bed->txn, "/a", bed->pool));
    assert_fs_ok(fs_txn_make_dir(bed->txn, "/a/sub", bed->pool));
    assert_fs_ok(fs_txn_make_file(bed->txn, "/a/sub/f", bed->pool));
    put(bed, "/a/sub/f", "the first text of a file, longer than a header");
    set(bed, "/a/sub", "svn:mergeinfo", "/x:1");
    commit(bed);
}

/* Make edit number `step`; false behind the last one. */
static bool make_edit(const bed_t *bed, int step)
{
    switch (step) {
    case 0:
        assert_fs_ok(fs_txn_make_dir(bed->txn, "/n", bed->pool));
        return true;
    case 1:
        assert_fs_ok(fs_txn_make_file(bed->txn, "/n/g", bed->pool));
        return true;
    case 2:
        put(bed, "/n/g", "a text");
        return true;
    case 3:
        assert_fs_ok(fs_txn_copy(bed->txn, 1, "/a", "/b", bed->pool));
        return true;
    case 4:
        put(bed, "/b/sub/f", "another text of the file in the copy");
        return true;
    case 5:
        put(bed, "/a/sub/f", "a text"); /* shares that of /n/g */
        return true;
    case 6:
        set(bed, "/b", "svn:mergeinfo", "/y:2-3");
        return true;
    case 7:
        set(bed, "/b/sub", "svn:mergeinfo", NULL);
        return true;
    case 8:
        assert_fs_ok(fs_txn_delete(bed->txn, "/a/sub", bed->pool));
        return true;
    case 9:
        assert_fs_ok(fs_txn_copy(bed->txn, 1, "/a/sub", "/n/g", bed->pool));
        return true;
    case 10:
        assert_fs_ok(fs_txn_delete(bed->txn, "/b", bed->pool));
        return true;
    default:
        return false;
    }
}

static void each_edit_is_replayed_as_it_was_made(void **state)
{
    static const char *const versions[] = { "1.3", "1.4", "1.6",
                                            "1.8", "1.9", "1.14" };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;
    bed_t bed;
    int step;

    for (i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        make_bed(&bed, versions[i], pool);
        make_history(&bed);
        for (step = 0; make_edit(&bed, step); step++) {
            const char *kept;

            fs_txn_close(bed.txn);
            kept = dump(&bed);
            assert_string_equal(dump_anew(&bed), kept);
            reopen(&bed);
        }
        assert_int_equal(step, 11);
        fs_txn_close(bed.txn);
    }
}

static void a_tail_of_another_process_is_replayed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *before, *after;
    bed_t bed;
    int status;
    pid_t child;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 0));
    fs_txn_close(bed.txn);
    before = dump(&bed);
    child = fork();
    if (!child) {
        fs_txn_table_clear(); /* files would be shared with the parent */
        reopen(&bed);
        (void)make_edit(&bed, 1);
        (void)make_edit(&bed, 2);
        fs_txn_close(bed.txn);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    after = dump(&bed);
    assert_string_not_equal(after, before);
    assert_string_equal(dump_anew(&bed), after);
    reopen(&bed);
    assert_true(make_edit(&bed, 3));
    fs_txn_close(bed.txn);
}

/* --- Deaths --- */

static fs_bytes_t slurp(const char *path, apr_pool_t *pool)
{
    fs_bytes_t bytes;

    assert_fs_ok(
        fs_disk_file_read(&bytes, NULL, AT_FDCWD, path, 1 << 20, pool));
    return bytes;
}

static void spill(const char *path, const char *data, apr_size_t len)
{
    int fd = open(path, O_WRONLY | O_TRUNC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    assert_int_equal(close(fd), 0);
}

static void an_edit_that_was_cut_anywhere_did_not_happen(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *journal, *texts, *before;
    fs_bytes_t old, whole, contents;
    apr_size_t len;
    bed_t bed;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 3));
    fs_txn_close(bed.txn);
    before = dump(&bed);
    journal = file_of(&bed, FS_TXN_DIR_JOURNAL);
    texts = file_of(&bed, FS_TXN_DIR_TEXTS);
    old = slurp(journal, pool);
    reopen(&bed);
    assert_true(make_edit(&bed, 4));
    fs_txn_close(bed.txn);
    whole = slurp(journal, pool);
    contents = slurp(texts, pool);
    assert_true(contents.len > 0);
    for (len = old.len; len < whole.len; len++) {
        fs_txn_table_clear();
        spill(journal, whole.data, len);
        spill(texts, contents.data, contents.len);
        assert_string_equal(dump(&bed), before);
        assert_int_equal(size_of(journal), old.len);
        assert_int_equal(size_of(texts), 0);
    }
    /* Work goes on as if nothing had been. */
    reopen(&bed);
    assert_true(make_edit(&bed, 4));
    fs_txn_close(bed.txn);
    assert_bytes_equal(slurp(journal, pool).data, size_of(journal), whole.data,
                       whole.len);
    assert_bytes_equal(slurp(texts, pool).data, size_of(texts), contents.data,
                       contents.len);
}

static void a_death_in_the_middle_of_a_text_leaves_what_was(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_text_form_t form = { .is_svndiff = false };
    char noise[4096];
    const char *before;
    fs_txn_text_t *text;
    apr_uint32_t seed = 1;
    bed_t bed;
    int status, i;
    pid_t child;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 0) && make_edit(&bed, 1) && make_edit(&bed, 2));
    fs_txn_close(bed.txn);
    before = dump(&bed);
    child = fork();
    if (!child) {
        fs_txn_table_clear();
        reopen(&bed);
        assert_fs_ok(fs_txn_text_open(&text, bed.txn, "/n/g", &form, pool));
        for (i = 0; i < 4096 * 200; i++) {
            seed = seed * 1103515245u + 12345u;
            noise[i % 4096] = (char)(seed >> 16);
            if (i % 4096 == 4095)
                assert_fs_ok(fs_txn_text_write(text, noise, sizeof(noise)));
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(size_of(file_of(&bed, FS_TXN_DIR_TEXTS)) > 100000);
    assert_string_equal(dump(&bed), before); /* the kept state */
    reopen(&bed);
    put(&bed, "/n/g", "what was sent again");
    fs_txn_close(bed.txn);
    assert_string_equal(dump_anew(&bed), dump(&bed));
    assert_true(size_of(file_of(&bed, FS_TXN_DIR_TEXTS)) < 1000);
    assert_string_not_equal(dump(&bed), before);
}

/* --- Damage --- */

static void damage_is_told_wherever_it_is(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_state_t *opened;
    const char *journal;
    fs_bytes_t whole;
    char *damaged;
    apr_size_t i;
    bed_t bed;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 0) && make_edit(&bed, 3));
    fs_txn_close(bed.txn);
    journal = file_of(&bed, FS_TXN_DIR_JOURNAL);
    whole = slurp(journal, pool);
    damaged = apr_pmemdup(pool, whole.data, whole.len);
    for (i = 0; i < whole.len; i++) {
        if (i >= 16 && i < FS_TXN_JOURNAL_HEAD_LEN)
            continue; /* any generation will do */
        fs_txn_table_clear();
        damaged[i] = (char)(damaged[i] ^ 0x20);
        spill(journal, damaged, whole.len);
        assert_fs_error(fs_txn_table_open(&opened, bed.fsfs, bed.name, pool),
                        FS_ERR_CORRUPT);
        damaged[i] = whole.data[i];
    }
    spill(journal, whole.data, whole.len);
    assert_non_null(dump(&bed));
}

static void texts_that_are_missing_are_damage(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_state_t *opened;
    bed_t bed;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 0) && make_edit(&bed, 1) && make_edit(&bed, 2));
    fs_txn_close(bed.txn);
    fs_txn_table_clear();
    assert_int_equal(truncate(file_of(&bed, FS_TXN_DIR_TEXTS), 3), 0);
    assert_fs_error(fs_txn_table_open(&opened, bed.fsfs, bed.name, pool),
                    FS_ERR_CORRUPT);
}

static void a_journal_begun_anew_is_noticed_by_who_knew_the_old(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_state_t *opened;
    const char *journal;
    fs_bytes_t old;
    char *renewed;
    bed_t bed;

    make_bed(&bed, "1.14", pool);
    make_history(&bed);
    assert_true(make_edit(&bed, 0));
    fs_txn_close(bed.txn);
    journal = file_of(&bed, FS_TXN_DIR_JOURNAL);
    old = slurp(journal, pool);
    assert_non_null(dump(&bed));
    /* As another process would: nothing but the head, of the next
     * generation. */
    renewed = apr_pmemdup(pool, old.data, FS_TXN_JOURNAL_HEAD_LEN);
    renewed[16] = 1;
    spill(journal, renewed, FS_TXN_JOURNAL_HEAD_LEN);
    assert_fs_ok(fs_txn_table_open(&opened, bed.fsfs, bed.name, pool));
    assert_int_equal(opened->nodes->nelts, 1);
    assert_int_equal(opened->generation, 1);
    assert_fs_ok(fs_txn_journal_restart(opened, pool));
    assert_int_equal(opened->generation, 2);
    fs_txn_table_close(opened);
    assert_int_equal(slurp(journal, pool).data[16], 2);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(each_edit_is_replayed_as_it_was_made),
    UNIT_TEST(a_tail_of_another_process_is_replayed),
    UNIT_TEST(an_edit_that_was_cut_anywhere_did_not_happen),
    UNIT_TEST(a_death_in_the_middle_of_a_text_leaves_what_was),
    UNIT_TEST(damage_is_told_wherever_it_is),
    UNIT_TEST(texts_that_are_missing_are_damage),
    UNIT_TEST(a_journal_begun_anew_is_noticed_by_who_knew_the_old),
};

UNIT_MAIN(tests)
