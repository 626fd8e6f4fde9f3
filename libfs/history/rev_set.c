/* SPDX-License-Identifier: Apache-2.0 */
/* A set of revisions that grows, kept as a sorted array of joined ranges. */

#include "libfs/history/rev_set.h"

#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>

struct fs_rev_set_t {
    apr_array_header_t *ranges; /* of fs_rev_range_t; gaps between them */
};

fs_rev_set_t *fs_rev_set_create(apr_pool_t *result)
{
    fs_rev_set_t *set = apr_palloc(result, sizeof(*set));

    set->ranges = apr_array_make(result, 1, sizeof(fs_rev_range_t));
    return set;
}

static fs_rev_range_t *ranges_of(const fs_rev_set_t *set)
{
    return (fs_rev_range_t *)set->ranges->elts;
}

/* Index of the first range that ends at `rev` or later. */
static int lower_bound(const fs_rev_set_t *set, fs_rev_t rev)
{
    const fs_rev_range_t *ranges = ranges_of(set);
    int low = 0;
    int high = set->ranges->nelts;

    while (low < high) {
        int mid = low + (high - low) / 2;

        if (ranges[mid].last < rev)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_at(fs_rev_set_t *set, int at, fs_rev_t first, fs_rev_t last)
{
    fs_rev_range_t *ranges;

    (void)apr_array_push(set->ranges);
    ranges = ranges_of(set);
    memmove(&ranges[at + 1], &ranges[at],
            (size_t)(set->ranges->nelts - 1 - at) * sizeof(*ranges));
    ranges[at].first = first;
    ranges[at].last = last;
}

void fs_rev_set_add(fs_rev_set_t *set, fs_rev_t first, fs_rev_t last)
{
    int from = lower_bound(set, first - 1);
    int count = set->ranges->nelts;
    fs_rev_range_t *ranges = ranges_of(set);
    int to = from;

    /* Ranges from `from` up to `to` touch the new one. */
    while (to < count && ranges[to].first <= last + 1)
        to++;
    if (from == to) {
        insert_at(set, from, first, last);
        return;
    }
    if (ranges[from].first > first)
        ranges[from].first = first;
    if (ranges[to - 1].last > last)
        last = ranges[to - 1].last;
    ranges[from].last = last;
    memmove(&ranges[from + 1], &ranges[to],
            (size_t)(count - to) * sizeof(*ranges));
    set->ranges->nelts = count - (to - from - 1);
}

const fs_rev_range_t *fs_rev_set_find(const fs_rev_set_t *set, fs_rev_t rev)
{
    const fs_rev_range_t *range;
    int at;

    if (!set)
        return NULL;
    at = lower_bound(set, rev);
    if (at == set->ranges->nelts)
        return NULL;
    range = &ranges_of(set)[at];
    return range->first <= rev ? range : NULL;
}

fs_rev_set_t *fs_rev_set_of(apr_hash_t *sets, const char *path,
                            apr_pool_t *result)
{
    fs_rev_set_t *set = apr_hash_get(sets, path, APR_HASH_KEY_STRING);

    if (!set) {
        set = fs_rev_set_create(result);
        apr_hash_set(sets, apr_pstrdup(result, path), APR_HASH_KEY_STRING, set);
    }
    return set;
}
