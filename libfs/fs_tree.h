/* SPDX-License-Identifier: Apache-2.0 */
/* The versioned tree: roots, nodes, their contents, and their history. */

#ifndef LIBFS_FS_TREE_H
#define LIBFS_FS_TREE_H

#include "libfs/fs_delta.h"
#include "libfs/fs_repo.h"
#include "libfs/fs_stream.h"

/** The tree of one revision. Belongs to one thread; lives in its pool. */
typedef struct fs_root_t fs_root_t;

/**
 * A node as it is reached by a path in a root. Immutable; lives in the pool
 * it was made in; its root must stay.
 */
typedef struct fs_node_t fs_node_t;

/**
 * May the caller's user read `path` (an fspath) in `rev`? Called for every
 * path before anything of it is told. A NULL function: all is readable.
 */
typedef fs_error_t *(*fs_access_fn)(bool *allowed, fs_rev_t rev,
                                    const char *path, void *baton,
                                    apr_pool_t *scratch);

/** Who asks: passed through to the access function. */
typedef struct fs_reader_t {
    fs_access_fn may_read; /* NULL: everything */
    void *baton;
} fs_reader_t;

/* ---- roots and nodes ---- */

/**
 * Open the tree of revision `rev`; it never changes afterwards.
 * Errors: FS_ERR_NO_SUCH_REV, `rev` is above the youngest or negative.
 * Cost:   cached, no system call; else one open and two reads.
 */
fs_error_t *fs_root_open(fs_root_t **root, fs_repo_t *repo, fs_rev_t rev,
                         apr_pool_t *result) FS_MUST_CHECK;

fs_rev_t fs_root_rev(const fs_root_t *root);
fs_repo_t *fs_root_repo(const fs_root_t *root);

/**
 * The node at the fspath `path`; `*node` is NULL if there is none (also when a
 * parent is a file).
 * Errors: FS_ERR_CORRUPT naming revision and path.
 */
