/* SPDX-License-Identifier: Apache-2.0 */
/* MD5, SHA-1 and the checksum of index items. */

#include "libfs/base/checksum.h"

#include <string.h>

#include <apr_md5.h>
#include <apr_sha1.h>

/* config.h is included by the compiler's command line. */
#ifndef HAVE_LIBCRYPTO
#define HAVE_LIBCRYPTO 1
#endif

#if HAVE_LIBCRYPTO
#include <stdatomic.h>

#include <openssl/evp.h>
#endif

struct fs_digest_t {
    fs_digest_kind_t kind;
#if HAVE_LIBCRYPTO
    EVP_MD_CTX *evp; /* NULL: APR does it */
#endif
    union {
        apr_md5_ctx_t md5;
        apr_sha1_ctx_t sha1;
    } apr;
};

#if HAVE_LIBCRYPTO
/*
 * Looking an algorithm up costs ten times hashing a short text, so it is done
 * once a process. NULL: not offered (as in FIPS mode), APR has to do.
 */
static const EVP_MD *algorithm(fs_digest_kind_t kind)
{
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
    static _Atomic(EVP_MD *) fetched[2];
    EVP_MD *found = atomic_load(&fetched[kind]);
    EVP_MD *other = NULL;

    if (found)
        return found;
    found = EVP_MD_fetch(NULL, kind == FS_DIGEST_MD5 ? "MD5" : "SHA1", NULL);
    if (found &&
        !atomic_compare_exchange_strong(&fetched[kind], &other, found)) {
        EVP_MD_free(found);
        found = other;
    }
    return found;
#else
    return kind == FS_DIGEST_MD5 ? EVP_md5() : EVP_sha1();
#endif
}

static apr_status_t free_evp(void *data)
{
    fs_digest_t *digest = data;

    EVP_MD_CTX_free(digest->evp);
    digest->evp = NULL;
    return APR_SUCCESS;
}

static EVP_MD_CTX *begin_evp(fs_digest_kind_t kind)
{
    const EVP_MD *md = algorithm(kind);
    EVP_MD_CTX *evp = md ? EVP_MD_CTX_new() : NULL;

    if (evp && EVP_DigestInit_ex(evp, md, NULL) != 1) {
        EVP_MD_CTX_free(evp);
        evp = NULL;
    }
    return evp;
}
#endif

static void begin_apr(fs_digest_t *digest)
{
    if (digest->kind == FS_DIGEST_MD5)
        apr_md5_init(&digest->apr.md5);
    else
        apr_sha1_init(&digest->apr.sha1);
}

fs_digest_t *fs_digest_create(fs_digest_kind_t kind, apr_pool_t *result)
{
    fs_digest_t *digest = apr_palloc(result, sizeof(*digest));

    digest->kind = kind;
#if HAVE_LIBCRYPTO
    digest->evp = begin_evp(kind);
    if (digest->evp) {
        apr_pool_cleanup_register(result, digest, free_evp,
                                  apr_pool_cleanup_null);
        return digest;
    }
#endif
    begin_apr(digest);
    return digest;
}

static void update_apr(fs_digest_t *digest, const char *data, apr_size_t len)
{
    /* APR counts SHA-1's input in 32 bits a call. */
    while (len) {
        unsigned int part = len > 1u << 30 ? 1u << 30 : (unsigned int)len;

        if (digest->kind == FS_DIGEST_MD5)
            apr_md5_update(&digest->apr.md5, data, part);
        else
            apr_sha1_update_binary(&digest->apr.sha1,
                                   (const unsigned char *)data, part);
        data += part;
        len -= part;
    }
}

void fs_digest_update(fs_digest_t *digest, const void *data, apr_size_t len)
{
#if HAVE_LIBCRYPTO
    if (digest->evp) {
        EVP_DigestUpdate(digest->evp, data, len);
        return;
    }
#endif
    update_apr(digest, data, len);
}

static void finish_apr(fs_digest_t *digest, unsigned char *out)
{
    if (digest->kind == FS_DIGEST_MD5)
        apr_md5_final(out, &digest->apr.md5);
    else
        apr_sha1_final(out, &digest->apr.sha1);
}

void fs_digest_finish(fs_digest_t *digest, unsigned char *out)
{
#if HAVE_LIBCRYPTO
    if (digest->evp) {
        EVP_DigestFinal_ex(digest->evp, out, NULL);
        return;
    }
#endif
    finish_apr(digest, out);
}

