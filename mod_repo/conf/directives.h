/* SPDX-License-Identifier: Apache-2.0 */
/* Values of directives, as the administrator writes them. */

#ifndef MOD_REPO_CONF_DIRECTIVES_H
#define MOD_REPO_CONF_DIRECTIVES_H

#include <apr_pools.h>

/**
 * Parse a count of bytes or things: decimal digits, and K, M or G (powers of
 * 1024) where `units` allows it. Returns NULL, or what would be right.
 */
const char *repo_directives_parse_size(apr_int64_t *value, const char *text,
                                       int units);

/**
 * Normalise a special URI: outer slashes and repeated ones go. NULL if
 * nothing is left or it holds "." or ".." segments.
 */
const char *repo_directives_special(const char *text, apr_pool_t *result);

#endif
