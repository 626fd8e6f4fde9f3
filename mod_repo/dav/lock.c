/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of the repository as mod_dav's locks. A lock belongs to a path, so
 * the special URLs of a node show the lock of its public one, and taking it by
 * them takes that one.
 *
 * Whether a lock may be taken or released is the repository's to decide, with
 * an error that says why. mod_dav decides some of it before: for Subversion
 * clients it is not shown what it would decide by.
 */

#include "mod_repo/dav/lock.h"

#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>

#include "libfs/fs_hook.h"
#include "libfs/fs_time.h"
#include "mod_repo/dav/autoversion.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/headers.h"
#include "mod_repo/http/log.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/http/xml_fragment.h"
#include "mod_repo/request/txn.h"
#include "mod_repo/uri/uri.h"

REPO_USE_LOG;

#define TOKEN_SCHEME "opaquelocktoken:"

struct dav_locktoken {
    const char *text; /* with its scheme */
};

/** A lock in the making. */
struct dav_lock_private {
    dav_locktoken *token; /* empty until it is taken */
};

struct dav_lockdb_private {
    request_rec *r;
};

/* ---- tokens ---- */

static const char *supported_lock(const dav_resource *resource)
{
    static const char exclusive_write[] =
        "\n<D:lockentry>\n"
        "<D:lockscope><D:exclusive/></D:lockscope>\n"
        "<D:locktype><D:write/></D:locktype>\n"
        "</D:lockentry>\n";

    return resource->collection ? NULL : exclusive_write;
}

static dav_error *parse_token(apr_pool_t *p, const char *text,
                              dav_locktoken **out)
{
    dav_locktoken *token;

    if (strncmp(text, TOKEN_SCHEME, strlen(TOKEN_SCHEME)) != 0)
        return dav_new_error(p, HTTP_BAD_REQUEST, DAV_ERR_LOCK_UNK_STATE_TOKEN,
                             0, "a lock token begins with opaquelocktoken:");
    token = apr_palloc(p, sizeof(*token));
    token->text = apr_pstrdup(p, text);
    *out = token;
    return NULL;
}

static const char *format_token(apr_pool_t *p, const dav_locktoken *token)
{
    return apr_pstrdup(p, token->text);
}

static int compare_tokens(const dav_locktoken *a, const dav_locktoken *b)
{
    return strcmp(a->text, b->text);
}

/* ---- the data base ---- */

static dav_error *open_locks(request_rec *r, int ro, int force,
                             dav_lockdb **out)
{
    dav_lockdb *db = apr_pcalloc(r->pool, sizeof(*db));

    (void)force;
    db->hooks = &repo_lock_hooks;
    db->ro = ro;
    db->info = apr_pcalloc(r->pool, sizeof(*db->info));
    db->info->r = r;
    *out = db;
    return NULL;
}

static void close_locks(dav_lockdb *db)
{
    (void)db;
}

/* Subversion clients take these two from headers alone. */
static void set_headers(request_rec *r, const fs_lock_t *lock)
{
    apr_table_setn(r->headers_out, "X-SVN-Creation-Date",
                   fs_time_text(lock->created, r->pool));
    apr_table_set(r->headers_out, "X-SVN-Lock-Owner", lock->owner);
}

static const char *owner_element(const fs_lock_t *lock, apr_pool_t *result)
{
    if (!lock->comment)
        return NULL;
    if (lock->is_dav_comment &&
        repo_xml_is_fragment(lock->comment, strlen(lock->comment), result))
        return apr_pstrdup(result, lock->comment);
    return apr_pstrcat(
        result, "<D:owner xmlns:D=\"DAV:\">",
        repo_xml_escape(lock->comment, strlen(lock->comment), false, result),
        "</D:owner>", NULL);
}

