/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module records and the registration of hooks.
 *
 * The record that works is repo_core_module. httpd does not know it by name:
 * whichever of the exported records is loaded first links it, once, so that
 * LoadModule lines for any of them, in any order and combination, bring the
 * module to life. The exported records are empty otherwise. Three of them
 * have the names of modules that sites ask for in <IfModule>: a section of
 * access rules must not vanish with the module it was written for.
 */

#include <string.h>

#include <apr_strings.h>

#include <httpd.h>
#include <http_config.h>
#include <mod_dav.h>

#include "mod_repo/conf/config.h"
#include "mod_repo/dav/provider.h"
#include "mod_repo/dav/version.h"
#include "mod_repo/http/log.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/lifecycle/start.h"
#include "mod_repo/lifecycle/status.h"
#include "mod_repo/post/post.h"
#include "mod_repo/report/report.h"
#include "mod_repo/request/hooks.h"
#include "mod_repo/request/request.h"

/* ---- hooks ---- */

/* The methods that are ours and not mod_dav's. */
static int handle(request_rec *r)
{
    int status = repo_status_handler(r);

    if (status != DECLINED)
        return status;
    if (!repo_request_is_ours(r) ||
        (r->handler && strcmp(r->handler, "proxy-server") == 0))
        return DECLINED;
    if (strcmp(r->method, "REPORT") == 0)
        return repo_report_handler(r);
    if (r->method_number == M_POST)
        return repo_post_handler(r);
    return repo_provider_handler(r);
}

static void offer_reports(apr_pool_t *pconf)
{
    int count = 0, i;
    dav_report_elem *offered;

    while (repo_reports[count])
        count++;
    offered = apr_pcalloc(pconf, sizeof(*offered) * (apr_size_t)(count + 1));
    for (i = 0; i < count; i++) {
        offered[i].nmspace = REPO_NS_SVN;
        offered[i].name = repo_reports[i]->root;
    }
    repo_version_set_reports(offered);
}

static void register_hooks(apr_pool_t *pconf)
{
    static const char *const before[] = { "mod_dav.c", NULL };

    repo_provider_register(pconf);
    offer_reports(pconf);
    repo_start_register(pconf);
    repo_hooks_register(pconf);
    ap_hook_handler(handle, NULL, before, APR_HOOK_FIRST);
}

static int lend_indexes(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp);

static void register_core_hooks(apr_pool_t *pconf)
{
    register_hooks(pconf);
    ap_hook_pre_config(lend_indexes, NULL, NULL, APR_HOOK_REALLY_FIRST);
}

module repo_core_module = { STANDARD20_MODULE_STUFF,  repo_config_create_dir,
                            repo_config_merge_dir,    repo_config_create_server,
                            repo_config_merge_server, repo_directives,
                            register_core_hooks,      AP_MODULE_FLAG_NONE };

/* ---- the records that LoadModule finds ---- */

static bool is_linked;

static apr_status_t unlink_core(void *data)
{
    (void)data;
    ap_remove_loaded_module(&repo_core_module);
    is_linked = false;
    repo_log_index = APLOG_NO_MODULE;
    return APR_SUCCESS;
}

/* Link the working record; in place of the settings of a record that has
 * none. httpd calls this when the record is loaded, then for each virtual
 * host. */
static void *link_core(apr_pool_t *pool, server_rec *server)
{
    if (is_linked)
        return NULL;
    if (ap_add_loaded_module(&repo_core_module, pool, "repo_module"))
        return NULL;
    is_linked = true;
    repo_log_index = repo_core_module.module_index;
    /* Registered after httpd's own clean-ups, so it runs before the shared
     * object goes away. */
    apr_pool_cleanup_register(pool, NULL, unlink_core, apr_pool_cleanup_null);
    ap_single_module_configure(pool, server, &repo_core_module);
    return NULL;
}

#pragma GCC visibility push(default)
extern module repo_module;
extern module dav_svn_module;
extern module authz_svn_module;
extern module dontdothat_module;
#pragma GCC visibility pop

/* LogLevel finds this one by name. */
static void *link_under_own_name(apr_pool_t *pool, server_rec *server)
{
    link_core(pool, server);
    if (is_linked)
        repo_log_index = repo_module.module_index;
    return NULL;
}

#define EMPTY_MODULE(name, link)                                               \
    {                                                                          \
        MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR, -1, name, NULL,  \
            NULL, MODULE_MAGIC_COOKIE, NULL, NULL, NULL, link, NULL, NULL,     \
            NULL, AP_MODULE_FLAG_NONE                                          \
    }

module repo_module = EMPTY_MODULE("mod_repo.c", link_under_own_name);
module dav_svn_module = EMPTY_MODULE("mod_dav_svn.c", link_core);
module authz_svn_module = EMPTY_MODULE("mod_authz_svn.c", link_core);
module dontdothat_module = EMPTY_MODULE("mod_dontdothat.c", link_core);

/* The records with old names. */
static module *const borrowed[] = { &dav_svn_module, &authz_svn_module,
                                    &dontdothat_module };

static const module *find_namesake(const module *record)
{
    const module *m, *found = NULL;

    for (m = ap_top_module; m; m = m->next) {
        if (m == record)
            return NULL; /* it is loaded itself */
        if (strcmp(m->name, record->name) == 0)
            found = m;
    }
    return found;
}

/*
 * httpd loads modules with RTLD_GLOBAL. So where the true mod_dav_svn is
 * loaded after us, its own uses of `dav_svn_module` find our record: give
 * that the index which httpd gave to the true one. No directive has been
 * carried out yet.
 */
static int lend_indexes(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    apr_size_t i;

    (void)pconf;
    (void)plog;
    (void)ptemp;
    for (i = 0; i < sizeof(borrowed) / sizeof(borrowed[0]); i++) {
        const module *true_one = find_namesake(borrowed[i]);

        if (true_one)
            borrowed[i]->module_index = true_one->module_index;
    }
    return OK;
}
