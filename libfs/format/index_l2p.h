/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index from (revision, item number) to offset of a logically addressed
 * file (formats 7 and 8). `u` is an unsigned number in little-endian base 128,
 * `i` a signed one.
 *
 *     "L2P-INDEX\n"                                          head
 *     u first revision
 *     u page size            entries a page; a power of two
 *     u number of revisions
 *     u number of pages
 *     u pages                for each revision               table
 *     u byte size, u entries for each page
 *     i ...                  for each entry of each page     pages
 *
 * Entries are differences, the first of each page against 0. The sums are
 * offset + 1, or 0 for "no such item". Item t of a revision is entry t % page
 * size of its page t / page size.
 *
 * A reader gets head and table once (both are small), then single pages, so
 * that the index of a large pack file is never read as a whole:
 *
 *     fs_index_l2p_head_parse()   first FS_INDEX_L2P_HEAD_SIZE bytes
 *     fs_index_l2p_table_parse()  until it is content with the bytes
 *     fs_index_l2p_locate()       which page
 *     fs_index_l2p_page_get()     that page's bytes
 *
 * Source: docs/format/index.md, "From item to offset".
 */

#ifndef LIBFS_FORMAT_INDEX_L2P_H
#define LIBFS_FORMAT_INDEX_L2P_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Bytes that always contain the whole head (if the index is that long). */
#define FS_INDEX_L2P_HEAD_SIZE 50

typedef struct fs_index_l2p_head_t {
    fs_rev_t first_rev;
    apr_uint64_t page_size; /* entries a page; power of two, below 2^31 */
    apr_uint64_t rev_count; /* >= 1 */
    apr_uint64_t page_count;
    apr_uint64_t head_len;  /* bytes; the table begins there */
    apr_uint64_t index_len; /* bytes of the whole index, as given */
} fs_index_l2p_head_t;

/** Where a page is. */
typedef struct fs_index_l2p_page_t {
    apr_uint64_t offset; /* from the index's start, in bytes */
    apr_uint32_t len;    /* bytes */
    apr_uint32_t count;  /* entries */
} fs_index_l2p_page_t;

/** The table of pages; opaque. Threads: read-only once made. */
typedef struct fs_index_l2p_table_t fs_index_l2p_table_t;

/**
 * Parse the head from the first `len` bytes of an index of `index_len` bytes.
 * @param first_rev  the first revision that the file holds
 * @param rev_count  the number of revisions that it holds: 1 or a shard's size
 * Errors: FS_ERR_INDEX_CORRUPT; also if the index says otherwise.
 */
fs_error_t *fs_index_l2p_head_parse(fs_index_l2p_head_t *out, const char *data,
                                    apr_size_t len, apr_uint64_t index_len,
                                    fs_rev_t first_rev,
                                    apr_uint64_t rev_count) FS_MUST_CHECK;

/**
 * Parse the table from the first `len` bytes of the index (head included).
 * Sets `*out` to NULL if the table does not end within them and the index is
 * longer: read more (fs_index_l2p_table_bound() bytes always suffice).
 * Errors: FS_ERR_INDEX_CORRUPT.
 * Cost:   one pass; 16 bytes a page and 4 a revision in `result`.
 */
fs_error_t *fs_index_l2p_table_parse(fs_index_l2p_table_t **out,
                                     const fs_index_l2p_head_t *head,
                                     const char *data, apr_size_t len,
                                     apr_pool_t *result) FS_MUST_CHECK;

/** Bytes from the index's start within which the table ends. */
apr_uint64_t fs_index_l2p_table_bound(const fs_index_l2p_head_t *head);

/**
 * Find the page that has item `item` of revision `rev`, and its place there.
 * `*found` is false if the index has no such item.
 * Errors: FS_ERR_INDEX_CORRUPT, `rev` is not in this index.
 */
fs_error_t *fs_index_l2p_locate(fs_index_l2p_page_t *page, apr_uint32_t *entry,
                                bool *found, const fs_index_l2p_table_t *table,
                                fs_rev_t rev, apr_uint64_t item) FS_MUST_CHECK;

/** Pages of revision `rev` (0 if it is not in this index). */
apr_uint64_t fs_index_l2p_pages_of(const fs_index_l2p_table_t *table,
                                   fs_rev_t rev);

/** Page `number` (below fs_index_l2p_pages_of()) of revision `rev`. */
fs_index_l2p_page_t fs_index_l2p_page_of(const fs_index_l2p_table_t *table,
                                         fs_rev_t rev, apr_uint64_t number);

/**
 * Offset that entry number `entry` of `page` holds, from the page's
 * `page->len` bytes. `*found` is false if that item is not used.
 * @param items_end  bytes of items in the file; offsets must be below
 * Errors: FS_ERR_INDEX_CORRUPT.
 * Cost:   a pass over the page's bytes up to the entry.
 */
fs_error_t *fs_index_l2p_page_get(apr_uint64_t *offset, bool *found,
                                  const fs_index_l2p_page_t *page,
                                  const char *data, apr_uint32_t entry,
                                  apr_uint64_t items_end) FS_MUST_CHECK;

/**
 * All entries of a page: `offsets[k]` becomes offset + 1, or 0 if entry k is
 * not used. There must be room for `page->count` of them.
 * Errors: FS_ERR_INDEX_CORRUPT.
 */
fs_error_t *fs_index_l2p_page_parse(apr_uint64_t *offsets,
                                    const fs_index_l2p_page_t *page,
                                    const char *data,
                                    apr_uint64_t items_end) FS_MUST_CHECK;

/** Items of one revision for fs_index_l2p_format(). */
typedef struct fs_index_l2p_items_t {
    const apr_uint64_t *offsets; /* offset + 1 by item number; 0: not used */
    apr_uint64_t count;          /* highest item number + 1 */
} fs_index_l2p_items_t;

/** Append the index of `rev_count` revisions, with pages of `page_size`. */
void fs_index_l2p_format(fs_buffer_t *out, fs_rev_t first_rev,
                         apr_uint64_t page_size,
                         const fs_index_l2p_items_t *revs,
                         apr_uint64_t rev_count, apr_pool_t *scratch);

#endif
