/* SPDX-License-Identifier: Apache-2.0 */
/* Small files read as a whole, and stamps that change with a file. */

#ifndef LIBFS_STORE_FSFS_DISK_FILE_H
#define LIBFS_STORE_FSFS_DISK_FILE_H

#include <apr_pools.h>
#include <apr_time.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/**
 * What tells one state of a file from another: writers replace files by
 * rename, so that a change brings another inode, or another time with it.
 */
typedef struct fs_stamp_t {
    apr_uint64_t dev;
    apr_uint64_t inode;
    apr_uint64_t size;    /* bytes */
    apr_int64_t mtime_ns; /* nanoseconds since the epoch */
    apr_int64_t ctime_ns; /* nanoseconds since the epoch */
} fs_stamp_t;

/** Whether both are the same state of the same file. */
bool fs_disk_file_same(const fs_stamp_t *a, const fs_stamp_t *b);

/** 64 bits that differ where stamps differ; part of cache keys. */
apr_uint64_t fs_disk_file_hash(const fs_stamp_t *stamp);

/**
 * Whether the file had been left alone for a second when it was looked at:
 * only then does an equal stamp prove equal bytes, as clocks of file systems
 * tick slowly.
 * @param looked  a time before the look; the present would be wrong, as a
 *                thread may stand still between look and question
 */
bool fs_disk_file_settled(const fs_stamp_t *stamp, apr_time_t looked);

/**
 * Stat `path`, taken from the open folder `folder` unless it is absolute.
 * `*exists` is false, and nothing set, if there is no file. Errors: FS_ERR_IO.
 */
fs_error_t *fs_disk_file_stat(fs_stamp_t *stamp, bool *exists, int folder,
                              const char *path) FS_MUST_CHECK;

/**
 * Read all of `path`, taken from the open folder `folder` unless it is
 * absolute, into `result`; `out->data` is NULL if there is no file, else a NUL
 * follows the bytes. `stamp` (may be NULL) is that of the very file that was
 * read.
 * @param limit  most bytes that make sense
 * Errors: FS_ERR_CORRUPT, it is longer; FS_ERR_IO.
 * Cost:   an open, a stat, a read, a close.
 */
fs_error_t *fs_disk_file_read(fs_bytes_t *out, fs_stamp_t *stamp, int folder,
                              const char *path, apr_size_t limit,
                              apr_pool_t *result) FS_MUST_CHECK;

/** Read `len` bytes at `offset`; `*len` is what there was before the end.
 *  `name` is what an error calls the file. */
fs_error_t *fs_disk_file_pread(int fd, apr_uint64_t offset, char *buf,
                               apr_size_t *len, const char *name) FS_MUST_CHECK;

#endif
