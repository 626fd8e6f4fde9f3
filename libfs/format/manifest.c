/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests of physically addressed pack files. */

#include "libfs/format/manifest.h"

#include "libfs/base/cursor.h"

static fs_error_t *check_offset(const apr_uint64_t *offsets, apr_size_t i,
                                apr_uint64_t pack_len)
{
    bool ascends = i ? offsets[i] > offsets[i - 1] : offsets[i] == 0;

    if (ascends && offsets[i] < pack_len)
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT,
                    "line %" APR_SIZE_T_FMT
                    " of the manifest names offset %" APR_UINT64_T_FMT
                    ", the pack has %" APR_UINT64_T_FMT " bytes",
                    i + 1, offsets[i], pack_len);
}

fs_error_t *fs_manifest_parse(apr_uint64_t *offsets, apr_size_t count,
                              const char *data, apr_size_t len,
                              apr_uint64_t pack_len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_size_t i;

    for (i = 0; i < count; i++) {
        fs_error_t *err =
            fs_cursor_decimal(&c, &offsets[i], (apr_uint64_t)APR_INT64_MAX);

        if (!err)
            err = fs_cursor_expect(&c, "\n");
        if (err)
            return FS_WRAP(err,
                           "malformed line %" APR_SIZE_T_FMT
                           " of %" APR_SIZE_T_FMT " in a manifest",
                           i + 1, count);
        FS_TRY(check_offset(offsets, i, pack_len));
    }
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the manifest has more than %" APR_SIZE_T_FMT " lines",
                        count);
    return NULL;
}

void fs_manifest_format(fs_buffer_t *out, const apr_uint64_t *offsets,
                        apr_size_t count)
{
    apr_size_t i;

    for (i = 0; i < count; i++)
        fs_buffer_printf(out, "%" APR_UINT64_T_FMT "\n", offsets[i]);
}
