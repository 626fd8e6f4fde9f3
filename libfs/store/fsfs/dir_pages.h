/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories as pages of sorted entries in the cache: made once from the
 * stored text, then searched and read a page at a time.
 *
 * Page 0 is the root of a tree: a leaf if all entries fit into it, else an
 * inner page that has the first name of each page below. Leaves are numbered
 * from 1 on in the order of names. Numbers are native.
 *
 *     0   level: 0 for a leaf              (4 bytes)
 *     4   number of entries                (4 bytes)
 *     8   number of the next leaf, 0: none (4 bytes)
 *     12  offset of each entry in the page (4 bytes each)
 *     entry of a leaf:        kind (4), revision (8), item (8), name, NUL
 *     entry of an inner page: number of the page (4), first name, NUL
 */

#ifndef LIBFS_STORE_FSFS_DIR_PAGES_H
#define LIBFS_STORE_FSFS_DIR_PAGES_H

#include "libfs/store/fsfs/handle.h"

/** See dir_lookup() of the store. */
fs_error_t *fs_dir_pages_lookup(const fs_store_entry_t **entry, fs_fsfs_t *fsfs,
                                const fs_node_record_t *record,
                                const char *name, apr_pool_t *result,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** See dir_open() and dir_next() of the store. */
fs_error_t *fs_dir_pages_open(fs_store_dir_t **dir, fs_fsfs_t *fsfs,
                              const fs_node_record_t *record,
                              apr_pool_t *result) FS_MUST_CHECK;
fs_error_t *fs_dir_pages_next(const fs_store_entry_t **entry,
                              fs_store_dir_t *dir) FS_MUST_CHECK;

#endif
