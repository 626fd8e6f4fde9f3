/* SPDX-License-Identifier: Apache-2.0 */
/* Mergeinfo cut into the searches that a log makes for it. */

#ifndef LIBFS_HISTORY_LOG_PIECES_H
#define LIBFS_HISTORY_LOG_PIECES_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "libfs/fs_types.h"

/** Paths whose history is to be searched together. */
typedef struct fs_log_piece_t {
    fs_rev_t first; /* both inclusive */
    fs_rev_t last;
    apr_array_header_t *paths; /* `const char *`, by bytes */
    bool subtractive;          /* comes from mergeinfo taken away */
} fs_log_piece_t;

/** Reading position among the pieces of two mergeinfos. */
typedef struct fs_log_pieces_t fs_log_pieces_t;

/**
 * Begin to cut `added` and `deleted`, each so that a piece has one set of
 * paths. Shares their paths.
 * Cost: sorting the ranges.
 */
fs_log_pieces_t *fs_log_pieces_open(apr_hash_t *added, apr_hash_t *deleted,
                                    apr_pool_t *result);

/**
 * The next piece, from the highest first (then last) revision down, what was
 * taken away before what was added; NULL at the end. Lives in `result`, but
 * for the paths' bytes.
 */
fs_log_piece_t *fs_log_pieces_next(fs_log_pieces_t *pieces, apr_pool_t *result);

#endif
