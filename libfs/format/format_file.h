/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small files at the top of a repository and its filesystem that say what
 * it is and how far it got.
 *
 *     format      repository: "3" or "5"
 *     db/format   "<format>\n", then options, one a line:
 *                   "layout linear" | "layout sharded <n>"      formats 3-8
 *                   "addressing physical" | "addressing logical"   7 and 8
 *     db/current  "<youngest>\n"; formats 1 and 2:
 *                 "<youngest> <next node id> <next copy id>\n", ids in base 36
 *     db/uuid     "<uuid>\n"; formats 7 and 8: and "<instance id>\n"
 *     db/min-unpacked-rev     "<rev>\n"                         formats 4-8
 *     db/txn-current          "<base 36>\n"                     formats 3-8
 *
 * Source: docs/format/format-file.md.
 */

#ifndef LIBFS_FORMAT_FORMAT_FILE_H
#define LIBFS_FORMAT_FORMAT_FILE_H

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Lowest formats that have (or may be written with) something. */
enum {
    FS_FORMAT_SVNDIFF1 = 2,
    FS_FORMAT_LAYOUT = 3,      /* "layout" option, sharding */
    FS_FORMAT_TXN_CURRENT = 3, /* txn-current, txn-protorevs */
    FS_FORMAT_REV_IDS = 3,     /* ids "<base36>-<rev>" */
    FS_FORMAT_MERGEINFO = 3,   /* minfo-cnt and minfo-here */
    FS_FORMAT_PACKING = 4,     /* of revisions; min-unpacked-rev */
    FS_FORMAT_REP_SHARING = 4, /* SHA-1 and uniquifier; rep-cache.db */
    FS_FORMAT_CHANGE_KIND = 4, /* kind in changed-path lists */
    FS_FORMAT_CONF = 4,        /* fsfs.conf */
    FS_FORMAT_DELTA_DIRS = 4,  /* deltas of directories and properties */
    FS_FORMAT_PACK_REVPROPS = 6,
    FS_FORMAT_ADDRESSING = 7, /* "addressing" option */
    FS_FORMAT_PACK_LOCK = 7,
    FS_FORMAT_INSTANCE_ID = 7,
    FS_FORMAT_CHANGE_MINFO = 7, /* mergeinfo flag in changed-path lists */
    FS_FORMAT_SVNDIFF2 = 8,
    FS_FORMAT_REP_DASH = 8, /* "-" in representation strings */
    FS_FORMAT_NEWEST = 8
};

typedef struct fs_format_file_t {
    int format;              /* 1 to 8, never 5 */
    apr_uint64_t shard_size; /* revisions a shard; 0: linear layout */
    bool logical;            /* items are addressed by number */
} fs_format_file_t;

/**
 * Parse db/format. (If that file is missing, the format is 1: pass "1\n".)
 * Errors: FS_ERR_BAD_FORMAT_FILE, malformed, or an option that the format does
 *         not have; FS_ERR_UNSUPPORTED_FORMAT, a number that is not served.
 */
fs_error_t *fs_format_file_parse(fs_format_file_t *out, const char *data,
                                 apr_size_t len) FS_MUST_CHECK;

/** Append db/format. */
void fs_format_file_format(fs_buffer_t *out, const fs_format_file_t *format);

/**
 * Parse the top level's `format` into `*out`: 3 or 5.
 * Errors: FS_ERR_BAD_FORMAT_FILE; FS_ERR_UNSUPPORTED_REPO.
 */
fs_error_t *fs_format_file_parse_repository(int *out, const char *data,
                                            apr_size_t len) FS_MUST_CHECK;

/** What db/current says. */
typedef struct fs_format_current_t {
    fs_rev_t youngest;
    apr_uint64_t next_node; /* formats 1 and 2, else 0 */
    apr_uint64_t next_copy; /* formats 1 and 2, else 0 */
} fs_format_current_t;

/** Room for any db/current, db/min-unpacked-rev or db/txn-current. */
#define FS_FORMAT_NUMBER_SIZE 64

/**
 * Parse db/current. Formats from 3 on ignore what follows the number.
 * Errors: FS_ERR_CORRUPT.
 */
fs_error_t *fs_format_file_parse_current(fs_format_current_t *out, int format,
                                         const char *data,
                                         apr_size_t len) FS_MUST_CHECK;

/** Write db/current with a final NUL; returns the length without it. */
apr_size_t fs_format_file_format_current(char buf[FS_FORMAT_NUMBER_SIZE],
                                         int format,
                                         const fs_format_current_t *current);

/** Length of a UUID as text. */
#define FS_UUID_LEN 36

typedef struct fs_format_uuid_t {
    char uuid[FS_UUID_LEN + 1];
    char instance[FS_UUID_LEN + 1]; /* "" in formats 1 to 6 */
} fs_format_uuid_t;

/** Parse db/uuid. Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_format_file_parse_uuid(fs_format_uuid_t *out, int format,
                                      const char *data,
                                      apr_size_t len) FS_MUST_CHECK;

/** Whether `len` bytes are 8-4-4-4-12 hex digits. */
bool fs_format_file_is_uuid(const char *text, apr_size_t len);

/** Parse db/min-unpacked-rev, a multiple of `shard_size` (if that is not 0).
 *  Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_format_file_parse_min_unpacked(fs_rev_t *out,
                                              apr_uint64_t shard_size,
                                              const char *data,
                                              apr_size_t len) FS_MUST_CHECK;

/** Parse db/txn-current. Errors: FS_ERR_CORRUPT. */
fs_error_t *fs_format_file_parse_txn_current(apr_uint64_t *out,
                                             const char *data,
                                             apr_size_t len) FS_MUST_CHECK;

#endif
