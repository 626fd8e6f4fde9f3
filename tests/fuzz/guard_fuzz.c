/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter before XML bodies: it passes a body as it came, or stops at it.
 * The first byte of an input picks the method and the size of the pieces.
 */
/* link: mod_repo/http/guard.o mod_repo/http/body.o mod_repo/http/error.o mod_repo/http/readable.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_buckets.h>

#include "mod_repo/http/guard.h"
#include "tests/support/httpd.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    apr_status_t status = apr_initialize();

    (void)argc;
    (void)argv;
    repo_guard_register();
    return status;
}

static const repo_body_limits_t limits = {
    .bytes = 5000,
    .depth = 8,
    .attributes = 4,
    .namespaces = 6,
    .text = 1000,
    .items = 100,
};

/* Compare what passed with the body at `*data`; true at its end. */
static bool compare(const char **data, apr_bucket_brigade *brigade)
{
    while (!APR_BRIGADE_EMPTY(brigade)) {
        apr_bucket *bucket = APR_BRIGADE_FIRST(brigade);
        const char *part;
        apr_size_t len;

        if (APR_BUCKET_IS_EOS(bucket))
            return true;
        if (apr_bucket_read(bucket, &part, &len, APR_BLOCK_READ) ||
            memcmp(part, *data, len) != 0)
            abort();
        *data += len;
        apr_bucket_delete(bucket);
    }
    return false;
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    httpd_request_t *httpd = httpd_request(pool);
    apr_bucket_brigade *brigade =
        apr_brigade_create(pool, httpd->c.bucket_alloc);
    const char *end = data + len;
    bool ended = false;

    if (len == 0)
        return;
    httpd->r.method_number = *data & 1 ? M_PROPFIND : M_OPTIONS;
    httpd->piece = (unsigned char)*data / 2;
    httpd->body = ++data;
    httpd->body_len = len - 1;
    repo_guard_insert(&httpd->r, &limits, 10);
    while (!ended) {
        if (ap_get_brigade(httpd->r.input_filters, brigade, AP_MODE_READBYTES,
                           APR_BLOCK_READ, 8192) != APR_SUCCESS) {
            if (!APR_BRIGADE_EMPTY(brigade))
                abort(); /* stopped, and something passed */
            return;
        }
        ended = compare(&data, brigade);
        apr_brigade_cleanup(brigade);
    }
    if (data != end)
        abort();
    (void)repo_guard_wants_names(&httpd->r);
}

FUZZ_EACH(try_input)
