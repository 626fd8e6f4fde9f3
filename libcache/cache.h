/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of bytes under typed keys, shared by whoever can reach the back
 * end: threads of one process, or all processes of a server.
 *
 * Values are plain bytes: no pointers, no file offsets; they may be read by
 * another build in another process. Every failure is a miss. A value longer
 * than a page is kept as a chain of pages, each with its own key and sum, and
 * can be read in part.
 */

#ifndef LIBCACHE_CACHE_H
#define LIBCACHE_CACHE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_tables.h>

typedef struct cache_t cache_t;

/** Bytes of a value that one page holds at most, its header included. */
#define CACHE_PAGE_SIZE 8192

/** Longest value that is accepted, in bytes; longer ones are not kept. */
#define CACHE_VALUE_MAX (4 * 1024 * 1024)

/** Longest `name` in a key, in bytes. */
#define CACHE_NAME_MAX 4096

/*
 * Kinds of values: name, version of the value's encoding, label for people.
 * Raise the version when the bytes of a kind change their meaning.
 */
#define CACHE_KIND_LIST(X)                                                     \
    X(CACHE_NODE, 2, "node records")                                           \
    X(CACHE_DIRECTORY, 1, "directories")                                       \
    X(CACHE_CHILDREN, 1, "summaries of children")                              \
    X(CACHE_PROPERTIES, 2, "property lists")                                   \
    X(CACHE_TEXT, 2, "contents")                                               \
    X(CACHE_SVNDIFF, 1, "encoded deltas")                                      \
    X(CACHE_CHANGES, 2, "changed paths")                                       \
    X(CACHE_REVPROPS, 2, "revision properties")                                \
    X(CACHE_LOG_ITEM, 1, "log items")                                          \
    X(CACHE_PATH, 1, "paths to nodes")                                         \
    X(CACHE_HISTORY, 1, "history links")                                       \
    X(CACHE_INDEX, 1, "index pages")                                           \
    X(CACHE_BLOCK, 1, "raw blocks")                                            \
    X(CACHE_AUTHZ, 1, "access rules")                                          \
    X(CACHE_OTHER, 1, "other")

typedef enum cache_kind_t {
#define CACHE_KIND_ENUM(name, version, label) name,
    CACHE_KIND_LIST(CACHE_KIND_ENUM)
#undef CACHE_KIND_ENUM
    CACHE_KIND_COUNT
} cache_kind_t;

/**
 * What a value is stored under. All fields take part in equality. Unused
 * fields must be zero (initialise with designated initialisers).
 */
typedef struct cache_key_t {
    unsigned char space[16]; /* whom it belongs to: a repository instance */
    cache_kind_t kind;
    apr_int64_t rev;
    apr_uint64_t item;
    apr_uint64_t extra;  /* a second number, a variant, a stamp */
    const void *name;    /* further bytes or NULL */
    apr_size_t name_len; /* <= CACHE_NAME_MAX */
} cache_key_t;

typedef struct cache_value_t {
    const char *data; /* in the caller's pool */
    apr_size_t len;
} cache_value_t;

/** How a cache is made. Zero means the default. */
typedef struct cache_options_t {
    const char *backend; /* "process" (default) or "none" */
    apr_uint64_t size;   /* bytes in all, bookkeeping included */
} cache_options_t;

/** Names of the back ends that this build has, NULL-terminated. */
const char *const *cache_backend_names(void);

/**
 * Make a cache; lives in `pool` and is released with it.
 * Errors:  APR_EINVAL, no back end has that name; APR_ENOMEM.
 * Threads: the cache may then be used by all threads of the process.
 */
apr_status_t cache_create(cache_t **cache, const cache_options_t *options,
                          apr_pool_t *pool);

/** Make ready after fork; once in each child, before anything else. */
apr_status_t cache_attach(cache_t *cache, apr_pool_t *process_pool);

/**
 * Copy a whole value into `result`.
 * Returns APR_SUCCESS or APR_NOTFOUND. Never blocks on I/O.
 * `cache` may be NULL in all calls: then everything is a miss.
 */
apr_status_t cache_get(cache_t *cache, const cache_key_t *key,
                       cache_value_t *value, apr_pool_t *result);

/**
 * Copy up to `*len` bytes from `offset` on of a value into `buf`; sets `*len`
 * to what was copied (0 at the value's end and beyond) and `*total` to the
 * value's length. After APR_NOTFOUND `buf` may have been written to.
 * Cost: only the pages that hold these bytes are touched, and the head of a
 * value that has several.
 */
apr_status_t cache_get_part(cache_t *cache, const cache_key_t *key,
                            apr_uint64_t offset, char *buf, apr_size_t *len,
                            apr_uint64_t *total);

/**
 * Keep a copy of `len` bytes under `key`, in place of what was there.
 * Returns APR_SUCCESS, or an error if it was not kept (too long, no room):
 * callers need not look.
 */
apr_status_t cache_put(cache_t *cache, const cache_key_t *key, const void *data,
                       apr_size_t len);

/** Forget the value, if there is one. */
void cache_drop(cache_t *cache, const cache_key_t *key);

/**
 * Single flight: who fills `key`?
 *
 * Returns APR_SUCCESS: the caller; it puts the value and then calls
 *         cache_claim_end() (also when it could not fill), soon: never while
 *         it waits for a client;
 *         APR_EEXIST: somebody else did meanwhile; look again;
 *         APR_TIMEUP: somebody is at it for `timeout_ms`; fill without claim.
 *
 * `*claim` is NULL where nothing is kept, and if it was not given; ending
 * NULL does nothing. A claim also ends with `pool`, which must end before the
 * cache's pool does.
 */
typedef struct cache_claim_t cache_claim_t;
apr_status_t cache_claim(cache_claim_t **claim, cache_t *cache,
                         const cache_key_t *key, int timeout_ms,
                         apr_pool_t *pool);
void cache_claim_end(cache_claim_t *claim);

/** Counts since the cache was made, by kind; of this process at least. */
typedef struct cache_counters_t {
    apr_uint64_t hits;
    apr_uint64_t misses;
    apr_uint64_t puts;
    apr_uint64_t refused;   /* puts that were not kept */
    apr_uint64_t evictions; /* pages */
    apr_uint64_t bytes;     /* held now, with keys and headers */
    apr_uint64_t entries;   /* pages held now */
} cache_counters_t;
void cache_counters(cache_t *cache, cache_kind_t kind,
                    cache_counters_t *counters);

/** Label of a kind for people. */
const char *cache_kind_label(cache_kind_t kind);

/** Name of the back end in use and its size in bytes. */
const char *cache_backend_name(const cache_t *cache);
apr_uint64_t cache_size(const cache_t *cache);

#endif
