/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of revision files, a small number of them for the whole process: what
 * lies beside a wanted item needs no further system call.
 */

#ifndef LIBFS_STORE_FSFS_BLOCK_H
#define LIBFS_STORE_FSFS_BLOCK_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Most bytes of a block; of packs, where much of what lies beside an item is
 *  wanted too. */
#define FS_BLOCK_SIZE 16384

/** Bytes of a block of a file with one revision. */
#define FS_BLOCK_SIZE_LOOSE 4096

/** An immutable file; the caller's as long as it is read from. */
typedef struct fs_block_file_t {
    int fd;
    apr_uint64_t number; /* from fs_block_new_file() */
    apr_uint64_t size;   /* bytes */
    apr_size_t unit;     /* bytes of its blocks; reads begin at multiples */
    const char *name;    /* what an FS_ERR_IO calls it */
} fs_block_file_t;

/** A new number that stands for one open file in fs_block_read(). */
apr_uint64_t fs_block_new_file(void);

/**
 * Read exactly `len` bytes at `offset`.
 *
 * Errors:  FS_ERR_CORRUPT, the file ends before; FS_ERR_IO.
 * Threads: any.
 * Cost:    no system call if the block is there; else one. What is longer than
 *          a block is read around the blocks.
 */
fs_error_t *fs_block_read(const fs_block_file_t *file, apr_uint64_t offset,
                          char *buf, apr_size_t len) FS_MUST_CHECK;

#endif
