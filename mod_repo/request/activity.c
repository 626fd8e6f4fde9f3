/* SPDX-License-Identifier: Apache-2.0 */
/* Names that clients give to transactions, kept in files. */

#include "mod_repo/request/activity.h"

#include <string.h>

#include <apr_file_io.h>
#include <apr_file_info.h>
#include <apr_strings.h>

#include <util_md5.h>

/** Longest file that is read, in bytes: ids come from URLs and headers. */
#define FILE_MAX 16384

static const char *folder_of(const repo_request_t *request, apr_pool_t *result)
{
    const char *own = request->config->activities_db;

    if (!own)
        return apr_pstrcat(result, fs_repo_path(request->repo),
                           "/dav/activities.d", NULL);
    if (request->config->parent)
        return apr_pstrcat(result, own, "/", request->name, NULL);
    return own;
}

static const char *file_of(const repo_request_t *request, const char *id,
                           apr_pool_t *result)
{
    return apr_pstrcat(result, folder_of(request, result), "/",
                       ap_md5(result, (const unsigned char *)id), NULL);
}

/* All of a small file; NULL if there is none. */
static fs_error_t *read_file(const char **text, const char *path,
                             apr_pool_t *result)
{
    char *buf = apr_palloc(result, FILE_MAX + 1);
    apr_size_t len = 0;
    apr_file_t *file;
    apr_status_t status =
        apr_file_open(&file, path, APR_READ, APR_OS_DEFAULT, result);

    *text = NULL;
    if (APR_STATUS_IS_ENOENT(status) || APR_STATUS_IS_ENOTDIR(status))
        return NULL;
    if (status)
        return FS_ERROR_APR(status, "open activity '%s'", path);
    status = apr_file_read_full(file, buf, FILE_MAX, &len);
    (void)apr_file_close(file);
    if (status && !APR_STATUS_IS_EOF(status))
        return FS_ERROR_APR(status, "read activity '%s'", path);
    buf[len] = '\0';
    *text = buf;
    return NULL;
}

fs_error_t *repo_activity_get(const char **txn, const repo_request_t *request,
                              const char *id, apr_pool_t *result)
{
    const char *text, *end, *owner;

    *txn = NULL;
    FS_TRY(read_file(&text, file_of(request, id, result), result));
    if (!text)
        return NULL;
    end = strchr(text, '\n');
    owner = end ? end + 1 : NULL;
    if (!owner || strncmp(owner, id, strlen(id)) != 0 ||
        strcmp(owner + strlen(id), "\n") != 0)
        return FS_ERROR(FS_ERR_CORRUPT, "the file of activity '%s' is damaged",
                        id);
    *txn = apr_pstrmemdup(result, text, (apr_size_t)(end - text));
    return NULL;
}

/* Write beside it, then rename: nobody sees a part. */
static apr_status_t replace(const char *path, const char *text,
                            apr_pool_t *scratch)
{
    char *temp = apr_pstrcat(scratch, path, ".XXXXXX", NULL);
    apr_file_t *file;
    apr_status_t status = apr_file_mktemp(
        &file, temp, APR_CREATE | APR_WRITE | APR_EXCL, scratch);

    if (status)
        return status;
    status = apr_file_write_full(file, text, strlen(text), NULL);
    if (status)
        (void)apr_file_close(file);
    else
        status = apr_file_close(file);
    if (!status)
        (void)apr_file_perms_set(temp, APR_FPROT_UREAD | APR_FPROT_UWRITE |
                                           APR_FPROT_GREAD | APR_FPROT_WREAD);
    if (!status)
        status = apr_file_rename(temp, path, scratch);
    if (status)
        (void)apr_file_remove(temp, scratch);
    return status;
}

fs_error_t *repo_activity_put(const repo_request_t *request, const char *id,
                              const char *txn, apr_pool_t *scratch)
{
    const char *path = file_of(request, id, scratch);
    const char *text = apr_pstrcat(scratch, txn, "\n", id, "\n", NULL);
    apr_status_t status = replace(path, text, scratch);

    if (APR_STATUS_IS_ENOENT(status) || APR_STATUS_IS_ENOTDIR(status)) {
        const char *folder = folder_of(request, scratch);

        status = apr_dir_make_recursive(folder, APR_OS_DEFAULT, scratch);
        if (!status || APR_STATUS_IS_EEXIST(status))
            status = replace(path, text, scratch);
    }
    if (status)
        return FS_ERROR_APR(status, "write activity '%s'", path);
    return NULL;
}

fs_error_t *repo_activity_drop(const repo_request_t *request, const char *id,
                               apr_pool_t *scratch)
{
    const char *path = file_of(request, id, scratch);
    apr_status_t status = apr_file_remove(path, scratch);

    if (status && !APR_STATUS_IS_ENOENT(status) &&
        !APR_STATUS_IS_ENOTDIR(status))
        return FS_ERROR_APR(status, "remove activity '%s'", path);
    return NULL;
}
