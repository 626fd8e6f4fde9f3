/* SPDX-License-Identifier: Apache-2.0 */
/* From a date to a revision. */

#include "libfs/fs_history.h"

#include "libfs/fs_time.h"

static fs_error_t *date_of(apr_time_t *date, fs_repo_t *repo, fs_rev_t rev,
                           apr_pool_t *scratch)
{
    const fs_bytes_t *value;
    fs_error_t *err;

    FS_TRY(fs_repo_revprop(&value, repo, rev, "svn:date", scratch, scratch));
    if (!value)
        return FS_ERROR(FS_ERR_GENERAL, "revision %" FS_REV_FMT " has no date",
                        rev);
    err = fs_time_parse(date, value->data, value->len);
    /* What is stored is not what the caller asked with. */
    if (err)
        return FS_WRAP_AS(err, FS_ERR_CORRUPT, "date of revision %" FS_REV_FMT,
                          rev);
    return NULL;
}

/*
 * Dates usually rise with revisions, but nothing demands it. Then the answer
 * depends on how one searches: stock programs look at the middle and at one
 * neighbour, and so do we.
 */
fs_error_t *fs_dated_rev(fs_rev_t *rev, fs_repo_t *repo, apr_time_t time,
                         apr_pool_t *scratch)
{
    fs_rev_t low = 0;
    fs_rev_t high;
    fs_rev_t youngest;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    FS_TRY(fs_repo_youngest(&youngest, repo, scratch));
    high = youngest;
    *rev = 0;
    while (low <= high) {
        fs_rev_t middle = low + (high - low) / 2;
        apr_time_t date;
        apr_time_t neighbour;

        apr_pool_clear(iter);
        *rev = middle;
        FS_TRY(date_of(&date, repo, middle, iter));
        if (date == time)
            break;
        if (date > time) {
            if (middle == 0)
                break;
            FS_TRY(date_of(&neighbour, repo, middle - 1, iter));
            *rev = middle - 1;
            if (neighbour <= time)
                break;
            high = middle - 1;
        } else {
            if (middle == youngest)
                break;
            FS_TRY(date_of(&neighbour, repo, middle + 1, iter));
            if (neighbour > time)
                break;
            low = middle + 1;
        }
    }
    apr_pool_destroy(iter);
    return NULL;
}
