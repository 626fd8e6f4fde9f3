/* SPDX-License-Identifier: Apache-2.0 */
/* Values of svn:mergeinfo: parsing, writing, set algebra. */

#include "libfs/base/mergeinfo.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/base/number.h"
#include "libfs/fs_path.h"

/* Revisions are 31 bits wide in mergeinfo, whatever they are elsewhere. */
#define REV_MAX 2147483647

/* How much of a bad line an error quotes, in bytes. */
#define QUOTE_MAX 120

/* ---- lists of ranges ---- */

/* How a list covers a revision. The higher mark wins where lists are joined. */
typedef enum mark_t {
    MARK_NONE,
    MARK_NON_INHERITABLE,
    MARK_INHERITABLE
} mark_t;

/* What becomes of a revision, by its marks in the first and second list. */
typedef mark_t rule_t[3][3];

static const rule_t rule_merge = { { 0, 1, 2 }, { 1, 1, 2 }, { 2, 2, 2 } };
static const rule_t rule_intersect = { { 0, 0, 0 }, { 0, 1, 2 }, { 0, 2, 2 } };
static const rule_t rule_intersect_marks = { { 0, 0, 0 },
                                             { 0, 1, 0 },
                                             { 0, 0, 2 } };
static const rule_t rule_remove = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } };
static const rule_t rule_remove_marks = { { 0, 0, 0 },
                                          { 1, 0, 1 },
                                          { 2, 2, 0 } };
static const rule_t rule_flatten = { { 0, 2, 2 }, { 2, 2, 2 }, { 2, 2, 2 } };

static const fs_merge_range_t *range_at(const apr_array_header_t *list, int i)
{
    return &APR_ARRAY_IDX(list, i, fs_merge_range_t);
}

static apr_array_header_t *list_make(int room, apr_pool_t *result)
{
    return apr_array_make(result, room, sizeof(fs_merge_range_t));
}

/* Append (start, end], joined with the last range where the two touch. */
static void list_append(apr_array_header_t *list, fs_rev_t start, fs_rev_t end,
                        bool inheritable)
{
    fs_merge_range_t *range;

    if (list->nelts > 0) {
        range = &APR_ARRAY_IDX(list, list->nelts - 1, fs_merge_range_t);
        if (range->end == start && range->inheritable == inheritable) {
            range->end = end;
            return;
        }
    }
    range = apr_array_push(list);
    range->start = start;
    range->end = end;
    range->inheritable = inheritable;
}

/* Reading position in a list. */
typedef struct side_t {
    const apr_array_header_t *list; /* NULL: empty */
    int next;                       /* range at or behind the position */
} side_t;

/* The mark behind `at`; lowers `*until` to where it changes next. */
static mark_t side_mark(side_t *side, fs_rev_t at, fs_rev_t *until)
{
    const fs_merge_range_t *range = NULL;

    while (side->list && side->next < side->list->nelts) {
        range = range_at(side->list, side->next);
        if (range->end > at)
            break;
        side->next++;
        range = NULL;
    }
    if (!range)
        return MARK_NONE;
    if (range->start > at) {
        if (range->start < *until)
            *until = range->start;
        return MARK_NONE;
    }
    if (range->end < *until)
        *until = range->end;
    return range->inheritable ? MARK_INHERITABLE : MARK_NON_INHERITABLE;
}

/* Sweep over both lists (either may be NULL) and apply `rule`. */
static apr_array_header_t *combine(const apr_array_header_t *a,
                                   const apr_array_header_t *b,
                                   const rule_t rule, apr_pool_t *result)
{
    apr_array_header_t *list =
        list_make((a ? a->nelts : 0) + (b ? b->nelts : 0), result);
    side_t left = { a, 0 };
    side_t right = { b, 0 };
    fs_rev_t at = 0;

    for (;;) {
        fs_rev_t until = APR_INT64_MAX;
        mark_t left_mark = side_mark(&left, at, &until);
        mark_t right_mark = side_mark(&right, at, &until);
        mark_t mark = rule[left_mark][right_mark];

        if (until == APR_INT64_MAX)
            return list;
        if (mark != MARK_NONE)
            list_append(list, at, until, mark == MARK_INHERITABLE);
        at = until;
    }
}