static dav_lock *convert(const fs_lock_t *lock, const dav_resource *resource)
{
    const repo_request_t *request = resource->info->request;
    apr_pool_t *result = resource->pool;
    dav_lock *converted = apr_pcalloc(result, sizeof(*converted));
    dav_locktoken *token = apr_palloc(result, sizeof(*token));

    token->text = lock->token;
    converted->rectype = DAV_LOCKREC_DIRECT;
    converted->scope = DAV_LOCKSCOPE_EXCLUSIVE;
    converted->type = DAV_LOCKTYPE_WRITE;
    converted->depth = 0;
    converted->timeout = lock->expires ? (time_t)apr_time_sec(lock->expires)
                                       : DAV_TIMEOUT_INFINITE;
    converted->locktoken = token;
    converted->owner = owner_element(lock, result);
    /* mod_dav compares whose it is with who asks, and refuses without saying
     * why. */
    if (!(request->is_svn && request->r->user) &&
        !repo_headers_has_option(request->r, "lock-break"))
        converted->auth_user = apr_pstrdup(result, lock->owner);
    return converted;
}

/* The lock of a resource's path, NULL if there is none. For LOCK requests of
 * Subversion clients the repository decides, with a precise error. */
static dav_error *find(const fs_lock_t **lock, const dav_resource *resource)
{
    dav_resource_private *info = resource->info;
    const repo_request_t *request = info->request;
    fs_error_t *err;

    *lock = NULL;
    if (!info->uri.path || info->is_listing || resource->collection ||
        (request->is_svn && request->r->method_number == M_LOCK))
        return NULL;
    if (info->lock_known) {
        *lock = info->lock;
        return NULL;
    }
    err = fs_lock_get(lock, request->repo, info->uri.path, resource->pool);
    if (err)
        return repo_error_convert(request->r, err, 0);
    /* mod_dav asks three times in a PUT. To a transaction no lock is taken. */
    info->lock_known = info->txn != NULL;
    info->lock = *lock;
    if (*lock)
        set_headers(request->r, *lock);
    return NULL;
}

static dav_error *get_locks(dav_lockdb *db, const dav_resource *resource,
                            int calltype, dav_lock **locks)
{
    const fs_lock_t *lock;
    dav_error *err = find(&lock, resource);

    (void)db;
    (void)calltype;
    *locks = !err && lock ? convert(lock, resource) : NULL;
    return err;
}

static dav_error *find_lock(dav_lockdb *db, const dav_resource *resource,
                            const dav_locktoken *token, int partial_ok,
                            dav_lock **out)
{
    dav_error *err = get_locks(db, resource, DAV_GETLOCKS_RESOLVED, out);

    (void)partial_ok;
    if (!err && *out && compare_tokens((*out)->locktoken, token) != 0)
        *out = NULL;
    return err;
}

static dav_error *has_locks(dav_lockdb *db, const dav_resource *resource,
                            int *present)
{
    const fs_lock_t *lock;
    dav_error *err = find(&lock, resource);

    (void)db;
    *present = !err && lock;
    return err;
}

/* ---- writing ---- */

static dav_error *remove_locknull_state(dav_lockdb *db,
                                        const dav_resource *resource)
{
    (void)db;
    (void)resource;
    return NULL; /* there is no such state */
}

static dav_error *create_lock(dav_lockdb *db, const dav_resource *resource,
                              dav_lock **out)
{
    dav_lock *lock = apr_pcalloc(resource->pool, sizeof(*lock));

    (void)db;
    lock->rectype = DAV_LOCKREC_DIRECT;
    lock->info = apr_pcalloc(resource->pool, sizeof(*lock->info));
    lock->info->token = apr_pcalloc(resource->pool, sizeof(dav_locktoken));
    lock->locktoken = lock->info->token;
    lock->is_locknull = !resource->exists;
    *out = lock;
    return NULL;
}

/* ---- taking ---- */

