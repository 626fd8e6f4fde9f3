/* SPDX-License-Identifier: Apache-2.0 */
/* Packed revision properties: manifests and pack files. */

#include "libfs/format/revprop_pack.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/compress.h"
#include "libfs/base/cursor.h"
#include "libfs/base/number.h"

/* A zlib stream cannot be longer than this many times its own length. */
#define DEFLATE_RATIO_MAX 1032

fs_revprop_shard_t fs_revprop_pack_shard(apr_uint64_t shard,
                                         apr_uint64_t shard_size)
{
    fs_revprop_shard_t out;

    out.first_rev = shard ? (fs_rev_t)(shard * shard_size) : 1;
    out.count = shard ? shard_size : shard_size - 1;
    return out;
}

static bool has_rev(const fs_revprop_shard_t *shard, fs_rev_t rev)
{
    return rev >= shard->first_rev &&
           (apr_uint64_t)(rev - shard->first_rev) < shard->count;
}

apr_size_t fs_revprop_pack_name(char buf[FS_REVPROP_PACK_NAME_SIZE],
                                const fs_revprop_pack_name_t *name)
{
    return (apr_size_t)snprintf(buf, FS_REVPROP_PACK_NAME_SIZE,
                                "%" FS_REV_FMT ".%" APR_UINT64_T_FMT,
                                name->first_rev, name->tag);
}

/* The line of `rev`: its pack begins in the shard and not behind `rev`. */
static fs_error_t *take_name(fs_revprop_pack_name_t *out, fs_cursor_t *c,
                             const fs_revprop_shard_t *shard, fs_rev_t rev)
{
    apr_uint64_t first;

    FS_TRY(fs_cursor_decimal(c, &first, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, "."));
    FS_TRY(fs_cursor_decimal(c, &out->tag, APR_UINT64_MAX));
    FS_TRY(fs_cursor_expect(c, "\n"));
    out->first_rev = (fs_rev_t)first;
    if (!has_rev(shard, out->first_rev) || out->first_rev > rev)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a pack from r%" FS_REV_FMT
                        " cannot hold r%" FS_REV_FMT,
                        out->first_rev, rev);
    return NULL;
}

static fs_error_t *bad_manifest(fs_error_t *err, fs_rev_t rev)
{
    return FS_WRAP(err,
                   "malformed manifest of revision properties, line for "
                   "r%" FS_REV_FMT,
                   rev);
}

static bool same_line(const fs_bytes_t *a, const fs_bytes_t *b)
{
    return a->data && a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* The last revision of those that follow `rev` without another line between;
 * `c` is behind the line of `rev`. */
static fs_rev_t last_alike(fs_cursor_t c, const fs_bytes_t *line,
                           const fs_revprop_shard_t *shard, fs_rev_t rev)
{
    fs_bytes_t next;

    while (has_rev(shard, rev + 1)) {
        fs_error_t *err = fs_cursor_line(&c, &next);
        bool more = !err && same_line(line, &next);

        fs_error_clear(err);
        if (!more)
            break;
        rev++;
    }
    return rev;
}

fs_error_t *fs_revprop_pack_manifest_find(fs_revprop_pack_name_t *out,
                                          fs_rev_t *first, fs_rev_t *last,
                                          const char *data, apr_size_t len,
                                          const fs_revprop_shard_t *shard,
                                          fs_rev_t rev)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_bytes_t before = { NULL, 0 };
    fs_rev_t start = shard->first_rev;
    fs_error_t *err = NULL;
    fs_cursor_t at = c;
    fs_rev_t line_rev;
    fs_bytes_t line;

    if (!has_rev(shard, rev))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "r%" FS_REV_FMT " is not among the %" APR_UINT64_T_FMT
                        " revisions from r%" FS_REV_FMT " of a manifest",
                        rev, shard->count, shard->first_rev);
    for (line_rev = shard->first_rev; !err && line_rev <= rev; line_rev++) {
        at = c;
        err = fs_cursor_line(&c, &line);
        if (!err && !same_line(&before, &line))
            start = line_rev;
        if (!err)
            before = line;
    }
    if (!err)
        err = take_name(out, &at, shard, rev);
    if (err)
        return bad_manifest(err, rev);
    if (first)
        *first = start;
    if (last)
        *last = last_alike(c, &before, shard, rev);
    return NULL;
}

fs_error_t *fs_revprop_pack_manifest_parse(fs_revprop_pack_name_t *names,
                                           const char *data, apr_size_t len,
                                           const fs_revprop_shard_t *shard)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t i;

    for (i = 0; i < shard->count; i++) {
        fs_rev_t rev = shard->first_rev + (fs_rev_t)i;
        fs_error_t *err = take_name(&names[i], &c, shard, rev);

        if (err)
            return bad_manifest(err, rev);
    }
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a manifest of revision properties has more than "
                        "%" APR_UINT64_T_FMT " lines",
                        shard->count);
    return NULL;
}

void fs_revprop_pack_manifest_format(fs_buffer_t *out,
                                     const fs_revprop_pack_name_t *name)
{
    char text[FS_REVPROP_PACK_NAME_SIZE];

    fs_revprop_pack_name(text, name);
    fs_buffer_printf(out, "%s\n", text);
}

