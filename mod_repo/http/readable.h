/* SPDX-License-Identifier: Apache-2.0 */
/* Text that people read, whatever bytes the repository has. */

#ifndef MOD_REPO_HTTP_READABLE_H
#define MOD_REPO_HTTP_READABLE_H

#include <apr_pools.h>

/** A copy in which bytes that XML does not allow, or that are not UTF-8, are
 *  '?'. It is not escaped. */
const char *repo_readable(const char *text, apr_pool_t *result);

#endif
