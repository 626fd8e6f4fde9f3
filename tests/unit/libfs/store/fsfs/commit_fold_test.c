/* SPDX-License-Identifier: Apache-2.0 */
/* Proves fs_commit_fold() of libfs/store/fsfs/commit.h. */

#include "libfs/store/fsfs/commit.h"

#include <stdio.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/commit_tree.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

/* --- A tree that edits are made in --- */

/* Paths of r1 and of the transaction, to their kinds ('f' or 'd'). */
typedef struct model_t {
    apr_hash_t *base;
    apr_hash_t *tree;
    fs_txn_state_t state;
    apr_pool_t *pool;
} model_t;

static void put(apr_hash_t *tree, const char *path, const char *kind)
{
    apr_hash_set(tree, path, APR_HASH_KEY_STRING, kind);
}

static const char *kind_at(apr_hash_t *tree, const char *path)
{
    return apr_hash_get(tree, path, APR_HASH_KEY_STRING);
}

static model_t *make_model(apr_pool_t *pool)
{
    model_t *model = apr_pcalloc(pool, sizeof(*model));

    model->pool = pool;
    model->base = apr_hash_make(pool);
    put(model->base, "/", "d");
    put(model->base, "/d", "d");
    put(model->base, "/d/f", "f");
    put(model->base, "/d/sub", "d");
    put(model->base, "/e", "d");
    put(model->base, "/e/x", "f");
    model->tree = apr_hash_copy(pool, model->base);
    model->state.pool = pool;
    model->state.changes = apr_array_make(pool, 8, sizeof(fs_txn_change_t));
    return model;
}

static fs_txn_change_t *record(model_t *model, fs_change_action_t action,
                               const char *path, const char *kind)
{
    fs_txn_change_t *change = apr_array_push(model->state.changes);

    memset(change, 0, sizeof(*change));
    change->path = path;
    change->action = action;
    change->kind = *kind == 'f' ? FS_NODE_FILE : FS_NODE_DIR;
    change->copyfrom_rev = FS_INVALID_REV;
    change->id.rev = FS_INVALID_REV;
    return change;
}

/* Whether `path` is `root` or below it. */
static bool within(const char *path, const char *root)
{
    apr_size_t len = strlen(root);

    return !strncmp(path, root, len) && (!path[len] || path[len] == '/');
}

static void prune(model_t *model, const char *path)
{
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(model->pool, model->tree); hi;
         hi = apr_hash_next(hi))
        if (within(apr_hash_this_key(hi), path))
            put(model->tree, apr_hash_this_key(hi), NULL);
}

static void graft(model_t *model, const char *from, const char *to)
{
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(model->pool, model->base); hi;
         hi = apr_hash_next(hi)) {
        const char *path = apr_hash_this_key(hi);

        if (within(path, from))
            put(model->tree,
                apr_pstrcat(model->pool, to, path + strlen(from), NULL),
                apr_hash_this_val(hi));
    }
}

static void copy(model_t *model, const char *from, const char *to)
{
    bool replaces = kind_at(model->tree, to);
    fs_txn_change_t *change;

    if (!strcmp(from, to)) /* the very same node */
        return;
    prune(model, to);
    graft(model, from, to);
    change = record(model,
                    replaces ? FS_CHANGE_ACTION_REPLACE : FS_CHANGE_ACTION_ADD,
                    to, kind_at(model->base, from));
    change->copyfrom_rev = 1;
    change->copyfrom_path = from;
}

static void set_prop(model_t *model, const char *path, const char *name)
{
    fs_txn_change_t *change = record(model, FS_CHANGE_ACTION_MODIFY, path,
                                     kind_at(model->tree, path));

    change->prop_mod = true;
    change->minfo_mod = !strcmp(name, "svn:mergeinfo");
}

