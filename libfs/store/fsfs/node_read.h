/* SPDX-License-Identifier: Apache-2.0 */
/* Roots and node records, through the cache. */

#ifndef LIBFS_STORE_FSFS_NODE_READ_H
#define LIBFS_STORE_FSFS_NODE_READ_H

#include "libfs/format/node_rev.h"
#include "libfs/format/rev_footer.h"
#include "libfs/store/fsfs/handle.h"

/** Item addresses of root record and changed paths of `rev`. Cost: cached, no
 *  system call. Errors: FS_ERR_NO_SUCH_REV; FS_ERR_CORRUPT. */
fs_error_t *fs_node_read_trailer(fs_rev_trailer_t *out, fs_fsfs_t *fsfs,
                                 fs_rev_t rev,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** See root_id() of the store. */
fs_error_t *fs_node_read_root_id(fs_node_id_t *id, fs_fsfs_t *fsfs,
                                 fs_rev_t rev,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** See node() of the store. */
fs_error_t *fs_node_read(const fs_node_record_t **record, fs_fsfs_t *fsfs,
                         const fs_node_id_t *id, apr_pool_t *result,
                         apr_pool_t *scratch) FS_MUST_CHECK;

/** Read a record with all that is in it, for who writes its successor. Cost:
 *  not cached. Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_node_read_whole(fs_node_rev_t *out, fs_fsfs_t *fsfs,
                               fs_rev_t rev, apr_uint64_t number,
                               apr_pool_t *result,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** What a record says about a representation, as readers know it. */
void fs_node_read_content(fs_content_t *out, const fs_rep_t *rep);

#endif
