/* SPDX-License-Identifier: Apache-2.0 */
/* A text on its way into a file of a transaction. */

#include "libfs/store/fsfs/txn_text.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/rep_cache.h"
#include "libfs/store/fsfs/rep_write.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_journal.h"
#include "libfs/store/fsfs/txn_read.h"

/* Bytes that are compared at once. */
#define COMPARE_SIZE (32 * 1024)

struct fs_txn_text_t {
    fs_txn_state_t *state;
    const char *path;
    fs_rep_out_t *out;
    fs_rep_write_t *write;
    apr_uint64_t before; /* length of the texts without this one */
    apr_pool_t *pool;
};

/* --- Beginning --- */

/* The node as it will be: what it is already, or its clone. */
static fs_error_t *foresee(fs_node_rev_t *rec, const fs_txn_state_t *state,
                           const char *path, apr_pool_t *scratch)
{
    fs_txn_ref_t ref;

    FS_TRY(fs_txn_edit_find(&ref, state, path, scratch));
    if (ref.kind != FS_NODE_FILE)
        return FS_ERROR(FS_ERR_CORRUPT, "the transaction has no file '%s'",
                        path);
    if (ref.node) {
        *rec = ref.node->rec;
        return NULL;
    }
    FS_TRY(fs_node_read_whole(rec, state->fsfs, ref.rev, ref.item, scratch,
                              scratch));
    rec->pred = rec->id;
    rec->has_pred = true;
    rec->count++;
    return NULL;
}

fs_error_t *fs_txn_text_begin(fs_txn_text_t **text, fs_txn_state_t *state,
                              const char *path, apr_pool_t *result)
{
    fs_txn_text_t *t = apr_pcalloc(result, sizeof(*t));
    bool has_base = false;
    fs_node_rev_t rec;
    fs_rep_t base;

    t->state = state;
    t->path = apr_pstrdup(result, path);
    t->before = state->texts_len;
    t->pool = result;
    FS_TRY(foresee(&rec, state, path, result));
    FS_TRY(fs_rep_write_choose(&has_base, &base, state->fsfs, &rec,
                               FS_REP_KIND_TEXT, result));
    /* What another process left when it died in the middle of a text. */
    FS_TRY(
        fs_txn_journal_cut(state->texts, state->texts_len, FS_TXN_DIR_TEXTS));
    t->out = fs_rep_out_create(state->texts, state->texts_len, result);
    fs_rep_out_item_begin(t->out);
    FS_TRY(fs_rep_write_open(&t->write, state->fsfs, t->out,
                             has_base ? &base : NULL, FS_REP_KIND_TEXT,
                             result));
    *text = t;
    return NULL;
}

fs_error_t *fs_txn_text_add(fs_txn_text_t *text, const char *data,
                            apr_size_t len)
{
    return fs_rep_write(text->write, data, len);
}

/* --- Sharing --- */

/* The new text, whose bytes are compared with an older one. */
typedef struct same_t {
    const fs_txn_text_t *text;
    const fs_rep_t *rep;
    apr_uint64_t offset;
} same_t;

static fs_error_t *compare_streams(bool *same, fs_stream_t *a, fs_stream_t *b,
                                   apr_pool_t *scratch)
{
    char *left = apr_palloc(scratch, COMPARE_SIZE);
    char *right = apr_palloc(scratch, COMPARE_SIZE);
    apr_size_t left_len, right_len;

    do {
        left_len = right_len = COMPARE_SIZE;
        FS_TRY(fs_stream_read_full(a, left, &left_len));
        FS_TRY(fs_stream_read_full(b, right, &right_len));
        *same = left_len == right_len && !memcmp(left, right, left_len);
    } while (*same && left_len);
    FS_TRY(fs_stream_close(a));
    return fs_stream_close(b);
}

