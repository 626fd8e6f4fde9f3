/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a transaction as text. */

#include "tests/support/txn_dump.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/txn_edit.h"
#include "tests/support/unit.h"

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines of a hash, which has no order. */
static void put_sorted(fs_buffer_t *out, apr_array_header_t *lines)
{
    int i;

    qsort(lines->elts, (size_t)lines->nelts, sizeof(const char *),
          compare_lines);
    for (i = 0; i < lines->nelts; i++)
        fs_buffer_printf(out, "  %s\n", APR_ARRAY_IDX(lines, i, const char *));
}

static const char *describe(const fs_txn_entry_t *entry, apr_pool_t *pool)
{
    char id[FS_NODE_ID_SIZE] = "";

    if (entry->kind == FS_NODE_NONE)
        return apr_psprintf(pool, "%s gone", entry->name);
    fs_node_id_format(id, entry->node ? &entry->node->rec.id : &entry->id);
    return apr_psprintf(pool, "%s %d %s number %d", entry->name,
                        (int)entry->kind, id,
                        entry->node ? (int)entry->node->number : -1);
}

static void put_entries(fs_buffer_t *out, apr_hash_t *entries, apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 8, sizeof(const char *));
    apr_hash_index_t *hi;

    for (hi = entries ? apr_hash_first(pool, entries) : NULL; hi;
         hi = apr_hash_next(hi))
        APR_ARRAY_PUSH(lines, const char *) =
            describe(apr_hash_this_val(hi), pool);
    put_sorted(out, lines);
}

static void put_node(fs_buffer_t *out, const fs_txn_node_t *node,
                     apr_pool_t *pool)
{
    fs_buffer_printf(
        out,
        "node %d parent %d entries %d props %d at %d len %d unique "
        "%d %d gone %d\n",
        (int)node->number, node->parent ? (int)node->parent->number : -1,
        node->entries_changed, node->props_changed, (int)node->props.offset,
        (int)node->props.len, (int)node->props_unique, (int)node->text_unique,
        node->gone);
    fs_node_rev_format(out, &node->rec, FS_FORMAT_NEWEST);
    put_entries(out, node->entries, pool);
}

static void put_change(fs_buffer_t *out, const fs_txn_change_t *change)
{
    char id[FS_NODE_ID_SIZE];

    fs_node_id_format(id, &change->id);
    fs_buffer_printf(out, "change %s %d %d %s %d%d%d from %d %s\n",
                     change->path, (int)change->action, (int)change->kind, id,
                     change->text_mod, change->prop_mod, change->minfo_mod,
                     (int)change->copyfrom_rev,
                     change->copyfrom_path ? change->copyfrom_path : "-");
}

static void put_texts(fs_buffer_t *out, const fs_txn_state_t *state,
                      apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 8, sizeof(const char *));
    apr_hash_index_t *hi;
    int i;

    for (i = 0; i < state->items->nelts; i++) {
        const fs_index_p2l_entry_t *item =
            &APR_ARRAY_IDX(state->items, i, fs_index_p2l_entry_t);

        fs_buffer_printf(out, "item %d at %d size %d sum %x type %d rev %d\n",
                         (int)item->item, (int)item->offset, (int)item->size,
                         item->checksum, (int)item->type, (int)item->rev);
    }
    for (hi = apr_hash_first(pool, state->by_sha1); hi;
         hi = apr_hash_next(hi)) {
        char text[FS_REP_STRING_SIZE];

        fs_rep_string_format(text, apr_hash_this_val(hi), FS_FORMAT_NEWEST);
        APR_ARRAY_PUSH(lines, const char *) = apr_pstrdup(pool, text);
    }
    put_sorted(out, lines);
}

const char *fs_test_txn_dump(const fs_txn_state_t *state, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(4096, pool);
    int i;

    fs_buffer_printf(out, "%s base %d next %d %d %d journal %d texts %d\n",
                     state->name, (int)state->base, (int)state->next_node,
                     (int)state->next_copy, (int)state->next_item,
                     (int)state->journal_len, (int)state->texts_len);
    for (i = 0; i < state->nodes->nelts; i++)
        put_node(out, APR_ARRAY_IDX(state->nodes, i, fs_txn_node_t *), pool);
    for (i = 0; i < state->changes->nelts; i++)
        put_change(out, &APR_ARRAY_IDX(state->changes, i, fs_txn_change_t));
    put_texts(out, state, pool);
    fs_buffer_append(out, "", 1);
    return out->data;
}

const char *fs_test_txn_record(const fs_txn_state_t *state, const char *path,
                               apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(512, pool);
    fs_txn_ref_t ref;

    assert_fs_ok(fs_txn_edit_find(&ref, state, path, pool));
    assert_non_null(ref.node);
    fs_node_rev_format(out, &ref.node->rec, FS_FORMAT_NEWEST);
    fs_buffer_append(out, "", 1);
    return out->data;
}
