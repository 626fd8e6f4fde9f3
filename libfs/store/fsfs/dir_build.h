/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the pages of a directory from its stored text; layout: dir_pages.h. */

#ifndef LIBFS_STORE_FSFS_DIR_BUILD_H
#define LIBFS_STORE_FSFS_DIR_BUILD_H

#include "libfs/store/fsfs/handle.h"

/** Bytes in front of the offsets, of a leaf's entry before its name, and of an
 *  inner page's. */
#define FS_DIR_BUILD_HEAD_LEN 12
#define FS_DIR_BUILD_LEAF_LEN 20
#define FS_DIR_BUILD_INNER_LEN 4

/** Bytes of a page at most, unless a single name is longer. */
#define FS_DIR_BUILD_PAGE_SIZE 8000

/** Longest text of a directory that is read, in bytes. */
#define FS_DIR_BUILD_TEXT_MAX ((apr_size_t)1 << 30)

/** All pages of a directory by their numbers. */
typedef struct fs_dir_build_t {
    fs_bytes_t *pages;
    apr_uint32_t count;
} fs_dir_build_t;

/**
 * Read, check and cut up the directory `content`; lives in `result`.
 * Errors: FS_ERR_CORRUPT.
 * Cost:   one pass over the text; the text and the pages in memory.
 */
fs_error_t *fs_dir_build(fs_dir_build_t **out, fs_fsfs_t *fsfs,
                         const fs_content_t *content,
                         apr_pool_t *result) FS_MUST_CHECK;

#endif
