/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a revision file item by item: addresses of items, and the indexes or
 * the trailer at its end.
 */

#ifndef LIBFS_STORE_FSFS_COMMIT_ITEMS_H
#define LIBFS_STORE_FSFS_COMMIT_ITEMS_H

#include "libfs/format/rev_footer.h"
#include "libfs/store/fsfs/rep_out.h"
#include "libfs/store/fsfs/rep_write.h"
#include "libfs/store/fsfs/txn_state.h"

typedef struct fs_commit_items_t fs_commit_items_t;

/** Go on behind the texts of `state`, which becomes revision `rev`; lives in
 *  `result`. */
fs_commit_items_t *fs_commit_items_create(const fs_txn_state_t *state,
                                          fs_rev_t rev, apr_pool_t *result);

/**
 * An item begins here; `*address` becomes its offset, or its number with
 * logical addressing: `number`, or the next one if that is 0.
 */
void fs_commit_items_begin(apr_uint64_t *address, fs_commit_items_t *items,
                           apr_uint64_t number);

/** Bytes of the item. Errors: FS_ERR_IO. */
fs_error_t *fs_commit_items_add(fs_commit_items_t *items,
                                const fs_buffer_t *bytes) FS_MUST_CHECK;

/** Its last bytes, and its end. */
fs_error_t *fs_commit_items_put(fs_commit_items_t *items,
                                const fs_buffer_t *bytes,
                                fs_item_type_t type) FS_MUST_CHECK;

/** A representation for `node` begins, as an item; the base is chosen. */
fs_error_t *fs_commit_items_open(fs_rep_write_t **write,
                                 fs_commit_items_t *items,
                                 const fs_node_rev_t *node,
                                 fs_rep_write_kind_t kind,
                                 apr_pool_t *result) FS_MUST_CHECK;

/** It ends; all of `*rep` is set but for the uniquifier, which it has not. */
fs_error_t *fs_commit_items_close(fs_rep_t *rep, fs_commit_items_t *items,
                                  fs_rep_write_t *write,
                                  fs_item_type_t type) FS_MUST_CHECK;

/**
 * What is behind the items: indexes with their footer, or the line of
 * `trailer`. All bytes are in the file then.
 */
fs_error_t *fs_commit_items_finish(fs_commit_items_t *items,
                                   const fs_rev_trailer_t *trailer,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

#endif
