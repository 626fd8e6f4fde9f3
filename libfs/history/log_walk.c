/* SPDX-License-Identifier: Apache-2.0 */
/* Several history walks in a heap, the one with the youngest location first. */

#include "libfs/history/log_walk.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/history/visibility.h"
#include "libfs/tree/tree.h"

/* Histories that stay open between steps; each holds some pools. */
#define OPEN_MAX 64

/* The history of one path. */
typedef struct track_t {
    const char *path;      /* of the current location; in `room` */
    char *room;            /* lives in the walk's pool */
    apr_size_t room_len;   /* bytes allocated */
    fs_rev_t rev;          /* of the current location */
    fs_history_t *history; /* NULL while it is closed */
    apr_pool_t *pool;      /* of `history` */
    bool keep;             /* stays open between steps */
} track_t;

struct fs_log_walk_t {
    fs_repo_t *repo;
    fs_log_range_t range;
    const fs_reader_t *reader;
    apr_pool_t *pool;
    apr_pool_t *iter;
    track_t *tracks;
    int track_count;
    track_t **heap; /* tracks with a location in the range */
    int heap_count;
    fs_rev_t told; /* tracks at this revision or above are yet to move on */
    apr_array_header_t *paths; /* of all tracks, in order */
    bool moved;                /* a path changed since paths were asked for */
};

/* ---- the heap ---- */

static void heap_swap(track_t **heap, int a, int b)
{
    track_t *track = heap[a];

    heap[a] = heap[b];
    heap[b] = track;
}

