/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of files: reading, and deltas between them. */

#include "libfs/tree/tree.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/checksum.h"

/* Bytes read at a time where a text is only looked at. */
#define READ_SIZE 65536

/* ---- reading ---- */

/* A stored text whose errors name the node. */
typedef struct text_t {
    fs_stream_t *inner;
    fs_rev_t rev;
    const char *path;
} text_t;

static fs_error_t *read_text(void *baton, char *buf, apr_size_t *len)
{
    const text_t *text = baton;
    fs_error_t *err = fs_stream_read(text->inner, buf, len);

    return err ? FS_LOOKUP_BLAME(err, text->rev, text->path) : NULL;
}

static fs_error_t *skip_text(void *baton, apr_uint64_t *len)
{
    const text_t *text = baton;
    fs_error_t *err = fs_stream_skip(text->inner, *len, len);

    return err ? FS_LOOKUP_BLAME(err, text->rev, text->path) : NULL;
}

static fs_error_t *close_text(void *baton)
{
    const text_t *text = baton;

    return fs_stream_close(text->inner);
}

static const fs_stream_ops_t text_ops = { read_text, skip_text, close_text };

static fs_error_t *need_file(const fs_node_t *node)
{
    if (node->record->kind == FS_NODE_FILE)
        return NULL;
    return FS_ERROR(FS_ERR_NOT_FILE, "'%s' is not a file in %s", node->path,
                    fs_root_label(node->root));
}

fs_error_t *fs_node_open(fs_stream_t **text, const fs_node_t *node,
                         apr_uint64_t offset, apr_pool_t *result)
{
    fs_store_t *store = node->root->store;
    text_t *t;
    fs_error_t *err;

    FS_TRY(need_file(node));
    if (!node->record->text.present) {
        *text = fs_stream_empty(result);
        return NULL;
    }
    t = apr_pcalloc(result, sizeof(*t));
    t->rev = node->root->rev;
    t->path = apr_pstrdup(result, node->path);
    err = store->vtable->open_content(&t->inner, store, &node->record->text,
                                      offset, result);
    if (err)
        return FS_LOOKUP_BLAME(err, t->rev, t->path);
    *text = fs_stream_create(&text_ops, t, result);
    return NULL;
}

const unsigned char *fs_node_sha1(const fs_node_t *node)
{
    const fs_content_t *text = &node->record->text;

    return text->present && text->has_sha1 ? text->sha1 : NULL;
}

static fs_error_t *digest_text(fs_digest_t *digest, fs_stream_t *text,
                               apr_pool_t *scratch)
{
    char *buf = apr_palloc(scratch, READ_SIZE);

    for (;;) {
        apr_size_t len = READ_SIZE;

        FS_TRY(fs_stream_read(text, buf, &len));
        if (len == 0)
            return fs_stream_close(text);
        fs_digest_update(digest, buf, len);
    }
}

static fs_error_t *compute_digest(unsigned char *out, fs_digest_kind_t kind,
                                  const fs_node_t *node, apr_pool_t *scratch)
{
    fs_digest_t *digest = fs_digest_create(kind, scratch);
    fs_stream_t *text = NULL;

    FS_TRY(fs_node_open(&text, node, 0, scratch));
    FS_TRY(digest_text(digest, text, scratch));
    fs_digest_finish(digest, out);
    return NULL;
}

fs_error_t *fs_node_md5(unsigned char md5[FS_MD5_SIZE], const fs_node_t *node,
                        apr_pool_t *scratch)
{
    const fs_content_t *content = &node->record->text;

    FS_TRY(need_file(node));
    if (content->present && content->has_md5) {
        memcpy(md5, content->md5, FS_MD5_SIZE);
        return NULL;
    }
    return compute_digest(md5, FS_DIGEST_MD5, node, scratch);
}

fs_error_t *fs_node_compute_sha1(unsigned char sha1[FS_SHA1_SIZE],
                                 const fs_node_t *node, apr_pool_t *scratch)
{
    const unsigned char *stored = fs_node_sha1(node);

    FS_TRY(need_file(node));
    if (stored) {
        memcpy(sha1, stored, FS_SHA1_SIZE);
        return NULL;
    }
    return compute_digest(sha1, FS_DIGEST_SHA1, node, scratch);
}

void fs_node_prefetch(const fs_node_t *const *nodes, int count)
{
    enum {
        BATCH = 64
    };
    const fs_content_t *contents[BATCH];
    int used = 0;
    int i;

    for (i = 0; i < count; i++) {
        fs_store_t *store = nodes[i]->root->store;

        if (nodes[i]->record->text.present)
            contents[used++] = &nodes[i]->record->text;
        if (used > 0 && (used == BATCH || i == count - 1)) {
            store->vtable->prefetch(store, contents, used);
            used = 0;
        }
    }
}

/* ---- comparing ---- */

