/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store of pages in one block of memory: bounded, without pointers, read
 * without locks. The block may be private or shared between processes; who
 * uses it brings the memory and one lock a shard.
 *
 * The block is a header and equal shards; libcache/segment/shard.h tells what
 * a shard is. Everything inside is addressed by offsets.
 */

#ifndef LIBCACHE_SEGMENT_SEGMENT_H
#define LIBCACHE_SEGMENT_SEGMENT_H

#include "libcache/base/backend.h"

/** Smallest block, in bytes. */
#define CACHE_SEGMENT_MIN (128 * 1024)

/** Alignment that a block needs, in bytes. */
#define CACHE_SEGMENT_ALIGN 64

/** How a block is divided; follows from its size alone. In bytes if no more
 * is said. Private to each process, so that a damaged block cannot bend it. */
typedef struct cache_segment_t {
    unsigned char *block;
    apr_uint64_t size;
    apr_uint32_t shard_count;    /* a power of two, up to 64 */
    apr_uint64_t shard_size;     /* multiple of 64 */
    apr_uint32_t bucket_count;   /* in a shard */
    apr_uint64_t bucket_offset;  /* from the shard's start, as those below */
    apr_uint64_t ghost_offset;   /* table of what was evicted lately */
    apr_uint64_t ring_offset[2]; /* by cache_ring_number_t */
    apr_uint64_t ring_units[2];  /* in units of 16 bytes */
} cache_segment_t;

/**
 * Divide `size` >= CACHE_SEGMENT_MIN bytes at `block`; touches no memory.
 * @param block  aligned to CACHE_SEGMENT_ALIGN
 */
void cache_segment_divide(cache_segment_t *segment, void *block,
                          apr_uint64_t size);

/** Make the block, which is all zero bytes, an empty store. */
void cache_segment_init(cache_segment_t *segment, apr_uint64_t seed);

/**
 * Is the block a store that this code wrote, of this size? Sets `*seed` then.
 */
int cache_segment_is_valid(const cache_segment_t *segment, apr_uint64_t *seed);

/** Number of the shard, and so of the lock, that a key belongs to. */
apr_uint32_t cache_segment_shard(const cache_segment_t *segment,
                                 apr_uint64_t hash);

/** As cache_backend_t.get. Takes no lock; writes at most one bit. */
apr_status_t cache_segment_get(cache_segment_t *segment,
                               const cache_page_key_t *key, char *buf,
                               apr_size_t *len);

/**
 * As cache_backend_t.put; the caller holds the shard's lock.
 * Cost: copies the page, and at most a few others that are moved.
 */
apr_status_t cache_segment_put(cache_segment_t *segment,
                               const cache_page_key_t *key, const char *page,
                               apr_size_t len);

/** As cache_backend_t.drop; the caller holds the shard's lock. */
void cache_segment_drop(cache_segment_t *segment, const cache_page_key_t *key);

/** Add the counts of one shard to `usage`; the caller holds its lock. */
void cache_segment_usage(const cache_segment_t *segment, apr_uint32_t shard,
                         cache_kind_t kind, cache_usage_t *usage);

/** Empty a shard, whatever state it is in; the caller holds its lock. */
void cache_segment_clear(cache_segment_t *segment, apr_uint32_t number);

#endif
