/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's side of a shard: placing, moving and evicting entries. The
 * caller holds the shard's lock throughout.
 *
 * New entries go to the probation ring. At its tail, one that was read
 * moves on to the main ring; another is evicted, and if its key is put again
 * soon, it goes to the main ring at once. At the tail of the main ring, one
 * that was read since is placed at the head again. So hits move nothing, and
 * a stream of entries that nobody reads again does not displace the others.
 */

#include "libcache/segment/shard.h"

#include <string.h>

/* Entries that one put moves within the main ring; then it evicts. */
#define MOVES_MAX 16

/* What all functions here need. */
typedef struct writer_t {
    cache_segment_t *segment;
    cache_shard_t *shard;
    apr_uint32_t number; /* of the shard */
    int damaged;         /* the shard makes no sense and was emptied */
} writer_t;

static uint64_t place(writer_t *w, cache_ring_number_t number,
                      const uint64_t *entry, unsigned int units, int *moves);

static void writer_init(writer_t *w, cache_segment_t *segment, uint64_t hash)
{
    w->segment = segment;
    w->number = cache_segment_shard(segment, hash);
    w->shard = cache_shard_at(segment, w->number);
    w->damaged = 0;
}

/* --- the table of what was evicted from probation ------------------------- */

static uint16_t *ghost_of(const writer_t *w, uint64_t hash)
{
    uint64_t count = (uint64_t)w->segment->bucket_count * CACHE_SLOTS;
    uint16_t *ghosts = (uint16_t *)(void *)((unsigned char *)w->shard +
                                            w->segment->ghost_offset);

    return &ghosts[((hash & UINT32_MAX) * count) >> 32];
}

static uint16_t ghost_mark(uint64_t hash)
{
    return (uint16_t)(hash >> 40 | 1); /* 0 is empty */
}

/* --- slots ------------------------------------------------------------------ */

static cache_word_t *entry_words(const writer_t *w, uint64_t slot)
{
    return cache_shard_words(w->segment, w->shard, cache_slot_ring(slot),
                             slot & CACHE_SLOT_POSITION);
}

static uint64_t words_left(const writer_t *w, uint64_t slot)
{
    uint64_t units = w->segment->ring_units[cache_slot_ring(slot)];

    return (units - (slot & CACHE_SLOT_POSITION) % units) * CACHE_UNIT_WORDS;
}

/* The slot of the entry with this key, or NULL. */
static cache_word_t *find_key(const writer_t *w, const cache_page_key_t *key,
                              cache_entry_t *entry)
{
    cache_word_t *bucket = cache_shard_bucket(w->segment, w->shard, key->hash);
    uint64_t tag = cache_slot_make(CACHE_RING_PROBATION, key->hash, 0);
    int i;

    for (i = 0; i < CACHE_SLOTS; i++) {
        uint64_t slot = atomic_load_explicit(&bucket[i], memory_order_relaxed);

        if (slot != 0 && (slot & CACHE_SLOT_TAG) == tag &&
            cache_shard_matches(entry_words(w, slot), words_left(w, slot), key,
                                entry))
            return &bucket[i];
    }
    return NULL;
}

/* The slot that points to a position, or NULL if what lies there is dead. */
static cache_word_t *find_position(const writer_t *w, uint64_t hash,
                                   cache_ring_number_t ring, uint64_t position)
{
    cache_word_t *bucket = cache_shard_bucket(w->segment, w->shard, hash);
    uint64_t wanted = cache_slot_make(ring, hash, position);
    int i;

    for (i = 0; i < CACHE_SLOTS; i++) {
        uint64_t slot = atomic_load_explicit(&bucket[i], memory_order_relaxed);

        if ((slot & ~CACHE_SLOT_VISITED) == wanted)
            return &bucket[i];
    }
    return NULL;
}

/* Count an entry out; its slot is about to be cleared or set anew. */
static void count_out(writer_t *w, uint64_t slot, int evicted)
{
    cache_entry_t entry;
    cache_usage_t *usage;

    cache_entry_parse(&entry, atomic_load_explicit(&entry_words(w, slot)[1],
                                                   memory_order_relaxed));
    if (entry.kind >= CACHE_KIND_COUNT)
        return;
    usage = &w->shard->usage[entry.kind];
    usage->entries--;
    usage->bytes -= (uint64_t)entry.units * 16;
    if (evicted)
        usage->evictions++;
}

