/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a transaction. */

#include "libfs/store/fsfs/txn_journal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/base/cursor.h"

/* Names in messages. */
#define JOURNAL "repo-journal"
#define TEXTS "repo-texts"

/* Bytes that tell a journal, that a record begins with, and that its sum leaves
 * out. */
#define MAGIC_LEN 16
#define HEAD_LEN 48
#define SUM_FROM 8

/* Longest record, in bytes behind its head. */
#define RECORD_MAX ((apr_uint32_t)1 << 30)

/* Bytes that are read at once. */
#define READ_SIZE (64 * 1024)

enum {
    FLAG_MERGEINFO_MOD = 1,
    FLAG_HAS_MERGEINFO = 2,
    FLAG_MD5 = 4,
    FLAG_SHA1 = 8,
    FLAG_OURS = 16
};

const char fs_txn_journal_head[FS_TXN_JOURNAL_HEAD_LEN] = "repo-journal 1\n";

/* --- Files --- */

fs_error_t *fs_txn_journal_write(int fd, apr_uint64_t offset, const char *data,
                                 apr_size_t len)
{
    while (len) {
        ssize_t n = pwrite(fd, data, len, (off_t)offset);

        if (n < 0 && errno != EINTR)
            return FS_ERROR_APR(errno, "cannot write '%s'", JOURNAL);
        if (n > 0) {
            data += n;
            offset += (apr_uint64_t)n;
            len -= (apr_size_t)n;
        }
    }
    return NULL;
}

static fs_error_t *truncate_file(int fd, apr_uint64_t len, const char *name)
{
    int failed;

    do {
        failed = ftruncate(fd, (off_t)len);
    } while (failed && errno == EINTR);
    return failed ? FS_ERROR_APR(errno, "cannot truncate '%s'", name) : NULL;
}

fs_error_t *fs_txn_journal_cut(int fd, apr_uint64_t len, const char *name)
{
    struct stat info;

    if (fstat(fd, &info))
        return FS_ERROR_APR(errno, "cannot stat '%s'", name);
    if ((apr_uint64_t)info.st_size < len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'%s' of the transaction has %" APR_INT64_T_FMT
                        " bytes, and should have %" APR_UINT64_T_FMT,
                        name, (apr_int64_t)info.st_size, len);
    if ((apr_uint64_t)info.st_size > len)
        return truncate_file(fd, len, name);
    return NULL;
}

/* --- Numbers --- */

static void put_fixed(char *at, apr_uint64_t value, int bytes)
{
    int i;

    for (i = 0; i < bytes; i++)
        at[i] = (char)(value >> (8 * i));
}

static apr_uint64_t get_fixed(const char *at, int bytes)
{
    apr_uint64_t value = 0;
    int i;

    for (i = 0; i < bytes; i++)
        value |= (apr_uint64_t)(unsigned char)at[i] << (8 * i);
    return value;
}

/* --- Records --- */

static void put_text(fs_buffer_t *out, const char *text)
{
    apr_size_t len = text ? strlen(text) : 0;

    fs_buffer_varint(out, len);
    fs_buffer_append(out, text ? text : "", len);
}

static void put_rev(fs_buffer_t *out, fs_rev_t rev)
{
    fs_buffer_varint(out, (apr_uint64_t)(rev + 1));
}

static void put_rep(fs_buffer_t *out, const fs_txn_op_t *op)
{
    char sum[4];

    put_rev(out, op->rep.rev);
    fs_buffer_varint(out, op->rep.item);
    fs_buffer_varint(out, op->rep.length);
    fs_buffer_varint(out, op->rep.size);
    fs_buffer_append(out, op->rep.md5, sizeof(op->rep.md5));
    fs_buffer_append(out, op->rep.sha1, sizeof(op->rep.sha1));
    fs_buffer_varint(out, op->entry.offset);
    fs_buffer_varint(out, op->entry.size);
    put_fixed(sum, op->entry.checksum, 4);
    fs_buffer_append(out, sum, sizeof(sum));
}

static unsigned char flags_of(const fs_txn_op_t *op)
{
    return (unsigned char)((op->mergeinfo_mod ? FLAG_MERGEINFO_MOD : 0) |
                           (op->has_mergeinfo ? FLAG_HAS_MERGEINFO : 0) |
                           (op->rep.has_md5 ? FLAG_MD5 : 0) |
                           (op->rep.has_sha1 ? FLAG_SHA1 : 0) |
                           (op->entry.size ? FLAG_OURS : 0));
}

