/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/path_lock_edit.h, beside the stock tools. */

#include "libfs/store/fsfs/path_lock_edit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/format/lock_file.h"
#include "libfs/fs_lock.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"
#include "tests/support/syncs.h"
#include "tests/support/unit.h"

/* A copy of the group's repository. */
static const char *make_repo(apr_pool_t *pool)
{
    const char *folder = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *argv[] = { "cp", "-a", fs_repo_path(fs_test_hist()), folder,
                           NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
    fs_test_syncs_reset();
    return folder;
}

static fs_repo_t *open_repo(const char *folder, apr_pool_t *pool)
{
    return fs_test_open(folder, false, pool);
}

static void shell(const char *script, const char *folder, apr_pool_t *pool)
{
    const char *argv[] = { "sh", "-ec", script, folder, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* ---- steps as a list ---- */

/* What is decided, and what was there, path by path. */
typedef struct script_t {
    const fs_store_lock_step_t *steps;
    const fs_store_lock_t *locks;
    const char **seen; /* tokens; NULL: no lock */
    int fail_at;       /* -1: nowhere */
    apr_pool_t *pool;
} script_t;

static fs_error_t *decide(void *baton, int index, const fs_store_lock_t *now,
                          fs_store_lock_step_t *step,
                          const fs_store_lock_t **put, apr_pool_t *scratch)
{
    const script_t *script = baton;

    (void)scratch;
    if (index == script->fail_at)
        return FS_ERROR(FS_ERR_CANCELLED, "enough");
    script->seen[index] = now ? apr_pstrdup(script->pool, now->token) : NULL;
    *step = script->steps[index];
    *put = &script->locks[index];
    return NULL;
}

static fs_store_lock_t lock_on(const char *path, const char *token)
{
    const fs_store_lock_t lock = {
        .path = path,
        .token = token,
        .owner = "ann",
        .created = APR_INT64_C(1700000000000000),
    };

    return lock;
}

#define PATHS_MAX 8

/* Do the same with `count` paths; what was seen is dropped. */
static fs_error_t *edit(fs_repo_t *repo, const char *const *paths, int count,
                        fs_store_lock_step_t step, apr_pool_t *pool)
{
    fs_store_lock_t locks[PATHS_MAX];
    fs_store_lock_step_t steps[PATHS_MAX];
    const char *seen[PATHS_MAX];
    script_t script = { steps, locks, seen, -1, pool };
    fs_store_t *store = fs_repo_store(repo);
    int i;

    for (i = 0; i < count; i++) {
        locks[i] = lock_on(paths[i], "opaquelocktoken:t");
        steps[i] = step;
    }
    return store->vtable->lock_edit(store, paths, count, decide, &script, pool);
}

static fs_error_t *put(fs_repo_t *repo, const char *path, apr_pool_t *pool)
{
    return edit(repo, &path, 1, FS_STORE_LOCK_PUT, pool);
}

static fs_error_t *drop(fs_repo_t *repo, const char *path, apr_pool_t *pool)
{
    return edit(repo, &path, 1, FS_STORE_LOCK_DROP, pool);
}

/* ---- looks ---- */

static fs_error_t *count_lock(void *baton, const fs_store_lock_t *lock,
                              apr_pool_t *scratch)
{
    (void)lock;
    (void)scratch;
    ++*(int *)baton;
    return NULL;
}

/* Locks at and below `path`, by the lists. */
static int listed(fs_repo_t *repo, const char *path, apr_pool_t *pool)
{
    fs_store_t *store = fs_repo_store(repo);
    int count = 0;

    assert_fs_ok(
        store->vtable->lock_list(store, path, count_lock, &count, pool));
    return count;
}

static bool is_locked(fs_repo_t *repo, const char *path, apr_pool_t *pool)
{
    fs_store_t *store = fs_repo_store(repo);
    const fs_store_lock_t *lock;

    assert_fs_ok(store->vtable->lock_get(&lock, store, path, pool));
    return lock != NULL;
}

/* Runs of syncs as one 'S'; modes are left out. */
static const char *rounds(apr_pool_t *pool)
{
    char *out = apr_pcalloc(pool, sizeof(fs_test_syncs.log));
    const char *p;
    int len = 0;

    for (p = fs_test_syncs.log; *p; p++) {
        char c = strchr("sdg", *p) ? 'S' : *p;

        if (c != 'm' && !(c == 'S' && len && out[len - 1] == 'S'))
            out[len++] = c;
    }
    return out;
}

/* ---- bytes ---- */

/* Digest files of two repositories with their permissions; lines sorted, as
 * lists of children have no order, and dates blanked. */
static const char same_files[] =
    "for r in \"$0\" \"$0.stock\"; do cd \"$r/db/locks\"; "
    "find . -printf '%P %m %y\\n' | sort >\"$r/files\"; "
    "for f in $(find . -type f | sort); do echo \"$f\"; "
    "sed 's/^20..-.*Z$/DATE/' \"$f\" | sort; done >\"$r/bytes\"; done; "
    "test -s \"$0/bytes\"; cmp \"$0/files\" \"$0.stock/files\"; "
    "cmp \"$0/bytes\" \"$0.stock/bytes\"";

static void files_are_those_of_the_stock_tool(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);
    fs_lock_wish_t wishes[] = {
        { "/trunk/g", "opaquelocktoken:1", "a <comment>\n", false, 0,
          FS_INVALID_REV, false },
        { "/trunk/A/f2", "opaquelocktoken:2", "", false, 0, FS_INVALID_REV,
          false },
        { "/trunk/C/f2", "opaquelocktoken:3", "c", false, 0, FS_INVALID_REV,
          false },
    };
    fs_lock_release_t gone = { "/trunk/C/f2", "opaquelocktoken:3" };
    fs_lock_outcome_t out[3];

    shell("cp -a \"$0\" \"$0.stock\"; printf 'a <comment>\\n' >\"$0/1\"; "
          ": >\"$0/2\"; printf c >\"$0/3\"; l() { svnadmin lock -q "
          "\"$0.stock\" $2 ann \"$0/$1\" opaquelocktoken:$1; }; "
          "l 1 /trunk/g; l 2 /trunk/A/f2; l 3 /trunk/C/f2",
          folder, pool);
    assert_fs_ok(fs_lock_take(out, repo, "ann", wishes, 3, pool));
    shell(same_files, folder, pool);
    assert_fs_ok(fs_lock_release(out, repo, "ann", &gone, 1, false, pool));
    assert_fs_ok(out[0].err);
    shell("svnadmin unlock -q \"$0.stock\" /trunk/C/f2 ann "
          "opaquelocktoken:3",
          folder, pool);
    shell(same_files, folder, pool);
    shell("rm -rf \"$0.stock\"", folder, pool);
}

static void the_stock_tools_understand_our_locks(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);

    assert_fs_ok(put(repo, "/trunk/g", pool));
    assert_fs_ok(put(repo, "/trunk/A/f2", pool));
    shell("test \"$(svnadmin lslocks \"$0\" / | grep -c '^Path: ')\" = 2; "
          "svnlook lock \"$0\" /trunk/g | grep -q opaquelocktoken:t; "
          "svnadmin unlock -q \"$0\" /trunk/g ann opaquelocktoken:t; "
          "svnadmin rmlocks -q \"$0\" /trunk/A/f2; "
          "test -z \"$(find \"$0/db/locks\" -type f)\"",
          folder, pool);
}

static void locks_that_go_leave_no_file(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);
    const char *paths[] = { "/trunk/g", "/trunk/A/f2" };

    assert_fs_ok(edit(repo, paths, 2, FS_STORE_LOCK_PUT, pool));
    assert_int_equal(listed(repo, "/", pool), 2);
    assert_int_equal(listed(repo, "/trunk/A", pool), 1);
    assert_fs_ok(drop(repo, "/trunk/g", pool));
    assert_int_equal(listed(repo, "/", pool), 1);
    assert_fs_ok(drop(repo, "/trunk/A/f2", pool));
    shell("test -z \"$(find \"$0/db/locks\" -type f)\"", folder, pool);
}