/*
 * An empty slot for this hash. If there is none, the entry goes that was not
 * read, then that on probation, then the oldest: the least number but its tag.
 */
static cache_word_t *free_slot(writer_t *w, uint64_t hash)
{
    cache_word_t *bucket = cache_shard_bucket(w->segment, w->shard, hash);
    uint64_t least = UINT64_MAX;
    int victim = 0;
    int i;

    for (i = 0; i < CACHE_SLOTS; i++) {
        uint64_t slot = atomic_load_explicit(&bucket[i], memory_order_relaxed);

        if (slot == 0)
            return &bucket[i];
        if ((slot & ~CACHE_SLOT_TAG) < least) {
            least = slot & ~CACHE_SLOT_TAG;
            victim = i;
        }
    }
    count_out(w, atomic_load_explicit(&bucket[victim], memory_order_relaxed),
              1);
    return &bucket[victim];
}

/* --- rings ------------------------------------------------------------------ */

/* Units up to the end of the memory, if an entry does not fit there, else 0. */
static uint64_t filler_for(const writer_t *w, cache_ring_number_t number,
                           unsigned int units)
{
    uint64_t size = w->segment->ring_units[number];
    uint64_t left = size - w->shard->rings[number].head % size;

    return left < units ? left : 0;
}

static int has_room(const writer_t *w, cache_ring_number_t number,
                    unsigned int units)
{
    const cache_ring_t *ring = &w->shard->rings[number];

    return ring->head + filler_for(w, number, units) + units - ring->tail <=
           w->segment->ring_units[number];
}

/* Write an entry at the head, for which there is room; returns its position. */
static uint64_t append(writer_t *w, cache_ring_number_t number,
                       const uint64_t *entry, unsigned int units)
{
    cache_ring_t *ring = &w->shard->rings[number];
    uint64_t filler = filler_for(w, number, units);
    uint64_t position = ring->head + filler;
    cache_word_t *words;
    apr_size_t i;

    /* Who reads a word written below will see this number after its fence. */
    atomic_store_explicit(&ring->reserved, position + units,
                          memory_order_relaxed);
    CACHE_FENCE(memory_order_release);
    if (filler > 0) {
        words = cache_shard_words(w->segment, w->shard, number, ring->head);
        atomic_store_explicit(&words[0], 0, CACHE_WRITE_ORDER);
        atomic_store_explicit(&words[1], UINT64_C(1) << 56 | filler,
                              CACHE_WRITE_ORDER);
    }
    words = cache_shard_words(w->segment, w->shard, number, position);
    for (i = 0; i < (apr_size_t)units * CACHE_UNIT_WORDS; i++)
        atomic_store_explicit(&words[i], entry[i], CACHE_WRITE_ORDER);
    ring->head = position + units;
    return position;
}

/* Take the entry at the tail of a ring out of it and place it in the main one. */
static void move_tail(writer_t *w, cache_ring_number_t from, cache_word_t *slot,
                      uint64_t hash, unsigned int units, int *moves)
{
    cache_ring_t *ring = &w->shard->rings[from];
    cache_word_t *words =
        cache_shard_words(w->segment, w->shard, from, ring->tail);
    uint64_t entry[CACHE_ENTRY_WORDS_MAX + 1];
    uint64_t position;
    apr_size_t i;

    for (i = 0; i < (apr_size_t)units * CACHE_UNIT_WORDS; i++)
        entry[i] = atomic_load_explicit(&words[i], memory_order_relaxed);
    ring->tail += units;
    position = place(w, CACHE_RING_MAIN, entry, units, moves);
    if (!w->damaged)
        atomic_store_explicit(slot,
                              cache_slot_make(CACHE_RING_MAIN, hash, position),
                              memory_order_release);
}

