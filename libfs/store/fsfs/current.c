/* SPDX-License-Identifier: Apache-2.0 */
/* How far the repository got, and whether it still is the one opened. */

#include "libfs/store/fsfs/current.h"

#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <fcntl.h>

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/rev_file.h"

/*
 * Every writer replaces db/current by a rename, which changes the times of
 * db/: while these stand, so does the file. Who copies over it in place is
 * noticed after this time.
 */
#define LOOK_AT_CURRENT_EVERY apr_time_from_msec(100)

/* A request that goes on for long asks so often whether the files that it
 * opens still are of the history that it began with. */
#define CONFIRM_EVERY apr_time_from_msec(10)

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

/* Whether `then` is at most `span` ago; a clock that was set back tells no. */
static bool is_recent(apr_time_t then, apr_time_t span)
{
    apr_time_t age = apr_time_now() - then;

    return age >= 0 && age < span;
}

static fs_anchor_t anchor_of(fs_fsfs_t *fsfs)
{
    fs_anchor_t anchor;

    lock_state(fsfs);
    anchor = fsfs->state.anchor;
    unlock_state(fsfs);
    return anchor;
}

fs_rev_t fs_current_known(fs_fsfs_t *fsfs)
{
    return anchor_of(fsfs).rev;
}

/* --- Packed revisions --- */

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
    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder, "min-unpacked-rev",
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

/* --- Anchors --- */

/* Look at the file of `rev`. A file that is missing, though not packed, is
 * told as a stamp of zeros. */
static fs_error_t *stat_anchor(fs_anchor_t *anchor, fs_fsfs_t *fsfs,
                               fs_rev_t rev, apr_pool_t *scratch)
{
    bool exists;
    int attempt;

    memset(anchor, 0, sizeof(*anchor));
    anchor->rev = rev;
    for (attempt = 0; attempt < 2; attempt++) {
        anchor->packed = rev < fs_current_min_unpacked(fsfs);
        FS_TRY(fs_disk_file_stat(
            &anchor->file, &exists, fsfs->folder,
            anchor->packed ? fs_layout_pack_path(fsfs, rev, "pack", scratch)
                           : fs_layout_rev_path(fsfs, rev, scratch)));
        if (exists)
            return NULL;
        FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    }
    return NULL;
}

/* How sure it is that the history is the one of an anchor. */
typedef enum truth_t {
    REPLACED,
    LIKELY, /* packed since, or the file has one more link or other rights */
    CERTAIN
} truth_t;

static fs_error_t *weigh(truth_t *truth, const fs_anchor_t *known,
                         fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    const fs_stamp_t *was = &known->file;
    const fs_stamp_t *is;
    fs_anchor_t now;

    FS_TRY(stat_anchor(&now, fsfs, known->rev, scratch));
    is = &now.file;
    if (now.packed != known->packed)
        *truth = now.packed ? LIKELY : REPLACED;
    else if (fs_disk_file_same(was, is))
        *truth = CERTAIN;
    else if (was->dev == is->dev && was->inode == is->inode &&
             was->size == is->size && was->mtime_ns == is->mtime_ns)
        *truth = LIKELY;
    else
        *truth = REPLACED;
    return NULL;
}

static fs_error_t *replaced(void)
{
    return FS_ERROR(FS_ERR_CORRUPT,
                    "the repository was replaced while it was read");
}

fs_error_t *fs_current_confirm(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    apr_time_t looked = apr_time_now();
    fs_anchor_t known;
    truth_t truth;
    bool recent;

    lock_state(fsfs);
    recent = is_recent(fsfs->state.confirmed, CONFIRM_EVERY);
    known = fsfs->state.anchor;
    unlock_state(fsfs);
    if (recent || known.rev == FS_INVALID_REV)
        return NULL;
    FS_TRY(weigh(&truth, &known, fsfs, scratch));
    if (truth == REPLACED)
        return replaced();
    lock_state(fsfs);
    fsfs->state.confirmed = looked;
    unlock_state(fsfs);
    return NULL;
}

/* --- The epoch --- */

/* What the cache knows of a repository's epoch. */
typedef struct epoch_t {
    apr_uint64_t epoch;
    fs_anchor_t anchor;
} epoch_t;

static cache_key_t epoch_key(const fs_fsfs_t *fsfs)
{
    cache_key_t key = { .kind = CACHE_OTHER, .rev = -1 };

    memcpy(key.space, fsfs->base, sizeof(key.space));
    return key;
}

