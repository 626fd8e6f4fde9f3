/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes compared by identity, and their properties. */

#include "libfs/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

/* ---- identity ---- */

fs_relation_t fs_node_relation(const fs_node_t *a, const fs_node_t *b)
{
    if (memcmp(&a->record->id, &b->record->id, sizeof(a->record->id)) == 0)
        return FS_SAME;
    return memcmp(a->record->line, b->record->line, sizeof(a->record->line))
               ? FS_UNRELATED
               : FS_RELATED;
}

static bool touched(const fs_content_t *a, const fs_content_t *b)
{
    if (!a->present || !b->present)
        return a->present != b->present;
    return memcmp(a->id, b->id, sizeof(a->id)) != 0 || a->edition != b->edition;
}

bool fs_node_text_touched(const fs_node_t *a, const fs_node_t *b)
{
    return touched(&a->record->text, &b->record->text);
}

bool fs_node_props_touched(const fs_node_t *a, const fs_node_t *b)
{
    return touched(&a->record->props, &b->record->props);
}

/* ---- properties ---- */

/* A list that lost its last property is stored as "END" and a newline. */
#define EMPTY_LIST_SIZE 4

bool fs_node_has_props(const fs_node_t *node)
{
    const fs_content_t *props = &node->record->props;

    return props->present && props->size > EMPTY_LIST_SIZE;
}

fs_error_t *fs_node_props(apr_hash_t **props, const fs_node_t *node,
                          apr_pool_t *result)
{
    fs_root_t *root = node->root;
    fs_error_t *err;

    if (!fs_node_has_props(node)) {
        *props = apr_hash_make(result);
        return NULL;
    }
    err = root->store->vtable->props(props, root->store, &node->record->props,
                                     result, fs_root_scratch(root));
    return err ? FS_LOOKUP_BLAME(err, root->rev, node->path) : NULL;
}

fs_error_t *fs_node_prop(const fs_bytes_t **value, const fs_node_t *node,
                         const char *name, apr_pool_t *result)
{
    apr_hash_t *props;

    *value = NULL;
    if (!fs_node_has_props(node))
        return NULL;
    FS_TRY(fs_node_props(&props, node, result));
    *value = apr_hash_get(props, name, APR_HASH_KEY_STRING);
    return NULL;
}

static bool equal_values(const fs_bytes_t *a, const fs_bytes_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fs_prop_change_t *)a)->name,
                  ((const fs_prop_change_t *)b)->name);
}

apr_array_header_t *fs_prop_diff(apr_hash_t *from, apr_hash_t *to,
                                 apr_pool_t *result)
{
    apr_array_header_t *changes =
        apr_array_make(result, 4, sizeof(fs_prop_change_t));
    apr_hash_index_t *i;

    for (i = from ? apr_hash_first(result, from) : NULL; i;
         i = apr_hash_next(i)) {
        const char *name = apr_hash_this_key(i);

        if (!to || !apr_hash_get(to, name, APR_HASH_KEY_STRING)) {
            fs_prop_change_t *gone = apr_array_push(changes);

            gone->name = name;
            gone->value = NULL;
        }
    }
    for (i = to ? apr_hash_first(result, to) : NULL; i; i = apr_hash_next(i)) {
        const char *name = apr_hash_this_key(i);
        const fs_bytes_t *value = apr_hash_this_val(i);
        const fs_bytes_t *old =
            from ? apr_hash_get(from, name, APR_HASH_KEY_STRING) : NULL;

        if (!old || !equal_values(old, value)) {
            fs_prop_change_t *set = apr_array_push(changes);

            set->name = name;
            set->value = value;
        }
    }
    qsort(changes->elts, (size_t)changes->nelts, sizeof(fs_prop_change_t),
          by_name);
    return changes;
}

fs_error_t *fs_node_props_differ(bool *differ, const fs_node_t *a,
                                 const fs_node_t *b, apr_pool_t *scratch)
{
    const fs_content_t *a_props = &a->record->props;
    const fs_content_t *b_props = &b->record->props;
    apr_hash_t *a_list;
    apr_hash_t *b_list;

    *differ = fs_node_has_props(a) != fs_node_has_props(b);
    if (*differ || !fs_node_has_props(a))
        return NULL;
    if (memcmp(a_props->id, b_props->id, sizeof(a_props->id)) == 0)
        return NULL;
    FS_TRY(fs_node_props(&a_list, a, scratch));
    FS_TRY(fs_node_props(&b_list, b, scratch));
    *differ = fs_prop_diff(a_list, b_list, scratch)->nelts > 0;
    return NULL;
}
