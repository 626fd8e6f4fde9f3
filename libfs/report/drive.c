/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of a reported working copy with a target tree.
 *
 * The report is read once, in its depth-first order, with one entry of
 * look-ahead. A directory first handles the children that the report names
 * (in it or below it), then walks the rest of both directories side by side
 * in the order of names, so that one page of each is in memory.
 */

#include "libfs/report/reporter.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "libfs/fs_path.h"
#include "libfs/report/node_edit.h"
#include "libfs/tree/reader.h"

typedef struct drive_t {
    fs_report_t *report;
    const fs_reader_t *reader;
    const fs_editor_t *editor;
    fs_node_edit_t nodes;
    fs_root_t *target_root;
    bool is_switch;

    /* The next report entry, alternating between two pools. */
    fs_report_entry_t next;
    bool has_next;
    apr_pool_t *next_pool;
    apr_pool_t *spare_pool;
} drive_t;

/* A side of the comparison: the tree that the client has. */
typedef struct source_t {
    fs_root_t *root;
    const char *path;      /* fspath; NULL: the client has nothing here */
    const fs_node_t *node; /* NULL: nothing found at `path` */
} source_t;

/* The tree that the client is to have. */
typedef struct target_t {
    const char *path; /* fspath, also when there is no node */
    const fs_node_t *node;
} target_t;

/* What is being compared, and how deep. */
typedef struct place_t {
    const char *path;  /* in the edit */
    fs_depth_t has;    /* depth of the working copy there */
    fs_depth_t wanted; /* depth asked for */
} place_t;

static fs_depth_t one_below(fs_depth_t depth)
{
    return depth == FS_DEPTH_IMMEDIATES ? FS_DEPTH_EMPTY : depth;
}

/* ---- the report ---- */

static fs_error_t *advance(drive_t *drive)
{
    apr_pool_t *pool = drive->spare_pool;

    drive->spare_pool = drive->next_pool;
    drive->next_pool = pool;
    apr_pool_clear(pool);
    FS_TRY(fs_spool_next(&drive->next, &drive->has_next, drive->report->spool,
                         pool));
    if (drive->has_next)
        drive->next.path =
            fs_path_join(drive->report->options.target, drive->next.path, pool);
    return NULL;
}

static void copy_entry(fs_report_entry_t *out, const fs_report_entry_t *entry,
                       apr_pool_t *result)
{
    *out = *entry;
    out->path = apr_pstrdup(result, entry->path);
    out->link_path = apr_pstrdup(result, entry->link_path);
    out->lock_token = apr_pstrdup(result, entry->lock_token);
}

/* What follows `parent` and a slash in the next entry's path, or NULL. */
static const char *next_below(const drive_t *drive, const char *parent)
{
    const char *below;

    if (!drive->has_next)
        return NULL;
    below = fs_path_below(parent, drive->next.path);
    return below && *below ? below : NULL;
}

static fs_error_t *skip_below(drive_t *drive, const char *parent)
{
    while (next_below(drive, parent))
        FS_TRY(advance(drive));
    return NULL;
}

/* ---- one entry ---- */

static fs_error_t *find_deleted_rev(fs_rev_t *rev, drive_t *drive,
                                    const source_t *source, const char *path,
                                    apr_pool_t *scratch)
{
    return fs_deleted_rev(rev, drive->report->repo, path,
                          fs_root_rev(source->root),
                          drive->report->options.target_rev, scratch);
}

/* Does the client hold a token that no lock of the path has? */
static fs_error_t *token_is_lost(bool *lost, drive_t *drive,
                                 const fs_report_entry_t *info,
                                 const char *path, apr_pool_t *scratch)
{
    const fs_lock_t *lock;

    *lost = false;
    if (!info || !info->lock_token)
        return NULL;
    FS_TRY(fs_lock_get(&lock, drive->report->repo, path, scratch));
    *lost = !lock || strcmp(lock->token, info->lock_token) != 0;
    return NULL;
}

static fs_error_t *open_source_root(fs_root_t **root, drive_t *drive,
                                    fs_root_t *current, fs_rev_t rev,
                                    apr_pool_t *result)
{
    if (current && fs_root_rev(current) == rev) {
        *root = current;
        return NULL;
    }
    return fs_root_open(root, drive->report->repo, rev, result);
}

