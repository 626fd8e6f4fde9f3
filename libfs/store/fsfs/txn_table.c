/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions that this process works on. */

#include "libfs/store/fsfs/txn_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_portable.h>
#include <apr_strings.h>

#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_journal.h"

/* Pauses between tries while another process holds a transaction. */
#define FIRST_PAUSE 500           /* microseconds */
#define LONGEST_PAUSE (20 * 1000) /* microseconds */

/* So often a transaction is looked for that is replaced meanwhile. */
#define OPEN_TRIES 5

/* One transaction. In the table as long as somebody uses it, or its state is
 * worth keeping. */
typedef struct slot_t {
    struct slot_t *next;
    apr_uint64_t dev; /* of its journal */
    apr_uint64_t inode;
    apr_uint64_t serial;  /* of its state; guarded by `table_lock` */
    bool busy;            /* a thread has it: the rest is that thread's */
    apr_time_t used;      /* when it was closed last */
    fs_txn_state_t state; /* meaningless unless `loaded` */
    bool opened;          /* files of `state` are open */
    bool loaded;
    apr_uint64_t texts_inode; /* of the texts that are open */
    apr_file_t *lock;         /* the journal's descriptor */
    apr_pool_t *pool;         /* NULL: nothing was opened yet */
} slot_t;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static slot_t *table;            /* list; guarded by `table_lock` */
static apr_uint64_t last_serial; /* guarded by `table_lock` */

static slot_t *slot_of(fs_txn_state_t *state)
{
    return (slot_t *)(void *)((char *)state - offsetof(slot_t, state));
}

static fs_error_t *busy(const fs_fsfs_t *fsfs, const char *name)
{
    return FS_ERROR(FS_ERR_BUSY,
                    "another request works on transaction '%s', gave up after "
                    "%" APR_TIME_T_FMT " ms",
                    name, apr_time_as_msec(fsfs->lock_timeout));
}

/* --- Slots --- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* The slot is not in the table any more, or is the caller's. Closing the
 * journal lets go of its lock. */
static void unload(slot_t *slot)
{
    if (slot->opened) {
        close_fd(&slot->state.folder);
        close_fd(&slot->state.texts);
        close_fd(&slot->state.journal);
    }
    if (slot->pool)
        apr_pool_destroy(slot->pool);
    slot->opened = false;
    slot->loaded = false;
    slot->pool = NULL;
    memset(&slot->state, 0, sizeof(slot->state));
}

/* Take `slot` out of the table; `table_lock` is held. */
static void remove_slot(slot_t *slot)
{
    slot_t **at;

    for (at = &table; *at != slot; at = &(*at)->next)
        continue;
    *at = slot->next;
}

/* Take out what is idle for too long, and the oldest of too many; returns them
 * as a list. `table_lock` is held. */
static slot_t *take_idle(apr_time_t now)
{
    slot_t *taken = NULL;

    for (;;) {
        slot_t *oldest = NULL;
        slot_t *at;
        int idle = 0;

        for (at = table; at; at = at->next) {
            if (at->busy)
                continue;
            idle++;
            if (!oldest || at->used < oldest->used)
                oldest = at;
        }
        if (!oldest ||
            (idle <= FS_TXN_TABLE_IDLE_MAX &&
             now - oldest->used < apr_time_from_sec(FS_TXN_TABLE_IDLE_SECONDS)))
            return taken;
        remove_slot(oldest);
        oldest->next = taken;
        taken = oldest;
    }
}

static void free_slots(slot_t *list)
{
    while (list) {
        slot_t *next = list->next;

        unload(list);
        free(list);
        list = next;
    }
}

/* Give a slot back. */
static void put_slot(slot_t *slot)
{
    apr_time_t now = apr_time_now();
    slot_t *idle;

    pthread_mutex_lock(&table_lock);
    slot->used = slot->loaded ? now : 0;
    slot->busy = false;
    idle = take_idle(now);
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&table_lock);
    free_slots(idle);
}

static slot_t *find_slot(apr_uint64_t dev, apr_uint64_t inode)
{
    slot_t *at;

    for (at = table; at; at = at->next)
        if (at->dev == dev && at->inode == inode)
            break;
    return at;
}