/* All but the head; tells where the property list begins. */
static apr_size_t put_record(fs_buffer_t *out, const fs_txn_op_t *op)
{
    memset(fs_buffer_reserve(out, HEAD_LEN), 0, HEAD_LEN);
    out->len += HEAD_LEN;
    put_text(out, op->path);
    put_text(out, op->from_path);
    put_rev(out, op->from_rev);
    put_rev(out, op->node_rev);
    fs_buffer_varint(out, op->node_item);
    if (op->type == FS_TXN_OP_TEXT)
        put_rep(out, op);
    fs_buffer_append(out, op->props.len ? op->props.data : "", op->props.len);
    return out->len - op->props.len;
}

static void put_head(fs_buffer_t *out, const fs_txn_op_t *op,
                     const fs_txn_state_t *state)
{
    char *head = out->data;

    put_fixed(head, out->len - HEAD_LEN, 4);
    put_fixed(head + 12, fs_fnv1a_x4(head, 4), 4);
    head[8] = (char)op->type;
    head[9] = (char)flags_of(op);
    head[10] = (char)op->kind;
    put_fixed(head + 16, state->texts_len, 8);
    put_fixed(head + 24, state->next_node, 8);
    put_fixed(head + 32, state->next_copy, 8);
    put_fixed(head + 40, state->next_item, 8);
    put_fixed(head + 4, fs_fnv1a_x4(head + SUM_FROM, out->len - SUM_FROM), 4);
}

fs_error_t *fs_txn_journal_edit(fs_txn_state_t *state, fs_txn_op_t *op,
                                apr_pool_t *scratch)
{
    fs_buffer_t *record = fs_buffer_create(512 + op->props.len, scratch);
    fs_error_t *err;

    op->props_at = state->journal_len + put_record(record, op);
    if (record->len - HEAD_LEN > RECORD_MAX)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "a property list of %" APR_SIZE_T_FMT
                        " bytes exceeds the limit of %" APR_UINT64_T_FMT,
                        op->props.len, (apr_uint64_t)RECORD_MAX);
    FS_TRY(fs_txn_edit_apply(state, op, scratch));
    put_head(record, op, state);
    err = fs_txn_journal_write(state->journal, state->journal_len, record->data,
                               record->len);
    if (err) {
        fs_error_clear(
            fs_txn_journal_cut(state->journal, state->journal_len, JOURNAL));
        return err;
    }
    state->journal_len += record->len;
    return NULL;
}

/* --- Replay --- */

static fs_error_t *get_text(const char **out, fs_cursor_t *c,
                            apr_pool_t *result)
{
    const char *bytes;
    apr_uint64_t len;

    FS_TRY(fs_cursor_varint(c, &len));
    if (len > fs_cursor_left(c))
        return FS_ERROR(FS_ERR_CORRUPT, "a path passes the record's end");
    FS_TRY(fs_cursor_take(c, &bytes, (apr_size_t)len));
    *out = len ? apr_pstrmemdup(result, bytes, (apr_size_t)len) : NULL;
    return NULL;
}

static fs_error_t *get_rev(fs_rev_t *out, fs_cursor_t *c)
{
    apr_uint64_t number;

    FS_TRY(fs_cursor_varint(c, &number));
    *out = (fs_rev_t)(number - 1);
    return NULL;
}

static fs_error_t *get_bytes(void *out, fs_cursor_t *c, apr_size_t len)
{
    const char *bytes;

    FS_TRY(fs_cursor_take(c, &bytes, len));
    memcpy(out, bytes, len);
    return NULL;
}

static fs_error_t *get_rep(fs_txn_op_t *op, int flags, fs_cursor_t *c)
{
    char sum[4];

    FS_TRY(get_rev(&op->rep.rev, c));
    FS_TRY(fs_cursor_varint(c, &op->rep.item));
    FS_TRY(fs_cursor_varint(c, &op->rep.length));
    FS_TRY(fs_cursor_varint(c, &op->rep.size));
    FS_TRY(get_bytes(op->rep.md5, c, sizeof(op->rep.md5)));
    FS_TRY(get_bytes(op->rep.sha1, c, sizeof(op->rep.sha1)));
    FS_TRY(fs_cursor_varint(c, &op->entry.offset));
    FS_TRY(fs_cursor_varint(c, &op->entry.size));
    FS_TRY(get_bytes(sum, c, sizeof(sum)));
    op->rep.unique_txn.base = FS_INVALID_REV;
    op->rep.has_md5 = flags & FLAG_MD5;
    op->rep.has_sha1 = flags & FLAG_SHA1;
    op->entry.item = op->rep.item;
    op->entry.rev = FS_INVALID_REV;
    op->entry.checksum = (apr_uint32_t)get_fixed(sum, 4);
    op->entry.type = FS_ITEM_FILE_TEXT;
    if (!(flags & FLAG_OURS))
        memset(&op->entry, 0, sizeof(op->entry));
    return NULL;
}