/* Write down the youngest revision for those who open it later. */
static void publish(fs_fsfs_t *fsfs)
{
    cache_key_t key = epoch_key(fsfs);
    fs_anchor_t anchor = anchor_of(fsfs);
    epoch_t epoch;

    memset(&epoch, 0, sizeof(epoch));
    epoch.epoch = fsfs->epoch;
    epoch.anchor.rev = anchor.rev;
    epoch.anchor.packed = anchor.packed;
    epoch.anchor.file = anchor.file;
    (void)cache_put(fsfs->cache, &key, &epoch, sizeof(epoch));
}

/* The epoch that the cache knows, if what it saw is still there. */
static fs_error_t *find_epoch(bool *found, fs_fsfs_t *fsfs, fs_rev_t youngest,
                              apr_pool_t *scratch)
{
    cache_key_t key = epoch_key(fsfs);
    cache_value_t value;
    epoch_t known;
    truth_t truth;

    *found = false;
    if (cache_get(fsfs->cache, &key, &value, scratch) ||
        value.len != sizeof(known))
        return NULL;
    memcpy(&known, value.data, sizeof(known));
    if (known.anchor.rev > youngest)
        return NULL;
    FS_TRY(weigh(&truth, &known.anchor, fsfs, scratch));
    *found = truth == CERTAIN;
    if (*found)
        fsfs->epoch = known.epoch;
    return NULL;
}

/* --- The youngest revision --- */

/* What db/current says. */
typedef struct look_t {
    fs_rev_t youngest;
    fs_stamp_t stamp;
    bool settled;
} look_t;

