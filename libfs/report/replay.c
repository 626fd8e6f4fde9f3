/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One revision told as the edit that made it.
 *
 * The changed paths are read into a table, sorted, and walked in order; the
 * directories on the way are opened and closed as the walk passes. A copy that
 * the receiver cannot follow is expanded: told as the addition of everything
 * in it, with what else happened below it in the same revision.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/fs_report.h"
#include "libfs/report/node_edit.h"
#include "libfs/tree/reader.h"

/* An open directory of the walk. */
typedef struct open_dir_t {
    const char *path; /* relpath */
    void *baton;
    apr_pool_t *pool; /* of the baton; cleared when it is closed */
} open_dir_t;

/* A directory that was added in this revision, with history or without:
 * decides against what the changes below it are told. */
typedef struct copied_t {
    const char *path;      /* relpath */
    const char *from_path; /* fspath; NULL: added without history */
    fs_rev_t from_rev;
} copied_t;

typedef struct replay_t {
    fs_node_edit_t nodes;
    const fs_editor_t *editor;
    const fs_reader_t *reader;
    const fs_replay_options_t *options;
    void *edit;
    fs_root_t *root;
    fs_root_t *before;   /* the revision before; NULL when texts are not sent */
    apr_hash_t *changes; /* relpath -> fs_change_t */
    apr_array_header_t *dirs;   /* of open_dir_t */
    apr_array_header_t *copies; /* of copied_t */
    apr_pool_t *pool;
} replay_t;

/* ---- which changes ---- */

typedef struct collect_t {
    replay_t *replay;
    apr_array_header_t *paths; /* of const char *, relpaths */
    apr_pool_t *pool;
} collect_t;

static bool is_of_interest(const char *base, const char *path)
{
    return fs_path_is_within(base, path) || fs_path_is_within(path, base);
}

static fs_error_t *collect(void *baton, const fs_change_t *change,
                           apr_pool_t *scratch)
{
    collect_t *c = baton;
    const char *path = change->path + 1;
    fs_change_t *copy;
    bool allowed;

    FS_TRY(fs_reader_may_read(&allowed, c->replay->reader,
                              fs_root_rev(c->replay->root), change->path,
                              scratch));
    if (!allowed || !is_of_interest(c->replay->options->base_path, path))
        return NULL;

    copy = apr_pmemdup(c->pool, change, sizeof(*copy));
    copy->path = apr_pstrdup(c->pool, change->path);
    copy->copyfrom_path = apr_pstrdup(c->pool, change->copyfrom_path);
    path = copy->path + 1;
    APR_ARRAY_PUSH(c->paths, const char *) = path;
    apr_hash_set(c->replay->changes, path, APR_HASH_KEY_STRING, copy);
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    return fs_path_compare(*(const char *const *)a, *(const char *const *)b);
}

/* ---- the walk ---- */

static void *top_dir(const replay_t *replay)
{
    return APR_ARRAY_IDX(replay->dirs, replay->dirs->nelts - 1, open_dir_t)
        .baton;
}

static open_dir_t *push_dir(replay_t *replay, const char *path)
{
    open_dir_t *dir = &APR_ARRAY_PUSH(replay->dirs, open_dir_t);

    apr_pool_create(&dir->pool, replay->pool);
    dir->path = apr_pstrdup(dir->pool, path);
    dir->baton = NULL;
    return dir;
}

static fs_error_t *close_top(replay_t *replay)
{
    open_dir_t *dir = apr_array_pop(replay->dirs);
    fs_error_t *err = replay->editor->close_dir(dir->baton, dir->pool);

    apr_pool_destroy(dir->pool);
    return err;
}

static fs_error_t *close_outside(replay_t *replay, const char *path)
{
    while (replay->dirs->nelts > 0) {
        const open_dir_t *dir =
            &APR_ARRAY_IDX(replay->dirs, replay->dirs->nelts - 1, open_dir_t);

        if (fs_path_is_within(dir->path, path) && strcmp(dir->path, path) != 0)
            return NULL;
        FS_TRY(close_top(replay));
    }
    return NULL;
}

static fs_error_t *find_target(const fs_node_t **node, replay_t *replay,
                               const char *path, apr_pool_t *result)
{
    return fs_node_need(node, replay->root,
                        apr_pstrcat(result, "/", path, NULL), result);
}

