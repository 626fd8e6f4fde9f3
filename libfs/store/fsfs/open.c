/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an FSFS repository: its formats, its options, its identity. */

#include "libfs/store/fsfs/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/base/number.h"
#include "libfs/store/fsfs/block.h"
#include "libfs/store/fsfs/create.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/rep_cache.h"
#include "libfs/store/fsfs/rev_file.h"

/* Longest format, uuid or fs-type file, and fsfs.conf, in bytes. */
#define SMALL_FILE_MAX 4096
#define CONF_FILE_MAX (1024 * 1024)

/* How long a writer waits for others, and the most that may be asked for, in
 * seconds. */
#define LOCK_TIMEOUT 60
#define LOCK_TIMEOUT_MAX 86400

/* So often a repository is read that changes its identity meanwhile. */
#define OPEN_ATTEMPTS 10

/* The folder is a place to take names from, which needs no right to list. */
#ifdef O_PATH
#define FOLDER_FLAGS O_PATH
#else
#define FOLDER_FLAGS O_RDONLY
#endif

const fs_option_t fs_open_options[] = {
    { "compression", "of new deltas: none, zlib, zlib-1 to zlib-9 or lz4; "
                     "default lz4, zlib below format 8" },
    { "compression-level", "old spelling: zlib level 0 to 9" },
    { "max-deltification-walk",
      "most predecessors to step back for a delta base; default 1023" },
    { "max-linear-deltification",
      "versions that are deltas against the one before; default 16" },
    { "enable-rep-sharing", "store equal contents once; default true" },
    { "enable-dir-deltification", "store directories as deltas; default true" },
    { "enable-props-deltification",
      "store property lists as deltas; default true" },
    { "revprop-pack-size",
      "KiB of revision properties in a pack file; default 16, or 64 if "
      "compressing" },
    { "compress-packed-revprops",
      "compress packed revision properties; default false" },
    { "block-size", "KiB of a block when packing; default 64" },
    { "l2p-page-size", "entries of an index page; default 8192" },
    { "p2l-page-size", "KiB that an index page covers; default 1024" },
    { "verify-before-commit", "check a revision before it appears; default "
                              "false" },
    { "pack-after-commit", "pack full shards after a commit; default false" },
    { "nosync", "do not wait for the disk, for bulk loads; default false" },
    { "lock-timeout",
      "seconds to wait for other writers, up to 86400; default 60" },
    { "compatible-version",
      "release whose tools must be able to read a new repository; default the "
      "newest" },
    { "shard-size", "revisions in a folder of a new repository, 0: all in one; "
                    "default 1000, one folder for versions before 1.5" },
    { NULL, NULL }
};

/* --- What is there --- */

/* Read a small file; `text->data` is NULL if it is missing. Errors call it
 * `name`. */
static fs_error_t *read_small(fs_bytes_t *text, int folder, const char *path,
                              const char *name, apr_pool_t *scratch)
{
    fs_error_t *err =
        fs_disk_file_read(text, NULL, folder, path, SMALL_FILE_MAX, scratch);

    return err ? FS_WRAP(err, "'%s' of the repository", name) : NULL;
}

/* Text of the first line. */
static const char *first_line(const fs_bytes_t *text, apr_pool_t *scratch)
{
    const char *end = memchr(text->data, '\n', text->len);

    return apr_pstrmemdup(scratch, text->data,
                          end ? (apr_size_t)(end - text->data) : text->len);
}

fs_error_t *fs_open_probe(bool *mine, const char *path, apr_pool_t *scratch)
{
    fs_bytes_t text;
    const char *type;

    FS_TRY(read_small(&text, AT_FDCWD,
                      apr_pstrcat(scratch, path, "/db/fs-type", (char *)NULL),
                      "db/fs-type", scratch));
    *mine = text.data != NULL;
    if (!*mine)
        return NULL;
    type = first_line(&text, scratch);
    if (strcmp(type, "fsfs"))
        return FS_ERROR(FS_ERR_UNSUPPORTED_REPO,
                        "the filesystem type '%.32s' is not supported, 'fsfs' "
                        "is",
                        type);
    return NULL;
}

static fs_error_t *wrap_file(fs_error_t *err, const char *name)
{
    return err ? FS_WRAP(err, "'%s' of the repository", name) : NULL;
}

