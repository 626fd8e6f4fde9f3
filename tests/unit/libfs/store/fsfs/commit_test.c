/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/commit.h, through the interface of transactions. */

#include "libfs/store/fsfs/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/fs_time.h"
#include "libfs/fs_txn.h"
#include "tests/support/repo.h"
#include "tests/support/syncs.h"
#include "tests/support/unit.h"

static const char *const versions[] = { "1.3", "1.4", "1.6",
                                        "1.8", "1.9", "1.14" };
#define VERSIONS (sizeof(versions) / sizeof(*versions))

/* --- Committing --- */

static fs_repo_t *open_with(const char *path, const char *name,
                            const char *value, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    if (name)
        apr_hash_set(options, name, APR_HASH_KEY_STRING, value);
    assert_fs_ok(fs_repo_open(&repo, path, options, NULL, pool));
    return repo;
}

static fs_repo_t *open_repo(const char *path, apr_pool_t *pool)
{
    return open_with(path, NULL, NULL, pool);
}

static fs_rev_t youngest_of(fs_repo_t *repo, apr_pool_t *pool)
{
    fs_rev_t rev;

    assert_fs_ok(fs_repo_youngest(&rev, repo, pool));
    return rev;
}

static fs_txn_t *begin(fs_repo_t *repo, apr_pool_t *pool)
{
    static const fs_bytes_t log = { "a message", 9 };
    apr_hash_t *props = apr_hash_make(pool);
    fs_txn_t *txn;

    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING, &log);
    assert_fs_ok(
        fs_txn_begin(&txn, repo, youngest_of(repo, pool), props, pool));
    return txn;
}

static void put_text(fs_txn_t *txn, const char *path, const char *text,
                     apr_pool_t *pool)
{
    fs_txn_text_form_t form = { .is_svndiff = false };
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *out;

    assert_fs_ok(fs_txn_text_open(&out, txn, path, &form, pool));
    assert_fs_ok(fs_txn_text_write(out, text, strlen(text)));
    assert_fs_ok(fs_txn_text_close(md5, out));
}

static void set_prop(fs_txn_t *txn, const char *path, const char *name,
                     const char *text, apr_pool_t *pool)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    fs_prop_change_t change = { name, text ? &value : NULL };

    assert_fs_ok(fs_txn_change_node_props(txn, path, &change, 1, pool));
}

static fs_rev_t commit(fs_txn_t *txn, apr_pool_t *pool)
{
    fs_rev_t rev;

    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
    return rev;
}

/* A transaction with one new file. */
static fs_txn_t *begin_with_file(fs_repo_t *repo, const char *path,
                                 apr_pool_t *pool)
{
    fs_txn_t *txn = begin(repo, pool);

    assert_fs_ok(fs_txn_make_file(txn, path, pool));
    put_text(txn, path, "text\n", pool);
    return txn;
}

static fs_error_t *try_to_commit(fs_repo_t *repo, const char *path,
                                 apr_pool_t *pool)
{
    fs_txn_t *txn = begin_with_file(repo, path, pool);
    const char *name = apr_pstrdup(pool, fs_txn_name(txn));
    fs_error_t *err;
    fs_rev_t rev;

    err = fs_txn_commit(&rev, NULL, txn, false, pool);
    fs_txn_close(txn);
    if (err)
        assert_fs_ok(fs_txn_abort(repo, name, pool));
    return err;
}

static void verify(const char *path, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "verify", "-q", path, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* --- Reading back --- */

static const fs_node_t *node_at(fs_repo_t *repo, fs_rev_t rev, const char *path,
                                apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_node_find(&node, root, path, pool));
    return node;
}

static const char *text_at(fs_repo_t *repo, fs_rev_t rev, const char *path,
                           apr_pool_t *pool)
{
    const fs_node_t *node = node_at(repo, rev, path, pool);
    char *text = apr_pcalloc(pool, 1000);
    apr_size_t len = 999;
    fs_stream_t *stream;

    assert_non_null(node);
    assert_fs_ok(fs_node_open(&stream, node, 0, pool));
    assert_fs_ok(fs_stream_read_full(stream, text, &len));
    return text;
}

static fs_error_t *receive_change(void *baton, const fs_change_t *change,
                                  apr_pool_t *scratch)
{
    fs_buffer_t *out = baton;

    (void)scratch;
    fs_buffer_printf(out, "%s%c %s", out->len ? ", " : "", (char)change->action,
                     change->path);
    if (change->copyfrom_path)
        fs_buffer_printf(out, " from %s@%d", change->copyfrom_path,
                         (int)change->copyfrom_rev);
    return NULL;
}

static const char *changes_of(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(100, pool);
    fs_root_t *root;

    assert_fs_ok(fs_root_open(&root, repo, rev, pool));
    assert_fs_ok(fs_root_changes(root, receive_change, out, pool));
    fs_buffer_append(out, "", 1);
    return out->data;
}

