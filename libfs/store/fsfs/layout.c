/* SPDX-License-Identifier: Apache-2.0 */
/* Which file holds what of a revision. */

#include "libfs/store/fsfs/layout.h"

#include <apr_strings.h>

static const char *loose(const fs_fsfs_t *fsfs, const char *folder,
                         fs_rev_t rev, apr_pool_t *result)
{
    if (!fsfs->format.shard_size)
        return apr_psprintf(result, "%s/%" FS_REV_FMT, folder, rev);
    return apr_psprintf(result, "%s/%" APR_UINT64_T_FMT "/%" FS_REV_FMT, folder,
                        fs_layout_shard(fsfs, rev), rev);
}

static const char *packed(const fs_fsfs_t *fsfs, const char *folder,
                          fs_rev_t rev, const char *name, apr_pool_t *result)
{
    return apr_psprintf(result, "%s/%" APR_UINT64_T_FMT ".pack/%s", folder,
                        fs_layout_shard(fsfs, rev), name);
}

const char *fs_layout_rev_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                               apr_pool_t *result)
{
    return loose(fsfs, "revs", rev, result);
}

const char *fs_layout_revprops_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                    apr_pool_t *result)
{
    return loose(fsfs, "revprops", rev, result);
}

const char *fs_layout_pack_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                const char *name, apr_pool_t *result)
{
    return packed(fsfs, "revs", rev, name, result);
}

const char *fs_layout_revprops_pack_path(const fs_fsfs_t *fsfs, fs_rev_t rev,
                                         const char *name, apr_pool_t *result)
{
    return packed(fsfs, "revprops", rev, name, result);
}

bool fs_layout_revprops_packed(const fs_fsfs_t *fsfs, fs_rev_t rev,
                               fs_rev_t min_unpacked)
{
    return fsfs->format.format >= FS_FORMAT_PACK_REVPROPS && rev > 0 &&
           rev < min_unpacked;
}
