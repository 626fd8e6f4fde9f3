/* SPDX-License-Identifier: Apache-2.0 */
/* PUT into a transaction. */

#include "mod_repo/dav/stream.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "mod_repo/dav/working.h"
#include "mod_repo/http/error.h"
#include "mod_repo/request/txn.h"

#define SVNDIFF_TYPE "application/vnd.svn-svndiff"

struct repo_stream_t {
    const dav_resource *resource;
    apr_pool_t *pool;    /* of the work; ends with it */
    fs_txn_t *txn;       /* open */
    fs_txn_text_t *text; /* NULL: it could not be opened */
    bool made;           /* the file did not exist before */
    unsigned char base_md5[FS_MD5_SIZE], result_md5[FS_MD5_SIZE];
};

/* ---- digests in headers ---- */

static int hex_digit(char c)
{
    if (apr_isdigit(c))
        return c - '0';
    c = (char)apr_tolower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 32 digits; sets `*stated` false if they are all zero, which states nothing. */
static dav_error *read_md5(bool *stated, unsigned char *md5, request_rec *r,
                           const char *header)
{
    const char *text = apr_table_get(r->headers_in, header);
    apr_size_t i;

    *stated = false;
    if (!text)
        return NULL;
    for (i = 0; i < FS_MD5_SIZE; i++) {
        int high = hex_digit(text[2 * i]);
        int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

        if (low < 0)
            break;
        md5[i] = (unsigned char)(high * 16 + low);
        *stated = *stated || md5[i] != 0;
    }
    if (i < FS_MD5_SIZE || text[2 * i])
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_BAD_CHECKSUM,
                              apr_psprintf(r->pool,
                                           "the header %s is not an MD5 in "
                                           "hexadecimal",
                                           header));
    return NULL;
}

static const char *hex(const unsigned char *md5, apr_pool_t *result)
{
    static const char digits[] = "0123456789abcdef";
    char *text = apr_palloc(result, 2 * FS_MD5_SIZE + 1);
    int i;

    for (i = 0; i < FS_MD5_SIZE; i++) {
        text[2 * i] = digits[md5[i] >> 4];
        text[2 * i + 1] = digits[md5[i] & 15];
    }
    text[2 * FS_MD5_SIZE] = '\0';
    return text;
}

/* What the headers say of the body. */
static dav_error *read_form(fs_txn_text_form_t *form, repo_stream_t *stream,
                            request_rec *r)
{
    const char *type = apr_table_get(r->headers_in, "Content-Type");
    bool base, result;
    dav_error *failed =
        read_md5(&base, stream->base_md5, r, "X-SVN-Base-Fulltext-MD5");

    if (!failed)
        failed = read_md5(&result, stream->result_md5, r,
                          "X-SVN-Result-Fulltext-MD5");
    if (failed)
        return failed;
    form->is_svndiff = type && strcmp(type, SVNDIFF_TYPE) == 0;
    form->base_md5 = base ? stream->base_md5 : NULL;
    form->result_md5 = result ? stream->result_md5 : NULL;
    return NULL;
}

/* ---- the text ---- */

/* Take back the file that was made for a text which did not come. */
static void unmake(repo_stream_t *stream)
{
    const dav_resource_private *info = stream->resource->info;
    fs_error_t *err;

    if (!stream->made)
        return;
    err = fs_txn_delete(stream->txn, info->uri.path, stream->pool);
    if (err)
        repo_error_log(info->request->r, err);
    fs_error_clear(err);
}

static void end(repo_stream_t *stream)
{
    fs_txn_close(stream->txn);
    apr_pool_destroy(stream->pool);
}

static fs_error_t *open_text(repo_stream_t *stream,
                             const fs_txn_text_form_t *form)
{
    const char *path = stream->resource->info->uri.path;

    if (!stream->resource->exists) {
        FS_TRY(fs_txn_make_file(stream->txn, path, stream->pool));
        stream->made = true;
    }
    return fs_txn_text_open(&stream->text, stream->txn, path, form,
                            stream->pool);
}

dav_error *repo_stream_open(repo_stream_t **out, const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    fs_txn_text_form_t form;
    repo_stream_t *stream;
    apr_pool_t *pool;
    dav_error *failed;
    fs_error_t *err;

    apr_pool_create(&pool, resource->pool);
    stream = apr_pcalloc(pool, sizeof(*stream));
    stream->resource = resource;
    stream->pool = pool;
    failed = read_form(&form, stream, info->request->r);
    if (!failed)
        failed = repo_working_open(&stream->txn, resource, pool);
    if (failed) {
        apr_pool_destroy(pool);
        return failed;
    }
    err = open_text(stream, &form);
    if (err) {
        unmake(stream);
        failed = repo_txn_error(info->request, err);
        end(stream);
        return failed;
    }
    *out = stream;
    return NULL;
}

dav_error *repo_stream_write(repo_stream_t *stream, const char *data,
                             apr_size_t len)
{
    fs_error_t *err = fs_txn_text_write(stream->text, data, len);

    return err ? repo_txn_error(stream->resource->info->request, err) : NULL;
}

dav_error *repo_stream_close(repo_stream_t *stream, bool commit)
{
    const repo_request_t *request = stream->resource->info->request;
    unsigned char md5[FS_MD5_SIZE];
    fs_error_t *err = NULL;
    dav_error *failed = NULL;

    if (commit)
        err = fs_txn_text_close(md5, stream->text);
    else
        fs_txn_text_abort(stream->text);
    if (err || !commit)
        unmake(stream);
    if (err)
        failed = repo_txn_error(request, err);
    else if (commit)
        apr_table_setn(request->r->headers_out, "X-SVN-Result-Fulltext-MD5",
                       hex(md5, request->pool));
    end(stream);
    return failed;
}
