/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache over its back ends: values as chains of pages, sums, counters,
 * single flight.
 *
 * A value of up to PAGE_BYTES is page 0. Of a longer one, page 0 is the head,
 * without bytes, and they are in pages 1 and on. A page as back ends keep it,
 * numbers in the machine's order:
 *
 *   0     n  bytes of the value: PAGE_BYTES, fewer in the last page
 *   n     8  tie: sum of the whole value, 0 if it has no further pages
 *   n+8   4  bytes of the whole value
 *   n+12  4  number of the page
 *   n+16  8  sum of all before, seeded with the hash of the page's key
 *
 * Pages of a value come and go each by itself, and those of an earlier, longer
 * value stay behind when it is replaced. So each look-up begins with page 0,
 * and takes further pages only if they have its tie and length.
 */

#include "libcache/cache.h"

#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "libcache/base/backend.h"
#include "libcache/base/counter.h"
#include "libcache/base/flight.h"
#include "libcache/base/key.h"
#include "libcache/none/none.h"
#include "libcache/process/process.h"

#define TRAILER 24
#define PAGE_BYTES (CACHE_PAGE_SIZE - TRAILER)

/* A value may take an eighth of the cache: a longer one would displace too
 * much, and its own first pages with it. */
#define SHARE_OF_VALUE 8

struct cache_t {
    const cache_backend_t *backend;
    cache_store_t *store;
    apr_uint64_t size; /* bytes in all; 0: nothing is ever kept */
    apr_uint64_t seed; /* of hashes */
    cache_counter_t *counter;
    cache_flight_t *flight;
};

/* What a page tells besides its bytes. */
typedef struct page_info_t {
    apr_uint64_t tie;
    apr_uint32_t total;
    apr_uint32_t number;
} page_info_t;

/* A key while its pages are visited. */
typedef struct visit_t {
    cache_t *cache;
    cache_page_key_t page;
    unsigned char bytes[CACHE_KEY_BYTES_MAX]; /* what `page` points to */
} visit_t;

/* The first is the default. */
static const cache_backend_t *const backends[] = { &cache_process,
                                                   &cache_none };
static const char *const backend_names[] = { "process", "none", NULL };

#define BACKEND_COUNT (sizeof(backends) / sizeof(backends[0]))

_Static_assert(sizeof(page_info_t) + 8 == TRAILER, "layout of the trailer");
_Static_assert(sizeof(backend_names) / sizeof(backend_names[0]) ==
                   BACKEND_COUNT + 1,
               "a name for each back end");

const char *const *cache_backend_names(void)
{
    return backend_names;
}

static const cache_backend_t *find_backend(const char *name)
{
    apr_size_t i;

    if (!name)
        return backends[0];
    for (i = 0; i < BACKEND_COUNT; i++) {
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    }
    return NULL;
}

apr_status_t cache_create(cache_t **cache, const cache_options_t *options,
                          apr_pool_t *pool)
{
    cache_t *made = apr_pcalloc(pool, sizeof(*made));
    apr_status_t status;

    made->backend = find_backend(options->backend);
    if (!made->backend)
        return APR_EINVAL;
    made->size = options->size ? options->size : made->backend->default_size;
    made->counter = cache_counter_create(pool);
    status = apr_generate_random_bytes((void *)&made->seed, sizeof(made->seed));
    if (status == APR_SUCCESS)
        status =
            made->backend->create(&made->store, &made->size, &made->seed, pool);
    if (status == APR_SUCCESS)
        status = cache_flight_create(&made->flight, pool);
    if (status == APR_SUCCESS)
        *cache = made;
    return status;
}

apr_status_t cache_attach(cache_t *cache, apr_pool_t *process_pool)
{
    apr_status_t status;

    if (!cache)
        return APR_SUCCESS;
    status = cache->backend->attach(cache->store, process_pool);
    if (status == APR_SUCCESS)
        status = cache_flight_create(&cache->flight, process_pool);
    return status;
}

/* --- pages ------------------------------------------------------------------ */