/* ---- deciding ---- */

static void the_second_time_a_path_is_as_the_first_left_it(void **state)
{
    static const fs_store_lock_step_t steps[] = { FS_STORE_LOCK_PUT,
                                                  FS_STORE_LOCK_PUT,
                                                  FS_STORE_LOCK_DROP,
                                                  FS_STORE_LOCK_PUT };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);
    fs_store_t *store = fs_repo_store(repo);
    const char *paths[] = { "/f", "/f", "/f", "/f" };
    const fs_store_lock_t locks[] = { lock_on("/f", "opaquelocktoken:1"),
                                      lock_on("/f", "opaquelocktoken:2"),
                                      lock_on("/f", ""),
                                      lock_on("/f", "opaquelocktoken:3") };
    const char *seen[4];
    script_t script = { steps, locks, seen, -1, pool };

    assert_fs_ok(
        store->vtable->lock_edit(store, paths, 4, decide, &script, pool));
    assert_null(seen[0]);
    assert_string_equal(seen[1], "opaquelocktoken:1");
    assert_string_equal(seen[2], "opaquelocktoken:2");
    assert_null(seen[3]);
    assert_int_equal(listed(repo, "/", pool), 1);
}

static void an_error_ends_it_and_what_was_done_stays(void **state)
{
    static const fs_store_lock_step_t steps[] = { FS_STORE_LOCK_PUT,
                                                  FS_STORE_LOCK_PUT };
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);
    fs_store_t *store = fs_repo_store(repo);
    const char *paths[] = { "/f", "/g" };
    const fs_store_lock_t locks[] = { lock_on("/f", "opaquelocktoken:1"),
                                      lock_on("/g", "opaquelocktoken:2") };
    const char *seen[2];
    script_t script = { steps, locks, seen, 1, pool };

    assert_fs_error(
        store->vtable->lock_edit(store, paths, 2, decide, &script, pool),
        FS_ERR_CANCELLED);
    assert_true(is_locked(repo, "/f", pool));
    assert_false(is_locked(repo, "/g", pool));
}

