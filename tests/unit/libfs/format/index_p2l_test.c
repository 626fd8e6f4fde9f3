/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/index_p2l.h. */

#include "tests/support/unit.h"

#include "libfs/format/index_p2l.h"

/* Of revision 3 in a repository of format 8: six items. */
static const char index3[] =
    "\x50\x32\x4c\x2d\x49\x4e\x44\x45\x58\x0a\x03\xbd\x05\x80\x80\x40"
    "\x01\x39\x00\x1d\x34\x00\xa3\xc2\xf7\xd3\x0d\xbb\x01\x16\x00\xab"
    "\xe7\xe4\xf4\x02\xbf\x01\x10\x00\xaf\xf3\x92\xdb\x03\x4c\x0a\x00"
    "\x9d\xf6\xed\xc8\x05\x7c\x39\x00\xf3\xe6\xb8\xf0\x0d\x5e\x0d\x00"
    "\x81\xf3\xce\xd9\x03\xc3\xfa\x3f\x1b\x00\x00";
#define INDEX_LEN (sizeof(index3) - 1)
#define ITEMS_END 701

/* Entries of two revisions over pages of 64 bytes; the second is long. */
static const fs_index_p2l_entry_t four[] = {
    { 0, 64, 1, 4, 0x11111111, FS_ITEM_CHANGES },
    { 64, 200, 3, 5, 0x22222222, FS_ITEM_FILE_TEXT },
    { 264, 10, 0, 5, 0, FS_ITEM_UNUSED },
    { 274, 20, 2, 4, 0xffffffff, FS_ITEM_NODE_REV },
};

static fs_error_t *open_index(fs_index_p2l_table_t **table, const char *data,
                              apr_size_t len, fs_rev_t first_rev,
                              apr_uint64_t items_end, apr_pool_t *pool)
{
    fs_index_p2l_head_t head;

    FS_TRY(
        fs_index_p2l_head_parse(&head, data, len, len, first_rev, items_end));
    return fs_index_p2l_table_parse(table, &head, data, len, pool);
}

static fs_error_t *read_page(fs_index_p2l_entry_t *entries, apr_size_t *count,
                             apr_size_t room, const fs_index_p2l_table_t *table,
                             const fs_index_p2l_page_t *page, const char *data)
{
    fs_index_p2l_iter_t iter;

    *count = 0;
    FS_TRY(fs_index_p2l_begin(&iter, table, page, data + page->offset));
    for (;;) {
        bool more;

        assert_true(*count < room);
        FS_TRY(fs_index_p2l_next(&entries[*count], &more, &iter));
        if (!more)
            return NULL;
        ++*count;
    }
}

static void assert_entry(const fs_index_p2l_entry_t *entry,
                         const fs_index_p2l_entry_t *expected)
{
    assert_int_equal(entry->offset, expected->offset);
    assert_int_equal(entry->size, expected->size);
    assert_int_equal(entry->item, expected->item);
    assert_int_equal(entry->rev, expected->rev);
    assert_int_equal(entry->checksum, expected->checksum);
    assert_int_equal(entry->type, expected->type);
}

static void entries_of_a_revision_are_read(void **state)
{
    static const fs_index_p2l_entry_t expected[] = {
        { 0, 29, 3, 3, 0xda7de123, FS_ITEM_DIR_TEXT },
        { 29, 187, 4, 3, 0x2e9933ab, FS_ITEM_NODE_REV },
        { 216, 191, 5, 3, 0x3b64b9af, FS_ITEM_NODE_REV },
        { 407, 76, 6, 3, 0x591b7b1d, FS_ITEM_DIR_TEXT },
        { 483, 124, 2, 3, 0xde0e3373, FS_ITEM_NODE_REV },
        { 607, 94, 1, 3, 0x3b33b981, FS_ITEM_CHANGES },
        { 701, 1047875, 0, 3, 0, FS_ITEM_UNUSED },
    };
    fs_index_p2l_entry_t entries[8];
    fs_index_p2l_table_t *table;
    fs_index_p2l_page_t page;
    apr_size_t count, i;
    bool found;

    assert_fs_ok(
        open_index(&table, index3, INDEX_LEN, 3, ITEMS_END, unit_pool(state)));
    assert_int_equal(fs_index_p2l_head(table)->page_size, 1048576);
    fs_index_p2l_locate(&page, &found, table, 483);
    assert_true(found);
    assert_fs_ok(read_page(entries, &count, 8, table, &page, index3));
    assert_int_equal(count, 7);
    for (i = 0; i < 7; i++)
        assert_entry(&entries[i], &expected[i]);
}

