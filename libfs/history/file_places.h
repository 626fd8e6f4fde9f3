/* SPDX-License-Identifier: Apache-2.0 */
/* Where the text of a file came from: its locations, and merged ones. */

#ifndef LIBFS_HISTORY_FILE_PLACES_H
#define LIBFS_HISTORY_FILE_PLACES_H

#include "libfs/fs_history.h"

/** A location in which the file changed. */
typedef struct fs_file_place_t {
    const char *path;
    fs_rev_t rev;
    fs_node_id_t id; /* of the file there */
    bool merged;     /* came by a merge, not by the file's own history */
} fs_file_place_t;

/** How far to look. */
typedef struct fs_file_range_t {
    fs_rev_t start; /* the first location at or below it is the last one */
    fs_rev_t end;   /* in which the path is looked up */
} fs_file_range_t;

/**
 * The locations of `path`, youngest first, across copies; none behind an
 * unreadable one.
 *
 * @param places  array of fs_file_place_t
 * Memory: a few words a location.
 */
fs_error_t *fs_file_places_own(apr_array_header_t **places, fs_repo_t *repo,
                               const char *path, const fs_file_range_t *range,
                               const fs_reader_t *reader, apr_pool_t *result,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Append to `own` the locations that were merged into it, and into those, and
 * sort all by revision, oldest first, the file's own before merged ones.
 *
 * @param own    as fs_file_places_own() made it
 * @param start  merged ranges that end below it do not count
 * Cost: the changed paths of each location's revision.
 */
fs_error_t *fs_file_places_add_merged(apr_array_header_t *own, fs_repo_t *repo,
                                      fs_rev_t start, const fs_reader_t *reader,
                                      apr_pool_t *result,
                                      apr_pool_t *scratch) FS_MUST_CHECK;

#endif
