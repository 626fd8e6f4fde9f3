/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: a tree that is being edited, its properties, its commit. */

#ifndef LIBFS_FS_TXN_H
#define LIBFS_FS_TXN_H

#include "libfs/fs_tree.h"

/** Transaction properties that switch checks on; never in a revision. */
#define FS_TXN_CHECK_LOCKS "svn:check-locks" /* of path locks, at each edit */
#define FS_TXN_CHECK_OOD "svn:check-ood"     /* kept for the stock tools */

/**
 * An open transaction. Who has it open keeps all others out, in this process
 * and elsewhere, so it is held for one step of work and closed: never while
 * waiting for another request.
 * Threads: belongs to one thread.
 */
typedef struct fs_txn_t fs_txn_t;

/**
 * Begin a transaction on revision `base`; it comes open.
 *
 * @param props  its properties, name to `fs_bytes_t *`; they are checked by
 *               fs_txn_change_props()'s rules. `svn:date` is now unless given
 *
 * Errors: FS_ERR_NO_SUCH_REV; FS_ERR_BAD_PROPERTY_VALUE, nothing was begun;
 *         FS_ERR_BUSY; FS_ERR_IO.
 */
fs_error_t *fs_txn_begin(fs_txn_t **txn, fs_repo_t *repo, fs_rev_t base,
                         apr_hash_t *props, apr_pool_t *result) FS_MUST_CHECK;

/**
 * Open a transaction that we began, by any process. It is closed by
 * fs_txn_close() or when `result` is cleared.
 *
 * Errors: FS_ERR_NO_SUCH_TXN, there is none; FS_ERR_TXN_NAME, that is no name
 *         of a transaction; FS_ERR_FOREIGN_TXN, other programs began it, or
 *         took it over, so it can only be aborted; FS_ERR_BUSY, another
 *         request had it for the repository's lock-timeout; FS_ERR_CORRUPT.
 */
fs_error_t *fs_txn_open(fs_txn_t **txn, fs_repo_t *repo, const char *name,
                        apr_pool_t *result) FS_MUST_CHECK;

/** Let others have it. What was edited stays. Closing twice does nothing. */
void fs_txn_close(fs_txn_t *txn);

/** Remove a transaction, of any writer. Errors: FS_ERR_NO_SUCH_TXN,
 *  FS_ERR_TXN_NAME, FS_ERR_BUSY, FS_ERR_IO. */
fs_error_t *fs_txn_abort(fs_repo_t *repo, const char *name,
                         apr_pool_t *scratch) FS_MUST_CHECK;

const char *fs_txn_name(const fs_txn_t *txn); /* "12-3f" */
fs_rev_t fs_txn_base(const fs_txn_t *txn);
fs_repo_t *fs_txn_repo(const fs_txn_t *txn);

/** All properties, flags included: name to `fs_bytes_t *`. */
fs_error_t *fs_txn_props(apr_hash_t **props, fs_txn_t *txn,
                         apr_pool_t *result) FS_MUST_CHECK;

/**
 * Change properties of the transaction, all or none of them.
 * Errors: FS_ERR_BAD_ARGS, a name that clients keep for themselves;
 *         FS_ERR_BAD_PROPERTY_VALUE with the reason below it.
 */
