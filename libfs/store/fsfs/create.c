/* SPDX-License-Identifier: Apache-2.0 */
/* Making a repository: its folders and files, revision 0. */

#include "libfs/store/fsfs/create.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_uuid.h>

#include "libfs/base/checksum.h"
#include "libfs/base/number.h"
#include "libfs/format/hash_dump.h"
#include "libfs/format/index_l2p.h"
#include "libfs/format/index_p2l.h"
#include "libfs/format/node_rev.h"
#include "libfs/format/rev_footer.h"
#include "libfs/fs_time.h"
#include "libfs/store/fsfs/create_files.h"
#include "libfs/store/fsfs/durable.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/open.h"

/* Revisions a shard, unless told. */
#define SHARD_SIZE 1000

/* The entries of a directory that has none. */
#define NO_ENTRIES "END\n"

/* Revision 0 is written as old formats have it in all of them. */
#define FORMAT_OF_ZERO 3

typedef struct maker_t {
    fs_fsfs_t fsfs; /* settings only */
    fs_create_format_t format;
    const char *path;
    apr_hash_t *options;
    fs_durable_t where;
    apr_array_header_t *folders; /* const char *, paths as they were made */
    apr_array_header_t *files;   /* the same */
    apr_pool_t *pool;
} maker_t;

/* --- Formats --- */

static const char *option(apr_hash_t *options, const char *name)
{
    return options ? apr_hash_get(options, name, APR_HASH_KEY_STRING) : NULL;
}

/* The release "1.<minor>" or "1.<minor>.<patch>". */
static bool parse_release(apr_uint64_t *minor, const char *text)
{
    const char *end = text + strlen(text);
    const char *p = text + 2;
    apr_uint64_t patch;

    if (strncmp(text, "1.", 2) || !fs_number_decimal(minor, &p, end, INT_MAX))
        return false;
    if (*p == '.') {
        p++;
        if (!fs_number_decimal(&patch, &p, end, INT_MAX))
            return false;
    }
    return !*p && *minor >= 1;
}

/* The format that tools of a release write. */
static int format_of_release(apr_uint64_t minor)
{
    static const int formats[] = { 0, 1, 1, 1, 2, 3, 4, 4, 6, 7 };

    return minor < sizeof(formats) / sizeof(formats[0]) ? formats[minor]
                                                        : FS_FORMAT_NEWEST;
}

static fs_error_t *bad_option(const char *name, const char *value,
                              const char *allowed)
{
    return FS_ERROR(FS_ERR_BAD_ARGS,
                    "option '%s' has the value '%.80s', %s is allowed", name,
                    value, allowed);
}

static fs_error_t *take_shard_size(fs_format_file_t *fs, apr_hash_t *options)
{
    const char *value = option(options, "shard-size");
    const char *p = value;

    fs->shard_size = fs->format >= FS_FORMAT_LAYOUT ? SHARD_SIZE : 0;
    if (!value)
        return NULL;
    if (!fs_number_decimal(&fs->shard_size, &p, value + strlen(value),
                           INT_MAX) ||
        *p)
        return bad_option("shard-size", value,
                          "a number of revisions, or 0 for none");
    if (fs->shard_size && fs->format < FS_FORMAT_LAYOUT)
        return bad_option("shard-size", value,
                          "0 below the compatible version 1.5");
    return NULL;
}

fs_error_t *fs_create_format(fs_create_format_t *out, apr_hash_t *options)
{
    const char *version = option(options, "compatible-version");
    apr_uint64_t minor = INT_MAX;

    if (version && !parse_release(&minor, version))
        return bad_option("compatible-version", version,
                          "a release such as 1.8, from 1.1 on");
    memset(out, 0, sizeof(*out));
    out->repository = minor < 4 ? 3 : 5;
    out->dav = minor < 5;
    out->fs.format = format_of_release(minor);
    FS_TRY(take_shard_size(&out->fs, options));
    out->fs.logical =
        out->fs.format >= FS_FORMAT_ADDRESSING && out->fs.shard_size > 0;
    return NULL;
}

/* --- Files and folders --- */

static const char *full_path(const maker_t *m, const char *name)
{
    return apr_pstrcat(m->pool, m->path, "/", name, (char *)NULL);
}

static fs_error_t *put_file(maker_t *m, const char *name, mode_t mode,
                            fs_bytes_t bytes)
{
    const char *path = full_path(m, name);

    FS_TRY(fs_durable_create(&m->where, path, mode, bytes));
    APR_ARRAY_PUSH(m->files, const char *) = path;
    return NULL;
}

static fs_error_t *put_text(maker_t *m, const char *name, mode_t mode,
                            const char *text)
{
    fs_bytes_t bytes = { text, strlen(text) };

    return put_file(m, name, mode, bytes);
}

