/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of revision files, a small number of them for the whole process: what
 * lies beside a wanted item needs no further system call.
 */

#ifndef LIBFS_STORE_FSFS_BLOCK_H
#define LIBFS_STORE_FSFS_BLOCK_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Bytes of a block; reads begin at multiples of it. */
#define FS_BLOCK_SIZE 16384

/** A new number that stands for one open file in fs_block_read(). */
apr_uint64_t fs_block_new_file(void);

/**
 * Read exactly `len` bytes at `offset` of an immutable file.
 *
 * @param file  number from fs_block_new_file()
 * @param size  of the file, in bytes
 * @param name  what an FS_ERR_IO calls the file
 *
 * Errors:  FS_ERR_CORRUPT, the file ends before; FS_ERR_IO.
 * Threads: any.
 * Cost:    no system call if the block is there; else one. Longer reads go
 *          around the blocks.
 */
fs_error_t *fs_block_read(int fd, apr_uint64_t file, apr_uint64_t size,
                          const char *name, apr_uint64_t offset, char *buf,
                          apr_size_t len) FS_MUST_CHECK;

#endif
