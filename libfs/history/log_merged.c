/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries below entries. The nesting is as deep as merges were nested, so it
 * is kept in a list of levels, not on the stack of the thread.
 */

#include "libfs/history/log_merged.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/history/log_news.h"
#include "libfs/history/log_pieces.h"
#include "libfs/history/rev_set.h"
#include "libfs/tree/tree.h"

/* Levels of nesting that are searched. */
#define DEPTH_MAX 1000

/* Searches below one top-level entry of an oldest-first log before what was
 * searched is left out: without that, nested merges double the work with each
 * level, and mergeinfo that names later revisions makes it endless. */
#define FREE_SEARCHES_MAX 1000

struct fs_log_merged_t {
    const fs_log_t *log;
    bool strict;
    bool oldest_first;
    apr_hash_t *own;      /* path to fs_rev_set_t: the targets' history */
    apr_hash_t *searched; /* path to fs_rev_set_t; NULL: nothing is cut */
    apr_pool_t *cut_pool; /* of `searched` */
    fs_rev_set_t *told;   /* merged entries that were told */
    int searches;         /* below the present top-level entry */
    int depth;            /* levels that are open */
    apr_pool_t *pool;
};

/* The children of one entry. */
typedef struct level_t {
    struct level_t *outer;
    fs_log_pieces_t *pieces;
    fs_log_walk_t *walk;   /* the search that runs, or NULL */
    apr_pool_t *walk_pool; /* of `walk` */
    bool subtractive;      /* of the search that runs */
    apr_pool_t *pool;
} level_t;

/* ---- what a log remembers ---- */

static fs_error_t *note_segment(void *baton, const fs_segment_t *segment,
                                apr_pool_t *scratch)
{
    fs_log_merged_t *merged = baton;
    const char *path;

    if (!segment->path)
        return NULL;
    path = apr_pstrcat(scratch, "/", segment->path, NULL);
    fs_rev_set_add(fs_rev_set_of(merged->own, path, merged->pool),
                   segment->start, segment->end);
    return NULL;
}

static void start_cutting(fs_log_merged_t *merged)
{
    apr_pool_clear(merged->cut_pool);
    merged->searched = apr_hash_make(merged->cut_pool);
}

fs_error_t *fs_log_merged_create(fs_log_merged_t **merged, const fs_log_t *log,
                                 const apr_array_header_t *targets,
                                 const fs_log_range_t *range, bool oldest_first,
                                 apr_pool_t *result)
{
    fs_log_merged_t *m = apr_pcalloc(result, sizeof(*m));
    apr_pool_t *iter;
    int i;

    m->log = log;
    m->strict = range->strict;
    m->oldest_first = oldest_first;
    m->pool = result;
    m->own = apr_hash_make(result);
    m->told = fs_rev_set_create(result);
    apr_pool_create(&m->cut_pool, result);
    if (!oldest_first)
        start_cutting(m);
    apr_pool_create(&iter, result);
    for (i = 0; i < targets->nelts; i++) {
        apr_pool_clear(iter);
        FS_TRY(fs_location_segments(
            log->repo, APR_ARRAY_IDX(targets, i, const char *), range->high,
            range->high, range->low, log->reader, note_segment, m, iter));
    }
    apr_pool_destroy(iter);
    *merged = m;
    return NULL;
}

/* ---- which entries are told ---- */

/* Is `path` in `rev`, by itself or by a parent, in the targets' history? */
static bool is_own(const fs_log_merged_t *merged, const char *path,
                   fs_rev_t rev)
{
    apr_size_t len = strlen(path);

    while (len > 0) {
        if (fs_rev_set_find(apr_hash_get(merged->own, path, (apr_ssize_t)len),
                            rev))
            return true;
        if (len == 1)
            return false;
        while (path[len - 1] != '/')
            len--;
        if (len > 1)
            len--;
    }
    return false;
}

/* Looks for a change outside of the targets' own history. */
typedef struct foreign_t {
    const fs_log_merged_t *merged;
    fs_rev_t rev;
    bool found;
} foreign_t;

static fs_error_t *look_for_foreign(void *baton, const fs_change_t *change,
                                    apr_pool_t *scratch)
{
    foreign_t *foreign = baton;

    (void)scratch;
    if (!foreign->found)
        foreign->found = !is_own(foreign->merged, change->path, foreign->rev);
    return NULL;
}

/* Whether the merged entry `rev` is to be told; if so, remember that. */
static fs_error_t *admit(bool *admitted, fs_log_merged_t *merged, fs_rev_t rev,
                         apr_pool_t *scratch)
{
    foreign_t foreign = { merged, rev, false };

    *admitted = false;
    if (fs_rev_set_find(merged->told, rev))
        return NULL;
    if (apr_hash_count(merged->own) > 0) {
        FS_TRY(fs_root_changes_known(merged->log->repo, rev, look_for_foreign,
                                     &foreign, scratch));
        if (!foreign.found)
            return NULL;
    }
    fs_rev_set_add(merged->told, rev, rev);
    *admitted = true;
    return NULL;
}

/* ---- what is searched ---- */

/* Drop the paths of a piece whose whole range was searched. */
static void drop_searched(fs_log_piece_t *piece, apr_hash_t *searched)
{
    const char **paths = (const char **)piece->paths->elts;
    int kept = 0;
    int i;

    for (i = 0; i < piece->paths->nelts; i++) {
        const fs_rev_range_t *range = fs_rev_set_find(
            apr_hash_get(searched, paths[i], APR_HASH_KEY_STRING),
            piece->first);

        if (!range || range->last < piece->last)
            paths[kept++] = paths[i];
    }
    piece->paths->nelts = kept;
}

