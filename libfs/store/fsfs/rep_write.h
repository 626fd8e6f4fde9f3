/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing representations of texts, directories and property lists into a
 * revision file that is being made.
 *
 * Source: docs/format/revision-file.md, docs/format/svndiff.md.
 */

#ifndef LIBFS_STORE_FSFS_REP_WRITE_H
#define LIBFS_STORE_FSFS_REP_WRITE_H

#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/handle.h"
#include "libfs/store/fsfs/rep_out.h"

/** What a representation is of; decides about deltas and digests. */
typedef enum fs_rep_write_kind_t {
    FS_REP_KIND_TEXT,
    FS_REP_KIND_DIR,
    FS_REP_KIND_PROPS
} fs_rep_write_kind_t;

/**
 * Choose what the new representation of `node` is a delta against, by the
 * skip-delta rule (rep_base.h); `node` has its predecessor, which is
 * committed, and its own count. `*has_base` is false: against nothing, or it
 * will not be a delta at all.
 */
fs_error_t *fs_rep_write_choose(bool *has_base, fs_rep_t *base, fs_fsfs_t *fsfs,
                                const fs_node_rev_t *node,
                                fs_rep_write_kind_t kind,
                                apr_pool_t *scratch) FS_MUST_CHECK;

typedef struct fs_rep_write_t fs_rep_write_t;

/**
 * Begin a representation at the end of `out`, where an item begins. A delta
 * against `base` (NULL: against nothing), or plain, as format, fsfs.conf and
 * `kind` want it; svndiff version and compression likewise.
 *
 * @param out   stays, and nothing else is written to it, until the end
 * @param base  not used after the call
 *
 * Memory: little for short texts; at most some 800 KiB, in `result`.
 * Errors: FS_ERR_CORRUPT, FS_ERR_IO, the base cannot be read.
 */
fs_error_t *fs_rep_write_open(fs_rep_write_t **write, fs_fsfs_t *fsfs,
                              fs_rep_out_t *out, const fs_rep_t *base,
                              fs_rep_write_kind_t kind,
                              apr_pool_t *result) FS_MUST_CHECK;

/** The next bytes of the contents. After an error nothing but
 *  fs_rep_out_item_drop() makes sense. Errors: as above. */
fs_error_t *fs_rep_write(fs_rep_write_t *write, const char *data,
                         apr_size_t len) FS_MUST_CHECK;

/**
 * End it, "ENDREP\n" included. Sets length, size, md5 and sha1 (always both)
 * of `rep`, nothing else: rev, item and uniquifier are the caller's.
 */
fs_error_t *fs_rep_write_close(fs_rep_t *rep,
                               fs_rep_write_t *write) FS_MUST_CHECK;

#endif
