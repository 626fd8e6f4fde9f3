/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a transaction. */

#include "libfs/store/fsfs/txn_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "libfs/format/hash_dump.h"
#include "libfs/store/fsfs/durable.h"
#include "libfs/store/fsfs/txn_journal.h"

#define FOLDER "transactions/"
#define PROTO_REVS "txn-protorevs/"
#define PROPS "props"
#define ROOT_RECORD "node.0.0"

/* Most properties of a transaction that are read, in bytes. */
#define PROPS_MAX ((apr_size_t)64 * 1024 * 1024)

/* Numbers that formats 1 and 2 try. */
#define NUMBER_MAX 99999

/* Numbers that are drawn in later formats: 36^11 and 36^12. */
#define NUMBER_FIRST APR_UINT64_C(131621703842267136)
#define NUMBER_END APR_UINT64_C(4738381338321616896)

/* Names that are tried where a folder is there that should not be. */
#define NAME_TRIES 1000

fs_error_t *fs_txn_dir_no_such(const char *name)
{
    return FS_ERROR(FS_ERR_NO_SUCH_TXN, "no transaction named '%s'", name);
}

/* --- Names --- */

fs_error_t *fs_txn_dir_parse_name(fs_txn_id_t *id, const char *name)
{
    apr_size_t len = strlen(name);

    if (len < FS_TXN_ID_SIZE && fs_node_id_read_txn(id, name, len)) {
        char canonical[FS_TXN_ID_SIZE];

        fs_node_id_format_txn(canonical, id);
        if (!strcmp(canonical, name))
            return NULL;
    }
    return FS_ERROR(FS_ERR_TXN_NAME,
                    "'%.64s' is no transaction name, a revision, '-' and a "
                    "base 36 number are",
                    name);
}

const char *fs_txn_dir_path(const char *name, const char *file,
                            apr_pool_t *result)
{
    return apr_pstrcat(result, FOLDER, name, ".txn", file ? "/" : NULL, file,
                       (char *)NULL);
}

/* Make the folder; `*made` is false if there is one. */
static fs_error_t *make_folder(bool *made, fs_fsfs_t *fsfs, const char *name,
                               apr_pool_t *scratch)
{
    const char *path = fs_txn_dir_path(name, NULL, scratch);

    *made = !mkdirat(fsfs->folder, path, 0777);
    if (*made || errno == EEXIST)
        return NULL;
    if (errno != ENOENT)
        return FS_ERROR_APR(errno, "cannot create '%s'", path);
    if (mkdirat(fsfs->folder, FOLDER, 0777) && errno != EEXIST)
        return FS_ERROR_APR(errno, "cannot create '%s'", FOLDER);
    *made = !mkdirat(fsfs->folder, path, 0777);
    if (*made || errno == EEXIST)
        return NULL;
    return FS_ERROR_APR(errno, "cannot create '%s'", path);
}

/*
 * A number of twelve digits: far above what the counter of the stock tools will
 * ever reach, so that theirs and ours never meet. The counter is left alone,
 * since it would have to be synced: one that a loss of power takes back makes
 * the next writer run into folders that are there already.
 */
static fs_error_t *draw_number(apr_uint64_t *number)
{
    apr_status_t status =
        apr_generate_random_bytes((unsigned char *)number, sizeof(*number));

    if (status)
        return FS_ERROR_APR(status, "no random number");
    *number = NUMBER_FIRST + *number % (NUMBER_END - NUMBER_FIRST);
    return NULL;
}

static void format_name(char name[FS_TXN_ID_SIZE], fs_txn_id_t *id,
                        const fs_fsfs_t *fsfs)
{
    if (fsfs->format.format < FS_FORMAT_TXN_CURRENT) {
        apr_snprintf(name, FS_TXN_ID_SIZE, "%" FS_REV_FMT "-%" APR_UINT64_T_FMT,
                     id->base, id->number);
        (void)fs_node_id_read_txn(id, name, strlen(name));
    } else {
        fs_node_id_format_txn(name, id);
    }
}

fs_error_t *fs_txn_dir_make(const char **name, fs_txn_id_t *id, fs_fsfs_t *fsfs,
                            fs_rev_t base, apr_pool_t *result)
{
    bool drawn = fsfs->format.format >= FS_FORMAT_TXN_CURRENT;
    int tries = drawn ? NAME_TRIES : NUMBER_MAX;
    char text[FS_TXN_ID_SIZE];
    fs_error_t *err = NULL;
    bool made = false;
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, result);
    for (i = 1; i <= tries && !made && !err; i++) {
        apr_pool_clear(iter);
        id->base = base;
        id->number = (apr_uint64_t)i;
        if (drawn)
            err = draw_number(&id->number);
        if (!err) {
            format_name(text, id, fsfs);
            err = make_folder(&made, fsfs, text, iter);
        }
    }
    apr_pool_destroy(iter);
    FS_TRY(err);
    if (!made)
        return FS_ERROR(FS_ERR_GENERAL,
                        "no free name for a transaction on r%" FS_REV_FMT
                        " after %d tries",
                        base, tries);
    *name = apr_pstrdup(result, text);
    return NULL;
}

