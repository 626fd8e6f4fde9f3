/* SPDX-License-Identifier: Apache-2.0 */
/* The lock files of db/, which keep writers apart. */

#include "libfs/store/fsfs/write_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_portable.h>

/* Pauses between tries while another process holds a lock. */
#define FIRST_PAUSE 500           /* microseconds */
#define LONGEST_PAUSE (20 * 1000) /* microseconds */

struct fs_write_lock_t {
    const char *name;
    fs_stamp_t file; /* dev and inode tell which lock it is */
    int fd;          /* -1: not open */
    apr_file_t *handle;
    apr_pool_t *pool;
    apr_time_t deadline;
    apr_interval_time_t timeout;
    fs_write_lock_t *next;
};

/* The locks that threads of this process hold or try to get from others. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static fs_write_lock_t *table; /* guarded by `table_lock` */

static fs_error_t *busy(const fs_write_lock_t *lock)
{
    return FS_ERROR(FS_ERR_BUSY,
                    "another writer holds the repository's '%s', gave up after "
                    "%" APR_TIME_T_FMT " ms",
                    lock->name, apr_time_as_msec(lock->timeout));
}

static fs_error_t *open_file(int *fd, fs_fsfs_t *fsfs, const char *name)
{
    do {
        *fd = openat(fsfs->folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    } while (*fd < 0 && errno == EINTR);
    return *fd < 0 ? FS_ERROR_APR(errno, "cannot open '%s'", name) : NULL;
}

/* --- Threads --- */

/* Which file it is; asked by name, as closing a file may let go of a lock that
 * another thread has on it. A file that was missing is locked by nobody. */
static fs_error_t *identify(fs_write_lock_t *lock, fs_fsfs_t *fsfs)
{
    bool exists;
    int fd;

    FS_TRY(fs_disk_file_stat(&lock->file, &exists, fsfs->folder, lock->name));
    if (exists)
        return NULL;
    FS_TRY(open_file(&fd, fsfs, lock->name));
    (void)close(fd);
    FS_TRY(fs_disk_file_stat(&lock->file, &exists, fsfs->folder, lock->name));
    return exists ? NULL
                  : FS_ERROR_APR(APR_ENOENT, "'%s' vanished", lock->name);
}

static bool in_table(const fs_write_lock_t *lock)
{
    const fs_write_lock_t *at;

    for (at = table; at; at = at->next)
        if (at->file.dev == lock->file.dev &&
            at->file.inode == lock->file.inode)
            return true;
    return false;
}

static fs_error_t *enter_table(fs_write_lock_t *lock, fs_fsfs_t *fsfs)
{
    struct timespec until;
    fs_error_t *err;

    until.tv_sec = (time_t)apr_time_sec(lock->deadline);
    until.tv_nsec = (long)apr_time_usec(lock->deadline) * 1000;
    pthread_mutex_lock(&table_lock);
    err = identify(lock, fsfs);
    while (!err && in_table(lock))
        if (pthread_cond_timedwait(&released, &table_lock, &until) == ETIMEDOUT)
            err = busy(lock);
    if (!err) {
        lock->next = table;
        table = lock;
    }
    pthread_mutex_unlock(&table_lock);
    return err;
}

static void leave_table(fs_write_lock_t *lock)
{
    fs_write_lock_t **at;

    pthread_mutex_lock(&table_lock);
    for (at = &table; *at != lock; at = &(*at)->next)
        continue;
    *at = lock->next;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&table_lock);
}

/* --- Processes --- */

static fs_error_t *lock_file(fs_write_lock_t *lock, fs_fsfs_t *fsfs)
{
    apr_interval_time_t pause = FIRST_PAUSE;
    apr_status_t status;

    FS_TRY(open_file(&lock->fd, fsfs, lock->name));
    status = apr_os_file_put(&lock->handle, &lock->fd,
                             APR_FOPEN_READ | APR_FOPEN_WRITE, lock->pool);
    if (status)
        return FS_ERROR_APR(status, "cannot use '%s'", lock->name);
    for (;;) {
        status = apr_file_lock(lock->handle,
                               APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK);
        if (!status)
            return NULL;
        if (!APR_STATUS_IS_EAGAIN(status) && !APR_STATUS_IS_EINTR(status) &&
            !APR_STATUS_IS_EACCES(status))
            return FS_ERROR_APR(status, "cannot lock '%s'", lock->name);
        if (apr_time_now() >= lock->deadline)
            return busy(lock);
        apr_sleep(pause);
        pause = pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
    }
}

/* Closing lets go of the lock; the next thread comes after that. */
static apr_status_t let_go(void *data)
{
    fs_write_lock_t *lock = data;

    if (lock->fd >= 0)
        (void)close(lock->fd);
    lock->fd = -1;
    leave_table(lock);
    return APR_SUCCESS;
}

fs_error_t *fs_write_lock_take(fs_write_lock_t **out, fs_fsfs_t *fsfs,
                               const char *name, apr_pool_t *pool)
{
    fs_write_lock_t *lock = apr_pcalloc(pool, sizeof(*lock));
    fs_error_t *err;

    lock->name = name;
    lock->fd = -1;
    lock->pool = pool;
    lock->timeout = fsfs->lock_timeout;
    lock->deadline = apr_time_now() + lock->timeout;
    FS_TRY(enter_table(lock, fsfs));
    err = lock_file(lock, fsfs);
    if (err) {
        let_go(lock);
        return err;
    }
    apr_pool_cleanup_register(pool, lock, let_go, apr_pool_cleanup_null);
    *out = lock;
    return NULL;
}

void fs_write_lock_release(fs_write_lock_t *lock)
{
    apr_pool_cleanup_run(lock->pool, lock, let_go);
}
