/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the user of a request read a path? Decided by what httpd itself would
 * answer to a GET of the path's own URL: an internal subrequest that runs all
 * access rules and no handler.
 */

#include "mod_repo/auth/access.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include <http_config.h>
#include <http_request.h>

#include "mod_repo/auth/survey.h"
#include "mod_repo/uri/uri.h"

/** Answers that are remembered; beyond it all are forgotten. */
#define MEMO_MAX 4096

struct repo_access_t {
    request_rec *r;
    const char *root;
    const char *special;
    fs_reader_t reader;
    apr_pool_t *memo_pool; /* cleared when the memo is full */
    apr_hash_t *memo;      /* "REV/path" to `allowed` or `denied` */
};

static const char allowed_mark[] = "allowed";
static const char denied_mark[] = "denied";

static fs_error_t *may_read(bool *allowed, fs_rev_t rev, const char *path,
                            void *baton, apr_pool_t *scratch)
{
    return repo_access_may_read(allowed, baton, rev, path, scratch);
}

/* httpd does not check a subrequest whose settings are those of the request
 * that passed already. What depends on the URL would never be asked, so give
 * this request settings of its own, equal to those it has. */
static void part_from_subrequests(request_rec *r)
{
    static const char done_key[] = "mod_repo:parted";
    ap_conf_vector_t *empty;
    void *done;

    apr_pool_userdata_get(&done, done_key, r->pool);
    if (done)
        return;
    apr_pool_userdata_setn(r, done_key, NULL, r->pool);
    empty = ap_create_per_dir_config(r->pool);
    r->per_dir_config =
        ap_merge_per_dir_configs(r->pool, r->per_dir_config, empty);
}

repo_access_t *repo_access_create(request_rec *r, const char *root,
                                  const char *special, bool check,
                                  apr_pool_t *result)
{
    repo_access_t *access = apr_pcalloc(result, sizeof(*access));

    access->r = r;
    access->root = root;
    access->special = special;
    if (check && !repo_survey_is_uniform()) {
        access->reader.may_read = may_read;
        access->reader.baton = access;
        apr_pool_create(&access->memo_pool, result);
        access->memo = apr_hash_make(access->memo_pool);
        part_from_subrequests(r);
    }
    return access;
}

const fs_reader_t *repo_access_reader(const repo_access_t *access)
{
    return &access->reader;
}

static bool ask_httpd(repo_access_t *access, fs_rev_t rev, const char *path,
                      apr_pool_t *scratch)
{
    const char *url =
        repo_uri_build(FS_IS_REV(rev) ? REPO_URI_VER : REPO_URI_PUBLIC,
                       access->root, access->special, rev, path, scratch);
    request_rec *sub = ap_sub_req_method_uri("GET", url, access->r, NULL);
    bool allowed = sub->status == HTTP_OK;

    ap_destroy_sub_req(sub);
    return allowed;
}

static void remember(repo_access_t *access, const char *key, bool allowed)
{
    if (apr_hash_count(access->memo) >= MEMO_MAX) {
        apr_pool_clear(access->memo_pool);
        access->memo = apr_hash_make(access->memo_pool);
    }
    apr_hash_set(access->memo, apr_pstrdup(access->memo_pool, key),
                 APR_HASH_KEY_STRING, allowed ? allowed_mark : denied_mark);
}

fs_error_t *repo_access_may_read(bool *allowed, repo_access_t *access,
                                 fs_rev_t rev, const char *path,
                                 apr_pool_t *scratch)
{
    const char *key, *mark;

    *allowed = true;
    if (!access->reader.may_read)
        return NULL;

    key = apr_psprintf(scratch, "%" FS_REV_FMT "%s", rev, path);
    mark = apr_hash_get(access->memo, key, APR_HASH_KEY_STRING);
    if (mark) {
        *allowed = mark == allowed_mark;
        return NULL;
    }
    *allowed = ask_httpd(access, rev, path, scratch);
    remember(access, key, *allowed);
    return NULL;
}