static void an_expired_lock_that_is_met_is_removed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);
    fs_lock_wish_t wish = { "/trunk/g", NULL,           NULL, false,
                            1,          FS_INVALID_REV, false };
    const char *path = "/trunk/g";
    fs_lock_outcome_t out;

    assert_fs_ok(fs_lock_take(&out, repo, "ann", &wish, 1, pool));
    assert_fs_ok(out.err);
    assert_true(is_locked(repo, path, pool));
    assert_fs_ok(edit(repo, &path, 1, FS_STORE_LOCK_KEEP, pool));
    assert_false(is_locked(repo, path, pool));
    shell("test -z \"$(find \"$0/db/locks\" -type f)\"", folder, pool);
}

static void a_lock_that_is_kept_is_not_touched(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);
    const char *path = "/trunk/g";

    assert_fs_ok(put(repo, path, pool));
    fs_test_syncs_reset();
    assert_fs_ok(edit(repo, &path, 1, FS_STORE_LOCK_KEEP, pool));
    assert_fs_ok(drop(repo, "/trunk/A/f2", pool));
    assert_int_equal(fs_test_syncs.calls, 0);
    assert_true(is_locked(repo, path, pool));
}

/* ---- lists ---- */

/* Put `children` in front of the children that the file of `path` lists. */
static void add_children(const char *folder, const char *path,
                         const char *children, apr_pool_t *pool)
{
    char digest[FS_LOCK_DIGEST_LEN + 1];
    fs_lock_file_t file;
    fs_buffer_t *out = fs_buffer_create(4000, pool);
    const char *name;
    char text[4000];
    apr_size_t len;
    FILE *stream;

    fs_lock_file_digest(digest, path);
    name = apr_psprintf(pool, "%s/db/locks/%.3s/%s", folder, digest, digest);
    stream = fopen(name, "r");
    assert_non_null(stream);
    len = fread(text, 1, sizeof(text), stream);
    (void)fclose(stream);
    assert_fs_ok(fs_lock_file_parse(&file, text, len, pool));
    file.children.data = apr_pstrcat(pool, children, file.children.data, NULL);
    file.children.len += strlen(children);
    fs_lock_file_format(out, &file);
    assert_int_equal(unlink(name), 0);
    stream = fopen(name, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(out->data, 1, out->len, stream), out->len);
    assert_int_equal(fclose(stream), 0);
}

static void odd_entries_of_lists_are_left_alone(void **state)
{
    static const char odd[] = "00000000000000000000000000000000\n"
                              "00000000000000000000000000000000\n";
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);

    assert_fs_ok(put(repo, "/trunk/g", pool));
    add_children(folder, "/trunk", odd, pool);
    assert_fs_ok(put(repo, "/trunk/A/f2", pool));
    assert_fs_ok(drop(repo, "/trunk/g", pool));
    assert_int_equal(listed(repo, "/trunk", pool), 1);
    assert_fs_ok(drop(repo, "/trunk/A/f2", pool));
    assert_int_equal(listed(repo, "/trunk", pool), 0);
    shell("test \"$(find \"$0/db/locks\" -type f | wc -l)\" = 1; "
          "grep -rq 00000000000000000000000000000000 \"$0/db/locks\"",
          folder, pool);
}