static bool lists_equal(const apr_array_header_t *a,
                        const apr_array_header_t *b)
{
    int i;

    if (a->nelts != b->nelts)
        return false;
    for (i = 0; i < a->nelts; i++) {
        const fs_merge_range_t *x = range_at(a, i);
        const fs_merge_range_t *y = range_at(b, i);

        if (x->start != y->start || x->end != y->end ||
            x->inheritable != y->inheritable)
            return false;
    }
    return true;
}

/* ---- parsing ---- */

/* The line that is being parsed, for messages too. */
typedef struct line_t {
    const char *path; /* made canonical */
    const char *pos;
    const char *end;
} line_t;

static int quote_len(const char *from, const char *end)
{
    return end - from > QUOTE_MAX ? QUOTE_MAX : (int)(end - from);
}

static fs_error_t *parse_rev(fs_rev_t *rev, line_t *line)
{
    apr_uint64_t value;
    const char *from = line->pos;

    if (!fs_number_decimal(&value, &line->pos, line->end, REV_MAX))
        return FS_ERROR(FS_ERR_MERGEINFO,
                        "mergeinfo for '%.*s' has '%.*s' where a revision from "
                        "1 to %d is wanted",
                        QUOTE_MAX, line->path, quote_len(from, line->end), from,
                        REV_MAX);
    if (value == 0)
        return FS_ERROR(FS_ERR_MERGEINFO,
                        "mergeinfo for '%.*s' names revision "
                        "0; the lowest is 1",
                        QUOTE_MAX, line->path);
    *rev = (fs_rev_t)value;
    return NULL;
}

/* One "N", "A-B", either with "*". */
static fs_error_t *parse_range(fs_merge_range_t *range, line_t *line)
{
    fs_rev_t first, last;

    FS_TRY(parse_rev(&first, line));
    last = first;
    if (line->pos < line->end && *line->pos == '-') {
        line->pos++;
        FS_TRY(parse_rev(&last, line));
        if (last <= first)
            return FS_ERROR(FS_ERR_MERGEINFO,
                            "mergeinfo for '%.*s' has the range %" FS_REV_FMT
                            "-%" FS_REV_FMT ", which does not rise",
                            QUOTE_MAX, line->path, first, last);
    }
    range->start = first - 1;
    range->end = last;
    range->inheritable = true;
    if (line->pos < line->end && *line->pos == '*') {
        range->inheritable = false;
        line->pos++;
    }
    return NULL;
}

static int compare_ranges(const void *a, const void *b)
{
    const fs_merge_range_t *x = a;
    const fs_merge_range_t *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return 0;
}

/* Sort and join in place. */
static fs_error_t *normalize(apr_array_header_t *list, const char *path)
{
    fs_merge_range_t *ranges = (fs_merge_range_t *)list->elts;
    int used = 0;
    int i;

    qsort(ranges, (size_t)list->nelts, sizeof(*ranges), compare_ranges);
    for (i = 1; i < list->nelts; i++) {
        fs_merge_range_t *last = &ranges[used];

        if (ranges[i].inheritable == last->inheritable) {
            if (ranges[i].start <= last->end) {
                if (ranges[i].end > last->end)
                    last->end = ranges[i].end;
                continue;
            }
        } else if (ranges[i].start < last->end) {
            return FS_ERROR(FS_ERR_MERGEINFO,
                            "mergeinfo for '%.*s' has overlapping ranges with "
                            "different inheritance at revision %" FS_REV_FMT,
                            QUOTE_MAX, path, ranges[i].start + 1);
        }
        ranges[++used] = ranges[i];
    }
    list->nelts = used + 1;
    return NULL;
}

