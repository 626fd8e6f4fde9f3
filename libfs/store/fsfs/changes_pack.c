/* SPDX-License-Identifier: Apache-2.0 */
/* Changed paths in a short form, for the cache. */

#include "libfs/store/fsfs/changes_pack.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/cursor.h"

/* The first byte: action, kind and what was modified; the second. */
#define ACTION_MASK 0x03
#define KIND_SHIFT 2
#define KIND_MASK 0x03
#define TEXT_MOD 0x10
#define PROP_MOD 0x20
#define COPIED 0x40
#define MERGEINFO_MASK 0x03

static const char actions[] = "ADRM";

fs_error_t *fs_changes_convert(fs_store_change_t *change,
                               const fs_change_record_t *record,
                               apr_pool_t *result)
{
    /* In the order of fs_change_action_t. */
    if ((unsigned)record->action >= sizeof(actions) - 1)
        return FS_ERROR(FS_ERR_CORRUPT, "a change is taken back in a revision");
    change->action = actions[record->action];
    change->path = apr_pstrmemdup(result, record->path.data, record->path.len);
    change->kind = record->kind;
    change->text_mod = record->text_mod;
    change->prop_mod = record->prop_mod;
    change->mergeinfo_mod = record->minfo_mod < 0 ? 2 : record->minfo_mod;
    change->copyfrom_path = NULL;
    change->copyfrom_rev = FS_INVALID_REV;
    if (record->copyfrom_path.data) {
        change->copyfrom_path = apr_pstrmemdup(
            result, record->copyfrom_path.data, record->copyfrom_path.len);
        change->copyfrom_rev = record->copyfrom_rev;
    }
    return NULL;
}

/* --- Writing --- */

static apr_size_t shared_bytes(const fs_bytes_t *a, const fs_bytes_t *b)
{
    apr_size_t max = a->len < b->len ? a->len : b->len;
    apr_size_t n = 0;

    while (n < max && a->data[n] == b->data[n])
        n++;
    return n;
}

static fs_error_t *put_change(fs_buffer_t *out, const fs_bytes_t *before,
                              const fs_change_record_t *record)
{
    const fs_bytes_t *path = &record->path;
    apr_size_t shared = shared_bytes(before, path);
    unsigned int first = (unsigned)record->action;
    char facts[2];

    if (first >= sizeof(actions) - 1)
        return FS_ERROR(FS_ERR_CORRUPT, "a change is taken back in a revision");
    first |= ((unsigned)record->kind & KIND_MASK) << KIND_SHIFT;
    first |= record->text_mod ? TEXT_MOD : 0;
    first |= record->prop_mod ? PROP_MOD : 0;
    first |= record->copyfrom_path.data ? COPIED : 0;
    facts[0] = (char)first;
    facts[1] = (char)(record->minfo_mod < 0 ? 2 : record->minfo_mod);
    fs_buffer_append(out, facts, sizeof(facts));
    fs_buffer_varint(out, shared);
    fs_buffer_varint(out, path->len - shared);
    fs_buffer_append(out, path->data + shared, path->len - shared);
    if (record->copyfrom_path.data) {
        fs_buffer_varint(out, (apr_uint64_t)record->copyfrom_rev);
        fs_buffer_varint(out, record->copyfrom_path.len);
        fs_buffer_append(out, record->copyfrom_path.data,
                         record->copyfrom_path.len);
    }
    return NULL;
}

fs_error_t *fs_changes_pack(fs_buffer_t *out, const fs_bytes_t *list)
{
    fs_changes_step_t step = FS_CHANGES_ENTRY;
    fs_bytes_t before = { "", 0 };
    apr_size_t at = 0;

    for (;;) {
        fs_change_record_t record;
        apr_size_t used;

        FS_TRY(fs_changes_parse(&record, &step, &used, list->data + at,
                                list->len - at));
        if (step == FS_CHANGES_END)
            return NULL;
        if (step == FS_CHANGES_CUT)
            return FS_ERROR(FS_ERR_CORRUPT, "the list of changes has no end");
        FS_TRY(put_change(out, &before, &record));
        before = record.path;
        at += used;
    }
}

/* --- Reading --- */

/* Bytes with their length before them. */
static fs_error_t *get_bytes(fs_bytes_t *bytes, fs_cursor_t *c)
{
    apr_uint64_t len;

    FS_TRY(fs_cursor_varint(c, &len));
    if (len > fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT, "a kept list of changes is cut");
    bytes->len = (apr_size_t)len;
    return fs_cursor_take(c, &bytes->data, bytes->len);
}

static fs_error_t *get_path(fs_buffer_t *path, fs_cursor_t *c)
{
    apr_uint64_t shared;
    fs_bytes_t rest;

    FS_TRY(fs_cursor_varint(c, &shared));
    FS_TRY(get_bytes(&rest, c));
    if (shared > path->len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a kept path shares more than there is");
    path->len = (apr_size_t)shared;
    fs_buffer_append(path, rest.data, rest.len);
    *fs_buffer_reserve(path, 1) = '\0';
    return NULL;
}

static fs_error_t *get_copyfrom(fs_store_change_t *change, fs_cursor_t *c,
                                apr_pool_t *scratch)
{
    fs_bytes_t from;
    apr_uint64_t rev;

    FS_TRY(fs_cursor_varint(c, &rev));
    FS_TRY(get_bytes(&from, c));
    change->copyfrom_rev = (fs_rev_t)rev;
    change->copyfrom_path = apr_pstrmemdup(scratch, from.data, from.len);
    return NULL;
}

static fs_error_t *get_change(fs_store_change_t *change, fs_buffer_t *path,
                              fs_cursor_t *c, apr_pool_t *scratch)
{
    unsigned int first, second;
    const char *facts;

    FS_TRY(fs_cursor_take(c, &facts, 2));
    first = (unsigned char)facts[0];
    second = (unsigned char)facts[1];
    change->action = actions[first & ACTION_MASK];
    change->kind = (fs_node_kind_t)((first >> KIND_SHIFT) & KIND_MASK);
    change->text_mod = first & TEXT_MOD;
    change->prop_mod = first & PROP_MOD;
    change->mergeinfo_mod = (int)(second & MERGEINFO_MASK);
    FS_TRY(get_path(path, c));
    change->path = path->data;
    change->copyfrom_path = NULL;
    change->copyfrom_rev = FS_INVALID_REV;
    return first & COPIED ? get_copyfrom(change, c, scratch) : NULL;
}

fs_error_t *fs_changes_unpack(const fs_bytes_t *packed,
                              fs_store_change_fn receive, void *baton,
                              apr_pool_t *scratch)
{
    fs_cursor_t c = fs_cursor(packed->data, packed->len);
    fs_buffer_t *path = fs_buffer_create(256, scratch);
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    while (fs_cursor_left(&c)) {
        fs_store_change_t change;

        apr_pool_clear(iter);
        FS_TRY(get_change(&change, path, &c, iter));
        FS_TRY(receive(baton, &change, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}
