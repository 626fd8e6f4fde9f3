/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/revprop_edit.h, beside the stock tools. */

#include "libfs/store/fsfs/revprop_edit.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/syncs.h"
#include "tests/support/unit.h"

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static fs_repo_t *open_repo(const char *path, apr_pool_t *pool)
{
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, NULL, NULL, pool));
    return repo;
}

/* Set (or with NULL delete) without conditions. */
static fs_error_t *set(fs_repo_t *repo, fs_rev_t rev, const char *name,
                       const char *text, apr_pool_t *pool)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_revprop_change_t change = { name, text ? &value : NULL, false, NULL };

    return fs_repo_change_revprop(repo, rev, &change, pool);
}

static fs_error_t *swap(fs_repo_t *repo, fs_rev_t rev, const char *name,
                        const char *expected, const char *text,
                        apr_pool_t *pool)
{
    fs_bytes_t before = { expected, expected ? strlen(expected) : 0 };
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_revprop_change_t change = { name, text ? &value : NULL, true,
                                   expected ? &before : NULL };

    return fs_repo_change_revprop(repo, rev, &change, pool);
}

static const char *get(fs_repo_t *repo, fs_rev_t rev, const char *name,
                       apr_pool_t *pool)
{
    const fs_bytes_t *value;

    assert_fs_ok(fs_repo_revprop(&value, repo, rev, name, pool, pool));
    return value ? apr_pstrmemdup(pool, value->data, value->len) : NULL;
}

static const char *repeat(char c, apr_size_t len, apr_pool_t *pool)
{
    char *text = apr_palloc(pool, len + 1);

    memset(text, c, len);
    text[len] = '\0';
    return text;
}