static void a_listed_digest_is_not_listed_twice(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);

    assert_fs_ok(put(repo, "/trunk/g", pool));
    shell("find \"$0/db/locks\" -type f -exec grep -L ^path {} + >\"$0/lists\";"
          "cat $(cat \"$0/lists\") >\"$0/before\"",
          folder, pool);
    fs_test_syncs_reset();
    assert_fs_ok(put(repo, "/trunk/g", pool));
    assert_string_equal(rounds(pool), "SrS");
    shell("cat $(cat \"$0/lists\") | cmp - \"$0/before\"", folder, pool);
}

static void a_file_that_is_locked_and_a_folder_keeps_both(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);
    const char *both[] = { "/x/y", "/x" };

    assert_fs_ok(edit(repo, both, 2, FS_STORE_LOCK_PUT, pool));
    assert_true(is_locked(repo, "/x", pool));
    assert_int_equal(listed(repo, "/x", pool), 2);
    assert_int_equal(listed(repo, "/", pool), 2);
    assert_fs_ok(drop(repo, "/x", pool));
    assert_int_equal(listed(repo, "/x", pool), 1);
    assert_fs_ok(put(repo, "/x", pool));
    assert_fs_ok(drop(repo, "/x/y", pool));
    assert_int_equal(listed(repo, "/x", pool), 1);
    assert_fs_ok(put(repo, "/x/y", pool));
    assert_fs_ok(edit(repo, both, 2, FS_STORE_LOCK_DROP, pool));
    shell("test -z \"$(find \"$0/db/locks\" -type f)\"", folder, pool);
}

static void a_damaged_list_is_told_and_stays(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);

    assert_fs_ok(put(repo, "/trunk/g", pool));
    shell("for f in $(find \"$0/db/locks\" -type f); do "
          "grep -q ^path $f || { chmod 644 $f; echo garbage >$f; }; done",
          folder, pool);
    assert_fs_error(put(repo, "/trunk/A/f2", pool), FS_ERR_CORRUPT);
    assert_false(is_locked(repo, "/trunk/A/f2", pool));
    shell("! find \"$0/db/locks\" -name '*.tmp' | grep .", folder, pool);
}

/* ---- durable ---- */

static void lists_are_durable_before_the_lock_has_its_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);

    fs_test_syncs_reset();
    assert_fs_ok(put(repo, "/trunk/A/f2", pool));
    assert_string_equal(rounds(pool), "SrrrSrS");
}

static void a_lock_is_gone_for_good_before_the_lists_forget_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);
    const char *paths[] = { "/trunk/A/f2", "/trunk/A/f3" };

    assert_fs_ok(edit(repo, paths, 2, FS_STORE_LOCK_PUT, pool));
    fs_test_syncs_reset();
    assert_fs_ok(drop(repo, paths[0], pool));
    assert_string_equal(rounds(pool), "uSrrrS");
    fs_test_syncs_reset();
    assert_fs_ok(drop(repo, paths[1], pool));
    assert_string_equal(rounds(pool), "uSuuuS");
}

static void many_locks_share_their_syncs(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_repo(make_repo(pool), pool);
    const char *paths[] = { "/a/1", "/a/2", "/b/3", "/b/4" };

    fs_test_syncs_reset();
    assert_fs_ok(edit(repo, paths, 4, FS_STORE_LOCK_PUT, pool));
    assert_string_equal(rounds(pool), "SrrrSrrrrS");
    fs_test_syncs_no_groups();
    assert_fs_ok(edit(repo, paths, 4, FS_STORE_LOCK_DROP, pool));
    assert_string_equal(rounds(pool), "uuuuSuuuS");
}

static fs_repo_t *open_nosync(const char *folder, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    apr_hash_set(options, "nosync", APR_HASH_KEY_STRING, "true");
    assert_fs_ok(fs_repo_open(&repo, folder, options, NULL, pool));
    return repo;
}

static void nothing_is_synced_if_told_so(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = open_nosync(make_repo(pool), pool);

    assert_fs_ok(put(repo, "/trunk/g", pool));
    assert_fs_ok(drop(repo, "/trunk/g", pool));
    assert_int_equal(fs_test_syncs.syncs, 0);
}

