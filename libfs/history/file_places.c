/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a file's text, along its own history and along merges. */

#include "libfs/history/file_places.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/base/mergeinfo.h"
#include "libfs/history/mergeinfo_tree.h"
#include "libfs/history/rev_set.h"
#include "libfs/tree/reader.h"
#include "libfs/tree/tree.h"

/* Append a location; paths are shared by neighbours that have the same. */
static void add_place(apr_array_header_t *places, const char *path,
                      fs_rev_t rev, const fs_node_id_t *id, bool merged,
                      apr_pool_t *result)
{
    const fs_file_place_t *last =
        places->nelts > 0
            ? &APR_ARRAY_IDX(places, places->nelts - 1, fs_file_place_t)
            : NULL;
    bool same = last && strcmp(last->path, path) == 0;
    fs_file_place_t place = { NULL, rev, *id, merged };

    place.path = same ? last->path : apr_pstrdup(result, path);
    APR_ARRAY_PUSH(places, fs_file_place_t) = place;
}

fs_error_t *fs_file_places_own(apr_array_header_t **places, fs_repo_t *repo,
                               const char *path, const fs_file_range_t *range,
                               const fs_reader_t *reader, apr_pool_t *result,
                               apr_pool_t *scratch)
{
    fs_history_t *history;
    const fs_node_t *node;
    apr_pool_t *iter;
    fs_root_t *root;
    fs_rev_t rev;

    *places = apr_array_make(result, 16, sizeof(fs_file_place_t));
    FS_TRY(fs_root_open_known(&root, repo, range->end, scratch));
    FS_TRY(fs_node_need(&node, root, path, scratch));
    FS_TRY(fs_history_open(&history, node, true, scratch));
    apr_pool_create(&iter, scratch);
    do {
        bool readable;

        apr_pool_clear(iter);
        FS_TRY(fs_history_next(&path, &rev, history));
        if (!path)
            break;
        FS_TRY(fs_reader_may_read(&readable, reader, rev, path, iter));
        if (!readable)
            break;
        add_place(*places, path, rev, fs_history_id(history), false, result);
    } while (rev > range->start);
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- merged locations ---- */

/* The search for merged locations. */
typedef struct search_t {
    apr_array_header_t *places; /* those found; also what is yet to look at */
    apr_hash_t *seen;           /* path to fs_rev_set_t */
    fs_repo_t *repo;
    fs_rev_t start;
    fs_rev_t youngest;
    const fs_reader_t *reader;
    apr_pool_t *pool; /* of places and seen */
} search_t;

/* Looks for changed mergeinfo at or above a path. */
typedef struct touch_t {
    const char *path;
    bool found;
} touch_t;

static fs_error_t *look_for_touch(void *baton, const fs_change_t *change,
                                  apr_pool_t *scratch)
{
    touch_t *touch = baton;

    (void)scratch;
    if (change->prop_mod && change->mergeinfo_mod != FS_NO &&
        change->action != FS_ACTION_DELETE &&
        fs_path_is_within(change->path, touch->path))
        touch->found = true;
    return NULL;
}

/* The mergeinfo that holds for a location's path one revision before and in
 * its own; `*both` is false if the path was not there before. */
static fs_error_t *both_sides(bool *both, apr_hash_t **before,
                              apr_hash_t **after, const search_t *search,
                              const fs_file_place_t *place, fs_root_t *root,
                              apr_pool_t *scratch)
{
    fs_root_t *previous;

    FS_TRY(
        fs_root_open_known(&previous, search->repo, place->rev - 1, scratch));
    FS_TRY(fs_mergeinfo_tree_find(before, both, previous, place->path,
                                  FS_MERGEINFO_INHERITED, true, scratch,
                                  scratch));
    if (!*both)
        return NULL;
    return fs_mergeinfo_tree_find(after, both, root, place->path,
                                  FS_MERGEINFO_INHERITED, true, scratch,
                                  scratch);
}

/* What was merged into or out of a location in its revision; NULL: nothing. */
static fs_error_t *merged_at(apr_hash_t **merged, const search_t *search,
                             const fs_file_place_t *place, apr_pool_t *scratch)
{
    touch_t touch = { place->path, false };
    apr_hash_t *before, *after, *deleted, *added;
    fs_root_t *root;
    fs_error_t *err;
    bool both;

    *merged = NULL;
    if (place->rev == 0)
        return NULL;
    FS_TRY(fs_root_changes_known(search->repo, place->rev, look_for_touch,
                                 &touch, scratch));
    if (!touch.found)
        return NULL;
    FS_TRY(fs_root_open_known(&root, search->repo, place->rev, scratch));
    err = both_sides(&both, &before, &after, search, place, root, scratch);
    if (err && err->code == FS_ERR_MERGEINFO) {
        fs_error_clear(err);
        return NULL;
    }
    FS_TRY(err);
    if (!both)
        return NULL;
    fs_mergeinfo_diff(&deleted, &added, before, after, false, scratch);
    *merged = fs_mergeinfo_clip(fs_mergeinfo_merge(deleted, added, scratch),
                                search->youngest, scratch);
    return NULL;
}

/* Whether `path` is a readable file in `rev`. */
static fs_error_t *is_file(bool *file, const search_t *search, const char *path,
                           fs_rev_t rev, apr_pool_t *scratch)
{
    const fs_node_t *node;
    fs_root_t *root;

    FS_TRY(fs_reader_may_read(file, search->reader, rev, path, scratch));
    if (!*file)
        return NULL;
    FS_TRY(fs_root_open_known(&root, search->repo, rev, scratch));
    FS_TRY(fs_node_find(&node, root, path, scratch));
    *file = node && fs_node_kind(node) == FS_NODE_FILE;
    return NULL;
}

/* Append the locations of `path` in a merged range, up to a known one. */
static fs_error_t *follow_range(search_t *search, const char *path,
                                const fs_merge_range_t *range,
                                apr_pool_t *scratch)
{
    fs_file_range_t where = { range->start, range->end };
    apr_array_header_t *found;
    bool file;
    int i;

    if (range->end < search->start)
        return NULL;
    FS_TRY(is_file(&file, search, path, range->end, scratch));
    if (!file)
        return NULL;
    FS_TRY(fs_file_places_own(&found, search->repo, path, &where,
                              search->reader, scratch, scratch));
    for (i = 0; i < found->nelts; i++) {
        const fs_file_place_t *place =
            &APR_ARRAY_IDX(found, i, fs_file_place_t);
        fs_rev_set_t *seen =
            fs_rev_set_of(search->seen, place->path, search->pool);

        if (fs_rev_set_find(seen, place->rev))
            break;
        fs_rev_set_add(seen, place->rev, place->rev);
        add_place(search->places, place->path, place->rev, &place->id, true,
                  search->pool);
    }
    return NULL;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The sources of a mergeinfo, by bytes, so that the answer has one order. */
static apr_array_header_t *sorted_paths(apr_hash_t *mergeinfo,
                                        apr_pool_t *result)
{
    apr_array_header_t *paths = apr_array_make(
        result, (int)apr_hash_count(mergeinfo), sizeof(const char *));
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(result, mergeinfo); hi; hi = apr_hash_next(hi))
        APR_ARRAY_PUSH(paths, const char *) = apr_hash_this_key(hi);
    qsort(paths->elts, (size_t)paths->nelts, sizeof(const char *),
          compare_paths);
    return paths;
}

static fs_error_t *follow_place(search_t *search, int index,
                                apr_pool_t *scratch)
{
    /* A copy: the array moves when it grows. */
    fs_file_place_t place =
        APR_ARRAY_IDX(search->places, index, fs_file_place_t);
    apr_array_header_t *paths;
    apr_hash_t *merged;
    apr_pool_t *iter;
    int i, j;

    FS_TRY(merged_at(&merged, search, &place, scratch));
    if (!merged)
        return NULL;
    apr_pool_create(&iter, scratch);
    paths = sorted_paths(merged, scratch);
    for (i = 0; i < paths->nelts; i++) {
        const char *path = APR_ARRAY_IDX(paths, i, const char *);
        const apr_array_header_t *ranges =
            apr_hash_get(merged, path, APR_HASH_KEY_STRING);

        for (j = 0; j < ranges->nelts; j++) {
            apr_pool_clear(iter);
            FS_TRY(follow_range(search, path,
                                &APR_ARRAY_IDX(ranges, j, fs_merge_range_t),
                                iter));
        }
    }
    apr_pool_destroy(iter);
    return NULL;
}

static int compare_places(const void *a, const void *b)
{
    const fs_file_place_t *x = a;
    const fs_file_place_t *y = b;

    if (x->rev != y->rev)
        return x->rev < y->rev ? -1 : 1;
    if (x->merged != y->merged)
        return x->merged ? 1 : -1;
    return strcmp(x->path, y->path);
}

fs_error_t *fs_file_places_add_merged(apr_array_header_t *own, fs_repo_t *repo,
                                      fs_rev_t start, const fs_reader_t *reader,
                                      apr_pool_t *result, apr_pool_t *scratch)
{
    search_t search = { own, NULL, repo, start, 0, reader, result };
    apr_pool_t *iter;
    int i;

    search.seen = apr_hash_make(result);
    FS_TRY(fs_repo_youngest(&search.youngest, repo, scratch));
    for (i = 0; i < own->nelts; i++) {
        const fs_file_place_t *place = &APR_ARRAY_IDX(own, i, fs_file_place_t);

        fs_rev_set_add(fs_rev_set_of(search.seen, place->path, result),
                       place->rev, place->rev);
    }
    apr_pool_create(&iter, scratch);
    for (i = 0; i < own->nelts; i++) {
        apr_pool_clear(iter);
        FS_TRY(follow_place(&search, i, iter));
    }
    apr_pool_destroy(iter);
    qsort(own->elts, (size_t)own->nelts, sizeof(fs_file_place_t),
          compare_places);
    return NULL;
}
