/* SPDX-License-Identifier: Apache-2.0 */
/* The store's functions, and opening it. */

#include "libfs/store/fsfs/fsfs.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/format/hash_dump.h"
#include "libfs/store/fsfs/changes_read.h"
#include "libfs/store/fsfs/create.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/dir_pages.h"
#include "libfs/store/fsfs/facts.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/open.h"
#include "libfs/store/fsfs/path_lock.h"
#include "libfs/store/fsfs/path_lock_edit.h"
#include "libfs/store/fsfs/prefetch.h"
#include "libfs/store/fsfs/rep_read.h"
#include "libfs/store/fsfs/revprop.h"
#include "libfs/store/fsfs/revprop_edit.h"
#include "libfs/store/fsfs/txn.h"
#include "libfs/store/fsfs/txn_list.h"
#include "libfs/store/fsfs/txn_read.h"

/* Longest property list of a node that is read, in bytes. */
#define PROPS_MAX ((apr_size_t)1 << 30)

static fs_error_t *open_store(fs_store_t **store, const char *path,
                              apr_hash_t *options, cache_t *cache,
                              apr_pool_t *result)
{
    fs_fsfs_t *fsfs;

    FS_TRY(fs_open(&fsfs, path, options, cache, result));
    fsfs->store.vtable = fs_fsfs_vtable();
    *store = &fsfs->store;
    return NULL;
}

static fs_error_t *check(bool *stale, fs_store_t *store, apr_pool_t *scratch)
{
    return fs_current_check(stale, fs_handle_of(store), scratch);
}

static const char *uuid(fs_store_t *store)
{
    return fs_handle_of(store)->uuid.uuid;
}

static const unsigned char *instance(fs_store_t *store)
{
    return fs_handle_of(store)->instance;
}

static int format(fs_store_t *store)
{
    return fs_handle_of(store)->format.format;
}

static bool has_mergeinfo(fs_store_t *store)
{
    return fs_handle_of(store)->format.format >= FS_FORMAT_MERGEINFO;
}

static fs_error_t *facts(apr_array_header_t **list, fs_store_t *store,
                         apr_pool_t *result)
{
    return fs_facts_list(list, fs_handle_of(store), result);
}

static fs_rev_t youngest_known(fs_store_t *store)
{
    return fs_current_known(fs_handle_of(store));
}

static fs_error_t *youngest(fs_rev_t *rev, fs_store_t *store,
                            apr_pool_t *scratch)
{
    return fs_current_youngest(rev, fs_handle_of(store), scratch);
}

static fs_error_t *root_id(fs_node_id_t *id, fs_store_t *store, fs_rev_t rev,
                           apr_pool_t *scratch)
{
    return fs_node_read_root_id(id, fs_handle_of(store), rev, scratch);
}

static fs_error_t *node(const fs_node_record_t **record, fs_store_t *store,
                        const fs_node_id_t *id, apr_pool_t *result,
                        apr_pool_t *scratch)
{
    if (fs_txn_read_is_ours(id->bytes))
        return fs_txn_read_node(record, id, result);
    return fs_node_read(record, fs_handle_of(store), id, result, scratch);
}

static fs_error_t *dir_lookup(const fs_store_entry_t **entry, fs_store_t *store,
                              const fs_node_record_t *record, const char *name,
                              apr_pool_t *result, apr_pool_t *scratch)
{
    if (fs_txn_read_is_ours(record->id.bytes))
        return fs_txn_read_lookup(entry, record, name, result, scratch);
    return fs_dir_pages_lookup(entry, fs_handle_of(store), record, name, result,
                               scratch);
}

static fs_error_t *dir_open(fs_store_dir_t **dir, fs_store_t *store,
                            const fs_node_record_t *record, apr_pool_t *result)
{
    if (fs_txn_read_is_ours(record->id.bytes))
        return fs_txn_read_dir_open(dir, record, result);
    return fs_dir_pages_open(dir, fs_handle_of(store), record, result);
}

static fs_error_t *dir_next(const fs_store_entry_t **entry, fs_store_dir_t *dir)
{
    return dir->next(entry, dir);
}

