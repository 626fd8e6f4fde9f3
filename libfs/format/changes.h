/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of paths that a revision or transaction changed:
 *
 *     <id> " " <action> ["-" <kind>] " " <text-mod> " " <prop-mod>
 *         [" " <minfo-mod>] " " <path> "\n"
 *     [<copyfrom-rev> " " <copyfrom-path>] "\n"
 *     ... for each change, then in revisions an empty line
 *
 * <kind> is written by formats 4-8, <minfo-mod> by 7 and 8; any revision may
 * lack them. The id is what it was in the transaction: never resolve it.
 * Source: docs/format/revision-file.md, "Changed paths".
 */

#ifndef LIBFS_FORMAT_CHANGES_H
#define LIBFS_FORMAT_CHANGES_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_stream.h"
#include "libfs/fs_types.h"

typedef enum fs_change_action_t {
    FS_CHANGE_ACTION_ADD,
    FS_CHANGE_ACTION_DELETE,
    FS_CHANGE_ACTION_REPLACE,
    FS_CHANGE_ACTION_MODIFY,
    FS_CHANGE_ACTION_RESET /* transactions only */
} fs_change_action_t;

/** One entry as it is written; strings point into the bytes parsed. */
typedef struct fs_change_record_t {
    fs_bytes_t id; /* see fs_node_id_read(); may be "reset" */
    fs_bytes_t path;
    fs_bytes_t copyfrom_path; /* data is NULL: was not copied */
    fs_rev_t copyfrom_rev;    /* -1: was not copied */
    fs_change_action_t action;
    fs_node_kind_t kind; /* FS_NODE_UNKNOWN if it is not written */
    bool text_mod;
    bool prop_mod;
    int minfo_mod; /* -1: not written, else 0 or 1 */
} fs_change_record_t;

/** What the bytes at hand turned out to be. */
typedef enum fs_changes_step_t {
    FS_CHANGES_ENTRY, /* a complete entry */
    FS_CHANGES_END,   /* the empty line that ends the list */
    FS_CHANGES_CUT    /* the entry's end is not there yet: get more bytes */
} fs_changes_step_t;

/** Longest entry that is accepted, in bytes. */
#define FS_CHANGES_ENTRY_MAX (1024 * 1024)

/**
 * Parse one entry at the beginning of `data`. `*used` is set to the bytes it
 * takes (FS_CHANGES_END: 1; FS_CHANGES_CUT: 0). Allocates nothing.
 * Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_changes_parse(fs_change_record_t *out, fs_changes_step_t *step,
                             apr_size_t *used, const char *data,
                             apr_size_t len) FS_MUST_CHECK;

/** Reads a list entry by entry. */
typedef struct fs_changes_t fs_changes_t;

/**
 * Read the list in `source`, which is neither read beyond what is needed by
 * more than a block nor closed. Lives in `result`.
 * @param terminated  the list ends with an empty line (revisions), else with
 *                    the stream (transactions)
 * Memory: one block of 16 KiB; more only for longer entries.
 */
fs_changes_t *fs_changes_open(fs_stream_t *source, bool terminated,
                              apr_pool_t *result);

/**
 * Next entry or NULL at the end; valid until the next call.
 * Errors: FS_ERR_CORRUPT; those of the stream.
 */
fs_error_t *fs_changes_next(const fs_change_record_t **out,
                            fs_changes_t *changes) FS_MUST_CHECK;

/** Append one entry as `format` (1 to 8) has it. */
void fs_changes_format(fs_buffer_t *out, const fs_change_record_t *change,
                       int format);

#endif
