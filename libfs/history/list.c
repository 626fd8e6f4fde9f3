/* SPDX-License-Identifier: Apache-2.0 */
/* Listings of a tree, cut by depth, patterns and rights. */

#include "libfs/fs_history.h"

#include "libfs/base/fold.h"
#include "libfs/fs_path.h"
#include "libfs/tree/reader.h"

typedef struct list_t {
    fs_rev_t rev;
    const apr_array_header_t *patterns;
    const fs_reader_t *reader;
    fs_list_fn receive;
    void *baton;
} list_t;

static bool matches(const list_t *list, const char *name, apr_pool_t *scratch)
{
    int i;

    if (!list->patterns)
        return true;
    for (i = 0; i < list->patterns->nelts; i++)
        if (fs_fold_match(APR_ARRAY_IDX(list->patterns, i, const char *), name,
                          scratch))
            return true;
    return false;
}

static fs_error_t *list_children(const list_t *list, const fs_node_t *dir,
                                 fs_depth_t depth, apr_pool_t *scratch);

/* Tell an entry, and what is below it if `depth` goes on. */
static fs_error_t *list_entry(const list_t *list, const fs_node_t *dir,
                              const fs_dirent_t *entry, fs_depth_t depth,
                              apr_pool_t *scratch)
{
    bool wanted = matches(list, entry->name, scratch);
    bool descend = depth == FS_DEPTH_INFINITY && entry->kind == FS_NODE_DIR;
    const fs_node_t *node;
    bool allowed;

    if (depth == FS_DEPTH_FILES && entry->kind != FS_NODE_FILE)
        return NULL;
    if (!wanted && !descend)
        return NULL;
    FS_TRY(fs_reader_may_read(
        &allowed, list->reader, list->rev,
        fs_path_join(fs_node_path(dir), entry->name, scratch), scratch));
    if (!allowed)
        return NULL;
    FS_TRY(fs_dir_node(&node, dir, entry, scratch));
    if (wanted)
        FS_TRY(list->receive(list->baton, node, scratch));
    return descend ? list_children(list, node, depth, scratch) : NULL;
}

static fs_error_t *list_children(const list_t *list, const fs_node_t *dir,
                                 fs_depth_t depth, apr_pool_t *scratch)
{
    const fs_dirent_t *entry;
    apr_pool_t *iter;
    fs_dir_t *cursor;

    apr_pool_create(&iter, scratch);
    FS_TRY(fs_dir_open(&cursor, dir, scratch));
    for (;;) {
        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, cursor));
        if (!entry)
            break;
        FS_TRY(list_entry(list, dir, entry, depth, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

fs_error_t *fs_list(fs_root_t *root, const char *path, fs_depth_t depth,
                    const apr_array_header_t *patterns,
                    const fs_reader_t *reader, fs_list_fn receive, void *baton,
                    apr_pool_t *scratch)
{
    list_t list = { fs_root_rev(root), patterns, reader, receive, baton };
    const fs_node_t *node;
    bool allowed;

    FS_TRY(fs_reader_may_read(&allowed, reader, list.rev, path, scratch));
    if (!allowed)
        return NULL;
    FS_TRY(fs_node_need(&node, root, path, scratch));
    if (patterns && patterns->nelts == 0)
        return NULL;
    if (matches(&list, fs_path_name(path), scratch))
        FS_TRY(receive(baton, node, scratch));
    if (depth <= FS_DEPTH_EMPTY || fs_node_kind(node) != FS_NODE_DIR)
        return NULL;
    return list_children(&list, node, depth, scratch);
}