/* One operation of the table: its words. */
static void apply(model_t *model, char **words)
{
    const char *verb = words[0];
    const char *path =
        words[1] ? apr_pstrcat(model->pool, *words[1] == '/' ? "" : "/",
                               words[1], NULL)
                 : NULL;

    if (!strcmp(verb, "edit")) {
        record(model, FS_CHANGE_ACTION_MODIFY, path, "f")->text_mod = true;
    } else if (!strcmp(verb, "prop")) {
        set_prop(model, path, words[2]);
    } else if (!strcmp(verb, "mkfile")) {
        put(model->tree, path, "f");
        record(model, FS_CHANGE_ACTION_ADD, path, "f")->text_mod = true;
    } else if (!strcmp(verb, "mkdir")) {
        put(model->tree, path, "d");
        record(model, FS_CHANGE_ACTION_ADD, path, "d");
    } else if (!strcmp(verb, "del")) {
        record(model, FS_CHANGE_ACTION_DELETE, path,
               kind_at(model->tree, path));
        prune(model, path);
    } else if (!strcmp(verb, "cp")) {
        copy(model, apr_pstrcat(model->pool, "/", words[2], NULL),
             apr_pstrcat(model->pool, "/", words[3], NULL));
    } else {
        assert_string_equal(verb, "none");
    }
}

static void apply_all(model_t *model, const char *operations)
{
    char *text = apr_pstrdup(model->pool, operations);
    char *last, *operation;
    char **words;

    for (operation = apr_strtok(text, ";", &last); operation;
         operation = apr_strtok(NULL, ";", &last)) {
        assert_apr_ok(apr_tokenize_to_argv(operation, &words, model->pool));
        apply(model, words);
    }
}

/* --- What comes out --- */

static const char *describe(const fs_txn_change_t *change, apr_pool_t *pool)
{
    static const char letters[] = "ADRM";
    const char *text = apr_psprintf(
        pool, "%s %c%c%c %s", change->path, letters[change->action],
        change->text_mod ? 't' : '-', change->prop_mod ? 'p' : '-',
        change->kind == FS_NODE_FILE  ? "file"
        : change->kind == FS_NODE_DIR ? "dir"
                                      : "unknown");

    if (!change->copyfrom_path)
        return text;
    return apr_psprintf(pool, "%s from %s@%d", text, change->copyfrom_path,
                        (int)change->copyfrom_rev);
}

/* The line of the revision file, without the id before it. */
static const char *line_of(const fs_txn_change_t *change, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(100, pool);
    const char *from, *end;

    fs_commit_tree_format_change(out, change, 8);
    from = memchr(out->data, ' ', out->len);
    assert_non_null(from);
    end = memchr(from, '\n', out->len - (apr_size_t)(from - out->data));
    assert_non_null(end);
    return apr_pstrmemdup(pool, from + 1, (apr_size_t)(end - from) - 1);
}

static const char *fold_all(const char **lines, model_t *model)
{
    apr_pool_t *pool = model->pool;
    apr_array_header_t *changes;
    const char *text = "";
    int i;

    *lines = "";
    assert_fs_ok(fs_commit_fold(&changes, &model->state, pool));
    for (i = 0; i < changes->nelts; i++) {
        const fs_txn_change_t *change =
            &APR_ARRAY_IDX(changes, i, fs_txn_change_t);

        text = apr_pstrcat(pool, text, i ? " ; " : "", describe(change, pool),
                           NULL);
        *lines = apr_pstrcat(pool, *lines, i ? "," : "", line_of(change, pool),
                             NULL);
    }
    return changes->nelts ? text : "(none)";
}

static void assert_folds(const char *operations, const char *expected,
                         apr_pool_t *pool)
{
    model_t *model = make_model(pool);
    const char *lines;

    apply_all(model, operations);
    assert_string_equal(fold_all(&lines, model), expected);
}

/* --- Tests --- */

static void changes_fold_as_those_of_the_stock_tools(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *table =
        fs_test_source("tests/data/commit/changed-paths.tsv", pool);
    FILE *file = fopen(table, "r");
    char line[1000];
    int count = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *text = strchr(line, '\t');
        char *row = text ? strchr(text + 1, '\t') : NULL;
        model_t *model = make_model(pool);
        const char *lines;

        if (*line == '#')
            continue;
        assert_non_null(row);
        *text++ = '\0';
        *row++ = '\0';
        row[strcspn(row, "\n")] = '\0';
        apply_all(model, line);
        assert_string_equal(fold_all(&lines, model), text);
        assert_string_equal(lines, row);
        count++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 41);
}

