/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a new revision, brought into their places. */

#include "libfs/store/fsfs/commit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/durable.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/sync_round.h"

/* Permission bits that are taken over. */
#define MODE_BITS 07777

/* Folders whose names change: a shard's two, and its parents if it is new. */
#define FOLDERS_MAX 4

/* A publication and how far it got. */
typedef struct publish_t {
    fs_commit_files_t *files;
    fs_fsfs_t *fsfs;
    fs_durable_t where;
    bool new_shard;
    const char *rev_path;
    const char *revprops_path;
    mode_t mode;        /* that new files get */
    mode_t mode_before; /* of the revision file; 0: it still has it */
    mode_t folder_mode; /* of its new folder */
    int revprops;       /* open under its temporary name, or -1 */
    int current;
    bool rev_placed;
    bool revprops_placed;
    bool current_placed;
    apr_pool_t *pool;
} publish_t;

/* --- Permissions --- */

/* New files get the permissions of the revision before. */
static fs_error_t *find_mode(publish_t *p)
{
    fs_rev_t before = p->files->rev - 1;
    const char *path = fs_layout_rev_path(p->fsfs, before, p->pool);
    struct stat info;
    int failed = fstatat(p->fsfs->folder, path, &info, 0);

    if (failed && errno == ENOENT && p->fsfs->format.shard_size) {
        path = fs_layout_pack_path(p->fsfs, before, "pack", p->pool);
        failed = fstatat(p->fsfs->folder, path, &info, 0);
    }
    if (failed)
        return FS_ERROR_APR(errno, "cannot stat '%s'", path);
    p->mode = info.st_mode & MODE_BITS;
    return NULL;
}

/* The revision file gets the permissions of the one before, and the group that
 * files of its new folder have. */
static fs_error_t *set_permissions(publish_t *p)
{
    const char *slash = strrchr(p->rev_path, '/');
    const char *folder =
        apr_pstrmemdup(p->pool, p->rev_path, (apr_size_t)(slash - p->rev_path));
    struct stat info, parent;

    if (fstat(p->files->fd, &info) ||
        fstatat(p->fsfs->folder, folder, &parent, 0))
        return FS_ERROR_APR(errno, "cannot stat '%s'", folder);
    p->mode_before = info.st_mode & MODE_BITS;
    p->folder_mode = parent.st_mode;
    if ((parent.st_mode & S_ISGID) && parent.st_gid != info.st_gid &&
        fchown(p->files->fd, (uid_t)-1, parent.st_gid) && errno != EPERM)
        return FS_ERROR_APR(errno, "cannot set the group of '%s'",
                            p->files->path);
    if (fchmod(p->files->fd, p->mode))
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'",
                            p->files->path);
    return NULL;
}

/*
 * Until they mean something, properties may be written by those who commit:
 * stock tools fail at the file of a dead committer if they may not write it.
 */
static fs_error_t *relax_permissions(const publish_t *p)
{
    mode_t writers = 0200 | (p->folder_mode & 0020);

    if (fchmod(p->revprops, p->mode | writers))
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'",
                            p->revprops_path);
    return NULL;
}

/* --- Shards --- */

/* Make the folder of a shard as its parent is. A dead committer may have made
 * it. */
static fs_error_t *make_folder(const publish_t *p, const char *parent)
{
    const char *path = apr_psprintf(p->pool, "%s/%" APR_UINT64_T_FMT, parent,
                                    fs_layout_shard(p->fsfs, p->files->rev));
    struct stat info;

    if (fstatat(p->fsfs->folder, parent, &info, 0))
        return FS_ERROR_APR(errno, "cannot stat '%s'", parent);
    if (mkdirat(p->fsfs->folder, path, 0777) && errno != EEXIST)
        return FS_ERROR_APR(errno, "cannot make '%s'", path);
    if (fchmodat(p->fsfs->folder, path, info.st_mode & MODE_BITS, 0) &&
        errno != EPERM)
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'", path);
    return NULL;
}

static fs_error_t *make_shard(const publish_t *p)
{
    if (!p->new_shard)
        return NULL;
    FS_TRY(make_folder(p, "revs"));
    return make_folder(p, "revprops");
}

/* --- Steps --- */

static fs_error_t *write_current(publish_t *p,
                                 const fs_format_current_t *current)
{
    char text[FS_FORMAT_NUMBER_SIZE];
    fs_bytes_t bytes = { text, 0 };

    bytes.len =
        fs_format_file_format_current(text, p->fsfs->format.format, current);
    return fs_durable_begin(&p->current, &p->where, "current", NULL, bytes,
                            p->pool);
}

/* All new bytes, under names that mean nothing. */
static fs_error_t *prepare(publish_t *p)
{
    FS_TRY(find_mode(p));
    FS_TRY(make_shard(p));
    FS_TRY(set_permissions(p));
    FS_TRY(fs_durable_begin(&p->revprops, &p->where, p->revprops_path, NULL,
                            p->files->revprops, p->pool));
    FS_TRY(relax_permissions(p));
    return write_current(p, &p->files->after);
}

/* What a sync says: after a failure bytes may be lost, whatever later syncs
 * say. */
static fs_error_t * final(const publish_t *p, fs_error_t *err)
{
    p->files->failed = err != NULL;
    return err;
}

static fs_error_t *close_revprops(publish_t *p)
{
    int fd = p->revprops;

    p->revprops = -1;
    if (close(fd) && errno != EINTR)
        return final(
            p, FS_ERROR_APR(errno, "cannot close '%s'", p->revprops_path));
    return NULL;
}

