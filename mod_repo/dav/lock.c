/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of the repository as mod_dav's locks. A lock belongs to a path, so
 * the special URLs of a node show the lock of its public one.
 */

#include "mod_repo/dav/lock.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_lock.h"
#include "libfs/fs_time.h"
#include "mod_repo/dav/resource.h"
#include "mod_repo/http/error.h"
#include "mod_repo/http/xml.h"

#define TOKEN_SCHEME "opaquelocktoken:"

struct dav_locktoken {
    const char *text; /* with its scheme */
};

struct dav_lockdb_private {
    request_rec *r;
};

static dav_error *refuse(const dav_lockdb *db)
{
    return repo_error_read_only(db->info->r->pool, HTTP_FORBIDDEN);
}

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
    if (lock->is_dav_comment)
        return apr_pstrdup(result, lock->comment);
    return apr_pstrcat(
        result, "<D:owner xmlns:D=\"DAV:\">",
        repo_xml_escape(lock->comment, strlen(lock->comment), false, result),
        "</D:owner>", NULL);
}

static dav_lock *convert(const fs_lock_t *lock, apr_pool_t *result)
{
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
    converted->auth_user = apr_pstrdup(result, lock->owner);
    return converted;
}

/* The lock of a resource's path, NULL if there is none. For LOCK requests of
 * Subversion clients the repository decides, with a precise error. */
static dav_error *find(const fs_lock_t **lock, const dav_resource *resource)
{
    const dav_resource_private *info = resource->info;
    const repo_request_t *request = info->request;
    fs_error_t *err;

    *lock = NULL;
    if (!info->uri.path || info->is_listing || resource->collection ||
        (request->is_svn && request->r->method_number == M_LOCK))
        return NULL;
    err = fs_lock_get(lock, request->repo, info->uri.path, resource->pool);
    if (err)
        return repo_error_convert(request->r, err, 0);
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
    *locks = !err && lock ? convert(lock, resource->pool) : NULL;
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
                              dav_lock **lock)
{
    (void)resource;
    (void)lock;
    return refuse(db);
}

static dav_error *append_locks(dav_lockdb *db, const dav_resource *resource,
                               int make_indirect, const dav_lock *lock)
{
    (void)resource;
    (void)make_indirect;
    (void)lock;
    return refuse(db);
}

static dav_error *remove_lock(dav_lockdb *db, const dav_resource *resource,
                              const dav_locktoken *token)
{
    (void)resource;
    (void)token;
    return refuse(db);
}

static dav_error *refresh_locks(dav_lockdb *db, const dav_resource *resource,
                                const dav_locktoken_list *list, time_t until,
                                dav_lock **locks)
{
    (void)resource;
    (void)list;
    (void)until;
    (void)locks;
    return refuse(db);
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
