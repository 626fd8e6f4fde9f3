/* SPDX-License-Identifier: Apache-2.0 */
/* Directories as pages of sorted entries: search and reading in order. */

#include "libfs/store/fsfs/dir_pages.h"

#include <assert.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/dir_build.h"
#include "libfs/store/fsfs/item.h"

/* More levels than any number of entries can make. */
#define LEVEL_MAX 16

/* How long to wait for somebody who builds the same directory. */
#define CLAIM_MS 2000

typedef struct cursor_t {
    fs_store_dir_t dir; /* first: its address is that of the cursor */
    fs_fsfs_t *fsfs;
    fs_content_t content;
    apr_pool_t *pool;       /* for `built` */
    apr_pool_t *page_pool;  /* for `page`; cleared when it changes */
    fs_dir_build_t *built;  /* not NULL: the cache did not keep the pages */
    fs_bytes_t page;        /* the leaf that is read; data NULL: the end */
    apr_uint32_t next;      /* entry in it */
    fs_store_entry_t entry; /* what was handed out last */
} cursor_t;

/* --- Pages --- */

static apr_uint32_t number_at(const char *data)
{
    apr_uint32_t value;

    memcpy(&value, data, sizeof(value));
    return value;
}

/* Whether the page can be read without passing its end: entries lie in it and
 * its last byte is the NUL of a name. */
static bool page_is_sound(const fs_bytes_t *page)
{
    apr_size_t head_len =
        number_at(page->data) ? FS_DIR_BUILD_INNER_LEN : FS_DIR_BUILD_LEAF_LEN;
    apr_uint32_t count = number_at(page->data + 4);
    apr_uint32_t i;

    if (count > (page->len - FS_DIR_BUILD_HEAD_LEN) / 4 ||
        (count && page->data[page->len - 1]))
        return false;
    for (i = 0; i < count; i++) {
        apr_uint32_t at = number_at(page->data + FS_DIR_BUILD_HEAD_LEN + i * 4);

        if (at >= page->len || head_len >= page->len - at)
            return false;
    }
    return true;
}

static apr_uint32_t page_count(const fs_bytes_t *page)
{
    return number_at(page->data + 4);
}

static const char *page_entry(const fs_bytes_t *page, apr_uint32_t i)
{
    return page->data + number_at(page->data + FS_DIR_BUILD_HEAD_LEN + i * 4);
}

static const char *page_name(const fs_bytes_t *page, apr_uint32_t i)
{
    return page_entry(page, i) + (number_at(page->data)
                                      ? FS_DIR_BUILD_INNER_LEN
                                      : FS_DIR_BUILD_LEAF_LEN);
}

static void fill_entry(fs_store_entry_t *out, const fs_bytes_t *page,
                       apr_uint32_t i)
{
    const char *entry = page_entry(page, i);

    out->kind = (fs_node_kind_t)number_at(entry);
    memcpy(out->id.bytes, entry + 4, sizeof(out->id.bytes));
    out->name = entry + FS_DIR_BUILD_LEAF_LEN;
}

