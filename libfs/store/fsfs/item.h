/* SPDX-License-Identifier: Apache-2.0 */
/* One item of a revision: record, representation or list of changes. */

#ifndef LIBFS_STORE_FSFS_ITEM_H
#define LIBFS_STORE_FSFS_ITEM_H

#include "libfs/format/index_p2l.h"
#include "libfs/store/fsfs/rev_file.h"

/** An item whose place is known; holds its file. */
typedef struct fs_item_t {
    fs_rev_t rev;
    apr_uint64_t number;
    fs_rev_file_t *file; /* NULL: closed */
    apr_uint64_t offset; /* in `file` */
    apr_uint64_t end;    /* it ends here at the latest */
} fs_item_t;

/**
 * Find item `number` of `rev`.
 * Errors: FS_ERR_CORRUPT, there is none, or `rev` does not exist: so this is
 *         for references found in the repository, not for callers' input.
 */
fs_error_t *fs_item_open(fs_item_t *item, fs_fsfs_t *fsfs, fs_rev_t rev,
                         apr_uint64_t number,
                         apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * With logical addressing: check that the item is of type `type` and that its
 * bytes have their checksum; then `end` is its very end. Else nothing is done,
 * as there is nothing to check with. FS_ITEM_UNUSED stands for any type: texts
 * and property lists share their representations.
 * Errors: FS_ERR_CORRUPT; FS_ERR_INDEX_INCONSISTENT, the indexes disagree.
 * Cost:   reads the item.
 */
fs_error_t *fs_item_verify(fs_item_t *item, fs_item_type_t type,
                           apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * The part of fs_item_verify() that reads no item: find the checksum which its
 * bytes should have, for who reads them anyhow. `*known` is false where the
 * index has none.
 */
fs_error_t *fs_item_expect(bool *known, apr_uint32_t *sum, fs_item_t *item,
                           fs_item_type_t type,
                           apr_pool_t *scratch) FS_MUST_CHECK;

/** The error for bytes that have the sum `found`; NULL if they are right. */
fs_error_t *fs_item_compare(apr_uint32_t found,
                            apr_uint32_t expected) FS_MUST_CHECK;

/** Give the file back; closing twice does nothing. */
void fs_item_close(fs_item_t *item);

/** Read up to `*len` bytes from `at` on, counted from the item's beginning;
 *  `*len` is less where the item must have ended. */
fs_error_t *fs_item_read(const fs_item_t *item, apr_uint64_t at, char *buf,
                         apr_size_t *len) FS_MUST_CHECK;

/**
 * Put a level on top of `err` that names the item. What is not yet told as
 * damage or as a failure of the system becomes FS_ERR_CORRUPT.
 */
fs_error_t *fs_item_wrap(fs_error_t *err, fs_rev_t rev,
                         apr_uint64_t number) FS_MUST_CHECK;

#endif
