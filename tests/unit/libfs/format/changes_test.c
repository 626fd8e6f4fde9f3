/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/changes.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/format/changes.h"

/* From a repository of format 8. */
static const char list8[] = "2-1.0.r2/4 delete-file false false false /d/f\n\n"
                            "0-1._0.t2-2 add-dir false false false /e\n"
                            "2 /d\n\n";
/* The same as formats 1 to 3 write it. */
static const char list1[] = "2-1.0.r2/4 delete false false /d/f\n\n"
                            "0-1._0.t2-2 add false false /e\n2 /d\n\n";

static fs_changes_step_t step_of(const char *text, fs_change_record_t *record,
                                 apr_size_t *used)
{
    fs_changes_step_t step;

    assert_fs_ok(fs_changes_parse(record, &step, used, text, strlen(text)));
    return step;
}

static void an_entry_of_today_has_kind_and_mergeinfo_flag(void **state)
{
    fs_change_record_t record;
    apr_size_t used;

    (void)state;
    assert_int_equal(step_of(list8, &record, &used), FS_CHANGES_ENTRY);
    assert_int_equal(used, 47);
    assert_bytes_equal(record.id.data, record.id.len, "2-1.0.r2/4", 10);
    assert_int_equal(record.action, FS_CHANGE_ACTION_DELETE);
    assert_int_equal(record.kind, FS_NODE_FILE);
    assert_false(record.text_mod);
    assert_false(record.prop_mod);
    assert_int_equal(record.minfo_mod, 0);
    assert_bytes_equal(record.path.data, record.path.len, "/d/f", 4);
    assert_int_equal(record.copyfrom_rev, -1);
    assert_null(record.copyfrom_path.data);
}

static void an_old_entry_has_neither(void **state)
{
    fs_change_record_t record;
    apr_size_t used;

    (void)state;
    assert_int_equal(
        step_of("_1.0.t4-1 modify true true /true /x y: z\n\n", &record, &used),
        FS_CHANGES_ENTRY);
    assert_int_equal(record.action, FS_CHANGE_ACTION_MODIFY);
    assert_int_equal(record.kind, FS_NODE_UNKNOWN);
    assert_true(record.text_mod);
    assert_true(record.prop_mod);
    assert_int_equal(record.minfo_mod, -1);
    assert_bytes_equal(record.path.data, record.path.len, "/true /x y: z", 13);
}

static void a_copy_has_its_source(void **state)
{
    fs_change_record_t record;
    apr_size_t used;

    (void)state;
    assert_int_equal(
        step_of("x replace-dir false false true /e\n12 /d e\n", &record, &used),
        FS_CHANGES_ENTRY);
    assert_int_equal(record.action, FS_CHANGE_ACTION_REPLACE);
    assert_int_equal(record.kind, FS_NODE_DIR);
    assert_int_equal(record.minfo_mod, 1);
    assert_int_equal(record.copyfrom_rev, 12);
    assert_bytes_equal(record.copyfrom_path.data, record.copyfrom_path.len,
                       "/d e", 4);
}

static void an_empty_line_ends_the_list(void **state)
{
    fs_change_record_t record;
    apr_size_t used;

    (void)state;
    assert_int_equal(step_of("\n17 107\n", &record, &used), FS_CHANGES_END);
    assert_int_equal(used, 1);
}

static void a_cut_entry_asks_for_more_bytes(void **state)
{
    apr_size_t len;

    (void)state;
    for (len = 0; len < 47; len++) {
        fs_change_record_t record;
        fs_changes_step_t step;
        apr_size_t used;

        assert_fs_ok(fs_changes_parse(&record, &step, &used, list8, len));
        assert_int_equal(step, FS_CHANGES_CUT);
        assert_int_equal(used, 0);
    }
}

static void malformed_entries_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "x\n\n",
        "x add\n\n",
        "x add true false\n\n",
        "x add true false \n\n",
        "x add true false path\n\n",
        "x create true false /p\n\n",
        "x add-link true false /p\n\n",
        "x add- true false /p\n\n",
        "x add yes false /p\n\n",
        "x add true no /p\n\n",
        "x add true false maybe /p\n\n",
        "x add true false false p\n\n",
        "x add true false /p\n12\n",
        "x add true false /p\n-1 /q\n",
        "x add true false /p\n12 q\n",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_change_record_t record;
        fs_changes_step_t step;
        apr_size_t used;

        assert_fs_error_says(
            fs_changes_parse(&record, &step, &used, texts[i], strlen(texts[i])),
            FS_ERR_CORRUPT, "malformed changed path");
    }
}

