/* SPDX-License-Identifier: Apache-2.0 */
/* How a block is divided, and the reader's side, which takes no locks. */

#include "libcache/segment/segment.h"

#include <string.h>

#include "libcache/segment/shard.h"

#define SHARD_COUNT_MAX 64
#define SHARD_SIZE_WANTED (512 * 1024)

/* A bucket of 8 slots for each KiB: entries have 128 bytes or more. */
#define BYTES_PER_BUCKET 1024

/* A reader whose entry is moved away under it looks again. */
#define ATTEMPTS 3

/* At offset 0 of the block. */
typedef struct header_t {
    uint64_t magic;
    uint64_t size; /* of the block, in bytes */
    uint64_t seed; /* of the hashes of keys */
} header_t;

/* Changes with the layout of anything in the block. */
#define MAGIC UINT64_C(0x6d72636163686531)

_Static_assert(sizeof(header_t) <= CACHE_SEGMENT_ALIGN, "room for the header");

static uint64_t round_up(uint64_t number, uint64_t unit)
{
    return (number + unit - 1) / unit * unit;
}

void cache_segment_divide(cache_segment_t *segment, void *block,
                          apr_uint64_t size)
{
    uint64_t slots;
    uint64_t units;
    uint64_t probation;

    memset(segment, 0, sizeof(*segment));
    segment->block = block;
    segment->size = size;
    segment->shard_count = 1;
    while (segment->shard_count < SHARD_COUNT_MAX &&
           size / segment->shard_count / 2 >= SHARD_SIZE_WANTED)
        segment->shard_count *= 2;
    segment->shard_size = (size - CACHE_SEGMENT_ALIGN) / segment->shard_count /
                          CACHE_SEGMENT_ALIGN * CACHE_SEGMENT_ALIGN;
    segment->bucket_count =
        (apr_uint32_t)(segment->shard_size / BYTES_PER_BUCKET);
    slots = (uint64_t)segment->bucket_count * CACHE_SLOTS;
    segment->bucket_offset = round_up(sizeof(cache_shard_t), 64);
    segment->ghost_offset = segment->bucket_offset + slots * 8;
    segment->ring_offset[CACHE_RING_PROBATION] =
        round_up(segment->ghost_offset + slots * 2, 64);
    units =
        (segment->shard_size - segment->ring_offset[CACHE_RING_PROBATION]) / 16;
    probation = units / 10;
    if (probation < CACHE_ENTRY_WORDS_MAX)
        probation = CACHE_ENTRY_WORDS_MAX; /* two of the longest */
    segment->ring_units[CACHE_RING_PROBATION] = probation;
    segment->ring_units[CACHE_RING_MAIN] = units - probation;
    segment->ring_offset[CACHE_RING_MAIN] =
        segment->ring_offset[CACHE_RING_PROBATION] + probation * 16;
}

void cache_segment_init(cache_segment_t *segment, apr_uint64_t seed)
{
    header_t *header = (header_t *)(void *)segment->block;
    apr_uint32_t i;

    header->size = segment->size;
    header->seed = seed;
    for (i = 0; i < segment->shard_count; i++) {
        cache_shard_t *shard = cache_shard_at(segment, i);
        int ring;

        for (ring = 0; ring < CACHE_RING_COUNT; ring++) {
            /* One lap on, so that no position is 0: that is an empty slot. */
            uint64_t start = segment->ring_units[ring];

            atomic_init(&shard->rings[ring].reserved, start);
            shard->rings[ring].head = start;
            shard->rings[ring].tail = start;
        }
    }
    header->magic = MAGIC;
}

int cache_segment_is_valid(const cache_segment_t *segment, apr_uint64_t *seed)
{
    const header_t *header = (const header_t *)(const void *)segment->block;

    if (header->magic != MAGIC || header->size != segment->size)
        return 0;
    *seed = header->seed;
    return 1;
}

apr_uint32_t cache_segment_shard(const cache_segment_t *segment,
                                 apr_uint64_t hash)
{
    return (apr_uint32_t)(hash >> 58) & (segment->shard_count - 1);
}

/* Up to 8 bytes as a word, filled up with zeros. */
static inline uint64_t word_of(const unsigned char *bytes, apr_size_t len)
{
    uint64_t word = 0;

    memcpy(&word, bytes, len < 8 ? len : 8);
    return word;
}