/* Let the report's own word on this path replace what was inherited. */
static fs_error_t *apply_info(source_t *source, target_t *target,
                              drive_t *drive, const fs_report_entry_t *info,
                              apr_pool_t *result)
{
    if (info && info->link_path && !drive->is_switch) {
        target->path = fs_path_canonical(info->link_path, result);
        FS_TRY(fs_node_find(&target->node, drive->target_root, target->path,
                            result));
    }
    if (info && !FS_IS_REV(info->rev)) {
        source->path = NULL;
        source->node = NULL;
    } else if (info && source->path) {
        if (info->link_path)
            source->path = fs_path_canonical(info->link_path, result);
        FS_TRY(open_source_root(&source->root, drive, source->root, info->rev,
                                result));
        FS_TRY(fs_node_find(&source->node, source->root, source->path, result));
    }
    if (source->path && !source->node)
        return FS_ERROR(FS_ERR_NOT_FOUND,
                        "the working copy's path '%s' does not exist in "
                        "revision %" FS_REV_FMT,
                        source->path, fs_root_rev(source->root));
    return NULL;
}

/* Related, and nothing in it that an update would have to carry? A text that
 * was changed and changed back has to be told: the client keeps by which
 * revision it was written. */
static void is_unchanged(bool *same, bool *related, const drive_t *drive,
                         const fs_node_t *source, const fs_node_t *target)
{
    bool ignore = drive->report->options.ignore_ancestry;
    fs_relation_t relation = fs_node_relation(source, target);

    *related = relation != FS_UNRELATED || ignore;
    *same = relation == FS_SAME;
    if (relation == FS_RELATED && !ignore &&
        fs_node_kind(target) == FS_NODE_FILE)
        *same = !fs_node_props_touched(source, target) &&
                !fs_node_text_touched(source, target);
}

static fs_error_t *delete_source(drive_t *drive, void *parent,
                                 const source_t *source, const target_t *target,
                                 const char *path, apr_pool_t *scratch)
{
    fs_rev_t deleted;

    FS_TRY(find_deleted_rev(&deleted, drive, source, target->path, scratch));
    if (!FS_IS_REV(deleted) && target->node)
        deleted = drive->report->options.target_rev - 1;
    return drive->editor->delete_entry(parent, path, deleted, scratch);
}

/* The copy source of an added file, where the client wants and may see it. */
static fs_error_t *find_copyfrom(const fs_node_t **copied, drive_t *drive,
                                 const fs_node_t *target, apr_pool_t *result)
{
    const char *path, *from_path;
    fs_rev_t rev, from_rev;
    const fs_node_t *made;
    fs_root_t *root;
    bool allowed;

    *copied = NULL;
    if (!drive->report->options.send_copyfrom)
        return NULL;
    FS_TRY(fs_node_closest_copy(&rev, &path, target, result));
    if (!path || strcmp(path, fs_node_path(target)) != 0)
        return NULL;

    FS_TRY(fs_root_open(&root, drive->report->repo, rev, result));
    FS_TRY(fs_node_find(&made, root, path, result));
    if (!made)
        return NULL;
    fs_node_copyfrom(&from_rev, &from_path, made);
    if (!from_path)
        return NULL;
    FS_TRY(fs_reader_may_read(&allowed, drive->reader, from_rev, from_path,
                              result));
    if (!allowed)
        return NULL;
    FS_TRY(fs_root_open(&root, drive->report->repo, from_rev, result));
    return fs_node_find(copied, root, from_path, result);
}

static fs_error_t *tell_file(drive_t *drive, void *parent,
                             const source_t *source, const fs_node_t *target,
                             const char *path, const fs_report_entry_t *info,
                             apr_pool_t *scratch)
{
    const fs_node_t *base = source->node;
    void *file;
    bool lost;

    if (base) {
        FS_TRY(drive->editor->open_file(
            &file, parent, path, fs_root_rev(source->root), target, scratch));
    } else {
        FS_TRY(find_copyfrom(&base, drive, target, scratch));
        FS_TRY(drive->editor->add_file(
            &file, parent, path, base ? fs_node_path(base) : NULL,
            base ? fs_root_rev(fs_node_root(base)) : FS_INVALID_REV, target,
            scratch));
    }
    FS_TRY(token_is_lost(&lost, drive, info, fs_node_path(target), scratch));
    FS_TRY(
        fs_node_edit_props(&drive->nodes, file, base, target, lost, scratch));
    FS_TRY(fs_node_edit_text(&drive->nodes, file, base, target, scratch));
    return fs_node_edit_close_file(&drive->nodes, file, target, scratch);
}