static apr_status_t visit_start(visit_t *visit, cache_t *cache,
                                const cache_key_t *key)
{
    visit->cache = cache;
    return cache_key_format(&visit->page, visit->bytes, key, cache->seed);
}

static void visit_page(visit_t *visit, apr_uint32_t number)
{
    cache_key_set_page(&visit->page, visit->bytes, number, visit->cache->seed);
}

/* Page 0 and, of a longer value, those that hold its bytes. */
static apr_uint32_t count_pages(apr_size_t total)
{
    return total <= PAGE_BYTES
               ? 1
               : 1 + (apr_uint32_t)((total + PAGE_BYTES - 1) / PAGE_BYTES);
}

/* Where the bytes of page `number` are in the value. */
static apr_size_t start_of_page(apr_uint32_t number)
{
    return number == 0 ? 0 : (apr_size_t)(number - 1) * PAGE_BYTES;
}

/* Bytes of the value in page `number` < count_pages(total). */
static apr_size_t bytes_of_page(apr_size_t total, apr_uint32_t number)
{
    apr_size_t left = total - start_of_page(number);

    if (number == 0)
        return total <= PAGE_BYTES ? total : 0;
    return left < PAGE_BYTES ? left : PAGE_BYTES;
}

/*
 * Read the page that the visit is at into `buf` of `room` bytes, and check it.
 * Its bytes come first in `buf`; the trailer after them is of no use.
 */
static apr_status_t read_page(visit_t *visit, apr_uint32_t number, char *buf,
                              apr_size_t room, page_info_t *info)
{
    cache_t *cache = visit->cache;
    apr_size_t len = room;
    apr_uint64_t sum;
    apr_status_t status;

    status = cache->backend->get(cache->store, &visit->page, buf, &len);
    if (status != APR_SUCCESS)
        return status;
    if (len < TRAILER)
        return APR_NOTFOUND;
    memcpy(&sum, buf + len - sizeof(sum), sizeof(sum));
    if (cache_key_hash(buf, len - sizeof(sum), visit->page.hash) != sum)
        return APR_NOTFOUND;
    memcpy(info, buf + len - TRAILER, sizeof(*info));
    if (info->number != number || info->total > CACHE_VALUE_MAX ||
        number >= count_pages(info->total) ||
        len - TRAILER != bytes_of_page(info->total, number))
        return APR_NOTFOUND;
    return APR_SUCCESS;
}

static apr_status_t write_page(visit_t *visit, const char *data,
                               const page_info_t *info)
{
    cache_t *cache = visit->cache;
    apr_size_t len = bytes_of_page(info->total, info->number);
    char page[CACHE_PAGE_SIZE];
    apr_uint64_t sum;

    if (len > 0)
        memcpy(page, data + start_of_page(info->number), len);
    memcpy(page + len, info, sizeof(*info));
    len += sizeof(*info);
    sum = cache_key_hash(page, len, visit->page.hash);
    memcpy(page + len, &sum, sizeof(sum));
    return cache->backend->put(cache->store, &visit->page, page,
                               len + sizeof(sum));
}

/* --- values ----------------------------------------------------------------- */

/* Go to a page of the value that `head` tells of, and read it. */
static apr_status_t read_further(visit_t *visit, const page_info_t *head,
                                 apr_uint32_t number, char *buf,
                                 apr_size_t room)
{
    page_info_t info;
    apr_status_t status;

    visit_page(visit, number);
    status = read_page(visit, number, buf, room, &info);
    if (status == APR_SUCCESS &&
        (info.tie != head->tie || info.total != head->total))
        status = APR_NOTFOUND;
    return status;
}

/*
 * Read all pages after the head. Each page's trailer is overwritten by the
 * next page; the last has room of its own.
 */
