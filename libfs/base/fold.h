/* SPDX-License-Identifier: Apache-2.0 */
/* Names without case and accents, and patterns that match them. */

#ifndef LIBFS_BASE_FOLD_H
#define LIBFS_BASE_FOLD_H

#include <apr_pools.h>

#include "libfs/fs_types.h"

/**
 * `name` with Unicode case folded and combining marks removed, characters
 * taken apart first ("Ärger" gives "arger"). Bytes that are no UTF-8 stay.
 * Lives in `result`; may be `name` itself.
 * Cost: one pass; a binary search a character beyond ASCII.
 */
const char *fs_fold_name(const char *name, apr_pool_t *result);

/**
 * Whether the folded `name` matches `pattern` ("*", "?", "[...]", "\" as in
 * fnmatch(); no special treatment of leading dots). The pattern is used as it
 * is.
 */
bool fs_fold_match(const char *pattern, const char *name, apr_pool_t *scratch);

#endif
