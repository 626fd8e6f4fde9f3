/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/txn/prop_edit.h, with a table of what stock tools answer. */

#include "libfs/txn/prop_edit.h"

#include <stdio.h>
#include <stdlib.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

#define LINE_MAX_LEN 2000

/* "\xHH" as the byte it stands for, in place. */
static apr_size_t unescape(char *text)
{
    char *out = text;
    const char *in = text;

    while (*in) {
        if (in[0] == '\\' && in[1] == 'x') {
            const char hex[] = { in[2], in[3], '\0' };

            *out++ = (char)strtol(hex, NULL, 16);
            in += 4;
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
    return (apr_size_t)(out - text);
}

/* The next row: path, name, value, result. */
static bool next_row(char *columns[4], char line[LINE_MAX_LEN], FILE *file)
{
    char *pos;
    int i;

    do {
        if (!fgets(line, LINE_MAX_LEN, file))
            return false;
    } while (line[0] == '#');
    line[strcspn(line, "\n")] = '\0';
    pos = line;
    for (i = 0; i < 4; i++) {
        columns[i] = pos;
        pos += strcspn(pos, "\t");
        if (*pos)
            *pos++ = '\0';
    }
    return true;
}

/* What the table has: codes of all levels; those of one code are one. */
static const char *result_of(const char *path, const fs_prop_change_t *change,
                             apr_pool_t *pool)
{
    bool mergeinfo_mod;
    fs_error_t *err =
        fs_prop_edit_check_node(&mergeinfo_mod, change, 1, path, pool);
    const fs_error_t *level;
    const char *out = "";

    assert_int_equal(mergeinfo_mod,
                     !err || err->code == FS_ERR_MERGEINFO
                         ? strcmp(change->name, "svn:mergeinfo") == 0
                         : false);
    for (level = err; level; level = level->cause)
        if (!level->cause || level->code != level->cause->code)
            out = apr_psprintf(pool, "%s%sE%06d", out, *out ? " / " : "",
                               level->code);
    fs_error_clear(err);
    return *out ? out : "accepted";
}

/* Codes of a result of the table: "E125005 text / E125003 text". */
static const char *codes_of(const char *result, apr_pool_t *pool)
{
    const char *out = "";
    const char *p = result;

    if (!strcmp(result, "accepted"))
        return result;
    while (p && *p == 'E') {
        if (!strstr(out, apr_pstrmemdup(pool, p, 7)))
            out = apr_psprintf(pool, "%s%s%.7s", out, *out ? " / " : "", p);
        p = strstr(p, " / E");
        if (p)
            p += 3;
    }
    return out;
}

static void node_properties_are_checked_as_the_table_says(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    FILE *file =
        fopen(fs_test_source("tests/data/commit/node-props.tsv", pool), "r");
    char line[LINE_MAX_LEN];
    char *columns[4];
    int rows = 0;

    assert_non_null(file);
    for (; next_row(columns, line, file); rows++) {
        fs_bytes_t value;
        const fs_prop_change_t change = { columns[1], &value };
        const char *want = codes_of(columns[3], pool);
        const char *got;

        value.data = columns[2];
        (void)unescape(columns[1]);
        value.len = unescape(columns[2]);
        got = result_of(columns[0], &change, pool);
        if (strcmp(got, want) != 0)
            fail_msg("%s on %s: %s, not %s", columns[1], columns[0], got, want);
    }
    (void)fclose(file);
    assert_int_equal(rows, 54);
}

static void deleting_is_always_allowed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_prop_change_t changes[] = { { "svn:wc:x", NULL },
                                         { "svn:mergeinfo", NULL },
                                         { "svn:date", NULL } };
    bool mergeinfo_mod;

    assert_fs_ok(
        fs_prop_edit_check_node(&mergeinfo_mod, changes, 3, "/f", pool));
    assert_true(mergeinfo_mod);
    assert_fs_ok(
        fs_prop_edit_check_node(&mergeinfo_mod, changes, 1, "/f", pool));
    assert_false(mergeinfo_mod);
}

static void one_bad_change_refuses_all(void **state)
{
    const fs_bytes_t fine = { "x", 1 };
    const fs_bytes_t bad = { "a\rb", 3 };
    const fs_prop_change_t changes[] = { { "a", &fine }, { "svn:log", &bad } };

    (void)state;
    assert_fs_ok(fs_prop_edit_check(changes, 1));
    assert_fs_error(fs_prop_edit_check(changes, 2), FS_ERR_BAD_PROPERTY_VALUE);
}

static void a_whole_list_is_checked(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *props = apr_hash_make(pool);
    const fs_bytes_t fine = { "x", 1 };
    const fs_bytes_t bad = { "\xff", 1 };

    apr_hash_set(props, "any", APR_HASH_KEY_STRING, &bad);
    apr_hash_set(props, "svn:author", APR_HASH_KEY_STRING, &fine);
    assert_fs_ok(fs_prop_edit_check_all(props, pool));
    apr_hash_set(props, "svn:author", APR_HASH_KEY_STRING, &bad);
    assert_fs_error(fs_prop_edit_check_all(props, pool),
                    FS_ERR_BAD_PROPERTY_VALUE);
    apr_hash_clear(props);
    apr_hash_set(props, "svn:entry:x", APR_HASH_KEY_STRING, &fine);
    assert_fs_error(fs_prop_edit_check_all(props, pool), FS_ERR_BAD_ARGS);
}

static void changes_set_and_delete(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *props = apr_hash_make(pool);
    const fs_bytes_t one = { "1", 1 };
    const fs_bytes_t two = { "2", 1 };
    const fs_prop_change_t changes[] = {
        { "a", &two }, { "b", NULL }, { "c", &two }, { "none", NULL }
    };

    apr_hash_set(props, "a", APR_HASH_KEY_STRING, &one);
    apr_hash_set(props, "b", APR_HASH_KEY_STRING, &one);
    apr_hash_set(props, "z", APR_HASH_KEY_STRING, &one);
    fs_prop_edit_apply(props, changes, 4);
    assert_int_equal(apr_hash_count(props), 3);
    assert_ptr_equal(apr_hash_get(props, "a", APR_HASH_KEY_STRING), &two);
    assert_ptr_equal(apr_hash_get(props, "c", APR_HASH_KEY_STRING), &two);
    assert_ptr_equal(apr_hash_get(props, "z", APR_HASH_KEY_STRING), &one);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(node_properties_are_checked_as_the_table_says),
    UNIT_TEST(deleting_is_always_allowed),
    UNIT_TEST(one_bad_change_refuses_all),
    UNIT_TEST(a_whole_list_is_checked),
    UNIT_TEST(changes_set_and_delete),
};

UNIT_MAIN(tests)
