/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a new representation is a delta against: the skip-delta rule, which
 * keeps chains short however long a history is, with deltas against the
 * version before where that makes them no longer.
 * Source: docs/format/svndiff.md, "In revision files".
 */

#ifndef LIBFS_STORE_FSFS_REP_BASE_H
#define LIBFS_STORE_FSFS_REP_BASE_H

#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/handle.h"

/**
 * Choose a base for the text (`of_props`: the property list) of `node`, which
 * has its count and, if that is not 0, a committed predecessor. `*has_base` is
 * false if it is to be a delta against nothing.
 *
 * @param youngest  the youngest revision: histories are not to be spread over
 *                  many shards, seen from there
 *
 * Errors: FS_ERR_CORRUPT, a record or representation that leads to the base
 *         is damaged; FS_ERR_IO.
 * Cost:   cached records of as many predecessors as are passed over, up to
 *         the option max-deltification-walk; headers of the representations
 *         that the base is a delta against, of which those seen before are
 *         kept in the cache.
 */
fs_error_t *fs_rep_base_choose(bool *has_base, fs_rep_t *base, fs_fsfs_t *fsfs,
                               const fs_node_rev_t *node, bool of_props,
                               fs_rev_t youngest,
                               apr_pool_t *scratch) FS_MUST_CHECK;

#endif
