/* SPDX-License-Identifier: Apache-2.0 */
/* The table of open revision files of this process: find, count, close. */

#include "libfs/store/fsfs/rev_file_table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <apr_allocator.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>

#define BUCKETS 512

/* Bytes that the allocator keeps for the next files. */
#define ALLOCATOR_KEEPS (1024 * 1024)

static struct {
    pthread_mutex_t lock; /* guards what follows */
    fs_rev_file_t *buckets[BUCKETS];
    fs_rev_file_t *newest;
    fs_rev_file_t *oldest;
    int count;
} table = { PTHREAD_MUTEX_INITIALIZER, { NULL }, NULL, NULL, 0 };

static fs_rev_file_t **bucket_of(apr_uint64_t store, bool packed,
                                 apr_uint64_t number)
{
    apr_uint64_t h = (store * 2 + packed) * APR_UINT64_C(0x9e3779b97f4a7c15);

    return &table.buckets[((h >> 32) + number) % BUCKETS];
}

/*
 * All files share one allocator, which keeps what it gets back: an allocator
 * of its own for each would map and unmap memory with every file that is
 * opened. NULL: no memory.
 */
static apr_allocator_t *shared_allocator(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static apr_allocator_t *allocator; /* guarded by `lock` until it is set */
    apr_thread_mutex_t *mutex;
    apr_pool_t *pool;

    pthread_mutex_lock(&lock);
    if (!allocator && apr_allocator_create(&allocator) == APR_SUCCESS) {
        if (apr_pool_create_unmanaged_ex(&pool, NULL, allocator) !=
                APR_SUCCESS ||
            apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool) !=
                APR_SUCCESS) {
            apr_allocator_destroy(allocator);
            allocator = NULL;
        } else {
            apr_allocator_mutex_set(allocator, mutex);
            apr_allocator_max_free_set(allocator, ALLOCATOR_KEEPS);
        }
    }
    pthread_mutex_unlock(&lock);
    return allocator;
}

fs_rev_file_t *fs_rev_file_table_new(int fd, const char *path)
{
    apr_allocator_t *allocator = shared_allocator();
    fs_rev_file_t *file;
    apr_pool_t *pool;

    /* Without a parent: it is released by whoever uses the file last. */
    if (!allocator || apr_pool_create_unmanaged_ex(&pool, NULL, allocator))
        return NULL;
    file = apr_pcalloc(pool, sizeof(*file));
    file->pool = pool;
    file->fd = fd;
    file->refs = 1;
    file->path = apr_pstrdup(pool, path);
    return file;
}

void fs_rev_file_table_delete(fs_rev_file_t *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    apr_pool_destroy(file->pool);
}

static void unlink_use(fs_rev_file_t *file)
{
    if (file->newer)
        file->newer->older = file->older;
    else
        table.newest = file->older;
    if (file->older)
        file->older->newer = file->newer;
    else
        table.oldest = file->newer;
    file->newer = NULL;
    file->older = NULL;
}

static void link_newest(fs_rev_file_t *file)
{
    file->older = table.newest;
    file->newer = NULL;
    if (table.newest)
        table.newest->newer = file;
    else
        table.oldest = file;
    table.newest = file;
}

static fs_rev_file_t *find(apr_uint64_t store, bool packed, apr_uint64_t number)
{
    fs_rev_file_t *file = *bucket_of(store, packed, number);

    while (file && (file->store != store || file->packed != packed ||
                    file->number != number))
        file = file->next_in_bucket;
    return file;
}

/* Take out; returns true if the caller must delete it. */
static bool take_out(fs_rev_file_t *file)
{
    fs_rev_file_t **place = bucket_of(file->store, file->packed, file->number);

    while (*place != file)
        place = &(*place)->next_in_bucket;
    *place = file->next_in_bucket;
    unlink_use(file);
    file->in_table = false;
    table.count--;
    return !file->refs;
}

fs_rev_file_t *fs_rev_file_table_find(apr_uint64_t store, bool packed,
                                      apr_uint64_t number)
{
    fs_rev_file_t *file;

    pthread_mutex_lock(&table.lock);
    file = find(store, packed, number);
    if (file) {
        file->refs++;
        if (table.newest != file) {
            unlink_use(file);
            link_newest(file);
        }
    }
    pthread_mutex_unlock(&table.lock);
    return file;
}

/* Files that are kept open without a user: no more than a quarter of what the
 * process may open. */
static int idle_max(void)
{
    static atomic_int known;
    int count = atomic_load(&known);
    struct rlimit limit;

    if (!count) {
        count = FS_REV_FILE_IDLE_MAX;
        if (!getrlimit(RLIMIT_NOFILE, &limit) &&
            limit.rlim_cur / 4 < (rlim_t)count)
            count = (int)(limit.rlim_cur / 4) + 1;
        atomic_store(&known, count);
    }
    return count;
}

/* Take the longest unused files out until few enough are left; returns them
 * as a list by next_in_bucket. */
static fs_rev_file_t *take_surplus(void)
{
    fs_rev_file_t *file = table.oldest;
    fs_rev_file_t *surplus = NULL;
    int most = idle_max();

    while (file && table.count > most) {
        fs_rev_file_t *newer = file->newer;

        if (!file->refs && take_out(file)) {
            file->next_in_bucket = surplus;
            surplus = file;
        }
        file = newer;
    }
    return surplus;
}

static void delete_list(fs_rev_file_t *file)
{
    while (file) {
        fs_rev_file_t *next = file->next_in_bucket;

        fs_rev_file_table_delete(file);
        file = next;
    }
}

fs_rev_file_t *fs_rev_file_table_insert(fs_rev_file_t *file,
                                        apr_uint64_t number)
{
    fs_rev_file_t *surplus = NULL;
    fs_rev_file_t *other;

    pthread_mutex_lock(&table.lock);
    other = find(file->store, file->packed, number);
    if (other) {
        other->refs++;
    } else {
        fs_rev_file_t **bucket = bucket_of(file->store, file->packed, number);

        file->number = number;
        file->in_table = true;
        file->next_in_bucket = *bucket;
        *bucket = file;
        link_newest(file);
        table.count++;
        surplus = take_surplus();
    }
    pthread_mutex_unlock(&table.lock);
    delete_list(surplus);
    if (!other)
        return file;
    fs_rev_file_table_delete(file);
    return other;
}

void fs_rev_file_release(fs_rev_file_t *file)
{
    bool last;

    pthread_mutex_lock(&table.lock);
    last = !--file->refs && !file->in_table;
    pthread_mutex_unlock(&table.lock);
    if (last)
        fs_rev_file_table_delete(file);
}

void fs_rev_file_drop(fs_fsfs_t *fsfs, fs_rev_t rev)
{
    fs_rev_file_t *unused = NULL;
    fs_rev_file_t *file;
    fs_rev_file_t *older;

    pthread_mutex_lock(&table.lock);
    for (file = table.newest; file; file = older) {
        older = file->older;
        if (file->store != fsfs->serial ||
            (rev != FS_INVALID_REV && (file->packed || file->first_rev >= rev)))
            continue;
        if (take_out(file)) {
            file->next_in_bucket = unused;
            unused = file;
        }
    }
    pthread_mutex_unlock(&table.lock);
    delete_list(unused);
}
