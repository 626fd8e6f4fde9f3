/* SPDX-License-Identifier: Apache-2.0 */
/* Directories, in the plain and in the incremental form. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/dirents.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static void read_directory(const char *text, apr_size_t len, bool incremental,
                           apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_dirents_t dirents, again;
    apr_size_t i;
    fs_error_t *err =
        fs_dirents_parse(&dirents, text, len, incremental, pool, pool);

    if (err) {
        fs_error_clear(err);
        return;
    }
    for (i = 0; i < dirents.count; i++) {
        fs_bytes_t name = dirents.entries[i].name;

        if (fs_dirents_find(&dirents, name.data, name.len) !=
            &dirents.entries[i])
            abort();
    }
    fs_dirents_format(out, &dirents);
    err = fs_dirents_parse(&again, out->data, out->len, false, pool, pool);
    if (err || again.count != dirents.count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    read_directory(text, size, false, pool);
    read_directory(text, size, true, pool);
    apr_pool_destroy(pool);
    return 0;
}
