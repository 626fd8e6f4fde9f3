/* SPDX-License-Identifier: Apache-2.0 */
/* Changing revision properties, loose and packed. */

#include "libfs/store/fsfs/revprop_edit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libfs/base/number.h"
#include "libfs/format/hash_dump.h"
#include "libfs/format/revprop_pack.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/durable.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/write_lock.h"

/* Longest file that is read, and longest list that is written, in bytes. */
#define FILE_MAX ((apr_size_t)1 << 30)
#define LIST_MAX ((apr_size_t)1 << 29)

/* Shortest line of a manifest, in bytes: "0.0\n". */
#define MANIFEST_LINE_MIN 4

/* Bytes that a pack file is reckoned to need for each revision besides its
 * properties; two more revisions stand for the head. */
#define ENTRY_OVERHEAD 21

/* zlib level of compressed pack files, as stock tools write them. */
#define PACK_LEVEL 5

/* One change of one revision; lives while the lock is held. */
typedef struct edit_t {
    fs_fsfs_t *fsfs;
    fs_durable_t where;
    fs_rev_t rev;
    const char *like; /* file whose permissions new files get */
    const fs_revprop_change_t *changes;
    int count;
    apr_pool_t *pool;
} edit_t;

/* --- The list --- */

static bool same_value(const fs_bytes_t *a, const fs_bytes_t *b)
{
    if (!a || !b)
        return !a && !b;
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static fs_error_t *apply(bool *changed, apr_hash_t *props,
                         const fs_revprop_change_t *change)
{
    const fs_bytes_t *now =
        apr_hash_get(props, change->name, APR_HASH_KEY_STRING);

    if (change->compare && !same_value(now, change->expected))
        return FS_ERROR(FS_ERR_PROP_CHANGED,
                        "revision property '%s' does not have the expected "
                        "value",
                        change->name);
    if (same_value(now, change->value))
        return NULL;
    apr_hash_set(props, change->name, APR_HASH_KEY_STRING, change->value);
    *changed = true;
    return NULL;
}

/* The list with all changes made; `*changed` is false if it is as before. */
static fs_error_t *make_list(fs_bytes_t *list, bool *changed,
                             const edit_t *edit)
{
    fs_buffer_t *out = fs_buffer_create(list->len + 256, edit->pool);
    apr_hash_t *props;
    int i;

    *changed = false;
    FS_TRY(
        fs_hash_dump_parse(&props, list->data, list->len, false, edit->pool));
    for (i = 0; i < edit->count; i++)
        FS_TRY(apply(changed, props, &edit->changes[i]));
    fs_hash_dump_format(out, props, edit->pool);
    if (out->len > LIST_MAX)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "they would have %" APR_SIZE_T_FMT
                        " bytes, at most %" APR_SIZE_T_FMT " are allowed",
                        out->len, LIST_MAX);
    *list = fs_buffer_bytes(out);
    return NULL;
}

static fs_error_t *read_file(fs_bytes_t *bytes, const edit_t *edit,
                             const char *path)
{
    FS_TRY(fs_disk_file_read(bytes, NULL, edit->fsfs->folder, path, FILE_MAX,
                             edit->pool));
    if (!bytes->data)
        return FS_ERROR(FS_ERR_CORRUPT, "there is no file that has them");
    return NULL;
}

/* --- Loose --- */

static fs_error_t *edit_loose(const edit_t *edit)
{
    const char *path =
        fs_layout_revprops_path(edit->fsfs, edit->rev, edit->pool);
    fs_bytes_t list;
    bool changed;

    FS_TRY(read_file(&list, edit, path));
    FS_TRY(make_list(&list, &changed, edit));
    if (!changed)
        return NULL;
    return fs_durable_replace(&edit->where, path, edit->like, list, edit->pool);
}

/* --- Packed --- */

/* A packed shard's properties as they are read and then changed. */
typedef struct shard_t {
    fs_revprop_shard_t range;
    fs_revprop_pack_name_t *names; /* of each revision: its pack file */
    fs_revprop_pack_name_t name;   /* of the one that is changed */
    fs_revprop_pack_t pack;
    apr_uint64_t at; /* place of the changed revision in `pack` */
} shard_t;

static const char *pack_path(const edit_t *edit, const char *name)
{
    return fs_layout_revprops_pack_path(edit->fsfs, edit->rev, name,
                                        edit->pool);
}

static fs_error_t *read_manifest(shard_t *shard, const edit_t *edit)
{
    const fs_revprop_shard_t *range = &shard->range;
    fs_bytes_t bytes;

    FS_TRY(read_file(&bytes, edit, pack_path(edit, "manifest")));
    if (range->count > bytes.len / MANIFEST_LINE_MIN)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a manifest of %" APR_SIZE_T_FMT
                        " bytes cannot list %" APR_UINT64_T_FMT " revisions",
                        bytes.len, range->count);
    shard->names = apr_palloc(edit->pool,
                              (apr_size_t)range->count * sizeof(*shard->names));
    FS_TRY(fs_revprop_pack_manifest_parse(shard->names, bytes.data, bytes.len,
                                          range));
    shard->name = shard->names[edit->rev - range->first_rev];
    return NULL;
}

