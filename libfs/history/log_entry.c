/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling one revision of a log. Changed paths go out as they are read, so how
 * much of the revision is visible is found out by a pass of its own before.
 */

#include "libfs/history/log_entry.h"

#include "libfs/history/visibility.h"
#include "libfs/tree/tree.h"

/* What the pass that tells changed paths carries along. */
typedef struct teller_t {
    const fs_log_t *log;
    fs_rev_t rev;
    fs_visibility_t visibility;
    fs_root_t *root; /* opened when a kind was not recorded */
    apr_pool_t *pool;
} teller_t;

/* Find out what kind of node a change is about. */
static fs_error_t *look_up_kind(fs_node_kind_t *kind, teller_t *teller,
                                const fs_change_t *change, apr_pool_t *scratch)
{
    if (!teller->root)
        FS_TRY(fs_root_open_known(&teller->root, teller->log->repo, teller->rev,
                                  teller->pool));
    return fs_change_kind(kind, teller->root, change, scratch);
}

/* Tell a change, without what the reader may not see of it. */
static fs_error_t *tell_change(void *baton, const fs_change_t *change,
                               apr_pool_t *scratch)
{
    teller_t *teller = baton;
    const fs_log_receiver_t *receiver = teller->log->receiver;
    bool path_ok = true;
    bool copyfrom_ok = true;
    fs_change_t shown;

    if (teller->visibility != FS_VISIBLE_ALL)
        FS_TRY(fs_visibility_change(&path_ok, &copyfrom_ok, change, teller->rev,
                                    teller->log->reader, scratch));
    if (!path_ok)
        return NULL;
    if (copyfrom_ok && change->kind != FS_NODE_UNKNOWN)
        return receiver->change(receiver->baton, change, scratch);
    shown = *change;
    if (!copyfrom_ok) {
        shown.copyfrom_path = NULL;
        shown.copyfrom_rev = FS_INVALID_REV;
    }
    if (shown.kind == FS_NODE_UNKNOWN)
        FS_TRY(look_up_kind(&shown.kind, teller, change, scratch));
    return receiver->change(receiver->baton, &shown, scratch);
}

static fs_error_t *tell_changes(fs_visibility_t *visibility,
                                const fs_log_t *log, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    teller_t teller = { log, rev, FS_VISIBLE_ALL, NULL, scratch };

    *visibility = FS_VISIBLE_ALL;
    if (rev == 0)
        return NULL;
    FS_TRY(
        fs_visibility_known(visibility, log->repo, rev, log->reader, scratch));
    if (!log->options->changed_paths || *visibility == FS_VISIBLE_NONE)
        return NULL;
    teller.visibility = *visibility;
    return fs_root_changes_known(log->repo, rev, tell_change, &teller, scratch);
}

/* The asked revision properties that may be shown; NULL if there are none. */
static fs_error_t *shown_revprops(apr_hash_t **shown, const fs_log_t *log,
                                  fs_rev_t rev, fs_visibility_t visibility,
                                  apr_pool_t *scratch)
{
    const apr_array_header_t *names = log->options->revprops;
    bool all = log->options->all_revprops;
    apr_hash_index_t *hi;
    apr_hash_t *props;
    int i;

    *shown = NULL;
    if (visibility == FS_VISIBLE_NONE || (!all && (!names || !names->nelts)))
        return NULL;
    FS_TRY(fs_repo_revprops(&props, log->repo, rev, scratch, scratch));
    if (all && visibility == FS_VISIBLE_ALL) {
        *shown = props;
        return NULL;
    }
    *shown = apr_hash_make(scratch);
    if (!all) {
        for (i = 0; i < names->nelts; i++) {
            const char *name = APR_ARRAY_IDX(names, i, const char *);

            if (fs_visibility_shows(visibility, name))
                apr_hash_set(*shown, name, APR_HASH_KEY_STRING,
                             apr_hash_get(props, name, APR_HASH_KEY_STRING));
        }
        return NULL;
    }
    for (hi = apr_hash_first(scratch, props); hi; hi = apr_hash_next(hi))
        if (fs_visibility_shows(visibility, apr_hash_this_key(hi)))
            apr_hash_set(*shown, apr_hash_this_key(hi),
                         apr_hash_this_key_len(hi), apr_hash_this_val(hi));
    return NULL;
}

fs_error_t *fs_log_entry_send(const fs_log_t *log, fs_rev_t rev,
                              bool has_children, bool subtractive,
                              apr_pool_t *scratch)
{
    fs_log_entry_t entry = { rev, NULL, has_children, subtractive };
    fs_visibility_t visibility;

    FS_TRY(tell_changes(&visibility, log, rev, scratch));
    FS_TRY(shown_revprops(&entry.revprops, log, rev, visibility, scratch));
    return log->receiver->entry(log->receiver->baton, &entry, scratch);
}

fs_error_t *fs_log_entry_end(const fs_log_t *log, apr_pool_t *scratch)
{
    fs_log_entry_t entry = { FS_INVALID_REV, NULL, false, false };

    return log->receiver->entry(log->receiver->baton, &entry, scratch);
}