static fs_error_t *parse_list(apr_array_header_t **list, line_t *line,
                              apr_pool_t *result)
{
    const char *from;

    while (line->pos < line->end && (*line->pos == ' ' || *line->pos == '\t'))
        line->pos++;
    if (line->pos == line->end)
        return FS_ERROR(FS_ERR_MERGEINFO, "mergeinfo for '%.*s' has no ranges",
                        QUOTE_MAX, line->path);
    *list = list_make(4, result);
    for (;;) {
        FS_TRY(parse_range(apr_array_push(*list), line));
        from = line->pos;
        if (from == line->end)
            return normalize(*list, line->path);
        if (*from != ',')
            return FS_ERROR(FS_ERR_MERGEINFO,
                            "mergeinfo for '%.*s' has '%.*s' behind a range",
                            QUOTE_MAX, line->path, quote_len(from, line->end),
                            from);
        line->pos++;
    }
}

static fs_error_t *parse_line(const char **path, apr_array_header_t **list,
                              const char *from, const char *end,
                              apr_pool_t *result)
{
    const char *colon = end;
    line_t line;

    while (colon > from && colon[-1] != ':')
        colon--;
    if (colon == from)
        return FS_ERROR(FS_ERR_MERGEINFO,
                        "mergeinfo line '%.*s' has no ':' behind a path",
                        quote_len(from, end), from);
    if (memchr(from, '\0', (size_t)(end - from)))
        return FS_ERROR(FS_ERR_MERGEINFO, "mergeinfo has a NUL byte");
    line.path = fs_path_canonical(
        apr_pstrmemdup(result, from, (apr_size_t)(colon - 1 - from)), result);
    line.pos = colon;
    line.end = end;
    *path = line.path;
    return parse_list(list, &line, result);
}

/* Join the lists that one path has on several lines, by halves: adding each to
 * the sum of those before would be quadratic. */
static apr_array_header_t *join_lists(apr_array_header_t *lists,
                                      apr_pool_t *result)
{
    apr_array_header_t **list = (apr_array_header_t **)lists->elts;
    int count = lists->nelts;

    while (count > 1) {
        int half = (count + 1) / 2;
        int i;

        for (i = 0; i + half < count; i++)
            list[i] = combine(list[i], list[i + half], rule_merge, result);
        count = half;
    }
    return list[0];
}

/* `lines` has an array of lists for each path; make one list of each. */
static apr_hash_t *join_lines(apr_hash_t *lines, apr_pool_t *result)
{
    apr_hash_t *mergeinfo = apr_hash_make(result);
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(result, lines); hi; hi = apr_hash_next(hi))
        apr_hash_set(mergeinfo, apr_hash_this_key(hi),
                     apr_hash_this_key_len(hi),
                     join_lists(apr_hash_this_val(hi), result));
    return mergeinfo;
}

fs_error_t *fs_mergeinfo_parse(apr_hash_t **mergeinfo, const char *text,
                               apr_size_t len, apr_pool_t *result)
{
    apr_hash_t *lines = apr_hash_make(result);
    const char *pos = text;
    const char *end = text + len;

    while (pos < end) {
        const char *line_end = memchr(pos, '\n', (size_t)(end - pos));
        apr_array_header_t *list, *lists;
        const char *path;

        if (!line_end)
            line_end = end;
        FS_TRY(parse_line(&path, &list, pos, line_end, result));
        lists = apr_hash_get(lines, path, APR_HASH_KEY_STRING);
        if (!lists) {
            lists = apr_array_make(result, 1, sizeof(apr_array_header_t *));
            apr_hash_set(lines, path, APR_HASH_KEY_STRING, lists);
        }
        APR_ARRAY_PUSH(lists, apr_array_header_t *) = list;
        pos = line_end < end ? line_end + 1 : end;
    }
    *mergeinfo = join_lines(lines, result);
    return NULL;
}

/* ---- writing ---- */

typedef struct source_t {
    const char *path;
    const apr_array_header_t *list;
} source_t;

static int compare_sources(const void *a, const void *b)
{
    const source_t *x = a;
    const source_t *y = b;

    return strcmp(x->path, y->path);
}

