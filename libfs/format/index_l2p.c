/* SPDX-License-Identifier: Apache-2.0 */
/* The index from revision and item number to offset. */

#include "libfs/format/index_l2p.h"

#include <string.h>

#include "libfs/base/cursor.h"
#include "libfs/base/number.h"

#define MAGIC "L2P-INDEX\n"
#define PAGE_SIZE_MAX ((apr_uint64_t)1 << 30)

struct fs_index_l2p_table_t {
    fs_index_l2p_head_t head;
    apr_uint32_t *first_page; /* of each revision, and one behind the last */
    fs_index_l2p_page_t *pages;
};

static fs_error_t *damaged(fs_error_t *err)
{
    return err ? FS_WRAP_AS(err, FS_ERR_INDEX_CORRUPT,
                            "malformed index from items to offsets")
               : NULL;
}

static fs_error_t *take_head(fs_index_l2p_head_t *out, const char *data,
                             apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t first_rev;

    FS_TRY(fs_cursor_expect(&c, MAGIC));
    FS_TRY(fs_cursor_varint(&c, &first_rev));
    FS_TRY(fs_cursor_varint(&c, &out->page_size));
    FS_TRY(fs_cursor_varint(&c, &out->rev_count));
    FS_TRY(fs_cursor_varint(&c, &out->page_count));
    out->head_len = (apr_uint64_t)(c.pos - data);
    if (first_rev > APR_INT64_MAX)
        return FS_ERROR(FS_ERR_CORRUPT, "the first revision exceeds 63 bits");
    out->first_rev = (fs_rev_t)first_rev;
    return NULL;
}

fs_error_t *fs_index_l2p_head_parse(fs_index_l2p_head_t *out, const char *data,
                                    apr_size_t len, apr_uint64_t index_len,
                                    fs_rev_t first_rev, apr_uint64_t rev_count)
{
    apr_uint64_t left;

    if (len > index_len)
        len = (apr_size_t)index_len;
    FS_TRY(damaged(take_head(out, data, len)));
    out->index_len = index_len;
    if (out->first_rev != first_rev || out->rev_count != rev_count)
        return FS_ERROR(
            FS_ERR_INDEX_CORRUPT,
            "the index is of %" APR_UINT64_T_FMT " revisions from r%" FS_REV_FMT
            ", the file has %" APR_UINT64_T_FMT " from r%" FS_REV_FMT,
            out->rev_count, out->first_rev, rev_count, first_rev);
    if (!out->page_size || out->page_size > PAGE_SIZE_MAX ||
        (out->page_size & (out->page_size - 1)))
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "an index page of %" APR_UINT64_T_FMT
                        " entries: a power of two up to %" APR_UINT64_T_FMT
                        " is allowed",
                        out->page_size, PAGE_SIZE_MAX);
    /* A revision takes a byte or more of the table, a page two. */
    left = index_len - out->head_len;
    if (out->rev_count > left || out->page_count > left / 2 ||
        out->page_count >= APR_UINT32_MAX)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "the index names %" APR_UINT64_T_FMT
                        " revisions and %" APR_UINT64_T_FMT
                        " pages, %" APR_UINT64_T_FMT " bytes are left",
                        out->rev_count, out->page_count, left);
    return NULL;
}

apr_uint64_t fs_index_l2p_table_bound(const fs_index_l2p_head_t *head)
{
    apr_uint64_t numbers = head->rev_count + 2 * head->page_count;
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

static fs_error_t *take_page_counts(fs_index_l2p_table_t *table, fs_cursor_t *c)
{
    apr_uint64_t total = 0;
    apr_uint64_t i;

    for (i = 0; i < table->head.rev_count; i++) {
        apr_uint64_t pages;

        table->first_page[i] = (apr_uint32_t)total;
        FS_TRY(fs_cursor_varint(c, &pages));
        if (pages > table->head.page_count - total)
            break;
        total += pages;
    }
    table->first_page[i] = (apr_uint32_t)total;
    if (i < table->head.rev_count || total != table->head.page_count)
        return FS_ERROR(
            FS_ERR_CORRUPT,
            "the revisions' pages do not add up to %" APR_UINT64_T_FMT,
            table->head.page_count);
    return NULL;
}

/* Sizes and entry counts. Offsets count from the end of the table here;
 * fs_index_l2p_table_parse() moves them behind it. */
static fs_error_t *take_pages(fs_index_l2p_table_t *table, fs_cursor_t *c,
                              apr_uint64_t *total)
{
    apr_uint64_t i;

    *total = 0;
    for (i = 0; i < table->head.page_count; i++) {
        fs_index_l2p_page_t *page = &table->pages[i];
        apr_uint64_t len, count;

        FS_TRY(fs_cursor_varint(c, &len));
        FS_TRY(fs_cursor_varint(c, &count));
        if (count > table->head.page_size || len < count ||
            len > count * FS_VARINT_MAX || len > APR_UINT32_MAX ||
            len > table->head.index_len - *total)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "page %" APR_UINT64_T_FMT " has %" APR_UINT64_T_FMT
                            " bytes and %" APR_UINT64_T_FMT " entries",
                            i, len, count);
        page->offset = *total;
        page->len = (apr_uint32_t)len;
        page->count = (apr_uint32_t)count;
        *total += len;
    }
    return NULL;
}

