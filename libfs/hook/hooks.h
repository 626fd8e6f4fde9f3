/* SPDX-License-Identifier: Apache-2.0 */
/* The nine hooks: which there are, their run, and what people are told. */

#ifndef LIBFS_HOOK_HOOKS_H
#define LIBFS_HOOK_HOOKS_H

#include "libfs/fs_hook.h"
#include "libfs/hook/env.h"

typedef enum fs_hook_id_t {
    FS_HOOK_START_COMMIT,
    FS_HOOK_PRE_COMMIT,
    FS_HOOK_POST_COMMIT,
    FS_HOOK_PRE_REVPROP_CHANGE,
    FS_HOOK_POST_REVPROP_CHANGE,
    FS_HOOK_PRE_LOCK,
    FS_HOOK_POST_LOCK,
    FS_HOOK_PRE_UNLOCK,
    FS_HOOK_POST_UNLOCK,
    FS_HOOK_COUNT
} fs_hook_id_t;

/** The most arguments after the repository's path. */
#define FS_HOOK_ARGS_MAX 5

/** The hooks of a repository, for one operation. Belongs to one thread. */
typedef struct fs_hooks_t {
    const char *folder; /* of the repository: absolute, no '/' at its end */
    fs_hook_config_t config;
    const fs_env_t *env; /* NULL: not read yet */
    apr_pool_t *pool;
} fs_hooks_t;

/** Prepare; nothing is looked at. `config` NULL: the defaults.
 *  Errors: FS_ERR_IO. */
fs_error_t *fs_hooks_init(fs_hooks_t *hooks, fs_repo_t *repo,
                          const fs_hook_config_t *config,
                          apr_pool_t *result) FS_MUST_CHECK;

/**
 * Is there such a hook? If so, the file of the environment is read, once an
 * operation, so that a fault of it shows before anything was done.
 *
 * Errors: FS_ERR_HOOK_FAILED, it is a link to nowhere; FS_ERR_BAD_CONFIG;
 *         FS_ERR_IO.
 * Cost:   one lstat without the hook.
 */
fs_error_t *fs_hooks_find(bool *found, fs_hooks_t *hooks,
                          fs_hook_id_t id) FS_MUST_CHECK;

/**
 * Run a hook that fs_hooks_find() found.
 *
 * @param args    at most FS_HOOK_ARGS_MAX, then NULL; what follows the path
 * @param input   what it may read; NULL: nothing
 * @param output  becomes what it printed; NULL: that is dropped
 *
 * Errors: FS_ERR_HOOK_FAILED, it did not end with code 0: the message is for
 *         whom it concerns, with what the hook wrote to standard error: valid
 *         UTF-8 that XML can hold, odd bytes written as "?\233"; FS_ERR_IO.
 */
fs_error_t *fs_hooks_run(fs_hooks_t *hooks, fs_hook_id_t id,
                         const char *const *args, const fs_bytes_t *input,
                         fs_bytes_t *output) FS_MUST_CHECK;

/** A failure of a hook that came too late to refuse anything, as text that
 *  clients may see; NULL if `err` is. Clears `err`. */
const char *fs_hooks_late(fs_error_t *err, fs_hook_id_t id, apr_pool_t *result);

#endif
