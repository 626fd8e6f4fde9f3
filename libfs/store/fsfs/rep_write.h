/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing items into a revision file that is being made: representations of
 * texts, directories and property lists, and anything else.
 *
 * Source: docs/format/revision-file.md, docs/format/svndiff.md.
 */

#ifndef LIBFS_STORE_FSFS_REP_WRITE_H
#define LIBFS_STORE_FSFS_REP_WRITE_H

#include "libfs/base/buffer.h"
#include "libfs/base/checksum.h"
#include "libfs/format/index_p2l.h"
#include "libfs/format/node_rev.h"
#include "libfs/store/fsfs/handle.h"

/** The end of an open file that grows; buffered. One thread. */
typedef struct fs_rep_out_t {
    int fd;               /* the caller's */
    apr_uint64_t flushed; /* offset in the file up to which bytes are written */
    fs_buffer_t *buffer;  /* what comes behind, at most 64 KiB */
    fs_fnv_t sum;         /* of the item being written */
    apr_uint64_t begin;   /* offset of the item being written */
} fs_rep_out_t;

/** Append to `fd` from `offset` on, which is where its good bytes end. */
fs_rep_out_t *fs_rep_out_create(int fd, apr_uint64_t offset,
                                apr_pool_t *result);

/** Offset of the next byte. */
apr_uint64_t fs_rep_out_offset(const fs_rep_out_t *out);

/** Errors: FS_ERR_IO. */
fs_error_t *fs_rep_out_write(fs_rep_out_t *out, const void *data,
                             apr_size_t len) FS_MUST_CHECK;
fs_error_t *fs_rep_out_flush(fs_rep_out_t *out) FS_MUST_CHECK;

/** An item begins here; at its end its place in the index is told (rev is that
 *  of the caller, `item` and `type` as given). */
void fs_rep_out_item_begin(fs_rep_out_t *out);
void fs_rep_out_item_end(fs_index_p2l_entry_t *entry, fs_rep_out_t *out,
                         apr_uint64_t item, fs_item_type_t type, fs_rev_t rev);

/** Forget all bytes from the beginning of the current item on; the file is cut
 *  where they were written already. */
fs_error_t *fs_rep_out_item_drop(fs_rep_out_t *out) FS_MUST_CHECK;

/** What a representation is of; decides about deltas and digests. */
typedef enum fs_rep_write_kind_t {
    FS_REP_KIND_TEXT,
    FS_REP_KIND_DIR,
    FS_REP_KIND_PROPS
} fs_rep_write_kind_t;

/**
 * Choose what the new representation of `node` is a delta against, by the
 * skip-delta rule; `node` has its predecessor and its own count. `*has_base` is
 * false: against nothing.
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
 * Memory: constant, some 400 KiB.
 */
fs_error_t *fs_rep_write_open(fs_rep_write_t **write, fs_fsfs_t *fsfs,
                              fs_rep_out_t *out, const fs_rep_t *base,
                              fs_rep_write_kind_t kind,
                              apr_pool_t *result) FS_MUST_CHECK;

/** The next bytes of the contents. */
fs_error_t *fs_rep_write(fs_rep_write_t *write, const char *data,
                         apr_size_t len) FS_MUST_CHECK;

/**
 * End it, "ENDREP\n" included. Sets length, size, md5 and sha1 (always both)
 * of `rep`, nothing else: rev, item and uniquifier are the caller's.
 */
fs_error_t *fs_rep_write_close(fs_rep_t *rep,
                               fs_rep_write_t *write) FS_MUST_CHECK;

#endif
