/* SPDX-License-Identifier: Apache-2.0 */
/* The Range header (RFC 9110, section 14). */

#ifndef MOD_REPO_HTTP_RANGE_H
#define MOD_REPO_HTTP_RANGE_H

#include <apr_tables.h>

#include "libfs/fs_types.h"

/** Ranges of one request that are served; with more it is ignored. */
#define REPO_RANGE_MAX 200

/** Bytes `start` to `start + len - 1`; `len` is never 0. */
typedef struct repo_range_t {
    apr_uint64_t start;
    apr_uint64_t len;
} repo_range_t;

typedef enum repo_range_status_t {
    REPO_RANGE_IGNORE, /* malformed or absurd: send the whole */
    REPO_RANGE_PARTIAL,
    REPO_RANGE_UNSATISFIABLE /* 416 */
} repo_range_status_t;

/**
 * Parse the value of a Range header for a text of `size` bytes.
 *
 * @param ranges  array of repo_range_t, in the order asked for; those that lie
 *                beyond the end are left out
 *
 * Ignored too: more than REPO_RANGE_MAX ranges, and ranges that ask for more
 * bytes than the text has. One range that covers all is a range, as httpd has
 * it: clients find out by "bytes=0-" whether ranges are served.
 */
repo_range_status_t repo_range_parse(apr_array_header_t **ranges,
                                     const char *value, apr_uint64_t size,
                                     apr_pool_t *result);

#endif