static fs_error_t *open_one(replay_t *replay, const char *path)
{
    void *parent = replay->dirs->nelts ? top_dir(replay) : NULL;
    open_dir_t *dir = push_dir(replay, path);
    const fs_node_t *target;
    fs_error_t *err = find_target(&target, replay, path, dir->pool);

    if (!err)
        err =
            parent
                ? replay->editor->open_dir(&dir->baton, parent, dir->path,
                                           FS_INVALID_REV, target, dir->pool)
                : replay->editor->open_root(&dir->baton, replay->edit,
                                            FS_INVALID_REV, target, dir->pool);
    if (err)
        apr_array_pop(replay->dirs);
    return err;
}

/* Open the directories between the innermost open one and `path`. */
static fs_error_t *open_parents(replay_t *replay, const char *path,
                                apr_pool_t *scratch)
{
    const char *at, *slash;

    if (!replay->dirs->nelts) {
        if (!*path)
            return NULL;
        FS_TRY(open_one(replay, ""));
    }
    at = path +
         strlen(APR_ARRAY_IDX(replay->dirs, replay->dirs->nelts - 1, open_dir_t)
                    .path);
    if (*at == '/')
        at++;
    while ((slash = strchr(at, '/')) != NULL) {
        FS_TRY(open_one(
            replay, apr_pstrmemdup(scratch, path, (apr_size_t)(slash - path))));
        at = slash + 1;
    }
    return NULL;
}

/* ---- sources ---- */

static const copied_t *innermost_copy(const replay_t *replay)
{
    return replay->copies->nelts
               ? &APR_ARRAY_IDX(replay->copies, replay->copies->nelts - 1,
                                copied_t)
               : NULL;
}

static void push_copy(replay_t *replay, const char *path, const char *from_path,
                      fs_rev_t from_rev)
{
    copied_t *copied = &APR_ARRAY_PUSH(replay->copies, copied_t);

    copied->path = apr_pstrdup(replay->pool, path);
    copied->from_path = apr_pstrdup(replay->pool, from_path);
    copied->from_rev = from_rev;
}

static void pop_copies_outside(replay_t *replay, const char *path)
{
    const copied_t *copied;

    while ((copied = innermost_copy(replay)) != NULL &&
           !fs_path_is_within(copied->path, path))
        apr_array_pop(replay->copies);
}

static const char *path_in_copy(const copied_t *copied, const char *path,
                                apr_pool_t *result)
{
    return fs_path_join(copied->from_path, fs_path_below(copied->path, path),
                        result);
}

/* Where `path` was before this revision: `*from_path` NULL for nowhere. */
static void place_before(const char **from_path, fs_rev_t *from_rev,
                         const replay_t *replay, const char *path,
                         apr_pool_t *result)
{
    const copied_t *copied = innermost_copy(replay);

    *from_path = NULL;
    *from_rev = FS_INVALID_REV;
    if (!copied) {
        *from_path = apr_pstrcat(result, "/", path, NULL);
        *from_rev = fs_root_rev(replay->root) - 1;
    } else if (copied->from_path) {
        *from_path = path_in_copy(copied, path, result);
        *from_rev = copied->from_rev;
    }
}

/* The node that a change is told against, NULL for none. */
static fs_error_t *find_before(const fs_node_t **node, const replay_t *replay,
                               const char *path, apr_pool_t *result)
{
    const char *from_path;
    fs_rev_t from_rev;
    fs_root_t *root = replay->before;

    *node = NULL;
    place_before(&from_path, &from_rev, replay, path, result);
    if (!from_path || !root)
        return NULL;
    if (from_rev != fs_root_rev(root))
        FS_TRY(
            fs_root_open(&root, fs_root_repo(replay->root), from_rev, result));
    return fs_node_find(node, root, from_path, result);
}

static fs_error_t *was_readable(bool *allowed, const replay_t *replay,
                                const char *path, apr_pool_t *scratch)
{
    const char *from_path;
    fs_rev_t from_rev;

    place_before(&from_path, &from_rev, replay, path, scratch);
    *allowed = true;
    if (!from_path)
        return NULL;
    return fs_reader_may_read(allowed, replay->reader, from_rev, from_path,
                              scratch);
}

/* ---- telling nodes ---- */

