/* SPDX-License-Identifier: Apache-2.0 */
/* Path locks as they are stored: one digest file a path. */

#include "libfs/store/fsfs/path_lock.h"

#include <string.h>

#include <apr_strings.h>

/* Longest digest file that is read: a million locks below a path. */
#define LOCK_FILE_MAX ((apr_size_t)64 * 1024 * 1024)

const char *fs_path_lock_file(const char *digest, apr_pool_t *result)
{
    return apr_psprintf(result, "locks/%.3s/%.*s", digest, FS_LOCK_DIGEST_LEN,
                        digest);
}

fs_error_t *fs_path_lock_read(fs_lock_file_t *out, bool *found, fs_fsfs_t *fsfs,
                              const char *digest, apr_pool_t *result)
{
    const char *path = fs_path_lock_file(digest, result);
    fs_error_t *err;
    fs_bytes_t text;

    memset(out, 0, sizeof(*out));
    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder, path, LOCK_FILE_MAX,
                             result));
    *found = text.data != NULL;
    if (!*found)
        return NULL;
    err = fs_lock_file_parse(out, text.data, text.len, result);
    return err ? FS_WRAP(err, "lock file '%.*s'", FS_LOCK_DIGEST_LEN, digest)
               : NULL;
}

fs_store_lock_t fs_path_lock_of(const fs_lock_file_t *file)
{
    const fs_store_lock_t lock = {
        .path = file->path,
        .token = file->token,
        .owner = file->owner,
        .comment = file->comment,
        .is_dav_comment = file->is_dav_comment,
        .created = file->creation,
        .expires = file->expiration,
    };

    return lock;
}

fs_error_t *fs_path_lock_get(const fs_store_lock_t **lock, fs_fsfs_t *fsfs,
                             const char *path, apr_pool_t *result)
{
    char digest[FS_LOCK_DIGEST_LEN + 1];
    fs_store_lock_t *out;
    fs_lock_file_t file;
    bool found;

    *lock = NULL;
    fs_lock_file_digest(digest, path);
    FS_TRY(fs_path_lock_read(&file, &found, fsfs, digest, result));
    if (!found || !file.path)
        return NULL;
    if (strcmp(file.path, path))
        return FS_ERROR(FS_ERR_CORRUPT, "lock file '%s' has the path '%s'",
                        digest, file.path);
    out = apr_palloc(result, sizeof(*out));
    *out = fs_path_lock_of(&file);
    *lock = out;
    return NULL;
}

static fs_error_t *tell(const fs_lock_file_t *file, fs_store_lock_fn receive,
                        void *baton, apr_pool_t *scratch)
{
    fs_store_lock_t lock;

    if (!file->path)
        return NULL;
    lock = fs_path_lock_of(file);
    return receive(baton, &lock, scratch);
}

/* Old releases left digests in lists that have no lock, or no file. */
static fs_error_t *tell_children(const fs_lock_file_t *parent, fs_fsfs_t *fsfs,
                                 fs_store_lock_fn receive, void *baton,
                                 apr_pool_t *scratch)
{
    apr_size_t count = fs_lock_file_child_count(parent);
    apr_pool_t *iter;
    apr_size_t i;

    apr_pool_create(&iter, scratch);
    for (i = 0; i < count; i++) {
        fs_lock_file_t file;
        bool found;

        apr_pool_clear(iter);
        FS_TRY(fs_path_lock_read(&file, &found, fsfs,
                                 fs_lock_file_child(parent, i), iter));
        if (found)
            FS_TRY(tell(&file, receive, baton, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

fs_error_t *fs_path_lock_list(fs_fsfs_t *fsfs, const char *path,
                              fs_store_lock_fn receive, void *baton,
                              apr_pool_t *scratch)
{
    char digest[FS_LOCK_DIGEST_LEN + 1];
    fs_lock_file_t file;
    bool found;

    fs_lock_file_digest(digest, path);
    FS_TRY(fs_path_lock_read(&file, &found, fsfs, digest, scratch));
    if (!found)
        return NULL;
    FS_TRY(tell(&file, receive, baton, scratch));
    return tell_children(&file, fsfs, receive, baton, scratch);
}
