/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store seam: what a kind of repository storage offers. Everything above
 * (trees, history, reports) knows this vtable alone; libfs/store/fsfs is the
 * first implementation, a database could be another.
 */

#ifndef LIBFS_STORE_STORE_H
#define LIBFS_STORE_STORE_H

#include <apr_hash.h>
#include <apr_tables.h>

#include "libcache/cache.h"
#include "libfs/fs_delta.h"
#include "libfs/fs_error.h"
#include "libfs/fs_repo.h"
#include "libfs/fs_stream.h"
#include "libfs/fs_types.h"

/** Reference to a stored content: a text, or a property list. Plain data. */
typedef struct fs_content_t {
    bool present;            /* false: nothing stored, the content is empty */
    unsigned char id[16];    /* where it is, for the store and as a key */
    apr_uint64_t stored_len; /* bytes as stored */
    apr_uint64_t size;       /* bytes of the content itself */
    apr_uint64_t edition;    /* equal ids with other editions: set anew to an
                                 equal value */
    bool has_md5;
    bool has_sha1;
    unsigned char md5[FS_MD5_SIZE];
    unsigned char sha1[FS_SHA1_SIZE];
} fs_content_t;

/** One node revision. Plain data; strings in the pool it was read into. */
typedef struct fs_node_record_t {
    fs_node_id_t id;
    fs_node_kind_t kind;
    unsigned char line[16];   /* equal: related, possibly across copies */
    unsigned char branch[16]; /* equal too: the same line, not across copies */
    bool has_pred;
    fs_node_id_t pred;
    apr_int64_t pred_count;
    fs_content_t text; /* of a directory: its entries */
    fs_content_t props;
    fs_rev_t created_rev;
    const char *created_path;
    fs_rev_t copyfrom_rev;     /* FS_INVALID_REV unless the copy made it */
    const char *copyfrom_path; /* NULL unless the copy made it */
    fs_rev_t copyroot_rev;     /* always set: its own place if it is the root */
    const char *copyroot_path; /* of its copy; 0 and "/" if never copied */
    apr_int64_t mergeinfo_count; /* nodes at or below with svn:mergeinfo */
    bool has_mergeinfo;
} fs_node_record_t;

/** One entry of a directory. */
typedef struct fs_store_entry_t {
    const char *name;
    fs_node_kind_t kind;
    fs_node_id_t id;
} fs_store_entry_t;

typedef struct fs_store_t fs_store_t;
typedef struct fs_store_dir_t fs_store_dir_t;

/** Receives one changed path of a revision; valid during the call. `kind` may
 *  be FS_NODE_UNKNOWN. (fields as fs_change_t of fs_tree.h) */
typedef struct fs_store_change_t {
    const char *path;
    char action; /* 'A' 'D' 'R' 'M' */
    fs_node_kind_t kind;
    bool text_mod;
    bool prop_mod;
    int mergeinfo_mod; /* 0, 1, 2: not recorded */
    fs_rev_t copyfrom_rev;
    const char *copyfrom_path;
} fs_store_change_t;

typedef fs_error_t *(*fs_store_change_fn)(void *baton,
                                          const fs_store_change_t *change,
                                          apr_pool_t *scratch);

/** One path lock; times in microseconds, expires 0: never. */
typedef struct fs_store_lock_t {
    const char *path;
    const char *token;
    const char *owner;
    const char *comment; /* NULL if none */
    bool is_dav_comment;
    apr_time_t created;
    apr_time_t expires;
} fs_store_lock_t;

/** Whether a lock is there at all: expired ones stay until a writer meets them,
 *  for all others they are gone. */
static inline bool fs_store_lock_in_force(const fs_store_lock_t *lock,
                                          apr_time_t now)
{
    return lock->expires == 0 || lock->expires > now;
}

typedef fs_error_t *(*fs_store_lock_fn)(void *baton,
                                        const fs_store_lock_t *lock,
                                        apr_pool_t *scratch);

