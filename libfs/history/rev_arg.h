/* SPDX-License-Identifier: Apache-2.0 */
/* Revisions as callers give them. */

#ifndef LIBFS_HISTORY_REV_ARG_H
#define LIBFS_HISTORY_REV_ARG_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/**
 * Turn FS_INVALID_REV into `youngest`.
 * Errors: FS_ERR_NO_SUCH_REV, `*rev` is another negative number or above it.
 */
static inline fs_error_t *FS_MUST_CHECK fs_rev_arg_resolve(fs_rev_t *rev,
                                                           fs_rev_t youngest)
{
    if (*rev == FS_INVALID_REV)
        *rev = youngest;
    if (*rev < 0 || *rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "no such revision %" FS_REV_FMT
                        "; the youngest is %" FS_REV_FMT,
                        *rev, youngest);
    return NULL;
}

#endif
