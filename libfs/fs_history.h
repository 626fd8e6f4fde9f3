/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the past: log, blame, locations, mergeinfo, inherited
 * properties, dated revisions, listings.
 *
 * All take an access function (NULL: everything is readable) and tell nothing
 * about paths that it denies. `-1` for a revision is the youngest one.
 */

#ifndef LIBFS_FS_HISTORY_H
#define LIBFS_FS_HISTORY_H

#include "libfs/fs_mergeinfo.h"
#include "libfs/fs_tree.h"

/* ---- log ---- */

typedef struct fs_log_options_t {
    const apr_array_header_t *paths; /* fspaths; none: every revision */
    fs_rev_t start;                  /* start >= end: youngest first */
    fs_rev_t end;
    apr_int64_t limit; /* 0: none */
    bool changed_paths;
    bool strict;           /* stop at copies */
    bool merged_revisions; /* -g */
    bool all_revprops;
    const apr_array_header_t *revprops; /* names, unless all_revprops */
} fs_log_options_t;

/** One event of a log; valid during the call. */
typedef struct fs_log_entry_t {
    fs_rev_t rev;         /* FS_INVALID_REV: end of the children */
    apr_hash_t *revprops; /* what may be shown of what was asked; or NULL */
    bool has_children;
    bool subtractive; /* found through mergeinfo that was taken away */
} fs_log_entry_t;

typedef struct fs_log_receiver_t {
    /** A changed path of the entry that follows; only if asked for. `kind` is
     *  looked up where it was not recorded. */
    fs_change_fn change;
    fs_error_t *(*entry)(void *baton, const fs_log_entry_t *entry,
                         apr_pool_t *scratch);
    void *baton;
} fs_log_receiver_t;

/**
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_NOT_FOUND, a path is missing in the
 * higher revision; FS_ERR_UNREADABLE; FS_ERR_UNSUPPORTED, merged revisions of a
 * format without mergeinfo. All before the first event.
 * Ends of children may outnumber entries that have some: entries that are left
 * out keep theirs. A reader drops an end at depth zero.
 * Memory: bounded, but for 8 bytes a revision in oldest-first logs of paths,
 * and a search for each level of nesting with merged revisions.
 */
fs_error_t *fs_log(fs_repo_t *repo, const fs_log_options_t *options,
                   const fs_reader_t *reader, const fs_log_receiver_t *receiver,
                   apr_pool_t *scratch) FS_MUST_CHECK;