static apr_status_t read_chain(visit_t *visit, const page_info_t *head,
                               char *data)
{
    apr_uint32_t count = count_pages(head->total);
    apr_status_t status = APR_SUCCESS;
    apr_uint32_t i;

    for (i = 1; i < count && status == APR_SUCCESS; i++)
        status = read_further(visit, head, i, data + start_of_page(i),
                              bytes_of_page(head->total, i) + TRAILER);
    return status;
}

static apr_status_t get_value(visit_t *visit, cache_value_t *value,
                              apr_pool_t *result)
{
    char page[CACHE_PAGE_SIZE];
    page_info_t info;
    apr_status_t status = read_page(visit, 0, page, sizeof(page), &info);
    apr_pool_t *own;
    char *data;

    if (status != APR_SUCCESS)
        return status;
    if (info.total <= PAGE_BYTES) {
        value->data = apr_pmemdup(result, page, info.total);
        value->len = info.total;
        return APR_SUCCESS;
    }
    /* Its own pool: a chain with a hole must not leave its memory behind. */
    apr_pool_create(&own, result);
    data = apr_palloc(own, (apr_size_t)info.total + TRAILER);
    status = read_chain(visit, &info, data);
    if (status != APR_SUCCESS) {
        apr_pool_destroy(own);
        return status;
    }
    value->data = data;
    value->len = info.total;
    return APR_SUCCESS;
}

/* Count what a look-up gave; all failures are misses. */
static apr_status_t count_get(cache_t *cache, cache_kind_t kind,
                              apr_status_t status)
{
    cache_counter_add(cache->counter, kind,
                      status == APR_SUCCESS ? CACHE_EVENT_HIT
                                            : CACHE_EVENT_MISS);
    return status == APR_SUCCESS ? APR_SUCCESS : APR_NOTFOUND;
}

apr_status_t cache_get(cache_t *cache, const cache_key_t *key,
                       cache_value_t *value, apr_pool_t *result)
{
    visit_t visit;

    if (!cache || visit_start(&visit, cache, key) != APR_SUCCESS)
        return APR_NOTFOUND;
    return count_get(cache, key->kind, get_value(&visit, value, result));
}

/* Copy from `offset` on; `*len` is what there is room for, then what came. */
static apr_status_t get_range(visit_t *visit, apr_uint64_t offset, char *buf,
                              apr_size_t *len, apr_uint64_t *total)
{
    char page[CACHE_PAGE_SIZE];
    page_info_t head;
    apr_status_t status = read_page(visit, 0, page, sizeof(page), &head);
    apr_size_t wanted;
    apr_size_t done = 0;

    if (status != APR_SUCCESS)
        return status;
    wanted = offset < head.total ? head.total - (apr_size_t)offset : 0;
    if (wanted > *len)
        wanted = *len;
    while (done < wanted) {
        apr_size_t at = (apr_size_t)offset + done;
        apr_size_t skip = at % PAGE_BYTES;
        apr_size_t copy = PAGE_BYTES - skip;

        if (head.total > PAGE_BYTES) /* else all is in page 0 */
            status =
                read_further(visit, &head, 1 + (apr_uint32_t)(at / PAGE_BYTES),
                             page, sizeof(page));
        if (status != APR_SUCCESS)
            return status;
        if (copy > wanted - done)
            copy = wanted - done;
        memcpy(buf + done, page + skip, copy);
        done += copy;
    }
    *len = done;
    *total = head.total;
    return APR_SUCCESS;
}

apr_status_t cache_get_part(cache_t *cache, const cache_key_t *key,
                            apr_uint64_t offset, char *buf, apr_size_t *len,
                            apr_uint64_t *total)
{
    visit_t visit;

    if (!cache || visit_start(&visit, cache, key) != APR_SUCCESS)
        return APR_NOTFOUND;
    return count_get(cache, key->kind,
                     get_range(&visit, offset, buf, len, total));
}

static apr_status_t put_value(visit_t *visit, const char *data, apr_size_t len)
{
    apr_uint32_t count = count_pages(len);
    page_info_t info;

    info.total = (apr_uint32_t)len;
    info.tie = count > 1 ? cache_key_hash(data, len, len) : 0;
    for (info.number = 0; info.number < count; info.number++) {
        apr_status_t status;

        if (info.number > 0)
            visit_page(visit, info.number);
        status = write_page(visit, data, &info);
        if (status != APR_SUCCESS)
            return status;
    }
    return APR_SUCCESS;
}

