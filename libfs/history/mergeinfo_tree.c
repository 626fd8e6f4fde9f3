/* SPDX-License-Identifier: Apache-2.0 */
/* Mergeinfo as it stands in the tree: own, inherited, and below a path. */

#include "libfs/history/mergeinfo_tree.h"

#include "libfs/fs_path.h"
#include "libfs/history/rev_arg.h"
#include "libfs/tree/reader.h"
#include "libfs/tree/tree.h"

#define PROP_MERGEINFO "svn:mergeinfo"

fs_error_t *fs_mergeinfo_tree_value(const fs_bytes_t **value,
                                    const fs_node_t *node, apr_pool_t *result)
{
    return fs_node_prop(value, node, PROP_MERGEINFO, result);
}

/* ---- the value that holds for a path ---- */

/*
 * Go down to `path`. `*nearest` becomes the deepest node on the way that has
 * mergeinfo (NULL: none), `path` itself included if `itself`.
 */
static fs_error_t *descend(const fs_node_t **nearest, bool *exists,
                           fs_root_t *root, const char *path, bool itself,
                           apr_pool_t *scratch)
{
    apr_array_header_t *names = fs_path_segments(path, scratch);
    const fs_node_t *node;
    int i;

    *nearest = NULL;
    FS_TRY(fs_node_need(&node, root, "/", scratch));
    for (i = 0; i < names->nelts; i++) {
        if (fs_node_has_mergeinfo(node))
            *nearest = node;
        if (fs_node_kind(node) != FS_NODE_DIR) {
            node = NULL;
            break;
        }
        FS_TRY(fs_node_child(&node, node, APR_ARRAY_IDX(names, i, const char *),
                             scratch));
        if (!node)
            break;
    }
    *exists = node != NULL;
    if (node && itself && fs_node_has_mergeinfo(node))
        *nearest = node;
    return NULL;
}

fs_error_t *fs_mergeinfo_tree_find(apr_hash_t **mergeinfo, bool *exists,
                                   fs_root_t *root, const char *path,
                                   fs_inheritance_t inheritance, bool adjust,
                                   apr_pool_t *result, apr_pool_t *scratch)
{
    const fs_node_t *nearest;
    const fs_bytes_t *value;
    const char *below;

    *mergeinfo = NULL;
    FS_TRY(descend(&nearest, exists, root, path,
                   inheritance != FS_MERGEINFO_NEAREST_ANCESTOR, scratch));
    if (!*exists || !nearest)
        return NULL;
    below = fs_path_below(fs_node_path(nearest), path);
    if (inheritance == FS_MERGEINFO_EXPLICIT && *below)
        return NULL;
    FS_TRY(fs_mergeinfo_tree_value(&value, nearest, scratch));
    if (!value)
        return NULL;
    FS_TRY(fs_mergeinfo_parse(mergeinfo, value->data, value->len, result));
    if (adjust && *below)
        *mergeinfo = fs_mergeinfo_append(
            fs_mergeinfo_inheritable(*mergeinfo, result), below, result);
    return NULL;
}

/* ---- answering for many paths ---- */

typedef struct collector_t {
    const fs_reader_t *reader;
    fs_rev_t rev;
    fs_mergeinfo_fn receive;
    void *baton;
} collector_t;

/* Tell the node's own value, if it has one that parses. */
static fs_error_t *tell_own(const collector_t *c, const fs_node_t *node,
                            apr_pool_t *scratch)
{
    const fs_bytes_t *value;
    apr_hash_t *mergeinfo;
    fs_error_t *err;

    if (!fs_node_has_mergeinfo(node))
        return NULL;
    FS_TRY(fs_mergeinfo_tree_value(&value, node, scratch));
    if (!value)
        return NULL;
    err = fs_mergeinfo_parse(&mergeinfo, value->data, value->len, scratch);
    if (err) {
        fs_error_clear(err);
        return NULL;
    }
    return c->receive(c->baton, fs_node_path(node), mergeinfo, scratch);
}

/*
 * Tell what is below `dir`, as far as the reader may see it: behind an
 * unreadable folder nothing is looked for.
 */
static fs_error_t *tell_below(const collector_t *c, const fs_node_t *dir,
                              apr_pool_t *scratch)
{
    apr_pool_t *iter;
    const fs_dirent_t *entry;
    fs_dir_t *entries;

    apr_pool_create(&iter, scratch);
    FS_TRY(fs_dir_open(&entries, dir, scratch));
    for (;;) {
        const fs_node_t *child;
        bool readable;

        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, entries));
        if (!entry)
            break;
        FS_TRY(fs_dir_node(&child, dir, entry, iter));
        if (fs_node_mergeinfo_count(child) <= 0)
            continue;
        FS_TRY(fs_reader_may_read(&readable, c->reader, c->rev,
                                  fs_node_path(child), iter));
        if (!readable)
            continue;
        FS_TRY(tell_own(c, child, iter));
        if (fs_node_kind(child) == FS_NODE_DIR)
            FS_TRY(tell_below(c, child, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* Tell the value that holds for `path`; one that does not parse is none. */
static fs_error_t *tell_path(const collector_t *c, fs_root_t *root,
                             const char *path, fs_inheritance_t inheritance,
                             apr_pool_t *scratch)
{
    apr_hash_t *mergeinfo;
    bool exists = true;
    fs_error_t *err;

    err = fs_mergeinfo_tree_find(&mergeinfo, &exists, root, path, inheritance,
                                 true, scratch, scratch);
    if (err && err->code == FS_ERR_MERGEINFO) {
        fs_error_clear(err);
        return NULL;
    }
    FS_TRY(err);
    if (!exists)
        return FS_ERROR(FS_ERR_NOT_FOUND,
                        "path '%s' not found in revision %" FS_REV_FMT, path,
                        c->rev);
    if (!mergeinfo)
        return NULL;
    return c->receive(c->baton, path, mergeinfo, scratch);
}

fs_error_t *fs_mergeinfo_get(fs_repo_t *repo, fs_rev_t rev,
                             const apr_array_header_t *paths,
                             fs_inheritance_t inheritance,
                             bool include_descendants,
                             const fs_reader_t *reader, fs_mergeinfo_fn receive,
                             void *baton, apr_pool_t *scratch)
{
    collector_t c = { reader, rev, receive, baton };
    apr_pool_t *iter;
    fs_root_t *root;
    fs_rev_t youngest;
    int i;

    if (!fs_repo_has_mergeinfo(repo))
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "the repository's format records no mergeinfo");
    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    FS_TRY(fs_rev_arg_resolve(&c.rev, youngest));
    FS_TRY(fs_root_open_known(&root, repo, c.rev, scratch));
    apr_pool_create(&iter, scratch);
    for (i = 0; i < paths->nelts; i++) {
        const char *path = APR_ARRAY_IDX(paths, i, const char *);
        const fs_node_t *node;
        bool readable;

        apr_pool_clear(iter);
        FS_TRY(fs_reader_may_read(&readable, reader, c.rev, path, iter));
        if (!readable)
            continue;
        FS_TRY(tell_path(&c, root, path, inheritance, iter));
        if (!include_descendants)
            continue;
        FS_TRY(fs_node_need(&node, root, path, iter));
        if (fs_node_kind(node) == FS_NODE_DIR)
            FS_TRY(tell_below(&c, node, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}
