/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what is in open transactions. Ids of their nodes and contents have
 * -(serial of the state + 2) in place of a revision, and the number of the
 * node, or the item of the text; they never enter the cache. The state is open
 * in this thread.
 */

#ifndef LIBFS_STORE_FSFS_TXN_READ_H
#define LIBFS_STORE_FSFS_TXN_READ_H

#include "libfs/store/fsfs/txn_edit.h"

/** Whether that is the id of a node or content of a transaction. */
bool fs_txn_read_is_ours(const unsigned char id[16]);

/** Id of a node. */
void fs_txn_read_id(fs_node_id_t *id, const fs_txn_state_t *state,
                    const fs_txn_node_t *node);

/** See node(), dir_lookup() and props() of the store. FS_ERR_NO_SUCH_TXN: it
 *  is not open any more. */
fs_error_t *fs_txn_read_node(const fs_node_record_t **record,
                             const fs_node_id_t *id,
                             apr_pool_t *result) FS_MUST_CHECK;
fs_error_t *fs_txn_read_lookup(const fs_store_entry_t **entry,
                               const fs_node_record_t *record, const char *name,
                               apr_pool_t *result,
                               apr_pool_t *scratch) FS_MUST_CHECK;
fs_error_t *fs_txn_read_props(fs_bytes_t *text, const fs_content_t *content,
                              apr_pool_t *result) FS_MUST_CHECK;

/** Entries of a changed directory in the order of name bytes; see dir_open() of
 *  the store. */
fs_error_t *fs_txn_read_dir_open(fs_store_dir_t **dir,
                                 const fs_node_record_t *record,
                                 apr_pool_t *result) FS_MUST_CHECK;

/** A text that came with the transaction, or one of its property lists; see
 *  open_content() of the store. */
fs_error_t *fs_txn_read_stream(fs_stream_t **stream,
                               const fs_content_t *content, apr_uint64_t offset,
                               apr_pool_t *result) FS_MUST_CHECK;

/** The text whose item is at `offset` of the texts: `rep` tells its lengths. */
fs_error_t *fs_txn_read_text(fs_stream_t **stream, const fs_txn_state_t *state,
                             const fs_rep_t *rep, apr_uint64_t offset,
                             apr_pool_t *result) FS_MUST_CHECK;

/** Where item `item` of the texts begins. Errors: FS_ERR_CORRUPT, there is
 *  none. */
fs_error_t *fs_txn_read_locate(apr_uint64_t *offset,
                               const fs_txn_state_t *state,
                               apr_uint64_t item) FS_MUST_CHECK;

/**
 * A text whose uniquifier does not matter: of the transaction (rev -1), or
 * committed.
 */
fs_error_t *fs_txn_read_rep(fs_stream_t **stream, const fs_txn_state_t *state,
                            const fs_rep_t *rep,
                            apr_pool_t *result) FS_MUST_CHECK;

#endif