fs_error_t *fs_node_find(const fs_node_t **node, fs_root_t *root,
                         const char *path, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Open the tree of revision `rev`, and find one node in it: fs_root_open() and
 * fs_node_find() for whoever looks up a single path in a tree.
 * Errors: as those two.
 * Cost:   cached, two looks into the cache, however deep `path` is; what was
 *         found is kept there under its path.
 */
fs_error_t *fs_node_find_in(const fs_node_t **node, fs_root_t **root,
                            fs_repo_t *repo, fs_rev_t rev, const char *path,
                            apr_pool_t *result) FS_MUST_CHECK;

/** As fs_node_find(), but a missing node is FS_ERR_NOT_FOUND "path '/x' not
 *  found in revision 5". */
fs_error_t *fs_node_need(const fs_node_t **node, fs_root_t *root,
                         const char *path, apr_pool_t *result) FS_MUST_CHECK;

/** The entry `name` of the directory `parent`, NULL if there is none. */
fs_error_t *fs_node_child(const fs_node_t **child, const fs_node_t *parent,
                          const char *name, apr_pool_t *result) FS_MUST_CHECK;

fs_root_t *fs_node_root(const fs_node_t *node);
const char *fs_node_path(const fs_node_t *node); /* by which it was reached */
fs_node_kind_t fs_node_kind(const fs_node_t *node);
const fs_node_id_t *fs_node_id(const fs_node_t *node);
fs_rev_t fs_node_created_rev(const fs_node_t *node);
const char *fs_node_created_path(const fs_node_t *node);
apr_int64_t fs_node_pred_count(const fs_node_t *node);
/** Expanded size of a file's text in bytes; 0 for directories. */
apr_uint64_t fs_node_size(const fs_node_t *node);
/** 20 bytes, or NULL if the store does not have it. */
const unsigned char *fs_node_sha1(const fs_node_t *node);
/** 20 bytes; computed by reading if the store does not have it (files written
 *  by formats 1 to 3). For who is asked for it; not for each node of a walk. */
fs_error_t *fs_node_compute_sha1(unsigned char sha1[FS_SHA1_SIZE],
                                 const fs_node_t *node,
                                 apr_pool_t *scratch) FS_MUST_CHECK;
/** 16 bytes; computed by reading if the store does not have it. */
fs_error_t *fs_node_md5(unsigned char md5[FS_MD5_SIZE], const fs_node_t *node,
                        apr_pool_t *scratch) FS_MUST_CHECK;
bool fs_node_has_props(const fs_node_t *node);
/** Own svn:mergeinfo, and how many nodes at or below have it. */
bool fs_node_has_mergeinfo(const fs_node_t *node);
apr_int64_t fs_node_mergeinfo_count(const fs_node_t *node);
/** Copy source; answers only on the node revision that the copy itself made.
 *  `*path` is NULL if there is none. */
void fs_node_copyfrom(fs_rev_t *rev, const char **path, const fs_node_t *node);

/** How two nodes are related (docs/format/revision-file.md, "Ids"). */
fs_relation_t fs_node_relation(const fs_node_t *a, const fs_node_t *b);

/* ---- directories ---- */

typedef struct fs_dirent_t {
    const char *name;
    fs_node_kind_t kind;
    fs_node_id_t id;
} fs_dirent_t;

/** Reading position in a directory; entries come sorted by bytes of name. */
typedef struct fs_dir_t fs_dir_t;

/** Begin to read `node`. Errors: FS_ERR_NOT_DIR. */
fs_error_t *fs_dir_open(fs_dir_t **dir, const fs_node_t *node,
                        apr_pool_t *result) FS_MUST_CHECK;

/**
 * The next entry, NULL at the end; valid until the next call.
 * Memory: one page of entries at a time, however large the directory is.
 */
fs_error_t *fs_dir_next(const fs_dirent_t **entry, fs_dir_t *dir) FS_MUST_CHECK;

/** The node of an entry just read; no look-up by name. */
fs_error_t *fs_dir_node(const fs_node_t **child, const fs_node_t *parent,
                        const fs_dirent_t *entry,
                        apr_pool_t *result) FS_MUST_CHECK;

/* ---- properties and text ---- */

/** All properties: `const char *` to `fs_bytes_t *`. Empty if there is none. */
fs_error_t *fs_node_props(apr_hash_t **props, const fs_node_t *node,
                          apr_pool_t *result) FS_MUST_CHECK;

/** One property, NULL if the node does not have it. */
fs_error_t *fs_node_prop(const fs_bytes_t **value, const fs_node_t *node,
                         const char *name, apr_pool_t *result) FS_MUST_CHECK;

/** One change of a property; `value` NULL: it is gone. */
typedef struct fs_prop_change_t {
    const char *name;
    const fs_bytes_t *value;
} fs_prop_change_t;

/** What turns the first list into the second, sorted by name; array of
 *  fs_prop_change_t. Either list may be NULL: empty. */
apr_array_header_t *fs_prop_diff(apr_hash_t *from, apr_hash_t *to,
                                 apr_pool_t *result);

/**
 * The text of a file from byte `offset` on, in bounded memory.
 * Errors: FS_ERR_NOT_FILE; while reading FS_ERR_CORRUPT naming revision, path
 *         and item when a check fails (the digest of a text that was read from
 *         its start is checked at its end).
 */
fs_error_t *fs_node_open(fs_stream_t **text, const fs_node_t *node,
                         apr_uint64_t offset, apr_pool_t *result) FS_MUST_CHECK;

/** Windows that turn `base`'s text (NULL: empty) into `node`'s; the stored
 *  delta when it fits, else computed. */
fs_error_t *fs_node_delta(fs_delta_stream_t **delta, const fs_node_t *base,
                          const fs_node_t *node,
                          apr_pool_t *result) FS_MUST_CHECK;

/**
 * The same as svndiff bytes of `version` (0 to 2); stored bytes are passed on
 * without decoding where they are exactly that.
 * @param level  zlib level for version 1
 */
fs_error_t *fs_node_svndiff(fs_stream_t **svndiff, const fs_node_t *base,
                            const fs_node_t *node, int version, int level,
                            apr_pool_t *result) FS_MUST_CHECK;

/** Do the texts differ, exactly? By digests; reads only when it must. */
fs_error_t *fs_node_texts_differ(bool *differ, const fs_node_t *a,
                                 const fs_node_t *b,
                                 apr_pool_t *scratch) FS_MUST_CHECK;
/** Do the property lists differ, exactly? */
fs_error_t *fs_node_props_differ(bool *differ, const fs_node_t *a,
                                 const fs_node_t *b,
                                 apr_pool_t *scratch) FS_MUST_CHECK;
/** Was the text (the property list) set anew between the two, be it to an
 *  equal value? Compares representations. */
bool fs_node_text_touched(const fs_node_t *a, const fs_node_t *b);
bool fs_node_props_touched(const fs_node_t *a, const fs_node_t *b);

/** Tell the store which texts will be read next, so that it may read ahead. */
void fs_node_prefetch(const fs_node_t *const *nodes, int count);

/* ---- history ---- */

/**
 * The youngest copy whose destination is the node's path or a parent of it
 * and of whose tree the node is part; `*path` is NULL if there is none.
 */
fs_error_t *fs_node_closest_copy(fs_rev_t *rev, const char **path,
                                 const fs_node_t *node,
                                 apr_pool_t *result) FS_MUST_CHECK;

/**
 * Revision of the node's "checked-in" URL: the last one in which the node at
 * this path changed, copies of parents included; the root's own revision if
 * the path there is not the same node revision.
 * Cost: no history walk.
 */
fs_error_t *fs_node_last_change(fs_rev_t *rev, const fs_node_t *node,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/** Revision of the first node revision of the node's line. */
fs_error_t *fs_node_origin_rev(fs_rev_t *rev, const fs_node_t *node,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** Walk of a node's locations, youngest first. Lives in its pool. */
typedef struct fs_history_t fs_history_t;

/** @param cross_copies  go on behind the copy that made the line */
fs_error_t *fs_history_open(fs_history_t **history, const fs_node_t *node,
                            bool cross_copies,
                            apr_pool_t *result) FS_MUST_CHECK;

/** The next location; `*path` is NULL at the end. Valid until the next call.
 *  Memory: bounded over any number of steps. */
fs_error_t *fs_history_next(const char **path, fs_rev_t *rev,
                            fs_history_t *history) FS_MUST_CHECK;

/* ---- changed paths ---- */

typedef enum fs_action_t {
    FS_ACTION_MODIFY = 'M',
    FS_ACTION_ADD = 'A',
    FS_ACTION_DELETE = 'D',
    FS_ACTION_REPLACE = 'R'
} fs_action_t;

typedef enum fs_tristate_t {
    FS_NO = 0,
    FS_YES = 1,
    FS_NOT_RECORDED = 2
} fs_tristate_t;

typedef struct fs_change_t {
    const char *path; /* fspath */
    fs_action_t action;
    fs_node_kind_t kind; /* FS_NODE_UNKNOWN if not recorded */
    bool text_mod;
    bool prop_mod;
    fs_tristate_t mergeinfo_mod;
    fs_rev_t copyfrom_rev;     /* FS_INVALID_REV if not copied */
    const char *copyfrom_path; /* NULL if not copied */
} fs_change_t;

/** Receives one change; valid during the call. */
typedef fs_error_t *(*fs_change_fn)(void *baton, const fs_change_t *change,
                                    apr_pool_t *scratch);

/**
 * Tell the changed paths of the root's revision, in the stored order (sorted
 * by bytes in what current writers make). Memory: bounded.
 */
fs_error_t *fs_root_changes(fs_root_t *root, fs_change_fn receive, void *baton,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/** `change->kind` looked up where the store did not record it. */
fs_error_t *fs_change_kind(fs_node_kind_t *kind, fs_root_t *root,
                           const fs_change_t *change,
                           apr_pool_t *scratch) FS_MUST_CHECK;

#endif
