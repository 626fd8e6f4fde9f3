/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding single svndiff windows out of memory, for readers that keep their
 * buffers and find windows by themselves.
 * Source: docs/format/svndiff.md.
 *
 *   window := source-offset source-len target-len ins-len new-len    (be128)
 *             ins-len bytes of instructions, new-len bytes of new data
 *
 * In versions 1 and 2 each section is its expanded length (be128), then that
 * many bytes, or fewer or more that are zlib data (1) or an LZ4 block (2).
 */

#ifndef LIBFS_DELTA_SVNDIFF_READ_H
#define LIBFS_DELTA_SVNDIFF_READ_H

#include "libfs/fs_delta.h"

/** Length of "SVN" and the version byte in front of the windows. */
#define FS_SVNDIFF_MAGIC_LEN 4

/** Longest head of a window: five numbers. */
#define FS_SVNDIFF_HEAD_MAX 50

/** Longest instruction section, encoded or expanded, in bytes. */
#define FS_SVNDIFF_INS_MAX (FS_DELTA_WINDOW_MAX * 21)

/** Longest encoded new data section, in bytes. */
#define FS_SVNDIFF_NEW_MAX (FS_DELTA_WINDOW_MAX + 10)

/** The numbers in front of a window. */
typedef struct fs_svndiff_head_t {
    apr_uint64_t source_offset; /* source_offset + source_len <= INT64_MAX */
    apr_uint32_t source_len;    /* <= FS_DELTA_WINDOW_MAX, as target_len */
    apr_uint32_t target_len;
    apr_uint32_t ins_len;  /* encoded, <= FS_SVNDIFF_INS_MAX */
    apr_uint32_t new_len;  /* encoded, <= FS_SVNDIFF_NEW_MAX */
    apr_uint32_t head_len; /* bytes that the five numbers take */
} fs_svndiff_head_t;

/** What follows the head: bytes of both sections. */
static inline apr_size_t fs_svndiff_body_len(const fs_svndiff_head_t *head)
{
    return (apr_size_t)head->ins_len + head->new_len;
}

/** How far the source views of windows have come; begins zeroed. */
typedef struct fs_svndiff_slide_t {
    apr_uint64_t floor;   /* they begin here or later */
    apr_uint64_t ceiling; /* and end here or later */
} fs_svndiff_slide_t;

/** May the window behind `head` come next? Source views do not slide backwards;
 *  empty ones lie nowhere. Errors: FS_ERR_SVNDIFF_BACKWARD. */
fs_error_t *fs_svndiff_slide(fs_svndiff_slide_t *slide,
                             const fs_svndiff_head_t *head) FS_MUST_CHECK;

/** Memory that decoding uses again for each window. */
typedef struct fs_svndiff_buffers_t fs_svndiff_buffers_t;

/** Make empty buffers; what they grow to (at most some 4 MiB, usually
 *  little) is released with `result`. */
fs_svndiff_buffers_t *fs_svndiff_buffers_create(apr_pool_t *result);

/**
 * Take the version from the FS_SVNDIFF_MAGIC_LEN bytes in front of the
 * windows.
 * Errors: FS_ERR_SVNDIFF_END, `len` is too short; FS_ERR_SVNDIFF_HEADER.
 */
fs_error_t *fs_svndiff_magic_parse(int *version, const char *data,
                                   apr_size_t len) FS_MUST_CHECK;

/**
 * Read the head of the window at `data`; FS_SVNDIFF_HEAD_MAX bytes suffice.
 * Errors: FS_ERR_SVNDIFF_END, the head is cut; FS_ERR_SVNDIFF_WINDOW.
 */
fs_error_t *fs_svndiff_head_parse(fs_svndiff_head_t *head, const char *data,
                                  apr_size_t len) FS_MUST_CHECK;

/**
 * Decode the window whose head was read from the fs_svndiff_body_len() bytes
 * at `body` and check everything about it.
 *
 * @param window  valid until the next call with the same buffers; new data
 *                that was stored verbatim stays in `body`.
 *
 * Errors: FS_ERR_SVNDIFF_OPS, _COMPRESSED; FS_ERR_STREAM_MALFORMED (zlib);
 *         FS_ERR_LZ4.
 * Cost:   one pass; no allocation once the buffers have grown.
 */
fs_error_t *fs_svndiff_body_parse(fs_delta_window_t *window,
                                  const fs_svndiff_head_t *head, int version,
                                  const char *body,
                                  fs_svndiff_buffers_t *buffers) FS_MUST_CHECK;

#endif
