/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The editor that turns one revision's edit into node records.
 *
 * A node is written when it is added or opened, a directory that is merely
 * opened only when its properties change. Deletions wait until their directory
 * is closed, since one that is followed by an addition is a replacement.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/dump/dump_stream.h"
#include "libfs/fs_path.h"

#define TEXT_CHUNK 16384

typedef struct edit_t {
    const fs_dump_stream_t *stream;
    fs_root_t *root;
} edit_t;

typedef struct dir_t {
    edit_t *edit;
    const char *path;
    const fs_node_t *target;
    const char *base_path; /* fspath it is compared with; NULL: its own */
    fs_rev_t base_rev;
    bool written;
    apr_hash_t *deleted; /* path -> path, of deletions not written yet */
    apr_pool_t *pool;
} dir_t;

/* What a node record says. */
typedef struct record_t {
    const char *path;
    const char *action;
    const fs_node_t *target;
    const fs_node_t *base; /* NULL: a new node */
    bool is_copy;
    bool props; /* to be written */
    bool text;
} record_t;

static const char *hex(const unsigned char *digest, apr_size_t len,
                       apr_pool_t *result)
{
    return fs_hex_format(digest, len, result);
}

static fs_error_t *write_digests(const fs_dump_stream_t *stream,
                                 const char *name, const fs_node_t *node,
                                 apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];
    const unsigned char *sha1 = fs_node_sha1(node);

    FS_TRY(fs_node_md5(md5, node, scratch));
    FS_TRY(fs_dump_printf(stream, scratch, "%s-md5: %s\n", name,
                          hex(md5, sizeof(md5), scratch)));
    if (!sha1)
        return NULL;
    return fs_dump_printf(stream, scratch, "%s-sha1: %s\n", name,
                          hex(sha1, FS_SHA1_SIZE, scratch));
}

static fs_error_t *write_stream(const fs_dump_stream_t *stream,
                                fs_stream_t *text, apr_pool_t *scratch)
{
    char *chunk = apr_palloc(scratch, TEXT_CHUNK);

    for (;;) {
        apr_size_t len = TEXT_CHUNK;

        FS_TRY(fs_stream_read(text, chunk, &len));
        if (len == 0)
            return fs_stream_close(text);
        FS_TRY(stream->write(stream->baton, chunk, len));
    }
}

/* The delta in a temporary file: its length precedes it in the record. */
static fs_error_t *spool_delta(apr_file_t **file, apr_uint64_t *size,
                               const record_t *record, apr_pool_t *scratch)
{
    const char *folder;
    char *name, *chunk = apr_palloc(scratch, TEXT_CHUNK);
    apr_off_t start = 0;
    fs_stream_t *delta;
    apr_status_t status = apr_temp_dir_get(&folder, scratch);

    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "finding a folder for temporary files");
    name = apr_pstrcat(scratch, folder, "/mod_repo-dump-XXXXXX", NULL);
    status = apr_file_mktemp(file, name, 0, scratch);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "making a temporary file in '%s'", folder);

    *size = 0;
    FS_TRY(
        fs_node_svndiff(&delta, record->base, record->target, 0, 0, scratch));
    for (;;) {
        apr_size_t len = TEXT_CHUNK;

        FS_TRY(fs_stream_read(delta, chunk, &len));
        if (len == 0)
            break;
        status = apr_file_write_full(*file, chunk, len, NULL);
        if (status != APR_SUCCESS)
            return FS_ERROR_APR(status, "writing to a temporary file");
        *size += len;
    }
    FS_TRY(fs_stream_close(delta));
    status = apr_file_seek(*file, APR_SET, &start);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "rewinding a temporary file");
    return NULL;
}