/* --- Formats --- */

/* r1 makes a tree; r2 copies it, edits the copy, and replaces a file. */
static void make_history(fs_repo_t *repo, apr_pool_t *pool)
{
    fs_txn_t *txn = begin(repo, pool);

    assert_fs_ok(fs_txn_make_dir(txn, "/t", pool));
    assert_fs_ok(fs_txn_make_dir(txn, "/t/d", pool));
    assert_fs_ok(fs_txn_make_file(txn, "/t/d/f", pool));
    put_text(txn, "/t/d/f", "one\n", pool);
    set_prop(txn, "/t/d", "k", "v", pool);
    assert_fs_ok(fs_txn_make_file(txn, "/t/e", pool));
    set_prop(txn, "/t/e", "k", "v", pool);
    assert_int_equal(commit(txn, pool), 1);

    txn = begin(repo, pool);
    assert_fs_ok(fs_txn_copy(txn, 1, "/t", "/u", pool));
    put_text(txn, "/u/d/f", "two\n", pool);
    assert_fs_ok(fs_txn_delete(txn, "/u/e", pool));
    assert_fs_ok(fs_txn_delete(txn, "/t/e", pool));
    assert_fs_ok(fs_txn_make_file(txn, "/t/e", pool));
    put_text(txn, "/t/e", "one\n", pool);
    set_prop(txn, "/t", "svn:mergeinfo", "/u:2", pool);
    assert_int_equal(commit(txn, pool), 2);
}

static void a_history_is_read_back_in_every_format(void **state)
{
    apr_size_t i;

    for (i = 0; i < VERSIONS; i++) {
        apr_pool_t *pool = unit_pool(state);
        const char *path = fs_test_repo_load_as(NULL, versions[i], pool);
        fs_repo_t *repo = open_repo(path, pool);
        const fs_node_t *node;

        make_history(repo, pool);
        assert_int_equal(youngest_of(repo, pool), 2);
        assert_string_equal(text_at(repo, 1, "/t/d/f", pool), "one\n");
        assert_string_equal(text_at(repo, 2, "/t/d/f", pool), "one\n");
        assert_string_equal(text_at(repo, 2, "/u/d/f", pool), "two\n");
        assert_string_equal(text_at(repo, 2, "/t/e", pool), "one\n");
        assert_null(node_at(repo, 2, "/u/e", pool));
        node = node_at(repo, 2, "/u/d/f", pool);
        assert_int_equal(
            fs_node_relation(node, node_at(repo, 1, "/t/d/f", pool)),
            FS_RELATED);
        assert_int_equal(fs_node_pred_count(node), 1);
        node = node_at(repo, 2, "/t/e", pool);
        assert_int_equal(fs_node_relation(node, node_at(repo, 1, "/t/e", pool)),
                         FS_UNRELATED);
        assert_string_equal(changes_of(repo, 1, pool),
                            "A /t, A /t/d, A /t/d/f, A /t/e");
        assert_string_equal(changes_of(repo, 2, pool),
                            "M /t, R /t/e, A /u from /t@1, M /u/d/f, D /u/e");
        verify(path, pool);
    }
}

static void property_lists_are_stored_once(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), pool);
    const fs_node_record_t *a, *b;
    fs_store_t *store = fs_repo_store(repo);

    make_history(repo, pool);
    assert_fs_ok(store->vtable->node(
        &a, store, fs_node_id(node_at(repo, 1, "/t/d", pool)), pool, pool));
    assert_fs_ok(store->vtable->node(
        &b, store, fs_node_id(node_at(repo, 1, "/t/e", pool)), pool, pool));
    assert_memory_equal(a->props.id, b->props.id, sizeof(a->props.id));
    assert_true(a->props.edition != b->props.edition);
}

static void an_empty_transaction_makes_a_revision(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, pool);

    assert_int_equal(commit(begin(repo, pool), pool), 1);
    assert_string_equal(changes_of(repo, 1, pool), "");
    verify(path, pool);
}

static void the_date_is_that_of_the_commit(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), pool);
    fs_txn_t *txn = begin(repo, pool);
    apr_time_t before = apr_time_now();
    const fs_bytes_t *value;
    apr_time_t date;

    assert_int_equal(commit(txn, pool), 1);
    assert_fs_ok(fs_repo_revprop(&value, repo, 1, "svn:date", pool, pool));
    assert_int_equal(value->len, 27);
    assert_fs_ok(fs_time_parse(&date, value->data, value->len));
    assert_true(date >= before && date <= apr_time_now());
    assert_fs_ok(fs_repo_revprop(&value, repo, 1, "svn:log", pool, pool));
    assert_bytes_equal(value->data, value->len, "a message", 9);
}

