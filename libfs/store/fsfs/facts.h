/* SPDX-License-Identifier: Apache-2.0 */
/* What people want to know of an FSFS repository. */

#ifndef LIBFS_STORE_FSFS_FACTS_H
#define LIBFS_STORE_FSFS_FACTS_H

#include "libfs/store/fsfs/handle.h"

/** See facts() of the store. */
fs_error_t *fs_facts_list(apr_array_header_t **facts, fs_fsfs_t *fsfs,
                          apr_pool_t *result) FS_MUST_CHECK;

#endif