static fs_error_t *write_file(const fs_dump_stream_t *stream, apr_file_t *file,
                              apr_pool_t *scratch)
{
    char *chunk = apr_palloc(scratch, TEXT_CHUNK);
    apr_status_t status;

    for (;;) {
        apr_size_t len = TEXT_CHUNK;

        status = apr_file_read(file, chunk, &len);
        if (APR_STATUS_IS_EOF(status))
            break;
        if (status != APR_SUCCESS)
            return FS_ERROR_APR(status, "reading a temporary file");
        FS_TRY(stream->write(stream->baton, chunk, len));
    }
    status = apr_file_close(file);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "closing a temporary file");
    return NULL;
}

static fs_error_t *write_headers(const fs_dump_stream_t *stream,
                                 const record_t *record, apr_pool_t *scratch)
{
    bool is_file = fs_node_kind(record->target) == FS_NODE_FILE;

    FS_TRY(fs_dump_printf(
        stream, scratch, "Node-path: %s\nNode-kind: %s\nNode-action: %s\n",
        record->path, is_file ? "file" : "dir", record->action));
    if (!record->is_copy)
        return NULL;
    FS_TRY(fs_dump_printf(stream, scratch,
                          "Node-copyfrom-rev: %" FS_REV_FMT
                          "\nNode-copyfrom-path: %s\n",
                          fs_root_rev(fs_node_root(record->base)),
                          fs_node_path(record->base) + 1));
    if (!is_file)
        return NULL;
    return write_digests(stream, "Text-copy-source", record->base, scratch);
}

/* Headers of what follows, then the properties; the text is left. */
static fs_error_t *write_contents(const fs_dump_stream_t *stream,
                                  const record_t *record, apr_pool_t *scratch)
{
    bool prop_delta = stream->deltas && record->base;
    apr_hash_t *props, *base_props = NULL;
    fs_bytes_t block = { "", 0 };
    apr_uint64_t text_size = 0;
    apr_file_t *delta = NULL;
    fs_stream_t *text;

    if (record->props) {
        FS_TRY(fs_node_props(&props, record->target, scratch));
        if (prop_delta)
            FS_TRY(fs_node_props(&base_props, record->base, scratch));
        block = fs_dump_props(props, base_props, scratch);
        if (prop_delta)
            FS_TRY(fs_dump_printf(stream, scratch, "Prop-delta: true\n"));
    }
    if (record->text) {
        text_size = fs_node_size(record->target);
        if (stream->deltas) {
            FS_TRY(spool_delta(&delta, &text_size, record, scratch));
            FS_TRY(fs_dump_printf(stream, scratch, "Text-delta: true\n"));
            if (record->base)
                FS_TRY(write_digests(stream, "Text-delta-base", record->base,
                                     scratch));
        }
        FS_TRY(write_digests(stream, "Text-content", record->target, scratch));
    }
    if (record->props)
        FS_TRY(fs_dump_printf(stream, scratch,
                              "Prop-content-length: %" APR_SIZE_T_FMT "\n",
                              block.len));
    if (record->text)
        FS_TRY(fs_dump_printf(stream, scratch,
                              "Text-content-length: %" APR_UINT64_T_FMT "\n",
                              text_size));
    FS_TRY(fs_dump_printf(stream, scratch,
                          "Content-length: %" APR_UINT64_T_FMT "\n\n",
                          text_size + block.len));
    FS_TRY(stream->write(stream->baton, block.data, block.len));
    if (delta)
        return write_file(stream, delta, scratch);
    if (!record->text)
        return NULL;
    FS_TRY(fs_node_open(&text, record->target, 0, scratch));
    return write_stream(stream, text, scratch);
}

static fs_error_t *write_record(const fs_dump_stream_t *stream,
                                const record_t *record, apr_pool_t *scratch)
{
    FS_TRY(write_headers(stream, record, scratch));
    if (record->props || record->text)
        FS_TRY(write_contents(stream, record, scratch));
    return stream->write(stream->baton, "\n\n", 2);
}

/* Decide what of the node is written, by comparison with its base. */
static void choose_contents(record_t *record)
{
    bool is_file = fs_node_kind(record->target) == FS_NODE_FILE;

    if (!record->base) {
        record->props = true;
        record->text = is_file;
        return;
    }
    record->props = fs_node_props_touched(record->base, record->target);
    record->text =
        is_file && fs_node_text_touched(record->base, record->target);
}

