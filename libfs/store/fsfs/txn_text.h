/* SPDX-License-Identifier: Apache-2.0 */
/* A text on its way into a file of a transaction. */

#ifndef LIBFS_STORE_FSFS_TXN_TEXT_H
#define LIBFS_STORE_FSFS_TXN_TEXT_H

#include "libfs/store/fsfs/txn_edit.h"

typedef struct fs_txn_text_t fs_txn_text_t;

/**
 * Begin a text for the file `path`, which is there. The base of the delta is
 * chosen here.
 * Errors: FS_ERR_CORRUPT; FS_ERR_IO.
 * Memory: constant, that of fs_rep_write_open().
 */
fs_error_t *fs_txn_text_begin(fs_txn_text_t **text, fs_txn_state_t *state,
                              const char *path,
                              apr_pool_t *result) FS_MUST_CHECK;

fs_error_t *fs_txn_text_add(fs_txn_text_t *text, const char *data,
                            apr_size_t len) FS_MUST_CHECK;

/**
 * The text is complete: fill in the edit that sets it, which the caller makes.
 * If its bytes are stored elsewhere already, they are dropped. `md5` is its
 * digest.
 * Errors: FS_ERR_CHECKSUM_MISMATCH, it is not `expected` (unless NULL);
 *         FS_ERR_CORRUPT, FS_ERR_IO. Then fs_txn_text_drop() must follow.
 */
fs_error_t *fs_txn_text_end(fs_txn_op_t *op, unsigned char md5[FS_MD5_SIZE],
                            fs_txn_text_t *text,
                            const unsigned char *expected) FS_MUST_CHECK;

/** Forget what was written, or what fs_txn_text_end() noted. */
void fs_txn_text_drop(fs_txn_text_t *text);

#endif
