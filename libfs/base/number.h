/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text and as the two variable-length encodings. */

#ifndef LIBFS_BASE_NUMBER_H
#define LIBFS_BASE_NUMBER_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/**
 * Parse decimal digits at `*p` before `end`; moves `*p` behind them. False if
 * there is no digit there or the value passes `max`.
 */
bool fs_number_decimal(apr_uint64_t *out, const char **p, const char *end,
                       apr_uint64_t max);

/** The same in base 36 (digits 0-9 a-z). */
bool fs_number_base36(apr_uint64_t *out, const char **p, const char *end);

/** Write `value` in base 36, NUL-terminated; returns the length (<= 13). */
apr_size_t fs_number_format_base36(char buf[14], apr_uint64_t value);

/** Longest encoded form of a variable-length number, in bytes. */
#define FS_VARINT_MAX 10

/** Append svndiff's big-endian base 128 form; returns its length. */
apr_size_t fs_number_put_be128(unsigned char buf[FS_VARINT_MAX],
                               apr_uint64_t value);

/** Append the indexes' little-endian base 128 form; returns its length. */
apr_size_t fs_number_put_le128(unsigned char buf[FS_VARINT_MAX],
                               apr_uint64_t value);

#endif
