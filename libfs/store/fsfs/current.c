/* SPDX-License-Identifier: Apache-2.0 */
/* How far the repository got, and whether it still is the one opened. */

#include "libfs/store/fsfs/current.h"

#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/rev_file.h"

/*
 * Every writer replaces db/current by a rename, which changes the times of
 * db/: while these stand, so does the file. Who copies over it in place is
 * noticed after this time.
 */
#define LOOK_AT_CURRENT_EVERY apr_time_from_msec(100)

/* Longest db/current, db/min-unpacked-rev that makes sense, in bytes. */
#define NUMBER_FILE_MAX 4096

static void lock_state(fs_fsfs_t *fsfs)
{
    pthread_mutex_lock(&fsfs->state.lock);
}

static void unlock_state(fs_fsfs_t *fsfs)
{
    pthread_mutex_unlock(&fsfs->state.lock);
}

/* Read db/current. Nothing is kept if it was changed a moment ago, as the
 * next change might leave an equal stamp. */
static fs_error_t *read_current(fs_rev_t *rev, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    fs_format_current_t current;
    fs_stamp_t stamp;
    fs_bytes_t text;

    FS_TRY(fs_disk_file_read(&text, &stamp,
                             fs_handle_db_path(fsfs, "current", scratch),
                             NUMBER_FILE_MAX, scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no 'db/current'");
    FS_TRY(fs_format_file_parse_current(&current, fsfs->format.format,
                                        text.data, text.len));
    *rev = current.youngest;
    lock_state(fsfs);
    fsfs->state.youngest = current.youngest;
    fsfs->state.current = stamp;
    fsfs->state.current_settled = fs_disk_file_settled(&stamp);
    unlock_state(fsfs);
    return NULL;
}

/* `*same` tells that db/current is the file that was read before. */
static fs_error_t *look_at_current(fs_rev_t *rev, bool *same, fs_fsfs_t *fsfs,
                                   apr_pool_t *scratch)
{
    fs_stamp_t stamp;
    bool exists;

    FS_TRY(fs_disk_file_stat(&stamp, &exists,
                             fs_handle_db_path(fsfs, "current", scratch)));
    lock_state(fsfs);
    *same = exists && fsfs->state.current_settled &&
            fs_disk_file_same(&stamp, &fsfs->state.current);
    fsfs->state.current_looked = *same ? apr_time_now() : 0;
    *rev = fsfs->state.youngest;
    unlock_state(fsfs);
    return *same ? NULL : read_current(rev, fsfs, scratch);
}

fs_error_t *fs_current_youngest(fs_rev_t *rev, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    bool same;

    return look_at_current(rev, &same, fsfs, scratch);
}

fs_rev_t fs_current_known(fs_fsfs_t *fsfs)
{
    fs_rev_t rev;

    lock_state(fsfs);
    rev = fsfs->state.youngest;
    unlock_state(fsfs);
    return rev;
}

fs_error_t *fs_current_need(fs_fsfs_t *fsfs, fs_rev_t rev, apr_pool_t *scratch)
{
    fs_rev_t youngest = fs_current_known(fsfs);

    if (rev >= 0 && rev <= youngest)
        return NULL;
    if (rev >= 0)
        FS_TRY(fs_current_youngest(&youngest, fsfs, scratch));
    if (rev >= 0 && rev <= youngest)
        return NULL;
    return FS_ERROR(FS_ERR_NO_SUCH_REV,
                    "no such revision %" FS_REV_FMT
                    ", the youngest is %" FS_REV_FMT,
                    rev, youngest);
}

fs_rev_t fs_current_min_unpacked(fs_fsfs_t *fsfs)
{
    fs_rev_t rev;

    lock_state(fsfs);
    rev = fsfs->state.min_unpacked;
    unlock_state(fsfs);
    return rev;
}

fs_error_t *fs_current_read_min_unpacked(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_bytes_t text;
    fs_rev_t rev;
    bool moved;

    if (fsfs->format.format < FS_FORMAT_PACKING)
        return NULL;
    FS_TRY(fs_disk_file_read(
        &text, NULL, fs_handle_db_path(fsfs, "min-unpacked-rev", scratch),
        NUMBER_FILE_MAX, scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the repository has no 'db/min-unpacked-rev'");
    FS_TRY(fs_format_file_parse_min_unpacked(&rev, fsfs->format.shard_size,
                                             text.data, text.len));
    if (rev && !fsfs->format.shard_size)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'db/min-unpacked-rev' is %" FS_REV_FMT
                        " and the layout is linear",
                        rev);
    lock_state(fsfs);
    moved = rev > fsfs->state.min_unpacked;
    fsfs->state.min_unpacked = rev;
    unlock_state(fsfs);
    if (moved)
        fs_rev_file_drop(fsfs, rev);
    return NULL;
}

/* --- Identity --- */

/* What the cache knows of a repository's epoch. */
typedef struct epoch_t {
    apr_uint64_t epoch;
    fs_rev_t youngest;
    fs_stamp_t file;     /* of the file of revision `youngest` */
    apr_uint64_t packed; /* 1: that revision was packed, `file` is not set */
} epoch_t;

static cache_key_t epoch_key(const fs_fsfs_t *fsfs)
{
    cache_key_t key = { .kind = CACHE_OTHER, .rev = -1 };

    memcpy(key.space, fsfs->base, sizeof(key.space));
    return key;
}

/* A replaced file has another inode, size or mtime; the ctime also moves when
 * a backup makes a hard link. */
static bool same_content(const fs_stamp_t *a, const fs_stamp_t *b)
{
    return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns;
}

/*
 * The file of `rev` as it is. `*loose` is false if it is packed. A file that
 * is missing for no such reason is told as a stamp of zeros.
 */
static fs_error_t *stat_rev(fs_stamp_t *stamp, bool *loose, fs_fsfs_t *fsfs,
                            fs_rev_t rev, apr_pool_t *scratch)
{
    bool exists = false;
    int attempt;

    memset(stamp, 0, sizeof(*stamp));
    for (attempt = 0; attempt < 2; attempt++) {
        *loose = rev >= fs_current_min_unpacked(fsfs);
        if (*loose)
            FS_TRY(fs_disk_file_stat(stamp, &exists,
                                     fs_layout_rev_path(fsfs, rev, scratch)));
        if (!*loose || exists)
            return NULL;
        FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    }
    return NULL;
}

/* Whether the revision that `known` speaks of still is the same. */
static fs_error_t *still_true(bool *yes, fs_fsfs_t *fsfs, const epoch_t *known,
                              fs_rev_t youngest, apr_pool_t *scratch)
{
    fs_stamp_t now;
    bool loose;

    *yes = false;
    if (known->youngest > youngest)
        return NULL;
    FS_TRY(stat_rev(&now, &loose, fsfs, known->youngest, scratch));
    *yes = !loose || (!known->packed && same_content(&now, &known->file));
    return NULL;
}

/* Write down the youngest revision for those who open it later. */
static void publish(fs_fsfs_t *fsfs)
{
    cache_key_t key = epoch_key(fsfs);
    epoch_t epoch;

    memset(&epoch, 0, sizeof(epoch));
    epoch.epoch = fsfs->epoch;
    lock_state(fsfs);
    epoch.youngest = fsfs->state.file_rev;
    epoch.file = fsfs->state.file;
    epoch.packed = fsfs->state.file_rev < fsfs->state.min_unpacked;
    unlock_state(fsfs);
    (void)cache_put(fsfs->cache, &key, &epoch, sizeof(epoch));
}

/* Remember the file of `rev`, the youngest revision. */
static fs_error_t *note_youngest(fs_fsfs_t *fsfs, fs_rev_t rev,
                                 apr_pool_t *scratch)
{
    fs_stamp_t stamp;
    bool loose;

    FS_TRY(stat_rev(&stamp, &loose, fsfs, rev, scratch));
    lock_state(fsfs);
    fsfs->state.file_rev = rev;
    fsfs->state.file = stamp;
    unlock_state(fsfs);
    publish(fsfs);
    return NULL;
}

static void add_stamp(fs_digest_t *digest, const fs_stamp_t *stamp,
                      bool with_ctime)
{
    apr_uint64_t numbers[3] = { stamp->dev, stamp->inode,
                                with_ctime ? (apr_uint64_t)stamp->ctime_ns
                                           : 0 };

    fs_digest_update(digest, numbers, sizeof(numbers));
}

static fs_error_t *base_identity(unsigned char out[16], fs_fsfs_t *fsfs,
                                 apr_pool_t *scratch)
{
    static const char *const names[] = { "uuid", "format" };
    fs_digest_t *digest = fs_digest_create(FS_DIGEST_MD5, scratch);
    fs_stamp_t stamp;
    bool exists;
    int i;

    fs_digest_update(digest, &fsfs->uuid, sizeof(fsfs->uuid));
    FS_TRY(fs_disk_file_stat(&stamp, &exists, fsfs->db));
    if (!exists)
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no 'db'");
    add_stamp(digest, &stamp, false);
    for (i = 0; i < 2; i++) {
        memset(&stamp, 0, sizeof(stamp));
        FS_TRY(fs_disk_file_stat(&stamp, &exists,
                                 fs_handle_db_path(fsfs, names[i], scratch)));
        add_stamp(digest, &stamp, true);
    }
    fs_digest_finish(digest, out);
    return NULL;
}

/* The epoch that the cache knows, if what it saw is still there. */
static fs_error_t *find_epoch(bool *found, fs_fsfs_t *fsfs, fs_rev_t youngest,
                              apr_pool_t *scratch)
{
    cache_key_t key = epoch_key(fsfs);
    cache_value_t value;
    epoch_t known;

    *found = false;
    if (cache_get(fsfs->cache, &key, &value, scratch) ||
        value.len != sizeof(known))
        return NULL;
    memcpy(&known, value.data, sizeof(known));
    FS_TRY(still_true(found, fsfs, &known, youngest, scratch));
    if (*found)
        fsfs->epoch = known.epoch;
    return NULL;
}

fs_error_t *fs_current_identify(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_digest_t *digest = fs_digest_create(FS_DIGEST_MD5, scratch);
    fs_rev_t youngest;
    bool exists;
    bool found;

    FS_TRY(fs_disk_file_stat(&fsfs->state.db, &exists, fsfs->db));
    fsfs->state.db_settled = exists && fs_disk_file_settled(&fsfs->state.db);
    FS_TRY(base_identity(fsfs->base, fsfs, scratch));
    FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    FS_TRY(fs_current_youngest(&youngest, fsfs, scratch));
    FS_TRY(find_epoch(&found, fsfs, youngest, scratch));
    if (!found)
        (void)apr_generate_random_bytes((unsigned char *)&fsfs->epoch,
                                        sizeof(fsfs->epoch));
    fs_digest_update(digest, fsfs->base, sizeof(fsfs->base));
    fs_digest_update(digest, &fsfs->epoch, sizeof(fsfs->epoch));
    fs_digest_finish(digest, fsfs->instance);
    return note_youngest(fsfs, youngest, scratch);
}

/* `*same` tells that db/ saw no rename since it was looked at. Else the files
 * are read again that are replaced in it. */
static fs_error_t *check_folder(bool *stale, bool *same, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    unsigned char base[16];
    fs_stamp_t stamp;
    bool exists;

    FS_TRY(fs_disk_file_stat(&stamp, &exists, fsfs->db));
    *same = false;
    if (!exists) {
        *stale = true;
        return NULL;
    }
    lock_state(fsfs);
    *same =
        fsfs->state.db_settled && fs_disk_file_same(&stamp, &fsfs->state.db);
    unlock_state(fsfs);
    if (*same)
        return NULL;
    FS_TRY(base_identity(base, fsfs, scratch));
    if (memcmp(base, fsfs->base, sizeof(base))) {
        *stale = true;
        return NULL;
    }
    FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    lock_state(fsfs);
    fsfs->state.db = stamp;
    fsfs->state.db_settled = fs_disk_file_settled(&stamp);
    unlock_state(fsfs);
    return NULL;
}

/* Whether db/current needs no look, db/ being as it was. */
static bool current_stands(fs_fsfs_t *fsfs)
{
    bool stands;

    lock_state(fsfs);
    stands =
        fsfs->state.youngest == fsfs->state.file_rev &&
        apr_time_now() - fsfs->state.current_looked < LOOK_AT_CURRENT_EVERY;
    unlock_state(fsfs);
    return stands;
}

fs_error_t *fs_current_check(bool *stale, fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_rev_t youngest;
    epoch_t known;
    bool same;
    bool same_current;

    *stale = false;
    FS_TRY(check_folder(stale, &same, fsfs, scratch));
    if (*stale || (same && current_stands(fsfs)))
        return NULL;
    memset(&known, 0, sizeof(known));
    lock_state(fsfs);
    known.youngest = fsfs->state.file_rev;
    known.file = fsfs->state.file;
    known.packed = known.youngest < fsfs->state.min_unpacked;
    unlock_state(fsfs);
    FS_TRY(look_at_current(&youngest, &same_current, fsfs, scratch));
    /* No other repository can be here while the folder saw no rename and the
     * file that names the youngest revision is the one it was. */
    if (same && same_current && youngest == known.youngest)
        return NULL;
    FS_TRY(still_true(&same, fsfs, &known, youngest, scratch));
    if (!same)
        *stale = true;
    else if (youngest > known.youngest)
        return note_youngest(fsfs, youngest, scratch);
    return NULL;
}