static fs_error_t *put_folder_at(maker_t *m, const char *path)
{
    if (mkdir(path, 0777))
        return FS_ERROR_APR(errno, "cannot make the folder '%s'", path);
    APR_ARRAY_PUSH(m->folders, const char *) = path;
    return NULL;
}

static fs_error_t *put_folder(maker_t *m, const char *name)
{
    return put_folder_at(m, full_path(m, name));
}

/* Files that are made in db/ later belong to its group. */
static fs_error_t *inherit_group(const maker_t *m, const char *name)
{
    const char *path = full_path(m, name);
    struct stat info;

    if (stat(path, &info))
        return FS_ERROR_APR(errno, "cannot stat '%s'", path);
    if (!(info.st_mode & S_ISGID) &&
        chmod(path, (info.st_mode & 07777) | S_ISGID))
        return FS_ERROR_APR(errno, "cannot set permissions of '%s'", path);
    return NULL;
}

static fs_error_t *put_db_folder(maker_t *m, const char *name)
{
    FS_TRY(put_folder(m, name));
    return inherit_group(m, name);
}

/* All that was made goes again, in the opposite order. */
static void take_back(maker_t *m)
{
    while (m->files->nelts)
        (void)unlink(*(const char **)apr_array_pop(m->files));
    while (m->folders->nelts)
        (void)rmdir(*(const char **)apr_array_pop(m->folders));
}

/* --- Where it is put --- */

static bool is_repository(const char *path, apr_pool_t *scratch)
{
    const char *format = apr_pstrcat(scratch, path, "/format", (char *)NULL);
    const char *db = apr_pstrcat(scratch, path, "/db", (char *)NULL);

    return !access(format, F_OK) && !access(db, F_OK);
}

/* No repository in another: neither would be safe. */
static fs_error_t *check_parents(const maker_t *m)
{
    const char *slash = strrchr(m->path, '/');
    const char *parent =
        slash ? apr_pstrmemdup(m->pool, m->path, (apr_size_t)(slash - m->path))
              : ".";
    char *real = realpath(slash == m->path ? "/" : parent, NULL);
    fs_error_t *err = NULL;
    char *end;

    if (!real)
        return FS_ERROR_APR(errno, "cannot make the folder '%s'", m->path);
    while (!err && *real) {
        if (is_repository(real, m->pool))
            err = FS_ERROR(FS_ERR_BAD_ARGS,
                           "the folder would lie in another repository");
        end = strrchr(real, '/');
        *end = '\0';
    }
    free(real);
    return err;
}

static fs_error_t *check_empty(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool empty = true;

    if (!dir && errno == ENOTDIR)
        return FS_ERROR(FS_ERR_EXISTS, "there is a file of that name");
    if (!dir)
        return FS_ERROR_APR(errno, "cannot open '%s'", path);
    while (empty && (entry = readdir(dir)) != NULL)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    (void)closedir(dir);
    return empty ? NULL
                 : FS_ERROR(FS_ERR_FOLDER_NOT_EMPTY,
                            "the folder is there and not empty");
}

static fs_error_t *put_top(maker_t *m)
{
    if (is_repository(m->path, m->pool))
        return FS_ERROR(FS_ERR_BAD_ARGS, "the folder is a repository already");
    FS_TRY(check_parents(m));
    if (!mkdir(m->path, 0777)) {
        APR_ARRAY_PUSH(m->folders, const char *) = m->path;
        return NULL;
    }
    if (errno != EEXIST)
        return FS_ERROR_APR(errno, "cannot make the folder '%s'", m->path);
    return check_empty(m->path);
}

/* --- Revision 0 --- */

/* The root directory, which is empty. */
static fs_node_rev_t root_record(apr_uint64_t id_item, apr_uint64_t text_item)
{
    fs_node_rev_t node = { 0 };
    const apr_size_t len = strlen(NO_ENTRIES);

    node.id.node.rev = FS_ID_GLOBAL;
    node.id.copy.rev = FS_ID_GLOBAL;
    node.id.item = id_item;
    node.id.txn.base = -1;
    node.kind = FS_NODE_DIR;
    node.cpath = "/";
    node.copyroot_path = "/";
    node.copyfrom_rev = FS_INVALID_REV;
    node.has_text = true;
    node.text.item = text_item;
    node.text.length = len;
    node.text.size = len;
    node.text.has_md5 = true;
    node.text.unique_txn.base = -1;
    fs_digest_md5(node.text.md5, NO_ENTRIES, len);
    return node;
}

