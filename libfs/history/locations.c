/* SPDX-License-Identifier: Apache-2.0 */
/* Where a node was in other revisions, and when it left its path. */

#include "libfs/fs_history.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/tree/reader.h"
#include "libfs/tree/tree.h"

/* ---- stretches ---- */

/*
 * The line of a node, cut into stretches of revisions in which it had one
 * path; youngest first. Between a copy and its source there may be a hole.
 * A stretch lives in one of two pools in turn.
 */
typedef struct stretch_t {
    fs_root_t *root; /* of the node that the walk began with */
    apr_pool_t *pools[2];
    int turn;
    const fs_node_t *node; /* in the stretch's youngest revision */
    fs_rev_t end;          /* which is this one */
    const fs_copy_t *copy; /* that began the stretch; NULL: the oldest one */
} stretch_t;

static fs_error_t *first_stretch(stretch_t *stretch, const fs_node_t *node,
                                 apr_pool_t *pool)
{
    stretch->root = fs_node_root(node);
    apr_pool_create(&stretch->pools[0], pool);
    apr_pool_create(&stretch->pools[1], pool);
    stretch->turn = 0;
    stretch->node = node;
    stretch->end = fs_root_rev(stretch->root);
    return fs_copy_find(&stretch->copy, node, stretch->pools[0]);
}

/* Go to the next older stretch; `*more` is false if there is none. */
static fs_error_t *next_stretch(bool *more, stretch_t *stretch)
{
    apr_pool_t *pool = stretch->pools[!stretch->turn];
    const fs_node_t *source;
    fs_node_t *own;

    *more = false;
    if (!stretch->copy)
        return NULL;
    apr_pool_clear(pool);
    FS_TRY(fs_copy_source(&source, stretch->copy, stretch->node, pool));
    if (!source)
        return NULL;
    own = apr_pmemdup(pool, source, sizeof(*source));
    own->root = stretch->root;
    stretch->node = own;
    stretch->end = stretch->copy->from_rev;
    stretch->turn = !stretch->turn;
    *more = true;
    return fs_copy_find(&stretch->copy, own, pool);
}

/* Go on to the stretch that `rev` lies in or right above. */
static fs_error_t *reach(bool *more, stretch_t *stretch, fs_rev_t rev,
                         const fs_reader_t *reader, apr_pool_t *scratch)
{
    *more = true;
    while (*more && stretch->copy && rev < stretch->copy->rev) {
        FS_TRY(next_stretch(more, stretch));
        if (*more)
            FS_TRY(fs_reader_may_read(more, reader, stretch->end,
                                      stretch->node->path, scratch));
    }
    return NULL;
}

/* Is the node there in `rev`, which lies in the stretch or right above? */
static fs_error_t *is_there(bool *there, stretch_t *stretch, fs_rev_t rev,
                            apr_pool_t *scratch)
{
    fs_root_t *root;
    const fs_node_t *node;

    *there = rev <= stretch->end;
    if (!*there || stretch->copy || rev == stretch->end)
        return NULL;
    /* The oldest stretch begins where the node does. */
    FS_TRY(fs_root_aside(&root, stretch->root, rev));
    FS_TRY(fs_node_find(&node, root, stretch->node->path, scratch));
    *there = node && fs_node_relation(node, stretch->node) != FS_UNRELATED;
    return NULL;
}

/* ---- locations ---- */

/* Does the node at `path` in `rev` come from the one there in `peg` < `rev`? */
static fs_error_t *comes_from(bool *yes, fs_repo_t *repo, const char *path,
                              fs_rev_t rev, fs_rev_t peg, apr_pool_t *scratch)
{
    fs_root_t *root;
    const fs_node_t *node;
    stretch_t stretch;

    FS_TRY(fs_root_open(&root, repo, rev, scratch));
    FS_TRY(fs_node_need(&node, root, path, scratch));
    FS_TRY(first_stretch(&stretch, node, scratch));
    FS_TRY(reach(yes, &stretch, peg, NULL, scratch));
    if (*yes)
        FS_TRY(is_there(yes, &stretch, peg, scratch));
    *yes = *yes && strcmp(stretch.node->path, path) == 0;
    return NULL;
}

/* An asked revision, and its place in the answer. */
typedef struct asked_t {
    fs_rev_t rev;
    int index;
} asked_t;

static int youngest_first(const void *a, const void *b)
{
    const asked_t *left = a;
    const asked_t *right = b;

    if (left->rev != right->rev)
        return left->rev < right->rev ? 1 : -1;
    return left->index - right->index;
}