static void verify(const char *path, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "verify", "-q", path, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* The stock tool reads the properties of every revision; much faster. */
static void verify_props(const char *path, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "dump-revprops", "-q", path, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* --- The same as the stock tool --- */

static void stock_set(const char *path, fs_rev_t rev, const char *name,
                      const char *text, apr_pool_t *pool)
{
    const char *number = apr_psprintf(pool, "%" FS_REV_FMT, rev);
    const char *value = text ? fs_test_file(text, strlen(text), pool) : NULL;
    const char *argv[] = { "svnadmin", text ? "setrevprop" : "delrevprop",
                           path,       "-r",
                           number,     name,
                           value,      NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

static void assert_same_dump(const char *a, const char *b, apr_pool_t *pool)
{
    const char *folder = fs_test_folder(pool);
    const char *one = apr_pstrcat(pool, folder, "/one", NULL);
    const char *two = apr_pstrcat(pool, folder, "/two", NULL);
    const char *dump[] = { "svnadmin", "dump", "-q", a, NULL };
    const char *compare[] = { "cmp", one, two, NULL };

    fs_test_must_run(NULL, one, dump, pool);
    dump[3] = b;
    fs_test_must_run(NULL, two, dump, pool);
    fs_test_must_run(NULL, NULL, compare, pool);
}

static void edit_both(void **state, const char *name)
{
    apr_pool_t *pool = unit_pool(state);
    const char *ours = unpack(name, pool);
    const char *stock = unpack(name, pool);
    struct {
        fs_rev_t rev;
        const char *name;
        const char *text;
    } edits[] = {
        { 30, "svn:log", "first" },
        { 30, "svn:log", repeat('x', 30000, pool) },
        { 31, "svn:author", NULL },
        { 31, "missing", NULL },
        { 0, "of:zero", "value" },
        { 1, "svn:log", repeat('y', 70000, pool) },
        { 1, "svn:log", "short" },
        { 7, "", "name of no letters" },
        { 7, "svn:date", "2001-02-03T04:05:06.000007Z" },
        { 69, "empty", "" },
    };
    fs_repo_t *repo = open_repo(ours, pool);
    apr_size_t i;

    for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        stock_set(stock, edits[i].rev, edits[i].name, edits[i].text, pool);
        assert_fs_ok(
            set(repo, edits[i].rev, edits[i].name, edits[i].text, pool));
        if (edits[i].text)
            assert_string_equal(get(repo, edits[i].rev, edits[i].name, pool),
                                edits[i].text);
        else
            assert_null(get(repo, edits[i].rev, edits[i].name, pool));
    }
    verify(ours, pool);
    assert_same_dump(ours, stock, pool);
    /* The stock tool goes on where we stopped, and we after it. */
    stock_set(ours, 30, "svn:log", "theirs", pool);
    assert_string_equal(get(repo, 30, "svn:log", pool), "theirs");
    assert_fs_ok(set(repo, 30, "svn:log", "ours", pool));
    verify_props(ours, pool);
}

static void loose_ones_become_what_the_stock_tool_makes(void **state)
{
    edit_both(state, "f1");
    edit_both(state, "f3");
    edit_both(state, "f4-packed");
    edit_both(state, "f6-linear");
    edit_both(state, "f8");
}

static void packed_ones_become_what_the_stock_tool_makes(void **state)
{
    edit_both(state, "f6-packed");
    edit_both(state, "f7-packed");
    edit_both(state, "f8-packed");
    edit_both(state, "f8-smallpages-packed");
}

/* The files themselves are equal too, while nothing is split. */
static void files_are_those_of_the_stock_tool(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *ours = unpack("f8-packed", pool);
    const char *stock = unpack("f8-packed", pool);
    const char *argv[] = { "diff", "-r",
                           apr_pstrcat(pool, ours, "/db/revprops", NULL),
                           apr_pstrcat(pool, stock, "/db/revprops", NULL),
                           NULL };
    const char *mode[] = {
        "test", "!", "-w",
        apr_pstrcat(pool, ours, "/db/revprops/0.pack/1.0", NULL), NULL
    };

    stock_set(stock, 5, "name", "value", pool);
    assert_fs_ok(set(open_repo(ours, pool), 5, "name", "value", pool));
    fs_test_must_run(NULL, NULL, argv, pool);
    if (geteuid())
        fs_test_must_run(NULL, NULL, mode, pool);
}

/* --- Conditions --- */

static void the_expected_value_is_compared(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(unpack("f8-packed", pool), pool);

    assert_fs_ok(swap(repo, 5, "lock", NULL, "mine", pool));
    assert_fs_error_says(swap(repo, 5, "lock", NULL, "yours", pool),
                         FS_ERR_PROP_CHANGED, "'lock'");
    assert_fs_error(swap(repo, 5, "lock", "min", "yours", pool),
                    FS_ERR_PROP_CHANGED);
    assert_string_equal(get(repo, 5, "lock", pool), "mine");
    assert_fs_ok(swap(repo, 5, "lock", "mine", "yours", pool));
    assert_fs_ok(swap(repo, 5, "lock", "yours", NULL, pool));
    assert_null(get(repo, 5, "lock", pool));
    assert_fs_error(swap(repo, 5, "lock", "yours", NULL, pool),
                    FS_ERR_PROP_CHANGED);
}

static void several_changes_are_made_all_or_none(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(unpack("f8", pool), pool);
    fs_fsfs_t *fsfs = fs_handle_of(fs_repo_store(repo));
    fs_bytes_t value = { "v", 1 };
    fs_revprop_change_t changes[] = { { "a", &value, false, NULL },
                                      { "b", &value, true, &value } };

    assert_fs_error(fs_revprop_edit(fsfs, 5, changes, 2, pool),
                    FS_ERR_PROP_CHANGED);
    assert_null(get(repo, 5, "a", pool));
    changes[1].expected = NULL;
    assert_fs_ok(fs_revprop_edit(fsfs, 5, changes, 2, pool));
    assert_string_equal(get(repo, 5, "a", pool), "v");
    assert_string_equal(get(repo, 5, "b", pool), "v");
}

static void what_cannot_be_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    fs_repo_t *repo = open_repo(path, pool);

    assert_fs_error(set(repo, 70, "a", "v", pool), FS_ERR_NO_SUCH_REV);
    assert_fs_error(set(repo, -1, "a", "v", pool), FS_ERR_NO_SUCH_REV);
    assert_fs_error(set(repo, 5, "svn:wc:a", "v", pool), FS_ERR_BAD_ARGS);
    assert_fs_error(set(repo, 5, "svn:log", "a\rb", pool),
                    FS_ERR_BAD_PROPERTY_VALUE);
    assert_int_equal(unlink(apr_pstrcat(pool, path, "/db/revprops/7/30", NULL)),
                     0);
    assert_fs_error_says(set(repo, 30, "a", "v", pool), FS_ERR_CORRUPT, "r30");
}

static void a_repository_that_was_replaced_is_left_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    fs_repo_t *repo = open_repo(path, pool);
    const char *argv[] = { "svnadmin", "setuuid", path, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
    assert_fs_error_says(set(repo, 5, "a", "v", pool), FS_ERR_BUSY,
                         "try again");
    assert_null(get(open_repo(path, pool), 5, "a", pool));
}

/* --- Syncs, failures, deaths --- */

static void a_file_is_synced_then_renamed_then_its_folder_synced(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(unpack("f8-packed", pool), pool);

    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 0, "a", "v", pool)); /* loose */
    assert_string_equal(fs_test_syncs.log, "msrd");
    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 5, "a", "v", pool)); /* packed, fits */
    assert_string_equal(fs_test_syncs.log, "msrd");
}

