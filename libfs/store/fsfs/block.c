/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of revision files that this process read last. */

#include "libfs/store/fsfs/block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libfs/store/fsfs/disk_file.h"

/* 256 blocks, four ways a set. A pack's index and its items in a few places
 * are a handful of blocks, and an export reads dozens of packs in turn. */
#define SETS 64
#define WAYS 4

typedef struct block_t {
    apr_uint64_t file; /* 0: empty */
    apr_uint64_t number;
    apr_uint64_t used; /* when it was used last: of its set's clock */
    apr_size_t len;    /* less than a block at the file's end */
    char *data;        /* `len` bytes; NULL before first use */
} block_t;

typedef struct set_t {
    pthread_mutex_t lock; /* guards what follows */
    block_t ways[WAYS];
    apr_uint64_t clock;
} set_t;

static set_t sets[SETS] = {
#define SET                                                                    \
    {                                                                          \
        PTHREAD_MUTEX_INITIALIZER, { { 0, 0, 0, 0, NULL } }, 0                 \
    }
#define SET4 SET, SET, SET, SET
#define SET16 SET4, SET4, SET4, SET4
    SET16, SET16, SET16, SET16
};

static pthread_mutex_t number_lock = PTHREAD_MUTEX_INITIALIZER;
static apr_uint64_t last_number;

apr_uint64_t fs_block_new_file(void)
{
    apr_uint64_t number;

    pthread_mutex_lock(&number_lock);
    number = ++last_number;
    pthread_mutex_unlock(&number_lock);
    return number;
}

static set_t *set_of(apr_uint64_t file, apr_uint64_t number)
{
    apr_uint64_t h = (file * APR_UINT64_C(0x9e3779b97f4a7c15)) + number;

    return &sets[(h ^ (h >> 32)) % SETS];
}

/* Copy out of a block that has `have` bytes; `*len` is the wish, then what the
 * block has from `at` on. */
static void copy_part(char *buf, apr_size_t *len, const char *data,
                      apr_size_t have, apr_size_t at)
{
    if (at >= have)
        *len = 0;
    else if (*len > have - at)
        *len = have - at;
    if (*len)
        memcpy(buf, data + at, *len);
}

/* Copy out of the block if it is there; false if it is not. */
static bool copy_kept(set_t *set, apr_uint64_t file, apr_uint64_t number,
                      apr_size_t at, char *buf, apr_size_t *len)
{
    block_t *block = set->ways;
    bool found;

    pthread_mutex_lock(&set->lock);
    while (block < set->ways + WAYS &&
           (block->file != file || block->number != number))
        block++;
    found = block < set->ways + WAYS;
    if (found) {
        block->used = ++set->clock;
        copy_part(buf, len, block->data, block->len, at);
    }
    pthread_mutex_unlock(&set->lock);
    return found;
}

/* Put a block in, in place of the one whose use is longest ago. Takes `data`
 * over. */
static void keep(set_t *set, apr_uint64_t file, apr_uint64_t number, char *data,
                 apr_size_t len)
{
    block_t *oldest = set->ways;
    char *before;
    int i;

    pthread_mutex_lock(&set->lock);
    for (i = 1; i < WAYS; i++)
        if (set->ways[i].used < oldest->used)
            oldest = &set->ways[i];
    before = oldest->data;
    oldest->file = file;
    oldest->number = number;
    oldest->used = ++set->clock;
    oldest->len = len;
    oldest->data = data;
    pthread_mutex_unlock(&set->lock);
    free(before);
}

/* Read what one block has of the wanted bytes; `*len` is the wish, then what
 * came. */
static fs_error_t *read_part(const fs_block_file_t *file, apr_uint64_t offset,
                             char *buf, apr_size_t *len)
{
    apr_uint64_t number = offset / file->unit;
    apr_uint64_t start = number * file->unit;
    apr_size_t at = (apr_size_t)(offset - start);
    apr_size_t have = file->unit;
    set_t *set = set_of(file->number, number);
    fs_error_t *err;
    char *data;

    if (*len > file->unit - at)
        *len = file->unit - at;
    if (copy_kept(set, file->number, number, at, buf, len))
        return NULL;
    /* The size is known: no read is spent on finding the end. */
    if (start >= file->size)
        have = 0;
    else if (have > file->size - start)
        have = (apr_size_t)(file->size - start);
    data = have ? malloc(have) : NULL;
    if (!data)
        return fs_disk_file_pread(file->fd, offset, buf, len, file->name);
    err = fs_disk_file_pread(file->fd, start, data, &have, file->name);
    if (err) {
        free(data);
        return err;
    }
    copy_part(buf, len, data, have, at);
    keep(set, file->number, number, data, have);
    return NULL;
}

fs_error_t *fs_block_read(const fs_block_file_t *file, apr_uint64_t offset,
                          char *buf, apr_size_t len)
{
    apr_size_t done = 0;

    if (len > file->unit) {
        done = len;
        FS_TRY(fs_disk_file_pread(file->fd, offset, buf, &done, file->name));
    }
    while (done < len && len <= file->unit) {
        apr_size_t part = len - done;

        FS_TRY(read_part(file, offset + done, buf + done, &part));
        if (!part)
            break;
        done += part;
    }
    if (done < len)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "the file ends before offset %" APR_UINT64_T_FMT,
                        offset + len);
    return NULL;
}