apr_status_t cache_put(cache_t *cache, const cache_key_t *key, const void *data,
                       apr_size_t len)
{
    apr_status_t status;
    visit_t visit;

    if (!cache)
        return APR_ENOSPC;
    status = visit_start(&visit, cache, key);
    if (status != APR_SUCCESS)
        return status;
    if (len > CACHE_VALUE_MAX || len > cache->size / SHARE_OF_VALUE)
        status = APR_ENOSPC;
    else
        status = put_value(&visit, data, len);
    /* What was there before is outdated, kept or not. */
    if (status != APR_SUCCESS) {
        visit_page(&visit, 0);
        cache->backend->drop(cache->store, &visit.page);
    }
    cache_counter_add(cache->counter, key->kind, CACHE_EVENT_PUT);
    if (status != APR_SUCCESS)
        cache_counter_add(cache->counter, key->kind, CACHE_EVENT_REFUSED);
    return status;
}

void cache_drop(cache_t *cache, const cache_key_t *key)
{
    char page[CACHE_PAGE_SIZE];
    apr_uint32_t count = 1;
    page_info_t info;
    visit_t visit;

    if (!cache || visit_start(&visit, cache, key) != APR_SUCCESS)
        return;
    if (read_page(&visit, 0, page, sizeof(page), &info) == APR_SUCCESS)
        count = count_pages(info.total);
    /* The first page last: as long as it is there, the others can be found. */
    while (count-- > 0) {
        visit_page(&visit, count);
        cache->backend->drop(cache->store, &visit.page);
    }
}

/* --- claims, counters, names ------------------------------------------------ */

apr_status_t cache_claim(cache_claim_t **claim, cache_t *cache,
                         const cache_key_t *key, int timeout_ms,
                         apr_pool_t *pool)
{
    visit_t visit;

    *claim = NULL;
    /* Where nothing is kept, waiting for another's value is in vain. */
    if (!cache || cache->size == 0 ||
        visit_start(&visit, cache, key) != APR_SUCCESS)
        return APR_SUCCESS;
    return cache_flight_claim(claim, cache->flight, &visit.page, timeout_ms,
                              pool);
}

void cache_claim_end(cache_claim_t *claim)
{
    if (claim)
        cache_flight_end(claim);
}

void cache_counters(cache_t *cache, cache_kind_t kind,
                    cache_counters_t *counters)
{
    cache_usage_t usage;

    memset(counters, 0, sizeof(*counters));
    if (!cache || (unsigned)kind >= CACHE_KIND_COUNT)
        return;
    cache->backend->usage(cache->store, kind, &usage);
    counters->hits = cache_counter_sum(cache->counter, kind, CACHE_EVENT_HIT);
    counters->misses =
        cache_counter_sum(cache->counter, kind, CACHE_EVENT_MISS);
    counters->puts = cache_counter_sum(cache->counter, kind, CACHE_EVENT_PUT);
    counters->refused =
        cache_counter_sum(cache->counter, kind, CACHE_EVENT_REFUSED);
    counters->evictions = usage.evictions;
    counters->bytes = usage.bytes;
    counters->entries = usage.entries;
}

const char *cache_kind_label(cache_kind_t kind)
{
    static const char *const labels[] = {
#define KIND_LABEL(name, version, label) label,
        CACHE_KIND_LIST(KIND_LABEL)
#undef KIND_LABEL
    };

    return (unsigned)kind < CACHE_KIND_COUNT ? labels[kind] : "unknown";
}

const char *cache_backend_name(const cache_t *cache)
{
    return cache ? cache->backend->name : cache_none.name;
}

apr_uint64_t cache_size(const cache_t *cache)
{
    return cache ? cache->size : 0;
}