/*
 * Cut the range of a piece with one path that was searched at one end. The
 * last revision that was searched stays.
 */
static void shorten(fs_log_piece_t *piece, apr_hash_t *searched)
{
    const fs_rev_set_t *set =
        apr_hash_get(searched, APR_ARRAY_IDX(piece->paths, 0, const char *),
                     APR_HASH_KEY_STRING);
    const fs_rev_range_t *low = fs_rev_set_find(set, piece->first);
    const fs_rev_range_t *high = fs_rev_set_find(set, piece->last);

    if (low && !high)
        piece->first = low->last;
    else if (high)
        piece->last = high->first;
}

/* Cut a piece by what was searched, and remember the rest as searched. */
static void cut_piece(fs_log_piece_t *piece, fs_log_merged_t *merged)
{
    int i;

    drop_searched(piece, merged->searched);
    if (piece->paths->nelts == 1)
        shorten(piece, merged->searched);
    for (i = 0; i < piece->paths->nelts; i++)
        fs_rev_set_add(
            fs_rev_set_of(merged->searched,
                          APR_ARRAY_IDX(piece->paths, i, const char *),
                          merged->cut_pool),
            piece->first, piece->last);
}

/* Begin the next search of a level; `*more` is false if there is none. */
static fs_error_t *next_search(bool *more, fs_log_merged_t *merged,
                               level_t *level)
{
    fs_log_range_t range = { 0, 0, merged->strict, true };
    fs_log_piece_t *piece;

    apr_pool_clear(level->walk_pool);
    piece = fs_log_pieces_next(level->pieces, level->walk_pool);
    *more = piece != NULL;
    if (!piece)
        return NULL;
    if (merged->searches++ == FREE_SEARCHES_MAX && !merged->searched)
        start_cutting(merged);
    if (merged->searched)
        cut_piece(piece, merged);
    if (piece->paths->nelts == 0)
        return NULL;
    range.low = piece->first;
    range.high = piece->last;
    level->subtractive = piece->subtractive;
    return fs_log_walk_open(&level->walk, merged->log->repo, piece->paths,
                            &range, merged->log->reader, level->walk_pool);
}

/* ---- levels ---- */

/* A level for the children of `rev`; NULL if it has none. */
static fs_error_t *open_level(level_t **level, fs_log_merged_t *merged,
                              level_t *outer, fs_rev_t rev,
                              const apr_array_header_t *paths,
                              apr_pool_t *parent, apr_pool_t *scratch)
{
    apr_hash_t *added, *deleted;
    apr_pool_t *pool;
    level_t *l;

    *level = NULL;
    if (merged->depth >= DEPTH_MAX)
        return NULL;
    apr_pool_create(&pool, parent);
    FS_TRY(
        fs_log_news(&added, &deleted, merged->log, rev, paths, pool, scratch));
    if (apr_hash_count(added) == 0 && apr_hash_count(deleted) == 0) {
        apr_pool_destroy(pool);
        return NULL;
    }
    l = apr_pcalloc(pool, sizeof(*l));
    l->outer = outer;
    l->pool = pool;
    l->pieces = fs_log_pieces_open(added, deleted, pool);
    apr_pool_create(&l->walk_pool, pool);
    merged->depth++;
    *level = l;
    return NULL;
}

static level_t *close_level(fs_log_merged_t *merged, level_t *level)
{
    level_t *outer = level->outer;

    merged->depth--;
    apr_pool_destroy(level->pool);
    return outer;
}

/* One revision of the search that runs; `*level` becomes its children's. */
static fs_error_t *search_step(level_t **level, fs_log_merged_t *merged,
                               apr_pool_t *parent, apr_pool_t *scratch)
{
    level_t *outer = *level;
    const apr_array_header_t *paths;
    level_t *inner;
    bool admitted, moved;
    fs_rev_t rev;

    FS_TRY(fs_log_walk_next(&rev, outer->walk));
    if (rev == FS_INVALID_REV) {
        outer->walk = NULL;
        return NULL;
    }
    FS_TRY(fs_log_walk_paths(&paths, &moved, outer->walk));
    FS_TRY(open_level(&inner, merged, outer, rev, paths, parent, scratch));
    FS_TRY(admit(&admitted, merged, rev, scratch));
    if (admitted)
        FS_TRY(fs_log_entry_send(merged->log, rev, inner != NULL,
                                 outer->subtractive, scratch));
    if (inner)
        *level = inner;
    return NULL;
}

/* Tell all that is in `level` and below it, and its end. */
static fs_error_t *send_levels(fs_log_merged_t *merged, level_t *level,
                               apr_pool_t *parent, apr_pool_t *iter)
{
    while (level) {
        bool more = true;

        apr_pool_clear(iter);
        if (level->walk)
            FS_TRY(search_step(&level, merged, parent, iter));
        else
            FS_TRY(next_search(&more, merged, level));
        if (!more) {
            FS_TRY(fs_log_entry_end(merged->log, iter));
            level = close_level(merged, level);
        }
    }
    return NULL;
}

fs_error_t *fs_log_merged_send(fs_log_merged_t *merged, fs_rev_t rev,
                               const apr_array_header_t *paths,
                               apr_pool_t *scratch)
{
    apr_pool_t *iter;
    level_t *level;

    merged->searches = 0;
    merged->depth = 0;
    if (merged->oldest_first)
        merged->searched = NULL;
    apr_pool_create(&iter, scratch);
    FS_TRY(open_level(&level, merged, NULL, rev, paths, scratch, iter));
    FS_TRY(fs_log_entry_send(merged->log, rev, level != NULL, false, iter));
    FS_TRY(send_levels(merged, level, scratch, iter));
    apr_pool_destroy(iter);
    return NULL;
}
