/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open files of revisions and packs, a bounded number of them for the whole
 * process, and where items are in them.
 *
 * An offset is valid with the very file it was looked up in: packing moves
 * everything.
 */

#ifndef LIBFS_STORE_FSFS_REV_FILE_H
#define LIBFS_STORE_FSFS_REV_FILE_H

#include "libfs/format/rev_footer.h"
#include "libfs/store/fsfs/handle.h"

/** Most files that are kept open without a user, at that no more than a quarter
 *  of what the process may open. */
#define FS_REV_FILE_IDLE_MAX 128

/** An open file; shared by threads, counted. */
typedef struct fs_rev_file_t fs_rev_file_t;

/**
 * The file that holds revision `rev`, to be given back by
 * fs_rev_file_release(). If its own file is gone, db/min-unpacked-rev is read
 * again and the pack taken.
 *
 * @param rev  must exist, see fs_current_need()
 *
 * Errors: FS_ERR_CORRUPT, there is no file, or its end makes no sense;
 *         FS_ERR_INDEX_CORRUPT.
 * Cost:   nothing if it is open, else an open, a stat and one or two reads.
 */
fs_error_t *fs_rev_file_get(fs_rev_file_t **file, fs_fsfs_t *fsfs, fs_rev_t rev,
                            apr_pool_t *scratch) FS_MUST_CHECK;
void fs_rev_file_release(fs_rev_file_t *file);

/** Give up all open files of loose revisions below `rev`; they are closed
 *  when nobody uses them. FS_INVALID_REV: all files of the store. */
void fs_rev_file_drop(fs_fsfs_t *fsfs, fs_rev_t rev);

/**
 * Where item `item` of `rev` begins, and where it ends at the latest (the end
 * of the revision, or of all items).
 * Errors: FS_ERR_CORRUPT, there is no such item; FS_ERR_INDEX_CORRUPT.
 */
fs_error_t *fs_rev_file_locate(apr_uint64_t *offset, apr_uint64_t *end,
                               fs_rev_file_t *file, fs_rev_t rev,
                               apr_uint64_t item,
                               apr_pool_t *scratch) FS_MUST_CHECK;

/** Root record and changed paths of `rev`, as item addresses. */
fs_error_t *fs_rev_file_trailer(fs_rev_trailer_t *out, fs_rev_file_t *file,
                                fs_rev_t rev) FS_MUST_CHECK;

/** Read exactly `len` bytes. Errors: FS_ERR_CORRUPT, the file ends before. */
fs_error_t *fs_rev_file_read(fs_rev_file_t *file, apr_uint64_t offset,
                             char *buf, apr_size_t len) FS_MUST_CHECK;

/** Tell the kernel that these bytes will be read soon. */
void fs_rev_file_advise(fs_rev_file_t *file, apr_uint64_t offset,
                        apr_uint64_t len);

#endif