/* The slot of a journal, which is the caller's then. */
static fs_error_t *take_slot(slot_t **out, const fs_fsfs_t *fsfs,
                             const char *name, const fs_stamp_t *journal,
                             apr_time_t deadline)
{
    slot_t *fresh = calloc(1, sizeof(*fresh));
    struct timespec until;
    fs_error_t *err = NULL;
    slot_t *slot;

    if (!fresh)
        return FS_ERROR_APR(APR_ENOMEM, "no memory for a transaction");
    until.tv_sec = (time_t)apr_time_sec(deadline);
    until.tv_nsec = (long)apr_time_usec(deadline) * 1000;
    pthread_mutex_lock(&table_lock);
    while ((slot = find_slot(journal->dev, journal->inode)) && slot->busy &&
           !err)
        if (pthread_cond_timedwait(&released, &table_lock, &until) == ETIMEDOUT)
            err = busy(fsfs, name);
    if (!err && !slot) {
        slot = fresh;
        fresh = NULL;
        slot->dev = journal->dev;
        slot->inode = journal->inode;
        slot->next = table;
        table = slot;
    }
    if (!err)
        slot->busy = true;
    pthread_mutex_unlock(&table_lock);
    free(fresh);
    *out = slot;
    return err;
}

/* --- Processes --- */

static fs_error_t *lock_journal(slot_t *slot, const fs_fsfs_t *fsfs,
                                const char *name, apr_time_t deadline)
{
    apr_interval_time_t pause = FIRST_PAUSE;
    apr_status_t status;

    for (;;) {
        status =
            apr_file_lock(slot->lock, APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK);
        if (!status)
            return NULL;
        if (!APR_STATUS_IS_EAGAIN(status) && !APR_STATUS_IS_EINTR(status) &&
            !APR_STATUS_IS_EACCES(status))
            return FS_ERROR_APR(status, "cannot lock '%s'", FS_TXN_DIR_JOURNAL);
        if (apr_time_now() >= deadline)
            return busy(fsfs, name);
        apr_sleep(pause);
        pause = pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
    }
}

static fs_error_t *use_journal(slot_t *slot)
{
    apr_status_t status =
        apr_os_file_put(&slot->lock, &slot->state.journal,
                        APR_FOPEN_READ | APR_FOPEN_WRITE, slot->pool);

    return status ? FS_ERROR_APR(status, "cannot use '%s'", FS_TXN_DIR_JOURNAL)
                  : NULL;
}

/* --- Opening --- */

