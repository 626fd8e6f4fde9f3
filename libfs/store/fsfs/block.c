/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of revision files that this process read last. */

#include "libfs/store/fsfs/block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libfs/store/fsfs/disk_file.h"

/* Two ways a set: a file's index and its items must not push each other out.
 */
#define SETS 32
#define WAYS 2

/* Reads that are longer go to the file directly. */
#define BLOCK_READ_MAX FS_BLOCK_SIZE

typedef struct block_t {
    apr_uint64_t file; /* 0: empty */
    apr_uint64_t number;
    apr_size_t len; /* less than a block at the file's end */
    char *data;     /* FS_BLOCK_SIZE bytes, allocated at first use */
} block_t;

typedef struct set_t {
    pthread_mutex_t lock; /* guards what follows */
    block_t ways[WAYS];
    unsigned int last; /* way that was used last */
} set_t;

static set_t sets[SETS] = {
#define SET                                                                    \
    {                                                                          \
        PTHREAD_MUTEX_INITIALIZER, { { 0, 0, 0, NULL } }, 0                    \
    }
#define SET4 SET, SET, SET, SET
    SET4, SET4, SET4, SET4, SET4, SET4, SET4, SET4
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

/* Copy out of the block if it is there; false if it is not. `*len` becomes
 * what the block has from `at` on. */
static bool copy_out(set_t *set, apr_uint64_t file, apr_uint64_t number,
                     apr_size_t at, char *buf, apr_size_t *len)
{
    bool found = false;
    unsigned int i;

    pthread_mutex_lock(&set->lock);
    for (i = 0; i < WAYS && !found; i++) {
        const block_t *block = &set->ways[i];

        if (block->file != file || block->number != number)
            continue;
        found = true;
        if (at >= block->len)
            *len = 0;
        else if (*len > block->len - at)
            *len = block->len - at;
        if (*len)
            memcpy(buf, block->data + at, *len);
        set->last = i;
    }
    pthread_mutex_unlock(&set->lock);
    return found;
}

static void keep(set_t *set, apr_uint64_t file, apr_uint64_t number,
                 const char *data, apr_size_t len)
{
    block_t *block;

    pthread_mutex_lock(&set->lock);
    set->last = (set->last + 1) % WAYS;
    block = &set->ways[set->last];
    if (!block->data)
        block->data = malloc(FS_BLOCK_SIZE);
    block->file = 0;
    if (block->data) {
        memcpy(block->data, data, len);
        block->file = file;
        block->number = number;
        block->len = len;
    }
    pthread_mutex_unlock(&set->lock);
}

/* Read what one block has of the wanted bytes; `*len` is the wish, then what
 * came. */
static fs_error_t *read_part(int fd, apr_uint64_t file, apr_uint64_t size,
                             const char *name, apr_uint64_t offset, char *buf,
                             apr_size_t *len)
{
    apr_uint64_t number = offset / FS_BLOCK_SIZE;
    apr_size_t at = (apr_size_t)(offset % FS_BLOCK_SIZE);
    apr_size_t have = FS_BLOCK_SIZE;
    set_t *set = set_of(file, number);
    char block[FS_BLOCK_SIZE];

    if (*len > FS_BLOCK_SIZE - at)
        *len = FS_BLOCK_SIZE - at;
    if (copy_out(set, file, number, at, buf, len))
        return NULL;
    /* The size is known: no read is spent on finding the end. */
    if (number * FS_BLOCK_SIZE >= size)
        have = 0;
    else if (have > size - number * FS_BLOCK_SIZE)
        have = (apr_size_t)(size - number * FS_BLOCK_SIZE);
    FS_TRY(fs_disk_file_pread(fd, number * FS_BLOCK_SIZE, block, &have, name));
    keep(set, file, number, block, have);
    if (at >= have)
        *len = 0;
    else if (*len > have - at)
        *len = have - at;
    if (*len)
        memcpy(buf, block + at, *len);
    return NULL;
}

fs_error_t *fs_block_read(int fd, apr_uint64_t file, apr_uint64_t size,
                          const char *name, apr_uint64_t offset, char *buf,
                          apr_size_t len)
{
    apr_size_t done = 0;

    if (len > BLOCK_READ_MAX) {
        done = len;
        FS_TRY(fs_disk_file_pread(fd, offset, buf, &done, name));
    }
    while (done < len && len <= BLOCK_READ_MAX) {
        apr_size_t part = len - done;

        FS_TRY(
            read_part(fd, file, size, name, offset + done, buf + done, &part));
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