fs_error_t *fs_txn_change_props(fs_txn_t *txn, const fs_prop_change_t *changes,
                                int count, apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Who edits and commits, for checks of path locks; without it nobody.
 *
 * @param user    NULL: not authenticated
 * @param tokens  lock tokens that were presented, token to path ("" unknown);
 *                only the tokens count. May be NULL; must outlive `txn`
 */
void fs_txn_set_user(fs_txn_t *txn, const char *user, apr_hash_t *tokens);

/**
 * The tree as it is now, for looking at while `txn` is open: fs_node_find(),
 * fs_node_need(), fs_node_child(), kind, size, digests, properties, text,
 * directories, relation. A node that the transaction changed has the created
 * revision FS_INVALID_REV. After an edit, open it anew. What needs a revision
 * (history, reports, changes of a revision) does not work on it.
 */
fs_error_t *fs_txn_root(fs_root_t **root, fs_txn_t *txn,
                        apr_pool_t *result) FS_MUST_CHECK;

/* ---- edits ---- */

/*
 * Paths are canonical fspaths. Errors of all edits, in this order:
 * FS_ERR_PATH_SYNTAX, a name that may not be made (UTF-8, no control
 * characters); FS_ERR_NOT_FOUND, node or parent is missing; FS_ERR_NOT_DIR,
 * the parent is a file; FS_ERR_EXISTS; FS_ERR_NO_USER, FS_ERR_LOCK_OWNER,
 * FS_ERR_BAD_LOCK_TOKEN, a path lock, if FS_TXN_CHECK_LOCKS is set.
 * Cost: a write or two, no sync; O(depth) looks at the tree.
 */

fs_error_t *fs_txn_make_dir(fs_txn_t *txn, const char *path,
                            apr_pool_t *scratch) FS_MUST_CHECK;
/** The file is empty. */
fs_error_t *fs_txn_make_file(fs_txn_t *txn, const char *path,
                             apr_pool_t *scratch) FS_MUST_CHECK;
/** With all below it. FS_ERR_ROOT_DIR for "/". */
fs_error_t *fs_txn_delete(fs_txn_t *txn, const char *path,
                          apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Copy a node of a revision, with history; what is at `path` is replaced. Does
 * nothing if that is the very same node already.
 * Errors: FS_ERR_NO_SUCH_REV, FS_ERR_NOT_FOUND for the source too.
 * Cost:   the same for a file and a tree of any size.
 */
fs_error_t *fs_txn_copy(fs_txn_t *txn, fs_rev_t from_rev, const char *from_path,
                        const char *path, apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Change properties of a node, in one step.
 * Errors: as fs_txn_change_props(); FS_ERR_MERGEINFO.
 */
fs_error_t *fs_txn_change_node_props(fs_txn_t *txn, const char *path,
                                     const fs_prop_change_t *changes, int count,
                                     apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * Could a node have the property, as far as its name and value go? For who
 * wants to know which of several changes is refused.
 * Errors: as fs_txn_change_node_props().
 */
fs_error_t *fs_txn_check_prop(const fs_prop_change_t *change,
                              apr_pool_t *scratch) FS_MUST_CHECK;

/** A new text on its way into a file of the transaction. */
typedef struct fs_txn_text_t fs_txn_text_t;

/** How a text arrives, and what it must be. */
typedef struct fs_txn_text_form_t {
    bool is_svndiff; /* a delta against the file's text as it is; else whole */
    const unsigned char *base_md5;   /* 16 bytes that the text must have now, */
    const unsigned char *result_md5; /* and in the end; NULL: not stated */
} fs_txn_text_form_t;

/**
 * Begin to put a text into the existing file `path`, which keeps its old one
 * until fs_txn_text_close(). `txn` must stay open, and nothing else may be
 * done with it.
 * Errors: FS_ERR_NOT_FOUND; FS_ERR_NOT_FILE; FS_ERR_CHECKSUM_MISMATCH for
 *         base_md5, with expected and actual; locks.
 * Memory: constant, whatever the text's size: less than 1 MiB; svndiff windows
 *         of very many instructions, which no client sends, take up to 7 MiB.
 */
fs_error_t *fs_txn_text_open(fs_txn_text_t **text, fs_txn_t *txn,
                             const char *path, const fs_txn_text_form_t *form,
                             apr_pool_t *result) FS_MUST_CHECK;

/** The next bytes as they arrived. Errors: FS_ERR_SVNDIFF_*, and what
 *  decompressing finds; FS_ERR_INCOMPLETE_DATA, the delta goes beyond the file's
 *  text; FS_ERR_IO. After an error only fs_txn_text_abort() may follow. */
fs_error_t *fs_txn_text_write(fs_txn_text_t *text, const char *data,
                              apr_size_t len) FS_MUST_CHECK;

/**
 * All bytes are there: the file has its new text. `md5` becomes its digest.
 * Errors: FS_ERR_CHECKSUM_MISMATCH for result_md5; FS_ERR_SVNDIFF_END; the file
 *         keeps its old text.
 */
fs_error_t *fs_txn_text_close(unsigned char md5[FS_MD5_SIZE],
                              fs_txn_text_t *text) FS_MUST_CHECK;

/** Drop what arrived; the file keeps its old text. */
void fs_txn_text_abort(fs_txn_text_t *text);

/** Tell the changed paths, folded, in the order of path bytes. */
fs_error_t *fs_txn_changes(fs_txn_t *txn, fs_change_fn receive, void *baton,
                           apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- other eyes ---- */

/**
 * Lay the transaction out as the stock tools do, so that a hook script can look
 * at it (svnlook -t), and even edit it. Then fs_txn_take_back().
 * Cost: a file or two a changed node.
 */
fs_error_t *fs_txn_show(fs_txn_t *txn, apr_pool_t *scratch) FS_MUST_CHECK;

/**
 * After fs_txn_show(): take over what others changed, be it the transaction's
 * properties or its tree. Other programs must be done.
 * Errors: FS_ERR_CORRUPT, FS_ERR_NO_SUCH_TXN: it was damaged or removed.
 */
fs_error_t *fs_txn_take_back(fs_txn_t *txn, apr_pool_t *scratch) FS_MUST_CHECK;

/* ---- commit ---- */

/**
 * Make the transaction the next revision: merge it with what was committed
 * since its base, check path locks (if FS_TXN_CHECK_LOCKS is set), write,
 * publish. Properties named "svn:txn-..." and the flags are dropped; svn:date
 * is the time of the commit. On success the transaction is gone and `txn`
 * closed; on an error it stays as it was, to be aborted.
 *
 * @param keep_date  svn:date as it is in the transaction (loading), even none
 * @param conflict   set with FS_ERR_CONFLICT: the path; may be NULL
 *
 * Errors: FS_ERR_CONFLICT, "conflict at '/path'"; locks, as for edits;
 *         FS_ERR_BUSY, the write lock; FS_ERR_CORRUPT; FS_ERR_IO.
 * What is acknowledged survives a loss of power (docs/format/durability.md).
 */
fs_error_t *fs_txn_commit(fs_rev_t *rev, const char **conflict, fs_txn_t *txn,
                          bool keep_date, apr_pool_t *result) FS_MUST_CHECK;

#endif
