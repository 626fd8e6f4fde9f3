/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mergeinfo cut into pieces with one set of paths: a sweep down over the ends
 * of all ranges, with the list of ranges that lie over the position. A piece
 * is made when it is asked for: there may be as many as ranges, each with all
 * paths.
 */

#include "libfs/history/log_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/fs_mergeinfo.h"

/* A range of one path. */
typedef struct span_t {
    fs_rev_t start; /* exclusive */
    fs_rev_t end;
    const char *path;
} span_t;

/* The sweep over one mergeinfo. */
typedef struct sweep_t {
    apr_array_header_t *spans; /* of span_t, the highest end last */
    apr_array_header_t *over;  /* of span_t: those of the present piece */
    fs_rev_t start;            /* of the present piece, exclusive */
    fs_rev_t end;              /* 0: there is no piece any more */
} sweep_t;

struct fs_log_pieces_t {
    sweep_t added;
    sweep_t deleted;
};

static int compare_spans(const void *a, const void *b)
{
    const span_t *x = a;
    const span_t *y = b;

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All ranges of a mergeinfo, by end. */
static apr_array_header_t *spans_of(apr_hash_t *mergeinfo, apr_pool_t *result)
{
    apr_array_header_t *spans = apr_array_make(result, 8, sizeof(span_t));
    apr_hash_index_t *hi;
    int i;

    for (hi = apr_hash_first(result, mergeinfo); hi; hi = apr_hash_next(hi)) {
        const apr_array_header_t *list = apr_hash_this_val(hi);

        for (i = 0; i < list->nelts; i++) {
            const fs_merge_range_t *range =
                &APR_ARRAY_IDX(list, i, fs_merge_range_t);
            span_t *span = apr_array_push(spans);

            span->start = range->start;
            span->end = range->end;
            span->path = apr_hash_this_key(hi);
        }
    }
    qsort(spans->elts, (size_t)spans->nelts, sizeof(span_t), compare_spans);
    return spans;
}

static span_t *span_at(const apr_array_header_t *spans, int i)
{
    return &APR_ARRAY_IDX(spans, i, span_t);
}

/* The end of the next span that is yet to be entered, 0 if there is none. */
static fs_rev_t next_end(const sweep_t *sweep)
{
    int count = sweep->spans->nelts;

    return count > 0 ? span_at(sweep->spans, count - 1)->end : 0;
}

/* Drop the spans that begin at the lower end of the present piece. */
static void leave_spans(sweep_t *sweep)
{
    int kept = 0;
    int i;

    for (i = 0; i < sweep->over->nelts; i++)
        if (span_at(sweep->over, i)->start < sweep->start)
            *span_at(sweep->over, kept++) = *span_at(sweep->over, i);
    sweep->over->nelts = kept;
}

/* Go down to the next piece. */
static void sweep_down(sweep_t *sweep)
{
    int i;

    leave_spans(sweep);
    sweep->end = sweep->over->nelts > 0 ? sweep->start : next_end(sweep);
    if (sweep->end == 0)
        return;
    while (next_end(sweep) == sweep->end)
        APR_ARRAY_PUSH(sweep->over, span_t) =
            *(span_t *)apr_array_pop(sweep->spans);
    sweep->start = next_end(sweep);
    for (i = 0; i < sweep->over->nelts; i++)
        if (span_at(sweep->over, i)->start > sweep->start)
            sweep->start = span_at(sweep->over, i)->start;
}

static void sweep_begin(sweep_t *sweep, apr_hash_t *mergeinfo,
                        apr_pool_t *result)
{
    sweep->spans = spans_of(mergeinfo, result);
    sweep->over = apr_array_make(result, 4, sizeof(span_t));
    sweep->start = 0;
    sweep_down(sweep);
}

fs_log_pieces_t *fs_log_pieces_open(apr_hash_t *added, apr_hash_t *deleted,
                                    apr_pool_t *result)
{
    fs_log_pieces_t *pieces = apr_palloc(result, sizeof(*pieces));

    sweep_begin(&pieces->added, added, result);
    sweep_begin(&pieces->deleted, deleted, result);
    return pieces;
}

/* Does the present piece of `a` come no later than that of `b`? */
static bool comes_first(const sweep_t *a, const sweep_t *b)
{
    if (a->end == 0 || b->end == 0)
        return a->end != 0;
    if (a->start != b->start)
        return a->start > b->start;
    return a->end >= b->end;
}

fs_log_piece_t *fs_log_pieces_next(fs_log_pieces_t *pieces, apr_pool_t *result)
{
    bool subtractive = comes_first(&pieces->deleted, &pieces->added);
    sweep_t *sweep = subtractive ? &pieces->deleted : &pieces->added;
    fs_log_piece_t *piece;
    int i;

    if (sweep->end == 0)
        return NULL;
    piece = apr_palloc(result, sizeof(*piece));
    piece->first = sweep->start + 1;
    piece->last = sweep->end;
    piece->subtractive = subtractive;
    piece->paths =
        apr_array_make(result, sweep->over->nelts, sizeof(const char *));
    for (i = 0; i < sweep->over->nelts; i++)
        APR_ARRAY_PUSH(piece->paths, const char *) =
            span_at(sweep->over, i)->path;
    qsort(piece->paths->elts, (size_t)piece->paths->nelts, sizeof(const char *),
          compare_paths);
    sweep_down(sweep);
    return piece;
}
