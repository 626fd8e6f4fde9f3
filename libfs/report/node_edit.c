/* SPDX-License-Identifier: Apache-2.0 */
/* Properties and texts of one node for an editor. */

#include "libfs/report/node_edit.h"

#include <string.h>

#include <apr_strings.h>

/* Revisions whose date and author are remembered: the nodes of a tree share
 * few, and a table that grows with the tree would not be bounded. */
#define REVISIONS_MAX 512

/* What entry properties tell of a created revision. */
typedef struct revision_t {
    fs_rev_t rev; /* the key */
    fs_bytes_t number;
    const fs_bytes_t *date;
    const fs_bytes_t *author;
} revision_t;

void fs_node_edit_init(fs_node_edit_t *edit, fs_repo_t *repo,
                       const fs_editor_t *editor, bool entry_props,
                       bool text_deltas, apr_pool_t *result)
{
    edit->repo = repo;
    edit->editor = editor;
    edit->entry_props = entry_props;
    edit->text_deltas = text_deltas;
    edit->uuid.data = fs_repo_uuid(repo);
    edit->uuid.len = strlen(edit->uuid.data);
    apr_pool_create(&edit->memo_pool, result);
    edit->revisions = apr_hash_make(edit->memo_pool);
}

static fs_error_t *get_revision(const revision_t **out, fs_node_edit_t *edit,
                                fs_rev_t rev, apr_pool_t *scratch)
{
    revision_t *found = apr_hash_get(edit->revisions, &rev, sizeof(rev));
    apr_hash_t *props;
    const fs_bytes_t *value;

    if (found) {
        *out = found;
        return NULL;
    }
    if (apr_hash_count(edit->revisions) >= REVISIONS_MAX) {
        apr_pool_clear(edit->memo_pool);
        edit->revisions = apr_hash_make(edit->memo_pool);
    }

    FS_TRY(fs_repo_revprops(&props, edit->repo, rev, scratch, scratch));
    found = apr_pcalloc(edit->memo_pool, sizeof(*found));
    found->rev = rev;
    found->number.data = apr_psprintf(edit->memo_pool, "%" FS_REV_FMT, rev);
    found->number.len = strlen(found->number.data);
    value = apr_hash_get(props, "svn:date", APR_HASH_KEY_STRING);
    if (value) {
        fs_bytes_t *copy = apr_palloc(edit->memo_pool, sizeof(*copy));

        copy->data = apr_pmemdup(edit->memo_pool, value->data, value->len);
        copy->len = value->len;
        found->date = copy;
    }
    value = apr_hash_get(props, "svn:author", APR_HASH_KEY_STRING);
    if (value) {
        fs_bytes_t *copy = apr_palloc(edit->memo_pool, sizeof(*copy));

        copy->data = apr_pmemdup(edit->memo_pool, value->data, value->len);
        copy->len = value->len;
        found->author = copy;
    }
    apr_hash_set(edit->revisions, &found->rev, sizeof(found->rev), found);
    *out = found;
    return NULL;
}

typedef fs_error_t *(*prop_fn)(void *baton, const char *name,
                               const fs_bytes_t *value, apr_pool_t *scratch);

/* A value that the revision lacks is told as a deletion to a client that has
 * an older state of the node. */
static fs_error_t *tell_entry_props(fs_node_edit_t *edit, void *baton,
                                    prop_fn tell, bool has_source,
                                    const fs_node_t *target,
                                    apr_pool_t *scratch)
{
    const revision_t *revision;

    FS_TRY(get_revision(&revision, edit, fs_node_created_rev(target), scratch));
    FS_TRY(tell(baton, "svn:entry:committed-rev", &revision->number, scratch));
    if (revision->date || has_source)
        FS_TRY(
            tell(baton, "svn:entry:committed-date", revision->date, scratch));
    if (revision->author || has_source)
        FS_TRY(tell(baton, "svn:entry:last-author", revision->author, scratch));
    return tell(baton, "svn:entry:uuid", &edit->uuid, scratch);
}

static fs_error_t *tell_changes(prop_fn tell, void *baton,
                                const fs_node_t *source,
                                const fs_node_t *target, apr_pool_t *scratch)
{
    apr_hash_t *from = NULL, *to = NULL;
    apr_array_header_t *changes;
    int i;

    if (source && !fs_node_props_touched(source, target))
        return NULL;
    if (source && fs_node_has_props(source))
        FS_TRY(fs_node_props(&from, source, scratch));
    if (fs_node_has_props(target))
        FS_TRY(fs_node_props(&to, target, scratch));
    if (!from && !to)
        return NULL;

    changes = fs_prop_diff(from, to, scratch);
    for (i = 0; i < changes->nelts; i++) {
        const fs_prop_change_t *change =
            &APR_ARRAY_IDX(changes, i, fs_prop_change_t);

        FS_TRY(tell(baton, change->name, change->value, scratch));
    }
    return NULL;
}

fs_error_t *fs_node_edit_props(fs_node_edit_t *edit, void *baton,
                               const fs_node_t *source, const fs_node_t *target,
                               bool lost_token, apr_pool_t *scratch)
{
    prop_fn tell = fs_node_kind(target) == FS_NODE_DIR
                       ? edit->editor->dir_prop
                       : edit->editor->file_prop;

    if (edit->entry_props)
        FS_TRY(tell_entry_props(edit, baton, tell, source != NULL, target,
                                scratch));
    if (lost_token)
        FS_TRY(tell(baton, "svn:entry:lock-token", NULL, scratch));
    return tell_changes(tell, baton, source, target, scratch);
}

fs_error_t *fs_node_edit_text(fs_node_edit_t *edit, void *file,
                              const fs_node_t *source, const fs_node_t *target,
                              apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];
    bool differ = true;

    if (source) {
        FS_TRY(fs_node_texts_differ(&differ, source, target, scratch));
        if (!differ)
            return NULL;
        FS_TRY(fs_node_md5(md5, source, scratch));
    }
    return edit->editor->file_text(file, edit->text_deltas ? source : NULL,
                                   source ? md5 : NULL,
                                   edit->text_deltas ? target : NULL, scratch);
}

fs_error_t *fs_node_edit_close_file(fs_node_edit_t *edit, void *file,
                                    const fs_node_t *target,
                                    apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];

    FS_TRY(fs_node_md5(md5, target, scratch));
    return edit->editor->close_file(file, md5, scratch);
}

bool fs_dirent_same(const fs_dirent_t *a, const fs_dirent_t *b)
{
    return memcmp(&a->id, &b->id, sizeof(a->id)) == 0;
}
