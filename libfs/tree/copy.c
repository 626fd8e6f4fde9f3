/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that nodes went through, and what follows from them. */

#include "libfs/tree/tree.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

static bool same_line(const fs_node_record_t *a, const fs_node_record_t *b)
{
    return memcmp(a->line, b->line, sizeof(a->line)) == 0;
}

/* As fs_copy_find(); `*here` is the node at the same path in the revision of
 * the copy, set if there is a copy. */
static fs_error_t *find_copy(const fs_copy_t **copy, const fs_node_t **here,
                             const fs_node_t *node, apr_pool_t *result)
{
    const char *below = fs_path_below(node->copy_path, node->path);
    const fs_node_t *top; /* what the copy made */
    fs_root_t *root;
    fs_copy_t *found;

    *copy = NULL;
    /* Nothing is copied in revision 0, nor to "/". */
    if (node->copy_rev == 0 || !below || strcmp(node->copy_path, "/") == 0)
        return NULL;
    if (node->copy_rev > node->root->rev)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'%s' in revision %" FS_REV_FMT
                        " says it was copied in revision %" FS_REV_FMT,
                        node->path, node->root->rev, node->copy_rev);
    FS_TRY(fs_root_aside(&root, node->root, node->copy_rev));
    FS_TRY(fs_node_find(&top, root, node->copy_path, result));
    if (!top || !top->record->copyfrom_path)
        return NULL;
    *here = top;
    if (*below)
        FS_TRY(fs_node_find(here, root, node->path, result));
    if (!*here || !same_line((*here)->record, node->record))
        return NULL;
    if (top->record->copyfrom_rev >= node->copy_rev)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'%s' in revision %" FS_REV_FMT
                        " says it is a copy from revision %" FS_REV_FMT,
                        node->copy_path, node->copy_rev,
                        top->record->copyfrom_rev);
    found = apr_palloc(result, sizeof(*found));
    found->rev = node->copy_rev;
    found->path = apr_pstrdup(result, node->copy_path);
    found->from_rev = top->record->copyfrom_rev;
    found->from_path = top->record->copyfrom_path;
    found->source = fs_path_join(found->from_path, below, result);
    *copy = found;
    return NULL;
}

fs_error_t *fs_copy_find(const fs_copy_t **copy, const fs_node_t *node,
                         apr_pool_t *result)
{
    const fs_node_t *here;

    return find_copy(copy, &here, node, result);
}

fs_error_t *fs_copy_source(const fs_node_t **source, const fs_copy_t *copy,
                           const fs_node_t *node, apr_pool_t *result)
{
    fs_root_t *root;

    FS_TRY(fs_root_aside(&root, node->root, copy->from_rev));
    FS_TRY(fs_node_find(source, root, copy->source, result));
    if (*source && !same_line((*source)->record, node->record))
        *source = NULL;
    return NULL;
}

fs_error_t *fs_node_closest_copy(fs_rev_t *rev, const char **path,
                                 const fs_node_t *node, apr_pool_t *result)
{
    const fs_copy_t *copy;

    FS_TRY(fs_copy_find(&copy, node, result));
    *rev = copy ? copy->rev : FS_INVALID_REV;
    *path = copy ? copy->path : NULL;
    return NULL;
}

fs_error_t *fs_node_last_change(fs_rev_t *rev, const fs_node_t *node,
                                apr_pool_t *scratch)
{
    const fs_node_record_t *record = node->record;
    const fs_copy_t *copy = NULL;
    const fs_node_t *there = NULL;
    fs_root_t *root;

    if (node->copy_rev > record->created_rev)
        FS_TRY(find_copy(&copy, &there, node, scratch));
    *rev = copy ? copy->rev : record->created_rev;
    if (*rev == node->root->rev)
        return NULL;
    if (!copy && strcmp(record->created_path, node->path) == 0)
        return NULL;
    if (!copy) {
        FS_TRY(fs_root_aside(&root, node->root, *rev));
        FS_TRY(fs_node_find(&there, root, node->path, scratch));
    }
    if (!there || memcmp(&there->record->id, &record->id, sizeof(record->id)))
        *rev = node->root->rev;
    return NULL;
}

/*
 * The oldest revision in which `node`, which was not copied, is at its path.
 * It has been there ever since it was made, so that halving finds it.
 */
static fs_error_t *first_rev_at_path(fs_rev_t *rev, const fs_node_t *node,
                                     apr_pool_t *scratch)
{
    fs_rev_t absent = -1;
    fs_rev_t present = node->record->created_rev;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    while (present - absent > 1) {
        fs_rev_t middle = absent + (present - absent) / 2;
        fs_root_t *root;
        const fs_node_t *there;

        apr_pool_clear(iter);
        FS_TRY(fs_root_open_known(&root, node->root->repo, middle, iter));
        FS_TRY(fs_node_find(&there, root, node->path, iter));
        if (there && same_line(there->record, node->record))
            present = middle;
        else
            absent = middle;
    }
    apr_pool_destroy(iter);
    *rev = present;
    return NULL;
}

/* The node from which `node` came by its youngest copy, as a node of the same
 * root; else NULL, and `*rev` is when it came to its path. */
static fs_error_t *copied_from(const fs_node_t **from, fs_rev_t *rev,
                               const fs_node_t *node, apr_pool_t *result)
{
    const fs_copy_t *copy;
    const fs_node_t *source;
    fs_node_t *own;

    *from = NULL;
    FS_TRY(fs_copy_find(&copy, node, result));
    if (!copy)
        return first_rev_at_path(rev, node, result);
    FS_TRY(fs_copy_source(&source, copy, node, result));
    *rev = copy->rev;
    if (source) {
        own = apr_pmemdup(result, source, sizeof(*source));
        own->root = node->root;
        *from = own;
    }
    return NULL;
}

fs_error_t *fs_node_origin_rev(fs_rev_t *rev, const fs_node_t *node,
                               apr_pool_t *scratch)
{
    *rev = node->record->created_rev;
    while (node && node->record->has_pred) {
        FS_TRY(copied_from(&node, rev, node, scratch));
        if (node)
            *rev = node->record->created_rev;
    }
    return NULL;
}
