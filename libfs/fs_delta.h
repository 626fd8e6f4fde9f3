/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text deltas: windows of instructions that make one text from another, the
 * svndiff encodings (versions 0 to 2) that carry them, and their computation.
 * Source: docs/format/svndiff.md.
 */

#ifndef LIBFS_FS_DELTA_H
#define LIBFS_FS_DELTA_H

#include "libfs/fs_error.h"
#include "libfs/fs_stream.h"
#include "libfs/fs_types.h"

/** Longest source view, target view and new data of a window, in bytes. */
#define FS_DELTA_WINDOW_MAX 102400

typedef enum fs_delta_action_t {
    FS_DELTA_SOURCE = 0, /* copy from the source view */
    FS_DELTA_TARGET = 1, /* copy from what this window produced so far */
    FS_DELTA_NEW = 2     /* take from the new data */
} fs_delta_action_t;

/**
 * One instruction. `offset` counts from the start of the source view, of the
 * target view or of the new data; it is filled for FS_DELTA_NEW as well.
 */
typedef struct fs_delta_op_t {
    fs_delta_action_t action;
    apr_uint32_t offset;
    apr_uint32_t length;
} fs_delta_op_t;

/** One window: makes `target_len` bytes from a view of the source. */
typedef struct fs_delta_window_t {
    apr_uint64_t source_offset; /* of the source view, in bytes */
    apr_uint32_t source_len;
    apr_uint32_t target_len;
    apr_uint32_t op_count;
    const fs_delta_op_t *ops; /* op_count of them; fill the target exactly */
    const char *new_data;
    apr_uint32_t new_len;
} fs_delta_window_t;

/** A source of windows, read once from front to back. */
typedef struct fs_delta_stream_t fs_delta_stream_t;

/** Next window or NULL at the end; valid until the next call or close. */
fs_error_t *fs_delta_next(const fs_delta_window_t **window,
                          fs_delta_stream_t *stream) FS_MUST_CHECK;

/** Make a window stream from a function (for other producers of windows). */
fs_delta_stream_t *fs_delta_stream_create(
    fs_error_t *(*next)(const fs_delta_window_t **window, void *baton),
    void *baton, apr_pool_t *result);

/**
 * Produce `window->target_len` bytes at `target` from the source view
 * `source` (`window->source_len` bytes). The window must have been checked
 * (what fs_delta_next() yields is).
 * Cost: one pass over the target, no allocation.
 */
void fs_delta_apply_window(const fs_delta_window_t *window, const char *source,
                           char *target);

/**
 * Windows that turn the text of `source` into that of `target`: our own
 * matcher, 100 KiB of target a window, source view of window k = bytes from k
 * * 102400 (what FSFS readers require; also valid on the wire). A NULL
 * `source` is the empty text: then the windows are pure new data.
 * Memory: bounded, independent of the texts' sizes. Both streams are read as
 * windows are asked for and closed at the end.
 */
fs_delta_stream_t *fs_delta_compute(fs_stream_t *source, fs_stream_t *target,
                                    apr_pool_t *result);

/** Bytes of the target text of `delta` applied to `source` (NULL: empty). */
fs_stream_t *fs_delta_apply(fs_delta_stream_t *delta, fs_stream_t *source,
                            apr_pool_t *result);

/**
 * Decode svndiff (any version) into windows. All limits of docs/format/
 * svndiff.md are checked; sums cannot overflow.
 *
 * Errors: FS_ERR_SVNDIFF_HEADER, _WINDOW, _BACKWARD, _OPS, _END,
 * _COMPRESSED; FS_ERR_STREAM_MALFORMED (zlib); FS_ERR_LZ4.
 */
fs_delta_stream_t *fs_svndiff_read(fs_stream_t *svndiff, apr_pool_t *result);

/**
 * Decode one window from the `len` bytes at `data` (no "SVN" header).
 * Buffers of the result live in `result`. `*used` is set to the window's
 * encoded length. Errors as fs_svndiff_read(); a cut window is _END.
 */
fs_error_t *fs_svndiff_window_parse(fs_delta_window_t *window, apr_size_t *used,
                                    int version, const char *data,
                                    apr_size_t len,
                                    apr_pool_t *result) FS_MUST_CHECK;

/**
 * Encode windows as svndiff of `version` (0, 1: zlib, 2: LZ4) as a stream of
 * bytes; one window is encoded at a time, memory is bounded.
 * @param level  zlib level 0 to 9 for version 1; 0 stores. Ignored else.
 */
fs_stream_t *fs_svndiff_write(fs_delta_stream_t *delta, int version, int level,
                              apr_pool_t *result);

#endif
