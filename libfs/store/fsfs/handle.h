/* SPDX-License-Identifier: Apache-2.0 */
/* An open FSFS store: what all files of this folder share. */

#ifndef LIBFS_STORE_FSFS_HANDLE_H
#define LIBFS_STORE_FSFS_HANDLE_H

#include <pthread.h>

#include "libfs/format/conf_file.h"
#include "libfs/format/format_file.h"
#include "libfs/format/revprop_pack.h"
#include "libfs/store/fsfs/disk_file.h"
#include "libfs/store/store.h"

/**
 * What a history is recognised by: its youngest revision, and the file that
 * holds it. Another history under the same name has another file there.
 */
typedef struct fs_anchor_t {
    fs_rev_t rev; /* -1: none yet */
    bool packed;  /* `file` is a pack */
    fs_stamp_t file;
} fs_anchor_t;

/**
 * Fixed after opening, but for `state`. Nothing is allocated in `pool`
 * afterwards, as many threads use a store.
 */
typedef struct fs_fsfs_t {
    fs_store_t store;    /* first: its address is that of the store */
    const char *path;    /* the repository's folder */
    const char *db;      /* its db/ */
    int folder;          /* db/, open: names are taken from it, so that another
                            repository that is put in its place does not mix
                            with what is being read; -1: not yet */
    cache_t *cache;      /* may be NULL */
    apr_uint64_t serial; /* unique in this process, never used again */
    fs_format_file_t format;
    int repository_format; /* 3 or 5 */
    fs_conf_t conf;        /* options, fsfs.conf and defaults together */
    bool nosync;           /* do not sync what is written */
    apr_interval_time_t lock_timeout; /* microseconds to wait for a writer */
    fs_format_uuid_t uuid;
    unsigned char base[16];     /* identity without the epoch */
    unsigned char instance[16]; /* identity: the space of cache keys */
    apr_uint64_t epoch;

    struct {
        pthread_mutex_t lock; /* guards the rest of this struct */
        fs_anchor_t anchor;   /* the youngest revision; never goes back */
        fs_stamp_t current;   /* of db/current that named it */
        bool current_settled;
        apr_time_t current_looked; /* when it last was as read; 0: changed */
        apr_time_t confirmed;      /* when `anchor` last was found true */
        fs_stamp_t db;             /* of db/ as looked at last */
        bool db_settled;
        fs_rev_t min_unpacked;
    } state;

    struct fs_rep_cache_t *rep_cache; /* see rep_cache.h */

    /* The pack file of revision properties that was found last. */
    struct {
        pthread_mutex_t lock; /* guards the rest of this struct */
        apr_uint64_t
            manifest; /* stamp of the manifest that names it; 0: none */
        fs_revprop_pack_name_t name;
        fs_rev_t first; /* revisions for which it is named */
        fs_rev_t last;
    } pack;
} fs_fsfs_t;

/** What each cursor over a directory begins with. */
struct fs_store_dir_t {
    /** See dir_next() of the store. */
    fs_error_t *(*next)(const fs_store_entry_t **entry, fs_store_dir_t *dir);
};

/** The FSFS store behind `store`. */
static inline fs_fsfs_t *fs_handle_of(fs_store_t *store)
{
    return (fs_fsfs_t *)store;
}

/** A key of this repository; `extra` and name are left zero. */
cache_key_t fs_handle_key(const fs_fsfs_t *fsfs, cache_kind_t kind,
                          fs_rev_t rev, apr_uint64_t item);

/** An address as a node id or content id, and back. */
void fs_handle_pack_id(unsigned char id[16], fs_rev_t rev, apr_uint64_t item);
void fs_handle_unpack_id(const unsigned char id[16], fs_rev_t *rev,
                         apr_uint64_t *item);

#endif
