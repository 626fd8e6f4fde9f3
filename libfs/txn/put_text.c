/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on their way into files of a transaction. */

#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/delta/svndiff_apply.h"
#include "libfs/txn/lock_check.h"
#include "libfs/txn/transaction.h"

struct fs_txn_text_t {
    fs_txn_t *txn;
    fs_store_text_t *stored;   /* NULL: it has ended */
    fs_svndiff_apply_t *delta; /* NULL: the text comes as it is */
    const char *path;
    bool has_result; /* the digest must be `result` */
    unsigned char result[FS_MD5_SIZE];
};

static fs_error_t *check_base(const fs_node_t *node,
                              const unsigned char *expected,
                              apr_pool_t *scratch)
{
    unsigned char md5[FS_MD5_SIZE];

    FS_TRY(fs_node_md5(md5, node, scratch));
    if (memcmp(md5, expected, FS_MD5_SIZE) == 0)
        return NULL;
    return FS_ERROR(FS_ERR_CHECKSUM_MISMATCH,
                    "the text of '%s' has the MD5 %s, as the base of a delta "
                    "%s is expected",
                    fs_node_path(node),
                    fs_hex_format(md5, FS_MD5_SIZE, scratch),
                    fs_hex_format(expected, FS_MD5_SIZE, scratch));
}

static fs_error_t *write_stored(void *baton, const char *data, apr_size_t len)
{
    const fs_txn_text_t *text = baton;

    return text->txn->vtable->text_write(text->stored, data, len);
}

/* The node, if a text may be put there. */
static fs_error_t *need_target(const fs_node_t **node, fs_txn_t *txn,
                               const char *path, const unsigned char *base_md5,
                               apr_pool_t *scratch)
{
    fs_root_t *tree;

    FS_TRY(fs_transaction_tree(&tree, txn));
    FS_TRY(fs_node_need(node, tree, path, scratch));
    if (fs_node_kind(*node) != FS_NODE_FILE)
        return FS_ERROR(FS_ERR_NOT_FILE, "'%s' is not a file in %s", path,
                        fs_root_label(tree));
    if (base_md5)
        FS_TRY(check_base(*node, base_md5, scratch));
    return fs_lock_check_path(txn, path, false, scratch);
}

/* All but the begin of the store's text. */
static fs_error_t *prepare(fs_txn_text_t **out, fs_txn_t *txn, const char *path,
                           const fs_txn_text_form_t *form, apr_pool_t *result)
{
    fs_txn_text_t *text = apr_pcalloc(result, sizeof(*text));
    const fs_node_t *node;
    fs_stream_t *source;

    text->txn = txn;
    if (form->result_md5) {
        text->has_result = true;
        memcpy(text->result, form->result_md5, FS_MD5_SIZE);
    }
    FS_TRY(need_target(&node, txn, path, form->base_md5, result));
    text->path = fs_node_path(node);
    if (form->is_svndiff) {
        FS_TRY(fs_node_open(&source, node, 0, result));
        text->delta =
            fs_svndiff_apply_create(source, write_stored, text, result);
    }
    *out = text;
    return NULL;
}

fs_error_t *fs_txn_text_open(fs_txn_text_t **text, fs_txn_t *txn,
                             const char *path, const fs_txn_text_form_t *form,
                             apr_pool_t *result)
{
    FS_TRY(prepare(text, txn, path, form, result));
    fs_transaction_forget(txn);
    return txn->vtable->text_open(&(*text)->stored, txn->stored, (*text)->path,
                                  result);
}

fs_error_t *fs_txn_text_write(fs_txn_text_t *text, const char *data,
                              apr_size_t len)
{
    return text->delta ? fs_svndiff_apply_write(text->delta, data, len)
                       : write_stored(text, data, len);
}

fs_error_t *fs_txn_text_close(unsigned char md5[FS_MD5_SIZE],
                              fs_txn_text_t *text)
{
    fs_store_text_t *stored = text->stored;
    fs_error_t *err = NULL;

    if (text->delta)
        err = fs_svndiff_apply_close(text->delta);
    if (err) {
        fs_txn_text_abort(text);
        return err;
    }
    text->stored = NULL;
    err = text->txn->vtable->text_close(
        md5, text->has_result ? text->result : NULL, stored);
    return err ? FS_WRAP(err, "cannot put a new text into '%s'", text->path)
               : NULL;
}

void fs_txn_text_abort(fs_txn_text_t *text)
{
    if (text->stored)
        text->txn->vtable->text_abort(text->stored);
    text->stored = NULL;
}
