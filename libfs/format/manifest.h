/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each revision begins in the pack file of a physically addressed shard
 * (formats 4-8): one decimal offset a line, in order of revisions, the first
 * "0". Source: docs/format/packing.md.
 */

#ifndef LIBFS_FORMAT_MANIFEST_H
#define LIBFS_FORMAT_MANIFEST_H

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Longest manifest of `count` revisions, in bytes. */
#define FS_MANIFEST_SIZE(count) ((apr_uint64_t)(count)*21)

/**
 * Parse the manifest of `count` revisions into `offsets`, which has room for
 * them.
 * @param pack_len  bytes of the pack file; offsets must ascend below it
 * Errors: FS_ERR_CORRUPT; also for more or fewer lines.
 */
fs_error_t *fs_manifest_parse(apr_uint64_t *offsets, apr_size_t count,
                              const char *data, apr_size_t len,
                              apr_uint64_t pack_len) FS_MUST_CHECK;

/** Append the manifest of `count` revisions. */
void fs_manifest_format(fs_buffer_t *out, const apr_uint64_t *offsets,
                        apr_size_t count);

#endif