/* Describe the bytes from `begin` to the end of `out` as an item. */
static void add_item(fs_index_p2l_entry_t *entry, const fs_buffer_t *out,
                     apr_size_t begin, apr_uint64_t item, fs_item_type_t type)
{
    memset(entry, 0, sizeof(*entry));
    entry->offset = begin;
    entry->size = out->len - begin;
    entry->item = item;
    entry->type = type;
    entry->checksum = fs_fnv1a_x4(out->data + begin, out->len - begin);
}

/* Indexes and footer behind the three items. */
static void put_indexes(fs_buffer_t *out, const maker_t *m,
                        const fs_index_p2l_entry_t items[3])
{
    apr_uint64_t offsets[4] = { 0 };
    fs_index_l2p_items_t table = { offsets, 4 };
    fs_rev_footer_t footer;
    char buf[FS_REV_FOOTER_SIZE];
    int i;

    for (i = 0; i < 3; i++)
        offsets[items[i].item] = items[i].offset + 1;
    footer.l2p_offset = out->len;
    fs_index_l2p_format(out, 0, m->fsfs.conf.l2p_page_size, &table, 1, m->pool);
    footer.p2l_offset = out->len;
    footer.l2p_len = footer.p2l_offset - footer.l2p_offset;
    fs_index_p2l_format(out, 0, footer.l2p_offset, m->fsfs.conf.p2l_page_size,
                        items, 3, m->pool);
    footer.p2l_len = out->len - footer.p2l_offset;
    fs_digest_md5(footer.l2p_md5, out->data + footer.l2p_offset,
                  (apr_size_t)footer.l2p_len);
    fs_digest_md5(footer.p2l_md5, out->data + footer.p2l_offset,
                  (apr_size_t)footer.p2l_len);
    fs_buffer_append(out, buf, fs_rev_footer_format(buf, &footer));
}

/* Revision 0: an empty directory, its record, no changes. */
static fs_buffer_t *revision_zero(const maker_t *m)
{
    bool logical = m->format.fs.logical;
    fs_buffer_t *out = fs_buffer_create(512, m->pool);
    fs_index_p2l_entry_t items[3];
    fs_node_rev_t root;
    apr_size_t begin;

    fs_buffer_puts(out, "PLAIN\n" NO_ENTRIES "ENDREP\n");
    add_item(&items[0], out, 0, FS_ITEM_NUMBER_FIRST, FS_ITEM_DIR_TEXT);
    begin = out->len;
    root = root_record(logical ? FS_ITEM_NUMBER_ROOT : begin,
                       logical ? FS_ITEM_NUMBER_FIRST : 0);
    fs_node_rev_format(out, &root, FORMAT_OF_ZERO);
    add_item(&items[1], out, begin, FS_ITEM_NUMBER_ROOT, FS_ITEM_NODE_REV);
    begin = out->len;
    fs_buffer_puts(out, "\n");
    add_item(&items[2], out, begin, FS_ITEM_NUMBER_CHANGES, FS_ITEM_CHANGES);
    if (logical) {
        put_indexes(out, m, items);
    } else {
        fs_rev_trailer_t trailer = { items[1].offset, items[2].offset };
        char buf[FS_REV_TRAILER_SIZE];

        fs_buffer_append(out, buf,
                         fs_rev_footer_format_physical(buf, &trailer));
    }
    return out;
}

/* Its only property is the time when it was made. */
static fs_buffer_t *props_of_zero(apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(64, pool);
    char date[FS_TIME_SIZE];

    fs_time_format(date, apr_time_now());
    fs_hash_dump_format_pair(out, "svn:date", 8, date, strlen(date));
    fs_buffer_puts(out, "END\n");
    return out;
}

/* The names of revision 0 are those of any other. */
static fs_error_t *put_zero(maker_t *m)
{
    const char *rev = fs_layout_rev_path(&m->fsfs, 0, m->pool);
    const char *props = fs_layout_revprops_path(&m->fsfs, 0, m->pool);

    FS_TRY(put_db_folder(m, "db/revs"));
    FS_TRY(put_db_folder(m, "db/revprops"));
    if (m->format.fs.shard_size) {
        FS_TRY(put_db_folder(m, "db/revs/0"));
        FS_TRY(put_db_folder(m, "db/revprops/0"));
    }
    FS_TRY(put_file(m, apr_pstrcat(m->pool, "db/", rev, (char *)NULL), 0444,
                    fs_buffer_bytes(revision_zero(m))));
    return put_file(m, apr_pstrcat(m->pool, "db/", props, (char *)NULL), 0444,
                    fs_buffer_bytes(props_of_zero(m->pool)));
}

/* --- The filesystem --- */

static void put_uuid(fs_buffer_t *out)
{
    char text[APR_UUID_FORMATTED_LENGTH + 1];
    apr_uuid_t uuid;

    apr_uuid_get(&uuid);
    apr_uuid_format(text, &uuid);
    fs_buffer_printf(out, "%s\n", text);
}

