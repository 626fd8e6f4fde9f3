/* SPDX-License-Identifier: Apache-2.0 */
/* Replacing a file so that it survives a loss of power. */

#include "libfs/store/fsfs/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

/* Permission bits that are taken over. */
#define MODE_BITS 07777

/* Open a new file. Another one of that name is what a dead writer left, maybe
 * without the right to write it. */
static fs_error_t *create_temporary(int *fd, const fs_durable_t *where,
                                    const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;

    for (;;) {
        *fd = openat(where->folder, path, flags, 0666);
        if (*fd >= 0)
            return NULL;
        if (errno == EEXIST && !unlinkat(where->folder, path, 0))
            continue;
        if (errno != EINTR)
            return FS_ERROR_APR(errno, "cannot create '%s'", path);
    }
}

static fs_error_t *write_all(int fd, fs_bytes_t bytes, const char *path)
{
    apr_size_t done = 0;

    while (done < bytes.len) {
        ssize_t n = write(fd, bytes.data + done, bytes.len - done);

        if (n < 0 && errno != EINTR)
            return FS_ERROR_APR(errno, "cannot write '%s'", path);
        if (n > 0)
            done += (apr_size_t)n;
    }
    return NULL;
}

static fs_error_t *sync_open(int fd, const char *path)
{
    int failed;

    do {
        failed = fsync(fd);
    } while (failed && errno == EINTR);
    return failed ? FS_ERROR_APR(errno, "cannot sync '%s'", path) : NULL;
}

/* Permissions of `path`; `*found` stays as it is if there is no such file. */
static fs_error_t *find_mode(mode_t *mode, bool *found,
                             const fs_durable_t *where, const char *path)
{
    struct stat info;

    if (!fstatat(where->folder, path, &info, 0)) {
        *mode = info.st_mode & MODE_BITS;
        *found = true;
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return FS_ERROR_APR(errno, "cannot stat '%s'", path);
    }
    return NULL;
}

static fs_error_t *copy_mode(int fd, const fs_durable_t *where,
                             const char *path, const char *like)
{
    bool found = false;
    mode_t mode = 0;

    if (like)
        FS_TRY(find_mode(&mode, &found, where, like));
    if (!found)
        FS_TRY(find_mode(&mode, &found, where, path));
    if (found && fchmod(fd, mode))
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'", path);
    return NULL;
}

const char *fs_durable_temporary(const char *path, apr_pool_t *result)
{
    return apr_pstrcat(result, path, ".tmp", (char *)NULL);
}

void fs_durable_drop(const fs_durable_t *where, const char *path, int fd,
                     apr_pool_t *scratch)
{
    if (fd >= 0)
        (void)close(fd);
    (void)unlinkat(where->folder, fs_durable_temporary(path, scratch), 0);
}

fs_error_t *fs_durable_begin(int *fd, const fs_durable_t *where,
                             const char *path, const char *like,
                             fs_bytes_t bytes, apr_pool_t *scratch)
{
    const char *temporary = fs_durable_temporary(path, scratch);
    fs_error_t *err;

    FS_TRY(create_temporary(fd, where, temporary));
    err = write_all(*fd, bytes, path);
    if (!err)
        err = copy_mode(*fd, where, path, like);
    if (err) {
        fs_durable_drop(where, path, *fd, scratch);
        *fd = -1;
    }
    return err;
}

fs_error_t *fs_durable_end(const fs_durable_t *where, const char *path, int fd,
                           apr_pool_t *scratch)
{
    const char *temporary = fs_durable_temporary(path, scratch);
    fs_error_t *err = NULL;

    if (fd >= 0 && close(fd) && errno != EINTR)
        err = FS_ERROR_APR(errno, "cannot close '%s'", temporary);
    else if (renameat(where->folder, temporary, where->folder, path))
        err = FS_ERROR_APR(errno, "cannot rename '%s'", temporary);
    if (err)
        fs_durable_drop(where, path, -1, scratch);
    return err;
}

fs_error_t *fs_durable_write(const fs_durable_t *where, const char *path,
                             const char *like, fs_bytes_t bytes,
                             apr_pool_t *scratch)
{
    fs_error_t *err;
    int fd;

    FS_TRY(fs_durable_begin(&fd, where, path, like, bytes, scratch));
    err = where->nosync ? NULL : sync_open(fd, path);
    if (!err)
        return fs_durable_end(where, path, fd, scratch);
    fs_durable_drop(where, path, fd, scratch);
    return err;
}

fs_error_t *fs_durable_create(const fs_durable_t *where, const char *path,
                              mode_t mode, fs_bytes_t bytes)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    fs_error_t *err;
    int fd;

    do {
        fd = openat(where->folder, path, flags, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return FS_ERROR_APR(errno, "cannot create '%s'", path);
    err = write_all(fd, bytes, path);
    if (!err && !where->nosync)
        err = sync_open(fd, path);
    if (close(fd) && errno != EINTR && !err)
        err = FS_ERROR_APR(errno, "cannot close '%s'", path);
    if (err)
        (void)unlinkat(where->folder, path, 0);
    return err;
}

static fs_error_t *open_folder(int *fd, int from, const char *path)
{
    do {
        *fd = openat(from, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (*fd < 0 && errno == EINTR);
    return *fd < 0 ? FS_ERROR_APR(errno, "cannot open '%s'", path) : NULL;
}

fs_error_t *fs_durable_sync_folder(const fs_durable_t *where, const char *path,
                                   apr_pool_t *scratch)
{
    const char *slash = strrchr(path, '/');
    const char *name =
        slash ? apr_pstrmemdup(scratch, path, (apr_size_t)(slash - path) + 1)
              : ".";
    fs_error_t *err;
    int fd;

    if (where->nosync)
        return NULL;
    FS_TRY(open_folder(&fd, where->folder, name));
    err = sync_open(fd, name);
    (void)close(fd);
    return err;
}

fs_error_t *fs_durable_replace(const fs_durable_t *where, const char *path,
                               const char *like, fs_bytes_t bytes,
                               apr_pool_t *scratch)
{
    FS_TRY(fs_durable_write(where, path, like, bytes, scratch));
    return fs_durable_sync_folder(where, path, scratch);
}
