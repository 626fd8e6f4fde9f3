/* SPDX-License-Identifier: Apache-2.0 */
/* The back end in the memory of one process, shared by its threads. */

#ifndef LIBCACHE_PROCESS_PROCESS_H
#define LIBCACHE_PROCESS_PROCESS_H

#include "libcache/base/backend.h"

/** "process": gets take no lock, puts one of a shard. Default 16 MiB. */
extern const cache_backend_t cache_process;

#endif
