/* SPDX-License-Identifier: Apache-2.0 */
/* Open files of revisions and packs: opening, their ends, reading. */

#include "libfs/store/fsfs/rev_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/format/index_l2p.h"
#include "libfs/format/manifest.h"
#include "libfs/store/fsfs/block.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/index_page.h"
#include "libfs/store/fsfs/layout.h"
#include "libfs/store/fsfs/rev_file_table.h"

/* Bytes in which most indexes have their whole table of pages. */
#define TABLE_STEP 4096

/* Loose files up to this size are read as a whole when they are opened, and
 * closed again: most have two pages at most. Of longer ones, what is not
 * wanted may be most of the file. */
#define WHOLE_MAX 8192

static fs_error_t *check_range(const fs_rev_file_t *file, apr_uint64_t offset,
                               apr_size_t len)
{
    if (offset <= file->size && len <= file->size - offset)
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT,
                    "%" APR_SIZE_T_FMT " bytes at offset %" APR_UINT64_T_FMT
                    " are wanted, the file has %" APR_UINT64_T_FMT,
                    len, offset, file->size);
}

fs_error_t *fs_rev_file_read(fs_rev_file_t *file, apr_uint64_t offset,
                             char *buf, apr_size_t len)
{
    fs_block_file_t from = { file->fd, file->block_id, file->size,
                             file->packed ? FS_BLOCK_SIZE : FS_BLOCK_SIZE_LOOSE,
                             file->path };

    FS_TRY(check_range(file, offset, len));
    if (!file->content)
        return fs_block_read(&from, offset, buf, len);
    memcpy(buf, file->content + offset, len);
    return NULL;
}

void fs_rev_file_advise(fs_rev_file_t *file, apr_uint64_t offset,
                        apr_uint64_t len)
{
#ifdef POSIX_FADV_WILLNEED
    if (file->fd < 0)
        return;
    (void)posix_fadvise(file->fd, (off_t)offset, (off_t)len,
                        POSIX_FADV_WILLNEED);
#else
    (void)file;
    (void)offset;
    (void)len;
#endif
}

/* --- Opening --- */

/* Read the first bytes of an index, `*len` of them or all. */
static fs_error_t *read_index(const char **data, apr_uint64_t *len,
                              fs_rev_file_t *file, apr_uint64_t offset,
                              apr_uint64_t index_len, apr_pool_t *scratch)
{
    char *copy;

    if (*len > index_len)
        *len = index_len;
    if (file->content) {
        *data = file->content + offset;
        return check_range(file, offset, (apr_size_t)*len);
    }
    copy = apr_palloc(scratch, (apr_size_t)*len + 1);
    *data = copy;
    return fs_rev_file_read(file, offset, copy, (apr_size_t)*len);
}

static fs_error_t *read_l2p(fs_rev_file_t *file, apr_pool_t *scratch)
{
    const fs_rev_footer_t *footer = &file->footer;
    apr_uint64_t len = TABLE_STEP;
    fs_index_l2p_head_t head;
    const char *data;

    FS_TRY(read_index(&data, &len, file, footer->l2p_offset, footer->l2p_len,
                      scratch));
    FS_TRY(fs_index_l2p_head_parse(&head, data, (apr_size_t)len,
                                   footer->l2p_len, file->first_rev,
                                   file->rev_count));
    FS_TRY(fs_index_l2p_table_parse(&file->l2p, &head, data, (apr_size_t)len,
                                    file->pool));
    if (file->l2p)
        return NULL;
    len = fs_index_l2p_table_bound(&head);
    FS_TRY(read_index(&data, &len, file, footer->l2p_offset, footer->l2p_len,
                      scratch));
    FS_TRY(fs_index_l2p_table_parse(&file->l2p, &head, data, (apr_size_t)len,
                                    file->pool));
    if (!file->l2p)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT, "the index of items is cut");
    return NULL;
}

static fs_error_t *read_p2l(fs_rev_file_t *file, apr_pool_t *scratch)
{
    const fs_rev_footer_t *footer = &file->footer;
    apr_uint64_t len = TABLE_STEP;
    fs_index_p2l_head_t head;
    const char *data;

    FS_TRY(read_index(&data, &len, file, footer->p2l_offset, footer->p2l_len,
                      scratch));
    FS_TRY(fs_index_p2l_head_parse(&head, data, (apr_size_t)len,
                                   footer->p2l_len, file->first_rev,
                                   footer->l2p_offset));
    FS_TRY(fs_index_p2l_table_parse(&file->p2l, &head, data, (apr_size_t)len,
                                    file->pool));
    if (file->p2l)
        return NULL;
    len = fs_index_p2l_table_bound(&head);
    FS_TRY(read_index(&data, &len, file, footer->p2l_offset, footer->p2l_len,
                      scratch));
    FS_TRY(fs_index_p2l_table_parse(&file->p2l, &head, data, (apr_size_t)len,
                                    file->pool));
    if (!file->p2l)
        return FS_ERROR(FS_ERR_INDEX_CORRUPT, "the index of offsets is cut");
    return NULL;
}