int cache_shard_matches(cache_word_t *words, uint64_t room,
                        const cache_page_key_t *key, cache_entry_t *entry)
{
    apr_size_t at;

    cache_entry_parse(entry, atomic_load_explicit(&words[1], CACHE_READ_ORDER));
    if (atomic_load_explicit(&words[0], CACHE_READ_ORDER) != key->hash ||
        entry->key_len != key->len || entry->filler)
        return 0;
    if (CACHE_HEADER_WORDS + (entry->key_len + 7) / 8 +
            (entry->data_len + 7) / 8 >
        room)
        return 0;
    words += CACHE_HEADER_WORDS;
    for (at = 0; at + 8 <= key->len; at += 8) {
        uint64_t wanted;

        memcpy(&wanted, key->bytes + at, 8);
        if (atomic_load_explicit(words++, CACHE_READ_ORDER) != wanted)
            return 0;
    }
    return at == key->len || atomic_load_explicit(words, CACHE_READ_ORDER) ==
                                 word_of(key->bytes + at, key->len - at);
}

static void copy_out(char *buf, cache_word_t *words, apr_size_t len)
{
    uint64_t word;

    for (; len >= 8; len -= 8, buf += 8) {
        word = atomic_load_explicit(words++, CACHE_READ_ORDER);
        memcpy(buf, &word, 8);
    }
    if (len > 0) {
        word = atomic_load_explicit(words, CACHE_READ_ORDER);
        memcpy(buf, &word, len);
    }
}

typedef enum found_t {
    FOUND,
    OTHER,
    GONE
} found_t;

/* Copy the entry of a slot, if it is the one; GONE: it was written over. */
static found_t read_slot(cache_segment_t *segment, cache_shard_t *shard,
                         uint64_t slot, const cache_page_key_t *key, char *buf,
                         apr_size_t *len)
{
    cache_ring_number_t number = cache_slot_ring(slot);
    uint64_t position = slot & CACHE_SLOT_POSITION;
    uint64_t units = segment->ring_units[number];
    cache_ring_t *ring = &shard->rings[number];
    cache_word_t *words = cache_shard_words(segment, shard, number, position);
    uint64_t room = (units - position % units) * CACHE_UNIT_WORDS;
    cache_entry_t entry;
    found_t found = OTHER;

    if (cache_shard_matches(words, room, key, &entry) &&
        entry.data_len <= *len) {
        copy_out(buf, words + CACHE_HEADER_WORDS + (entry.key_len + 7) / 8,
                 entry.data_len);
        found = FOUND;
    }
    CACHE_FENCE(memory_order_acquire);
    if (atomic_load_explicit(&ring->reserved, memory_order_relaxed) - position >
        units)
        return GONE;
    if (found == FOUND)
        *len = entry.data_len;
    return found;
}

apr_status_t cache_segment_get(cache_segment_t *segment,
                               const cache_page_key_t *key, char *buf,
                               apr_size_t *len)
{
    cache_shard_t *shard =
        cache_shard_at(segment, cache_segment_shard(segment, key->hash));
    cache_word_t *bucket = cache_shard_bucket(segment, shard, key->hash);
    uint64_t tag = cache_slot_make(CACHE_RING_PROBATION, key->hash, 0);
    int attempt;
    int i;

    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        int gone = 0;

        for (i = 0; i < CACHE_SLOTS; i++) {
            uint64_t slot =
                atomic_load_explicit(&bucket[i], memory_order_acquire);
            found_t found;

            if (slot == 0 || (slot & CACHE_SLOT_TAG) != tag)
                continue;
            found = read_slot(segment, shard, slot, key, buf, len);
            if (found == FOUND) {
                /* If the slot changed, the new entry was not read. */
                if (!(slot & CACHE_SLOT_VISITED))
                    atomic_compare_exchange_strong_explicit(
                        &bucket[i], &slot, slot | CACHE_SLOT_VISITED,
                        memory_order_relaxed, memory_order_relaxed);
                return APR_SUCCESS;
            }
            gone |= found == GONE;
        }
        if (!gone)
            break;
    }
    return APR_NOTFOUND;
}

void cache_segment_usage(const cache_segment_t *segment, apr_uint32_t shard,
                         cache_kind_t kind, cache_usage_t *usage)
{
    const cache_usage_t *own = &cache_shard_at(segment, shard)->usage[kind];

    usage->evictions += own->evictions;
    usage->bytes += own->bytes;
    usage->entries += own->entries;
}
