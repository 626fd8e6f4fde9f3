/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several files made durable at once, which takes as long as one of them.
 * Source: docs/format/durability.md.
 */

#ifndef LIBFS_STORE_FSFS_SYNC_ROUND_H
#define LIBFS_STORE_FSFS_SYNC_ROUND_H

#include <stdbool.h>

#include "libfs/fs_error.h"

/** Most files of a round. */
#define FS_SYNC_ROUND_MAX 8

/** An open file or folder. */
typedef struct fs_sync_file_t {
    int fd;
    const char *name; /* for messages */
} fs_sync_file_t;

/**
 * Sync `count` files, each by a thread of its own; all were tried when this
 * returns. A sync that fails is final: the files are to be given up.
 * Errors: FS_ERR_IO, names the file.
 * Cost:   `count` fsync, at the same time.
 */
fs_error_t *fs_sync_round(const fs_sync_file_t *files, int count) FS_MUST_CHECK;

/**
 * The same for folders. Those of one file system are synced by one flush of it
 * (Linux) if little is waiting to be written in the whole system, so that this
 * does not wait for others' files.
 */
fs_error_t *fs_sync_round_folders(const fs_sync_file_t *folders,
                                  int count) FS_MUST_CHECK;

/**
 * Flush the file system of the open `fd` once, for who has changed many files
 * on it. `*done` is false, and nothing happened, where this is not to be had or
 * would wait for others' files.
 * Errors: FS_ERR_IO.
 */
fs_error_t *fs_sync_round_flush(bool *done, int fd,
                                const char *name) FS_MUST_CHECK;

#endif