static fs_error_t *read_shard(shard_t *shard, const edit_t *edit)
{
    char name[FS_REVPROP_PACK_NAME_SIZE];
    fs_bytes_t bytes;
    fs_bytes_t list;

    shard->range = fs_revprop_pack_shard(fs_layout_shard(edit->fsfs, edit->rev),
                                         edit->fsfs->format.shard_size);
    FS_TRY(read_manifest(shard, edit));
    (void)fs_revprop_pack_name(name, &shard->name);
    FS_TRY(read_file(&bytes, edit, pack_path(edit, name)));
    FS_TRY(fs_revprop_pack_parse(&shard->pack, bytes.data, bytes.len,
                                 &shard->range, edit->pool));
    FS_TRY(fs_revprop_pack_get(&list, &shard->pack, edit->rev));
    shard->at = (apr_uint64_t)(edit->rev - shard->pack.first_rev);
    return NULL;
}

/* Entries [from, from + count) of the pack. */
typedef struct part_t {
    apr_uint64_t from;
    apr_uint64_t count;
} part_t;

static apr_uint64_t part_size(const shard_t *shard, const part_t *part)
{
    apr_uint64_t size = ENTRY_OVERHEAD * (part->count + 2);
    apr_uint64_t i;

    for (i = 0; i < part->count; i++)
        size += shard->pack.entries[part->from + i].len;
    return size;
}

/* Where to cut so that both sides are about equal: at least one entry each. */
static apr_uint64_t find_middle(const shard_t *shard)
{
    part_t all = { 0, shard->pack.count };
    apr_uint64_t half = part_size(shard, &all) / 2;
    apr_uint64_t sum = 0;
    apr_uint64_t i;

    for (i = 0; i < shard->pack.count - 1; i++) {
        apr_uint64_t size = shard->pack.entries[i].len + ENTRY_OVERHEAD;

        if (i && sum + size / 2 > half)
            break;
        sum += size;
    }
    return i;
}

/* Split the pack: into halves, or around the entry that is too large for
 * those. Returns how many parts there are. */
static int split(part_t parts[3], const shard_t *shard, apr_uint64_t limit)
{
    apr_uint64_t count = shard->pack.count;
    apr_uint64_t middle;
    int n = 0;

    parts[0].from = 0;
    parts[0].count = count;
    if (count == 1 || part_size(shard, &parts[0]) < limit)
        return 1;
    middle = find_middle(shard);
    parts[0].count = middle;
    parts[1].from = middle;
    parts[1].count = count - middle;
    if (part_size(shard, &parts[0]) < limit &&
        part_size(shard, &parts[1]) < limit)
        return 2;
    if (shard->at)
        parts[n++] = (part_t){ 0, shard->at };
    parts[n++] = (part_t){ shard->at, 1 };
    if (shard->at + 1 < count)
        parts[n++] = (part_t){ shard->at + 1, count - shard->at - 1 };
    return n;
}

/* Write one part as the pack file `name`; `*path` becomes its path. */
static fs_error_t *write_part(const char **path, const edit_t *edit,
                              const shard_t *shard, const part_t *part,
                              const fs_revprop_pack_name_t *name)
{
    fs_revprop_pack_t pack = { shard->pack.first_rev + (fs_rev_t)part->from,
                               part->count, shard->pack.entries + part->from };
    int level = edit->fsfs->conf.compress_packed_revprops ? PACK_LEVEL : 0;
    fs_buffer_t *out =
        fs_buffer_create((apr_size_t)part_size(shard, part) + 64, edit->pool);
    char text[FS_REVPROP_PACK_NAME_SIZE];

    FS_TRY(fs_revprop_pack_format(out, &pack, level, edit->pool));
    (void)fs_revprop_pack_name(text, name);
    *path = pack_path(edit, text);
    return fs_durable_write(&edit->where, *path, edit->like,
                            fs_buffer_bytes(out), edit->pool);
}

/* Write one part under a name of its own, for which the manifest is made to
 * stand. */
static fs_error_t *move_part(const char **path, const edit_t *edit,
                             shard_t *shard, const part_t *part)
{
    fs_revprop_pack_name_t name = {
        shard->pack.first_rev + (fs_rev_t)part->from, shard->name.tag + 1
    };
    apr_uint64_t line = (apr_uint64_t)(name.first_rev - shard->range.first_rev);
    apr_uint64_t i;

    FS_TRY(write_part(path, edit, shard, part, &name));
    for (i = 0; i < part->count; i++)
        shard->names[line + i] = name;
    return NULL;
}

