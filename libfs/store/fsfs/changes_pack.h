/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A revision's changed paths in a short form, as the cache keeps them: a fifth
 * of the bytes in the file, and quicker to read again. For each change
 *
 *     facts (2 bytes), bytes shared with the path before, bytes that follow,
 *     the rest of the path [, copyfrom revision, length, copyfrom path]
 *
 * with numbers of 7 bits a byte. The form is private to one build.
 */

#ifndef LIBFS_STORE_FSFS_CHANGES_PACK_H
#define LIBFS_STORE_FSFS_CHANGES_PACK_H

#include "libfs/base/buffer.h"
#include "libfs/format/changes.h"
#include "libfs/store/store.h"

/**
 * Append the short form of the changes of `list`, which is as
 * libfs/format/changes.h says.
 * Errors: FS_ERR_CORRUPT, the list is damaged.
 */
fs_error_t *fs_changes_pack(fs_buffer_t *out,
                            const fs_bytes_t *list) FS_MUST_CHECK;

/**
 * Tell all changes of a short form. Errors of the receiver go through.
 * Errors: FS_ERR_CORRUPT, it is none.
 */
fs_error_t *fs_changes_unpack(const fs_bytes_t *packed,
                              fs_store_change_fn receive, void *baton,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** A change as the file has it, as one that is told; strings in `result`. */
fs_error_t *fs_changes_convert(fs_store_change_t *change,
                               const fs_change_record_t *record,
                               apr_pool_t *result) FS_MUST_CHECK;

#endif
