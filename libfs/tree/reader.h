/* SPDX-License-Identifier: Apache-2.0 */
/* Asking whether a reader may see a path. */

#ifndef LIBFS_TREE_READER_H
#define LIBFS_TREE_READER_H

#include "libfs/fs_tree.h"

/** May `reader` (NULL: anybody) read `path` in `rev`? */
static inline fs_error_t *FS_MUST_CHECK
fs_reader_may_read(bool *allowed, const fs_reader_t *reader, fs_rev_t rev,
                   const char *path, apr_pool_t *scratch)
{
    if (reader && reader->may_read)
        return reader->may_read(allowed, rev, path, reader->baton, scratch);
    *allowed = true;
    return NULL;
}

#endif
