/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a revision merged. First the changed paths with changed mergeinfo are
 * compared with what they were made from; then targets that only inherit.
 */

#include "libfs/history/log_news.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/base/mergeinfo.h"
#include "libfs/history/mergeinfo_tree.h"
#include "libfs/history/visibility.h"
#include "libfs/tree/tree.h"

/* A changed path whose mergeinfo may have changed. */
typedef struct candidate_t {
    const char *path;
    fs_action_t action;
    const char *base_path; /* what it was made from; NULL: nothing */
    fs_rev_t base_rev;
} candidate_t;

typedef struct news_t {
    const fs_log_t *log;
    fs_root_t *root;
    fs_rev_t rev;
    apr_array_header_t *candidates; /* of candidate_t */
    bool something_added;           /* an add or replace is among the changes */
    apr_hash_t *changed;            /* paths whose mergeinfo did change */
    apr_hash_t *targets;            /* the targets, for look-up */
    apr_hash_t *added;
    apr_hash_t *deleted;
    apr_pool_t *result;  /* of added and deleted */
    apr_pool_t *scratch; /* of the rest */
} news_t;

/* Is `path`, or a parent of it, a key of `set`? */
static bool has_at_or_above(apr_hash_t *set, const char *path)
{
    apr_size_t len = strlen(path);

    for (;;) {
        if (apr_hash_get(set, path, (apr_ssize_t)len))
            return true;
        if (len <= 1)
            return false;
        while (len > 1 && path[len - 1] != '/')
            len--;
        if (len > 1)
            len--;
    }
}

/* ---- changed paths ---- */

/* Keep the changes that may have changed mergeinfo. */
static fs_error_t *collect(void *baton, const fs_change_t *change,
                           apr_pool_t *scratch)
{
    news_t *news = baton;
    candidate_t *candidate;
    bool path_ok, copyfrom_ok;

    if (change->action == FS_ACTION_ADD || change->action == FS_ACTION_REPLACE)
        news->something_added = true;
    if (!change->prop_mod || change->mergeinfo_mod == FS_NO ||
        change->action == FS_ACTION_DELETE)
        return NULL;
    FS_TRY(fs_visibility_change(&path_ok, &copyfrom_ok, change, news->rev,
                                news->log->reader, scratch));
    if (!path_ok)
        return NULL;
    candidate = apr_array_push(news->candidates);
    candidate->path = apr_pstrdup(news->scratch, change->path);
    candidate->action = change->action;
    candidate->base_path = NULL;
    candidate->base_rev = FS_INVALID_REV;
    if (change->copyfrom_path && copyfrom_ok) {
        candidate->base_path =
            apr_pstrdup(news->scratch, change->copyfrom_path);
        candidate->base_rev = change->copyfrom_rev;
    }
    return NULL;
}

/*
 * Where `node` came from if a copy of it or of a parent was made in the very
 * revision; `*path` is NULL otherwise.
 */
static fs_error_t *source_of(const char **path, fs_rev_t *rev,
                             const news_t *news, const fs_node_t *node,
                             apr_pool_t *result)
{
    const fs_node_t *copy;
    const char *copy_path, *from;
    fs_rev_t copy_rev;

    *path = NULL;
    FS_TRY(fs_node_closest_copy(&copy_rev, &copy_path, node, result));
    if (!copy_path || copy_rev != news->rev)
        return NULL;
    FS_TRY(fs_node_need(&copy, news->root, copy_path, result));
    fs_node_copyfrom(rev, &from, copy);
    if (from)
        *path = fs_path_join(from, fs_path_below(copy_path, fs_node_path(node)),
                             result);
    return NULL;
}

/* Find what a modified path was before. */
static fs_error_t *find_base(candidate_t *candidate, const news_t *news,
                             const fs_node_t *node, apr_pool_t *result)
{
    if (candidate->action != FS_ACTION_MODIFY)
        return NULL;
    candidate->base_path = NULL;
    if (news->something_added)
        FS_TRY(source_of(&candidate->base_path, &candidate->base_rev, news,
                         node, result));
    if (!candidate->base_path) {
        candidate->base_path = candidate->path;
        candidate->base_rev = news->rev - 1;
    }
    return NULL;
}

