/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line before a representation's data, one of
 *
 *     "PLAIN\n"                                        data is the contents
 *     "DELTA\n"                                        svndiff against nothing
 *     "DELTA " <rev> " " <item> " " <length> "\n"      svndiff against a base
 *
 * and "ENDREP\n" after it. All formats have all three.
 * Source: docs/format/revision-file.md, "Representations".
 */

#ifndef LIBFS_FORMAT_REP_HEADER_H
#define LIBFS_FORMAT_REP_HEADER_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef enum fs_rep_kind_t {
    FS_REP_PLAIN,
    FS_REP_SELF_DELTA, /* against the empty text */
    FS_REP_DELTA       /* against the contents of the base */
} fs_rep_kind_t;

typedef struct fs_rep_header_t {
    fs_rep_kind_t kind;
    fs_rev_t base_rev;        /* FS_REP_DELTA only, else -1 */
    apr_uint64_t base_item;   /* FS_REP_DELTA only, else 0 */
    apr_uint64_t base_length; /* stored bytes of the base; as base_item */
    apr_size_t header_len;    /* bytes of this line with its newline */
} fs_rep_header_t;

/** Longest header line, in bytes; read so many (or up to the file's end). */
#define FS_REP_HEADER_SIZE 80

/** What follows a representation's data, and its length. */
#define FS_REP_TRAILER "ENDREP\n"
#define FS_REP_TRAILER_LEN 7

/**
 * Parse the line at the beginning of the `len` bytes at `data`; more may
 * follow it.
 * Errors: FS_ERR_CORRUPT, no such line, or no newline within `len`.
 */
fs_error_t *fs_rep_header_parse(fs_rep_header_t *out, const char *data,
                                apr_size_t len) FS_MUST_CHECK;

/** Write the line with its newline and a final NUL; returns its length. */
apr_size_t fs_rep_header_format(char buf[FS_REP_HEADER_SIZE],
                                const fs_rep_header_t *header);

#endif
