/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the indexes of logically addressed files. */

#include "libfs/store/fsfs/index_page.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/store/fsfs/rev_file_table.h"

#define SLOTS 16

/* Pages with fewer entries are decoded each time; with more, never kept. */
#define KEPT_MIN 64
#define KEPT_MAX 65536

/* A page as it was decoded: offsets + 1 by item, or entries by offset. */
typedef struct slot_t {
    apr_uint64_t file; /* block id; 0: empty */
    apr_uint64_t key;  /* where the page is in the file */
    apr_size_t count;
    apr_uint64_t *offsets;         /* from item to offset, else NULL */
    fs_index_p2l_entry_t *entries; /* from offset to item, else NULL */
} slot_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot_t slots[SLOTS]; /* guarded by `lock` */
static unsigned int next_slot;

/* The page if it is kept; hold the lock. */
static const slot_t *find(apr_uint64_t file, apr_uint64_t key)
{
    int i;

    for (i = 0; i < SLOTS; i++)
        if (slots[i].file == file && slots[i].key == key)
            return &slots[i];
    return NULL;
}

/* Keep a copy of `count` elements. */
static void keep(apr_uint64_t file, apr_uint64_t key, const void *data,
                 apr_size_t count, bool is_p2l)
{
    apr_size_t size =
        is_p2l ? sizeof(fs_index_p2l_entry_t) : sizeof(apr_uint64_t);
    void *copy;

    if (count < KEPT_MIN || count > KEPT_MAX)
        return;
    copy = malloc(count * size);
    if (!copy)
        return;
    memcpy(copy, data, count * size);
    pthread_mutex_lock(&lock);
    if (find(file, key)) {
        free(copy);
    } else {
        slot_t *slot = &slots[next_slot++ % SLOTS];

        free(slot->offsets);
        free(slot->entries);
        slot->file = file;
        slot->key = key;
        slot->count = count;
        slot->offsets = is_p2l ? NULL : copy;
        slot->entries = is_p2l ? copy : NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* --- From item to offset --- */

static bool kept_offset(apr_uint64_t *value, apr_uint64_t file,
                        apr_uint64_t key, apr_uint32_t entry)
{
    const slot_t *slot;

    pthread_mutex_lock(&lock);
    slot = find(file, key);
    if (slot && entry < slot->count)
        *value = slot->offsets[entry];
    else
        slot = NULL;
    pthread_mutex_unlock(&lock);
    return slot != NULL;
}

fs_error_t *fs_index_page_offset(apr_uint64_t *offset, bool *found,
                                 fs_rev_file_t *file, fs_rev_t rev,
                                 apr_uint64_t item, apr_pool_t *scratch)
{
    const fs_rev_footer_t *footer = &file->footer;
    fs_index_l2p_page_t page;
    apr_uint64_t *offsets;
    apr_uint32_t entry;
    apr_uint64_t value;
    apr_uint64_t key;
    char *data;

    FS_TRY(fs_index_l2p_locate(&page, &entry, found, file->l2p, rev, item));
    if (!*found)
        return NULL;
    key = footer->l2p_offset + page.offset;
    if (!kept_offset(&value, file->block_id, key, entry)) {
        data = apr_palloc(scratch, page.len + 1);
        FS_TRY(fs_rev_file_read(file, key, data, page.len));
        if (page.count < KEPT_MIN)
            return fs_index_l2p_page_get(offset, found, &page, data, entry,
                                         footer->l2p_offset);
        offsets = apr_palloc(scratch, page.count * sizeof(*offsets));
        FS_TRY(
            fs_index_l2p_page_parse(offsets, &page, data, footer->l2p_offset));
        keep(file->block_id, key, offsets, page.count, false);
        value = offsets[entry];
    }
    *found = value != 0;
    *offset = value - 1;
    return NULL;
}

/* --- From offset to item --- */

/* The entry that begins at `offset`, by binary search. */
static bool search(fs_index_p2l_entry_t *out,
                   const fs_index_p2l_entry_t *entries, apr_size_t count,
                   apr_uint64_t offset)
{
    apr_size_t low = 0;
    apr_size_t high = count;

    while (low < high) {
        apr_size_t middle = low + (high - low) / 2;

        if (entries[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || entries[low].offset != offset)
        return false;
    *out = entries[low];
    return true;
}

/* False if the page is not kept. */
static bool kept_entry(fs_index_p2l_entry_t *out, bool *found,
                       apr_uint64_t file, apr_uint64_t key, apr_uint64_t offset)
{
    const slot_t *slot;

    pthread_mutex_lock(&lock);
    slot = find(file, key);
    if (slot)
        *found = search(out, slot->entries, slot->count, offset);
    pthread_mutex_unlock(&lock);
    return slot != NULL;
}

/* Decode a page; lives in `scratch`. */
static fs_error_t *read_entries(apr_array_header_t **out, fs_rev_file_t *file,
                                const fs_index_p2l_page_t *page,
                                apr_uint64_t place, apr_pool_t *scratch)
{
    fs_index_p2l_entry_t entry;
    fs_index_p2l_iter_t iter;
    bool more;
    char *data;

    if (page->len > file->footer.p2l_len)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "a page of the index ends behind it");
    data = apr_palloc(scratch, (apr_size_t)page->len + 1);
    FS_TRY(fs_rev_file_read(file, place, data, (apr_size_t)page->len));
    *out = apr_array_make(scratch, 64, sizeof(entry));
    FS_TRY(fs_index_p2l_begin(&iter, file->p2l, page, data));
    for (;;) {
        FS_TRY(fs_index_p2l_next(&entry, &more, &iter));
        if (!more)
            return NULL;
        if (entry.size)
            APR_ARRAY_PUSH(*out, fs_index_p2l_entry_t) = entry;
    }
}

fs_error_t *fs_index_page_entry(fs_index_p2l_entry_t *entry, bool *found,
                                fs_rev_file_t *file, apr_uint64_t offset,
                                apr_pool_t *scratch)
{
    apr_array_header_t *entries;
    fs_index_p2l_page_t page;
    bool more;

    *found = false;
    fs_index_p2l_locate(&page, &more, file->p2l, offset);
    while (more && !*found) {
        apr_uint64_t key = file->footer.p2l_offset + page.offset;

        if (!kept_entry(entry, found, file->block_id, key, offset)) {
            FS_TRY(read_entries(&entries, file, &page, key, scratch));
            *found = search(entry, (fs_index_p2l_entry_t *)entries->elts,
                            (apr_size_t)entries->nelts, offset);
            keep(file->block_id, key, entries->elts, (apr_size_t)entries->nelts,
                 true);
        }
        /* An item is listed where it ends: at most one page further on for
         * the first entry behind the located page. */
        if (!*found &&
            page.number * fs_index_p2l_head(file->p2l)->page_size > offset)
            break;
        if (!*found)
            fs_index_p2l_page_after(&page, &more, file->p2l);
    }
    return NULL;
}
