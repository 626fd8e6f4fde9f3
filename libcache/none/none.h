/* SPDX-License-Identifier: Apache-2.0 */
/* The back end that keeps nothing. */

#ifndef LIBCACHE_NONE_NONE_H
#define LIBCACHE_NONE_NONE_H

#include "libcache/base/backend.h"

/** "none": each get is a miss, each put fails with APR_ENOSPC. */
extern const cache_backend_t cache_none;

#endif