static fs_error_t *props(apr_hash_t **table, fs_store_t *store,
                         const fs_content_t *content, apr_pool_t *result,
                         apr_pool_t *scratch)
{
    fs_rep_place_t place = fs_rep_read_place(content);
    fs_error_t *err;
    fs_bytes_t text;

    if (fs_txn_read_is_ours(content->id))
        FS_TRY(fs_txn_read_props(&text, content, scratch));
    else
        FS_TRY(fs_rep_read_all(&text, fs_handle_of(store), content,
                               CACHE_PROPERTIES, PROPS_MAX, scratch));
    if (!text.len) {
        *table = apr_hash_make(result);
        return NULL;
    }
    err = fs_hash_dump_parse(table, text.data, text.len, false, result);
    return err ? fs_item_wrap(err, place.rev, place.item) : NULL;
}

static fs_error_t *open_content(fs_stream_t **stream, fs_store_t *store,
                                const fs_content_t *content,
                                apr_uint64_t offset, apr_pool_t *result)
{
    if (fs_txn_read_is_ours(content->id))
        return fs_txn_read_stream(stream, content, offset, result);
    return fs_rep_read_stream(stream, fs_handle_of(store), content, offset,
                              result);
}

static fs_error_t *open_stored_delta(fs_stored_delta_t **delta,
                                     fs_store_t *store,
                                     const fs_content_t *base,
                                     const fs_content_t *content,
                                     unsigned int versions, apr_pool_t *result)
{
    *delta = NULL;
    if (fs_txn_read_is_ours(content->id) ||
        (base && fs_txn_read_is_ours(base->id)))
        return NULL;
    return fs_rep_read_stored_delta(delta, fs_handle_of(store), base, content,
                                    versions, result);
}

static void prefetch(fs_store_t *store, const fs_content_t *const *contents,
                     int count)
{
    fs_prefetch(fs_handle_of(store), contents, count);
}

static fs_error_t *changes(fs_store_t *store, fs_rev_t rev,
                           fs_store_change_fn receive, void *baton,
                           apr_pool_t *scratch)
{
    return fs_changes_read(fs_handle_of(store), rev, receive, baton, scratch);
}

static fs_error_t *revprops(apr_hash_t **table, fs_store_t *store, fs_rev_t rev,
                            apr_pool_t *result, apr_pool_t *scratch)
{
    return fs_revprop_read(table, fs_handle_of(store), rev, result, scratch);
}

static fs_error_t *change_revprops(fs_store_t *store, fs_rev_t rev,
                                   const fs_revprop_change_t *changes,
                                   int count, apr_pool_t *scratch)
{
    return fs_revprop_edit(fs_handle_of(store), rev, changes, count, scratch);
}

static fs_error_t *txns(apr_array_header_t **names, fs_store_t *store,
                        apr_pool_t *result)
{
    return fs_txn_list(names, fs_handle_of(store), result);
}

static fs_error_t *lock_edit(fs_store_t *store, const char *const *paths,
                             int count, fs_store_lock_edit_fn decide,
                             void *baton, apr_pool_t *scratch)
{
    return fs_path_lock_edit(fs_handle_of(store), paths, count, decide, baton,
                             scratch);
}

static fs_error_t *lock_get(const fs_store_lock_t **lock, fs_store_t *store,
                            const char *path, apr_pool_t *result)
{
    return fs_path_lock_get(lock, fs_handle_of(store), path, result);
}

static fs_error_t *lock_list(fs_store_t *store, const char *path,
                             fs_store_lock_fn receive, void *baton,
                             apr_pool_t *scratch)
{
    return fs_path_lock_list(fs_handle_of(store), path, receive, baton,
                             scratch);
}

const fs_store_vtable_t *fs_fsfs_vtable(void)
{
    static const fs_store_vtable_t vtable = {
        .name = "fsfs",
        .options = fs_open_options,
        .check_options = fs_open_check_options,
        .probe = fs_open_probe,
        .create = fs_create,
        .open = open_store,
        .check = check,
        .uuid = uuid,
        .instance = instance,
        .format = format,
        .has_mergeinfo = has_mergeinfo,
        .facts = facts,
        .youngest = youngest,
        .youngest_known = youngest_known,
        .root_id = root_id,
        .node = node,
        .dir_lookup = dir_lookup,
        .dir_open = dir_open,
        .dir_next = dir_next,
        .props = props,
        .open_content = open_content,
        .open_stored_delta = open_stored_delta,
        .prefetch = prefetch,
        .changes = changes,
        .revprops = revprops,
        .change_revprops = change_revprops,
        .txns = txns,
        .lock_edit = lock_edit,
        .lock_get = lock_get,
        .lock_list = lock_list,
        .txn = &fs_txn_vtable,
    };

    return &vtable;
}