/* Number of names in the page that are not greater than `name`. */
static apr_uint32_t names_up_to(const fs_bytes_t *page, const char *name)
{
    apr_uint32_t low = 0;
    apr_uint32_t high = page_count(page);

    while (low < high) {
        apr_uint32_t middle = low + (high - low) / 2;

        if (strcmp(page_name(page, middle), name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static cache_key_t page_key(const fs_fsfs_t *fsfs, const fs_content_t *content,
                            apr_uint32_t number)
{
    cache_key_t key;
    apr_uint64_t item;
    fs_rev_t rev;

    fs_handle_unpack_id(content->id, &rev, &item);
    key = fs_handle_key(fsfs, CACHE_DIRECTORY, rev, item);
    key.extra = number;
    return key;
}

static bool cached_page(fs_bytes_t *page, const fs_fsfs_t *fsfs,
                        const cache_key_t *key, apr_pool_t *result)
{
    cache_value_t value;

    if (cache_get(fsfs->cache, key, &value, result) ||
        value.len < FS_DIR_BUILD_HEAD_LEN)
        return false;
    page->data = value.data;
    page->len = value.len;
    return page_is_sound(page);
}

/* Put inner pages and the root last: who finds them finds the leaves. */
static void keep_pages(fs_fsfs_t *fsfs, const fs_content_t *content,
                       const fs_dir_build_t *built)
{
    apr_uint32_t i;

    for (i = built->count; i-- > 0 && fsfs->cache;) {
        cache_key_t key = page_key(fsfs, content, i);

        (void)cache_put(fsfs->cache, &key, built->pages[i].data,
                        built->pages[i].len);
    }
}

static fs_error_t *build(fs_dir_build_t **built, fs_fsfs_t *fsfs,
                         const fs_content_t *content, apr_pool_t *result)
{
    apr_uint64_t item;
    fs_error_t *err;
    fs_rev_t rev;

    err = fs_dir_build(built, fsfs, content, result);
    if (err) {
        fs_handle_unpack_id(content->id, &rev, &item);
        return FS_WRAP(err, "directory in r%" FS_REV_FMT, rev);
    }
    assert(*built);
    keep_pages(fsfs, content, *built);
    return NULL;
}

/*
 * Get page `number`. `*built` is set when the directory had to be made from
 * its text, then all pages are in there, in `build_pool`.
 */
static fs_error_t *get_page(fs_bytes_t *page, fs_dir_build_t **built,
                            fs_fsfs_t *fsfs, const fs_content_t *content,
                            apr_uint32_t number, apr_pool_t *build_pool,
                            apr_pool_t *result)
{
    cache_key_t key = page_key(fsfs, content, number);
    cache_key_t root = page_key(fsfs, content, 0);
    cache_claim_t *claim = NULL;
    fs_error_t *err = NULL;

    if (!*built) {
        if (cached_page(page, fsfs, &key, result))
            return NULL;
        if (cache_claim(&claim, fsfs->cache, &root, CLAIM_MS, result))
            claim = NULL;
        if (fsfs->cache && cached_page(page, fsfs, &key, result)) {
            if (claim)
                cache_claim_end(claim);
            return NULL;
        }
        err = build(built, fsfs, content, build_pool);
        if (claim)
            cache_claim_end(claim);
        FS_TRY(err);
    }
    if (number >= (*built)->count)
        return FS_ERROR(FS_ERR_CORRUPT, "a page of a directory is missing");
    *page = (*built)->pages[number];
    return NULL;
}

static fs_error_t *need_directory(const fs_node_record_t *record)
{
    if (record->kind == FS_NODE_DIR)
        return NULL;
    return FS_ERROR(FS_ERR_NOT_DIR, "'%s' is not a directory in r%" FS_REV_FMT,
                    record->created_path, record->created_rev);
}

/* --- Search --- */

fs_error_t *fs_dir_pages_lookup(const fs_store_entry_t **entry, fs_fsfs_t *fsfs,
                                const fs_node_record_t *record,
                                const char *name, apr_pool_t *result,
                                apr_pool_t *scratch)
{
    fs_dir_build_t *built = NULL;
    fs_store_entry_t *found;
    apr_uint32_t number = 0;
    apr_uint32_t place;
    fs_bytes_t page;
    int level;

    *entry = NULL;
    FS_TRY(need_directory(record));
    if (!record->text.present)
        return NULL;
    for (level = 0; level < LEVEL_MAX; level++) {
        FS_TRY(get_page(&page, &built, fsfs, &record->text, number, scratch,
                        scratch));
        place = names_up_to(&page, name);
        if (!place)
            return NULL;
        if (!number_at(page.data))
            break;
        number = number_at(page_entry(&page, place - 1));
    }
    if (level == LEVEL_MAX || strcmp(page_name(&page, place - 1), name))
        return NULL;
    found = apr_palloc(result, sizeof(*found));
    fill_entry(found, &page, place - 1);
    found->name = apr_pstrdup(result, found->name);
    *entry = found;
    return NULL;
}

/* --- Reading in order --- */

static fs_error_t *load_page(cursor_t *dir, apr_uint32_t number)
{
    apr_pool_clear(dir->page_pool);
    dir->next = 0;
    return get_page(&dir->page, &dir->built, dir->fsfs, &dir->content, number,
                    dir->pool, dir->page_pool);
}

fs_error_t *fs_dir_pages_open(fs_store_dir_t **dir, fs_fsfs_t *fsfs,
                              const fs_node_record_t *record,
                              apr_pool_t *result)
{
    cursor_t *d = apr_pcalloc(result, sizeof(*d));

    FS_TRY(need_directory(record));
    d->dir.next = fs_dir_pages_next;
    d->fsfs = fsfs;
    d->content = record->text;
    d->pool = result;
    *dir = &d->dir;
    if (!record->text.present)
        return NULL;
    apr_pool_create(&d->page_pool, result);
    FS_TRY(load_page(d, 0));
    return number_at(d->page.data) ? load_page(d, 1) : NULL;
}

fs_error_t *fs_dir_pages_next(const fs_store_entry_t **entry,
                              fs_store_dir_t *dir)
{
    cursor_t *at = (cursor_t *)dir;

    *entry = NULL;
    while (at->page.data && at->next >= page_count(&at->page)) {
        apr_uint32_t number = number_at(at->page.data + 8);

        if (number) {
            FS_TRY(load_page(at, number));
        } else {
            at->page.data = NULL;
        }
    }
    if (!at->page.data)
        return NULL;
    fill_entry(&at->entry, &at->page, at->next++);
    *entry = &at->entry;
    return NULL;
}
