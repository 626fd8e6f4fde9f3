/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacing a file so that it survives a loss of power, and is seen either as
 * it was or as it becomes. Nothing is assumed of the file system but this: an
 * fsync of a file keeps its bytes, an fsync of a folder keeps its names.
 *
 * A sync that fails is final: the file is given up, not synced again.
 */

#ifndef LIBFS_STORE_FSFS_DURABLE_H
#define LIBFS_STORE_FSFS_DURABLE_H

#include <sys/types.h>

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Where files are written and how. */
typedef struct fs_durable_t {
    int folder;  /* open folder that relative paths are taken from */
    bool nosync; /* do not wait for the disk; for loads and tests */
} fs_durable_t;

/**
 * Put a file with `bytes` in the place of `path`, or make it; its name is not
 * durable before its folder is synced. Until the rename it is `path` with
 * ".tmp" behind, in the same folder: the remains of a dead writer are
 * overwritten, so who calls this holds the lock that guards `path`.
 *
 * @param like  file whose permissions the new one gets; if it is NULL or
 *              missing those of the file replaced; without one, the default
 *
 * Errors: FS_ERR_IO; the file that was there is as it was.
 * Cost:   an fsync, unless `nosync`.
 */
fs_error_t *fs_durable_write(const fs_durable_t *where, const char *path,
                             const char *like, fs_bytes_t bytes,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * The steps of fs_durable_write(), for who syncs several files at once: the
 * file is written under its temporary name and stays open; after a sync of
 * `*fd` it is put in its place, or given up at any step.
 * `fd` -1: it was closed already.
 * Errors: FS_ERR_IO; the temporary file is gone then, and `fd` closed.
 */
fs_error_t *fs_durable_begin(int *fd, const fs_durable_t *where,
                             const char *path, const char *like,
                             fs_bytes_t bytes,
                             apr_pool_t *scratch) FS_MUST_CHECK;
fs_error_t *fs_durable_end(const fs_durable_t *where, const char *path, int fd,
                           apr_pool_t *scratch) FS_MUST_CHECK;
void fs_durable_drop(const fs_durable_t *where, const char *path, int fd,
                     apr_pool_t *scratch);

/** The name that `path` has until the rename. */
const char *fs_durable_temporary(const char *path, apr_pool_t *result);

/**
 * Make the new file `path` with `bytes`; its name is not durable before its
 * folder is synced.
 * @param mode  permissions, less those that the process never gives
 * Errors: FS_ERR_IO, also if there is such a file; what was made is removed.
 * Cost:   an fsync, unless `nosync`.
 */
fs_error_t *fs_durable_create(const fs_durable_t *where, const char *path,
                              mode_t mode, fs_bytes_t bytes) FS_MUST_CHECK;

/** Make the names in the folder of `path` durable. Errors: FS_ERR_IO.
 *  Cost: an fsync, unless `nosync`. */
fs_error_t *fs_durable_sync_folder(const fs_durable_t *where, const char *path,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Both: the file is durable when this returns without an error. After an
 * error of the folder's sync the new file may be in place already.
 * Cost: two fsync, unless `nosync`.
 */
fs_error_t *fs_durable_replace(const fs_durable_t *where, const char *path,
                               const char *like, fs_bytes_t bytes,
                               apr_pool_t *scratch) FS_MUST_CHECK;

#endif