/* The contents: what follows the length, verbatim or inflated. */
static fs_error_t *expand(fs_cursor_t *c, apr_pool_t *result)
{
    apr_size_t left;
    apr_uint64_t size;
    char *out;

    FS_TRY(fs_cursor_be128(c, &size));
    left = fs_cursor_left(c);
    if (size == left)
        return NULL;
    if (size > FS_REVPROP_PACK_MAX || size / DEFLATE_RATIO_MAX > left)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "%" APR_SIZE_T_FMT
                        " bytes cannot expand to %" APR_UINT64_T_FMT,
                        left, size);
    out = apr_palloc(result, (apr_size_t)size + 1);
    FS_TRY(fs_zlib_inflate(out, (apr_size_t)size, c->pos, left));
    *c = fs_cursor(out, (apr_size_t)size);
    return NULL;
}

static fs_error_t *take_line_number(fs_cursor_t *c, apr_uint64_t *out)
{
    FS_TRY(fs_cursor_decimal(c, out, APR_INT64_MAX));
    return fs_cursor_expect(c, "\n");
}

static fs_error_t *take_range(fs_revprop_pack_t *out, fs_cursor_t *c,
                              const fs_revprop_shard_t *shard)
{
    apr_uint64_t first;

    FS_TRY(take_line_number(c, &first));
    FS_TRY(take_line_number(c, &out->count));
    out->first_rev = (fs_rev_t)first;
    if (!has_rev(shard, out->first_rev) || !out->count ||
        out->count > shard->count - (first - (apr_uint64_t)shard->first_rev))
        return FS_ERROR(
            FS_ERR_CORRUPT,
            "%" APR_UINT64_T_FMT " revisions from r%" FS_REV_FMT
            " are not within the %" APR_UINT64_T_FMT " from r%" FS_REV_FMT,
            out->count, out->first_rev, shard->count, shard->first_rev);
    if (out->count > fs_cursor_left(c) / 2) /* "0\n" at least for each */
        return FS_ERROR(FS_ERR_CORRUPT,
                        "%" APR_UINT64_T_FMT
                        " revisions are announced, %" APR_SIZE_T_FMT
                        " bytes are left",
                        out->count, fs_cursor_left(c));
    return NULL;
}

static fs_error_t *take_entries(fs_revprop_pack_t *out, fs_cursor_t *c,
                                apr_pool_t *result)
{
    apr_uint64_t size, i;

    out->entries =
        apr_palloc(result, (apr_size_t)out->count * sizeof(*out->entries));
    for (i = 0; i < out->count; i++) {
        FS_TRY(take_line_number(c, &size));
        out->entries[i].len = (apr_size_t)size;
    }
    FS_TRY(fs_cursor_expect(c, "\n"));
    for (i = 0; i < out->count; i++)
        FS_TRY(fs_cursor_take(c, &out->entries[i].data, out->entries[i].len));
    if (fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "%" APR_SIZE_T_FMT " bytes are left behind the last "
                        "revision",
                        fs_cursor_left(c));
    return NULL;
}

fs_error_t *fs_revprop_pack_parse(fs_revprop_pack_t *out, const char *data,
                                  apr_size_t len,
                                  const fs_revprop_shard_t *shard,
                                  apr_pool_t *result)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_error_t *err = expand(&c, result);

    if (!err)
        err = take_range(out, &c, shard);
    if (!err)
        err = take_entries(out, &c, result);
    return err ? FS_WRAP_AS(err, FS_ERR_CORRUPT,
                            "malformed pack of revision properties")
               : NULL;
}

fs_error_t *fs_revprop_pack_get(fs_bytes_t *out, const fs_revprop_pack_t *pack,
                                fs_rev_t rev)
{
    if (rev < pack->first_rev ||
        (apr_uint64_t)(rev - pack->first_rev) >= pack->count)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a pack of revision properties has %" APR_UINT64_T_FMT
                        " revisions from r%" FS_REV_FMT ", r%" FS_REV_FMT
                        " is wanted",
                        pack->count, pack->first_rev, rev);
    *out = pack->entries[rev - pack->first_rev];
    return NULL;
}

/* Append `contents` compressed, or verbatim if that is not shorter. */
static fs_error_t *append_deflated(fs_buffer_t *out, fs_bytes_t contents,
                                   int level)
{
    apr_size_t room = fs_zlib_bound(contents.len);
    char *place = fs_buffer_reserve(out, room);

    FS_TRY(fs_zlib_deflate(place, &room, contents.data, contents.len, level));
    if (room < contents.len)
        out->len += room;
    else
        fs_buffer_append(out, contents.data, contents.len);
    return NULL;
}

fs_error_t *fs_revprop_pack_format(fs_buffer_t *out,
                                   const fs_revprop_pack_t *pack, int level,
                                   apr_pool_t *scratch)
{
    fs_buffer_t *contents = fs_buffer_create(4096, scratch);
    apr_uint64_t i;

    fs_buffer_printf(contents, "%" FS_REV_FMT "\n%" APR_UINT64_T_FMT "\n",
                     pack->first_rev, pack->count);
    for (i = 0; i < pack->count; i++)
        fs_buffer_printf(contents, "%" APR_SIZE_T_FMT "\n",
                         pack->entries[i].len);
    fs_buffer_puts(contents, "\n");
    for (i = 0; i < pack->count; i++)
        fs_buffer_append(contents, pack->entries[i].data, pack->entries[i].len);

    fs_buffer_reserve(out, FS_VARINT_MAX);
    out->len += fs_number_put_be128((unsigned char *)out->data + out->len,
                                    contents->len);
    if (level > 0)
        return append_deflated(out, fs_buffer_bytes(contents), level);
    fs_buffer_append(out, contents->data, contents->len);
    return NULL;
}