static fs_error_t *mark_props(replay_t *replay, void *baton,
                              const fs_node_t *target, apr_pool_t *scratch)
{
    return fs_node_kind(target) == FS_NODE_DIR
               ? replay->editor->dir_prop(baton, "", NULL, scratch)
               : replay->editor->file_prop(baton, "", NULL, scratch);
}

static fs_error_t *tell_props(replay_t *replay, void *baton,
                              const fs_node_t *source, const fs_node_t *target,
                              apr_pool_t *scratch)
{
    if (!replay->options->send_deltas)
        return mark_props(replay, baton, target, scratch);
    return fs_node_edit_props(&replay->nodes, baton, source, target, false,
                              scratch);
}

/* The text counts as changed because the revision says so, whatever it is. */
static fs_error_t *tell_text(replay_t *replay, void *file,
                             const fs_node_t *source, const fs_node_t *target,
                             apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];

    if (source && fs_node_kind(source) != FS_NODE_FILE)
        source = NULL;
    if (!replay->options->send_deltas)
        return replay->editor->file_text(file, NULL, NULL, NULL, scratch);
    if (source)
        FS_TRY(fs_node_md5(md5, source, scratch));
    return replay->editor->file_text(file, source, source ? md5 : NULL, target,
                                     scratch);
}

/* ---- expanded copies ---- */

static fs_error_t *add_subdir(replay_t *replay, void **dir, void *parent,
                              const fs_node_t *source, const char *path,
                              apr_pool_t *result);

static fs_error_t *add_plain_file(replay_t *replay, void *parent,
                                  const char *path, const fs_node_t *target,
                                  apr_pool_t *scratch)
{
    void *file;

    FS_TRY(replay->editor->add_file(&file, parent, path, NULL, FS_INVALID_REV,
                                    target, scratch));
    FS_TRY(tell_props(replay, file, NULL, target, scratch));
    FS_TRY(tell_text(replay, file, NULL, target, scratch));
    return fs_node_edit_close_file(&replay->nodes, file, target, scratch);
}

/* A child of an expanded copy: as it is in this revision, `*source` being
 * where it came from. False: it is told elsewhere or not at all. */
static fs_error_t *resolve_child(bool *tell, const fs_node_t **source,
                                 replay_t *replay, const char *path,
                                 apr_pool_t *scratch)
{
    const fs_change_t *change =
        apr_hash_get(replay->changes, path, APR_HASH_KEY_STRING);
    fs_root_t *root;
    bool allowed;

    *tell = false;
    if (change) {
        apr_hash_set(replay->changes, path, APR_HASH_KEY_STRING, NULL);
        if (change->action == FS_ACTION_DELETE)
            return NULL;
        if (change->action == FS_ACTION_REPLACE) {
            if (change->copyfrom_path) {
                FS_TRY(fs_root_open(&root, fs_root_repo(replay->root),
                                    change->copyfrom_rev, scratch));
                FS_TRY(
                    fs_node_find(source, root, change->copyfrom_path, scratch));
            } else {
                FS_TRY(find_target(source, replay, path, scratch));
            }
        }
    }
    if (!*source)
        return NULL;
    FS_TRY(fs_reader_may_read(&allowed, replay->reader,
                              fs_root_rev(replay->root),
                              apr_pstrcat(scratch, "/", path, NULL), scratch));
    *tell = allowed;
    return NULL;
}

static fs_error_t *add_child(replay_t *replay, void *parent,
                             const fs_node_t *source, const char *path,
                             apr_pool_t *scratch)
{
    const fs_node_t *target;
    bool tell;
    void *dir;

    FS_TRY(resolve_child(&tell, &source, replay, path, scratch));
    if (!tell)
        return NULL;
    FS_TRY(find_target(&target, replay, path, scratch));
    if (fs_node_kind(target) == FS_NODE_FILE)
        return add_plain_file(replay, parent, path, target, scratch);
    FS_TRY(add_subdir(replay, &dir, parent, source, path, scratch));
    return replay->editor->close_dir(dir, scratch);
}

/* Entries come from the source, since what was added or copied into the copy
 * in this revision has changes of its own. */
