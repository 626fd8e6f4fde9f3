/* SPDX-License-Identifier: Apache-2.0 */
/* Index from offsets to items: head, table and every entry. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/index_p2l.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static fs_error_t *read_page(const fs_index_p2l_table_t *table,
                             const fs_index_p2l_page_t *page, const char *text)
{
    fs_index_p2l_iter_t iter;
    bool more = true;

    FS_TRY(fs_index_p2l_begin(&iter, table, page, text + page->offset));
    while (more) {
        fs_index_p2l_entry_t entry;

        FS_TRY(fs_index_p2l_next(&entry, &more, &iter));
        if (more && entry.size > iter.page_end - entry.offset)
            abort();
    }
    return NULL;
}

/* Of a file with 701 bytes of items from revision 3 on. */
static fs_error_t *read_index(const char *text, apr_size_t len,
                              apr_pool_t *pool)
{
    fs_index_p2l_head_t head;
    fs_index_p2l_table_t *table = NULL;
    fs_index_p2l_page_t page;
    apr_size_t got;
    bool found;

    FS_TRY(fs_index_p2l_head_parse(&head, text, len, len, 3, 701));
    if (fs_index_p2l_table_bound(&head) > len)
        abort();
    for (got = (apr_size_t)head.head_len; !table; got++)
        FS_TRY(fs_index_p2l_table_parse(&table, &head, text,
                                        got < len ? got : len, pool));
    fs_index_p2l_locate(&page, &found, table, 0);
    while (found) {
        FS_TRY(read_page(table, &page, text));
        fs_index_p2l_page_after(&page, &found, table);
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    fs_error_clear(read_index(text, size, pool));
    apr_pool_destroy(pool);
    return 0;
}