typedef enum answer_t {
    ANSWER_NO,
    ANSWER_YES,
    ANSWER_UNKNOWN /* the texts must be read */
} answer_t;

/* Whether two contents differ, by what is recorded of them. */
static answer_t recorded_difference(const fs_content_t *a,
                                    const fs_content_t *b)
{
    apr_uint64_t a_size = a->present ? a->size : 0;
    apr_uint64_t b_size = b->present ? b->size : 0;

    if (a_size != b_size)
        return ANSWER_YES;
    if (a_size == 0)
        return ANSWER_NO;
    if (memcmp(a->id, b->id, sizeof(a->id)) == 0)
        return ANSWER_NO;
    if (a->has_sha1 && b->has_sha1)
        return memcmp(a->sha1, b->sha1, FS_SHA1_SIZE) ? ANSWER_YES : ANSWER_NO;
    if (a->has_md5 && b->has_md5)
        return memcmp(a->md5, b->md5, FS_MD5_SIZE) ? ANSWER_YES : ANSWER_NO;
    return ANSWER_UNKNOWN;
}

static fs_error_t *streams_differ(bool *differ, fs_stream_t *a, fs_stream_t *b,
                                  apr_pool_t *scratch)
{
    char *a_buf = apr_palloc(scratch, READ_SIZE);
    char *b_buf = apr_palloc(scratch, READ_SIZE);
    apr_size_t a_len;
    apr_size_t b_len;

    do {
        a_len = READ_SIZE;
        b_len = READ_SIZE;
        FS_TRY(fs_stream_read_full(a, a_buf, &a_len));
        FS_TRY(fs_stream_read_full(b, b_buf, &b_len));
        *differ = a_len != b_len || memcmp(a_buf, b_buf, a_len) != 0;
    } while (!*differ && a_len > 0);
    FS_TRY(fs_stream_close(a));
    return fs_stream_close(b);
}

fs_error_t *fs_node_texts_differ(bool *differ, const fs_node_t *a,
                                 const fs_node_t *b, apr_pool_t *scratch)
{
    fs_stream_t *a_text;
    fs_stream_t *b_text;
    answer_t answer;

    FS_TRY(need_file(a));
    FS_TRY(need_file(b));
    answer = recorded_difference(&a->record->text, &b->record->text);
    *differ = answer == ANSWER_YES;
    if (answer != ANSWER_UNKNOWN)
        return NULL;
    FS_TRY(fs_node_open(&a_text, a, 0, scratch));
    FS_TRY(fs_node_open(&b_text, b, 0, scratch));
    return streams_differ(differ, a_text, b_text, scratch);
}

/* ---- deltas ---- */

/* Windows that copy a text as it is; nothing is read for them. */
typedef struct same_t {
    apr_uint64_t pos;
    apr_uint64_t size;
    fs_delta_op_t op;
    fs_delta_window_t window;
} same_t;

static fs_error_t *next_same(const fs_delta_window_t **window, void *baton)
{
    same_t *same = baton;
    apr_uint64_t left = same->size - same->pos;
    apr_uint32_t len =
        left < FS_DELTA_WINDOW_MAX ? (apr_uint32_t)left : FS_DELTA_WINDOW_MAX;

    *window = NULL;
    if (len == 0)
        return NULL;
    same->op.action = FS_DELTA_SOURCE;
    same->op.offset = 0;
    same->op.length = len;
    same->window.source_offset = same->pos;
    same->window.source_len = len;
    same->window.target_len = len;
    same->window.op_count = 1;
    same->window.ops = &same->op;
    same->window.new_data = "";
    same->window.new_len = 0;
    same->pos += len;
    *window = &same->window;
    return NULL;
}

static fs_delta_stream_t *same_text(const fs_node_t *node, apr_pool_t *result)
{
    same_t *same = apr_pcalloc(result, sizeof(*same));

    same->size = fs_node_size(node);
    return fs_delta_stream_create(next_same, same, result);
}

static fs_error_t *compute_delta(fs_delta_stream_t **delta,
                                 const fs_node_t *base, const fs_node_t *node,
                                 apr_pool_t *result)
{
    fs_stream_t *source = NULL;
    fs_stream_t *target;

    if (base)
        FS_TRY(fs_node_open(&source, base, 0, result));
    FS_TRY(fs_node_open(&target, node, 0, result));
    *delta = fs_delta_compute(source, target, result);
    return NULL;
}

/* The stored delta if it is one from `base` to `node`; see the store. */
static fs_error_t *stored_delta(fs_stored_delta_t **delta,
                                const fs_node_t *base, const fs_node_t *node,
                                unsigned int versions, apr_pool_t *result)
{
    fs_store_t *store = node->root->store;
    const fs_content_t *content = NULL;
    fs_error_t *err;

    *delta = NULL;
    if (base && base->record->text.present)
        content = &base->record->text;
    if (!node->record->text.present)
        return NULL;
    err = store->vtable->open_stored_delta(
        delta, store, content, &node->record->text, versions, result);
    return err ? FS_LOOKUP_BLAME(err, node->root->rev, node->path) : NULL;
}

