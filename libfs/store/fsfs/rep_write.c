/* SPDX-License-Identifier: Apache-2.0 */
/* Writing representations: a window of text at a time, as it comes. */

#include "libfs/store/fsfs/rep_write.h"

#include <string.h>

#include "libfs/delta/compute.h"
#include "libfs/delta/svndiff_write.h"
#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/rep_base.h"
#include "libfs/store/fsfs/rep_read.h"

/* Texts are gathered up to here at first: most are shorter than a window. */
#define FIRST_ROOM 4096

/* Part of a text, at most a window. */
typedef struct part_t {
    char *data;
    apr_size_t len;
    apr_size_t room;
} part_t;

struct fs_rep_write_t {
    fs_rep_out_t *out;
    apr_uint64_t begin; /* offset in the file where the data begins */
    apr_uint64_t size;  /* bytes of the contents that are in windows */
    part_t target;      /* contents that are not yet in a window */
    part_t source;      /* of the base, beside the target */
    apr_uint64_t source_pos;
    fs_stream_t *base;             /* NULL: none, or at its end */
    fs_delta_matcher_t *matcher;   /* NULL: plain */
    fs_svndiff_encoder_t *encoder; /* NULL: plain */
    fs_digest_t *md5;              /* NULL: no window yet */
    fs_digest_t *sha1;
    apr_pool_t *pool;
};

/* Make room for `wanted` bytes; the part grows to a window in few steps. */
static void part_reserve(part_t *part, apr_size_t wanted, apr_pool_t *pool)
{
    apr_size_t room = part->room ? part->room : FIRST_ROOM;
    char *data;

    if (wanted <= part->room)
        return;
    while (room < wanted)
        room *= 4;
    if (room > FS_DELTA_WINDOW_MAX)
        room = FS_DELTA_WINDOW_MAX;
    data = apr_palloc(pool, room);
    if (part->len)
        memcpy(data, part->data, part->len);
    part->data = data;
    part->room = room;
}

/* --- What kind it is --- */

static bool is_plain(const fs_fsfs_t *fsfs, fs_rep_write_kind_t kind)
{
    if (kind == FS_REP_KIND_TEXT)
        return false;
    return fsfs->format.format < FS_FORMAT_DELTA_DIRS ||
           !(kind == FS_REP_KIND_DIR ? fsfs->conf.enable_dir_deltification
                                     : fsfs->conf.enable_props_deltification);
}

static int svndiff_version(const fs_fsfs_t *fsfs)
{
    switch (fsfs->conf.compression) {
    case FS_CONF_COMPRESS_ZLIB:
        return fsfs->format.format < FS_FORMAT_SVNDIFF1 ? 0 : 1;
    case FS_CONF_COMPRESS_LZ4:
        return 2;
    case FS_CONF_COMPRESS_NONE:
    default:
        return 0;
    }
}

fs_error_t *fs_rep_write_choose(bool *has_base, fs_rep_t *base, fs_fsfs_t *fsfs,
                                const fs_node_rev_t *node,
                                fs_rep_write_kind_t kind, apr_pool_t *scratch)
{
    *has_base = false;
    if (is_plain(fsfs, kind))
        return NULL;
    return fs_rep_base_choose(has_base, base, fsfs, node,
                              kind == FS_REP_KIND_PROPS, fs_current_known(fsfs),
                              scratch);
}

/* --- Beginning --- */

static fs_error_t *put_header(fs_rep_out_t *out, const fs_rep_t *base,
                              bool plain)
{
    fs_rep_header_t header = { FS_REP_SELF_DELTA, FS_INVALID_REV, 0, 0, 0 };
    char buf[FS_REP_HEADER_SIZE];
    apr_size_t len;

    if (plain) {
        header.kind = FS_REP_PLAIN;
    } else if (base) {
        header.kind = FS_REP_DELTA;
        header.base_rev = base->rev;
        header.base_item = base->item;
        header.base_length = base->length;
    }
    len = fs_rep_header_format(buf, &header);
    return fs_rep_out_write(out, buf, len);
}

static fs_error_t *open_base(fs_rep_write_t *write, fs_fsfs_t *fsfs,
                             const fs_rep_t *base)
{
    fs_content_t content = { 0 };

    content.present = true;
    fs_handle_pack_id(content.id, base->rev, base->item);
    content.stored_len = base->length;
    content.size = base->size;
    content.has_md5 = base->has_md5;
    memcpy(content.md5, base->md5, sizeof(content.md5));
    return fs_rep_read_stream(&write->base, fsfs, &content, 0, write->pool);
}