/** What becomes of a path's lock. */
typedef enum fs_store_lock_step_t {
    FS_STORE_LOCK_KEEP, /* nothing is done */
    FS_STORE_LOCK_PUT,  /* `*put` takes the place of what is there */
    FS_STORE_LOCK_DROP
} fs_store_lock_step_t;

/** Decide about path number `index`, whose lock is `now` (NULL: none; expired
 *  ones are told too). */
typedef fs_error_t *(*fs_store_lock_edit_fn)(void *baton, int index,
                                             const fs_store_lock_t *now,
                                             fs_store_lock_step_t *step,
                                             const fs_store_lock_t **put,
                                             apr_pool_t *scratch);

/** What fs_store_t.delta() may hand out. */
typedef struct fs_stored_delta_t {
    /* One of the two is set: */
    fs_stream_t *svndiff;       /* encoded bytes, "SVN" header included */
    fs_delta_stream_t *windows; /* decoded */
} fs_stored_delta_t;

/**
 * The functions of a store. Unless said otherwise each serves many threads at
 * once, returns data in `result`, and reports damage as FS_ERR_CORRUPT (or
 * FS_ERR_INDEX_*) with revision and item in the message, host paths only in
 * deeper FS_ERR_IO levels.
 */
typedef struct fs_store_vtable_t {
    const char *name; /* "fsfs" */

    /** Options that this store knows; ends with a NULL name. */
    const fs_option_t *options;

    /** Does the store understand the values of `options`, all of which it
     *  knows? Errors: FS_ERR_BAD_ARGS, with name, value and what is allowed. */
    fs_error_t *(*check_options)(apr_hash_t *options, apr_pool_t *scratch);

    /** Does the repository folder `path` hold a store of this kind? */
    fs_error_t *(*probe)(bool *mine, const char *path, apr_pool_t *scratch);

    /** See fs_repo_create(); `options` holds known keys only. */
    fs_error_t *(*create)(const char *path, apr_hash_t *options,
                          apr_pool_t *scratch);

    /** Open; `options` holds known keys only. Lives in `result`. */
    fs_error_t *(*open)(fs_store_t **store, const char *path,
                        apr_hash_t *options, cache_t *cache,
                        apr_pool_t *result);

    /** See fs_repo_check(). */
    fs_error_t *(*check)(bool *stale, fs_store_t *store, apr_pool_t *scratch);

    /** Fixed facts of the opened store. */
    const char *(*uuid)(fs_store_t *store);
    const unsigned char *(*instance)(fs_store_t *store); /* 16 bytes */
    int (*format)(fs_store_t *store);
    bool (*has_mergeinfo)(fs_store_t *store);
    fs_error_t *(*facts)(apr_array_header_t **facts, fs_store_t *store,
                         apr_pool_t *result);

    fs_error_t *(*youngest)(fs_rev_t *rev, fs_store_t *store,
                            apr_pool_t *scratch);

    /** The same as of the last look by any thread; looks at nothing. */
    fs_rev_t (*youngest_known)(fs_store_t *store);

    /** Id of the root directory of `rev`, which is <= youngest. */
    fs_error_t *(*root_id)(fs_node_id_t *id, fs_store_t *store, fs_rev_t rev,
                           apr_pool_t *scratch);

    /** Read a node record. */
    fs_error_t *(*node)(const fs_node_record_t **record, fs_store_t *store,
                        const fs_node_id_t *id, apr_pool_t *result,
                        apr_pool_t *scratch);

    /** The entry `name` of the directory `record`, NULL if there is none.
     *  Cost: cached, one or two pages whatever the directory's size. */
    fs_error_t *(*dir_lookup)(const fs_store_entry_t **entry, fs_store_t *store,
                              const fs_node_record_t *record, const char *name,
                              apr_pool_t *result, apr_pool_t *scratch);

    /** Read entries in the order of name bytes, a page at a time. The cursor
     *  belongs to one thread and lives in `result`; an entry is valid until
     *  the next call. NULL entry: the end. */
    fs_error_t *(*dir_open)(fs_store_dir_t **dir, fs_store_t *store,
                            const fs_node_record_t *record, apr_pool_t *result);
    fs_error_t *(*dir_next)(const fs_store_entry_t **entry,
                            fs_store_dir_t *dir);

    /** A property list: `const char *` to `fs_bytes_t *`. */
    fs_error_t *(*props)(apr_hash_t **props, fs_store_t *store,
                         const fs_content_t *content, apr_pool_t *result,
                         apr_pool_t *scratch);

    /** A content's bytes from `offset` on; bounded memory; sums are checked
     *  (the digest when read from 0 to the end). */
    fs_error_t *(*open_content)(fs_stream_t **stream, fs_store_t *store,
                                const fs_content_t *content,
                                apr_uint64_t offset, apr_pool_t *result);

    /**
     * The stored delta of `content` against `base` (NULL: against nothing) if
     * there is exactly that. `versions`: bit mask of svndiff versions (1 << v)
     * of which raw bytes are wanted; 0: windows wanted. `*delta` is NULL if the
     * store has nothing that fits.
     */
    fs_error_t *(*open_stored_delta)(fs_stored_delta_t **delta,
                                     fs_store_t *store,
                                     const fs_content_t *base,
                                     const fs_content_t *content,
                                     unsigned int versions, apr_pool_t *result);

    /** These contents will be read soon; a hint, may do nothing. */
    void (*prefetch)(fs_store_t *store, const fs_content_t *const *contents,
                     int count);

    /** Tell the changed paths of `rev` in stored order. */
    fs_error_t *(*changes)(fs_store_t *store, fs_rev_t rev,
                           fs_store_change_fn receive, void *baton,
                           apr_pool_t *scratch);

    /** Revision properties as they are now. */
    fs_error_t *(*revprops)(apr_hash_t **props, fs_store_t *store, fs_rev_t rev,
                            apr_pool_t *result, apr_pool_t *scratch);

    /**
     * Make `count` changes of the properties of `rev` at once or, after an
     * error, none. Names and values were checked. Errors and cost as
     * fs_repo_change_revprop().
     */
    fs_error_t *(*change_revprops)(fs_store_t *store, fs_rev_t rev,
                                   const fs_revprop_change_t *changes,
                                   int count, apr_pool_t *scratch);

    /** Names of open transactions, sorted. */
    fs_error_t *(*txns)(apr_array_header_t **names, fs_store_t *store,
                        apr_pool_t *result);

    /** Transactions; in libfs/store/store_txn.h. NULL: a store that only
     *  reads. */
    const struct fs_store_txn_vtable_t *txn;

    /**
     * Put locks into the repository, or take them out, under its write lock.
     * `decide` is called under it with the paths' locks as they are then, and
     * says what to do with each: see fs_store_lock_edit_fn. An error ends it;
     * what was done for paths before stays.
     */
    fs_error_t *(*lock_edit)(fs_store_t *store, const char *const *paths,
                             int count, fs_store_lock_edit_fn decide,
                             void *baton, apr_pool_t *scratch);

    /** The lock of `path`, expired or not; NULL if there is none. */
    fs_error_t *(*lock_get)(const fs_store_lock_t **lock, fs_store_t *store,
                            const char *path, apr_pool_t *result);

    /** All locks at and below `path`, expired ones included, any order. */
    fs_error_t *(*lock_list)(fs_store_t *store, const char *path,
                             fs_store_lock_fn receive, void *baton,
                             apr_pool_t *scratch);
} fs_store_vtable_t;

/** What each store's own struct begins with. */
struct fs_store_t {
    const fs_store_vtable_t *vtable;
};

/** The store of an open repository; for the folders right of store/. */
fs_store_t *fs_repo_store(const fs_repo_t *repo);

#endif
