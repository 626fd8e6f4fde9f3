/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories: a hash dump of entry name to "file <id>" or "dir <id>", where
 * <id> is a node revision id. Source: docs/format/revision-file.md,
 * "Directories".
 */

#ifndef LIBFS_FORMAT_DIRENTS_H
#define LIBFS_FORMAT_DIRENTS_H

#include <apr_pools.h>

#include "libfs/format/hash_dump.h"
#include "libfs/format/node_id.h"

typedef struct fs_dirents_entry_t {
    fs_bytes_t name; /* points into the bytes parsed */
    fs_node_kind_t kind;
    fs_noderev_id_t id;
} fs_dirents_entry_t;

/** All entries of a directory in ascending byte order of names. */
typedef struct fs_dirents_t {
    fs_dirents_entry_t *entries;
    apr_size_t count;
} fs_dirents_t;

/**
 * Parse a directory's contents; names point into `data`, which must stay. No
 * bytes at all are the empty directory.
 * @param incremental  the form of transactions (see hash_dump.h)
 *
 * Errors: FS_ERR_CORRUPT; also for a name that is empty, ".", "..", has a
 *         '/', a newline or a NUL byte, and for one that occurs twice.
 * Cost:   two passes, and sorting if the names are not in order; one block
 *         of memory in `result` (incremental: a hash in `scratch`).
 */
fs_error_t *fs_dirents_parse(fs_dirents_t *out, const char *data,
                             apr_size_t len, bool incremental,
                             apr_pool_t *result,
                             apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Next entry in the order written, `*more` as fs_hash_dump_next(). A deletion
 * has FS_NODE_NONE. Names are checked, but not for being unique.
 */
fs_error_t *fs_dirents_next(fs_dirents_entry_t *out, bool *more,
                            fs_hash_dump_iter_t *iter) FS_MUST_CHECK;

/** The entry of that name, or NULL. Cost: binary search. */
const fs_dirents_entry_t *fs_dirents_find(const fs_dirents_t *dirents,
                                          const char *name,
                                          apr_size_t name_len);

/** Order of two names: by bytes, the shorter first; as memcmp(). */
int fs_dirents_compare_names(fs_bytes_t a, fs_bytes_t b);

/** Append one entry ("K" and "V" pair). */
void fs_dirents_format_entry(fs_buffer_t *out, const fs_dirents_entry_t *entry);

/** Append all entries in their order, with "END\n". */
void fs_dirents_format(fs_buffer_t *out, const fs_dirents_t *dirents);

#endif
