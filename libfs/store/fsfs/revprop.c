/* SPDX-License-Identifier: Apache-2.0 */
/* Revision properties: found, read again if they changed, cached. */

#include "libfs/store/fsfs/revprop.h"

#include <string.h>

#include "libfs/format/hash_dump.h"
#include "libfs/format/revprop_pack.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/layout.h"

/* A file that a manifest names may be gone when it is opened: the manifest was
 * replaced meanwhile. So often it is read again. */
#define ATTEMPTS 10

/* Longest property list of a revision that is read, in bytes. */
#define LOOSE_MAX ((apr_size_t)1 << 30)

/* Longest line of a manifest, in bytes. */
#define MANIFEST_LINE_MAX 48

/* Lists up to this size, in bytes, are kept in the cache. */
#define CACHE_MAX 65536

/* Most neighbours of a packed list that are kept with it. */
#define NEIGHBOURS_MAX 256

/* `item` of cache keys. */
enum {
    KEY_LIST = 0,
    KEY_MANIFEST = 1
};

/* A kept list: the stamp of what it was read from, and the list. */
#define STAMP_LEN sizeof(apr_uint64_t)

static void keep(fs_fsfs_t *fsfs, fs_rev_t rev, apr_uint64_t stamp,
                 const fs_bytes_t *list, apr_pool_t *scratch)
{
    cache_key_t key = fs_handle_key(fsfs, CACHE_REVPROPS, rev, KEY_LIST);
    char *value;

    if (list->len > CACHE_MAX || !fsfs->cache)
        return;
    value = apr_palloc(scratch, STAMP_LEN + list->len);
    memcpy(value, &stamp, STAMP_LEN);
    memcpy(value + STAMP_LEN, list->data, list->len);
    (void)cache_put(fsfs->cache, &key, value, STAMP_LEN + list->len);
}

/* The list that is kept and the stamp it is good for. */
static bool kept(fs_bytes_t *list, apr_uint64_t *stamp, fs_fsfs_t *fsfs,
                 fs_rev_t rev, apr_pool_t *scratch)
{
    cache_key_t key = fs_handle_key(fsfs, CACHE_REVPROPS, rev, KEY_LIST);
    cache_value_t value;

    if (cache_get(fsfs->cache, &key, &value, scratch) || value.len < STAMP_LEN)
        return false;
    memcpy(stamp, value.data, STAMP_LEN);
    list->data = value.data + STAMP_LEN;
    list->len = value.len - STAMP_LEN;
    return true;
}

/* --- Loose --- */

/* Whether the file at `path` still has `stamp`. */
static fs_error_t *is_unchanged(bool *unchanged, fs_fsfs_t *fsfs,
                                const char *path, apr_uint64_t stamp)
{
    fs_stamp_t now;

    FS_TRY(fs_disk_file_stat(&now, unchanged, fsfs->folder, path));
    *unchanged = *unchanged && fs_disk_file_hash(&now) == stamp;
    return NULL;
}

/* `list->data` is NULL if there is no such file. */
static fs_error_t *read_loose(fs_bytes_t *list, fs_fsfs_t *fsfs, fs_rev_t rev,
                              apr_pool_t *scratch)
{
    const char *path = fs_layout_revprops_path(fsfs, rev, scratch);
    bool unchanged = false;
    apr_uint64_t known;
    apr_time_t looked;
    fs_stamp_t stamp;

    /* Opening a file costs no more than asking for its stamp before. */
    if (kept(list, &known, fsfs, rev, scratch))
        FS_TRY(is_unchanged(&unchanged, fsfs, path, known));
    if (unchanged)
        return NULL;
    looked = apr_time_now();
    FS_TRY(fs_disk_file_read(list, &stamp, fsfs->folder, path, LOOSE_MAX,
                             scratch));
    if (list->data && fs_disk_file_settled(&stamp, looked))
        keep(fsfs, rev, fs_disk_file_hash(&stamp), list, scratch);
    return NULL;
}

/* --- Packed --- */

/* One pack file and what its entries are cached under. */
typedef struct source_t {
    fs_revprop_shard_t shard;
    const char *path;
    fs_stamp_t manifest;
    apr_time_t looked; /* before the first look at either file */
} source_t;