static bool values_equal(const fs_bytes_t *a, const fs_bytes_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/*
 * Leave out the lines with which both values begin, and those with which both
 * end: they make no difference, and a value of hundreds of lines changes in
 * one or two.
 */
static void leave_common_lines(fs_bytes_t *a, fs_bytes_t *b)
{
    apr_size_t len = a->len < b->len ? a->len : b->len;
    apr_size_t at = 0, start = 0, end = 0;

    for (at = 0; at < len && a->data[at] == b->data[at]; at++)
        if (a->data[at] == '\n')
            start = at + 1;
    a->data += start;
    b->data += start;
    a->len -= start;
    b->len -= start;
    len -= start;
    for (at = 0;
         at < len && a->data[a->len - 1 - at] == b->data[b->len - 1 - at]; at++)
        if (a->data[a->len - 1 - at] == '\n')
            end = at; /* what follows that newline */
    a->len -= end;
    b->len -= end;
}

/* The values of the candidate on both sides. */
static fs_error_t *parse_both(apr_hash_t **before, apr_hash_t **after,
                              const fs_bytes_t *old_value,
                              const fs_bytes_t *new_value, apr_pool_t *scratch)
{
    fs_bytes_t a = *old_value, b = *new_value;

    leave_common_lines(&a, &b);
    FS_TRY(fs_mergeinfo_parse(before, a.data, a.len, scratch));
    return fs_mergeinfo_parse(after, b.data, b.len, scratch);
}

/* The mergeinfo that holds for a path without a value of its own. */
static fs_error_t *inherited_in(apr_hash_t **mergeinfo, const news_t *news,
                                const char *path, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    fs_root_t *root;
    bool exists;

    FS_TRY(fs_root_open_known(&root, news->log->repo, rev, scratch));
    return fs_mergeinfo_tree_find(mergeinfo, &exists, root, path,
                                  FS_MERGEINFO_INHERITED, true, scratch,
                                  scratch);
}

/*
 * The candidate's value before and after; both NULL if it did not change. A
 * side without a value has what it inherits.
 */
static fs_error_t *both_values(apr_hash_t **before, apr_hash_t **after,
                               bool *changed, const news_t *news,
                               candidate_t *candidate, apr_pool_t *scratch)
{
    const fs_bytes_t *old_value = NULL;
    const fs_bytes_t *new_value;
    const fs_node_t *node, *base = NULL;
    fs_root_t *base_root;

    *before = NULL;
    *after = NULL;
    *changed = false;
    FS_TRY(fs_node_find(&node, news->root, candidate->path, scratch));
    if (!node)
        return NULL; /* old writers recorded a change too many at times */
    FS_TRY(fs_mergeinfo_tree_value(&new_value, node, scratch));
    FS_TRY(find_base(candidate, news, node, scratch));
    if (candidate->base_path) {
        FS_TRY(fs_root_open_known(&base_root, news->log->repo,
                                  candidate->base_rev, scratch));
        FS_TRY(fs_node_find(&base, base_root, candidate->base_path, scratch));
    }
    if (base)
        FS_TRY(fs_mergeinfo_tree_value(&old_value, base, scratch));
    if (!old_value && !new_value)
        return NULL;
    if (old_value && new_value && values_equal(old_value, new_value))
        return NULL;
    *changed = true;
    if (old_value && new_value)
        return parse_both(before, after, old_value, new_value, scratch);
    if (old_value)
        FS_TRY(fs_mergeinfo_parse(before, old_value->data, old_value->len,
                                  scratch));
    else if (base)
        FS_TRY(inherited_in(before, news, candidate->base_path,
                            candidate->base_rev, scratch));
    if (new_value)
        return fs_mergeinfo_parse(after, new_value->data, new_value->len,
                                  scratch);
    return inherited_in(after, news, candidate->path, news->rev, scratch);
}

/* Note a difference, as far as it is not above the youngest revision. */
static void note_diff(news_t *news, apr_hash_t *before, apr_hash_t *after,
                      apr_pool_t *scratch)
{
    fs_rev_t youngest = news->log->youngest;
    apr_hash_t *deleted, *added;

    fs_mergeinfo_diff(&deleted, &added, before, after, false, scratch);
    fs_mergeinfo_add(news->deleted,
                     fs_mergeinfo_clip(deleted, youngest, scratch),
                     news->result, scratch);
    fs_mergeinfo_add(news->added, fs_mergeinfo_clip(added, youngest, scratch),
                     news->result, scratch);
}

static fs_error_t *look_at_candidates(news_t *news)
{
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, news->scratch);
    for (i = 0; i < news->candidates->nelts; i++) {
        candidate_t *candidate =
            &APR_ARRAY_IDX(news->candidates, i, candidate_t);
        apr_hash_t *before, *after;
        bool changed;

        apr_pool_clear(iter);
        FS_TRY(both_values(&before, &after, &changed, news, candidate, iter));
        if (!changed)
            continue;
        apr_hash_set(news->changed, candidate->path, APR_HASH_KEY_STRING,
                     candidate->path);
        if (has_at_or_above(news->targets, candidate->path))
            note_diff(news, before, after, iter);
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- targets that inherit ---- */

/* What holds for a path in one revision. */
typedef struct holding_t {
    bool exists;
    apr_hash_t *own;    /* itself or inherited, adjusted; NULL: none */
    apr_hash_t *parent; /* of the nearest parent that has it, as it is there */
} holding_t;

static fs_error_t *find_holding(holding_t *holding, fs_root_t *root,
                                const char *path, apr_pool_t *scratch)
{
    holding->own = NULL;
    holding->parent = NULL;
    FS_TRY(fs_mergeinfo_tree_find(&holding->own, &holding->exists, root, path,
                                  FS_MERGEINFO_INHERITED, true, scratch,
                                  scratch));
    if (!holding->exists || strcmp(path, "/") == 0)
        return NULL;
    return fs_mergeinfo_tree_find(&holding->parent, &holding->exists, root,
                                  path, FS_MERGEINFO_NEAREST_ANCESTOR, false,
                                  scratch, scratch);
}

/* Did the nearest parent that has mergeinfo get another one? */
static bool parent_changed(const holding_t *before, const holding_t *after,
                           apr_pool_t *scratch)
{
    if (!before->parent)
        return false; /* the very first merge into a parent does not count */
    return !after->parent ||
           !fs_mergeinfo_equal(before->parent, after->parent, true, scratch);
}

static fs_error_t *look_at_target(news_t *news, const char *target,
                                  apr_pool_t *scratch)
{
    holding_t before, after;
    const fs_node_t *node;
    const char *before_path;
    fs_rev_t before_rev;
    fs_root_t *before_root;
    bool readable;

    FS_TRY(fs_node_find(&node, news->root, target, scratch));
    if (!node)
        return NULL;
    FS_TRY(source_of(&before_path, &before_rev, news, node, scratch));
    if (!before_path) {
        before_path = target;
        before_rev = news->rev - 1;
    }
    FS_TRY(fs_reader_may_read(&readable, news->log->reader, before_rev,
                              before_path, scratch));
    if (!readable)
        return NULL;
    FS_TRY(
        fs_root_open_known(&before_root, news->log->repo, before_rev, scratch));
    FS_TRY(find_holding(&before, before_root, before_path, scratch));
    if (!before.exists)
        return NULL;
    FS_TRY(find_holding(&after, news->root, target, scratch));
    if ((before.own || after.own) && parent_changed(&before, &after, scratch))
        note_diff(news, before.own, after.own, scratch);
    return NULL;
}

static fs_error_t *look_at_targets(news_t *news,
                                   const apr_array_header_t *targets)
{
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, news->scratch);
    for (i = 0; i < targets->nelts; i++) {
        const char *target = APR_ARRAY_IDX(targets, i, const char *);
        fs_error_t *err;

        apr_pool_clear(iter);
        if (apr_hash_get(news->changed, target, APR_HASH_KEY_STRING))
            continue;
        err = look_at_target(news, target, iter);
        if (err && err->code == FS_ERR_MERGEINFO) {
            fs_error_clear(err);
            continue;
        }
        FS_TRY(err);
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- the whole ---- */

static void add_targets(news_t *news, const apr_array_header_t *targets)
{
    int i;

    for (i = 0; i < targets->nelts; i++) {
        const char *target = APR_ARRAY_IDX(targets, i, const char *);

        apr_hash_set(news->targets, target, APR_HASH_KEY_STRING, target);
    }
}

static fs_error_t *find_news(news_t *news, const apr_array_header_t *targets)
{
    fs_error_t *err;

    FS_TRY(fs_root_changes_known(news->log->repo, news->rev, collect, news,
                                 news->scratch));
    if (news->candidates->nelts == 0)
        return NULL;
    FS_TRY(fs_root_open_known(&news->root, news->log->repo, news->rev,
                              news->scratch));
    add_targets(news, targets);
    err = look_at_candidates(news);
    if (err && err->code == FS_ERR_MERGEINFO) {
        /* With one value that nobody understands nothing counts as merged. */
        fs_error_clear(err);
        apr_hash_clear(news->added);
        apr_hash_clear(news->deleted);
        return NULL;
    }
    FS_TRY(err);
    if (apr_hash_count(news->changed) == 0)
        return NULL;
    return look_at_targets(news, targets);
}

fs_error_t *fs_log_news(apr_hash_t **added, apr_hash_t **deleted,
                        const fs_log_t *log, fs_rev_t rev,
                        const apr_array_header_t *targets, apr_pool_t *result,
                        apr_pool_t *scratch)
{
    news_t news = { 0 };

    *added = apr_hash_make(result);
    *deleted = apr_hash_make(result);
    if (rev == 0 || targets->nelts == 0)
        return NULL;
    news.log = log;
    news.rev = rev;
    news.candidates = apr_array_make(scratch, 1, sizeof(candidate_t));
    news.changed = apr_hash_make(scratch);
    news.targets = apr_hash_make(scratch);
    news.added = *added;
    news.deleted = *deleted;
    news.result = result;
    news.scratch = scratch;
    return find_news(&news, targets);
}
