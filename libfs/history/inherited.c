/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the directories above a path. */

#include "libfs/fs_history.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/tree/reader.h"

/* Working copies' own names are never properties of a repository's node. */
static bool is_regular(const char *name)
{
    return strncmp(name, "svn:wc:", 7) != 0 &&
           strncmp(name, "svn:entry:", 10) != 0;
}

/* What of `dir`'s properties is inherited; NULL if nothing is. */
static fs_error_t *inherited_of(apr_hash_t **props, const fs_node_t *dir,
                                const char *name, apr_pool_t *result)
{
    apr_hash_t *all;
    apr_hash_index_t *i;

    *props = NULL;
    if (!fs_node_has_props(dir))
        return NULL;
    FS_TRY(fs_node_props(&all, dir, result));
    for (i = apr_hash_first(result, all); i; i = apr_hash_next(i)) {
        const char *key = apr_hash_this_key(i);

        if (!is_regular(key) || (name && strcmp(key, name) != 0))
            continue;
        if (!*props)
            *props = apr_hash_make(result);
        apr_hash_set(*props, key, APR_HASH_KEY_STRING, apr_hash_this_val(i));
    }
    return NULL;
}

static fs_error_t *add_parent(apr_array_header_t *parents, const fs_node_t *dir,
                              const char *name, const fs_reader_t *reader,
                              apr_pool_t *result)
{
    fs_inherited_t *parent;
    apr_hash_t *props;
    bool allowed;

    FS_TRY(fs_reader_may_read(&allowed, reader, fs_root_rev(fs_node_root(dir)),
                              fs_node_path(dir), result));
    if (!allowed)
        return NULL;
    FS_TRY(inherited_of(&props, dir, name, result));
    if (props) {
        parent = apr_array_push(parents);
        parent->path = fs_node_path(dir) + 1;
        parent->props = props;
    }
    return NULL;
}

fs_error_t *fs_inherited_props(apr_array_header_t **parents, fs_root_t *root,
                               const char *path, const char *name,
                               const fs_reader_t *reader, apr_pool_t *result)
{
    const apr_array_header_t *segments = fs_path_segments(path, result);
    const fs_node_t *dir;
    bool allowed;
    int i;

    FS_TRY(
        fs_reader_may_read(&allowed, reader, fs_root_rev(root), path, result));
    if (!allowed)
        return FS_ERROR(FS_ERR_UNREADABLE,
                        "the path may not be read in revision %" FS_REV_FMT,
                        fs_root_rev(root));
    *parents = apr_array_make(result, 4, sizeof(fs_inherited_t));
    if (segments->nelts == 0)
        return NULL;
    FS_TRY(fs_node_need(&dir, root, "/", result));
    for (i = 0;; i++) {
        FS_TRY(add_parent(*parents, dir, name, reader, result));
        if (i == segments->nelts - 1)
            return NULL;
        FS_TRY(fs_node_child(&dir, dir,
                             APR_ARRAY_IDX(segments, i, const char *), result));
        if (!dir)
            return FS_ERROR(FS_ERR_NOT_FOUND,
                            "path '%s' not found in revision %" FS_REV_FMT,
                            path, fs_root_rev(root));
    }
}
