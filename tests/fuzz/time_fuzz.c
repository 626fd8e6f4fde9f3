/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: what is parsed is written and parsed to the same time. */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include <apr_general.h>

#include "libfs/fs_time.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static void check(const char *text, apr_size_t len)
{
    char buf[FS_TIME_SIZE];
    apr_time_t when, again;
    fs_error_t *err = fs_time_parse(&when, text, len);

    if (err) {
        fs_error_clear(err);
        return;
    }
    err = fs_time_parse(&again, buf, fs_time_format(buf, when));
    if (err || again != when)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check((const char *)data, size);
    return 0;
}
