/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that need nothing but an open store. */

#include "libfs/store/fsfs/handle.h"

#include <string.h>

cache_key_t fs_handle_key(const fs_fsfs_t *fsfs, cache_kind_t kind,
                          fs_rev_t rev, apr_uint64_t item)
{
    cache_key_t key = { .kind = kind, .rev = rev, .item = item };

    memcpy(key.space, fsfs->instance, sizeof(key.space));
    return key;
}

void fs_handle_pack_id(unsigned char id[16], fs_rev_t rev, apr_uint64_t item)
{
    memcpy(id, &rev, 8);
    memcpy(id + 8, &item, 8);
}

void fs_handle_unpack_id(const unsigned char id[16], fs_rev_t *rev,
                         apr_uint64_t *item)
{
    memcpy(rev, id, 8);
    memcpy(item, id + 8, 8);
}
