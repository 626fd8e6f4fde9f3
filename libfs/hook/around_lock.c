/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks around taking and releasing locks. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_hook.h"
#include "libfs/hook/hooks.h"

/*
 * Of several paths those go on that their hook let pass: `chosen` has their
 * places among all.
 */
typedef struct choice_t {
    int *chosen;
    int count;
    fs_lock_outcome_t *outcomes; /* of the chosen ones */
} choice_t;

static choice_t make_choice(int count, apr_pool_t *pool)
{
    choice_t choice;

    choice.chosen = apr_palloc(pool, (apr_size_t)count * sizeof(int));
    choice.outcomes =
        apr_pcalloc(pool, (apr_size_t)count * sizeof(fs_lock_outcome_t));
    choice.count = 0;
    return choice;
}

/* Put what became of the chosen ones to their places. */
static void hand_out(fs_lock_outcome_t *outcomes, const choice_t *choice)
{
    int i;

    for (i = 0; i < choice->count; i++)
        outcomes[choice->chosen[i]] = choice->outcomes[i];
}

/* An error of all: nobody is going to look at those of single paths. */
static void drop_outcomes(fs_lock_outcome_t *outcomes, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        fs_error_clear(outcomes[i].err);
        outcomes[i].err = NULL;
    }
}

/* Run the hook that comes once for all that were done. */
static fs_error_t *run_post(fs_hooks_t *hooks, fs_hook_id_t id,
                            const char *user, const fs_buffer_t *done)
{
    const char *args[] = { user ? user : "", NULL };
    fs_bytes_t input = fs_buffer_bytes(done);
    bool found;

    if (!input.len)
        return NULL;
    FS_TRY(fs_hooks_find(&found, hooks, id));
    return found ? fs_hooks_run(hooks, id, args, &input, NULL) : NULL;
}

static void append_line(fs_buffer_t *done, const char *path)
{
    fs_buffer_puts(done, path);
    fs_buffer_puts(done, "\n");
}

/* --- lock ----------------------------------------------------------------- */

/* A token that pre-lock printed is the lock's, such as it is. */
static fs_error_t *take_token(fs_lock_wish_t *wish, fs_bytes_t printed,
                              apr_pool_t *pool)
{
    if (!printed.len)
        return NULL;
    if (memchr(printed.data, '\0', printed.len))
        return FS_ERROR(FS_ERR_BAD_LOCK_TOKEN,
                        "the lock token that pre-lock printed has a NUL byte");
    wish->token = apr_pstrmemdup(pool, printed.data, printed.len);
    return NULL;
}

static fs_error_t *pre_lock(fs_hooks_t *hooks, const char *user,
                            fs_lock_wish_t *wish)
{
    const char *args[] = { wish->path, user, wish->comment ? wish->comment : "",
                           wish->steal ? "1" : "0", NULL };
    fs_bytes_t printed = { "", 0 };

    FS_TRY(fs_hooks_run(hooks, FS_HOOK_PRE_LOCK, args, NULL, &printed));
    return take_token(wish, printed, hooks->pool);
}

static fs_error_t *lock_chosen(fs_lock_outcome_t *outcomes, fs_hooks_t *hooks,
                               fs_repo_t *repo, const char *user,
                               const fs_lock_wish_t *wishes, int count,
                               apr_pool_t *result)
{
    fs_lock_wish_t *let =
        apr_palloc(hooks->pool, (apr_size_t)count * sizeof(*let));
    choice_t choice = make_choice(count, hooks->pool);
    int i;

    for (i = 0; i < count; i++) {
        let[choice.count] = wishes[i];
        outcomes[i].err = pre_lock(hooks, user, &let[choice.count]);
        if (!outcomes[i].err)
            choice.chosen[choice.count++] = i;
    }
    FS_TRY(
        fs_lock_take(choice.outcomes, repo, user, let, choice.count, result));
    hand_out(outcomes, &choice);
    return NULL;
}

/* Without a user nothing is locked, and no hook is asked. */
static fs_error_t *lock_all(fs_lock_outcome_t *outcomes, fs_hooks_t *hooks,
                            fs_repo_t *repo, const char *user,
                            const fs_lock_wish_t *wishes, int count,
                            apr_pool_t *result)
{
    bool found = false;

    if (user)
        FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_PRE_LOCK));
    if (!found)
        return fs_lock_take(outcomes, repo, user, wishes, count, result);
    return lock_chosen(outcomes, hooks, repo, user, wishes, count, result);
}