/* Check kinds; `*same` tells that the texts are known to be equal. */
static fs_error_t *prepare(bool *same, const fs_node_t *base,
                           const fs_node_t *node)
{
    FS_TRY(need_file(node));
    *same = false;
    if (base) {
        FS_TRY(need_file(base));
        *same = recorded_difference(&base->record->text, &node->record->text) ==
                ANSWER_NO;
    }
    return NULL;
}

static fs_error_t *delta_of_different(fs_delta_stream_t **delta,
                                      const fs_node_t *base,
                                      const fs_node_t *node, apr_pool_t *result)
{
    fs_stored_delta_t *stored;

    FS_TRY(stored_delta(&stored, base, node, 0, result));
    if (!stored)
        return compute_delta(delta, base, node, result);
    *delta = stored->windows ? stored->windows
                             : fs_svndiff_read(stored->svndiff, result);
    return NULL;
}

fs_error_t *fs_node_delta(fs_delta_stream_t **delta, const fs_node_t *base,
                          const fs_node_t *node, apr_pool_t *result)
{
    bool same;

    FS_TRY(prepare(&same, base, node));
    if (!same)
        return delta_of_different(delta, base, node, result);
    *delta = same_text(node, result);
    return NULL;
}

/* Encode anew, or hand out what is stored. */
static fs_error_t *open_svndiff(fs_stream_t **svndiff, const fs_node_t *base,
                                const fs_node_t *node, int version, int level,
                                apr_pool_t *result)
{
    fs_stored_delta_t *stored = NULL;
    fs_delta_stream_t *delta;
    bool same;

    FS_TRY(prepare(&same, base, node));
    if (same) {
        delta = same_text(node, result);
    } else {
        FS_TRY(stored_delta(&stored, base, node, 1U << version, result));
        if (stored && stored->svndiff) {
            *svndiff = stored->svndiff;
            return NULL;
        }
        FS_TRY(delta_of_different(&delta, base, node, result));
    }
    *svndiff = fs_svndiff_write(delta, version, level, result);
    return NULL;
}

/* Texts up to this size have their encoded deltas cached: making one costs
 * more than all else in a small answer. */
#define ENCODED_TEXT_MAX (512 * 1024)

/* Bytes that such a delta may take; svndiff is never much longer than the
 * text it makes. */
#define ENCODED_MAX (2 * ENCODED_TEXT_MAX)

/* What names an encoded delta: both contents and the form. */
typedef struct encoded_name_t {
    unsigned char base[16]; /* zero: against nothing */
    unsigned char text[16];
    unsigned char version;
    unsigned char level;
} encoded_name_t;

/* Contents of transactions have names for as long as these are open. */
static bool is_lasting(const fs_node_t *node)
{
    return !node || FS_IS_REV(node->root->rev);
}

static void name_encoded(encoded_name_t *name, const fs_node_t *base,
                         const fs_node_t *node, int version, int level)
{
    memset(name, 0, sizeof(*name));
    if (base && base->record->text.present)
        memcpy(name->base, base->record->text.id, sizeof(name->base));
    memcpy(name->text, node->record->text.id, sizeof(name->text));
    name->version = (unsigned char)version;
    name->level = version == 1 ? (unsigned char)level : 0;
}

fs_error_t *fs_node_svndiff(fs_stream_t **svndiff, const fs_node_t *base,
                            const fs_node_t *node, int version, int level,
                            apr_pool_t *result)
{
    fs_repo_t *repo = node->root->repo;
    cache_t *cache = fs_repo_cache(repo);
    cache_key_t key = { .kind = CACHE_SVNDIFF };
    encoded_name_t name;
    cache_value_t found;
    fs_bytes_t encoded;

    FS_TRY(need_file(node));
    if (!cache || !node->record->text.present ||
        node->record->text.size > ENCODED_TEXT_MAX || !is_lasting(node) ||
        !is_lasting(base))
        return open_svndiff(svndiff, base, node, version, level, result);

    name_encoded(&name, base, node, version, level);
    memcpy(key.space, fs_repo_instance(repo), sizeof(key.space));
    key.name = &name;
    key.name_len = sizeof(name);
    if (cache_get(cache, &key, &found, result) == APR_SUCCESS) {
        *svndiff = fs_stream_from_bytes(found.data, found.len, result);
        return NULL;
    }
    FS_TRY(open_svndiff(svndiff, base, node, version, level, result));
    FS_TRY(fs_stream_slurp(&encoded, *svndiff, ENCODED_MAX, result));
    FS_TRY(fs_stream_close(*svndiff));
    (void)cache_put(cache, &key, encoded.data, encoded.len);
    *svndiff = fs_stream_from_bytes(encoded.data, encoded.len, result);
    return NULL;
}
