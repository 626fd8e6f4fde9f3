/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a directory that a transaction changed. */

#include "libfs/store/fsfs/commit_dir.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/store/fsfs/dir_build.h"
#include "libfs/store/fsfs/rep_read.h"

/* An entry of the base: its name, and all its bytes. */
typedef struct pair_t {
    fs_bytes_t name;
    fs_bytes_t raw;
} pair_t;

typedef struct merge_t {
    const pair_t *pairs;
    apr_size_t count;
    fs_bytes_t run;     /* bytes of the base that stay, to be told in one go */
    fs_buffer_t *entry; /* one that was changed */
    fs_commit_dir_fn receive;
    void *baton;
} merge_t;

fs_content_t fs_commit_dir_content(const fs_rep_t *rep)
{
    fs_content_t content;

    memset(&content, 0, sizeof(content));
    content.present = true;
    fs_handle_pack_id(content.id, rep->rev, rep->item);
    content.stored_len = rep->length;
    content.size = rep->size;
    content.has_md5 = rep->has_md5;
    content.has_sha1 = rep->has_sha1;
    memcpy(content.md5, rep->md5, sizeof(content.md5));
    memcpy(content.sha1, rep->sha1, sizeof(content.sha1));
    return content;
}

/* --- The base --- */

static int compare_pairs(const void *a, const void *b)
{
    return fs_dirents_compare_names(((const pair_t *)a)->name,
                                    ((const pair_t *)b)->name);
}

/* Old releases wrote entries in any order. */
static void sort_pairs(pair_t *pairs, apr_size_t count)
{
    apr_size_t i;

    for (i = 1; i < count; i++)
        if (compare_pairs(&pairs[i - 1], &pairs[i]) >= 0)
            break;
    if (i < count)
        qsort(pairs, count, sizeof(*pairs), compare_pairs);
}

static fs_error_t *read_pairs(merge_t *merge, fs_bytes_t text,
                              apr_pool_t *scratch)
{
    fs_hash_dump_iter_t iter = fs_hash_dump_begin(text.data, text.len, false);
    fs_buffer_t *pairs = fs_buffer_create(64 * sizeof(pair_t), scratch);

    for (;;) {
        const char *from = iter.cursor.pos;
        fs_hash_dump_pair_t found;
        bool more;
        pair_t pair;

        FS_TRY(fs_hash_dump_next(&found, &more, &iter));
        if (!more)
            break;
        pair.name = found.key;
        pair.raw.data = from;
        pair.raw.len = (apr_size_t)(iter.cursor.pos - from);
        fs_buffer_append(pairs, &pair, sizeof(pair));
    }
    merge->count = pairs->len / sizeof(pair_t);
    sort_pairs((pair_t *)(void *)pairs->data, merge->count);
    merge->pairs = (const pair_t *)(const void *)pairs->data;
    return NULL;
}

static fs_error_t *read_base(merge_t *merge, fs_fsfs_t *fsfs,
                             const fs_rep_t *base, apr_pool_t *scratch)
{
    fs_content_t content;
    fs_bytes_t text;
    fs_error_t *err;

    if (!base)
        return NULL;
    content = fs_commit_dir_content(base);
    FS_TRY(fs_rep_read_all(&text, fsfs, &content, CACHE_TEXT,
                           FS_DIR_BUILD_TEXT_MAX, scratch));
    if (!text.len)
        return NULL;
    err = read_pairs(merge, text, scratch);
    return err ? FS_WRAP(err, "directory in r%" FS_REV_FMT, base->rev) : NULL;
}

/* --- Merging --- */

static fs_error_t *tell_run(merge_t *merge)
{
    fs_bytes_t run = merge->run;

    merge->run.len = 0;
    return run.len ? merge->receive(merge->baton, run.data, run.len) : NULL;
}

static fs_error_t *tell_pair(merge_t *merge, const pair_t *pair)
{
    if (merge->run.len && merge->run.data + merge->run.len == pair->raw.data) {
        merge->run.len += pair->raw.len;
        return NULL;
    }
    FS_TRY(tell_run(merge));
    merge->run = pair->raw;
    return NULL;
}

static fs_error_t *tell_entry(merge_t *merge, const fs_dirents_entry_t *entry)
{
    if (entry->kind == FS_NODE_NONE)
        return NULL;
    FS_TRY(tell_run(merge));
    merge->entry->len = 0;
    fs_dirents_format_entry(merge->entry, entry);
    return merge->receive(merge->baton, merge->entry->data, merge->entry->len);
}

static int compare_entries(const void *a, const void *b)
{
    return fs_dirents_compare_names(((const fs_dirents_entry_t *)a)->name,
                                    ((const fs_dirents_entry_t *)b)->name);
}

static fs_error_t *tell(merge_t *merge, const apr_array_header_t *changes)
{
    apr_size_t at = 0;
    int i;

    for (i = 0; i < changes->nelts; i++) {
        const fs_dirents_entry_t *entry =
            &APR_ARRAY_IDX(changes, i, fs_dirents_entry_t);
        int order = 1;

        while (at < merge->count &&
               (order = fs_dirents_compare_names(merge->pairs[at].name,
                                                 entry->name)) < 0)
            FS_TRY(tell_pair(merge, &merge->pairs[at++]));
        if (at < merge->count && !order)
            at++;
        FS_TRY(tell_entry(merge, entry));
    }
    while (at < merge->count)
        FS_TRY(tell_pair(merge, &merge->pairs[at++]));
    FS_TRY(tell_run(merge));
    return merge->receive(merge->baton, "END\n", 4);
}

fs_error_t *fs_commit_dir_tell(fs_fsfs_t *fsfs, const fs_rep_t *base,
                               apr_array_header_t *changes,
                               fs_commit_dir_fn receive, void *baton,
                               apr_pool_t *scratch)
{
    merge_t merge = { .receive = receive, .baton = baton };

    merge.entry = fs_buffer_create(256, scratch);
    FS_TRY(read_base(&merge, fsfs, base, scratch));
    qsort(changes->elts, (size_t)changes->nelts, sizeof(fs_dirents_entry_t),
          compare_entries);
    return tell(&merge, changes);
}
