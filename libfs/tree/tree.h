/* SPDX-License-Identifier: Apache-2.0 */
/* What roots and nodes are made of, for the folders that look inside. */

#ifndef LIBFS_TREE_TREE_H
#define LIBFS_TREE_TREE_H

#include <apr_hash.h>

#include "libfs/fs_tree.h"
#include "libfs/store/store.h"

/** Most directories that a root remembers by their paths. */
#define FS_ROOT_MEMO_MAX 64

struct fs_root_t {
    fs_repo_t *repo;
    fs_store_t *store;
    fs_rev_t rev;    /* FS_INVALID_REV: of a transaction, */
    const char *txn; /* which is called this, else NULL */
    fs_node_id_t id; /* of the node at "/" */
    bool has_id;     /* false: not asked for yet */
    apr_pool_t *pool;
    const fs_node_t *top; /* the node at "/"; NULL until asked for */

    apr_hash_t *memo; /* path to `fs_node_t *` of directories; NULL: none */
    apr_pool_t *memo_pool; /* what is remembered; NULL: none yet */
    apr_pool_t *walk;      /* nodes met on the way down; NULL: none yet */
    apr_pool_t *scratch;   /* for calls of the store; NULL: none yet */

    fs_root_t *aside; /* the other revision looked at last, or NULL */
    apr_pool_t *aside_pool;
};

struct fs_node_t {
    fs_root_t *root;
    const char *path;
    const fs_node_record_t *record;
    /* The youngest copy root among those of the node and its parents; the
     * node's own where revisions are equal. 0 and "/": no copy. */
    fs_rev_t copy_rev;
    const char *copy_path;
};

/** A copy that a node went through. */
typedef struct fs_copy_t {
    fs_rev_t rev; /* of the copy, > from_rev */
    const char *path;
    fs_rev_t from_rev;
    const char *from_path;
    const char *source; /* where the node itself was: below `from_path` */
} fs_copy_t;

/** A root whose node at "/" is looked up when it is asked for: `rev` is known
 *  to exist. */
fs_root_t *fs_root_make(fs_repo_t *repo, fs_rev_t rev, apr_pool_t *result);

/** The tree of the transaction `txn` (kept), whose node at "/" is `id`. What it
 *  finds is kept in the root alone, never in the cache. */
fs_root_t *fs_root_make_txn(fs_repo_t *repo, const fs_node_id_t *id,
                            const char *txn, apr_pool_t *result);

/** "revision 5" or "transaction '4-7'", for messages; in the root's pool. */
const char *fs_root_label(const fs_root_t *root);

/** As fs_root_open(), without looking whether `rev` exists: it is known not to
 *  be above the youngest. */
fs_error_t *fs_root_open_known(fs_root_t **root, fs_repo_t *repo, fs_rev_t rev,
                               apr_pool_t *result) FS_MUST_CHECK;

/** A changed path as the store tells it, for those above. */
fs_change_t fs_change_of(const fs_store_change_t *stored);

/** Changed paths as fs_root_changes() tells them, without the root: `rev` is
 *  known to exist. */
fs_error_t *fs_root_changes_known(fs_repo_t *repo, fs_rev_t rev,
                                  fs_change_fn receive, void *baton,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * The tree of another existing revision for a short look: kept in `root` until
 * the next call with another revision, with all that was found in it.
 */
fs_error_t *fs_root_aside(fs_root_t **aside, fs_root_t *root,
                          fs_rev_t rev) FS_MUST_CHECK;

/** The root's pool for temporaries of one call of the store; comes empty. */
apr_pool_t *fs_root_scratch(fs_root_t *root);

/** The node at "/", which lives as long as the root. */
fs_error_t *fs_root_top(const fs_node_t **top, fs_root_t *root) FS_MUST_CHECK;

/** The directory remembered for the first `len` bytes of `path`, or NULL. */
const fs_node_t *fs_root_recall(fs_root_t *root, const char *path,
                                apr_size_t len);

/** Remember a directory; may forget others. */
void fs_root_remember(fs_root_t *root, const fs_node_t *dir);

/**
 * The node with `record` at `path` (both are kept) below a parent with the
 * copy root `copy_rev`, `copy_path`, which are copied.
 */
const fs_node_t *fs_lookup_make(fs_root_t *root, const char *path,
                                const fs_node_record_t *record,
                                fs_rev_t copy_rev, const char *copy_path,
                                apr_pool_t *result);

/**
 * The node with `id`, which is known to be at `path` in the existing revision
 * `rev`, with a root of its own. Of the copies above it, it knows nothing.
 */
fs_error_t *fs_lookup_known(const fs_node_t **node, fs_repo_t *repo,
                            fs_rev_t rev, const char *path,
                            const fs_node_id_t *id,
                            apr_pool_t *result) FS_MUST_CHECK;

/** Id of the node at the location that `history` told last, which must not
 *  have been "/". */
const fs_node_id_t *fs_history_id(const fs_history_t *history);

/** Read the record `id`. */
fs_error_t *fs_lookup_record(const fs_node_record_t **record, fs_root_t *root,
                             const fs_node_id_t *id,
                             apr_pool_t *result) FS_MUST_CHECK;

/** A copy of `node` with all it needs but its root. */
const fs_node_t *fs_lookup_copy(const fs_node_t *node, apr_pool_t *result);

/** Put `err`, a variable, under a level that names revision (FS_INVALID_REV: a
 *  transaction) and path. A macro, so that flow analysis sees in each caller
 *  that it is never NULL. */
#define FS_LOOKUP_BLAME(err, rev, path)                                        \
    (FS_IS_REV(rev)                                                            \
         ? FS_WRAP(err, "cannot read '%s' in revision %" FS_REV_FMT, path,     \
                   rev)                                                        \
         : FS_WRAP(err, "cannot read '%s' in the transaction", path))

/**
 * The copy that the youngest copy root of `node` speaks of, NULL if the node
 * did not go through a copy there: the root of the copy is none, or the node's
 * path was missing or something unrelated in it.
 */
fs_error_t *fs_copy_find(const fs_copy_t **copy, const fs_node_t *node,
                         apr_pool_t *result) FS_MUST_CHECK;

/**
 * The node that became `node` by the copy that fs_copy_find() told; NULL if
 * there is none: `node` was made below the copy's destination in the same
 * revision. Its root is kept aside by the one of `node`: a look-up there ends
 * its life, while record and paths stay in `result`.
 */
fs_error_t *fs_copy_source(const fs_node_t **source, const fs_copy_t *copy,
                           const fs_node_t *node,
                           apr_pool_t *result) FS_MUST_CHECK;

#endif
