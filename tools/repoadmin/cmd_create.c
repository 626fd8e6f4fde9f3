/* SPDX-License-Identifier: Apache-2.0 */
/* repoadmin create */

#include "tools/repoadmin/repoadmin.h"

#include <string.h>

fs_error_t *admin_cmd_create(const admin_args_t *args)
{
    const char *path = APR_ARRAY_IDX(args->words, 0, const char *);

    if (args->fs_type && strcmp(args->fs_type, "fsfs") != 0)
        return FS_ERROR(FS_ERR_UNSUPPORTED_REPO,
                        "the filesystem type '%s' is not supported, 'fsfs' is",
                        args->fs_type);
    return fs_repo_create(path, args->create, args->pool);
}
