/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a repository.
 * Source: docs/format/format-file.md, docs/format/revision-file.md.
 */

#ifndef LIBFS_STORE_FSFS_CREATE_H
#define LIBFS_STORE_FSFS_CREATE_H

#include <apr_hash.h>

#include "libfs/format/format_file.h"

/** Formats of a repository. */
typedef struct fs_create_format_t {
    int repository;      /* 3 or 5 */
    fs_format_file_t fs; /* with layout and addressing */
    bool dav;            /* has a folder that old releases want */
} fs_create_format_t;

/**
 * What the options "compatible-version" and "shard-size" (table or NULL) stand
 * for; others are not looked at.
 * Errors: FS_ERR_BAD_ARGS, names the option, its value and what is allowed.
 */
fs_error_t *fs_create_format(fs_create_format_t *out,
                             apr_hash_t *options) FS_MUST_CHECK;

/** See create() of the store. */
fs_error_t *fs_create(const char *path, apr_hash_t *options,
                      apr_pool_t *scratch) FS_MUST_CHECK;

#endif