/* ---- the editor ---- */

static dir_t *make_dir(edit_t *edit, const char *path, const fs_node_t *target,
                       apr_pool_t *result)
{
    dir_t *dir = apr_pcalloc(result, sizeof(*dir));

    dir->edit = edit;
    dir->path = path;
    dir->target = target;
    dir->base_rev = FS_INVALID_REV;
    dir->deleted = apr_hash_make(result);
    dir->pool = result;
    return dir;
}

static fs_error_t *set_target_revision(void *edit, fs_rev_t rev,
                                       apr_pool_t *scratch)
{
    (void)edit;
    (void)rev;
    (void)scratch;
    return NULL;
}

static fs_error_t *open_root(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result)
{
    (void)base;
    *dir = make_dir(edit, "", target, result);
    return NULL;
}

static fs_error_t *delete_entry(void *parent, const char *path, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    dir_t *dir = parent;
    const char *copy = apr_pstrdup(dir->pool, path);

    (void)rev;
    (void)scratch;
    apr_hash_set(dir->deleted, copy, APR_HASH_KEY_STRING, copy);
    return NULL;
}

static fs_error_t *find_copy_source(const fs_node_t **node, edit_t *edit,
                                    const char *path, fs_rev_t rev,
                                    apr_pool_t *result)
{
    fs_root_t *root;

    FS_TRY(fs_root_open(&root, fs_root_repo(edit->root), rev, result));
    return fs_node_need(node, root, path, result);
}

/* An addition, or a replacement if the path was deleted before. A replacement
 * by a copy is told as a deletion and an addition. */
static fs_error_t *write_addition(dir_t *parent, const char *path,
                                  const char *copyfrom_path,
                                  fs_rev_t copyfrom_rev,
                                  const fs_node_t *target, apr_pool_t *scratch)
{
    const fs_dump_stream_t *stream = parent->edit->stream;
    bool replaces =
        apr_hash_get(parent->deleted, path, APR_HASH_KEY_STRING) != NULL;
    record_t record = { path, "add", target, NULL, false, false, false };

    if (replaces)
        apr_hash_set(parent->deleted, path, APR_HASH_KEY_STRING, NULL);
    if (copyfrom_path) {
        record.is_copy = true;
        FS_TRY(find_copy_source(&record.base, parent->edit, copyfrom_path,
                                copyfrom_rev, scratch));
        if (replaces)
            FS_TRY(fs_dump_printf(stream, scratch,
                                  "Node-path: %s\nNode-action: delete\n\n",
                                  path));
    } else if (replaces) {
        record.action = "replace";
    }
    choose_contents(&record);
    return write_record(stream, &record, scratch);
}

static fs_error_t *add_dir(void **out, void *parent, const char *path,
                           const char *copyfrom_path, fs_rev_t copyfrom_rev,
                           const fs_node_t *target, apr_pool_t *result)
{
    dir_t *pdir = parent;
    dir_t *dir = make_dir(pdir->edit, path, target, result);

    FS_TRY(write_addition(pdir, path, copyfrom_path, copyfrom_rev, target,
                          result));
    dir->written = true;
    dir->base_path = apr_pstrdup(result, copyfrom_path);
    dir->base_rev = copyfrom_rev;
    *out = dir;
    return NULL;
}

static fs_error_t *open_dir(void **out, void *parent, const char *path,
                            fs_rev_t base, const fs_node_t *target,
                            apr_pool_t *result)
{
    dir_t *pdir = parent;
    dir_t *dir = make_dir(pdir->edit, path, target, result);

    (void)base;
    if (pdir->base_path) {
        dir->base_path =
            fs_path_join(pdir->base_path, fs_path_name(path), result);
        dir->base_rev = pdir->base_rev;
    }
    *out = dir;
    return NULL;
}

