/* SPDX-License-Identifier: Apache-2.0 */
/* Plain types that every part of libfs and its callers share. */

#ifndef LIBFS_FS_TYPES_H
#define LIBFS_FS_TYPES_H

#include <stdbool.h>

#include <apr.h>
#include <apr_time.h>

/** A revision number; -1 (FS_INVALID_REV) means "no revision". */
typedef apr_int64_t fs_rev_t;
#define FS_REV_FMT APR_INT64_T_FMT
#define FS_INVALID_REV ((fs_rev_t)-1)
#define FS_IS_REV(rev) ((rev) >= 0)

typedef enum fs_node_kind_t {
    FS_NODE_NONE = 0, /* there is no such node */
    FS_NODE_FILE,
    FS_NODE_DIR,
    FS_NODE_UNKNOWN /* the store did not record it */
} fs_node_kind_t;

/** Depths, ordered so that they compare as the update report needs. */
typedef enum fs_depth_t {
    FS_DEPTH_UNKNOWN = -2,
    FS_DEPTH_EXCLUDE = -1,
    FS_DEPTH_EMPTY = 0,
    FS_DEPTH_FILES = 1,
    FS_DEPTH_IMMEDIATES = 2,
    FS_DEPTH_INFINITY = 3
} fs_depth_t;

/** Two node revisions compared by their line of history. */
typedef enum fs_relation_t {
    FS_SAME,    /* the very same node revision */
    FS_RELATED, /* a common ancestor, possibly across copies */
    FS_UNRELATED
} fs_relation_t;

#define FS_MD5_SIZE 16
#define FS_SHA1_SIZE 20

/** A counted string of any bytes; not necessarily NUL-terminated. */
typedef struct fs_bytes_t {
    const char *data;
    apr_size_t len;
} fs_bytes_t;

/**
 * Name and identity of a node revision inside its repository, for equality
 * tests and as a key only: what the bytes mean is the store's affair.
 */
typedef struct fs_node_id_t {
    unsigned char bytes[16];
} fs_node_id_t;

#endif