static fs_error_t *begin_delta(fs_rep_write_t *write, fs_fsfs_t *fsfs,
                               const fs_rep_t *base)
{
    int version = svndiff_version(fsfs);
    char magic[4];

    if (base)
        FS_TRY(open_base(write, fsfs, base));
    write->matcher = fs_delta_matcher_create(write->pool);
    write->encoder = fs_svndiff_encoder_create(
        version, fsfs->conf.compression_level, write->pool);
    fs_svndiff_write_magic(magic, version);
    return fs_rep_out_write(write->out, magic, sizeof(magic));
}

fs_error_t *fs_rep_write_open(fs_rep_write_t **write, fs_fsfs_t *fsfs,
                              fs_rep_out_t *out, const fs_rep_t *base,
                              fs_rep_write_kind_t kind, apr_pool_t *result)
{
    fs_rep_write_t *w = apr_pcalloc(result, sizeof(*w));
    bool plain = is_plain(fsfs, kind);

    w->out = out;
    w->pool = result;
    FS_TRY(put_header(out, base, plain));
    w->begin = fs_rep_out_offset(out);
    if (!plain)
        FS_TRY(begin_delta(w, fsfs, base));
    *write = w;
    return NULL;
}

/* --- Windows --- */

static void digest(fs_rep_write_t *write, const char *data, apr_size_t len)
{
    if (!write->md5) {
        write->md5 = fs_digest_create(FS_DIGEST_MD5, write->pool);
        write->sha1 = fs_digest_create(FS_DIGEST_SHA1, write->pool);
    }
    fs_digest_update(write->md5, data, len);
    fs_digest_update(write->sha1, data, len);
}

/* Read the part of the base that lies beside the target. */
static fs_error_t *read_source(fs_rep_write_t *write)
{
    part_t *part = &write->source;

    write->source_pos += part->len;
    part->len = 0;
    while (write->base && part->len < FS_DELTA_WINDOW_MAX) {
        apr_size_t len;

        if (part->len == part->room)
            part_reserve(part, part->room + 1, write->pool);
        len = part->room - part->len;
        FS_TRY(fs_stream_read_full(write->base, part->data + part->len, &len));
        part->len += len;
        if (part->len < part->room) {
            FS_TRY(fs_stream_close(write->base));
            write->base = NULL;
        }
    }
    return NULL;
}

static fs_error_t *put_delta(fs_rep_write_t *write)
{
    part_t *target = &write->target;
    fs_bytes_t parts[FS_SVNDIFF_PARTS];
    fs_delta_window_t window;
    int i;

    FS_TRY(read_source(write));
    fs_delta_compute_window(&window, write->matcher, write->source_pos,
                            write->source.data, (apr_uint32_t)write->source.len,
                            target->data, (apr_uint32_t)target->len);
    FS_TRY(fs_svndiff_encode_window(parts, write->encoder, &window));
    for (i = 0; i < FS_SVNDIFF_PARTS; i++)
        FS_TRY(fs_rep_out_write(write->out, parts[i].data, parts[i].len));
    return NULL;
}

/* All that was gathered is written. */
static fs_error_t *put_window(fs_rep_write_t *write)
{
    part_t *target = &write->target;

    if (!target->len)
        return NULL;
    digest(write, target->data, target->len);
    if (write->encoder)
        FS_TRY(put_delta(write));
    else
        FS_TRY(fs_rep_out_write(write->out, target->data, target->len));
    write->size += target->len;
    target->len = 0;
    return NULL;
}

fs_error_t *fs_rep_write(fs_rep_write_t *write, const char *data,
                         apr_size_t len)
{
    part_t *target = &write->target;

    while (len) {
        apr_size_t n = FS_DELTA_WINDOW_MAX - target->len;

        if (n > len)
            n = len;
        part_reserve(target, target->len + n, write->pool);
        memcpy(target->data + target->len, data, n);
        target->len += n;
        data += n;
        len -= n;
        if (target->len == FS_DELTA_WINDOW_MAX)
            FS_TRY(put_window(write));
    }
    return NULL;
}

static void finish_digests(fs_rep_t *rep, fs_rep_write_t *write)
{
    if (!write->md5)
        digest(write, "", 0);
    fs_digest_finish(write->md5, rep->md5);
    fs_digest_finish(write->sha1, rep->sha1);
    rep->has_md5 = true;
    rep->has_sha1 = true;
}

fs_error_t *fs_rep_write_close(fs_rep_t *rep, fs_rep_write_t *write)
{
    FS_TRY(put_window(write));
    if (write->base) {
        FS_TRY(fs_stream_close(write->base));
        write->base = NULL;
    }
    finish_digests(rep, write);
    rep->size = write->size;
    rep->length = fs_rep_out_offset(write->out) - write->begin;
    return fs_rep_out_write(write->out, FS_REP_TRAILER, FS_REP_TRAILER_LEN);
}