static fs_error_t *read_formats(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_bytes_t text;

    FS_TRY(read_small(&text, AT_FDCWD,
                      apr_pstrcat(scratch, fsfs->path, "/format", (char *)NULL),
                      "format", scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_BAD_FORMAT_FILE,
                        "the repository has no file 'format'");
    FS_TRY(wrap_file(fs_format_file_parse_repository(&fsfs->repository_format,
                                                     text.data, text.len),
                     "format"));
    FS_TRY(read_small(&text, fsfs->folder, "format", "db/format", scratch));
    if (!text.data) { /* releases before 1.2 wrote none */
        text.data = "1\n";
        text.len = 2;
    }
    return wrap_file(fs_format_file_parse(&fsfs->format, text.data, text.len),
                     "db/format");
}

static fs_error_t *read_uuid(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_bytes_t text;

    FS_TRY(read_small(&text, fsfs->folder, "uuid", "db/uuid", scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no file 'db/uuid'");
    return wrap_file(fs_format_file_parse_uuid(&fsfs->uuid, fsfs->format.format,
                                               text.data, text.len),
                     "db/uuid");
}

/* --- Options --- */

static const char *option(apr_hash_t *options, const char *name)
{
    return options ? apr_hash_get(options, name, APR_HASH_KEY_STRING) : NULL;
}

static fs_error_t *bool_option(bool *out, apr_hash_t *options, const char *name)
{
    static const char *const yes[] = { "true", "yes", "on", "1" };
    static const char *const no[] = { "false", "no", "off", "0" };
    const char *value = option(options, name);
    int i;

    *out = false;
    if (!value)
        return NULL;
    for (i = 0; i < 4; i++) {
        if (!apr_strnatcasecmp(value, yes[i]))
            *out = true;
        if (*out || !apr_strnatcasecmp(value, no[i]))
            return NULL;
    }
    return FS_ERROR(FS_ERR_BAD_ARGS,
                    "option '%s' has the value '%s', true or false is allowed",
                    name, value);
}

static fs_error_t *seconds_option(apr_interval_time_t *out, apr_hash_t *options,
                                  const char *name, apr_uint64_t normal,
                                  apr_uint64_t most)
{
    const char *value = option(options, name);
    const char *p = value;
    apr_uint64_t seconds = normal;

    if (value &&
        (!fs_number_decimal(&seconds, &p, value + strlen(value), most) || *p))
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "option '%s' has the value '%s', seconds from 0 to "
                        "%" APR_UINT64_T_FMT " are allowed",
                        name, value, most);
    *out = apr_time_from_sec((apr_interval_time_t)seconds);
    return NULL;
}

/* Put `options` over `values`, and make settings of both in `fsfs`. */
static fs_error_t *take_options(fs_fsfs_t *fsfs, fs_conf_values_t *values,
                                apr_hash_t *options, int format)
{
    fs_create_format_t unused; /* an open repository has its format */
    const fs_option_t *known;
    fs_error_t *err;

    FS_TRY(bool_option(&fsfs->nosync, options, "nosync"));
    FS_TRY(seconds_option(&fsfs->lock_timeout, options, "lock-timeout",
                          LOCK_TIMEOUT, LOCK_TIMEOUT_MAX));
    FS_TRY(fs_create_format(&unused, options));
    for (known = fs_open_options; known->name; known++) {
        const char *value = option(options, known->name);

        if (value && fs_conf_file_knows(known->name))
            fs_conf_file_set(values, known->name, value);
    }
    err = fs_conf_file_resolve(&fsfs->conf, values, format);
    return err ? FS_WRAP_AS(err, FS_ERR_BAD_ARGS, "options of the repository")
               : NULL;
}

fs_error_t *fs_open_settings(fs_fsfs_t *fsfs, apr_hash_t *options,
                             apr_pool_t *scratch)
{
    return take_options(fsfs, fs_conf_file_values(scratch), options,
                        fsfs->format.format);
}

fs_error_t *fs_open_check_options(apr_hash_t *options, apr_pool_t *scratch)
{
    fs_fsfs_t *unused = apr_pcalloc(scratch, sizeof(*unused));

    unused->format.format = FS_FORMAT_NEWEST;
    return fs_open_settings(unused, options, scratch);
}

/* Options first, then fsfs.conf, then defaults. */
static fs_error_t *read_conf(fs_fsfs_t *fsfs, apr_hash_t *options,
                             apr_pool_t *scratch)
{
    fs_conf_values_t *values = fs_conf_file_values(scratch);
    fs_bytes_t text;

    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder, "fsfs.conf",
                             CONF_FILE_MAX, scratch));
    if (text.data)
        FS_TRY(wrap_file(fs_conf_file_parse(values, text.data, text.len),
                         "db/fsfs.conf"));
    FS_TRY(wrap_file(
        fs_conf_file_resolve(&fsfs->conf, values, fsfs->format.format),
        "db/fsfs.conf"));
    return take_options(fsfs, values, options, fsfs->format.format);
}

