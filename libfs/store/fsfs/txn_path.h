/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical paths inside a transaction ("/", "/a/b"), taken apart. */

#ifndef LIBFS_STORE_FSFS_TXN_PATH_H
#define LIBFS_STORE_FSFS_TXN_PATH_H

#include <string.h>

#include <apr_strings.h>

/** The next name of `*path`, NULL at its end; `*path` moves behind it. */
static inline const char *fs_txn_path_next(const char **path,
                                           apr_pool_t *result)
{
    const char *begin = *path;
    apr_size_t len;

    while (*begin == '/')
        begin++;
    len = strcspn(begin, "/");
    *path = begin + len;
    return len ? apr_pstrmemdup(result, begin, len) : NULL;
}

/** The directory of `path`, and the last name; NULL for "/". */
static inline const char *fs_txn_path_split(const char **name, const char *path,
                                            apr_pool_t *result)
{
    const char *slash = strrchr(path, '/');

    if (!slash || !slash[1])
        return NULL;
    *name = slash + 1;
    return slash == path
               ? "/"
               : apr_pstrmemdup(result, path, (apr_size_t)(slash - path));
}

/** A name in a directory. */
static inline const char *fs_txn_path_join(const char *dir, const char *name,
                                           apr_pool_t *result)
{
    return apr_pstrcat(result, dir[1] ? dir : "", "/", name, (char *)NULL);
}

#endif
