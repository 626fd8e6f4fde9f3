/* SPDX-License-Identifier: Apache-2.0 */
/* The index from file offset to item. */

#include "libfs/format/index_p2l.h"

#include <string.h>

#include "libfs/base/number.h"

#define MAGIC "P2L-INDEX\n"
#define PAGE_SIZE_MAX ((apr_uint64_t)1 << 62)
#define TYPE_INVALID 7

struct fs_index_p2l_table_t {
    fs_index_p2l_head_t head;
    apr_uint64_t *offsets; /* of each page in the index, and the end */
};

static fs_error_t *damaged(fs_error_t *err)
{
    return err ? FS_WRAP_AS(err, FS_ERR_INDEX_CORRUPT,
                            "malformed index from offsets to items")
               : NULL;
}

static fs_error_t *take_head(fs_index_p2l_head_t *out, const char *data,
                             apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t first_rev;

    FS_TRY(fs_cursor_expect(&c, MAGIC));
    FS_TRY(fs_cursor_varint(&c, &first_rev));
    FS_TRY(fs_cursor_varint(&c, &out->items_end));
    FS_TRY(fs_cursor_varint(&c, &out->page_size));
    FS_TRY(fs_cursor_varint(&c, &out->page_count));
    out->head_len = (apr_uint64_t)(c.pos - data);
    if (first_rev > APR_INT64_MAX)
        return FS_ERROR(FS_ERR_CORRUPT, "the first revision exceeds 63 bits");
    out->first_rev = (fs_rev_t)first_rev;
    return NULL;
}

fs_error_t *fs_index_p2l_head_parse(fs_index_p2l_head_t *out, const char *data,
                                    apr_size_t len, apr_uint64_t index_len,
                                    fs_rev_t first_rev, apr_uint64_t items_end)
{
    if (len > index_len)
        len = (apr_size_t)index_len;
    FS_TRY(damaged(take_head(out, data, len)));
    out->index_len = index_len;
    if (out->first_rev != first_rev || out->items_end != items_end ||
        !items_end || items_end > APR_INT64_MAX)
        return FS_ERROR(
            FS_ERR_INDEX_CORRUPT,
            "the index is of %" APR_UINT64_T_FMT " bytes from r%" FS_REV_FMT
            ", the file has %" APR_UINT64_T_FMT " from r%" FS_REV_FMT,
            out->items_end, out->first_rev, items_end, first_rev);
    if (!out->page_size || out->page_size > PAGE_SIZE_MAX ||
        (out->page_size & (out->page_size - 1)))
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "an index page for %" APR_UINT64_T_FMT
                        " bytes: a power of two is allowed",
                        out->page_size);
    if (out->page_count != (items_end - 1) / out->page_size + 1 ||
        out->page_count > index_len - out->head_len)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "the index has %" APR_UINT64_T_FMT
                        " pages for %" APR_UINT64_T_FMT
                        " bytes, %" APR_UINT64_T_FMT " to a page",
                        out->page_count, items_end, out->page_size);
    return NULL;
}

apr_uint64_t fs_index_p2l_table_bound(const fs_index_p2l_head_t *head)
{
    apr_uint64_t numbers = head->page_count;
    apr_uint64_t left = head->index_len - head->head_len;

    return numbers < left / FS_VARINT_MAX
               ? head->head_len + numbers * FS_VARINT_MAX
               : head->index_len;
}

/* Whether `count` numbers end within `len` bytes at `data`. */
static bool numbers_end(const char *data, apr_size_t len, apr_uint64_t count)
{
    const char *end = data + len;

    for (; count && data < end; data++)
        if (!(*data & 0x80))
            count--;
    return count == 0;
}

static fs_error_t *take_table(fs_index_p2l_table_t *table, const char *data,
                              apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t total = 0;
    apr_uint64_t start, i;

    c.pos += table->head.head_len;
    for (i = 0; i < table->head.page_count; i++) {
        apr_uint64_t size;

        table->offsets[i] = total;
        FS_TRY(fs_cursor_varint(&c, &size));
        if (size > table->head.index_len - total)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "page %" APR_UINT64_T_FMT " has %" APR_UINT64_T_FMT
                            " bytes",
                            i, size);
        total += size;
    }
    table->offsets[i] = total;
    start = (apr_uint64_t)(c.pos - data);
    if (total != table->head.index_len - start)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "pages of %" APR_UINT64_T_FMT
                        " bytes do not fill the %" APR_UINT64_T_FMT
                        " behind the table",
                        total, table->head.index_len - start);
    for (i = 0; i <= table->head.page_count; i++)
        table->offsets[i] += start;
    return NULL;
}

