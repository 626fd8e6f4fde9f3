/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as bytes, and a multiply-mix sum over bytes. */

#include "libcache/base/key.h"

#include <stdatomic.h>
#include <string.h>

#ifndef CACHE_BUILD
#ifdef REPO_VERSION
#define CACHE_BUILD REPO_VERSION
#else
#define CACHE_BUILD "unversioned"
#endif
#endif

/* Odd numbers without pattern; they only have to differ. */
#define MIX_A UINT64_C(0x9f3c6b15d2e48a71)
#define MIX_B UINT64_C(0xc5a1e97d3468f20b)
#define MIX_C UINT64_C(0x71d8b4e62f9503ad)
#define MIX_D UINT64_C(0xe82f5d907ac36b45)

static const unsigned char kind_versions[] = {
#define KIND_VERSION(name, version, label) version,
    CACHE_KIND_LIST(KIND_VERSION)
#undef KIND_VERSION
};

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide_t;

/* Fold the 128-bit product: each bit of it depends on all below. */
static inline apr_uint64_t mix(apr_uint64_t a, apr_uint64_t b)
{
    wide_t product = (wide_t)a * b;

    return (apr_uint64_t)product ^ (apr_uint64_t)(product >> 64);
}
#else
static inline apr_uint64_t mix(apr_uint64_t a, apr_uint64_t b)
{
    apr_uint64_t a_low = (apr_uint32_t)a;
    apr_uint64_t a_high = a >> 32;
    apr_uint64_t b_low = (apr_uint32_t)b;
    apr_uint64_t b_high = b >> 32;
    apr_uint64_t low = a_low * b_low;
    apr_uint64_t middle = a_high * b_low + (low >> 32);
    apr_uint64_t other = a_low * b_high + (apr_uint32_t)middle;
    apr_uint64_t high = a_high * b_high + (middle >> 32) + (other >> 32);

    return (a * b) ^ high;
}
#endif

static inline apr_uint64_t word_at(const unsigned char *p)
{
    apr_uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

/* Up to 7 bytes as a number. */
static inline apr_uint64_t rest_at(const unsigned char *p, apr_size_t len)
{
    apr_uint64_t word = 0;

    while (len > 0)
        word = word << 8 | p[--len];
    return word;
}

apr_uint64_t cache_key_hash(const void *data, apr_size_t len, apr_uint64_t seed)
{
    const unsigned char *p = data;
    apr_size_t left = len;
    apr_uint64_t a = seed ^ MIX_A;
    apr_uint64_t b = seed ^ MIX_B;

    /* Two lanes, so that the processor multiplies both at once. */
    for (; left >= 32; left -= 32, p += 32) {
        a = mix(word_at(p) ^ MIX_C, word_at(p + 8) ^ a);
        b = mix(word_at(p + 16) ^ MIX_D, word_at(p + 24) ^ b);
    }
    a ^= (b << 23) | (b >> 41);
    for (; left >= 8; left -= 8, p += 8)
        a = mix(word_at(p) ^ MIX_C, a ^ MIX_B);
    /* The length tells "ab" from "ab\0". */
    a = mix(rest_at(p, left) ^ MIX_D, a ^ len);
    return mix(a ^ MIX_A, seed ^ b ^ MIX_C);
}

/* All of it becomes one store where bytes lie that way round. */
static inline void put_le16(unsigned char *p, unsigned int number)
{
    p[0] = (unsigned char)number;
    p[1] = (unsigned char)(number >> 8);
}

static inline void put_le32(unsigned char *p, apr_uint32_t number)
{
    put_le16(p, number & 0xffff);
    put_le16(p + 2, number >> 16);
}

static inline void put_le64(unsigned char *p, apr_uint64_t number)
{
    put_le32(p, (apr_uint32_t)number);
    put_le32(p + 4, (apr_uint32_t)(number >> 32));
}

/* Two builds overlap in one segment at a graceful restart. */
static apr_uint64_t build_hash(void)
{
    static const char build[] = CACHE_BUILD;
    static _Atomic apr_uint64_t known;
    apr_uint64_t hash = atomic_load_explicit(&known, memory_order_relaxed);

    if (hash == 0) {
        hash = cache_key_hash(build, sizeof(build) - 1, 0);
        atomic_store_explicit(&known, hash, memory_order_relaxed);
    }
    return hash;
}

apr_status_t cache_key_format(cache_page_key_t *page, unsigned char *bytes,
                              const cache_key_t *key, apr_uint64_t seed)
{
    if ((unsigned)key->kind >= CACHE_KIND_COUNT ||
        key->name_len > CACHE_NAME_MAX || (key->name_len > 0 && !key->name))
        return APR_EINVAL;
    memcpy(bytes, key->space, 16);
    put_le64(bytes + 16, (apr_uint64_t)key->rev);
    put_le64(bytes + 24, key->item);
    put_le64(bytes + 32, key->extra);
    put_le16(bytes + 40, (unsigned int)key->kind);
    put_le16(bytes + 42, kind_versions[key->kind]);
    put_le64(bytes + 48, build_hash());
    if (key->name_len > 0)
        memcpy(bytes + CACHE_KEY_FIXED, key->name, key->name_len);
    page->bytes = bytes;
    page->len = CACHE_KEY_FIXED + key->name_len;
    page->kind = key->kind;
    cache_key_set_page(page, bytes, 0, seed);
    return APR_SUCCESS;
}

void cache_key_set_page(cache_page_key_t *page, unsigned char *bytes,
                        apr_uint32_t number, apr_uint64_t seed)
{
    put_le32(bytes + 44, number);
    page->hash = cache_key_hash(bytes, page->len, seed);
}