static fs_error_t *read_footer(fs_rev_file_t *file, apr_pool_t *scratch)
{
    char tail[FS_REV_FOOTER_SIZE];
    apr_size_t len =
        file->size < sizeof(tail) ? (apr_size_t)file->size : sizeof(tail);

    FS_TRY(fs_rev_file_read(file, file->size - len, tail, len));
    FS_TRY(fs_rev_footer_parse(&file->footer, tail, len, file->size));
    FS_TRY(read_l2p(file, scratch));
    FS_TRY(read_p2l(file, scratch));
    fs_index_page_prepare(file);
    return NULL;
}

static fs_error_t *read_manifest(fs_rev_file_t *file, const fs_fsfs_t *fsfs,
                                 apr_pool_t *scratch)
{
    const char *path =
        fs_layout_pack_path(fsfs, file->first_rev, "manifest", scratch);
    apr_size_t count = (apr_size_t)file->rev_count;
    fs_bytes_t text;

    FS_TRY(fs_disk_file_read(&text, NULL, fsfs->folder, path,
                             (apr_size_t)FS_MANIFEST_SIZE(file->rev_count),
                             scratch));
    if (!text.data)
        return FS_ERROR(FS_ERR_CORRUPT, "the pack has no manifest");
    /* Every revision has a line of two bytes or more. */
    if (count > text.len / 2)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the manifest has %" APR_SIZE_T_FMT
                        " bytes for %" APR_SIZE_T_FMT " revisions",
                        text.len, count);
    file->starts = apr_palloc(file->pool, count * sizeof(*file->starts));
    return fs_manifest_parse(file->starts, count, text.data, text.len,
                             file->size);
}

/* Open the file at `path` in `folder`; `*file` is NULL if there is none. */
static fs_error_t *open_path(fs_rev_file_t **file, int folder, const char *path)
{
    struct stat info;
    int fd;

    *file = NULL;
    do {
        fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return NULL;
    if (fd < 0)
        return FS_ERROR_APR(errno, "cannot open '%s'", path);
    if (fstat(fd, &info)) {
        int status = errno;

        (void)close(fd);
        return FS_ERROR_APR(status, "cannot stat '%s'", path);
    }
    *file = fs_rev_file_table_new(fd, path);
    if (!*file) {
        (void)close(fd);
        return FS_ERROR_APR(APR_ENOMEM, "no memory for '%s'", path);
    }
    (*file)->size = (apr_uint64_t)info.st_size;
    (*file)->block_id = fs_block_new_file();
    return NULL;
}

/* Read a file that is short, and close it; a longer one is left as it is. */
static fs_error_t *read_whole(fs_rev_file_t *file)
{
    apr_size_t len = (apr_size_t)file->size;
    char *content;

    if (file->size > WHOLE_MAX)
        return NULL;
    content = apr_palloc(file->pool, len + 1);
    FS_TRY(fs_disk_file_pread(file->fd, 0, content, &len, file->path));
    if (len < file->size)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the file ends before offset %" APR_UINT64_T_FMT,
                        file->size);
    (void)close(file->fd);
    file->fd = -1;
    file->content = content;
    return NULL;
}

/* What is in an open file and where. */
static fs_error_t *read_layout(fs_rev_file_t *file, const fs_fsfs_t *fsfs,
                               apr_pool_t *scratch)
{
    if (!file->packed)
        FS_TRY(read_whole(file));
    if (fsfs->format.logical)
        return read_footer(file, scratch);
    return file->packed ? read_manifest(file, fsfs, scratch) : NULL;
}