static fs_error_t *put_identity(maker_t *m)
{
    fs_buffer_t *out = fs_buffer_create(80, m->pool);

    put_uuid(out);
    if (m->format.fs.format >= FS_FORMAT_INSTANCE_ID)
        put_uuid(out);
    return put_file(m, "db/uuid", 0666, fs_buffer_bytes(out));
}

static fs_error_t *put_current(maker_t *m)
{
    fs_format_current_t current = { 0, 1, 1 };
    char text[FS_FORMAT_NUMBER_SIZE];

    fs_format_file_format_current(text, m->format.fs.format, &current);
    return put_text(m, "db/current", 0666, text);
}

static fs_error_t *put_txn_files(maker_t *m)
{
    FS_TRY(put_db_folder(m, "db/transactions"));
    FS_TRY(put_text(m, "db/write-lock", 0666, ""));
    if (m->format.fs.format < FS_FORMAT_TXN_CURRENT)
        return NULL;
    FS_TRY(put_db_folder(m, "db/txn-protorevs"));
    FS_TRY(put_text(m, "db/txn-current", 0666, "0\n"));
    return put_text(m, "db/txn-current-lock", 0666, "");
}

static fs_error_t *put_db(maker_t *m)
{
    fs_buffer_t *format = fs_buffer_create(64, m->pool);

    FS_TRY(put_db_folder(m, "db"));
    FS_TRY(put_zero(m));
    FS_TRY(put_txn_files(m));
    if (m->format.fs.format >= FS_FORMAT_PACKING)
        FS_TRY(put_text(m, "db/min-unpacked-rev", 0666, "0\n"));
    if (m->format.fs.format >= FS_FORMAT_CONF)
        FS_TRY(put_text(m, "db/fsfs.conf", 0666,
                        fs_create_files_conf(m->options, m->pool)));
    FS_TRY(put_identity(m));
    FS_TRY(put_current(m));
    FS_TRY(put_text(m, "db/fs-type", 0666, "fsfs\n"));
    fs_format_file_format(format, &m->format.fs);
    return put_file(m, "db/format", 0444, fs_buffer_bytes(format));
}

/* --- All of it --- */

static fs_error_t *put_files(maker_t *m)
{
    static const char *const folders[] = { "conf", "hooks", "locks" };
    const apr_array_header_t *files = fs_create_files(m->pool);
    int i;

    for (i = 0; i < 3; i++)
        FS_TRY(put_folder(m, folders[i]));
    if (m->format.dav)
        FS_TRY(put_folder(m, "dav"));
    for (i = 0; i < files->nelts; i++) {
        const fs_create_file_t *file =
            &APR_ARRAY_IDX(files, i, fs_create_file_t);

        FS_TRY(
            put_text(m, file->path, file->program ? 0777 : 0666, file->text));
    }
    return NULL;
}

/* Make the names in the folders durable, and that of the topmost. */
static fs_error_t *sync_names(maker_t *m)
{
    int i;

    for (i = 0; i < m->folders->nelts; i++) {
        const char *folder = APR_ARRAY_IDX(m->folders, i, const char *);

        FS_TRY(fs_durable_sync_folder(
            &m->where, apr_pstrcat(m->pool, folder, "/", (char *)NULL),
            m->pool));
    }
    return fs_durable_sync_folder(&m->where, m->path, m->pool);
}

/* The file `format` comes last: without it this is no repository. */
static fs_error_t *make(maker_t *m)
{
    FS_TRY(put_top(m));
    FS_TRY(put_files(m));
    FS_TRY(put_db(m));
    FS_TRY(sync_names(m));
    FS_TRY(put_text(m, "format", 0444,
                    apr_psprintf(m->pool, "%d\n", m->format.repository)));
    return fs_durable_sync_folder(&m->where, full_path(m, "format"), m->pool);
}

/* Without slashes at the end. */
static const char *trim(const char *path, apr_pool_t *pool)
{
    apr_size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    return apr_pstrmemdup(pool, path, len);
}

fs_error_t *fs_create(const char *path, apr_hash_t *options,
                      apr_pool_t *scratch)
{
    maker_t *m = apr_pcalloc(scratch, sizeof(*m));
    fs_error_t *err;

    FS_TRY(fs_create_format(&m->format, options));
    m->fsfs.format = m->format.fs;
    FS_TRY(fs_open_settings(&m->fsfs, options, scratch));
    m->path = trim(path, scratch);
    m->options = options;
    m->where.folder = AT_FDCWD;
    m->where.nosync = m->fsfs.nosync;
    m->folders = apr_array_make(scratch, 16, sizeof(const char *));
    m->files = apr_array_make(scratch, 40, sizeof(const char *));
    m->pool = scratch;
    err = make(m);
    if (err)
        take_back(m);
    return err;
}
