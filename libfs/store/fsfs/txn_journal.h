/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a transaction: its edits in the order in which they were
 * made. Numbers are little-endian, or `v`: 7 bits each, the lowest first.
 *
 *     "repo-journal 1\n\0"                                      16 bytes
 *     generation: how often it was begun anew                   8
 *     records:
 *     0   length of what follows this head of 48 bytes           4
 *     4   sum of the record from here on, fs_fnv1a_x4()          4
 *     8   type of the edit                                       1
 *     9   flags: 1 mergeinfo was touched, 2 it is there, 4 MD5,
 *         8 SHA-1, 16 the text is ours                           1
 *     10  kind of node: 0 none, 1 file, 2 directory              1
 *     11  zero                                                   1
 *     12  sum of the length                                      4
 *     16  bytes of complete texts, then numbers of the next
 *         node, copy and item, as they are after the edit        4 * 8
 *     48  v length and bytes: path, then source path; v source
 *         revision + 1; v revision + 1 and v item of a node
 *         texts: v revision + 1, item, length, size, 16 bytes
 *         MD5, 20 bytes SHA-1; v offset and size of the item,
 *         4 bytes sum
 *         the rest: property list
 *
 * Each record is written at once. A last one that is not complete is what a dead
 * writer left, and cut off before the next is appended.
 */

#ifndef LIBFS_STORE_FSFS_TXN_JOURNAL_H
#define LIBFS_STORE_FSFS_TXN_JOURNAL_H

#include "libfs/store/fsfs/txn_edit.h"

/** Bytes before the first record. */
#define FS_TXN_JOURNAL_HEAD_LEN 24

/** The beginning of a new journal. */
extern const char fs_txn_journal_head[FS_TXN_JOURNAL_HEAD_LEN];

/**
 * Make an edit, and write it down. `op->props_at` is set here.
 *
 * @param op  if it brings a text, `state->texts_len` tells where that ends
 *
 * Errors: those of fs_txn_edit_apply(); FS_ERR_IO. Then nothing was written
 *         (or is cut off again), and `state` is to be made anew.
 * Cost:   one write.
 */
fs_error_t *fs_txn_journal_edit(fs_txn_state_t *state, fs_txn_op_t *op,
                                apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Make the edits that follow `state->journal_len` in the journal; that of 0
 * begins the state anew. A record that the file's end cuts is cut off, and so
 * are the bytes of texts behind those that are noted.
 * `state` is not usable after an error.
 *
 * Errors: FS_ERR_CORRUPT, this is no journal, a sum is wrong, edits do not lead
 *         to the numbers that are noted with them, texts are missing; FS_ERR_IO.
 */
fs_error_t *fs_txn_journal_replay(fs_txn_state_t *state,
                                  apr_pool_t *scratch) FS_MUST_CHECK;

/** Begin `state` and its journal anew, so that all who know the old one notice.
 *  What texts there are is the caller's affair. */
fs_error_t *fs_txn_journal_restart(fs_txn_state_t *state,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

/** Whether the journal is of another generation than `state`. */
fs_error_t *fs_txn_journal_restarted(bool *restarted,
                                     const fs_txn_state_t *state) FS_MUST_CHECK;

/** Append all `len` bytes at `data` to `fd` at `offset`. Errors: FS_ERR_IO. */
fs_error_t *fs_txn_journal_write(int fd, apr_uint64_t offset, const char *data,
                                 apr_size_t len) FS_MUST_CHECK;

/** Cut a file if it is longer. Errors: FS_ERR_IO; FS_ERR_CORRUPT, it is
 *  shorter. */
fs_error_t *fs_txn_journal_cut(int fd, apr_uint64_t len,
                               const char *name) FS_MUST_CHECK;

#endif
