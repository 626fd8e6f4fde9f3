/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as repositories store them ("2024-01-02T03:04:05.678901Z"). */

#ifndef LIBFS_FS_TIME_H
#define LIBFS_FS_TIME_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Room for fs_time_format(), in bytes, final NUL included. */
#define FS_TIME_SIZE 40

/**
 * Parse `len` bytes at `data` as a date, as leniently as stock programs do:
 * numbers may have fewer digits, the digits after the point count microseconds
 * (".6" is six of them), days, hours, minutes and seconds out of range are
 * carried over, what follows the 'Z' is ignored. The old form "Tue 02 Jan 2024
 * 03:04:05.678901 (day 002, dst 0, gmt_off 000000)" is accepted too.
 *
 * Errors: FS_ERR_BAD_DATE, it is none of these, before 1970 or after 200000.
 * Source: docs/format/revprops.md, "Dates".
 */
fs_error_t *fs_time_parse(apr_time_t *out, const char *data,
                          apr_size_t len) FS_MUST_CHECK;

/**
 * Write `when` in the stored form, always UTC with six digits of fraction, to
 * `buf`; returns the length (27 for years up to 9999).
 */
apr_size_t fs_time_format(char buf[FS_TIME_SIZE], apr_time_t when);

/** As fs_time_format(), into `result`. */
const char *fs_time_text(apr_time_t when, apr_pool_t *result);

#endif
