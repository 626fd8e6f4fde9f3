/* SPDX-License-Identifier: Apache-2.0 */
/* Values of svn:mergeinfo: parsing, writing, set algebra. */

#ifndef LIBFS_FS_MERGEINFO_H
#define LIBFS_FS_MERGEINFO_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Revisions start + 1 to end. */
typedef struct fs_merge_range_t {
    fs_rev_t start; /* exclusive */
    fs_rev_t end;   /* inclusive, > start */
    bool inheritable;
} fs_merge_range_t;

/**
 * A mergeinfo: apr_hash_t of source fspath (`const char *`) to an array of
 * fs_merge_range_t, ascending, joined, not overlapping. All functions leave
 * their arguments alone and return new values in `result`.
 */

/** Parse `len` bytes. Errors: FS_ERR_MERGEINFO, with what is wrong. */
fs_error_t *fs_mergeinfo_parse(apr_hash_t **mergeinfo, const char *text,
                               apr_size_t len,
                               apr_pool_t *result) FS_MUST_CHECK;

/** Canonical text: paths by bytes, no final newline. */
const char *fs_mergeinfo_format(apr_hash_t *mergeinfo, apr_pool_t *result);

/** Union; a revision is inheritable if it is in either. */
apr_hash_t *fs_mergeinfo_merge(apr_hash_t *a, apr_hash_t *b,
                               apr_pool_t *result);
/** Revisions in both. @param consider  marks must be equal too */
apr_hash_t *fs_mergeinfo_intersect(apr_hash_t *a, apr_hash_t *b, bool consider,
                                   apr_pool_t *result);
/** Revisions of `a` that are not in `b`. */
apr_hash_t *fs_mergeinfo_remove(apr_hash_t *a, apr_hash_t *b, bool consider,
                                apr_pool_t *result);
/** What `to` lacks of `from`, and what it has more. NULL is empty. */
void fs_mergeinfo_diff(apr_hash_t **deleted, apr_hash_t **added,
                       apr_hash_t *from, apr_hash_t *to, bool consider,
                       apr_pool_t *result);
bool fs_mergeinfo_equal(apr_hash_t *a, apr_hash_t *b, bool consider,
                        apr_pool_t *scratch);

/** Keep inheritable ranges only. */
apr_hash_t *fs_mergeinfo_inheritable(apr_hash_t *mergeinfo, apr_pool_t *result);
/** Append `relpath` to each source path. */
apr_hash_t *fs_mergeinfo_append(apr_hash_t *mergeinfo, const char *relpath,
                                apr_pool_t *result);

#endif