/* Open the file that should have `rev`; `*file` is NULL if there is none. */
static fs_error_t *open_file(fs_rev_file_t **file, fs_fsfs_t *fsfs,
                             fs_rev_t rev, bool packed, apr_pool_t *scratch)
{
    const char *path = packed ? fs_layout_pack_path(fsfs, rev, "pack", scratch)
                              : fs_layout_rev_path(fsfs, rev, scratch);
    apr_uint64_t count = packed ? fsfs->format.shard_size : 1;
    fs_error_t *err;

    FS_TRY(open_path(file, fsfs->folder, path));
    if (!*file)
        return NULL;
    (*file)->store = fsfs->serial;
    (*file)->packed = packed;
    (*file)->rev_count = count;
    (*file)->first_rev = rev - (fs_rev_t)((apr_uint64_t)rev % count);
    err = read_layout(*file, fsfs, scratch);
    if (err) {
        fs_rev_file_table_delete(*file);
        *file = NULL;
        return FS_WRAP(
            err, packed ? "pack of r%" FS_REV_FMT : "file of r%" FS_REV_FMT,
            rev);
    }
    return NULL;
}

/* The file of `rev` in the place that `packed` says, NULL if it is not there.
 */
static fs_error_t *find_or_open(fs_rev_file_t **file, fs_fsfs_t *fsfs,
                                fs_rev_t rev, bool packed, apr_pool_t *scratch)
{
    apr_uint64_t number =
        packed ? fs_layout_shard(fsfs, rev) : (apr_uint64_t)rev;
    fs_error_t *err;

    *file = fs_rev_file_table_find(fsfs->serial, packed, number);
    if (*file)
        return NULL;
    FS_TRY(open_file(file, fsfs, rev, packed, scratch));
    if (!*file)
        return NULL;
    err = fs_current_confirm(fsfs, scratch);
    if (err) {
        fs_rev_file_table_delete(*file);
        *file = NULL;
        return err;
    }
    *file = fs_rev_file_table_insert(*file, number);
    return NULL;
}

fs_error_t *fs_rev_file_get(fs_rev_file_t **file, fs_fsfs_t *fsfs, fs_rev_t rev,
                            apr_pool_t *scratch)
{
    fs_rev_t before = fs_current_min_unpacked(fsfs);

    FS_TRY(find_or_open(file, fsfs, rev, rev < before, scratch));
    if (*file)
        return NULL;
    if (rev >= before) {
        FS_TRY(fs_current_read_min_unpacked(fsfs, scratch));
        if (rev < fs_current_min_unpacked(fsfs)) {
            FS_TRY(find_or_open(file, fsfs, rev, true, scratch));
            if (*file)
                return NULL;
        }
    }
    return FS_ERROR(FS_ERR_CORRUPT, "there is no file of r%" FS_REV_FMT, rev);
}

/* --- Items --- */

/* Part of the file that belongs to `rev`. */
static void extent_of(const fs_rev_file_t *file, fs_rev_t rev,
                      apr_uint64_t *start, apr_uint64_t *end)
{
    apr_uint64_t k = (apr_uint64_t)(rev - file->first_rev);

    *start = file->starts ? file->starts[k] : 0;
    *end = file->starts && k + 1 < file->rev_count ? file->starts[k + 1]
                                                   : file->size;
}

static fs_error_t *no_such_item(void)
{
    return FS_ERROR(FS_ERR_CORRUPT, "there is no such item");
}

fs_error_t *fs_rev_file_locate(apr_uint64_t *offset, apr_uint64_t *end,
                               fs_rev_file_t *file, fs_rev_t rev,
                               apr_uint64_t item, apr_pool_t *scratch)
{
    apr_uint64_t start;
    bool found;

    if (file->l2p) {
        *end = file->footer.l2p_offset;
        FS_TRY(fs_index_page_offset(offset, &found, file, rev, item, scratch));
        return found ? NULL : no_such_item();
    }
    extent_of(file, rev, &start, end);
    if (start > *end || item >= *end - start)
        return no_such_item();
    *offset = start + item;
    return NULL;
}

fs_error_t *fs_rev_file_trailer(fs_rev_trailer_t *out, fs_rev_file_t *file,
                                fs_rev_t rev)
{
    char tail[FS_REV_TRAILER_SIZE];
    apr_uint64_t start;
    apr_uint64_t end;
    apr_size_t len;

    if (file->l2p) {
        out->root = FS_ITEM_NUMBER_ROOT;
        out->changes = FS_ITEM_NUMBER_CHANGES;
        return NULL;
    }
    extent_of(file, rev, &start, &end);
    if (start > end)
        return FS_ERROR(FS_ERR_CORRUPT, "the manifest is not in order");
    len = end - start < sizeof(tail) ? (apr_size_t)(end - start) : sizeof(tail);
    FS_TRY(fs_rev_file_read(file, end - len, tail, len));
    return fs_rev_footer_parse_physical(out, tail, len, end - start);
}