fs_error_t *fs_index_p2l_table_parse(fs_index_p2l_table_t **out,
                                     const fs_index_p2l_head_t *head,
                                     const char *data, apr_size_t len,
                                     apr_pool_t *result)
{
    fs_index_p2l_table_t *table;

    *out = NULL;
    if (len > head->index_len)
        len = (apr_size_t)head->index_len;
    if (len < head->head_len ||
        !numbers_end(data + head->head_len, len - (apr_size_t)head->head_len,
                     head->page_count)) {
        if (len < head->index_len)
            return NULL;
        return FS_ERROR(FS_ERR_INDEX_CORRUPT, "the index's table is cut off");
    }

    table = apr_palloc(result, sizeof(*table));
    table->head = *head;
    table->offsets = apr_palloc(result, (apr_size_t)(head->page_count + 1) *
                                            sizeof(*table->offsets));
    FS_TRY(damaged(take_table(table, data, len)));
    *out = table;
    return NULL;
}

const fs_index_p2l_head_t *fs_index_p2l_head(const fs_index_p2l_table_t *table)
{
    return &table->head;
}

fs_index_p2l_page_t fs_index_p2l_page(const fs_index_p2l_table_t *table,
                                      apr_uint64_t number)
{
    fs_index_p2l_page_t page;

    page.number = number;
    page.offset = table->offsets[number];
    page.len = table->offsets[number + 1] - page.offset;
    return page;
}

/* The first page from `number` on that is not empty. */
static void first_filled(fs_index_p2l_page_t *page, bool *found,
                         const fs_index_p2l_table_t *table, apr_uint64_t number)
{
    for (; number < table->head.page_count; number++) {
        *page = fs_index_p2l_page(table, number);
        if (page->len) {
            *found = true;
            return;
        }
    }
    *found = false;
}

void fs_index_p2l_locate(fs_index_p2l_page_t *page, bool *found,
                         const fs_index_p2l_table_t *table, apr_uint64_t offset)
{
    *found = false;
    if (offset < table->head.items_end)
        first_filled(page, found, table, offset / table->head.page_size);
}

void fs_index_p2l_page_after(fs_index_p2l_page_t *page, bool *found,
                             const fs_index_p2l_table_t *table)
{
    first_filled(page, found, table, page->number + 1);
}

fs_error_t *fs_index_p2l_begin(fs_index_p2l_iter_t *iter,
                               const fs_index_p2l_table_t *table,
                               const fs_index_p2l_page_t *page,
                               const char *data)
{
    iter->cursor = fs_cursor(data, (apr_size_t)page->len);
    iter->offset = 0;
    iter->compound = 0;
    iter->first_rev = table->head.first_rev;
    iter->rev = table->head.first_rev;
    iter->page_end = (page->number + 1) * table->head.page_size;
    if (!page->len)
        return NULL;
    return damaged(fs_cursor_varint(&iter->cursor, &iter->offset));
}

/* Add the next difference to `*value`, which stays within [0, 2^63). */
static fs_error_t *step(apr_uint64_t *value, fs_cursor_t *c)
{
    apr_uint64_t number, size;

    FS_TRY(fs_cursor_varint(c, &number));
    size = number >> 1;
    if (number & 1 ? size + 1 > *value : size > APR_INT64_MAX - *value)
        return FS_ERROR(FS_ERR_CORRUPT, "a difference leaves 63 bits");
    *value = number & 1 ? *value - size - 1 : *value + size;
    return NULL;
}

static fs_error_t *take_entry(fs_index_p2l_entry_t *entry,
                              fs_index_p2l_iter_t *iter)
{
    fs_cursor_t *c = &iter->cursor;
    apr_uint64_t rev = (apr_uint64_t)iter->rev;
    apr_uint64_t checksum;

    FS_TRY(fs_cursor_varint(c, &entry->size));
    FS_TRY(step(&iter->compound, c));
    FS_TRY(step(&rev, c));
    FS_TRY(fs_cursor_varint(c, &checksum));
    if (checksum > APR_UINT32_MAX)
        return FS_ERROR(FS_ERR_CORRUPT, "a checksum exceeds 32 bits");
    if (iter->offset > iter->page_end ||
        entry->size > iter->page_end - iter->offset)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "an entry of %" APR_UINT64_T_FMT
                        " bytes at %" APR_UINT64_T_FMT " ends behind its page",
                        entry->size, iter->offset);
    iter->rev = (fs_rev_t)rev;
    entry->offset = iter->offset;
    entry->item = iter->compound >> 3;
    entry->rev = iter->rev;
    entry->checksum = (apr_uint32_t)checksum;
    return NULL;
}

