/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees told as edits: what a client lacks (update report), how two trees
 * differ (dir-delta), what a revision did (replay).
 */

#ifndef LIBFS_FS_REPORT_H
#define LIBFS_FS_REPORT_H

#include "libfs/fs_history.h"
#include "libfs/fs_tree.h"

/**
 * Receives an edit. The tree is walked depth first; a directory is closed
 * after all its children; a file is opened, told and closed before the next
 * call; a deletion comes before an addition of the same path. Batons are the
 * receiver's. Paths are relpaths below the edit's root. `scratch` is cleared
 * after the call; `result` lives until the node is closed.
 *
 * Where a call carries `target`, that is the node as it is in the target
 * tree: receivers take URLs and digests from it instead of looking them up.
 */
typedef struct fs_editor_t {
    fs_error_t *(*set_target_revision)(void *edit, fs_rev_t rev,
                                       apr_pool_t *scratch);
    fs_error_t *(*open_root)(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result);
    /** @param rev  in which it went away, or FS_INVALID_REV */
    fs_error_t *(*delete_entry)(void *parent, const char *path, fs_rev_t rev,
                                apr_pool_t *scratch);
    /** @param copyfrom_path  fspath, or NULL: not a copy */
    fs_error_t *(*add_dir)(void **dir, void *parent, const char *path,
                           const char *copyfrom_path, fs_rev_t copyfrom_rev,
                           const fs_node_t *target, apr_pool_t *result);
    fs_error_t *(*open_dir)(void **dir, void *parent, const char *path,
                            fs_rev_t base, const fs_node_t *target,
                            apr_pool_t *result);
    /** @param value  NULL: deleted */
    fs_error_t *(*dir_prop)(void *dir, const char *name,
                            const fs_bytes_t *value, apr_pool_t *scratch);
    fs_error_t *(*close_dir)(void *dir, apr_pool_t *scratch);
    fs_error_t *(*absent_dir)(void *parent, const char *path,
                              apr_pool_t *scratch);
    fs_error_t *(*add_file)(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result);
    fs_error_t *(*open_file)(void **file, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result);
    fs_error_t *(*file_prop)(void *file, const char *name,
                             const fs_bytes_t *value, apr_pool_t *scratch);
    /**
     * The text changes from `base`'s (NULL: empty) to `target`'s; a receiver
     * that wants bytes calls fs_node_delta() or fs_node_svndiff().
     * @param target   NULL: texts were not wanted, this only marks a change
     * @param base_md5 16 bytes, or NULL where no base is told
     */
    fs_error_t *(*file_text)(void *file, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch);
    /** @param md5  of the resulting text, 16 bytes; NULL: not known */
    fs_error_t *(*close_file)(void *file, const unsigned char *md5,
                              apr_pool_t *scratch);
    fs_error_t *(*absent_file)(void *parent, const char *path,
                               apr_pool_t *scratch);
    fs_error_t *(*close_edit)(void *edit, apr_pool_t *scratch);
    /** Called in place of close_edit when the producer fails; may be NULL. */
    void (*abort_edit)(void *edit, apr_pool_t *scratch);
} fs_editor_t;

/* ---- update report ---- */

typedef struct fs_report_t fs_report_t;

typedef struct fs_report_options_t {
    fs_rev_t target_rev;
    const char *anchor;      /* fspath */
    const char *target;      /* one segment, or "" */
    const char *switch_path; /* fspath or NULL */
    bool text_deltas;        /* false: file_text() is told without texts */
    fs_depth_t depth;        /* asked for; FS_DEPTH_UNKNOWN keeps theirs */
    bool ignore_ancestry;
    bool send_copyfrom;
} fs_report_options_t;

/**
 * Begin to collect a client's state. Entries are kept in memory up to
 * 1 MiB, then in a temporary file.
 */
fs_error_t *fs_report_begin(fs_report_t **report, fs_repo_t *repo,
                            apr_pool_t *result) FS_MUST_CHECK;

/** Entries in depth-first order; `path` relative to anchor and target.
 *  @param lock_token  or NULL */
fs_error_t *fs_report_set_path(fs_report_t *report, const char *path,
                               fs_rev_t rev, fs_depth_t depth, bool start_empty,
                               const char *lock_token) FS_MUST_CHECK;
fs_error_t *fs_report_link_path(fs_report_t *report, const char *path,
                                const char *link_path, fs_rev_t rev,
                                fs_depth_t depth, bool start_empty,
                                const char *lock_token) FS_MUST_CHECK;
fs_error_t *fs_report_delete_path(fs_report_t *report,
                                  const char *path) FS_MUST_CHECK;

/**
 * Compare, and drive `editor`. Checks of the report itself come before the
 * first call of the editor. Once.
 * Errors: FS_ERR_BAD_ARGS, depth exclude; FS_ERR_NO_SUCH_REV, the target
 *         revision; FS_ERR_BAD_REPORT; FS_ERR_PATH_SYNTAX, "target path '/x' does not
 *         exist", "cannot replace a directory from within"; FS_ERR_NOT_FOUND;
 *         FS_ERR_ROOT_UNREADABLE; whatever the editor returned.
 * Memory: bounded by the depth of the tree and one page of each directory.
 */
fs_error_t *fs_report_finish(fs_report_t *report,
                             const fs_report_options_t *options,
                             const fs_reader_t *reader,
                             const fs_editor_t *editor, void *edit,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- comparison of two trees ---- */

typedef struct fs_dir_delta_options_t {
    bool text_deltas;
    fs_depth_t depth;
    bool entry_props;
    bool ignore_ancestry;
} fs_dir_delta_options_t;

/** @param entry  one segment below `source_dir`, or "" */
fs_error_t *fs_dir_delta(fs_root_t *source_root, const char *source_dir,
                         const char *entry, fs_root_t *target_root,
                         const char *target_path,
                         const fs_dir_delta_options_t *options,
                         const fs_reader_t *reader, const fs_editor_t *editor,
                         void *edit, apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- replay ---- */

typedef struct fs_replay_options_t {
    const char *base_path; /* relpath; "": all */
    fs_rev_t low_water;    /* FS_INVALID_REV: none */
    bool send_deltas;
} fs_replay_options_t;

/** Told without close_edit(), which is the caller's. */
fs_error_t *fs_replay(fs_root_t *root, const fs_replay_options_t *options,
                      const fs_reader_t *reader, const fs_editor_t *editor,
                      void *edit, apr_pool_t *scratch) FS_MUST_CHECK;

#endif
