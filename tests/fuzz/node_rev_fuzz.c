/* SPDX-License-Identifier: Apache-2.0 */
/* Node records: what is parsed is written and parsed to the same. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/node_rev.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

/* Whatever was accepted has a written form that is accepted as well. */
static void check(const char *text, apr_size_t len, apr_pool_t *pool)
{
    fs_buffer_t *first = fs_buffer_create(0, pool);
    fs_buffer_t *second = fs_buffer_create(0, pool);
    fs_node_rev_t node;
    fs_error_t *err = fs_node_rev_parse(&node, text, len, pool);

    if (err) {
        fs_error_clear(err);
        return;
    }
    if (fs_node_rev_extent(text, len) > len || !fs_node_rev_extent(text, len))
        abort();
    fs_node_rev_format(first, &node, 8);
    err = fs_node_rev_parse(&node, first->data, first->len, pool);
    if (err)
        abort();
    fs_node_rev_format(second, &node, 8);
    if (first->len != second->len ||
        memcmp(first->data, second->data, first->len) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    check(text, size, pool);
    apr_pool_destroy(pool);
    return 0;
}
