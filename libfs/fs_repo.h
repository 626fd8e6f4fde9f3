/* SPDX-License-Identifier: Apache-2.0 */
/* A repository: opening it, its identity, its revisions' properties. */

#ifndef LIBFS_FS_REPO_H
#define LIBFS_FS_REPO_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "libcache/cache.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef struct fs_repo_t fs_repo_t;

/**
 * Open the repository in the folder `path`.
 *
 * @param options  table of `const char *` to `const char *` or NULL; an option
 *                 takes precedence over the repository's own fsfs.conf
 * @param cache    where decoded data is kept, or NULL; must outlive `repo`
 * @param result   `repo` lives here. It may be a pool of the process: it is
 *                 never allocated from after opening except under a lock
 *
 * Errors:  FS_ERR_NOT_FOUND, there is no repository (message without the host
 *          path); FS_ERR_UNSUPPORTED_REPO, FS_ERR_UNSUPPORTED_FORMAT, made by
 *          newer tools or by another back end; FS_ERR_BAD_FORMAT_FILE,
 *          FS_ERR_CORRUPT, half made or damaged; FS_ERR_BAD_ARGS, an option
 *          that no store knows, named; FS_ERR_BAD_CONFIG, fsfs.conf; FS_ERR_IO.
 * Threads: a repository serves many threads at once.
 * Cost:    some ten system calls.
 */
fs_error_t *fs_repo_open(fs_repo_t **repo, const char *path,
                         apr_hash_t *options, cache_t *cache,
                         apr_pool_t *result) FS_MUST_CHECK;

/**
 * Make a repository with an empty revision 0 in the folder `path`, which is
 * not there, or empty; its parent is there. Like `svnadmin create` makes it.
 *
 * @param options  table as for fs_repo_open(). "compatible-version" and
 *                 "shard-size" say what it is like, and those of fsfs.conf are
 *                 written there
 *
 * Errors: FS_ERR_FOLDER_NOT_EMPTY; FS_ERR_EXISTS, there is a file;
 *         FS_ERR_BAD_ARGS, an option, named, or the folder is a repository or
 *         lies in one; FS_ERR_IO. What was made is removed.
 * Cost:   some forty fsync, unless "nosync".
 */
fs_error_t *fs_repo_create(const char *path, apr_hash_t *options,
                           apr_pool_t *scratch) FS_MUST_CHECK;

/** The option table that stores understand: name, meaning; ends with NULL. */
typedef struct fs_option_t {
    const char *name;
    const char *meaning; /* with the unit and the default */
} fs_option_t;
const fs_option_t *fs_repo_options(void);

/**
 * Would fs_repo_open() take these options? Looks at no repository, so that
 * a configuration can be checked before there is one.
 * Errors: FS_ERR_BAD_ARGS, an option that no store knows, or one with a value
 *         that its store does not understand: names both and what is allowed.
 */
fs_error_t *fs_repo_check_options(apr_hash_t *options,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Is the opened repository still the one on disk? `*stale` becomes true when
 * the folder now holds another repository (replaced, restored, upgraded): the
 * caller drops this handle and opens anew.
 * Cost: one or two stat calls; call it once a request.
 */
fs_error_t *fs_repo_check(bool *stale, fs_repo_t *repo,
                          apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * A bounded set of open repositories that survives requests: what a server
 * process keeps. Handles are shared by threads and counted; one that is stale
 * or was not used for long is closed when nobody holds it.
 */
typedef struct fs_repo_set_t fs_repo_set_t;

/** @param max_idle  handles kept open without a user */
fs_error_t *fs_repo_set_create(fs_repo_set_t **set, int max_idle,
                               cache_t *cache,
                               apr_pool_t *process_pool) FS_MUST_CHECK;

/**
 * The repository at `path`, opened or found open and checked by
 * fs_repo_check(); held until `holder` is cleared. Errors as fs_repo_open().
 */
fs_error_t *fs_repo_set_get(fs_repo_t **repo, fs_repo_set_t *set,
                            const char *path, apr_hash_t *options,
                            apr_pool_t *holder) FS_MUST_CHECK;

/** The folder it was opened from (never shown to clients). */
const char *fs_repo_path(const fs_repo_t *repo);

/** UUID: 36 characters. */
const char *fs_repo_uuid(const fs_repo_t *repo);

/** Number of the store's format, for people and capabilities. */
int fs_repo_format(const fs_repo_t *repo);

/** Whether the store records mergeinfo (FSFS formats from 3 on). */
bool fs_repo_has_mergeinfo(const fs_repo_t *repo);

/** Identity of this instance, the `space` of its cache keys (16 bytes). */
const unsigned char *fs_repo_instance(const fs_repo_t *repo);

/** The cache that it uses; may be NULL. */
cache_t *fs_repo_cache(const fs_repo_t *repo);

/** Facts for people: names to texts (type, format, layout, addressing, packed
 *  ...; `configuration-file`, a path in the folder). Each store has its own. */
fs_error_t *fs_repo_facts(apr_array_header_t **facts /* apr_table_entry_t */,
                          fs_repo_t *repo, apr_pool_t *result) FS_MUST_CHECK;

/**
 * The highest revision. Looks at the disk each time: a request asks once.
 * Cost: one stat; a read when it moved.
 */
fs_error_t *fs_repo_youngest(fs_rev_t *rev, fs_repo_t *repo,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * The highest revision as of the last fs_repo_check(), fs_repo_set_get() or
 * fs_repo_youngest() by any thread: for who has just made one of these.
 * Cost: no system call.
 */
fs_rev_t fs_repo_youngest_known(fs_repo_t *repo);

/**
 * All properties of a revision as they are now: `const char *` to
 * `fs_bytes_t *`, in `result`.
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_CORRUPT.
 * Cost:   cached: one stat.
 */
fs_error_t *fs_repo_revprops(apr_hash_t **props, fs_repo_t *repo, fs_rev_t rev,
                             apr_pool_t *result,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/** One property of a revision, NULL if it has none of that name. */
fs_error_t *fs_repo_revprop(const fs_bytes_t **value, fs_repo_t *repo,
                            fs_rev_t rev, const char *name, apr_pool_t *result,
                            apr_pool_t *scratch) FS_MUST_CHECK;

/** What is to become of one property of a revision. */
typedef struct fs_revprop_change_t {
    const char *name;
    const fs_bytes_t *value;    /* NULL: delete it */
    bool compare;               /* only if it is `expected` now */
    const fs_bytes_t *expected; /* NULL: absent */
} fs_revprop_change_t;

/**
 * Change one property of a revision, durably; seen at once by all. Setting the
 * value that is there, and deleting what is not, write nothing. Runs no hooks.
 *
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_PROP_CHANGED, it was not `expected`;
 *         FS_ERR_BAD_ARGS, FS_ERR_BAD_PROPERTY_VALUE, the name or the value is
 *         not allowed; FS_ERR_TOO_LARGE, the revision's properties would have
 *         more than 512 MiB; FS_ERR_BUSY, other writers held the repository
 *         for too long (option "lock-timeout"), or it was replaced meanwhile;
 *         FS_ERR_CORRUPT; FS_ERR_IO.
 * Threads: any number; also beside other programs that write.
 * Cost:   two syncs, seldom up to six.
 */
fs_error_t *fs_repo_change_revprop(fs_repo_t *repo, fs_rev_t rev,
                                   const fs_revprop_change_t *change,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

/** Names of open transactions (`const char *`), sorted; of any writer. */
fs_error_t *fs_repo_txns(apr_array_header_t **names, fs_repo_t *repo,
                         apr_pool_t *result) FS_MUST_CHECK;

#endif