static fs_error_t *tell_absent(drive_t *drive, void *parent,
                               const fs_node_t *target, const char *path,
                               apr_pool_t *scratch)
{
    return fs_node_kind(target) == FS_NODE_DIR
               ? drive->editor->absent_dir(parent, path, scratch)
               : drive->editor->absent_file(parent, path, scratch);
}

static fs_error_t *compare_dirs(drive_t *drive, void *dir,
                                const source_t *source, const fs_node_t *target,
                                const place_t *place, bool start_empty,
                                apr_pool_t *scratch);

static fs_error_t *tell_dir(drive_t *drive, void *parent,
                            const source_t *source, const fs_node_t *target,
                            const place_t *place, const fs_report_entry_t *info,
                            apr_pool_t *scratch)
{
    void *dir;

    if (source->node)
        FS_TRY(drive->editor->open_dir(&dir, parent, place->path,
                                       fs_root_rev(source->root), target,
                                       scratch));
    else
        FS_TRY(drive->editor->add_dir(&dir, parent, place->path, NULL,
                                      FS_INVALID_REV, target, scratch));
    FS_TRY(compare_dirs(drive, dir, source, target, place,
                        info && info->start_empty, scratch));
    return drive->editor->close_dir(dir, scratch);
}

/* Nothing is sent for a node that the client has as it is, unless the report
 * says that the client lacks something after all. */
static fs_error_t *needs_nothing(bool *nothing, drive_t *drive, bool same,
                                 const target_t *target, const place_t *place,
                                 const fs_report_entry_t *info,
                                 apr_pool_t *scratch)
{
    bool lost;

    *nothing = false;
    if (!same || next_below(drive, place->path))
        return NULL;
    if (place->wanted > place->has &&
        fs_node_kind(target->node) != FS_NODE_FILE)
        return NULL;
    if (info && info->start_empty)
        return NULL;
    FS_TRY(token_is_lost(&lost, drive, info, target->path, scratch));
    *nothing = !lost;
    return NULL;
}

/* Compare what is under one name. `info` is what the report says of exactly
 * this path, or NULL. */
static fs_error_t *compare_entry(drive_t *drive, void *parent, source_t source,
                                 target_t target, const place_t *place,
                                 const fs_report_entry_t *info,
                                 apr_pool_t *scratch)
{
    bool related = false, allowed;

    FS_TRY(apply_info(&source, &target, drive, info, scratch));

    if (source.node && target.node &&
        fs_node_kind(source.node) == fs_node_kind(target.node)) {
        bool same, nothing;

        is_unchanged(&same, &related, drive, source.node, target.node);
        FS_TRY(needs_nothing(&nothing, drive, same, &target, place, info,
                             scratch));
        if (nothing)
            return NULL;
    }
    if (source.node && !related) {
        FS_TRY(delete_source(drive, parent, &source, &target, place->path,
                             scratch));
        source.path = NULL;
        source.node = NULL;
    }
    if (!target.node)
        return skip_below(drive, place->path);

    FS_TRY(fs_reader_may_read(&allowed, drive->reader,
                              drive->report->options.target_rev, target.path,
                              scratch));
    if (!allowed) {
        FS_TRY(tell_absent(drive, parent, target.node, place->path, scratch));
        return skip_below(drive, place->path);
    }
    if (fs_node_kind(target.node) == FS_NODE_DIR)
        return tell_dir(drive, parent, &source, target.node, place, info,
                        scratch);
    FS_TRY(tell_file(drive, parent, &source, target.node, place->path, info,
                     scratch));
    return skip_below(drive, place->path);
}

/* ---- children that the report names ---- */

/* How a name is left for the walk over the rest. */
#define DROP_SOURCE 1
#define DROP_TARGET 2

static const int drop_source = DROP_SOURCE;
static const int drop_target = DROP_TARGET;
static const int drop_both = DROP_SOURCE | DROP_TARGET;

static bool is_dir(const fs_node_t *node)
{
    return node && fs_node_kind(node) == FS_NODE_DIR;
}

typedef struct dirs_t {
    const source_t *source; /* `node` NULL: nothing there */
    const fs_node_t *target;
    const place_t *place;
    bool read_source;    /* the client has the source's entries */
    apr_hash_t *handled; /* name -> int, DROP_ bits; NULL: none */
} dirs_t;

