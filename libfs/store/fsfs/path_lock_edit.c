/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path locks put into db/locks and taken out. What lists of folders say may be
 * too much but never too little, at any moment and after a loss of power:
 *
 *     locks that go are removed
 *     lists of the folders above are changed         one sync before
 *     locks that come get their names                one sync before, one after
 */

#include "libfs/store/fsfs/path_lock_edit.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_path.h"
#include "libfs/store/fsfs/current.h"
#include "libfs/store/fsfs/lock_batch.h"
#include "libfs/store/fsfs/path_lock.h"
#include "libfs/store/fsfs/write_lock.h"

/* A path of the call, and what becomes of its lock. */
typedef struct plan_t {
    char digest[FS_LOCK_DIGEST_LEN + 1];
    const char *path;
    const fs_store_lock_t *lock; /* that it will have; NULL: none */
    bool was_locked;
    bool changed;
} plan_t;

/* What a list of a folder is to say of a lock below it. */
typedef struct turn_t {
    const char *digest;
    bool add;
    bool listed; /* found in the list */
} turn_t;

/* A folder above some of the paths. */
typedef struct folder_t {
    char digest[FS_LOCK_DIGEST_LEN + 1];
    apr_hash_t *by_digest; /* of turn_t */
    apr_array_header_t *turns;
} folder_t;

typedef struct edit_t {
    fs_fsfs_t *fsfs;
    apr_hash_t *by_path;       /* of plan_t */
    apr_array_header_t *plans; /* of plan_t *, as they came */
    apr_hash_t *folders;       /* by path, of folder_t */
    apr_hash_t *lists;         /* digests of `folders`, as keys */
    fs_lock_batch_t *batch;
    apr_pool_t *pool;
} edit_t;

/* ---- deciding ---- */

static const fs_store_lock_t *copy_lock(const fs_store_lock_t *lock,
                                        apr_pool_t *result)
{
    fs_store_lock_t *copy = apr_pmemdup(result, lock, sizeof(*lock));

    copy->path = apr_pstrdup(result, lock->path);
    copy->token = apr_pstrdup(result, lock->token);
    copy->owner = apr_pstrdup(result, lock->owner);
    copy->comment = apr_pstrdup(result, lock->comment);
    return copy;
}

/* A path may come twice: then the second finds what the first left. */
static fs_error_t *find_plan(plan_t **out, edit_t *edit, const char *path,
                             apr_pool_t *scratch)
{
    plan_t *plan = apr_hash_get(edit->by_path, path, APR_HASH_KEY_STRING);
    const fs_store_lock_t *lock;

    if (!plan) {
        FS_TRY(fs_path_lock_get(&lock, edit->fsfs, path, scratch));
        plan = apr_pcalloc(edit->pool, sizeof(*plan));
        plan->path = apr_pstrdup(edit->pool, path);
        fs_lock_file_digest(plan->digest, path);
        plan->was_locked = lock != NULL;
        plan->lock = lock ? copy_lock(lock, edit->pool) : NULL;
        apr_hash_set(edit->by_path, plan->path, APR_HASH_KEY_STRING, plan);
        APR_ARRAY_PUSH(edit->plans, plan_t *) = plan;
    }
    *out = plan;
    return NULL;
}

static void settle(plan_t *plan, fs_store_lock_step_t step,
                   const fs_store_lock_t *put, apr_pool_t *pool)
{
    if (step == FS_STORE_LOCK_KEEP && plan->lock &&
        !fs_store_lock_in_force(plan->lock, apr_time_now()))
        step = FS_STORE_LOCK_DROP;
    if (step == FS_STORE_LOCK_PUT) {
        plan->lock = copy_lock(put, pool);
        plan->changed = true;
    } else if (step == FS_STORE_LOCK_DROP && plan->lock) {
        plan->lock = NULL;
        plan->changed = plan->was_locked;
    }
}