static asked_t *sort_asked(const fs_rev_t *revs, int count, fs_rev_t youngest,
                           apr_pool_t *scratch)
{
    asked_t *asked =
        apr_palloc(scratch, (apr_size_t)(count + 1) * sizeof(*asked));
    int i;

    for (i = 0; i < count; i++) {
        asked[i].rev = FS_IS_REV(revs[i]) ? revs[i] : youngest;
        asked[i].index = i;
    }
    qsort(asked, (size_t)count, sizeof(*asked), youngest_first);
    return asked;
}

/* Answer for the revisions above the peg; `*done` is how many these are. */
static fs_error_t *locate_above(int *done, const char **answer,
                                const asked_t *asked, int count,
                                fs_repo_t *repo, const char *path, fs_rev_t peg,
                                const fs_reader_t *reader, apr_pool_t *result)
{
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, result);
    for (i = 0; i < count && asked[i].rev > peg; i++) {
        bool found;

        apr_pool_clear(iter);
        FS_TRY(fs_reader_may_read(&found, reader, asked[i].rev, path, iter));
        if (found)
            FS_TRY(comes_from(&found, repo, path, asked[i].rev, peg, iter));
        if (found)
            answer[asked[i].index] = apr_pstrdup(result, path);
    }
    apr_pool_destroy(iter);
    *done = i;
    return NULL;
}

/* Answer for the peg and the revisions below it. */
static fs_error_t *locate_below(const char **answer, const asked_t *asked,
                                int count, const fs_node_t *node,
                                const fs_reader_t *reader, apr_pool_t *result)
{
    stretch_t stretch;
    apr_pool_t *pool;
    apr_pool_t *iter;
    int i;

    apr_pool_create(&pool, result);
    apr_pool_create(&iter, pool);
    FS_TRY(first_stretch(&stretch, node, pool));
    for (i = 0; i < count; i++) {
        bool more;
        bool there;

        apr_pool_clear(iter);
        FS_TRY(reach(&more, &stretch, asked[i].rev, reader, iter));
        if (!more)
            break;
        FS_TRY(is_there(&there, &stretch, asked[i].rev, iter));
        if (there)
            answer[asked[i].index] = apr_pstrdup(result, stretch.node->path);
        else if (asked[i].rev <= stretch.end)
            break;
    }
    apr_pool_destroy(pool);
    return NULL;
}

fs_error_t *fs_locations(apr_array_header_t **locations, fs_repo_t *repo,
                         const char *path, fs_rev_t peg, const fs_rev_t *revs,
                         int count, const fs_reader_t *reader,
                         apr_pool_t *result)
{
    const char **answer;
    asked_t *asked;
    fs_rev_t youngest;
    fs_root_t *root;
    const fs_node_t *node;
    bool allowed;
    int done;

    FS_TRY(fs_repo_youngest(&youngest, repo, result));
    if (!FS_IS_REV(peg))
        peg = youngest;
    FS_TRY(fs_reader_may_read(&allowed, reader, peg, path, result));
    if (!allowed)
        return FS_ERROR(FS_ERR_UNREADABLE,
                        "'%s' may not be read in revision %" FS_REV_FMT, path,
                        peg);
    *locations = apr_array_make(result, count, sizeof(const char *));
    (*locations)->nelts = count;
    answer = (const char **)(*locations)->elts;
    memset(answer, 0, (apr_size_t)count * sizeof(*answer));
    asked = sort_asked(revs, count, youngest, result);
    FS_TRY(locate_above(&done, answer, asked, count, repo, path, peg, reader,
                        result));
    if (done == count)
        return NULL;
    FS_TRY(fs_root_open(&root, repo, peg, result));
    FS_TRY(fs_node_need(&node, root, path, result));
    return locate_below(answer, asked + done, count - done, node, reader,
                        result);
}

/* ---- segments ---- */

typedef struct segments_t {
    fs_rev_t start; /* what was asked for: from here down ... */
    fs_rev_t end;   /* ... to here */
    fs_segment_fn receive;
    void *baton;
} segments_t;

/* Tell the part of `from` to `to` that was asked for. */
static fs_error_t *tell_segment(const segments_t *s, fs_rev_t from, fs_rev_t to,
                                const char *path, apr_pool_t *scratch)
{
    fs_segment_t segment;

    segment.start = from > s->end ? from : s->end;
    segment.end = to < s->start ? to : s->start;
    segment.path = path;
    if (segment.start > segment.end)
        return NULL;
    return s->receive(s->baton, &segment, scratch);
}

