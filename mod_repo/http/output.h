/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer of an answer's body: collects bytes in one block and hands them to
 * httpd's filters, which hold the writer back when the client reads slowly.
 *
 * Errors stick: after the first failure all writing is a no-op, so that code
 * may write a whole element and ask once, by repo_output_check().
 */

#ifndef MOD_REPO_HTTP_OUTPUT_H
#define MOD_REPO_HTTP_OUTPUT_H

#include <httpd.h>
#include <util_filter.h>

#include "libfs/fs_error.h"
#include "libfs/fs_stream.h"

/** Bytes that are collected before they are handed on. */
#define REPO_OUTPUT_BLOCK 32768

typedef struct repo_output_t repo_output_t;

/**
 * A writer to `next` on behalf of `r`; lives in `result`. Nothing leaves
 * before the first block is full or repo_output_flush() is called, so that an
 * error found until then can still become an error answer.
 * Threads: belongs to one.
 */
repo_output_t *repo_output_create(request_rec *r, ap_filter_t *next,
                                  apr_pool_t *result);

void repo_output_write(repo_output_t *out, const char *data, apr_size_t len);
void repo_output_puts(repo_output_t *out, const char *text);
void repo_output_printf(repo_output_t *out, const char *format, ...)
    FS_PRINTF(2, 3);
/** Decimal form of a number; quicker than printf. */
void repo_output_number(repo_output_t *out, apr_int64_t number);

/** Copy a stream to its end and close it; fails with the stream's error. */
fs_error_t *repo_output_stream(repo_output_t *out, fs_stream_t *stream,
                               apr_uint64_t limit) FS_MUST_CHECK;

/** Hand on what is collected, and ask the filters to send it now. */
void repo_output_flush(repo_output_t *out);

/**
 * What went wrong so far: FS_ERR_CANCELLED when the client is gone. A fresh
 * error each time; the caller owns it.
 */
fs_error_t *repo_output_check(const repo_output_t *out) FS_MUST_CHECK;

/** Did bytes leave, so that the status can no longer change? */
bool repo_output_started(const repo_output_t *out);

/** Drop what was collected and did not leave yet. */
void repo_output_discard(repo_output_t *out);

/** Hand on the rest and the end of the answer. */
fs_error_t *repo_output_finish(repo_output_t *out) FS_MUST_CHECK;

/**
 * Break the answer off: the client must not take it for complete. The
 * connection is aborted without the end of the chunked body.
 */
void repo_output_break(repo_output_t *out);

#endif
