/* SPDX-License-Identifier: Apache-2.0 */
/* Reads everything that a store has, for tests of stores. */

#include "tests/support/store_walk.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/base/checksum.h"

typedef struct state_t {
    store_walk_t *walk;
    fs_store_t *store;
    apr_hash_t *seen; /* node ids */
    apr_pool_t *pool;
} state_t;

static fs_error_t *read_text(state_t *s, const fs_content_t *text,
                             apr_pool_t *scratch)
{
    char buf[20000];
    fs_stream_t *stream;
    apr_uint64_t total = 0;
    apr_size_t len;

    FS_TRY(s->store->vtable->open_content(&stream, s->store, text, 0, scratch));
    do {
        len = sizeof(buf);
        FS_TRY(fs_stream_read(stream, buf, &len));
        total += len;
    } while (len);
    FS_TRY(fs_stream_close(stream));
    if (total != text->size)
        return FS_ERROR(FS_ERR_GENERAL, "a text has the wrong length");
    s->walk->bytes += total;
    return NULL;
}

static fs_error_t *find_again(state_t *s, const fs_node_record_t *dir,
                              const fs_store_entry_t *entry,
                              apr_pool_t *scratch)
{
    const fs_store_entry_t *found;

    FS_TRY(s->store->vtable->dir_lookup(&found, s->store, dir, entry->name,
                                        scratch, scratch));
    if (!found || memcmp(found->id.bytes, entry->id.bytes, 16) ||
        found->kind != entry->kind || strcmp(found->name, entry->name))
        return FS_ERROR(FS_ERR_GENERAL, "entry '%s' is not found", entry->name);
    return NULL;
}

static fs_error_t *walk_node(state_t *s, const fs_node_id_t *id,
                             fs_node_kind_t kind, apr_pool_t *scratch);