/* Is `text` the name of a pack file, or what a dead writer left of one, that
 * the manifest does not name? */
static bool is_unnamed(const char *text, const shard_t *shard)
{
    const char *p = text;
    const char *end = text + strlen(text);
    fs_revprop_pack_name_t name;
    apr_uint64_t first, i;

    if (!fs_number_decimal(&first, &p, end, APR_INT64_MAX) || *p != '.')
        return false;
    p++;
    if (!fs_number_decimal(&name.tag, &p, end, APR_UINT64_MAX))
        return false;
    if (!strcmp(p, ".tmp"))
        return true;
    for (i = 0; i < shard->range.count; i++)
        if (shard->names[i].first_rev == (fs_rev_t)first &&
            shard->names[i].tag == name.tag)
            return false;
    return p == end;
}

/* Remove the files that the new manifest does not name. One that cannot be
 * removed does no harm. */
static void remove_unnamed(const edit_t *edit, const shard_t *shard)
{
    int fd = openat(edit->fsfs->folder, pack_path(edit, ""),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    while ((entry = readdir(folder)))
        if (is_unnamed(entry->d_name, shard))
            (void)unlinkat(fd, entry->d_name, 0);
    (void)closedir(folder);
}

static fs_error_t *write_manifest(const edit_t *edit, const shard_t *shard)
{
    fs_buffer_t *out = fs_buffer_create(4096, edit->pool);
    apr_uint64_t i;

    for (i = 0; i < shard->range.count; i++)
        fs_revprop_pack_manifest_format(out, &shard->names[i]);
    return fs_durable_replace(&edit->where, pack_path(edit, "manifest"),
                              edit->like, fs_buffer_bytes(out), edit->pool);
}

static fs_error_t *write_split(const edit_t *edit, shard_t *shard,
                               const part_t *parts, int count)
{
    const char *path = NULL;
    int i;

    if (shard->name.tag == APR_UINT64_MAX)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the name of a pack of revision properties has the "
                        "highest number");
    for (i = 0; i < count; i++)
        FS_TRY(move_part(&path, edit, shard, &parts[i]));
    FS_TRY(fs_durable_sync_folder(&edit->where, path, edit->pool));
    FS_TRY(write_manifest(edit, shard));
    remove_unnamed(edit, shard);
    return NULL;
}

static fs_error_t *edit_packed(const edit_t *edit)
{
    part_t parts[3];
    const char *path;
    shard_t shard;
    bool changed;
    int count;

    FS_TRY(read_shard(&shard, edit));
    FS_TRY(make_list(&shard.pack.entries[shard.at], &changed, edit));
    if (!changed)
        return NULL;
    count = split(parts, &shard, edit->fsfs->conf.revprop_pack_size);
    if (count > 1)
        return write_split(edit, &shard, parts, count);
    FS_TRY(write_part(&path, edit, &shard, &parts[0], &shard.name));
    return fs_durable_sync_folder(&edit->where, path, edit->pool);
}

/* --- Both --- */

/* The lock is held: nothing is packed, nobody else writes. */
static fs_error_t *edit_locked(edit_t *edit)
{
    fs_fsfs_t *fsfs = edit->fsfs;
    fs_rev_t min_unpacked;
    fs_error_t *err;
    bool stale;

    FS_TRY(fs_current_check(&stale, fsfs, edit->pool));
    if (stale)
        return FS_ERROR(FS_ERR_BUSY,
                        "the repository was replaced or upgraded, try again");
    FS_TRY(fs_current_read_min_unpacked(fsfs, edit->pool));
    min_unpacked = fs_current_min_unpacked(fsfs);
    edit->like = edit->rev < min_unpacked
                     ? fs_layout_pack_path(fsfs, edit->rev, "pack", edit->pool)
                     : fs_layout_rev_path(fsfs, edit->rev, edit->pool);
    err = fs_layout_revprops_packed(fsfs, edit->rev, min_unpacked)
              ? edit_packed(edit)
              : edit_loose(edit);
    return err ? FS_WRAP(err, "properties of r%" FS_REV_FMT, edit->rev) : NULL;
}

fs_error_t *fs_revprop_edit(fs_fsfs_t *fsfs, fs_rev_t rev,
                            const fs_revprop_change_t *changes, int count,
                            apr_pool_t *scratch)
{
    edit_t edit = { .fsfs = fsfs,
                    .where = { fsfs->folder, fsfs->nosync },
                    .rev = rev,
                    .changes = changes,
                    .count = count };
    fs_write_lock_t *lock;
    fs_error_t *err;

    FS_TRY(fs_current_need(fsfs, rev, scratch));
    apr_pool_create(&edit.pool, scratch);
    err = fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, edit.pool);
    if (!err) {
        err = edit_locked(&edit);
        fs_write_lock_release(lock);
    }
    apr_pool_destroy(edit.pool);
    return err;
}
