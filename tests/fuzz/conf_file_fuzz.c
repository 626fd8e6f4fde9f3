/* SPDX-License-Identifier: Apache-2.0 */
/* fsfs.conf: syntax and values for each format. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/conf_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static void read_conf(const char *text, apr_size_t len, apr_pool_t *pool)
{
    fs_conf_values_t *values = fs_conf_file_values(pool);
    fs_error_t *err = fs_conf_file_parse(values, text, len);
    int format;

    for (format = 1; !err && format <= 8; format++) {
        fs_conf_t conf;
        fs_error_t *bad = fs_conf_file_resolve(&conf, values, format);

        if (!bad && (conf.block_size & (conf.block_size - 1)))
            abort();
        fs_error_clear(bad);
    }
    fs_error_clear(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    read_conf(text, size, pool);
    apr_pool_destroy(pool);
    return 0;
}
