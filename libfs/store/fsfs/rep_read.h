/* SPDX-License-Identifier: Apache-2.0 */
/* Contents: whole or as streams, checked against their digest, cached. */

#ifndef LIBFS_STORE_FSFS_REP_READ_H
#define LIBFS_STORE_FSFS_REP_READ_H

#include "libfs/fs_stream.h"
#include "libfs/store/fsfs/handle.h"
#include "libfs/store/fsfs/rep_chain.h"

/** Texts up to this size, in bytes, are kept in the cache: each version of a
 *  file is the base of others, also where the file is long. */
#define FS_REP_READ_CACHE_MAX (256 * 1024)

/** Property lists up to this size are: many requests read those of a root with
 *  long mergeinfo, and its chain of deltas is as long as its history. */
#define FS_REP_READ_PROPS_CACHE_MAX (1024 * 1024)

/** Where the representation of `content`, which is present, is stored. */
fs_rep_place_t fs_rep_read_place(const fs_content_t *content);

/**
 * Read all of a content into `result`; the digest is checked. A content that
 * is not present is empty. A NUL follows the bytes.
 *
 * @param kind   under which it is looked for and kept if it is small;
 *               CACHE_KIND_COUNT: it is not cached
 * @param limit  most bytes that make sense
 *
 * Errors: FS_ERR_CORRUPT, also for more than `limit` bytes.
 */
fs_error_t *fs_rep_read_all(fs_bytes_t *out, fs_fsfs_t *fsfs,
                            const fs_content_t *content, cache_kind_t kind,
                            apr_size_t limit, apr_pool_t *result) FS_MUST_CHECK;

/** See open_content() of the store. */
fs_error_t *fs_rep_read_stream(fs_stream_t **stream, fs_fsfs_t *fsfs,
                               const fs_content_t *content, apr_uint64_t offset,
                               apr_pool_t *result) FS_MUST_CHECK;

/** See open_stored_delta() of the store. */
fs_error_t *fs_rep_read_stored_delta(fs_stored_delta_t **delta, fs_fsfs_t *fsfs,
                                     const fs_content_t *base,
                                     const fs_content_t *content,
                                     unsigned int versions,
                                     apr_pool_t *result) FS_MUST_CHECK;

#endif