static fs_error_t *compare_named(drive_t *drive, void *dir, dirs_t *dirs,
                                 const char *name,
                                 const fs_report_entry_t *info,
                                 const int **drop, apr_pool_t *iter)
{
    const place_t *place = dirs->place;
    place_t child = { fs_path_join(place->path, name, iter),
                      info ? info->depth : one_below(place->has),
                      one_below(place->wanted) };
    source_t source = *dirs->source;
    target_t target = { fs_path_join(fs_node_path(dirs->target), name, iter),
                        NULL };
    bool excluded = info && info->depth == FS_DEPTH_EXCLUDE;

    if (info && !FS_IS_REV(info->rev) && !excluded) {
        *drop = &drop_source;
        return NULL;
    }

    FS_TRY(fs_node_child(&target.node, dirs->target, name, iter));
    source.node = NULL;
    if (source.path) {
        source.path = fs_path_join(source.path, name, iter);
        if (dirs->read_source)
            FS_TRY(fs_node_child(&source.node, dirs->source->node, name, iter));
    }

    *drop = excluded && !target.node ? &drop_target : &drop_both;
    if (excluded)
        return NULL;
    if (place->wanted == FS_DEPTH_FILES &&
        (is_dir(target.node) || is_dir(source.node)))
        return skip_below(drive, child.path);
    return compare_entry(drive, dir, source, target, &child, info, iter);
}

