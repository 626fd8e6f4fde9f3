/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the place of the system calls that make changes durable. */

#include "tests/support/syncs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

fs_test_syncs_t fs_test_syncs;

static int fail_at;
static int fail_with;
static int die_at;
static int no_groups;

/* Syncs of a round come from several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fs_test_syncs_reset(void)
{
    memset(&fs_test_syncs, 0, sizeof(fs_test_syncs));
    fail_at = 0;
    die_at = 0;
    no_groups = 0;
}

void fs_test_syncs_fail(int n, int error)
{
    fs_test_syncs_reset();
    fail_at = n;
    fail_with = error;
}

void fs_test_syncs_die(int n)
{
    fs_test_syncs_reset();
    die_at = n;
}

void fs_test_syncs_no_groups(void)
{
    fs_test_syncs_reset();
    no_groups = 1;
}

/* The lock is held. */
static void note(char letter)
{
    int at = fs_test_syncs.calls++;

    if (fs_test_syncs.calls == die_at)
        _exit(FS_TEST_DIED);
    if (at < (int)sizeof(fs_test_syncs.log) - 1)
        fs_test_syncs.log[at] = letter;
}

static void count(char letter)
{
    pthread_mutex_lock(&lock);
    note(letter);
    pthread_mutex_unlock(&lock);
}

/* The same for a sync; whether it is to fail. */
static int count_sync(char letter)
{
    int fails;

    pthread_mutex_lock(&lock);
    note(letter);
    fails = ++fs_test_syncs.syncs == fail_at;
    pthread_mutex_unlock(&lock);
    if (fails)
        errno = fail_with;
    return fails;
}

static char kind_of_sync(int fd)
{
    struct stat info;

    return !fstat(fd, &info) && S_ISDIR(info.st_mode) ? 'd' : 's';
}

int fsync(int fd)
{
    return count_sync(kind_of_sync(fd)) ? -1 : (int)syscall(SYS_fsync, fd);
}

int syncfs(int fd)
{
    if (no_groups) {
        errno = ENOSYS;
        return -1;
    }
    return count_sync('g') ? -1 : (int)syscall(SYS_syncfs, fd);
}

int renameat(int oldfd, const char *old, int newfd, const char *new)
{
    count('r');
    return (int)syscall(SYS_renameat2, oldfd, old, newfd, new, 0);
}

int unlinkat(int fd, const char *name, int flag)
{
    count('u');
    return (int)syscall(SYS_unlinkat, fd, name, flag);
}

int fchmod(int fd, mode_t mode)
{
    count('m');
    return (int)syscall(SYS_fchmod, fd, mode);
}
