/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a revision file item by item. */

#include "libfs/store/fsfs/commit_items.h"

#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/format/index_l2p.h"

struct fs_commit_items_t {
    fs_fsfs_t *fsfs;
    fs_rep_out_t *out;
    fs_rev_t rev;
    apr_array_header_t *entries; /* fs_index_p2l_entry_t; logical only */
    apr_uint64_t next;           /* item number */
    apr_uint64_t address;        /* of the item that has begun */
};

fs_commit_items_t *fs_commit_items_create(const fs_txn_state_t *state,
                                          fs_rev_t rev, apr_pool_t *result)
{
    fs_commit_items_t *items = apr_pcalloc(result, sizeof(*items));
    int i;

    items->fsfs = state->fsfs;
    items->rev = rev;
    items->out = fs_rep_out_create(state->texts, state->texts_len, result);
    items->next = state->next_item > FS_ITEM_NUMBER_FIRST
                      ? state->next_item
                      : FS_ITEM_NUMBER_FIRST;
    if (!state->fsfs->format.logical)
        return items;
    items->entries =
        apr_array_make(result, state->items->nelts + 2 * state->nodes->nelts,
                       sizeof(fs_index_p2l_entry_t));
    for (i = 0; i < state->items->nelts; i++) {
        fs_index_p2l_entry_t entry =
            APR_ARRAY_IDX(state->items, i, fs_index_p2l_entry_t);

        entry.rev = rev;
        APR_ARRAY_PUSH(items->entries, fs_index_p2l_entry_t) = entry;
    }
    return items;
}

void fs_commit_items_begin(apr_uint64_t *address, fs_commit_items_t *items,
                           apr_uint64_t number)
{
    fs_rep_out_item_begin(items->out);
    if (!items->fsfs->format.logical)
        items->address = fs_rep_out_offset(items->out);
    else
        items->address = number ? number : items->next++;
    *address = items->address;
}

fs_error_t *fs_commit_items_add(fs_commit_items_t *items,
                                const fs_buffer_t *bytes)
{
    return fs_rep_out_write(items->out, bytes->data, bytes->len);
}

static void end_item(fs_commit_items_t *items, fs_item_type_t type)
{
    fs_index_p2l_entry_t entry;

    if (!items->fsfs->format.logical)
        return;
    fs_rep_out_item_end(&entry, items->out, items->address, type, items->rev);
    APR_ARRAY_PUSH(items->entries, fs_index_p2l_entry_t) = entry;
}

fs_error_t *fs_commit_items_put(fs_commit_items_t *items,
                                const fs_buffer_t *bytes, fs_item_type_t type)
{
    FS_TRY(fs_commit_items_add(items, bytes));
    end_item(items, type);
    return NULL;
}

fs_error_t *fs_commit_items_open(fs_rep_write_t **write,
                                 fs_commit_items_t *items,
                                 const fs_node_rev_t *node,
                                 fs_rep_write_kind_t kind, apr_pool_t *result)
{
    apr_uint64_t address;
    fs_rep_t base;
    bool has_base;

    FS_TRY(
        fs_rep_write_choose(&has_base, &base, items->fsfs, node, kind, result));
    fs_commit_items_begin(&address, items, 0);
    return fs_rep_write_open(write, items->fsfs, items->out,
                             has_base ? &base : NULL, kind, result);
}

fs_error_t *fs_commit_items_close(fs_rep_t *rep, fs_commit_items_t *items,
                                  fs_rep_write_t *write, fs_item_type_t type)
{
    memset(rep, 0, sizeof(*rep));
    FS_TRY(fs_rep_write_close(rep, write));
    end_item(items, type);
    rep->rev = items->rev;
    rep->item = items->address;
    rep->has_md5 = true;
    rep->has_sha1 = true;
    return NULL;
}

/* --- The end --- */

static void format_l2p(fs_buffer_t *out, const fs_commit_items_t *items,
                       apr_pool_t *scratch)
{
    apr_uint64_t *offsets =
        apr_pcalloc(scratch, (apr_size_t)items->next * sizeof(*offsets));
    fs_index_l2p_items_t table = { offsets, items->next };
    int i;

    for (i = 0; i < items->entries->nelts; i++) {
        const fs_index_p2l_entry_t *entry =
            &APR_ARRAY_IDX(items->entries, i, fs_index_p2l_entry_t);

        if (entry->type != FS_ITEM_UNUSED && entry->item < items->next)
            offsets[entry->item] = entry->offset + 1;
    }
    fs_index_l2p_format(out, items->rev, items->fsfs->conf.l2p_page_size,
                        &table, 1, scratch);
}

static fs_error_t *finish_logical(fs_commit_items_t *items, apr_pool_t *scratch)
{
    apr_uint64_t end = fs_rep_out_offset(items->out);
    fs_buffer_t *l2p = fs_buffer_create(1024, scratch);
    fs_buffer_t *p2l = fs_buffer_create(1024, scratch);
    fs_rev_footer_t footer = { .l2p_offset = end };
    char line[FS_REV_FOOTER_SIZE];
    apr_size_t len;

    format_l2p(l2p, items, scratch);
    fs_index_p2l_format(
        p2l, items->rev, end, items->fsfs->conf.p2l_page_size,
        (const fs_index_p2l_entry_t *)(const void *)items->entries->elts,
        (apr_size_t)items->entries->nelts, scratch);
    footer.l2p_len = l2p->len;
    footer.p2l_offset = end + l2p->len;
    footer.p2l_len = p2l->len;
    fs_digest_md5(footer.l2p_md5, l2p->data, l2p->len);
    fs_digest_md5(footer.p2l_md5, p2l->data, p2l->len);
    FS_TRY(fs_commit_items_add(items, l2p));
    FS_TRY(fs_commit_items_add(items, p2l));
    len = fs_rev_footer_format(line, &footer);
    return fs_rep_out_write(items->out, line, len);
}

fs_error_t *fs_commit_items_finish(fs_commit_items_t *items,
                                   const fs_rev_trailer_t *trailer,
                                   apr_pool_t *scratch)
{
    char line[FS_REV_TRAILER_SIZE];
    apr_size_t len;

    if (items->fsfs->format.logical) {
        FS_TRY(finish_logical(items, scratch));
    } else {
        len = fs_rev_footer_format_physical(line, trailer);
        FS_TRY(fs_rep_out_write(items->out, line, len));
    }
    return fs_rep_out_flush(items->out);
}
