/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/index_l2p.h. */

#include "tests/support/unit.h"

#include "libfs/format/index_l2p.h"

/* Of revision 3 in a repository of format 8: items 1 to 6. */
static const char index3[] =
    "\x4c\x32\x50\x2d\x49\x4e\x44\x45\x58\x0a\x03\x80\x40\x01\x01\x01"
    "\x0c\x07\x00\xc0\x09\xf7\x01\xc5\x07\x3a\xf6\x02\xfe\x02";
#define INDEX_LEN (sizeof(index3) - 1)
#define ITEMS_END 701

static fs_error_t *open_index(fs_index_l2p_table_t **table, const char *data,
                              apr_size_t len, apr_pool_t *pool)
{
    fs_index_l2p_head_t head;

    FS_TRY(fs_index_l2p_head_parse(&head, data, len, len, 3, 1));
    return fs_index_l2p_table_parse(table, &head, data, len, pool);
}

static apr_uint64_t offset_of(const fs_index_l2p_table_t *table,
                              const char *data, fs_rev_t rev, apr_uint64_t item,
                              bool *found)
{
    fs_index_l2p_page_t page;
    apr_uint32_t entry;
    apr_uint64_t offset = 0;

    assert_fs_ok(fs_index_l2p_locate(&page, &entry, found, table, rev, item));
    if (*found)
        assert_fs_ok(fs_index_l2p_page_get(
            &offset, found, &page, data + page.offset, entry, ITEMS_END));
    return offset;
}

static void the_head_says_what_the_index_is_of(void **state)
{
    fs_index_l2p_head_t head;

    (void)state;
    assert_fs_ok(fs_index_l2p_head_parse(&head, index3, 20, INDEX_LEN, 3, 1));
    assert_int_equal(head.page_size, 8192);
    assert_int_equal(head.page_count, 1);
    assert_int_equal(head.head_len, 15);
    assert_int_equal(head.index_len, 30);
}

static void each_item_has_its_offset(void **state)
{
    static const apr_uint64_t expected[] = { 0, 607, 483, 0, 29, 216, 407 };
    fs_index_l2p_table_t *table;
    apr_uint64_t item;
    bool found;

    assert_fs_ok(open_index(&table, index3, INDEX_LEN, unit_pool(state)));
    for (item = 1; item <= 6; item++) {
        assert_int_equal(offset_of(table, index3, 3, item, &found),
                         expected[item]);
        assert_true(found);
    }
}

static void other_items_are_not_found(void **state)
{
    fs_index_l2p_table_t *table;
    bool found;

    assert_fs_ok(open_index(&table, index3, INDEX_LEN, unit_pool(state)));
    (void)offset_of(table, index3, 3, 0, &found);
    assert_false(found);
    (void)offset_of(table, index3, 3, 7, &found);
    assert_false(found);
    (void)offset_of(table, index3, 3, 8192, &found);
    assert_false(found);
    (void)offset_of(table, index3, 3, APR_UINT64_MAX, &found);
    assert_false(found);
}

