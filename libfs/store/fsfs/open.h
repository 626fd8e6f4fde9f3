/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an FSFS repository: its formats, its options, its identity. */

#ifndef LIBFS_STORE_FSFS_OPEN_H
#define LIBFS_STORE_FSFS_OPEN_H

#include "libfs/store/fsfs/handle.h"

/** Options that this store knows; ends with a NULL name. */
extern const fs_option_t fs_open_options[];

/** See check_options() of the store. */
fs_error_t *fs_open_check_options(apr_hash_t *options,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Make settings in `fsfs`, of which only `format` is filled, of `options` and
 * defaults: for a repository that is yet to be made.
 * Errors: FS_ERR_BAD_ARGS, as above.
 */
fs_error_t *fs_open_settings(fs_fsfs_t *fsfs, apr_hash_t *options,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Whether the folder `path` holds an FSFS repository.
 * Errors: FS_ERR_UNSUPPORTED_REPO, it holds one of another kind, named.
 */
fs_error_t *fs_open_probe(bool *mine, const char *path,
                          apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Open; lives in `result`, all but the vtable is filled. Errors as
 * fs_repo_open(); FS_ERR_BAD_ARGS, the value of an option, named.
 */
fs_error_t *fs_open(fs_fsfs_t **out, const char *path, apr_hash_t *options,
                    cache_t *cache, apr_pool_t *result) FS_MUST_CHECK;

#endif