static void entries_are_written_as_each_format_has_them(void **state)
{
    fs_buffer_t *out8 = fs_buffer_create(0, unit_pool(state));
    fs_buffer_t *out1 = fs_buffer_create(0, unit_pool(state));
    fs_buffer_t *out6 = fs_buffer_create(0, unit_pool(state));
    fs_change_record_t record;
    apr_size_t used;
    const char *p;

    for (p = list8; step_of(p, &record, &used) == FS_CHANGES_ENTRY; p += used) {
        fs_changes_format(out8, &record, 8);
        fs_changes_format(out6, &record, 6);
        fs_changes_format(out1, &record, 1);
    }
    assert_bytes_equal(out8->data, out8->len, list8, sizeof(list8) - 2);
    assert_bytes_equal(out1->data, out1->len, list1, sizeof(list1) - 2);
    assert_bytes_equal(out6->data, 41,
                       "2-1.0.r2/4 delete-file false false /d/f\n\n", 41);
}

static apr_size_t count_entries(const char *text, apr_size_t len,
                                bool terminated, apr_pool_t *pool)
{
    fs_changes_t *changes = fs_changes_open(
        fs_stream_from_bytes(text, len, pool), terminated, pool);
    apr_size_t count = 0;

    for (;;) {
        const fs_change_record_t *record;

        assert_fs_ok(fs_changes_next(&record, changes));
        if (!record)
            break;
        count++;
    }
    return count;
}

static void a_stream_is_read_entry_by_entry(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_int_equal(count_entries(list8, sizeof(list8) - 1, true, pool), 2);
    assert_int_equal(count_entries("\n17 107\n", 8, true, pool), 0);
    assert_int_equal(count_entries(list8, sizeof(list8) - 2, false, pool), 2);
    assert_int_equal(count_entries("", 0, false, pool), 0);
}

static void long_lists_and_long_paths_are_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *list = fs_buffer_create(0, pool);
    char *path = apr_palloc(pool, 50001);
    int i;

    memset(path, 'x', 50000);
    path[0] = '/';
    path[50000] = '\0';
    for (i = 0; i < 2000; i++)
        fs_buffer_printf(list, "_%d.0.t1-1 add-file true false /f%d\n\n", i, i);
    fs_buffer_printf(list, "x add true false %s\n\n\n", path);
    assert_int_equal(count_entries(list->data, list->len, true, pool), 2001);
}

static void a_list_without_its_end_is_corrupt(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_changes_t *changes = fs_changes_open(
        fs_stream_from_bytes("x add true false /p\n\n", 21, pool), true, pool);
    const fs_change_record_t *record;

    assert_fs_ok(fs_changes_next(&record, changes));
    assert_fs_error_says(fs_changes_next(&record, changes), FS_ERR_CORRUPT,
                         "no empty line");
    changes = fs_changes_open(
        fs_stream_from_bytes("x add true false /p\n", 20, pool), false, pool);
    assert_fs_error_says(fs_changes_next(&record, changes), FS_ERR_CORRUPT,
                         "cut off");
}

static void an_entry_without_end_is_refused_at_a_megabyte(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_size_t len = 3 * 1024 * 1024;
    char *text = apr_palloc(pool, len);
    fs_changes_t *changes;
    const fs_change_record_t *record;

    memset(text, 'x', len);
    changes =
        fs_changes_open(fs_stream_from_bytes(text, len, pool), true, pool);
    assert_fs_error_says(fs_changes_next(&record, changes), FS_ERR_CORRUPT,
                         "exceeds 1048576 bytes");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(an_entry_of_today_has_kind_and_mergeinfo_flag),
    UNIT_TEST(an_old_entry_has_neither),
    UNIT_TEST(a_copy_has_its_source),
    UNIT_TEST(an_empty_line_ends_the_list),
    UNIT_TEST(a_cut_entry_asks_for_more_bytes),
    UNIT_TEST(malformed_entries_are_corrupt),
    UNIT_TEST(entries_are_written_as_each_format_has_them),
    UNIT_TEST(a_stream_is_read_entry_by_entry),
    UNIT_TEST(long_lists_and_long_paths_are_read),
    UNIT_TEST(a_list_without_its_end_is_corrupt),
    UNIT_TEST(an_entry_without_end_is_refused_at_a_megabyte),
};

UNIT_MAIN(tests)
