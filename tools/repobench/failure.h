/* SPDX-License-Identifier: Apache-2.0 */
/* What a server says in the body of an answer that reports a failure. */

#ifndef TOOLS_REPOBENCH_FAILURE_H
#define TOOLS_REPOBENCH_FAILURE_H

#include <apr_pools.h>

/**
 * The text for people in the body of a failed request: of an error in XML
 * (docs/errors.md) its number and sentence, as "E160006: no such
 * revision 7"; NULL if the body is nothing of that kind. Lives in `pool`.
 */
const char *bench_failure_text(const char *body, apr_size_t len,
                               apr_pool_t *pool);

#endif
