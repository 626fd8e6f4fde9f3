/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node record says about a representation (its text or properties):
 *
 *     <rev> " " <item> " " <length> " " <size> " " <md5>           formats 1-3
 *     ... or additionally " " <sha1> " " <uniquifier>              formats 4-7
 *     ... always with both, "-" for what is absent                 format 8
 *
 * In transactions <rev> is -1, and the lone string "-1" stands for contents
 * that are in a file of their own. <uniquifier> is <txn> "/_" <base36>.
 * A repository has any mixture of these. Source: docs/format/revision-file.md,
 * "Representation strings".
 */

#ifndef LIBFS_FORMAT_REP_STRING_H
#define LIBFS_FORMAT_REP_STRING_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"
#include "libfs/format/node_id.h"

typedef struct fs_rep_t {
    fs_rev_t rev;        /* whose file it is in; -1: in the transaction */
    apr_uint64_t item;   /* its address there */
    apr_uint64_t length; /* stored bytes, without header and "ENDREP\n" */
    apr_uint64_t size;   /* bytes of the contents; true even where an old
                            release wrote 0 */
    unsigned char md5[FS_MD5_SIZE];   /* of the contents, if has_md5 */
    unsigned char sha1[FS_SHA1_SIZE]; /* of the contents, if has_sha1 */
    fs_txn_id_t unique_txn;     /* has_unique: where the contents were set */
    apr_uint64_t unique_number; /* has_unique: number within that txn */
    bool has_md5;               /* false: all zero, which means unknown */
    bool has_sha1;
    bool has_unique;
    bool in_txn_file; /* the string is "-1": nothing else is set but rev */
} fs_rep_t;

/** Room for any formatted string, in bytes, final NUL included. */
#define FS_REP_STRING_SIZE 256

/**
 * Parse all `len` bytes at `text`. Where an old release wrote a size of 0 for
 * contents that are not empty, `size` is `length` (such contents are stored
 * plainly).
 * Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_rep_string_parse(fs_rep_t *out, const char *text,
                                apr_size_t len) FS_MUST_CHECK;

/**
 * Write `rep` as `format` (1 to 8) has it, with a final NUL; returns the
 * length without it. What the format has no place for is left out.
 */
apr_size_t fs_rep_string_format(char buf[FS_REP_STRING_SIZE],
                                const fs_rep_t *rep, int format);

/**
 * Whether both stand for contents that were set by one and the same act (in
 * the strict sense: setting equal contents again makes a difference). Either
 * may be NULL: no representation.
 */
bool fs_rep_string_same(const fs_rep_t *a, const fs_rep_t *b);

#endif