static void evict_slot(writer_t *w, cache_ring_number_t number,
                       cache_word_t *slot, uint64_t hash)
{
    count_out(w, atomic_load_explicit(slot, memory_order_relaxed), 1);
    atomic_store_explicit(slot, 0, memory_order_relaxed);
    if (number == CACHE_RING_PROBATION)
        *ghost_of(w, hash) = ghost_mark(hash);
}

/* Can this be the entry at the tail? Fillers may be longer than entries. */
static int is_plausible(const writer_t *w, cache_ring_number_t number,
                        const cache_entry_t *entry)
{
    const cache_ring_t *ring = &w->shard->rings[number];
    uint64_t size = w->segment->ring_units[number];

    return ring->head - ring->tail <= size && entry->units > 0 &&
           entry->units <= ring->head - ring->tail &&
           entry->units <= size - ring->tail % size &&
           (entry->filler ||
            entry->units <= CACHE_ENTRY_WORDS_MAX / CACHE_UNIT_WORDS);
}

/* Free the oldest entry of a ring, or keep it by moving it. */
static void free_tail(writer_t *w, cache_ring_number_t number, int *moves)
{
    cache_ring_t *ring = &w->shard->rings[number];
    cache_word_t *words =
        cache_shard_words(w->segment, w->shard, number, ring->tail);
    uint64_t hash = atomic_load_explicit(&words[0], memory_order_relaxed);
    cache_word_t *slot;
    cache_entry_t entry;
    int read;

    cache_entry_parse(&entry,
                      atomic_load_explicit(&words[1], memory_order_relaxed));
    if (!is_plausible(w, number, &entry)) {
        cache_segment_clear(w->segment, w->number);
        w->damaged = 1;
        return;
    }
    slot = entry.filler ? NULL : find_position(w, hash, number, ring->tail);
    if (!slot) {
        ring->tail += entry.units;
        return;
    }
    read = (atomic_load_explicit(slot, memory_order_relaxed) &
            CACHE_SLOT_VISITED) != 0;
    if (number == CACHE_RING_PROBATION) {
        if (read || has_room(w, CACHE_RING_MAIN, entry.units)) {
            move_tail(w, number, slot, hash, entry.units, moves);
            return;
        }
    } else if (read && *moves > 0) {
        int none = 0;

        --*moves;
        move_tail(w, number, slot, hash, entry.units, &none);
        return;
    }
    evict_slot(w, number, slot, hash);
    ring->tail += entry.units;
}

/* Make room and append; 0 if the shard turned out to be damaged. */
static uint64_t place(writer_t *w, cache_ring_number_t number,
                      const uint64_t *entry, unsigned int units, int *moves)
{
    while (!w->damaged && !has_room(w, number, units))
        free_tail(w, number, moves);
    return w->damaged ? 0 : append(w, number, entry, units);
}

/* --- entry points ------------------------------------------------------------ */

static int same_page(const writer_t *w, uint64_t slot,
                     const cache_entry_t *entry, const char *page,
                     apr_size_t len)
{
    cache_word_t *words =
        entry_words(w, slot) + CACHE_HEADER_WORDS + (entry->key_len + 7) / 8;
    apr_size_t at;

    if (entry->data_len != len)
        return 0;
    for (at = 0; at < len; at += 8) {
        uint64_t word = 0;

        memcpy(&word, page + at, len - at < 8 ? len - at : 8);
        if (atomic_load_explicit(words++, memory_order_relaxed) != word)
            return 0;
    }
    return 1;
}

/* Build an entry; returns its units. */
static unsigned int build_entry(uint64_t *entry, const cache_page_key_t *key,
                                const char *page, apr_size_t len)
{
    apr_size_t key_words = (key->len + 7) / 8;
    apr_size_t words = CACHE_HEADER_WORDS + key_words + (len + 7) / 8;
    unsigned int units =
        (unsigned int)((words + CACHE_UNIT_WORDS - 1) / CACHE_UNIT_WORDS);

    /* The words that the copies may leave unfilled. */
    entry[CACHE_HEADER_WORDS + key_words - 1] = 0;
    entry[words - 1] = 0;
    entry[(apr_size_t)units * CACHE_UNIT_WORDS - 1] = 0;
    entry[0] = key->hash;
    entry[1] = units | (uint64_t)key->len << 16 | (uint64_t)len << 32 |
               (uint64_t)key->kind << 48;
    memcpy(entry + CACHE_HEADER_WORDS, key->bytes, key->len);
    memcpy(entry + CACHE_HEADER_WORDS + key_words, page, len);
    return units;
}