/* --- Contents --- */

static fs_error_t *make_file(fs_fsfs_t *fsfs, const char *name,
                             const char *file, fs_bytes_t bytes,
                             apr_pool_t *scratch)
{
    const char *path = fs_txn_dir_path(name, file, scratch);
    fs_error_t *err;
    int fd;

    do {
        fd = openat(fsfs->folder, path,
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return FS_ERROR_APR(errno, "cannot create '%s'", path);
    err = fs_txn_journal_write(fd, 0, bytes.data, bytes.len);
    if (close(fd) && errno != EINTR && !err)
        err = FS_ERROR_APR(errno, "cannot close '%s'", path);
    return err;
}

static fs_bytes_t format_props(apr_hash_t *props, apr_pool_t *scratch)
{
    fs_buffer_t *text = fs_buffer_create(512, scratch);

    fs_hash_dump_format(text, props, scratch);
    return fs_buffer_bytes(text);
}

fs_error_t *fs_txn_dir_fill(fs_fsfs_t *fsfs, const char *name,
                            apr_hash_t *props, const fs_node_rev_t *root,
                            apr_pool_t *scratch)
{
    fs_bytes_t head = { fs_txn_journal_head, FS_TXN_JOURNAL_HEAD_LEN };
    fs_buffer_t *record = fs_buffer_create(512, scratch);
    fs_bytes_t none = { "", 0 };

    fs_node_rev_format(record, root, fsfs->format.format);
    FS_TRY(make_file(fsfs, name, PROPS, format_props(props, scratch), scratch));
    FS_TRY(
        make_file(fsfs, name, ROOT_RECORD, fs_buffer_bytes(record), scratch));
    FS_TRY(make_file(fsfs, name, FS_TXN_DIR_TEXTS, none, scratch));
    return make_file(fsfs, name, FS_TXN_DIR_JOURNAL, head, scratch);
}

fs_error_t *fs_txn_dir_props(apr_hash_t **props, fs_fsfs_t *fsfs,
                             const char *name, apr_pool_t *result)
{
    fs_bytes_t text;
    fs_error_t *err;

    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder,
                             fs_txn_dir_path(name, PROPS, result), PROPS_MAX,
                             result));
    if (!text.data)
        return fs_txn_dir_no_such(name);
    err = fs_hash_dump_parse(props, text.data, text.len, false, result);
    return err ? FS_WRAP(err, "properties of transaction '%s'", name) : NULL;
}

fs_error_t *fs_txn_dir_set_props(fs_fsfs_t *fsfs, const char *name,
                                 apr_hash_t *props, apr_pool_t *scratch)
{
    fs_durable_t where = { fsfs->folder, true };

    return fs_durable_write(&where, fs_txn_dir_path(name, PROPS, scratch), NULL,
                            format_props(props, scratch), scratch);
}

/* --- Removing --- */

/* Remove what is in an open folder; others may do the same. `fd` is closed. */
static fs_error_t *empty_folder(int fd, const char *name)
{
    const struct dirent *entry;
    DIR *folder = fdopendir(fd);
    int status = 0;

    if (!folder) {
        status = errno;
        (void)close(fd);
        return FS_ERROR_APR(status, "cannot read '%s'", name);
    }
    for (errno = 0; !status && (entry = readdir(folder)); errno = 0)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
            unlinkat(fd, entry->d_name, 0) && errno != ENOENT)
            status = errno;
    if (!status)
        status = errno;
    (void)closedir(folder);
    return status ? FS_ERROR_APR(status, "cannot empty '%s'", name) : NULL;
}

static fs_error_t *remove_folder(fs_fsfs_t *fsfs, const char *name,
                                 apr_pool_t *scratch)
{
    const char *path = fs_txn_dir_path(name, NULL, scratch);
    int fd = openat(fsfs->folder, path,
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT)
        return fs_txn_dir_no_such(name);
    if (fd < 0)
        return FS_ERROR_APR(errno, "cannot open '%s'", path);
    FS_TRY(empty_folder(fd, path));
    if (unlinkat(fsfs->folder, path, AT_REMOVEDIR) && errno != ENOENT)
        return FS_ERROR_APR(errno, "cannot remove '%s'", path);
    return NULL;
}

static fs_error_t *remove_proto(fs_fsfs_t *fsfs, const char *name,
                                const char *suffix, apr_pool_t *scratch)
{
    const char *path =
        apr_pstrcat(scratch, PROTO_REVS, name, suffix, (char *)NULL);

    if (unlinkat(fsfs->folder, path, 0) && errno != ENOENT && errno != ENOTDIR)
        return FS_ERROR_APR(errno, "cannot remove '%s'", path);
    return NULL;
}

fs_error_t *fs_txn_dir_remove(fs_fsfs_t *fsfs, const char *name,
                              apr_pool_t *scratch)
{
    FS_TRY(remove_folder(fsfs, name, scratch));
    FS_TRY(remove_proto(fsfs, name, ".rev", scratch));
    return remove_proto(fsfs, name, ".rev-lock", scratch);
}
