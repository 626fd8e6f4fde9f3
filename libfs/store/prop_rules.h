/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which properties may be set, and to what, whoever sets them:
 *
 *     svn:wc:*, svn:entry:*   never: clients keep them for themselves
 *     other svn:*             UTF-8, lines that end with LF
 *     svn:date                a date as well
 *
 * Everything else may have any bytes; deleting is always allowed. Observed
 * behaviour of the stock tools.
 */

#ifndef LIBFS_STORE_PROP_RULES_H
#define LIBFS_STORE_PROP_RULES_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/**
 * May the property `name` be set to `value` (NULL: deleted)?
 * Errors: FS_ERR_BAD_ARGS, the name; FS_ERR_BAD_PROPERTY_VALUE, the value:
 *         with FS_ERR_BAD_LINE_ENDING or FS_ERR_BAD_DATE below it.
 */
fs_error_t *fs_prop_rules_check(const char *name,
                                const fs_bytes_t *value) FS_MUST_CHECK;

#endif
