/* SPDX-License-Identifier: Apache-2.0 */
/* Revisions as records of a dump stream. */

#include "libfs/fs_dump.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/dump/dump_stream.h"

fs_error_t *fs_dump_printf(const fs_dump_stream_t *stream, apr_pool_t *scratch,
                           const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = apr_pvsprintf(scratch, format, args);
    va_end(args);
    return stream->write(stream->baton, text, strlen(text));
}

static void put_pair(fs_buffer_t *block, char mark, const char *name,
                     const fs_bytes_t *value)
{
    fs_buffer_printf(block, "%c %" APR_SIZE_T_FMT "\n%s\n", mark, strlen(name),
                     name);
    if (!value)
        return;
    fs_buffer_printf(block, "V %" APR_SIZE_T_FMT "\n", value->len);
    fs_buffer_append(block, value->data, value->len);
    fs_buffer_puts(block, "\n");
}

/* Names in the order of bytes: what is set first, then what is deleted. */
fs_bytes_t fs_dump_props(apr_hash_t *props, apr_hash_t *base,
                         apr_pool_t *result)
{
    apr_array_header_t *changes = fs_prop_diff(base, props, result);
    fs_buffer_t *block = fs_buffer_create(256, result);
    int pass, i;

    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < changes->nelts; i++) {
            const fs_prop_change_t *change =
                &APR_ARRAY_IDX(changes, i, fs_prop_change_t);

            if (pass == 0 && change->value)
                put_pair(block, 'K', change->name, change->value);
            else if (pass == 1 && !change->value)
                put_pair(block, 'D', change->name, NULL);
        }
    fs_buffer_puts(block, "PROPS-END\n");
    return fs_buffer_bytes(block);
}

static fs_error_t *write_revision_record(const fs_dump_stream_t *stream,
                                         fs_repo_t *repo, fs_rev_t rev,
                                         apr_pool_t *scratch)
{
    apr_hash_t *props;
    fs_bytes_t block;

    FS_TRY(fs_repo_revprops(&props, repo, rev, scratch, scratch));
    block = fs_dump_props(props, NULL, scratch);
    FS_TRY(fs_dump_printf(stream, scratch,
                          "Revision-number: %" FS_REV_FMT "\n"
                          "Prop-content-length: %" APR_SIZE_T_FMT "\n"
                          "Content-length: %" APR_SIZE_T_FMT "\n\n",
                          rev, block.len, block.len));
    FS_TRY(stream->write(stream->baton, block.data, block.len));
    return stream->write(stream->baton, "\n", 1);
}

/* The first revision of a range that is to stand alone: its whole tree. */
static fs_error_t *write_whole_tree(const fs_dump_stream_t *stream,
                                    fs_root_t *root, apr_pool_t *scratch)
{
    fs_dir_delta_options_t options = { false, FS_DEPTH_INFINITY, false, false };
    const fs_editor_t *editor;
    fs_root_t *empty;
    void *edit;

    FS_TRY(fs_root_open(&empty, fs_root_repo(root), 0, scratch));
    editor = fs_dump_editor(&edit, stream, root, scratch);
    return fs_dir_delta(empty, "/", "", root, "/", &options, NULL, editor, edit,
                        scratch);
}

static fs_error_t *write_changes(const fs_dump_stream_t *stream,
                                 fs_root_t *root, apr_pool_t *scratch)
{
    fs_replay_options_t options = { "", FS_INVALID_REV, false };
    const fs_editor_t *editor;
    void *edit;

    editor = fs_dump_editor(&edit, stream, root, scratch);
    FS_TRY(fs_replay(root, &options, NULL, editor, edit, scratch));
    return editor->close_edit(edit, scratch);
}

static fs_error_t *check_range(fs_rev_t *start, fs_rev_t *end, fs_repo_t *repo,
                               apr_pool_t *scratch)
{
    fs_rev_t youngest;

    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    if (!FS_IS_REV(*start))
        *start = 0;
    if (!FS_IS_REV(*end))
        *end = youngest;
    if (*start > *end)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "start revision %" FS_REV_FMT
                        " is above end revision %" FS_REV_FMT,
                        *start, *end);
    if (*end > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "end revision %" FS_REV_FMT
                        " is above the youngest, %" FS_REV_FMT,
                        *end, youngest);
    return NULL;
}

fs_error_t *fs_dump(fs_repo_t *repo, const fs_dump_options_t *options,
                    fs_dump_write_fn write, fs_dump_progress_fn progress,
                    void *baton, apr_pool_t *scratch)
{
    fs_dump_stream_t stream = { write, baton, options->deltas };
    fs_rev_t start = options->start, end = options->end, rev;
    apr_pool_t *iter;

    FS_TRY(check_range(&start, &end, repo, scratch));
    FS_TRY(fs_dump_printf(&stream, scratch,
                          "SVN-fs-dump-format-version: %d\n\nUUID: %s\n\n",
                          options->deltas ? 3 : 2, fs_repo_uuid(repo)));
    apr_pool_create(&iter, scratch);
    for (rev = start; rev <= end; rev++) {
        fs_root_t *root;

        apr_pool_clear(iter);
        FS_TRY(write_revision_record(&stream, repo, rev, iter));
        if (rev > 0) {
            FS_TRY(fs_root_open(&root, repo, rev, iter));
            if (rev == start && !options->incremental)
                FS_TRY(write_whole_tree(&stream, root, iter));
            else
                FS_TRY(write_changes(&stream, root, iter));
        }
        if (progress)
            progress(baton, rev);
    }
    apr_pool_destroy(iter);
    return NULL;
}
