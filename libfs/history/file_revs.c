/* SPDX-License-Identifier: Apache-2.0 */
/* Blame: the versions of a file, each as the difference to the one before. */

#include "libfs/fs_history.h"

#include <string.h>

#include "libfs/history/file_places.h"
#include "libfs/history/rev_arg.h"
#include "libfs/tree/reader.h"
#include "libfs/tree/tree.h"

/* A version of the file. */
typedef struct version_t {
    const fs_node_t *node;
    apr_hash_t *props;
    apr_pool_t *pool; /* of both */
} version_t;

/* Who gets the versions, and which was the last one. */
typedef struct sender_t {
    fs_repo_t *repo;
    const fs_reader_t *reader;
    bool with_merged;
    fs_file_rev_fn receive;
    void *baton;
    version_t versions[2]; /* used in turn */
    version_t *last;       /* one of them; NULL: nothing was sent */
    apr_pool_t *iter;
} sender_t;

static void sender_init(sender_t *sender, apr_pool_t *scratch)
{
    sender->last = NULL;
    apr_pool_create(&sender->versions[0].pool, scratch);
    apr_pool_create(&sender->versions[1].pool, scratch);
    apr_pool_create(&sender->iter, scratch);
}

/* Does the receiver need the text of `next`? */
static fs_error_t *needs_text(bool *needed, const sender_t *sender,
                              const version_t *next)
{
    const fs_node_t *last = sender->last ? sender->last->node : NULL;

    *needed = true;
    if (!last)
        return NULL;
    /* Merged versions are attributed by path: it must be told with a text. */
    if (sender->with_merged &&
        strcmp(fs_node_path(last), fs_node_path(next->node)) != 0)
        return NULL;
    return fs_node_texts_differ(needed, last, next->node, sender->iter);
}

static fs_error_t *send_place(sender_t *sender, const fs_file_place_t *place)
{
    version_t *next = sender->last == &sender->versions[0]
                          ? &sender->versions[1]
                          : &sender->versions[0];
    fs_file_rev_t item = { 0 };
    bool needed;

    apr_pool_clear(sender->iter);
    apr_pool_clear(next->pool);
    FS_TRY(fs_lookup_known(&next->node, sender->repo, place->rev, place->path,
                           &place->id, next->pool));
    FS_TRY(fs_node_props(&next->props, next->node, next->pool));
    FS_TRY(needs_text(&needed, sender, next));
    FS_TRY(fs_rev_visible_props(&item.revprops, sender->repo, place->rev,
                                sender->reader, sender->iter));
    item.path = place->path;
    item.rev = place->rev;
    item.merged = place->merged;
    item.prop_changes = fs_prop_diff(sender->last ? sender->last->props : NULL,
                                     next->props, sender->iter);
    item.base = sender->last ? sender->last->node : NULL;
    item.node = needed ? next->node : NULL;
    sender->last = next;
    return sender->receive(sender->baton, &item, sender->iter);
}

/* ---- the two directions ---- */

static fs_error_t *oldest_first(sender_t *sender, const char *path,
                                const fs_file_range_t *range,
                                apr_pool_t *scratch)
{
    apr_array_header_t *places;
    int i;

    FS_TRY(fs_file_places_own(&places, sender->repo, path, range,
                              sender->reader, scratch, scratch));
    if (sender->with_merged) {
        FS_TRY(fs_file_places_add_merged(places, sender->repo, range->start,
                                         sender->reader, scratch, scratch));
        for (i = 0; i < places->nelts; i++)
            FS_TRY(
                send_place(sender, &APR_ARRAY_IDX(places, i, fs_file_place_t)));
        return NULL;
    }
    for (i = places->nelts - 1; i >= 0; i--)
        FS_TRY(send_place(sender, &APR_ARRAY_IDX(places, i, fs_file_place_t)));
    return NULL;
}

/* From `node` down to the first location at or below `end`, as it goes. */
static fs_error_t *youngest_first(sender_t *sender, const fs_node_t *node,
                                  fs_rev_t end, apr_pool_t *scratch)
{
    fs_file_place_t place = { 0 };
    fs_history_t *history;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    FS_TRY(fs_history_open(&history, node, true, scratch));
    do {
        bool readable;

        apr_pool_clear(iter);
        FS_TRY(fs_history_next(&place.path, &place.rev, history));
        if (!place.path)
            break;
        FS_TRY(fs_reader_may_read(&readable, sender->reader, place.rev,
                                  place.path, iter));
        if (!readable)
            break;
        place.id = *fs_history_id(history);
        FS_TRY(send_place(sender, &place));
    } while (place.rev > end);
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- arguments ---- */

/* The file that the question is about, as it is in `rev`. */
static fs_error_t *need_file(const fs_node_t **node, const sender_t *sender,
                             const char *path, fs_rev_t rev, apr_pool_t *result)
{
    fs_root_t *root;
    bool readable;

    FS_TRY(fs_reader_may_read(&readable, sender->reader, rev, path, result));
    if (!readable)
        return FS_ERROR(FS_ERR_UNREADABLE,
                        "path '%s' is not readable in revision %" FS_REV_FMT,
                        path, rev);
    FS_TRY(fs_root_open_known(&root, sender->repo, rev, result));
    FS_TRY(fs_node_find(node, root, path, result));
    if (!*node || fs_node_kind(*node) != FS_NODE_FILE)
        return FS_ERROR(FS_ERR_NOT_FILE,
                        "'%s' is not a file in revision %" FS_REV_FMT, path,
                        rev);
    return NULL;
}

fs_error_t *fs_file_revs(fs_repo_t *repo, const char *path, fs_rev_t start,
                         fs_rev_t end, bool include_merged,
                         const fs_reader_t *reader, fs_file_rev_fn receive,
                         void *baton, apr_pool_t *scratch)
{
    sender_t sender = { 0 };
    fs_file_range_t range;
    const fs_node_t *node;
    fs_rev_t youngest;

    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    FS_TRY(fs_rev_arg_resolve(&start, youngest));
    FS_TRY(fs_rev_arg_resolve(&end, youngest));
    if (start > end && include_merged)
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "merged revisions are told oldest first only, not from "
                        "%" FS_REV_FMT " down to %" FS_REV_FMT,
                        start, end);
    if (include_merged && !fs_repo_has_mergeinfo(repo))
        return FS_ERROR(FS_ERR_UNSUPPORTED,
                        "the repository's format records no mergeinfo");
    sender.repo = repo;
    sender.reader = reader;
    sender.with_merged = include_merged;
    sender.receive = receive;
    sender.baton = baton;
    sender_init(&sender, scratch);
    FS_TRY(need_file(&node, &sender, path, start > end ? start : end, scratch));
    if (start > end)
        return youngest_first(&sender, node, end, scratch);
    range.start = start;
    range.end = end;
    return oldest_first(&sender, path, &range, scratch);
}
