/* SPDX-License-Identifier: Apache-2.0 */
/* Taking and releasing locks: who may, and what a lock may be. */

#include <string.h>

#include <apr_strings.h>
#include <apr_uuid.h>

#include "libfs/fs_path.h"
#include "libfs/fs_tree.h"
#include "libfs/lock/lock.h"

#define SCHEME "opaquelocktoken:"

/* The paths of one call that are worth a look at the store. */
typedef struct call_t {
    fs_lock_outcome_t *outcomes;
    fs_repo_t *repo;
    const char *user; /* NULL: nobody */
    const fs_lock_wish_t *wishes;
    const fs_lock_release_t *releases;
    bool force;
    const char **paths;
    int *places; /* of the paths in the arguments and in `outcomes` */
    int count;
    fs_root_t *head; /* the youngest tree; NULL: not opened yet */
    apr_pool_t *result;
    apr_pool_t *scratch;
} call_t;

static call_t make_call(fs_lock_outcome_t *outcomes, fs_repo_t *repo,
                        const char *user, int count, apr_pool_t *result)
{
    call_t call = {
        .outcomes = outcomes, .repo = repo, .user = user, .result = result
    };

    apr_pool_create(&call.scratch, result);
    call.paths = apr_palloc(call.scratch, (apr_size_t)count * sizeof(char *));
    call.places = apr_palloc(call.scratch, (apr_size_t)count * sizeof(int));
    if (count)
        memset(outcomes, 0, (apr_size_t)count * sizeof(*outcomes));
    return call;
}

static void add_path(call_t *call, const char *path, int place)
{
    call->paths[call->count] = path;
    call->places[call->count++] = place;
}

/* Have the store decide, and end the call. */
static fs_error_t *run(call_t *call, fs_store_lock_edit_fn decide, int count)
{
    fs_store_t *store = fs_repo_store(call->repo);
    fs_error_t *err = NULL;
    int i;

    if (call->count)
        err = store->vtable->lock_edit(store, call->paths, call->count, decide,
                                       call, call->scratch);
    for (i = 0; err && i < count; i++) {
        fs_error_clear(call->outcomes[i].err);
        call->outcomes[i].err = NULL;
    }
    apr_pool_destroy(call->scratch);
    return err;
}

/* A copy that the caller keeps. */
static const fs_lock_t *keep(const fs_store_lock_t *stored, apr_pool_t *result)
{
    fs_lock_t *lock = apr_palloc(result, sizeof(*lock));

    *lock = fs_lock_of(stored);
    lock->path = apr_pstrdup(result, lock->path);
    lock->token = apr_pstrdup(result, lock->token);
    lock->owner = apr_pstrdup(result, lock->owner);
    lock->comment = apr_pstrdup(result, lock->comment);
    return lock;
}

static fs_error_t *need_user(const char *user, const char *path)
{
    if (user)
        return NULL;
    return FS_ERROR(FS_ERR_NO_USER,
                    "nobody can be the owner of a lock on '%s', as no user is "
                    "known",
                    path);
}

/* ---- taking ---- */

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

static fs_error_t *check_comment(const fs_lock_wish_t *wish)
{
    const char *p = wish->comment;

    while (p && *p && (!is_control((unsigned char)*p) || strchr("\t\n\r", *p)))
        p++;
    if (!p || (!*p && fs_utf8_is_valid(wish->comment, strlen(wish->comment))))
        return NULL;
    return FS_ERROR(FS_ERR_XML_UNSAFE,
                    "the comment of a lock on '%s' has bytes that XML cannot "
                    "hold",
                    wish->path);
}

static fs_error_t *check_token(const fs_lock_wish_t *wish)
{
    const char *p;

    if (!wish->token)
        return NULL;
    if (strncmp(wish->token, SCHEME, sizeof(SCHEME) - 1) != 0)
        return FS_ERROR(FS_ERR_BAD_LOCK_TOKEN,
                        "the token of a lock on '%s' does not begin with '%s'",
                        wish->path, SCHEME);
    for (p = wish->token; *p; p++)
        if ((unsigned char)*p > 0x7f || is_control((unsigned char)*p))
            return FS_ERROR(FS_ERR_BAD_LOCK_TOKEN,
                            "byte %d of the token of a lock on '%s' is not "
                            "ASCII, or a control character",
                            (int)(p - wish->token) + 1, wish->path);
    return NULL;
}

static fs_error_t *check_wish(const fs_lock_wish_t *wish, const char *user)
{
    FS_TRY(need_user(user, wish->path));
    FS_TRY(check_comment(wish));
    FS_TRY(check_token(wish));
    if (wish->expires < 0)
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "a lock on '%s' cannot expire before 1970", wish->path);
    return NULL;
}

static fs_error_t *open_head(call_t *call)
{
    fs_rev_t youngest;

    if (call->head)
        return NULL;
    FS_TRY(fs_repo_youngest(&youngest, call->repo, call->scratch));
    return fs_root_open(&call->head, call->repo, youngest, call->scratch);
}

static fs_error_t *check_revision(const fs_lock_wish_t *wish,
                                  const fs_node_t *node)
{
    fs_rev_t youngest = fs_root_rev(fs_node_root(node));

    if (!FS_IS_REV(wish->rev))
        return NULL;
    if (wish->rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        wish->rev);
    if (fs_node_created_rev(node) > wish->rev)
        return FS_ERROR(FS_ERR_LOCK_OUT_OF_DATE,
                        "'%s' was changed in revision %" FS_REV_FMT
                        ", cannot lock it as it was in %" FS_REV_FMT,
                        wish->path, fs_node_created_rev(node), wish->rev);
    return NULL;
}