/* Which ring a page goes to: its predecessor's, or by what is remembered. */
static cache_ring_number_t choose_ring(const writer_t *w,
                                       const cache_word_t *slot, uint64_t hash)
{
    uint16_t *ghost = ghost_of(w, hash);

    if (slot)
        return cache_slot_ring(
            atomic_load_explicit(slot, memory_order_relaxed));
    if (*ghost != ghost_mark(hash))
        return CACHE_RING_PROBATION;
    *ghost = 0;
    return CACHE_RING_MAIN;
}

apr_status_t cache_segment_put(cache_segment_t *segment,
                               const cache_page_key_t *key, const char *page,
                               apr_size_t len)
{
    uint64_t words[CACHE_ENTRY_WORDS_MAX + 1];
    cache_ring_number_t ring;
    int moves = MOVES_MAX;
    cache_entry_t entry;
    cache_word_t *slot;
    uint64_t position;
    unsigned int units;
    writer_t w;

    writer_init(&w, segment, key->hash);
    slot = find_key(&w, key, &entry);
    if (slot && same_page(&w, atomic_load_explicit(slot, memory_order_relaxed),
                          &entry, page, len))
        return APR_SUCCESS;
    units = build_entry(words, key, page, len);
    ring = choose_ring(&w, slot, key->hash);
    position = place(&w, ring, words, units, &moves);
    if (w.damaged)
        return APR_EGENERAL;
    /* Making room may have evicted or moved the predecessor. */
    slot = find_key(&w, key, &entry);
    if (slot)
        count_out(&w, atomic_load_explicit(slot, memory_order_relaxed), 0);
    else
        slot = free_slot(&w, key->hash);
    atomic_store_explicit(slot, cache_slot_make(ring, key->hash, position),
                          memory_order_release);
    w.shard->usage[key->kind].entries++;
    w.shard->usage[key->kind].bytes += (uint64_t)units * 16;
    return APR_SUCCESS;
}

void cache_segment_drop(cache_segment_t *segment, const cache_page_key_t *key)
{
    cache_entry_t entry;
    cache_word_t *slot;
    writer_t w;

    writer_init(&w, segment, key->hash);
    slot = find_key(&w, key, &entry);
    if (!slot)
        return;
    count_out(&w, atomic_load_explicit(slot, memory_order_relaxed), 0);
    atomic_store_explicit(slot, 0, memory_order_relaxed);
}

void cache_segment_clear(cache_segment_t *segment, apr_uint32_t number)
{
    cache_shard_t *shard = cache_shard_at(segment, number);
    cache_word_t *slots = cache_shard_bucket(segment, shard, 0);
    apr_size_t count = (apr_size_t)segment->bucket_count * CACHE_SLOTS;
    apr_size_t i;

    for (i = 0; i < count; i++)
        atomic_store_explicit(&slots[i], 0, memory_order_relaxed);
    memset((unsigned char *)shard + segment->ghost_offset, 0, count * 2);
    for (i = 0; i < CACHE_KIND_COUNT; i++) {
        shard->usage[i].entries = 0;
        shard->usage[i].bytes = 0;
    }
    for (i = 0; i < CACHE_RING_COUNT; i++) {
        cache_ring_t *ring = &shard->rings[i];
        /* A lap further on than any entry: who is reading one will notice. */
        uint64_t start =
            atomic_load_explicit(&ring->reserved, memory_order_relaxed) +
            segment->ring_units[i];

        if (start > CACHE_SLOT_POSITION / 2) /* only ever by damage */
            start = segment->ring_units[i];
        atomic_store_explicit(&ring->reserved, start, memory_order_relaxed);
        CACHE_FENCE(memory_order_release);
        ring->head = start;
        ring->tail = start;
    }
}