static fs_error_t *walk_directory(state_t *s, const fs_node_record_t *record,
                                  apr_pool_t *scratch)
{
    const fs_store_entry_t *entry;
    char last[4096] = "";
    fs_store_dir_t *dir;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    FS_TRY(s->store->vtable->dir_open(&dir, s->store, record, scratch));
    for (;;) {
        apr_pool_clear(iter);
        FS_TRY(s->store->vtable->dir_next(&entry, dir));
        if (!entry)
            break;
        if (strcmp(last, entry->name) >= 0)
            return FS_ERROR(FS_ERR_GENERAL, "'%s' is out of order",
                            entry->name);
        apr_cpystrn(last, entry->name, sizeof(last));
        s->walk->entries++;
        FS_TRY(find_again(s, record, entry, iter));
        FS_TRY(walk_node(s, &entry->id, entry->kind, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *walk_node(state_t *s, const fs_node_id_t *id,
                             fs_node_kind_t kind, apr_pool_t *scratch)
{
    const fs_node_record_t *record;
    apr_hash_t *props;

    if (apr_hash_get(s->seen, id->bytes, 16))
        return NULL;
    apr_hash_set(s->seen, apr_pmemdup(s->pool, id->bytes, 16), 16, "");
    FS_TRY(s->store->vtable->node(&record, s->store, id, scratch, scratch));
    if (record->kind != kind)
        return FS_ERROR(FS_ERR_GENERAL, "'%s' has another kind",
                        record->created_path);
    FS_TRY(s->store->vtable->props(&props, s->store, &record->props, scratch,
                                   scratch));
    s->walk->props += apr_hash_count(props);
    if (kind == FS_NODE_DIR) {
        s->walk->directories++;
        return walk_directory(s, record, scratch);
    }
    s->walk->files++;
    return read_text(s, &record->text, scratch);
}

static fs_error_t *count_change(void *baton, const fs_store_change_t *change,
                                apr_pool_t *scratch)
{
    (void)scratch;
    if (change->path[0] != '/')
        return FS_ERROR(FS_ERR_GENERAL, "'%s' is no path", change->path);
    ((store_walk_t *)baton)->changes++;
    return NULL;
}

static fs_error_t *walk_revision(state_t *s, fs_rev_t rev, apr_pool_t *scratch)
{
    apr_hash_t *props;
    fs_node_id_t id;

    FS_TRY(s->store->vtable->root_id(&id, s->store, rev, scratch));
    FS_TRY(walk_node(s, &id, FS_NODE_DIR, scratch));
    FS_TRY(s->store->vtable->changes(s->store, rev, count_change, s->walk,
                                     scratch));
    FS_TRY(s->store->vtable->revprops(&props, s->store, rev, scratch, scratch));
    s->walk->revprops += apr_hash_count(props);
    s->walk->revisions++;
    return NULL;
}

fs_error_t *store_walk_all(store_walk_t *walk, fs_repo_t *repo,
                           apr_pool_t *pool)
{
    state_t s = { walk, fs_repo_store(repo), apr_hash_make(pool), pool };
    fs_rev_t youngest;
    apr_pool_t *iter;
    fs_rev_t rev;

    memset(walk, 0, sizeof(*walk));
    FS_TRY(fs_repo_youngest(&youngest, repo, pool));
    apr_pool_create(&iter, pool);
    for (rev = 0; rev <= youngest; rev++) {
        apr_pool_clear(iter);
        FS_TRY(walk_revision(&s, rev, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* --- Listing --- */

static fs_error_t *list_node(fs_buffer_t *out, fs_store_t *store,
                             const char *path, const fs_node_id_t *id,
                             apr_pool_t *scratch);

static fs_error_t *list_directory(fs_buffer_t *out, fs_store_t *store,
                                  const char *path,
                                  const fs_node_record_t *record,
                                  apr_pool_t *scratch)
{
    const fs_store_entry_t *entry;
    fs_store_dir_t *dir;
    apr_pool_t *iter;

    fs_buffer_printf(out, "-                                 %s/\n", path);
    apr_pool_create(&iter, scratch);
    FS_TRY(store->vtable->dir_open(&dir, store, record, scratch));
    for (;;) {
        apr_pool_clear(iter);
        FS_TRY(store->vtable->dir_next(&entry, dir));
        if (!entry)
            return NULL;
        FS_TRY(list_node(out, store,
                         apr_pstrcat(iter, path, *path ? "/" : "", entry->name,
                                     (char *)NULL),
                         &entry->id, iter));
    }
}

static fs_error_t *list_node(fs_buffer_t *out, fs_store_t *store,
                             const char *path, const fs_node_id_t *id,
                             apr_pool_t *scratch)
{
    fs_digest_t *digest = fs_digest_create(FS_DIGEST_MD5, scratch);
    unsigned char md5[FS_MD5_SIZE];
    const fs_node_record_t *record;
    fs_stream_t *stream;
    char buf[8192];
    apr_size_t len;

    FS_TRY(store->vtable->node(&record, store, id, scratch, scratch));
    if (record->kind == FS_NODE_DIR)
        return list_directory(out, store, path, record, scratch);
    FS_TRY(
        store->vtable->open_content(&stream, store, &record->text, 0, scratch));
    do {
        len = sizeof(buf);
        FS_TRY(fs_stream_read(stream, buf, &len));
        fs_digest_update(digest, buf, len);
    } while (len);
    fs_digest_finish(digest, md5);
    fs_buffer_printf(out, "%s  %s\n", fs_hex_format(md5, FS_MD5_SIZE, scratch),
                     path);
    return fs_stream_close(stream);
}

fs_error_t *store_walk_list(const char **text, fs_repo_t *repo, fs_rev_t rev,
                            apr_pool_t *pool)
{
    fs_store_t *store = fs_repo_store(repo);
    fs_buffer_t *out = fs_buffer_create(100000, pool);
    fs_node_id_t id;

    FS_TRY(store->vtable->root_id(&id, store, rev, pool));
    FS_TRY(list_node(out, store, "", &id, pool));
    *text = apr_pstrmemdup(pool, out->data, out->len);
    return NULL;
}
