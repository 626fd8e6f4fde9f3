/* SPDX-License-Identifier: Apache-2.0 */
/* Digest files of path locks, written, named and synced together. */

#include "libfs/store/fsfs/lock_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/durable.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/path_lock.h"
#include "libfs/store/fsfs/sync_round.h"

#define MODE_BITS 07777

struct fs_lock_batch_t {
    fs_fsfs_t *fsfs;
    fs_durable_t where;
    const char *like;          /* has the permissions of digest files */
    int folder;                /* db/locks, open; -1: there is none */
    apr_hash_t *dirty;         /* names of files and folders to sync, as keys */
    apr_array_header_t *lists; /* of fs_lock_files_t * */
    apr_pool_t *pool;
};

typedef struct file_t {
    const char *path;
    bool is_new;  /* there was none */
    bool goes;    /* it is to be removed */
    bool waiting; /* it has a temporary name */
} file_t;

struct fs_lock_files_t {
    fs_lock_batch_t *batch;
    apr_array_header_t *files; /* of file_t */
};

/* ---- folders ---- */

static fs_error_t *open_locks(fs_lock_batch_t *batch)
{
    batch->folder = openat(batch->where.folder, "locks",
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (batch->folder < 0 && errno != ENOENT)
        return FS_ERROR_APR(errno, "cannot open '%s'", "locks");
    return NULL;
}

fs_error_t *fs_lock_batch_create(fs_lock_batch_t **batch, fs_fsfs_t *fsfs,
                                 apr_pool_t *result)
{
    fs_lock_batch_t *made = apr_pcalloc(result, sizeof(*made));

    made->fsfs = fsfs;
    made->where.folder = fsfs->folder;
    made->where.nosync = fsfs->nosync;
    made->like = fs_current_min_unpacked(fsfs) > 0
                     ? fs_layout_pack_path(fsfs, 0, "pack", result)
                     : fs_layout_rev_path(fsfs, 0, result);
    made->dirty = apr_hash_make(result);
    made->lists = apr_array_make(result, 3, sizeof(fs_lock_files_t *));
    made->pool = result;
    *batch = made;
    return open_locks(made);
}

fs_lock_files_t *fs_lock_batch_files(fs_lock_batch_t *batch)
{
    fs_lock_files_t *files = apr_palloc(batch->pool, sizeof(*files));

    files->batch = batch;
    files->files = apr_array_make(batch->pool, 4, sizeof(file_t));
    APR_ARRAY_PUSH(batch->lists, fs_lock_files_t *) = files;
    return files;
}

static void mark_dirty(fs_lock_batch_t *batch, const char *name)
{
    if (!apr_hash_get(batch->dirty, name, APR_HASH_KEY_STRING))
        apr_hash_set(batch->dirty, apr_pstrdup(batch->pool, name),
                     APR_HASH_KEY_STRING, "");
}

/* The folder that `path` is in, "." for db/. */
static const char *folder_of(const char *path, apr_pool_t *result)
{
    const char *slash = strrchr(path, '/');

    return slash ? apr_pstrmemdup(result, path, (apr_size_t)(slash - path))
                 : ".";
}

/* Make `path` as its parent is, unless it is there. */
static fs_error_t *make_folder(fs_lock_batch_t *batch, const char *path,
                               apr_pool_t *scratch)
{
    const char *parent = folder_of(path, scratch);
    int db = batch->where.folder;
    struct stat info;

    if (mkdirat(db, path, 0777))
        return errno == EEXIST ? NULL
                               : FS_ERROR_APR(errno, "cannot make '%s'", path);
    if (fstatat(db, parent, &info, 0))
        return FS_ERROR_APR(errno, "cannot stat '%s'", parent);
    if (fchmodat(db, path, info.st_mode & MODE_BITS, 0) && errno != EPERM)
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'", path);
    mark_dirty(batch, parent);
    return NULL;
}

static fs_error_t *make_folders(fs_lock_batch_t *batch, const char *path,
                                apr_pool_t *scratch)
{
    if (batch->folder < 0) {
        FS_TRY(make_folder(batch, "locks", scratch));
        FS_TRY(open_locks(batch));
    }
    return make_folder(batch, folder_of(path, scratch), scratch);
}

/* ---- files ---- */

static fs_error_t *write_temporary(fs_lock_batch_t *batch, file_t *file,
                                   const fs_lock_file_t *content,
                                   apr_pool_t *scratch)
{
    fs_buffer_t *text = fs_buffer_create(content->children.len + 1024, scratch);
    int fd;

    fs_lock_file_format(text, content);
    FS_TRY(make_folders(batch, file->path, scratch));
    FS_TRY(fs_durable_begin(&fd, &batch->where, file->path, batch->like,
                            fs_buffer_bytes(text), scratch));
    file->waiting = true;
    mark_dirty(batch, fs_durable_temporary(file->path, scratch));
    if (close(fd) && errno != EINTR)
        return FS_ERROR_APR(errno, "cannot close '%s'", file->path);
    return NULL;
}

fs_error_t *fs_lock_batch_write(fs_lock_files_t *files, const char *digest,
                                const fs_lock_file_t *content,
                                apr_pool_t *scratch)
{
    fs_lock_batch_t *batch = files->batch;
    file_t *file = apr_array_push(files->files);
    fs_stamp_t stamp;
    bool exists;

    memset(file, 0, sizeof(*file));
    file->path = fs_path_lock_file(digest, batch->pool);
    FS_TRY(fs_disk_file_stat(&stamp, &exists, batch->where.folder, file->path));
    file->is_new = !exists;
    file->goes = !content->path && !content->children.len;
    return file->goes ? NULL : write_temporary(batch, file, content, scratch);
}

bool fs_lock_batch_has_temporary(const fs_lock_files_t *files)
{
    int i;

    for (i = 0; i < files->files->nelts; i++)
        if (APR_ARRAY_IDX(files->files, i, file_t).waiting)
            return true;
    return false;
}

static fs_error_t *apply(fs_lock_batch_t *batch, file_t *file,
                         apr_pool_t *scratch)
{
    int db = batch->where.folder;

    if (file->goes) {
        if (unlinkat(db, file->path, 0) && errno != ENOENT)
            return FS_ERROR_APR(errno, "cannot remove '%s'", file->path);
    } else {
        file->waiting = false; /* also if this fails */
        FS_TRY(fs_durable_end(&batch->where, file->path, -1, scratch));
    }
    mark_dirty(batch, folder_of(file->path, scratch));
    return NULL;
}

fs_error_t *fs_lock_batch_apply(fs_lock_files_t *files, apr_pool_t *scratch)
{
    int i;

    for (i = 0; i < files->files->nelts; i++)
        FS_TRY(apply(files->batch, &APR_ARRAY_IDX(files->files, i, file_t),
                     scratch));
    return NULL;
}

void fs_lock_batch_undo(const fs_lock_files_t *files)
{
    int i;

    for (i = 0; i < files->files->nelts; i++) {
        const file_t *file = &APR_ARRAY_IDX(files->files, i, file_t);

        if (file->is_new && !file->goes && !file->waiting)
            (void)unlinkat(files->batch->where.folder, file->path, 0);
    }
}

/* ---- syncs ---- */

/* Sync up to FS_SYNC_ROUND_MAX names; `*i` goes behind the last of them. */
static fs_error_t *sync_some(const fs_lock_batch_t *batch, apr_hash_index_t **i)
{
    fs_sync_file_t files[FS_SYNC_ROUND_MAX];
    fs_error_t *err = NULL;
    int count = 0;

    while (*i && !err && count < FS_SYNC_ROUND_MAX) {
        const char *name = apr_hash_this_key(*i);

        files[count].name = name;
        files[count].fd =
            openat(batch->where.folder, name, O_RDONLY | O_CLOEXEC);
        if (files[count].fd < 0)
            err = FS_ERROR_APR(errno, "cannot open '%s'", name);
        else
            count++;
        *i = apr_hash_next(*i);
    }
    if (!err)
        err = fs_sync_round(files, count);
    while (count > 0)
        (void)close(files[--count].fd);
    return err;
}

fs_error_t *fs_lock_batch_sync(fs_lock_batch_t *batch, apr_pool_t *scratch)
{
    apr_hash_index_t *i;
    bool done = batch->where.nosync;

    if (!done && batch->folder >= 0 && apr_hash_count(batch->dirty) > 1)
        FS_TRY(fs_sync_round_flush(&done, batch->folder, "locks"));
    i = done ? NULL : apr_hash_first(scratch, batch->dirty);
    while (i)
        FS_TRY(sync_some(batch, &i));
    apr_hash_clear(batch->dirty);
    return NULL;
}

static void drop(const fs_lock_files_t *files, apr_pool_t *scratch)
{
    int i;

    for (i = 0; i < files->files->nelts; i++) {
        const file_t *file = &APR_ARRAY_IDX(files->files, i, file_t);

        if (file->waiting)
            fs_durable_drop(&files->batch->where, file->path, -1, scratch);
    }
}

void fs_lock_batch_close(fs_lock_batch_t *batch, apr_pool_t *scratch)
{
    int i;

    for (i = 0; i < batch->lists->nelts; i++)
        drop(APR_ARRAY_IDX(batch->lists, i, fs_lock_files_t *), scratch);
    if (batch->folder >= 0)
        (void)close(batch->folder);
    batch->folder = -1;
}
