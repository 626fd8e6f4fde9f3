/* SPDX-License-Identifier: Apache-2.0 */
/* A transaction in the layout of the stock tools, and back. */

#include "libfs/store/fsfs/txn_stock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/base/number.h"
#include "libfs/format/format_file.h"
#include "libfs/store/fsfs/commit_dir.h"
#include "libfs/store/fsfs/commit_tree.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_stock_take.h"

/* Bytes of a number in the indexes of a transaction. */
#define NUMBER_LEN 8

/* Room for the name of a node's file. */
#define NAME_SIZE (2 * FS_NODE_ID_SIZE + 20)

/* Files that every edit of the stock library changes, as they were left. */
struct fs_txn_stock_seen_t {
    fs_stamp_t changes;
    fs_stamp_t next_ids;
    apr_uint64_t texts_len;
};

typedef struct show_t {
    fs_txn_state_t *state;
    fs_buffer_t *file; /* the one that is being made */
    apr_pool_t *pool;  /* of one node */
} show_t;

/* --- Files --- */

static fs_error_t *write_all(int fd, const fs_buffer_t *bytes, const char *name)
{
    apr_size_t done = 0;

    while (done < bytes->len) {
        ssize_t n = write(fd, bytes->data + done, bytes->len - done);

        if (n < 0 && errno != EINTR)
            return FS_ERROR_APR(errno, "cannot write '%s'", name);
        if (n > 0)
            done += (apr_size_t)n;
    }
    return NULL;
}

/* Write a file of the transaction's folder, maybe over what an earlier guest
 * left. Nothing is synced, as the journal is what counts. */
