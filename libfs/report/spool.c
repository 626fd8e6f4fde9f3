/* SPDX-License-Identifier: Apache-2.0 */
/* The spool: length-prefixed records in a block that overflows to a file. */

#include "libfs/report/spool.h"

#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "libfs/base/buffer.h"

#define NO_STRING ((apr_uint32_t)-1)
#define FLAG_START_EMPTY 1u

/* What precedes the three strings of a record. */
typedef struct record_t {
    fs_rev_t rev;
    apr_int32_t depth;
    apr_uint32_t flags;
    apr_uint32_t lengths[3]; /* path, link path, token; NO_STRING: NULL */
} record_t;

struct fs_spool_t {
    fs_buffer_t *block;  /* records not yet in the file */
    apr_size_t limit;    /* bytes that the block may hold */
    apr_file_t *file;    /* NULL while all fits into the block */
    apr_size_t read_pos; /* in the block, when there is no file */
    apr_pool_t *pool;
};

fs_spool_t *fs_spool_create(apr_size_t memory, apr_pool_t *result)
{
    fs_spool_t *spool = apr_pcalloc(result, sizeof(*spool));

    spool->block = fs_buffer_create(512, result);
    spool->limit = memory;
    spool->pool = result;
    return spool;
}

static fs_error_t *open_file(fs_spool_t *spool)
{
    const char *folder;
    char *name;
    apr_status_t status = apr_temp_dir_get(&folder, spool->pool);

    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "finding a folder for temporary files");

    name = apr_pstrcat(spool->pool, folder, "/mod_repo-report-XXXXXX", NULL);
    status = apr_file_mktemp(
        &spool->file, name,
        APR_FOPEN_CREATE | APR_FOPEN_READ | APR_FOPEN_WRITE | APR_FOPEN_EXCL |
            APR_FOPEN_BUFFERED | APR_FOPEN_DELONCLOSE | APR_FOPEN_BINARY,
        spool->pool);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "making a temporary file in '%s'", folder);
    return NULL;
}

static fs_error_t *flush(fs_spool_t *spool)
{
    apr_status_t status;

    if (!spool->file)
        FS_TRY(open_file(spool));
    status = apr_file_write_full(spool->file, spool->block->data,
                                 spool->block->len, NULL);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "writing the client's report to a "
                                    "temporary file");
    spool->block->len = 0;
    return NULL;
}

static void add_string(fs_spool_t *spool, const char *text)
{
    if (text)
        fs_buffer_puts(spool->block, text);
}

fs_error_t *fs_spool_add(fs_spool_t *spool, const fs_report_entry_t *entry)
{
    const char *strings[3] = { entry->path, entry->link_path,
                               entry->lock_token };
    record_t record = { 0 };
    int i;

    record.rev = entry->rev;
    record.depth = entry->depth;
    record.flags = entry->start_empty ? FLAG_START_EMPTY : 0;
    for (i = 0; i < 3; i++)
        record.lengths[i] =
            strings[i] ? (apr_uint32_t)strlen(strings[i]) : NO_STRING;

    fs_buffer_append(spool->block, &record, sizeof(record));
    for (i = 0; i < 3; i++)
        add_string(spool, strings[i]);
    if (spool->block->len > spool->limit)
        return flush(spool);
    return NULL;
}

fs_error_t *fs_spool_rewind(fs_spool_t *spool)
{
    apr_off_t start = 0;
    apr_status_t status;

    spool->read_pos = 0;
    if (!spool->file)
        return NULL;
    FS_TRY(flush(spool));
    status = apr_file_seek(spool->file, APR_SET, &start);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "rewinding a temporary file");
    return NULL;
}

/* `*got` is false at the end, which is allowed before a record only. */
static fs_error_t *read_bytes(bool *got, fs_spool_t *spool, void *out,
                              apr_size_t len)
{
    *got = true;
    if (spool->file) {
        apr_size_t done;
        apr_status_t status = apr_file_read_full(spool->file, out, len, &done);

        if (APR_STATUS_IS_EOF(status) && done == 0)
            *got = false;
        else if (status != APR_SUCCESS)
            return FS_ERROR_APR(status, "reading a temporary file");
        return NULL;
    }
    if (spool->read_pos == spool->block->len) {
        *got = false;
        return NULL;
    }
    memcpy(out, spool->block->data + spool->read_pos, len);
    spool->read_pos += len;
    return NULL;
}

static fs_error_t *read_string(const char **out, fs_spool_t *spool,
                               apr_uint32_t len, apr_pool_t *result)
{
    char *text;
    bool got;

    *out = NULL;
    if (len == NO_STRING)
        return NULL;
    text = apr_palloc(result, (apr_size_t)len + 1);
    if (len)
        FS_TRY(read_bytes(&got, spool, text, len));
    text[len] = '\0';
    *out = text;
    return NULL;
}

fs_error_t *fs_spool_next(fs_report_entry_t *entry, bool *more,
                          fs_spool_t *spool, apr_pool_t *result)
{
    record_t record;

    FS_TRY(read_bytes(more, spool, &record, sizeof(record)));
    if (!*more)
        return NULL;
    entry->rev = record.rev;
    entry->depth = (fs_depth_t)record.depth;
    entry->start_empty = (record.flags & FLAG_START_EMPTY) != 0;
    FS_TRY(read_string(&entry->path, spool, record.lengths[0], result));
    FS_TRY(read_string(&entry->link_path, spool, record.lengths[1], result));
    return read_string(&entry->lock_token, spool, record.lengths[2], result);
}