static void offsets_behind_the_items_are_not_found(void **state)
{
    fs_index_p2l_table_t *table;
    fs_index_p2l_page_t page;
    bool found;

    assert_fs_ok(
        open_index(&table, index3, INDEX_LEN, 3, ITEMS_END, unit_pool(state)));
    fs_index_p2l_locate(&page, &found, table, 700);
    assert_true(found);
    fs_index_p2l_page_after(&page, &found, table);
    assert_false(found);
    fs_index_p2l_locate(&page, &found, table, 701);
    assert_false(found);
    fs_index_p2l_locate(&page, &found, table, APR_UINT64_MAX);
    assert_false(found);
}

static void a_long_item_is_in_the_page_where_it_ends(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_index_p2l_entry_t entries[8];
    fs_index_p2l_table_t *table;
    fs_index_p2l_page_t page;
    apr_size_t count;
    bool found;

    fs_index_p2l_format(out, 4, 294, 64, four, 4, pool);
    assert_fs_ok(open_index(&table, out->data, out->len, 4, 294, pool));
    assert_int_equal(fs_index_p2l_head(table)->page_count, 5);
    page = fs_index_p2l_page(table, 0);
    assert_fs_ok(read_page(entries, &count, 8, table, &page, out->data));
    assert_int_equal(count, 1);
    assert_entry(&entries[0], &four[0]);

    fs_index_p2l_locate(&page, &found, table, 70);
    assert_true(found);
    assert_int_equal(page.number, 4);
    assert_fs_ok(read_page(entries, &count, 8, table, &page, out->data));
    assert_int_equal(count, 4);
    assert_entry(&entries[0], &four[1]);
    assert_entry(&entries[1], &four[2]);
    assert_entry(&entries[2], &four[3]);
    assert_int_equal(entries[3].offset, 294);
    assert_int_equal(entries[3].size, 26);
}

static void an_index_is_written_as_it_was_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_index_p2l_entry_t entries[8];
    fs_index_p2l_table_t *table;
    fs_index_p2l_page_t page;
    apr_size_t count;

    assert_fs_ok(open_index(&table, index3, INDEX_LEN, 3, ITEMS_END, pool));
    page = fs_index_p2l_page(table, 0);
    assert_fs_ok(read_page(entries, &count, 8, table, &page, index3));
    fs_index_p2l_format(out, 3, ITEMS_END, 1048576, entries, 6, pool);
    assert_bytes_equal(out->data, out->len, index3, INDEX_LEN);
}

static void a_table_that_is_cut_asks_for_more(void **state)
{
    fs_index_p2l_table_t *table;
    fs_index_p2l_head_t head;

    assert_fs_ok(
        fs_index_p2l_head_parse(&head, index3, 50, INDEX_LEN, 3, ITEMS_END));
    assert_int_equal(head.head_len, 17);
    assert_fs_ok(
        fs_index_p2l_table_parse(&table, &head, index3, 17, unit_pool(state)));
    assert_null(table);
    assert_fs_ok(
        fs_index_p2l_table_parse(&table, &head, index3, 18, unit_pool(state)));
    assert_non_null(table);
    assert_true(fs_index_p2l_table_bound(&head) >= 18);
}