static void heap_push(fs_log_walk_t *walk, track_t *track)
{
    track_t **heap = walk->heap;
    int at = walk->heap_count++;

    heap[at] = track;
    while (at > 0 && heap[(at - 1) / 2]->rev < heap[at]->rev) {
        heap_swap(heap, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/* Put the top where it belongs after its revision became lower. */
static void heap_sink(fs_log_walk_t *walk)
{
    track_t **heap = walk->heap;
    int at = 0;

    for (;;) {
        int youngest = at;
        int child;

        for (child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < walk->heap_count &&
                heap[child]->rev > heap[youngest]->rev)
                youngest = child;
        if (youngest == at)
            return;
        heap_swap(heap, at, youngest);
        at = youngest;
    }
}

static void heap_pop(fs_log_walk_t *walk)
{
    walk->heap[0] = walk->heap[--walk->heap_count];
    heap_sink(walk);
}

/* ---- one track ---- */

static void track_set_path(fs_log_walk_t *walk, track_t *track,
                           const char *path)
{
    apr_size_t len = strlen(path) + 1;

    if (track->path && strcmp(track->path, path) == 0)
        return;
    if (len > track->room_len) {
        track->room_len = 2 * len;
        track->room = apr_palloc(walk->pool, track->room_len);
    }
    memcpy(track->room, path, len);
    track->path = track->room;
    walk->moved = true;
}

static void track_close(track_t *track)
{
    if (track->pool)
        apr_pool_destroy(track->pool);
    track->pool = NULL;
    track->history = NULL;
}

/* Open the history of `path` as it is in `rev`. */
static fs_error_t *track_open(fs_log_walk_t *walk, track_t *track,
                              const char *path, fs_rev_t rev)
{
    const fs_node_t *node;
    fs_root_t *root;

    apr_pool_create(&track->pool, walk->pool);
    FS_TRY(fs_root_open_known(&root, walk->repo, rev, track->pool));
    FS_TRY(fs_node_need(&node, root, path, track->pool));
    return fs_history_open(&track->history, node, !walk->range.strict,
                           track->pool);
}

/*
 * Move to the next location. `*live` tells whether there is one in the range;
 * the path moves to the next one also if that is below the range.
 */
static fs_error_t *track_step(bool *live, fs_log_walk_t *walk, track_t *track)
{
    const char *path;
    fs_rev_t rev;
    bool readable;

    *live = false;
    apr_pool_clear(walk->iter);
    if (!track->history) {
        /* The walk from a location begins with that location. */
        FS_TRY(track_open(walk, track, track->path, track->rev));
        FS_TRY(fs_history_next(&path, &rev, track->history));
    }
    FS_TRY(fs_history_next(&path, &rev, track->history));
    if (path) {
        FS_TRY(
            fs_reader_may_read(&readable, walk->reader, rev, path, walk->iter));
        if (readable) {
            track_set_path(walk, track, path);
            track->rev = rev;
            *live = rev >= walk->range.low;
        }
    }
    if (!*live || !track->keep)
        track_close(track);
    return NULL;
}

/* ---- all of them ---- */

/* Make the track of `path` ready at its first location. */
static fs_error_t *add_track(fs_log_walk_t *walk, const char *path)
{
    track_t *track = &walk->tracks[walk->track_count];
    bool readable, live;

    apr_pool_clear(walk->iter);
    FS_TRY(fs_reader_may_read(&readable, walk->reader, walk->range.high, path,
                              walk->iter));
    if (!readable)
        return FS_ERROR(FS_ERR_UNREADABLE,
                        "path '%s' is not readable in revision %" FS_REV_FMT,
                        path, walk->range.high);
    track->keep = walk->track_count < OPEN_MAX;
    track_set_path(walk, track, path);
    FS_TRY(track_open(walk, track, path, walk->range.high));
    FS_TRY(track_step(&live, walk, track));
    walk->track_count++;
    if (live)
        heap_push(walk, track);
    return NULL;
}

fs_error_t *fs_log_walk_open(fs_log_walk_t **walk, fs_repo_t *repo,
                             const apr_array_header_t *paths,
                             const fs_log_range_t *range,
                             const fs_reader_t *reader, apr_pool_t *result)
{
    fs_log_walk_t *w = apr_pcalloc(result, sizeof(*w));
    apr_size_t count = (apr_size_t)paths->nelts;
    int i;

    w->repo = repo;
    w->range = *range;
    w->reader = reader;
    w->pool = result;
    w->told = FS_INVALID_REV;
    w->tracks = apr_pcalloc(result, count * sizeof(*w->tracks));
    w->heap = apr_palloc(result, count * sizeof(*w->heap));
    w->paths = apr_array_make(result, paths->nelts, sizeof(const char *));
    apr_pool_create(&w->iter, result);
    for (i = 0; i < paths->nelts; i++) {
        fs_error_t *err = add_track(w, APR_ARRAY_IDX(paths, i, const char *));

        if (err && range->lenient &&
            (err->code == FS_ERR_NOT_FOUND || err->code == FS_ERR_UNREADABLE)) {
            fs_error_clear(err);
            track_close(&w->tracks[w->track_count]);
            continue;
        }
        FS_TRY(err);
    }
    *walk = w;
    return NULL;
}

/* Let all tracks leave the revision that was told. */
static fs_error_t *move_on(fs_log_walk_t *walk)
{
    while (walk->told != FS_INVALID_REV && walk->heap_count > 0 &&
           walk->heap[0]->rev >= walk->told) {
        bool live;

        FS_TRY(track_step(&live, walk, walk->heap[0]));
        if (live)
            heap_sink(walk);
        else
            heap_pop(walk);
    }
    walk->told = FS_INVALID_REV;
    return NULL;
}

fs_error_t *fs_log_walk_next(fs_rev_t *rev, fs_log_walk_t *walk)
{
    FS_TRY(move_on(walk));
    *rev = walk->heap_count > 0 ? walk->heap[0]->rev : FS_INVALID_REV;
    walk->told = *rev;
    return NULL;
}

fs_error_t *fs_log_walk_paths(const apr_array_header_t **paths, bool *moved,
                              fs_log_walk_t *walk)
{
    int i;

    FS_TRY(move_on(walk));
    *moved = walk->moved;
    *paths = walk->paths;
    if (!walk->moved)
        return NULL;
    walk->moved = false;
    apr_array_clear(walk->paths);
    for (i = 0; i < walk->track_count; i++)
        APR_ARRAY_PUSH(walk->paths, const char *) = walk->tracks[i].path;
    return NULL;
}
