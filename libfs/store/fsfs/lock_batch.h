/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digest files of path locks that change together, durably, with few syncs.
 * Source: docs/format/locks.md, "Writing".
 */

#ifndef LIBFS_STORE_FSFS_LOCK_BATCH_H
#define LIBFS_STORE_FSFS_LOCK_BATCH_H

#include "libfs/format/lock_file.h"
#include "libfs/store/fsfs/handle.h"

/** What is to be synced, and how files are written. */
typedef struct fs_lock_batch_t fs_lock_batch_t;

/** Files that get their names, or go, in one step. */
typedef struct fs_lock_files_t fs_lock_files_t;

/** Make a batch. The write lock is held as long as it is used. */
fs_error_t *fs_lock_batch_create(fs_lock_batch_t **batch, fs_fsfs_t *fsfs,
                                 apr_pool_t *result) FS_MUST_CHECK;

/** An empty list of files of the batch. */
fs_lock_files_t *fs_lock_batch_files(fs_lock_batch_t *batch);

/**
 * Write a digest file with `content` under a temporary name; note that it is to
 * go, if that has neither lock nor children. Each digest once in all lists
 * between two applications.
 */
fs_error_t *fs_lock_batch_write(fs_lock_files_t *files, const char *digest,
                                const fs_lock_file_t *content,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** Whether some of the files are not to go. */
bool fs_lock_batch_has_temporary(const fs_lock_files_t *files);

/** Give the files their names, and remove those that go. */
fs_error_t *fs_lock_batch_apply(fs_lock_files_t *files,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** Remove files that fs_lock_batch_apply() made where none was before: their
 *  names could not be synced. */
void fs_lock_batch_undo(const fs_lock_files_t *files);

/** Make durable all that was written, named and removed since the last call.
 *  Cost: one sync, or one flush of the file system. */
fs_error_t *fs_lock_batch_sync(fs_lock_batch_t *batch,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** Drop what has a temporary name only, and close. */
void fs_lock_batch_close(fs_lock_batch_t *batch, apr_pool_t *scratch);

#endif
