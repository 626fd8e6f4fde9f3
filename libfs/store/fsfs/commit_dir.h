/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a directory that a transaction changed. */

#ifndef LIBFS_STORE_FSFS_COMMIT_DIR_H
#define LIBFS_STORE_FSFS_COMMIT_DIR_H

#include <apr_tables.h>

#include "libfs/format/dirents.h"
#include "libfs/format/rep_string.h"
#include "libfs/store/fsfs/handle.h"

/** Receives the next bytes of the text; valid during the call. */
typedef fs_error_t *(*fs_commit_dir_fn)(void *baton, const char *data,
                                        apr_size_t len);

/**
 * Tell the text of the directory `base` (NULL: the empty one) with `changes`
 * made to it: fs_dirents_entry_t in any order, sorted by this; FS_NODE_NONE
 * takes an entry out.
 * Errors: FS_ERR_CORRUPT, `base` is damaged.
 * Memory: the text of `base` and 32 bytes for each of its entries.
 */
fs_error_t *fs_commit_dir_tell(fs_fsfs_t *fsfs, const fs_rep_t *base,
                               apr_array_header_t *changes,
                               fs_commit_dir_fn receive, void *baton,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** A committed representation, as readers know it. */
fs_content_t fs_commit_dir_content(const fs_rep_t *rep);

#endif
