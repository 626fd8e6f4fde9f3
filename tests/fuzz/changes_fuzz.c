/* SPDX-License-Identifier: Apache-2.0 */
/* Changed-path lists, from bytes and from a stream. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/changes.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static void read_list(const char *text, apr_size_t len, bool terminated,
                      apr_pool_t *pool)
{
    fs_changes_t *changes = fs_changes_open(
        fs_stream_from_bytes(text, len, pool), terminated, pool);
    fs_buffer_t *out = fs_buffer_create(0, pool);

    for (;;) {
        const fs_change_record_t *record;
        fs_change_record_t again;
        fs_changes_step_t step;
        apr_size_t used;
        fs_error_t *err = fs_changes_next(&record, changes);

        if (err || !record) {
            fs_error_clear(err);
            return;
        }
        out->len = 0;
        fs_changes_format(out, record, 8);
        err = fs_changes_parse(&again, &step, &used, out->data, out->len);
        if (err || step != FS_CHANGES_ENTRY || used != out->len)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    read_list(text, size, true, pool);
    read_list(text, size, false, pool);
    apr_pool_destroy(pool);
    return 0;
}