/* All pages of a revision but its last are full. */
static fs_error_t *check_full(const fs_index_l2p_table_t *table)
{
    apr_uint64_t rev;
    apr_uint32_t i;

    for (rev = 0; rev < table->head.rev_count; rev++)
        for (i = table->first_page[rev]; i + 1 < table->first_page[rev + 1];
             i++)
            if (table->pages[i].count != table->head.page_size)
                return FS_ERROR(FS_ERR_CORRUPT,
                                "page %u has %u entries and is not the last "
                                "of r%" FS_REV_FMT,
                                i, table->pages[i].count,
                                table->head.first_rev + (fs_rev_t)rev);
    return NULL;
}

static fs_error_t *take_table(fs_index_l2p_table_t *table, const char *data,
                              apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t total, start, i;

    c.pos += table->head.head_len;
    FS_TRY(take_page_counts(table, &c));
    FS_TRY(take_pages(table, &c, &total));
    FS_TRY(check_full(table));
    start = (apr_uint64_t)(c.pos - data);
    if (total != table->head.index_len - start)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "pages of %" APR_UINT64_T_FMT
                        " bytes do not fill the %" APR_UINT64_T_FMT
                        " behind the table",
                        total, table->head.index_len - start);
    for (i = 0; i < table->head.page_count; i++)
        table->pages[i].offset += start;
    return NULL;
}

fs_error_t *fs_index_l2p_table_parse(fs_index_l2p_table_t **out,
                                     const fs_index_l2p_head_t *head,
                                     const char *data, apr_size_t len,
                                     apr_pool_t *result)
{
    fs_index_l2p_table_t *table;

    *out = NULL;
    if (len > head->index_len)
        len = (apr_size_t)head->index_len;
    if (len < head->head_len ||
        !numbers_end(data + head->head_len, len - (apr_size_t)head->head_len,
                     head->rev_count + 2 * head->page_count)) {
        if (len < head->index_len)
            return NULL;
        return FS_ERROR(FS_ERR_INDEX_CORRUPT, "the index's table is cut off");
    }

    table = apr_palloc(result, sizeof(*table));
    table->head = *head;
    table->first_page = apr_palloc(result, (apr_size_t)(head->rev_count + 1) *
                                               sizeof(*table->first_page));
    table->pages = apr_palloc(result, (apr_size_t)(head->page_count + 1) *
                                          sizeof(*table->pages));
    FS_TRY(damaged(take_table(table, data, len)));
    *out = table;
    return NULL;
}

/* Index of `rev` in the table, or rev_count if it is not there. */
static apr_uint64_t rev_index(const fs_index_l2p_table_t *table, fs_rev_t rev)
{
    apr_uint64_t index;

    if (rev < table->head.first_rev)
        return table->head.rev_count;
    index = (apr_uint64_t)(rev - table->head.first_rev);
    return index < table->head.rev_count ? index : table->head.rev_count;
}

fs_error_t *fs_index_l2p_locate(fs_index_l2p_page_t *page, apr_uint32_t *entry,
                                bool *found, const fs_index_l2p_table_t *table,
                                fs_rev_t rev, apr_uint64_t item)
{
    apr_uint64_t number = item / table->head.page_size;

    *found = false;
    if (rev_index(table, rev) == table->head.rev_count)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "r%" FS_REV_FMT " is not among the %" APR_UINT64_T_FMT
                        " revisions from r%" FS_REV_FMT " in the index",
                        rev, table->head.rev_count, table->head.first_rev);
    if (number >= fs_index_l2p_pages_of(table, rev))
        return NULL;
    *page = fs_index_l2p_page_of(table, rev, number);
    *entry = (apr_uint32_t)(item % table->head.page_size);
    *found = *entry < page->count;
    return NULL;
}

apr_uint64_t fs_index_l2p_pages_of(const fs_index_l2p_table_t *table,
                                   fs_rev_t rev)
{
    apr_uint64_t index = rev_index(table, rev);

    if (index == table->head.rev_count)
        return 0;
    return table->first_page[index + 1] - table->first_page[index];
}

