/* SPDX-License-Identifier: Apache-2.0 */
/* Proves what libfs/fs_txn.h says of transactions as such. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/txns.h"

static const char *prop_of(fs_txn_t *txn, const char *name, apr_pool_t *pool)
{
    apr_hash_t *props;
    const fs_bytes_t *value;

    assert_fs_ok(fs_txn_props(&props, txn, pool));
    value = apr_hash_get(props, name, APR_HASH_KEY_STRING);
    return value ? apr_pstrmemdup(pool, value->data, value->len) : NULL;
}

static void a_transaction_has_name_base_and_date(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, repo, 1, NULL, pool));
    assert_true(strlen(fs_txn_name(txn)) > 2);
    assert_memory_equal(fs_txn_name(txn), "1-", 2);
    assert_int_equal(fs_txn_base(txn), 1);
    assert_ptr_equal(fs_txn_repo(txn), repo);
    assert_int_equal(strlen(prop_of(txn, "svn:date", pool)), 27);
}

static void properties_are_those_it_began_with(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const fs_bytes_t date = { "2024-01-02T03:04:05.678901Z", 27 };
    const fs_bytes_t log = { "line\nline", 9 };
    apr_hash_t *props = apr_hash_make(pool);
    const char *name;
    fs_txn_t *txn;

    apr_hash_set(props, "svn:date", APR_HASH_KEY_STRING, &date);
    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING, &log);
    assert_fs_ok(fs_txn_begin(&txn, repo, 0, props, pool));
    name = fs_txn_name(txn);
    fs_txn_close(txn);
    fs_txn_close(txn);
    assert_fs_ok(fs_txn_open(&txn, repo, name, pool));
    assert_int_equal(fs_txn_base(txn), 0);
    assert_string_equal(prop_of(txn, "svn:date", pool), date.data);
    assert_string_equal(prop_of(txn, "svn:log", pool), log.data);
}

static void what_cannot_begin_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const fs_bytes_t log = { "a\rb", 3 };
    apr_hash_t *props = apr_hash_make(pool);
    apr_array_header_t *names;
    fs_txn_t *txn;

    apr_hash_set(props, "svn:log", APR_HASH_KEY_STRING, &log);
    assert_fs_error(fs_txn_begin(&txn, repo, 2, NULL, pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_txn_begin(&txn, repo, -1, NULL, pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_txn_begin(&txn, repo, 1, props, pool),
                    FS_ERR_BAD_PROPERTY_VALUE);
    assert_fs_ok(fs_repo_txns(&names, repo, pool));
    assert_int_equal(names->nelts, 0);
}

static void properties_change_all_or_none(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn;
    const fs_bytes_t fine = { "x", 1 };
    const fs_bytes_t bad = { "a\rb", 3 };
    const fs_prop_change_t good[] = { { "svn:log", &fine },
                                      { "svn:date", NULL } };
    const fs_prop_change_t mixed[] = { { "p", &fine }, { "svn:log", &bad } };
    const fs_prop_change_t name[] = { { "svn:wc:x", &fine } };

    assert_fs_ok(fs_txn_begin(&txn, fs_test_txns_copy(pool), 1, NULL, pool));
    assert_fs_ok(fs_txn_change_props(txn, good, 2, pool));
    assert_string_equal(prop_of(txn, "svn:log", pool), "x");
    assert_null(prop_of(txn, "svn:date", pool));
    assert_fs_error(fs_txn_change_props(txn, mixed, 2, pool),
                    FS_ERR_BAD_PROPERTY_VALUE);
    assert_null(prop_of(txn, "p", pool));
    assert_fs_error(fs_txn_change_props(txn, name, 1, pool), FS_ERR_BAD_ARGS);
}

static void edits_are_there_for_who_opens_it_next(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_repo_t *other;
    const char *name =
        fs_test_txns_begin(repo, 1, "edit d/f new;mkdir n", pool);
    const fs_node_t *node;
    fs_root_t *root;
    fs_txn_t *txn;

    assert_fs_ok(fs_repo_open(&other, fs_repo_path(repo), NULL, NULL, pool));
    assert_fs_ok(fs_txn_open(&txn, other, name, pool));
    assert_fs_ok(fs_txn_root(&root, txn, pool));
    assert_string_equal(fs_test_txns_text(root, "/d/f", pool), "new");
    assert_fs_ok(fs_node_need(&node, root, "/n", pool));
    fs_txn_close(txn);
}

static void names_that_are_none_are_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    fs_txn_t *txn;

    assert_fs_error(fs_txn_open(&txn, repo, "1-zzz", pool), FS_ERR_NO_SUCH_TXN);
    assert_fs_error(fs_txn_open(&txn, repo, "../1-1", pool), FS_ERR_TXN_NAME);
    assert_fs_error(fs_txn_open(&txn, repo, "", pool), FS_ERR_TXN_NAME);
    assert_fs_error(fs_txn_abort(repo, "1-zzz", pool), FS_ERR_NO_SUCH_TXN);
    assert_fs_error(fs_txn_abort(repo, "..", pool), FS_ERR_TXN_NAME);
}

static void an_aborted_transaction_is_gone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *name = fs_test_txns_begin(repo, 1, "edit d/f 1", pool);
    apr_array_header_t *names;
    fs_txn_t *txn;

    assert_fs_ok(fs_repo_txns(&names, repo, pool));
    assert_int_equal(names->nelts, 1);
    assert_string_equal(APR_ARRAY_IDX(names, 0, const char *), name);
    assert_fs_ok(fs_txn_abort(repo, name, pool));
    assert_fs_ok(fs_repo_txns(&names, repo, pool));
    assert_int_equal(names->nelts, 0);
    assert_fs_error(fs_txn_open(&txn, repo, name, pool), FS_ERR_NO_SUCH_TXN);
}

static fs_error_t *describe(void *baton, const fs_change_t *change,
                            apr_pool_t *scratch)
{
    apr_array_header_t *lines = baton;

    (void)scratch;
    APR_ARRAY_PUSH(lines, const char *) =
        apr_psprintf(lines->pool, "%c%s%s%s %s%s%s", change->action,
                     change->kind == FS_NODE_DIR ? "d" : "f",
                     change->text_mod ? "t" : "", change->prop_mod ? "p" : "",
                     change->path, change->copyfrom_path ? " from " : "",
                     change->copyfrom_path ? change->copyfrom_path : "");
    return NULL;
}

static void changes_are_told_folded_and_sorted(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_array_header_t *lines = apr_array_make(pool, 8, sizeof(char *));
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, fs_test_txns_copy(pool), 1, NULL, pool));
    assert_fs_ok(fs_test_txns_edit(
        txn,
        "edit e/x 1;prop e/x a b;cp 1 d c;del d/f;mkfile d/f 2;mkdir n;"
        "mkdir gone;del gone",
        pool));
    assert_fs_ok(fs_txn_changes(txn, describe, lines, pool));
    assert_string_equal(apr_array_pstrcat(pool, lines, ';'),
                        "Ad /c from /d;Rft /d/f;Mftp /e/x;Ad /n");
}

static fs_error_t *refuse(void *baton, const fs_change_t *change,
                          apr_pool_t *scratch)
{
    (void)baton;
    (void)change;
    (void)scratch;
    return FS_ERROR(FS_ERR_CANCELLED, "enough");
}

static void an_error_of_the_receiver_ends_the_changes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, fs_test_txns_copy(pool), 1, NULL, pool));
    assert_fs_ok(fs_test_txns_edit(txn, "mkdir a;mkdir b", pool));
    assert_fs_error(fs_txn_changes(txn, refuse, NULL, pool), FS_ERR_CANCELLED);
}

static void stock_transactions_are_aborted_only(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_repo_t *repo = fs_test_txns_copy(pool);
    const char *folder = fs_repo_path(repo);
    const char *script = "t=\"$0/db/transactions/1-f.txn\"; mkdir \"$t\"; "
                         "printf 'END\\n' >\"$t/props\"; : >\"$t/changes\"";
    const char *argv[] = { "sh", "-ec", script, folder, NULL };
    fs_txn_t *txn;

    fs_test_must_run(NULL, NULL, argv, pool);
    assert_fs_error(fs_txn_open(&txn, repo, "1-f", pool), FS_ERR_FOREIGN_TXN);
    assert_fs_ok(fs_txn_abort(repo, "1-f", pool));
    assert_fs_error(fs_txn_open(&txn, repo, "1-f", pool), FS_ERR_NO_SUCH_TXN);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_transaction_has_name_base_and_date),
    UNIT_TEST(properties_are_those_it_began_with),
    UNIT_TEST(what_cannot_begin_is_told),
    UNIT_TEST(properties_change_all_or_none),
    UNIT_TEST(edits_are_there_for_who_opens_it_next),
    UNIT_TEST(names_that_are_none_are_told),
    UNIT_TEST(an_aborted_transaction_is_gone),
    UNIT_TEST(changes_are_told_folded_and_sorted),
    UNIT_TEST(an_error_of_the_receiver_ends_the_changes),
    UNIT_TEST(stock_transactions_are_aborted_only),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_txns_setup,
                                       fs_test_txns_teardown);
}
