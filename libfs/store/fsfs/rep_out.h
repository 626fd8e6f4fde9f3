/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a revision file that is being made: items are appended, summed
 * for the index and, if they turn out to be not wanted, cut off again.
 */

#ifndef LIBFS_STORE_FSFS_REP_OUT_H
#define LIBFS_STORE_FSFS_REP_OUT_H

#include "libfs/base/buffer.h"
#include "libfs/base/checksum.h"
#include "libfs/format/index_p2l.h"

/** The end of an open file that grows; buffered. One thread. */
typedef struct fs_rep_out_t {
    int fd;               /* the caller's */
    apr_uint64_t flushed; /* offset in the file up to which bytes are written */
    fs_buffer_t *buffer;  /* what comes behind, at most 64 KiB */
    fs_fnv_t sum;         /* of the item being written */
    apr_uint64_t begin;   /* offset of the item being written */
} fs_rep_out_t;

/** Append to `fd` from `offset` on, which is where its good bytes end. The
 *  position of `fd` does not matter and is not changed. */
fs_rep_out_t *fs_rep_out_create(int fd, apr_uint64_t offset,
                                apr_pool_t *result);

/** Offset of the next byte. */
apr_uint64_t fs_rep_out_offset(const fs_rep_out_t *out);

/** Append `len` bytes. Errors: FS_ERR_IO. */
fs_error_t *fs_rep_out_write(fs_rep_out_t *out, const void *data,
                             apr_size_t len) FS_MUST_CHECK;

/** Write what is buffered into the file. Errors: FS_ERR_IO. */
fs_error_t *fs_rep_out_flush(fs_rep_out_t *out) FS_MUST_CHECK;

/** An item begins here; at its end its place in the index is told (rev is that
 *  of the caller, `item` and `type` as given). All bytes between belong to it. */
void fs_rep_out_item_begin(fs_rep_out_t *out);
void fs_rep_out_item_end(fs_index_p2l_entry_t *entry, fs_rep_out_t *out,
                         apr_uint64_t item, fs_item_type_t type, fs_rev_t rev);

/** Forget all bytes from the beginning of the current item on; the file is cut
 *  where they were written already. */
fs_error_t *fs_rep_out_item_drop(fs_rep_out_t *out) FS_MUST_CHECK;

#endif
