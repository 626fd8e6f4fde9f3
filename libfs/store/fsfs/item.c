/* SPDX-License-Identifier: Apache-2.0 */
/* One item of a revision: where it is, its bytes, errors that name it. */

#include "libfs/store/fsfs/item.h"

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/block.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/index_page.h"
#include "libfs/store/fsfs/rev_file_table.h"

fs_error_t *fs_item_wrap(fs_error_t *err, fs_rev_t rev, apr_uint64_t number)
{
    fs_error_code_t code = err->code;

    switch (fs_error_kind(code)) {
    case FS_KIND_IO:
    case FS_KIND_ABORTED:
        break;
    case FS_KIND_DAMAGED:
        if (code == FS_ERR_INDEX_CORRUPT || code == FS_ERR_INDEX_INCONSISTENT)
            break;
        code = FS_ERR_CORRUPT;
        break;
    default:
        code = FS_ERR_CORRUPT;
    }
    return FS_WRAP_AS(err, code, "r%" FS_REV_FMT " item %" APR_UINT64_T_FMT,
                      rev, number);
}

static fs_error_t *open_item(fs_item_t *item, fs_fsfs_t *fsfs,
                             apr_pool_t *scratch)
{
    FS_TRY(fs_current_need(fsfs, item->rev, scratch));
    FS_TRY(fs_rev_file_get(&item->file, fsfs, item->rev, scratch));
    return fs_rev_file_locate(&item->offset, &item->end, item->file, item->rev,
                              item->number, scratch);
}

fs_error_t *fs_item_open(fs_item_t *item, fs_fsfs_t *fsfs, fs_rev_t rev,
                         apr_uint64_t number, apr_pool_t *scratch)
{
    fs_error_t *err;

    item->rev = rev;
    item->number = number;
    item->file = NULL;
    err = open_item(item, fsfs, scratch);
    if (!err)
        return NULL;
    fs_item_close(item);
    return fs_item_wrap(err, rev, number);
}

void fs_item_close(fs_item_t *item)
{
    if (item->file)
        fs_rev_file_release(item->file);
    item->file = NULL;
}

fs_error_t *fs_item_read(const fs_item_t *item, apr_uint64_t at, char *buf,
                         apr_size_t *len)
{
    apr_uint64_t room = item->end - item->offset;

    if (at >= room)
        *len = 0;
    else if (*len > room - at)
        *len = (apr_size_t)(room - at);
    if (!*len)
        return NULL;
    return fs_rev_file_read(item->file, item->offset + at, buf, *len);
}

fs_error_t *fs_item_compare(apr_uint32_t found, apr_uint32_t expected)
{
    if (found == expected)
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT,
                    "its bytes have the checksum %08x and should have %08x",
                    found, expected);
}

static fs_error_t *check_sum(const fs_item_t *item, apr_uint32_t expected)
{
    char buf[FS_BLOCK_SIZE];
    apr_uint64_t at = 0;
    apr_size_t len;
    fs_fnv_t fnv;

    fs_fnv_init(&fnv);
    do {
        len = sizeof(buf);
        FS_TRY(fs_item_read(item, at, buf, &len));
        fs_fnv_update(&fnv, buf, len);
        at += len;
    } while (len);
    return fs_item_compare(fs_fnv_finish(&fnv), expected);
}

fs_error_t *fs_item_expect(bool *known, apr_uint32_t *sum, fs_item_t *item,
                           fs_item_type_t type, apr_pool_t *scratch)
{
    fs_index_p2l_entry_t entry;
    bool found;

    *known = item->file->p2l != NULL;
    if (!*known)
        return NULL;
    FS_TRY(
        fs_index_page_entry(&entry, &found, item->file, item->offset, scratch));
    if (!found || entry.rev != item->rev || entry.item != item->number)
        return FS_ERROR(FS_ERR_INDEX_INCONSISTENT,
                        "the indexes disagree on offset %" APR_UINT64_T_FMT,
                        item->offset);
    if (type != FS_ITEM_UNUSED && entry.type != type)
        return FS_ERROR(FS_ERR_INDEX_INCONSISTENT,
                        "it has the type %d and should have %d",
                        (int)entry.type, (int)type);
    if (entry.size > item->end - item->offset)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT, "it ends behind the items");
    item->end = item->offset + entry.size;
    *sum = entry.checksum;
    return NULL;
}

fs_error_t *fs_item_verify(fs_item_t *item, fs_item_type_t type,
                           apr_pool_t *scratch)
{
    apr_uint32_t expected;
    bool known;

    FS_TRY(fs_item_expect(&known, &expected, item, type, scratch));
    return known ? check_sum(item, expected) : NULL;
}