static fs_error_t *decide_all(edit_t *edit, const char *const *paths, int count,
                              fs_store_lock_edit_fn decide, void *baton)
{
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, edit->pool);
    for (i = 0; i < count; i++) {
        fs_store_lock_step_t step = FS_STORE_LOCK_KEEP;
        const fs_store_lock_t *put = NULL;
        plan_t *plan;

        apr_pool_clear(iter);
        FS_TRY(find_plan(&plan, edit, paths[i], iter));
        FS_TRY(decide(baton, i, plan->lock, &step, &put, iter));
        settle(plan, step, put, edit->pool);
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- lists of folders ---- */

static folder_t *need_folder(edit_t *edit, const char *path)
{
    folder_t *folder = apr_hash_get(edit->folders, path, APR_HASH_KEY_STRING);

    if (!folder) {
        folder = apr_palloc(edit->pool, sizeof(*folder));
        fs_lock_file_digest(folder->digest, path);
        folder->by_digest = apr_hash_make(edit->pool);
        folder->turns = apr_array_make(edit->pool, 4, sizeof(turn_t *));
        apr_hash_set(edit->folders, path, APR_HASH_KEY_STRING, folder);
        apr_hash_set(edit->lists, folder->digest, FS_LOCK_DIGEST_LEN, "");
    }
    return folder;
}

static void note_folders(edit_t *edit, const plan_t *plan)
{
    const char *path = plan->path;

    while (path[1]) {
        turn_t *turn = apr_pcalloc(edit->pool, sizeof(*turn));
        folder_t *folder;

        path = fs_path_parent(path, edit->pool);
        folder = need_folder(edit, path);
        turn->digest = plan->digest;
        turn->add = plan->lock != NULL;
        apr_hash_set(folder->by_digest, turn->digest, FS_LOCK_DIGEST_LEN, turn);
        APR_ARRAY_PUSH(folder->turns, turn_t *) = turn;
    }
}

static void put_child(fs_buffer_t *out, const char *digest)
{
    fs_buffer_append(out, digest, FS_LOCK_DIGEST_LEN);
    fs_buffer_append(out, "\n", 1);
}

/* The list with all turns; `*changed` is false if it is as before. */
static fs_bytes_t make_list(bool *changed, const folder_t *folder,
                            const fs_lock_file_t *file, apr_pool_t *result)
{
    apr_size_t room = (apr_size_t)folder->turns->nelts * 33;
    fs_buffer_t *out = fs_buffer_create(file->children.len + room + 1, result);
    apr_size_t count = fs_lock_file_child_count(file);
    apr_size_t i;
    int k;

    *changed = false;
    for (i = 0; i < count; i++) {
        const char *child = fs_lock_file_child(file, i);
        turn_t *turn =
            apr_hash_get(folder->by_digest, child, FS_LOCK_DIGEST_LEN);

        if (turn)
            turn->listed = true;
        if (!turn || turn->add)
            put_child(out, child);
        else
            *changed = true;
    }
    for (k = 0; k < folder->turns->nelts; k++) {
        const turn_t *turn = APR_ARRAY_IDX(folder->turns, k, turn_t *);

        if (turn->add && !turn->listed) {
            put_child(out, turn->digest);
            *changed = true;
        }
    }
    return fs_buffer_bytes(out);
}

static fs_error_t *write_folder(fs_lock_files_t *files, const edit_t *edit,
                                const folder_t *folder, apr_pool_t *scratch)
{
    fs_lock_file_t file;
    bool found, changed;

    FS_TRY(
        fs_path_lock_read(&file, &found, edit->fsfs, folder->digest, scratch));
    file.children = make_list(&changed, folder, &file, scratch);
    return changed ? fs_lock_batch_write(files, folder->digest, &file, scratch)
                   : NULL;
}

static fs_error_t *write_folders(fs_lock_files_t *files, const edit_t *edit)
{
    apr_hash_index_t *i;
    apr_pool_t *iter;

    apr_pool_create(&iter, edit->pool);
    for (i = apr_hash_first(edit->pool, edit->folders); i;
         i = apr_hash_next(i)) {
        apr_pool_clear(iter);
        FS_TRY(write_folder(files, edit, apr_hash_this_val(i), iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- locks ---- */

static void set_lock(fs_lock_file_t *file, const fs_store_lock_t *lock)
{
    file->path = lock ? lock->path : NULL;
    if (!lock)
        return;
    file->token = lock->token;
    file->owner = lock->owner;
    file->comment = lock->comment;
    file->is_dav_comment = lock->is_dav_comment;
    file->creation = lock->created;
    file->expiration = lock->expires;
}

/* Which of the changed locks are written in one go. */
typedef enum which_t {
    GOING,       /* removed */
    COMING,      /* put, where no list is changed in the same file */
    COMING_LATER /* put, where one is */
} which_t;

static bool is_one_of(const edit_t *edit, const plan_t *plan, which_t which)
{
    if (!plan->lock)
        return which == GOING;
    return which == (apr_hash_get(edit->lists, plan->digest, FS_LOCK_DIGEST_LEN)
                         ? COMING_LATER
                         : COMING);
}

static fs_error_t *write_lock(fs_lock_files_t *files, const edit_t *edit,
                              const plan_t *plan, apr_pool_t *scratch)
{
    fs_lock_file_t file;
    bool found;

    FS_TRY(fs_path_lock_read(&file, &found, edit->fsfs, plan->digest, scratch));
    set_lock(&file, plan->lock);
    return fs_lock_batch_write(files, plan->digest, &file, scratch);
}

static fs_error_t *write_locks(int *count, fs_lock_files_t *files,
                               const edit_t *edit, which_t which)
{
    apr_pool_t *iter;
    int i;

    *count = 0;
    apr_pool_create(&iter, edit->pool);
    for (i = 0; i < edit->plans->nelts; i++) {
        const plan_t *plan = APR_ARRAY_IDX(edit->plans, i, plan_t *);

        apr_pool_clear(iter);
        if (plan->changed && is_one_of(edit, plan, which)) {
            FS_TRY(write_lock(files, edit, plan, iter));
            ++*count;
        }
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- in order ---- */

/* Locks go. Where the file stays, because it lists others, it is synced. */
static fs_error_t *remove_locks(edit_t *edit)
{
    fs_lock_files_t *files = fs_lock_batch_files(edit->batch);
    int count;

    FS_TRY(write_locks(&count, files, edit, GOING));
    if (!count)
        return NULL;
    if (fs_lock_batch_has_temporary(files))
        FS_TRY(fs_lock_batch_sync(edit->batch, edit->pool));
    return fs_lock_batch_apply(files, edit->pool);
}

/* Locks come; their names are the last that happens. */
static fs_error_t *name_locks(edit_t *edit, fs_lock_files_t *files)
{
    fs_error_t *err;
    int later;

    FS_TRY(write_locks(&later, files, edit, COMING_LATER));
    if (later)
        FS_TRY(fs_lock_batch_sync(edit->batch, edit->pool));
    err = fs_lock_batch_apply(files, edit->pool);
    if (!err)
        err = fs_lock_batch_sync(edit->batch, edit->pool);
    if (err)
        fs_lock_batch_undo(files);
    return err;
}

static fs_error_t *carry_out(edit_t *edit)
{
    fs_lock_files_t *folders;
    fs_lock_files_t *locks;
    int i, coming;

    FS_TRY(fs_lock_batch_create(&edit->batch, edit->fsfs, edit->pool));
    folders = fs_lock_batch_files(edit->batch);
    locks = fs_lock_batch_files(edit->batch);
    for (i = 0; i < edit->plans->nelts; i++) {
        const plan_t *plan = APR_ARRAY_IDX(edit->plans, i, plan_t *);

        if (plan->changed)
            note_folders(edit, plan);
    }
    FS_TRY(remove_locks(edit));
    FS_TRY(write_folders(folders, edit));
    FS_TRY(write_locks(&coming, locks, edit, COMING));
    FS_TRY(fs_lock_batch_sync(edit->batch, edit->pool));
    FS_TRY(fs_lock_batch_apply(folders, edit->pool));
    FS_TRY(fs_lock_batch_sync(edit->batch, edit->pool));
    return name_locks(edit, locks);
}

static bool has_changes(const edit_t *edit)
{
    int i;

    for (i = 0; i < edit->plans->nelts; i++)
        if (APR_ARRAY_IDX(edit->plans, i, plan_t *)->changed)
            return true;
    return false;
}

/* The lock is held: nobody else writes. */
static fs_error_t *edit_locked(edit_t *edit, const char *const *paths,
                               int count, fs_store_lock_edit_fn decide,
                               void *baton)
{
    fs_error_t *decided;
    fs_error_t *err = NULL;
    bool stale;

    FS_TRY(fs_current_check(&stale, edit->fsfs, edit->pool));
    if (stale)
        return FS_ERROR(FS_ERR_BUSY,
                        "the repository was replaced or upgraded, try again");
    FS_TRY(fs_current_read_min_unpacked(edit->fsfs, edit->pool));
    decided = decide_all(edit, paths, count, decide, baton);
    if (has_changes(edit))
        err = carry_out(edit);
    if (edit->batch)
        fs_lock_batch_close(edit->batch, edit->pool);
    if (!decided)
        return err;
    fs_error_clear(err);
    return decided;
}

fs_error_t *fs_path_lock_edit(fs_fsfs_t *fsfs, const char *const *paths,
                              int count, fs_store_lock_edit_fn decide,
                              void *baton, apr_pool_t *scratch)
{
    edit_t edit = { .fsfs = fsfs };
    fs_write_lock_t *lock;
    fs_error_t *err;

    apr_pool_create(&edit.pool, scratch);
    edit.by_path = apr_hash_make(edit.pool);
    edit.plans = apr_array_make(edit.pool, count, sizeof(plan_t *));
    edit.folders = apr_hash_make(edit.pool);
    edit.lists = apr_hash_make(edit.pool);
    err = fs_write_lock_take(&lock, fsfs, FS_WRITE_LOCK_WRITE, edit.pool);
    if (!err) {
        err = edit_locked(&edit, paths, count, decide, baton);
        fs_write_lock_release(lock);
    }
    apr_pool_destroy(edit.pool);
    return err;
}
