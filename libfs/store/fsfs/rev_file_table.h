/* SPDX-License-Identifier: Apache-2.0 */
/* The table of open revision files of this process. */

#ifndef LIBFS_STORE_FSFS_REV_FILE_TABLE_H
#define LIBFS_STORE_FSFS_REV_FILE_TABLE_H

#include "libfs/format/index_l2p.h"
#include "libfs/format/index_p2l.h"
#include "libfs/store/fsfs/rev_file.h"

/** See index_page.c. */
typedef struct fs_index_marks_t fs_index_marks_t;

/** Read-only once it is in the table, but for marks and the last group. */
struct fs_rev_file_t {
    int fd;                /* -1: `content` is all there is to read */
    const char *content;   /* the whole of a short file, or NULL */
    apr_uint64_t size;     /* bytes */
    apr_uint64_t block_id; /* see block.h */
    const char *path;      /* for FS_ERR_IO */
    apr_uint64_t store;    /* serial of the store it belongs to */
    bool packed;
    fs_rev_t first_rev;                 /* in this file */
    apr_uint64_t rev_count;             /* in this file */
    fs_rev_footer_t footer;             /* logical addressing */
    fs_index_l2p_table_t *l2p;          /* NULL: physical addressing */
    fs_index_p2l_table_t *p2l;          /* NULL: physical addressing */
    _Atomic(fs_index_marks_t *) *marks; /* of each page of `p2l`, or NULL */
    apr_uint64_t *starts; /* physical addressing, packed: of each revision */
    apr_pool_t *pool;     /* of this file alone */

    /* Guarded by the table's lock. */
    int refs;
    bool in_table;
    apr_uint64_t number; /* of the revision or shard: part of the key */
    fs_rev_file_t *next_in_bucket;
    fs_rev_file_t *newer; /* in order of use */
    fs_rev_file_t *older;
};

/** A file that is in no table yet, with one user; owns `fd`. NULL: no memory.
 */
fs_rev_file_t *fs_rev_file_table_new(int fd, const char *path);

/** Close and free a file that is in no table. */
void fs_rev_file_table_delete(fs_rev_file_t *file);

/** The open file, with one user more; NULL if there is none. */
fs_rev_file_t *fs_rev_file_table_find(apr_uint64_t store, bool packed,
                                      apr_uint64_t number);

/** Put `file` in; if another thread was faster, that one's file is returned
 *  and `file` closed. Closes idle files beyond FS_REV_FILE_IDLE_MAX. */
fs_rev_file_t *fs_rev_file_table_insert(fs_rev_file_t *file,
                                        apr_uint64_t number);

#endif