static void a_split_is_durable_before_its_manifest(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(unpack("f8-packed", pool), pool);

    /* The parts, the folder, the manifest, the folder; then the old file. */
    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 5, "a", repeat('x', 100000, pool), pool));
    assert_string_equal(fs_test_syncs.log, "msrmsr"
                                           "d"
                                           "msrd"
                                           "u");
    /* Neither half has room: what is before, the large one, what follows. */
    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 30, "a", repeat('x', 100000, pool), pool));
    assert_string_equal(fs_test_syncs.log, "msrmsrmsr"
                                           "d"
                                           "msrd"
                                           "u");
}

static void a_change_that_changes_nothing_writes_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(unpack("f8-packed", pool), pool);

    assert_fs_ok(set(repo, 5, "a", "v", pool));
    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 5, "a", "v", pool));
    assert_fs_ok(set(repo, 5, "b", NULL, pool));
    assert_string_equal(fs_test_syncs.log, "");
}

static void a_failed_sync_is_told_and_changes_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8-packed", pool);
    fs_repo_t *repo = open_repo(path, pool);

    fs_test_syncs_fail(1, EIO);
    assert_fs_error(set(repo, 0, "a", "v", pool), FS_ERR_IO);
    assert_null(get(repo, 0, "a", pool));
    fs_test_syncs_fail(1, ENOSPC);
    assert_fs_error(set(repo, 5, "a", "v", pool), FS_ERR_IO);
    assert_null(get(repo, 5, "a", pool));
    fs_test_syncs_fail(2, EIO);
    assert_fs_error(set(repo, 5, "a", repeat('x', 100000, pool), pool),
                    FS_ERR_IO);
    assert_null(get(repo, 5, "a", pool));
    fs_test_syncs_reset();
    assert_fs_ok(set(repo, 5, "a", "v", pool));
    verify(path, pool);
}

/* Make the change in a process that dies before its `n`-th call; false if it
 * came to the end. */
static bool die_at(int n, const char *path, fs_rev_t rev, const char *text,
                   apr_pool_t *pool)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (!child) {
        fs_repo_t *repo = open_repo(path, pool);

        fs_test_syncs_die(n);
        _exit(set(repo, rev, "a", text, pool) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != FS_TEST_DIED)
        assert_int_equal(WEXITSTATUS(status), 0);
    return WEXITSTATUS(status) == FS_TEST_DIED;
}

static void die_everywhere(void **state, const char *name, fs_rev_t rev,
                           apr_size_t size)
{
    apr_pool_t *pool = unit_pool(state);
    apr_pool_t *iter;
    bool died = true;
    int n;

    apr_pool_create(&iter, pool);
    for (n = 1; died; n++) {
        const char *path, *text, *now;
        fs_repo_t *repo;

        apr_pool_clear(iter);
        path = unpack(name, iter);
        text = repeat('x', size, iter);
        died = die_at(n, path, rev, text, iter);
        repo = open_repo(path, iter);
        now = get(repo, rev, "a", iter);
        assert_true(now ? !strcmp(now, text) : died);
        verify_props(path, iter);
        assert_fs_ok(set(repo, rev, "a", "again", iter));
        assert_string_equal(get(repo, rev, "a", iter), "again");
        if (!died)
            verify(path, iter);
    }
    assert_true(n > 4);
}

