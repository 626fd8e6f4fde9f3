/* SPDX-License-Identifier: Apache-2.0 */
/* Start of the server: the cache in the parent, repositories in a child. */

#include "mod_repo/lifecycle/start.h"

#include <string.h>

#include <apr_strings.h>

#include <httpd.h>
#include <http_config.h>
#include <http_core.h>
#include <http_protocol.h>

#include "config.h"
#include "libcache/cache.h"
#include "libfs/fs_error.h"
#include "libfs/fs_repo.h"
#include "mod_repo/auth/survey.h"
#include "mod_repo/conf/config.h"
#include "mod_repo/http/log.h"
#include "mod_repo/request/process.h"

REPO_USE_LOG;

/** Repositories that a process keeps open without using them. */
#define IDLE_REPOSITORIES 64

static const char *join(const apr_array_header_t *names, apr_pool_t *result)
{
    const char *text = "";
    int i;

    for (i = 0; i < names->nelts; i++)
        text = apr_pstrcat(result, text, i ? ", " : "",
                           APR_ARRAY_IDX(names, i, const char *), NULL);
    return text;
}

static void note_ignored(server_rec *server, apr_pool_t *scratch)
{
    for (; server; server = server->next) {
        const repo_server_config_t *config = repo_config_of_server(server);

        if (config->ignored->nelts > 0) {
            ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, server,
                         "mod_repo: without effect here, as the cache decides "
                         "by itself: %s",
                         join(config->ignored, scratch));
            return; /* virtual hosts inherit the list */
        }
    }
}

static int create_cache(server_rec *server, apr_pool_t *pconf)
{
    const repo_server_config_t *config = repo_config_of_server(server);
    cache_options_t options = { config->cache, config->cache_size };
    cache_t *cache;
    apr_status_t status = cache_create(&cache, &options, pconf);

    if (status != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, status, server,
                     "mod_repo: cannot make the cache; lower RepoCacheSize or "
                     "set RepoCache none");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    repo_process_set_cache(cache);
    ap_log_error(APLOG_MARK, APLOG_INFO, 0, server,
                 "mod_repo: cache '%s' of %" APR_UINT64_T_FMT
                 " KiB in each process",
                 cache_backend_name(cache), cache_size(cache) / 1024);
    return OK;
}

static int post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp,
                       server_rec *server)
{
    (void)plog;
    ap_add_version_component(pconf, "mod_repo/" REPO_VERSION);
    repo_survey_take(ap_conftree, ptemp);
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG)
        return OK; /* the configuration is read once more */
    note_ignored(server, ptemp);
    if (repo_survey_reason())
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, server,
                     "mod_repo: each path is checked by a subrequest, because "
                     "of %s",
                     repo_survey_reason());
    return create_cache(server, pconf);
}

static void child_init(apr_pool_t *pchild, server_rec *server)
{
    cache_t *cache = repo_process_cache();
    fs_repo_set_t *repos = NULL;
    apr_status_t status = cache_attach(cache, pchild);
    fs_error_t *err;

    if (status != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, status, server,
                     "mod_repo: cannot use the cache, going on without");
        cache = NULL;
        repo_process_set_cache(NULL);
    }
    err = fs_repo_set_create(&repos, IDLE_REPOSITORIES, cache, pchild);
    if (err) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, err->apr_status, server,
                     "mod_repo: no repository can be opened: %s",
                     fs_error_describe(err, pchild));
        fs_error_clear(err);
        repos = NULL;
    }
    repo_process_set_repos(repos);
    fs_error_check_thread();
}

/* After each request: nobody holds an error any more. */
static int log_transaction(request_rec *r)
{
    (void)r;
    fs_error_check_thread();
    return DECLINED;
}

void repo_start_register(apr_pool_t *pconf)
{
    (void)pconf;
    ap_hook_post_config(post_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(child_init, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_log_transaction(log_transaction, NULL, NULL, APR_HOOK_MIDDLE);
}
