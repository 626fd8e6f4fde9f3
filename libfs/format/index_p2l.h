/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index from offset to item of a logically addressed file (formats 7 and
 * 8). `u` is an unsigned number in little-endian base 128, `i` a signed one.
 *
 *     "P2L-INDEX\n"                                          head
 *     u first revision
 *     u file size            bytes of items
 *     u page size            bytes that a page covers; a power of two
 *     u number of pages      (file size - 1) / page size + 1
 *     u byte size            for each page                   table
 *     pages: none, or                                        pages
 *       u offset of the first entry
 *       for each entry
 *         u size
 *         i difference of (item * 8 + type), first against 0
 *         i difference of the revision, first against the first revision
 *         u checksum         of the item's bytes, see base/checksum.h
 *
 * An entry is in the page where it ends; so it may begin before its page, and
 * pages that lie within an item are empty. The last entry of all is type 0 and
 * fills up the last page. Reading by pages: as in index_l2p.h.
 * Source: docs/format/index.md, "From offset to item".
 */

#ifndef LIBFS_FORMAT_INDEX_P2L_H
#define LIBFS_FORMAT_INDEX_P2L_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/base/cursor.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Bytes that always contain the whole head (if the index is that long). */
#define FS_INDEX_P2L_HEAD_SIZE 50

typedef enum fs_item_type_t {
    FS_ITEM_UNUSED = 0,
    FS_ITEM_FILE_TEXT = 1,
    FS_ITEM_DIR_TEXT = 2,
    FS_ITEM_FILE_PROPS = 3,
    FS_ITEM_DIR_PROPS = 4,
    FS_ITEM_NODE_REV = 5,
    FS_ITEM_CHANGES = 6
} fs_item_type_t;

/** Fixed item numbers. */
#define FS_ITEM_NUMBER_CHANGES 1
#define FS_ITEM_NUMBER_ROOT 2
#define FS_ITEM_NUMBER_FIRST 3 /* of those handed out as needed */

typedef struct fs_index_p2l_head_t {
    fs_rev_t first_rev;
    apr_uint64_t items_end; /* bytes of items in the file */
    apr_uint64_t page_size; /* bytes a page covers */
    apr_uint64_t page_count;
    apr_uint64_t head_len;  /* bytes; the table begins there */
    apr_uint64_t index_len; /* bytes of the whole index, as given */
} fs_index_p2l_head_t;

typedef struct fs_index_p2l_entry_t {
    apr_uint64_t offset; /* in the file */
    apr_uint64_t size;   /* bytes */
    apr_uint64_t item;   /* 0 for FS_ITEM_UNUSED */
    fs_rev_t rev;
    apr_uint32_t checksum; /* fs_fnv1a_x4() of the bytes */
    fs_item_type_t type;
} fs_index_p2l_entry_t;

/** Where a page is. */
typedef struct fs_index_p2l_page_t {
    apr_uint64_t number; /* from 0; covers file offsets from number * size */
    apr_uint64_t offset; /* from the index's start, in bytes */
    apr_uint64_t len;    /* bytes; 0: no entry ends in this page */
} fs_index_p2l_page_t;

/** The table of pages; opaque. Threads: read-only once made. */
typedef struct fs_index_p2l_table_t fs_index_p2l_table_t;

/**
 * Parse the head from the first `len` bytes of an index of `index_len` bytes.
 * @param first_rev  the first revision that the file holds
 * @param items_end  bytes of items that it holds (the footer's l2p_offset)
 * Errors: FS_ERR_INDEX_CORRUPT; also if the index says otherwise.
 */
fs_error_t *fs_index_p2l_head_parse(fs_index_p2l_head_t *out, const char *data,
                                    apr_size_t len, apr_uint64_t index_len,
                                    fs_rev_t first_rev,
                                    apr_uint64_t items_end) FS_MUST_CHECK;

/**
 * Parse the table from the first `len` bytes of the index (head included).
 * Sets `*out` to NULL if it does not end within them and the index is longer.
 * Errors: FS_ERR_INDEX_CORRUPT.
 * Cost:   one pass; 8 bytes a page in `result`.
 */
fs_error_t *fs_index_p2l_table_parse(fs_index_p2l_table_t **out,
                                     const fs_index_p2l_head_t *head,
                                     const char *data, apr_size_t len,
                                     apr_pool_t *result) FS_MUST_CHECK;

/** Bytes from the index's start within which the table ends. */
apr_uint64_t fs_index_p2l_table_bound(const fs_index_p2l_head_t *head);

/** The head that `table` was made with. */
const fs_index_p2l_head_t *fs_index_p2l_head(const fs_index_p2l_table_t *table);

/** Page `number`, which must be below the head's page_count. */
fs_index_p2l_page_t fs_index_p2l_page(const fs_index_p2l_table_t *table,
                                      apr_uint64_t number);

/**
 * First page that can have the entry covering file offset `offset`; if its
 * entries end at or before `offset`, the entry is the first of the next page
 * that is not empty (fs_index_p2l_page_after()). An empty page is passed over
 * already. `*found` is false if `offset` is not below the items' end.
 */
void fs_index_p2l_locate(fs_index_p2l_page_t *page, bool *found,
                         const fs_index_p2l_table_t *table,
                         apr_uint64_t offset);

/** Next page after `page` that is not empty; `*found` is false at the end. */
void fs_index_p2l_page_after(fs_index_p2l_page_t *page, bool *found,
                             const fs_index_p2l_table_t *table);

/** Position among a page's entries. */
typedef struct fs_index_p2l_iter_t {
    fs_cursor_t cursor;
    apr_uint64_t offset;   /* of the next entry in the file */
    apr_uint64_t compound; /* of the entry before */
    fs_rev_t rev;          /* of the entry before */
    fs_rev_t first_rev;    /* of the file */
    apr_uint64_t page_end; /* file offset behind the page, at most: no entry
                              ends beyond it */
} fs_index_p2l_iter_t;

/** Begin to read the entries of `page` from its `page->len` bytes.
 *  Errors: FS_ERR_INDEX_CORRUPT. */
fs_error_t *fs_index_p2l_begin(fs_index_p2l_iter_t *iter,
                               const fs_index_p2l_table_t *table,
                               const fs_index_p2l_page_t *page,
                               const char *data) FS_MUST_CHECK;

/**
 * Next entry; `*more` is false behind the last one. Allocates nothing.
 * Errors: FS_ERR_INDEX_CORRUPT.
 */
fs_error_t *fs_index_p2l_next(fs_index_p2l_entry_t *entry, bool *more,
                              fs_index_p2l_iter_t *iter) FS_MUST_CHECK;

/**
 * Append the index of `count` entries, which are contiguous from offset 0 to
 * `items_end`; the entry that fills up the last page is added here.
 */
void fs_index_p2l_format(fs_buffer_t *out, fs_rev_t first_rev,
                         apr_uint64_t items_end, apr_uint64_t page_size,
                         const fs_index_p2l_entry_t *entries, apr_size_t count,
                         apr_pool_t *scratch);

#endif