/* The bytes of the manifest, whose stamp is known; NULL: it is gone. */
static fs_error_t *read_manifest(fs_bytes_t *manifest, source_t *source,
                                 fs_fsfs_t *fsfs, const char *path,
                                 apr_pool_t *scratch)
{
    const fs_revprop_shard_t *shard = &source->shard;
    fs_stamp_t *stamp = &source->manifest;
    cache_key_t key =
        fs_handle_key(fsfs, CACHE_REVPROPS, shard->first_rev, KEY_MANIFEST);
    cache_value_t value;

    key.extra = fs_disk_file_hash(stamp);
    if (!cache_get(fsfs->cache, &key, &value, scratch)) {
        manifest->data = value.data;
        manifest->len = value.len;
        return NULL;
    }
    FS_TRY(fs_disk_file_read(manifest, stamp, fsfs->folder, path,
                             (apr_size_t)shard->count * MANIFEST_LINE_MAX + 1,
                             scratch));
    key.extra = fs_disk_file_hash(stamp);
    if (manifest->data && fs_disk_file_settled(stamp, source->looked))
        (void)cache_put(fsfs->cache, &key, manifest->data, manifest->len);
    return NULL;
}

/* Was the pack file of `rev` found before, by the manifest as it is? */
static bool recall_pack(fs_revprop_pack_name_t *name, fs_fsfs_t *fsfs,
                        fs_rev_t rev, apr_uint64_t manifest)
{
    bool found;

    pthread_mutex_lock(&fsfs->pack.lock);
    found = fsfs->pack.manifest == manifest && fsfs->pack.first <= rev &&
            rev <= fsfs->pack.last;
    if (found)
        *name = fsfs->pack.name;
    pthread_mutex_unlock(&fsfs->pack.lock);
    return found;
}

static void remember_pack(const fs_revprop_pack_name_t *name, fs_fsfs_t *fsfs,
                          fs_rev_t first, fs_rev_t last, apr_uint64_t manifest)
{
    pthread_mutex_lock(&fsfs->pack.lock);
    fsfs->pack.manifest = manifest;
    fsfs->pack.name = *name;
    fsfs->pack.first = first;
    fsfs->pack.last = last;
    pthread_mutex_unlock(&fsfs->pack.lock);
}

/* Name of the pack file that has `rev`; `*found` is false if there is no
 * manifest. */
static fs_error_t *find_pack(fs_revprop_pack_name_t *name, bool *found,
                             source_t *source, fs_fsfs_t *fsfs, fs_rev_t rev,
                             apr_pool_t *scratch)
{
    const char *path =
        fs_layout_revprops_pack_path(fsfs, rev, "manifest", scratch);
    fs_bytes_t manifest = { NULL, 0 };
    fs_rev_t first, last;

    source->looked = apr_time_now();
    FS_TRY(fs_disk_file_stat(&source->manifest, found, fsfs->folder, path));
    if (!*found ||
        recall_pack(name, fsfs, rev, fs_disk_file_hash(&source->manifest)))
        return NULL;
    FS_TRY(read_manifest(&manifest, source, fsfs, path, scratch));
    *found = manifest.data != NULL;
    if (!*found)
        return NULL;
    FS_TRY(fs_revprop_pack_manifest_find(name, &first, &last, manifest.data,
                                         manifest.len, &source->shard, rev));
    if (fs_disk_file_settled(&source->manifest, source->looked))
        remember_pack(name, fsfs, first, last,
                      fs_disk_file_hash(&source->manifest));
    return NULL;
}

static apr_uint64_t stamp_of(const source_t *source, const fs_stamp_t *pack)
{
    return fs_disk_file_hash(pack) ^ (fs_disk_file_hash(&source->manifest) * 3);
}

/* Keep what was read of a pack file: a log wants the neighbours next. */
static void keep_entries(fs_fsfs_t *fsfs, const fs_revprop_pack_t *pack,
                         fs_rev_t rev, apr_uint64_t stamp, apr_pool_t *scratch)
{
    apr_uint64_t at = (apr_uint64_t)(rev - pack->first_rev);
    apr_uint64_t first = at < NEIGHBOURS_MAX / 2 ? 0 : at - NEIGHBOURS_MAX / 2;
    apr_uint64_t i;

    for (i = first; i < pack->count && i - first < NEIGHBOURS_MAX; i++)
        keep(fsfs, pack->first_rev + (fs_rev_t)i, stamp, &pack->entries[i],
             scratch);
}