/* Characters for their names, in place. */
static char *unquote(char *text)
{
    static const struct {
        const char *name;
        apr_size_t len;
        char character;
    } names[] = {
        { "&lt;", 4, '<' },   { "&gt;", 4, '>' },    { "&amp;", 5, '&' },
        { "&quot;", 6, '"' }, { "&apos;", 6, '\'' },
    };
    const char *from = text;
    char *to = text;

    while (*from) {
        apr_size_t i, used = 0;

        for (i = 0; i < sizeof(names) / sizeof(names[0]) && !used; i++)
            if (strncmp(from, names[i].name, names[i].len) == 0) {
                *to++ = names[i].character;
                used = names[i].len;
            }
        from += used;
        if (!used)
            *to++ = *from++;
    }
    *to = '\0';
    return text;
}

/* The text in an owner element, with the one level of quoting that mod_dav
 * gave it taken off. */
static const char *owner_text(const char *element, apr_pool_t *result)
{
    const char *begin = strchr(element, '>'), *end = strrchr(element, '<');

    if (!begin || begin[-1] == '/' || end < begin)
        return ""; /* <owner/> */
    return unquote(
        apr_pstrmemdup(result, begin + 1, (apr_size_t)(end - begin - 1)));
}

/* What the client's lock is to be in the repository. */
static dav_error *make_wish(fs_lock_wish_t *wish, const dav_resource *resource,
                            const dav_lock *lock)
{
    const repo_request_t *request = resource->info->request;
    request_rec *r = request->r;
    const char *rev = apr_table_get(r->headers_in, "X-SVN-Version-Name");

    *wish = (fs_lock_wish_t){ .path = resource->info->uri.path,
                              .rev = FS_INVALID_REV };
    if (rev && !repo_uri_parse_rev(&wish->rev, rev))
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, REPO_ERR_DAV_REQUEST,
                              "X-SVN-Version-Name is not a revision");
    wish->steal = repo_headers_has_option(r, "lock-steal");
    if (lock->timeout != DAV_TIMEOUT_INFINITE)
        wish->expires = apr_time_from_sec(lock->timeout);
    if (!lock->owner)
        return NULL;
    /* Names of namespaces come out as they were decoded. */
    if (!repo_xml_is_fragment(lock->owner, strlen(lock->owner), r->pool))
        return repo_error_new(r->pool, HTTP_BAD_REQUEST, FS_ERR_XML_MALFORMED,
                              "the owner element cannot be kept");
    wish->is_dav_comment = !request->is_svn;
    wish->comment =
        request->is_svn ? owner_text(lock->owner, r->pool) : lock->owner;
    return NULL;
}

static void log_post_error(request_rec *r, const char *text)
{
    if (text)
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "%s %s: %s", r->method,
                      r->uri, text);
}

/* A failing post-lock is for the log alone. */
static dav_error *take(const fs_lock_t **lock, repo_request_t *request,
                       const fs_lock_wish_t *wish)
{
    request_rec *r = request->r;
    fs_lock_outcome_t outcome = { NULL, NULL };
    const char *post_error = NULL;
    fs_hook_config_t hooks;
    fs_error_t *err;

    repo_txn_hooks(&hooks, request);
    err = fs_hook_lock(&outcome, &post_error, request->repo, &hooks, r->user,
                       wish, 1, r->pool);
    if (!err)
        err = outcome.err;
    if (err)
        return repo_txn_error(request, err);
    log_post_error(r, post_error);
    *lock = outcome.lock;
    set_headers(r, *lock);
    return NULL;
}

/* May there be a lock at all? */
static dav_error *check_lockable(const dav_resource *resource,
                                 const dav_lock *lock)
{
    const repo_request_t *request = resource->info->request;
    apr_pool_t *pool = request->pool;

    if (!request->r->user)
        return repo_error_new(pool, HTTP_NOT_IMPLEMENTED, FS_ERR_NO_USER,
                              "a lock has an owner, and no user is known");
    if (!resource->info->uri.path || resource->info->is_listing ||
        (!resource->exists &&
         (request->is_svn || !repo_autoversion_applies(resource))))
        return repo_error_new(pool, HTTP_METHOD_NOT_ALLOWED, FS_ERR_NOT_FOUND,
                              "only a file that exists can be locked");
    if (lock->scope != DAV_LOCKSCOPE_EXCLUSIVE)
        return repo_error_new(pool, HTTP_BAD_REQUEST, REPO_ERR_UNSUPPORTED,
                              "a lock of a repository is exclusive: shared "
                              "ones are not offered");
    return NULL;
}