static void a_tree_of_many_levels_needs_no_deep_stack(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo =
        open_with(fs_test_repo_load(NULL, pool), "nosync", "true", pool);
    fs_txn_t *txn = begin(repo, pool);
    const char *path = "";
    int i;

    for (i = 0; i < 400; i++) {
        path = apr_pstrcat(pool, path, "/d", NULL);
        assert_fs_ok(fs_txn_make_dir(txn, path, pool));
    }
    assert_int_equal(commit(txn, pool), 1);
    assert_non_null(node_at(repo, 1, path, pool));
}

/* --- The disk --- */

static int count_letters(char letter)
{
    const char *at = fs_test_syncs.log;
    int count = 0;

    while ((at = strchr(at, letter))) {
        count++;
        at++;
    }
    return count;
}

static void an_ordinary_commit_makes_five_syncs(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), pool);
    fs_txn_t *txn = begin_with_file(repo, "/f", pool);
    int groups;

    fs_test_syncs_reset();
    assert_int_equal(commit(txn, pool), 1);
    groups = count_letters('g'); /* none if much waits to be written */
    assert_int_equal(count_letters('s'), 3);
    assert_int_equal(count_letters('d'), groups ? 1 : 3);
    assert_int_equal(fs_test_syncs.syncs, groups ? 5 : 6);
}

static void beginning_and_editing_need_no_sync(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(fs_test_repo_load(NULL, pool), pool);

    fs_test_syncs_reset();
    fs_txn_close(begin_with_file(repo, "/f", pool));
    assert_int_equal(fs_test_syncs.syncs, 0);
}

static void nosync_waits_for_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_with(path, "nosync", "true", pool);

    fs_test_syncs_reset();
    assert_fs_ok(try_to_commit(repo, "/f", pool));
    assert_int_equal(fs_test_syncs.syncs, 0);
    verify(path, pool);
}

static int mode_of(const char *repo, const char *name, apr_pool_t *pool)
{
    struct stat info;

    assert_int_equal(stat(apr_pstrcat(pool, repo, "/db/", name, NULL), &info),
                     0);
    return info.st_mode & 07777;
}

static void chmod_in(const char *repo, const char *name, int mode,
                     apr_pool_t *pool)
{
    assert_int_equal(
        chmod(apr_pstrcat(pool, repo, "/db/", name, NULL), (mode_t)mode), 0);
}