/** How much of a revision may be shown. */
typedef enum fs_visibility_t {
    FS_VISIBLE_ALL,  /* every changed path is readable */
    FS_VISIBLE_SOME, /* only svn:author and svn:date may be shown */
    FS_VISIBLE_NONE
} fs_visibility_t;
fs_error_t *fs_rev_visibility(fs_visibility_t *visibility, fs_repo_t *repo,
                              fs_rev_t rev, const fs_reader_t *reader,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** Revision properties cut to what may be shown. */
fs_error_t *fs_rev_visible_props(apr_hash_t **props, fs_repo_t *repo,
                                 fs_rev_t rev, const fs_reader_t *reader,
                                 apr_pool_t *result) FS_MUST_CHECK;

/* ---- blame ---- */

typedef struct fs_file_rev_t {
    const char *path;
    fs_rev_t rev;
    apr_hash_t *revprops;
    bool merged;
    const apr_array_header_t *prop_changes; /* of fs_prop_change_t */
    const fs_node_t *base; /* whose text the receiver has; NULL: empty */
    const fs_node_t *node; /* NULL: the text is that of the item before */
} fs_file_rev_t;

typedef fs_error_t *(*fs_file_rev_fn)(void *baton, const fs_file_rev_t *item,
                                      apr_pool_t *scratch);

/** Errors: FS_ERR_NO_SUCH_REV; FS_ERR_UNREADABLE and FS_ERR_NOT_FILE, `path` in
 *  the higher revision; FS_ERR_UNSUPPORTED, merged ones backwards or in a
 *  format without mergeinfo. All before the first item. */
fs_error_t *fs_file_revs(fs_repo_t *repo, const char *path, fs_rev_t start,
                         fs_rev_t end, bool include_merged,
                         const fs_reader_t *reader, fs_file_rev_fn receive,
                         void *baton, apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- locations ---- */

/** `*locations`: array of `const char *`, one for each of `count` revisions in
 *  `revs`, NULL where the node does not exist.
 *  Errors: FS_ERR_NOT_FOUND; FS_ERR_UNREADABLE at the peg. */
fs_error_t *fs_locations(apr_array_header_t **locations, fs_repo_t *repo,
                         const char *path, fs_rev_t peg, const fs_rev_t *revs,
                         int count, const fs_reader_t *reader,
                         apr_pool_t *result) FS_MUST_CHECK;

typedef struct fs_segment_t {
    fs_rev_t start; /* both inclusive */
    fs_rev_t end;
    const char *path; /* relpath; NULL: a gap */
} fs_segment_t;
typedef fs_error_t *(*fs_segment_fn)(void *baton, const fs_segment_t *segment,
                                     apr_pool_t *scratch);
/** Youngest first. Errors: FS_ERR_NO_SUCH_REV (end <= start <= peg <= youngest
 *  does not hold); FS_ERR_NOT_FOUND. */
fs_error_t *fs_location_segments(fs_repo_t *repo, const char *path,
                                 fs_rev_t peg, fs_rev_t start, fs_rev_t end,
                                 const fs_reader_t *reader,
                                 fs_segment_fn receive, void *baton,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

/** First revision in (start, end] in which the node that is at `path` in
 *  `start` is gone from it; FS_INVALID_REV if there is none. */
fs_error_t *fs_deleted_rev(fs_rev_t *deleted, fs_repo_t *repo, const char *path,
                           fs_rev_t start, fs_rev_t end,
                           apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- mergeinfo in the tree ---- */

typedef enum fs_inheritance_t {
    FS_MERGEINFO_EXPLICIT,
    FS_MERGEINFO_INHERITED,
    FS_MERGEINFO_NEAREST_ANCESTOR
} fs_inheritance_t;

typedef fs_error_t *(*fs_mergeinfo_fn)(void *baton, const char *path,
                                       apr_hash_t *mergeinfo,
                                       apr_pool_t *scratch);
/** Errors: FS_ERR_NOT_FOUND; FS_ERR_UNSUPPORTED, the store has none. */
fs_error_t *fs_mergeinfo_get(fs_repo_t *repo, fs_rev_t rev,
                             const apr_array_header_t *paths,
                             fs_inheritance_t inheritance,
                             bool include_descendants,
                             const fs_reader_t *reader, fs_mergeinfo_fn receive,
                             void *baton, apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- others ---- */

typedef struct fs_inherited_t {
    const char *path;  /* relpath of the parent */
    apr_hash_t *props; /* `const char *` to `fs_bytes_t *`, not empty */
} fs_inherited_t;
/** Proper parents with properties, root first; array of fs_inherited_t.
 *  @param name  only this property, or NULL
 *  Errors: FS_ERR_UNREADABLE, whether `path` exists or not; FS_ERR_NOT_FOUND,
 *          a parent. */
fs_error_t *fs_inherited_props(apr_array_header_t **parents, fs_root_t *root,
                               const char *path, const char *name,
                               const fs_reader_t *reader,
                               apr_pool_t *result) FS_MUST_CHECK;

/** Youngest revision that is not later than `time`.
 *  Errors: FS_ERR_GENERAL, a revision without date is met. */
fs_error_t *fs_dated_rev(fs_rev_t *rev, fs_repo_t *repo, apr_time_t time,
                         apr_pool_t *scratch) FS_MUST_CHECK;

typedef fs_error_t *(*fs_list_fn)(void *baton, const fs_node_t *node,
                                  apr_pool_t *scratch);
/**
 * `path` and what is below it to `depth`, sorted, parents first.
 * @param patterns  `const char *`; NULL: all; empty: nothing
 * Errors: FS_ERR_NOT_FOUND.
 */
fs_error_t *fs_list(fs_root_t *root, const char *path, fs_depth_t depth,
                    const apr_array_header_t *patterns,
                    const fs_reader_t *reader, fs_list_fn receive, void *baton,
                    apr_pool_t *scratch) FS_MUST_CHECK;

#endif
