/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two trees, told as an edit. */

#include <string.h>

#include "libfs/fs_path.h"
#include "libfs/fs_report.h"
#include "libfs/report/node_edit.h"
#include "libfs/tree/reader.h"

typedef struct dir_delta_t {
    fs_node_edit_t nodes;
    const fs_editor_t *editor;
    const fs_reader_t *reader;
    fs_rev_t source_rev;
    fs_rev_t target_rev;
    bool ignore_ancestry;
} dir_delta_t;

static fs_depth_t below(fs_depth_t depth)
{
    return depth == FS_DEPTH_FILES || depth == FS_DEPTH_IMMEDIATES
               ? FS_DEPTH_EMPTY
               : depth;
}

static bool is_within_depth(fs_depth_t depth, fs_node_kind_t kind)
{
    return depth == FS_DEPTH_INFINITY || kind != FS_NODE_DIR ||
           depth == FS_DEPTH_IMMEDIATES;
}

static fs_error_t *compare_dirs(dir_delta_t *delta, void *dir,
                                const fs_node_t *source,
                                const fs_node_t *target, const char *path,
                                fs_depth_t depth, apr_pool_t *scratch);

static fs_error_t *tell_file(dir_delta_t *delta, void *file,
                             const fs_node_t *source, const fs_node_t *target,
                             apr_pool_t *scratch)
{
    FS_TRY(fs_node_edit_props(&delta->nodes, file, source, target, false,
                              scratch));
    FS_TRY(fs_node_edit_text(&delta->nodes, file, source, target, scratch));
    return fs_node_edit_close_file(&delta->nodes, file, target, scratch);
}

static fs_error_t *add_node(dir_delta_t *delta, void *parent,
                            const fs_node_t *target, const char *path,
                            fs_depth_t depth, apr_pool_t *scratch)
{
    const fs_editor_t *editor = delta->editor;
    bool is_dir = fs_node_kind(target) == FS_NODE_DIR;
    bool allowed;
    void *node;

    FS_TRY(fs_reader_may_read(&allowed, delta->reader, delta->target_rev,
                              fs_node_path(target), scratch));
    if (!allowed)
        return is_dir ? editor->absent_dir(parent, path, scratch)
                      : editor->absent_file(parent, path, scratch);
    if (!is_dir) {
        FS_TRY(editor->add_file(&node, parent, path, NULL, FS_INVALID_REV,
                                target, scratch));
        return tell_file(delta, node, NULL, target, scratch);
    }
    FS_TRY(editor->add_dir(&node, parent, path, NULL, FS_INVALID_REV, target,
                           scratch));
    FS_TRY(
        compare_dirs(delta, node, NULL, target, path, below(depth), scratch));
    return editor->close_dir(node, scratch);
}

static fs_error_t *open_node(dir_delta_t *delta, void *parent,
                             const fs_node_t *source, const fs_node_t *target,
                             const char *path, fs_depth_t depth,
                             apr_pool_t *scratch)
{
    const fs_editor_t *editor = delta->editor;
    bool is_dir = fs_node_kind(target) == FS_NODE_DIR;
    bool allowed;
    void *node;

    FS_TRY(fs_reader_may_read(&allowed, delta->reader, delta->target_rev,
                              fs_node_path(target), scratch));
    if (!allowed)
        return is_dir ? editor->absent_dir(parent, path, scratch)
                      : editor->absent_file(parent, path, scratch);
    if (!is_dir) {
        FS_TRY(editor->open_file(&node, parent, path, delta->source_rev, target,
                                 scratch));
        return tell_file(delta, node, source, target, scratch);
    }
    FS_TRY(editor->open_dir(&node, parent, path, delta->source_rev, target,
                            scratch));
    FS_TRY(
        compare_dirs(delta, node, source, target, path, below(depth), scratch));
    return editor->close_dir(node, scratch);
}

static bool is_replaced(const dir_delta_t *delta, const fs_node_t *source,
                        const fs_node_t *target)
{
    return fs_node_kind(source) != fs_node_kind(target) ||
           (fs_node_relation(source, target) == FS_UNRELATED &&
            !delta->ignore_ancestry);
}

/* One name that is in both trees. */
static fs_error_t *compare_nodes(dir_delta_t *delta, void *parent,
                                 const fs_node_t *source,
                                 const fs_node_t *target, const char *path,
                                 fs_depth_t depth, apr_pool_t *scratch)
{
    if (!is_replaced(delta, source, target))
        return open_node(delta, parent, source, target, path, depth, scratch);
    FS_TRY(delta->editor->delete_entry(parent, path, FS_INVALID_REV, scratch));
    return add_node(delta, parent, target, path, depth, scratch);
}

