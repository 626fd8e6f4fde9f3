/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A representation with those it is a delta against, read window by window:
 * window k of the text needs window k of each link, from the top down to the
 * first that refers to nothing below.
 * Source: docs/format/svndiff.md, "In revision files".
 */

#ifndef LIBFS_STORE_FSFS_REP_CHAIN_H
#define LIBFS_STORE_FSFS_REP_CHAIN_H

#include "libfs/format/rep_header.h"
#include "libfs/fs_delta.h"
#include "libfs/store/fsfs/item.h"

/** Most links that are followed: a longer chain goes round in circles. */
#define FS_REP_CHAIN_MAX 65536

typedef struct fs_rep_chain_t fs_rep_chain_t;

/** Place of a representation. */
typedef struct fs_rep_place_t {
    fs_rev_t rev;
    apr_uint64_t item;
    apr_uint64_t length; /* stored bytes */
} fs_rep_place_t;

/**
 * Open the representation at `place`; bases are opened when they are needed.
 * Files are given back when `result` is cleared.
 * Threads: a chain belongs to one thread.
 */
fs_error_t *fs_rep_chain_open(fs_rep_chain_t **chain, fs_fsfs_t *fsfs,
                              const fs_rep_place_t *place,
                              apr_pool_t *result) FS_MUST_CHECK;

/** Give the files back early. */
void fs_rep_chain_close(fs_rep_chain_t *chain);

/** Header of the top representation. */
const fs_rep_header_t *fs_rep_chain_header(const fs_rep_chain_t *chain);

/**
 * Sum the stored bytes from now on, while they are read: before anything else.
 * `*summed` is false if that proves nothing: there is a base, whose bytes are
 * not all read, or the index has no sum.
 */
fs_error_t *fs_rep_chain_sum(bool *summed, fs_rep_chain_t *chain) FS_MUST_CHECK;

/** After all was read, without a skip: compare the sum with the index. */
fs_error_t *fs_rep_chain_sum_check(fs_rep_chain_t *chain) FS_MUST_CHECK;

/** What fs_rep_chain_next() did. */
typedef enum fs_rep_step_t {
    FS_REP_STEP_DATA,
    FS_REP_STEP_END,
    FS_REP_STEP_UNALIGNED /* windows of a base are not where this one's source
                             view is: decode with fs_rep_chain_general() */
} fs_rep_step_t;

/**
 * Produce the next bytes of the text.
 * @param len  room at `target`, then what came; a window that does not fit is
 *             FS_ERR_CORRUPT. FS_DELTA_WINDOW_MAX bytes always suffice.
 * Cost:   a read for each link that matters, no allocation after the first
 *         windows.
 */
fs_error_t *fs_rep_chain_next(fs_rep_step_t *step, char *target,
                              apr_size_t *len,
                              fs_rep_chain_t *chain) FS_MUST_CHECK;

/**
 * Pass over windows that end at or before `offset` bytes of the text, from
 * where the chain is. `*at` is the offset of the next byte then.
 * Cost: a read of a few bytes a window.
 */
fs_error_t *fs_rep_chain_skip(apr_uint64_t *at, fs_rep_chain_t *chain,
                              apr_uint64_t offset) FS_MUST_CHECK;

/** The stored bytes of a representation as they are; lives in `result`. */
fs_error_t *fs_rep_chain_raw(fs_stream_t **stream, fs_rep_header_t *header,
                             fs_fsfs_t *fsfs, const fs_rep_place_t *place,
                             apr_pool_t *result) FS_MUST_CHECK;

/** The text, decoded without any assumption on windows; more costly. */
fs_error_t *fs_rep_chain_general(fs_stream_t **stream, fs_fsfs_t *fsfs,
                                 const fs_rep_place_t *place,
                                 apr_pool_t *result) FS_MUST_CHECK;

#endif
