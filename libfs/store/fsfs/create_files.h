/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a new repository is furnished with for its administrator: explanations,
 * configuration files without a setting, samples of hooks. Nothing in the
 * filesystem depends on any of it.
 */

#ifndef LIBFS_STORE_FSFS_CREATE_FILES_H
#define LIBFS_STORE_FSFS_CREATE_FILES_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "libfs/fs_types.h"

/** A file of a new repository. */
typedef struct fs_create_file_t {
    const char *path; /* in the repository's folder */
    const char *text;
    bool program; /* may be run */
} fs_create_file_t;

/** All files outside of db/, in `result`: array of fs_create_file_t. */
apr_array_header_t *fs_create_files(apr_pool_t *result);

/** db/fsfs.conf: explains every option; those in `options` (names to values,
 *  or NULL) are set. Lives in `result`. */
const char *fs_create_files_conf(apr_hash_t *options, apr_pool_t *result);

#endif
