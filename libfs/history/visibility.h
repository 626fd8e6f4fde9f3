/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the access function, about paths and about changes. */

#ifndef LIBFS_HISTORY_VISIBILITY_H
#define LIBFS_HISTORY_VISIBILITY_H

#include "libfs/fs_history.h"
#include "libfs/tree/reader.h"

/** Whether there is somebody to ask; false: everything is readable. */
static inline bool fs_reader_asks(const fs_reader_t *reader)
{
    return reader && reader->may_read;
}

/**
 * What of a change in `rev` may be shown: the path by itself (a deleted one
 * too), and the exact copy source in its own revision (true if there is none).
 */
fs_error_t *fs_visibility_change(bool *path_ok, bool *copyfrom_ok,
                                 const fs_change_t *change, fs_rev_t rev,
                                 const fs_reader_t *reader,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** As fs_rev_visibility(), of a revision that is known to exist. */
fs_error_t *fs_visibility_known(fs_visibility_t *visibility, fs_repo_t *repo,
                                fs_rev_t rev, const fs_reader_t *reader,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** Whether the revision property `name` may be shown. */
bool fs_visibility_shows(fs_visibility_t visibility, const char *name);

#endif
