/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as bytes, and the two sums: of keys (placement) and of pages. */

#ifndef LIBCACHE_BASE_KEY_H
#define LIBCACHE_BASE_KEY_H

#include "libcache/cache.h"

/*
 * Layout of the bytes, numbers little-endian:
 *
 *   0  16  space
 *  16   8  rev
 *  24   8  item
 *  32   8  extra
 *  40   2  kind
 *  42   2  version of the kind's encoding
 *  44   4  page number, from 0
 *  48   8  sum of the build's name: two builds overlap at a graceful restart
 *  56   n  name, up to the end
 */
#define CACHE_KEY_FIXED 56

/** Longest key, in bytes. */
#define CACHE_KEY_BYTES_MAX (CACHE_KEY_FIXED + CACHE_NAME_MAX)

/** The key of one page, as back ends see it. */
typedef struct cache_page_key_t {
    const unsigned char *bytes; /* compared whole */
    apr_size_t len;             /* <= CACHE_KEY_BYTES_MAX */
    apr_uint64_t hash;          /* cache_key_hash() of the bytes */
    cache_kind_t kind;          /* for counters; part of the bytes too */
} cache_page_key_t;

/**
 * Write the key of page 0 into `bytes`, which has room for
 * CACHE_KEY_BYTES_MAX, and describe it in `page`, which points to `bytes`.
 * Errors:  APR_EINVAL, the kind does not exist or the name is too long.
 */
apr_status_t cache_key_format(cache_page_key_t *page, unsigned char *bytes,
                              const cache_key_t *key, apr_uint64_t seed);

/** Change the page number in `bytes`, which `page` describes. */
void cache_key_set_page(cache_page_key_t *page, unsigned char *bytes,
                        apr_uint32_t number, apr_uint64_t seed);

/**
 * A fast 64-bit sum: finds accidents, not forgery. Depends on the byte order
 * of the machine.
 */
apr_uint64_t cache_key_hash(const void *data, apr_size_t len,
                            apr_uint64_t seed);

#endif