static void digest_block(unsigned char *out, fs_digest_kind_t kind,
                         const void *data, apr_size_t len)
{
    fs_digest_t digest;

#if HAVE_LIBCRYPTO
    const EVP_MD *md = algorithm(kind);

    if (md && EVP_Digest(data, len, out, NULL, md, NULL) == 1)
        return;
#endif
    digest.kind = kind;
    begin_apr(&digest);
    update_apr(&digest, data, len);
    finish_apr(&digest, out);
}

void fs_digest_md5(unsigned char out[FS_MD5_SIZE], const void *data,
                   apr_size_t len)
{
    digest_block(out, FS_DIGEST_MD5, data, len);
}

void fs_digest_sha1(unsigned char out[FS_SHA1_SIZE], const void *data,
                    apr_size_t len)
{
    digest_block(out, FS_DIGEST_SHA1, data, len);
}

/* Value + 1 of a hex digit; 0: it is none. */
static const unsigned char hex_values[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool fs_hex_parse(unsigned char *out, const char *hex, apr_size_t len)
{
    apr_size_t i;

    if (len % 2)
        return false;
    for (i = 0; i < len; i += 2) {
        unsigned int high = hex_values[(unsigned char)hex[i]];
        unsigned int low = hex_values[(unsigned char)hex[i + 1]];

        if (!high || !low)
            return false;
        out[i / 2] = (unsigned char)((high - 1) << 4 | (low - 1));
    }
    return true;
}

const char *fs_hex_format(const unsigned char *bytes, apr_size_t len,
                          apr_pool_t *result)
{
    char *out = apr_palloc(result, len * 2 + 1);

    fs_hex_write(out, bytes, len);
    out[len * 2] = '\0';
    return out;
}

void fs_hex_write(char *out, const unsigned char *bytes, apr_size_t len)
{
    static const char digits[] = "0123456789abcdef";
    apr_size_t i;

    for (i = 0; i < len; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

#define FNV_START 2166136261u
#define FNV_PRIME 16777619u

void fs_fnv_init(fs_fnv_t *fnv)
{
    int i;

    for (i = 0; i < 4; i++)
        fnv->lanes[i] = FNV_START;
    fnv->tail_len = 0;
}

static void step_lanes(apr_uint32_t lanes[4], const unsigned char *p)
{
    lanes[0] = (lanes[0] ^ p[0]) * FNV_PRIME;
    lanes[1] = (lanes[1] ^ p[1]) * FNV_PRIME;
    lanes[2] = (lanes[2] ^ p[2]) * FNV_PRIME;
    lanes[3] = (lanes[3] ^ p[3]) * FNV_PRIME;
}

void fs_fnv_update(fs_fnv_t *fnv, const void *data, apr_size_t len)
{
    const unsigned char *p = data;
    const unsigned char *end = p + len;

    while (fnv->tail_len && p < end) {
        fnv->tail[fnv->tail_len++] = *p++;
        if (fnv->tail_len == 4) {
            step_lanes(fnv->lanes, fnv->tail);
            fnv->tail_len = 0;
        }
    }
    for (; end - p >= 4; p += 4)
        step_lanes(fnv->lanes, p);
    while (p < end)
        fnv->tail[fnv->tail_len++] = *p++;
}

static apr_uint32_t fnv_byte(apr_uint32_t hash, unsigned int byte)
{
    return (hash ^ (byte & 0xff)) * FNV_PRIME;
}

apr_uint32_t fs_fnv_finish(const fs_fnv_t *fnv)
{
    apr_uint32_t hash = FNV_START;
    unsigned int i;

    for (i = 0; i < 4; i++) {
        hash = fnv_byte(hash, fnv->lanes[i] >> 24);
        hash = fnv_byte(hash, fnv->lanes[i] >> 16);
        hash = fnv_byte(hash, fnv->lanes[i] >> 8);
        hash = fnv_byte(hash, fnv->lanes[i]);
    }
    for (i = 0; i < fnv->tail_len; i++)
        hash = fnv_byte(hash, fnv->tail[i]);
    return hash;
}

apr_uint32_t fs_fnv1a_x4(const void *data, apr_size_t len)
{
    fs_fnv_t fnv;

    fs_fnv_init(&fnv);
    fs_fnv_update(&fnv, data, len);
    return fs_fnv_finish(&fnv);
}