static fs_error_t *get_record(fs_txn_op_t *op, const char *record,
                              apr_size_t len, apr_uint64_t offset,
                              apr_pool_t *result)
{
    fs_cursor_t c = fs_cursor(record + HEAD_LEN, len - HEAD_LEN);
    int flags = (unsigned char)record[9];

    memset(op, 0, sizeof(*op));
    op->type = (fs_txn_op_type_t)record[8];
    op->kind = (fs_node_kind_t)record[10];
    if (op->kind > FS_NODE_DIR)
        return FS_ERROR(FS_ERR_CORRUPT, "an edit has an unknown kind of node");
    op->mergeinfo_mod = flags & FLAG_MERGEINFO_MOD;
    op->has_mergeinfo = flags & FLAG_HAS_MERGEINFO;
    FS_TRY(get_text(&op->path, &c, result));
    FS_TRY(get_text(&op->from_path, &c, result));
    FS_TRY(get_rev(&op->from_rev, &c));
    FS_TRY(get_rev(&op->node_rev, &c));
    FS_TRY(fs_cursor_varint(&c, &op->node_item));
    if (op->type == FS_TXN_OP_TEXT)
        FS_TRY(get_rep(op, flags, &c));
    op->props.data = c.pos;
    op->props.len = fs_cursor_left(&c);
    op->props_at = offset + (apr_uint64_t)(c.pos - record);
    if (!op->path && op->type != FS_TXN_OP_BASE)
        return FS_ERROR(FS_ERR_CORRUPT, "an edit has no path");
    if (op->type == FS_TXN_OP_COPY && !op->from_path)
        return FS_ERROR(FS_ERR_CORRUPT, "a copy has no source");
    return NULL;
}

/* Bytes of the journal from `offset` on; `data` is where the next record is. */
typedef struct reader_t {
    fs_txn_state_t *state;
    char *buf;
    apr_size_t room;
    apr_uint64_t offset; /* of `buf` in the journal */
    apr_size_t have;
    apr_pool_t *pool;
} reader_t;

/* Have at least `len` bytes from `offset` on, unless the file ends. */
static fs_error_t *fill(reader_t *reader, apr_uint64_t offset, apr_size_t len)
{
    if (offset >= reader->offset &&
        offset + len <= reader->offset + reader->have)
        return NULL;
    if (len > reader->room) {
        reader->room = len;
        reader->buf = apr_palloc(reader->pool, len);
    }
    reader->offset = offset;
    reader->have = reader->room;
    return fs_disk_file_pread(reader->state->journal, offset, reader->buf,
                              &reader->have, JOURNAL);
}

/* How long the record is, of which all of the head is there. */
static fs_error_t *read_length(apr_uint64_t *body, const char *head)
{
    *body = get_fixed(head, 4);
    if (get_fixed(head + 12, 4) != fs_fnv1a_x4(head, 4) || *body > RECORD_MAX)
        return FS_ERROR(FS_ERR_CORRUPT, "an edit has a damaged length");
    return NULL;
}

/*
 * The record at `offset`; its `len` is 0 if it is not complete, which happens
 * to the last one only: a write that is cut leaves its beginning.
 */
static fs_error_t *next_record(const char **record, apr_size_t *len,
                               reader_t *reader, apr_uint64_t offset,
                               apr_uint64_t end)
{
    apr_uint64_t body;
    const char *at;

    *len = 0;
    if (end - offset < HEAD_LEN)
        return NULL;
    FS_TRY(fill(reader, offset, HEAD_LEN));
    if (offset - reader->offset + HEAD_LEN > reader->have)
        return NULL;
    FS_TRY(read_length(&body, reader->buf + (offset - reader->offset)));
    if (body > end - offset - HEAD_LEN)
        return NULL;
    FS_TRY(fill(reader, offset, HEAD_LEN + (apr_size_t)body));
    if (offset - reader->offset + HEAD_LEN + body > reader->have)
        return NULL;
    at = reader->buf + (offset - reader->offset);
    if (get_fixed(at + 4, 4) !=
        fs_fnv1a_x4(at + SUM_FROM, HEAD_LEN - SUM_FROM + (apr_size_t)body))
        return FS_ERROR(FS_ERR_CORRUPT, "an edit has the wrong sum");
    *record = at;
    *len = HEAD_LEN + (apr_size_t)body;
    return NULL;
}

