/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding single windows as svndiff, for who has windows one by one.
 * Source: docs/format/svndiff.md.
 */

#ifndef LIBFS_DELTA_SVNDIFF_WRITE_H
#define LIBFS_DELTA_SVNDIFF_WRITE_H

#include "libfs/fs_delta.h"

/** Memory that encoding uses again for each window; belongs to one thread. */
typedef struct fs_svndiff_encoder_t fs_svndiff_encoder_t;

/** What an encoded window consists of: head with instructions, new data. */
#define FS_SVNDIFF_PARTS 2

/**
 * Make an encoder for `version` (0, 1: zlib, 2: LZ4).
 * @param level  zlib level 0 to 9 for version 1; 0 stores. Ignored else.
 */
fs_svndiff_encoder_t *fs_svndiff_encoder_create(int version, int level,
                                                apr_pool_t *result);

/** What comes before the first window: "SVN" and the version. */
void fs_svndiff_write_magic(char magic[4], int version);

/**
 * Encode `window`: the bytes of both parts, one after the other.
 *
 * @param parts  valid until the next call; new data that is stored as it is
 *               stays where the window has it
 *
 * Errors: FS_ERR_GENERAL, FS_ERR_IO, out of memory.
 * Cost:   a pass over the new data. Of data that did not get smaller before,
 *         only a sample is compressed by zlib to see whether that changed.
 */
fs_error_t *fs_svndiff_encode_window(
    fs_bytes_t parts[FS_SVNDIFF_PARTS], fs_svndiff_encoder_t *encoder,
    const fs_delta_window_t *window) FS_MUST_CHECK;

#endif
