/* SPDX-License-Identifier: Apache-2.0 */
/* The walk through a node's locations. */

#include "libfs/tree/tree.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

/*
 * The walk stands at a node: a record, the path at which it is reached, and
 * the youngest copy above. From a node to its predecessor neither path nor
 * copy change, since only a copy changes them; so a step reads one record. Only
 * where the copy is younger than the record (or as old) the next event is the
 * copy: then the source is looked up by its path.
 *
 * The node lives in one of two pools in turn, so that memory does not grow
 * with the number of steps. Its root is that of the walk, whatever revision
 * it was found in.
 */
struct fs_history_t {
    bool cross_copies;
    bool is_top; /* of "/", with a location in each revision */
    bool started;
    fs_root_t *root;
    fs_rev_t rev; /* of the location told last */
    apr_pool_t *pools[2];
    int turn;              /* of the pool that `node` lives in */
    const fs_node_t *node; /* where the walk stands, NULL: at the end */
    const fs_copy_t *copy; /* the event there is this copy, or NULL */
};

/* `node`, found in another root, as a node of the walk. */
static const fs_node_t *adopt(fs_history_t *h, const fs_node_t *node,
                              apr_pool_t *pool)
{
    fs_node_t *own = apr_pmemdup(pool, node, sizeof(*node));

    own->root = h->root;
    return own;
}

fs_error_t *fs_history_open(fs_history_t **history, const fs_node_t *node,
                            bool cross_copies, apr_pool_t *result)
{
    fs_history_t *h = apr_pcalloc(result, sizeof(*h));

    h->cross_copies = cross_copies;
    h->is_top = strcmp(node->path, "/") == 0;
    h->rev = node->root->rev + 1;
    apr_pool_create(&h->pools[0], result);
    apr_pool_create(&h->pools[1], result);
    FS_TRY(fs_root_open_known(&h->root, node->root->repo, node->root->rev,
                              result));
    h->node = adopt(h, fs_lookup_copy(node, h->pools[0]), h->pools[0]);
    *history = h;
    return NULL;
}

/* The event at the node where the walk stands: made, or copied along. */
static fs_error_t *tell(const char **path, fs_rev_t *rev, fs_history_t *h)
{
    const fs_node_t *node = h->node;
    const fs_node_record_t *record = node->record;

    h->copy = NULL;
    if (record->created_rev <= node->copy_rev)
        FS_TRY(fs_copy_find(&h->copy, node, h->pools[h->turn]));
    *path = h->copy ? node->path : record->created_path;
    *rev = h->copy ? h->copy->rev : record->created_rev;
    if (*rev >= h->rev)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "history of '%s' goes from revision %" FS_REV_FMT
                        " to revision %" FS_REV_FMT,
                        *path, h->rev, *rev);
    h->rev = *rev;
    return NULL;
}

/* Go on at the source of the copy; in `pool`. */
static fs_error_t *step_over_copy(fs_history_t *h, apr_pool_t *pool)
{
    const fs_node_t *source;

    FS_TRY(fs_copy_source(&source, h->copy, h->node, pool));
    h->node = source ? adopt(h, source, pool) : NULL;
    return NULL;
}

/*
 * Go on at the predecessor, found by its path: needed where the node's own
 * copy root is as young as the node and yet no copy, so that the one of its
 * predecessor is not known.
 */
static fs_error_t *step_by_path(fs_history_t *h, const fs_node_record_t *pred,
                                apr_pool_t *pool)
{
    fs_root_t *root;
    const fs_node_t *there;

    FS_TRY(fs_root_aside(&root, h->root, h->rev - 1));
    FS_TRY(fs_node_find(&there, root, h->node->path, pool));
    if (!there || memcmp(&there->record->id, &pred->id, sizeof(pred->id)) != 0)
        there = fs_lookup_make(root, pred->created_path, pred, 0, "/", pool);
    h->node = adopt(h, there, pool);
    return NULL;
}

/* Go on at the predecessor; in `pool`. */
static fs_error_t *step_back(fs_history_t *h, apr_pool_t *pool)
{
    const fs_node_t *node = h->node;
    const fs_node_record_t *record = node->record;
    const fs_node_record_t *pred;

    if (!record->has_pred || h->rev == 0) {
        h->node = NULL;
        return NULL;
    }
    FS_TRY(fs_lookup_record(&pred, h->root, &record->pred, pool));
    if (record->created_rev <= node->copy_rev)
        return step_by_path(h, pred, pool);
    h->node = fs_lookup_make(h->root, apr_pstrdup(pool, node->path), pred,
                             node->copy_rev, node->copy_path, pool);
    return NULL;
}

/* "/" has a record of its own in each revision and is never copied. */
static fs_error_t *next_of_top(const char **path, fs_rev_t *rev,
                               fs_history_t *h)
{
    *path = h->rev > 0 ? "/" : NULL;
    if (*path)
        *rev = --h->rev;
    return NULL;
}

const fs_node_id_t *fs_history_id(const fs_history_t *h)
{
    return &h->node->record->id;
}

fs_error_t *fs_history_next(const char **path, fs_rev_t *rev, fs_history_t *h)
{
    apr_pool_t *pool = h->pools[!h->turn];

    if (h->is_top)
        return next_of_top(path, rev, h);
    *path = NULL;
    if (h->node && h->started) {
        apr_pool_clear(pool);
        if (!h->copy)
            FS_TRY(step_back(h, pool));
        else if (h->cross_copies)
            FS_TRY(step_over_copy(h, pool));
        else
            h->node = NULL;
        h->turn = !h->turn;
    }
    h->started = true;
    return h->node ? tell(path, rev, h) : NULL;
}