static fs_error_t *stretch_start(fs_rev_t *start, const stretch_t *stretch,
                                 apr_pool_t *scratch)
{
    if (stretch->copy) {
        *start = stretch->copy->rev;
        return NULL;
    }
    return fs_node_origin_rev(start, stretch->node, scratch);
}

static fs_error_t *tell_segments(const segments_t *s, const fs_node_t *node,
                                 const fs_reader_t *reader, apr_pool_t *scratch)
{
    stretch_t stretch;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    FS_TRY(first_stretch(&stretch, node, scratch));
    for (;;) {
        fs_rev_t start;
        bool more;

        apr_pool_clear(iter);
        FS_TRY(stretch_start(&start, &stretch, iter));
        FS_TRY(
            tell_segment(s, start, stretch.end, stretch.node->path + 1, iter));
        if (start <= s->end)
            return NULL;
        FS_TRY(next_stretch(&more, &stretch));
        if (more)
            FS_TRY(fs_reader_may_read(&more, reader, stretch.end,
                                      stretch.node->path, iter));
        if (!more)
            return NULL;
        FS_TRY(tell_segment(s, stretch.end + 1, start - 1, NULL, iter));
    }
}

fs_error_t *fs_location_segments(fs_repo_t *repo, const char *path,
                                 fs_rev_t peg, fs_rev_t start, fs_rev_t end,
                                 const fs_reader_t *reader,
                                 fs_segment_fn receive, void *baton,
                                 apr_pool_t *scratch)
{
    segments_t s = { start, end, receive, baton };
    fs_rev_t youngest;
    fs_root_t *root;
    const fs_node_t *node;
    bool allowed;

    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    if (!FS_IS_REV(peg))
        peg = youngest;
    if (!FS_IS_REV(start))
        s.start = peg;
    if (!FS_IS_REV(end))
        s.end = 0;
    if (peg > youngest || s.start > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        peg > youngest ? peg : s.start);
    if (s.end > s.start || s.start > peg)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "segments of '%s' from revision %" FS_REV_FMT
                        " down to %" FS_REV_FMT
                        " do not lie below peg revision %" FS_REV_FMT,
                        path, s.start, s.end, peg);
    FS_TRY(fs_reader_may_read(&allowed, reader, peg, path, scratch));
    if (!allowed)
        return NULL;
    FS_TRY(fs_root_open(&root, repo, peg, scratch));
    FS_TRY(fs_node_need(&node, root, path, scratch));
    return tell_segments(&s, node, reader, scratch);
}

/* ---- deletion ---- */

/* Is the node that was at the path in `node`'s revision gone from it in the
 * later `rev`: missing, replaced, or brought back by a younger copy? */
static fs_error_t *is_gone(bool *gone, const fs_node_t *node, fs_rev_t rev,
                           apr_pool_t *scratch)
{
    fs_root_t *root;
    const fs_node_t *there;
    const char *copy_path;
    fs_rev_t copy_rev;

    FS_TRY(fs_root_open(&root, node->root->repo, rev, scratch));
    FS_TRY(fs_node_find(&there, root, node->path, scratch));
    *gone = !there || fs_node_relation(there, node) == FS_UNRELATED;
    if (*gone || there->copy_rev <= node->root->rev)
        return NULL;
    FS_TRY(fs_node_closest_copy(&copy_rev, &copy_path, there, scratch));
    *gone = copy_path && copy_rev > node->root->rev;
    return NULL;
}

fs_error_t *fs_deleted_rev(fs_rev_t *deleted, fs_repo_t *repo, const char *path,
                           fs_rev_t start, fs_rev_t end, apr_pool_t *scratch)
{
    fs_rev_t youngest;
    fs_root_t *root;
    const fs_node_t *node;
    apr_pool_t *iter;
    fs_rev_t low;
    fs_rev_t high;
    bool gone;

    *deleted = FS_INVALID_REV;
    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    start = FS_IS_REV(start) ? start : youngest;
    end = FS_IS_REV(end) ? end : youngest;
    low = start < end ? start : end;
    high = start < end ? end : start;
    FS_TRY(fs_root_open(&root, repo, low, scratch));
    FS_TRY(fs_node_find(&node, root, path, scratch));
    if (!node)
        return NULL;
    apr_pool_create(&iter, scratch);
    FS_TRY(is_gone(&gone, node, high, iter));
    while (gone && high - low > 1) {
        fs_rev_t middle = low + (high - low) / 2;
        bool gone_there;

        apr_pool_clear(iter);
        FS_TRY(is_gone(&gone_there, node, middle, iter));
        if (gone_there)
            high = middle;
        else
            low = middle;
    }
    apr_pool_destroy(iter);
    if (gone)
        *deleted = high;
    return NULL;
}