/* --- Opening --- */

static apr_status_t close_store(void *data)
{
    fs_fsfs_t *fsfs = data;

    fs_rep_cache_close(fsfs->rep_cache);
    fs_rev_file_drop(fsfs, FS_INVALID_REV);
    if (fsfs->folder >= 0)
        (void)close(fsfs->folder);
    pthread_mutex_destroy(&fsfs->state.lock);
    pthread_mutex_destroy(&fsfs->pack.lock);
    return APR_SUCCESS;
}

static fs_error_t *open_folder(fs_fsfs_t *fsfs)
{
    do {
        fsfs->folder = open(fsfs->db, FOLDER_FLAGS | O_DIRECTORY | O_CLOEXEC);
    } while (fsfs->folder < 0 && errno == EINTR);
    if (fsfs->folder < 0 && (errno == ENOENT || errno == ENOTDIR))
        return FS_ERROR(FS_ERR_CORRUPT, "the repository has no 'db'");
    if (fsfs->folder < 0)
        return FS_ERROR_APR(errno, "cannot open '%s'", fsfs->db);
    return NULL;
}

static fs_error_t *load_files(fs_fsfs_t *fsfs, apr_hash_t *options,
                              apr_pool_t *scratch)
{
    FS_TRY(read_formats(fsfs, scratch));
    FS_TRY(read_uuid(fsfs, scratch));
    return read_conf(fsfs, options, scratch);
}

/* An upgrade replaces the files one by one: what is kept was read while they
 * stood still. */
static fs_error_t *load(fs_fsfs_t *fsfs, apr_hash_t *options,
                        apr_pool_t *scratch)
{
    unsigned char before[16];
    fs_error_t *err;
    int attempt;

    FS_TRY(open_folder(fsfs));
    FS_TRY(fs_current_base(before, fsfs, scratch));
    for (attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
        err = load_files(fsfs, options, scratch);
        if (!err)
            err = fs_current_base(fsfs->base, fsfs, scratch);
        if (err || !memcmp(before, fsfs->base, sizeof(before)))
            return err ? err : fs_current_identify(fsfs, scratch);
        memcpy(before, fsfs->base, sizeof(before));
    }
    return FS_ERROR(FS_ERR_BUSY, "the repository is being replaced");
}

fs_error_t *fs_open(fs_fsfs_t **out, const char *path, apr_hash_t *options,
                    cache_t *cache, apr_pool_t *result)
{
    fs_fsfs_t *fsfs = apr_pcalloc(result, sizeof(*fsfs));
    apr_pool_t *scratch;
    fs_error_t *err;

    fsfs->path = apr_pstrdup(result, path);
    fsfs->db = apr_pstrcat(result, path, "/db", (char *)NULL);
    fsfs->cache = cache;
    fsfs->serial = fs_block_new_file();
    fsfs->folder = -1;
    fsfs->state.anchor.rev = FS_INVALID_REV;
    if (pthread_mutex_init(&fsfs->state.lock, NULL))
        return FS_ERROR_APR(APR_ENOMEM, "cannot make a mutex");
    if (pthread_mutex_init(&fsfs->pack.lock, NULL)) {
        pthread_mutex_destroy(&fsfs->state.lock);
        return FS_ERROR_APR(APR_ENOMEM, "cannot make a mutex");
    }
    err = fs_rep_cache_create(&fsfs->rep_cache, fsfs, result);
    if (err) {
        pthread_mutex_destroy(&fsfs->state.lock);
        pthread_mutex_destroy(&fsfs->pack.lock);
        return err;
    }
    apr_pool_cleanup_register(result, fsfs, close_store, apr_pool_cleanup_null);
    apr_pool_create(&scratch, result);
    err = load(fsfs, options, scratch);
    apr_pool_destroy(scratch);
    FS_TRY(err);
    *out = fsfs;
    return NULL;
}
