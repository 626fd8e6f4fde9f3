/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups in the indexes of logically addressed files. Large pages from items
 * to offsets that were decoded last are kept, a small number of them for the
 * whole process; pages from offsets to items have marks at which reading can
 * begin, as long as the file is open.
 */

#ifndef LIBFS_STORE_FSFS_INDEX_PAGE_H
#define LIBFS_STORE_FSFS_INDEX_PAGE_H

#include "libfs/format/index_p2l.h"
#include "libfs/store/fsfs/rev_file.h"

/** Where item `item` of `rev` is; `*found` is false if there is none.
 *  Errors: FS_ERR_INDEX_CORRUPT. */
fs_error_t *fs_index_page_offset(apr_uint64_t *offset, bool *found,
                                 fs_rev_file_t *file, fs_rev_t rev,
                                 apr_uint64_t item,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** Make a file ready for fs_index_page_entry(), when its tables are there. */
void fs_index_page_prepare(fs_rev_file_t *file);

/** The entry that begins at `offset`; `*found` is false if none does.
 *  Errors: FS_ERR_INDEX_CORRUPT.
 *  Cost:   reads the page the first time, then a few dozen entries of it. */
fs_error_t *fs_index_page_entry(fs_index_p2l_entry_t *entry, bool *found,
                                fs_rev_file_t *file, apr_uint64_t offset,
                                apr_pool_t *scratch) FS_MUST_CHECK;

#endif
