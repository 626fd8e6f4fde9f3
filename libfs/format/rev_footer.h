/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ends the file of a revision and leads to everything in it.
 *
 * Physical addressing (formats 1-8), the last line of a revision, also within
 * a pack file; at most 64 bytes:
 *
 *     "\n" <offset of root record> " " <offset of changed paths> "\n"
 *
 * Logical addressing (formats 7 and 8), the last bytes of a file:
 *
 *     <l2p offset> " " <l2p md5> " " <p2l offset> " " <p2l md5> <length byte>
 *
 * Source: docs/format/revision-file.md, "Trailer"; docs/format/index.md.
 */

#ifndef LIBFS_FORMAT_REV_FOOTER_H
#define LIBFS_FORMAT_REV_FOOTER_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Bytes to read from the end of a revision for its trailer. */
#define FS_REV_TRAILER_SIZE 64
/** Bytes to read from the end of a file for its footer. */
#define FS_REV_FOOTER_SIZE 256

/** Physical addressing: offsets from the revision's start. */
typedef struct fs_rev_trailer_t {
    apr_uint64_t root;    /* of the root directory's record */
    apr_uint64_t changes; /* of the changed-path list */
} fs_rev_trailer_t;

/** Logical addressing: offsets in the file. */
typedef struct fs_rev_footer_t {
    apr_uint64_t l2p_offset; /* where the items end and this index begins */
    apr_uint64_t l2p_len;
    unsigned char l2p_md5[FS_MD5_SIZE]; /* of the l2p_len bytes */
    apr_uint64_t p2l_offset;            /* l2p_offset + l2p_len */
    apr_uint64_t p2l_len;
    unsigned char p2l_md5[FS_MD5_SIZE]; /* of the p2l_len bytes */
} fs_rev_footer_t;

/**
 * Parse the trailer of a revision that takes `rev_len` bytes, from its last
 * `len` bytes (`len` = the less of FS_REV_TRAILER_SIZE and `rev_len`).
 * Errors: FS_ERR_CORRUPT; also for offsets outside of the revision.
 */
fs_error_t *fs_rev_footer_parse_physical(fs_rev_trailer_t *out,
                                         const char *tail, apr_size_t len,
                                         apr_uint64_t rev_len) FS_MUST_CHECK;

/**
 * Parse the footer of a file that has `file_len` bytes, from its last `len`
 * bytes (`len` = the less of FS_REV_FOOTER_SIZE and `file_len`).
 * Errors: FS_ERR_CORRUPT; also for offsets out of order or range.
 */
fs_error_t *fs_rev_footer_parse(fs_rev_footer_t *out, const char *tail,
                                apr_size_t len,
                                apr_uint64_t file_len) FS_MUST_CHECK;

/** Write the trailer line without the newline before it; returns its length. */
apr_size_t fs_rev_footer_format_physical(char buf[FS_REV_TRAILER_SIZE],
                                         const fs_rev_trailer_t *trailer);

/** Write the footer with its length byte; returns the length of both. */
apr_size_t fs_rev_footer_format(char buf[FS_REV_FOOTER_SIZE],
                                const fs_rev_footer_t *footer);

#endif