/* May the path be locked, as it is in the youngest revision? */
static fs_error_t *check_node(call_t *call, const fs_lock_wish_t *wish,
                              apr_pool_t *scratch)
{
    const fs_node_t *node;

    FS_TRY(fs_node_find(&node, call->head, wish->path, scratch));
    if (!node)
        return FS_ERROR(
            FS_IS_REV(wish->rev) ? FS_ERR_LOCK_OUT_OF_DATE : FS_ERR_NOT_FOUND,
            "path '%s' does not exist in the youngest revision", wish->path);
    if (fs_node_kind(node) != FS_NODE_FILE)
        return FS_ERROR(FS_ERR_NOT_FILE,
                        "'%s' is not a file, only files can be locked",
                        wish->path);
    return check_revision(wish, node);
}

static const fs_store_lock_t *make_lock(const fs_lock_wish_t *wish,
                                        const char *user, apr_pool_t *result)
{
    fs_store_lock_t *lock = apr_pcalloc(result, sizeof(*lock));
    char text[APR_UUID_FORMATTED_LENGTH + 1];
    apr_uuid_t uuid;

    lock->path = wish->path;
    lock->token = wish->token;
    if (!lock->token) {
        apr_uuid_get(&uuid);
        apr_uuid_format(text, &uuid);
        lock->token = apr_pstrcat(result, SCHEME, text, (char *)NULL);
    }
    lock->owner = user;
    lock->comment = wish->comment;
    lock->is_dav_comment = wish->is_dav_comment;
    lock->created = apr_time_now();
    lock->expires = wish->expires;
    return lock;
}

/* Is what the repository holds in the way of this lock? */
static fs_error_t *check_place(call_t *call, const fs_lock_wish_t *wish,
                               const fs_store_lock_t *now, apr_pool_t *scratch)
{
    FS_TRY(check_node(call, wish, scratch));
    if (now && !wish->steal && fs_store_lock_in_force(now, apr_time_now()))
        return FS_ERROR(FS_ERR_LOCKED,
                        "path '%s' is already locked by user '%s'", wish->path,
                        now->owner);
    return NULL;
}

static fs_error_t *decide_take(void *baton, int index,
                               const fs_store_lock_t *now,
                               fs_store_lock_step_t *step,
                               const fs_store_lock_t **put, apr_pool_t *scratch)
{
    call_t *call = baton;
    int place = call->places[index];
    const fs_lock_wish_t *wish = &call->wishes[place];
    fs_lock_outcome_t *outcome = &call->outcomes[place];

    *step = FS_STORE_LOCK_KEEP;
    FS_TRY(open_head(call));
    outcome->err = check_place(call, wish, now, scratch);
    if (outcome->err)
        return NULL;
    *step = FS_STORE_LOCK_PUT;
    *put = make_lock(wish, call->user, scratch);
    outcome->lock = keep(*put, call->result);
    return NULL;
}

fs_error_t *fs_lock_take(fs_lock_outcome_t *outcomes, fs_repo_t *repo,
                         const char *user, const fs_lock_wish_t *wishes,
                         int count, apr_pool_t *result)
{
    call_t call = make_call(outcomes, repo, user, count, result);
    int i;

    call.wishes = wishes;
    for (i = 0; i < count; i++) {
        outcomes[i].err = check_wish(&wishes[i], user);
        if (!outcomes[i].err)
            add_path(&call, wishes[i].path, i);
    }
    return run(&call, decide_take, count);
}

/* ---- releasing ---- */

static fs_error_t *check_release(const call_t *call,
                                 const fs_lock_release_t *release,
                                 const fs_store_lock_t *now)
{
    if (!now)
        return FS_ERROR(FS_ERR_NO_SUCH_LOCK, "there is no lock on '%s'",
                        release->path);
    if (!fs_store_lock_in_force(now, apr_time_now()))
        return FS_ERROR(FS_ERR_LOCK_EXPIRED, "the lock on '%s' has expired",
                        release->path);
    if (call->force)
        return NULL;
    if (!release->token || strcmp(release->token, now->token) != 0)
        return FS_ERROR(FS_ERR_NO_SUCH_LOCK,
                        "there is no lock on '%s' with this token",
                        release->path);
    if (strcmp(call->user, now->owner) != 0)
        return FS_ERROR(FS_ERR_LOCK_OWNER,
                        "user '%s' does not own the lock on '%s', user '%s' "
                        "does",
                        call->user, release->path, now->owner);
    return NULL;
}

static fs_error_t *decide_release(void *baton, int index,
                                  const fs_store_lock_t *now,
                                  fs_store_lock_step_t *step,
                                  const fs_store_lock_t **put,
                                  apr_pool_t *scratch)
{
    call_t *call = baton;
    int place = call->places[index];
    fs_lock_outcome_t *outcome = &call->outcomes[place];

    (void)put;
    (void)scratch;
    outcome->err = check_release(call, &call->releases[place], now);
    *step = outcome->err ? FS_STORE_LOCK_KEEP : FS_STORE_LOCK_DROP;
    if (!outcome->err)
        outcome->lock = keep(now, call->result);
    return NULL;
}

fs_error_t *fs_lock_release(fs_lock_outcome_t *outcomes, fs_repo_t *repo,
                            const char *user, const fs_lock_release_t *locks,
                            int count, bool force, apr_pool_t *result)
{
    call_t call = make_call(outcomes, repo, user, count, result);
    int i;

    call.releases = locks;
    call.force = force;
    for (i = 0; i < count; i++) {
        outcomes[i].err = force ? NULL : need_user(user, locks[i].path);
        if (!outcomes[i].err)
            add_path(&call, locks[i].path, i);
    }
    return run(&call, decide_release, count);
}
