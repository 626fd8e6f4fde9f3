/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shard: an index of buckets over two rings of entries.
 *
 * Index. A bucket is 8 slots of 64 bits, one cache line. A slot, 0 if empty:
 *
 *   bit 63      visited: the entry was read since it was placed
 *   bit 62      number of the ring
 *   bits 48-61  tag: 14 bits of the hash
 *   bits 0-47   position of the entry in the ring
 *
 * Rings. A position counts units of 16 bytes, never comes back, and lies in
 * memory at its remainder by the ring's size. Entries are appended at the head
 * and evicted at the tail; none is split at the end of the memory: a filler
 * takes what is left there. An entry, in 64-bit words of the machine:
 *
 *   0   hash of the key
 *   1   bits 0-15 units of the entry, 16-31 bytes of the key, 32-47 bytes of
 *       the page, 48-55 kind, 56 set in a filler, which is nothing but words
 *       0 and 1
 *   2   the key, then the page, each filled up with zeros to whole words
 *
 * Readers take no lock. A writer first publishes in `reserved` how far it is
 * going to write, then writes; a reader copies first and then looks whether
 * `reserved` has passed what it copied. All words are atomic, so that the
 * copy may be torn but is never undefined.
 */

#ifndef LIBCACHE_SEGMENT_SHARD_H
#define LIBCACHE_SEGMENT_SHARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "libcache/base/backend.h"
#include "libcache/segment/segment.h"

typedef _Atomic uint64_t cache_word_t;

#define CACHE_SLOTS 8
#define CACHE_UNIT_WORDS 2
#define CACHE_HEADER_WORDS 2

/** Words of the longest entry. */
#define CACHE_ENTRY_WORDS_MAX                                                  \
    (CACHE_HEADER_WORDS + (CACHE_KEY_BYTES_MAX + 7) / 8 +                      \
     (CACHE_PAGE_SIZE + 7) / 8 + 1)

typedef enum cache_ring_number_t {
    CACHE_RING_PROBATION, /* new entries; about a tenth of the memory */
    CACHE_RING_MAIN,      /* those that were read, or came back soon */
    CACHE_RING_COUNT
} cache_ring_number_t;

typedef struct cache_ring_t {
    cache_word_t reserved; /* position up to which may be written; >= head */
    uint64_t head;         /* where the next entry goes; guarded by the lock */
    uint64_t tail;         /* oldest entry; guarded by the lock */
} cache_ring_t;

/* At the start of each shard. */
typedef struct cache_shard_t {
    cache_ring_t rings[CACHE_RING_COUNT];
    cache_usage_t usage[CACHE_KIND_COUNT]; /* guarded by the lock */
} cache_shard_t;

/* Word 1 of an entry, taken apart. */
typedef struct cache_entry_t {
    unsigned int units;
    unsigned int key_len;
    unsigned int data_len;
    unsigned int kind;
    int filler;
} cache_entry_t;

#define CACHE_SLOT_VISITED (UINT64_C(1) << 63)
#define CACHE_SLOT_RING (UINT64_C(1) << 62)
#define CACHE_SLOT_TAG (UINT64_C(0x3fff) << 48)
#define CACHE_SLOT_POSITION ((UINT64_C(1) << 48) - 1)

/*
 * Order of copies against `reserved`. The thread sanitizer knows no fences; on
 * the machines it runs on stronger accesses cost nothing.
 */
#if defined(__SANITIZE_THREAD__)
#define CACHE_READ_ORDER memory_order_acquire
#define CACHE_WRITE_ORDER memory_order_release
#define CACHE_FENCE(order) ((void)0)
#else
#define CACHE_READ_ORDER memory_order_relaxed
#define CACHE_WRITE_ORDER memory_order_relaxed
#define CACHE_FENCE(order) atomic_thread_fence(order)
#endif

static inline cache_ring_number_t cache_slot_ring(uint64_t slot)
{
    return slot & CACHE_SLOT_RING ? CACHE_RING_MAIN : CACHE_RING_PROBATION;
}

static inline uint64_t cache_slot_make(cache_ring_number_t ring, uint64_t hash,
                                       uint64_t position)
{
    return (ring == CACHE_RING_MAIN ? CACHE_SLOT_RING : 0) |
           ((hash << 14) & CACHE_SLOT_TAG) | position;
}

/** The shard that keys with this number live in. */
static inline cache_shard_t *cache_shard_at(const cache_segment_t *segment,
                                            apr_uint32_t number)
{
    return (cache_shard_t *)(void *)(segment->block + CACHE_SEGMENT_ALIGN +
                                     number * segment->shard_size);
}

/** The CACHE_SLOTS slots in which an entry with this hash may be. */
static inline cache_word_t *cache_shard_bucket(const cache_segment_t *segment,
                                               cache_shard_t *shard,
                                               uint64_t hash)
{
    uint64_t bucket = ((hash & UINT32_MAX) * segment->bucket_count) >> 32;

    return (cache_word_t *)(void *)((unsigned char *)shard +
                                    segment->bucket_offset) +
           bucket * CACHE_SLOTS;
}

/** Where a position of a ring lies. */
static inline cache_word_t *cache_shard_words(const cache_segment_t *segment,
                                              cache_shard_t *shard,
                                              cache_ring_number_t ring,
                                              uint64_t position)
{
    return (cache_word_t *)(void *)((unsigned char *)shard +
                                    segment->ring_offset[ring]) +
           position % segment->ring_units[ring] * CACHE_UNIT_WORDS;
}

/** Take word 1 apart; whatever it is, nothing in `entry` can be relied on. */
static inline void cache_entry_parse(cache_entry_t *entry, uint64_t word)
{
    entry->units = word & 0xffff;
    entry->key_len = word >> 16 & 0xffff;
    entry->data_len = word >> 32 & 0xffff;
    entry->kind = word >> 48 & 0xff;
    entry->filler = word >> 56 & 1;
}

/**
 * Compare an entry with a key.
 *
 * @param room  words from `words` on to the end of the ring
 * @param entry set to word 1
 * @return whether the entry has this key and lies within `room`; only to be
 *         believed if the position is still valid afterwards
 */
int cache_shard_matches(cache_word_t *words, uint64_t room,
                        const cache_page_key_t *key, cache_entry_t *entry);

#endif