static fs_error_t *is_same(bool *same, void *baton, const fs_rep_t *candidate,
                           apr_pool_t *scratch)
{
    same_t *wanted = baton;
    fs_txn_state_t *state = wanted->text->state;
    fs_stream_t *ours, *theirs;
    fs_rep_t other = *candidate;

    /* What is looked up has the lengths of the new one at most. */
    other.size = wanted->rep->size;
    other.has_md5 = true;
    memcpy(other.md5, wanted->rep->md5, FS_MD5_SIZE);
    FS_TRY(fs_rep_out_flush(wanted->text->out));
    FS_TRY(
        fs_txn_read_text(&ours, state, wanted->rep, wanted->offset, scratch));
    FS_TRY(fs_txn_read_rep(&theirs, state, &other, scratch));
    return compare_streams(same, ours, theirs, scratch);
}

static fs_error_t *share_own(bool *found, fs_rep_t *rep, same_t *wanted)
{
    const fs_rep_t *own =
        apr_hash_get(wanted->text->state->by_sha1, rep->sha1, FS_SHA1_SIZE);

    *found = false;
    if (!own || own->size != rep->size ||
        memcmp(own->md5, rep->md5, FS_MD5_SIZE))
        return NULL;
    FS_TRY(is_same(found, wanted, own, wanted->text->pool));
    if (!*found)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "two texts of the transaction have the same SHA-1");
    rep->rev = own->rev;
    rep->item = own->item;
    rep->length = own->length;
    return NULL;
}

static fs_error_t *share(bool *found, fs_rep_t *rep, const fs_txn_text_t *text,
                         apr_uint64_t offset)
{
    fs_fsfs_t *fsfs = text->state->fsfs;
    fs_rep_t copy = *rep;
    same_t wanted = { text, &copy, offset };

    *found = false;
    if (fsfs->format.format < FS_FORMAT_REP_SHARING ||
        !fsfs->conf.enable_rep_sharing)
        return NULL;
    FS_TRY(share_own(found, rep, &wanted));
    if (*found)
        return NULL;
    return fs_rep_cache_find(found, rep, fsfs, is_same, &wanted, text->pool);
}

/* --- The end --- */

static fs_error_t *check_md5(const fs_rep_t *rep, const unsigned char *expected,
                             const fs_txn_text_t *text)
{
    if (!expected || !memcmp(expected, rep->md5, FS_MD5_SIZE))
        return NULL;
    return FS_ERROR(FS_ERR_CHECKSUM_MISMATCH,
                    "the new text of '%s' has the MD5 sum %s and should have "
                    "%s",
                    text->path,
                    fs_hex_format(rep->md5, FS_MD5_SIZE, text->pool),
                    fs_hex_format(expected, FS_MD5_SIZE, text->pool));
}

fs_error_t *fs_txn_text_end(fs_txn_op_t *op, unsigned char md5[FS_MD5_SIZE],
                            fs_txn_text_t *text, const unsigned char *expected)
{
    fs_txn_state_t *state = text->state;
    fs_rep_t *rep = &op->rep;
    bool shared;

    memset(op, 0, sizeof(*op));
    op->type = FS_TXN_OP_TEXT;
    op->path = text->path;
    rep->unique_txn.base = FS_INVALID_REV;
    FS_TRY(fs_rep_write_close(rep, text->write));
    rep->has_md5 = true;
    rep->has_sha1 = state->fsfs->format.format >= FS_FORMAT_REP_SHARING;
    FS_TRY(check_md5(rep, expected, text));
    memcpy(md5, rep->md5, FS_MD5_SIZE);
    rep->rev = FS_INVALID_REV;
    fs_rep_out_item_end(&op->entry, text->out, state->next_item,
                        FS_ITEM_FILE_TEXT, FS_INVALID_REV);
    if (!state->fsfs->format.logical)
        op->entry.item = op->entry.offset;
    rep->item = op->entry.item;
    FS_TRY(share(&shared, rep, text, op->entry.offset));
    if (shared) {
        memset(&op->entry, 0, sizeof(op->entry));
        return fs_rep_out_item_drop(text->out);
    }
    FS_TRY(fs_rep_out_flush(text->out));
    state->texts_len = fs_rep_out_offset(text->out);
    return NULL;
}

void fs_txn_text_drop(fs_txn_text_t *text)
{
    text->state->texts_len = text->before;
    fs_error_clear(
        fs_txn_journal_cut(text->state->texts, text->before, FS_TXN_DIR_TEXTS));
}