static fs_error_t *add_subdir(replay_t *replay, void **dir, void *parent,
                              const fs_node_t *source, const char *path,
                              apr_pool_t *result)
{
    const fs_node_t *target, *child;
    const fs_dirent_t *entry;
    apr_pool_t *iter;
    fs_dir_t *reading;

    FS_TRY(find_target(&target, replay, path, result));
    FS_TRY(replay->editor->add_dir(dir, parent, path, NULL, FS_INVALID_REV,
                                   target, result));
    FS_TRY(tell_props(replay, *dir, NULL, target, result));
    if (fs_node_kind(source) != FS_NODE_DIR)
        return NULL;

    FS_TRY(fs_dir_open(&reading, source, result));
    apr_pool_create(&iter, result);
    for (;;) {
        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, reading));
        if (!entry)
            break;
        FS_TRY(fs_dir_node(&child, source, entry, iter));
        FS_TRY(add_child(replay, *dir, child,
                         fs_path_join(path, entry->name, iter), iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- one changed path ---- */

/* A change on its way through the steps below. */
typedef struct step_t {
    const fs_change_t *change;
    const char *path;        /* relpath */
    const fs_node_t *target; /* in this revision */
    const fs_node_t *source; /* what it is told against; NULL: nothing */
    bool expanded;           /* a copy that is told as a plain addition */
    void *baton;             /* the editor's, of the node */
} step_t;

/* Can the receiver follow the copy? */
static fs_error_t *copy_is_kept(bool *kept, replay_t *replay,
                                const fs_change_t *change, apr_pool_t *scratch)
{
    *kept = false;
    if (!change->copyfrom_path ||
        !fs_path_is_within(replay->options->base_path,
                           change->copyfrom_path + 1) ||
        change->copyfrom_rev < replay->options->low_water)
        return NULL;
    return fs_reader_may_read(kept, replay->reader, change->copyfrom_rev,
                              change->copyfrom_path, scratch);
}

static fs_error_t *find_copy_source(const fs_node_t **source, replay_t *replay,
                                    const fs_change_t *change,
                                    apr_pool_t *result)
{
    fs_root_t *root;

    FS_TRY(fs_root_open(&root, fs_root_repo(replay->root), change->copyfrom_rev,
                        result));
    return fs_node_need(source, root, change->copyfrom_path, result);
}

static fs_error_t *add_dir(replay_t *replay, step_t *step, bool kept,
                           apr_pool_t *scratch)
{
    const fs_change_t *change = step->change;
    void *parent = top_dir(replay);
    open_dir_t *dir = push_dir(replay, step->path);
    fs_error_t *err;

    if (step->expanded) {
        const fs_node_t *source;

        err = find_copy_source(&source, replay, change, scratch);
        if (!err)
            err = add_subdir(replay, &dir->baton, parent, source, dir->path,
                             dir->pool);
    } else {
        err = replay->editor->add_dir(
            &dir->baton, parent, dir->path, kept ? change->copyfrom_path : NULL,
            kept ? change->copyfrom_rev : FS_INVALID_REV, step->target,
            dir->pool);
    }
    if (err) {
        apr_array_pop(replay->dirs);
        return err;
    }
    step->baton = dir->baton;

    /* An addition without history ends what an outer copy means below it. */
    if (kept)
        push_copy(replay, step->path, change->copyfrom_path,
                  change->copyfrom_rev);
    else if (innermost_copy(replay))
        push_copy(replay, step->path, NULL, FS_INVALID_REV);
    return NULL;
}

static fs_error_t *add_node(replay_t *replay, step_t *step, apr_pool_t *scratch)
{
    const fs_change_t *change = step->change;
    bool kept;

    FS_TRY(copy_is_kept(&kept, replay, change, scratch));
    step->expanded = change->copyfrom_path && !kept;
    step->source = NULL;
    if (kept && replay->before)
        FS_TRY(find_copy_source(&step->source, replay, change, scratch));
    if (fs_node_kind(step->target) == FS_NODE_DIR)
        return add_dir(replay, step, kept, scratch);
    return replay->editor->add_file(
        &step->baton, top_dir(replay), step->path,
        kept ? change->copyfrom_path : NULL,
        kept ? change->copyfrom_rev : FS_INVALID_REV, step->target, scratch);
}

static fs_error_t *open_node(replay_t *replay, step_t *step,
                             apr_pool_t *scratch)
{
    FS_TRY(find_before(&step->source, replay, step->path, scratch));
    if (fs_node_kind(step->target) == FS_NODE_FILE)
        return replay->editor->open_file(&step->baton, top_dir(replay),
                                         step->path, FS_INVALID_REV,
                                         step->target, scratch);
    FS_TRY(open_one(replay, step->path));
    step->baton = top_dir(replay);
    return NULL;
}

static fs_error_t *tell_changes(replay_t *replay, const step_t *step,
                                apr_pool_t *scratch)
{
    const fs_change_t *change = step->change;
    bool is_file = fs_node_kind(step->target) == FS_NODE_FILE;

    if (change->prop_mod || (step->expanded && is_file))
        FS_TRY(tell_props(replay, step->baton, step->source, step->target,
                          scratch));
    if (!is_file)
        return NULL;
    if (change->text_mod || step->expanded)
        FS_TRY(tell_text(replay, step->baton, step->source, step->target,
                         scratch));
    return fs_node_edit_close_file(&replay->nodes, step->baton, step->target,
                                   scratch);
}

static fs_error_t *replay_path(replay_t *replay, const char *path,
                               apr_pool_t *scratch)
{
    step_t step = { 0 };
    bool readable;

    step.change = apr_hash_get(replay->changes, path, APR_HASH_KEY_STRING);
    if (!step.change)
        return NULL; /* told with an expanded copy */
    step.path = path;
    FS_TRY(close_outside(replay, path));
    FS_TRY(open_parents(replay, path, scratch));
    pop_copies_outside(replay, path);

    if (step.change->action == FS_ACTION_DELETE ||
        step.change->action == FS_ACTION_REPLACE) {
        FS_TRY(was_readable(&readable, replay, path, scratch));
        if (readable)
            FS_TRY(replay->editor->delete_entry(top_dir(replay), path,
                                                FS_INVALID_REV, scratch));
    }
    if (step.change->action == FS_ACTION_DELETE)
        return NULL;

    FS_TRY(find_target(&step.target, replay, path, scratch));
    if (step.change->action == FS_ACTION_MODIFY)
        FS_TRY(open_node(replay, &step, scratch));
    else
        FS_TRY(add_node(replay, &step, scratch));
    return tell_changes(replay, &step, scratch);
}

static fs_error_t *replay_all(replay_t *replay, const collect_t *found,
                              apr_pool_t *scratch)
{
    apr_pool_t *iter;
    int i;

    if (found->paths->nelts && *APR_ARRAY_IDX(found->paths, 0, const char *))
        FS_TRY(open_one(replay, ""));
    apr_pool_create(&iter, scratch);
    for (i = 0; i < found->paths->nelts; i++) {
        apr_pool_clear(iter);
        FS_TRY(replay_path(replay, APR_ARRAY_IDX(found->paths, i, const char *),
                           iter));
    }
    apr_pool_destroy(iter);
    while (replay->dirs->nelts)
        FS_TRY(close_top(replay));
    return NULL;
}

fs_error_t *fs_replay(fs_root_t *root, const fs_replay_options_t *options,
                      const fs_reader_t *reader, const fs_editor_t *editor,
                      void *edit, apr_pool_t *scratch)
{
    replay_t replay = { 0 };
    collect_t found = { &replay, NULL, scratch };
    fs_rev_t rev = fs_root_rev(root);

    FS_TRY(editor->set_target_revision(edit, rev, scratch));
    if (rev == 0)
        return NULL;

    replay.editor = editor;
    replay.reader = reader;
    replay.options = options;
    replay.edit = edit;
    replay.root = root;
    replay.pool = scratch;
    replay.changes = apr_hash_make(scratch);
    replay.dirs = apr_array_make(scratch, 16, sizeof(open_dir_t));
    replay.copies = apr_array_make(scratch, 4, sizeof(copied_t));
    fs_node_edit_init(&replay.nodes, fs_root_repo(root), editor, false, true,
                      scratch);
    if (options->send_deltas)
        FS_TRY(
            fs_root_open(&replay.before, fs_root_repo(root), rev - 1, scratch));

    found.paths = apr_array_make(scratch, 64, sizeof(const char *));
    FS_TRY(fs_root_changes(root, collect, &found, scratch));
    qsort(found.paths->elts, (size_t)found.paths->nelts, sizeof(const char *),
          by_path);
    return replay_all(&replay, &found, scratch);
}
