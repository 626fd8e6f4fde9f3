/* SPDX-License-Identifier: Apache-2.0 */
/* Hash dumps: read pair by pair or into a hash, and written. */

#include "libfs/format/hash_dump.h"

#include <stdlib.h>
#include <string.h>

fs_hash_dump_iter_t fs_hash_dump_begin(const char *data, apr_size_t len,
                                       bool incremental)
{
    fs_hash_dump_iter_t iter;

    iter.cursor = fs_cursor(data, len);
    iter.incremental = incremental;
    iter.after_end = false;
    return iter;
}

/* "<length>\n<bytes>\n", behind the letter and its blank. */
static fs_error_t *counted(fs_bytes_t *out, fs_cursor_t *c)
{
    apr_uint64_t len;

    FS_TRY(fs_cursor_decimal(c, &len, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(c, "\n"));
    if (len >= fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "a string of %" APR_UINT64_T_FMT
                        " bytes is announced, %" APR_SIZE_T_FMT " are left",
                        len, fs_cursor_left(c));
    out->len = (apr_size_t)len;
    FS_TRY(fs_cursor_take(c, &out->data, out->len));
    return fs_cursor_expect(c, "\n");
}

/* A pair or a deletion; `*done` if "END\n" stands there instead. */
static fs_error_t *entry(fs_hash_dump_pair_t *pair, bool *done, fs_cursor_t *c,
                         bool deletions)
{
    *done = false;
    if (fs_cursor_accept(c, "K ")) {
        FS_TRY(counted(&pair->key, c));
        FS_TRY(fs_cursor_expect(c, "V "));
        return counted(&pair->value, c);
    }
    if (deletions && fs_cursor_accept(c, "D ")) {
        pair->value.data = NULL;
        pair->value.len = 0;
        return counted(&pair->key, c);
    }
    *done = true;
    return fs_cursor_expect(c, "END\n");
}

fs_error_t *fs_hash_dump_next(fs_hash_dump_pair_t *pair, bool *more,
                              fs_hash_dump_iter_t *iter)
{
    fs_cursor_t *c = &iter->cursor;
    fs_error_t *err;
    bool done;

    do {
        *more = false;
        if (iter->after_end && (!iter->incremental || !fs_cursor_left(c)))
            return NULL;
        err = entry(pair, &done, c, iter->incremental);
        if (err)
            return FS_WRAP(err, "malformed hash dump");
        if (done)
            iter->after_end = true;
        *more = !done;
    } while (done);
    return NULL;
}

fs_error_t *fs_hash_dump_parse(apr_hash_t **out, const char *data,
                               apr_size_t len, bool incremental,
                               apr_pool_t *result)
{
    char *copy = apr_palloc(result, len + 1);
    fs_hash_dump_iter_t iter = fs_hash_dump_begin(copy, len, incremental);
    apr_hash_t *hash = apr_hash_make(result);

    if (len)
        memcpy(copy, data, len);
    for (;;) {
        fs_hash_dump_pair_t pair;
        fs_bytes_t *value = NULL;
        bool more;

        FS_TRY(fs_hash_dump_next(&pair, &more, &iter));
        if (!more)
            break;
        if (memchr(pair.key.data, '\0', pair.key.len))
            return FS_ERROR(FS_ERR_CORRUPT, "a key has a NUL byte");
        /* The newlines behind both are read: end the strings there. */
        copy[pair.key.data - copy + (apr_ssize_t)pair.key.len] = '\0';
        if (pair.value.data) {
            copy[pair.value.data - copy + (apr_ssize_t)pair.value.len] = '\0';
            value = apr_palloc(result, sizeof(*value));
            *value = pair.value;
        }
        apr_hash_set(hash, pair.key.data, (apr_ssize_t)pair.key.len, value);
    }
    *out = hash;
    return NULL;
}

static void append_counted(fs_buffer_t *out, char letter, const char *data,
                           apr_size_t len)
{
    fs_buffer_printf(out, "%c %" APR_SIZE_T_FMT "\n", letter, len);
    fs_buffer_append(out, data, len);
    fs_buffer_append(out, "\n", 1);
}

void fs_hash_dump_format_pair(fs_buffer_t *out, const char *key,
                              apr_size_t key_len, const char *value,
                              apr_size_t value_len)
{
    append_counted(out, 'K', key, key_len);
    append_counted(out, 'V', value, value_len);
}

void fs_hash_dump_format_delete(fs_buffer_t *out, const char *key,
                                apr_size_t key_len)
{
    append_counted(out, 'D', key, key_len);
}

static int compare_pairs(const void *a, const void *b)
{
    const fs_hash_dump_pair_t *p = a;
    const fs_hash_dump_pair_t *q = b;
    apr_size_t len = p->key.len < q->key.len ? p->key.len : q->key.len;
    int order = len ? memcmp(p->key.data, q->key.data, len) : 0;

    if (order)
        return order;
    return p->key.len < q->key.len ? -1 : p->key.len > q->key.len;
}

void fs_hash_dump_format(fs_buffer_t *out, apr_hash_t *hash,
                         apr_pool_t *scratch)
{
    unsigned int count = hash ? apr_hash_count(hash) : 0;
    fs_hash_dump_pair_t *pairs =
        apr_palloc(scratch, (count + 1) * sizeof(*pairs));
    apr_hash_index_t *hi = hash ? apr_hash_first(scratch, hash) : NULL;
    unsigned int i;

    for (i = 0; hi; hi = apr_hash_next(hi), i++) {
        const void *key;
        apr_ssize_t len;
        void *value;

        apr_hash_this(hi, &key, &len, &value);
        pairs[i].key.data = key;
        pairs[i].key.len = (apr_size_t)len;
        pairs[i].value = *(const fs_bytes_t *)value;
    }
    if (count)
        qsort(pairs, count, sizeof(*pairs), compare_pairs);

    for (i = 0; i < count; i++)
        fs_hash_dump_format_pair(out, pairs[i].key.data, pairs[i].key.len,
                                 pairs[i].value.data, pairs[i].value.len);
    fs_buffer_puts(out, "END\n");
}
