/* SPDX-License-Identifier: Apache-2.0 */
/* Range headers; the first two bytes of an input are the size of the text. */
/* link: mod_repo/http/range.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "mod_repo/http/range.h"

FUZZ_WITH_APR

static void take_value(const char *value, apr_uint64_t size, apr_pool_t *pool)
{
    apr_array_header_t *ranges = NULL;
    int i;

    if (repo_range_parse(&ranges, value, size, pool) != REPO_RANGE_PARTIAL)
        return;
    if (ranges->nelts == 0 || ranges->nelts > REPO_RANGE_MAX)
        abort();
    for (i = 0; i < ranges->nelts; i++) {
        const repo_range_t *range = &APR_ARRAY_IDX(ranges, i, repo_range_t);

        if (range->len == 0 || range->start >= size ||
            range->len > size - range->start)
            abort();
    }
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    const char *value;
    apr_uint64_t size;

    if (len < 2)
        return;
    size = (unsigned char)data[0] * 256U + (unsigned char)data[1];
    value = apr_pstrmemdup(pool, data + 2, len - 2);
    take_value(value, size, pool);
    take_value(value, APR_UINT64_MAX, pool);
}

FUZZ_EACH(try_input)
