/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the kernel, in the order on disk, what will be read soon. */

#include "libfs/store/fsfs/prefetch.h"

#include <stdlib.h>

#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/item.h"
#include "libfs/store/fsfs/rep_read.h"

/* Pieces closer than this are asked for as one: a disk reads on faster than it
 * seeks. */
#define GAP 65536

/* Contents that are looked at in one call. */
#define COUNT_MAX 1024

static int compare(const void *a, const void *b)
{
    const fs_item_t *x = a;
    const fs_item_t *y = b;

    if (x->file != y->file)
        return x->rev < y->rev ? -1 : x->rev > y->rev;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Find the representations; `end` becomes the end of what is stored. */
static int locate(fs_item_t *items, fs_fsfs_t *fsfs,
                  const fs_content_t *const *contents, int count,
                  apr_pool_t *scratch)
{
    apr_pool_t *iter;
    int n = 0;
    int i;

    apr_pool_create(&iter, scratch);
    for (i = 0; i < count; i++) {
        fs_rep_place_t place;
        fs_error_t *err;

        if (!contents[i]->present)
            continue;
        apr_pool_clear(iter);
        place = fs_rep_read_place(contents[i]);
        err = fs_item_open(&items[n], fsfs, place.rev, place.item, iter);
        if (err) {
            /* Whoever reads it will tell. */
            fs_error_clear(err);
            continue;
        }
        place.length += FS_REP_HEADER_SIZE;
        if (place.length < items[n].end - items[n].offset)
            items[n].end = items[n].offset + place.length;
        n++;
    }
    apr_pool_destroy(iter);
    return n;
}

static void advise(const fs_item_t *items, int n)
{
    apr_uint64_t budget = FS_PREFETCH_WINDOW;
    int i;
    int next;

    for (i = 0; i < n && budget; i = next) {
        apr_uint64_t end = items[i].end;
        apr_uint64_t len;

        for (next = i + 1; next < n && items[next].file == items[i].file &&
                           items[next].offset <= end + GAP;
             next++)
            if (items[next].end > end)
                end = items[next].end;
        len = end - items[i].offset;
        if (len > budget)
            len = budget;
        fs_rev_file_advise(items[i].file, items[i].offset, len);
        budget -= len;
    }
}

void fs_prefetch(fs_fsfs_t *fsfs, const fs_content_t *const *contents,
                 int count)
{
    apr_pool_t *pool;
    fs_item_t *items;
    int n;

    if (count > COUNT_MAX)
        count = COUNT_MAX;
    if (count <= 0 || apr_pool_create_unmanaged_ex(&pool, NULL, NULL))
        return;
    items = apr_palloc(pool, (apr_size_t)count * sizeof(*items));
    n = locate(items, fsfs, contents, count, pool);
    qsort(items, (apr_size_t)n, sizeof(*items), compare);
    advise(items, n);
    while (n > 0)
        fs_item_close(&items[--n]);
    apr_pool_destroy(pool);
}
