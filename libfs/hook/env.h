/* SPDX-License-Identifier: Apache-2.0 */
/* The file that says what environment hooks get. */

#ifndef LIBFS_HOOK_ENV_H
#define LIBFS_HOOK_ENV_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** The contents of such a file. */
typedef struct fs_env_t fs_env_t;

/**
 * Take the text of a file. A section is a hook's name, or "default"; an option
 * is a variable. Names count with their case. "%(NAME)s" in a value stands for
 * that variable of the same section.
 * Errors: FS_ERR_BAD_CONFIG, with the line's number.
 */
fs_error_t *fs_env_parse(fs_env_t **env, fs_bytes_t text,
                         apr_pool_t *result) FS_MUST_CHECK;

/**
 * Read a file; a missing one is an empty one. At most 1 MiB.
 * Errors: as fs_env_parse(); FS_ERR_BAD_CONFIG, it is too long; FS_ERR_IO.
 * Cost:   an open; a read.
 */
fs_error_t *fs_env_read(fs_env_t **env, const char *path,
                        apr_pool_t *result) FS_MUST_CHECK;

/**
 * The environment of one hook: "NAME=value" ..., NULL. A hook with a section
 * of its own gets nothing of "default".
 * Errors: FS_ERR_BAD_CONFIG, values refer to others until they are too long.
 * Source: observed behaviour of the stock server.
 */
fs_error_t *fs_env_of_hook(const char *const **vector, const fs_env_t *env,
                           const char *hook, apr_pool_t *result) FS_MUST_CHECK;

#endif
