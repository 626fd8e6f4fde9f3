/* SPDX-License-Identifier: Apache-2.0 */
/* Small files read as a whole, and stamps that change with a file. */

#include "libfs/store/fsfs/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file on a network file system may vanish between open and read. */
#define ATTEMPTS 10

#define NS_PER_SECOND ((apr_int64_t)1000000000)

static void stamp_fill(fs_stamp_t *stamp, const struct stat *info)
{
    stamp->dev = (apr_uint64_t)info->st_dev;
    stamp->inode = (apr_uint64_t)info->st_ino;
    stamp->size = (apr_uint64_t)info->st_size;
    stamp->mtime_ns = (apr_int64_t)info->st_mtim.tv_sec * NS_PER_SECOND +
                      (apr_int64_t)info->st_mtim.tv_nsec;
    stamp->ctime_ns = (apr_int64_t)info->st_ctim.tv_sec * NS_PER_SECOND +
                      (apr_int64_t)info->st_ctim.tv_nsec;
}

bool fs_disk_file_same(const fs_stamp_t *a, const fs_stamp_t *b)
{
    return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static apr_uint64_t mix(apr_uint64_t h, apr_uint64_t value)
{
    h = (h ^ value) * APR_UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

apr_uint64_t fs_disk_file_hash(const fs_stamp_t *stamp)
{
    apr_uint64_t h = mix(APR_UINT64_C(0x51ed270b7a14f9c3), stamp->dev);

    h = mix(h, stamp->inode);
    h = mix(h, stamp->size);
    h = mix(h, (apr_uint64_t)stamp->mtime_ns);
    return mix(h, (apr_uint64_t)stamp->ctime_ns);
}

bool fs_disk_file_settled(const fs_stamp_t *stamp, apr_time_t looked)
{
    apr_int64_t then = looked * 1000;

    return then - stamp->ctime_ns >= NS_PER_SECOND &&
           then - stamp->mtime_ns >= NS_PER_SECOND;
}

fs_error_t *fs_disk_file_stat(fs_stamp_t *stamp, bool *exists, int folder,
                              const char *path)
{
    struct stat info;

    *exists = false;
    if (fstatat(folder, path, &info, 0)) {
        if (errno == ENOENT || errno == ENOTDIR)
            return NULL;
        return FS_ERROR_APR(errno, "cannot stat '%s'", path);
    }
    stamp_fill(stamp, &info);
    *exists = true;
    return NULL;
}

fs_error_t *fs_disk_file_pread(int fd, apr_uint64_t offset, char *buf,
                               apr_size_t *len, const char *name)
{
    apr_size_t done = 0;

    while (done < *len) {
        ssize_t n = pread(fd, buf + done, *len - done, (off_t)(offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FS_ERROR_APR(errno, "cannot read '%s'", name);
        if (!n)
            break;
        done += (apr_size_t)n;
    }
    *len = done;
    return NULL;
}

static fs_error_t *read_open_file(fs_bytes_t *out, fs_stamp_t *stamp, int fd,
                                  const char *path, apr_size_t limit,
                                  apr_pool_t *result)
{
    struct stat info;
    apr_size_t len;
    char *data;

    if (fstat(fd, &info))
        return FS_ERROR_APR(errno, "cannot stat '%s'", path);
    if (!S_ISREG(info.st_mode))
        return FS_ERROR_APR(APR_EGENERAL, "'%s' is no file", path);
    if ((apr_uint64_t)info.st_size > limit)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a file has %" APR_UINT64_T_FMT
                        " bytes, at most %" APR_SIZE_T_FMT " make sense",
                        (apr_uint64_t)info.st_size, limit);
    len = (apr_size_t)info.st_size;
    data = apr_palloc(result, len + 1);
    FS_TRY(fs_disk_file_pread(fd, 0, data, &len, path));
    data[len] = '\0';
    out->data = data;
    out->len = len;
    if (stamp)
        stamp_fill(stamp, &info);
    return NULL;
}

fs_error_t *fs_disk_file_read(fs_bytes_t *out, fs_stamp_t *stamp, int folder,
                              const char *path, apr_size_t limit,
                              apr_pool_t *result)
{
    int attempt;

    out->data = NULL;
    out->len = 0;
    for (attempt = 1;; attempt++) {
        int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
        fs_error_t *err;

        if (fd < 0) {
            if (errno == ENOENT || errno == ENOTDIR)
                return NULL;
            if ((errno == EINTR || errno == ESTALE) && attempt < ATTEMPTS)
                continue;
            return FS_ERROR_APR(errno, "cannot open '%s'", path);
        }
        err = read_open_file(out, stamp, fd, path, limit, result);
        (void)close(fd);
        if (!err || err->apr_status != ESTALE || attempt >= ATTEMPTS)
            return err;
        fs_error_clear(err);
    }
}