static fs_error_t *replay_record(fs_txn_state_t *state, const char *record,
                                 apr_size_t len, apr_pool_t *scratch)
{
    fs_txn_op_t op;

    FS_TRY(get_record(&op, record, len, state->journal_len, scratch));
    FS_TRY(fs_txn_edit_apply(state, &op, scratch));
    state->texts_len = get_fixed(record + 16, 8);
    if (state->next_node != get_fixed(record + 24, 8) ||
        state->next_copy != get_fixed(record + 32, 8) ||
        state->next_item != get_fixed(record + 40, 8))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "an edit does not lead to the numbers noted with it");
    state->journal_len += len;
    return NULL;
}

static fs_error_t *begin(reader_t *reader, apr_pool_t *scratch)
{
    fs_txn_state_t *state = reader->state;

    FS_TRY(fill(reader, 0, FS_TXN_JOURNAL_HEAD_LEN));
    if (reader->have < FS_TXN_JOURNAL_HEAD_LEN ||
        memcmp(reader->buf, fs_txn_journal_head, MAGIC_LEN))
        return FS_ERROR(FS_ERR_CORRUPT, "this is no journal of version 1");
    FS_TRY(fs_txn_edit_begin(state, scratch));
    state->generation = get_fixed(reader->buf + MAGIC_LEN, 8);
    state->journal_len = FS_TXN_JOURNAL_HEAD_LEN;
    return NULL;
}

fs_error_t *fs_txn_journal_restart(fs_txn_state_t *state, apr_pool_t *scratch)
{
    char bytes[8];

    state->base = state->id.base;
    put_fixed(bytes, state->generation + 1, 8);
    FS_TRY(
        fs_txn_journal_cut(state->journal, FS_TXN_JOURNAL_HEAD_LEN, JOURNAL));
    FS_TRY(fs_txn_journal_write(state->journal, MAGIC_LEN, bytes, 8));
    state->generation++;
    state->journal_len = FS_TXN_JOURNAL_HEAD_LEN;
    return fs_txn_edit_begin(state, scratch);
}

fs_error_t *fs_txn_journal_restarted(bool *restarted,
                                     const fs_txn_state_t *state)
{
    apr_size_t len = 8;
    char bytes[8];

    FS_TRY(fs_disk_file_pread(state->journal, MAGIC_LEN, bytes, &len, JOURNAL));
    *restarted = len < 8 || get_fixed(bytes, 8) != state->generation;
    return NULL;
}

static fs_error_t *replay(reader_t *reader, apr_uint64_t end,
                          apr_pool_t *scratch)
{
    fs_txn_state_t *state = reader->state;
    fs_error_t *err = NULL;
    const char *record;
    apr_pool_t *iter;
    apr_size_t len;

    apr_pool_create(&iter, scratch);
    if (!state->journal_len)
        err = begin(reader, iter);
    while (!err) {
        apr_pool_clear(iter);
        err = next_record(&record, &len, reader, state->journal_len, end);
        if (err || !len)
            break;
        err = replay_record(state, record, len, iter);
    }
    apr_pool_destroy(iter);
    return err;
}

fs_error_t *fs_txn_journal_replay(fs_txn_state_t *state, apr_pool_t *scratch)
{
    reader_t reader = { .state = state, .room = READ_SIZE };
    struct stat info;
    fs_error_t *err;

    if (fstat(state->journal, &info))
        return FS_ERROR_APR(errno, "cannot stat '%s'", JOURNAL);
    apr_pool_create(&reader.pool, scratch);
    reader.buf = apr_palloc(reader.pool, reader.room);
    err = replay(&reader, (apr_uint64_t)info.st_size, scratch);
    apr_pool_destroy(reader.pool);
    if (err)
        return FS_WRAP(err, "journal of transaction '%s' at %" APR_UINT64_T_FMT,
                       state->name, state->journal_len);
    FS_TRY(fs_txn_journal_cut(state->journal, state->journal_len, JOURNAL));
    return fs_txn_journal_cut(state->texts, state->texts_len, TEXTS);
}