static void heads_that_do_not_fit_are_corrupt(void **state)
{
    static const char bad_size[] = "P2L-INDEX\n\x03\xbd\x05\x03\x01\x01\x00";
    static const char bad_count[] = "P2L-INDEX\n\x03\xbd\x05\x40\x02\x01\x00";
    fs_index_p2l_head_t head;

    (void)state;
    assert_fs_error(fs_index_p2l_head_parse(&head, index3, INDEX_LEN, INDEX_LEN,
                                            2, ITEMS_END),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error(fs_index_p2l_head_parse(&head, index3, INDEX_LEN, INDEX_LEN,
                                            3, ITEMS_END + 1),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error(
        fs_index_p2l_head_parse(&head, index3, 12, 12, 3, ITEMS_END),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error_says(
        fs_index_p2l_head_parse(&head, bad_size, 17, 17, 3, ITEMS_END),
        FS_ERR_INDEX_CORRUPT, "power of two");
    assert_fs_error_says(
        fs_index_p2l_head_parse(&head, bad_count, 17, 17, 3, ITEMS_END),
        FS_ERR_INDEX_CORRUPT, "2 pages for 701 bytes");
}

static void tables_that_do_not_add_up_are_corrupt(void **state)
{
    fs_index_p2l_table_t *table;
    char copy[INDEX_LEN];

    memcpy(copy, index3, INDEX_LEN);
    copy[17]++; /* bytes of the page */
    assert_fs_error(
        open_index(&table, copy, INDEX_LEN, 3, ITEMS_END, unit_pool(state)),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error(
        open_index(&table, index3, 17, 3, ITEMS_END, unit_pool(state)),
        FS_ERR_INDEX_CORRUPT);
}

static void malformed_entries_are_corrupt(void **state)
{
    /* Each behind the first offset: size, compound, revision, checksum. */
    static const char *const entries[] = {
        "\x00\x1d\x3e\x01\x01",                 /* type 7 */
        "\x00\x1d\x1c\x01\x01",                 /* item 1, not type 6 */
        "\x00\x1d\x2c\x01\x01",                 /* type 6, not item 1 */
        "\x00\x1d\x0a\x01\x01",                 /* item 0 is used */
        "\x00\x1d\x34\x05\x01",                 /* before the first rev */
        "\x00\x1d\x34\x07\x01",                 /* rev below 0 */
        "\x00\x1d\x01\x01\x01",                 /* compound below 0 */
        "\x00\x1d\x34\x02\x80\x80\x80\x80\x10", /* checksum of 33 bits */
        "\x00\xff\xff\xff\x7f\x34\x02\x01",     /* ends behind the page */
        "\x00\x1d\x34",                         /* cut off */
    };
    fs_index_p2l_table_t *table;
    apr_size_t i;

    assert_fs_ok(
        open_index(&table, index3, INDEX_LEN, 3, ITEMS_END, unit_pool(state)));
    for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        /* The leading NUL of each is the first entry's offset. */
        apr_size_t len = 1 + strlen(entries[i] + 1);
        fs_index_p2l_page_t page = { 0, 0, len };
        fs_index_p2l_entry_t entry;
        apr_size_t count;

        assert_fs_error(read_page(&entry, &count, 1, table, &page, entries[i]),
                        FS_ERR_INDEX_CORRUPT);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(entries_of_a_revision_are_read),
    UNIT_TEST(offsets_behind_the_items_are_not_found),
    UNIT_TEST(a_long_item_is_in_the_page_where_it_ends),
    UNIT_TEST(an_index_is_written_as_it_was_read),
    UNIT_TEST(a_table_that_is_cut_asks_for_more),
    UNIT_TEST(heads_that_do_not_fit_are_corrupt),
    UNIT_TEST(tables_that_do_not_add_up_are_corrupt),
    UNIT_TEST(malformed_entries_are_corrupt),
};

UNIT_MAIN(tests)
