/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/index_page.h and block.h, on files made by hand. */

#include "tests/support/unit.h"

#include <stdio.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/block.h"
#include "libfs/store/fsfs/index_page.h"
#include "libfs/store/fsfs/rev_file_table.h"

#define ENTRIES 5000
#define PAGE_SIZE 65536
#define LONG_ENTRY 2500 /* it goes over two whole pages */
#define ITEMS 200

static fs_index_p2l_entry_t entries[ENTRIES];

/* Contiguous entries of five to 44 bytes, one that is long. */
static apr_uint64_t make_entries(void)
{
    apr_uint64_t offset = 0;
    apr_uint64_t i;

    for (i = 0; i < ENTRIES; i++) {
        fs_index_p2l_entry_t *entry = &entries[i];

        entry->offset = offset;
        entry->size = i == LONG_ENTRY ? 150000 : 5 + i % 40;
        entry->item = 3 + i % 100;
        entry->rev = (fs_rev_t)(7 + i % 3);
        entry->checksum = (apr_uint32_t)(i * 2654435761U);
        entry->type = FS_ITEM_FILE_TEXT;
        offset += entry->size;
    }
    return offset;
}

/* A file with `text` from `offset` on, nothing before. */
static fs_rev_file_t *make_file(void **state, apr_uint64_t offset,
                                const fs_buffer_t *text)
{
    const char *path =
        apr_pstrcat(unit_pool(state), unit_folder(state), "/file", NULL);
    FILE *out = fopen(path, "w+b");
    fs_rev_file_t *file;

    assert_non_null(out);
    assert_int_equal(fseek(out, (long)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(text->data, 1, text->len, out), text->len);
    assert_int_equal(fflush(out), 0);
    file = fs_rev_file_table_new(dup(fileno(out)), path);
    assert_int_equal(fclose(out), 0);
    assert_non_null(file);
    file->block_id = fs_block_new_file();
    file->size = offset + text->len;
    return file;
}

/* Entries and their index; `damage` is a byte of the index to spoil, if any.
 */
static fs_rev_file_t *make_p2l(void **state, apr_size_t damage)
{
    apr_pool_t *pool = unit_pool(state);
    apr_uint64_t items_end = make_entries();
    fs_buffer_t *text = fs_buffer_create(1024, pool);
    fs_index_p2l_head_t head;
    fs_rev_file_t *file;

    fs_index_p2l_format(text, 7, items_end, PAGE_SIZE, entries, ENTRIES, pool);
    assert_true(damage < text->len);
    if (damage)
        memset(text->data + damage, 0xff, 12);
    file = make_file(state, items_end, text);
    file->footer.p2l_offset = items_end;
    file->footer.p2l_len = text->len;
    assert_fs_ok(fs_index_p2l_head_parse(&head, text->data, text->len,
                                         text->len, 7, items_end));
    assert_fs_ok(fs_index_p2l_table_parse(&file->p2l, &head, text->data,
                                          text->len, file->pool));
    fs_index_page_prepare(file);
    return file;
}

static void check_entry(fs_rev_file_t *file, apr_size_t i, apr_pool_t *pool)
{
    fs_index_p2l_entry_t found;
    bool is_there;

    assert_fs_ok(
        fs_index_page_entry(&found, &is_there, file, entries[i].offset, pool));
    assert_true(is_there);
    assert_int_equal(found.offset, entries[i].offset);
    assert_int_equal(found.size, entries[i].size);
    assert_int_equal(found.item, entries[i].item);
    assert_int_equal(found.rev, entries[i].rev);
    assert_int_equal(found.checksum, entries[i].checksum);
    assert_int_equal(found.type, entries[i].type);
    assert_fs_ok(fs_index_page_entry(&found, &is_there, file,
                                     entries[i].offset + 1, pool));
    assert_false(is_there);
}

static void every_entry_of_large_pages_is_found_by_its_offset(void **state)
{
    fs_rev_file_t *file = make_p2l(state, 0);
    apr_pool_t *pool;
    apr_size_t i;

    apr_pool_create(&pool, unit_pool(state));
    for (i = 0; i < ENTRIES; i++) {
        apr_pool_clear(pool);
        check_entry(file, i, pool);
        check_entry(file, ENTRIES - 1 - i, pool);
    }
    fs_rev_file_table_delete(file);
}

static void no_entry_is_found_behind_the_items(void **state)
{
    fs_rev_file_t *file = make_p2l(state, 0);
    const fs_index_p2l_entry_t *last = &entries[ENTRIES - 1];
    fs_index_p2l_entry_t found;
    bool is_there = true;

    assert_fs_ok(fs_index_page_entry(
        &found, &is_there, file, last->offset + last->size, unit_pool(state)));
    assert_false(is_there);
    fs_rev_file_table_delete(file);
}

static void a_large_page_with_bad_numbers_is_told(void **state)
{
    fs_rev_file_t *file = make_p2l(state, 2000);
    fs_index_p2l_entry_t found;
    bool is_there;

    assert_fs_error(
        fs_index_page_entry(&found, &is_there, file, 0, unit_pool(state)),
        FS_ERR_INDEX_CORRUPT);
    fs_rev_file_table_delete(file);
}

static void every_item_is_found_by_its_number(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *text = fs_buffer_create(1024, pool);
    apr_uint64_t offsets[ITEMS];
    fs_index_l2p_items_t revs[2] = { { offsets, ITEMS }, { offsets, 10 } };
    fs_index_l2p_head_t head;
    fs_rev_file_t *file;
    apr_uint64_t offset, item;
    bool found;

    for (item = 0; item < ITEMS; item++)
        offsets[item] = item % 7 ? (item * 37) % 1000 + 1 : 0;
    fs_index_l2p_format(text, 7, 128, revs, 2, pool);
    file = make_file(state, 1000, text);
    file->footer.l2p_offset = 1000;
    file->footer.l2p_len = text->len;
    assert_fs_ok(
        fs_index_l2p_head_parse(&head, text->data, text->len, text->len, 7, 2));
    assert_fs_ok(fs_index_l2p_table_parse(&file->l2p, &head, text->data,
                                          text->len, file->pool));
    for (item = 0; item < 2 * ITEMS; item++) {
        fs_rev_t rev = item < ITEMS ? 7 : 8;
        apr_uint64_t number = item % ITEMS;

        assert_fs_ok(
            fs_index_page_offset(&offset, &found, file, rev, number, pool));
        assert_int_equal(found, number % 7 && (rev == 7 || number < 10));
        if (found)
            assert_int_equal(offset, (number * 37) % 1000);
    }
    fs_rev_file_table_delete(file);
}

/* --- Blocks --- */

/* More than the table has. */
#define BLOCKS 600

static fs_rev_file_t *make_numbers(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_size_t len = (apr_size_t)BLOCKS * FS_BLOCK_SIZE - 100;
    fs_buffer_t *text = fs_buffer_create(len, pool);
    apr_size_t i;

    for (i = 0; i < len; i++)
        text->data[i] = (char)(i / FS_BLOCK_SIZE * 31 + i % 251);
    text->len = len;
    return make_file(state, 0, text);
}

static void check_bytes(fs_rev_file_t *file, apr_uint64_t at, apr_size_t len)
{
    static char buf[3 * FS_BLOCK_SIZE];
    apr_size_t i;

    assert_fs_ok(fs_rev_file_read(file, at, buf, len));
    for (i = 0; i < len; i++)
        if (buf[i] != (char)((at + i) / FS_BLOCK_SIZE * 31 + (at + i) % 251))
            fail_msg("wrong byte at %d", (int)(at + i));
}

static void bytes_of_many_blocks_are_those_of_the_file(void **state)
{
    fs_rev_file_t *file = make_numbers(state);
    int round, i;

    for (round = 0; round < 2; round++)
        for (i = 0; i < 3 * BLOCKS; i++) {
            apr_uint64_t number = (apr_uint64_t)i * 7919 % (BLOCKS - 3);

            check_bytes(file, number * FS_BLOCK_SIZE + 5, 20);
            check_bytes(file, number * FS_BLOCK_SIZE + FS_BLOCK_SIZE - 9, 30);
        }
    check_bytes(file, 0, FS_BLOCK_SIZE);
    check_bytes(file, 77, FS_BLOCK_SIZE + 1);
    check_bytes(file, file->size - 50, 50);
    fs_rev_file_table_delete(file);
}

static void a_file_that_was_cut_is_told(void **state)
{
    fs_rev_file_t *file = make_numbers(state);
    char buf[100];

    assert_fs_error(fs_rev_file_read(file, file->size - 99, buf, 100),
                    FS_ERR_CORRUPT);
    assert_int_equal(ftruncate(file->fd, 5 * FS_BLOCK_SIZE), 0);
    assert_fs_error(fs_rev_file_read(file, 5 * FS_BLOCK_SIZE - 50, buf, 100),
                    FS_ERR_CORRUPT);
    fs_rev_file_table_delete(file);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(every_entry_of_large_pages_is_found_by_its_offset),
    UNIT_TEST(no_entry_is_found_behind_the_items),
    UNIT_TEST(a_large_page_with_bad_numbers_is_told),
    UNIT_TEST(every_item_is_found_by_its_number),
    UNIT_TEST(bytes_of_many_blocks_are_those_of_the_file),
    UNIT_TEST(a_file_that_was_cut_is_told),
};

UNIT_MAIN(tests)
