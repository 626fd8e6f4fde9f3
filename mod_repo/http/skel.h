/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skels: lists in parentheses of atoms, which are bare words or counted bytes.
 *
 *     (create-txn-with-props (svn:log 5 a log svn:txn-user-agent 3 svn))
 *
 * A bare atom begins with a letter and ends before a blank or a parenthesis; a
 * counted one is a decimal length, one blank, and that many bytes. Blanks
 * (space, tab, line feed, form feed, carriage return) separate elements.
 * Source: docs/protocol/http-write.md, "Beginning a transaction".
 */

#ifndef MOD_REPO_HTTP_SKEL_H
#define MOD_REPO_HTTP_SKEL_H

#include <apr_tables.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Deepest nesting of lists. */
#define REPO_SKEL_DEPTH_MAX 16

typedef struct repo_skel_t {
    bool is_list;
    fs_bytes_t atom;             /* of an atom; points into what was parsed */
    apr_array_header_t *members; /* of a list: const repo_skel_t * */
} repo_skel_t;

/**
 * Parse the first skel in `len` bytes at `data`, which must stay; what follows
 * it is ignored.
 * Errors: FS_ERR_STREAM_MALFORMED: no skel, one that is not closed, a length
 *         beyond the end, lists nested deeper than REPO_SKEL_DEPTH_MAX.
 * Cost:   memory in proportion to `len`.
 */
fs_error_t *repo_skel_parse(const repo_skel_t **skel, const char *data,
                            apr_size_t len, apr_pool_t *result) FS_MUST_CHECK;

/** The member `index` of a list; NULL if it has none there, or is no list. */
const repo_skel_t *repo_skel_member(const repo_skel_t *list, int index);

/** Is `skel` the atom `word`? NULL is not. */
bool repo_skel_is(const repo_skel_t *skel, const char *word);

#endif
