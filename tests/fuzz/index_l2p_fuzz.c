/* SPDX-License-Identifier: Apache-2.0 */
/* Index from items to offsets: head, table and every entry. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/index_l2p.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static fs_error_t *read_pages(const fs_index_l2p_table_t *table,
                              const char *text, fs_rev_t rev)
{
    apr_uint64_t i;

    for (i = 0; i < fs_index_l2p_pages_of(table, rev); i++) {
        fs_index_l2p_page_t page = fs_index_l2p_page_of(table, rev, i);
        apr_uint64_t offset;
        bool found;

        if (page.count)
            FS_TRY(fs_index_l2p_page_get(&offset, &found, &page,
                                         text + page.offset, page.count - 1,
                                         1000000));
    }
    return NULL;
}

/* Revisions 3 to 6, as a table that is read with ever more bytes. */
static fs_error_t *read_index(const char *text, apr_size_t len,
                              apr_pool_t *pool)
{
    fs_index_l2p_head_t head;
    fs_index_l2p_table_t *table = NULL;
    apr_size_t got;
    fs_rev_t rev;

    FS_TRY(fs_index_l2p_head_parse(&head, text, len, len, 3, 4));
    if (fs_index_l2p_table_bound(&head) > len)
        abort();
    for (got = (apr_size_t)head.head_len; !table; got++)
        FS_TRY(fs_index_l2p_table_parse(&table, &head, text,
                                        got < len ? got : len, pool));
    for (rev = 2; rev <= 7; rev++)
        FS_TRY(read_pages(table, text, rev));
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
