/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer of an answer's body. The block is handed on as a transient bucket:
 * what the network takes at once is never copied, the rest is copied by the
 * filter that keeps it, and httpd blocks the writer when that is too much.
 */

#include "mod_repo/http/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <apr_buckets.h>

#include <http_protocol.h>

struct repo_output_t {
    request_rec *r;
    ap_filter_t *next;
    apr_bucket_brigade *brigade;
    apr_status_t status; /* of the first failure, or APR_SUCCESS */
    bool started;        /* bytes were handed on */
    apr_size_t used;     /* bytes in `block` */
    char block[REPO_OUTPUT_BLOCK];
};

repo_output_t *repo_output_create(request_rec *r, ap_filter_t *next,
                                  apr_pool_t *result)
{
    repo_output_t *out = apr_palloc(result, sizeof(*out));

    out->r = r;
    out->next = next;
    out->brigade = apr_brigade_create(result, next->c->bucket_alloc);
    out->status = APR_SUCCESS;
    out->started = false;
    out->used = 0;
    return out;
}

bool repo_output_started(const repo_output_t *out)
{
    return out->started;
}

static void append(repo_output_t *out, apr_bucket *bucket)
{
    APR_BRIGADE_INSERT_TAIL(out->brigade, bucket);
}

/* Hand the brigade on. */
static void pass(repo_output_t *out)
{
    out->started = true;
    out->status = ap_pass_brigade(out->next, out->brigade);
    apr_brigade_cleanup(out->brigade);
    if (out->status == APR_SUCCESS && out->next->c->aborted)
        out->status = APR_ECONNABORTED;
}

static void append_bytes(repo_output_t *out, const char *data, apr_size_t len)
{
    append(out,
           apr_bucket_transient_create(data, len, out->next->c->bucket_alloc));
}

/* Empty the block into the filters. */
static void pass_block(repo_output_t *out)
{
    if (out->used > 0) {
        append_bytes(out, out->block, out->used);
        out->used = 0;
        pass(out);
    }
}

void repo_output_write(repo_output_t *out, const char *data, apr_size_t len)
{
    if (out->status != APR_SUCCESS)
        return;
    if (len > sizeof(out->block) - out->used) {
        pass_block(out);
        if (out->status != APR_SUCCESS)
            return;
        if (len >= sizeof(out->block)) {
            append_bytes(out, data, len);
            pass(out);
            return;
        }
    }
    memcpy(out->block + out->used, data, len);
    out->used += len;
}

void repo_output_puts(repo_output_t *out, const char *text)
{
    repo_output_write(out, text, strlen(text));
}

void repo_output_printf(repo_output_t *out, const char *format, ...)
{
    char small[512];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (len < 0)
        return;
    if ((apr_size_t)len < sizeof(small)) {
        repo_output_write(out, small, (apr_size_t)len);
    } else {
        apr_pool_t *scratch;
        char *large;

        apr_pool_create(&scratch, out->r->pool);
        large = apr_palloc(scratch, (apr_size_t)len + 1);
        va_start(args, format);
        vsnprintf(large, (apr_size_t)len + 1, format, args);
        va_end(args);
        repo_output_write(out, large, (apr_size_t)len);
        apr_pool_destroy(scratch);
    }
}

void repo_output_number(repo_output_t *out, apr_int64_t number)
{
    char digits[24];
    char *p = digits + sizeof(digits);
    apr_uint64_t rest =
        number < 0 ? -(apr_uint64_t)number : (apr_uint64_t)number;

    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        *--p = '-';
    repo_output_write(out, p, (apr_size_t)(digits + sizeof(digits) - p));
}

/* Read straight into the free part of the block. */
static fs_error_t *copy_stream(repo_output_t *out, fs_stream_t *stream,
                               apr_uint64_t limit)
{
    while (limit > 0 && out->status == APR_SUCCESS) {
        apr_size_t len = sizeof(out->block) - out->used;

        if (len == 0) {
            pass_block(out);
            continue;
        }
        if (len > limit)
            len = (apr_size_t)limit;
        FS_TRY(fs_stream_read(stream, out->block + out->used, &len));
        if (len == 0)
            break;
        out->used += len;
        limit -= len;
    }
    return NULL;
}

fs_error_t *repo_output_stream(repo_output_t *out, fs_stream_t *stream,
                               apr_uint64_t limit)
{
    fs_error_t *err = copy_stream(out, stream, limit);

    if (err) {
        fs_error_clear(fs_stream_close(stream));
        return err;
    }
    FS_TRY(fs_stream_close(stream));
    return repo_output_check(out);
}

void repo_output_flush(repo_output_t *out)
{
    if (out->status != APR_SUCCESS)
        return;
    if (out->used > 0) {
        append_bytes(out, out->block, out->used);
        out->used = 0;
    }
    append(out, apr_bucket_flush_create(out->next->c->bucket_alloc));
    pass(out);
}

fs_error_t *repo_output_check(const repo_output_t *out)
{
    if (out->status == APR_SUCCESS)
        return NULL;
    return fs_error_create(FS_ERR_CANCELLED, out->status, NULL, __FILE__,
                           __LINE__, "the client is gone");
}

void repo_output_discard(repo_output_t *out)
{
    out->used = 0;
}

fs_error_t *repo_output_finish(repo_output_t *out)
{
    if (out->status == APR_SUCCESS) {
        if (out->used > 0) {
            append_bytes(out, out->block, out->used);
            out->used = 0;
        }
        append(out, apr_bucket_eos_create(out->next->c->bucket_alloc));
        pass(out);
    }
    return repo_output_check(out);
}

void repo_output_break(repo_output_t *out)
{
    apr_bucket_alloc_t *alloc = out->next->c->bucket_alloc;

    /* The error bucket makes the chunking filter leave its last chunk out,
     * and the core close the connection. */
    out->used = 0;
    apr_brigade_cleanup(out->brigade);
    append(out,
           ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, out->r->pool, alloc));
    append(out, apr_bucket_eos_create(alloc));
    (void)ap_pass_brigade(out->next, out->brigade);
    apr_brigade_cleanup(out->brigade);
    out->r->connection->keepalive = AP_CONN_CLOSE;
    out->r->connection->aborted = 1;
    if (out->status == APR_SUCCESS)
        out->status = APR_ECONNABORTED;
}