static fs_error_t *lock(fs_lock_outcome_t *outcomes, const char **post_error,
                        fs_hooks_t *hooks, fs_repo_t *repo, const char *user,
                        const fs_lock_wish_t *wishes, int count,
                        apr_pool_t *result)
{
    fs_buffer_t *done = fs_buffer_create(256, hooks->pool);
    int i;

    FS_TRY(lock_all(outcomes, hooks, repo, user, wishes, count, result));
    for (i = 0; i < count; i++)
        if (!outcomes[i].err)
            append_line(done, wishes[i].path);
    *post_error = fs_hooks_late(run_post(hooks, FS_HOOK_POST_LOCK, user, done),
                                FS_HOOK_POST_LOCK, result);
    return NULL;
}

fs_error_t *fs_hook_lock(fs_lock_outcome_t *outcomes, const char **post_error,
                         fs_repo_t *repo, const fs_hook_config_t *config,
                         const char *user, const fs_lock_wish_t *wishes,
                         int count, apr_pool_t *result)
{
    fs_hooks_t hooks;
    apr_pool_t *pool;
    fs_error_t *err;

    *post_error = NULL;
    memset(outcomes, 0, (apr_size_t)count * sizeof(*outcomes));
    apr_pool_create(&pool, result);
    err = fs_hooks_init(&hooks, repo, config, pool);
    if (!err)
        err = lock(outcomes, post_error, &hooks, repo, user, wishes, count,
                   result);
    if (err)
        drop_outcomes(outcomes, count);
    apr_pool_destroy(pool);
    return err;
}

/* --- unlock --------------------------------------------------------------- */

static fs_error_t *pre_unlock(fs_hooks_t *hooks, const char *user,
                              const fs_lock_release_t *release, bool force)
{
    const char *args[] = { release->path, user ? user : "",
                           release->token ? release->token : "",
                           force ? "1" : "0", NULL };

    return fs_hooks_run(hooks, FS_HOOK_PRE_UNLOCK, args, NULL, NULL);
}

static fs_error_t *unlock_chosen(fs_lock_outcome_t *outcomes, fs_hooks_t *hooks,
                                 fs_repo_t *repo, const char *user,
                                 const fs_lock_release_t *locks, int count,
                                 bool force, apr_pool_t *result)
{
    fs_lock_release_t *let =
        apr_palloc(hooks->pool, (apr_size_t)count * sizeof(*let));
    choice_t choice = make_choice(count, hooks->pool);
    int i;

    for (i = 0; i < count; i++) {
        outcomes[i].err = pre_unlock(hooks, user, &locks[i], force);
        if (outcomes[i].err)
            continue;
        let[choice.count] = locks[i];
        choice.chosen[choice.count++] = i;
    }
    FS_TRY(fs_lock_release(choice.outcomes, repo, user, let, choice.count,
                           force, result));
    hand_out(outcomes, &choice);
    return NULL;
}

static fs_error_t *unlock_all(fs_lock_outcome_t *outcomes, fs_hooks_t *hooks,
                              fs_repo_t *repo, const char *user,
                              const fs_lock_release_t *locks, int count,
                              bool force, apr_pool_t *result)
{
    bool found = false;

    if (user || force)
        FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_PRE_UNLOCK));
    if (!found)
        return fs_lock_release(outcomes, repo, user, locks, count, force,
                               result);
    return unlock_chosen(outcomes, hooks, repo, user, locks, count, force,
                         result);
}

static fs_error_t *unlock(fs_lock_outcome_t *outcomes, const char **post_error,
                          fs_hooks_t *hooks, fs_repo_t *repo, const char *user,
                          const fs_lock_release_t *locks, int count, bool force,
                          apr_pool_t *result)
{
    fs_buffer_t *done = fs_buffer_create(256, hooks->pool);
    int i;

    FS_TRY(
        unlock_all(outcomes, hooks, repo, user, locks, count, force, result));
    for (i = 0; i < count; i++)
        if (!outcomes[i].err)
            append_line(done, locks[i].path);
    *post_error =
        fs_hooks_late(run_post(hooks, FS_HOOK_POST_UNLOCK, user, done),
                      FS_HOOK_POST_UNLOCK, result);
    return NULL;
}

fs_error_t *fs_hook_unlock(fs_lock_outcome_t *outcomes, const char **post_error,
                           fs_repo_t *repo, const fs_hook_config_t *config,
                           const char *user, const fs_lock_release_t *locks,
                           int count, bool force, apr_pool_t *result)
{
    fs_hooks_t hooks;
    apr_pool_t *pool;
    fs_error_t *err;

    *post_error = NULL;
    memset(outcomes, 0, (apr_size_t)count * sizeof(*outcomes));
    apr_pool_create(&pool, result);
    err = fs_hooks_init(&hooks, repo, config, pool);
    if (!err)
        err = unlock(outcomes, post_error, &hooks, repo, user, locks, count,
                     force, result);
    if (err)
        drop_outcomes(outcomes, count);
    apr_pool_destroy(pool);
    return err;
}
