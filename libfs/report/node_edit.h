/* SPDX-License-Identifier: Apache-2.0 */
/* Telling an editor what differs between two nodes: properties and texts. */

#ifndef LIBFS_REPORT_NODE_EDIT_H
#define LIBFS_REPORT_NODE_EDIT_H

#include "libfs/fs_report.h"

/** What all nodes of one edit share. */
typedef struct fs_node_edit_t {
    fs_repo_t *repo;
    const fs_editor_t *editor;
    bool entry_props; /* tell svn:entry:* of each node */
    bool text_deltas;
    fs_bytes_t uuid;
    apr_hash_t *revisions; /* fs_rev_t -> revision_t of revisions met lately */
    apr_pool_t *memo_pool; /* cleared when the table is full */
} fs_node_edit_t;

/** Fill `edit`; it lives in `result`. */
void fs_node_edit_init(fs_node_edit_t *edit, fs_repo_t *repo,
                       const fs_editor_t *editor, bool entry_props,
                       bool text_deltas, apr_pool_t *result);

/**
 * Tell the properties of `target`: its entry properties if wanted, then what
 * differs from `source` (NULL: from nothing).
 *
 * @param baton       the editor's, of a file or directory as `target` is
 * @param lost_token  also tell that the lock token is gone
 */
fs_error_t *fs_node_edit_props(fs_node_edit_t *edit, void *baton,
                               const fs_node_t *source, const fs_node_t *target,
                               bool lost_token,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** Tell the text of the file `target` if it differs from `source`'s (NULL:
 *  always, against the empty text). */
fs_error_t *fs_node_edit_text(fs_node_edit_t *edit, void *file,
                              const fs_node_t *source, const fs_node_t *target,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Close the file, telling the digest of `target`'s text. */
fs_error_t *fs_node_edit_close_file(fs_node_edit_t *edit, void *file,
                                    const fs_node_t *target,
                                    apr_pool_t *scratch) FS_MUST_CHECK;

/** Whether ids are equal: the very same node revision. */
bool fs_dirent_same(const fs_dirent_t *a, const fs_dirent_t *b);

#endif
