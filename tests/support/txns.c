/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions for tests, edited as short texts say. */

#include "tests/support/txns.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_path.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

static fs_repo_t *open_nosync(const char *folder, apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);
    fs_repo_t *repo;

    apr_hash_set(options, "nosync", APR_HASH_KEY_STRING, "true");
    assert_fs_ok(fs_repo_open(&repo, folder, options, NULL, pool));
    return repo;
}

/* ---- the repository ---- */

static apr_pool_t *group_pool;
static const char *group_folder;

static void make_base(const char *folder, const char *base, apr_pool_t *pool)
{
    const char *actions[] = { "mkdir", "d",   "mkdir", "d/sub", "mkdir",
                              "e",     "put", base,    "d/f",   "put",
                              base,    "d/g", "put",   base,    "d/sub/h",
                              "put",   base,  "e/x",   NULL };

    fs_test_repo_commit(folder, actions, pool);
}

int fs_test_txns_setup(void **state)
{
    const char *base;

    if (unit_group_setup(state))
        return -1;
    apr_pool_create(&group_pool, NULL);
    group_folder = fs_test_repo_load(NULL, group_pool);
    base = fs_test_file("base", 4, group_pool);
    make_base(group_folder, base, group_pool);
    return 0;
}

int fs_test_txns_teardown(void **state)
{
    apr_pool_destroy(group_pool);
    return unit_group_teardown(state);
}

fs_repo_t *fs_test_txns_copy(apr_pool_t *pool)
{
    const char *folder = apr_pstrcat(pool, fs_test_folder(pool), "/r", NULL);
    const char *argv[] = { "cp", "-a", group_folder, folder, NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
    return open_nosync(folder, pool);
}

void fs_test_txns_verify(fs_repo_t *repo, apr_pool_t *pool)
{
    const char *argv[] = { "svnadmin", "verify", "-q", fs_repo_path(repo),
                           NULL };

    fs_test_must_run(NULL, NULL, argv, pool);
}

/* ---- edits ---- */

static fs_error_t *put_text(fs_txn_t *txn, const char *path, const char *text,
                            apr_pool_t *scratch)
{
    const fs_txn_text_form_t form = { false, NULL, NULL };
    unsigned char md5[FS_MD5_SIZE];
    fs_txn_text_t *target;

    FS_TRY(fs_txn_text_open(&target, txn, path, &form, scratch));
    FS_TRY(fs_txn_text_write(target, text, strlen(text)));
    return fs_txn_text_close(md5, target);
}

static fs_error_t *set_prop(fs_txn_t *txn, const char *path, const char *name,
                            const char *text, apr_pool_t *scratch)
{
    fs_bytes_t value = { text, text ? strlen(text) : 0 };
    const fs_prop_change_t change = { name, text ? &value : NULL };

    return fs_txn_change_node_props(txn, path, &change, 1, scratch);
}

static fs_error_t *edit_once(fs_txn_t *txn, char **words, apr_pool_t *scratch)
{
    const char *what = words[0];
    const char *path = words[1] ? fs_path_canonical(words[1], scratch) : NULL;

    if (!strcmp(what, "none"))
        return NULL;
    if (!strcmp(what, "mkdir"))
        return fs_txn_make_dir(txn, path, scratch);
    if (!strcmp(what, "del"))
        return fs_txn_delete(txn, path, scratch);
    if (!strcmp(what, "edit"))
        return put_text(txn, path, words[2], scratch);
    if (!strcmp(what, "prop"))
        return set_prop(txn, path, words[2], words[3], scratch);
    if (!strcmp(what, "mkfile")) {
        FS_TRY(fs_txn_make_file(txn, path, scratch));
        return put_text(txn, path, words[2], scratch);
    }
    if (!strcmp(what, "cp"))
        return fs_txn_copy(txn, atoi(words[1]),
                           fs_path_canonical(words[2], scratch),
                           fs_path_canonical(words[3], scratch), scratch);
    fail_msg("unknown edit '%s'", what);
    return NULL;
}

fs_error_t *fs_test_txns_edit(fs_txn_t *txn, const char *edits,
                              apr_pool_t *scratch)
{
    char *rest = apr_pstrdup(scratch, edits);
    char *last;
    char *one;

    for (one = apr_strtok(rest, ";", &last); one;
         one = apr_strtok(NULL, ";", &last)) {
        char **words;

        assert_apr_ok(apr_tokenize_to_argv(one, &words, scratch));
        FS_TRY(edit_once(txn, words, scratch));
    }
    return NULL;
}

const char *fs_test_txns_begin(fs_repo_t *repo, fs_rev_t base,
                               const char *edits, apr_pool_t *pool)
{
    const char *name;
    fs_txn_t *txn;

    assert_fs_ok(fs_txn_begin(&txn, repo, base, NULL, pool));
    assert_fs_ok(fs_test_txns_edit(txn, edits, pool));
    name = apr_pstrdup(pool, fs_txn_name(txn));
    fs_txn_close(txn);
    return name;
}

fs_rev_t fs_test_txns_commit(fs_repo_t *repo, const char *name,
                             apr_pool_t *pool)
{
    fs_txn_t *txn;
    fs_rev_t rev;

    assert_fs_ok(fs_txn_open(&txn, repo, name, pool));
    assert_fs_ok(fs_txn_commit(&rev, NULL, txn, false, pool));
    return rev;
}

fs_rev_t fs_test_txns_make(fs_repo_t *repo, const char *edits, apr_pool_t *pool)
{
    fs_rev_t youngest;

    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    return fs_test_txns_commit(
        repo, fs_test_txns_begin(repo, youngest, edits, pool), pool);
}

/* ---- looks ---- */

static fs_error_t *describe(void *baton, const fs_change_t *change,
                            apr_pool_t *scratch)
{
    fs_buffer_t *out = baton;

    (void)scratch;
    fs_buffer_printf(out, "%s%c%s%s %s", out->len ? " " : "", change->action,
                     change->text_mod ? "t" : "", change->prop_mod ? "p" : "",
                     change->path);
    return NULL;
}

const char *fs_test_txns_changes(fs_root_t *root, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(200, pool);

    assert_fs_ok(fs_root_changes(root, describe, out, pool));
    return apr_pstrmemdup(pool, out->data, out->len);
}

const char *fs_test_txns_text(fs_root_t *root, const char *path,
                              apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_stream_t *stream;
    fs_bytes_t text;

    assert_fs_ok(fs_node_need(&node, root, path, pool));
    assert_fs_ok(fs_node_open(&stream, node, 0, pool));
    assert_fs_ok(fs_stream_slurp(&text, stream, 1 << 24, pool));
    return apr_pstrmemdup(pool, text.data, text.len);
}
