/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a revision a reader may see, by the paths that it changed. */

#include "libfs/history/visibility.h"

#include <string.h>

#include "libfs/history/rev_arg.h"
#include "libfs/tree/tree.h"

/* What was met so far among a revision's changes. */
typedef struct tally_t {
    const fs_reader_t *reader;
    fs_rev_t rev;
    bool readable; /* something that may be shown */
    bool hidden;   /* something that may not */
} tally_t;

fs_error_t *fs_visibility_change(bool *path_ok, bool *copyfrom_ok,
                                 const fs_change_t *change, fs_rev_t rev,
                                 const fs_reader_t *reader, apr_pool_t *scratch)
{
    *copyfrom_ok = true;
    FS_TRY(fs_reader_may_read(path_ok, reader, rev, change->path, scratch));
    if (!*path_ok || !change->copyfrom_path)
        return NULL;
    return fs_reader_may_read(copyfrom_ok, reader, change->copyfrom_rev,
                              change->copyfrom_path, scratch);
}

static fs_error_t *tally_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    tally_t *tally = baton;
    bool path_ok, copyfrom_ok;

    if (tally->readable && tally->hidden)
        return NULL; /* nothing can change the answer any more */
    FS_TRY(fs_visibility_change(&path_ok, &copyfrom_ok, change, tally->rev,
                                tally->reader, scratch));
    if (path_ok)
        tally->readable = true;
    if (!path_ok || !copyfrom_ok)
        tally->hidden = true;
    return NULL;
}

fs_error_t *fs_visibility_known(fs_visibility_t *visibility, fs_repo_t *repo,
                                fs_rev_t rev, const fs_reader_t *reader,
                                apr_pool_t *scratch)
{
    tally_t tally = { reader, rev, false, false };

    *visibility = FS_VISIBLE_ALL;
    if (!fs_reader_asks(reader) || rev == 0)
        return NULL;
    FS_TRY(fs_root_changes_known(repo, rev, tally_change, &tally, scratch));
    if (tally.hidden)
        *visibility = tally.readable ? FS_VISIBLE_SOME : FS_VISIBLE_NONE;
    return NULL;
}

fs_error_t *fs_rev_visibility(fs_visibility_t *visibility, fs_repo_t *repo,
                              fs_rev_t rev, const fs_reader_t *reader,
                              apr_pool_t *scratch)
{
    fs_rev_t youngest;

    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    FS_TRY(fs_rev_arg_resolve(&rev, youngest));
    return fs_visibility_known(visibility, repo, rev, reader, scratch);
}

bool fs_visibility_shows(fs_visibility_t visibility, const char *name)
{
    switch (visibility) {
    case FS_VISIBLE_ALL:
        return true;
    case FS_VISIBLE_SOME:
        return strcmp(name, "svn:author") == 0 || strcmp(name, "svn:date") == 0;
    case FS_VISIBLE_NONE:
        break;
    }
    return false;
}

fs_error_t *fs_rev_visible_props(apr_hash_t **props, fs_repo_t *repo,
                                 fs_rev_t rev, const fs_reader_t *reader,
                                 apr_pool_t *result)
{
    static const char *const basic[] = { "svn:author", "svn:date" };
    fs_visibility_t visibility;
    fs_rev_t youngest;
    apr_pool_t *scratch;
    int i;

    apr_pool_create(&scratch, result);
    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    FS_TRY(fs_rev_arg_resolve(&rev, youngest));
    FS_TRY(fs_visibility_known(&visibility, repo, rev, reader, scratch));
    if (visibility == FS_VISIBLE_ALL) {
        FS_TRY(fs_repo_revprops(props, repo, rev, result, scratch));
    } else {
        *props = apr_hash_make(result);
        for (i = 0; visibility == FS_VISIBLE_SOME && i < 2; i++) {
            const fs_bytes_t *value;

            FS_TRY(
                fs_repo_revprop(&value, repo, rev, basic[i], result, scratch));
            if (value)
                apr_hash_set(*props, basic[i], APR_HASH_KEY_STRING, value);
        }
    }
    apr_pool_destroy(scratch);
    return NULL;
}