/* `list->data` is NULL if the pack file is not there. */
static fs_error_t *read_pack(fs_bytes_t *list, fs_fsfs_t *fsfs, fs_rev_t rev,
                             const source_t *source, apr_pool_t *scratch)
{
    fs_revprop_pack_t pack;
    apr_uint64_t known;
    fs_stamp_t stamp;
    fs_bytes_t bytes;
    bool exists;

    list->data = NULL;
    FS_TRY(fs_disk_file_stat(&stamp, &exists, fsfs->folder, source->path));
    if (!exists || (kept(list, &known, fsfs, rev, scratch) &&
                    known == stamp_of(source, &stamp)))
        return NULL;
    list->data = NULL;
    FS_TRY(fs_disk_file_read(&bytes, &stamp, fsfs->folder, source->path,
                             FS_REVPROP_PACK_MAX, scratch));
    if (!bytes.data)
        return NULL;
    FS_TRY(fs_revprop_pack_parse(&pack, bytes.data, bytes.len, &source->shard,
                                 scratch));
    FS_TRY(fs_revprop_pack_get(list, &pack, rev));
    if (fs_disk_file_settled(&stamp, source->looked) &&
        fs_disk_file_settled(&source->manifest, source->looked) && fsfs->cache)
        keep_entries(fsfs, &pack, rev, stamp_of(source, &stamp), scratch);
    return NULL;
}

/* `list->data` is NULL if a file was not there. */
static fs_error_t *read_packed(fs_bytes_t *list, fs_fsfs_t *fsfs, fs_rev_t rev,
                               apr_pool_t *scratch)
{
    char name[FS_REVPROP_PACK_NAME_SIZE];
    fs_revprop_pack_name_t pack;
    source_t source;
    bool found;

    list->data = NULL;
    source.shard = fs_revprop_pack_shard(fs_layout_shard(fsfs, rev),
                                         fsfs->format.shard_size);
    FS_TRY(find_pack(&pack, &found, &source, fsfs, rev, scratch));
    if (!found)
        return NULL;
    (void)fs_revprop_pack_name(name, &pack);
    source.path = fs_layout_revprops_pack_path(fsfs, rev, name, scratch);
    return read_pack(list, fsfs, rev, &source, scratch);
}

/* --- Both --- */

/* From where the list is as far as known; `list->data` is NULL if it is not
 * there. */
static fs_error_t *read_once(fs_bytes_t *list, fs_fsfs_t *fsfs, fs_rev_t rev,
                             apr_pool_t *scratch)
{
    fs_rev_t min_unpacked = fs_current_min_unpacked(fsfs);

    if (fs_layout_revprops_packed(fsfs, rev, min_unpacked))
        return read_packed(list, fsfs, rev, scratch);
    FS_TRY(read_loose(list, fsfs, rev, scratch));
    /* An upgrade from format 4 packs the lists of the shards that are packed;
     * who began before it still has the old format. */
    if (!list->data && rev > 0 && rev < min_unpacked)
        return read_packed(list, fsfs, rev, scratch);
    return NULL;
}

/* A pack may move the list meanwhile. */
static fs_error_t *read_list(fs_bytes_t *list, fs_fsfs_t *fsfs, fs_rev_t rev,
                             apr_pool_t *scratch)
{
    fs_error_t *err = NULL;
    int attempt;

    list->data = NULL;
    for (attempt = 0; attempt < ATTEMPTS && !list->data; attempt++) {
        fs_error_clear(err);
        err = read_once(list, fsfs, rev, scratch);
        /* Torn files are seen on network file systems. */
        if (err && fs_error_kind(err->code) == FS_KIND_IO)
            return err;
        if (!err && !list->data)
            err = fs_current_read_min_unpacked(fsfs, scratch);
        if (err && attempt)
            apr_sleep(1000);
    }
    FS_TRY(err);
    if (!list->data)
        return FS_ERROR(FS_ERR_CORRUPT, "there is no file that has them");
    return NULL;
}

fs_error_t *fs_revprop_read(apr_hash_t **props, fs_fsfs_t *fsfs, fs_rev_t rev,
                            apr_pool_t *result, apr_pool_t *scratch)
{
    fs_error_t *err;
    fs_bytes_t list;

    FS_TRY(fs_current_need(fsfs, rev, scratch));
    FS_TRY(fs_current_confirm(fsfs, scratch));
    err = read_list(&list, fsfs, rev, scratch);
    if (!err)
        err = fs_hash_dump_parse(props, list.data, list.len, false, result);
    return err ? FS_WRAP(err, "properties of r%" FS_REV_FMT, rev) : NULL;
}