static fs_error_t *compare_reported(drive_t *drive, void *dir, dirs_t *dirs,
                                    apr_pool_t *scratch)
{
    apr_pool_t *iter;
    const char *below;

    apr_pool_create(&iter, scratch);
    while ((below = next_below(drive, dirs->place->path)) != NULL) {
        const char *slash = strchr(below, '/');
        fs_report_entry_t info;
        const char *name;
        const int *drop = &drop_both;

        apr_pool_clear(iter);
        if (!dirs->handled)
            dirs->handled = apr_hash_make(scratch);
        name = slash
                   ? apr_pstrmemdup(scratch, below, (apr_size_t)(slash - below))
                   : apr_pstrdup(scratch, below);
        if (!slash) {
            copy_entry(&info, &drive->next, iter);
            FS_TRY(advance(drive));
        }
        FS_TRY(compare_named(drive, dir, dirs, name, slash ? NULL : &info,
                             &drop, iter));
        apr_hash_set(dirs->handled, name, APR_HASH_KEY_STRING, drop);

        /* What is still left below the name belongs to something that was not
         * entered. */
        FS_TRY(skip_below(drive, fs_path_join(dirs->place->path, name, iter)));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- the rest of both directories ---- */

static int drop_bits(const dirs_t *dirs, const char *name)
{
    const int *drop =
        dirs->handled ? apr_hash_get(dirs->handled, name, APR_HASH_KEY_STRING)
                      : NULL;

    return drop ? *drop : 0;
}

static fs_error_t *delete_rest(drive_t *drive, void *dir, const dirs_t *dirs,
                               const fs_dirent_t *entry, apr_pool_t *iter)
{
    const place_t *place = dirs->place;
    fs_rev_t deleted;

    if (entry->kind == FS_NODE_FILE && place->has < FS_DEPTH_FILES)
        return NULL;
    if (entry->kind == FS_NODE_DIR &&
        (place->has < FS_DEPTH_IMMEDIATES || place->wanted == FS_DEPTH_FILES))
        return NULL;
    FS_TRY(find_deleted_rev(
        &deleted, drive, dirs->source,
        fs_path_join(fs_node_path(dirs->target), entry->name, iter), iter));
    return drive->editor->delete_entry(
        dir, fs_path_join(place->path, entry->name, iter), deleted, iter);
}

/* Does the client get an entry that its depth left out so far? */
static bool is_deepened(const place_t *place, fs_node_kind_t kind)
{
    if (place->wanted == FS_DEPTH_UNKNOWN || place->wanted <= place->has ||
        place->has == FS_DEPTH_IMMEDIATES)
        return false;
    if (kind == FS_NODE_FILE && place->has == FS_DEPTH_FILES)
        return false;
    return !(kind == FS_NODE_DIR && place->has == FS_DEPTH_EMPTY &&
             place->wanted == FS_DEPTH_FILES);
}

static fs_error_t *compare_rest_entry(drive_t *drive, void *dir,
                                      const dirs_t *dirs,
                                      const fs_dirent_t *source_entry,
                                      const fs_dirent_t *target_entry,
                                      apr_pool_t *iter)
{
    const place_t *place = dirs->place;
    place_t child = { NULL, one_below(place->has), one_below(place->wanted) };
    source_t source = { dirs->source->root, NULL, NULL };
    target_t target = { NULL, NULL };
    fs_node_kind_t kind = target_entry->kind;

    if (is_deepened(place, kind)) {
        source_entry = NULL;
    } else {
        if (kind == FS_NODE_FILE && place->wanted == FS_DEPTH_UNKNOWN &&
            place->has < FS_DEPTH_FILES)
            return NULL;
        if (kind == FS_NODE_DIR && (place->has < FS_DEPTH_IMMEDIATES ||
                                    place->wanted == FS_DEPTH_FILES))
            return NULL;
    }

    /* The usual case of an update: no record is read, no path is made. */
    if (source_entry && fs_dirent_same(source_entry, target_entry) &&
        (kind == FS_NODE_FILE || child.wanted <= child.has))
        return NULL;

    child.path = fs_path_join(place->path, target_entry->name, iter);
    target.path =
        fs_path_join(fs_node_path(dirs->target), target_entry->name, iter);
    FS_TRY(fs_dir_node(&target.node, dirs->target, target_entry, iter));
    if (source_entry) {
        source.path =
            fs_path_join(dirs->source->path, source_entry->name, iter);
        FS_TRY(
            fs_dir_node(&source.node, dirs->source->node, source_entry, iter));
    }
    return compare_entry(drive, dir, source, target, &child, NULL, iter);
}

static fs_error_t *next_of(const fs_dirent_t **entry, fs_dir_t *reading,
                           const dirs_t *dirs, int drop)
{
    *entry = NULL;
    if (!reading)
        return NULL;
    do
        FS_TRY(fs_dir_next(entry, reading));
    while (*entry && (drop_bits(dirs, (*entry)->name) & drop));
    return NULL;
}

static fs_error_t *compare_rest(drive_t *drive, void *dir, const dirs_t *dirs,
                                apr_pool_t *scratch)
{
    fs_dir_t *sources = NULL, *targets;
    const fs_dirent_t *source, *target;
    apr_pool_t *iter;

    if (dirs->read_source)
        FS_TRY(fs_dir_open(&sources, dirs->source->node, scratch));
    FS_TRY(fs_dir_open(&targets, dirs->target, scratch));
    FS_TRY(next_of(&source, sources, dirs, DROP_SOURCE));
    FS_TRY(next_of(&target, targets, dirs, DROP_TARGET));

    apr_pool_create(&iter, scratch);
    while (source || target) {
        int order = !source   ? 1
                    : !target ? -1
                              : strcmp(source->name, target->name);

        apr_pool_clear(iter);
        if (order < 0)
            FS_TRY(delete_rest(drive, dir, dirs, source, iter));
        else
            FS_TRY(compare_rest_entry(
                drive, dir, dirs, order == 0 ? source : NULL, target, iter));
        if (order <= 0)
            FS_TRY(next_of(&source, sources, dirs, DROP_SOURCE));
        if (order >= 0)
            FS_TRY(next_of(&target, targets, dirs, DROP_TARGET));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *compare_dirs(drive_t *drive, void *dir,
                                const source_t *source, const fs_node_t *target,
                                const place_t *place, bool start_empty,
                                apr_pool_t *scratch)
{
    dirs_t dirs = { source, target, place, source->node && !start_empty, NULL };

    FS_TRY(fs_node_edit_props(&drive->nodes, dir,
                              start_empty ? NULL : source->node, target, false,
                              scratch));
    if (place->wanted == FS_DEPTH_EMPTY)
        return skip_below(drive, place->path);
    FS_TRY(compare_reported(drive, dir, &dirs, scratch));
    return compare_rest(drive, dir, &dirs, scratch);
}

/* ---- the top ---- */

/* The first entry or two speak of the root of the report. */
static fs_error_t *read_top(fs_report_entry_t *top, fs_rev_t *anchor_rev,
                            drive_t *drive, apr_pool_t *result)
{
    const char *operand = drive->report->options.target;

    FS_TRY(advance(drive));
    if (!drive->has_next || strcmp(drive->next.path, operand) != 0 ||
        drive->next.link_path || !FS_IS_REV(drive->next.rev))
        return FS_ERROR(FS_ERR_BAD_REPORT,
                        "invalid report for top level of working copy");
    copy_entry(top, &drive->next, result);
    *anchor_rev = top->rev;

    FS_TRY(advance(drive));
    if (drive->has_next && strcmp(drive->next.path, operand) == 0) {
        fs_depth_t depth = top->depth;

        if (!*operand)
            return FS_ERROR(FS_ERR_BAD_REPORT,
                            "two reports for top level of working copy, and "
                            "no target");
        copy_entry(top, &drive->next, result);
        if (!FS_IS_REV(top->rev))
            top->depth = depth;
        FS_TRY(advance(drive));
    }
    return NULL;
}

static fs_error_t *check_anchor(drive_t *drive, const char *target_path,
                                apr_pool_t *scratch)
{
    const char *anchor = target_path;
    bool allowed;

    if (*drive->report->options.target)
        anchor = fs_path_parent(target_path, scratch);
    FS_TRY(fs_reader_may_read(&allowed, drive->reader,
                              drive->report->options.target_rev, anchor,
                              scratch));
    if (!allowed)
        return FS_ERROR(FS_ERR_ROOT_UNREADABLE,
                        "not authorized to open the root of the edit");
    return NULL;
}

static fs_error_t *check_operands(const fs_report_t *report,
                                  const source_t *source,
                                  const target_t *target)
{
    if (*report->options.target)
        return NULL;
    if (!target->node)
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "target path '%s' does not exist in revision "
                        "%" FS_REV_FMT,
                        target->path, report->options.target_rev);
    if (!is_dir(source->node) || !is_dir(target->node))
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "cannot replace a directory from within");
    return NULL;
}

static fs_error_t *drive_edit(drive_t *drive, void *edit,
                              const fs_report_entry_t *top, source_t source,
                              const target_t *target, apr_pool_t *scratch)
{
    const fs_report_options_t *options = &drive->report->options;
    const fs_editor_t *editor = drive->editor;
    place_t place = { options->target, top->depth, options->depth };
    const fs_node_t *shown = target->node;
    void *root;

    FS_TRY(editor->set_target_revision(edit, options->target_rev, scratch));
    if (*options->target)
        FS_TRY(fs_node_find(&shown, drive->target_root,
                            fs_path_parent(target->path, scratch), scratch));
    FS_TRY(editor->open_root(&root, edit, fs_root_rev(source.root), shown,
                             scratch));
    if (*options->target) {
        if (!source.node && FS_IS_REV(top->rev) && !top->link_path)
            source.path = NULL;
        FS_TRY(
            compare_entry(drive, root, source, *target, &place, top, scratch));
    } else {
        FS_TRY(compare_dirs(drive, root, &source, target->node, &place,
                            top->start_empty, scratch));
    }
    FS_TRY(editor->close_dir(root, scratch));
    return editor->close_edit(edit, scratch);
}

static fs_error_t *prepare_and_drive(drive_t *drive, void *edit,
                                     const fs_report_entry_t *top, fs_rev_t rev,
                                     apr_pool_t *scratch)
{
    const fs_report_options_t *options = &drive->report->options;
    source_t source = { NULL, NULL, NULL };
    target_t target = { NULL, NULL };

    source.path = fs_path_join(options->anchor, options->target, scratch);
    target.path = options->switch_path ? options->switch_path : source.path;
    FS_TRY(check_anchor(drive, target.path, scratch));

    FS_TRY(fs_root_open(&drive->target_root, drive->report->repo,
                        options->target_rev, scratch));
    FS_TRY(open_source_root(&source.root, drive, drive->target_root, rev,
                            scratch));
    FS_TRY(fs_node_find(&source.node, source.root, source.path, scratch));
    FS_TRY(
        fs_node_find(&target.node, drive->target_root, target.path, scratch));
    FS_TRY(check_operands(drive->report, &source, &target));
    return drive_edit(drive, edit, top, source, &target, scratch);
}

fs_error_t *fs_drive(fs_report_t *report, const fs_reader_t *reader,
                     const fs_editor_t *editor, void *edit, apr_pool_t *scratch)
{
    drive_t drive = { 0 };
    fs_report_entry_t top;
    fs_rev_t rev = FS_INVALID_REV;
    fs_error_t *err;

    drive.report = report;
    drive.reader = reader;
    drive.editor = editor;
    drive.is_switch = report->options.switch_path != NULL;
    fs_node_edit_init(&drive.nodes, report->repo, editor, true,
                      report->options.text_deltas, scratch);
    apr_pool_create(&drive.next_pool, scratch);
    apr_pool_create(&drive.spare_pool, scratch);

    FS_TRY(read_top(&top, &rev, &drive, scratch));
    err = prepare_and_drive(&drive, edit, &top, rev, scratch);
    if (err && editor->abort_edit)
        editor->abort_edit(edit, scratch);
    return err;
}