static dav_error *append_locks(dav_lockdb *db, const dav_resource *resource,
                               int make_indirect, const dav_lock *lock)
{
    repo_request_t *request = resource->info->request;
    const fs_lock_t *taken = NULL;
    fs_lock_wish_t wish;
    dav_error *err = check_lockable(resource, lock);

    (void)db;
    (void)make_indirect; /* no lock covers more than its path */
    if (!err)
        err = make_wish(&wish, resource, lock);
    if (!err && !resource->exists)
        err = repo_autoversion_make_file(resource);
    if (!err)
        err = take(&taken, request, &wish);
    if (err || !taken)
        return err;
    /* A hook may have chosen it. */
    lock->info->token->text = taken->token;
    repo_request_action(request, "lock (%s)%s",
                        repo_uri_encode(wish.path, request->pool),
                        wish.steal ? " steal" : "");
    return NULL;
}

/* The lock of a resource, whatever mod_dav may be shown of it. */
static dav_error *need_lock(const fs_lock_t **lock,
                            const dav_resource *resource,
                            const dav_locktoken_list *tokens)
{
    repo_request_t *request = resource->info->request;
    fs_error_t *err = NULL;

    *lock = NULL;
    if (resource->info->uri.path)
        err = fs_lock_get(lock, request->repo, resource->info->uri.path,
                          resource->pool);
    if (err)
        return repo_error_convert(request->r, err, 0);
    for (; *lock && tokens; tokens = tokens->next)
        if (strcmp(tokens->locktoken->text, (*lock)->token) == 0)
            return NULL;
    return repo_error_new(request->pool, HTTP_PRECONDITION_FAILED,
                          FS_ERR_NO_SUCH_LOCK,
                          "the path is not locked by a token that was named");
}

/* A lock that is refreshed keeps all but its times. */
static dav_error *refresh_locks(dav_lockdb *db, const dav_resource *resource,
                                const dav_locktoken_list *tokens, time_t until,
                                dav_lock **locks)
{
    repo_request_t *request = resource->info->request;
    const fs_lock_t *lock, *refreshed = NULL;
    dav_error *err = need_lock(&lock, resource, tokens);
    fs_lock_wish_t wish;

    (void)db;
    if (err || !lock)
        return err;
    wish = (fs_lock_wish_t){
        .path = lock->path,
        .token = lock->token,
        .comment = lock->comment,
        .is_dav_comment = lock->is_dav_comment,
        .expires = until == DAV_TIMEOUT_INFINITE ? 0 : apr_time_from_sec(until),
        .rev = FS_INVALID_REV,
        .steal = true,
    };
    err = take(&refreshed, request, &wish);
    if (!err && refreshed)
        *locks = convert(refreshed, resource);
    return err;
}

/* ---- releasing ---- */

/* mod_dav keeps the status of an UNLOCK that failed, and drops its text. Who
 * understands the text is answered here; DONE says so. */
static dav_error *answer_unlock(repo_request_t *request, dav_error *err)
{
    int status;

    if (!request->is_svn)
        return err;
    status = repo_error_send_dav(request->r, err);
    return dav_new_error(request->pool, status, 0, 0, NULL);
}

