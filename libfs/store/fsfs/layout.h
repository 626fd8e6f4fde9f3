/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file holds what of revision r; s is r / shard size:
 *
 *                  linear        sharded          packed
 *     revision     revs/r        revs/s/r         revs/s.pack/pack
 *     properties   revprops/r    revprops/s/r     revprops/s.pack/...
 *
 * Source: docs/format/format-file.md, "Formats".
 */

#ifndef LIBFS_STORE_FSFS_LAYOUT_H
#define LIBFS_STORE_FSFS_LAYOUT_H

#include "libfs/store/fsfs/handle.h"

/** File of revision `rev` that is not packed, in `result`; as all names here it
 *  is relative to db/. */
const char *fs_layout_rev_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                               apr_pool_t *result);

/** Properties of `rev` that are not packed. */
const char *fs_layout_revprops_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                    apr_pool_t *result);

/** A file `name` ("pack", "manifest") of the packed shard of `rev`. */
const char *fs_layout_pack_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                const char *name, apr_pool_t *result);

/** A file `name` of the packed properties of the shard of `rev`. */
const char *fs_layout_revprops_pack_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                         const char *name, apr_pool_t *result);

/** Number of the shard of `rev`; layout must be sharded. */
static inline apr_uint64_t fs_layout_shard(const fs_fsfs_t *fsfs, fs_rev_t rev)
{
    return (apr_uint64_t)rev / fsfs->format.shard_size;
}

/** Whether properties of `rev` are in a pack when revisions below
 *  `min_unpacked` are. */
bool fs_layout_revprops_packed(const fs_fsfs_t *fsfs, fs_rev_t rev,
                               fs_rev_t min_unpacked);

#endif