fs_index_l2p_page_t fs_index_l2p_page_of(const fs_index_l2p_table_t *table,
                                         fs_rev_t rev, apr_uint64_t number)
{
    return table->pages[table->first_page[rev_index(table, rev)] + number];
}

/* Add the next difference to `*value`, which stays within [0, `max`]. */
static fs_error_t *step(apr_uint64_t *value, fs_cursor_t *c, apr_uint64_t max)
{
    apr_uint64_t number, size;

    FS_TRY(fs_cursor_varint(c, &number));
    size = number >> 1;
    if (number & 1 ? size + 1 > *value : size > max - *value)
        return FS_ERROR(
            FS_ERR_CORRUPT,
            "an entry leaves the %" APR_UINT64_T_FMT " bytes of items", max);
    *value = number & 1 ? *value - size - 1 : *value + size;
    return NULL;
}

fs_error_t *fs_index_l2p_page_get(apr_uint64_t *offset, bool *found,
                                  const fs_index_l2p_page_t *page,
                                  const char *data, apr_uint32_t entry,
                                  apr_uint64_t items_end)
{
    fs_cursor_t c = fs_cursor(data, page->len);
    apr_uint64_t value = 0;
    apr_uint32_t i;

    *found = false;
    if (entry >= page->count)
        return NULL;
    for (i = 0; i <= entry; i++)
        FS_TRY(damaged(step(&value, &c, items_end)));
    *found = value > 0;
    *offset = value - (value > 0);
    return NULL;
}

fs_error_t *fs_index_l2p_page_parse(apr_uint64_t *offsets,
                                    const fs_index_l2p_page_t *page,
                                    const char *data, apr_uint64_t items_end)
{
    fs_cursor_t c = fs_cursor(data, page->len);
    apr_uint64_t value = 0;
    apr_uint32_t i;

    for (i = 0; i < page->count; i++) {
        FS_TRY(damaged(step(&value, &c, items_end)));
        offsets[i] = value;
    }
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_INDEX_CORRUPT,
                        "%" APR_SIZE_T_FMT
                        " bytes are left behind the %u entries of a page",
                        fs_cursor_left(&c), page->count);
    return NULL;
}

static void put_number(fs_buffer_t *out, apr_uint64_t value)
{
    fs_buffer_reserve(out, FS_VARINT_MAX);
    out->len +=
        fs_number_put_le128((unsigned char *)out->data + out->len, value);
}

/* Entries [start, start + count) as one page. */
static void put_page(fs_buffer_t *out, const apr_uint64_t *offsets,
                     apr_uint64_t count)
{
    apr_uint64_t before = 0;
    apr_uint64_t i;

    for (i = 0; i < count; i++) {
        if (offsets[i] >= before)
            put_number(out, (offsets[i] - before) << 1);
        else
            put_number(out, ((before - offsets[i]) << 1) - 1);
        before = offsets[i];
    }
}

static apr_uint64_t pages_for(const fs_index_l2p_items_t *rev,
                              apr_uint64_t page_size)
{
    return rev->count ? (rev->count - 1) / page_size + 1 : 1;
}

/* All pages of one revision to `pages`, their sizes to `table`. */
static void put_rev(fs_buffer_t *table, fs_buffer_t *pages,
                    const fs_index_l2p_items_t *rev, apr_uint64_t page_size)
{
    apr_uint64_t page_count = pages_for(rev, page_size);
    apr_uint64_t i;

    for (i = 0; i < page_count; i++) {
        apr_uint64_t start = i * page_size;
        apr_uint64_t count = rev->count - start;
        apr_size_t before = pages->len;

        if (count > page_size)
            count = page_size;
        put_page(pages, rev->offsets + start, count);
        put_number(table, pages->len - before);
        put_number(table, count);
    }
}

void fs_index_l2p_format(fs_buffer_t *out, fs_rev_t first_rev,
                         apr_uint64_t page_size,
                         const fs_index_l2p_items_t *revs,
                         apr_uint64_t rev_count, apr_pool_t *scratch)
{
    fs_buffer_t *table = fs_buffer_create(256, scratch);
    fs_buffer_t *pages = fs_buffer_create(4096, scratch);
    apr_uint64_t page_count = 0;
    apr_uint64_t i;

    for (i = 0; i < rev_count; i++) {
        page_count += pages_for(&revs[i], page_size);
        put_rev(table, pages, &revs[i], page_size);
    }
    fs_buffer_puts(out, MAGIC);
    put_number(out, (apr_uint64_t)first_rev);
    put_number(out, page_size);
    put_number(out, rev_count);
    put_number(out, page_count);
    for (i = 0; i < rev_count; i++)
        put_number(out, pages_for(&revs[i], page_size));
    fs_buffer_append(out, table->data, table->len);
    fs_buffer_append(out, pages->data, pages->len);
}