static void other_revisions_are_an_error(void **state)
{
    fs_index_l2p_table_t *table;
    fs_index_l2p_page_t page;
    apr_uint32_t entry;
    bool found;

    assert_fs_ok(open_index(&table, index3, INDEX_LEN, unit_pool(state)));
    assert_fs_error(fs_index_l2p_locate(&page, &entry, &found, table, 2, 1),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error(fs_index_l2p_locate(&page, &entry, &found, table, 4, 1),
                    FS_ERR_INDEX_CORRUPT);
    assert_int_equal(fs_index_l2p_pages_of(table, 3), 1);
    assert_int_equal(fs_index_l2p_pages_of(table, 4), 0);
}

static void a_table_that_is_cut_asks_for_more(void **state)
{
    fs_index_l2p_table_t *table;
    fs_index_l2p_head_t head;
    apr_size_t len;

    assert_fs_ok(
        fs_index_l2p_head_parse(&head, index3, INDEX_LEN, INDEX_LEN, 3, 1));
    for (len = 0; len < 18; len++) {
        assert_fs_ok(fs_index_l2p_table_parse(&table, &head, index3, len,
                                              unit_pool(state)));
        assert_null(table);
    }
    assert_fs_ok(
        fs_index_l2p_table_parse(&table, &head, index3, 18, unit_pool(state)));
    assert_non_null(table);
    assert_true(fs_index_l2p_table_bound(&head) >= 18);
    assert_true(fs_index_l2p_table_bound(&head) <= INDEX_LEN);
}

static void heads_that_do_not_fit_are_corrupt(void **state)
{
    static const char bad_size[] =
        "L2P-INDEX\n\x03\x81\x40\x01\x01\x01\x01\x01";
    static const char many_pages[] =
        "L2P-INDEX\n\x03\x80\x40\x01\xff\xff\xff\xff\x7f\x01\x01\x01";
    fs_index_l2p_head_t head;

    (void)state;
    assert_fs_error(
        fs_index_l2p_head_parse(&head, index3, INDEX_LEN, INDEX_LEN, 2, 1),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error(
        fs_index_l2p_head_parse(&head, index3, INDEX_LEN, INDEX_LEN, 3, 4),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error(fs_index_l2p_head_parse(&head, index3, 12, 12, 3, 1),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error(fs_index_l2p_head_parse(&head, "P2L-INDEX\n", 10, 10, 3, 1),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error_says(fs_index_l2p_head_parse(&head, bad_size, 18, 18, 3, 1),
                         FS_ERR_INDEX_CORRUPT, "power of two");
    assert_fs_error_says(
        fs_index_l2p_head_parse(&head, many_pages, 22, 22, 3, 1),
        FS_ERR_INDEX_CORRUPT, "bytes are left");
}

static void tables_that_do_not_add_up_are_corrupt(void **state)
{
    fs_index_l2p_table_t *table;
    char copy[INDEX_LEN];

    memcpy(copy, index3, INDEX_LEN);
    copy[15] = 2; /* pages of the revision */
    assert_fs_error(open_index(&table, copy, INDEX_LEN, unit_pool(state)),
                    FS_ERR_INDEX_CORRUPT);
    copy[15] = 1;
    copy[16] = 11; /* bytes of the page */
    assert_fs_error(open_index(&table, copy, INDEX_LEN, unit_pool(state)),
                    FS_ERR_INDEX_CORRUPT);
    copy[16] = 12;
    copy[17] = 13; /* entries of the page: each takes a byte */
    assert_fs_error(open_index(&table, copy, INDEX_LEN, unit_pool(state)),
                    FS_ERR_INDEX_CORRUPT);
    assert_fs_error(
        open_index(&table, index3, INDEX_LEN - 13, unit_pool(state)),
        FS_ERR_INDEX_CORRUPT);
}

static void offsets_beyond_the_items_are_corrupt(void **state)
{
    fs_index_l2p_page_t page = { 0, 2, 1 };
    fs_index_l2p_page_t negative = { 0, 1, 1 };
    fs_index_l2p_page_t surplus = { 0, 2, 1 };
    apr_uint64_t offsets[1];
    apr_uint64_t offset;
    bool found;

    (void)state;
    assert_fs_ok(
        fs_index_l2p_page_get(&offset, &found, &page, "\xc0\x09", 0, 608));
    assert_int_equal(offset, 607);
    assert_fs_error(
        fs_index_l2p_page_get(&offset, &found, &page, "\xc0\x09", 0, 607),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error(
        fs_index_l2p_page_get(&offset, &found, &negative, "\x01", 0, 607),
        FS_ERR_INDEX_CORRUPT);
    assert_fs_error(fs_index_l2p_page_parse(offsets, &surplus, "\x02\x02", 607),
                    FS_ERR_INDEX_CORRUPT);
}

static void an_index_is_written_as_it_was_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_index_l2p_table_t *table;
    fs_index_l2p_page_t page;
    fs_index_l2p_items_t items;
    apr_uint64_t offsets[7];

    assert_fs_ok(open_index(&table, index3, INDEX_LEN, pool));
    page = fs_index_l2p_page_of(table, 3, 0);
    assert_int_equal(page.count, 7);
    assert_fs_ok(fs_index_l2p_page_parse(offsets, &page, index3 + page.offset,
                                         ITEMS_END));
    items.offsets = offsets;
    items.count = 7;
    fs_index_l2p_format(out, 3, 8192, &items, 1, pool);
    assert_bytes_equal(out->data, out->len, index3, INDEX_LEN);
}

static void items_are_found_over_page_borders(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    static const apr_uint64_t first[] = { 0, 5, 9, 1, 7 };
    static const apr_uint64_t second[] = { 0, 40, 30 };
    fs_index_l2p_items_t items[2] = { { first, 5 }, { second, 3 } };
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_index_l2p_table_t *table;
    fs_index_l2p_head_t head;
    bool found;

    fs_index_l2p_format(out, 6, 2, items, 2, pool);
    assert_fs_ok(
        fs_index_l2p_head_parse(&head, out->data, out->len, out->len, 6, 2));
    assert_int_equal(head.page_count, 5);
    assert_fs_ok(
        fs_index_l2p_table_parse(&table, &head, out->data, out->len, pool));
    assert_int_equal(offset_of(table, out->data, 6, 1, &found), 4);
    assert_int_equal(offset_of(table, out->data, 6, 3, &found), 0);
    assert_int_equal(offset_of(table, out->data, 6, 4, &found), 6);
    assert_int_equal(offset_of(table, out->data, 7, 2, &found), 29);
    assert_true(found);
    (void)offset_of(table, out->data, 7, 3, &found);
    assert_false(found);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_head_says_what_the_index_is_of),
    UNIT_TEST(each_item_has_its_offset),
    UNIT_TEST(other_items_are_not_found),
    UNIT_TEST(other_revisions_are_an_error),
    UNIT_TEST(a_table_that_is_cut_asks_for_more),
    UNIT_TEST(heads_that_do_not_fit_are_corrupt),
    UNIT_TEST(tables_that_do_not_add_up_are_corrupt),
    UNIT_TEST(offsets_beyond_the_items_are_corrupt),
    UNIT_TEST(an_index_is_written_as_it_was_read),
    UNIT_TEST(items_are_found_over_page_borders),
};

UNIT_MAIN(tests)