static void dying_at_any_call_leaves_old_or_new(void **state)
{
    die_everywhere(state, "f8", 30, 10);
    die_everywhere(state, "f8-packed", 30, 10);
    die_everywhere(state, "f8-packed", 30, 100000);
}

static void a_split_removes_what_no_line_names(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8-packed", pool);
    const char *folder = apr_pstrcat(pool, path, "/db/revprops/7.pack", NULL);
    const char *left[] = { "touch", "28.99", "28.9.tmp", "README", NULL };
    const char *script =
        "cd \"$0\" && for f in *; do case $f in manifest|README) ;; "
        "*) grep -qx $f manifest || exit 9;; esac; done";
    const char *count[] = { "sh", "-c", script, folder, NULL };
    int i;

    for (i = 1; left[i]; i++)
        left[i] = apr_pstrcat(pool, folder, "/", left[i], NULL);
    fs_test_must_run(NULL, NULL, left, pool);
    assert_fs_ok(
        set(open_repo(path, pool), 30, "a", repeat('x', 100000, pool), pool));
    fs_test_must_run(NULL, NULL, count, pool);
    assert_int_equal(access(left[3], F_OK), 0);
    verify(path, pool);
}

/* --- Others at the same time --- */

#define THREADS 3
#define ROUNDS 20

typedef struct worker_t {
    pthread_t thread;
    fs_repo_t *repo;
    fs_rev_t rev;
    int number;
    fs_error_t *err;
} worker_t;

static void *work(void *data)
{
    worker_t *worker = data;
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, NULL);
    for (i = 0; i < ROUNDS && !worker->err; i++) {
        apr_pool_clear(pool);
        worker->err =
            set(worker->repo, worker->rev,
                apr_psprintf(pool, "p%d-%d", worker->number, i), "v", pool);
    }
    apr_pool_destroy(pool);
    return NULL;
}

/* Each adds names of its own to one revision: none may be lost. */
static void edit_together(void **state, const char *name, fs_rev_t rev)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack(name, pool);
    worker_t workers[THREADS];
    fs_repo_t *repo;
    int i, j;

    for (i = 0; i < THREADS; i++) {
        workers[i].repo = open_repo(path, pool);
        workers[i].rev = rev;
        workers[i].number = i;
        workers[i].err = NULL;
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (j = 0; j < ROUNDS; j++)
        stock_set(path, rev, apr_psprintf(pool, "stock-%d", j), "v", pool);
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_fs_ok(workers[i].err);
    }
    repo = open_repo(path, pool);
    for (j = 0; j < ROUNDS; j++) {
        for (i = 0; i < THREADS; i++)
            assert_non_null(
                get(repo, rev, apr_psprintf(pool, "p%d-%d", i, j), pool));
        assert_non_null(
            get(repo, rev, apr_psprintf(pool, "stock-%d", j), pool));
    }
    verify(path, pool);
}

static void edits_at_the_same_time_lose_nothing(void **state)
{
    edit_together(state, "f8", 30);
    edit_together(state, "f8-packed", 30);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(loose_ones_become_what_the_stock_tool_makes),
    UNIT_TEST(packed_ones_become_what_the_stock_tool_makes),
    UNIT_TEST(files_are_those_of_the_stock_tool),
    UNIT_TEST(the_expected_value_is_compared),
    UNIT_TEST(several_changes_are_made_all_or_none),
    UNIT_TEST(what_cannot_be_is_refused),
    UNIT_TEST(a_repository_that_was_replaced_is_left_alone),
    UNIT_TEST(a_file_is_synced_then_renamed_then_its_folder_synced),
    UNIT_TEST(a_split_is_durable_before_its_manifest),
    UNIT_TEST(a_change_that_changes_nothing_writes_nothing),
    UNIT_TEST(a_failed_sync_is_told_and_changes_nothing),
    UNIT_TEST(dying_at_any_call_leaves_old_or_new),
    UNIT_TEST(a_split_removes_what_no_line_names),
    UNIT_TEST(edits_at_the_same_time_lose_nothing),
};

UNIT_MAIN(tests)