static apr_array_header_t *sorted_sources(apr_hash_t *mergeinfo,
                                          apr_pool_t *result)
{
    apr_array_header_t *sources = apr_array_make(
        result, (int)apr_hash_count(mergeinfo), sizeof(source_t));
    apr_hash_index_t *hi;

    for (hi = apr_hash_first(result, mergeinfo); hi; hi = apr_hash_next(hi)) {
        source_t *source = apr_array_push(sources);

        source->path = apr_hash_this_key(hi);
        source->list = apr_hash_this_val(hi);
    }
    qsort(sources->elts, (size_t)sources->nelts, sizeof(source_t),
          compare_sources);
    return sources;
}

static void format_list(fs_buffer_t *out, const apr_array_header_t *list)
{
    int i;

    for (i = 0; i < list->nelts; i++) {
        const fs_merge_range_t *range = range_at(list, i);

        if (i > 0)
            fs_buffer_append(out, ",", 1);
        fs_buffer_printf(out, "%" FS_REV_FMT, range->start + 1);
        if (range->end > range->start + 1)
            fs_buffer_printf(out, "-%" FS_REV_FMT, range->end);
        if (!range->inheritable)
            fs_buffer_append(out, "*", 1);
    }
}

const char *fs_mergeinfo_format(apr_hash_t *mergeinfo, apr_pool_t *result)
{
    apr_array_header_t *sources = sorted_sources(mergeinfo, result);
    fs_buffer_t *out = fs_buffer_create(256, result);
    int i;

    for (i = 0; i < sources->nelts; i++) {
        const source_t *source = &APR_ARRAY_IDX(sources, i, source_t);

        if (i > 0)
            fs_buffer_append(out, "\n", 1);
        fs_buffer_puts(out, source->path);
        fs_buffer_append(out, ":", 1);
        format_list(out, source->list);
    }
    fs_buffer_append(out, "", 1);
    return out->data;
}

/* ---- algebra ---- */

static apr_hash_index_t *first(apr_hash_t *mergeinfo, apr_pool_t *pool)
{
    return mergeinfo ? apr_hash_first(pool, mergeinfo) : NULL;
}

static apr_array_header_t *list_of(apr_hash_t *mergeinfo, const char *path)
{
    if (!mergeinfo)
        return NULL;
    return apr_hash_get(mergeinfo, path, APR_HASH_KEY_STRING);
}

/* Combine each path of `a` with the same one of `b` into `out`. */
static void combine_paths(apr_hash_t *out, apr_hash_t *a, apr_hash_t *b,
                          const rule_t rule, apr_pool_t *result)
{
    apr_hash_index_t *hi;

    for (hi = first(a, result); hi; hi = apr_hash_next(hi)) {
        const char *path = apr_hash_this_key(hi);
        apr_array_header_t *list =
            combine(apr_hash_this_val(hi), list_of(b, path), rule, result);

        if (list->nelts > 0)
            apr_hash_set(out, apr_pstrdup(result, path), APR_HASH_KEY_STRING,
                         list);
    }
}

apr_hash_t *fs_mergeinfo_merge(apr_hash_t *a, apr_hash_t *b, apr_pool_t *result)
{
    apr_hash_t *out = apr_hash_make(result);
    apr_hash_index_t *hi;

    combine_paths(out, a, b, rule_merge, result);
    for (hi = first(b, result); hi; hi = apr_hash_next(hi)) {
        const char *path = apr_hash_this_key(hi);

        if (!list_of(a, path))
            apr_hash_set(
                out, apr_pstrdup(result, path), APR_HASH_KEY_STRING,
                combine(apr_hash_this_val(hi), NULL, rule_merge, result));
    }
    return out;
}

apr_hash_t *fs_mergeinfo_intersect(apr_hash_t *a, apr_hash_t *b, bool consider,
                                   apr_pool_t *result)
{
    apr_hash_t *out = apr_hash_make(result);

    combine_paths(out, a, b, consider ? rule_intersect_marks : rule_intersect,
                  result);
    return out;
}