static fs_error_t *compare_entries(dir_delta_t *delta, void *dir,
                                   const fs_node_t *source,
                                   const fs_dirent_t *source_entry,
                                   const fs_node_t *target,
                                   const fs_dirent_t *target_entry,
                                   const char *path, fs_depth_t depth,
                                   apr_pool_t *iter)
{
    const fs_node_t *from, *to;

    if (!is_within_depth(depth, source_entry ? source_entry->kind
                                             : target_entry->kind))
        return NULL;
    if (source_entry && target_entry &&
        fs_dirent_same(source_entry, target_entry))
        return NULL;

    path = fs_path_join(
        path, source_entry ? source_entry->name : target_entry->name, iter);
    if (!target_entry)
        return delta->editor->delete_entry(dir, path, FS_INVALID_REV, iter);
    FS_TRY(fs_dir_node(&to, target, target_entry, iter));
    if (!source_entry)
        return add_node(delta, dir, to, path, depth, iter);
    FS_TRY(fs_dir_node(&from, source, source_entry, iter));
    return compare_nodes(delta, dir, from, to, path, depth, iter);
}

/* Both directories side by side, in the order of names. */
static fs_error_t *compare_dirs(dir_delta_t *delta, void *dir,
                                const fs_node_t *source,
                                const fs_node_t *target, const char *path,
                                fs_depth_t depth, apr_pool_t *scratch)
{
    fs_dir_t *sources = NULL, *targets;
    const fs_dirent_t *from = NULL, *to;
    apr_pool_t *iter;

    FS_TRY(
        fs_node_edit_props(&delta->nodes, dir, source, target, false, scratch));
    if (source) {
        FS_TRY(fs_dir_open(&sources, source, scratch));
        FS_TRY(fs_dir_next(&from, sources));
    }
    FS_TRY(fs_dir_open(&targets, target, scratch));
    FS_TRY(fs_dir_next(&to, targets));

    apr_pool_create(&iter, scratch);
    while (from || to) {
        int order = !from ? 1 : !to ? -1 : strcmp(from->name, to->name);

        apr_pool_clear(iter);
        FS_TRY(compare_entries(delta, dir, source, order <= 0 ? from : NULL,
                               target, order >= 0 ? to : NULL, path, depth,
                               iter));
        if (order <= 0)
            FS_TRY(fs_dir_next(&from, sources));
        if (order >= 0)
            FS_TRY(fs_dir_next(&to, targets));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *tell_root(dir_delta_t *delta, void *edit,
                             const fs_node_t *source, const char *entry,
                             const fs_node_t *target, fs_depth_t depth,
                             apr_pool_t *scratch)
{
    void *root;

    FS_TRY(delta->editor->open_root(&root, edit, delta->source_rev, target,
                                    scratch));
    if (!target)
        FS_TRY(
            delta->editor->delete_entry(root, entry, FS_INVALID_REV, scratch));
    else if (!source)
        FS_TRY(add_node(delta, root, target, entry, depth, scratch));
    else if (*entry)
        FS_TRY(
            compare_nodes(delta, root, source, target, entry, depth, scratch));
    else
        FS_TRY(compare_dirs(delta, root, source, target, "", depth, scratch));
    return delta->editor->close_dir(root, scratch);
}

static bool is_dir(const fs_node_t *node)
{
    return node && fs_node_kind(node) == FS_NODE_DIR;
}

static fs_error_t *check_readable(const dir_delta_t *delta, const char *path,
                                  bool has_entry, apr_pool_t *scratch)
{
    bool allowed;

    if (has_entry)
        path = fs_path_parent(path, scratch);
    FS_TRY(fs_reader_may_read(&allowed, delta->reader, delta->target_rev, path,
                              scratch));
    if (!allowed)
        return FS_ERROR(FS_ERR_ROOT_UNREADABLE,
                        "not authorized to open the root of the edit");
    return NULL;
}

fs_error_t *fs_dir_delta(fs_root_t *source_root, const char *source_dir,
                         const char *entry, fs_root_t *target_root,
                         const char *target_path,
                         const fs_dir_delta_options_t *options,
                         const fs_reader_t *reader, const fs_editor_t *editor,
                         void *edit, apr_pool_t *scratch)
{
    dir_delta_t delta = { { 0 },
                          editor,
                          reader,
                          fs_root_rev(source_root),
                          fs_root_rev(target_root),
                          options->ignore_ancestry };
    const fs_node_t *source, *target;

    if (options->depth == FS_DEPTH_EXCLUDE)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "a comparison cannot have the depth 'exclude'");
    target_path = fs_path_canonical(target_path, scratch);
    FS_TRY(check_readable(&delta, target_path, *entry != '\0', scratch));
    source_dir =
        fs_path_join(fs_path_canonical(source_dir, scratch), entry, scratch);
    FS_TRY(fs_node_find(&source, source_root, source_dir, scratch));
    FS_TRY(fs_node_find(&target, target_root, target_path, scratch));
    if (!*entry && (source || target) && (!is_dir(source) || !is_dir(target)))
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "'%s' and '%s' must both be directories when no entry "
                        "is named",
                        source_dir, target_path);

    fs_node_edit_init(&delta.nodes, fs_root_repo(target_root), editor,
                      options->entry_props, options->text_deltas, scratch);
    if (source || target) {
        FS_TRY(editor->set_target_revision(edit, delta.target_rev, scratch));
        if (!source || !target || fs_node_relation(source, target) != FS_SAME)
            FS_TRY(tell_root(&delta, edit, source, entry, target,
                             options->depth, scratch));
    }
    return editor->close_edit(edit, scratch);
}