/* They are in their places already: what is there means nothing before
 * db/current names it, and many file systems keep a file's name with it. */
static fs_error_t *sync_files(publish_t *p)
{
    const fs_sync_file_t files[] = { { p->files->fd, p->files->path },
                                     { p->revprops, p->revprops_path },
                                     { p->current, "current" } };

    if (!p->where.nosync)
        FS_TRY(final(p, fs_sync_round(files, 3)));
    return close_revprops(p);
}

static fs_error_t *end_temporary(publish_t *p, int *fd, const char *path)
{
    int open = *fd;

    *fd = -1;
    return fs_durable_end(&p->where, path, open, p->pool);
}

static fs_error_t *place_files(publish_t *p)
{
    if (renameat(p->fsfs->folder, p->files->path, p->fsfs->folder, p->rev_path))
        return FS_ERROR_APR(errno, "cannot rename '%s' to '%s'", p->files->path,
                            p->rev_path);
    p->rev_placed = true;
    FS_TRY(fs_durable_end(&p->where, p->revprops_path, -1, p->pool));
    p->revprops_placed = true;
    return NULL;
}

static fs_error_t *open_folder(fs_sync_file_t *folder, const publish_t *p,
                               const char *path)
{
    folder->name = path;
    do {
        folder->fd =
            openat(p->fsfs->folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (folder->fd < 0 && errno == EINTR);
    return folder->fd < 0 ? FS_ERROR_APR(errno, "cannot open '%s'", path)
                          : NULL;
}

static fs_error_t *sync_folders(const publish_t *p, const char *const *paths,
                                int count)
{
    fs_sync_file_t folders[FOLDERS_MAX];
    fs_error_t *err = NULL;
    int opened = 0;

    if (p->where.nosync)
        return NULL;
    while (opened < count && !err) {
        err = open_folder(&folders[opened], p, paths[opened]);
        opened += !err;
    }
    if (!err)
        err = final(p, fs_sync_round_folders(folders, count));
    while (opened)
        (void)close(folders[--opened].fd);
    return err;
}

static const char *folder_of(const publish_t *p, const char *path)
{
    return apr_pstrmemdup(p->pool, path,
                          (apr_size_t)(strrchr(path, '/') - path));
}

static fs_error_t *sync_places(const publish_t *p)
{
    const char *paths[FOLDERS_MAX] = { folder_of(p, p->rev_path),
                                       folder_of(p, p->revprops_path), "revs",
                                       "revprops" };

    return sync_folders(p, paths, p->new_shard ? 4 : 2);
}

static fs_error_t *place_current(publish_t *p)
{
    const char *db = ".";

    FS_TRY(end_temporary(p, &p->current, "current"));
    p->current_placed = true;
    return sync_folders(p, &db, 1);
}

/* --- Failures --- */

/* Nobody was told of the revision: db/current names the one before again. */
static bool withdraw_current(publish_t *p)
{
    fs_error_t *err = write_current(p, &p->files->before);
    bool done;

    if (!err)
        err = end_temporary(p, &p->current, "current");
    done = !err;
    fs_error_clear(err);
    return done;
}

/* A file that the disk failed to take is not used again. Where db/current
 * cannot be put back, the revision stands. */
static void withdraw(publish_t *p)
{
    int folder = p->fsfs->folder;

    if (p->current_placed && !withdraw_current(p))
        return;
    if (p->current >= 0)
        fs_durable_drop(&p->where, "current", p->current, p->pool);
    if (p->revprops >= 0)
        fs_durable_drop(&p->where, p->revprops_path, p->revprops, p->pool);
    if (p->revprops_placed)
        (void)unlinkat(folder, p->revprops_path, 0);
    if (p->files->failed) {
        (void)unlinkat(folder, p->rev_placed ? p->rev_path : p->files->path, 0);
        return;
    }
    if (p->rev_placed && renameat(folder, p->rev_path, folder, p->files->path))
        p->files->failed = true;
    if (p->mode_before)
        (void)fchmod(p->files->fd, p->mode_before);
}

static fs_error_t *publish(publish_t *p)
{
    FS_TRY(prepare(p));
    FS_TRY(place_files(p));
    FS_TRY(sync_files(p));
    FS_TRY(sync_places(p));
    FS_TRY(place_current(p));
    if (fchmodat(p->fsfs->folder, p->revprops_path, p->mode, 0))
        return NULL; /* it has them after its next change */
    return NULL;
}

fs_error_t *fs_commit_files_publish(fs_commit_files_t *files,
                                    apr_pool_t *scratch)
{
    fs_fsfs_t *fsfs = files->fsfs;
    publish_t p = { .files = files,
                    .fsfs = fsfs,
                    .where = { fsfs->folder, fsfs->nosync },
                    .revprops = -1,
                    .current = -1,
                    .pool = scratch };
    fs_error_t *err;

    p.new_shard = fsfs->format.shard_size &&
                  !((apr_uint64_t)files->rev % fsfs->format.shard_size);
    p.rev_path = fs_layout_rev_path(fsfs, files->rev, scratch);
    p.revprops_path = fs_layout_revprops_path(fsfs, files->rev, scratch);
    err = publish(&p);
    if (!err)
        return NULL;
    withdraw(&p);
    return FS_WRAP(err, "r%" FS_REV_FMT " was not published", files->rev);
}