/* A repository with one revision a shard. */
static const char *make_small_shards(apr_pool_t *pool)
{
    const char *path = fs_test_repo_load(NULL, pool);
    const char *argv[] = { "sed", "-i", "s/sharded 1000/sharded 1/",
                           apr_pstrcat(pool, path, "/db/format", NULL), NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
    return path;
}

static void permissions_are_those_of_the_revision_before(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = make_small_shards(pool);

    chmod_in(path, "revs/0/0", 0640, pool);
    chmod_in(path, "revs", 02750, pool);
    chmod_in(path, "revprops", 02770, pool);
    chmod_in(path, "current", 0664, pool);
    assert_fs_ok(try_to_commit(open_repo(path, pool), "/f", pool));
    assert_int_equal(mode_of(path, "revs/1/1", pool), 0640);
    assert_int_equal(mode_of(path, "revprops/1/1", pool), 0640);
    assert_int_equal(mode_of(path, "current", pool), 0664);
    assert_int_equal(mode_of(path, "revs/1", pool), 02750);
    assert_int_equal(mode_of(path, "revprops/1", pool), 02770);
}

static void put_file(const char *repo, const char *name, apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, repo, "/db/", name, NULL);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs("what a dead committer left\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0444), 0);
}

static void what_a_dead_committer_left_is_replaced(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = make_small_shards(pool);
    fs_repo_t *repo = open_repo(path, pool);

    assert_int_equal(mkdir(apr_pstrcat(pool, path, "/db/revs/1", NULL), 0777),
                     0);
    assert_int_equal(
        mkdir(apr_pstrcat(pool, path, "/db/revprops/1", NULL), 0777), 0);
    put_file(path, "revs/1/1", pool);
    put_file(path, "revprops/1/1", pool);
    put_file(path, "revprops/1/1.tmp", pool);
    put_file(path, "current.tmp", pool);
    assert_fs_ok(try_to_commit(repo, "/f", pool));
    assert_string_equal(text_at(repo, 1, "/f", pool), "text\n");
    verify(path, pool);
}

static void assert_missing(const char *repo, const char *name, apr_pool_t *pool)
{
    assert_int_equal(access(apr_pstrcat(pool, repo, "/db/", name, NULL), F_OK),
                     -1);
}

static void a_sync_that_fails_leaves_no_revision(void **state)
{
    int i;

    for (i = 1; i <= 6; i++) {
        apr_pool_t *pool = unit_pool(state);
        const char *path = fs_test_repo_load(NULL, pool);
        fs_repo_t *repo = open_repo(path, pool);
        fs_txn_t *txn = begin_with_file(repo, "/f", pool);
        const char *name = apr_pstrdup(pool, fs_txn_name(txn));
        fs_error_t *err;
        fs_rev_t rev;

        fs_test_syncs_fail(i, EIO);
        err = fs_txn_commit(&rev, NULL, txn, false, pool);
        fs_txn_close(txn);
        if (!err) {
            assert_int_equal(i, 6); /* a flush for two folders */
            assert_int_equal(fs_test_syncs.syncs, 5);
            break;
        }
        fs_error_clear(err);
        fs_test_syncs_reset();
        assert_missing(path, "revs/0/1", pool);
        assert_missing(path, "revprops/0/1", pool);
        assert_missing(path, "current.tmp", pool);
        assert_int_equal(youngest_of(open_repo(path, pool), pool), 0);
        assert_fs_ok(fs_txn_abort(repo, name, pool));
        assert_fs_ok(try_to_commit(open_repo(path, pool), "/g", pool));
        verify(path, pool);
    }
}

/* Die before the `at`-th call of a commit; true if it came to its end. */
static bool die_at(int at, const char *path, apr_pool_t *pool)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (!child) {
        fs_repo_t *repo = open_repo(path, pool);
        fs_txn_t *txn = begin_with_file(repo, "/f", pool);
        fs_rev_t rev;

        fs_test_syncs_die(at);
        _exit(fs_txn_commit(&rev, NULL, txn, false, pool) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(!WEXITSTATUS(status) || WEXITSTATUS(status) == FS_TEST_DIED);
    return !WEXITSTATUS(status);
}

static void a_death_at_any_call_leaves_all_or_nothing(void **state)
{
    bool ended = false;
    int i;

    fs_test_syncs_reset();
    for (i = 1; !ended; i++) {
        apr_pool_t *pool = unit_pool(state);
        const char *path = make_small_shards(pool);
        fs_repo_t *repo;
        fs_rev_t youngest;

        ended = die_at(i, path, pool);
        repo = open_repo(path, pool);
        youngest = youngest_of(repo, pool);
        assert_true(youngest == 1 || (youngest == 0 && !ended));
        if (youngest)
            assert_string_equal(text_at(repo, 1, "/f", pool), "text\n");
        assert_fs_ok(try_to_commit(repo, "/g", pool));
        assert_int_equal(youngest_of(repo, pool), youngest + 1);
        verify(path, pool);
    }
    assert_true(i > 8);
}

static void a_full_disk_leaves_the_transaction(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, pool);
    const char *blocked = apr_pstrcat(pool, path, "/db/current.tmp", NULL);
    fs_txn_t *txn = begin_with_file(repo, "/f", pool);
    fs_rev_t rev;

    /* A folder in the way cannot be replaced. */
    assert_int_equal(mkdir(blocked, 0777), 0);
    assert_fs_error_says(fs_txn_commit(&rev, NULL, txn, false, pool), FS_ERR_IO,
                         "r1 was not published");
    assert_missing(path, "revs/0/1", pool);
    assert_int_equal(rmdir(blocked), 0);
    assert_int_equal(commit(txn, pool), 1);
    assert_string_equal(text_at(repo, 1, "/f", pool), "text\n");
    verify(path, pool);
}

static void a_commit_is_seen_by_the_next_request(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load(NULL, pool);
    fs_repo_t *repo = open_repo(path, pool);
    fs_repo_t *other = open_repo(path, pool);

    assert_fs_ok(try_to_commit(repo, "/f", pool));
    assert_int_equal(
        fs_repo_store(repo)->vtable->youngest_known(fs_repo_store(repo)), 1);
    assert_int_equal(youngest_of(other, pool), 1);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_history_is_read_back_in_every_format),
    UNIT_TEST(property_lists_are_stored_once),
    UNIT_TEST(an_empty_transaction_makes_a_revision),
    UNIT_TEST(the_date_is_that_of_the_commit),
    UNIT_TEST(a_tree_of_many_levels_needs_no_deep_stack),
    UNIT_TEST(an_ordinary_commit_makes_five_syncs),
    UNIT_TEST(beginning_and_editing_need_no_sync),
    UNIT_TEST(nosync_waits_for_nothing),
    UNIT_TEST(permissions_are_those_of_the_revision_before),
    UNIT_TEST(what_a_dead_committer_left_is_replaced),
    UNIT_TEST(a_sync_that_fails_leaves_no_revision),
    UNIT_TEST(a_death_at_any_call_leaves_all_or_nothing),
    UNIT_TEST(a_full_disk_leaves_the_transaction),
    UNIT_TEST(a_commit_is_seen_by_the_next_request),
};

UNIT_MAIN(tests)
