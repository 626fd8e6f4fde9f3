/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_mergeinfo.h, with tables of what stock tools answer. */

#include "tests/support/unit.h"
#include "tests/support/repo.h"

#include <stdio.h>

#include <apr_strings.h>

#include "libfs/fs_mergeinfo.h"

/* Room for a line of the tables, and its columns. */
#define LINE_MAX_LEN 2000
#define COLUMNS_MAX 13

static FILE *open_table(const char *name, apr_pool_t *pool)
{
    const char *path = fs_test_source(
        apr_pstrcat(pool, "tests/data/mergeinfo/", name, NULL), pool);
    FILE *file = fopen(path, "r");

    if (!file)
        fail_msg("cannot open %s", path);
    return file;
}

/* Undo the escapes of the tables, in place. */
static char *unescape(char *text)
{
    char *out = text;
    char *in;

    for (in = text; *in; in++) {
        char c = *in;

        if (c == '\\' && in[1]) {
            in++;
            c = *in == 'n' ? '\n' : *in == 't' ? '\t' : *in == 'r' ? '\r' : *in;
        }
        *out++ = c;
    }
    *out = '\0';
    return text;
}

/* The next row of a table, unescaped; false at the end. */
static bool next_row(char *columns[COLUMNS_MAX], char line[LINE_MAX_LEN],
                     FILE *file)
{
    char *pos;
    int i;

    do {
        if (!fgets(line, LINE_MAX_LEN, file))
            return false;
    } while (line[0] == '#');
    line[strcspn(line, "\n")] = '\0';
    pos = line;
    for (i = 0; i < COLUMNS_MAX; i++) {
        char *tab = strchr(pos, '\t');

        columns[i] = pos;
        if (tab) {
            *tab = '\0';
            pos = tab + 1;
        } else {
            pos += strlen(pos);
        }
    }
    for (i = 0; i < COLUMNS_MAX; i++)
        unescape(columns[i]);
    return true;
}

static apr_hash_t *parse(const char *text, apr_pool_t *pool)
{
    apr_hash_t *mergeinfo = NULL;

    assert_fs_ok(fs_mergeinfo_parse(&mergeinfo, text, strlen(text), pool));
    return mergeinfo;
}

static void values_parse_as_stock_tools_parse_them(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    FILE *file = open_table("parse.tsv", pool);
    char line[LINE_MAX_LEN];
    char *columns[COLUMNS_MAX];
    int rows = 0;

    while (next_row(columns, line, file)) {
        apr_hash_t *mergeinfo;
        fs_error_t *err = fs_mergeinfo_parse(&mergeinfo, columns[0],
                                             strlen(columns[0]), pool);

        rows++;
        if (strcmp(columns[1], "ok") != 0) {
            assert_string_equal(columns[1], "E200020");
            if (!err)
                fail_msg("'%s' was accepted", columns[0]);
            assert_fs_error(err, FS_ERR_MERGEINFO);
            continue;
        }
        assert_fs_ok(err);
        assert_string_equal(fs_mergeinfo_format(mergeinfo, pool), columns[2]);
    }
    fclose(file);
    assert_int_equal(rows, 66);
}

static void the_algebra_gives_what_stock_tools_give(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    FILE *file = open_table("algebra.tsv", pool);
    char line[LINE_MAX_LEN];
    char *columns[COLUMNS_MAX];
    int rows = 0;

    while (next_row(columns, line, file)) {
        apr_hash_t *a = parse(columns[0], pool);
        apr_hash_t *b = parse(columns[1], pool);
        int consider;

        rows++;
        assert_string_equal(
            fs_mergeinfo_format(fs_mergeinfo_merge(a, b, pool), pool),
            columns[2]);
        for (consider = 0; consider < 2; consider++) {
            apr_hash_t *deleted, *added;

            assert_string_equal(
                fs_mergeinfo_format(
                    fs_mergeinfo_intersect(a, b, consider, pool), pool),
                columns[3 + consider]);
            assert_string_equal(
                fs_mergeinfo_format(fs_mergeinfo_remove(b, a, consider, pool),
                                    pool),
                columns[5 + consider]);
            fs_mergeinfo_diff(&deleted, &added, a, b, consider, pool);
            assert_string_equal(fs_mergeinfo_format(deleted, pool),
                                columns[7 + 2 * consider]);
            assert_string_equal(fs_mergeinfo_format(added, pool),
                                columns[8 + 2 * consider]);
            assert_string_equal(fs_mergeinfo_equal(a, b, consider, pool) ? "yes"
                                                                         : "no",
                                columns[11 + consider]);
        }
    }
    fclose(file);
    assert_int_equal(rows, 26);
}