fs_error_t *fs_index_p2l_next(fs_index_p2l_entry_t *entry, bool *more,
                              fs_index_p2l_iter_t *iter)
{
    unsigned int type;

    *more = fs_cursor_left(&iter->cursor) > 0;
    if (!*more)
        return NULL;
    FS_TRY(damaged(take_entry(entry, iter)));

    type = (unsigned int)(iter->compound & 7);
    if (type == TYPE_INVALID ||
        (type == FS_ITEM_UNUSED) != (entry->item == 0) ||
        (type == FS_ITEM_CHANGES) != (entry->item == FS_ITEM_NUMBER_CHANGES) ||
        entry->rev < iter->first_rev)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "item %" APR_UINT64_T_FMT " of r%" FS_REV_FMT
                        " at offset %" APR_UINT64_T_FMT " has type %u",
                        entry->item, entry->rev, entry->offset, type);
    entry->type = (fs_item_type_t)type;
    iter->offset += entry->size;
    return NULL;
}

static void put_number(fs_buffer_t *out, apr_uint64_t value)
{
    fs_buffer_reserve(out, FS_VARINT_MAX);
    out->len +=
        fs_number_put_le128((unsigned char *)out->data + out->len, value);
}

static void put_difference(fs_buffer_t *out, apr_uint64_t now,
                           apr_uint64_t before)
{
    put_number(out,
               now >= before ? (now - before) << 1 : ((before - now) << 1) - 1);
}

/* Where pages are written. */
typedef struct writer_t {
    fs_buffer_t *table; /* byte sizes of closed pages */
    fs_buffer_t *pages;
    apr_size_t start;    /* of the open page in `pages` */
    apr_uint64_t closed; /* number of closed pages */
    apr_uint64_t compound;
    apr_uint64_t rev;
    apr_uint64_t first_rev;
} writer_t;

static void close_page(writer_t *w)
{
    put_number(w->table, w->pages->len - w->start);
    w->start = w->pages->len;
    w->closed++;
}

static void put_entry(writer_t *w, const fs_index_p2l_entry_t *entry)
{
    apr_uint64_t compound = entry->item << 3 | (apr_uint64_t)entry->type;

    if (w->pages->len == w->start) {
        put_number(w->pages, entry->offset);
        w->compound = 0;
        w->rev = w->first_rev;
    }
    put_number(w->pages, entry->size);
    put_difference(w->pages, compound, w->compound);
    put_difference(w->pages, (apr_uint64_t)entry->rev, w->rev);
    put_number(w->pages, entry->checksum);
    w->compound = compound;
    w->rev = (apr_uint64_t)entry->rev;
}

/* The entry that fills up the last page, and the end of that page. */
static void put_filler(writer_t *w, apr_uint64_t items_end,
                       apr_uint64_t page_size, apr_uint64_t page_count)
{
    fs_index_p2l_entry_t filler;

    while (w->closed + 1 < page_count)
        close_page(w);
    filler.offset = items_end;
    filler.size = page_count * page_size - items_end;
    filler.item = 0;
    filler.type = FS_ITEM_UNUSED;
    filler.checksum = 0;
    filler.rev = (fs_rev_t)(w->pages->len == w->start ? w->first_rev : w->rev);
    put_entry(w, &filler);
    close_page(w);
}

void fs_index_p2l_format(fs_buffer_t *out, fs_rev_t first_rev,
                         apr_uint64_t items_end, apr_uint64_t page_size,
                         const fs_index_p2l_entry_t *entries, apr_size_t count,
                         apr_pool_t *scratch)
{
    apr_uint64_t page_count = (items_end - 1) / page_size + 1;
    writer_t w;
    apr_size_t i;

    memset(&w, 0, sizeof(w));
    w.table = fs_buffer_create(256, scratch);
    w.pages = fs_buffer_create(4096, scratch);
    w.first_rev = (apr_uint64_t)first_rev;
    for (i = 0; i < count; i++) {
        while (entries[i].offset + entries[i].size > (w.closed + 1) * page_size)
            close_page(&w);
        put_entry(&w, &entries[i]);
    }
    put_filler(&w, items_end, page_size, page_count);

    fs_buffer_puts(out, MAGIC);
    put_number(out, w.first_rev);
    put_number(out, items_end);
    put_number(out, page_size);
    put_number(out, page_count);
    fs_buffer_append(out, w.table->data, w.table->len);
    fs_buffer_append(out, w.pages->data, w.pages->len);
}
