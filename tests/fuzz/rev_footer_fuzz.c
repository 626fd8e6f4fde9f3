/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of revision files and the manifest of packed ones. */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include "libfs/format/manifest.h"
#include "libfs/format/rev_footer.h"

FUZZ_WITH_APR

static void read_trailer(const char *data, apr_size_t len)
{
    apr_size_t tail = len < FS_REV_TRAILER_SIZE ? len : FS_REV_TRAILER_SIZE;
    fs_rev_trailer_t trailer;
    fs_error_t *err =
        fs_rev_footer_parse_physical(&trailer, data + len - tail, tail, len);

    if (!err && (trailer.root >= len || trailer.changes >= len))
        abort();
    fs_error_clear(err);
}

/* The items are far longer than the input. */
static void read_footer(const char *data, apr_size_t len)
{
    apr_size_t tail = len < FS_REV_FOOTER_SIZE ? len : FS_REV_FOOTER_SIZE;
    apr_uint64_t file_len = tail < FS_REV_FOOTER_SIZE ? tail : 1000000;
    fs_rev_footer_t footer;
    fs_error_t *err =
        fs_rev_footer_parse(&footer, data + len - tail, tail, file_len);

    if (!err && (footer.l2p_offset + footer.l2p_len != footer.p2l_offset ||
                 footer.p2l_offset > file_len ||
                 footer.p2l_len > file_len - footer.p2l_offset))
        abort();
    fs_error_clear(err);
}

static void read_manifest(const char *data, apr_size_t len)
{
    apr_uint64_t offsets[4];
    fs_error_t *err = fs_manifest_parse(offsets, 4, data, len, 100000);
    int i;

    for (i = 0; !err && i < 4; i++)
        if (offsets[i] >= 100000 || (i > 0 && offsets[i] <= offsets[i - 1]))
            abort();
    fs_error_clear(err);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    (void)pool;
    read_trailer(data, len);
    read_footer(data, len);
    read_manifest(data, len);
}

FUZZ_EACH(try_input)