static void a_nul_byte_is_refused(void **state)
{
    apr_hash_t *mergeinfo;

    assert_fs_error_says(
        fs_mergeinfo_parse(&mergeinfo, "/a\0b:1", 6, unit_pool(state)),
        FS_ERR_MERGEINFO, "NUL byte");
}

static void a_message_names_the_path_and_what_is_wrong(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *mergeinfo;

    assert_fs_error_says(fs_mergeinfo_parse(&mergeinfo, "/trunk:3-1", 10, pool),
                         FS_ERR_MERGEINFO,
                         "mergeinfo for '/trunk' has the range 3-1");
    assert_fs_error_says(
        fs_mergeinfo_parse(&mergeinfo, "/trunk:1-5,3*", 13, pool),
        FS_ERR_MERGEINFO, "different inheritance at revision 3");
}

static void a_long_bad_line_is_quoted_in_part(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    char text[100000];
    apr_hash_t *mergeinfo;
    fs_error_t *err;

    memset(text, 'x', sizeof(text));
    err = fs_mergeinfo_parse(&mergeinfo, text, sizeof(text), pool);
    assert_non_null(err);
    assert_true(strlen(err->message) < 300);
    assert_fs_error(err, FS_ERR_MERGEINFO);
}

static void a_path_on_many_lines_is_joined_in_little_time(void **state)
{
    enum {
        LINES = 100000
    };
    apr_pool_t *pool = unit_pool(state);
    char *text = apr_palloc(pool, LINES * 12);
    apr_size_t len = 0;
    apr_array_header_t *list;
    int i;

    for (i = 0; i < LINES; i++)
        len += (apr_size_t)apr_snprintf(text + len, 12, "/t:%d\n", 2 * i + 1);
    list = apr_hash_get(parse(text, pool), "/t", APR_HASH_KEY_STRING);
    assert_int_equal(list->nelts, LINES);
    assert_int_equal(APR_ARRAY_IDX(list, LINES - 1, fs_merge_range_t).end,
                     2 * LINES - 1);
}

static void inheritable_ranges_alone_are_kept(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *all = parse("/a:1-3*,4-6,9*\n/b:7*", pool);

    assert_string_equal(
        fs_mergeinfo_format(fs_mergeinfo_inheritable(all, pool), pool),
        "/a:4-6");
    assert_string_equal(fs_mergeinfo_format(all, pool),
                        "/a:1-3*,4-6,9*\n/b:7*");
}

static void a_relpath_is_appended_to_each_source(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *all = parse("/:3\n/b:1-2*", pool);

    assert_string_equal(
        fs_mergeinfo_format(fs_mergeinfo_append(all, "d/f", pool), pool),
        "/b/d/f:1-2*\n/d/f:3");
}

static void null_counts_as_empty(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *some = parse("/a:1", pool);
    apr_hash_t *deleted, *added;

    fs_mergeinfo_diff(&deleted, &added, NULL, some, false, pool);
    assert_int_equal(apr_hash_count(deleted), 0);
    assert_string_equal(fs_mergeinfo_format(added, pool), "/a:1");
    assert_true(fs_mergeinfo_equal(NULL, parse("", pool), true, pool));
    assert_false(fs_mergeinfo_equal(NULL, some, true, pool));
}

static void a_result_does_not_change_with_its_sources(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_pool_t *sub;
    apr_hash_t *sum;

    apr_pool_create(&sub, pool);
    sum = fs_mergeinfo_merge(parse("/a:1", sub), parse("/b:2", sub), pool);
    apr_pool_destroy(sub);
    assert_string_equal(fs_mergeinfo_format(sum, pool), "/a:1\n/b:2");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(values_parse_as_stock_tools_parse_them),
    UNIT_TEST(the_algebra_gives_what_stock_tools_give),
    UNIT_TEST(a_nul_byte_is_refused),
    UNIT_TEST(a_message_names_the_path_and_what_is_wrong),
    UNIT_TEST(a_long_bad_line_is_quoted_in_part),
    UNIT_TEST(a_path_on_many_lines_is_joined_in_little_time),
    UNIT_TEST(inheritable_ranges_alone_are_kept),
    UNIT_TEST(a_relpath_is_appended_to_each_source),
    UNIT_TEST(null_counts_as_empty),
    UNIT_TEST(a_result_does_not_change_with_its_sources),
};

UNIT_MAIN(tests)