static dav_error *release(repo_request_t *request, const char *path,
                          const char *token, bool force)
{
    request_rec *r = request->r;
    fs_lock_release_t wish = { path, token };
    fs_lock_outcome_t outcome = { NULL, NULL };
    const char *post_error = NULL;
    fs_hook_config_t hooks;
    fs_error_t *err;

    repo_txn_hooks(&hooks, request);
    err = fs_hook_unlock(&outcome, &post_error, request->repo, &hooks, r->user,
                         &wish, 1, force, r->pool);
    if (!err)
        err = outcome.err;
    if (err)
        return repo_txn_error(request, err);
    if (!post_error)
        return NULL;
    log_post_error(r, post_error);
    return repo_error_new(
        r->pool, HTTP_INTERNAL_SERVER_ERROR, FS_ERR_POST_UNLOCK_HOOK,
        apr_pstrcat(r->pool, "the lock was released, but the ", post_error,
                    NULL));
}

/* Without a token mod_dav says what is about to be deleted or moved. That may
 * still fail, so whoever does it releases the locks when it is done. */
static dav_error *remove_lock(dav_lockdb *db, const dav_resource *resource,
                              const dav_locktoken *token)
{
    repo_request_t *request = resource->info->request;
    const char *path = resource->info->uri.path;
    bool force;
    dav_error *err;

    (void)db;
    if (!token || !path)
        return NULL;
    force = repo_headers_has_option(request->r, "lock-break");
    err = request->r->user
              ? release(request, path, token->text, force)
              : repo_error_new(request->pool, HTTP_NOT_IMPLEMENTED,
                               FS_ERR_NO_USER,
                               "locks are released for a user, and none is "
                               "known");
    if (err)
        return answer_unlock(request, err);
    repo_request_action(request, "unlock (%s)%s",
                        repo_uri_encode(path, request->pool),
                        force ? " break" : "");
    return NULL;
}

static fs_error_t *note_lock(void *baton, const fs_lock_t *lock,
                             apr_pool_t *scratch)
{
    apr_array_header_t *found = baton;
    fs_lock_release_t wish = { apr_pstrdup(found->pool, lock->path),
                               apr_pstrdup(found->pool, lock->token) };

    (void)scratch;
    APR_ARRAY_PUSH(found, fs_lock_release_t) = wish;
    return NULL;
}

static fs_error_t *release_all(repo_request_t *request, const char *path,
                               apr_pool_t *scratch)
{
    request_rec *r = request->r;
    apr_array_header_t *found =
        apr_array_make(scratch, 1, sizeof(fs_lock_release_t));
    fs_lock_outcome_t *outcomes;
    const char *post_error = NULL;
    fs_hook_config_t hooks;
    int i;

    FS_TRY(fs_lock_list(request->repo, path, FS_DEPTH_INFINITY, note_lock,
                        found, scratch));
    if (found->nelts == 0)
        return NULL;
    outcomes =
        apr_pcalloc(scratch, sizeof(*outcomes) * (apr_size_t)found->nelts);
    repo_txn_hooks(&hooks, request);
    FS_TRY(fs_hook_unlock(outcomes, &post_error, request->repo, &hooks, r->user,
                          (const fs_lock_release_t *)found->elts, found->nelts,
                          false, scratch));
    log_post_error(r, post_error);
    for (i = 0; i < found->nelts; i++)
        if (outcomes[i].err) {
            repo_error_log(r, outcomes[i].err);
            fs_error_clear(outcomes[i].err);
        }
    return NULL;
}

void repo_lock_release_all(repo_request_t *request, const char *path)
{
    fs_error_t *err = release_all(request, path, request->pool);

    if (err) {
        repo_error_log(request->r, err);
        fs_error_clear(err);
    }
}

const dav_hooks_locks repo_lock_hooks = {
    supported_lock,
    parse_token,
    format_token,
    compare_tokens,
    open_locks,
    close_locks,
    remove_locknull_state,
    create_lock,
    get_locks,
    find_lock,
    has_locks,
    append_locks,
    remove_lock,
    refresh_locks,
    NULL, /* lookup_resource: no lock covers more than its path */
    NULL,
};