static void what_replaces_an_added_path_is_added(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_folds("mkfile n 1;cp 1 d/f n", "/n A-- file from /d/f@1", pool);
    assert_folds("cp 1 d/f n;cp 1 e n", "/n A-- dir from /e@1", pool);
    assert_folds("mkfile n 1;cp 1 d/f n;del n", "(none)", pool);
}

static void what_replaces_a_changed_path_replaces_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_folds("edit d/f 1;cp 1 e/x d/f", "/d/f R-- file from /e/x@1", pool);
    assert_folds("cp 1 e d/f;cp 1 e/x d/f", "/d/f R-- file from /e/x@1", pool);
    assert_folds("del d/f;cp 1 e d/f;cp 1 e/x d/f;del d/f", "/d/f D-- file",
                 pool);
}

static void a_deleted_replacement_does_not_know_what_it_replaced(void **state)
{
    assert_folds("cp 1 d e/x;del e/x", "/e/x D-- unknown", unit_pool(state));
}

static void only_what_was_done_before_is_dropped_below_a_deleted_path(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_folds("edit d/f 1;del d;mkdir d;mkdir d/f;del d/f;mkfile d/f 2",
                 "/d R-- dir ; /d/f At- file", pool);
    assert_folds("mkdir a;mkdir a/b;mkfile a/b/c 1;del a;mkdir a;mkdir a/b",
                 "/a A-- dir ; /a/b A-- dir", pool);
    assert_folds("mkdir da;mkfile da/f 1;del d",
                 "/d D-- dir ; /da A-- dir ; /da/f At- file", pool);
}

static void results_are_sorted_by_the_bytes_of_paths(void **state)
{
    assert_folds("mkdir d/g;mkdir d-a;mkdir D",
                 "/D A-- dir ; /d-a A-- dir ; "
                 "/d/g A-- dir",
                 unit_pool(state));
}

static void contradictions_are_damage(void **state)
{
    static const fs_change_action_t pairs[][2] = {
        { FS_CHANGE_ACTION_DELETE, FS_CHANGE_ACTION_DELETE },
        { FS_CHANGE_ACTION_DELETE, FS_CHANGE_ACTION_MODIFY },
        { FS_CHANGE_ACTION_MODIFY, FS_CHANGE_ACTION_ADD },
        { FS_CHANGE_ACTION_ADD, FS_CHANGE_ACTION_ADD }
    };
    apr_pool_t *pool = unit_pool(state);
    apr_size_t i;

    for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        model_t *model = make_model(pool);
        apr_array_header_t *changes;

        record(model, pairs[i][0], "/p", "f");
        record(model, pairs[i][1], "/p", "f");
        assert_fs_error_says(fs_commit_fold(&changes, &model->state, pool),
                             FS_ERR_CORRUPT, "of '/p'");
    }
}

static void a_reset_forgets_a_path(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    model_t *model = make_model(pool);
    const char *lines;

    apply_all(model, "edit d/f 1;edit e/x 1");
    record(model, FS_CHANGE_ACTION_RESET, "/d/f", "f");
    assert_string_equal(fold_all(&lines, model), "/e/x Mt- file");
}

static void many_deletions_do_not_take_long(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    model_t *model = make_model(pool);
    apr_array_header_t *changes;
    int i;

    for (i = 0; i < 100000; i++)
        record(model, FS_CHANGE_ACTION_DELETE,
               apr_psprintf(pool, "/trunk/%d/%d", i / 100, i), "f");
    assert_fs_ok(fs_commit_fold(&changes, &model->state, pool));
    assert_int_equal(changes->nelts, 100000);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(changes_fold_as_those_of_the_stock_tools),
    UNIT_TEST(what_replaces_an_added_path_is_added),
    UNIT_TEST(what_replaces_a_changed_path_replaces_it),
    UNIT_TEST(a_deleted_replacement_does_not_know_what_it_replaced),
    UNIT_TEST(only_what_was_done_before_is_dropped_below_a_deleted_path),
    UNIT_TEST(results_are_sorted_by_the_bytes_of_paths),
    UNIT_TEST(contradictions_are_damage),
    UNIT_TEST(a_reset_forgets_a_path),
    UNIT_TEST(many_deletions_do_not_take_long)
};

UNIT_MAIN(tests)