static fs_error_t *write_change(edit_t *edit, const char *path,
                                const char *base_path, fs_rev_t base_rev,
                                const fs_node_t *target, apr_pool_t *scratch)
{
    record_t record = { path, "change", target, NULL, false, false, false };

    if (!base_path) {
        base_path = apr_pstrcat(scratch, "/", path, NULL);
        base_rev = fs_root_rev(edit->root) - 1;
    }
    FS_TRY(find_copy_source(&record.base, edit, base_path, base_rev, scratch));
    choose_contents(&record);
    return write_record(edit->stream, &record, scratch);
}

static fs_error_t *dir_prop(void *baton, const char *name,
                            const fs_bytes_t *value, apr_pool_t *scratch)
{
    dir_t *dir = baton;

    (void)name;
    (void)value;
    if (dir->written)
        return NULL;
    dir->written = true;
    return write_change(dir->edit, dir->path, dir->base_path, dir->base_rev,
                        dir->target, scratch);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static fs_error_t *close_dir(void *baton, apr_pool_t *scratch)
{
    dir_t *dir = baton;
    apr_array_header_t *paths = apr_array_make(
        scratch, (int)apr_hash_count(dir->deleted), sizeof(const char *));
    apr_hash_index_t *hi;
    int i;

    for (hi = apr_hash_first(scratch, dir->deleted); hi; hi = apr_hash_next(hi))
        APR_ARRAY_PUSH(paths, const char *) = apr_hash_this_key(hi);
    qsort(paths->elts, (size_t)paths->nelts, sizeof(const char *), by_name);
    for (i = 0; i < paths->nelts; i++)
        FS_TRY(fs_dump_printf(dir->edit->stream, scratch,
                              "Node-path: %s\nNode-action: delete\n\n\n",
                              APR_ARRAY_IDX(paths, i, const char *)));
    return NULL;
}

static fs_error_t *add_file(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    *file = NULL;
    return write_addition(parent, path, copyfrom_path, copyfrom_rev, target,
                          result);
}

static fs_error_t *open_file(void **file, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result)
{
    dir_t *dir = parent;

    (void)base;
    *file = NULL;
    return write_change(
        dir->edit, path,
        dir->base_path
            ? fs_path_join(dir->base_path, fs_path_name(path), result)
            : NULL,
        dir->base_rev, target, result);
}

/* Files are written whole when they are opened; the rest tells nothing. */

static fs_error_t *file_prop(void *file, const char *name,
                             const fs_bytes_t *value, apr_pool_t *scratch)
{
    (void)file;
    (void)name;
    (void)value;
    (void)scratch;
    return NULL;
}

static fs_error_t *file_text(void *file, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch)
{
    (void)file;
    (void)base;
    (void)base_md5;
    (void)target;
    (void)scratch;
    return NULL;
}

static fs_error_t *close_file(void *file, const unsigned char *md5,
                              apr_pool_t *scratch)
{
    (void)file;
    (void)md5;
    (void)scratch;
    return NULL;
}

static fs_error_t *absent(void *parent, const char *path, apr_pool_t *scratch)
{
    (void)parent;
    (void)path;
    (void)scratch;
    return NULL;
}

static fs_error_t *close_edit(void *edit, apr_pool_t *scratch)
{
    (void)edit;
    (void)scratch;
    return NULL;
}

static const fs_editor_t dump_editor = {
    .set_target_revision = set_target_revision,
    .open_root = open_root,
    .delete_entry = delete_entry,
    .add_dir = add_dir,
    .open_dir = open_dir,
    .dir_prop = dir_prop,
    .close_dir = close_dir,
    .absent_dir = absent,
    .add_file = add_file,
    .open_file = open_file,
    .file_prop = file_prop,
    .file_text = file_text,
    .close_file = close_file,
    .absent_file = absent,
    .close_edit = close_edit,
};

const fs_editor_t *fs_dump_editor(void **baton, const fs_dump_stream_t *stream,
                                  fs_root_t *root, apr_pool_t *result)
{
    edit_t *edit = apr_pcalloc(result, sizeof(*edit));

    edit->stream = stream;
    edit->root = root;
    *baton = edit;
    return &dump_editor;
}
