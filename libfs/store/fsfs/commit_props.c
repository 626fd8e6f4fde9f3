/* SPDX-License-Identifier: Apache-2.0 */
/* Property lists of a new revision, each stored once. */

#include "libfs/store/fsfs/commit_props.h"

#include <string.h>

#include "libfs/store/fsfs/commit_dir.h"
#include "libfs/store/fsfs/rep_cache.h"
#include "libfs/store/fsfs/rep_read.h"

/* Longest list that is written, in bytes. */
#define LIST_MAX ((apr_size_t)1 << 30)

/* A list that this revision has already. */
typedef struct stored_t {
    fs_rep_t rep;
    fs_txn_props_t place;
} stored_t;

struct fs_commit_props_t {
    fs_commit_items_t *items;
    const fs_txn_state_t *state;
    apr_array_header_t *reps;
    apr_hash_t *stored;       /* SHA-1 to stored_t */
    apr_uint64_t next_unique; /* uniquifier */
    bool sharing;
    apr_pool_t *pool;
};

fs_commit_props_t *fs_commit_props_create(fs_commit_items_t *items,
                                          const fs_txn_state_t *state,
                                          apr_array_header_t *reps,
                                          apr_pool_t *result)
{
    fs_commit_props_t *props = apr_pcalloc(result, sizeof(*props));

    props->items = items;
    props->state = state;
    props->reps = reps;
    props->stored = apr_hash_make(result);
    props->next_unique = state->next_node;
    props->sharing = state->fsfs->format.format >= FS_FORMAT_REP_SHARING &&
                     state->fsfs->conf.enable_rep_sharing;
    props->pool = result;
    return props;
}

static fs_error_t *read_list(fs_bytes_t *list, const fs_txn_state_t *state,
                             const fs_txn_props_t *place, apr_pool_t *result)
{
    apr_size_t len = place->len;
    char *data = apr_palloc(result, len + 1);

    FS_TRY(fs_disk_file_pread(state->journal, place->offset, data, &len,
                              "the transaction's journal"));
    if (len != place->len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the transaction's journal ends in a property list");
    list->data = data;
    list->len = len;
    return NULL;
}

/* --- Sharing --- */

static fs_error_t *check_equal(fs_bytes_t a, fs_bytes_t b)
{
    if (a.len != b.len || memcmp(a.data, b.data, a.len))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "two property lists differ and have the same SHA-1");
    return NULL;
}

static fs_error_t *find_new(bool *found, fs_rep_t *rep,
                            const fs_commit_props_t *props, fs_bytes_t list,
                            apr_pool_t *scratch)
{
    const stored_t *stored =
        apr_hash_get(props->stored, rep->sha1, sizeof(rep->sha1));
    fs_bytes_t other;

    *found = stored != NULL;
    if (!stored)
        return NULL;
    FS_TRY(read_list(&other, props->state, &stored->place, scratch));
    FS_TRY(check_equal(list, other));
    *rep = stored->rep;
    return NULL;
}

typedef struct same_t {
    fs_fsfs_t *fsfs;
    fs_bytes_t list;
} same_t;

static fs_error_t *is_same(bool *same, void *baton, const fs_rep_t *candidate,
                           apr_pool_t *scratch)
{
    const same_t *wanted = baton;
    fs_content_t content = fs_commit_dir_content(candidate);
    fs_bytes_t text;

    FS_TRY(fs_rep_read_all(&text, wanted->fsfs, &content, CACHE_PROPERTIES,
                           LIST_MAX, scratch));
    *same = text.len == wanted->list.len &&
            !memcmp(text.data, wanted->list.data, text.len);
    return NULL;
}

/* Look for the list; `rep` has its size and digests. */
static fs_error_t *find(bool *found, fs_rep_t *rep,
                        const fs_commit_props_t *props, fs_bytes_t list,
                        apr_pool_t *scratch)
{
    same_t wanted = { props->state->fsfs, list };

    *found = false;
    if (!props->sharing)
        return NULL;
    FS_TRY(find_new(found, rep, props, list, scratch));
    if (*found)
        return NULL;
    return fs_rep_cache_find(found, rep, wanted.fsfs, is_same, &wanted,
                             scratch);
}

/* --- Writing --- */

static void remember(fs_commit_props_t *props, const fs_rep_t *rep,
                     const fs_txn_props_t *place)
{
    stored_t *stored;

    if (!props->sharing)
        return;
    stored = apr_palloc(props->pool, sizeof(*stored));
    stored->rep = *rep;
    stored->place = *place;
    apr_hash_set(props->stored, stored->rep.sha1, sizeof(stored->rep.sha1),
                 stored);
    APR_ARRAY_PUSH(props->reps, fs_rep_t) = *rep;
}

static fs_error_t *store(fs_rep_t *rep, fs_commit_props_t *props,
                         const fs_txn_node_t *node, fs_bytes_t list,
                         apr_pool_t *scratch)
{
    fs_rep_write_t *write;

    FS_TRY(fs_commit_items_open(&write, props->items, &node->rec,
                                FS_REP_KIND_PROPS, scratch));
    FS_TRY(fs_rep_write(write, list.data, list.len));
    FS_TRY(fs_commit_items_close(rep, props->items, write,
                                 node->rec.kind == FS_NODE_DIR
                                     ? FS_ITEM_DIR_PROPS
                                     : FS_ITEM_FILE_PROPS));
    remember(props, rep, &node->props);
    return NULL;
}

fs_error_t *fs_commit_props_write(fs_rep_t *rep, fs_commit_props_t *props,
                                  const fs_txn_node_t *node,
                                  apr_pool_t *scratch)
{
    const fs_txn_state_t *state = props->state;
    int format = state->fsfs->format.format;
    fs_bytes_t list;
    bool found;

    FS_TRY(read_list(&list, state, &node->props, scratch));
    memset(rep, 0, sizeof(*rep));
    rep->size = list.len;
    rep->has_md5 = true;
    rep->has_sha1 = true;
    fs_digest_md5(rep->md5, list.data, list.len);
    fs_digest_sha1(rep->sha1, list.data, list.len);
    FS_TRY(find(&found, rep, props, list, scratch));
    if (!found)
        FS_TRY(store(rep, props, node, list, scratch));
    /* Equal lists that were set by two acts are told apart by this. */
    if (format >= FS_FORMAT_REP_SHARING) {
        rep->has_unique = true;
        rep->unique_txn = state->id;
        rep->unique_number = props->next_unique++;
    }
    rep->has_sha1 = format < FS_FORMAT_REP_DASH;
    return NULL;
}
