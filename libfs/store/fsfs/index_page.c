/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the indexes of logically addressed files. */

#include "libfs/store/fsfs/index_page.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "libfs/base/number.h"
#include "libfs/store/fsfs/rev_file_table.h"

#define SLOTS 16

/* Pages with fewer entries are decoded each time; with more, never kept. */
#define KEPT_MIN 64
#define KEPT_MAX 65536

/* A page as it was decoded: offset + 1 by item. */
typedef struct slot_t {
    apr_uint64_t file; /* block id; 0: empty */
    apr_uint64_t key;  /* where the page is in the file */
    apr_size_t count;
    apr_uint64_t *offsets;
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

/* Keep a copy of `count` offsets. */
static void keep(apr_uint64_t file, apr_uint64_t key,
                 const apr_uint64_t *offsets, apr_size_t count)
{
    apr_uint64_t *copy;

    if (count > KEPT_MAX)
        return;
    copy = malloc(count * sizeof(*copy));
    if (!copy)
        return;
    memcpy(copy, offsets, count * sizeof(*copy));
    pthread_mutex_lock(&lock);
    if (find(file, key)) {
        free(copy);
    } else {
        slot_t *slot = &slots[next_slot++ % SLOTS];

        free(slot->offsets);
        slot->file = file;
        slot->key = key;
        slot->count = count;
        slot->offsets = copy;
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
        keep(file->block_id, key, offsets, page.count);
        value = offsets[entry];
    }
    *found = value != 0;
    *offset = value - 1;
    return NULL;
}

/* --- From offset to item --- */

/*
 * A page has thousands of entries, which can only be read from its beginning.
 * So places in it are marked when it is read first, and from then on a look-up
 * reads the entries behind one mark.
 */

/* Entries from one mark to the next, and bytes that they take at most. */
#define RUN_ENTRIES 32
#define RUN_BYTES (RUN_ENTRIES * 4 * FS_VARINT_MAX)

/* Bytes that an entry takes at least. */
#define ENTRY_MIN 4

/* Where reading can begin: the state of an iterator. */
typedef struct mark_t {
    apr_uint64_t place; /* in the page's bytes */
    apr_uint64_t offset;
    apr_uint64_t compound;
    fs_rev_t rev;
} mark_t;

struct fs_index_marks_t {
    apr_size_t count; /* >= 1 */
    mark_t list[];
};

static apr_size_t marks_size(apr_size_t count)
{
    return sizeof(fs_index_marks_t) + count * sizeof(mark_t);
}

static apr_status_t free_marks(void *data)
{
    fs_rev_file_t *file = data;
    apr_uint64_t i;

    for (i = 0; i < fs_index_p2l_head(file->p2l)->page_count; i++)
        free(atomic_load(&file->marks[i]));
    return APR_SUCCESS;
}

void fs_index_page_prepare(fs_rev_file_t *file)
{
    apr_uint64_t count = fs_index_p2l_head(file->p2l)->page_count;

    file->marks =
        apr_pcalloc(file->pool, (apr_size_t)count * sizeof(*file->marks));
    apr_pool_cleanup_register(file->pool, file, free_marks,
                              apr_pool_cleanup_null);
}

/* Let all threads have a copy. */
static void publish(fs_rev_file_t *file, apr_uint64_t number,
                    const fs_index_marks_t *marks)
{
    fs_index_marks_t *copy = malloc(marks_size(marks->count));
    fs_index_marks_t *none = NULL;

    if (!copy)
        return;
    memcpy(copy, marks, marks_size(marks->count));
    if (!atomic_compare_exchange_strong(&file->marks[number], &none, copy))
        free(copy);
}

/* Read a page whole; the marks live in `scratch`. */
static fs_error_t *make_marks(fs_index_marks_t **out, fs_rev_file_t *file,
                              const fs_index_p2l_page_t *page,
                              apr_pool_t *scratch)
{
    apr_size_t len = (apr_size_t)page->len;
    apr_uint64_t number = 0;
    fs_index_p2l_entry_t entry;
    fs_index_p2l_iter_t iter;
    fs_index_marks_t *marks;
    bool more = true;
    char *data;

    data = apr_palloc(scratch, len + 1);
    marks = apr_palloc(scratch, marks_size(len / ENTRY_MIN / RUN_ENTRIES + 1));
    marks->count = 0;
    FS_TRY(fs_rev_file_read(file, file->footer.p2l_offset + page->offset, data,
                            len));
    FS_TRY(fs_index_p2l_begin(&iter, file->p2l, page, data));
    while (more) {
        if (number++ % RUN_ENTRIES == 0) {
            mark_t *mark = &marks->list[marks->count++];

            mark->place = (apr_uint64_t)(iter.cursor.pos - data);
            mark->offset = iter.offset;
            mark->compound = iter.compound;
            mark->rev = iter.rev;
        }
        FS_TRY(fs_index_p2l_next(&entry, &more, &iter));
    }
    *out = marks;
    return NULL;
}

/* The last mark at or before `offset`, or the first of all. */
static apr_size_t find_mark(const fs_index_marks_t *marks, apr_uint64_t offset)
{
    apr_size_t low = 0;
    apr_size_t high = marks->count;

    while (high - low > 1) {
        apr_size_t middle = low + (high - low) / 2;

        if (marks->list[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static fs_error_t *scan(fs_index_p2l_entry_t *entry, bool *found,
                        fs_index_p2l_iter_t *iter, apr_uint64_t offset)
{
    bool more = true;

    *found = false;
    while (more && !*found && iter->offset <= offset) {
        FS_TRY(fs_index_p2l_next(entry, &more, iter));
        *found = more && entry->offset == offset && entry->size;
    }
    return NULL;
}

/* Search the entries behind one mark. */
static fs_error_t *search_run(fs_index_p2l_entry_t *entry, bool *found,
                              fs_rev_file_t *file,
                              const fs_index_p2l_page_t *page,
                              const fs_index_marks_t *marks,
                              apr_uint64_t offset)
{
    const fs_index_p2l_head_t *head = fs_index_p2l_head(file->p2l);
    apr_size_t n = find_mark(marks, offset);
    const mark_t *mark = &marks->list[n];
    apr_uint64_t end = n + 1 < marks->count ? mark[1].place : page->len;
    apr_size_t len = (apr_size_t)(end - mark->place);
    fs_index_p2l_iter_t iter;
    char data[RUN_BYTES];

    FS_TRY(fs_rev_file_read(
        file, file->footer.p2l_offset + page->offset + mark->place, data, len));
    iter.cursor = fs_cursor(data, len);
    iter.offset = mark->offset;
    iter.compound = mark->compound;
    iter.rev = mark->rev;
    iter.first_rev = head->first_rev;
    iter.page_end = (page->number + 1) * head->page_size;
    return scan(entry, found, &iter, offset);
}

static fs_error_t *search_page(fs_index_p2l_entry_t *entry, bool *found,
                               fs_rev_file_t *file,
                               const fs_index_p2l_page_t *page,
                               apr_uint64_t offset, apr_pool_t *scratch)
{
    fs_index_marks_t *marks = atomic_load(&file->marks[page->number]);
    fs_index_p2l_iter_t iter;
    char data[RUN_BYTES];

    if (page->len > file->footer.p2l_len)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "a page of the index ends behind it");
    if (page->len <= sizeof(data)) {
        FS_TRY(fs_rev_file_read(file, file->footer.p2l_offset + page->offset,
                                data, (apr_size_t)page->len));
        FS_TRY(fs_index_p2l_begin(&iter, file->p2l, page, data));
        return scan(entry, found, &iter, offset);
    }
    if (!marks) {
        FS_TRY(make_marks(&marks, file, page, scratch));
        publish(file, page->number, marks);
    }
    return search_run(entry, found, file, page, marks, offset);
}

fs_error_t *fs_index_page_entry(fs_index_p2l_entry_t *entry, bool *found,
                                fs_rev_file_t *file, apr_uint64_t offset,
                                apr_pool_t *scratch)
{
    fs_index_p2l_page_t page;
    bool more;

    *found = false;
    fs_index_p2l_locate(&page, &more, file->p2l, offset);
    while (more && !*found) {
        FS_TRY(search_page(entry, found, file, &page, offset, scratch));
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
