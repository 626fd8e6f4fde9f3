/* SPDX-License-Identifier: Apache-2.0 */
/* Property lists and the like, in the plain and in the incremental form. */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include "libfs/format/hash_dump.h"

FUZZ_WITH_APR

static void read_hash(const char *data, apr_size_t len, bool incremental,
                      apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(0, pool);
    apr_hash_t *hash, *again;
    fs_error_t *err = fs_hash_dump_parse(&hash, data, len, incremental, pool);

    if (!err) {
        fs_hash_dump_format(out, hash, pool);
        err = fs_hash_dump_parse(&again, out->data, out->len, false, pool);
        if (err || apr_hash_count(again) != apr_hash_count(hash))
            abort();
    }
    fs_error_clear(err);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    read_hash(data, len, false, pool);
    read_hash(data, len, true, pool);
}

FUZZ_EACH(try_input)
