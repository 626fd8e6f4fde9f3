/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of svn:mergeinfo and their algebra. An input is two values with a NUL
 * between them.
 */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/fs_mergeinfo.h"

FUZZ_WITH_APR

/* Ranges ascend and do not overlap. */
static void check(apr_hash_t *mergeinfo, apr_pool_t *pool)
{
    apr_hash_index_t *it;
    int i;

    for (it = apr_hash_first(pool, mergeinfo); it; it = apr_hash_next(it)) {
        const apr_array_header_t *ranges = apr_hash_this_val(it);
        fs_rev_t last = 0;

        if (*(const char *)apr_hash_this_key(it) != '/')
            abort();
        for (i = 0; i < ranges->nelts; i++) {
            const fs_merge_range_t *range =
                &APR_ARRAY_IDX(ranges, i, fs_merge_range_t);

            if (range->start < last || range->end <= range->start)
                abort();
            last = range->end;
        }
    }
}

static apr_hash_t *parse(const char *text, apr_size_t len, apr_pool_t *pool)
{
    apr_hash_t *mergeinfo, *again;
    const char *canonical;
    fs_error_t *err = fs_mergeinfo_parse(&mergeinfo, text, len, pool);

    if (err) {
        fs_error_clear(err);
        return NULL;
    }
    check(mergeinfo, pool);
    canonical = fs_mergeinfo_format(mergeinfo, pool);
    err = fs_mergeinfo_parse(&again, canonical, strlen(canonical), pool);
    if (err || !fs_mergeinfo_equal(mergeinfo, again, true, pool))
        abort();
    return mergeinfo;
}

/* What is in both, and what is in one alone, is all there is. */
static void combine(apr_hash_t *a, apr_hash_t *b, bool consider,
                    apr_pool_t *pool)
{
    apr_hash_t *both = fs_mergeinfo_intersect(a, b, consider, pool);
    apr_hash_t *rest = fs_mergeinfo_remove(a, b, consider, pool);
    apr_hash_t *all = fs_mergeinfo_merge(both, rest, pool);
    apr_hash_t *deleted, *added;

    check(both, pool);
    check(rest, pool);
    if (!fs_mergeinfo_equal(all, a, false, pool))
        abort();
    fs_mergeinfo_diff(&deleted, &added, a, b, consider, pool);
    check(deleted, pool);
    check(added, pool);
    check(fs_mergeinfo_append(a, "x/y", pool), pool);
    check(fs_mergeinfo_inheritable(a, pool), pool);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    const char *nul = memchr(data, '\0', len);
    apr_size_t first = nul ? (apr_size_t)(nul - data) : len;
    apr_hash_t *a = parse(data, first, pool);
    apr_hash_t *b = nul ? parse(nul + 1, len - first - 1, pool) : a;

    if (!a || !b)
        return;
    combine(a, b, true, pool);
    combine(a, b, false, pool);
}

FUZZ_EACH(try_input)
