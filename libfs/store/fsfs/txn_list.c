/* SPDX-License-Identifier: Apache-2.0 */
/* Names of open transactions: the folders db/transactions/<name>.txn. */

#include "libfs/store/fsfs/txn_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#define SUFFIX ".txn"
#define SUFFIX_LEN 4

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

fs_error_t *fs_txn_list(apr_array_header_t **names, fs_fsfs_t *fsfs,
                        apr_pool_t *result)
{
    const char *path = fs_handle_db_path(fsfs, "transactions", result);
    const struct dirent *entry;
    DIR *folder;
    int status;

    *names = apr_array_make(result, 4, sizeof(const char *));
    folder = opendir(path);
    if (!folder && errno == ENOENT)
        return NULL;
    if (!folder)
        return FS_ERROR_APR(errno, "cannot open '%s'", path);
    /* The stream is of this call alone, so readdir() is safe with threads. */
    for (errno = 0; (entry = readdir(folder)); errno = 0) {
        apr_size_t len = strlen(entry->d_name);

        if (len > SUFFIX_LEN &&
            !strcmp(entry->d_name + len - SUFFIX_LEN, SUFFIX))
            APR_ARRAY_PUSH(*names, const char *) =
                apr_pstrmemdup(result, entry->d_name, len - SUFFIX_LEN);
    }
    status = errno;
    (void)closedir(folder);
    if (status)
        return FS_ERROR_APR(status, "cannot read '%s'", path);
    qsort((*names)->elts, (apr_size_t)(*names)->nelts, sizeof(const char *),
          compare);
    return NULL;
}
