/* SPDX-License-Identifier: Apache-2.0 */
/* The Range header. */

#include "mod_repo/http/range.h"

#include <string.h>

#include <apr_lib.h>

/* Read decimal digits; false if there are none or too many. */
static bool read_number(apr_uint64_t *number, const char **text)
{
    const char *start = *text;

    *number = 0;
    for (; apr_isdigit(**text); (*text)++) {
        if (*number > APR_UINT64_MAX / 10 - 1)
            return false;
        *number = *number * 10 + (apr_uint64_t)(**text - '0');
    }
    return *text > start;
}

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

/* "5-9", "5-" or "-5". `*satisfiable` is false if it is beyond the end. */
static bool parse_one(repo_range_t *range, bool *satisfiable, const char **text,
                      apr_uint64_t size)
{
    apr_uint64_t first, last;

    if (**text == '-') {
        (*text)++;
        if (!read_number(&last, text))
            return false;
        range->len = last < size ? last : size;
        range->start = size - range->len;
        *satisfiable = range->len > 0;
        return true;
    }
    if (!read_number(&first, text) || **text != '-')
        return false;
    (*text)++;
    if (!apr_isdigit(**text))
        last = APR_UINT64_MAX;
    else if (!read_number(&last, text) || last < first)
        return false;
    *satisfiable = first < size;
    if (*satisfiable) {
        range->start = first;
        range->len = (last < size ? last : size - 1) - first + 1;
    }
    return true;
}

repo_range_status_t repo_range_parse(apr_array_header_t **ranges,
                                     const char *value, apr_uint64_t size,
                                     apr_pool_t *result)
{
    apr_uint64_t total = 0;
    int count = 0;

    *ranges = apr_array_make(result, 1, sizeof(repo_range_t));
    if (strncasecmp(value, "bytes=", 6) != 0)
        return REPO_RANGE_IGNORE;
    value += 6;
    for (;;) {
        repo_range_t range;
        bool satisfiable;

        skip_blanks(&value);
        if (!parse_one(&range, &satisfiable, &value, size) ||
            ++count > REPO_RANGE_MAX)
            return REPO_RANGE_IGNORE;
        if (satisfiable) {
            if (range.len > size - (total < size ? total : size))
                return REPO_RANGE_IGNORE;
            total += range.len;
            APR_ARRAY_PUSH(*ranges, repo_range_t) = range;
        }
        skip_blanks(&value);
        if (!*value)
            break;
        if (*value++ != ',')
            return REPO_RANGE_IGNORE;
    }
    return (*ranges)->nelts ? REPO_RANGE_PARTIAL : REPO_RANGE_UNSATISFIABLE;
}
