/* SPDX-License-Identifier: Apache-2.0 */
/* Reads everything that a store has, for tests of stores. */

#ifndef TESTS_SUPPORT_STORE_WALK_H
#define TESTS_SUPPORT_STORE_WALK_H

#include "libfs/store/store.h"

/** What a walk came across. */
typedef struct store_walk_t {
    apr_uint64_t revisions;
    apr_uint64_t directories; /* seen for the first time */
    apr_uint64_t files;       /* seen for the first time */
    apr_uint64_t entries;
    apr_uint64_t bytes; /* of texts */
    apr_uint64_t props;
    apr_uint64_t changes;
    apr_uint64_t revprops;
} store_walk_t;

/**
 * Read all revisions of `repo`: root, every node not seen before with its
 * properties and its text to the end, changed paths and revision properties.
 * Each entry of a directory is looked up by its name as well.
 */
fs_error_t *store_walk_all(store_walk_t *walk, fs_repo_t *repo,
                           apr_pool_t *pool) FS_MUST_CHECK;

/**
 * The tree of `rev` as lines "<md5 or ->  <path>\n", paths as `svnlook tree
 * --full-paths` writes them, directories with a slash behind.
 */
fs_error_t *store_walk_list(const char **text, fs_repo_t *repo, fs_rev_t rev,
                            apr_pool_t *pool) FS_MUST_CHECK;

#endif