apr_hash_t *fs_mergeinfo_remove(apr_hash_t *a, apr_hash_t *b, bool consider,
                                apr_pool_t *result)
{
    apr_hash_t *out = apr_hash_make(result);

    combine_paths(out, a, b, consider ? rule_remove_marks : rule_remove,
                  result);
    return out;
}

void fs_mergeinfo_diff(apr_hash_t **deleted, apr_hash_t **added,
                       apr_hash_t *from, apr_hash_t *to, bool consider,
                       apr_pool_t *result)
{
    *deleted = fs_mergeinfo_remove(from, to, consider, result);
    *added = fs_mergeinfo_remove(to, from, consider, result);
}

bool fs_mergeinfo_equal(apr_hash_t *a, apr_hash_t *b, bool consider,
                        apr_pool_t *scratch)
{
    apr_hash_index_t *hi;

    if ((a ? apr_hash_count(a) : 0) != (b ? apr_hash_count(b) : 0))
        return false;
    for (hi = first(a, scratch); hi; hi = apr_hash_next(hi)) {
        const apr_array_header_t *x = apr_hash_this_val(hi);
        const apr_array_header_t *y = list_of(b, apr_hash_this_key(hi));

        if (!y)
            return false;
        if (!consider) {
            x = combine(x, NULL, rule_flatten, scratch);
            y = combine(y, NULL, rule_flatten, scratch);
        }
        if (!lists_equal(x, y))
            return false;
    }
    return true;
}

apr_hash_t *fs_mergeinfo_inheritable(apr_hash_t *mergeinfo, apr_pool_t *result)
{
    static const rule_t rule = { { 0, 0, 0 }, { 0, 0, 0 }, { 2, 2, 2 } };
    apr_hash_t *out = apr_hash_make(result);

    combine_paths(out, mergeinfo, NULL, rule, result);
    return out;
}

apr_hash_t *fs_mergeinfo_append(apr_hash_t *mergeinfo, const char *relpath,
                                apr_pool_t *result)
{
    apr_hash_t *out = apr_hash_make(result);
    apr_hash_index_t *hi;

    for (hi = first(mergeinfo, result); hi; hi = apr_hash_next(hi)) {
        const char *path = fs_path_join(apr_hash_this_key(hi), relpath, result);

        apr_hash_set(out, path, APR_HASH_KEY_STRING,
                     combine(apr_hash_this_val(hi), NULL, rule_merge, result));
    }
    return out;
}

void fs_mergeinfo_add(apr_hash_t *total, apr_hash_t *more, apr_pool_t *result,
                      apr_pool_t *scratch)
{
    apr_hash_index_t *hi;

    for (hi = first(more, scratch); hi; hi = apr_hash_next(hi)) {
        const char *path = apr_hash_this_key(hi);
        const apr_array_header_t *list = apr_hash_this_val(hi);
        const apr_array_header_t *known = list_of(total, path);

        if (!known) {
            apr_hash_set(total, apr_pstrdup(result, path), APR_HASH_KEY_STRING,
                         apr_array_copy(result, list));
            continue;
        }
        list = combine(known, list, rule_merge, scratch);
        if (!lists_equal(known, list))
            apr_hash_set(total, path, APR_HASH_KEY_STRING,
                         apr_array_copy(result, list));
    }
}

apr_hash_t *fs_mergeinfo_clip(apr_hash_t *mergeinfo, fs_rev_t rev,
                              apr_pool_t *result)
{
    apr_hash_t *out = apr_hash_make(result);
    apr_array_header_t *above = list_make(1, result);
    apr_hash_index_t *hi;

    list_append(above, rev, REV_MAX, true);
    for (hi = first(mergeinfo, result); hi; hi = apr_hash_next(hi)) {
        apr_array_header_t *list =
            combine(apr_hash_this_val(hi), above, rule_remove, result);

        if (list->nelts > 0)
            apr_hash_set(out, apr_hash_this_key(hi), apr_hash_this_key_len(hi),
                         list);
    }
    return out;
}
