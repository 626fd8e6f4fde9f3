/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock files of db/, which keep writers apart: threads, processes, and
 * the stock tools.
 *
 * Locks are those of APR, as the stock tools take them. They may belong to the
 * open file or to the process, so that both must do: a table in the process
 * keeps its threads apart and goes first, and a lock file is opened only by
 * the one that was let in. Who takes several takes them in the order of the
 * names below.
 */

#ifndef LIBFS_STORE_FSFS_WRITE_LOCK_H
#define LIBFS_STORE_FSFS_WRITE_LOCK_H

#include "libfs/store/fsfs/handle.h"

/** While db/txn-current is read and raised (formats 3-8). */
#define FS_WRITE_LOCK_TXN_CURRENT "txn-current-lock"

/** While revisions are packed (formats 7 and 8). */
#define FS_WRITE_LOCK_PACK "pack-lock"

/** While a revision, revision properties or a path lock appear. */
#define FS_WRITE_LOCK_WRITE "write-lock"

/** A lock that is held. */
typedef struct fs_write_lock_t fs_write_lock_t;

/**
 * Take the lock file `name`, which is made if it is missing. It is let go by
 * fs_write_lock_release(), or when `pool` is cleared. Not to be taken twice by
 * one thread: it would wait for itself.
 *
 * Errors: FS_ERR_BUSY, others held it for `fsfs->lock_timeout`; FS_ERR_IO.
 * Cost:   a stat, an open, a lock; while others hold it, a try every 20 ms.
 */
fs_error_t *fs_write_lock_take(fs_write_lock_t **out, fs_fsfs_t *fsfs,
                               const char *name,
                               apr_pool_t *pool) FS_MUST_CHECK;

/** Let go. */
void fs_write_lock_release(fs_write_lock_t *lock);

#endif
