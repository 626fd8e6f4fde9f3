/* SPDX-License-Identifier: Apache-2.0 */
/* Several files made durable at once. */

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* syncfs() */
#endif

#include "libfs/store/fsfs/sync_round.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of stack of a thread that does nothing but one system call. */
#define STACK_SIZE ((size_t)256 * 1024)

/* KiB that wait to be written, above which a whole file system is not flushed
 * for a few names. */
#define DIRTY_MAX (64L * 1024)

/* --- Files --- */

typedef struct job_t {
    int fd;
    int error; /* errno; 0: it is durable */
    bool has_thread;
    pthread_t thread;
} job_t;

static void *run(void *data)
{
    job_t *job = data;
    int failed;

    do {
        failed = fsync(job->fd);
    } while (failed && errno == EINTR);
    job->error = failed ? errno : 0;
    return NULL;
}

/* Threads of a library must not take the signals of its program. */
static void start(job_t *jobs, int count)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int i;

    if (pthread_attr_init(&attributes))
        return;
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    (void)sigfillset(&all);
    if (!pthread_sigmask(SIG_SETMASK, &all, &before)) {
        for (i = 1; i < count; i++)
            jobs[i].has_thread =
                !pthread_create(&jobs[i].thread, &attributes, run, &jobs[i]);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void)pthread_attr_destroy(&attributes);
}

fs_error_t *fs_sync_round(const fs_sync_file_t *files, int count)
{
    job_t jobs[FS_SYNC_ROUND_MAX];
    int i;

    assert(count <= FS_SYNC_ROUND_MAX);
    memset(jobs, 0, sizeof(jobs));
    for (i = 0; i < count; i++)
        jobs[i].fd = files[i].fd;
    start(jobs, count);
    for (i = 0; i < count; i++)
        if (!jobs[i].has_thread)
            (void)run(&jobs[i]);
    for (i = 0; i < count; i++)
        if (jobs[i].has_thread)
            (void)pthread_join(jobs[i].thread, NULL);
    for (i = 0; i < count; i++)
        if (jobs[i].error)
            return FS_ERROR_APR(jobs[i].error, "cannot sync '%s'",
                                files[i].name);
    return NULL;
}

/* --- Folders --- */

#ifdef __linux__

static bool same_device(const fs_sync_file_t *folders, int count)
{
    struct stat first, info;
    int i;

    if (fstat(folders[0].fd, &first))
        return false;
    for (i = 1; i < count; i++)
        if (fstat(folders[i].fd, &info) || info.st_dev != first.st_dev)
            return false;
    return true;
}

/* The number behind `name` in /proc/meminfo; a high one if it is not there. */
static long kib_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtol(at + strlen(name), NULL, 10) : DIRTY_MAX;
}

static bool little_is_dirty(void)
{
    char text[4096];
    ssize_t len;
    int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    len = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (len <= 0)
        return false;
    text[len] = '\0';
    return kib_of(text, "\nDirty:") + kib_of(text, "\nWriteback:") < DIRTY_MAX;
}

/* A failure of the disk is final. */
fs_error_t *fs_sync_round_flush(bool *done, int fd, const char *name)
{
    *done = false;
    if (!little_is_dirty())
        return NULL;
    *done = !syncfs(fd);
    if (!*done && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
        return FS_ERROR_APR(errno, "cannot flush the file system of '%s'",
                            name);
    return NULL;
}

#else

static bool same_device(const fs_sync_file_t *folders, int count)
{
    (void)folders;
    (void)count;
    return false;
}

fs_error_t *fs_sync_round_flush(bool *done, int fd, const char *name)
{
    (void)fd;
    (void)name;
    *done = false;
    return NULL;
}

#endif

fs_error_t *fs_sync_round_folders(const fs_sync_file_t *folders, int count)
{
    bool done = false;

    if (count > 1 && same_device(folders, count))
        FS_TRY(fs_sync_round_flush(&done, folders[0].fd, folders[0].name));
    return done ? NULL : fs_sync_round(folders, count);
}
