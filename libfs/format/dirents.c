/* SPDX-License-Identifier: Apache-2.0 */
/* Directories: hash dumps of names, made sorted arrays. */

#include "libfs/format/dirents.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

int fs_dirents_compare_names(fs_bytes_t a, fs_bytes_t b)
{
    apr_size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.data, b.data, len) : 0;

    if (order)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

static fs_error_t *check_name(fs_bytes_t name)
{
    bool dots = (name.len == 1 && name.data[0] == '.') ||
                (name.len == 2 && memcmp(name.data, "..", 2) == 0);

    if (!name.len || dots || memchr(name.data, '/', name.len) ||
        memchr(name.data, '\n', name.len) || memchr(name.data, '\0', name.len))
        return FS_ERROR(FS_ERR_CORRUPT, "'%.*s' is no name for an entry",
                        name.len > 200 ? 200 : (int)name.len, name.data);
    return NULL;
}

/* "file <id>" or "dir <id>" */
static fs_error_t *parse_value(fs_dirents_entry_t *out, fs_bytes_t value)
{
    fs_cursor_t c = fs_cursor(value.data, value.len);

    if (fs_cursor_accept(&c, "file "))
        out->kind = FS_NODE_FILE;
    else if (fs_cursor_accept(&c, "dir "))
        out->kind = FS_NODE_DIR;
    else
        return FS_ERROR(FS_ERR_CORRUPT, "file or dir expected");
    return fs_node_id_parse(&out->id, c.pos, fs_cursor_left(&c));
}

static fs_error_t *from_pair(fs_dirents_entry_t *out,
                             const fs_hash_dump_pair_t *pair)
{
    fs_error_t *err;

    FS_TRY(check_name(pair->key));
    out->name = pair->key;
    if (!pair->value.data) {
        memset(&out->id, 0, sizeof(out->id));
        out->kind = FS_NODE_NONE;
        return NULL;
    }
    err = parse_value(out, pair->value);
    return err ? FS_WRAP(err, "malformed directory entry '%.*s'",
                         pair->key.len > 200 ? 200 : (int)pair->key.len,
                         pair->key.data)
               : NULL;
}

fs_error_t *fs_dirents_next(fs_dirents_entry_t *out, bool *more,
                            fs_hash_dump_iter_t *iter)
{
    fs_hash_dump_pair_t pair;

    FS_TRY(fs_hash_dump_next(&pair, more, iter));
    return *more ? from_pair(out, &pair) : NULL;
}

static int compare_entries(const void *a, const void *b)
{
    return fs_dirents_compare_names(((const fs_dirents_entry_t *)a)->name,
                                    ((const fs_dirents_entry_t *)b)->name);
}

/* Put entries in order, if they are not, and refuse names that occur twice. */
static fs_error_t *sort_entries(fs_dirents_t *dirents)
{
    apr_size_t i;

    for (i = 1; i < dirents->count; i++)
        if (compare_entries(&dirents->entries[i - 1], &dirents->entries[i]) >=
            0)
            break;
    if (i >= dirents->count)
        return NULL;

    qsort(dirents->entries, dirents->count, sizeof(*dirents->entries),
          compare_entries);
    for (i = 1; i < dirents->count; i++)
        if (compare_entries(&dirents->entries[i - 1], &dirents->entries[i]) ==
            0)
            return FS_ERROR(FS_ERR_CORRUPT,
                            "directory entry '%.*s' occurs twice",
                            dirents->entries[i].name.len > 200
                                ? 200
                                : (int)dirents->entries[i].name.len,
                            dirents->entries[i].name.data);
    return NULL;
}

static fs_error_t *parse_plain(fs_dirents_t *out, const char *data,
                               apr_size_t len, apr_pool_t *result)
{
    fs_hash_dump_iter_t iter = fs_hash_dump_begin(data, len, false);
    fs_hash_dump_pair_t pair;
    apr_size_t count = 0;
    apr_size_t i;
    bool more;

    for (;;) {
        FS_TRY(fs_hash_dump_next(&pair, &more, &iter));
        if (!more)
            break;
        count++;
    }
    out->entries = apr_palloc(result, (count + 1) * sizeof(*out->entries));
    out->count = count;
    iter = fs_hash_dump_begin(data, len, false);
    for (i = 0; i < count; i++)
        FS_TRY(fs_dirents_next(&out->entries[i], &more, &iter));
    return sort_entries(out);
}

static fs_error_t *parse_incremental(fs_dirents_t *out, const char *data,
                                     apr_size_t len, apr_pool_t *result,
                                     apr_pool_t *scratch)
{
    apr_hash_t *hash = apr_hash_make(scratch);
    fs_hash_dump_iter_t iter = fs_hash_dump_begin(data, len, true);
    apr_hash_index_t *hi;

    for (;;) {
        fs_hash_dump_pair_t pair;
        fs_hash_dump_pair_t *kept = NULL;
        bool more;

        FS_TRY(fs_hash_dump_next(&pair, &more, &iter));
        if (!more)
            break;
        if (pair.value.data)
            kept = apr_pmemdup(scratch, &pair, sizeof(pair));
        apr_hash_set(hash, pair.key.data, (apr_ssize_t)pair.key.len, kept);
    }

    out->count = 0;
    out->entries =
        apr_palloc(result, (apr_hash_count(hash) + 1) * sizeof(*out->entries));
    for (hi = apr_hash_first(scratch, hash); hi; hi = apr_hash_next(hi)) {
        void *pair;

        apr_hash_this(hi, NULL, NULL, &pair);
        FS_TRY(from_pair(&out->entries[out->count++], pair));
    }
    return sort_entries(out);
}

fs_error_t *fs_dirents_parse(fs_dirents_t *out, const char *data,
                             apr_size_t len, bool incremental,
                             apr_pool_t *result, apr_pool_t *scratch)
{
    if (!len) {
        out->entries = NULL;
        out->count = 0;
        return NULL;
    }
    return incremental ? parse_incremental(out, data, len, result, scratch)
                       : parse_plain(out, data, len, result);
}

const fs_dirents_entry_t *fs_dirents_find(const fs_dirents_t *dirents,
                                          const char *name, apr_size_t name_len)
{
    fs_bytes_t wanted = { name, name_len };
    apr_size_t low = 0;
    apr_size_t high = dirents->count;

    while (low < high) {
        apr_size_t middle = low + (high - low) / 2;
        const fs_dirents_entry_t *entry = &dirents->entries[middle];
        int order = fs_dirents_compare_names(wanted, entry->name);

        if (order == 0)
            return entry;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void fs_dirents_format_entry(fs_buffer_t *out, const fs_dirents_entry_t *entry)
{
    char value[FS_NODE_ID_SIZE + 5];
    apr_size_t word = entry->kind == FS_NODE_DIR ? 4 : 5;
    apr_size_t len;

    memcpy(value, entry->kind == FS_NODE_DIR ? "dir " : "file ", word);
    len = word + fs_node_id_format(value + word, &entry->id);
    fs_hash_dump_format_pair(out, entry->name.data, entry->name.len, value,
                             len);
}

void fs_dirents_format(fs_buffer_t *out, const fs_dirents_t *dirents)
{
    apr_size_t i;

    for (i = 0; i < dirents->count; i++)
        fs_dirents_format_entry(out, &dirents->entries[i]);
    fs_buffer_puts(out, "END\n");
}