static int open_at(int folder, const char *path, int flags)
{
    int fd;

    do {
        fd = openat(folder, path, flags | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* `*fd` is -1 if there is no such file. */
static fs_error_t *open_file(int *fd, const slot_t *slot, const char *name)
{
    *fd = open_at(slot->state.folder, name, O_RDWR | O_NOFOLLOW);
    return *fd < 0 && errno != ENOENT
               ? FS_ERROR_APR(errno, "cannot open '%s' of a transaction", name)
               : NULL;
}

static void create_pool(slot_t *slot)
{
    apr_allocator_t *allocator;

    if (apr_allocator_create(&allocator))
        abort();
    apr_pool_create_ex(&slot->pool, NULL, NULL, allocator);
    apr_allocator_owner_set(allocator, slot->pool);
}

static fs_error_t *open_files(slot_t *slot, fs_fsfs_t *fsfs, const char *name)
{
    fs_txn_state_t *state = &slot->state;
    const char *path;

    create_pool(slot);
    path = fs_txn_dir_path(name, NULL, slot->pool);
    state->name = apr_pstrdup(slot->pool, name);
    state->folder = state->journal = state->texts = -1;
    slot->opened = true;
    state->folder =
        open_at(fsfs->folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (state->folder < 0 && errno == ENOENT)
        return NULL;
    if (state->folder < 0)
        return FS_ERROR_APR(errno, "cannot open '%s'", path);
    FS_TRY(open_file(&state->journal, slot, FS_TXN_DIR_JOURNAL));
    return state->journal < 0 ? NULL : use_journal(slot);
}

/* Stat a file of the folder; `*exists` is false if there is none. */
static fs_error_t *look(struct stat *info, bool *exists, const slot_t *slot,
                        const char *name)
{
    *exists = !fstatat(slot->state.folder, name, info, AT_SYMLINK_NOFOLLOW);
    if (*exists || errno == ENOENT)
        return NULL;
    return FS_ERROR_APR(errno, "cannot stat '%s' of a transaction", name);
}

static fs_error_t *in_commit(const fs_txn_state_t *state)
{
    return FS_ERROR(FS_ERR_NO_SUCH_TXN,
                    "transaction '%s' was left in the middle of its commit",
                    state->name);
}

/* The texts are ours, and nobody lays hands on the transaction but us. */
static fs_error_t *check_files(slot_t *slot)
{
    fs_txn_state_t *state = &slot->state;
    struct stat info;
    bool exists;

    FS_TRY(look(&info, &exists, slot, FS_TXN_DIR_CHANGES));
    if (exists)
        return FS_ERROR(FS_ERR_FOREIGN_TXN,
                        "transaction '%s' was taken over by other programs",
                        state->name);
    FS_TRY(look(&info, &exists, slot, FS_TXN_DIR_TEXTS));
    if (!exists)
        return in_commit(state);
    if (state->texts >= 0 && slot->texts_inode != (apr_uint64_t)info.st_ino) {
        close_fd(&state->texts);
        slot->loaded = false;
    }
    if (state->texts < 0) {
        FS_TRY(open_file(&state->texts, slot, FS_TXN_DIR_TEXTS));
        if (state->texts < 0 || fstat(state->texts, &info))
            return in_commit(state);
        slot->texts_inode = (apr_uint64_t)info.st_ino;
    }
    return NULL;
}

static fs_error_t *begin_state(slot_t *slot)
{
    fs_txn_state_t *state = &slot->state;

    FS_TRY(fs_txn_dir_parse_name(&state->id, state->name));
    if (state->pool)
        apr_pool_clear(state->pool);
    else
        apr_pool_create(&state->pool, slot->pool);
    state->base = state->id.base;
    state->journal_len = 0;
    state->shown = false;
    state->seen = NULL;
    fs_txn_table_renumber(state);
    return NULL;
}

fs_error_t *fs_txn_table_reload(fs_txn_state_t *state, apr_pool_t *scratch)
{
    slot_t *slot = slot_of(state);

    slot->loaded = false;
    FS_TRY(begin_state(slot));
    FS_TRY(fs_txn_journal_replay(state, scratch));
    slot->loaded = true;
    return NULL;
}

/* Bring the state of the slot up to date; the journal is locked. */
static fs_error_t *refresh(slot_t *slot, const struct stat *journal,
                           apr_pool_t *scratch)
{
    fs_txn_state_t *state = &slot->state;
    bool restarted = false;

    FS_TRY(check_files(slot));
    if (state->given_up)
        return FS_ERROR(FS_ERR_NO_SUCH_TXN,
                        "the disk failed transaction '%s', it can only be "
                        "aborted",
                        state->name);
    if (slot->loaded)
        FS_TRY(fs_txn_journal_restarted(&restarted, state));
    if (!slot->loaded || restarted ||
        state->journal_len > (apr_uint64_t)journal->st_size)
        return fs_txn_table_reload(state, scratch);
    if (state->journal_len < (apr_uint64_t)journal->st_size) {
        slot->loaded = false;
        FS_TRY(fs_txn_journal_replay(state, scratch));
        slot->loaded = true;
    }
    return NULL;
}

/* Make a slot ready for use. `*again`: it is not what `name` is any more. */
static fs_error_t *ready(bool *again, slot_t *slot, fs_fsfs_t *fsfs,
                         const char *name, apr_time_t deadline,
                         apr_pool_t *scratch)
{
    struct stat info;

    *again = false;
    if (!slot->opened) {
        FS_TRY(open_files(slot, fsfs, name));
        *again = slot->state.journal < 0;
    }
    if (*again)
        return NULL;
    slot->state.fsfs = fsfs;
    FS_TRY(lock_journal(slot, fsfs, name, deadline));
    if (fstat(slot->state.journal, &info))
        return FS_ERROR_APR(errno, "cannot stat '%s'", FS_TXN_DIR_JOURNAL);
    *again = !info.st_nlink || slot->inode != (apr_uint64_t)info.st_ino ||
             slot->dev != (apr_uint64_t)info.st_dev;
    return *again ? NULL : refresh(slot, &info, scratch);
}

static fs_error_t *not_ours(fs_fsfs_t *fsfs, const char *name,
                            apr_pool_t *scratch)
{
    fs_stamp_t stamp;
    bool exists;

    FS_TRY(fs_disk_file_stat(&stamp, &exists, fsfs->folder,
                             fs_txn_dir_path(name, NULL, scratch)));
    if (!exists)
        return fs_txn_dir_no_such(name);
    return FS_ERROR(FS_ERR_FOREIGN_TXN,
                    "transaction '%s' was begun by another program", name);
}

static fs_error_t *find_journal(fs_stamp_t *journal, bool *exists,
                                fs_fsfs_t *fsfs, const char *name,
                                apr_pool_t *scratch)
{
    return fs_disk_file_stat(
        journal, exists, fsfs->folder,
        fs_txn_dir_path(name, FS_TXN_DIR_JOURNAL, scratch));
}

fs_error_t *fs_txn_table_open(fs_txn_state_t **state, fs_fsfs_t *fsfs,
                              const char *name, apr_pool_t *scratch)
{
    apr_time_t deadline = apr_time_now() + fsfs->lock_timeout;
    int i;

    for (i = 0; i < OPEN_TRIES; i++) {
        fs_stamp_t journal;
        fs_error_t *err;
        slot_t *slot;
        bool exists, again;

        FS_TRY(find_journal(&journal, &exists, fsfs, name, scratch));
        if (!exists)
            return not_ours(fsfs, name, scratch);
        FS_TRY(take_slot(&slot, fsfs, name, &journal, deadline));
        err = ready(&again, slot, fsfs, name, deadline, scratch);
        if (!err && !again) {
            *state = &slot->state;
            return NULL;
        }
        unload(slot);
        put_slot(slot);
        FS_TRY(err);
    }
    return busy(fsfs, name);
}

void fs_txn_table_close(fs_txn_state_t *state)
{
    slot_t *slot = slot_of(state);

    if (!slot->loaded)
        unload(slot);
    else if (apr_file_unlock(slot->lock))
        unload(slot);
    else
        state->fsfs = NULL;
    put_slot(slot);
}

void fs_txn_table_forget(fs_txn_state_t *state)
{
    slot_t *slot = slot_of(state);

    unload(slot);
    put_slot(slot);
}

void fs_txn_table_renumber(fs_txn_state_t *state)
{
    pthread_mutex_lock(&table_lock);
    slot_of(state)->serial = state->serial = ++last_serial;
    pthread_mutex_unlock(&table_lock);
}

/* --- The rest --- */

/* Keep other processes out while it is removed. */
static fs_error_t *remove_locked(slot_t *slot, fs_fsfs_t *fsfs,
                                 const char *name, apr_time_t deadline,
                                 apr_pool_t *scratch)
{
    if (!slot->opened)
        FS_TRY(open_files(slot, fsfs, name));
    if (slot->state.journal >= 0)
        FS_TRY(lock_journal(slot, fsfs, name, deadline));
    return fs_txn_dir_remove(fsfs, name, scratch);
}

fs_error_t *fs_txn_table_abort(fs_fsfs_t *fsfs, const char *name,
                               apr_pool_t *scratch)
{
    apr_time_t deadline = apr_time_now() + fsfs->lock_timeout;
    fs_stamp_t journal;
    fs_error_t *err;
    slot_t *slot;
    bool exists;

    FS_TRY(find_journal(&journal, &exists, fsfs, name, scratch));
    if (!exists)
        return fs_txn_dir_remove(fsfs, name, scratch);
    FS_TRY(take_slot(&slot, fsfs, name, &journal, deadline));
    err = remove_locked(slot, fsfs, name, deadline, scratch);
    unload(slot);
    put_slot(slot);
    return err;
}

fs_txn_state_t *fs_txn_table_find(apr_uint64_t serial)
{
    slot_t *at;

    pthread_mutex_lock(&table_lock);
    for (at = table; at; at = at->next)
        if (at->busy && at->serial == serial)
            break;
    pthread_mutex_unlock(&table_lock);
    return at ? &at->state : NULL;
}

void fs_txn_table_clear(void)
{
    slot_t *idle = NULL;
    slot_t **at;

    pthread_mutex_lock(&table_lock);
    for (at = &table; *at;) {
        slot_t *slot = *at;

        if (slot->busy) {
            at = &slot->next;
        } else {
            *at = slot->next;
            slot->next = idle;
            idle = slot;
        }
    }
    pthread_mutex_unlock(&table_lock);
    free_slots(idle);
}