static void a_failed_sync_is_told_and_there_is_no_lock(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);
    int i;

    for (i = 1; i <= 3; i++) {
        shell("rm -rf \"$0/db/locks\"", folder, pool);
        fs_test_syncs_fail(i, EIO);
        assert_fs_error(put(repo, "/trunk/g", pool), FS_ERR_IO);
        fs_test_syncs_reset();
        assert_false(is_locked(repo, "/trunk/g", pool));
        assert_int_equal(listed(repo, "/", pool), 0);
        shell("! find \"$0/db/locks\" -name '*.tmp' | grep .", folder, pool);
    }
    assert_fs_ok(put(repo, "/trunk/g", pool));
}

/* Do `what` in a process that dies before its `n`-th call; false: it ended. */
static bool died(const char *folder, fs_store_lock_step_t what, int n,
                 apr_pool_t *pool)
{
    const char *path = "/trunk/A/f2";
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        fs_repo_t *repo = open_nosync(folder, pool);

        fs_test_syncs_die(n);
        _exit(edit(repo, &path, 1, what, pool) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 ||
                WEXITSTATUS(status) == FS_TEST_DIED);
    return WEXITSTATUS(status) == FS_TEST_DIED;
}

/* Lists may name a lock that is not there; never the other way round. */
static void die_everywhere(void **state, fs_store_lock_step_t what)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_nosync(folder, pool);
    const char *path = "/trunk/A/f2";
    const char *other = "/trunk/A/f3";
    bool more = true;
    int n;

    for (n = 1; more; n++) {
        shell("rm -rf \"$0/db/locks\"", folder, pool);
        assert_fs_ok(put(repo, other, pool));
        if (what == FS_STORE_LOCK_DROP)
            assert_fs_ok(put(repo, path, pool));
        more = died(folder, what, n, pool);
        assert_int_equal(listed(repo, "/", pool),
                         is_locked(repo, path, pool) ? 2 : 1);
        assert_fs_ok(edit(repo, &path, 1, what, pool));
        assert_int_equal(listed(repo, "/trunk", pool),
                         what == FS_STORE_LOCK_PUT ? 2 : 1);
        assert_fs_ok(put(repo, path, pool));
        assert_fs_ok(drop(repo, path, pool));
        shell("! find \"$0/db/locks\" -name '*.tmp' | grep .", folder, pool);
    }
    assert_true(n > 8);
}

static void dying_while_locking_leaves_all_or_nothing(void **state)
{
    die_everywhere(state, FS_STORE_LOCK_PUT);
}

static void dying_while_unlocking_leaves_all_or_nothing(void **state)
{
    die_everywhere(state, FS_STORE_LOCK_DROP);
}

static void a_repository_that_was_replaced_is_left_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *folder = make_repo(pool);
    fs_repo_t *repo = open_repo(folder, pool);

    shell("svnadmin setuuid \"$0\"", folder, pool);
    assert_fs_error(put(repo, "/trunk/g", pool), FS_ERR_BUSY);
    assert_false(is_locked(repo, "/trunk/g", pool));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(files_are_those_of_the_stock_tool),
    UNIT_TEST(the_stock_tools_understand_our_locks),
    UNIT_TEST(locks_that_go_leave_no_file),
    UNIT_TEST(the_second_time_a_path_is_as_the_first_left_it),
    UNIT_TEST(an_error_ends_it_and_what_was_done_stays),
    UNIT_TEST(an_expired_lock_that_is_met_is_removed),
    UNIT_TEST(a_lock_that_is_kept_is_not_touched),
    UNIT_TEST(odd_entries_of_lists_are_left_alone),
    UNIT_TEST(a_listed_digest_is_not_listed_twice),
    UNIT_TEST(a_file_that_is_locked_and_a_folder_keeps_both),
    UNIT_TEST(a_damaged_list_is_told_and_stays),
    UNIT_TEST(lists_are_durable_before_the_lock_has_its_name),
    UNIT_TEST(a_lock_is_gone_for_good_before_the_lists_forget_it),
    UNIT_TEST(many_locks_share_their_syncs),
    UNIT_TEST(nothing_is_synced_if_told_so),
    UNIT_TEST(a_failed_sync_is_told_and_there_is_no_lock),
    UNIT_TEST(dying_while_locking_leaves_all_or_nothing),
    UNIT_TEST(dying_while_unlocking_leaves_all_or_nothing),
    UNIT_TEST(a_repository_that_was_replaced_is_left_alone),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
