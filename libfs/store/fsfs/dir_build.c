/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a directory up into pages, from the leaves to the root. */

#include "libfs/store/fsfs/dir_build.h"

#include <string.h>

#include "libfs/format/dirents.h"
#include "libfs/store/fsfs/rep_read.h"

/* What a page is made of: entries [first, end) of a level. */
typedef struct range_t {
    apr_size_t first;
    apr_size_t end;
} range_t;

/* One level of the tree: names and, for leaves, what they stand for. */
typedef struct level_t {
    apr_uint32_t height;              /* 0: leaves */
    apr_size_t count;                 /* entries in all pages of this level */
    const fs_dirents_entry_t *leaves; /* height 0 */
    const fs_bytes_t *names;          /* else: first name of each page below */
    apr_uint32_t below;               /* number of the first page below */
} level_t;

static fs_bytes_t name_of(const level_t *level, apr_size_t i)
{
    return level->height ? level->names[i] : level->leaves[i].name;
}

static apr_size_t entry_len(const level_t *level, apr_size_t i)
{
    return (level->height ? FS_DIR_BUILD_INNER_LEN : FS_DIR_BUILD_LEAF_LEN) +
           name_of(level, i).len + 1;
}

/* Cut a level up; returns the number of pages. An inner page has two entries
 * or more, so that each level is smaller than the one below. */
static apr_size_t cut(range_t *ranges, const level_t *level)
{
    apr_size_t pages = 0;
    apr_size_t i = 0;

    do {
        apr_size_t room = FS_DIR_BUILD_PAGE_SIZE - FS_DIR_BUILD_HEAD_LEN;
        apr_size_t least = level->height ? 2 : 1;

        ranges[pages].first = i;
        while (i < level->count) {
            apr_size_t len = entry_len(level, i) + 4;

            if (len > room && i - ranges[pages].first >= least)
                break;
            room = len > room ? 0 : room - len;
            i++;
        }
        ranges[pages++].end = i;
    } while (i < level->count);
    return pages;
}

static void put_number(char *to, apr_size_t value)
{
    apr_uint32_t number = (apr_uint32_t)value;

    memcpy(to, &number, sizeof(number));
}

static char *put_entry(char *to, const level_t *level, apr_size_t i)
{
    fs_bytes_t name = name_of(level, i);

    if (level->height) {
        put_number(to, level->below + i);
        to += FS_DIR_BUILD_INNER_LEN;
    } else {
        const fs_dirents_entry_t *entry = &level->leaves[i];

        put_number(to, (apr_size_t)entry->kind);
        fs_handle_pack_id((unsigned char *)to + 4, entry->id.rev,
                          entry->id.item);
        to += FS_DIR_BUILD_LEAF_LEN;
    }
    memcpy(to, name.data, name.len);
    to[name.len] = '\0';
    return to + name.len + 1;
}

static fs_bytes_t make_page(const level_t *level, const range_t *range,
                            apr_uint32_t next, apr_pool_t *result)
{
    apr_size_t count = range->end - range->first;
    apr_size_t len = FS_DIR_BUILD_HEAD_LEN + count * 4;
    fs_bytes_t page;
    char *data;
    char *to;
    apr_size_t i;

    for (i = range->first; i < range->end; i++)
        len += entry_len(level, i);
    data = apr_palloc(result, len);
    put_number(data, level->height);
    put_number(data + 4, count);
    put_number(data + 8, next);
    to = data + FS_DIR_BUILD_HEAD_LEN + count * 4;
    for (i = 0; i < count; i++) {
        put_number(data + FS_DIR_BUILD_HEAD_LEN + i * 4,
                   (apr_size_t)(to - data));
        to = put_entry(to, level, range->first + i);
    }
    page.data = data;
    page.len = len;
    return page;
}

/* Pages of all levels; there are fewer inner pages than leaves. */
static void make_pages(fs_dir_build_t *out, const fs_dirents_t *dirents,
                       apr_pool_t *result)
{
    level_t level = { 0, dirents->count, dirents->entries, NULL, 0 };
    apr_size_t room = dirents->count + 1;
    range_t *ranges = apr_palloc(result, room * sizeof(*ranges));
    fs_bytes_t *names = apr_palloc(result, room * sizeof(*names));

    out->pages = apr_palloc(result, 2 * room * sizeof(*out->pages));
    out->count = 1; /* page 0 is made last */
    for (;;) {
        apr_size_t pages = cut(ranges, &level);
        apr_uint32_t first = out->count;
        apr_size_t i;

        if (pages == 1)
            break;
        for (i = 0; i < pages; i++) {
            apr_uint32_t next =
                !level.height && i + 1 < pages ? out->count + 1 : 0;

            out->pages[out->count++] =
                make_page(&level, &ranges[i], next, result);
        }
        /* Page i's first name is at or behind place i: none is lost. */
        for (i = 0; i < pages; i++)
            names[i] = name_of(&level, ranges[i].first);
        level.height++;
        level.count = pages;
        level.names = names;
        level.below = first;
    }
    out->pages[0] = make_page(&level, &ranges[0], 0, result);
}

static fs_error_t *check_entries(const fs_dirents_t *dirents)
{
    apr_size_t i;

    for (i = 0; i < dirents->count; i++)
        if (dirents->entries[i].id.rev < 0)
            return FS_ERROR(FS_ERR_CORRUPT, "entry '%.*s' is in a transaction",
                            (int)dirents->entries[i].name.len,
                            dirents->entries[i].name.data);
    return NULL;
}

static fs_error_t *build(fs_dir_build_t *out, fs_fsfs_t *fsfs,
                         const fs_content_t *content, apr_pool_t *result,
                         apr_pool_t *scratch)
{
    fs_dirents_t dirents;
    fs_bytes_t text;

    FS_TRY(fs_rep_read_all(&text, fsfs, content, CACHE_KIND_COUNT,
                           FS_DIR_BUILD_TEXT_MAX, scratch));
    FS_TRY(fs_dirents_parse(&dirents, text.data, text.len, false, scratch,
                            scratch));
    FS_TRY(check_entries(&dirents));
    make_pages(out, &dirents, result);
    return NULL;
}

fs_error_t *fs_dir_build(fs_dir_build_t **out, fs_fsfs_t *fsfs,
                         const fs_content_t *content, apr_pool_t *result)
{
    apr_pool_t *scratch;
    fs_error_t *err;

    *out = apr_pcalloc(result, sizeof(**out));
    apr_pool_create(&scratch, result);
    err = build(*out, fsfs, content, result, scratch);
    apr_pool_destroy(scratch);
    return err;
}
