/* SPDX-License-Identifier: Apache-2.0 */
/* Digest files of path locks. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/lock_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static void check(const char *text, apr_size_t len, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_lock_file_t lock, again;
    fs_error_t *err = fs_lock_file_parse(&lock, text, len, pool);

    if (err) {
        fs_error_clear(err);
        return;
    }
    fs_lock_file_format(out, &lock);
    err = fs_lock_file_parse(&again, out->data, out->len, pool);
    if (err ||
        fs_lock_file_child_count(&again) != fs_lock_file_child_count(&lock))
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