static fs_error_t *put_file(const show_t *show, const char *name)
{
    fs_error_t *err;
    int fd;

    do {
        fd = openat(show->state->folder, name,
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return FS_ERROR_APR(errno, "cannot create '%s'", name);
    err = write_all(fd, show->file, name);
    if (close(fd) && errno != EINTR && !err)
        err = FS_ERROR_APR(errno, "cannot close '%s'", name);
    return err;
}

/* The same for a file that others may open at any time. */
static fs_error_t *put_whole(const show_t *show, const char *name)
{
    static const char temporary[] = "repo-new";
    int folder = show->state->folder;

    FS_TRY(put_file(show, temporary));
    if (renameat(folder, temporary, folder, name))
        return FS_ERROR_APR(errno, "cannot rename to '%s'", name);
    return NULL;
}

/* --- Nodes --- */

static const char *name_of(char name[NAME_SIZE], const fs_noderev_id_t *id,
                           const char *suffix)
{
    char node[FS_NODE_ID_SIZE];
    char copy[FS_NODE_ID_SIZE];

    fs_node_id_format_part(node, &id->node);
    fs_node_id_format_part(copy, &id->copy);
    (void)snprintf(name, NAME_SIZE, "node.%s.%s%s", node, copy, suffix);
    return name;
}

static fs_error_t *receive_text(void *baton, const char *data, apr_size_t len)
{
    fs_buffer_append(baton, data, len);
    return NULL;
}

static fs_error_t *show_entries(const show_t *show, const fs_txn_node_t *node)
{
    const fs_node_rev_t *rec = &node->rec;
    apr_array_header_t *list =
        apr_array_make(show->pool, 16, sizeof(fs_dirents_entry_t));
    apr_hash_index_t *hi;
    char name[NAME_SIZE];

    for (hi = node->entries ? apr_hash_first(show->pool, node->entries) : NULL;
         hi; hi = apr_hash_next(hi)) {
        const fs_txn_entry_t *from = apr_hash_this_val(hi);
        fs_dirents_entry_t *to = apr_array_push(list);

        to->name.data = from->name;
        to->name.len = strlen(from->name);
        to->kind = from->kind;
        to->id = from->node ? from->node->rec.id : from->id;
    }
    show->file->len = 0;
    FS_TRY(fs_commit_dir_tell(show->state->fsfs,
                              rec->has_text ? &rec->text : NULL, list,
                              receive_text, show->file, show->pool));
    return put_file(show, name_of(name, &rec->id, ".children"));
}

static fs_error_t *show_props(const show_t *show, const fs_txn_node_t *node)
{
    apr_size_t len = node->props.len;
    char name[NAME_SIZE];

    show->file->len = 0;
    FS_TRY(fs_disk_file_pread(show->state->journal, node->props.offset,
                              fs_buffer_reserve(show->file, len), &len,
                              "the transaction's journal"));
    if (len != node->props.len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the transaction's journal ends in a property list");
    show->file->len = len;
    return put_file(show, name_of(name, &node->rec.id, ".props"));
}

/* A content that is in a file of its own. */
static void set_aside(fs_rep_t *rep, bool *present)
{
    memset(rep, 0, sizeof(*rep));
    rep->rev = FS_INVALID_REV;
    rep->in_txn_file = true;
    *present = true;
}

static fs_error_t *show_node(const show_t *show, const fs_txn_node_t *node)
{
    fs_node_rev_t rec = node->rec;
    char name[NAME_SIZE];

    if (node->entries_changed) {
        FS_TRY(show_entries(show, node));
        set_aside(&rec.text, &rec.has_text);
    }
    if (node->props_changed) {
        FS_TRY(show_props(show, node));
        set_aside(&rec.props, &rec.has_props);
    }
    show->file->len = 0;
    fs_node_rev_format(show->file, &rec, show->state->fsfs->format.format);
    (void)name_of(name, &rec.id, "");
    return node == show->state->root ? put_whole(show, name)
                                     : put_file(show, name);
}

static fs_error_t *show_nodes(show_t *show, apr_pool_t *scratch)
{
    const apr_array_header_t *nodes = show->state->nodes;
    int i;

    apr_pool_create(&show->pool, scratch);
    for (i = 0; i < nodes->nelts; i++) {
        const fs_txn_node_t *node = APR_ARRAY_IDX(nodes, i, fs_txn_node_t *);

        apr_pool_clear(show->pool);
        if (!node->gone)
            FS_TRY(show_node(show, node));
    }
    apr_pool_destroy(show->pool);
    return NULL;
}

/* --- Indexes --- */

static void put_number(fs_buffer_t *out, apr_uint64_t number)
{
    unsigned char bytes[NUMBER_LEN];
    int i;

    for (i = 0; i < NUMBER_LEN; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    fs_buffer_append(out, bytes, sizeof(bytes));
}

static fs_error_t *show_indexes(const show_t *show)
{
    const apr_array_header_t *items = show->state->items;
    int i;

    show->file->len = 0;
    for (i = 0; i < items->nelts; i++) {
        const fs_index_p2l_entry_t *item =
            &APR_ARRAY_IDX(items, i, fs_index_p2l_entry_t);

        put_number(show->file, item->offset + 1);
        put_number(show->file, item->item);
    }
    FS_TRY(put_file(show, "index.l2p"));
    show->file->len = 0;
    for (i = 0; i < items->nelts; i++) {
        const fs_index_p2l_entry_t *item =
            &APR_ARRAY_IDX(items, i, fs_index_p2l_entry_t);

        put_number(show->file, item->offset);
        put_number(show->file, item->size);
        put_number(show->file, (apr_uint64_t)item->type);
        put_number(show->file, item->checksum);
        put_number(show->file, 0); /* the revision that is being made */
        put_number(show->file, item->item);
    }
    FS_TRY(put_file(show, "index.p2l"));
    show->file->len = 0;
    fs_buffer_printf(show->file, "%" APR_UINT64_T_FMT, show->state->next_item);
    return put_file(show, "itemidx");
}

/* --- What makes it a transaction for others --- */

static fs_error_t *show_counters(const show_t *show)
{
    char node[14];
    char copy[14];

    fs_number_format_base36(node, show->state->next_node);
    fs_number_format_base36(copy, show->state->next_copy);
    show->file->len = 0;
    fs_buffer_printf(show->file, "%s %s\n", node, copy);
    return put_file(show, "next-ids");
}

/* Names of the file of texts and its lock for the stock tools, relative to
 * db/. */
static const char *texts_name(const fs_txn_state_t *state, const char *suffix,
                              apr_pool_t *result)
{
    if (state->fsfs->format.format < FS_FORMAT_TXN_CURRENT)
        return apr_psprintf(result, "transactions/%s.txn/rev%s", state->name,
                            suffix);
    return apr_psprintf(result, "txn-protorevs/%s.rev%s", state->name, suffix);
}

/* The file gets a second name; what a guest appends to it is for us, too. */
static fs_error_t *show_texts(const show_t *show, apr_pool_t *scratch)
{
    int folder = show->state->fsfs->folder;
    const char *name = texts_name(show->state, "", scratch);
    const char *lock = texts_name(show->state, "-lock", scratch);
    int fd = openat(folder, lock, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0 || close(fd))
        return FS_ERROR_APR(errno, "cannot create '%s'", lock);
    if (unlinkat(folder, name, 0) && errno != ENOENT)
        return FS_ERROR_APR(errno, "cannot remove '%s'", name);
    if (linkat(show->state->folder, FS_TXN_DIR_TEXTS, folder, name, 0))
        return FS_ERROR_APR(errno, "cannot link to '%s'", name);
    return NULL;
}

/* As they happened: who edits more of them needs to know. */
static fs_error_t *show_changes(const show_t *show)
{
    const apr_array_header_t *changes = show->state->changes;
    int i;

    show->file->len = 0;
    for (i = 0; i < changes->nelts; i++)
        fs_commit_tree_format_change(
            show->file, &APR_ARRAY_IDX(changes, i, fs_txn_change_t),
            show->state->fsfs->format.format);
    return put_whole(show, FS_TXN_DIR_CHANGES);
}

static fs_error_t *look(struct fs_txn_stock_seen_t *seen,
                        const fs_txn_state_t *state)
{
    struct stat texts;
    bool changes, ids;

    FS_TRY(fs_disk_file_stat(&seen->changes, &changes, state->folder,
                             FS_TXN_DIR_CHANGES));
    FS_TRY(fs_disk_file_stat(&seen->next_ids, &ids, state->folder, "next-ids"));
    if (!changes || !ids)
        return FS_ERROR(FS_ERR_NO_SUCH_TXN,
                        "transaction '%s' was removed by another program",
                        state->name);
    if (fstat(state->texts, &texts))
        return FS_ERROR_APR(errno, "cannot stat '%s'", FS_TXN_DIR_TEXTS);
    seen->texts_len = (apr_uint64_t)texts.st_size;
    return NULL;
}

/* Until the last file is there, the stock library finds no transaction that it
 * could go on with. */
static fs_error_t *show_all(show_t *show, apr_pool_t *scratch)
{
    FS_TRY(show_nodes(show, scratch));
    if (show->state->fsfs->format.logical)
        FS_TRY(show_indexes(show));
    FS_TRY(show_counters(show));
    FS_TRY(show_texts(show, scratch));
    return show_changes(show);
}

fs_error_t *fs_txn_stock_show(fs_txn_state_t *state, apr_pool_t *scratch)
{
    show_t show = { .state = state, .file = fs_buffer_create(4096, scratch) };

    FS_TRY(show_all(&show, scratch));
    if (!state->seen)
        state->seen = apr_pcalloc(state->pool, sizeof(*state->seen));
    FS_TRY(look(state->seen, state));
    state->shown = true;
    return NULL;
}

/* --- Taking back --- */

static fs_error_t *take_away(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) && errno != ENOENT)
        return FS_ERROR_APR(errno, "cannot remove '%s'", name);
    return NULL;
}

/* Whether a file is there while nobody looks. */
static bool is_kept(const char *name)
{
    return !strncmp(name, "repo-", 5) || !strcmp(name, "props") ||
           !strcmp(name, "node.0.0");
}

/* They go now, as the next sync would write them to the disk. One that cannot
 * be removed does no harm. */
static void remove_rest(const fs_txn_state_t *state)
{
    int fd = openat(state->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    /* The stream is of this call alone, so readdir() is safe with threads. */
    while ((entry = readdir(folder)))
        if (*entry->d_name != '.' && !is_kept(entry->d_name))
            (void)unlinkat(fd, entry->d_name, 0);
    (void)closedir(folder);
}

/* What makes it a transaction for others goes first. */
static fs_error_t *hide(fs_txn_state_t *state, apr_pool_t *scratch)
{
    int db = state->fsfs->folder;

    FS_TRY(take_away(state->folder, FS_TXN_DIR_CHANGES));
    FS_TRY(take_away(state->folder, "next-ids"));
    FS_TRY(take_away(db, texts_name(state, "", scratch)));
    FS_TRY(take_away(db, texts_name(state, "-lock", scratch)));
    remove_rest(state);
    state->shown = false;
    return NULL;
}

fs_error_t *fs_txn_stock_take_back(fs_txn_state_t *state, apr_pool_t *scratch)
{
    struct fs_txn_stock_seen_t now;
    fs_txn_stock_t stock;

    if (!state->shown || !state->seen)
        return NULL;
    FS_TRY(look(&now, state));
    if (!fs_disk_file_same(&now.changes, &state->seen->changes) ||
        !fs_disk_file_same(&now.next_ids, &state->seen->next_ids) ||
        now.texts_len != state->seen->texts_len) {
        FS_TRY(fs_txn_stock_read(&stock, state, scratch, scratch));
        FS_TRY(fs_txn_stock_take(state, &stock, scratch));
    }
    return hide(state, scratch);
}
