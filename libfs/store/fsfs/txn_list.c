/* SPDX-License-Identifier: Apache-2.0 */
/* Names of open transactions: the folders db/transactions/<name>.txn. */

#include "libfs/store/fsfs/txn_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#define FOLDER "transactions"
#define SUFFIX ".txn"
#define SUFFIX_LEN 4

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

fs_error_t *fs_txn_list(apr_array_header_t **names, fs_fsfs_t *fsfs,
                        apr_pool_t *result)
{
    const struct dirent *entry;
    DIR *folder = NULL;
    int status;
    int fd;

    *names = apr_array_make(result, 4, sizeof(const char *));
    fd = openat(fsfs->folder, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return NULL;
    if (fd >= 0)
        folder = fdopendir(fd);
    if (!folder) {
        status = errno;
        if (fd >= 0)
            (void)close(fd);
        return FS_ERROR_APR(status, "cannot open '%s'", FOLDER);
    }
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
        return FS_ERROR_APR(status, "cannot read '%s'", FOLDER);
    qsort((*names)->elts, (apr_size_t)(*names)->nelts, sizeof(const char *),
          compare);
    return NULL;
}