static fs_error_t *read_current(look_t *look, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    apr_time_t looked = apr_time_now();
    fs_format_current_t current;
    fs_bytes_t text;

    FS_TRY(fs_disk_file_read(&text, &look->stamp, fsfs->folder, "current",
                             NUMBER_FILE_MAX, scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no 'db/current'");
    FS_TRY(fs_format_file_parse_current(&current, fsfs->format.format,
                                        text.data, text.len));
    look->youngest = current.youngest;
    look->settled = fs_disk_file_settled(&look->stamp, looked);
    return NULL;
}

/* `*same` tells that db/current is the file that was read before. What was
 * read a moment after a change proves nothing, as the next change might leave
 * an equal stamp. */
static fs_error_t *look_at_current(look_t *look, bool *same, fs_fsfs_t *fsfs,
                                   apr_pool_t *scratch)
{
    apr_time_t looked = apr_time_now();
    bool exists = false;
    bool settled;

    lock_state(fsfs);
    settled = fsfs->state.current_settled;
    unlock_state(fsfs);
    if (settled)
        FS_TRY(
            fs_disk_file_stat(&look->stamp, &exists, fsfs->folder, "current"));
    lock_state(fsfs);
    *same = exists && fsfs->state.current_settled &&
            fs_disk_file_same(&look->stamp, &fsfs->state.current);
    fsfs->state.current_looked = *same ? looked : 0;
    look->youngest = fsfs->state.anchor.rev;
    unlock_state(fsfs);
    return *same ? NULL : read_current(look, fsfs, scratch);
}

/* Remember the youngest revision; one that is known already stays if threads
 * come in another order than they looked. */
static void note(fs_fsfs_t *fsfs, const look_t *look, const fs_anchor_t *anchor)
{
    bool grew;

    lock_state(fsfs);
    grew = anchor->rev > fsfs->state.anchor.rev;
    if (grew)
        fsfs->state.anchor = *anchor;
    if (anchor->rev >= fsfs->state.anchor.rev) {
        fsfs->state.current = look->stamp;
        fsfs->state.current_settled = look->settled;
    }
    unlock_state(fsfs);
    if (grew)
        publish(fsfs);
}

/*
 * Look how far the repository got, and note it if the history is for certain
 * the one known. That is asked last: what was read before belongs to it.
 */
static fs_error_t *follow(truth_t *truth, fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_anchor_t known = anchor_of(fsfs);
    fs_anchor_t next = known;
    look_t look;
    bool same;

    *truth = REPLACED;
    FS_TRY(look_at_current(&look, &same, fsfs, scratch));
    if (look.youngest < known.rev)
        return NULL;
    if (look.youngest > known.rev)
        FS_TRY(stat_anchor(&next, fsfs, look.youngest, scratch));
    FS_TRY(weigh(truth, &known, fsfs, scratch));
    if (*truth == CERTAIN && !same)
        note(fsfs, &look, &next);
    return NULL;
}

fs_error_t *fs_current_youngest(fs_rev_t *rev, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    truth_t truth;

    FS_TRY(follow(&truth, fsfs, scratch));
    if (truth == REPLACED)
        return replaced();
    *rev = fs_current_known(fsfs);
    return NULL;
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

/* --- Identity --- */

static void add_stamp(fs_digest_t *digest, const fs_stamp_t *stamp,
                      bool with_ctime)
{
    apr_uint64_t numbers[3] = { stamp->dev, stamp->inode,
                                with_ctime ? (apr_uint64_t)stamp->ctime_ns
                                           : 0 };

    fs_digest_update(digest, numbers, sizeof(numbers));
}

fs_error_t *fs_current_base(unsigned char out[16], fs_fsfs_t *fsfs,
                            apr_pool_t *scratch)
{
    static const char *const names[] = { ".", "uuid", "format" };
    fs_digest_t *digest = fs_digest_create(FS_DIGEST_MD5, scratch);
    fs_stamp_t stamp;
    bool exists;
    int i;

    for (i = 0; i < 3; i++) {
        memset(&stamp, 0, sizeof(stamp));
        FS_TRY(fs_disk_file_stat(&stamp, &exists, fsfs->folder, names[i]));
        add_stamp(digest, &stamp, i > 0);
    }
    fs_digest_finish(digest, out);
    return NULL;
}

fs_error_t *fs_current_identify(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_digest_t *digest = fs_digest_create(FS_DIGEST_MD5, scratch);
    apr_time_t looked = apr_time_now();
    fs_anchor_t anchor;
    look_t look;
    bool exists;
    bool found;

    FS_TRY(fs_disk_file_stat(&fsfs->state.db, &exists, fsfs->folder, "."));
    fsfs->state.db_settled =
        exists && fs_disk_file_settled(&fsfs->state.db, looked);
    FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    FS_TRY(read_current(&look, fsfs, scratch));
    FS_TRY(stat_anchor(&anchor, fsfs, look.youngest, scratch));
    FS_TRY(find_epoch(&found, fsfs, look.youngest, scratch));
    if (!found)
        (void)apr_generate_random_bytes((unsigned char *)&fsfs->epoch,
                                        sizeof(fsfs->epoch));
    fs_digest_update(digest, fsfs->base, sizeof(fsfs->base));
    fs_digest_update(digest, &fsfs->uuid, sizeof(fsfs->uuid));
    fs_digest_update(digest, &fsfs->epoch, sizeof(fsfs->epoch));
    fs_digest_finish(digest, fsfs->instance);
    note(fsfs, &look, &anchor);
    return NULL;
}

/* `*same` tells that db/ saw no rename since it was looked at. Else the files
 * are read again that are replaced in it. */
static fs_error_t *check_folder(bool *stale, bool *same, fs_fsfs_t *fsfs,
                                apr_pool_t *scratch)
{
    apr_time_t looked = apr_time_now();
    unsigned char base[16];
    fs_stamp_t stamp;
    bool exists;

    FS_TRY(fs_disk_file_stat(&stamp, &exists, AT_FDCWD, fsfs->db));
    lock_state(fsfs);
    *stale = !exists || stamp.dev != fsfs->state.db.dev ||
             stamp.inode != fsfs->state.db.inode;
    *same = !*stale && fsfs->state.db_settled &&
            fs_disk_file_same(&stamp, &fsfs->state.db);
    unlock_state(fsfs);
    if (*stale || *same)
        return NULL;
    FS_TRY(fs_current_base(base, fsfs, scratch));
    *stale = memcmp(base, fsfs->base, sizeof(base)) != 0;
    if (*stale)
        return NULL;
    FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
    lock_state(fsfs);
    fsfs->state.db = stamp;
    fsfs->state.db_settled = fs_disk_file_settled(&stamp, looked);
    unlock_state(fsfs);
    return NULL;
}

/* Whether db/current needs no look, db/ being as it was. */
static bool current_stands(fs_fsfs_t *fsfs)
{
    bool stands;

    lock_state(fsfs);
    stands = is_recent(fsfs->state.current_looked, LOOK_AT_CURRENT_EVERY);
    unlock_state(fsfs);
    return stands;
}

fs_error_t *fs_current_check(bool *stale, fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    truth_t truth;
    bool same;

    FS_TRY(check_folder(stale, &same, fsfs, scratch));
    if (*stale || (same && current_stands(fsfs)))
        return NULL;
    FS_TRY(follow(&truth, fsfs, scratch));
    *stale = truth != CERTAIN;
    return NULL;
}
